"""`scripts/bench crawl --profile`: where the time of one page goes, and what a link to a known address costs.

The same parts that a crawl runs in its processes, here in one, so that the time of each can be booked: a turn is
chosen, its addresses are fetched, each answer is read, weighed and written, and what was found goes into the frontier.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from bench.known_link import known_link_microseconds
from bench.ledger import Ledger, Place
from bench.rivals import CONNECTIONS_PER_HOST, TOPIC, nginx_missing
from bench.sets import CPP, HOME, JAVA, PYTHON, RULE, PageSet, missing_packages
from bench.tinyset import make_tiny_sets
from bench.web import Web

UNLIMITED = 1 << 30
LENGTH_BYTES = 4  # before each message
FETCH, READ, WEIGH, LINKS, KNOWN = "fetch", "read the page", "weigh it", "link shares", "known links"
RULES, MESSAGES, WARC, PARQUET = "scope, traps, looks", "messages", "WARC and journal", "Parquet"
EXPECT, FRONTIER, CHOOSE, COMMIT = "expectations", "frontier: add, settle", "frontier: choose", "frontier: commit"
REST, THREADS = "the rest", "other threads"
STAGES = (FETCH, READ, WEIGH, LINKS, KNOWN, RULES, WARC, PARQUET, MESSAGES, EXPECT, FRONTIER, CHOOSE, COMMIT, REST)


class Profile(NamedTuple):
    """What one crawl in this process took."""

    pages: int
    stages: Ledger
    cpu_seconds: float  # of the whole process, other threads included


def profile(small: bool, pages_max: int) -> None:
    """Print, for each table, the cost of a page by stage and the cost of a known link."""
    _surround_as_workers()
    if lacking := nginx_missing():
        raise SystemExit(f"bench crawl --profile: not run: it needs {lacking}")
    with tempfile.TemporaryDirectory(prefix="halflife-bench-") as scratch:
        Path(scratch).chmod(0o755)  # started by root, nginx reads as nobody
        tables = [make_tiny_sets(Path(scratch))] if small else [[PYTHON, CPP], [JAVA]]
        if packages := missing_packages([each for sets in tables for each in sets]):
            raise SystemExit(f"bench crawl --profile: not run: apt install {' '.join(packages)} first")
        for number, sets in enumerate(tables):
            folder = Path(scratch) / f"table{number}"
            folder.mkdir()
            _report(sets, crawl_here(sets, folder / "crawl", pages_max or UNLIMITED))
            _report_known_link(sets, folder)


def _surround_as_workers() -> None:
    """Begin again with what worker processes are given: glibc looks at it only when a process starts."""
    from halflife.run.crew import SURROUNDINGS
    from halflife.run.worker import rarely_collect_garbage

    rarely_collect_garbage()
    if not os.environ.items() >= SURROUNDINGS.items():
        sys.stdout.flush()
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ | SURROUNDINGS)


def crawl_here(sets: list[PageSet], into: Path, pages_max: int) -> Profile:
    """Crawl the sets with all parts of halflife in this process, and book the time of each."""
    ledger = Ledger()
    with Web([each.folder for each in sets]) as web, ledger.watching(_places()):
        starts = tuple(web.origin(number) + each.start for number, each in enumerate(sets))
        began = time.process_time()
        pages = ledger.timed(REST, _turn_the_wheel)(crawl_settings(starts), into, pages_max, ledger)
        return Profile(pages, ledger, time.process_time() - began)


def crawl_settings(starts: tuple[str, ...]) -> Any:
    """The settings that `rivals.halflife_command` asks for."""
    from halflife.fetch import FetchSettings
    from halflife.run.settings import CrawlSettings

    return CrawlSettings(
        seeds=starts, topic=TOPIC, scope="host", include=(RULE,), tunnel=1_000_000, starve=0, traps_off=("all",),
        fetch=FetchSettings(delay_seconds=0, connections_per_host=CONNECTIONS_PER_HOST),
    )  # fmt: skip


def _places() -> list[Place]:
    from halflife.plan import Traps
    from halflife.run import books, known, messages, turns, visit
    from halflife.store import Frontier, SegmentWriter
    from halflife.store.tables import Tables

    return [
        (visit, "read", READ), (visit, "weigh", WEIGH), (visit, "link_shares", LINKS), (known.Known, "fresh", KNOWN),
        (visit.Visitor, "_refusal", RULES), (Traps, "lookalike", RULES),
        (SegmentWriter, "add", WARC), (Tables, "add", PARQUET), (SegmentWriter, "seal", PARQUET),
        (messages, "frame", MESSAGES), (messages, "pack_head", MESSAGES), (messages, "to_worker", MESSAGES),
        (books.Books, "book", EXPECT), (Frontier, "add", FRONTIER), (Frontier, "settle", FRONTIER),
        (Frontier, "release", CHOOSE), (Frontier, "turn", CHOOSE), (turns.Turns, "choose", CHOOSE),
        (books.Books, "commit", COMMIT),
    ]  # fmt: skip


def _turn_the_wheel(settings: Any, into: Path, pages_max: int, ledger: Ledger) -> int:
    """What `run.crawl` and `run.worker` do between them, one step after the other; says how many answers there were."""
    import uvloop

    from halflife.fetch import Fetcher
    from halflife.run import messages
    from halflife.run.begin import begin
    from halflife.run.turns import Turns
    from halflife.run.wheel import COMMIT_SECONDS

    begun = begin(settings, into)
    frontier, books = begun.frontier, begun.books
    turns = Turns(books)
    pages, committed_at = 0, time.monotonic()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        loop = runner.get_loop()
        desk = Desk(begun, ledger)
        fetcher = runner.run(_made(Fetcher, begun.settings.fetch, ignored, ignored))
        fetch_all = ledger.timed(FETCH, lambda targets: loop.run_until_complete(_fetch_all(fetcher, targets)))
        while pages < pages_max and (site := frontier.turn(time.time())):
            lease = messages.frame(messages.Lease(site, turns.choose(site, pages_max - pages)))
            taken: Any = messages.to_worker(lease[LENGTH_BYTES:])
            for fetch in fetch_all(taken.targets):
                report = desk.visited(fetch)
                books.book(report.segment, report.end, report.target, report.head)
                pages += 1
            books.flush()
            frontier.release(site, 0.0, time.time())
            if time.monotonic() - committed_at > COMMIT_SECONDS:
                desk.sync()
                books.commit()
                committed_at = time.monotonic()
        runner.run(fetcher.close())
        desk.seal()
    books.commit()
    frontier.close()
    begun.folder.unlock()
    return pages


def ignored(*_: Any) -> None:
    """Robots rules are not kept: the comparison asks for none."""


async def _made(make: Callable[..., Any], *arguments: Any) -> Any:
    """What has to be made inside a running loop."""
    return make(*arguments)


async def _fetch_all(fetcher: Any, targets: list[Any]) -> list[Any]:
    """A turn's addresses, over as many connections as a crawl would use."""
    waiting, fetched = deque(targets), []

    async def lane() -> None:
        while waiting:
            fetched.append(await fetcher.fetch(waiting.popleft()))

    await asyncio.gather(*(lane() for _ in range(CONNECTIONS_PER_HOST)))
    return fetched


