"""Origins and the sites they belong to: their numbers, what was fetched from them, their robots.txt."""

from __future__ import annotations

from collections import Counter

from halflife.store.database import Database
from halflife.urls import site

NAMES_CACHED = 100_000  # origins whose numbers are kept in memory: about 25 MB


class Hosts:
    """The rows of the tables hosts, sites and robots that are found by name."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._numbers: dict[str, tuple[int, int]] = {}
        self._fetched: Counter[int] = Counter()  # since the last save, by origin

    def numbers(self, base: str, url: str) -> tuple[int, int]:
        """The numbers of an origin and of its site, given an address of it; made if need be."""
        found = self._numbers.get(base)
        if found is None:
            if len(self._numbers) >= NAMES_CACHED:
                self._numbers.clear()
            found = self._numbers[base] = self._find(base, url)
        return found

    def _find(self, base: str, url: str) -> tuple[int, int]:
        row = self._db.row("SELECT id, site FROM hosts WHERE origin = ?", (base,))
        if row is not None:
            return row[0], row[1]
        name = site(url)
        known = self._db.row("SELECT id FROM sites WHERE name = ?", (name,))
        site_id = known[0] if known else self._db.insert("INSERT INTO sites (name) VALUES (?)", (name,))
        return self._db.insert("INSERT INTO hosts (origin, site) VALUES (?, ?)", (base, site_id)), site_id

    def fetched(self, base: str) -> int:
        """How many pages of an origin were fetched."""
        row = self._db.row("SELECT id, fetched FROM hosts WHERE origin = ?", (base,))
        return row[1] + self._fetched[row[0]] if row else 0

    def count_fetched(self, base: str) -> None:
        """One more page of an origin was fetched."""
        self._fetched[self.numbers(base, base)[0]] += 1

    def save(self) -> None:
        """Write what is only counted in memory; it becomes durable with everything else."""
        self._db.many("UPDATE hosts SET fetched = fetched + ?2 WHERE id = ?1", sorted(self._fetched.items()))
        self._fetched.clear()

    def robots(self, base: str) -> bytes | None:
        """What was kept of an origin's robots.txt."""
        row = self._db.row("SELECT r.blob FROM hosts h JOIN robots r ON r.host = h.id WHERE h.origin = ?", (base,))
        return row[0] if row else None

    def keep_robots(self, base: str, blob: bytes) -> None:
        """Keep an origin's robots.txt, so that a resumed crawl need not ask again."""
        self._db.run("INSERT OR REPLACE INTO robots (host, blob) VALUES (?, ?)", (self.numbers(base, base)[0], blob))
