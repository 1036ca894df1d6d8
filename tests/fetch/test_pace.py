"""Pace: when a site and its server may be asked again, and that nobody waits for ever."""

from __future__ import annotations

import asyncio
import time
from email.utils import formatdate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from fetch.clock import Clock, run_at_once
from fetch.servers import HERE, Client, Heard, answering, fetching, page, robots, run, serve
from halflife.fetch import FetchSettings, Limits, pace
from halflife.fetch.pace import Lane, Pace, retry_after_seconds
from halflife.records import Answer, Later

PATIENT = FetchSettings(limits=Limits(wait_seconds_max=1e6))
BUSY = b"503 Service Unavailable"


# -- how long ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given_seconds", "answer_seconds", "crawl_delay_seconds", "expected"),
    [
        (None, 0.0, 0.0, 0.5),
        (None, 0.1, 0.0, 0.5),
        (None, 0.2, 0.0, 1.0),
        (None, 6.0, 0.0, 30.0),
        (None, 60.0, 0.0, 30.0),
        (None, 0.0, 0.25, 0.5),
        (None, 0.0, 1.75, 1.75),
        (None, 2.0, 1.75, 10.0),
        (None, 0.0, 120.0, 120.0),
        (None, 0.0, 1e9, 300.0),
        (0.0, 10.0, 0.0, 0.0),
        (0.0, 10.0, 0.125, 0.125),
        (3.0, 10.0, 0.0, 3.0),
        (3.0, 0.0, 2.0, 3.0),
        (1000.0, 0.0, 500.0, 1000.0),
    ],
)
def test_a_site_rests_by_its_last_answer_unless_somebody_says_otherwise(
    given_seconds: float | None, answer_seconds: float, crawl_delay_seconds: float, expected: float
) -> None:
    lanes = Pace(FetchSettings(delay_seconds=given_seconds))
    assert lanes.delay_seconds(answer_seconds, crawl_delay_seconds) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("86400", 86_400.0),
        ("86401", 86_400.0),
        ("9" * 400, 86_400.0),
        ("Wed, 21 Oct 2015 07:28:30 GMT", 30.0),
        ("Wednesday, 21-Oct-15 07:28:30 GMT", 30.0),
        ("Wed Oct 21 07:28:30 2015", 30.0),
        ("Wed, 21 Oct 2015 07:28:30", 30.0),
        ("Wed, 21 Oct 2015 07:28:30 -0000", 30.0),
        ("Wed, 21 Oct 2015 09:28:30 +0200", 30.0),
        ("Wed, 21 Oct 2015 07:27:00 GMT", 0.0),
        ("Wed, 21 Oct 2099 07:28:30 GMT", 86_400.0),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("٣", None),
        ("soon", None),
        ("Wed, 42 Oct 2015 07:28:30 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(monkeypatch: pytest.MonkeyPatch, value: str, expected: float | None) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")  # where we are must not matter
    time.tzset()
    try:
        assert retry_after_seconds(value, 1_445_412_480.0) == expected  # Wed, 21 Oct 2015 07:28:00 GMT
    finally:
        monkeypatch.undo()
        time.tzset()


WORDS = st.sampled_from(
    ["Wed,", "21", "Oct", "2015", "07:28:00", "GMT", "-0000", "+9999", ",", ":", "-", "1e9", "٣", ""]
)


@given(st.text(max_size=30) | st.lists(WORDS, max_size=8).map(" ".join))
def test_whatever_retry_after_says_it_is_a_day_at_the_most(value: str) -> None:
    seconds = retry_after_seconds(value, 1_445_412_480.0)
    assert seconds is None or 0 <= seconds <= 86_400


@given(st.integers(0, 86_400))
def test_a_date_and_its_distance_are_the_same(distance: int) -> None:
    assert retry_after_seconds(formatdate(1e9 + distance, usegmt=True), 1e9) == distance
    assert retry_after_seconds(str(distance), 1e9) == distance


def test_who_is_busy_and_does_not_say_for_how_long_is_asked_half_as_often_each_time() -> None:
    lanes = Pace(FetchSettings())
    (site,) = lanes.lanes("example.org")
    waits = [lanes.backoff_seconds(site, "") for _ in range(20)]
    assert waits[:10] == [5.0 * 2**number for number in range(10)]
    assert set(waits[10:]) == {3600.0}
    assert lanes.backoff_seconds(site, "7") == 7.0


