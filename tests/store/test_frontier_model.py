"""The frontier does what a dictionary of addresses would, through commits, crashes and new starts."""

from __future__ import annotations

import copy
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec import Struct

from halflife.records import Target
from halflife.store import RANK_MAX, Entry, Frontier
from halflife.store.frontier import SOFT
from halflife.urls import site

HOSTS = ("http://a.example", "https://a.example", "http://x.a.example", "http://b.example")
URLS = [f"{base}/{path}" for base in HOSTS for path in "123"] + [f"http://{name}.example/" for name in "cdef"]
FATES = ("kept", "irrelevant", "dns", "http_500")
WORDS = ("sun", "wind", "tide", "")
ENTRIES = st.builds(
    Entry,
    url=st.sampled_from(URLS),
    rank=st.integers(0, 9),
    depth=st.integers(0, 4),
    tunnel=st.integers(0, 3),
    anchor=st.sampled_from(WORDS),
    skip=st.sampled_from(("", "", "", "robots", *SOFT)),
)


class Known(Struct):
    """What the dictionary says of an address."""

    first: Entry
    rank: int = 0
    depth: int = 0
    tunnel: int = 0
    anchor: str = ""
    tries: int = 0
    fate: str = "waiting"
    weight: float | None = None


class Model(Struct):
    """Everything that is to be durable."""

    known: dict[str, Known] = {}
    due: dict[str, float] = {}
    facts: dict[str, bytes] = {}
    fetched: dict[str, int] = {}

    def waiting(self, name: str) -> list[tuple[int, str]]:
        return sorted((a.rank, url) for url, a in self.known.items() if a.fate == "waiting" and site(url) == name)

    def sites(self) -> set[str]:
        return {site(url) for url, address in self.known.items() if address.fate == "waiting"}

    def add(self, entries: list[Entry]) -> int:
        batch: dict[str, Entry] = {}
        for entry in entries:
            before = batch.get(entry.url)
            if before is None or (bool(entry.skip), entry.rank) < (bool(before.skip), before.rank):
                batch[entry.url] = entry
        fresh = [entry for entry in batch.values() if entry.url not in self.known]
        for entry in batch.values():
            known = self.known.get(entry.url)
            if known is None:
                self.known[entry.url] = _known(entry, entry)
            elif entry.skip:
                continue
            elif known.fate in SOFT:
                self.known[entry.url] = _known(entry, entry)  # from now on this is how it was found
            elif known.fate == "waiting":
                _improve(known, entry)
        return len(fresh)


def _known(entry: Entry, first: Entry) -> Known:
    return Known(first, entry.rank, entry.depth, entry.tunnel, entry.anchor, 0, entry.skip or "waiting")


