"""Why an address has the fate it has: everything the store knows of it, gathered."""

from __future__ import annotations

from pathlib import Path

from halflife.errors import InputError
from halflife.records import Explained, Step
from halflife.store import Fate, Folder, Frontier, links_to, visits_of, weight_of
from halflife.urls import typed, why_not

STEPS_MAX = 100  # on the way from a seed; nothing found by links is further away in practice
LINKS_SHOWN = 10  # pages that link to it


def why(into: Path | str, address: str) -> Explained:
    """What became of an address, and why. Its fate is '' when no page that was fetched led to it."""
    folder = Folder(Path(into))
    url = typed(address)
    if url is None:
        raise InputError(f"address {address!r}: {why_not(address)}; write it as in https://example.org/")
    folder.check()
    frontier = Frontier(folder.frontier, read_only=True)
    try:
        fate = frontier.fate(url)
        if fate is None:
            return Explained(url=url)
        return Explained(
            url=url,
            fate=fate.fate,
            detail=fate.detail,
            at=fate.at,
            depth=fate.depth,
            anchor=fate.anchor,
            rank=fate.rank,
            way=_way(frontier, fate),
            weight=weight_of(folder, url),
            visits=visits_of(folder, url),
            linked_from=links_to(folder, url, LINKS_SHOWN),
        )
    finally:
        frontier.close(commit=False)


def _way(frontier: Frontier, fate: Fate) -> list[Step]:
    """From the seed to the address, one step a link."""
    way: list[Step] = []
    seen: set[str] = set()
    at: Fate | None = fate
    while at is not None and at.url not in seen and len(way) < STEPS_MAX:
        seen.add(at.url)
        way.append(Step(at.url, at.why.value, at.anchor, at.fate))
        at = frontier.fate(at.via) if at.via else None
    return way[::-1]
