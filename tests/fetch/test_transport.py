"""One connection: bytes that nobody asked for are never part of the next answer, whenever they come."""

from __future__ import annotations

import asyncio
import socket

import pytest

from fetch.servers import SHORT, page, run, until
from halflife.fetch.answer import Reader
from halflife.fetch.transport import Connection
from halflife.records import Answer, Failure, Kind

REQUEST = b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"


class Wire:
    """A connection of ours, and the other end of it."""

    def __init__(self) -> None:
        self.forgotten: list[Connection] = []
        self.connection = Connection(self.forgotten.append)
        ours, self.theirs = socket.socketpair()
        self._ours = ours

    async def __aenter__(self) -> Wire:
        await asyncio.get_running_loop().create_connection(lambda: self.connection, sock=self._ours)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.connection.abort()
        self.theirs.close()
        await until(lambda: self.forgotten)

    def ask(self) -> tuple[Reader, asyncio.Task[None]]:
        """A question that has been sent."""
        reader = Reader(SHORT)
        return reader, asyncio.ensure_future(self.connection.ask(REQUEST, reader, SHORT))


@pytest.mark.parametrize("plain", [True, False], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize("surplus", [b"HTTP/1.1 200 OK\r\n", page(b"/not-asked-for"), b"\n"])
def test_bytes_between_an_answer_and_whoever_waits_for_it_end_the_connection(plain: bool, surplus: bytes) -> None:
    async def main() -> None:
        async with Wire() as wire:
            reader, asked = wire.ask()
            await asyncio.sleep(0)
            wire.connection.data_received(page(b"hello"))  # as a loop does that has read twice before anybody runs
            wire.connection.data_received(surplus)
            await asked
            outcome = reader.outcome()
            assert isinstance(outcome, Answer)
            assert outcome.content == b"hello"
            assert wire.connection.closing

    run(main(), plain)


def test_a_connection_is_silent_until_something_comes() -> None:
    async def main() -> None:
        assert not Connection(print).silent  # it is not open yet
        async with Wire() as wire:
            assert wire.connection.silent
            wire.theirs.send(b"x")
            assert not wire.connection.silent
        assert not wire.connection.silent

    run(main())


def test_a_goodbye_is_no_silence() -> None:
    async def main() -> None:
        async with Wire() as wire:
            wire.theirs.close()
            assert not wire.connection.silent

    run(main())


def test_asking_on_a_connection_that_has_ended_is_a_drop() -> None:
    async def main() -> None:
        async with Wire() as wire:
            wire.connection.abort()
            for _ in range(2):  # closing, then closed
                reader, asked = wire.ask()
                await asked
                outcome = reader.outcome()
                assert isinstance(outcome, Failure)
                assert outcome.kind == Kind.DROPPED
                assert not reader.keep_alive
                await until(lambda: wire.connection.lost)
            assert wire.theirs.recv(100) == b""

    run(main())


def test_whoever_gives_up_waiting_loses_the_connection() -> None:
    async def main() -> None:
        async with Wire() as wire:
            _, asked = wire.ask()
            await asyncio.sleep(0)
            asked.cancel()
            await asyncio.wait([asked])
            assert wire.connection.closing

    run(main())
