"""WARC 1.1 files: one record, one gzip member, so that any record can be read without the ones before it.

Each answer is a `response` record, exactly as it came (chunk framing and content encoding included), and a `request`
record. A payload that was stored before is not stored again: the answer's head goes into a `revisit` record that says
where the payload is. Digests are of the bytes as stored, which is what warcio and fastwarc check.
"""

from __future__ import annotations

import hashlib
import os
import time
import uuid
from collections.abc import Iterable, Iterator
from functools import lru_cache
from ipaddress import ip_address
from pathlib import Path

from isal import igzip_lib, isal_zlib
from msgspec import Struct

from halflife import __version__
from halflife.records import Answer, Fetch
from halflife.store.stored import Original, Stored

LEVEL = 1  # of igzip: level 0 saves a quarter of the time and costs a tenth more space
SHORT_LEVEL = 0  # of what is a few hundred bytes long: to get ready for level 1 takes longer than to pack it
END = b"\r\n\r\n"  # of a record
PIECE_BYTES = 1 << 18  # of a body that is too large for memory
REVISIT_BYTES_MIN = 300  # a revisit record is about so long: shorter payloads are simply stored again
PROFILE = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
PAIRS = [first + second for first in BASE32 for second in BASE32]
DESCRIBED = b"software: halflife/%s\r\nformat: WARC File Format 1.1\r\nconformsTo: %s\r\n" % (
    __version__.encode(),
    b"http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/",
)


class Placed(Struct, frozen=True, array_like=True, gc=False):
    """Where in its segment's WARC file an answer lies."""

    record: str = ""  # response | revisit | '' when there was no answer
    offset: int = 0
    length: int = 0  # of that record alone, compressed
    digest: str = ""  # of the payload: 'sha1:BASE32'
    body_bytes: int = 0
    segment: str = ""  # of a revisit: where the payload is
    original: int = 0


class WarcFile:
    """One WARC file that grows. What `write` wrote survives the process; what `sync` saw survives a power cut."""

    def __init__(self, path: Path, segment: str) -> None:
        self.path = path
        self.segment = segment
        self.size = 0
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o644)
        identity = uuid.uuid4()
        self._ids = f"<urn:uuid:{str(identity)[:-12]}"
        self._next = identity.node
        self._append([_member(SHORT_LEVEL, self._info(), DESCRIBED)])

    def write(self, fetch: Fetch, stored: Stored) -> Placed:
        """Store an answer and what it answers."""
        answer = fetch.outcome
        if not isinstance(answer, Answer):
            return Placed()
        offset = self.size
        record_id = self._id()
        body = Path(answer.spool) if answer.spool else answer.raw
        payload, body_bytes = _digest(body)
        date = _date(fetch.at)
        about = _about(fetch, date)
        digest = _named(payload)
        request = self._request(fetch.request, about, record_id) if fetch.request else b""
        original = stored.get(payload) if body_bytes >= REVISIT_BYTES_MIN else None
        if original is not None:
            length = self._append([_revisit(record_id, about, answer.head, digest, original)], request)
            return Placed("revisit", offset, length, digest, body_bytes, original.segment, original.offset)
        head = _response_head(record_id, about, digest, len(answer.head) + body_bytes) + answer.head
        record = [_member(LEVEL, head, body)] if isinstance(body, bytes) else _streamed(head, body)
        length = self._append(record, request)
        stored.put(payload, Original(fetch.target.url, date, record_id, self.segment, offset))
        return Placed("response", offset, length, digest, body_bytes)

    def sync(self) -> None:
        """Put everything written on the disk."""
        os.fsync(self._fd)

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._fd)

    def _append(self, member: Iterable[bytes], after: bytes = b"") -> int:
        """Write a member piece by piece, and what comes after it together with its last piece; the member's length."""
        length = 0
        last = b""
        for piece in member:
            if last:
                write_all(self._fd, last)
            last = piece
            length += len(piece)
        write_all(self._fd, last + after)
        self.size += length + len(after)
        return length

    def _id(self) -> str:
        self._next = (self._next + 1) & 0xFFFFFFFFFFFF
        return f"{self._ids}{self._next:012x}>"

    def _info(self) -> bytes:
        head = (
            f"WARC/1.1\r\nWARC-Type: warcinfo\r\nWARC-Record-ID: {self._id()}\r\nWARC-Date: {_date(time.time())}\r\n"
            f"WARC-Filename: {self.path.name}\r\nContent-Type: application/warc-fields\r\n"
            f"Content-Length: {len(DESCRIBED)}\r\n\r\n"
        )
        return head.encode()

    def _request(self, request: bytes, about: str, concurrent_to: str) -> bytes:
        head = (
            f"WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: {self._id()}\r\n{about}"
            f"WARC-Concurrent-To: {concurrent_to}\r\n"
            f"Content-Type: application/http;msgtype=request\r\nContent-Length: {len(request)}\r\n\r\n"
        )
        return _member(SHORT_LEVEL, head.encode(), request)


