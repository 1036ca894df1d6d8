"""How a crawl goes, in a line; how it went, in a few."""

from __future__ import annotations

import shlex

from halflife.events import Finished, Progress
from halflife.fates import FAILED, FETCHED, in_words, is_skip
from halflife.report.text import size_words, table, time_words

REASONS = {
    "exhausted": "everything within reach was seen",
    "pages": "the budget of pages is spent",
    "bytes": "the budget of bytes is spent",
    "seconds": "the time is over",
    "interrupted": "interrupted",
    "resting": "the sites that are left asked to be left alone for a while",
}


def progress_line(progress: Progress) -> str:
    """Where a crawl stands."""
    judged = f"{progress.kept / progress.judged:.0%}" if progress.judged else "-"
    parts = [
        f"{progress.pages:,} pages",
        f"{size_words(progress.wire_bytes)}",
        f"{progress.pages_per_second:,.1f} pages/s",
        f"{size_words(progress.bytes_per_second)}/s",
        f"kept {progress.kept:,} ({judged})",
        f"{progress.active_sites:,} sites active",
        f"{progress.waiting:,} waiting",
        time_words(progress.seconds),
    ]
    if progress.left:
        parts.append(f"{progress.left} left")
    return "  ".join(parts)


def closing_lines(finished: Finished) -> list[str]:
    """How a crawl went, and what to type next."""
    judged = (
        f"{finished.kept / finished.judged:.0%} of {finished.judged:,} weighed" if finished.judged else "none weighed"
    )
    lines = [
        f"Ended after {time_words(finished.seconds)}: {REASONS.get(finished.reason, finished.reason)}.",
        f"{finished.pages:,} answers, {size_words(finished.wire_bytes)} on the wire; {finished.kept:,} pages kept ({judged}).",
        "",
    ]
    rows = [(f"{count:,}", name, in_words(name)) for name, count in _by_fate(finished)]
    if rows:
        lines += [*table(("addresses", "fate", "in words"), rows, right=(0,)), ""]
    into = shlex.quote(finished.into)
    lines += [f"Results: {finished.into}", f"Next:    halflife pages {into}      the pages, best first"]
    if finished.skipped or finished.failed:
        lines.append(f"         halflife skipped {into}    what was not fetched, and why")
    if finished.waiting:
        lines.append(f"         halflife crawl --into {into}    goes on: {finished.waiting:,} addresses wait")
    return lines


def _by_fate(finished: Finished) -> list[tuple[str, int]]:
    """Fetched first, then failed, skipped, waiting; the largest of each first."""

    def place(pair: tuple[str, int]) -> tuple[int, int]:
        name, count = pair
        if name == "waiting":
            return 3, 0
        group = 0 if name in FETCHED else 2 if is_skip(name) else 1 if name in FAILED or name.startswith("http_") else 2
        return group, -count

    return sorted(finished.fates.items(), key=place)
