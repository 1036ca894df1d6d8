"""Whose turn it is, and with which addresses: the best of a site, by what is known now."""

from __future__ import annotations

from collections import Counter

from halflife.records import Target, Why
from halflife.run.books import Books
from halflife.urls import origin

LOOK = 48  # waiting addresses of a site that are ranked again at its turn: enough for news to matter, cheap enough
TURN_UNPACED = 64  # addresses a turn when there is no delay between them
TURN_PACED = 2  # with a delay, a new turn costs nothing, and the order stays fresh
ROUNDS_MAX = 50  # looks at one site's queue in which everything was starved or over its limit, before others get a turn


class Turns:
    """Chooses addresses for turns, and drops those that may no longer be fetched."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._settings = books.settings
        fetch = self._settings.fetch
        self._size = max(TURN_UNPACED if fetch.delay_seconds == 0 else TURN_PACED, 2 * fetch.connections_per_host)

    def choose(self, site: int, allowed: int) -> list[Target]:
        """The addresses of a site for its turn, best first; [] when none is left."""
        for _ in range(ROUNDS_MAX):
            best = self._books.frontier.best(site, max(LOOK, self._size))
            if not best:
                return []
            targets = self._eligible(best)
            if targets:
                return self._best(targets, min(self._size, allowed))
        return []

    def _eligible(self, targets: list[Target]) -> list[Target]:
        """Those that may still be fetched; the others get their fate."""
        if not self._settings.starve and not self._settings.budget.pages_per_host:
            return targets
        room = self._room(targets)
        eligible = []
        for target in targets:
            base = origin(target.url)
            if self._settings.budget.pages_per_host and room[base] <= 0:
                self._books.frontier.settle(target.id, "host_full")
            elif target.depth > 0 and self._books.expectations.starved(target.url):
                self._books.frontier.settle(target.id, "starved")
            else:
                room[base] -= 1
                eligible.append(target)
        return eligible

    def _room(self, targets: list[Target]) -> Counter[str]:
        """How many more pages each host may have."""
        limit = self._settings.budget.pages_per_host
        if not limit:
            return Counter()
        hosts = {origin(target.url) for target in targets}
        return Counter({base: limit - self._books.frontier.fetched_on(base) for base in hosts})

    def _best(self, targets: list[Target], count: int) -> list[Target]:
        """Those of which most is expected now, best first. What is left behind gets the place in its queue that it has now."""
        if self._settings.order == "breadth" or len(targets) < 2:
            return targets[:count]
        rank_again = self._books.rank_again
        fresh = [
            (rank_again(target) if target.why != Why.SEED and not target.tries else target.rank, target)
            for target in targets
        ]
        fresh.sort(key=lambda pair: (pair[0], pair[1].id))
        self._books.frontier.rerank([(rank, target.id) for rank, target in fresh[count:] if rank != target.rank])
        return [target for _, target in fresh[:count]]
