"""Putting right what a killed process left behind: segments without their mark.

A segment is cut back to the last fetch that its journal has whole and its WARC file has too. Its tables and its index
are written again, from the bodies in the WARC file and with the same code as the first time. Nothing here is done
halfway that could not be done again: who is killed in a repair repairs the same segment at the next start. What no crash
leaves behind - a WARC file without journal and mark - somebody lost or took, and is not removed but told of.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import structs

from halflife.errors import StoreError
from halflife.records import Answer, Fetch, Page, Weight
from halflife.store.faults import told, told_of_store
from halflife.store.folder import MARK, Folder, sync_folder
from halflife.store.journal import Entry, entries
from halflife.store.segment import Contents
from halflife.store.warc import warc_name
from halflife.store.warc_back import BrokenRecordError, check_members, split_answer

Read = Callable[[Fetch, Iterable[bytes]], tuple[Page | None, Weight | None]]
Decode = Callable[[Answer], Iterator[bytes]]


def mend(folder: Folder, read: Read, decode: Decode) -> list[str]:
    """Complete or remove every segment without a mark; the names of those completed. Nobody may be writing meanwhile.

    One whose journal was lost though its WARC file holds something is an error, before anything is touched.

    `decode` gives the content of an answer whose body lies in a file, `read` makes a page and its weight of it.
    """
    names = folder.unsealed()
    for name in names:
        _check_journal(folder, name)
    return [name for name in names if _mend_segment(folder, name, read, decode)]


def _check_journal(folder: Folder, name: str) -> None:
    """A journal is made before the WARC file, and removed after the mark is set or the folder is gone."""
    path = folder.segment(name)
    with told(path):
        if not folder.journal(name).exists() and _size(path / warc_name(name)):
            raise StoreError(
                f"{path}: has fetched pages, but neither its mark {MARK} nor its journal; put {MARK} back from a copy,"
                " or move the folder out of the store, which then lacks those pages"
            )


def _mend_segment(folder: Folder, name: str, read: Read, decode: Decode) -> bool:
    path, journal = folder.segment(name), folder.journal(name)
    with told(path):
        kept = _cut(path / warc_name(name), journal)
        while kept:
            readable = _rebuild(folder, name, read, decode)
            if readable == kept:
                return True
            kept = _cut(path / warc_name(name), journal, readable)
        # The journal goes last: until then the next start removes what is left of the segment, if not this one.
        shutil.rmtree(path)
        sync_folder(path.parent)
        journal.unlink(missing_ok=True)
    return False


def _cut(warc: Path, journal: Path, at_most: int | None = None) -> int:
    """Cut journal and WARC file back to the fetches that both have; how many those are."""
    size = _size(warc)
    kept = journal_end = warc_end = 0
    for end, entry in entries(journal):
        if entry.warc_end > size or kept == at_most:
            break
        kept, journal_end, warc_end = kept + 1, end, entry.warc_end
    if kept:
        os.truncate(warc, warc_end)
        os.truncate(journal, journal_end)
    return kept


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _rebuild(folder: Folder, name: str, read: Read, decode: Decode) -> int:
    """Write tables and index again and set the mark; stops before a fetch that cannot be read back. How many could."""
    path = folder.segment(name)
    contents = Contents(path, name)
    readable = before = 0
    folder.spool.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.spool, ignore_cleanup_errors=True) as scratch:
        for _, entry in entries(folder.journal(name)):
            try:
                check_members(path / warc_name(name), before, entry.warc_end)
                page, weight = _read_again(folder, name, entry, read, decode, Path(scratch) / "body")
            except BrokenRecordError:
                return readable
            contents.add(entry.fetch(), entry.placed, page, weight, entry.content_bytes)
            before = entry.warc_end
            readable += 1
    _sync(path / warc_name(name))
    contents.seal()
    return readable


def _read_again(
    folder: Folder, name: str, entry: Entry, read: Read, decode: Decode, body: Path
) -> tuple[Page | None, Weight | None]:
    """What was made of a fetch the first time."""
    fetch, placed = entry.fetch(), entry.placed
    answer = fetch.outcome
    if not entry.page or not isinstance(answer, Answer):
        return None, None
    segment, offset = (placed.segment, placed.original) if placed.record == "revisit" else (name, placed.offset)
    warc = folder.segment(segment) / warc_name(segment)
    repair = f"put it back from a copy, or move {folder.segment(name)}, which refers to it, out of the store as well"
    with told_of_store(warc, repair):
        head = split_answer(warc, offset, placed.body_bytes, body)
    answer = structs.replace(answer, head=head, spool=str(body))
    page, weight = read(structs.replace(fetch, outcome=answer), decode(answer))
    return page, weight if entry.weight else None


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
