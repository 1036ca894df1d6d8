"""Rows for people and for programs."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

from halflife.report import FORMATS, rows_as

ROWS: list[dict[str, Any]] = [
    {
        "weight": 12.345,
        "title": 'a "quoted", title',
        "at": datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        "tags": ["x", "y"],
    },
    {"weight": None, "title": "=1+1", "at": None, "tags": []},
]
NAMES = list(ROWS[0])


def test_csv_reads_back() -> None:
    rows = list(csv.DictReader(io.StringIO("".join(rows_as("csv", ROWS, NAMES)))))
    assert rows[0] == {
        "weight": "12.345",
        "title": 'a "quoted", title',
        "at": "2026-01-02T03:04:05+00:00",
        "tags": '["x","y"]',
    }
    assert rows[1]["weight"] == ""


def test_a_csv_cell_is_no_formula() -> None:
    rows = list(csv.DictReader(io.StringIO("".join(rows_as("csv", ROWS, ["title"])))))
    assert rows[1]["title"] == "'=1+1"


def test_json_lines_hold_what_was_there() -> None:
    lines = "".join(rows_as("jsonl", ROWS, NAMES)).splitlines()
    assert [json.loads(line)["title"] for line in lines] == ['a "quoted", title', "=1+1"]
    assert json.loads(lines[0])["tags"] == ["x", "y"]


def test_a_table_shows_numbers_to_the_right_and_nothing_for_nothing() -> None:
    lines = "".join(rows_as("table", ROWS, ["weight", "title"])).splitlines()
    assert lines[2].startswith(" 12.35  a")  # as wide as its name
    assert "None" not in "".join(lines)


def test_no_rows_are_still_a_table_and_a_csv() -> None:
    assert "".join(rows_as("csv", [], NAMES)).strip() == ",".join(NAMES)
    assert len(list(rows_as("table", [], NAMES))) == 2
    assert list(rows_as("jsonl", [], NAMES)) == []
    assert set(FORMATS) == {"table", "csv", "jsonl"}
