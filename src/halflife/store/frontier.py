"""The frontier: every address that was ever discovered, which of them wait, and what became of the others.

One SQLite file (its tables: database.py), one writer. A site has one turn at a time: `turn` names the best rested
site, `best` its best addresses, `settle` or `postpone` says what became of each, `release` ends the turn. Turns live
in memory only: whoever dies having one has, by that, given it back. Nothing is durable before `commit`.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from halflife.records import Target, Why
from halflife.store.database import Database, Row
from halflife.store.fates import ALL, WAITING, WHYS, Fate, fate_of, fates_of
from halflife.store.fingerprints import YOUNG_MAX, Fingerprints, fingerprint
from halflife.store.hosts import Hosts
from halflife.store.limits import checked_limit
from halflife.urls import origin

RANK_MAX = 65_535  # ranks are whole numbers, 0 is the best
DEPTH_MAX = TUNNEL_MAX = 1_000_000  # stands for "not known to be less"
ANCHORS_CHARACTERS_MAX = 300  # of the words of all links to one address: enough to judge by
SOFT = (
    "parent_irrelevant",
    "too_deep",
    "nofollow",
)  # skipped for where the link stood: a better link revives the address


class Entry(Struct, array_like=True, gc=False):
    """An address as it was discovered."""

    url: str  # canonical
    rank: int = 0
    why: Why = Why.LINK
    via: int = 0  # the number of the address it was found on, 0 for none
    depth: int = 0
    tunnel: int = 0
    anchor: str = ""
    near: float = 0.0  # share of the topic in the words around the link
    redirects: tuple[str, ...] = ()  # the addresses that redirected here, oldest first
    skip: str = ""  # the reason why it will not be fetched, '' when it waits


class Frontier:
    """All known addresses. One writer at a time; readers may look on."""

    def __init__(
        self,
        path: Path,
        read_only: bool = False,
        young_max: int = YOUNG_MAX,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self._db = Database(path, read_only)
        self._read_only = read_only
        self._hosts = Hosts(self._db)
        self._prints = Fingerprints(self._db, read_only, young_max)
        self._on_turn: set[int] = set()
        self._alarms: list[tuple[float, int]] = []  # a heap of (due, site)
        self._resting: set[int] = set()
        self._saved: dict[str, bytes] = dict(self._db.rows("SELECT name, value FROM facts"))
        self.facts = {name: value for name, value in self._saved.items() if not name.startswith("count:")}
        self.counts = {
            name.removeprefix("count:"): int(value) for name, value in self._saved.items() if name.startswith("count:")
        }
        row = self._db.row("SELECT coalesce(max(id), 0) FROM addresses")
        self._last_id = int(row[0]) if row else 0
        if not read_only:
            self._end_turns(clock())

    def _end_turns(self, now: float) -> None:
        """Whoever had a turn when the last run ended has lost it; who asked for a long rest still rests."""
        # What came in while a site had its turn, or rested, is not in its `best` yet.
        self._db.run(
            "UPDATE sites SET best = (SELECT min(rank) FROM queue WHERE site = sites.id)"
            " WHERE ready = 0 AND (best IS NOT NULL OR EXISTS (SELECT 1 FROM queue WHERE site = sites.id))"
        )
        self._db.run("UPDATE sites SET ready = 1 WHERE ready = 0 AND best IS NOT NULL")
        for site_id, due in self._db.rows("SELECT id, due FROM sites WHERE due > ?", (now,)):
            self._sleep(site_id, due)
            self._db.run("UPDATE sites SET ready = 0 WHERE id = ?", (site_id,))

    # -- what comes in ---------------------------------------------------------------------------------------------

    def add(self, entries: Iterable[Entry]) -> int:
        """Make addresses known; returns how many were new. A known one that is found on better terms improves."""
        batch: dict[int, Entry] = {}
        for entry in entries:
            hash_ = fingerprint(entry.url)
            before = batch.get(hash_)
            batch[hash_] = entry if before is None else _better(before, entry)
        known = self._prints.find(batch)
        first = self._last_id + 1
        fresh = [(hash_, entry) for hash_, entry in batch.items() if hash_ not in known]
        if fresh:
            self._append(first, fresh)
            self._last_id += len(fresh)
            self._prints.add(
                zip((hash_ for hash_, _ in fresh), range(first, self._last_id + 1), strict=True), self._last_id
            )
            self._place([(id_, entry) for id_, (_, entry) in enumerate(fresh, first)])
        found_again = {id_: batch[hash_] for hash_, id_ in known.items() if not batch[hash_].skip}
        if found_again:
            self._improve(found_again)
        return len(fresh)

    def _append(self, first: int, fresh: list[tuple[int, Entry]]) -> None:
        rows: list[tuple[object, ...]] = []
        for id_, (hash_, entry) in enumerate(fresh, first):
            url = entry.url
            base = origin(url)
            rows.append((id_, hash_, self._hosts.numbers(base, url)[0], url[len(base) :], *_found(entry)))
        self._db.many("INSERT INTO addresses VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _place(self, fresh: list[tuple[int, Entry]]) -> None:
        """New addresses join the queue, or get their fate at once."""
        queued, fated = [], []
        best: dict[int, int] = {}
        for id_, entry in fresh:
            if entry.skip:
                fated.append((id_, entry.skip))
                self._count(entry.skip)
            else:
                site_id = self._hosts.numbers(origin(entry.url), entry.url)[1]
                queued.append((id_, site_id, entry.rank))
                if entry.rank < best.get(site_id, RANK_MAX + 1):
                    best[site_id] = entry.rank
        if fated:
            self._db.many("INSERT INTO fates (id, fate) VALUES (?, ?)", fated)
        if queued:
            self._db.many("INSERT INTO queue (id, site, rank) VALUES (?, ?, ?)", queued)
            self._count(WAITING, len(queued))
            self._raise_sites(best)

    def _raise_sites(self, best: dict[int, int]) -> None:
        """Sites that got a better address wake up or move up, unless it is their turn or they rest."""
        idle = [
            (rank, id_, rank) for id_, rank in best.items() if id_ not in self._on_turn and id_ not in self._resting
        ]
        self._db.many("UPDATE sites SET best = ?, ready = 1 WHERE id = ? AND (ready = 0 OR best > ?)", idle)

    def _improve(self, found: dict[int, Entry]) -> None:
        """Known addresses, found again: better terms for the waiting, a second chance for the softly skipped."""
        waiting, revived = [], []
        for id_, rank, tunnel, depth, words, fate in self._db.rows(
            "SELECT a.id, q.rank, coalesce(q.tunnel, a.tunnel), coalesce(q.depth, a.depth),"
            " coalesce(q.anchors, a.anchor, ''), f.fate FROM json_each(?) j CROSS JOIN addresses a ON a.id = j.value"
            " LEFT JOIN queue q ON q.id = a.id LEFT JOIN fates f ON f.id = a.id", (str(list(found)),),
        ):  # fmt: skip
            entry = found[id_]
            if fate in SOFT:
                revived.append((id_, entry))
            elif rank is not None:
                joined = _join_anchors(words, _storable(entry.anchor))
                if entry.rank < rank or entry.tunnel < tunnel or entry.depth < depth or joined != words:
                    waiting.append(
                        (min(rank, entry.rank), min(tunnel, entry.tunnel), min(depth, entry.depth), joined, id_)
                    )
        if waiting:
            self._db.many("UPDATE queue SET rank = ?, tunnel = ?, depth = ?, anchors = ? WHERE id = ?", waiting)
            self._raise_waiting([row[-1] for row in waiting])
        if revived:
            self._revive(revived)

    def _raise_waiting(self, ids: list[int]) -> None:
        best = self._db.rows(
            "SELECT site, min(rank) FROM queue WHERE id IN (SELECT value FROM json_each(?)) GROUP BY site", (str(ids),)
        )
        self._raise_sites(dict(best))

    def _revive(self, revived: list[tuple[int, Entry]]) -> None:
        for id_, _ in revived:
            for (fate,) in self._db.rows("DELETE FROM fates WHERE id = ? RETURNING fate", (id_,)):
                self._count(fate, -1)
        self._place(revived)
        # From now on this is how they were found: where they were first seen did not lead to them.
        self._db.many(
            "UPDATE addresses SET via = ?, why = ?, depth = ?, tunnel = ?, anchor = ?, near = ?, redirects = ? WHERE id = ?",
            [(*_found(entry), id_) for id_, entry in revived],
        )

    def revive(self, fates: Sequence[str]) -> int:
        """Addresses with one of these fates wait again, behind everything else; returns how many."""
        revived = 0
        for fate in fates:
            rows = self._db.rows(
                "SELECT f.id, h.site FROM fates f JOIN addresses a ON a.id = f.id JOIN hosts h ON h.id = a.host"
                " WHERE f.fate = ?", (fate,),
            )  # fmt: skip
            self._db.run("DELETE FROM fates WHERE fate = ?", (fate,))
            self._db.many("INSERT INTO queue (id, site, rank) VALUES (?, ?, ?)", [(*row, RANK_MAX) for row in rows])
            self._raise_sites({site_id: RANK_MAX for _, site_id in rows})
            self._count(fate, -len(rows))
            revived += len(rows)
        self._count(WAITING, revived)
        return revived

    # -- turns -----------------------------------------------------------------------------------------------------

    def turn(self, now: float) -> int:
        """The number of the best site that is rested and has something waiting, now on turn; 0 for none."""
        site_id = self._next(now)
        if site_id:
            self._db.run("UPDATE sites SET ready = 0 WHERE id = ?", (site_id,))
            self._on_turn.add(site_id)
        return site_id

    def is_ready(self, now: float) -> bool:
        """Whether some site could have a turn now."""
        return self._next(now) != 0

    def _next(self, now: float) -> int:
        self._wake(now)
        while row := self._db.row("SELECT id, best FROM sites WHERE ready = 1 ORDER BY best LIMIT 1"):
            site_id, best = row
            rank = self._best_rank(site_id)
            if rank == best:
                return int(site_id)
            # Addresses were settled or ranked anew while it was not the site's turn.
            self._db.run("UPDATE sites SET best = ?, ready = ? WHERE id = ?", (rank, int(rank is not None), site_id))
        return 0

    def _best_rank(self, site_id: int) -> int | None:
        row = self._db.row("SELECT rank FROM queue WHERE site = ? ORDER BY rank LIMIT 1", (site_id,))
        return None if row is None else int(row[0])

    def best(self, site_id: int, limit: int, offset: int = 0) -> list[Target]:
        """The best waiting addresses of a site. They keep waiting until they are settled."""
        rows = self._db.rows(
            "SELECT h.origin || a.path, q.id, a.why, vh.origin || v.path, coalesce(q.depth, a.depth),"
            " coalesce(q.tunnel, a.tunnel), q.rank, coalesce(q.anchors, a.anchor, ''), coalesce(a.near, 0.0),"
            " coalesce(a.redirects, ''), q.tries"
            " FROM queue q JOIN addresses a ON a.id = q.id JOIN hosts h ON h.id = a.host"
            " LEFT JOIN addresses v ON v.id = a.via LEFT JOIN hosts vh ON vh.id = v.host"
            " WHERE q.site = ? ORDER BY q.rank, q.id LIMIT ? OFFSET ?", (site_id, limit, offset),
        )  # fmt: skip
        return [_target(row) for row in rows]

    def rerank(self, ranks: Iterable[tuple[int, int]]) -> None:
        """Give waiting addresses (rank, number) another place in their queue."""
        moved = list(ranks)
        if moved:
            self._db.many("UPDATE queue SET rank = ? WHERE id = ?", moved)
            self._raise_waiting([id_ for _, id_ in moved])

    def settle(self, id_: int, fate: str, detail: str = "", at: float = 0.0, weight: float | None = None) -> None:
        """A waiting address gets its fate. Settling it again changes nothing: a journal may be read twice."""
        if self._db.run("DELETE FROM queue WHERE id = ?", (id_,)):
            self._db.run(
                "INSERT OR REPLACE INTO fates (id, fate, detail, at, weight) VALUES (?, ?, ?, ?, ?)",
                (id_, fate, _storable(detail) or None, at or None, weight),
            )
            self._count(fate)
            self._count(WAITING, -1)

    def postpone(self, id_: int, rank: int, tries: int) -> None:
        """A waiting address failed for now: it goes on waiting, at another rank."""
        self._db.run("UPDATE queue SET rank = ?, tries = ? WHERE id = ?", (rank, tries, id_))

    def release(self, site_id: int, due: float, now: float) -> None:
        """A site's turn is over; it rests until `due`."""
        self._on_turn.discard(site_id)
        rank = self._best_rank(site_id)
        ready = rank is not None and due <= now
        self._db.run("UPDATE sites SET due = ?, best = ?, ready = ? WHERE id = ?", (due, rank, int(ready), site_id))
        if due > now:
            self._sleep(site_id, due)

    def next_due(self) -> float | None:
        """When the next resting site wakes, or None when none rests."""
        return self._alarms[0][0] if self._alarms else None

    def _sleep(self, site_id: int, due: float) -> None:
        self._resting.add(site_id)
        heapq.heappush(self._alarms, (due, site_id))

    def _wake(self, now: float) -> None:
        while self._alarms and self._alarms[0][0] <= now:
            _, site_id = heapq.heappop(self._alarms)
            self._resting.discard(site_id)
            rank = self._best_rank(site_id)
            self._db.run("UPDATE sites SET best = ?, ready = ? WHERE id = ?", (rank, int(rank is not None), site_id))

    # -- hosts, facts, durability ----------------------------------------------------------------------------------

    def fetched_on(self, base: str) -> int:
        """How many pages of an origin were fetched."""
        return self._hosts.fetched(base)

    def count_fetched(self, base: str) -> None:
        """One more page of an origin was fetched."""
        self._hosts.count_fetched(base)

    def robots(self, base: str) -> bytes | None:
        """What was kept of an origin's robots.txt."""
        return self._hosts.robots(base)

    def keep_robots(self, base: str, robots: bytes) -> None:
        """Keep an origin's robots.txt, so that a resumed crawl need not ask again."""
        self._hosts.keep_robots(base, robots)

    def forget_fact(self, name: str) -> None:
        """A fact is no longer needed."""
        self.facts.pop(name, None)

    def commit(self) -> None:
        """Make everything so far durable, the facts and counts with it."""
        self._hosts.save()
        facts = {**self.facts, **{f"count:{name}": str(n).encode() for name, n in self.counts.items()}}
        changed = [(name, value) for name, value in facts.items() if self._saved.get(name) != value]
        self._db.many("INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)", changed)
        self._db.many("DELETE FROM facts WHERE name = ?", [(name,) for name in self._saved.keys() - facts.keys()])
        self._db.commit()
        self._saved = facts

    def close(self, commit: bool = True) -> None:
        """Let go of the file; without `commit` what came since the last one is forgotten."""
        if commit and not self._read_only:
            self.commit()
        self._db.close()

    def _count(self, name: str, n: int = 1) -> None:
        self.counts[name] = self.counts.get(name, 0) + n

    # -- questions -------------------------------------------------------------------------------------------------

    @property
    def waiting(self) -> int:
        """How many addresses wait."""
        return self.counts.get(WAITING, 0)

    def is_waiting(self, id_: int) -> bool:
        """Whether an address, by its number, still waits."""
        return self._db.row("SELECT 1 FROM queue WHERE id = ?", (id_,)) is not None

    def id_of(self, url: str) -> int:
        """The number of a known address, 0 for an unknown one."""
        hash_ = fingerprint(url)
        return self._prints.find_one(hash_) if self._read_only else self._prints.find([hash_]).get(hash_, 0)

    def fate(self, url: str) -> Fate | None:
        """What is known of an address, or None when it was never discovered."""
        id_ = self.id_of(url)
        return fate_of(self._db, id_) if id_ else None

    def fates(self, kinds: Sequence[str], limit: int | None = None) -> Iterator[Fate]:
        """The addresses with one of these fates ('waiting' is one), however many; each kind in order of discovery."""
        return fates_of(self._db, kinds, ALL if limit is None else checked_limit(limit))


def _found(entry: Entry) -> tuple[object, ...]:
    """How an address was found, as its row has it."""
    return (
        entry.via, WHYS.index(entry.why), entry.depth, entry.tunnel, _storable(entry.anchor) or None, entry.near or None,
        "\n".join(entry.redirects) or None,
    )  # fmt: skip


def _target(row: Row) -> Target:
    url, id_, why, via, depth, tunnel, rank, anchor, near, redirects, tries = row
    return Target(
        url, id_, WHYS[why], via or "", depth, tunnel, rank, anchor, near,
        tuple(redirects.split("\n")) if redirects else (), tries,
    )  # fmt: skip


def _better(one: Entry, other: Entry) -> Entry:
    """The better of two finds of one address on one page: rather one that is not skipped, then the better rank."""
    if bool(one.skip) != bool(other.skip):
        return other if one.skip else one
    return other if other.rank < one.rank else one


def _join_anchors(known: str, anchor: str) -> str:
    """The words of several links to one address, each once."""
    if not anchor or anchor in known or len(known) + len(anchor) > ANCHORS_CHARACTERS_MAX:
        return known
    return f"{known} | {anchor}" if known else anchor


def _storable(text: str) -> str:
    """Text without halves of surrogate pairs, which no file may hold."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
