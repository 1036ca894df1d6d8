"""The house keeps its own rules: what may import what, how large things get, and that what is written down is true."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "halflife"
# From top to bottom; a room may import what stands on a lower floor, and itself.
FLOORS = (
    ("__main__",),
    ("cli",),
    ("run",),
    ("fetch", "page", "judge", "plan", "store", "report", "littleweb"),
    ("urls", "records", "errors", "events", "fates"),
)
LINES_MAX = 400  # beyond this, a file has a second idea
FUNCTION_LINES_MAX = 60


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text()) for path in sorted(SOURCE.rglob("*.py"))}


def room(path: Path) -> str:
    first = path.relative_to(SOURCE).parts[0]
    return first.removesuffix(".py")


def floor(name: str) -> int:
    for number, names in enumerate(FLOORS):
        if name in names:
            return number
    raise AssertionError(f"{name} stands on no floor: give it one in FLOORS and in ARCHITECTURE.md")


def imports(tree: ast.Module) -> set[str]:
    """The rooms that a file imports."""
    found = set()
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module] if node.module != "halflife" else [f"halflife.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("halflife.")}
    return found - {"__version__"}


def picture() -> str:
    """Which room imports which, as ARCHITECTURE.md shows it."""
    edges: dict[str, set[str]] = {}
    for path, tree in trees().items():
        if path != SOURCE / "__init__.py":
            edges.setdefault(room(path), set()).update(imports(tree) - {room(path)})
    order = [name for names in FLOORS for name in names if name in edges]
    width = max(map(len, order))
    return "\n".join(f"{name:<{width}} -> {' '.join(sorted(edges[name])) or '(nothing of ours)'}" for name in order)


def test_imports_point_down_only() -> None:
    wrong = [
        f"{path.relative_to(SOURCE)} imports {other}"
        for path, tree in trees().items()
        if path != SOURCE / "__init__.py"
        for other in imports(tree) - {room(path)}
        if floor(other) <= floor(room(path))
    ]
    assert wrong == []


def test_architecture_shows_the_imports_that_there_are() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    shown = re.search(r"<!-- imports -->\n```\n(.*?)\n```", text, re.DOTALL)
    assert shown is not None
    assert shown[1] == picture(), f"write this into ARCHITECTURE.md:\n{picture()}"


def test_only_fetch_opens_sockets_to_the_web() -> None:
    # littleweb serves; crew and messages talk to their own workers through socket pairs; worker holds its end of one.
    allowed = {"fetch", "littleweb"}
    users = {
        path.relative_to(SOURCE).as_posix()
        for path, tree in trees().items()
        if {"socket", "ssl", "asyncio", "http.client", "urllib.request", "aiodns", "httptools"} & plain_imports(tree)
        and room(path) not in allowed
    }
    assert users == {"run/crew.py", "run/messages.py", "run/worker.py"}


def test_only_store_speaks_sql() -> None:
    users = {room(path) for path, tree in trees().items() if {"sqlite3", "duckdb"} & plain_imports(tree)}
    assert users == {"store"}


def test_judgements_have_no_clock_and_no_hidden_chance() -> None:
    for path, tree in trees().items():
        if room(path) in ("judge", "plan", "page"):
            forbidden = {"time", "random", "socket", "asyncio", "sqlite3", "secrets"} & plain_imports(tree)
            assert not forbidden, f"{path.relative_to(SOURCE)} imports {forbidden}"


def plain_imports(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_files_and_functions_stay_small(path: Path) -> None:
    tree = trees()[path]
    assert path.read_text().count("\n") <= LINES_MAX
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert (node.end_lineno or 0) - node.lineno < FUNCTION_LINES_MAX, f"{node.name} is long"
            count = len(node.args.args) + len(node.args.kwonlyargs) + len(node.args.posonlyargs)
            assert count <= 9, f"{node.name} takes {count} parameters: make a record of them"


def test_every_file_and_every_room_says_what_it_is() -> None:
    for path, tree in trees().items():
        assert ast.get_docstring(tree), path
        if path.name == "__init__.py" and path != SOURCE / "__init__.py":
            text = ast.get_docstring(tree) or ""
            for word in ("In:", "Out:", "Never:"):
                assert word in text, f"{path.relative_to(SOURCE)}: a room's readme says {word}"


def test_all_is_what_a_room_offers() -> None:
    import importlib

    for path, tree in trees().items():
        if path.name != "__init__.py" or path == SOURCE / "__init__.py":
            continue
        module = importlib.import_module(f"halflife.{path.parent.relative_to(SOURCE).as_posix().replace('/', '.')}")
        offered = {
            alias.asname or alias.name
            for node in tree.body
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("halflife.") and node.level == 0
            for alias in node.names
        }
        declared = set(getattr(module, "__all__", offered))
        assert all(hasattr(module, name) for name in declared)
        assert {name for name in offered if not name.startswith("_")} <= declared | {"annotations"}, path


def test_the_library_offers_what_it_says() -> None:
    import halflife

    for name in halflife.__all__:
        assert getattr(halflife, name) is not None
    with pytest.raises(AttributeError):
        halflife.no_such_name  # noqa: B018
