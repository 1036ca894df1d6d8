"""Requests and replies as bytes: reading a request head, writing a reply. No socket in this file."""

from __future__ import annotations

import gzip
import re
import sys
import zlib
from email.utils import formatdate
from http import HTTPStatus
from typing import NamedTuple

from msgspec import Struct

HEADERS_MAX = 100  # more than any client sends; a head with thousands of lines is an attack
CHUNK_BYTES = 700  # small, so that even short pages arrive in several chunks
BODILESS = (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)

_REQUEST_LINE = re.compile(r"([A-Z]{1,20}) ([^\x00-\x20\x7f]+) HTTP/1\.([01])")
_ABSOLUTE = re.compile(r"https?://([^/?#]+)(.*)", re.IGNORECASE)
_AUTHORITY = re.compile(r"([a-z0-9_-][a-z0-9._-]{0,254})(?::(\d{0,5}))?")


class Request(Struct, frozen=True):
    """What a client asked for."""

    method: str
    host: str  # lower case, without port
    path: str  # with its query, as sent
    headers: dict[str, str]  # names in lower case; the last of equal names
    keep_alive: bool = True
    port: str = ""  # as in the Host header
    takes_chunks: bool = True  # HTTP/1.0 knows no chunks

    @property
    def route(self) -> str:
        """The path without its query."""
        return self.path.partition("?")[0]

    @property
    def query(self) -> str:
        return self.path.partition("?")[2]


class Reply(Struct, frozen=True):
    """What a site answers."""

    body: bytes = b""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    encoding: str = ""  # gzip | deflate | br | zstd, used when the client accepts it
    packed: bool = False  # the file itself is a gzip file: `body` is what is in it
    chunked: bool = False
    wait_seconds: float = 0.0  # before the first byte


class Visit(NamedTuple):
    """One answered request, for judging the manners of whoever asked. Times are `time.monotonic()` seconds."""

    at: float  # when the request was read
    host: str
    path: str
    status: int
    user_agent: str
    client: str  # address the request came from
    ended: float  # just before the answer was written
    address: str  # loopback address that was asked
    method: str = "GET"


def read_head(head: bytes) -> Request | int:
    """The request in these bytes (without the blank line), or the status with which to refuse it."""
    lines = head.decode("latin-1").split("\r\n")
    matched = _REQUEST_LINE.fullmatch(lines[0])
    if matched is None:
        return HTTPStatus.BAD_REQUEST
    if len(lines) > HEADERS_MAX:
        return HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
    headers = _headers(lines[1:])
    if headers is None:
        return HTTPStatus.BAD_REQUEST
    method, target, minor = matched.groups()
    authority, path = _split_target(target, headers.get("host", ""))
    asked = _AUTHORITY.fullmatch(authority.lower())
    if asked is None or not path.startswith("/"):
        return HTTPStatus.BAD_REQUEST
    host, port = asked[1].rstrip("."), asked[2] or ""
    return Request(method, host, path, headers, _keeps_alive(headers, minor), port, takes_chunks=minor == "1")


def write_reply(request: Request, reply: Reply) -> bytes:
    """Head and body as they go over the wire, in the encoding that the client accepts."""
    body, headers = _encoded(request, reply)
    lines = [f"HTTP/1.1 {reply.status} {_reason(reply.status)}", f"Date: {formatdate(usegmt=True)}"]
    lines.append("Server: littleweb")
    if body or reply.status == HTTPStatus.OK:
        lines.append(f"Content-Type: {reply.content_type}")
    lines += [f"{name}: {value}" for name, value in headers]
    chunked = reply.chunked and request.takes_chunks
    if reply.status not in BODILESS:
        lines.append("Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(body)}")
    lines.append("Connection: keep-alive" if request.keep_alive else "Connection: close")
    head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")
    if request.method == "HEAD" or reply.status in BODILESS:
        return head
    return head + (_chunks(body) if chunked else body)


def refusal(status: int) -> bytes:
    """A reply to what is no request; the connection ends with it."""
    reply = Reply(f"{status} {_reason(status)}\n".encode(), status, "text/plain")
    return write_reply(Request("GET", "", "/", {}, keep_alive=False), reply)


def _headers(lines: list[str]) -> dict[str, str] | None:
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not name or name != name.strip():
            return None
        headers[name.lower()] = value.strip()
    return headers


def _split_target(target: str, host: str) -> tuple[str, str]:
    """Authority and path. A whole address as the target is what a client sends to a proxy."""
    absolute = _ABSOLUTE.fullmatch(target)
    if absolute is None:
        return host, target
    path = absolute[2]
    return absolute[1], path if path.startswith("/") else "/" + path


def _keeps_alive(headers: dict[str, str], minor: str) -> bool:
    wish = headers.get("connection", "").lower()
    if "transfer-encoding" in headers or headers.get("content-length", "0") != "0":
        return False  # bodies of requests are not read, so what follows cannot be told apart from them
    return "close" not in wish and (minor == "1" or "keep-alive" in wish)


def _encoded(request: Request, reply: Reply) -> tuple[bytes, tuple[tuple[str, str], ...]]:
    body = _compress(reply.body, "gzip") if reply.packed else reply.body
    accepted = request.headers.get("accept-encoding", "")
    if not reply.encoding or reply.encoding not in accepted:
        return body, reply.headers
    headers = (*reply.headers, ("Content-Encoding", reply.encoding), ("Vary", "Accept-Encoding"))
    return _compress(body, reply.encoding), headers


def _compress(body: bytes, encoding: str) -> bytes:
    if encoding == "gzip":
        return gzip.compress(body, 6, mtime=0)
    if encoding == "deflate":
        return zlib.compress(body)
    # The others are imported where used: few pages need them.
    if encoding == "br":
        import brotli

        return bytes(brotli.compress(body))
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return bytes(zstd.compress(body))


def _chunks(body: bytes) -> bytes:
    parts = [body[at : at + CHUNK_BYTES] for at in range(0, len(body), CHUNK_BYTES)]
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
