"""Traps, and large honest sites that must not be taken for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from itertools import combinations, islice, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.errors import SettingError
from halflife.plan import TRAPS, Traps
from halflife.plan.traps import (
    ALIKE_MAX,
    CALENDAR_DATES_MAX,
    COMBINATIONS_MAX,
    DATES_MAX,
    DEPTH_MAX,
    PARAMETERS_MAX,
    VALUES_MAX,
    VALUES_OF_MANY_MAX,
)

NOW = 2026
BASE = "https://example.org"


def refused(traps: Traps, paths: Iterable[str]) -> dict[str, str]:
    """Which of these are refused, and why."""
    reasons = ((path, traps.trap(BASE + path, NOW)) for path in paths)
    return {path: reason for path, reason in reasons if reason}


def passed(traps: Traps, paths: Iterable[str], reason: str) -> int:
    """How many pass before one is refused, for this reason."""
    for number, path in enumerate(paths):
        if found := traps.trap(BASE + path, NOW):
            assert found == reason
            return number
    raise AssertionError("none was refused")


# -- honest sites ------------------------------------------------------------------------------------------------------


def days(since: int, until: int) -> Iterator[date]:
    first = date(since, 1, 1)
    return (first + timedelta(days) for days in range((date(until, 1, 1) - first).days))


HONEST: dict[str, Callable[[], Iterable[str]]] = {
    "a root": lambda: ["/", "/?", "/index.html"],
    "documentation": lambda: [
        "/3/library/os.path.html",
        "/w/cpp/experimental/simd/simd/operator_arith.html",
        "/api/java.desktop/javax/swing/plaf/nimbus/AbstractRegionPainter.PaintContext.CacheMode.html",
        "/en-US/docs/Web/JavaScript/Reference/Global_Objects/Array/Array",
        "/a/a/b/b/c/c/d/d/",
        "//double//slashes",
    ],
    "a tree of versions": lambda: [f"/v{a}/{b}/{a}.{b}/docs/{b}/x" for a in range(30) for b in range(30)],
    "map tiles": lambda: [f"/{z}/{z}/{z}/{z}.png" for z in range(20)],
    "a newspaper": lambda: [f"/{day:%Y/%m/%d}/title-of-that-day" for day in days(1990, 2027)],
    "a newspaper's days": lambda: [f"/archive/{day:%Y-%m-%d}" for day in days(2000, 2027)],
    "an old newspaper": lambda: ["/1066/10/14/hastings", "/article?date=1890-05-03", "/archive?year=1801&month=1&day=3"],
    "what is announced": lambda: ["/events/2029-05/", "/2028/12/31/fair", "/calendar/2029/06/"],
    "numbers": lambda: ["/thread/2045/10", "/item/20310517", "/roadmap/2050/", "/?id=203105", "/goals-2050"],
    "a paginated list": lambda: [f"/list?page={page}" for page in range(1, 201)],
    "a shop": lambda: [f"/item?id={number}" for number in range(1, 5001)],
    "a forum": lambda: [f"/t?f={t % 40}&t={t}&start={20 * s}" for t in range(2500) for s in range(4)],
    "a script for everything": lambda: [
        f"/index.php?lang={lang}&module={module}&action={action}&id={number}"
        for number in range(250)
        for lang, module, action in product(("en", "de"), ("news", "shop"), ("view", "print"))
    ],
    "three choices": lambda: [f"/x?a={a}&b={b}&c={c}" for a, b, c in product(range(10), range(7), range(7))],
    "an array": lambda: ["/x?a%5B%5D=1&a%5B%5D=2&a%5B%5D=3"],
}  # fmt: skip


@pytest.mark.parametrize("site", HONEST)
def test_honest_sites_pass(site: str) -> None:
    assert refused(Traps(), HONEST[site]()) == {}


def test_pages_that_differ_are_never_lookalikes() -> None:
    traps = Traps()
    for number in range(500):
        traps.lookalike(
            f"{BASE}/item?id={number}", f"The Shop\nThing called {number * 7919:b} of value".replace("1", "i")
        )
    assert refused(traps, ["/item?id=1000"]) == {}


def test_some_pages_that_ask_for_a_password_do_not_hide_the_others() -> None:
    traps = Traps()
    for number in range(2000):
        said = f"What {'abcdefghij'[number % 10]} said of {number:x}-{'x' * (number % 97)}"
        text = said if number % 2 else "Log in first"
        traps.lookalike(f"{BASE}/thread/{number}", text)
    assert refused(traps, ["/thread/5000"]) == {}


# -- traps -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/a" * 3, "trap_repeat"),
        ("/x" + "/help" * 3 + "/", "trap_repeat"),
        ("/a/b/a/b/a/b", "trap_repeat"),
        ("/z/a/b/c/a/b/c/a/b/c/z?q", "trap_repeat"),
        ("/a/1/a/2/a/3/a/4/a/5", "trap_repeat"),
        ("/7" * 5, "trap_repeat"),
        ("/a////b", "trap_repeat"),
        ("/" + "/".join(map(str, range(DEPTH_MAX))) + "/", "trap_deep"),
        (f"/{NOW + 4}/05/17/x", "trap_calendar"),
        (f"/x?date={NOW + 4}-05-17", "trap_calendar"),
        (f"/x?year={NOW + 4}&month=5", "trap_calendar"),
        (f"/events/{NOW + 4}-05/", "trap_calendar"),
        (f"/calendar/{NOW + 4}/5/", "trap_calendar"),
        (f"/calendar/{NOW - 101}/5/", "trap_calendar"),
        ("/x?" + "&".join(f"p{letter}=1" for letter in "abcdefghijklmnopqrstu"), "trap_parameters"),
        ("/x?f=1&f=2&f=3&f=4", "trap_facets"),
        ("/x?f%5B0%5D=1&f%5B1%5D=2&f%5B2%5D=3&f%5B3%5D=4", "trap_facets"),
    ],
)
def test_one_look_suffices(path: str, reason: str) -> None:
    assert Traps().trap(BASE + path, NOW) == reason
    name = reason.removeprefix("trap_")
    assert Traps(off=(name,)).trap(BASE + path, NOW) == ""
    assert Traps(off=(reason,)).trap(BASE + path, NOW) == ""
    assert Traps(off=("all",)).trap(BASE + path, NOW) == ""
    others = tuple(other for other in TRAPS if other != name)
    assert Traps(off=others).trap(BASE + path, NOW) == reason


@pytest.mark.parametrize(
    "path",
    [
        "/a/a",
        "/a/b/a/b/a",
        "/7/7/7/7",
        "/a/x/b/a/x/c/a/x/d",
        "/" + "/".join(map(str, range(DEPTH_MAX))),
        f"/{NOW + 3}/05/17/x",
        f"/calendar/{NOW - 100}/5/",
        f"/events/{NOW - 101}-05/",
        "/x?" + "&".join(f"p{letter}=1" for letter in "abcdefghijklmnopqrst"),
    ],
)
def test_just_below_the_limit(path: str) -> None:
    assert PARAMETERS_MAX == 20
    assert Traps().trap(BASE + path, NOW) == ""


def test_too_many_dates() -> None:
    calendar = (f"/calendar/{day:%Y/%m/%d}/" for day in days(1990, NOW))
    assert passed(Traps(), calendar, "trap_calendar") == pytest.approx(CALENDAR_DATES_MAX, rel=0.01)
    archive = (f"/{day:%Y/%m/%d}/" for day in days(1826, NOW))
    assert passed(Traps(), archive, "trap_calendar") == pytest.approx(DATES_MAX, rel=0.01)
    assert refused(Traps(off=("calendar",)), (f"/calendar/{day:%Y/%m/%d}/" for day in days(1990, NOW))) == {}


def test_articles_of_one_day_are_one_date() -> None:
    assert refused(Traps(), (f"/events/2024-05-03/{number}" for number in range(CALENDAR_DATES_MAX + 100))) == {}


def test_too_many_values() -> None:
    many = (f"/x?id={number}" for number in range(2 * VALUES_MAX))
    assert passed(Traps(), many, "trap_parameters") == pytest.approx(VALUES_MAX, rel=0.02)
    more = (f"/x?a=1&b=2&c=3&d={number}" for number in range(2 * VALUES_OF_MANY_MAX))
    assert passed(Traps(), more, "trap_parameters") == pytest.approx(VALUES_OF_MANY_MAX, rel=0.02)


def test_the_same_in_another_order() -> None:
    traps = Traps()
    orders = ["/shop?" + "&".join(order) for order in permutations(["colour=red", "size=m", "sort=name", "page=2"])]
    assert refused(traps, orders[:1]) == {}
    assert refused(traps, orders) == dict.fromkeys(orders[1:], "trap_facets")
    assert refused(traps, ["/other?size=m&colour=red", "/shop?size=m&colour=blue"]) == {}


def facets() -> Iterator[str]:
    """Every choice of six filters with four values each, or none."""
    for several in range(1, 7):
        for names in combinations("abcdef", several):
            for values in product("1234", repeat=several):
                yield "/shop?" + "&".join(f"{name}={value}" for name, value in zip(names, values, strict=True))


def test_filters_that_multiply() -> None:
    reasons = refused(Traps(), facets())
    assert set(reasons.values()) == {"trap_facets"}
    assert sum(1 for _ in facets()) - len(reasons) < COMBINATIONS_MAX * 1.1 + 24 + 15 * 16
    assert all(path.count("&") >= 2 for path in reasons)  # one or two filters may always be set
    assert refused(Traps(off=("facets", "parameters")), islice(facets(), 5000)) == {}


SHELL = "The Shop\nAll things\n{}\nImprint"
MONTHS = [date(2000 + month // 12, month % 12 + 1, 1) for month in range(12 * (NOW - 2000))]
LOOKALIKES: dict[str, Callable[[int], tuple[str, str]]] = {
    "one text": lambda n: (f"/item?id={n}", SHELL.format("Not found.")),
    "no text": lambda n: (f"/item/{n}", ""),
    "numbers": lambda n: (f"/item/{n}", SHELL.format(f"Item {n} of 10,000, seen {n * n} times")),
    "the question": lambda n: (f"/find?q=Word{n:x}{n}+more", SHELL.format(f"Nothing for WORD{n:X}{n} more")),
    "escaped": lambda n: (f"/find?q=s%C3%BCd{n:x}x", SHELL.format(f"Nothing for süd{n:x}x")),
    "an empty calendar": lambda n: (f"/calendar/{MONTHS[n]:%Y/%m}/", f"{MONTHS[n]:%B %Y}\nThe 1st is a {MONTHS[n]:%A}"),
    "the first that differs": lambda n: (f"/item/{n}", "Not found" if n else "Welcome"),
    "a page in ten that differs": lambda n: (f"/item/{n}", f"Differs {n:x}" if n % 10 == 5 else "Not found"),
    "hostile": lambda n: (f"/x/{n}?a=%00&b=%FF&c=%ED%A0%80&d", "\ud800\x00" * 30_000),
}  # fmt: skip


@pytest.mark.parametrize("site", LOOKALIKES)
def test_look_alikes(site: str) -> None:
    page = LOOKALIKES[site]
    traps, off = Traps(), Traps(off=("lookalike",))
    number = 0
    while not traps.trap(BASE + page(number)[0], NOW):
        path, text = page(number)
        traps.lookalike(BASE + path, text)
        off.lookalike(BASE + path, text)
        number += 1
        assert number < 10 * ALIKE_MAX
    assert number >= ALIKE_MAX
    assert set(refused(traps, [page(0)[0], page(300)[0]]).values()) == {"trap_lookalike"}
    assert refused(traps, ["/", "/item", "/other/7", "/find?q=1&p=2"]) == {}
    assert refused(off, [page(0)[0]]) == {}


def test_pages_without_a_common_template_are_not_compared() -> None:
    traps = Traps()
    for word in map("".join, permutations("abcdef")):
        traps.lookalike(f"{BASE}/{word}", "always the same")
    assert refused(traps, ["/fedcba", "/abc"]) == {}
    assert not traps._texts


# -- all of them -------------------------------------------------------------------------------------------------------


def test_a_guard_that_does_not_exist() -> None:
    with pytest.raises(SettingError) as caught:
        Traps(off=("calendar", "mouse"))
    assert str(caught.value) == f"--trap-off 'mouse': no such guard; there are {', '.join(TRAPS)}, or all"


segments = st.lists(st.sampled_from(["a", "b", "", "7", "2031-05-17", "calendar", "%FF"]), max_size=30).map("/".join)
queries = st.lists(st.sampled_from(["a=1", "b", "", "=", "a=2", "year=2031", "month=5", "f%5B1%5D=x"]), max_size=25)


@given(st.lists(st.tuples(segments, queries.map("&".join)), max_size=10))
def test_asked_again_it_says_the_same(addresses: list[tuple[str, str]]) -> None:
    traps = Traps()
    for path, query in addresses:
        url = f"{BASE}/{path}?{query}" if query else f"{BASE}/{path}"
        reason = traps.trap(url, NOW)
        assert traps.trap(url, NOW) == reason
        assert reason in ("", *(f"trap_{name}" for name in TRAPS))
        assert Traps(off=("all",)).trap(url, NOW) == ""


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4), st.lists(st.sampled_from("xyz"), max_size=3))
def test_what_follows_itself_three_times_is_seen_anywhere(row: list[str], before: list[str]) -> None:
    path = "/" + "/".join([*before, *row * 3, "end"])
    assert Traps().trap(BASE + path, NOW) == "trap_repeat"


@given(st.lists(st.integers(0, 10**6), unique=True, max_size=DEPTH_MAX))
def test_what_never_repeats_is_no_repetition(numbers: list[int]) -> None:
    assert Traps().trap(f"{BASE}/{'/'.join(f'n{number}' for number in numbers)}", NOW) == ""
