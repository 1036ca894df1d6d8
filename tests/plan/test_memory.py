"""Memories that forget rather than grow."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from halflife.plan.memory import Distinct, Recent


def test_what_is_asked_for_is_kept() -> None:
    recent: Recent[int] = Recent(remembered_max=10)
    assert not recent
    for number in range(1000):
        recent.put(str(number), number)
        recent.put("mine", (recent.get("mine") or 0) + 1)
    assert recent
    assert recent.get("mine") == 1000
    assert recent.get("999") == 999
    assert recent.get("1") is None
    assert recent.get("never") is None


def test_what_is_old_is_still_known() -> None:
    recent: Recent[bool] = Recent(remembered_max=2)
    recent.put("a", True)
    recent.put("b", False)
    recent.put("c", True)  # now all three are old
    assert recent
    assert [recent.get(key) for key in "abc"] == [True, False, True]


@given(st.lists(st.tuples(st.integers(0, 50), st.integers()), max_size=200))
def test_it_forgets_but_never_confuses(pairs: list[tuple[int, int]]) -> None:
    recent: Recent[int] = Recent(remembered_max=8)
    truth: dict[int, int] = {}
    for key, value in pairs:
        recent.put(str(key), value)
        truth[key] = value
        assert recent.get(str(key)) == value
    assert all(recent.get(str(key)) in (None, truth[key]) for key in truth)


def test_things_are_counted_by_group_and_once() -> None:
    distinct = Distinct()
    for _ in range(3):
        assert not any(distinct.beyond(f"thing {number}", "group", 5) for number in range(5))
    assert all(distinct.beyond(f"thing {number}", "group", 5) for number in range(5, 50))
    assert not any(distinct.beyond(f"thing {number}", "group", 5) for number in range(5))  # the first remain welcome
    assert not distinct.beyond("thing 6", "another", 5)


@given(st.lists(st.integers(0, 300), max_size=400), st.integers(1, 200))
def test_never_before_the_limit(things: list[int], limit: int) -> None:
    distinct = Distinct(bits=1 << 12)
    seen: set[int] = set()
    for thing in things:
        beyond = distinct.beyond(str(thing), "group", limit)
        assert not beyond or len(seen | {thing}) > limit
        seen.add(thing)


def test_when_it_is_full_it_begins_anew() -> None:
    distinct = Distinct(bits=64)  # full at 16
    assert not any(distinct.beyond(str(number), "group", 100) for number in range(40))
    assert distinct.beyond("more", "group", 0)
