"""Content-Encoding undone: gzip, deflate (zlib's or raw), br and zstd, one on another if need be, a piece at a time.

Tolerant of what servers really send: several gzip members, rubbish behind the end, a body that is not packed although
its header says so. Never gives more than its budget, and never makes more than a piece at once: a bomb is met while it
unfolds, not after.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import Struct

PIECE_BYTES = 256 * 1024  # made at once
SLICE_BYTES = 64 * 1024  # fed at once: what is left over behind a gzip member is copied for each member
STACKED_MAX = 4  # codings one on another; more than two are nobody's mistake
STREAMS_MAX = 10_000  # gzip members or zstd frames in a row: empty ones cost time and give nothing
ZSTD_WINDOW_LOG_MAX = 23  # 8 MB: RFC 9659 lets web content need no more

MARK_BYTES = 4  # the longest beginning by which a packing is known
GZIP, ZSTD, ZSTD_SKIPPABLE = b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\x2a\x4d\x18"
NAMES = {"gzip": "gzip", "x-gzip": "gzip", "deflate": "deflate", "br": "br", "zstd": "zstd"}
# Codings that exist and were not asked for. Any other word ("utf-8", "none") is a server's mistake and changes nothing.
UNKNOWN = frozenset({"compress", "x-compress", "pack200-gzip", "exi", "aes128gcm", "dcb", "dcz", "sdch", "bzip2", "xz"})


class Undecodable(Exception):
    """The body is not what Content-Encoding says. Never leaves this room."""


class TooLarge(Exception):
    """More came out than the budget allows. Never leaves this room."""


class Budget(Struct):
    """How many bytes may still be made, by all stages together."""

    left: int

    def take(self, size: int) -> None:
        """So many were made."""
        self.left -= size
        if self.left < 0:
            raise TooLarge


def is_packed(content_encoding: str) -> bool:
    """Whether there is anything to undo."""
    return bool(content_encoding) and bool(_codings(content_encoding))


def _codings(content_encoding: str) -> list[str]:
    """The codings in the order in which they were applied."""
    names = [name.strip() for name in content_encoding.lower().split(",")]
    for name in names:
        if name in UNKNOWN:
            raise Undecodable(f"Content-Encoding {name!r}, which was not asked for")
    known = [NAMES[name] for name in names if name in NAMES]
    if len(known) > STACKED_MAX:
        raise Undecodable(f"{len(known)} content codings one on another")
    return known


class Decoder:
    """Undoes the codings of one body."""

    def __init__(self, content_encoding: str, bytes_max: int) -> None:
        budget = Budget(bytes_max)
        self._stages = [_Stage(name, budget) for name in reversed(_codings(content_encoding))]

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The content in these bytes, in pieces that are not empty."""
        return self._through(0, data)

    def end(self) -> Iterator[bytes]:
        """What was held back; Undecodable when the body ends too early."""
        for number, stage in enumerate(self._stages):
            for piece in stage.end():
                yield from self._through(number + 1, piece)

    def _through(self, number: int, data: bytes) -> Iterator[bytes]:
        if number == len(self._stages):
            yield data
            return
        for piece in self._stages[number].feed(data):
            yield from self._through(number + 1, piece)


class _Stage:
    """One coding. What it is in truth is known when a few bytes have come."""

    def __init__(self, name: str, budget: Budget) -> None:
        self._name = name
        self._budget = budget
        self._held = b""  # what has come before that
        self._engine: _Engine | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        if self._engine is None:
            self._held += data
            if len(self._held) < MARK_BYTES:
                return
            data, self._held = self._held, b""
            self._engine = _engine_for(self._name, data)
        yield from self._run(data)

    def end(self) -> Iterator[bytes]:
        if self._engine is None:
            if not self._held:
                return  # packed nothing, as many redirects have it
            self._engine = _engine_for(self._name, self._held)
            yield from self._run(self._held)
        if not self._engine.finished():
            raise Undecodable(f"the {self._name} body ends too early")

    def _run(self, data: bytes) -> Iterator[bytes]:
        assert self._engine is not None
        try:
            for start in range(0, len(data), SLICE_BYTES):
                for piece in self._engine.feed(data[start : start + SLICE_BYTES] if len(data) > SLICE_BYTES else data):
                    self._budget.take(len(piece))
                    yield piece
        except (Undecodable, TooLarge):
            raise
        except Exception as error:  # each of the libraries has errors of its own
            raise Undecodable(f"the {self._name} body is damaged: {error}") from None


