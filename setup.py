"""The one part that is compiled, where there is a compiler. All else is in pyproject.toml."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "halflife.page._walk",
            ["src/halflife/page/_walk.c"],
            extra_compile_args=["-O2"],
            py_limited_api=True,
            optional=True,  # without it pages are read by the same walk in Python
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
