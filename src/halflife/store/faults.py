"""What can go wrong with files, told in one line: what, where, what to do. The only place where it is put into words."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from halflife.errors import StoreError

FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
FORBIDDEN = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
MISPLACED = frozenset({errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG})

AGAIN = "then give the same command again: it goes on where it stopped"
DAMAGED = "it is cut short or damaged"
REPAIR = "put it back from a copy, or start a new store with another --into"
REPAIR_SEGMENT = "put it back from a copy, or move its folder out of the store, which then lacks what was fetched in it"

# The first byte of an SQLite error code says what kind it is; the others say more than a user needs.
SQLITE_ADVICE = {
    sqlite3.SQLITE_FULL: f"the disk is full; free some space, {AGAIN}",
    sqlite3.SQLITE_CORRUPT: f"{DAMAGED}: {REPAIR}",
    sqlite3.SQLITE_NOTADB: f"{DAMAGED}: {REPAIR}",
    sqlite3.SQLITE_READONLY: "it may not be written to; change its permissions",
    sqlite3.SQLITE_PERM: "it may not be opened; change its permissions",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened; see that it exists and that you may read and write it",
    sqlite3.SQLITE_BUSY: "another program is using it; close that program, then try again",
    sqlite3.SQLITE_LOCKED: "another program is using it; close that program, then try again",
    sqlite3.SQLITE_IOERR: f"the disk does not read or write it; see to the disk, {AGAIN}",
}


@contextmanager
def told(path: Path | str) -> Iterator[None]:
    """Whatever files do to us in here leaves as a StoreError about `path`, or about the file the error names."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        raise store_error(error, path) from error


@contextmanager
def told_of_store(path: Path | str, repair: str = REPAIR) -> Iterator[None]:
    """As `told`, about what a store has once it was made: not to find it is damage, which `repair` puts right."""
    with told(path):
        try:
            yield
        except FileNotFoundError as error:
            raise StoreError(f"{error.filename or path}: is missing; {repair}") from error


def store_error(error: Exception, path: Path | str, repair: str = REPAIR) -> StoreError:
    """One line about an error of the system, of SQLite, Parquet or DuckDB; damage is put right by `repair`."""
    if isinstance(error, StoreError):
        return error
    if isinstance(error, sqlite3.Error):
        return StoreError(f"{path}: {_of_sqlite(error)}")
    if isinstance(error, OSError) and error.errno is not None:
        return StoreError(f"{error.filename or path}: {_of_system(error)}")
    first_line = str(error).strip().partition("\n")[0][:200]
    # What a damaged file holds may be quoted in it.
    shown = "".join(character if character.isprintable() else "?" for character in first_line)
    return StoreError(f"{path}: {DAMAGED}: {repair} ({shown})")


def damaged(path: Path | str, what: str, repair: str = REPAIR) -> StoreError:
    """A file of the store is not what was written."""
    return StoreError(f"{path}: {what}; {DAMAGED}: {repair}")


def _of_system(error: OSError) -> str:
    if error.errno in FULL:
        return f"the disk is full (or a limit on file sizes is reached); free some space, {AGAIN}"
    if error.errno in FORBIDDEN:
        return "no permission; change its permissions, or choose another folder"
    if error.errno == errno.ENOENT:
        return "does not exist and cannot be made there; choose another folder"
    if error.errno in MISPLACED:
        return f"cannot be used as it stands ({error.strerror}); choose another folder"
    return f"{error.strerror or error}; see to the disk, {AGAIN}"


def _of_sqlite(error: sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorcode", None)
    advice = SQLITE_ADVICE.get(code & 0xFF) if code is not None else None
    if advice is None:
        # Some errors come without a code, and a foreign table layout has one that says nothing ("SQL logic error").
        return f"{DAMAGED}: {REPAIR} ({error})"
    return f"{advice} ({error})"
