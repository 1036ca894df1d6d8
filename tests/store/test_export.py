"""Rows as one Parquet file: types, sizes, what is in the way, and what is left when it cannot be finished."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halflife.errors import StoreError
from halflife.store import PageFilter, SegmentWriter, export, pages, pages_table, write_parquet
from store.made import AT, answered, html, made_of, new_store

EVERYTHING = PageFilter(everything=True)


def back(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
    return found


def test_pages_go_out_as_they_are(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    writer = SegmentWriter.create(folder)
    for n in range(5):
        fetch = answered(f"http://a.example/{n}", html(f"☀ {n}", words="solar " * n), AT + n)
        page, weight = made_of(fetch)
        writer.add(fetch, page, weight if n else None, b"")
    writer.seal()
    rows = list(pages(folder, EVERYTHING))
    path = tmp_path / "out.parquet"
    assert write_parquet(iter(rows), list(rows[0]), path) == 5
    assert [{**row, "evidence": row["evidence"] and dict(row["evidence"])} for row in back(path)] == rows
    table = pages_table(folder, EVERYTHING)
    written = pyarrow.parquet.read_schema(path)
    assert {name: table.schema.field(name).type for name in written.names if name != "text_characters"} == {
        name: written.field(name).type for name in written.names if name != "text_characters"
    }
    assert list(pandas.read_parquet(path)["url"]) == [row["url"] for row in rows]
    with duckdb.connect() as connection:
        assert connection.execute("SELECT count(*) FROM read_parquet(?)", [str(path)]).fetchone() == (5,)


def test_only_the_columns_that_were_asked_for_in_that_order(tmp_path: Path) -> None:
    rows = [{"url": "u", "title": "t", "weight": 1.0}]
    assert write_parquet(rows, ["weight", "url"], tmp_path / "p") == 1
    assert list(back(tmp_path / "p")[0].items()) == [("weight", 1.0), ("url", "u")]


def test_no_rows_make_a_file_without_rows(tmp_path: Path) -> None:
    assert write_parquet([], ["url", "weight", "unknown"], tmp_path / "p") == 0
    schema = pyarrow.parquet.read_schema(tmp_path / "p")
    assert [(field.name, field.type) for field in schema] == [
        ("url", pa.string()), ("weight", pa.float64()), ("unknown", pa.string()),
    ]  # fmt: skip


@settings(max_examples=30, deadline=None)
@given(rows=st.lists(st.fixed_dictionaries({
    "url": st.text(max_size=5), "weight": st.none() | st.floats(allow_nan=False), "count": st.integers(0, 1 << 40),
    "reason": st.text(max_size=3), "fetched_at": st.none(), "kept": st.booleans(),
}), max_size=10))  # fmt: skip
def test_rows_of_any_kind_come_back(rows: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "p"
        assert write_parquet(rows, ["url", "weight", "count", "reason", "fetched_at", "kept"], path) == len(rows)
        assert back(path) == rows


def test_more_rows_than_are_held_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "GROUP_ROWS", 10)
    alive: list[int] = []

    def rows() -> Iterator[dict[str, Any]]:
        for n in range(25):
            alive.append(n)
            # A column that begins with nothing has the type that its name has in the tables.
            yield {"url": str(n), "status": None if n < 12 else n}

    assert write_parquet(rows(), ["url", "status"], tmp_path / "p") == 25
    assert back(tmp_path / "p") == [{"url": str(n), "status": None if n < 12 else n} for n in range(25)]
    assert pyarrow.parquet.ParquetFile(tmp_path / "p").num_row_groups == 3
    assert len(alive) == 25


def test_a_file_that_was_there_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(b"x" * 100_000)
    write_parquet([{"url": "u"}], ["url"], tmp_path / "p")
    assert back(tmp_path / "p") == [{"url": "u"}]


def test_a_file_that_cannot_be_finished_is_taken_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "GROUP_ROWS", 2)

    def rows() -> Iterator[dict[str, Any]]:
        for n in range(5):
            yield {"url": str(n)}
        raise StoreError("the store is gone")

    with pytest.raises(StoreError, match="the store is gone"):
        write_parquet(rows(), ["url"], tmp_path / "p")
    assert not (tmp_path / "p").exists()


def test_an_interrupted_one_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "GROUP_ROWS", 2)

    def rows() -> Iterator[dict[str, Any]]:
        for n in range(5):
            yield {"url": str(n)}
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_parquet(rows(), ["url"], tmp_path / "p")
    assert not (tmp_path / "p").exists()


def test_rows_that_fail_at_once_leave_what_was_there(tmp_path: Path) -> None:
    def rows() -> Iterator[dict[str, Any]]:
        raise StoreError("no store")
        yield {}

    (tmp_path / "p").write_bytes(b"precious")
    with pytest.raises(StoreError, match="no store"):
        write_parquet(rows(), ["url"], tmp_path / "p")
    assert (tmp_path / "p").read_bytes() == b"precious"


def test_places_where_no_file_can_be_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, advice in (
        (tmp_path, "cannot be used as it stands"),
        (tmp_path / "none" / "p", "does not exist and cannot be made there; choose another folder"),
        (tmp_path / "file" / "p", "cannot be used as it stands"),
        (tmp_path / ("x" * 300), "cannot be used as it stands"),
    ):
        with pytest.raises(StoreError, match=advice) as told:
            write_parquet([{"url": "u"}], ["url"], path)
        assert str(told.value).startswith(f"{path}: ")
    assert tmp_path.is_dir()


def test_a_full_disk_is_told_of_and_a_device_stays(tmp_path: Path) -> None:
    """By way of a link: should the device not be left alone after all, it is the link that goes, whoever runs this."""
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full on this system")
    path = tmp_path / "full"
    path.symlink_to("/dev/full")
    rows = ({"url": f"http://a.example/{n * 7919}"} for n in range(30_000))
    with pytest.raises(StoreError, match="full: the disk is full"):
        write_parquet(rows, ["url"], path)
    assert path.is_symlink()


def test_a_column_named_twice_is_there_twice(tmp_path: Path) -> None:
    write_parquet([{"url": "u"}], ["url", "url"], tmp_path / "p")
    assert pyarrow.parquet.ParquetFile(tmp_path / "p").schema_arrow.names == ["url", "url"]
