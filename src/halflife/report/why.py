"""One address explained to a person."""

from __future__ import annotations

from datetime import UTC, datetime

from halflife.fates import FETCHED, in_words, is_skip
from halflife.records import Explained, Step
from halflife.report.text import counted, cut, plain, size_words, table

PARTS = ("part_url", "part_title", "part_headings", "part_anchors", "part_body", "part_out")
NAMES = {
    "part_url": "address", "part_title": "title", "part_headings": "headings", "part_anchors": "links that led here",
    "part_body": "text", "part_out": "links on the page",
}  # fmt: skip
OCCURS = {"link": "linked from", "redirect": "redirected from", "refresh": "refreshed from", "sitemap": "listed in",
          "feed": "announced in"}  # fmt: skip
STEP_ANCHOR_CHARACTERS = 60


def why_lines(explained: Explained) -> list[str]:
    """What became of it, the way that led to it, and what it weighs."""
    lines = [plain(explained.url)]
    if not explained.fate:
        return [*lines, "  never discovered: no page that was fetched leads there, and it is no seed"]
    lines.append(f"  {explained.fate}: {in_words(explained.fate)}{_detail(explained)}")
    if found := _when(explained):
        lines.append(f"  {found}, {counted(explained.depth, 'link')} from a seed")
    lines += ["", "How it was found", *_way(explained.way)]
    if explained.weight:
        lines += ["", *_weight(explained.weight)]
    if explained.visits:
        lines += ["", *_visits(explained)]
    if explained.linked_from:
        lines += ["", "Links to it from pages that were fetched"]
        lines += [
            f"  {plain(str(row['from_url']))}  {_quoted(str(row['anchor'] or ''))}".rstrip()
            for row in explained.linked_from
        ]
    return lines


def _when(explained: Explained) -> str:
    """When it was fetched, or tried in vain, or its place in the queue."""
    if explained.at:
        was_fetched = explained.fate in FETCHED or explained.fate.startswith("http_")
        return f"{'fetched' if was_fetched else 'last tried'} {_time(explained.at)}"
    if explained.fate == "waiting" and explained.rank is not None:
        return f"rank {explained.rank} of 65535 in its site's queue (0 is the best)"
    return ""


def _detail(explained: Explained) -> str:
    if not explained.detail:
        return ""
    return f" - {plain(explained.detail)}" if not is_skip(explained.fate) else f" ({plain(explained.detail)})"


def _way(way: list[Step]) -> list[str]:
    lines = []
    for depth, step in enumerate(way):
        found = "seed" if step.why == "seed" else OCCURS.get(step.why, step.why)
        note = f"  {_quoted(step.anchor)}" if step.anchor else ""
        lines.append(
            f"  {depth:>2}. {plain(step.url)}  [{step.fate}]  {found}{'' if step.why == 'seed' else ' the one above'}{note}"
        )
    return lines


def _weight(row: dict[str, object]) -> list[str]:
    sign = ">" if row["kept"] else "<="
    lines = [
        f"Weight {_number(row['total'])} {sign} {_number(row['threshold'])} (threshold),"
        f" by the {row['method']} method, version {row['version']}"
    ]
    parts = [(NAMES[name], _number(row[name])) for name in PARTS if row.get(name)]
    lines += (
        [f"  {line}" for line in table(("part", "weight"), parts, right=(1,))]
        if parts
        else ["  the topic occurs nowhere on it"]
    )
    evidence = row.get("evidence")
    pairs = sorted(dict(evidence).items(), key=lambda pair: -abs(pair[1])) if evidence else []  # type: ignore[call-overload]
    if pairs:
        lines.append("  by term: " + ", ".join(f"{plain(term)} {_number(value)}" for term, value in pairs))
    return lines


def _visits(explained: Explained) -> list[str]:
    rows = [
        (
            _stamp(row["fetched_at"]),
            row["status"] or row["failure"],
            size_words(float(row["wire_bytes"])),
            f"{float(row['seconds']):.2f} s",
            row["address"] or "-",
            row["content_type"] or row["detail"] or row["location"] or "",
        )
        for row in explained.visits
    ]
    return ["Visits", *(f"  {line}" for line in table(("at", "answer", "on the wire", "took", "server", "what"), rows))]


def _number(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _quoted(anchor: str) -> str:
    return f'"{cut(plain(anchor), STEP_ANCHOR_CHARACTERS)}"' if anchor else ""


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def _stamp(at: object) -> str:
    return at.strftime("%Y-%m-%d %H:%M:%S") if isinstance(at, datetime) else str(at)