class Desk:
    """A worker's reading and writing, without its process."""

    def __init__(self, begun: Any, ledger: Ledger) -> None:
        from halflife.run.messages import FromWorker
        from halflife.run.visit import Visitor

        decoder = msgspec.msgpack.Decoder(FromWorker)
        self._received = ledger.timed(MESSAGES, lambda framed: decoder.decode(memoryview(framed)[LENGTH_BYTES:]))

        self._folder, self._settings = begun.folder, begun.settings
        self._visitor = Visitor(begun.settings)
        self._segment: Any = None

    def visited(self, fetch: Any) -> Any:
        """Read, weigh, follow and write one answer; what the main process would be told of it."""
        from halflife.fetch import chunks_of
        from halflife.run import messages
        from halflife.store import SegmentWriter

        visit = self._visitor.visit(fetch, chunks_of(fetch.outcome))
        if self._segment is None:
            self._segment = SegmentWriter.create(self._folder)
        end = self._segment.add(fetch, visit.page, visit.weight, messages.pack_head(visit.head))
        report = messages.frame(messages.Report(self._segment.name, end, fetch.target, visit.head))
        if self._segment.size > self._settings.segment_bytes:
            self.seal()
        return self._received(report)

    def sync(self) -> None:
        """Put it on the disk."""
        if self._segment is not None:
            self._segment.sync()

    def seal(self) -> None:
        """Close the open segment."""
        if self._segment is not None:
            self._segment.seal()
            self._segment = None


# -- telling ---------------------------------------------------------------------------------------------------------


def _report(sets: list[PageSet], made: Profile) -> None:
    total = made.cpu_seconds
    threads = total - sum(made.stages.nanoseconds.values()) / 1e9
    each = total / made.pages * 1e6
    print(f"\n{', '.join(one.name for one in sets)}: {made.pages:,} answers in one process, {each:,.0f} us of CPU each")
    for stage in (*STAGES, THREADS):
        seconds = threads if stage == THREADS else made.stages.nanoseconds[stage] / 1e9
        print(f"  {stage:22} {seconds / made.pages * 1e6:8,.1f} us {seconds / total:6.1%}")


def _report_known_link(sets: list[PageSet], folder: Path) -> None:
    ours, theirs, links = known_link_microseconds(sets, crawl_settings((HOME + "/",)), folder)
    print(f"  a known link: {ours:.2f} us (bare loop, keeping nothing: {theirs:.2f}), on pages of {links:,} links")
