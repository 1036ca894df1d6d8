"""Fetching from real servers on loopback: what is sent, what comes back, and what happens to connections."""

from __future__ import annotations

import asyncio
import gzip
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from fetch.servers import HERE, Client, Heard, answering, fetching, names, page, run, saying, serve, until, within
from halflife import __version__
from halflife.fetch import chunks_of
from halflife.records import Answer, Fetch, Kind, Later, Target


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir())


@pytest.mark.parametrize("plain", [True, False], ids=["asyncio", "uvloop"])
def test_a_fetch_says_all_there_is_to_say(plain: bool) -> None:
    async def main() -> None:
        sent = page(b"hello", b"X-Y: z")
        async with serve(answering(lambda _: sent)) as server, fetching() as using:
            before = time.time()
            got = await using.get(server.url("/a?b=c"))
            assert isinstance(got.outcome, Answer)
            assert (got.outcome.status, got.outcome.content, got.outcome.header("x-y")) == (200, b"hello", "z")
            assert got.outcome.head + got.outcome.raw == sent
            assert got.wire_bytes == len(sent)
            assert got.address == "127.0.0.1"
            assert got.request == server.heard[0].head
            assert before <= got.at <= time.time()
            assert got.seconds > 0
            assert got.rest_seconds == 0

    run(main(), plain)


def test_the_request_is_honest_and_asks_for_what_we_can_read() -> None:
    async def main() -> None:
        settings = replace(
            HERE, contact="https://example.org/bot", headers=(("Accept-Language", "de"), ("accept", "text/html"))
        )
        async with serve(answering(lambda _: page())) as server, fetching(settings) as using:
            await using.answer(server.url("/a?b=c#d"))
            heard = server.heard[0]
            assert heard.head.startswith(b"GET /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n" % server.port)
            assert heard.header("user-agent") == f"halflife/{__version__} (+https://example.org/bot)"
            assert heard.header("accept-encoding") == "gzip, deflate, br, zstd"
            assert heard.header("accept-language") == "de"
            assert heard.header("accept") == "text/html"
            assert heard.head.lower().count(b"accept:") == 1

    run(main())


@pytest.mark.parametrize(
    "url", ["ftp://x.example/", "http://x.example:0/", "http:///x", "nonsense", "http://x y/", "http://127.0.0.1/a b"]
)
def test_what_is_no_address(url: str) -> None:
    async def main() -> None:
        async with fetching() as using:
            assert await using.kind(url) == Kind.BAD_ADDRESS

    run(main())


def test_nothing_can_be_smuggled_into_the_request_line() -> None:
    async def main() -> None:
        async with serve(answering(lambda _: page())) as server, fetching() as using:
            for path in ("/a\r\nX: y", "/a b", "/\t", "/ü", "/\0"):
                assert await using.kind(server.url() + path) == Kind.BAD_ADDRESS
            assert server.connections == 0

    run(main())


@pytest.mark.parametrize("coding", ["gzip", "x-gzip"])
def test_packed_pages_are_unpacked_and_kept_as_sent(coding: str) -> None:
    async def main() -> None:
        packed = gzip.compress(b"hello")
        sent = page(packed, b"Content-Encoding: " + coding.encode())
        async with serve(answering(lambda _: sent)) as server, fetching() as using:
            got = await using.answer(server.url())
            assert (got.raw, got.content) == (packed, b"hello")

    run(main())


def test_a_large_body_lies_in_the_spool_folder(tmp_path: Path) -> None:
    body = b"".join(b"%d " % number for number in range(100_000))

    async def main() -> None:
        settings = replace(within(memory_bytes_max=10_000), spool_folder=str(tmp_path))
        async with serve(answering(lambda _: page(body))) as server, fetching(settings) as using:
            got = await using.answer(server.url())
            assert (got.raw, got.content) == (b"", b"")
            assert Path(got.spool).parent == tmp_path
            assert b"".join(chunks_of(got)) == body

    run(main())
    (spool,) = files(tmp_path)
    assert spool.read_bytes() == body


# -- connections -----------------------------------------------------------------------------------------------------


def test_a_connection_is_used_again() -> None:
    async def main() -> None:
        async with serve(answering(lambda _: page())) as server, fetching() as using:
            for number in range(5):
                await using.answer(server.url(f"/{number}"))
            assert server.connections == 1
            assert server.paths == ["/0", "/1", "/2", "/3", "/4"]

    run(main())