def _improve(known: Known, entry: Entry) -> None:
    known.rank = min(known.rank, entry.rank)
    known.depth = min(known.depth, entry.depth)
    known.tunnel = min(known.tunnel, entry.tunnel)
    if entry.anchor not in known.anchor:
        known.anchor = f"{known.anchor} | {entry.anchor}" if known.anchor else entry.anchor


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "frontier.sqlite"
        self.now = 1_000.0
        self.model, self.durable = Model(), Model()
        self.turns: dict[str, int] = {}  # sites on turn, with their numbers
        self.frontier = self._opened()

    def _opened(self) -> Frontier:
        return Frontier(self.path, young_max=3, clock=lambda: self.now)

    def teardown(self) -> None:
        self.frontier.close(commit=False)
        self.folder.cleanup()

    # -- what the main process does --------------------------------------------------------------------------------

    @rule(entries=st.lists(ENTRIES, max_size=6))
    def add(self, entries: list[Entry]) -> None:
        assert self.frontier.add(entries) == self.model.add(entries)

    @rule()
    def turn(self) -> None:
        rested = {n for n in self.model.sites() - self.turns.keys() if self.model.due.get(n, 0.0) <= self.now}
        best = min((self.model.waiting(name)[0][0] for name in rested), default=None)
        assert self.frontier.is_ready(self.now) == bool(rested)
        number = self.frontier.turn(self.now)
        if best is None:
            assert number == 0
            return
        name = site(self.frontier.best(number, 1)[0].url)
        assert name in rested
        assert self.model.waiting(name)[0][0] == best
        self.turns[name] = number

    def _target(self, data: st.DataObject) -> Target | None:
        """Some waiting address of a site that has its turn."""
        number = self.turns[data.draw(st.sampled_from(sorted(self.turns)))]
        targets = self.frontier.best(number, 100)
        return data.draw(st.sampled_from(targets)) if targets else None

    @precondition(lambda self: self.turns)
    @rule(data=st.data(), fate=st.sampled_from(FATES), weight=st.none() | st.floats(0, 9))
    def settle(self, data: st.DataObject, fate: str, weight: float | None) -> None:
        if target := self._target(data):
            self.frontier.settle(target.id, fate, "", self.now, weight)
            self.frontier.settle(target.id, "twice", "which changes nothing", 7.0, 7.0)
            known = self.model.known[target.url]
            known.fate, known.weight = fate, weight

    @precondition(lambda self: self.turns)
    @rule(data=st.data())
    def postpone(self, data: st.DataObject) -> None:
        if target := self._target(data):
            self.frontier.postpone(target.id, RANK_MAX, target.tries + 1)
            known = self.model.known[target.url]
            known.rank, known.tries = RANK_MAX, known.tries + 1

    @precondition(lambda self: self.turns)
    @rule(data=st.data(), rank=st.integers(0, 9))
    def rerank(self, data: st.DataObject, rank: int) -> None:
        if target := self._target(data):
            self.frontier.rerank([(rank, target.id)])
            self.model.known[target.url].rank = rank

    @precondition(lambda self: self.turns)
    @rule(data=st.data(), rest=st.sampled_from((0.0, 2.0, 50.0)))
    def release(self, data: st.DataObject, rest: float) -> None:
        name = data.draw(st.sampled_from(sorted(self.turns)))
        self.frontier.release(self.turns.pop(name), self.now + rest, self.now)
        self.model.due[name] = self.now + rest

    @rule(seconds=st.sampled_from((1.0, 3.0, 60.0)))
    def time_passes(self, seconds: float) -> None:
        self.now += seconds

    @rule(fates=st.lists(st.sampled_from(("dns", "http_500", "robots")), unique=True))
    def revive(self, fates: list[str]) -> None:
        dead = [known for known in self.model.known.values() if known.fate in fates]
        assert self.frontier.revive(fates) == len(dead)
        for known in dead:
            known.fate, known.rank, known.tries, known.weight = "waiting", RANK_MAX, 0, None
            known.depth, known.tunnel, known.anchor = known.first.depth, known.first.tunnel, known.first.anchor

    @rule(name=st.sampled_from("xyz"), value=st.binary(max_size=3))
    def learn_fact(self, name: str, value: bytes) -> None:
        self.frontier.facts[name] = self.model.facts[name] = value

    @rule(name=st.sampled_from("xyz"))
    def forget_fact(self, name: str) -> None:
        self.frontier.forget_fact(name)
        self.model.facts.pop(name, None)

    @rule(url=st.sampled_from(URLS[-4:]))
    def count_fetched(self, url: str) -> None:
        base = url.removesuffix("/")
        self.frontier.count_fetched(base)
        self.model.fetched[base] = self.model.fetched.get(base, 0) + 1

    @rule()
    def commit(self) -> None:
        self.frontier.commit()
        self.durable = copy.deepcopy(self.model)

    @rule(commit=st.booleans(), seconds=st.sampled_from((0.0, 3.0, 60.0)))
    def end_and_begin_again(self, commit: bool, seconds: float) -> None:
        self.frontier.close(commit)
        if commit:
            self.durable = copy.deepcopy(self.model)
        self.model = copy.deepcopy(self.durable)
        self.turns.clear()
        self.now += seconds
        self.frontier = self._opened()

    # -- what must be so -------------------------------------------------------------------------------------------

    @rule()
    def another_looks_on(self) -> None:
        reader = Frontier(self.path, read_only=True)
        for url in URLS:
            _check_fate(reader, url, self.durable.known.get(url))
        _check_counts(reader, self.durable)
        reader.close()

    @invariant()
    def addresses_are_what_the_dictionary_says(self) -> None:
        for url in URLS:
            _check_fate(self.frontier, url, self.model.known.get(url))
        _check_counts(self.frontier, self.model)
        for base, count in self.model.fetched.items():
            assert self.frontier.fetched_on(base) == count

    @invariant()
    def sites_on_turn_have_their_best_first(self) -> None:
        for name, number in self.turns.items():
            targets = self.frontier.best(number, 100)
            assert sorted((target.rank, target.url) for target in targets) == self.model.waiting(name)
            assert [target.rank for target in targets] == [rank for rank, _ in self.model.waiting(name)]
            for target in targets:
                known = self.model.known[target.url]
                found = target.depth, target.tunnel, target.anchor, target.tries
                assert found == (known.depth, known.tunnel, known.anchor, known.tries)


def _check_fate(frontier: Frontier, url: str, known: Known | None) -> None:
    found = frontier.fate(url)
    if known is None:
        assert found is None
        return
    assert found is not None
    assert (found.url, found.fate, found.weight) == (url, known.fate, known.weight)
    waits = known.fate == "waiting"
    assert found.rank == (known.rank if waits else None)
    assert found.depth == (known.depth if waits else known.first.depth)
    assert found.anchor == (known.anchor if waits else known.first.anchor)
    assert frontier.is_waiting(found.id) == waits


def _check_counts(frontier: Frontier, model: Model) -> None:
    counts: dict[str, int] = {}
    for known in model.known.values():
        counts[known.fate] = counts.get(known.fate, 0) + 1
    assert {name: count for name, count in frontier.counts.items() if count} == counts
    assert frontier.waiting == counts.get("waiting", 0)
    assert frontier.facts == model.facts
    listed = [(fate.url, fate.fate) for fate in frontier.fates(list(counts))]
    assert sorted(listed) == sorted((url, known.fate) for url, known in model.known.items())


Machine.TestCase.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
TestTheFrontierIsADictionary = Machine.TestCase
