"""Limits: each one, reached from within and from beyond, and settings that are mistakes."""

from __future__ import annotations

import asyncio
import gzip
import select
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from fetch.certificates import ca_file
from fetch.servers import HERE, Client, answering, fetching, names, page, run, saying, serve, until, within
from halflife import __version__
from halflife.errors import SettingError, StoreError
from halflife.fetch import FetchSettings, Limits
from halflife.records import Answer, Kind

OK = b"HTTP/1.1 200 OK\r\n"


# -- time ----------------------------------------------------------------------------------------------------------------


@contextmanager
def crowded(host: str = "127.0.0.1") -> Iterator[int]:
    """The port of a server that never takes a connection in and has no room for more of them to wait."""
    with ExitStack() as stack:
        listening = stack.enter_context(socket.create_server((host, 0), backlog=0))
        for _ in range(20):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listening.getsockname())
            if not select.select([], [waiting], [], 0.02)[1]:
                break
        else:
            pytest.skip("not run: this system's queues have no end")
        yield listening.getsockname()[1]


@pytest.mark.parametrize("plain", [True, False], ids=["asyncio", "uvloop"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_connection_that_does_not_come_about(plain: bool, scheme: str) -> None:
    async def main() -> None:
        with crowded() as port:
            async with fetching(within(connect_seconds=0.05)) as using:
                failure = await using.failure(f"{scheme}://127.0.0.1:{port}/")
                assert failure.kind == Kind.CONNECT_TIMEOUT
                assert f"127.0.0.1:{port}" in failure.detail

    run(main(), plain)


def test_the_time_to_connect_is_shared_by_all_addresses_of_a_name() -> None:
    async def main() -> None:
        with crowded("127.0.0.1") as port:
            serving = serve(answering(lambda _: page()), host="127.0.0.2", port=port)
            look_up = names(a_example="127.0.0.1,127.0.0.2")
            async with serving as server, fetching(within(connect_seconds=0.5), look_up) as using:
                got = await using.get(server.url(host="a.example"))
                assert isinstance(got.outcome, Answer)
                assert got.address == "127.0.0.2"

    run(main())


def test_of_a_name_with_many_addresses_only_a_few_are_tried() -> None:
    async def main() -> None:
        many = ",".join(f"127.0.0.{number}" for number in range(2, 9))
        async with serve(answering(lambda _: page()), host="127.0.0.8") as server:
            async with fetching(look_up=names(a_example=many)) as using:
                assert await using.kind(server.url(host="a.example")) == Kind.REFUSED
            assert server.connections == 0

    run(main())


@pytest.mark.parametrize("plain", [True, False], ids=["asyncio", "uvloop"])
def test_a_first_byte_that_does_not_come(plain: bool) -> None:
    async def main() -> None:
        async with serve(saying()) as server, fetching(within(first_byte_seconds=0.05)) as using:
            failure = await using.failure(server.url())
            assert failure.kind == Kind.FIRST_BYTE_TIMEOUT
            assert "0.05 s" in failure.detail
            await until(lambda: not server.open)

    run(main(), plain)


def test_the_first_byte_is_late_when_the_whole_answer_would_be() -> None:
    async def main() -> None:
        async with serve(saying()) as server, fetching(within(answer_seconds=0.05)) as using:
            assert await using.kind(server.url()) == Kind.FIRST_BYTE_TIMEOUT

    run(main())


@pytest.mark.parametrize("said", [b"H", OK, OK + b"\r\n", OK + b"Content-Length: 9\r\n\r\nhal"])
@pytest.mark.parametrize("plain", [True, False], ids=["asyncio", "uvloop"])
def test_an_answer_that_does_not_end(said: bytes, plain: bool) -> None:
    async def main() -> None:
        async with (
            serve(saying(said)) as server,
            fetching(within(answer_seconds=0.15)) as using,
        ):
            got = await using.get(server.url())
            assert not isinstance(got.outcome, Answer)
            assert got.outcome.kind == Kind.ANSWER_TIMEOUT
            assert got.wire_bytes == len(said)
            await until(lambda: not server.open)

    run(main(), plain)


def test_an_answer_may_take_longer_than_its_first_byte() -> None:
    async def script(client: Client) -> None:
        while await client.hear():
            await client.say(OK + b"Content-Length: 5\r\n\r\nhal")
            await asyncio.sleep(0.25)
            await client.say(b"lo")

    async def main() -> None:
        async with serve(script) as server, fetching(within(first_byte_seconds=0.15)) as using:
            assert (await using.answer(server.url())).content == b"hallo"

    run(main())


def test_limits_begin_anew_with_each_request_of_a_connection() -> None:
    async def script(client: Client) -> None:
        while await client.hear():
            await asyncio.sleep(0.02)
            await client.say(page())

    async def main() -> None:
        limits = within(first_byte_seconds=0.4, answer_seconds=0.4)
        async with serve(script) as server, fetching(limits) as using:
            for _ in range(25):
                await using.answer(server.url())
            assert server.connections == 1

    run(main())


# -- size ----------------------------------------------------------------------------------------------------------------


def head(size: int) -> bytes:
    """An answer whose head has this size."""
    start = OK + b"Content-Length: 5\r\nX: "
    return start + b"y" * (size - len(start) - 4) + b"\r\n\r\nhello"


def in_chunks(body: bytes) -> bytes:
    return OK + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


def unending(body: bytes) -> bytes:
    return OK + b"Connection: close\r\n\r\n" + body


def packed(body: bytes) -> bytes:
    return page(gzip.compress(body), b"Content-Encoding: gzip")


async def outcome_of(answer: bytes, settings: FetchSettings) -> Kind | int:
    then = "close" if b"Connection: close" in answer else "wait"
    async with serve(saying(answer, then=then)) as server, fetching(settings) as using:
        outcome = (await using.get(server.url())).outcome
        return outcome.status if isinstance(outcome, Answer) else outcome.kind


@pytest.mark.parametrize(
    ("settings", "answer", "expected"),
    [
        (within(header_bytes_max=1000), head(1000), 200),
        (within(header_bytes_max=1000), head(1001), Kind.HEADERS_TOO_LARGE),
        (within(header_bytes_max=1000), b"HTTP/1.1 103 x\r\n\r\n" + head(983), Kind.HEADERS_TOO_LARGE),
        (within(wire_bytes_max=1000), page(b"x" * 1000), 200),
        (within(wire_bytes_max=1000), page(b"x" * 1001), Kind.BODY_TOO_LARGE),
        (within(wire_bytes_max=1000), unending(b"x" * 1000), 200),
        (within(wire_bytes_max=1000), unending(b"x" * 1001), Kind.BODY_TOO_LARGE),
        (within(wire_bytes_max=1000), in_chunks(b"x" * 980), 200),
        (within(wire_bytes_max=1000), in_chunks(b"x" * 1000), Kind.BODY_TOO_LARGE),  # as sent: framing counts
        (within(decoded_bytes_max=1000), packed(b"x" * 1000), 200),
        (within(decoded_bytes_max=1000), packed(b"x" * 1001), Kind.DECODED_TOO_LARGE),
        (within(decoded_bytes_max=1000), page(b"x" * 1001), 200),  # not packed: the other limit holds
    ],
)
def test_sizes_from_within_and_from_beyond(settings: FetchSettings, answer: bytes, expected: Kind | int) -> None:
    assert run(outcome_of(answer, settings)) == expected


def test_a_length_that_is_too_large_is_not_waited_for() -> None:
    async def main() -> None:
        said = OK + b"Content-Length: 999999999999999999\r\n\r\n"
        async with serve(saying(said)) as server, fetching() as using:
            failure = await using.failure(server.url())
            assert failure.kind == Kind.BODY_TOO_LARGE
            assert "999999999999999999" in failure.detail

    run(main())


@pytest.mark.parametrize("limit", ["header_bytes_max", "wire_bytes_max", "decoded_bytes_max"])
def test_one_page_over_a_limit_is_one_page(limit: str, tmp_path: Path) -> None:
    async def main() -> set[str]:
        answers = {"/big": head(3000).replace(b": 5", b": 2005") + b"x" * 2000, "/small": page()}
        answers["/packed"] = packed(b"x" * 5000)
        settings = replace(within(memory_bytes_max=100, **{limit: 1000}), spool_folder=str(tmp_path))
        async with serve(answering(lambda heard: answers[heard.path])) as server, fetching(settings) as using:
            got = [(await using.get(server.url(path))).outcome for path in ("/big", "/packed", "/small")]
            assert not all(isinstance(one, Answer) for one in got[:2])
            assert isinstance(got[2], Answer)
            spools = {one.spool for one in got if isinstance(one, Answer) and one.spool}
            return spools

    spools = run(main())
    assert {str(path) for path in tmp_path.iterdir()} == spools  # nothing of what failed


@pytest.mark.parametrize("then", ["wait", "close"])
def test_a_disk_that_takes_no_more_is_the_users_business(then: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    said = OK + (b"Content-Length: 9000\r\n\r\n" if then == "wait" else b"\r\n") + b"x" * 9000

    async def main() -> None:
        settings = replace(within(memory_bytes_max=100), spool_folder=str(tmp_path / "file"))
        async with serve(saying(said, then=then)) as server, fetching(settings) as using:
            with pytest.raises(StoreError, match="no room"):
                await using.get(server.url())
            await until(lambda: not server.open)

    run(main())


# -- settings ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "option"),
    [
        (lambda: replace(HERE, connections_per_host=0), "--per-host"),
        (lambda: replace(HERE, delay_seconds=-1.0), "--delay"),
        (lambda: replace(HERE, delay_seconds=float("nan")), "--delay"),
        (lambda: replace(HERE, delay_seconds=float("inf")), "--delay"),
        (lambda: replace(HERE, delay_seconds=86_401.0), "--delay"),
        (lambda: within(connect_seconds=0.0), "--connect-timeout"),
        (lambda: within(first_byte_seconds=-1.0), "--first-byte-timeout"),
        (lambda: within(answer_seconds=float("inf")), "--answer-timeout"),
        (lambda: within(header_bytes_max=99), "--header-bytes"),
        (lambda: within(wire_bytes_max=0), "--page-bytes"),
        (lambda: within(decoded_bytes_max=0), "--unpacked-bytes"),
        (lambda: within(redirects_max=-1), "--redirects"),
        (lambda: replace(HERE, contact="a\nb"), "--contact"),
        (lambda: replace(HERE, contact="x" * 201), "--contact"),
        (lambda: replace(HERE, contact="ü"), "--contact"),
        (lambda: replace(HERE, user_agent="bot\r\nX: y"), "--user-agent"),
        (lambda: replace(HERE, user_agent="4bot"), "--user-agent"),
        (lambda: replace(HERE, headers=(("X Y", "z"),)), "--header"),
        (lambda: replace(HERE, headers=(("", "z"),)), "--header"),
        (lambda: replace(HERE, headers=(("X", "y\r\nZ: z"),)), "--header"),
        (lambda: replace(HERE, headers=(("X", "y\0"),)), "--header"),
        (lambda: replace(HERE, headers=(("Host", "x"),)), "--header"),
        (lambda: replace(HERE, headers=(("Content-Length", "1"),)), "--header"),
        (lambda: replace(HERE, headers=(("User-Agent", "x"),)), "--user-agent"),
        (lambda: replace(HERE, headers=(("X", "y"),) * 51), "--header"),
        (lambda: replace(HERE, ca_file="/no/such/file"), "--ca-file"),
        (lambda: replace(HERE, ca_file=__file__), "--ca-file"),
        (lambda: replace(HERE, resolve=("x",)), "--resolve"),
        (lambda: replace(HERE, proxy="x"), "--proxy"),
    ],
)
def test_a_mistake_is_told_by_its_option(wrong: Callable[[], FetchSettings], option: str) -> None:
    with pytest.raises(SettingError) as raised:
        wrong().checked()
    assert option in str(raised.value)
    assert "\n" not in str(raised.value)


def test_settings_that_are_right(tmp_path: Path) -> None:
    for settings in (
        FetchSettings(),
        FetchSettings(limits=Limits(redirects_max=0, wait_seconds_max=0.0, memory_bytes_max=0)),
        FetchSettings(delay_seconds=86_400.0, connections_per_host=8, contact="https://example.org/bot"),
        FetchSettings(headers=(("Accept-Language", "de;q=1"), ("Cookie", "\x80=\xff"))),
        FetchSettings(ca_file=ca_file(tmp_path), proxy="http://a:b@[::1]:1", resolve=("a.example:127.0.0.1",)),
    ):
        assert settings.checked() is settings


@pytest.mark.parametrize(
    ("user_agent", "contact", "agent", "token"),
    [
        ("", "", f"halflife/{__version__} (web crawler)", "halflife"),
        ("", "a@b.example", f"halflife/{__version__} (+a@b.example)", "halflife"),
        ("ExampleBot/1.0", "", "ExampleBot/1.0", "examplebot"),
        ("ExampleBot/1.0", "a@b.example", "ExampleBot/1.0 (+a@b.example)", "examplebot"),
        ("Mozilla/5.0 (compatible; Example_Bot-x/1)", "", "Mozilla/5.0 (compatible; Example_Bot-x/1)", "example_bot-x"),
        ("Mozilla/5.0 (X11)", "", "Mozilla/5.0 (X11)", "mozilla"),
    ],
)
def test_the_name_we_go_by(user_agent: str, contact: str, agent: str, token: str) -> None:
    settings = FetchSettings(user_agent=user_agent, contact=contact).checked()
    assert (settings.agent(), settings.agent_token()) == (agent, token)
