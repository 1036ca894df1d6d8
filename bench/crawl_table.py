"""What came of the crawls: the table, how the closed sets compare, the ratios and their bars."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bench.measure import Cost
from bench.rivals import Rival
from bench.sets import PageSet

MEMORY_BAR_BYTES = 400_000_000  # of halflife's tree, for each of its workers
PAGES_NAMED_MAX = 3  # of those that a crawler missed, or had besides


class Run(NamedTuple):
    """One crawler in one round."""

    rival: str
    round: int
    pages: int
    missing: list[str]
    extra: list[str]
    twice: int  # answers beyond the first for one page
    others: dict[int, int]  # what else was asked for, by status
    sent_bytes: int
    kept_bytes: int  # what it left on the disk
    cost: Cost

    @property
    def rate(self) -> float:
        """Pages per CPU second."""
        return self.pages / self.cost.cpu_seconds


def report(title: str, sets: list[PageSet], runs: list[Run], chosen: Sequence[Rival]) -> None:
    """Print a table, and what halflife is to each of the others."""
    by_name = {rival.name: [run for run in runs if run.rival == rival.name] for rival in chosen}
    rounds = 1 + max((run.round for run in runs), default=0)
    print(f"\n{title}: {', '.join(each.name for each in sets)}; {rounds} rounds, medians")
    print("crawler      pages  missing  extra  twice  pages/CPU s   CPU s  wall s  peak MB  disk MB")
    for name, own in by_name.items():
        first = own[0]
        print(
            f"{name:10} {first.pages:7,} {len(first.missing):8} {len(first.extra):6} {first.twice:6}"
            f" {_median(run.rate for run in own):12,.0f} {_median(run.cost.cpu_seconds for run in own):7.2f}"
            f" {_median(run.cost.wall_seconds for run in own):7.2f}"
            f" {max(run.cost.peak_bytes for run in own) / 1e6:8.0f} {first.kept_bytes / 1e6:8.0f}"
        )
    for own in by_name.values():
        _report_differences(own)
    if ours := by_name.get("halflife"):
        for rival in chosen:
            if rival.name != "halflife":
                _report_ratio(rival, ours, by_name[rival.name])
        _report_memory(ours)


def _report_differences(own: list[Run]) -> None:
    name = own[0].rival
    for what in ("missing", "extra"):
        pages = sorted({page for run in own for page in getattr(run, what)})
        if pages:
            more = "" if len(pages) <= PAGES_NAMED_MAX else f" and {len(pages) - PAGES_NAMED_MAX} more"
            print(f"  {name}, {what}: {', '.join(pages[:PAGES_NAMED_MAX])}{more}")
    others = {status: max(run.others.get(status, 0) for run in own) for run in own for status in run.others}
    if others:
        print(f"  {name} asked besides: {', '.join(f'{count} x {status}' for status, count in sorted(others.items()))}")


def _report_ratio(rival: Rival, ours: list[Run], theirs: list[Run]) -> None:
    pairs = list(zip(ours, theirs, strict=True))
    ratios = [one.rate / other.rate for one, other in pairs]
    ratio = statistics.median(ratios)
    verdict = f"bar {rival.bar:g}: {'met' if ratio >= rival.bar else 'MISSED'}" if rival.bar else "for reference"
    wall = _median(one.cost.wall_seconds / other.cost.wall_seconds for one, other in pairs)
    print(
        f"halflife / {rival.name}: {ratio:.2f} in pages per CPU second ({min(ratios):.2f} to {max(ratios):.2f},"
        f" {verdict}), {wall:.2f} in time on the wall"
    )


def _report_memory(ours: list[Run]) -> None:
    workers = max(1, *(run.cost.marked for run in ours))
    each_bytes = max(run.cost.peak_bytes for run in ours) / workers
    worker_bytes = max(run.cost.marked_peak_bytes for run in ours)
    verdict = "met" if each_bytes < MEMORY_BAR_BYTES else "MISSED"
    print(
        f"halflife's peak memory: {each_bytes / 1e6:.0f} MB a worker, main process included (bar"
        f" {MEMORY_BAR_BYTES / 1e6:.0f}: {verdict}); workers: {workers}, the largest alone {worker_bytes / 1e6:.0f} MB"
    )


def _median(values: Iterable[float]) -> float:
    return statistics.median(list(values))
