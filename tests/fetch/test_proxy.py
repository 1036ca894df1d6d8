"""The user's proxy: how it is asked, whom it leads to, and that its failures are not taken for those of the web."""

from __future__ import annotations

import asyncio
import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fetch.certificates import ca_file, certified
from fetch.servers import (
    HERE,
    SHORT,
    Client,
    Script,
    answering,
    fetching,
    names,
    page,
    robots,
    run,
    saying,
    serve,
    until,
)
from halflife import __version__
from halflife.errors import SettingError
from halflife.fetch import FetchSettings
from halflife.fetch.proxy import Proxy, read_proxy
from halflife.records import Answer, Kind

LOOPS = pytest.mark.parametrize("plain", [True, False], ids=["asyncio", "uvloop"])
ESTABLISHED = b"HTTP/1.1 200 Connection established\r\n\r\n"


def leading(port: int, established: bytes = ESTABLISHED) -> Script:
    """A proxy that leads every CONNECT to this port of this machine, whatever was asked for."""

    async def script(client: Client) -> None:
        if await client.hear() is None:
            return
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        await client.say(established)
        upstream = asyncio.ensure_future(pipe(client.reader, writer))
        await pipe(reader, client.writer)
        upstream.cancel()
        await asyncio.wait([upstream])

    return script


async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """From one to the other until one of them has gone."""
    try:
        while data := await reader.read(10_000):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


def through(port: int, settings: FetchSettings = HERE, user: str = "") -> FetchSettings:
    return replace(settings, proxy=f"http://{user}127.0.0.1:{port}")


@pytest.fixture
def trusting(tmp_path: Path) -> FetchSettings:
    """Settings that trust the tests' authority."""
    return replace(HERE, ca_file=ca_file(tmp_path))


# -- how it is written -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", None),
        ("http://proxy.example", Proxy("proxy.example", 80)),
        ("http://proxy.example:3128/", Proxy("proxy.example", 3128)),
        ("HTTP://Proxy.example:3128", Proxy("proxy.example", 3128)),
        ("http://[::1]:3128", Proxy("::1", 3128)),
        ("http://u:p@proxy.example", Proxy("proxy.example", 80, "Basic dTpw")),
        ("http://u@proxy.example", Proxy("proxy.example", 80, "Basic dTo=")),
        ("http://u%40x:p%3A%2F@proxy.example", Proxy("proxy.example", 80, "Basic dUB4OnA6Lw==")),
        ("http://%C3%BC:%E2%82%AC@proxy.example", Proxy("proxy.example", 80, "Basic w7w64oKs")),
    ],
)
def test_what_names_a_proxy(text: str, expected: Proxy | None) -> None:
    assert read_proxy(text) == expected


@pytest.mark.parametrize(
    "text",
    ["proxy.example:3128", "https://secret@proxy.example", "socks5://secret@proxy.example", "http://", "http://:3128",
     "http://secret@proxy.example:0", "http://secret@proxy.example:99999", "http://secret@proxy.example:x",
     "http://secret@proxy.example/path", "http://secret@proxy.example?x", "http://secret@proxy.example#x",
     "http://secret@pro xy.example", "http://secret@pröxy.example", "http://se%3Acret:secret@proxy.example",
     "http://secret@[::1", "http://secret@[fe80::1%25lo]"],
)  # fmt: skip
def test_what_names_none_is_a_mistake_that_does_not_tell_the_password(text: str) -> None:
    with pytest.raises(SettingError, match="--proxy") as raised:
        read_proxy(text)
    assert "secret" not in str(raised.value)
    with pytest.raises(SettingError, match="--proxy"):
        replace(HERE, proxy=text).checked()


@given(st.text(max_size=30))
def test_whatever_is_written_is_a_proxy_or_a_mistake(text: str) -> None:
    for written in (text, f"http://{text}", f"http://{text}@proxy.example", f"http://proxy.example:{text}"):
        try:
            proxy = read_proxy(written)
        except SettingError as error:
            proxy, said = None, str(error)
        else:
            said = proxy.authorization if proxy is not None else ""
        assert "\n" not in said
        assert proxy is None or (proxy.host and 0 < proxy.port < 65_536)


