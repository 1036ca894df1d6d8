"""What the main process and its workers tell each other. All of it crosses processes as msgpack frames."""

from __future__ import annotations

import socket
import struct

import msgspec
from msgspec import Struct

from halflife.records import Target
from halflife.run.settings import CrawlSettings

LENGTH = struct.Struct("<I")
READING_BYTES = 8  # of the number of the address whose page a worker is reading, in a file that both see


class Begin(Struct, tag=True):
    """To a worker, first of all: what it works on."""

    settings: CrawlSettings
    folder: str
    number: int


class Locate(Struct, tag=True):
    """To a worker: which server address does this site live on?"""

    site: int
    url: str


class Lease(Struct, tag=True):
    """To a worker: these addresses of one site, best first; it is the site's turn."""

    site: int
    targets: list[Target]
    robots: list[tuple[str, bytes]] = []  # robots.txt files kept of origins this worker has not met yet


class Sync(Struct, tag=True):
    """To a worker: put everything you reported on the disk, then answer `Synced`."""


class Stop(Struct, tag=True):
    """To a worker: finish what is in flight, seal your segment, answer `Stopped`."""


class Found(Struct, array_like=True, gc=False):
    """An address discovered on a page."""

    url: str
    why: str
    anchor: str = ""
    share: float = 0.0  # of the topic in the words of the link
    near: float = 0.0  # of the topic in the words around it
    skip: str = ""  # why it will not be fetched, '' when it will


class Head(Struct):
    """What the frontier must know of one visit. It lies in the segment's journal, to be read again after a crash."""

    fate: str
    detail: str = ""
    at: float = 0.0
    answered: bool = False
    weight: float | None = None
    kept: bool = False
    relevant: bool = False  # above the threshold, whether or not it may be kept
    wire_bytes: int = 0
    again: bool = False  # a failure that may pass: try later
    due: float = 0.0  # the site rests until then
    depth: int = 0  # of the addresses found on it
    tunnel: int = 0  # of the addresses found on it
    redirects: tuple[str, ...] = ()
    title: str = ""
    found: list[Found] = []


class Report(Struct, tag=True):
    """From a worker: one visit, written to `segment` up to `end` of its journal."""

    segment: str
    end: int
    target: Target
    head: Head


class Robots(Struct, tag=True):
    """From a worker: an origin's robots.txt, to be kept for the next run."""

    origin: str
    blob: bytes


class Located(Struct, tag=True):
    """From a worker: where a site's first host lives ('' when nobody knows)."""

    site: int
    address: str


class TurnOver(Struct, tag=True):
    """From a worker: the site's turn is over; it may be asked again at `due`."""

    site: int
    due: float


class Synced(Struct, tag=True):
    """From a worker: what it reported so far will survive a power cut."""


class Sealed(Struct, tag=True):
    """From a worker: a segment is complete and has its done mark."""

    segment: str


class Stopped(Struct, tag=True):
    """From a worker: nothing is in flight any more."""


class Broken(Struct, tag=True):
    """From a worker: it cannot go on (a full disk, say), and why."""

    reason: str


ToWorker = Begin | Locate | Lease | Sync | Stop
FromWorker = Report | Robots | Located | TurnOver | Synced | Sealed | Stopped | Broken

_encoder = msgspec.msgpack.Encoder()
_to_worker: msgspec.msgpack.Decoder[ToWorker] = msgspec.msgpack.Decoder(ToWorker)
_from_worker = msgspec.msgpack.Decoder(FromWorker)
_head = msgspec.msgpack.Decoder(Head)


def frame(message: ToWorker | FromWorker) -> bytes:
    """A message as it goes through a socket: its length, then itself."""
    body = _encoder.encode(message)
    return LENGTH.pack(len(body)) + body


def to_worker(body: bytes) -> ToWorker:
    """The message in these bytes."""
    return _to_worker.decode(body)


def pack_head(head: Head) -> bytes:
    """A head as the journal holds it."""
    return _encoder.encode(head)


def unpack_head(note: bytes) -> Head:
    """The head that `pack_head` made into these bytes."""
    return _head.decode(note)


class Frames:
    """The main process's end of a worker's socket: whole messages out of a stream of bytes."""

    def __init__(self, ours: socket.socket) -> None:
        self.socket = ours
        self._buffer = bytearray()

    def send(self, message: ToWorker) -> None:
        """Hand a message over; the worker always reads, so this never waits for long."""
        self.socket.sendall(frame(message))

    def receive(self) -> list[FromWorker] | None:
        """The messages that have arrived, or None when the worker is gone."""
        data = self.socket.recv(1 << 20)
        if not data:
            return None
        buffer = self._buffer
        buffer += data
        messages: list[FromWorker] = []
        at = 0
        while len(buffer) - at >= LENGTH.size:
            end = at + LENGTH.size + LENGTH.unpack_from(buffer, at)[0]
            if end > len(buffer):
                break
            messages.append(_from_worker.decode(memoryview(buffer)[at + LENGTH.size : end]))
            at = end
        del buffer[:at]
        return messages