# -- lanes -------------------------------------------------------------------------------------------------------------


async def visit(
    clock: Clock, lanes: Pace, taken: tuple[Lane, ...], rest_seconds: float, under_way_seconds: float = 1.0
) -> float:
    """One request; when it began."""
    assert await lanes.wait(taken) == 0.0
    began = clock.monotonic()
    await asyncio.sleep(under_way_seconds)
    lanes.leave(taken, rest_seconds)
    return began - 1000.0


def test_a_thousand_subdomains_on_one_address_are_one_server() -> None:
    async def main(clock: Clock) -> None:
        lanes = Pace(PATIENT)
        taken = [lanes.lanes(f"site{number}.example", "@192.0.2.1") for number in range(1000)]
        began = await asyncio.gather(*(visit(clock, lanes, one, 2.0) for one in taken))
        assert began == pytest.approx([number * 3.0 for number in range(1000)])

    run_at_once(main)


def test_one_site_on_many_addresses_is_one_site() -> None:
    async def main(clock: Clock) -> None:
        lanes = Pace(PATIENT)
        taken = [lanes.lanes("example.org", f"@192.0.2.{number}") for number in range(10)]
        began = await asyncio.gather(*(visit(clock, lanes, one, 2.0) for one in taken))
        assert began == pytest.approx([number * 3.0 for number in range(10)])

    run_at_once(main)


def test_sites_that_share_nothing_do_not_wait_for_each_other() -> None:
    async def main(clock: Clock) -> None:
        lanes = Pace(PATIENT)
        taken = [lanes.lanes(f"site{number}.example", f"@192.0.2.{number}") for number in range(100)]
        assert set(await asyncio.gather(*(visit(clock, lanes, one, 2.0) for one in taken))) == {0.0}

    run_at_once(main)


def test_a_server_does_not_rest_as_long_as_a_site_that_wants_to_be_left_alone() -> None:
    async def main(clock: Clock) -> None:
        lanes = Pace(PATIENT)
        shy, other = lanes.lanes("shy.example", "@192.0.2.1"), lanes.lanes("other.example", "@192.0.2.1")
        await visit(clock, lanes, shy, 3600.0)
        assert await visit(clock, lanes, other, 0.0) == pytest.approx(1.0 + 30.0)
        assert await visit(clock, lanes, shy, 0.0) == pytest.approx(1.0 + 3600.0)

    run_at_once(main)


def test_a_longer_delay_of_the_users_holds_for_the_server_too() -> None:
    async def main(clock: Clock) -> None:
        lanes = Pace(replace(PATIENT, delay_seconds=100.0))
        one, other = lanes.lanes("one.example", "@192.0.2.1"), lanes.lanes("other.example", "@192.0.2.1")
        await visit(clock, lanes, one, 100.0)
        assert await visit(clock, lanes, other, 0.0) == pytest.approx(1.0 + 100.0)

    run_at_once(main)


def test_several_at_once_still_begin_one_after_the_other() -> None:
    async def main(clock: Clock) -> None:
        lanes = Pace(replace(PATIENT, connections_per_host=3))
        taken = lanes.lanes("example.org", "@192.0.2.1")
        await visit(clock, lanes, taken, 2.0)
        began = await asyncio.gather(*(visit(clock, lanes, taken, 2.0, 100.0) for _ in range(4)))
        assert began[:3] == pytest.approx([3.0, 5.0, 7.0])
        assert began[3] >= 103.0 + 2.0

    run_at_once(main)


def test_an_address_that_was_tried_on_the_way_rests_too() -> None:
    async def main(clock: Clock) -> None:
        lanes = Pace(PATIENT)
        lanes.rest(lanes.lanes("@192.0.2.9"), 4.0)
        assert await visit(clock, lanes, lanes.lanes("example.org", "@192.0.2.9"), 0.0) == pytest.approx(4.0)

    run_at_once(main)


# -- waiting -----------------------------------------------------------------------------------------------------------


def test_who_would_wait_too_long_is_told_when_to_come() -> None:
    async def main(clock: Clock) -> None:
        lanes = Pace(FetchSettings(limits=Limits(wait_seconds_max=30.0)))
        taken = lanes.lanes("example.org")
        await visit(clock, lanes, taken, 31.0)
        assert await lanes.wait(taken) == pytest.approx(clock.monotonic() + 31.0)
        await asyncio.sleep(1.5)
        assert await visit(clock, lanes, taken, 0.0) == pytest.approx(1.0 + 31.0)

    run_at_once(main)


