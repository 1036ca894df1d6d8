"""TLS: who is believed, what is said before a word is, and connections that are kept behind it."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
import trustme
from msgspec.structs import replace

from fetch.certificates import ca_file, certified
from fetch.servers import (
    HERE,
    SHORT,
    Client,
    Heard,
    answering,
    fetching,
    names,
    page,
    run,
    saying,
    serve,
    until,
)
from halflife.fetch import FetchSettings, doors
from halflife.records import Answer, Failure, Kind

LOOPS = pytest.mark.parametrize("plain", [True, False], ids=["asyncio", "uvloop"])
NAMES = names(a_example="127.0.0.1", b_example="127.0.0.1")


@pytest.fixture
def trusting(tmp_path: Path) -> FetchSettings:
    """Settings that trust the tests' authority."""
    return replace(HERE, ca_file=ca_file(tmp_path)).checked()


# -- who is believed -----------------------------------------------------------------------------------------------------


@LOOPS
def test_a_good_certificate_is_believed(trusting: FetchSettings, plain: bool) -> None:
    async def main() -> None:
        async with (
            serve(answering(lambda _: page())) as nobody,
            serve(answering(lambda _: page()), tls=certified("a.example")) as server,
            fetching(trusting, NAMES) as using,
        ):
            got = await using.get(server.url("/x", host="a.example", scheme="https"))
            assert isinstance(got.outcome, Answer)
            assert got.outcome.content == b"hello"
            assert got.address == "127.0.0.1"
            assert got.wire_bytes == len(page())
            assert server.heard[0].header("host") == f"a.example:{server.port}"
            assert nobody.connections == 0

    run(main(), plain)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]"])
def test_a_certificate_for_an_address_is_believed_for_it(trusting: FetchSettings, host: str) -> None:
    async def main() -> None:
        for named, believed in ((host.strip("[]"), True), ("127.0.0.9", False), ("a.example", False)):
            serving = serve(answering(lambda _: page()), host=host.strip("[]"), tls=certified(named))
            async with serving as server, fetching(trusting) as using:
                got = await using.get(server.url(host=host, scheme="https"))
                assert isinstance(got.outcome, Answer) == believed

    try:
        run(main())
    except OSError as error:  # pragma: no cover - a machine without IPv6
        pytest.skip(f"not run: {error}")


def other_authority() -> ssl.SSLContext:
    return certified("a.example", by=trustme.CA())


