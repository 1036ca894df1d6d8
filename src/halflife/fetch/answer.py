"""One answer, taken in as its bytes come: head, body as sent, content, and every limit on the way. No socket."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from halflife.errors import StoreError
from halflife.fetch.decode import Decoder, TooLarge, Undecodable, is_packed
from halflife.fetch.settings import Limits
from halflife.fetch.wire import CHUNKED, CLOSE, Chunks, Head, Malformed, head_end, may_begin, read_head
from halflife.records import Answer, Failure, Kind

READ_BYTES = 256 * 1024  # of a spool file at once
UNLIMITED = 1 << 62  # what lies in a spool file was measured when it came
SPOOL_PREFIX = "halflife-"


class Reader:
    """The answer to one request. Feed it until it is done; then it has an answer, or a failure."""

    __slots__ = (
        "_bodiless",
        "_body_bytes",
        "_buffer",
        "_chunks",
        "_content",
        "_content_bytes",
        "_cut",
        "_decoder",
        "_folder",
        "_head",
        "_head_bytes",
        "_interim_bytes",
        "_left",
        "_limits",
        "_raw",
        "_spool",
        "_spool_path",
        "_surplus",
        "done",
        "failure",
        "wire_bytes",
    )  # fmt: skip

    def __init__(self, limits: Limits, spool_folder: str = "", bodiless: bool = False, cut: bool = False) -> None:
        """`bodiless`: the answer to CONNECT. `cut`: of a body that is too large the beginning is wanted all the same."""
        self.done = False
        self.failure: Failure | None = None
        self.wire_bytes = 0  # all that came, for whatever it was
        self._limits, self._folder, self._bodiless, self._cut = limits, spool_folder, bodiless, cut
        self._buffer: bytearray | None = None  # a head that has not come to its end
        self._interim_bytes = 0  # of the heads before the one that counts (100, 103)
        self._head: Head | None = None
        self._head_bytes = b""
        self._left = 0  # of a body whose length is known
        self._surplus = False  # more came than belongs to the answer
        self._chunks: Chunks | None = None
        self._decoder: Decoder | None = None
        self._body_bytes = 0
        self._raw: list[bytes] = []
        self._content: list[bytes] | None = None  # None while it is the same as `_raw`
        self._content_bytes = 0
        self._spool: IO[bytes] | None = None
        self._spool_path = ""

    def feed(self, data: bytes) -> bool:
        """Take these bytes; True when nothing more is needed. StoreError when the disk does not take them."""
        self.wire_bytes += len(data)
        try:
            if self._head is not None:
                self._take_body(data)
            else:
                self._take_head(data)
        except Malformed as error:
            self.fail(Kind.BAD_HTTP, str(error))
        except Undecodable as error:
            self.fail(Kind.BAD_ENCODING, str(error))
        except TooLarge:
            self.fail(Kind.DECODED_TOO_LARGE, f"unpacks to more than {self._limits.decoded_bytes_max} bytes")
        return self.done

    def lost(self, clean: bool) -> None:
        """The connection has ended, by a goodbye or by an error."""
        if self.done:
            return
        if self._head is not None and self._head.length == CLOSE and clean:
            try:
                self._finish()
            except Undecodable as error:
                self.fail(Kind.BAD_ENCODING, str(error))
        elif not self.wire_bytes:
            self.fail(Kind.DROPPED, "the connection ended before an answer")
        elif self._head is None:
            self.fail(Kind.DROPPED, "the connection ended within the headers")
        else:
            missing = f"; {self._left} bytes are missing" if self._left > 0 else ""
            self.fail(Kind.DROPPED, f"the connection ended within the body{missing}")

    def fail(self, kind: Kind, detail: str) -> None:
        """There will be no answer."""
        self.failure = Failure(kind, detail)
        self.done = True
        self.discard()

    def discard(self) -> None:
        """Remove what lies on the disk."""
        if self._spool is not None:
            with contextlib.suppress(OSError):  # what it still held has no place on a full disk
                self._spool.close()
            Path(self._spool_path).unlink(missing_ok=True)
            self._spool = None

    @property
    def keep_alive(self) -> bool:
        """Whether the connection can carry more. A way through a proxy can, whatever its headers say (RFC 9110)."""
        return (
            self.done
            and self.failure is None
            and not self._surplus
            and self._head is not None
            and (self._head.keep_alive or (self._bodiless and self._head.status < 300))
        )

    @property
    def status(self) -> int:
        """The answer's status, 0 before there is one."""
        return self._head.status if self._head else 0

    def content(self) -> bytes:
        """The content that is in memory, also that of an answer that failed."""
        return b"".join(self._raw if self._content is None else self._content)

    def outcome(self) -> Answer | Failure:
        """What came of it."""
        if self.failure is not None:
            return self.failure
        head = self._head
        assert head is not None
        raw = self._raw[0] if len(self._raw) == 1 else b"".join(self._raw)
        content = raw if self._content is None else b"".join(self._content)
        spool_path = self._spool_path if self._spool is not None else ""
        return Answer(head.status, head.reason, self._head_bytes, head.headers, raw, content, spool_path)

    # -- the head --------------------------------------------------------------------------------------------------

    def _take_head(self, data: bytes) -> None:
        seen = 0
        buffer: bytes | bytearray = data
        if self._buffer is not None:
            seen = len(self._buffer)
            self._buffer += data
            buffer = self._buffer
        while True:
            end = head_end(buffer, max(0, seen - 3))
            if not may_begin(buffer):
                raise Malformed(f"it begins with {bytes(buffer[:40]).decode('latin-1')!r}")
            if (end if end >= 0 else len(buffer)) + self._interim_bytes > self._limits.header_bytes_max:
                self.fail(Kind.HEADERS_TOO_LARGE, f"more than {self._limits.header_bytes_max} bytes of headers")
                return
            if end < 0:
                if self._buffer is not buffer:
                    self._buffer = bytearray(buffer)
                return
            head_bytes = bytes(buffer[:end])
            head = read_head(head_bytes, self._bodiless)
            rest = bytes(buffer[end:])
            if head.status >= 200:
                break
            if head.status == 101:
                raise Malformed("it switches to a protocol that was not asked for")
            self._interim_bytes += end
            self._buffer, buffer, seen = None, rest, 0
        self._buffer = None
        self._begin_body(head, head_bytes)
        if head.length == 0:
            self._surplus = bool(rest)
            self.done = True
        elif rest and not self.done:
            self._take_body(rest)

    def _begin_body(self, head: Head, head_bytes: bytes) -> None:
        self._head, self._head_bytes, self._left = head, head_bytes, head.length
        if head.length > self._limits.wire_bytes_max and not self._cut:
            self.fail(
                Kind.BODY_TOO_LARGE, f"{head.length} bytes are announced, more than {self._limits.wire_bytes_max}"
            )
        elif head.length == CHUNKED:
            self._chunks = Chunks()
            self._content = []
        if head.length and head.encoding and is_packed(head.encoding):
            self._decoder = Decoder(head.encoding, self._limits.decoded_bytes_max)
            self._content = []

    # -- the body --------------------------------------------------------------------------------------------------

    def _take_body(self, data: bytes) -> None:
        chunks = self._chunks
        content = data
        if chunks is not None:
            content = chunks.feed(data)
            ended = chunks.done
            if chunks.used < len(data):
                self._surplus = True
                data = data[: chunks.used]
        elif self._left >= 0:
            if len(data) > self._left:
                self._surplus = True
                content = data = data[: self._left]
            self._left -= len(data)
            ended = not self._left
        else:
            ended = False
        self._body_bytes += len(data)
        if self._body_bytes > self._limits.wire_bytes_max:
            self.fail(Kind.BODY_TOO_LARGE, f"more than {self._limits.wire_bytes_max} bytes")
            return
        if self._spool is not None:
            self._write(data)
        else:
            self._raw.append(data)
        if self._content is not None:
            self._take_content(content)
        if self._spool is None and max(self._body_bytes, self._content_bytes) > self._limits.memory_bytes_max:
            self._begin_spool()
        if ended:
            self._finish()

    def _take_content(self, content: bytes) -> None:
        if self._decoder is None:
            self._add(content)
        else:
            for piece in self._decoder.feed(content):
                self._add(piece)

    def _add(self, piece: bytes) -> None:
        """A piece of content. It is kept only while all of it fits into memory."""
        assert self._content is not None
        self._content_bytes += len(piece)
        if self._spool is None and self._content_bytes <= self._limits.memory_bytes_max:
            self._content.append(piece)

    def _finish(self) -> None:
        if self._decoder is not None:
            for piece in self._decoder.end():
                self._add(piece)
        if self._spool is None and self._content_bytes > self._limits.memory_bytes_max:
            self._begin_spool()
        if self._spool is not None:
            self._write(b"", close=True)
        self.done = True

    # -- on the disk -----------------------------------------------------------------------------------------------

    def _begin_spool(self) -> None:
        """From now on the body goes to a file, as it comes."""
        folder = self._folder or tempfile.gettempdir()
        try:
            os.makedirs(folder, exist_ok=True)
            handle, self._spool_path = tempfile.mkstemp(dir=folder, prefix=SPOOL_PREFIX)
            self._spool = os.fdopen(handle, "wb")
        except OSError as error:
            raise StoreError(f"{folder}: no room for a large answer ({error.strerror})") from None
        self._write(b"".join(self._raw))
        self._raw = []
        if self._content is not None:
            self._content = []

    def _write(self, data: bytes, close: bool = False) -> None:
        assert self._spool is not None
        try:
            self._spool.write(data)
            if close:
                self._spool.close()
        except OSError as error:
            self.discard()
            raise StoreError(
                f"{self._folder}: no room for a large answer ({error.strerror}); free some and resume"
            ) from None


def chunks_of(answer: Answer) -> Iterator[bytes]:
    """The decoded content of an answer in pieces, from memory or from its spool file."""
    if not answer.spool:
        if answer.content:
            yield answer.content
        return
    head = read_head(answer.head)
    chunks = Chunks() if head.length == CHUNKED else None
    decoder = Decoder(head.encoding, UNLIMITED)
    with open(answer.spool, "rb") as file:
        while data := file.read(READ_BYTES):
            content = chunks.feed(data) if chunks else data
            if content:
                yield from decoder.feed(content)
    yield from decoder.end()
