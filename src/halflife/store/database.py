"""The frontier's file: its tables, and a connection that tells of trouble as StoreErrors.

The tables are shaped so that the fat rows (the addresses themselves) are nearly only appended, and everything that is
written at a random place is thin:

    sites      one row a registrable site: when it may be asked again, and the rank of its best waiting address
    hosts      one row an origin: its site, pages fetched
    robots     an origin's robots.txt while that is fresh
    addresses  path, where it was found, the words of the link; changed only when a skipped one is found on better terms
    known      fingerprint -> address, for all but the youngest addresses (see fingerprints.py)
    merged     up to which address each slice of fingerprints is in `known`
    queue      the waiting ones: site, rank, and what is better than when they were discovered
    fates      the others: fetched, failed, redirected or skipped, and why
    facts      what the main process wants kept with them, by name
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from halflife.errors import StoreError
from halflife.store.faults import store_error

CACHE_KIB = 280_000  # SQLite's page cache: holds nearly all the thin tables of ten million addresses
READER_CACHE_KIB = 16_000  # who only asks reads each page about once
CHECKPOINT_PAGES = 16_000  # the log is folded back every 64 MB: rarer means fewer pages written twice
BUSY_SECONDS = 10.0  # a reader may hold up the folding of the log for a moment
LAYOUT = 2  # raised when a table changes its meaning

SCHEMA = """
CREATE TABLE IF NOT EXISTS sites (id INTEGER PRIMARY KEY, name TEXT UNIQUE, due REAL NOT NULL DEFAULT 0,
    best INTEGER, ready INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS ready_sites ON sites (best) WHERE ready = 1;
CREATE TABLE IF NOT EXISTS hosts (id INTEGER PRIMARY KEY, origin TEXT UNIQUE, site INTEGER NOT NULL,
    fetched INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS robots (host INTEGER PRIMARY KEY, blob BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS addresses (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, host INTEGER NOT NULL,
    path TEXT NOT NULL, via INTEGER NOT NULL, why INTEGER NOT NULL, depth INTEGER NOT NULL, tunnel INTEGER NOT NULL,
    anchor TEXT, near REAL, redirects TEXT);
CREATE TABLE IF NOT EXISTS known (hash INTEGER PRIMARY KEY, id INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS merged (slice INTEGER PRIMARY KEY, upto INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS queue (id INTEGER PRIMARY KEY, site INTEGER NOT NULL, rank INTEGER NOT NULL,
    tries INTEGER NOT NULL DEFAULT 0, depth INTEGER, tunnel INTEGER, anchors TEXT);
CREATE INDEX IF NOT EXISTS turn ON queue (site, rank);
CREATE TABLE IF NOT EXISTS fates (id INTEGER PRIMARY KEY, fate TEXT NOT NULL, detail TEXT, at REAL, weight REAL);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value BLOB);
"""

Row = tuple[Any, ...]
Values = Sequence[object] | dict[str, object]


class Database:
    """One SQLite file. A writer is always inside a transaction; only `commit` makes it durable."""

    def __init__(self, path: Path, read_only: bool = False) -> None:
        self.path = path
        try:
            self._db = _open_to_read(path) if read_only else _open_to_write(path)
        except sqlite3.Error as error:
            raise store_error(error, path) from error

    def run(self, sql: str, values: Values = ()) -> int:
        """Carry out one statement; how many rows it touched."""
        try:
            return self._db.execute(sql, values).rowcount
        except sqlite3.Error as error:
            raise store_error(error, self.path) from error

    def insert(self, sql: str, values: Values) -> int:
        """Carry out one INSERT; the number of the new row."""
        try:
            return self._db.execute(sql, values).lastrowid or 0
        except sqlite3.Error as error:
            raise store_error(error, self.path) from error

    def many(self, sql: str, rows: Iterable[Values]) -> None:
        """Carry out one statement for each row of values."""
        try:
            self._db.executemany(sql, rows)
        except sqlite3.Error as error:
            raise store_error(error, self.path) from error

    def row(self, sql: str, values: Values = ()) -> Row | None:
        """The first row of the answer, or None."""
        try:
            row: Row | None = self._db.execute(sql, values).fetchone()
        except sqlite3.Error as error:
            raise store_error(error, self.path) from error
        return row

    def rows(self, sql: str, values: Values = ()) -> list[Row]:
        """The whole answer."""
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise store_error(error, self.path) from error

    def stream(self, sql: str, values: Values = ()) -> Iterator[Row]:
        """The answer row by row, however long it is."""
        try:
            yield from self._db.execute(sql, values)
        except sqlite3.Error as error:
            raise store_error(error, self.path) from error

    def commit(self) -> None:
        """Make everything so far durable, and begin anew."""
        self.run("COMMIT")
        self.run("BEGIN")

    def close(self) -> None:
        """Let go of the file; what came since the last commit is forgotten."""
        if self._db.in_transaction:
            self.run("ROLLBACK")
        self._db.close()


def _open_to_write(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        layout = db.execute("PRAGMA user_version").fetchone()[0]
        if layout not in (0, LAYOUT):
            raise StoreError(
                f"{path}: another version of halflife made it (layout {layout}, not {LAYOUT}); use that version"
            )
        # FULL: a journal is thrown away once the frontier has committed what is in it, so a commit must outlast
        # a power cut.
        for pragma in (
            f"cache_size = -{CACHE_KIB}", "journal_mode = WAL", "synchronous = FULL", "temp_store = MEMORY",
            f"wal_autocheckpoint = {CHECKPOINT_PAGES}",
        ):  # fmt: skip
            db.execute(f"PRAGMA {pragma}")
        if layout == 0:
            db.executescript(f"BEGIN; {SCHEMA} PRAGMA user_version = {LAYOUT}; COMMIT;")
        db.execute("BEGIN")
    except BaseException:
        db.close()
        raise
    return db


def _open_to_read(path: Path) -> sqlite3.Connection:
    # A log beside the file means that it was not closed: then it takes part in the answer, and its folder must be
    # writable for that. Without one the file is all there is, and may lie on a disk that cannot be written to.
    closed = not path.with_name(f"{path.name}-wal").exists()
    uri = f"{path.absolute().as_uri()}?mode=ro" + ("&immutable=1" if closed else "")
    db = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        db.execute(f"PRAGMA cache_size = -{READER_CACHE_KIB}")
        layout = db.execute("PRAGMA user_version").fetchone()[0]
        if layout != LAYOUT:
            raise StoreError(f"{path}: not a frontier of this version of halflife (layout {layout}, not {LAYOUT})")
    except BaseException:
        db.close()
        raise
    return db
