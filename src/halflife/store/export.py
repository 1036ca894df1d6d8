"""Rows of any kind as one Parquet file, for those who go on with other tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halflife.store.columns import schemas
from halflife.store.faults import told

if TYPE_CHECKING:
    import pyarrow as pa

GROUP_ROWS = 20_000  # rows held in memory at a time

Row = Mapping[str, Any]


def write_parquet(rows: Iterable[Row], names: Sequence[str], path: Path) -> int:
    """Write these columns of the rows; how many rows there were. A file that cannot be finished is taken away."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    groups = _groups(rows)
    first = next(groups, [])
    schema = pa.schema([(name, _type_of(name, first)) for name in names])
    count = 0
    with told(path):
        file = path.open("wb")
        try:
            with file, pq.ParquetWriter(file, schema, compression="zstd") as writer:
                while first:
                    writer.write_table(pa.Table.from_pylist(first, schema=schema))
                    count += len(first)
                    first = next(groups, [])
        except BaseException:
            if path.is_file():  # a device or a pipe stays
                path.unlink()
            raise
    return count


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    left = iter(rows)
    while group := list(islice(left, GROUP_ROWS)):
        yield group


def _type_of(name: str, rows: list[Row]) -> pa.DataType:
    """The type that a column of this name has in our tables, or else what its first values look like."""
    import pyarrow as pa

    if name in _known_types():
        return _known_types()[name]
    found = pa.array([row[name] for row in rows]).type
    return pa.string() if pa.types.is_null(found) else found


@cache
def _known_types() -> dict[str, pa.DataType]:
    import pyarrow as pa

    types = {"weight": pa.float64()}
    for schema in schemas().values():
        for field in schema:
            types.setdefault(field.name, field.type)
    return types