def test_who_waited_too_long_is_told_when_to_come() -> None:
    async def main(clock: Clock) -> None:
        lanes = Pace(FetchSettings(limits=Limits(wait_seconds_max=30.0)))
        taken = lanes.lanes("example.org")
        slow = asyncio.ensure_future(visit(clock, lanes, taken, 1.0, 500.0))
        await asyncio.sleep(0)
        due = await lanes.wait(taken)
        assert due == pytest.approx(1000.0 + 30.0)
        assert clock.monotonic() == pytest.approx(due)
        await slow
        assert await visit(clock, lanes, taken, 0.0) == pytest.approx(501.0)

    run_at_once(main)


def test_waiters_that_go_away_hold_nobody_up() -> None:
    async def main(clock: Clock) -> None:
        lanes = Pace(PATIENT)
        taken = lanes.lanes("example.org", "@192.0.2.1")
        tasks = [asyncio.ensure_future(visit(clock, lanes, taken, 2.0)) for _ in range(6)]
        await asyncio.sleep(0.5)
        for number in (1, 2, 4):
            tasks[number].cancel()
        began = await asyncio.gather(*tasks, return_exceptions=True)
        assert [began[number] for number in (0, 3, 5)] == pytest.approx([0.0, 3.0, 6.0])
        assert all(isinstance(began[number], asyncio.CancelledError) for number in (1, 2, 4))

    run_at_once(main)


def test_who_is_cancelled_in_the_moment_of_being_let_in_lets_the_next_one_in() -> None:
    async def main(clock: Clock) -> None:
        lanes = Pace(PATIENT)
        taken = lanes.lanes("example.org", "@192.0.2.1")
        assert lanes.enter(taken)
        tasks = [asyncio.ensure_future(visit(clock, lanes, taken, 2.0)) for _ in range(2)]
        await asyncio.sleep(1.0)
        lanes.leave(taken, 0.0)  # lets the first one in,
        tasks[0].cancel()  # which goes before it knows
        assert await tasks[1] == pytest.approx(1.0)
        assert [lane.busy for lane in taken] == [0, 0]

    run_at_once(main)


def test_stop_ends_every_wait_and_nobody_is_let_in_any_more() -> None:
    async def main(clock: Clock) -> None:
        lanes = Pace(PATIENT)
        taken, resting = lanes.lanes("example.org", "@192.0.2.1"), lanes.lanes("resting.example")
        await visit(clock, lanes, resting, 50.0)
        assert lanes.enter(taken)
        waits = [asyncio.ensure_future(lanes.wait(one)) for one in (taken, taken, resting)]
        await asyncio.sleep(1.0)
        lanes.stop()
        lanes.stop()
        assert await asyncio.gather(*waits) == [clock.monotonic(), clock.monotonic(), pytest.approx(1000.0 + 51.0)]
        lanes.leave(taken, 0.0)
        assert not lanes.enter(taken)
        assert await lanes.wait(taken) > 0.0
        assert clock.monotonic() == pytest.approx(1002.0)

    run_at_once(main)


SITES = st.integers(0, 3)
REQUEST = st.tuples(SITES, SITES, st.floats(0, 3), st.floats(0, 3), st.floats(0, 40), st.booleans())


