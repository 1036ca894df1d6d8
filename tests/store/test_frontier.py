"""The frontier: what waits, whose turn it is, what became of the others, and what survives."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from halflife.errors import SettingError, StoreError
from halflife.records import Why
from halflife.store import RANK_MAX, Entry, Frontier
from halflife.store import hosts as hosts_module
from halflife.store.fingerprints import fingerprint
from halflife.store.frontier import ANCHORS_CHARACTERS_MAX, SOFT

A, B, C = "http://a.example/1", "http://a.example/2", "http://b.example/1"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "frontier.sqlite"


def opened(path: Path, now: float = 0.0, young_max: int = 1_000) -> Frontier:
    return Frontier(path, young_max=young_max, clock=lambda: now)


def of(path: Path, *entries: Entry) -> Frontier:
    frontier = opened(path)
    frontier.add(entries)
    return frontier


def urls_on(frontier: Frontier, now: float = 0.0) -> list[str]:
    """The addresses of the best site, in order; its turn begins."""
    return [target.url for target in frontier.best(frontier.turn(now), 100)]


def fates(frontier: Frontier, urls: Iterable[str]) -> list[str]:
    found = [frontier.fate(url) for url in urls]
    return [fate.fate if fate else "" for fate in found]


# -- what comes in -----------------------------------------------------------------------------------------------------


def test_an_address_is_known_with_all_that_was_said_of_it(path: Path) -> None:
    frontier = of(path, Entry(A, why=Why.SEED))
    via = frontier.id_of(A)
    frontier.settle(via, "kept", "fine", 17.5, 3.25)
    redirects = ("http://r.example/1", "http://r.example/2")
    frontier.add([Entry(B, 7, Why.REDIRECT, via, 3, 2, "the words", 0.5, redirects)])
    (target,) = frontier.best(frontier.turn(0.0), 9)
    assert (target.url, target.id, target.why, target.via) == (B, frontier.id_of(B), Why.REDIRECT, A)
    assert (target.rank, target.depth, target.tunnel, target.anchor) == (7, 3, 2, "the words")
    assert (target.near, target.redirects, target.tries) == (0.5, redirects, 0)
    known = frontier.fate(A)
    assert known is not None
    assert (known.fate, known.detail, known.at, known.weight, known.rank) == ("kept", "fine", 17.5, 3.25, None)
    assert (known.why, known.via) == (Why.SEED, "")
    assert (frontier.fate("http://nowhere.example/"), frontier.id_of("http://nowhere.example/")) == (None, 0)
    frontier.close()


@pytest.mark.parametrize("why", list(Why))
def test_how_an_address_came_to_be_known_is_kept(path: Path, why: Why) -> None:
    frontier = of(path, Entry(A, why=why))
    assert [target.why for target in frontier.best(frontier.turn(0.0), 1)] == [why]
    frontier.close()


def test_a_known_address_improves_in_each_respect_by_itself(path: Path) -> None:
    frontier = of(path, Entry(A, rank=5, depth=2, tunnel=2, anchor="sun"))
    assert frontier.add([Entry(A, rank=9, depth=1, tunnel=3, anchor="wind")]) == 0
    assert frontier.add([Entry(A, rank=3, depth=9, tunnel=9, anchor="sun")]) == 0
    (target,) = frontier.best(frontier.turn(0.0), 9)
    assert (target.rank, target.depth, target.tunnel, target.anchor) == (3, 1, 2, "sun | wind")
    frontier.close()


def test_the_words_of_links_are_joined_up_to_a_limit(path: Path) -> None:
    frontier = of(path, Entry(A))
    for number in range(100):
        frontier.add([Entry(A, anchor=f"words number {number}")])
    (target,) = frontier.best(frontier.turn(0.0), 1)
    assert target.anchor.startswith("words number 0 | words number 1 | ")
    assert ANCHORS_CHARACTERS_MAX - 20 < len(target.anchor) <= ANCHORS_CHARACTERS_MAX + 3
    frontier.close()


def test_of_two_finds_in_one_batch_the_better_counts(path: Path) -> None:
    frontier = of(path, Entry(A, rank=1, skip="robots"), Entry(A, rank=9), Entry(A, rank=4), Entry(A, skip="media"))
    assert [target.rank for target in frontier.best(frontier.turn(0.0), 9)] == [4]
    assert frontier.counts == {"waiting": 1}
    frontier.close()


@pytest.mark.parametrize("fate", SOFT)
def test_a_soft_skip_is_revived_by_a_better_link(path: Path, fate: str) -> None:
    frontier = of(path, Entry(A, skip=fate, depth=9, tunnel=4, anchor="far away"))
    frontier.add([Entry(A, skip="too_deep")])
    assert (fates(frontier, [A]), frontier.turn(0.0)) == ([fate], 0)
    frontier.add([Entry(A, rank=2, depth=1, tunnel=1, anchor="near by")])
    (target,) = frontier.best(frontier.turn(0.0), 9)
    assert (target.rank, target.depth, target.tunnel, target.anchor) == (2, 1, 1, "near by")
    assert {name: count for name, count in frontier.counts.items() if count} == {"waiting": 1}
    frontier.close()


@pytest.mark.parametrize("fate", ["robots", "out_of_scope", "kept", "dns"])
def test_other_fates_are_final(path: Path, fate: str) -> None:
    frontier = of(path, Entry(A, skip=fate))
    frontier.add([Entry(A, rank=0)])
    assert (fates(frontier, [A]), frontier.waiting) == ([fate], 0)
    frontier.close()


def test_hostile_text_is_taken(path: Path) -> None:
    text = "NUL \0, half \ud800, ' quote \" | \n \U0001f31e"
    frontier = of(path, Entry(A, anchor=text), Entry(B, anchor="x"))
    frontier.add([Entry(B, anchor=text)])
    frontier.settle(frontier.id_of(A), "kept", text)
    stored = text.replace("\ud800", "?")
    known, other = frontier.fate(A), frontier.fate(B)
    assert known is not None
    assert other is not None
    assert (known.anchor, known.detail, other.anchor) == (stored, stored, f"x | {stored}")
    frontier.close()


# -- turns -------------------------------------------------------------------------------------------------------------


def test_the_best_site_comes_first_and_the_best_addresses_of_it(path: Path) -> None:
    frontier = of(path, Entry(A, rank=5), Entry(B, rank=3), Entry(C, rank=4), Entry("http://a.example/3", rank=3))
    site = frontier.turn(0.0)
    assert [target.url for target in frontier.best(site, 9)] == [B, "http://a.example/3", A]
    assert [target.url for target in frontier.best(site, 1, offset=1)] == ["http://a.example/3"]
    assert urls_on(frontier) == [C]
    assert (frontier.turn(0.0), frontier.is_ready(0.0)) == (0, False)
    frontier.close()


def test_a_site_is_all_its_hosts(path: Path) -> None:
    frontier = of(path, Entry("http://x.a.example/", rank=1), Entry("https://y.a.example:444/", rank=2))
    assert urls_on(frontier) == ["http://x.a.example/", "https://y.a.example:444/"]
    assert frontier.turn(0.0) == 0
    frontier.close()


def test_a_site_rests_until_it_is_due(path: Path) -> None:
    frontier = of(path, Entry(A), Entry(B))
    site = frontier.turn(10.0)
    assert frontier.next_due() is None
    frontier.release(site, 12.0, 10.0)
    assert (frontier.turn(11.9), frontier.is_ready(11.9), frontier.next_due()) == (0, False, 12.0)
    assert (frontier.is_ready(12.0), frontier.turn(12.0), frontier.next_due()) == (True, site, None)
    frontier.release(site, 12.0, 12.0)
    assert frontier.turn(12.0) == site
    frontier.close()


def test_a_better_address_does_not_wake_a_site_that_rests_or_has_its_turn(path: Path) -> None:
    frontier = of(path, Entry(A, rank=5))
    site = frontier.turn(0.0)
    frontier.add([Entry(B, rank=1)])
    assert frontier.turn(0.0) == 0
    frontier.release(site, 9.0, 0.0)
    frontier.add([Entry("http://a.example/3", rank=0)])
    assert frontier.turn(8.0) == 0
    assert frontier.turn(9.0) == site
    assert [target.rank for target in frontier.best(site, 9)] == [0, 1, 5]
    frontier.close()


def test_a_site_with_nothing_left_sleeps_until_something_comes(path: Path) -> None:
    frontier = of(path, Entry(A))
    site = frontier.turn(0.0)
    frontier.settle(frontier.id_of(A), "kept")
    frontier.release(site, 0.0, 0.0)
    assert frontier.turn(99.0) == 0
    frontier.add([Entry(B)])
    assert frontier.turn(0.0) == site
    frontier.settle(frontier.id_of(B), "kept")
    frontier.release(site, 5.0, 0.0)
    assert frontier.turn(6.0) == 0
    frontier.close()


def test_addresses_ranked_anew_move_their_site(path: Path) -> None:
    frontier = of(path, Entry(A, rank=5), Entry(C, rank=6))
    frontier.rerank([])
    frontier.rerank([(2, frontier.id_of(C))])
    assert urls_on(frontier) == [C]
    frontier.close()


def test_an_address_settled_outside_its_turn_is_not_offered(path: Path) -> None:
    frontier = of(path, Entry(A, rank=1), Entry(B, rank=8), Entry(C, rank=5))
    frontier.settle(frontier.id_of(A), "kept")
    assert urls_on(frontier) == [C]
    frontier.settle(frontier.id_of(B), "kept")
    assert frontier.turn(0.0) == 0
    frontier.close()


def test_settling_twice_changes_nothing(path: Path) -> None:
    frontier = of(path, Entry(A), Entry(B))
    frontier.settle(frontier.id_of(A), "kept", "first", 3.0, 1.5)
    frontier.settle(frontier.id_of(A), "dns", "second", 4.0, None)
    frontier.settle(12345, "kept")
    known = frontier.fate(A)
    assert known is not None
    assert (known.fate, known.detail, known.at, known.weight) == ("kept", "first", 3.0, 1.5)
    assert frontier.counts == {"waiting": 1, "kept": 1}
    frontier.close()


def test_what_is_postponed_goes_on_waiting_behind_the_others(path: Path) -> None:
    frontier = of(path, Entry(A, rank=1), Entry(B, rank=2))
    site = frontier.turn(0.0)
    frontier.postpone(frontier.id_of(A), RANK_MAX, 1)
    assert [(t.url, t.tries) for t in frontier.best(site, 9)] == [(B, 0), (A, 1)]
    assert frontier.waiting == 2
    frontier.close()


def test_the_failed_can_be_revived(path: Path) -> None:
    frontier = of(path, Entry(A, skip="dns"), Entry(C, skip="http_500"), Entry(B, rank=9), Entry("http://c.example/"))
    frontier.settle(frontier.id_of("http://c.example/"), "kept")
    assert frontier.revive(["dns", "http_500", "refused"]) == 2
    assert fates(frontier, [A, B, C, "http://c.example/"]) == ["waiting", "waiting", "waiting", "kept"]
    assert urls_on(frontier) == [B, A]
    assert urls_on(frontier) == [C]
    assert (frontier.waiting, frontier.counts["dns"], frontier.counts["http_500"]) == (3, 0, 0)
    frontier.close()


def test_fates_are_listed_by_kind_in_order_of_discovery(path: Path) -> None:
    frontier = of(
        path, Entry(A, skip="robots"), Entry(B), Entry(C, skip="media"), Entry("http://c.example/", skip="robots")
    )
    everything = ["robots", "media", "waiting"]
    assert [fate.url for fate in frontier.fates(["robots", "media"])] == [A, C, "http://c.example/"]
    assert [fate.url for fate in frontier.fates(everything)] == [B, A, C, "http://c.example/"]
    assert [fate.url for fate in frontier.fates(everything, 2)] == [B, A]
    assert [fate.url for fate in frontier.fates(["waiting"], 0)] == []
    for limit in ((1 << 63) - 1, 1 << 63, 10**30):
        assert len(list(frontier.fates(everything, limit))) == 4
    for limit in (-2, -(10**30)):
        with pytest.raises(SettingError, match=f"--limit {limit}: must be 0 or more"):
            frontier.fates(everything, limit)
    assert list(frontier.fates([])) == list(frontier.fates(["' OR 1 --"])) == []
    assert [fate.rank for fate in frontier.fates(["waiting"])] == [0]
    frontier.close()


# -- hosts -------------------------------------------------------------------------------------------------------------


def test_pages_and_robots_are_counted_and_kept_by_origin(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts_module, "NAMES_CACHED", 2)  # so that names are forgotten and found again
    frontier = opened(path)
    bases = [f"http://h{n}.example" for n in range(5)]
    for base in bases:
        assert (frontier.robots(base), frontier.fetched_on(base)) == (None, 0)
        frontier.keep_robots(base, base.encode())
        frontier.count_fetched(base)
    frontier.keep_robots(bases[0], b"newer")
    frontier.count_fetched(bases[0])
    frontier.close()
    frontier = opened(path)
    frontier.count_fetched(bases[0])
    assert [frontier.fetched_on(base) for base in bases] == [3, 1, 1, 1, 1]
    assert [frontier.robots(base) for base in bases] == [b"newer", *(base.encode() for base in bases[1:])]
    frontier.close()


# -- durability --------------------------------------------------------------------------------------------------------


def test_what_is_not_committed_is_gone_and_what_is_committed_is_there(path: Path) -> None:
    frontier = of(path, Entry(A, rank=4), Entry(C, skip="robots"))
    frontier.facts["learned"] = b"\0\xff"
    frontier.commit()
    frontier.add([Entry(B)])
    frontier.settle(frontier.id_of(A), "kept")
    frontier.facts["learned"] = b"more"
    frontier.count_fetched("http://a.example")
    frontier.close(commit=False)
    frontier = opened(path)
    assert fates(frontier, [A, B, C]) == ["waiting", "", "robots"]
    assert (frontier.facts, frontier.counts) == ({"learned": b"\0\xff"}, {"waiting": 1, "robots": 1})
    assert frontier.fetched_on("http://a.example") == 0
    frontier.forget_fact("learned")
    frontier.forget_fact("never known")
    frontier.close()
    frontier = opened(path)
    assert (frontier.facts, urls_on(frontier)) == ({}, [A])
    frontier.close()


def test_numbers_are_not_given_twice(path: Path) -> None:
    frontier = of(path, Entry(A), Entry(B))
    frontier.close()
    frontier = of(path, Entry(C))
    assert [frontier.id_of(url) for url in (A, B, C)] == [1, 2, 3]
    frontier.close()


def test_whoever_had_a_turn_has_lost_it_and_whoever_rested_still_rests(path: Path) -> None:
    frontier = of(path, Entry(A, rank=1), Entry(C, rank=2))
    resting = frontier.turn(0.0)
    on_turn = frontier.turn(0.0)
    frontier.release(resting, 1_000.0, 0.0)
    frontier.close()
    frontier = opened(path, now=10.0)
    assert (frontier.turn(10.0), frontier.turn(10.0), frontier.next_due()) == (on_turn, 0, 1_000.0)
    assert frontier.turn(1_000.0) == resting
    frontier.close()


@pytest.mark.parametrize("now", [5.0, 50.0])
def test_what_came_in_while_an_empty_site_rested_is_not_lost_by_a_new_start(path: Path, now: float) -> None:
    frontier = of(path, Entry(A))
    site = frontier.turn(0.0)
    frontier.settle(frontier.id_of(A), "kept")
    frontier.release(site, 30.0, 0.0)
    frontier.add([Entry(B)])
    frontier.close()
    frontier = opened(path, now)
    assert frontier.turn(max(now, 30.0)) == site
    frontier.close()


def test_a_better_address_that_came_in_during_a_turn_counts_after_a_new_start(path: Path) -> None:
    frontier = of(path, Entry(A, rank=9), Entry(C, rank=5))
    frontier.release(frontier.turn(0.0), 0.0, 0.0)
    frontier.settle(frontier.id_of(C), "kept")
    frontier.add([Entry("http://b.example/2", rank=7)])
    frontier.turn(0.0)
    assert urls_on(frontier) == [A]
    frontier.add([Entry(B, rank=1)])
    frontier.close()
    frontier = opened(path)
    assert urls_on(frontier) == [B, A]
    frontier.close()


def test_a_reader_beside_a_writer_sees_what_is_committed(path: Path) -> None:
    writer = of(path, Entry(A))
    writer.commit()
    reader = Frontier(path, read_only=True)
    writer.add([Entry(B)])
    assert fates(reader, [A, B]) == ["waiting", ""]
    writer.commit()
    assert fates(reader, [A, B]) == ["waiting", "waiting"]
    writer.settle(writer.id_of(A), "kept")
    writer.close()
    assert fates(reader, [A, B]) == ["kept", "waiting"]
    with pytest.raises(StoreError, match="may not be written to"):
        reader.add([Entry(C)])
    reader.close()
    late = Frontier(path, read_only=True)
    assert fates(late, [A, B, C]) == ["kept", "waiting", ""]
    late.close()


# -- fingerprints ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("young_max", [0, 1, 20, 10_000])
def test_known_addresses_are_known_however_few_are_kept_in_memory(path: Path, young_max: int) -> None:
    urls = [f"http://h{n % 7}.example/{n}" for n in range(300)]
    frontier = opened(path, young_max=young_max)
    for start in range(0, 300, 30):
        if start == 150:
            frontier.close()
            frontier = opened(path, young_max=young_max)
        assert frontier.add(Entry(url) for url in urls[: start + 30]) == 30
    assert frontier.add(Entry(url) for url in urls) == 0
    numbers = [frontier.id_of(url) for url in urls]
    assert sorted(numbers) == list(range(1, 301))
    frontier.close()
    reader = Frontier(path, read_only=True)
    assert [reader.id_of(url) for url in urls] == numbers
    assert reader.id_of("http://h1.example/other") == 0
    reader.close()


def test_merging_reaches_every_slice(path: Path) -> None:
    frontier = opened(path, young_max=5)
    frontier.add(Entry(f"http://a.example/{n}") for n in range(2_000))
    frontier.close()
    with sqlite3.connect(path) as db:
        merged = dict(db.execute("SELECT slice, upto FROM merged"))
        known = dict(db.execute("SELECT hash, id FROM known"))
    db.close()
    assert sorted(merged) == list(range(16))
    assert set(merged.values()) == {2_000}
    assert len(known) >= 1_995
    assert all(known.get(fingerprint(f"http://a.example/{n}"), n + 1) == n + 1 for n in range(2_000))


# -- files that are no frontier ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize("layout", [1, 99])
def test_another_layout_is_not_touched(path: Path, read_only: bool, layout: int) -> None:
    opened(path).close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {layout}")
    db.close()
    with pytest.raises(StoreError, match=rf"frontier.sqlite: .*layout {layout}, not 2"):
        Frontier(path, read_only)


@pytest.mark.parametrize("read_only", [True, False])
def test_a_file_that_is_no_database_is_an_error(path: Path, read_only: bool) -> None:
    path.write_bytes(b"nothing of the kind" * 100)
    with pytest.raises(StoreError, match="cut short or damaged"):
        Frontier(path, read_only)
    path.unlink()
    path.mkdir()
    with pytest.raises(StoreError, match=f"{path}: "):
        Frontier(path, read_only)


def test_a_reader_makes_no_file(path: Path) -> None:
    with pytest.raises(StoreError, match="cannot be opened"):
        Frontier(path, read_only=True)
    assert not path.exists()


def test_a_frontier_cut_short_anywhere_answers_or_says_so(path: Path) -> None:
    frontier = of(path, *(Entry(f"http://h{n}.example/{'long' * 20}", skip="robots" * (n % 2)) for n in range(300)))
    frontier.close()
    size = path.stat().st_size
    told = []
    for kept in range(size - size % 4096, 0, -4096):
        os.truncate(path, kept)
        try:
            cut = Frontier(path, read_only=True)
            with closing(cut):
                list(cut.fates(["robots", "waiting"]))
                cut.id_of("http://h1.example/")
        except StoreError as error:
            told.append(str(error))
    assert len(told) > 3
    assert all(message.startswith(f"{path}: it is cut short or damaged") for message in told)


def test_a_damaged_frontier_says_so_whatever_is_asked(path: Path) -> None:
    frontier = of(path, *(Entry(f"http://h{n}.example/") for n in range(2_000)))
    frontier.close()
    frontier = opened(path)
    with sqlite3.connect(path) as db:
        names = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    db.close()
    assert set(names) == {"sites", "hosts", "robots", "addresses", "known", "merged", "queue", "fates", "facts"}
    frontier.close()
    with sqlite3.connect(path) as db:
        for name in ("queue", "fates", "hosts", "sites"):
            db.execute(f"DROP TABLE {name}")
    db.close()
    with pytest.raises(StoreError, match="damaged"):
        opened(path)
    reader = Frontier(path, read_only=True)
    for ask in (
        lambda: reader.fetched_on("http://h1.example"),
        lambda: reader.best(1, 1),
        lambda: list(reader.fates(["waiting"])),
        lambda: reader.settle(1, "kept"),
        lambda: reader.turn(0.0),
        lambda: reader.postpone(1, 2, 3),
        lambda: reader.keep_robots("http://new.example", b""),
        lambda: reader.rerank([(1, 1)]),
    ):
        with pytest.raises(StoreError, match=r"frontier.sqlite: it is cut short or damaged: .*no such table"):
            ask()
    reader.close()
