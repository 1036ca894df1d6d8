"""Files in pieces: unpacked, cut off at a limit, decoded. However large the file, no more than a piece is held."""

from __future__ import annotations

import zlib
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from itertools import chain

from halflife.page.charset import CODECS, DECLARED_BYTES, in_utf8

PIECE_BYTES = 64 * 1024  # held at once
LAYERS_MAX = 2  # a packed file that its server has packed once more
MEMBERS_MAX = 10_000  # gzip members in a row: empty ones cost time and give nothing
GZIP = b"\x1f\x8b"


def unpacked(chunks: Iterable[bytes], bytes_max: int) -> Iterator[bytes]:
    """The file in small pieces, unpacked if it is gzip; what is damaged, or beyond the limit, ends it."""
    pieces = _small(chunks)
    for _ in range(LAYERS_MAX):
        head, rest = _head(pieces, len(GZIP))
        pieces = chain([head], rest)
        if not head.startswith(GZIP):
            break
        # A layer has the same limit as what is in it, for it may expand to next to nothing.
        pieces = _cut(_members(pieces), bytes_max)
    return _cut(pieces, bytes_max)


def decoded(pieces: Iterator[bytes]) -> tuple[str, Iterator[str]]:
    """The charset, as its first bytes show it, and the text in pieces. What is invalid becomes U+FFFD."""
    head, rest = _head(pieces, DECLARED_BYTES)
    name = in_utf8(head, "")[1]
    decoder = getincrementaldecoder(CODECS.get(name, name))("replace")
    return name, (decoder.decode(piece, not piece) for piece in chain([head], rest, [b""]))


def _cut(pieces: Iterator[bytes], bytes_max: int) -> Iterator[bytes]:
    """The first so many bytes."""
    for piece in pieces:
        yield piece[:bytes_max]
        bytes_max -= len(piece)
        if bytes_max <= 0:
            return


def _small(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces that are neither large nor empty."""
    for chunk in chunks:
        for start in range(0, len(chunk), PIECE_BYTES):
            yield chunk[start : start + PIECE_BYTES]


def _head(pieces: Iterator[bytes], size: int) -> tuple[bytes, Iterator[bytes]]:
    """The first bytes, as many as these or all that there are, and the pieces behind them."""
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= size:
            break
    return head, pieces


def _members(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """What gzip members hold, one behind the other, up to where they are damaged or something else follows."""
    stream = zlib.decompressobj(wbits=31)
    members = 1
    for piece in pieces:
        data = piece
        while data or not stream.eof:
            if stream.eof:  # and something follows
                members += 1
                if members > MEMBERS_MAX:
                    return
                stream = zlib.decompressobj(wbits=31)
            before = stream.copy()
            try:
                made = stream.decompress(data, PIECE_BYTES)
            except zlib.error:
                yield b"".join(_up_to_damage(before, data))
                return
            if made:
                yield made
            data = stream.unused_data if stream.eof else stream.unconsumed_tail
            if not data and len(made) < PIECE_BYTES:
                break


def _up_to_damage(stream: zlib._Decompress, data: bytes) -> Iterator[bytes]:
    """What can be read of damaged data. Byte by byte, since an error takes with it all that was made in the same call."""
    try:
        for place in range(len(data)):  # pragma: no branch  # it is damaged
            yield stream.decompress(data[place : place + 1])
    except zlib.error:
        return