@pytest.mark.parametrize(
    "answer",
    [
        page(b"hello", b"Connection: close"),
        page(b"hello") + b"more than it said",
        b"HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ],
)
def test_a_connection_that_cannot_be_trusted_is_not_used_again(answer: bytes) -> None:
    async def main() -> None:
        async with serve(answering(lambda _: answer)) as server, fetching() as using:
            for _ in range(2):
                assert (await using.answer(server.url())).content == b"hello"
            assert server.connections == 2

    run(main())


@pytest.mark.parametrize("has_been_read", [True, False])
def test_what_comes_unasked_ends_a_connection(has_been_read: bool) -> None:
    clients: list[Client] = []

    async def script(client: Client) -> None:
        clients.append(client)
        while heard := await client.hear():
            await client.say(page(heard.path.encode()))

    async def main() -> None:
        async with serve(script) as server, fetching() as using:
            for path in ("/a", "/b", "/c"):
                assert (await using.answer(server.url(path))).content == path.encode()
                clients[-1].writer.write(page(b"/not-asked-for"))
                if has_been_read:
                    await until(lambda: not server.open)
                else:
                    using.wait_for_bytes()  # even on loopback they may take a moment, and then they come too late
            assert server.connections == 3

    run(main(), plain=True)  # a loop that writes at once


@pytest.mark.parametrize("goodbye", ["close", "reset"])
def test_a_kept_connection_that_was_closed_is_replaced_once(goodbye: str) -> None:
    async def script(client: Client) -> None:
        await client.hear()
        await client.say(page())
        if client.number == 1:
            await client.hear()  # and then hangs up without a word
            if goodbye == "reset":
                client.reset()
        else:
            await client.hear()

    async def main() -> None:
        async with serve(script) as server, fetching() as using:
            await using.answer(server.url("/a"))
            await using.answer(server.url("/b"))
            assert server.paths == ["/a", "/b", "/b"]
            assert server.connections == 2

    run(main())


def test_only_a_reused_connection_and_only_once_is_tried_again() -> None:
    async def script(client: Client) -> None:
        if client.number == 1:
            await client.hear()
            await client.say(page())
        await client.hear()

    async def main() -> None:
        async with serve(script) as server, fetching() as using:
            await using.answer(server.url("/a"))
            assert await using.kind(server.url("/b")) == Kind.DROPPED
            assert server.paths == ["/a", "/b", "/b"]
            assert await using.kind(server.url("/c")) == Kind.DROPPED
            assert server.paths == ["/a", "/b", "/b", "/c"]

    run(main())


def test_an_answer_cut_short_on_a_reused_connection_is_not_asked_for_again() -> None:
    async def script(client: Client) -> None:
        await client.hear()
        await client.say(page())
        await client.hear()
        await client.say(b"HTTP/1.1 200")

    async def main() -> None:
        async with serve(script) as server, fetching() as using:
            await using.answer(server.url("/a"))
            assert await using.kind(server.url("/b")) == Kind.DROPPED
            assert server.paths == ["/a", "/b"]

    run(main())


def test_one_connection_a_host_unless_the_user_says_otherwise() -> None:
    async def main(at_once: int) -> int:
        arrived = 0
        everybody = asyncio.Event()

        async def script(client: Client) -> None:
            nonlocal arrived
            while await client.hear():
                arrived += 1
                if arrived == at_once:
                    everybody.set()
                await everybody.wait()
                await client.say(page())

        settings = replace(HERE, connections_per_host=at_once)
        async with serve(script) as server, fetching(settings) as using:
            await asyncio.gather(*(using.answer(server.url(f"/{number}")) for number in range(12)))
            return server.open_most

    assert run(main(1)) == 1
    assert run(main(4)) == 4


def test_ipv6() -> None:
    async def main() -> None:
        try:
            serving = serve(answering(lambda _: page()), host="::1")
            server = await serving.__aenter__()
        except OSError:
            pytest.skip("this machine has no IPv6 loopback")
        async with fetching(replace(HERE, allow_private=False, private_hosts=("[::1]",))) as using:
            got = await using.get(server.url(host="[::1]"))
            assert isinstance(got.outcome, Answer)
            assert got.address == "::1"
            assert server.heard[0].header("host") == f"[::1]:{server.port}"
        await serving.__aexit__(None, None, None)

    run(main())


def test_the_next_address_is_tried_when_one_fails() -> None:
    async def main() -> None:
        settings = replace(HERE, resolve=("many.example:127.0.0.9,127.0.0.1,127.0.0.8",))
        look_up = names(several_example="127.0.0.1,127.0.0.0")
        async with serve(answering(lambda _: page())) as server, fetching(settings, look_up) as using:
            for host in ("many.example", "several.example"):
                got = await using.get(server.url(host=host))
                assert isinstance(got.outcome, Answer)
                assert got.address == "127.0.0.1"
            # What has worked is tried first from now on.
            assert await using.fetcher.address(server.url(host="several.example")) == "127.0.0.1"

    run(main())


def test_where_an_address_lives() -> None:
    async def main() -> None:
        settings = replace(HERE, resolve=("given.example:127.0.0.5",))
        async with fetching(settings, names(known_example="127.0.0.6,::1")) as using:
            address = using.fetcher.address
            assert await address("http://given.example/x") == "127.0.0.5"
            assert await address("http://known.example/x") == "127.0.0.6"
            assert await address("http://unknown.example/x") == ""
            assert await address("http://[::1]/") == "::1"
            assert await address("nonsense") == ""

    run(main())


def test_nobody_listens_and_nobody_knows_the_name() -> None:
    async def main() -> None:
        async with serve(saying()) as server:
            port = server.port
        async with fetching(look_up=names(a_example="127.0.0.1")) as using:
            assert await using.kind(f"http://127.0.0.1:{port}/") == Kind.REFUSED
            assert await using.kind(f"http://a.example:{port}/") == Kind.REFUSED
            assert await using.kind("http://b.example/") == Kind.DNS

    run(main())


# -- ending ----------------------------------------------------------------------------------------------------------


def test_stop_ends_every_wait_and_lets_what_is_under_way_end() -> None:
    release = asyncio.Event()

    async def script(client: Client) -> None:
        while await client.hear():
            await release.wait()
            await client.say(page())

    async def main() -> None:
        settings = replace(HERE, delay_seconds=20.0)
        async with serve(script) as server, fetching(settings) as using:
            tasks = [asyncio.ensure_future(using.fetcher.fetch(Target(url=server.url(f"/{n}")))) for n in range(4)]
            await until(lambda: server.heard)
            using.fetcher.stop()
            waiting = [await task for task in tasks[1:]]
            assert all(isinstance(got, Later) for got in waiting)
            assert not tasks[0].done()
            release.set()
            assert isinstance(await tasks[0], Fetch)
            assert isinstance(await using.fetcher.fetch(Target(url=server.url())), Later)
            assert server.paths == ["/0"]

    run(main())


def test_stop_ends_what_is_being_connected() -> None:
    async def main() -> None:
        asked = asyncio.Event()

        async def look_up(host: str) -> tuple[tuple[str, ...], float]:
            asked.set()
            return ("127.0.0.1",), 0.0

        async with serve(answering(lambda _: page())) as server, fetching(look_up=look_up) as using:
            task = asyncio.ensure_future(using.fetcher.fetch(Target(url=server.url(host="a.example"))))
            await asked.wait()
            using.fetcher.stop()
            assert isinstance(await task, Later)
            assert server.heard == []

    run(main())


def test_a_cancelled_fetch_leaves_nothing_behind(tmp_path: Path) -> None:
    async def script(client: Client) -> None:
        while heard := await client.hear():
            if heard.path == "/good":
                await client.say(page())
            else:
                await client.say(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 50_000)
                await client.reader.read()

    async def main() -> None:
        settings = replace(within(memory_bytes_max=1_000), spool_folder=str(tmp_path))
        async with serve(script) as server, fetching(settings) as using:
            task = asyncio.ensure_future(using.fetcher.fetch(Target(url=server.url("/endless"))))
            await until(lambda: files(tmp_path))
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled()
            assert files(tmp_path) == []
            assert (await using.answer(server.url("/good"))).status == 200

    run(main())


def test_closing_while_an_answer_is_under_way_ends_it() -> None:
    async def main() -> None:
        async with serve(saying(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal")) as server, fetching() as using:
            task = asyncio.ensure_future(using.kind(server.url()))
            await until(lambda: server.heard)
            await using.fetcher.close()
            assert await task == Kind.DROPPED

    run(main())


@pytest.mark.parametrize("plain", [True, False], ids=["asyncio", "uvloop"])
def test_idle_connections_are_bounded_and_closed_in_the_end(plain: bool) -> None:
    def open_files() -> int:
        return len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").exists() else 0

    async def main() -> None:
        async with serve(answering(lambda _: page())) as server:
            before = open_files()
            async with fetching(replace(HERE, resolve=("*:127.0.0.1",))) as using:
                for number in range(30):
                    await using.answer(server.url(host=f"h{number}.example"))
                await until(lambda: server.open <= 8)
                assert server.open == 8
            await until(lambda: not server.open and open_files() <= before)  # the server's end of each is ours, too

    run(main(), plain)


def test_the_server_hears_from_one_host_after_another(  # a name of a test that reads as a sentence
) -> None:
    async def main() -> None:
        def answer(heard: Heard) -> bytes:
            return page(heard.header("host").encode())

        async with serve(answering(answer)) as server, fetching(replace(HERE, resolve=("*:127.0.0.1",))) as using:
            got = await asyncio.gather(*(using.answer(server.url(host=f"h{n}.example")) for n in range(10)))
            assert [one.content for one in got] == [f"h{n}.example:{server.port}".encode() for n in range(10)]
            assert server.open_most <= 8 + 1

    run(main())
