"""The journal of a segment: what must survive when the process that writes the segment does not.

One entry a fetch, appended after the fetch is in the WARC file: how far the WARC file then reached, the fetch without
its body, where its answer lies, and the note of whoever called (what the frontier must know of it). An entry has its
length and a checksum before it, so that a torn end is seen and left alone.
"""

from __future__ import annotations

import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import xxhash
from msgspec import Struct

from halflife.errors import StoreError
from halflife.records import Answer, Failure, Fetch, Kind, Target
from halflife.store.faults import told
from halflife.store.folder import Folder
from halflife.store.warc import Placed, warc_name, write_all

MAGIC = b"halflife journal 1\n"
ANY_MAGIC = re.compile(rb"halflife journal [0-9]+\n")
FRAME = struct.Struct("<IQ")  # length and checksum of an entry
ENTRY_BYTES_MAX = 1 << 30  # of what is read back: a length beyond it is not one


class AnswerHead(Struct, frozen=True, array_like=True, tag="answer"):
    """An answer without what the WARC file has of it."""

    status: int
    reason: str
    headers: tuple[tuple[str, str], ...]


class Failed(Struct, frozen=True, array_like=True, tag="failure"):
    """A failure."""

    kind: str
    detail: str


class Entry(Struct, frozen=True, array_like=True):
    """One fetch as the journal has it."""

    warc_end: int
    target: Target
    at: float
    outcome: AnswerHead | Failed
    seconds: float
    wire_bytes: int
    address: str
    rest_seconds: float
    placed: Placed
    note: bytes
    page: bool  # whether a page was made of it, and whether that was weighed
    weight: bool
    content_bytes: int | None  # of the decoded body, where it was in memory as a whole

    def fetch(self) -> Fetch:
        """The fetch without what the WARC file has of it."""
        got = self.outcome
        outcome = (
            Failure(Kind(got.kind), got.detail)
            if isinstance(got, Failed)
            else Answer(got.status, got.reason, b"", got.headers)
        )
        return Fetch(self.target, self.at, outcome, self.seconds, self.wire_bytes, self.address, b"", self.rest_seconds)


def entry_of(
    fetch: Fetch, placed: Placed, note: bytes, warc_end: int, made: tuple[bool, bool], content_bytes: int | None
) -> Entry:
    """The entry for a fetch; `made` says whether a page and a weight were made of it."""
    came = fetch.outcome
    outcome = (
        AnswerHead(came.status, came.reason, came.headers)
        if isinstance(came, Answer)
        else Failed(came.kind.value, came.detail)
    )
    return Entry(
        warc_end, fetch.target, fetch.at, outcome, fetch.seconds, fetch.wire_bytes, fetch.address, fetch.rest_seconds,
        placed, note, *made, content_bytes,
    )  # fmt: skip


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(Entry)


class Journal:
    """A journal that grows."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o644)
        write_all(self._fd, MAGIC)
        self.end = len(MAGIC)

    def add(self, entry: Entry) -> int:
        """Append one fetch; the length of the journal after it."""
        packed = _packed(entry)
        framed = FRAME.pack(len(packed), xxhash.xxh3_64_intdigest(packed)) + packed
        write_all(self._fd, framed)
        self.end += len(framed)
        return self.end

    def sync(self) -> None:
        """Put everything written on the disk."""
        os.fsync(self._fd)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._fd)


def entries(path: Path, start: int = 0) -> Iterator[tuple[int, Entry]]:
    """The whole entries from a place on, each with the place where it ends. Stops at a torn one."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file, told(path):
        magic = file.read(len(MAGIC))
        if magic != MAGIC:
            if ANY_MAGIC.match(magic):  # to pass it over would be to throw away what is in it
                raise StoreError(f"{path}: another version of halflife was writing it; resume once with that version")
            return
        end = max(start, len(MAGIC))
        file.seek(end)
        while entry := _read(file.read):
            end = file.tell()
            yield end, entry


def notes(folder: Folder, segment: str, start: int) -> Iterator[tuple[int, Target, bytes]]:
    """What a segment's journal says beyond `start`: where each entry ends, what was fetched, the note left on it."""
    warc = folder.segment(segment) / warc_name(segment)
    size = 0
    for end, entry in entries(folder.journal(segment), start):
        if entry.warc_end > size:  # the file may grow meanwhile, and always does so before its journal
            size = warc.stat().st_size if warc.exists() else 0
            if entry.warc_end > size:
                return
        yield end, entry.target, entry.note


def _read(read: Any) -> Entry | None:
    frame = read(FRAME.size)
    if len(frame) < FRAME.size:
        return None
    length, checksum = FRAME.unpack(frame)
    if length > ENTRY_BYTES_MAX:
        return None
    packed = read(length)
    if len(packed) < length or xxhash.xxh3_64_intdigest(packed) != checksum:
        return None
    return _decoder.decode(packed)


def _packed(entry: Entry) -> bytes:
    try:
        return _encoder.encode(entry)
    except UnicodeEncodeError:
        return _encoder.encode(_mended(msgspec.to_builtins(entry, builtin_types=(bytes,))))


def _mended(value: Any) -> Any:
    """The same with "?" for each half of a surrogate pair, which no file may hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {key: _mended(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(item) for item in value]
    return value
