"""What a run has done and how fast: progress, budgets, and the closing account."""

from __future__ import annotations

import time
from collections import deque

from halflife.events import Finished, Progress
from halflife.fates import is_skip
from halflife.records import Target
from halflife.run.books import Books
from halflife.run.messages import Head
from halflife.run.settings import CrawlSettings
from halflife.store import Folder

RATE_SECONDS = 10.0  # rates are those of the last ten seconds: steady enough to read, fresh enough to mean now
UNLIMITED = 1 << 60


class Pulse:
    """Counts of one run, and what they mean for its budgets."""

    def __init__(self, books: Books, settings: CrawlSettings, folder: Folder) -> None:
        self._books, self._settings, self._folder = books, settings, folder
        self._began = time.monotonic()
        self._pages_before = books.counts.pages
        self._attempted = self._answered = False
        self._samples: deque[tuple[float, int, int]] = deque(
            [(self._began, books.counts.pages, books.counts.wire_bytes)]
        )

    def booked(self, target: Target, head: Head) -> None:
        """One visit was booked."""
        if target.id:
            self._attempted = True
            self._answered |= head.answered

    def pages_left(self) -> int:
        """How many more answers the budget allows."""
        limit = self._settings.budget.pages
        return limit - self._books.counts.pages if limit else UNLIMITED

    def spent(self) -> str:
        """The budget that is used up, '' for none."""
        budget, counts = self._settings.budget, self._books.counts
        if budget.pages and counts.pages >= budget.pages:
            return "pages"
        if budget.bytes and counts.wire_bytes >= budget.bytes:
            return "bytes"
        if budget.seconds and time.monotonic() - self._began >= budget.seconds:
            return "seconds"
        return ""

    def progress(self, active_sites: int) -> Progress:
        """Where the run stands."""
        now, counts = time.monotonic(), self._books.counts
        self._samples.append((now, counts.pages, counts.wire_bytes))
        while len(self._samples) > 2 and now - self._samples[0][0] > RATE_SECONDS:
            self._samples.popleft()
        then, pages, wire_bytes = self._samples[0]
        passed = max(now - then, 1e-6)
        pages_rate, bytes_rate = (counts.pages - pages) / passed, (counts.wire_bytes - wire_bytes) / passed
        return Progress(
            seconds=now - self._began,
            pages=counts.pages,
            kept=counts.kept,
            judged=counts.judged,
            failed=counts.failed,
            wire_bytes=counts.wire_bytes,
            waiting=self._books.frontier.waiting,
            skipped=self._skipped(),
            active_sites=active_sites,
            pages_per_second=pages_rate,
            bytes_per_second=bytes_rate,
            left=self._left(now, pages_rate, bytes_rate),
        )

    def finished(self, reason: str) -> Finished:
        """The closing account."""
        counts = self._books.counts
        return Finished(
            into=str(self._folder.path),
            reason=reason,
            seconds=time.monotonic() - self._began,
            pages=counts.pages,
            kept=counts.kept,
            judged=counts.judged,
            failed=counts.failed,
            wire_bytes=counts.wire_bytes,
            waiting=self._books.frontier.waiting,
            skipped=self._skipped(),
            fates={name: count for name, count in sorted(self._books.frontier.counts.items()) if count},
            pages_this_run=counts.pages - self._pages_before,
            attempted_this_run=self._attempted,
            answered_this_run=self._answered,
        )

    def _skipped(self) -> int:
        return sum(count for name, count in self._books.frontier.counts.items() if is_skip(name))

    def _left(self, now: float, pages_rate: float, bytes_rate: float) -> str:
        """The budget that will be spent first, at the present pace."""
        budget, counts = self._settings.budget, self._books.counts
        left = []
        if budget.pages:
            left.append(
                (max(0, budget.pages - counts.pages) / max(pages_rate, 1e-9), f"{budget.pages - counts.pages:,} pages")
            )
        if budget.bytes:
            rest = max(0, budget.bytes - counts.wire_bytes)
            left.append((rest / max(bytes_rate, 1e-9), f"{rest / 1e6:,.1f} MB"))
        if budget.seconds:
            rest_seconds = max(0.0, budget.seconds - (now - self._began))
            left.append((rest_seconds, f"{rest_seconds:,.0f} s"))
        return min(left)[1] if left else ""
