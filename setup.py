"""The one part that is compiled, where there is a compiler. All else is in pyproject.toml."""

import sysconfig

from setuptools import Extension, setup

# One build for all versions of Python to come, which those without a global lock do not offer.
limited = not sysconfig.get_config_var("Py_GIL_DISABLED")

setup(
    ext_modules=[
        Extension(
            "halflife.page._walk",
            ["src/halflife/page/_walk.c"],
            extra_compile_args=["-O2"],
            py_limited_api=limited,
            define_macros=[("Py_LIMITED_API", "0x030B0000")] if limited else [],
            optional=True,  # without it pages are read by the same walk in Python
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}} if limited else {},
)
