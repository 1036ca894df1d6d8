"""Rows for people (a table) and for programs (CSV, JSON lines)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec

from halflife.report.text import table

Row = Mapping[str, Any]
FORMULA_HEADS = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet would run such a cell


def rows_as(form: str, rows: Iterable[Row], names: Sequence[str], width: int = 0) -> Iterator[str]:
    """Rows in one of FORMATS, a line at a time, each with its end."""
    return FORMATS[form](rows, names, width)


def _table(rows: Iterable[Row], names: Sequence[str], width: int) -> Iterator[str]:
    cells = [[_shown(row[name]) for name in names] for row in rows]
    numbers = [place for place in range(len(names)) if cells and _is_number(cells[0][place])]
    for line in table(names, cells, width, numbers):
        yield line + "\n"


def _csv(rows: Iterable[Row], names: Sequence[str], width: int) -> Iterator[str]:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(names)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in names])
        yield _taken(text)
    yield _taken(text)


def _json_lines(rows: Iterable[Row], names: Sequence[str], width: int) -> Iterator[str]:
    for row in rows:
        yield msgspec.json.encode({name: row[name] for name in names}).decode() + "\n"


FORMATS: dict[str, Callable[[Iterable[Row], Sequence[str], int], Iterator[str]]] = {
    "table": _table,
    "csv": _csv,
    "jsonl": _json_lines,
}


def _taken(text: io.StringIO) -> str:
    taken = text.getvalue()
    text.seek(0)
    text.truncate()
    return taken


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    return str(value)


def _is_number(cell: str) -> bool:
    return cell.replace(".", "", 1).replace(",", "").replace("-", "", 1).isdigit()


def _cell(value: object) -> object:
    """A CSV cell that no spreadsheet takes for a formula."""
    if isinstance(value, str) and value.startswith(FORMULA_HEADS):
        return "'" + value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, list | dict):
        return msgspec.json.encode(value).decode()
    return "" if value is None else value
