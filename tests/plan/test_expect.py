"""Expectations: what is learned of links, and which directories are given up."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.plan import Expectations
from halflife.plan.expect import DEEP, RANKS
from halflife.records import Target, Why

SITE = "https://example.org"


def link(path: str, anchor: str = "", **more: object) -> Target:
    given_: dict[str, object] = {"why": Why.LINK, "via": f"{SITE}/", "depth": 2, **more}
    return Target(SITE + path, anchor=anchor, **given_)  # type: ignore[arg-type]


def crawled(*outcomes: tuple[Target, bool], starve: int = 20) -> Expectations:
    expectations = Expectations(starve)
    for target, relevant in outcomes:
        expectations.learn(target, 0.0, relevant)
    return expectations


# -- before anything is learned --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ((link("/a"), 1.0), (link("/a"), 0.5)),
        ((link("/a"), 0.1), (link("/a"), 0.0)),
        ((link("/a", near=0.5), 0.0), (link("/a"), 0.0)),
        ((link("/a", tunnel=0), 0.0), (link("/a", tunnel=1), 0.0)),
        ((link("/a", tunnel=1), 0.0), (link("/a", tunnel=2), 0.0)),
        ((link("/a", depth=1), 0.0), (link("/a", depth=4), 0.0)),
    ],
)
def test_experience_comes_before_what_is_learned(better: tuple[Target, float], worse: tuple[Target, float]) -> None:
    new = Expectations()
    assert new.rank(*better) < new.rank(*worse)


# -- learning ----------------------------------------------------------------------------------------------------------


def test_a_directory_that_kept_its_promise_is_asked_first() -> None:
    told = crawled(*((link(f"/good/{n}"), True) for n in range(10)), *((link(f"/bad/{n}"), False) for n in range(10)))
    assert told.rank(link("/good/new"), 0.0) < told.rank(link("/new/new"), 0.0) < told.rank(link("/bad/new"), 0.0)


def test_a_new_directory_is_judged_by_the_one_above() -> None:
    told = crawled(
        *((link(f"/good/{n}/page"), True) for n in range(10)), *((link(f"/bad/{n}/page"), False) for n in range(10))
    )
    assert told.rank(link("/good/new/page"), 0.0) < told.rank(link("/bad/new/page"), 0.0)


def test_links_of_one_page_vouch_for_each_other() -> None:
    good, bad = f"{SITE}/good-list", f"{SITE}/bad-list"
    told = crawled(
        *((link(f"/{n}", via=good), True) for n in range(20)),
        *((link(f"/{n}", via=bad), False) for n in range(20, 40)),
    )
    assert told.rank(link("/a", via=good), 0.0) < told.rank(link("/a", via=bad), 0.0)


def test_what_came_lately_counts_more_than_what_came_first() -> None:
    told = Expectations()
    for n in range(60):
        told.learn(link(f"/1/{n}"), 0.0, n < 30)
        told.learn(link(f"/2/{n}"), 0.0, n >= 30)
    assert told.rank(link("/2/new"), 0.0) + RANKS // 20 < told.rank(link("/1/new"), 0.0)


def test_words_of_addresses_and_anchors_count_in_every_directory() -> None:
    outcomes = []
    for n in range(60):
        outcomes.append((link(f"/d{n}/class-use/page", "where it is used"), False))
        outcomes.append((link(f"/d{n}/guide/page", "an introduction"), True))
    told = crawled(*outcomes)
    assert told.rank(link("/x/guide/page"), 0.0) < told.rank(link("/x/class-use/page"), 0.0)
    assert told.rank(link("/x/page", "introduction"), 0.0) < told.rank(link("/x/page", "used"), 0.0)


def test_it_learns_whether_the_words_of_links_tell_the_truth() -> None:
    honest, lying = Expectations(), Expectations()
    for n in range(300):
        honest.learn(link(f"/{n}/"), n % 2, bool(n % 2))
        lying.learn(link(f"/{n}/"), n % 2, not n % 2)

    def gain(of: Expectations) -> int:
        return of.rank(link("/new/"), 0.0) - of.rank(link("/new/"), 1.0)

    assert gain(honest) > gain(Expectations()) > gain(lying)


def test_guesses_get_better_with_experience() -> None:
    """On a web whose rule it does not know: the later half of the pages is guessed better than by an untaught mind."""
    chance = random.Random(3)
    taught, fresh = Expectations(), Expectations()
    right = {taught: 0, fresh: 0}
    for n in range(2000):
        relevant = n % 5 == 0
        words = chance.sample(["red", "green", "blue", "grey", "black"], 2) + (["gold"] if relevant else [])
        target = link(f"/{chance.randrange(40)}/{n}", " ".join(words))
        other = link(f"/{chance.randrange(40)}/{n}", " ".join(chance.sample(["red", "green", "blue", "grey"], 2)))
        if n > 1000 and relevant:
            for mind in right:
                right[mind] += mind.rank(target, 0.0) < mind.rank(other, 0.0)
        taught.learn(target, 0.0, relevant)
    assert right[taught] > 0.95 * 200
    assert right[fresh] < 0.7 * 200


def test_seeds_teach_nothing_about_links() -> None:
    told = Expectations()
    for n in range(50):
        told.learn(Target(f"https://s{n}.example/word"), 1.0, False)
    fresh = Expectations()
    assert told.rank(link("/word"), 1.0) > fresh.rank(link("/word"), 1.0)  # fewer pages are relevant than was thought
    assert told._weights == fresh._weights
    assert not any(told._words)


# -- giving up ---------------------------------------------------------------------------------------------------------


def test_a_directory_starves_when_its_pages_keep_failing() -> None:
    told = crawled(*((link(f"/bad/{n}"), False) for n in range(5)), starve=5)
    assert told.starved(f"{SITE}/bad/new")
    assert not told.starved(f"{SITE}/bad/below/new")
    assert not told.starved(f"{SITE}/other/new")
    assert not told.starved(f"{SITE}/")


def test_it_does_not_before() -> None:
    assert not crawled(*((link(f"/bad/{n}"), False) for n in range(4)), starve=5).starved(f"{SITE}/bad/new")


def test_a_relevant_page_gives_it_another_chance_and_more_patience() -> None:
    told = crawled(*((link(f"/d/{n}"), n == 3) for n in range(4 + 5)), starve=5)
    assert not told.starved(f"{SITE}/d/new")
    told.learn(link("/d/x"), 0.0, False)
    assert told.starved(f"{SITE}/d/new")


def test_a_relevant_page_below_gives_another_chance_too() -> None:
    told = crawled(*((link(f"/d/{n}"), False) for n in range(5)), starve=5)
    told.learn(link("/d/e/f"), 0.0, True)
    assert not told.starved(f"{SITE}/d/new")


def test_a_tree_starves_when_nothing_below_it_is_relevant() -> None:
    starve = 3
    told = crawled(*((link(f"/tree/{n}/page"), False) for n in range(DEEP * starve)), starve=starve)
    assert told.starved(f"{SITE}/tree/new/page")
    assert told.starved(f"{SITE}/other"), "its host has failed as often"
    assert not told.starved("https://www.example.org/"), "but other hosts of its site have not"


def test_nothing_starves_when_it_is_switched_off() -> None:
    told = crawled(*((link(f"/bad/{n}"), False) for n in range(1000)), starve=0)
    assert not told.starved(f"{SITE}/bad/new")


# -- properties --------------------------------------------------------------------------------------------------------

paths = st.lists(st.text(st.characters(codec="ascii", exclude_characters="?#"), max_size=4), max_size=6).map(
    lambda parts: "/" + "/".join(parts)
)
links = st.builds(
    link,
    paths,
    st.text(max_size=20),
    near=st.floats(0, 1),
    tunnel=st.integers(0, 1_000_000),
    depth=st.integers(0, 1_000_000),
    via=st.sampled_from(["", f"{SITE}/a", f"{SITE}/b"]),
    why=st.sampled_from(Why),
)
visits = st.lists(st.tuples(links, st.floats(0, 1), st.booleans()), max_size=30)


@given(visits, links, st.floats(0, 1))
def test_ranks_are_ranks_and_what_is_kept_is_all_there_is(
    told: list[tuple[Target, float, bool]], target: Target, share: float
) -> None:
    expectations, resumed = Expectations(), Expectations()
    for number, visit in enumerate(told):
        if number == len(told) // 2:
            resumed.unpack(expectations.pack())
        if number >= len(told) // 2:
            resumed.learn(*visit)
        expectations.learn(*visit)
    rank = expectations.rank(target, share)
    assert 0 <= rank < RANKS
    if told:
        assert resumed.rank(target, share) == rank
        assert resumed.starved(target.url) == expectations.starved(target.url)


def test_certainty_has_bounds() -> None:
    for relevant in (True, False):
        told = Expectations()
        for n in range(3000):
            told.learn(link("/a/b/c/d/e/f/g/h/page", "word", depth=n), float(relevant), relevant)
        assert 0 <= told.rank(link("/a/b/c/d/e/f/g/h/page", "word"), float(relevant)) < RANKS


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("halflife.plan.expect.PLACES_MAX", 1000)
    told = Expectations()
    sizes = []
    for n in range(20_000):
        told.learn(link(f"/{n % 5003}/{n}/", f"word{n}", via=f"{SITE}/{n}"), 0.0, n % 7 == 0)
        if n % 1000 == 999:
            sizes.append(len(told.pack()))
    assert max(sizes[5:]) < 1.5 * min(sizes[5:])
