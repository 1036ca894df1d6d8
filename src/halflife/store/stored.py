"""Which payloads this process has stored, so that the same one again becomes a reference and not a copy."""

from __future__ import annotations

from msgspec import Struct

KEPT_MAX = 25_000  # payloads a generation; two generations are about 15 MB


class Original(Struct, frozen=True, gc=False):
    """Where a payload was stored first."""

    url: str
    date: str  # as the WARC record has it
    record_id: str
    segment: str
    offset: int


class Stored:
    """A bounded memory. It may forget: then a payload is stored once more."""

    def __init__(self, kept_max: int = KEPT_MAX) -> None:
        self._kept_max = kept_max
        self._young: dict[bytes, Original] = {}
        self._old: dict[bytes, Original] = {}

    def get(self, digest: bytes) -> Original | None:
        """Where the payload with this digest was stored."""
        return self._young.get(digest) or self._old.get(digest)

    def put(self, digest: bytes, original: Original) -> None:
        """A payload was stored."""
        self._young[digest] = original
        if len(self._young) > self._kept_max:
            self._old, self._young = self._young, {}
