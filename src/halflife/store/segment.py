"""A segment while it is being written: a WARC file, a journal, and tables that become readable when it is sealed."""

from __future__ import annotations

import os
import secrets
import time
from pathlib import Path

import msgspec

from halflife.errors import StoreError
from halflife.records import Answer, Fetch, Page, Weight
from halflife.store.cdxj import cdxj_line
from halflife.store.columns import TABLES
from halflife.store.faults import store_error, told
from halflife.store.folder import FORMAT, MARK, Folder, Mark, sync_folder, write_whole
from halflife.store.journal import Journal, entry_of
from halflife.store.tables import PART, Tables
from halflife.store.warc import Placed, WarcFile, warc_name


class SegmentWriter:
    """Writes one segment. What `add` returned for survives the process; what `sync` saw survives a power cut."""

    def __init__(self, folder: Folder, name: str) -> None:
        self.name = name
        self._folder = folder
        self._path = folder.segment(name)
        self._broken = False
        with told(self._path):
            self._path.mkdir()
            # The journal comes first, and stays: a WARC file without one is never what a crash left behind.
            self._journal = Journal(folder.journal(name))
            sync_folder(folder.journal(name).parent)
            self._warc = WarcFile(self._path / warc_name(name), name)
        self._contents = Contents(self._path, name)

    @classmethod
    def create(cls, folder: Folder) -> SegmentWriter:
        """Begin a segment of its own name: they sort by the time they were begun."""
        return cls(folder, f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{secrets.token_hex(4)}")

    @property
    def size(self) -> int:
        """Bytes in the WARC file so far."""
        return self._warc.size

    def add(self, fetch: Fetch, page: Page | None, weight: Weight | None, note: bytes) -> int:
        """Store one fetch and what was made of it; where its entry in the journal ends."""
        self._check()
        content_bytes = _content_bytes(fetch)
        try:
            placed = self._warc.write(fetch, self._folder.stored)
            made = page is not None, weight is not None
            end = self._journal.add(entry_of(fetch, placed, note, self._warc.size, made, content_bytes))
            self._contents.add(fetch, placed, page, weight, content_bytes)
        except (OSError, ValueError) as error:
            self._broken = True
            raise store_error(error, self._path) from error
        return end

    def sync(self) -> None:
        """Put everything that was added on the disk: the WARC file first, so that the journal never says more."""
        self._check()
        with told(self._path):
            self._warc.sync()
            self._journal.sync()

    def seal(self) -> None:
        """Complete the segment; its mark comes last. The journal stays until the frontier needs it no more."""
        self.sync()
        with told(self._path):
            self._warc.close()
            self._journal.close()
            self._broken = True  # nothing more may be added
            self._contents.seal()

    def _check(self) -> None:
        if self._broken:
            raise StoreError(f"{self._path}: sealed or broken; nothing more can be added to it")


class Contents:
    """The readable half of a segment: tables and index. A repair writes it once more, with the same code."""

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        self._index: list[bytes] = []
        self._tables = Tables(path, warc_name(name))

    def add(
        self, fetch: Fetch, placed: Placed, page: Page | None, weight: Weight | None, content_bytes: int | None
    ) -> None:
        """What one fetch leaves in the tables and the index."""
        if isinstance(fetch.outcome, Answer):
            self._index.append(cdxj_line(fetch, placed, warc_name(self._name)))
        self._tables.add(fetch, placed, page, weight, content_bytes)

    def seal(self) -> None:
        """Write it all, give the files their names, and set the mark."""
        rows = self._tables.close()
        index = f"{self._name}.cdxj"
        self._index.sort()
        (self._path / f"{index}{PART}").write_bytes(b"".join(self._index))
        names = [index, *(f"{table}.parquet" for table in TABLES)]
        for name in names:
            part = self._path / f"{name}{PART}"
            _sync_file(part)
            part.replace(self._path / name)
        sync_folder(self._path)
        files = {name: (self._path / name).stat().st_size for name in (warc_name(self._name), *names)}
        write_whole(self._path / MARK, msgspec.json.encode(Mark(FORMAT, files, rows)) + b"\n")
        sync_folder(self._path.parent)


def _content_bytes(fetch: Fetch) -> int | None:
    """The length of the decoded body, None where it was never in memory as a whole."""
    answer = fetch.outcome
    return len(answer.content) if isinstance(answer, Answer) and not answer.spool else None


def _sync_file(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