def warc_name(segment: str) -> str:
    """The WARC file of a segment: no two of a store have the same name."""
    return f"{segment}.warc.gz"


def write_all(descriptor: int, data: bytes) -> None:
    """Hand all of it to the operating system, which on a full disk takes a part first and complains after."""
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, memoryview(data)[written:])


def _about(fetch: Fetch, date: str) -> str:
    """The headers that an answer and its request share."""
    address = f"WARC-IP-Address: {fetch.address}\r\n" if _is_ip(fetch.address) else ""
    return f"WARC-Target-URI: {fetch.target.url}\r\nWARC-Date: {date}\r\n{address}"


def _response_head(record_id: str, about: str, digest: str, length: int) -> bytes:
    return (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: {record_id}\r\n{about}"
        f"WARC-Payload-Digest: {digest}\r\n"
        f"Content-Type: application/http;msgtype=response\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def _revisit(record_id: str, about: str, head: bytes, digest: str, original: Original) -> bytes:
    text = (
        f"WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Record-ID: {record_id}\r\n{about}WARC-Profile: {PROFILE}\r\n"
        f"WARC-Refers-To: {original.record_id}\r\nWARC-Refers-To-Target-URI: {original.url}\r\n"
        f"WARC-Refers-To-Date: {original.date}\r\n"
        f"WARC-Payload-Digest: {digest}\r\nContent-Type: application/http;msgtype=response\r\n"
        f"Content-Length: {len(head)}\r\n\r\n"
    )
    return _member(SHORT_LEVEL, text.encode(), head)


def _digest(body: bytes | Path) -> tuple[bytes, int]:
    """SHA-1 of a body, and how long it is."""
    payload = hashlib.sha1(usedforsecurity=False)
    length = 0
    for piece in _pieces(body):
        payload.update(piece)
        length += len(piece)
    return payload.digest(), length


def _pieces(body: bytes | Path) -> Iterator[bytes]:
    if isinstance(body, bytes):
        yield body
        return
    with body.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


def _member(level: int, *record: bytes) -> bytes:
    member: bytes = igzip_lib.compress(b"".join((*record, END)), level, igzip_lib.COMP_GZIP)
    return member


def _streamed(head: bytes, body: Path) -> Iterator[bytes]:
    """One gzip member, piece by piece."""
    packer = isal_zlib.compressobj(LEVEL, isal_zlib.DEFLATED, 31)
    yield packer.compress(head)
    for piece in _pieces(body):
        yield packer.compress(piece)
    yield packer.compress(END) + packer.flush()


def _named(digest: bytes) -> str:
    """A SHA-1 as WARC files have it: in base 32, ten bits at a time, for that is done for every page."""
    number = int.from_bytes(digest, "big")
    return f"sha1:{''.join([PAIRS[number >> shift & 1023] for shift in range(150, -1, -10)])}"


def _date(at: float) -> str:
    seconds, micros = divmod(round(at * 1_000_000), 1_000_000)
    return f"{second_of(seconds)}.{micros:06}Z"


@lru_cache(64)
def second_of(seconds: int) -> str:
    """A time in UTC, without a zone."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))


@lru_cache(4096)
def _is_ip(address: str) -> bool:
    try:
        ip_address(address)
    except ValueError:
        return False
    return True
