"""HTTP/1.1 answers as bytes: where a head ends, what it says, how long its body is, what its chunks hold. No socket.

Strict where a mistake would change what belongs to which answer (lengths, chunks), tolerant where browsers are (line
ends, lines without a colon, a missing reason). What comes out never depends on how the bytes were cut into packets.
"""

from __future__ import annotations

import re
from typing import NamedTuple

STATUS_LINE = re.compile(rb"HTTP/1\.([0-9]) +([1-9][0-9][0-9])(?: ([^\r\n]*)| *)")
STARTS = b"HTTP/1."
CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,15})[ \t]*(?:;.*)?", re.DOTALL)
HEX_DIGITS = frozenset(b"0123456789abcdefABCDEF")
CHUNK_LINE_BYTES_MAX = 4096  # nobody needs extensions; a line longer than this is no chunk's
TRAILER_BYTES_MAX = 64 * 1024  # as for a head
FRAMING_BYTES_MAX = 1_000_000  # chunk framing may outweigh the content up to here: past it somebody wastes our time
DIGITS = re.compile(r"[0-9]{1,18}")
CLOSE, CHUNKED = -1, -2  # lengths of bodies that end with the connection, or with their last chunk

Headers = tuple[tuple[str, str], ...]


class Malformed(Exception):
    """What came is not HTTP; the message says what is wrong. Never leaves this room."""


class Head(NamedTuple):
    """The beginning of an answer."""

    status: int
    reason: str
    headers: Headers
    length: int  # of the body in bytes, or CLOSE, or CHUNKED
    keep_alive: bool
    encoding: str  # the Content-Encoding headers, joined


def head_end(data: bytes | bytearray, start: int = 0) -> int:
    """Where the head that begins these bytes ends, blank line included; -1 while it does not."""
    end = data.find(b"\n\r\n", start)
    bare = data.find(b"\n\n", start, end + 1 if end >= 0 else len(data))
    if bare >= 0:
        return bare + 2
    return end + 3 if end >= 0 else -1


def may_begin(data: bytes | bytearray) -> bool:
    """Whether these first bytes can be those of an answer."""
    return data.startswith(STARTS) or STARTS.startswith(data[: len(STARTS)])


def read_head(data: bytes, bodiless: bool = False) -> Head:
    """What a head says; `bodiless` when the request was one whose answers have no body (HEAD, CONNECT)."""
    end = data.find(b"\n")
    matched = STATUS_LINE.fullmatch(data, 0, end - 1 if data[end - 1 : end] == b"\r" else end)
    if matched is None:
        raise Malformed(f"it begins with {data[: min(end, 40)].decode('latin-1')!r} instead of a status line")
    headers = read_headers(data[end + 1 :].decode("latin-1"))
    status = int(matched[2])
    fields = _fields(headers)
    length = 0 if bodiless or status in (204, 304) or status < 200 else _length(fields)
    connection = fields.get("connection", "").lower() if "connection" in fields else ""
    # Both framings at once is how answers are smuggled: the chunks are right, but nothing after them can be trusted.
    doubtful = length == CLOSE or (length == CHUNKED and "content-length" in fields)
    keep_alive = not doubtful and ("keep-alive" in connection if matched[1] == b"0" else "close" not in connection)
    reason = (matched[3] or b"").decode("latin-1").strip()
    return Head(status, reason, headers, length, keep_alive, fields.get("content-encoding", ""))


def read_headers(text: str) -> Headers:
    """Names in lower case and values, in order. Folded lines are unfolded; lines that are no header are left out."""
    headers: list[tuple[str, str]] = []
    for line in text.split("\n"):
        name, colon, value = line.partition(":")
        if line[:1] in (" ", "\t"):
            if headers and (more := line.strip(" \t\r")):
                before, so_far = headers[-1]
                headers[-1] = before, f"{so_far} {more}".strip(" ")
        elif colon and (name := name.rstrip(" \t").lower()):
            value = value.strip(" \t\r")
            headers.append((name, value.replace("\r", " ") if "\r" in value else value))
    return tuple(headers)


