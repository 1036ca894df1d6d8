"""Opening a store for a crawl: the first time, or again after whatever ended the last run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from halflife.errors import InputError, SettingError, StoreError
from halflife.fetch import chunks_of, private_hosts
from halflife.plan import TRAPS
from halflife.records import Target, Why
from halflife.run.books import Books
from halflife.run.messages import Head, unpack_head
from halflife.run.settings import CrawlSettings
from halflife.run.visit import PASSING, PASSING_STATUS, Visitor
from halflife.store import Entry, Folder, Frontier, mend, notes
from halflife.urls import typed, why_not

SEEDS_FACT = "seeds"
SEEDS_MAX = 1_000_000  # they bound the scope, so every run keeps them in memory: 200 MB at the most
LIMITS_FACT = "limits"


class Begun(Struct):
    """A store that is ready to be crawled into."""

    settings: CrawlSettings
    folder: Folder
    frontier: Frontier
    books: Books
    resumed: bool
    recovered: int  # visits booked from journals


def begin(given: CrawlSettings, into: Path) -> Begun:
    """Open or make the store, agree on settings with it, and put right what a crash left behind."""
    seeds = tuple(dict.fromkeys(_canonical(seed) for seed in given.seeds))
    folder = Folder(into)
    resumed = folder.exists()
    if not resumed:
        _check_new(msgspec.structs.replace(given, seeds=seeds))
        folder.create(given.fixed())
    folder.lock()
    try:
        settings = given
        if resumed:
            _check_frontier(folder)
            settings = given.resumed(folder.settings(), str(into))
        frontier = Frontier(folder.frontier)
        try:
            return _ready(settings, seeds, folder, frontier, resumed)
        except BaseException:
            frontier.close(commit=False)
            raise
    except BaseException:
        folder.unlock()
        raise


def _check_new(settings: CrawlSettings) -> None:
    """What a new store needs, asked for before anything is made."""
    if not settings.topic.strip():
        raise SettingError('--topic is missing: say what to look for, as in --topic "solar energy"')
    if not settings.seeds:
        raise InputError("no seed: give at least one address, file of addresses or - for standard input")
    settings.checked()


def _check_frontier(folder: Folder) -> None:
    """Whatever was fetched had an address in the frontier first: without one it would all be fetched again."""
    if (folder.journals() or folder.segments()) and not (folder.frontier.exists() and folder.frontier.stat().st_size):
        raise StoreError(
            f"{folder.frontier}: missing or empty, though pages were fetched; put it back from a copy, or crawl into a new"
            " folder with --into (halflife pages still reads this one)"
        )


def _ready(settings: CrawlSettings, seeds: tuple[str, ...], folder: Folder, frontier: Frontier, resumed: bool) -> Begun:
    known = frontier.facts.get(SEEDS_FACT, b"").decode().split("\n") if SEEDS_FACT in frontier.facts else []
    everything = tuple(dict.fromkeys([*known, *seeds]))
    if len(everything) > SEEDS_MAX:
        raise InputError(
            f"{len(everything):,} seeds: at most {SEEDS_MAX:,} go into one store; split the list over several"
        )
    fetch = msgspec.structs.replace(settings.fetch, spool_folder=str(folder.spool))
    fetch = msgspec.structs.replace(fetch, private_hosts=private_hosts(everything, fetch.checked()))
    settings = msgspec.structs.replace(settings, seeds=everything, fetch=fetch).checked()
    books = Books(frontier, settings)
    recovered = sum(1 for _ in recover(books, folder))
    mend(folder, Visitor(settings).read, chunks_of)
    _sow(frontier, seeds, settings)
    if resumed:
        frontier.revive(_loosened(frontier.facts.get(LIMITS_FACT, b""), settings))
    frontier.facts[LIMITS_FACT] = msgspec.msgpack.encode(_limits(settings))
    frontier.facts[SEEDS_FACT] = "\n".join(everything).encode()
    if settings.retry_failed:
        frontier.revive(
            [*(kind.value for kind in PASSING), *(f"http_{status}" for status in PASSING_STATUS), "worker_died"]
        )
    books.commit()
    folder.forget_journals()  # sealed, booked, committed
    books.forget_all_but(folder.journals())
    return Begun(settings, folder, frontier, books, resumed, recovered)


def _limits(settings: CrawlSettings) -> dict[str, float]:
    """For each fate that a looser limit undoes, how loose the limit is."""
    unlimited = float("inf")
    limits = {
        "too_deep": settings.budget.depth or unlimited,
        "host_full": settings.budget.pages_per_host or unlimited,
        "starved": settings.starve or unlimited,
        "robots": not settings.fetch.robots,
        "robots_unreachable": not settings.fetch.robots,
        "guarded": settings.fetch.allow_private,
        **{f"trap_{name}": name in settings.traps_off or "all" in settings.traps_off for name in TRAPS},
    }
    return {fate: float(limit) for fate, limit in limits.items()}


def _loosened(before: bytes, settings: CrawlSettings) -> list[str]:
    """The fates to be undone because this run has looser limits than the last one."""
    last = msgspec.msgpack.decode(before, type=dict[str, float]) if before else {}
    return [fate for fate, limit in _limits(settings).items() if limit > last.get(fate, limit)]


def recover(books: Books, folder: Folder) -> Iterator[tuple[Target, Head]]:
    """Book the visits that are in journals and not in the books; they come one by one."""
    for segment in folder.journals():
        for end, target, note in notes(folder, segment, books.mark(segment)):
            known, head = books.in_frontier(target) if target.id else target, unpack_head(note)
            if books.book(segment, end, known, head):
                yield known, head
        books.flush()


def _sow(frontier: Frontier, seeds: Iterable[str], settings: CrawlSettings) -> None:
    scope = Visitor(settings).scope
    frontier.add(
        Entry(url=url, rank=0, why=Why.SEED, skip="excluded" if scope.refuses(url) == "excluded" else "")
        for url in seeds
    )


def _canonical(seed: str) -> str:
    url = typed(seed)
    if url is None:
        raise InputError(f"seed {seed!r}: {why_not(seed)}; write it as in https://example.org/")
    return url
