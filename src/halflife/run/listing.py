"""Questions to a store: its pages, and what was not fetched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from halflife.errors import SettingError
from halflife.fates import FETCHED, in_words
from halflife.store import Folder, Frontier, PageFilter, write_parquet
from halflife.store import pages as stored_pages


def pages(into: Path | str, **filters: Any) -> Iterator[dict[str, Any]]:
    """The pages of a store, best first; the filters are the fields of `store.PageFilter`."""
    folder = Folder(Path(into))
    folder.check()
    yield from stored_pages(folder, PageFilter(**filters))


def is_begun_only(into: Path | str) -> bool:
    """Whether a crawl has fetched something, and no segment of it is complete yet: then there is no page to list."""
    folder = Folder(Path(into))
    return not folder.segments() and bool(folder.journals())


def skipped(into: Path | str, reasons: Sequence[str] = (), limit: int | None = None) -> Iterator[dict[str, Any]]:
    """Every discovered address that gave no page, with its reason, oldest first."""
    folder = Folder(Path(into))
    folder.check()
    frontier = Frontier(folder.frontier, read_only=True)
    try:
        kinds = [name for name, count in frontier.counts.items() if count and name not in FETCHED]
        for reason in reasons:
            if reason not in kinds:
                raise SettingError(
                    f"--reason {reason!r}: must be among {', '.join(sorted(kinds)) or '(nothing was skipped)'}"
                )
        for fate in frontier.fates(list(reasons) or kinds, limit):
            yield {
                "reason": fate.fate,
                "url": fate.url,
                "via": fate.via,
                "in_words": in_words(fate.fate),
                "detail": fate.detail,
                "anchor": fate.anchor,
                "depth": fate.depth,
            }
    finally:
        frontier.close(commit=False)


def skipped_counts(into: Path | str) -> Iterator[dict[str, Any]]:
    """How many addresses gave no page, by reason, with an example of each; the commonest first."""
    folder = Folder(Path(into))
    folder.check()
    frontier = Frontier(folder.frontier, read_only=True)
    try:
        counts = {name: count for name, count in frontier.counts.items() if count and name not in FETCHED}
        for name, count in sorted(counts.items(), key=lambda pair: -pair[1]):
            example = next(iter(frontier.fates([name], 1)), None)
            yield {
                "count": count,
                "reason": name,
                "in_words": in_words(name),
                "example": example.url if example else "",
            }
    finally:
        frontier.close(commit=False)


def export(rows: Iterable[Mapping[str, Any]], names: Sequence[str], path: Path) -> None:
    """Write rows as one Parquet file."""
    write_parquet(rows, names, path)
