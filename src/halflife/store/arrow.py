"""Python values as Arrow columns, from their buffers.

`pyarrow.array` would do; but where pandas is installed it loads all of it (a quarter of a second and 60 MB in each
worker) to ask whether a list is one of its series. And text is joined faster than it is taken piece by piece.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

Values = Sequence[Any]


def column(values: Values, kind: pa.DataType) -> pa.Array:
    """One column; `kind` is one of those that our tables have."""
    return _makers()[kind](values)


def numbers(values: array[Any], kind: pa.DataType) -> pa.Array:
    """Numbers that lie packed already, as wide as `kind` has them."""
    import pyarrow as pa

    return pa.Array.from_buffers(kind, len(values), [None, pa.py_buffer(values)])


def truths(values: Values) -> pa.Array:
    """Yes or no, one bit each."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.bool_(), len(values), [None, _bits(values)])


def coded(places: array[int], words: Values) -> pa.Array:
    """Text as places in a list of distinct words."""
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(numbers(places, pa.int32()), _texts(words), safe=False)


@cache
def _makers() -> dict[pa.DataType, Callable[[Values], pa.Array]]:
    import pyarrow as pa

    def packed(code: str, kind: pa.DataType) -> Callable[[Values], pa.Array]:
        return lambda values: _nullable(values, code, kind)

    at = pa.timestamp("us", tz="UTC")
    return {
        pa.string(): _texts,
        pa.bool_(): truths,
        pa.int32(): packed("i", pa.int32()),
        pa.int64(): packed("q", pa.int64()),
        pa.float64(): packed("d", pa.float64()),
        at: packed("q", at),
        pa.list_(pa.string()): _lists,
        pa.map_(pa.string(), pa.float64()): _maps,
    }


def _texts(values: Iterable[str]) -> pa.Array:
    """Text as UTF-8. Half a surrogate pair, which no file may hold, becomes "?": one character for one."""
    import pyarrow as pa

    if all(map(str.isascii, values)):
        data, lengths = "".join(values).encode(), map(len, values)
    else:  # joined, one character beyond ASCII would make all of them two or four bytes wide
        encoded = [value.encode("utf-8", "replace") for value in values]
        data, lengths = b"".join(encoded), map(len, encoded)
    ends = _ends(lengths)
    return pa.Array.from_buffers(pa.string(), len(ends) - 1, [None, pa.py_buffer(ends), pa.py_buffer(data)])


def _nullable(values: Values, code: str, kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    try:
        return numbers(array(code, values), kind)
    except TypeError:  # some are missing
        there = [value is not None for value in values]
        packed = array(code, [value if value is not None else 0 for value in values])
        return pa.Array.from_buffers(kind, len(values), [_bits(there), pa.py_buffer(packed)])


def _lists(values: Sequence[Sequence[str]]) -> pa.Array:
    import pyarrow as pa

    ends = numbers(_ends(map(len, values)), pa.int32())
    return pa.ListArray.from_arrays(ends, _texts(list(chain.from_iterable(values))))


def _maps(values: Sequence[dict[str, float]]) -> pa.Array:
    import pyarrow as pa

    ends = numbers(_ends(map(len, values)), pa.int32())
    keys = _texts(list(chain.from_iterable(values)))
    items = numbers(array("d", chain.from_iterable(value.values() for value in values)), pa.float64())
    return pa.MapArray.from_arrays(ends, keys, items)


def _ends(lengths: Iterable[int]) -> array[int]:
    return array("i", accumulate(lengths, initial=0))


def _bits(values: Values) -> pa.Buffer:
    import pyarrow as pa

    digits = "".join(["1" if value else "0" for value in values])[::-1]
    return pa.py_buffer(int(digits or "0", 2).to_bytes((len(digits) + 7) // 8, "little"))
