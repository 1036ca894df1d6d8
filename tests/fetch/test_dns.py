"""Names and addresses: the user's word, the order of several addresses, what is remembered, and real name servers."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import aiodns
import pytest

from fetch.servers import run, until
from halflife.errors import SettingError
from halflife.fetch import dns
from halflife.fetch.dns import Addresses, LookUp, Names, NameServers, Overrides
from halflife.records import Failure, Kind

# -- the user's word ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "host", "port", "expected"),
    [
        ("example.org:127.0.0.1", "example.org", 80, ("127.0.0.1",)),
        ("example.org:127.0.0.1", "example.org", 8080, ("127.0.0.1",)),
        ("example.org:127.0.0.1", "www.example.org", 80, ()),
        ("example.org:443:127.0.0.1", "example.org", 443, ("127.0.0.1",)),
        ("example.org:443:127.0.0.1", "example.org", 80, ()),
        ("EXAMPLE.org:127.0.0.1", "example.org", 80, ("127.0.0.1",)),
        ("example.org.:127.0.0.1", "example.org", 80, ("127.0.0.1",)),
        ("bücher.example:127.0.0.1", "xn--bcher-kva.example", 80, ("127.0.0.1",)),
        ("example.org:::1", "example.org", 80, ("::1",)),
        ("example.org:[::1]", "example.org", 80, ("::1",)),
        ("example.org:80:::1", "example.org", 80, ("::1",)),
        ("example.org:80:[::1]", "example.org", 80, ("::1",)),
        ("example.org:80:127.0.0.2,[::1], 127.0.0.1", "example.org", 80, ("127.0.0.2", "::1", "127.0.0.1")),
        ("*:127.0.0.1", "any.example", 80, ("127.0.0.1",)),
        ("*:80:127.0.0.1", "any.example", 80, ("127.0.0.1",)),
        ("*:80:127.0.0.1", "any.example", 443, ()),
        ("192.0.2.1:127.0.0.1", "192.0.2.1", 80, ("127.0.0.1",)),
        ("[2001:db8::1]:127.0.0.1", "2001:db8::1", 80, ("127.0.0.1",)),
        ("[2001:db8::1]:80:::1", "2001:db8::1", 80, ("::1",)),
    ],
)
def test_addresses_that_the_user_gives(text: str, host: str, port: int, expected: Addresses) -> None:
    assert Overrides((text,)).of(host, port) == expected


def test_the_closest_word_counts_and_of_equal_ones_the_last() -> None:
    given = Overrides(
        ("*:10.0.0.1", "*:80:10.0.0.2", "a.example:10.0.0.3", "a.example:80:10.0.0.4", "a.example:10.0.0.5")
    )
    assert given.of("a.example", 80) == ("10.0.0.4",)
    assert given.of("a.example", 81) == ("10.0.0.5",)
    assert given.of("b.example", 80) == ("10.0.0.2",)
    assert given.of("b.example", 81) == ("10.0.0.1",)


@pytest.mark.parametrize(
    "text",
    [
        "", ":", "example.org", "example.org:", ":127.0.0.1", "example.org:80", "example.org:80:", "example.org:0:127.0.0.1",
        "example.org:65536:127.0.0.1", "example.org:9999999999:127.0.0.1", "example.org:localhost",
        "example.org:127.0.0.1,", "example.org:127.0.0.1,x", "example.org:fe80::1%eth0", "a b:127.0.0.1",
        "[::1:127.0.0.1", "[::g]:127.0.0.1", "example.org:٣:127.0.0.1", "a/b:127.0.0.1", "a@b:127.0.0.1",
        "a?b:127.0.0.1", "a#b:127.0.0.1", "a\\b:127.0.0.1",
    ],
)  # fmt: skip
def test_what_is_no_word_is_a_mistake_that_names_the_option(text: str) -> None:
    with pytest.raises(SettingError, match=r"^--resolve .*HOST:ADDR"):
        Overrides((text,))


# -- looked up and remembered ------------------------------------------------------------------------------------------

NOTHING = Overrides(())


class Asked:
    """A look-up that writes down what it is asked, and what it says in the end."""

    def __init__(self, *answers: tuple[Addresses, float] | Exception) -> None:
        self.names: list[str] = []
        self._answers = list(answers)

    async def __call__(self, host: str) -> tuple[Addresses, float]:
        self.names.append(host)
        await asyncio.sleep(0)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


@asynccontextmanager
async def resolving(
    look_up: LookUp | None, overrides: Overrides = NOTHING, seconds: float = 5.0
) -> AsyncIterator[Names]:
    names = Names(overrides, seconds, look_up)
    try:
        yield names
    finally:
        await names.close()


def test_ipv4_comes_first_and_all_workers_ask_the_same_machine() -> None:
    async def main() -> None:
        asked = Asked((("::2", "10.0.0.2", "::1", "10.0.0.1", "10.0.0.2"), 60.0))
        async with resolving(asked) as names:
            assert await names.addresses("a.example", 80) == ("10.0.0.1", "10.0.0.2", "::1", "::2")

    run(main())


def test_what_need_not_be_looked_up() -> None:
    async def main() -> None:
        asked = Asked(OSError("asked for nothing"))
        async with resolving(asked, Overrides(("a.example:10.0.0.2,10.0.0.1", "10.0.0.9:::1"))) as names:
            assert await names.addresses("a.example", 80) == ("10.0.0.2", "10.0.0.1")  # in the user's order
            assert await names.addresses("10.0.0.8", 80) == ("10.0.0.8",)
            assert await names.addresses("10.0.0.9", 80) == ("::1",)
            assert await names.addresses("::1", 80) == ("::1",)
            assert asked.names == []

    run(main())


def test_a_name_is_looked_up_once_however_many_ask() -> None:
    async def main() -> None:
        asked = Asked((("10.0.0.1",), 0.0))
        async with resolving(asked) as names:
            for _ in range(2):
                got = await asyncio.gather(*(names.addresses("a.example", port) for port in range(1, 20)))
                assert set(got) == {("10.0.0.1",)}
            assert asked.names == ["a.example"]

    run(main())


@pytest.mark.parametrize(
    ("error", "detail"),
    [
        (socket.gaierror(socket.EAI_NONAME, "what the system says"), "a.example: the name does not resolve"),
        (socket.gaierror(socket.EAI_FAIL, "out of order"), "a.example: out of order"),
        (OSError("no network"), "a.example: no network"),
        (UnicodeError("label too long"), "a.example: no name that can be looked up"),
        (TimeoutError(), "no name server answered for a.example"),
    ],
)
def test_a_name_that_did_not_resolve_is_not_asked_for_again_at_once(error: Exception, detail: str) -> None:
    async def main() -> None:
        asked = Asked(error)
        async with resolving(asked) as names:
            for _ in range(3):
                assert await names.addresses("a.example", 80) == Failure(Kind.DNS, detail)
            assert asked.names == ["a.example"]

    run(main())


def test_a_name_without_any_address() -> None:
    async def main() -> None:
        async with resolving(Asked(((), 60.0))) as names:
            assert await names.addresses("a.example", 80) == Failure(Kind.DNS, "a.example has no address")

    run(main())


def test_nobody_waits_longer_for_a_name_than_the_limit() -> None:
    async def hanging(host: str) -> tuple[Addresses, float]:
        await asyncio.Event().wait()
        raise AssertionError

    async def main() -> None:
        async with resolving(hanging, seconds=0.01) as names:
            expected = Failure(Kind.DNS, "no name server answered for a.example")
            assert await names.addresses("a.example", 80) == expected

    run(main())


def test_who_goes_away_does_not_take_the_answer_along() -> None:
    async def main() -> None:
        go_on = asyncio.Event()

        async def slow(host: str) -> tuple[Addresses, float]:
            await go_on.wait()
            return ("10.0.0.1",), 0.0

        async with resolving(slow) as names:
            first, second = (asyncio.ensure_future(names.addresses("a.example", 80)) for _ in range(2))
            await asyncio.sleep(0)
            first.cancel()
            go_on.set()
            assert await second == ("10.0.0.1",)
            assert first.cancelled()

    run(main())


def test_an_answer_holds_as_long_as_it_says_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    async def look_ups(ttl_seconds: float) -> int:
        asked = Asked((("10.0.0.1",), ttl_seconds))
        async with resolving(asked) as names:
            for _ in range(3):
                await names.addresses("a.example", 80)
        return len(asked.names)

    assert run(look_ups(0.0)) == 1  # a minute at the least
    monkeypatch.setattr(dns, "TTL_SECONDS_MIN", 0.0)
    assert run(look_ups(0.0)) == 3
    assert run(look_ups(1000.0)) == 1
    monkeypatch.setattr(dns, "TTL_SECONDS_MAX", 0.0)
    assert run(look_ups(1000.0)) == 3


def test_only_so_many_names_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dns, "NAMES_REMEMBERED", 3)

    async def main() -> None:
        asked = Asked((("10.0.0.1",), 60.0))
        async with resolving(asked) as names:
            for name in "abcd":
                await names.addresses(name, 80)
            await names.addresses("d", 80)
            await names.addresses("a", 80)
            assert asked.names == ["a", "b", "c", "d", "a"]

    run(main())


def test_the_address_that_answered_is_tried_first_while_its_name_is_remembered() -> None:
    async def main() -> None:
        async with resolving(Asked((("10.0.0.1", "10.0.0.2", "::1"), 60.0))) as names:
            await names.addresses("a.example", 80)
            for address in ("::1", "::1", "10.0.0.9"):
                names.prefer("a.example", address)
            names.prefer("b.example", "::1")
            assert await names.addresses("a.example", 80) == ("::1", "10.0.0.1", "10.0.0.2")
        async with resolving(Asked(OSError("no"))) as names:
            before = await names.addresses("a.example", 80)
            names.prefer("a.example", "::1")
            assert await names.addresses("a.example", 80) == before

    run(main())


def test_closing_ends_every_look_up() -> None:
    async def main() -> None:
        started = asyncio.Event()

        async def hanging(host: str) -> tuple[Addresses, float]:
            started.set()
            await asyncio.Event().wait()
            raise AssertionError

        names = Names(NOTHING, 60.0, hanging)
        task = asyncio.ensure_future(names.addresses("a.example", 80))
        await started.wait()
        await names.close()
        await asyncio.wait([task])
        assert task.cancelled()

    run(main())


# -- name servers ------------------------------------------------------------------------------------------------------

A, AAAA = 1, 28
NO_ERROR, SERVER_FAILED, NO_SUCH_NAME, REFUSED = 0, 2, 3, 5


class NameServer(asyncio.DatagramProtocol):
    """A name server for a handful of names; the others do not exist."""

    def __init__(self, zone: dict[str, list[str]], code: int = NO_SUCH_NAME, silent: bool = False) -> None:
        self.asked: list[str] = []
        self._zone, self._code, self._silent = zone, code, silent

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        labels, at = [], 12
        while size := data[at]:
            labels.append(data[at + 1 : at + 1 + size].decode())
            at += 1 + size
        name = ".".join(labels).lower()
        (kind,) = struct.unpack_from("!H", data, at + 1)
        self.asked.append(name)
        if self._silent:
            return
        wanted = socket.AF_INET if kind == A else socket.AF_INET6
        found = [address for address in self._zone.get(name, []) if (":" in address) == (kind == AAAA)]
        records = b""
        for address in found:
            packed = socket.inet_pton(wanted, address)
            records += b"\xc0\x0c" + struct.pack("!HHIH", kind, 1, 300, len(packed)) + packed
        code = NO_ERROR if name in self._zone else self._code
        head = data[:2] + struct.pack("!HHHHH", 0x8180 | code, 1, len(found), 0, 0)
        self._transport.sendto(head + data[12 : at + 5] + records, addr)


@asynccontextmanager
async def name_server(server: NameServer) -> AsyncIterator[NameServers]:
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(lambda: server, ("127.0.0.1", 0))
    asking = NameServers((f"127.0.0.1:{transport.get_extra_info('sockname')[1]}",))
    try:
        yield asking
    finally:
        await asking.close()
        transport.close()


@pytest.mark.parametrize("plain", [True, False], ids=["asyncio", "uvloop"])
def test_a_name_server_is_asked_for_both_kinds_of_addresses(plain: bool) -> None:
    async def main() -> None:
        server = NameServer({"both.example": ["192.0.2.2", "192.0.2.1", "2001:db8::1"], "six.example": ["2001:db8::2"]})
        async with name_server(server) as servers, resolving(servers.look_up) as names:
            assert await names.addresses("both.example", 80) == ("192.0.2.1", "192.0.2.2", "2001:db8::1")
            assert await names.addresses("six.example", 80) == ("2001:db8::2",)
            addresses, ttl_seconds = await servers.look_up("both.example")
            assert len(addresses) == 3
            assert 0 < ttl_seconds <= 300

    run(main(), plain)


def test_a_name_on_a_page_is_never_the_beginning_of_one_of_ours() -> None:
    async def main() -> None:
        server = NameServer({})
        async with name_server(server) as servers, resolving(servers.look_up) as names:
            got = await names.addresses("nobody.example", 80)
            assert got == Failure(Kind.DNS, "nobody.example: the name does not resolve")
            assert set(server.asked) == {"nobody.example"}

    run(main())


@pytest.mark.parametrize("code", [SERVER_FAILED, REFUSED])
def test_name_servers_that_are_out_of_order(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dns, "TRIES", 1)

    async def main() -> None:
        async with name_server(NameServer({}, code)) as servers, resolving(servers.look_up) as names:
            got = await names.addresses("a.example", 80)
            assert isinstance(got, Failure)
            assert got.kind == Kind.DNS
            assert "does not resolve" not in got.detail

    run(main())


def test_name_servers_that_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dns, "TRY_SECONDS", 0.05)
    monkeypatch.setattr(dns, "TRIES", 1)

    async def main() -> None:
        server = NameServer({}, silent=True)
        async with name_server(server) as servers, resolving(servers.look_up) as names:
            expected = Failure(Kind.DNS, "no name server answered for a.example")
            assert await names.addresses("a.example", 80) == expected
            assert server.asked

    run(main())


def test_the_hosts_file_comes_before_the_name_servers() -> None:
    async def main() -> None:
        server = NameServer({"localhost": ["192.0.2.1"]})
        async with name_server(server) as servers:
            addresses, _ = await servers.look_up("localhost")
            assert set(addresses) <= {"127.0.0.1", "::1"}
            assert server.asked == []

    run(main())


def test_a_name_without_a_dot_may_be_known_to_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async def system(host: str) -> Addresses:
        asked.append(host)
        return ("10.0.0.1",)

    monkeypatch.setattr(dns, "_ask_system", system)  # the machine's own habits are no test's business

    async def main() -> None:
        async with name_server(NameServer({})) as servers:
            assert await servers.look_up("printer") == (("10.0.0.1",), 60.0)
            with pytest.raises(socket.gaierror):
                await servers.look_up("printer.example")
            assert asked == ["printer"]

    run(main())


def test_without_a_resolver_of_our_own_the_system_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise RuntimeError("no threads here")

    monkeypatch.setattr(aiodns, "DNSResolver", failing)

    async def main() -> None:
        async with resolving(None) as names:
            for _ in range(2):
                got = await names.addresses("localhost", 80)
                assert not isinstance(got, Failure)
                assert set(got) <= {"127.0.0.1", "::1"}

    run(main())


def test_many_questions_at_once() -> None:
    async def main() -> None:
        zone = {f"h{number}.example": [f"192.0.2.{number}"] for number in range(100)}
        async with name_server(NameServer(zone)) as servers, resolving(servers.look_up) as names:
            got = await asyncio.gather(*(names.addresses(name, 80) for name in zone))
            assert [list(addresses) for addresses in got if not isinstance(addresses, Failure)] == list(zone.values())
            await until(lambda: not names._asked)

    run(main())
