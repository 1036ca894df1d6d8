"""Memories that never grow beyond their limit: what they forget is learned again."""

from __future__ import annotations

from typing import Generic, TypeVar

from xxhash import xxh3_64_intdigest

REMEMBERED_MAX = 30_000  # a generation; two of them, of small values, are about 10 MB
SEEN_BITS = 1 << 25  # 4 MB, good for some eight million things before they are forgotten
SEEN_SHARE_MAX = (
    4  # forgotten when one bit in so many is set: then every fourth new thing would be taken for a known one
)

V = TypeVar("V")


def digest(text: str) -> int:
    """64 bits that stand for a text."""
    return int(xxh3_64_intdigest(text.encode()))


class Recent(Generic[V]):
    """A dictionary from text, or digests of it, that forgets what was not asked for of late."""

    def __init__(self, remembered_max: int = REMEMBERED_MAX) -> None:
        self._remembered_max = remembered_max
        self._young: dict[int, V] = {}
        self._old: dict[int, V] = {}

    def __bool__(self) -> bool:
        return bool(self._young or self._old)

    def get(self, text: str) -> V | None:
        """What is remembered under the text, or None."""
        return self.at(digest(text))

    def at(self, key: int) -> V | None:
        """What is remembered under the text with this digest, or None."""
        value = self._young.get(key)
        if value is None and self._old and (value := self._old.pop(key, None)) is not None:
            self._young[key] = value
        return value

    @property
    def generations(self) -> tuple[dict[int, V], dict[int, V]]:
        """All that is remembered, to be kept: the young and the old."""
        return self._young, self._old

    @generations.setter
    def generations(self, kept: tuple[dict[int, V], dict[int, V]]) -> None:
        self._young, self._old = kept

    def put(self, text: str, value: V) -> None:
        """Remember it."""
        self.put_at(digest(text), value)

    def put_at(self, key: int, value: V) -> None:
        """Remember it under the text with this digest."""
        self._young[key] = value
        if len(self._young) > self._remembered_max:
            self._old, self._young = self._young, {}


class Distinct:
    """Counts different things by group. A count may be too small, never too large."""

    def __init__(self, bits: int = SEEN_BITS, groups_max: int = REMEMBERED_MAX) -> None:
        self._bits, self._groups_max = bits, groups_max
        self._forget()

    def _forget(self) -> None:
        self._seen = bytearray(self._bits // 8)
        self._seen_count = 0
        self._counts: Recent[int] = Recent(self._groups_max)

    def beyond(self, thing: str, group: str, limit: int) -> bool:
        """Whether a thing is new to its group when that has reached its limit; else it counts from now on."""
        place = digest(f"{group}\n{thing}") % self._bits
        byte, bit = place >> 3, 1 << (place & 7)
        if self._seen[byte] & bit:
            return False
        key = digest(group)
        count = self._counts.at(key) or 0
        if count >= limit:
            return True
        self._seen[byte] |= bit
        self._seen_count += 1
        self._counts.put_at(key, count + 1)
        if self._seen_count * SEEN_SHARE_MAX > self._bits:
            self._forget()
        return False