def _fields(headers: Headers) -> dict[str, str]:
    """Headers by name; several of one name are one list, as RFC 9110 has it."""
    fields = dict(headers)
    if len(fields) != len(headers):
        for name in ("content-length", "transfer-encoding", "content-encoding", "connection"):
            if name in fields:
                fields[name] = ", ".join(value for key, value in headers if key == name)
    return fields


def _length(fields: dict[str, str]) -> int:
    coding = fields.get("transfer-encoding")
    if coding is not None:
        codings = [name for part in coding.lower().split(",") if (name := part.strip()) not in ("", "identity")]
        if codings:
            if codings != ["chunked"]:
                raise Malformed(f"Transfer-Encoding {coding[:40]!r}, which was not asked for")
            return CHUNKED
    text = fields.get("content-length")
    if text is None:
        return CLOSE
    if DIGITS.fullmatch(text):
        return int(text)
    lengths = {part.strip() for part in text.split(",")}
    if len(lengths) > 1:
        raise Malformed(f"several lengths: Content-Length {text[:40]!r}")
    (only,) = lengths
    if not DIGITS.fullmatch(only):
        raise Malformed(f"no length: Content-Length {text[:40]!r}")
    return int(only)


class Chunks:
    """Takes a chunked body apart."""

    __slots__ = ("_carry", "_framing", "_left", "_line_end_due", "_trailer_bytes", "_yielded", "done", "used")

    def __init__(self) -> None:
        self.done = False
        self.used = 0  # bytes of what was fed last that belong to the body
        self._carry = b""  # a line that has not come to its end
        self._left = 0  # bytes of this chunk still to come
        self._line_end_due = False
        self._trailer_bytes = -1  # -1 until the last chunk
        self._framing = self._yielded = 0

    def feed(self, data: bytes) -> bytes:
        """The content in these bytes. Malformed when they are no chunks."""
        carried = len(self._carry)
        if carried:
            data = self._carry + data
            self._carry = b""
        pieces: list[bytes] = []
        at = self._take(data, pieces)
        self.used = at - carried
        if not self.done:
            self._carry = data[at:]
            self.used = len(data) - carried
        content = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        self._yielded += len(content)
        self._framing += self.used - len(content)
        if self._framing > FRAMING_BYTES_MAX and self._framing > self._yielded:
            raise Malformed("more chunk framing than content")
        return content

    def _take(self, data: bytes, pieces: list[bytes]) -> int:
        """Put what chunks hold into `pieces`; where it stopped, for want of more or because the body has ended."""
        at, size = 0, len(data)
        while at < size:
            if self._left:
                piece = data[at : at + self._left]
                pieces.append(piece)
                at += len(piece)
                self._left -= len(piece)
                self._line_end_due = not self._left
                continue
            if self._line_end_due:
                if not b"\r\n".startswith(data[at : at + 2]):
                    raise Malformed("a chunk longer than its size")
                if size - at < 2:
                    break
                at += 2
                self._line_end_due = False
                continue
            if self._trailer_bytes < 0 and data[at] not in HEX_DIGITS:
                raise Malformed(f"{data[at : at + 20].decode('latin-1')!r} in place of a chunk's size")
            end = data.find(b"\r\n", at)
            if (end if end >= 0 else size - 1) - at > CHUNK_LINE_BYTES_MAX:
                raise Malformed("a chunk without a size")
            if end < 0:
                break
            self._line(data[at:end])
            at = end + 2
            if self.done:
                break
        return at

    def _line(self, line: bytes) -> None:
        """A chunk's size, or one line of the trailer."""
        if self._trailer_bytes >= 0:
            self._trailer_bytes += len(line)
            self.done = not line
            if self._trailer_bytes > TRAILER_BYTES_MAX:
                raise Malformed("a trailer without end")
            return
        matched = CHUNK_SIZE.fullmatch(line)
        if matched is None:
            raise Malformed(f"a chunk whose size is {line[:20].decode('latin-1')!r}")
        self._left = int(matched[1], 16)
        if not self._left:
            self._trailer_bytes = 0
