"""Reading back what warc.py wrote, for repairs: one gzip member at a time, every checksum checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from isal import igzip_lib, isal_zlib

from halflife.store.warc import PIECE_BYTES

HEAD_BYTES_MAX = 1 << 16  # of a record's own head: ours are a fiftieth of it
ISAL_ERROR: Any = igzip_lib.IsalError  # which its own type hints call an instance
CONTENT_LENGTH = b"\r\nContent-Length: "


class BrokenRecordError(Exception):
    """The file has the bytes of a record, and they are not what was written: a power cut leaves such."""


def check_members(warc: Path, start: int, end: int) -> None:
    """See that whole gzip members lie between two places of a file."""
    with warc.open("rb") as file:
        while start < end:
            member = _Member(file, start)
            for _ in member.pieces():
                pass
            start = member.end
    if start != end:
        raise BrokenRecordError


def split_answer(warc: Path, offset: int, body_bytes: int, body: Path) -> bytes:
    """The head of the answer that a record holds; its body, that many bytes, goes to the file `body`."""
    with warc.open("rb") as file, body.open("wb") as out:
        pieces = _Member(file, offset).pieces()
        block, length = _after_head(pieces)
        head_bytes = length - body_bytes
        while len(block) < head_bytes:
            block += next(pieces, b"") or _broken()
        left = body_bytes - out.write(block[head_bytes:length])
        for piece in pieces:
            left -= out.write(piece[:left])
    if left:
        _broken()
    return block[:head_bytes]


def _after_head(pieces: Iterator[bytes]) -> tuple[bytes, int]:
    """What comes after a record's own head, as far as it is read, and how long the record says that it is."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += next(pieces, b"") or _broken()
        if len(data) > HEAD_BYTES_MAX + PIECE_BYTES:
            _broken()
    head, _, block = data.partition(b"\r\n\r\n")
    length = (head + b"\r\n").partition(CONTENT_LENGTH)[2].partition(b"\r\n")[0]
    return block, int(length) if length.isdigit() else len(_broken())


def _broken() -> bytes:
    raise BrokenRecordError


class _Member:
    """One gzip member of a file."""

    def __init__(self, file: BinaryIO, offset: int) -> None:
        self._file = file
        self.end = offset  # once all pieces are read: where the member ends

    def pieces(self) -> Iterator[bytes]:
        """What it holds, in pieces of bounded size."""
        self._file.seek(self.end)
        unpacker = isal_zlib.decompressobj(31)
        data = b""
        try:
            while not unpacker.eof:
                if not data:
                    data = self._file.read(PIECE_BYTES) or _broken()
                    self.end += len(data)
                if piece := unpacker.decompress(data, PIECE_BYTES):
                    yield piece
                data = unpacker.unconsumed_tail
        except ISAL_ERROR:
            _broken()
        self.end -= len(unpacker.unused_data)
