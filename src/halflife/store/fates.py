"""What the frontier knows of addresses, for those who ask: one address, or all that were not fetched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from halflife.records import Why
from halflife.store.database import Database

WHYS = list(Why)  # as numbers in the tables: new ones go to the end of the enumeration
WAITING = "waiting"
ALL = -1  # as a limit: none

COLUMNS = (
    "SELECT a.id, h.origin || a.path, a.why, vh.origin || v.path, coalesce(q.depth, a.depth),"
    " coalesce(q.anchors, a.anchor, ''), coalesce(f.fate, 'waiting'), coalesce(f.detail, ''), coalesce(f.at, 0.0),"
    " f.weight, q.rank"
)
JOINED = "JOIN hosts h ON h.id = a.host LEFT JOIN addresses v ON v.id = a.via LEFT JOIN hosts vh ON vh.id = v.host"
OF_QUEUE, OF_FATES = "LEFT JOIN queue q ON q.id = a.id", "LEFT JOIN fates f ON f.id = a.id"
ONE = f"{COLUMNS} FROM addresses a {JOINED} {OF_QUEUE} {OF_FATES} WHERE a.id = ?"
THE_WAITING = f"{COLUMNS} FROM queue q JOIN addresses a ON a.id = q.id {JOINED} {OF_FATES} LIMIT ?"
OF_THESE = "WHERE f.fate IN (SELECT value FROM json_each(?)) ORDER BY f.id LIMIT ?"
THE_SETTLED = f"{COLUMNS} FROM fates f JOIN addresses a ON a.id = f.id {JOINED} {OF_QUEUE} {OF_THESE}"


class Fate(Struct):
    """All that the frontier knows of one address."""

    id: int
    url: str
    why: Why
    via: str  # the address it was found on, '' for none
    depth: int
    anchor: str
    fate: str  # 'waiting', or what became of it
    detail: str
    at: float
    weight: float | None
    rank: int | None


def fate_of(db: Database, id_: int) -> Fate | None:
    """What is known of an address by its number."""
    row = db.row(ONE, (id_,))
    return None if row is None else Fate(row[0], row[1], WHYS[row[2]], row[3] or "", *row[4:])


def fates_of(db: Database, kinds: Sequence[str], limit: int = ALL) -> Iterator[Fate]:
    """The addresses with one of these fates, streamed: first the waiting ones if asked for, each in order of discovery."""
    left = limit
    for sql, values in _questions(kinds):
        if left == 0:
            return
        for row in db.stream(sql, (*values, left)):
            left -= left > 0
            yield Fate(row[0], row[1], WHYS[row[2]], row[3] or "", *row[4:])


def _questions(kinds: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    import json

    if WAITING in kinds:
        yield THE_WAITING, ()
    if settled := [kind for kind in kinds if kind != WAITING]:
        yield THE_SETTLED, (json.dumps(settled),)