class _Engine:
    """Unpacks: what all libraries have in common, which here is one that has nothing to do."""

    def feed(self, data: bytes) -> Iterator[bytes]:
        yield data

    def finished(self) -> bool:
        return True


def _engine_for(name: str, start: bytes) -> _Engine:
    """The engine for a body that begins like this. No packed body begins with a tag, so such a one is not packed."""
    if start[:1] == b"<" and (start[1:2].isalpha() or start[1:2] in (b"!", b"?", b"/")):
        return _Engine()
    if name == "gzip":
        return _Members(_gzip, GZIP) if start.startswith(GZIP) else _Engine()
    if name == "zstd":
        begins = start.startswith(ZSTD) or start[1:].startswith(ZSTD_SKIPPABLE)
        return _Members(_zstd, ZSTD, ZSTD_SKIPPABLE) if begins else _Engine()
    if name == "br":
        return _Brotli()
    has_zlib_head = len(start) > 1 and start[0] & 0x0F == 8 and (start[0] * 256 + start[1]) % 31 == 0
    return _Members(_zlib if has_zlib_head else _deflate)


class _Members(_Engine):
    """One or several packed streams, one behind the other; what follows and is none is left alone."""

    def __init__(self, make: Callable[[], Any], *marks: bytes) -> None:
        self._make = make  # gives a stream as the zlib module has it
        self._marks = marks  # with which a further stream begins
        self._stream = make()
        self._streams = 1
        self._rest = b""  # behind the last stream, too short to say whether another begins
        self._over = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        data, self._rest = self._rest + data, b""
        while not self._over:
            if self._stream.eof and not self._begin_next(data):
                return
            piece = self._stream.decompress(data, PIECE_BYTES)
            if piece:
                yield piece
            if self._stream.eof:
                data = self._stream.unused_data
            else:
                data = getattr(self._stream, "unconsumed_tail", b"")  # zstd keeps it to itself
                if not data and len(piece) < PIECE_BYTES:
                    return

    def _begin_next(self, data: bytes) -> bool:
        if len(data) < MARK_BYTES:
            self._rest = data
            return False
        if not any(data.startswith(mark) or data[1:].startswith(mark) for mark in self._marks):
            self._over = True
            return False
        self._streams += 1
        if self._streams > STREAMS_MAX:
            raise Undecodable(f"more than {STREAMS_MAX} packed streams one behind the other")
        self._stream = self._make()
        return True

    def finished(self) -> bool:
        return bool(self._stream.eof)


class _Brotli(_Engine):
    def __init__(self) -> None:
        import brotli

        self._stream = brotli.Decompressor()

    def feed(self, data: bytes) -> Iterator[bytes]:
        if data and self._stream.is_finished():
            raise Undecodable(
                "bytes behind the end of the br body"
            )  # the library says so too, when it sees both at once
        while not self._stream.is_finished():
            piece = self._stream.process(data, output_buffer_limit=PIECE_BYTES)
            data = b""
            if piece:
                yield piece
            elif self._stream.can_accept_more_data():
                return

    def finished(self) -> bool:
        return bool(self._stream.is_finished())


def _gzip() -> Any:
    from isal import isal_zlib  # a third of zlib's time

    return isal_zlib.decompressobj(wbits=31)


def _zlib() -> Any:
    from isal import isal_zlib

    return isal_zlib.decompressobj(wbits=15)


def _deflate() -> Any:
    from isal import isal_zlib

    return isal_zlib.decompressobj(wbits=-15)


def _zstd() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG_MAX})