def self_signed() -> ssl.SSLContext:
    """An authority that vouches for itself."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    mine = trustme.CA()
    mine.issue_cert("a.example").configure_cert(context)
    pem = mine.private_key_pem.bytes() + mine.cert_pem.bytes()
    with trustme.Blob(pem).tempfile() as path:
        context.load_cert_chain(path)
    return context


DOUBTFUL: list[tuple[Callable[[], ssl.SSLContext], str]] = [
    (other_authority, "issuer"),
    (self_signed, "self"),
    (lambda: certified("b.example"), "mismatch"),
    (lambda: certified("*.a.example"), "mismatch"),
    (lambda: certified("example"), "mismatch"),
    (lambda: certified("127.0.0.1"), "mismatch"),
    (lambda: certified("a.example", begins_days=-3, ends_days=-1), "expired"),
    (lambda: certified("a.example", begins_days=1, ends_days=3), "not yet valid"),
]


@LOOPS
@pytest.mark.parametrize(("made", "reason"), DOUBTFUL)
def test_a_doubtful_certificate_is_not_believed(
    trusting: FetchSettings, made: Callable[[], ssl.SSLContext], reason: str, plain: bool
) -> None:
    async def main() -> None:
        async with (
            serve(answering(lambda _: page()), tls=made()) as server,
            fetching(trusting, NAMES) as using,
        ):
            failure = await using.failure(server.url(host="a.example", scheme="https"))
            assert failure.kind == Kind.TLS
            assert reason in failure.detail
            assert server.heard == []

    run(main(), plain)


@pytest.mark.parametrize(("made", "reason"), DOUBTFUL)
def test_who_asks_not_to_be_protected_is_not(made: Callable[[], ssl.SSLContext], reason: str) -> None:
    async def main() -> None:
        settings = replace(HERE, tls_verify=False)
        async with serve(answering(lambda _: page()), tls=made()) as server, fetching(settings, NAMES) as using:
            assert (await using.answer(server.url(host="a.example", scheme="https"))).content == b"hello"

    run(main())


def test_an_authority_that_nobody_named_is_not_believed() -> None:
    async def main() -> None:
        async with (
            serve(answering(lambda _: page()), tls=certified("a.example")) as server,
            fetching(HERE, NAMES) as using,
        ):
            assert await using.kind(server.url(host="a.example", scheme="https")) == Kind.TLS

    run(main())


def test_who_is_not_believed_at_one_address_is_not_asked_at_the_next(trusting: FetchSettings) -> None:
    async def main() -> None:
        async with (
            serve(answering(lambda _: page()), tls=certified("b.example")) as behind,
            serve(Flight(behind.port, 100_000), host="0.0.0.0") as server,
            fetching(trusting, names(a_example="127.0.0.1,127.0.0.2,127.0.0.3")) as using,
        ):
            assert await using.kind(server.url(host="a.example", scheme="https")) == Kind.TLS
            assert server.connections == 1

    run(main())


# -- before a word is said ---------------------------------------------------------------------------------------------


def test_the_server_is_told_which_name_is_meant(trusting: FetchSettings) -> None:
    async def main() -> None:
        asked_for: list[str | None] = []
        contexts = {name: certified(name) for name in ("a.example", "b.example", "xn--bcher-kva.example")}

        def choose(tls: ssl.SSLSocket | ssl.SSLObject, name: str | None, _: ssl.SSLContext) -> None:
            asked_for.append(name)
            if name in contexts:
                tls.context = contexts[name]

        context = certified("127.0.0.1")
        context.sni_callback = choose
        look_up = names(**{"a_example": "127.0.0.1", "b_example": "127.0.0.1", "xn--bcher-kva_example": "127.0.0.1"})
        async with (
            serve(answering(lambda _: page()), tls=context) as server,
            fetching(trusting, look_up) as using,
        ):
            for host in (*contexts, "127.0.0.1"):
                await using.answer(server.url(host=host, scheme="https"))
            assert asked_for == [*contexts, None]  # an address is no name: RFC 6066

    run(main())


def test_only_http_1_1_is_offered(trusting: FetchSettings) -> None:
    async def main() -> None:
        spoken: list[str | None] = []

        async def script(client: Client) -> None:
            spoken.append(client.writer.get_extra_info("ssl_object").selected_alpn_protocol())
            await answering(lambda _: page())(client)

        context = certified("a.example")
        context.set_alpn_protocols(["h2", "http/1.1"])
        async with serve(script, tls=context) as server, fetching(trusting, NAMES) as using:
            await using.answer(server.url(host="a.example", scheme="https"))
            assert spoken == ["http/1.1"]

    run(main())


@LOOPS
def test_what_is_no_tls(trusting: FetchSettings, plain: bool) -> None:
    async def speaking_http(client: Client) -> None:
        await client.reader.read(100)
        await client.say(page())

    async def hanging_up(client: Client) -> None:
        await client.reader.read(100)
        client.reset()

    async def saying_goodbye(client: Client) -> None:
        await client.reader.read(100_000)

    async def main() -> None:
        for script in (speaking_http, hanging_up, saying_goodbye):
            async with serve(script) as server, fetching(trusting) as using:
                assert await using.kind(server.url(scheme="https")) == Kind.TLS
                assert server.connections == 1

    run(main(), plain)


@LOOPS
def test_a_server_that_never_shakes_hands_takes_no_more_than_the_limit(plain: bool) -> None:
    async def script(client: Client) -> None:
        await client.reader.read(100)
        await client.reader.read()

    async def main() -> None:
        settings = replace(HERE, limits=replace(SHORT, connect_seconds=0.05))
        async with serve(script) as server, fetching(settings) as using:
            assert await using.kind(server.url(scheme="https")) == Kind.CONNECT_TIMEOUT
            await until(lambda: not server.open)

    run(main(), plain)


class Flight:
    """A server whose TLS is cut after so many bytes."""

    def __init__(self, port: int, bytes_max: int) -> None:
        self._port, self._left = port, bytes_max

    async def __call__(self, client: Client) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)

        async def upstream() -> None:
            while data := await client.reader.read(10_000):
                writer.write(data)

        passing = asyncio.ensure_future(upstream())
        with closing(writer):
            while self._left and (data := await reader.read(self._left)):
                self._left -= len(data)
                await client.say(data)
            passing.cancel()
            await asyncio.wait([passing])


@LOOPS
def test_a_handshake_that_is_cut_anywhere_is_a_value(trusting: FetchSettings, plain: bool) -> None:
    async def main() -> None:
        context = certified("a.example")
        async with serve(answering(lambda _: page()), tls=context) as behind, fetching(trusting, NAMES) as using:
            outcomes: list[Kind | None] = []
            for bytes_max in (*range(0, 1400, 61), 100_000):
                async with serve(Flight(behind.port, bytes_max)) as server:
                    outcome = (await using.get(server.url(host="a.example", scheme="https"))).outcome
                    outcomes.append(outcome.kind if isinstance(outcome, Failure) else None)
            assert set(outcomes[:5]) == {Kind.TLS}
            assert set(outcomes[5:-1]) <= {Kind.TLS, Kind.DROPPED, None}
            assert outcomes[-1] is None

    run(main(), plain)


# -- behind it ---------------------------------------------------------------------------------------------------------


@LOOPS
def test_a_connection_is_used_again_also_behind_tls(trusting: FetchSettings, plain: bool) -> None:
    async def main() -> None:
        def answer(heard: Heard) -> bytes:
            return page(heard.path.encode() * 50_000)

        async with (
            serve(answering(answer), tls=certified("a.example")) as server,
            fetching(trusting, NAMES) as using,
        ):
            for number in range(4):
                got = await using.answer(server.url(f"/{number}", host="a.example", scheme="https"))
                assert got.content == b"/%d" % number * 50_000
            assert server.connections == 1

    run(main(), plain)


def test_names_on_one_server_do_not_share_a_connection(trusting: FetchSettings) -> None:
    async def main() -> None:
        async with (
            serve(answering(lambda _: page()), tls=certified("a.example", "b.example")) as server,
            fetching(trusting, NAMES) as using,
        ):
            for host in ("a.example", "b.example", "a.example"):
                await using.answer(server.url(host=host, scheme="https"))
            assert [heard.connection for heard in server.heard] == [1, 2, 1]

    run(main())


def test_a_connection_without_tls_is_not_used_for_one_with_it(trusting: FetchSettings) -> None:
    async def script(client: Client) -> None:
        if client.number == 1:
            await answering(lambda _: page())(client)
        await client.reader.read(100)
        await client.say(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    async def main() -> None:
        async with serve(script) as server, fetching(trusting) as using:
            await using.answer(server.url())
            assert await using.kind(server.url(scheme="https")) == Kind.TLS
            assert server.connections == 2
            assert server.paths == ["/"]

    run(main())


@pytest.mark.parametrize("has_been_read", [True, False])
@LOOPS
def test_what_comes_unasked_ends_a_connection_also_behind_tls(
    trusting: FetchSettings, plain: bool, has_been_read: bool
) -> None:
    clients: list[Client] = []

    async def script(client: Client) -> None:
        clients.append(client)
        await answering(lambda heard: page(heard.path.encode()))(client)

    async def main() -> None:
        async with serve(script, tls=certified("a.example")) as server, fetching(trusting, NAMES) as using:
            for path in ("/a", "/b", "/c"):
                got = await using.answer(server.url(path, host="a.example", scheme="https"))
                assert got.content == path.encode()
                clients[-1].writer.write(page(b"/not-asked-for"))
                if has_been_read:
                    await until(lambda: not server.open)
                else:
                    using.wait_for_bytes()
            assert server.connections == 3

    run(main(), plain)


@LOOPS
@pytest.mark.parametrize("goodbye", ["close", "reset"])
def test_a_kept_connection_that_was_closed_is_replaced_also_behind_tls(
    trusting: FetchSettings, plain: bool, goodbye: str
) -> None:
    async def main() -> None:
        context = certified("a.example")
        async with serve(saying(page(), then=goodbye), tls=context) as server, fetching(trusting, NAMES) as using:
            url = server.url(host="a.example", scheme="https")
            if goodbye == "close":
                for _ in range(3):
                    await using.answer(url)
                assert server.connections == 3
            else:  # a reset may take the answer along
                for _ in range(3):
                    got = await using.get(url)
                    assert isinstance(got.outcome, Answer) or got.outcome.kind == Kind.DROPPED

    run(main(), plain)


@LOOPS
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhal", Kind.DROPPED),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel", Kind.DROPPED),
        (b"HTTP/1.1 200", Kind.DROPPED),
        (b"", Kind.DROPPED),
        (b"nonsense\r\n", Kind.BAD_HTTP),
        (b"HTTP/1.1 200 OK\r\n\r\nhello", None),
    ],
)
def test_answers_that_end_early_behind_tls(
    trusting: FetchSettings, plain: bool, said: bytes, expected: Kind | None
) -> None:
    async def main() -> None:
        context = certified("a.example")
        async with serve(saying(said, then="close"), tls=context) as server, fetching(trusting, NAMES) as using:
            outcome = (await using.get(server.url(host="a.example", scheme="https"))).outcome
            if expected is None:
                assert isinstance(outcome, Answer)
                assert outcome.content == b"hello"
            else:
                assert not isinstance(outcome, Answer)
                assert outcome.kind == expected

    run(main(), plain)


# -- kept, but not for ever --------------------------------------------------------------------------------------------

ANYWHERE = replace(HERE, resolve=("*:127.0.0.1",))


def test_a_connection_that_nobody_wants_any_more_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "SWEEP_SECONDS", 0.02)
    monkeypatch.setattr(doors, "IDLE_SECONDS_MAX", 0.05)

    async def main() -> None:
        async with serve(answering(lambda _: page())) as server, fetching(ANYWHERE) as using:
            for host in ("a.example", "b.example"):
                await using.answer(server.url(host=host))
            await until(lambda: not server.open)
            await using.answer(server.url(host="a.example"))
            assert server.connections == 3

    run(main())


def test_of_all_idle_connections_the_longest_idle_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "IDLE_MAX", 3)

    async def main() -> None:
        async with serve(answering(lambda _: page())) as server, fetching(ANYWHERE) as using:
            for host in "abcda":
                await using.answer(server.url(host=f"{host}.example"))
                await until(lambda: server.open <= 3)
            assert [heard.connection for heard in server.heard] == [1, 2, 3, 4, 5]
            for host in "dca":
                await using.answer(server.url(host=f"{host}.example"))
            assert [heard.connection for heard in server.heard[5:]] == [4, 3, 5]

    run(main())
