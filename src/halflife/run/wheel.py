"""The crawl: turns the wheel. Workers fetch, read, weigh and write; this process alone decides what is next.

One loop: listen to the workers, book what they tell, give rested sites their turn, and from time to time make it all
durable - first what the workers wrote, then the frontier, so that the frontier never knows of more than is on the disk.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from halflife.errors import StoreError
from halflife.events import Finished, Progress, Started, Tell, Visited, Warned, silent
from halflife.fetch import chunks_of
from halflife.records import Target
from halflife.run.begin import Begun, begin, recover
from halflife.run.crew import Crew, Hand
from halflife.run.messages import (
    Broken,
    FromWorker,
    Head,
    Lease,
    Located,
    Report,
    Robots,
    Sealed,
    Stopped,
    Synced,
    TurnOver,
)  # fmt: skip
from halflife.run.pulse import Pulse
from halflife.run.settings import CrawlSettings
from halflife.run.turns import Turns
from halflife.run.visit import Visitor
from halflife.store import mend
from halflife.urls import origin

COMMIT_SECONDS = 5.0  # how much work a power cut may cost
PROGRESS_SECONDS = 0.5  # how often progress is told
LISTEN_SECONDS = 0.2  # how long the loop sleeps at most: bounds how late a budget or Ctrl-C is seen
FINISH_SECONDS = 40.0  # workers get this long to finish; what is in flight then goes back to the queue
REST_SECONDS_MAX = 120.0  # when only resting sites are left, they are waited for so long, not longer
ROBOTS_REMEMBERED = 50_000  # origins for which a worker is known to have robots.txt
SITES_AT_ONCE = 200  # sites on turn for each worker: so many connections, and so many answers half read, at the most
# Workers that die one after the other with no visit between them: then something is wrong with more than their pages.
# A row of pages that each kill their worker is shorter.
DEATHS_MAX = 12

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # Ctrl-C, a polite kill, a terminal that is closed
Handler = Callable[[int, FrameType | None], Any] | int | None  # what Python's signal takes and gives


def crawl(settings: CrawlSettings, into: Path | str, tell: Tell = silent) -> Finished:
    """Crawl into a folder until a budget is spent or nothing is left; on a folder that has a crawl, go on with it."""
    begun = begin(settings, Path(into))
    try:
        return _Wheel(begun, tell).turn()
    finally:
        begun.frontier.close(commit=False)
        begun.folder.unlock()


class _Wheel:
    def __init__(self, begun: Begun, tell: Tell) -> None:
        self.settings, self.folder, self.frontier, self.books = (
            begun.settings,
            begun.folder,
            begun.frontier,
            begun.books,
        )
        self.tell = tell
        self.turns = Turns(self.books)
        self.pulse = Pulse(self.books, self.settings, self.folder)
        self.waiting_for: dict[int, list[Target]] = {}  # sites whose server is being looked up
        self.sealed: list[str] = []  # segments that are complete and not yet committed
        self.deferred: list[tuple[Hand, FromWorker]] = []  # told after a worker's Synced: not on its disk yet
        self.reason = ""
        self.deaths = 0
        self.committed_at = self.told_at = time.monotonic()
        self.syncing = False
        self.interrupted = False
        self.crew: Crew
        tell(Started(
            str(self.folder.path), self.settings.topic, self.settings.method, self.settings.workers,
            begun.resumed, self.frontier.waiting, begun.recovered,
        ))  # fmt: skip

    def turn(self) -> Finished:
        self.crew = Crew(self.settings, self.folder.path, self.folder.lock_fd)
        previous = self._on_signals(self._interrupt)
        try:
            while not self.reason:
                self._listen(self._patience())
                self.reason = self._over()
                if not self.reason:
                    self._lease()
                self._commit_when_due()
                self._progress_when_due()
            self._finish()
        finally:
            self.crew.end()
            for number, handler in previous.items():
                signal.signal(number, handler)
        finished = self.pulse.finished(self.reason)
        self.tell(finished)
        return finished

    # -- Ctrl-C ----------------------------------------------------------------------------------------------------

    def _on_signals(self, handler: Handler) -> dict[int, Handler]:
        """Ctrl-C, and a polite kill, end the run cleanly; the second one ends it at once."""
        import threading

        if threading.current_thread() is not threading.main_thread():
            return {}
        return {number: signal.signal(number, handler) for number in ENDINGS}

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True  # no word of it from here: this may stand in the middle of another one's writing

    # -- what workers tell -----------------------------------------------------------------------------------------

    def _listen(self, seconds: float) -> None:
        for hand, messages in self.crew.listen(seconds):
            if messages is None:
                self._died(hand)
            else:
                for message in messages:
                    self._hear(hand, message)
        self.books.flush()

    def _hear(self, hand: Hand, message: FromWorker) -> None:
        if self.syncing and hand.synced and isinstance(message, Report | Sealed):
            self.deferred.append((hand, message))
        elif isinstance(message, Report):
            self._book(hand, message)
        elif isinstance(message, TurnOver):
            self._turn_over(hand, message)
        elif isinstance(message, Robots):
            self.frontier.keep_robots(message.origin, message.blob)
        elif isinstance(message, Located):
            self._located(hand, message)
        elif isinstance(message, Synced):
            hand.synced = True
        elif isinstance(message, Sealed):
            self.sealed.append(message.segment)
        elif isinstance(message, Stopped):
            hand.stopped = True
        elif isinstance(message, Broken):
            raise StoreError(message.reason)

    def _book(self, hand: Hand, report: Report) -> None:
        head, target = report.head, report.target
        for targets in hand.turns.values():
            targets.pop(target.id, None)
        if self.books.book(report.segment, report.end, target, head):
            self._booked(target, head)

    def _recover(self) -> None:
        for target, head in recover(self.books, self.folder):
            self._booked(target, head)

    def _booked(self, target: Target, head: Head) -> None:
        self.deaths = 0
        self.pulse.booked(target, head)
        self.tell(_visited(target, head))

    def _turn_over(self, hand: Hand, message: TurnOver) -> None:
        hand.turns.pop(message.site, None)
        self.books.flush()
        self.frontier.release(message.site, message.due, time.time())

    def _located(self, hand: Hand, message: Located) -> None:
        hand.turns.pop(message.site, None)
        owner = self.crew.owners.settle(message.site, message.address)
        self._give(self.crew.hands[owner], message.site, self.waiting_for.pop(message.site))

    def _died(self, hand: Hand) -> None:
        """A worker is gone. What it wrote is booked from its journal; the page that it was reading may have killed it."""
        lost, (number, took_too_long) = dict(hand.turns), hand.last_words()
        self.deaths += not took_too_long
        if self.deaths > DEATHS_MAX:
            raise StoreError(
                f"{self.folder.path}: worker processes keep dying (out of memory?); free some, or use --workers 1"
            )
        self.crew.restart(hand)
        for _, message in [pair for pair in self.deferred if pair[0] is hand]:
            self._hear_late(hand, message)
        self.deferred = [pair for pair in self.deferred if pair[0] is not hand]
        self._recover()
        for site, targets in lost.items():
            if number in targets and self.frontier.is_waiting(number):
                self.books.died(targets[number], took_too_long)
            self.waiting_for.pop(site, None)
            self.frontier.release(site, 0.0, time.time())
        self.tell(Warned(f"worker {hand.number} died and was started again; its site's turns are given anew"))

    # -- what workers get ------------------------------------------------------------------------------------------

    def _lease(self) -> None:
        while self.crew.turns < SITES_AT_ONCE * self.settings.workers:
            allowed = self.pulse.pages_left() - self.crew.leased
            if allowed <= 0:
                return
            site = self.frontier.turn(time.time())
            if not site:
                return
            targets = self.turns.choose(site, allowed)
            if not targets:
                self.frontier.release(site, 0.0, time.time())
                continue
            hand = self.crew.owner(site, targets[0])
            if hand is None:
                self.waiting_for[site] = targets
            else:
                self._give(hand, site, targets)

    def _give(self, hand: Hand, site: int, targets: list[Target]) -> None:
        robots = []
        for base in {origin(target.url) for target in targets}:
            if base not in hand.met:
                hand.met[base] = None
                if len(hand.met) > ROBOTS_REMEMBERED:
                    hand.met.popitem(last=False)
                if blob := self.frontier.robots(base):
                    robots.append((base, blob))
        self.crew.lease(hand, Lease(site, targets, robots))

    # -- when to stop, when to save, when to tell ------------------------------------------------------------------

    def _patience(self) -> float:
        due = self.frontier.next_due()
        return LISTEN_SECONDS if due is None else min(LISTEN_SECONDS, max(0.0, due - time.time()))

    def _over(self) -> str:
        if self.interrupted:
            return "interrupted"
        if spent := self.pulse.spent():
            return spent
        if self.crew.turns or self.frontier.is_ready(time.time()):
            return ""
        due = self.frontier.next_due()
        if due is None:
            return "exhausted"
        return "resting" if due - time.time() > REST_SECONDS_MAX else ""

    def _commit_when_due(self) -> None:
        now = time.monotonic()
        if self.syncing:
            if self.crew.synced:
                self._commit()
        elif now - self.committed_at > COMMIT_SECONDS:
            self.syncing = True
            self.crew.sync()

    def _commit(self) -> None:
        self.books.commit()
        for segment in self.sealed:
            self.folder.forget_journal(segment)
        self.books.forget_all_but(self.folder.journals())
        self.sealed.clear()
        self.syncing = False
        self.committed_at = time.monotonic()
        deferred, self.deferred = self.deferred, []
        for hand, message in deferred:
            self._hear_late(hand, message)
        self.books.flush()

    def _hear_late(self, hand: Hand, message: FromWorker) -> None:
        if isinstance(message, Report):
            self._book(hand, message)
        elif isinstance(message, Sealed):
            self.sealed.append(message.segment)

    def _progress_when_due(self) -> None:
        now = time.monotonic()
        if now - self.told_at >= PROGRESS_SECONDS:
            self.told_at = now
            self.tell(self.progress())

    def progress(self) -> Progress:
        """Where the run stands."""
        return self.pulse.progress(self.crew.turns)

    def _finish(self) -> None:
        """Let the workers finish, book the rest, and close the books."""
        if self.interrupted:
            self.tell(Warned("stopping: what is in flight is being finished; once more to end at once"))
        self.crew.stop()
        give_up = time.monotonic() + FINISH_SECONDS
        while not all(hand.stopped for hand in self.crew.hands) and time.monotonic() < give_up:
            for hand, messages in self.crew.listen(LISTEN_SECONDS):
                if messages is None:
                    hand.stopped = True
                    self.crew.silence(hand)
                else:
                    for message in messages:
                        self._hear(hand, message)
            self.books.flush()
            self._progress_when_due()
        self.crew.end()
        self._commit()
        self._recover()
        mend(self.folder, Visitor(self.settings).read, chunks_of)
        self.books.commit()
        self.folder.forget_journals()


def _visited(target: Target, head: Head) -> Visited:
    return Visited(
        url=target.url,
        fate=head.fate,
        detail=head.detail,
        title=head.title,
        weight=head.weight,
        wire_bytes=head.wire_bytes,
        depth=target.depth,
        found=len(head.found),
    )
