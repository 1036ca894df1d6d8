"""Where rows go: the terminal, a pipe or a file, in the form that was asked for."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NoReturn, TextIO

from halflife.cli.options import Option
from halflife.cli.standard import complain, written
from halflife.errors import InputError, SettingError, StoreError

OUTPUT = (
    Option("--format", "format", "the form of the output (default table)", "table|csv|jsonl|parquet",
           choices=("table", "csv", "jsonl", "parquet")),
    Option("--output", "output", "write to this file", "FILE"),
)  # fmt: skip
COLUMNS = Option(
    "--columns", "columns", "these columns, separated by commas, or all (default: a few in a table, else all)", "NAMES"
)


def _nothing() -> str:
    return "nothing to list"


def put(
    rows: Iterable[Mapping[str, Any]],
    output: Mapping[str, Any],
    columns: Sequence[str],
    nothing: Callable[[], str] = _nothing,
) -> int:
    """Write the rows; 1 when there were none, and `nothing` says why."""
    form = output["format"] or "table"
    found = iter(rows)
    first = next(found, None)
    if first is None:
        complain(f"halflife: {nothing()}")
        return 1
    names = _names(output["columns"], columns if form == "table" else (), list(first))
    everything = _again(first, found)
    if form == "parquet":
        from halflife.run import export

        if not output["output"]:
            raise SettingError("--format parquet needs --output FILE: it is no text")
        _export(export, everything, names, output["output"])
        return 0
    from halflife.report import rows_as

    with _opened(output["output"]) as out:
        width = shutil.get_terminal_size().columns if out.isatty() else 0
        for line in rows_as(form, everything, names, width):
            with written() if out is sys.stdout else nullcontext():
                out.write(line)
    return 0


def _names(asked: str | None, usual: Sequence[str], known: list[str]) -> list[str]:
    if not asked:
        return list(usual) or known
    names = known if asked == "all" else [name.strip() for name in asked.split(",")]
    for name in names:
        if name not in known:
            raise SettingError(f"--columns {name!r}: must be among {', '.join(known)}")
    return names


def _again(first: Mapping[str, Any], rest: Iterator[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    yield first
    yield from rest


@contextmanager
def _opened(name: str | None) -> Iterator[TextIO]:
    if not name:
        yield sys.stdout
        return
    try:
        with Path(name).open("w", encoding="utf-8", newline="") as file:
            yield file
    except OSError as error:
        _unwritable(name, error)


def _export(export: Callable[..., None], rows: Iterable[Mapping[str, Any]], names: list[str], name: str) -> None:
    try:
        export(rows, names, Path(name))
    except StoreError as error:
        # A file of the user's own is no store: nothing goes on where it stopped.
        if isinstance(error.__cause__, OSError) and str(error).startswith(f"{Path(name)}: "):
            _unwritable(name, error.__cause__)
        raise


def _unwritable(name: str, error: OSError) -> NoReturn:
    raise InputError(
        f"{name}: cannot be written ({error.strerror or error}); make room there, or give another --output"
    ) from None
