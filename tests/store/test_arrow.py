"""Columns made from buffers: the same as Arrow makes of the same values, and read back by Parquet's own readers."""

from __future__ import annotations

from array import array
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.store.arrow import coded, column, numbers, truths
from halflife.store.columns import BOUNDED, REPEATED, TABLES, schemas

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
AT = pa.timestamp("us", tz="UTC")
VALUES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.string(): TEXT,
    pa.bool_(): st.booleans(),
    pa.int32(): st.none() | st.integers(-(1 << 31), (1 << 31) - 1),
    pa.int64(): st.none() | st.integers(-(1 << 63), (1 << 63) - 1),
    pa.float64(): st.none() | st.floats(allow_nan=False),
    AT: st.none() | st.integers(-(1 << 50), 1 << 50),
    pa.list_(pa.string()): st.lists(TEXT, max_size=4),
    pa.map_(pa.string(), pa.float64()): st.dictionaries(TEXT, st.floats(allow_nan=False), max_size=4),
}


def by_arrow(values: list[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_map(kind):
        values = [list(value.items()) for value in values]
    return pa.array(values, kind)


@pytest.mark.parametrize("kind", list(VALUES), ids=str)
@given(data=st.data())
def test_columns_are_those_that_arrow_makes(kind: pa.DataType, data: st.DataObject) -> None:
    values = data.draw(st.lists(VALUES[kind], max_size=20))
    made = column(values, kind)
    made.validate(full=True)
    assert made.type == kind
    assert made.equals(by_arrow(values, kind))
    assert made.null_count == sum(value is None for value in values)


def test_every_column_of_every_table_can_be_made() -> None:
    kinds = {field.type for schema in schemas().values() for field in schema}
    assert kinds == set(VALUES)


@pytest.mark.parametrize("kind", [pa.int32(), pa.int64(), pa.float64(), AT], ids=str)
@pytest.mark.parametrize("count", [1, 7, 8, 9, 64, 65])
def test_missing_values_are_missing_wherever_they_stand(kind: pa.DataType, count: int) -> None:
    for gap in {0, count // 2, count - 1}:
        values = [None if place == gap else place for place in range(count)]
        assert column(values, kind).equals(pa.array(values, kind))
    assert column([None] * count, kind).null_count == count


@given(st.lists(st.text(st.characters(), max_size=5), max_size=9))
def test_half_a_character_becomes_one_character(values: list[str]) -> None:
    made = column(values, pa.string())
    made.validate(full=True)
    for value, stored in zip(values, made.to_pylist(), strict=True):
        assert len(stored) == len(value)
        assert all(new == ("?" if "\ud800" <= old <= "\udfff" else old) for old, new in zip(value, stored, strict=True))


def test_half_a_character_in_lists_and_names_too() -> None:
    assert column([["\ud800a"], []], pa.list_(pa.string())).to_pylist() == [["?a"], []]
    assert column([{"\udfff": 1.0}], pa.map_(pa.string(), pa.float64())).to_pylist() == [[("?", 1.0)]]


@given(st.lists(st.booleans(), max_size=70))
def test_truths_may_come_as_bytes(values: list[bool]) -> None:
    assert truths(bytearray(values)).equals(pa.array(values, pa.bool_()))


@given(st.lists(st.integers(0, 3), max_size=30), st.lists(TEXT, min_size=4, max_size=4, unique=True))
def test_coded_text_reads_as_text(places: list[int], words: list[str]) -> None:
    made = coded(array("i", places), words)
    made.validate(full=True)
    assert made.cast(pa.string()).to_pylist() == [words[place] for place in places]


def test_packed_numbers_are_not_copied() -> None:
    packed = array("q", range(100))
    made = numbers(packed, pa.int64())
    assert made.to_pylist() == list(range(100))
    assert made.buffers()[1].address == packed.buffer_info()[0]


def test_what_is_said_of_columns_is_said_of_columns_that_there_are() -> None:
    assert tuple(schemas()) == TABLES
    for said in (REPEATED, BOUNDED):
        assert tuple(said) == TABLES
        for table, names in said.items():
            assert set(names) <= set(schemas()[table].names), table
            assert len(names) == len(set(names))
    assert all("fetched_at" in schema.names for schema in schemas().values())