# -- without TLS -------------------------------------------------------------------------------------------------------


def test_a_proxy_is_asked_for_whole_addresses() -> None:
    async def main() -> None:
        async with serve(answering(lambda _: page())) as proxy, fetching(through(proxy.port)) as using:
            got = await using.get("http://nowhere.example:81/a?b=c")
            assert isinstance(got.outcome, Answer)
            assert got.address == ""  # who was reached is the proxy's secret
            await using.answer("http://nowhere.example:81/d")
            assert proxy.paths == ["http://nowhere.example:81/a?b=c", "http://nowhere.example:81/d"]
            assert proxy.heard[0].header("host") == "nowhere.example:81"
            assert proxy.heard[0].header("proxy-authorization") == ""
            assert got.request == proxy.heard[0].head
            assert proxy.connections == 1

    run(main())


def test_robots_txt_is_asked_for_through_the_proxy_too() -> None:
    async def main() -> None:
        settings = replace(HERE, robots=True)
        async with serve(answering(lambda heard: page(b"User-agent: *\nDisallow: /b"))) as proxy:
            async with fetching(through(proxy.port, settings)) as using:
                await using.answer("http://a.example/a")
                assert await using.kind("http://a.example/b") == Kind.ROBOTS
            assert proxy.paths == ["http://a.example/robots.txt", "http://a.example/a"]

    run(main())


@LOOPS
def test_the_password_goes_to_the_proxy_and_to_nobody_else(trusting: FetchSettings, plain: bool) -> None:
    secret = "Basic " + base64.b64encode(b"user:pass word").decode()

    async def main() -> None:
        async with (
            serve(answering(lambda _: page())) as server,
            serve(answering(robots(b"")), tls=certified("a.example")) as behind,
            serve(answering(lambda _: page())) as proxy,
            serve(leading(behind.port)) as tunnel,
        ):
            async with fetching(through(proxy.port, trusting, "user:pass%20word@")) as using:
                await using.answer("http://a.example/")
                assert proxy.heard[0].header("proxy-authorization") == secret
            async with fetching(through(tunnel.port, trusting, "user:pass%20word@")) as using:
                got = await using.get("https://a.example/x")
                assert isinstance(got.outcome, Answer)
                assert tunnel.heard[0].header("proxy-authorization") == secret
                assert behind.paths == ["/x"]
                assert behind.heard[0].header("proxy-authorization") == ""
                assert b"roxy" not in got.request
            async with fetching(HERE) as using:
                await using.answer(server.url())
                assert server.heard[0].header("proxy-authorization") == ""

    run(main(), plain)


@pytest.mark.parametrize("user", ["", "wrong:wrong@"])
def test_a_proxy_that_wants_a_password_says_so(trusting: FetchSettings, user: str) -> None:
    async def main() -> None:
        said = page(b"who are you", status=b"407 Proxy Authentication Required")
        async with (
            serve(answering(lambda _: said)) as proxy,
            fetching(through(proxy.port, trusting, user)) as using,
        ):
            for url in ("http://a.example/", "https://a.example/"):
                failure = await using.failure(url)
                assert failure.kind == Kind.PROXY
                assert "--proxy" in failure.detail or "407" in failure.detail
                assert "wrong" not in failure.detail

    run(main())


# -- a way through -----------------------------------------------------------------------------------------------------


@LOOPS
def test_a_way_through_is_asked_for_and_kept(trusting: FetchSettings, plain: bool) -> None:
    async def main() -> None:
        async with (
            serve(answering(lambda heard: page(heard.path.encode())), tls=certified("a.example")) as behind,
            serve(leading(behind.port)) as proxy,
            fetching(through(proxy.port, trusting)) as using,
        ):
            for path in ("/a", "/b", "/c"):
                assert (await using.answer(f"https://a.example{path}")).content == path.encode()
            (asked,) = proxy.heard
            assert asked.head.startswith(b"CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n")
            assert asked.header("user-agent") == f"halflife/{__version__} (web crawler)"
            assert behind.paths == ["/a", "/b", "/c"]
            assert behind.heard[0].header("host") == "a.example"

    run(main(), plain)


