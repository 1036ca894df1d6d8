"""Hostile servers: whatever they do costs one value of the closed set, and the next page is fetched all the same."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import brotli
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fetch.servers import HERE, SHORT, Client, Script, Server, fetching, page, run, saying, serve, until
from halflife.fetch import FetchSettings
from halflife.records import Answer, Fetch, Kind, Target

LOOPS = pytest.mark.parametrize("plain", [True, False], ids=["asyncio", "uvloop"])
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
TIGHT = replace(SHORT, wire_bytes_max=1_000_000, decoded_bytes_max=2_000_000, memory_bytes_max=300_000)
SLACK_BYTES = 2_000_000  # what may still be on its way when we hang up


def endlessly(start: bytes, again: bytes) -> Script:
    """A server that begins like this and never stops."""

    async def script(client: Client) -> None:
        await client.hear()
        await client.say(start)
        piece = again * (1 + 50_000 // len(again))
        while True:
            await client.say(piece)

    return script


def drop_by_drop(start: bytes, drops: bytes) -> Script:
    """A server that sends a byte, and after a while another one."""

    async def script(client: Client) -> None:
        await client.hear()
        await client.say(start)
        while True:
            for octet in drops:
                await client.say(bytes((octet,)))
                await asyncio.sleep(0.01)

    return script


def bomb(coding: bytes, packed: bytes) -> bytes:
    return page(packed, b"Content-Encoding: " + coding)


NULLS = bytes(30_000_000)
GZIPPED = gzip.compress(NULLS, 9)
BOMBS = {
    "gzip": bomb(b"gzip", GZIPPED),
    "gzip in gzip": bomb(b"gzip, gzip", gzip.compress(GZIPPED)),
    "deflate": bomb(b"deflate", zlib.compress(NULLS, 9)),
    "brotli": bomb(b"br", brotli.compress(NULLS, quality=5)),
    "many gzips": bomb(b"gzip", gzip.compress(bytes(300_000), 9) * 100),
}

ENDLESS: dict[str, tuple[Script, Kind]] = {
    "body": (endlessly(OK + b"\r\n", b"x"), Kind.BODY_TOO_LARGE),
    "chunks": (endlessly(CHUNKED, b"5\r\nhello\r\n"), Kind.BODY_TOO_LARGE),
    "one chunk": (endlessly(CHUNKED + b"ffffffffffffff\r\n", b"x"), Kind.BODY_TOO_LARGE),
    "chunk size": (endlessly(CHUNKED, b"0"), Kind.BAD_HTTP),
    "chunk extension": (endlessly(CHUNKED + b"5;", b"x"), Kind.BAD_HTTP),
    "trailer": (endlessly(CHUNKED + b"0\r\n", b"X: y\r\n"), Kind.BAD_HTTP),
    "headers": (endlessly(OK, b"X: y\r\n"), Kind.HEADERS_TOO_LARGE),
    "one header": (endlessly(OK + b"X: ", b"y"), Kind.HEADERS_TOO_LARGE),
    "reason": (endlessly(b"HTTP/1.1 200 ", b"O"), Kind.HEADERS_TOO_LARGE),
    "blank": (endlessly(b"", b"\r\n"), Kind.BAD_HTTP),
    "nulls": (endlessly(b"", b"\0"), Kind.BAD_HTTP),
    "interim answers": (endlessly(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), Kind.HEADERS_TOO_LARGE),
    "gzip members": (
        endlessly(OK + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(b"", mtime=0)),
        Kind.BAD_ENCODING,
    ),
    "gzip of nothing new": (
        endlessly(OK + b"Content-Encoding: gzip\r\n\r\n", gzip.compress(bytes(10_000), mtime=0)),
        Kind.DECODED_TOO_LARGE,
    ),
    "zstd window": (
        saying(page(b"\x28\xb5\x2f\xfd\x00\xff" + bytes(20), b"Content-Encoding: zstd")),
        Kind.BAD_ENCODING,
    ),
}


async def costs(script: Script, settings: FetchSettings, check: Callable[[Fetch, Server], Awaitable[None]]) -> None:
    """Ask this server, check what came of it, and then fetch a good page with the same fetcher."""
    async with serve(script) as server, serve(saying(page())) as good, fetching(settings) as using:
        got = await using.get(server.url())
        await check(got, server)
        assert (await using.answer(good.url())).content == b"hello"


@LOOPS
@pytest.mark.parametrize("what", ENDLESS)
def test_what_has_no_end(what: str, plain: bool, tmp_path: Path) -> None:
    script, expected = ENDLESS[what]

    async def check(got: Fetch, server: Server) -> None:
        assert not isinstance(got.outcome, Answer)
        assert got.outcome.kind == expected
        assert got.wire_bytes < TIGHT.wire_bytes_max + SLACK_BYTES
        await until(lambda: not server.open or what == "zstd window")

    run(costs(script, replace(HERE, limits=TIGHT, spool_folder=str(tmp_path)), check), plain)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("what", BOMBS)
def test_a_bomb_does_not_go_off(what: str, tmp_path: Path) -> None:
    async def check(got: Fetch, server: Server) -> None:
        assert not isinstance(got.outcome, Answer)
        assert got.outcome.kind == Kind.DECODED_TOO_LARGE

    run(costs(saying(BOMBS[what]), replace(HERE, limits=TIGHT, spool_folder=str(tmp_path)), check))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("start", "drops"),
    [(b"", OK), (OK, b"X: y\r\n"), (OK + b"\r\n", b"x"), (CHUNKED, b"1\r\nx\r\n"), (OK + b"Content-Length: 999\r\n\r\n", b"x")],
)  # fmt: skip
def test_a_byte_now_and_then_takes_no_longer_than_an_answer_may(start: bytes, drops: bytes) -> None:
    async def check(got: Fetch, server: Server) -> None:
        assert not isinstance(got.outcome, Answer)
        assert got.outcome.kind == Kind.ANSWER_TIMEOUT
        await until(lambda: not server.open)

    run(costs(drop_by_drop(start, drops), replace(HERE, limits=replace(TIGHT, answer_seconds=0.2)), check))


def test_10_mb_of_headers_are_not_read() -> None:
    async def check(got: Fetch, server: Server) -> None:
        assert not isinstance(got.outcome, Answer)
        assert got.outcome.kind == Kind.HEADERS_TOO_LARGE
        assert got.wire_bytes < 1_000_000

    headers = b"".join(b"X-%d: y\r\n" % number for number in range(800_000))
    run(costs(saying(OK + headers + b"\r\n"), replace(HERE, limits=TIGHT), check))


# -- wrong ---------------------------------------------------------------------------------------------------------------


@LOOPS
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (OK + b"Content-Length: 99\r\n\r\nhello", Kind.DROPPED),
        (OK + b"Content-Length: 2\r\n\r\nhello", b"he"),
        (OK + b"Content-Length: 0\r\n\r\nhello", b""),
        (b"HTTP/1.1 204 No Content\r\n\r\nhello", b""),
        (OK + b"Content-Length: -1\r\n\r\nhello", Kind.BAD_HTTP),
        (OK + b"Content-Length: five\r\n\r\nhello", Kind.BAD_HTTP),
        (OK + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello!", Kind.BAD_HTTP),
        (CHUNKED + b"5\r\nhello\r\n0\r\n\r\n", b"hello"),
        (CHUNKED + b"4\r\nhello\r\n0\r\n\r\n", Kind.BAD_HTTP),
        (CHUNKED + b"6\r\nhello\r\n0\r\n\r\n", Kind.BAD_HTTP),
        (CHUNKED + b"hello\r\n0\r\n\r\n", Kind.BAD_HTTP),
        (CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n", Kind.BAD_HTTP),
        (CHUNKED + b"fffffffffffffffff\r\nhello", Kind.BAD_HTTP),
        (CHUNKED + b"5\r\nhello\r\n", Kind.DROPPED),
        (CHUNKED + b"5\r\nhello\r\n0\r\n", Kind.DROPPED),
        (OK + b"Transfer-Encoding: chunked, gzip\r\n\r\nhello", Kind.BAD_HTTP),
        (OK + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\n\x1f\x8b\x08\x00\x00", Kind.BAD_ENCODING),
        (OK + b"Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello", b"hello"),
        (b"HTTP/0.9 200 OK\r\n\r\n", Kind.BAD_HTTP),
        (b"HTTP/2 200\r\n\r\n", Kind.BAD_HTTP),
        (b"HTTP/1.1 OK 200\r\n\r\n", Kind.BAD_HTTP),
        (b"HTTP/1.1 200 OK\nA\0B: \0\xff\n\nhel\0lo", b"hel\0lo"),
        (b"\x15\x03\x01\x00\x02\x02\x50", Kind.BAD_HTTP),
        (b"SSH-2.0-OpenSSH_9\r\n", Kind.BAD_HTTP),
        (b"HTTP/1.1 101 Switching Protocols\r\n\r\n", Kind.BAD_HTTP),
    ],
)
def test_what_is_wrong(said: bytes, expected: Kind | bytes, plain: bool) -> None:
    async def check(got: Fetch, server: Server) -> None:
        if isinstance(got.outcome, Answer):
            assert got.outcome.content == expected
        else:
            assert got.outcome.kind == expected

    run(costs(saying(said, then="close"), replace(HERE, limits=TIGHT), check), plain)


def test_a_server_that_speaks_before_it_is_asked() -> None:
    async def script(client: Client) -> None:
        await client.say(page(b"early"))
        await client.hear()
        await client.reader.read()

    async def check(got: Fetch, server: Server) -> None:
        if isinstance(got.outcome, Answer):  # on a new connection it cannot be told from an answer to us
            assert got.outcome.content == b"early"
        else:
            assert got.outcome.kind == Kind.DROPPED

    run(costs(script, replace(HERE, limits=TIGHT), check))


def test_a_server_that_never_reads() -> None:
    async def script(client: Client) -> None:
        client.writer.transport.pause_reading()  # type: ignore[attr-defined]
        await asyncio.sleep(5)

    async def main() -> None:
        headers = tuple((f"X-{number}", "y" * 200_000) for number in range(50))  # more than the way there holds
        limits = replace(TIGHT, first_byte_seconds=0.1)
        async with serve(script) as server, fetching(replace(HERE, limits=limits, headers=headers)) as using:
            assert await using.kind(server.url()) == Kind.FIRST_BYTE_TIMEOUT

    run(main())


# -- dropped -------------------------------------------------------------------------------------------------------------

WHOLE = [
    page(b"hello, all", b"X-Y: z"),
    CHUNKED + b"5\r\nhello\r\n5;x\r\n, all\r\n0\r\nA: b\r\n\r\n",
    bomb(b"gzip", gzip.compress(b"hello, all", mtime=0)),
    b"HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\n" + page(b"hello, all"),
    OK + b"Connection: close\r\n\r\nhello, all",
]


@LOOPS
@pytest.mark.parametrize("goodbye", ["close", "reset"])
@pytest.mark.parametrize("whole", WHOLE)
def test_connections_dropped_at_each_point_of_an_answer(whole: bytes, goodbye: str, plain: bool) -> None:
    """Byte by byte: a part is never taken for the whole, unless it cannot be told from one."""

    async def script(client: Client) -> None:
        while heard := await client.hear():
            if heard.path == "/good":
                await client.say(page())
                continue
            await client.say(whole[: int(heard.path[1:])])
            if goodbye == "reset":
                client.reset()
            return

    async def main() -> None:
        without_length = whole.startswith(OK + b"Connection: close")
        async with serve(script) as server, fetching(replace(HERE, limits=TIGHT)) as using:
            for size in range(len(whole)):
                outcome = (await using.get(server.url(f"/{size}"))).outcome
                if isinstance(outcome, Answer):
                    assert without_length
                    assert goodbye == "close"
                    assert b"hello, all".startswith(outcome.content)
                else:
                    assert outcome.kind == Kind.DROPPED
            if goodbye == "close":  # a reset may take the end along
                assert (await using.answer(server.url(f"/{len(whole)}"))).content == b"hello, all"
            await using.answer(server.url("/good"))

    run(main(), plain)


@LOOPS
def test_connections_dropped_before_anything_is_said(plain: bool) -> None:
    async def at_once(client: Client) -> None:
        client.reset()

    async def politely(client: Client) -> None:
        pass

    async def within_the_request(client: Client) -> None:
        await client.reader.read(1)
        client.reset()

    async def check(got: Fetch, server: Server) -> None:
        assert not isinstance(got.outcome, Answer)
        assert got.outcome.kind == Kind.DROPPED
        assert got.wire_bytes == 0

    for script in (at_once, politely, within_the_request):
        run(costs(script, replace(HERE, limits=TIGHT), check), plain)


# -- anything ------------------------------------------------------------------------------------------------------------

PIECES = st.sampled_from([
    OK, b"HTTP/1.1 ", b"200", b"204 x", b"103 x", b"\r\n", b"\n", b"\r", b"\r\n\r\n", b"Content-Length: 5", b"Content-Length: ",
    b"Transfer-Encoding: chunked", b"Content-Encoding: gzip", b"Content-Encoding: br", b"Connection: close", b"0", b"5", b"a",
    b"hello", b"0\r\n\r\n", b"5\r\nhello\r\n", b"\0", b"\xff\xfe", b" ", b":", b";", gzip.compress(b"hello", mtime=0), page(),
])  # fmt: skip


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.lists(PIECES | st.binary(max_size=10), max_size=12), min_size=1, max_size=8),
    st.sampled_from(["close", "reset"]),
)
def test_whatever_is_said_is_an_answer_or_a_failure(saids: list[list[bytes]], goodbye: str) -> None:
    async def script(client: Client) -> None:
        while heard := await client.hear():
            if heard.path == "/good":
                await client.say(page(b"good"))
                continue
            # In one go: what comes late, unasked, cannot be told from the answer to the next request.
            await client.say(b"".join(saids[int(heard.path[1:])]))
            if goodbye == "reset":
                client.reset()
            return

    async def main() -> None:
        async with serve(script) as server, fetching(replace(HERE, limits=TIGHT)) as using:
            for number in range(len(saids)):
                got = await using.fetcher.fetch(Target(url=server.url(f"/{number}")))
                assert isinstance(got, Fetch)
                if not isinstance(got.outcome, Answer):
                    assert got.outcome.kind in (Kind.BAD_HTTP, Kind.BAD_ENCODING, Kind.DROPPED)
                    assert got.outcome.detail
                assert (await using.answer(server.url("/good"))).content == b"good"

    run(main())
