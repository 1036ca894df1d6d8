"""The books of a crawl: what each visit means for the frontier, for what is expected of links, and for the counts.

Written by the main process alone. A visit is booked once, however often it is told: each segment has a mark, the end of
its journal up to which all is booked, and the marks are committed together with what they stand for.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from msgspec import Struct

from halflife.judge import link_share, parse_topic
from halflife.plan import Expectations
from halflife.records import Target, Why
from halflife.run.messages import Found, Head
from halflife.run.settings import CrawlSettings
from halflife.store import Entry, Frontier
from halflife.store.frontier import RANK_MAX
from halflife.urls import origin

MARK = "end:"  # facts: how far each segment's journal is booked
RETRIES_MAX = 2  # a failure that may pass is tried again twice, behind everything that waits
LONG_REST_SECONDS = 30.0  # a rest longer than this is remembered over restarts
LISTED = (Why.SITEMAP, Why.FEED)


class Counts(Struct):
    """What was done on this store, in all runs."""

    pages: int = 0  # answers to addresses of the crawl
    kept: int = 0
    judged: int = 0
    failed: int = 0  # attempts that got no answer, or an error
    wire_bytes: int = 0


class Books:
    """The frontier and what is learned, kept up with what the workers tell."""

    def __init__(self, frontier: Frontier, settings: CrawlSettings) -> None:
        self.frontier = frontier
        self.settings = settings
        self._topic = parse_topic(settings.topic)
        self.expectations = Expectations(starve=settings.starve)
        if learned := frontier.facts.get("learned"):
            self.expectations.unpack(learned)
        self.counts = msgspec.msgpack.decode(frontier.facts.get("counts", b"\x80"), type=Counts)
        self._marks = {
            name.removeprefix(MARK): int(value) for name, value in frontier.facts.items() if name.startswith(MARK)
        }
        self._entries: list[Entry] = []

    def mark(self, segment: str) -> int:
        """Up to where a segment's journal is booked."""
        return self._marks.get(segment, 0)

    def book(self, segment: str, end: int, target: Target, head: Head) -> bool:
        """Book one visit; False when it was booked before."""
        if end <= self.mark(segment):
            return False
        self._marks[segment] = end
        self.counts.wire_bytes += head.wire_bytes
        if target.id:
            self._settle(target, head)
            self._learn(target, head)
            self._entries.extend(self._entry(found, target, head) for found in head.found)
        return True

    def in_frontier(self, target: Target) -> Target:
        """A target of an earlier run by its number in the frontier now; what discovered it may be in another journal."""
        self.flush()
        via = self.frontier.id_of(target.via) if target.via else 0
        self.frontier.add([Entry(
            target.url, target.rank, target.why, via, target.depth, target.tunnel, target.anchor, target.near,
            target.redirects,
        )])  # fmt: skip
        return msgspec.structs.replace(target, id=self.frontier.id_of(target.url))

    def flush(self) -> None:
        """Make what was found known to the frontier."""
        if self._entries:
            self.frontier.add(self._entries)
            self._entries.clear()

    def forget_all_but(self, journals: Iterable[str]) -> None:
        """Marks are needed for as long as their journals lie there: one without its mark would be booked twice."""
        for segment in self._marks.keys() - set(journals):
            del self._marks[segment]
            self.frontier.forget_fact(MARK + segment)

    def commit(self) -> None:
        """Make everything booked so far durable."""
        self.flush()
        facts = self.frontier.facts
        facts.update((MARK + segment, str(end).encode()) for segment, end in self._marks.items())
        facts["counts"] = msgspec.msgpack.encode(self.counts)
        facts["learned"] = self.expectations.pack()
        self.frontier.commit()

    def died(self, target: Target, took_too_long: bool) -> None:
        """A worker died over this address's page. It gets few more chances, for something else may have been the reason."""
        if took_too_long or target.tries >= RETRIES_MAX:
            why = "it took too long" if took_too_long else "the process that read it died each time"
            self.frontier.settle(target.id, "worker_died", why)
            self.counts.failed += 1
        else:
            self.frontier.postpone(target.id, RANK_MAX, target.tries + 1)

    def _settle(self, target: Target, head: Head) -> None:
        counts = self.counts
        counts.pages += head.answered
        counts.kept += head.kept
        counts.judged += head.weight is not None
        counts.failed += head.fate.startswith("http_") or not head.answered
        if head.answered:
            self.frontier.count_fetched(origin(target.url))
        if head.again and target.tries < RETRIES_MAX:
            self.frontier.postpone(target.id, RANK_MAX, target.tries + 1)
        else:
            self.frontier.settle(target.id, head.fate, head.detail, head.at, head.weight)

    def _learn(self, target: Target, head: Head) -> None:
        if head.weight is not None:
            self.expectations.learn(target, self.share(target), head.relevant)
        elif head.answered and head.fate not in ("redirected", "sitemap", "feed"):
            self.expectations.learn(target, self.share(target), relevant=False)

    def _entry(self, found: Found, target: Target, head: Head) -> Entry:
        return Entry(
            url=found.url,
            rank=0 if found.skip else self._rank(found, target, head),
            why=Why(found.why),
            via=target.id,
            depth=head.depth,
            tunnel=head.tunnel,
            anchor=found.anchor,
            near=found.near,
            redirects=head.redirects,
            skip=found.skip,
        )

    def _rank(self, found: Found, target: Target, head: Head) -> int:
        if found.why == Why.REDIRECT:
            return target.rank  # it stands where the address stood that led to it
        if self.settings.order == "breadth":
            return min(head.depth, RANK_MAX - 1)
        link = Target(
            found.url, why=Why(found.why), via=target.url, depth=head.depth, tunnel=head.tunnel, anchor=found.anchor,
            near=found.near,
        )  # fmt: skip
        return self.expectations.rank(link, found.share)

    def rank_again(self, target: Target) -> int:
        """The place in the queue of an address that waits, by what is known now."""
        return self.expectations.rank(target, self.share(target))

    def share(self, target: Target) -> float:
        """How much of the topic the words and the address of the links to it name."""
        return link_share(target.url, target.anchor, self._topic)