def test_an_address_of_the_new_kind_is_asked_for_in_brackets(trusting: FetchSettings) -> None:
    async def main() -> None:
        async with (
            serve(answering(lambda _: page()), tls=certified("2600::1")) as behind,
            serve(leading(behind.port)) as proxy,
            fetching(through(proxy.port, trusting)) as using,
        ):
            await using.answer("https://[2600::1]:8443/")
            assert proxy.paths == ["[2600::1]:8443"]
            assert behind.heard[0].header("host") == "[2600::1]:8443"

    run(main())


@pytest.mark.parametrize(
    "established",
    [
        b"HTTP/1.0 200 OK\r\n\r\n",
        b"HTTP/1.1 299 x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",  # to be ignored: RFC 9110 9.3.6
        b"HTTP/1.1 100 Continue\r\n\r\n" + ESTABLISHED,
        b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
    ],
)
def test_ways_to_say_that_there_is_a_way(trusting: FetchSettings, established: bytes) -> None:
    async def main() -> None:
        async with (
            serve(answering(lambda _: page()), tls=certified("a.example")) as behind,
            serve(leading(behind.port, established)) as proxy,
            fetching(through(proxy.port, trusting)) as using,
        ):
            for _ in range(2):
                assert (await using.answer("https://a.example/")).content == b"hello"
            assert proxy.connections == 1

    run(main())


@LOOPS
def test_who_is_at_the_end_of_the_way_is_looked_at_closely(trusting: FetchSettings, plain: bool) -> None:
    async def main() -> None:
        async with (
            serve(answering(lambda _: page()), tls=certified("b.example")) as behind,
            serve(leading(behind.port)) as proxy,
            fetching(through(proxy.port, trusting)) as using,
        ):
            assert await using.kind("https://a.example/") == Kind.TLS
            assert behind.heard == []
            await until(lambda: not using.fetcher._asker._doors._connections)
            await until(lambda: not proxy.open)

    run(main(), plain)


@LOOPS
def test_what_is_no_tls_at_the_end_of_the_way(trusting: FetchSettings, plain: bool) -> None:
    async def speaking(client: Client) -> None:
        await client.reader.read(100)
        await client.say(page())

    async def hanging_up(client: Client) -> None:
        await client.reader.read(100)

    async def main() -> None:
        for script in (speaking, hanging_up):
            async with (
                serve(script) as behind,
                serve(leading(behind.port)) as proxy,
                fetching(through(proxy.port, trusting)) as using,
            ):
                assert await using.kind("https://a.example/") in (Kind.TLS, Kind.PROXY)
                await until(lambda: not using.fetcher._asker._doors._connections)

    run(main(), plain)


# -- failures ----------------------------------------------------------------------------------------------------------


def test_a_proxy_that_is_not_there() -> None:
    async def main() -> None:
        async with serve(saying()) as proxy:
            port = proxy.port
        async with fetching(through(port)) as using:
            for url in ("http://a.example/", "https://a.example/"):
                failure = await using.failure(url)
                assert failure.kind == Kind.PROXY
                assert f"127.0.0.1:{port}" in failure.detail
        settings = replace(HERE, proxy="http://nowhere.example:3128")
        async with fetching(settings, names(a_example="127.0.0.1")) as using:
            failure = await using.failure("http://a.example/")
            assert failure.kind == Kind.PROXY
            assert "nowhere.example" in failure.detail

    run(main())


@LOOPS
@pytest.mark.parametrize(
    "said",
    [
        page(b"no", status=b"403 Forbidden"),
        page(b"no", status=b"502 Bad Gateway"),
        page(b"", b"Location: http://x.example/", status=b"302 Found"),
        b"nonsense",
        b"HTTP/1.1 2",
        b"",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000,
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
    ],
)
def test_a_proxy_that_leads_nowhere(trusting: FetchSettings, said: bytes, plain: bool) -> None:
    async def main() -> None:
        async with serve(saying(said, then="close")) as proxy, fetching(through(proxy.port, trusting)) as using:
            failure = await using.failure("https://a.example/")
            assert failure.kind == Kind.PROXY
            assert "the proxy" in failure.detail
            await until(lambda: not using.fetcher._asker._doors._connections)

    run(main(), plain)


