"""What a crawl of the little web came to, for somebody who sees halflife for the first time."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from halflife.events import Demo
from halflife.report.text import plain, size_words, table, time_words

PARTS = (
    ("part_title", "title"), ("part_headings", "headings"), ("part_url", "address"), ("part_anchors", "links to it"),
    ("part_body", "text"), ("part_out", "links on it"),
)  # fmt: skip
WIDTH = 118
TITLE_CHARACTERS = 44


def demo_lines(done: Demo) -> list[str]:
    """What was fetched, kept and why, skipped and why, where it lies, what to type next."""
    finished = done.finished
    lines = [
        f"The little web, crawled for {done.topic} in {time_words(finished.seconds)}: {finished.pages:,} answers,"
        f" {size_words(finished.wire_bytes)}, {finished.judged:,} pages weighed, {finished.kept:,} worth keeping.",
    ]
    if done.relevant is not None:
        lines.append(
            f"Of the {done.relevant} pages that are really on the topic it kept {done.relevant_kept};"
            f" {finished.kept - (done.relevant_kept or 0)} of those it kept are not."
        )
    lines += ["", "BEST PAGES, and what their weight is made of"]
    best = [
        (f"{row['weight']:.1f}", str(row["title"])[:TITLE_CHARACTERS], row["url"], _made_of(row)) for row in done.best
    ]
    lines += table(("weight", "title", "address", "made of"), best, right=(0,)) if best else ["  none"]
    lines += ["", "SITES"]
    lines += table(
        ("host", "weighed", "kept"), [(site.host, site.weighed, site.kept) for site in done.sites], right=(1, 2)
    )
    lines += ["", "NOT FETCHED, or no page, and why"]
    reasons = [(row["count"], row["in_words"], row["example"]) for row in done.reasons]
    lines += table(("count", "why", "for example"), reasons, right=(0,), width=WIDTH) if reasons else ["  nothing"]
    return [*lines, "", *_next(done)]


def _made_of(row: Mapping[str, Any]) -> str:
    parts = [(float(row[name]), word) for name, word in PARTS if row.get(name)]
    return " + ".join(f"{word} {value:.1f}" for value, word in sorted(parts, reverse=True))


def _next(done: Demo) -> list[str]:
    into = shlex.quote(done.finished.into)
    lines = [f"Results: {done.finished.into}  (WARC and Parquet)", "Next, try:"]
    lines.append(f"  halflife pages {into}")
    if done.best:
        lines.append(f"  halflife why {into} {shlex.quote(plain(str(done.best[0]['url'])))}")
    if done.reasons:
        lines.append(f"  halflife why {into} {shlex.quote(plain(str(done.reasons[0]['example'])))}")
    lines.append(f"  halflife skipped {into} --list")
    lines.append('  halflife crawl https://YOUR.SITE/ --topic "what you look for" --into results')
    return lines
