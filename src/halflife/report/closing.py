"""How a crawl goes, in a line; how it went, in a few."""

from __future__ import annotations

import shlex

from halflife.events import Finished, Progress
from halflife.fates import FAILED, FETCHED, in_words, is_skip
from halflife.report.text import counted, size_words, table, time_words

UNANSWERED_SHOWN = 3  # kinds of failure that are named
UNASKED = ("robots", "guarded", "bad_address")  # what was on turn, and then not asked for
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
        counted(progress.pages, "page"),
        f"{size_words(progress.wire_bytes)}",
        f"{progress.pages_per_second:,.1f} pages/s",
        f"{size_words(progress.bytes_per_second)}/s",
        f"kept {progress.kept:,} ({judged})",
        f"{counted(progress.active_sites, 'site')} active",
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
        f"{counted(finished.pages, 'answer')}, {size_words(finished.wire_bytes)} on the wire;"
        f" {counted(finished.kept, 'page')} kept ({judged}).",
        "",
    ]
    if is_unanswered(finished):
        said = unanswered(finished)
        lines += [f"{said[0].upper()}{said[1:]}.", ""]
    rows = [(f"{count:,}", name, in_words(name)) for name, count in _by_fate(finished)]
    if rows:
        lines += [*table(("addresses", "fate", "in words"), rows, right=(0,)), ""]
    return [*lines, f"Results: {finished.into}", *_next(finished)]


def is_unanswered(finished: Finished) -> bool:
    """Whether servers were asked in this run and not one of them answered."""
    return finished.attempted_this_run and not finished.answered_this_run


def unanswered(finished: Finished) -> str:
    """That no server answered, how it failed mostly, and what to look at."""
    failed = [(name, count) for name, count in _by_fate(finished) if name in FAILED or name in UNASKED]
    if failed and all(name in UNASKED for name, _ in failed):
        head, look = "nothing could be asked for", "give other seeds, or lift what forbids these"
    else:
        head, look = "no server answered", "look at the addresses, the network and --proxy"
    kinds = [f"{count:,} {name} ({in_words(name)})" for name, count in failed[:UNANSWERED_SHOWN]]
    again = f"; {counted(finished.waiting, 'address waits', 'addresses wait')}" if finished.waiting else ""
    return f"{': '.join([head, ', '.join(kinds)] if kinds else [head])}{again}; {look}"


def _next(finished: Finished) -> list[str]:
    """What to type next; the pages only where there are any."""
    into = shlex.quote(finished.into)
    steps = [f"halflife pages {into}      the pages, best first"] if finished.pages else []
    if finished.skipped or finished.failed:
        steps.append(f"halflife skipped {into}    what was not fetched, and why")
    if finished.waiting:
        waiting = counted(finished.waiting, "address waits", "addresses wait")
        steps.append(f"halflife crawl --into {into}    goes on: {waiting}")
    return [f"{'Next:' if not place else '':<9}{step}" for place, step in enumerate(steps)]


def _by_fate(finished: Finished) -> list[tuple[str, int]]:
    """Fetched first, then failed, skipped, waiting; the largest of each first."""

    def place(pair: tuple[str, int]) -> tuple[int, int]:
        name, count = pair
        if name == "waiting":
            return 3, 0
        group = 0 if name in FETCHED else 2 if is_skip(name) else 1 if name in FAILED or name.startswith("http_") else 2
        return group, -count

    return sorted(finished.fates.items(), key=place)