@settings(deadline=None, max_examples=100)
@given(st.lists(REQUEST, max_size=25), st.integers(1, 3), st.sampled_from([1.0, 30.0, 1e6]))
def test_in_any_crowd_everybody_is_served_or_sent_away_and_no_lane_is_overrun(
    requests: list[tuple[int, int, float, float, float, bool]], at_once: int, wait_seconds_max: float
) -> None:
    async def main(clock: Clock) -> None:
        lanes = Pace(replace(PATIENT, connections_per_host=at_once, limits=Limits(wait_seconds_max=wait_seconds_max)))
        free_at: dict[Lane, float] = {}
        under_way: dict[Lane, int] = {}

        async def ask(taken: tuple[Lane, ...], arrives: float, takes: float, rest_seconds: float) -> None:
            await asyncio.sleep(arrives)
            if due := await lanes.wait(taken):
                assert due >= clock.monotonic()
                return
            for lane in taken:
                # Where several go at once, one may be let in and another leave, and rest, in the same moment.
                assert at_once > 1 or clock.monotonic() >= free_at.get(lane, 0.0)
                under_way[lane] = under_way.get(lane, 0) + 1
                assert under_way[lane] <= at_once
            try:
                await asyncio.sleep(takes)
            finally:
                lanes.leave(taken, rest_seconds)
                for lane in taken:
                    under_way[lane] -= 1
                    free_at[lane] = max(free_at.get(lane, 0.0), clock.monotonic() + min(rest_seconds, 30.0))

        tasks = []
        for site, address, arrives, takes, rest_seconds, goes_away in requests:
            taken = lanes.lanes(f"site{site}", f"@{address}")
            tasks.append(asyncio.ensure_future(ask(taken, arrives, takes, rest_seconds)))
            if goes_away:
                asyncio.get_running_loop().call_later(arrives + 1.0, tasks[-1].cancel)
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            assert result is None or isinstance(result, asyncio.CancelledError)
        assert not any(lane.busy or lane.queue for lane in lanes._lanes.values())

    run_at_once(main)


def test_lanes_are_forgotten_when_they_do_not_rest_and_no_request_loses_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "LANES_MAX", 10)

    async def main(clock: Clock) -> None:
        lanes = Pace(PATIENT)
        busy = lanes.lanes("busy.example")
        assert lanes.enter(busy)
        for number in range(100):
            taken = lanes.lanes(f"site{number}.example", f"@{number}")
            assert taken == lanes.lanes(f"site{number}.example", f"@{number}")
            lanes.rest(taken, 1000.0)
            assert len(lanes._lanes) <= 10
        assert lanes.lanes("busy.example") == busy
        assert lanes.lanes("site99.example")[0].free_at > clock.monotonic()

    run_at_once(main)


# -- as a server sees it -----------------------------------------------------------------------------------------------


def test_names_on_one_server_are_asked_one_after_the_other() -> None:
    async def main() -> None:
        at_once = most = 0

        async def script(client: Client) -> None:
            nonlocal at_once, most
            while await client.hear():
                at_once += 1
                most = max(most, at_once)
                await asyncio.sleep(0)
                at_once -= 1
                await client.say(page())

        async with serve(script) as server, fetching(replace(HERE, resolve=("*:127.0.0.1",))) as using:
            urls = [server.url(host=f"www.site{number}.example") for number in range(50)]
            await asyncio.gather(*map(using.answer, urls))
            assert len(server.heard) == 50
            assert most == 1

    run(main())


def test_robots_txt_may_ask_for_more_time_in_fractions_too() -> None:
    async def main() -> None:
        settings = replace(HERE, robots=True, delay_seconds=0.0, limits=replace(HERE.limits, wait_seconds_max=0.0))
        text = b"User-agent: *\nCrawl-delay: 12.75\n"
        async with serve(answering(robots(text))) as server, fetching(settings) as using:
            got = await using.get(server.url("/a"))
            assert got.rest_seconds == 12.75
            later = await using.later(server.url("/b"))
            assert later.due == pytest.approx(time.time() + 12.75, abs=10)
            assert server.paths == ["/robots.txt", "/a"]

    run(main())


@pytest.mark.parametrize("status", [b"429 Too Many Requests", BUSY])
def test_who_says_when_to_come_back_is_heeded(status: bytes) -> None:
    async def main() -> None:
        async with (
            serve(answering(lambda _: page(b"", b"Retry-After: 500", status=status))) as server,
            fetching() as using,
        ):
            got = await using.get(server.url("/a"))
            assert isinstance(got.outcome, Answer)
            assert got.rest_seconds == 500.0
            assert isinstance(await using.later(server.url("/b")), Later)
            assert server.paths == ["/a"]

    run(main())


def test_another_answer_ends_the_doubling() -> None:
    def answer(heard: Heard) -> bytes:
        if heard.path == "/good":
            return page()
        return page(b"", *([b"Retry-After: 0"] if heard.path == "/busy" else []), status=BUSY)

    async def main() -> None:
        async with serve(answering(answer)) as server, fetching() as using:
            rests = [
                (await using.get(server.url(path))).rest_seconds for path in ("/busy", "/busy", "/good", "/silent")
            ]
            assert rests == [0.0, 0.0, 0.0, 5.0]

    run(main())
