"""Servers that say exactly what they are told to, on loopback, and write down what they hear and when."""

from __future__ import annotations

import asyncio
import select
import socket
import ssl
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import uvloop
from msgspec.structs import replace

import halflife
from halflife.fetch import Fetcher, FetchSettings, Limits
from halflife.fetch.dns import LookUp
from halflife.records import Answer, Failure, Fetch, Kind, Later, Target

T = TypeVar("T")

SHORT = Limits(connect_seconds=5.0, first_byte_seconds=5.0, answer_seconds=5.0, wait_seconds_max=30.0)
HERE = FetchSettings(limits=SHORT, delay_seconds=0.0, robots=False, allow_private=True)
FREE = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"


class Heard(NamedTuple):
    """A request as the server got it."""

    at: float  # time.monotonic() when it was read
    connection: int  # the how manieth connection it came on
    head: bytes

    @property
    def path(self) -> str:
        return self.head.split(b" ", 2)[1].decode()

    def header(self, name: str) -> str:
        for line in self.head.decode("latin-1").split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.lower() == name:
                return value.strip()
        return ""


class Client:
    """One connection, seen from the server."""

    def __init__(self, server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.server, self.reader, self.writer = server, reader, writer
        self.number = server.connections

    async def hear(self) -> Heard | None:
        """The next request, None when the client has gone."""
        try:
            head = await self.reader.readuntil(b"\r\n\r\n")
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        heard = Heard(time.monotonic(), self.number, head)
        self.server.heard.append(heard)
        return heard

    async def say(self, *parts: bytes) -> None:
        """Send each part as a packet of its own, as far as that can be."""
        for part in parts:
            self.server.said_at = time.monotonic()
            self.writer.write(part)
            await self.writer.drain()
            await asyncio.sleep(0)

    def reset(self) -> None:
        """Hang up without a goodbye: whoever listens is told of an error."""
        self.writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


Script = Callable[[Client], Awaitable[None]]
Answers = Callable[[Heard], bytes]


class Server:
    """What a running server has heard."""

    def __init__(self) -> None:
        self.port = 0
        self.connections = 0
        self.open = 0  # connections at this moment
        self.open_most = 0
        self.said_at = 0.0  # just before the last packet
        self.heard: list[Heard] = []

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    @property
    def paths(self) -> list[str]:
        return [heard.path for heard in self.heard]


@asynccontextmanager
async def serve(
    script: Script, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None, port: int = 0
) -> AsyncIterator[Server]:
    """A server that runs the script on each connection."""
    server = Server()
    tasks: set[asyncio.Task[Any]] = set()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        server.connections += 1
        server.open += 1
        server.open_most = max(server.open_most, server.open)
        try:
            await script(Client(server, reader, writer))
        except (ConnectionError, asyncio.CancelledError, ssl.SSLError):
            pass
        finally:
            server.open -= 1
            writer.close()
            tasks.discard(task)

    listening = await asyncio.start_server(talk, host, port, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await listening.wait_closed()
        await asyncio.sleep(0)


def answering(answers: Answers) -> Script:
    """A well-behaved server: an answer to each request, on kept connections."""

    async def script(client: Client) -> None:
        while heard := await client.hear():
            await client.say(answers(heard))

    return script


def saying(*parts: bytes, then: str = "wait") -> Script:
    """A server that says this to each request; then it waits for the next, closes or resets."""

    async def script(client: Client) -> None:
        while await client.hear():
            await client.say(*parts)
            if then == "close":
                return
            if then == "reset":
                client.reset()
                return

    return script


def page(body: bytes = b"hello", *headers: bytes, status: bytes = b"200 OK") -> bytes:
    """A plain answer."""
    lines = [b"HTTP/1.1 " + status, b"Content-Length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def robots(text: bytes, otherwise: bytes = b"") -> Answers:
    """Answers with this robots.txt, and a page for everything else."""

    def answer(heard: Heard) -> bytes:
        return page(text) if heard.path == "/robots.txt" else otherwise or page()

    return answer


@asynccontextmanager
async def fetching(settings: FetchSettings = HERE, look_up: LookUp | None = None) -> AsyncIterator[Using]:
    """A fetcher; when it is closed nothing of it may be left."""
    before = asyncio.all_tasks()
    using = Using(settings, look_up)
    try:
        yield using
    finally:
        await using.fetcher.close()
        assert [task for task in asyncio.all_tasks() - before if is_ours(task)] == []
        assert not using.fetcher._asker._doors._connections


def is_ours(task: asyncio.Task[Any]) -> bool:
    """Whether a task runs the fetcher's code, not a server's."""
    code = getattr(task.get_coro(), "cr_code", None)
    return code is not None and Path(code.co_filename).is_relative_to(Path(halflife.__file__).parent)


class Using:
    """A fetcher, and what it gave away."""

    def __init__(self, settings: FetchSettings, look_up: LookUp | None) -> None:
        self.kept: list[Fetch] = []
        self.learned: dict[str, bytes] = {}
        self.fetcher = Fetcher(settings, self.kept.append, self.learned.__setitem__, look_up)

    async def get(self, url: str) -> Fetch:
        """A fetch that was let in."""
        got = await self.fetcher.fetch(Target(url=url))
        assert isinstance(got, Fetch), got
        return got

    async def answer(self, url: str) -> Answer:
        """A fetch that succeeded."""
        got = await self.get(url)
        assert isinstance(got.outcome, Answer), got.outcome
        return got.outcome

    async def failure(self, url: str) -> Failure:
        """A fetch that failed."""
        got = await self.get(url)
        assert isinstance(got.outcome, Failure), got.outcome
        assert got.outcome.detail
        assert "\n" not in got.outcome.detail
        return got.outcome

    async def kind(self, url: str) -> Kind:
        return (await self.failure(url)).kind

    def wait_for_bytes(self) -> None:
        """Until a kept connection has something to read; the loop stands still meanwhile, so nobody reads it."""
        doors = self.fetcher._asker._doors
        sockets = [one.transport.get_extra_info("socket").fileno() for one in doors._idle if one.transport is not None]
        assert select.select(sockets, [], [], 20)[0]

    async def later(self, url: str) -> Later:
        """A fetch that was put off."""
        got = await self.fetcher.fetch(Target(url=url))
        assert isinstance(got, Later), got
        return got


def within(**limits: float) -> FetchSettings:
    """Settings for this machine with these limits."""
    return replace(HERE, limits=replace(SHORT, **limits))


def names(**addresses: str | list[str]) -> LookUp:
    """A name server that knows these names (written with _ for .); several addresses of one name are given in turn."""
    asked: dict[str, int] = {}

    async def look_up(host: str) -> tuple[tuple[str, ...], float]:
        known = addresses.get(host.replace(".", "_"))
        if known is None:
            raise OSError("the name does not resolve")
        if isinstance(known, str):
            return tuple(known.split(",")), 0.0
        turn = asked[host] = asked.get(host, -1) + 1
        return (known[min(turn, len(known) - 1)],), 0.0

    return look_up


async def until(condition: Callable[[], object]) -> None:
    """Let the others work until it holds; a test that hangs fails."""
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - what is waited for knows no events
            await asyncio.sleep(0.001)


def run(main: Coroutine[Any, Any, T], plain: bool = False) -> T:
    """Run on the loop that crawls run on, or on asyncio's own."""
    with asyncio.Runner(loop_factory=None if plain else uvloop.new_event_loop) as runner:
        return runner.run(main)