@LOOPS
def test_a_proxy_that_says_nothing_takes_no_more_than_the_limit(plain: bool) -> None:
    async def main() -> None:
        for limits in (replace(SHORT, connect_seconds=0.05), replace(SHORT, first_byte_seconds=0.05)):
            settings = replace(HERE, limits=limits)
            async with serve(saying()) as proxy, fetching(through(proxy.port, settings)) as using:
                assert await using.kind("https://a.example/") == Kind.PROXY
                await until(lambda: not proxy.open)

    run(main(), plain)


@LOOPS
def test_a_server_at_the_end_of_the_way_that_says_nothing_takes_no_more_than_the_limit(plain: bool) -> None:
    async def main() -> None:
        settings = replace(HERE, limits=replace(SHORT, connect_seconds=0.1))
        async with serve(saying(ESTABLISHED)) as proxy, fetching(through(proxy.port, settings)) as using:
            assert await using.kind("https://a.example/") == Kind.PROXY
            await until(lambda: not proxy.open)
            await until(lambda: not using.fetcher._asker._doors._connections)

    run(main(), plain)


@LOOPS
def test_bytes_behind_the_way_are_nobodys(
    trusting: FetchSettings, plain: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        said = ESTABLISHED + page(b"/not-asked-for")
        async with serve(saying(said)) as proxy, fetching(through(proxy.port, trusting)) as using:
            assert await using.kind("https://a.example/") == Kind.PROXY

    run(main(), plain)
    assert caplog.text == ""


@pytest.mark.parametrize("line", [b"502 Bad Gateway", b"504 Gateway Timeout", b"403 Forbidden"])
def test_what_a_proxy_answers_in_place_of_a_server_is_an_answer(line: bytes) -> None:
    async def main() -> None:
        async with serve(answering(lambda _: page(status=line))) as proxy, fetching(through(proxy.port)) as using:
            assert (await using.answer("http://a.example/")).status == int(line[:3])

    run(main())


# -- the guard and pace ------------------------------------------------------------------------------------------------

STRICT = replace(HERE, allow_private=False)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "[64:ff9b::a00:1]", "localhost",
             "a.localhost", "0.0.0.0"]
)  # fmt: skip
def test_no_page_leads_a_proxy_to_a_private_address_that_can_be_told(host: str) -> None:
    async def main() -> None:
        async with serve(answering(lambda _: page())) as proxy, fetching(through(proxy.port, STRICT)) as using:
            for scheme in ("http", "https"):
                assert await using.kind(f"{scheme}://{host}/") == Kind.GUARDED
            assert proxy.connections == 0

    run(main())


def test_a_proxy_may_lie_in_a_private_network_and_private_seeds_are_meant() -> None:
    async def main() -> None:
        settings = replace(STRICT, private_hosts=("10.0.0.1",), resolve=("10.0.0.2:10.0.0.2",))
        async with serve(answering(lambda _: page())) as proxy, fetching(through(proxy.port, settings)) as using:
            for host in ("a.example", "8.8.8.8", "10.0.0.1", "10.0.0.2"):
                await using.answer(f"http://{host}/")
            assert await using.kind("http://10.0.0.3/") == Kind.GUARDED
            assert await using.fetcher.address("http://a.example/") == ""

    run(main())


def test_sites_behind_a_proxy_do_not_wait_for_each_other() -> None:
    async def main() -> None:
        arrived = 0
        everybody = asyncio.Event()

        async def script(client: Client) -> None:
            nonlocal arrived
            while await client.hear():
                arrived += 1
                if arrived == 3:
                    everybody.set()
                await everybody.wait()
                await client.say(page())

        async with serve(script) as proxy, fetching(through(proxy.port)) as using:
            await asyncio.gather(*(using.answer(f"http://{name}.example/") for name in "abc"))

    run(main())
