"""The guard: which addresses are public, and that what is checked is the address that is connected to."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fetch.servers import HERE, Client, Heard, Script, answering, fetching, names, page, run, serve
from halflife.fetch import FetchSettings, dns, guard, is_private
from halflife.fetch.dns import LookUp
from halflife.fetch.guard import Guard
from halflife.records import Answer, Failure, Fetch, Kind, Target
from halflife.urls import join

PUBLIC = [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255", "100.128.0.0", "126.255.255.255",
    "128.0.0.0", "168.63.129.15", "168.63.129.17", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0",
    "191.255.255.255", "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0",
    "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255",
    "2001:200::1", "2001:4860:4860::8888", "2600::1", "2a00::1", "3ffe::1", "2003::1",
]  # fmt: skip
PRIVATE = [
    "0.0.0.0", "0.255.255.255", "10.0.0.0", "10.255.255.255", "100.64.0.0", "100.127.255.255", "100.100.100.200",
    "127.0.0.0", "127.0.0.1", "127.255.255.255", "168.63.129.16", "169.254.0.0", "169.254.169.254", "169.254.255.255",
    "172.16.0.0", "172.31.255.255", "192.0.0.0", "192.0.0.192", "192.0.0.255", "192.0.2.0", "192.0.2.255", "192.88.99.1",
    "192.168.0.0", "192.168.255.255", "198.18.0.0", "198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1",
    "239.255.255.255", "240.0.0.0", "255.255.255.255",
    "::", "::1", "::2", "100::1", "1fff::1", "2001::1", "2001:1ff:ffff::1", "2001:10::1", "2001:20::1", "2001:db8::1",
    "3fff::1", "3fff:fff::1", "4000::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fdff::1", "fe80::1", "febf::1", "fec0::1",
    "ff02::1", "ff0e::1",
]  # fmt: skip
NO_ADDRESS = [
    "",
    "example.org",
    "127.1",
    "0x7f000001",
    "2130706433",
    "0177.0.0.1",
    "1.2.3.4.5",
    "::g",
    "1.1.1.1/8",
    "1.1.1.1%1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_addresses_of_the_open_internet(address: str) -> None:
    assert not is_private(address)
    assert not is_private(f"[{address}]")


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_somebodys_own(address: str) -> None:
    assert is_private(address)
    assert is_private(f"[{address}]")


@pytest.mark.parametrize("text", NO_ADDRESS)
def test_what_is_no_address_is_not_public(text: str) -> None:
    assert is_private(text)


@pytest.mark.parametrize("network", [*guard.PRIVATE_V4, *guard.PRIVATE_V6], ids=str)
def test_special_ranges_from_their_first_to_their_last(network: ipaddress.IPv4Network | ipaddress.IPv6Network) -> None:
    assert is_private(str(network[0]))
    assert is_private(str(network[-1]))


HIDDEN: dict[str, Callable[[int], int]] = {
    "mapped": lambda number: 0xFFFF << 32 | number,
    "NAT64": lambda number: 0x64_FF9B << 96 | number,
    "6to4": lambda number: 0x2002 << 112 | number << 80 | 0x1234,
}


@pytest.mark.parametrize("way", HIDDEN)
@given(number=st.integers(0, 2**32 - 1) | st.sampled_from([int(ipaddress.ip_address(text)) for text in PRIVATE[:32]]))
def test_ipv4_in_ipv6_is_judged_as_what_it_leads_to(way: str, number: int) -> None:
    inner = ipaddress.IPv4Address(number)
    outer = ipaddress.IPv6Address(HIDDEN[way](number))
    assert is_private(str(outer)) == is_private(str(inner))


@pytest.mark.parametrize(
    "address",
    [
        "::ffff:127.0.0.1", "::FFFF:7f00:1", "::ffff:169.254.169.254", "64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::1", "2002:c0a8:101::", "::127.0.0.1", "::8.8.8.8", "64:ff9b:1::8.8.8.8", "2001:0:808:808::1",
    ],
)  # fmt: skip
def test_ways_to_write_an_inner_address(address: str) -> None:
    assert is_private(address)


@pytest.mark.parametrize("address", ["fe80::1%eth0", "2600::1%eth0", "::ffff:8.8.8.8%1", "64:ff9b::8.8.8.8%lo"])
def test_a_zone_is_a_network_of_ours(address: str) -> None:
    assert is_private(address)


@given(st.ip_addresses())
def test_what_the_library_of_the_language_calls_not_global_is_refused(
    number: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    mapped = isinstance(number, ipaddress.IPv6Address) and number.ipv4_mapped is not None
    assert number.is_global or mapped or is_private(str(number))


def test_a_refusal_says_what_can_be_done() -> None:
    guarding = Guard(FetchSettings(private_hosts=("Seed.example", "[::1]", "10.0.0.1")))
    assert guarding.refusal("a.example", "8.8.8.8") == ""
    assert guarding.refusal("a.example", "10.0.0.1") == (
        "10.0.0.1 (a.example) is no public address; --allow-private lets pages lead there"
    )
    assert guarding.refusal("10.0.0.2", "10.0.0.2") == (
        "10.0.0.2 is no public address; --allow-private lets pages lead there"
    )
    for host in ("seed.example", "::1", "10.0.0.1"):
        assert guarding.refusal(host, "127.0.0.1") == guarding.name_refusal(host) == ""
    for host in ("localhost", "a.localhost", "10.0.0.2", "::2"):
        assert "--allow-private" in guarding.name_refusal(host)
    for host in ("a.example", "8.8.8.8", "notlocalhost"):
        assert guarding.name_refusal(host) == ""
    assert Guard(FetchSettings(allow_private=True)).refusal("10.0.0.2", "10.0.0.2") == ""
    assert Guard(FetchSettings(allow_private=True)).name_refusal("localhost") == ""


# -- what is connected to ----------------------------------------------------------------------------------------------

STRICT = replace(HERE, allow_private=False)
OPEN, INNER = "127.0.0.2", "127.0.0.1"  # this machine has only such addresses: one of them plays a public one


@pytest.fixture
def two_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "is_private", lambda address: address != OPEN and is_private(address))
    monkeypatch.setattr(dns, "FAILURE_SECONDS", 0.0)
    monkeypatch.setattr(dns, "TTL_SECONDS_MIN", 0.0)  # names may change from one question to the next


class Doorbell:
    """A server on all addresses of this machine; it knows at which it was reached."""

    def __init__(self, answer: Callable[[Heard], bytes]) -> None:
        self.reached: list[str] = []
        self._answer = answer

    async def __call__(self, client: Client) -> None:
        self.reached.append(client.writer.get_extra_info("sockname")[0])
        await answering(self._answer)(client)


def closing(_: Heard) -> bytes:
    return page(b"hello", b"Connection: close")


@pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "127.1", "localhost"])
def test_an_address_on_a_page_that_leads_inside_is_refused(host: str) -> None:
    async def main() -> None:
        async with serve(answering(closing), host="0.0.0.0") as server, fetching(STRICT) as using:
            assert await using.kind(server.url(host=host)) in (Kind.GUARDED, Kind.DNS)
            assert server.connections == 0

    run(main())


SPELLINGS = [
    "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "017700000001", "127.0.0.1.", "0", "0.0.0.0",
    "localhost", "LOCALHOST", "localhost.", "%6cocalhost", "127\u30020.0.1", "\uff11\uff12\uff17.0.0.1", "[::1]", "[::]",
    "[0:0:0:0:0:ffff:7f00:1]", "[::ffff:127.0.0.1]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
    "169.254.169.254", "0xa9fea9fe", "2852039166", "0251.0376.0251.0376", "[::ffff:169.254.169.254]", "[fd00:ec2::254]",
]  # fmt: skip


@pytest.mark.parametrize("host", SPELLINGS)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_however_a_page_spells_it_nobody_is_reached(host: str, scheme: str) -> None:
    async def main() -> None:
        async with (
            serve(answering(closing), host="0.0.0.0") as server,
            fetching(STRICT, names(localhost=INNER)) as using,
        ):
            url = join("http://page.example/", server.url("/x", host, scheme))
            assert url
            assert await using.kind(url) == Kind.GUARDED
            assert server.connections == 0

    run(main())


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f.1", "0177.0.0.1", "127.0.0.1.", "localhost."])
def test_an_address_that_is_not_canonical_is_checked_where_it_leads(host: str) -> None:
    async def main() -> None:
        async def as_the_system_does(name: str) -> tuple[tuple[str, ...], float]:
            return (INNER,), 0.0  # what inet_aton makes of all of them

        async with serve(answering(closing)) as server, fetching(STRICT, as_the_system_does) as using:
            assert await using.kind(server.url(host=host)) == Kind.GUARDED
            assert server.connections == 0

    run(main())


def test_this_machine_by_its_name_is_refused() -> None:
    async def main() -> None:
        async with serve(answering(closing)) as server, fetching(STRICT) as using:  # asks the hosts file
            failure = await using.failure(server.url(host="localhost"))
            assert failure.kind == Kind.GUARDED
            assert "localhost" in failure.detail
            assert server.connections == 0

    run(main())


@pytest.mark.parametrize(
    "addresses", ["127.0.0.1", "::1", "10.0.0.1,169.254.169.254", "::ffff:127.0.0.1", "fe80::1%lo"]
)
def test_a_name_that_resolves_to_a_private_address_is_refused(addresses: str) -> None:
    async def main() -> None:
        async with serve(answering(closing)) as server, fetching(STRICT, names(a_example=addresses)) as using:
            assert await using.kind(server.url(host="a.example")) == Kind.GUARDED
            assert server.connections == 0

    run(main())


def test_a_redirect_to_a_private_address_is_refused() -> None:
    async def main() -> None:
        settings = replace(STRICT, private_hosts=("seed.example",))
        async with serve(lambda client: script(client)) as server:

            async def script(client: Client) -> None:
                while await client.hear():
                    location = b"Location: " + server.url("/inside").encode()
                    await client.say(page(b"", location, status=b"302 Found"))

            async with fetching(settings, names(seed_example="127.0.0.1")) as using:
                answer = await using.answer(server.url(host="seed.example"))
                target = Target(url=answer.header("location"), redirects=("http://seed.example/",))
                got = await using.fetcher.fetch(target)
                assert isinstance(got, Fetch)
                assert isinstance(got.outcome, Failure)
                assert got.outcome.kind == Kind.GUARDED
                assert server.paths == ["/"]

    run(main())


@pytest.mark.usefixtures("two_networks")
@pytest.mark.parametrize("inside", [INNER, "[::1]", "169.254.169.254", "localhost", "inner.example", "2130706433"])
def test_every_hop_of_a_ring_of_redirects_meets_the_guard(inside: str) -> None:
    """A redirect is an answer; whoever follows it asks for a new target."""

    async def main() -> None:
        bell = Doorbell(lambda heard: hops[heard.path])
        look_up = names(a_example=OPEN, inner_example=INNER, localhost=INNER)
        async with serve(bell, host="0.0.0.0") as server, fetching(STRICT, look_up) as using:
            places = [server.url("/1", host="a.example"), server.url("/2", host=inside)]
            hops = {
                f"/{number}": page(b"", b"Location: " + place.encode(), b"Connection: close", status=b"302 Found")
                for number, place in enumerate(places)
            }
            url, outcomes = server.url("/0", host="a.example"), list[Kind | int]()
            for _ in range(3):
                got = (await using.get(url)).outcome
                outcomes.append(got.status if isinstance(got, Answer) else got.kind)
                url = (isinstance(got, Answer) and join(url, got.header("location"))) or url
            assert outcomes == [302, 302, Kind.GUARDED]
            assert set(bell.reached) == {OPEN}

    run(main())


def test_a_robots_txt_that_redirects_inside_is_not_followed() -> None:
    async def main() -> None:
        def answer(heard: Heard) -> bytes:
            place = heard.header("host").replace("seed.example", "inner.example")
            return page(b"", b"Location: http://%s/secret" % place.encode(), status=b"301 Moved")

        settings = replace(STRICT, robots=True, private_hosts=("seed.example",))
        look_up = names(seed_example="127.0.0.1", inner_example="127.0.0.1")
        async with serve(answering(answer)) as server, fetching(settings, look_up) as using:
            failure = await using.failure(server.url(host="seed.example"))
            assert failure.kind == Kind.ROBOTS_UNREACHABLE
            assert "no public address" in failure.detail
            assert server.paths == ["/robots.txt"]

    run(main())


@pytest.mark.usefixtures("two_networks")
def test_a_name_that_changes_its_address_never_leads_inside() -> None:
    async def main() -> None:
        bell = Doorbell(closing)
        look_up = names(rebinding_example=[OPEN, INNER, OPEN, INNER])
        async with serve(bell, host="0.0.0.0") as server, fetching(STRICT, look_up) as using:
            for expected in (True, False, True, False, False):
                got = await using.get(server.url(host="rebinding.example"))
                assert isinstance(got.outcome, Answer) == expected
                assert expected or (isinstance(got.outcome, Failure) and got.outcome.kind == Kind.GUARDED)
            assert bell.reached == [OPEN, OPEN]

    run(main())


@pytest.mark.usefixtures("two_networks")
def test_a_name_that_changes_between_robots_txt_and_page_never_leads_inside() -> None:
    async def main() -> None:
        bell = Doorbell(closing)
        settings, look_up = replace(STRICT, robots=True), names(rebinding_example=[OPEN, INNER])
        async with serve(bell, host="0.0.0.0") as server, fetching(settings, look_up) as using:
            assert await using.kind(server.url(host="rebinding.example")) == Kind.GUARDED
            assert bell.reached == [OPEN]

    run(main())


@pytest.mark.usefixtures("two_networks")
def test_a_kept_connection_leads_where_it_led() -> None:
    async def main() -> None:
        bell = Doorbell(lambda _: page())
        async with (
            serve(bell, host="0.0.0.0") as server,
            fetching(STRICT, names(rebinding_example=[OPEN, INNER])) as using,
        ):
            for _ in range(3):
                assert (await using.get(server.url(host="rebinding.example"))).address == OPEN
            assert bell.reached == [OPEN]

    run(main())


@pytest.mark.usefixtures("two_networks")
def test_a_connection_that_was_closed_is_replaced_by_one_to_the_same_address() -> None:
    async def main() -> None:
        reached = []

        async def script(client: Client) -> None:
            reached.append(client.writer.get_extra_info("sockname")[0])
            await client.hear()
            await client.say(page())
            await client.hear()

        look_up = names(rebinding_example=[OPEN, INNER])
        async with serve(script, host="0.0.0.0") as server, fetching(STRICT, look_up) as using:
            for _ in range(3):
                await using.answer(server.url(host="rebinding.example"))
            assert reached == [OPEN] * 3

    run(main())


@pytest.mark.usefixtures("two_networks")
def test_of_several_addresses_only_the_public_ones_are_tried() -> None:
    async def main() -> None:
        bell = Doorbell(closing)
        look_up = names(a_example=f"{INNER},{OPEN},::1", b_example=f"{INNER},{OPEN}")
        async with serve(bell, host="0.0.0.0") as server, fetching(STRICT, look_up) as using:
            assert (await using.get(server.url(host="a.example"))).address == OPEN
        assert bell.reached == [OPEN]
        async with serve(bell, host=INNER) as server, fetching(STRICT, look_up) as using:
            assert await using.kind(server.url(host="b.example")) == Kind.REFUSED
            assert server.connections == 0

    run(main())


def looking_up(answers: list[tuple[str, ...]]) -> LookUp:
    left = iter(answers)

    async def look_up(host: str) -> tuple[tuple[str, ...], float]:
        return next(left, ()), 0.0

    return look_up


POOL = [OPEN, INNER, "::1", "::ffff:127.0.0.1", "0.0.0.0", "127.0.0.3"]


@pytest.mark.usefixtures("two_networks")
def test_whatever_name_servers_say_nobody_gets_inside() -> None:
    @settings(deadline=None, max_examples=30)
    @given(st.lists(st.lists(st.sampled_from(POOL), max_size=4).map(tuple), max_size=5))
    def check(answers: list[tuple[str, ...]]) -> None:
        async def main() -> None:
            bell = Doorbell(closing)
            async with serve(bell, host="0.0.0.0") as server, fetching(STRICT, looking_up(answers)) as using:
                for addresses in answers:
                    got = await using.get(server.url(host="a.example"))
                    assert isinstance(got.outcome, Answer) or OPEN not in addresses
                assert set(bell.reached) <= {OPEN}

        run(main())

    check()


# -- the user's word ---------------------------------------------------------------------------------------------------


async def outcomes(settings: FetchSettings, script: Script, hosts: list[str]) -> list[Kind | int]:
    """What comes of asking each host; both names live on this machine."""
    look_up = names(seed_example="127.0.0.1", other_example="127.0.0.1")
    async with serve(script) as server, fetching(settings, look_up) as using:
        got = [(await using.get(server.url(host=host))).outcome for host in hosts]
        return [one.status if isinstance(one, Answer) else one.kind for one in got]


def test_a_private_seed_is_taken_at_its_word_for_its_own_host_only() -> None:
    hosts = ["seed.example", "other.example", "www.seed.example", "127.0.0.1", "seed.example"]
    got = run(outcomes(replace(STRICT, private_hosts=("seed.example",)), answering(closing), hosts))
    assert got == [200, Kind.GUARDED, Kind.DNS, Kind.GUARDED, 200]
    got = run(
        outcomes(replace(STRICT, private_hosts=("127.0.0.1",)), answering(closing), ["127.0.0.1", "seed.example"])
    )
    assert got == [200, Kind.GUARDED]


def test_allow_private_lets_pages_lead_anywhere() -> None:
    hosts = ["seed.example", "other.example", "127.0.0.1"]
    assert run(outcomes(replace(STRICT, allow_private=True), answering(closing), hosts)) == [200] * 3


def test_an_address_given_with_resolve_holds_for_its_host_and_port_only() -> None:
    settings = replace(STRICT, resolve=("seed.example:127.0.0.1",))
    got = run(outcomes(settings, answering(closing), ["seed.example", "other.example", "127.0.0.1"]))
    assert got == [200, Kind.GUARDED, Kind.GUARDED]
    for of_another_port in ("*:1:127.0.0.1", "seed.example:1:127.0.0.1"):
        settings = replace(STRICT, resolve=(of_another_port,))
        assert run(outcomes(settings, answering(closing), ["seed.example"])) == [Kind.GUARDED]
    settings = replace(STRICT, resolve=("*:127.0.0.1",))
    assert run(outcomes(settings, answering(closing), ["seed.example", "nobody.example"])) == [200, 200]
