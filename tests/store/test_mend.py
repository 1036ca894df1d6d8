"""Segments without their mark: whatever a crash left of them, what is whole comes back as if nothing had happened."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from halflife.errors import StoreError
from halflife.records import Answer, Fetch, Page, Target, Weight
from halflife.store import Folder, SegmentWriter, mend, notes
from halflife.store.columns import TABLES
from halflife.store.journal import MAGIC, entries
from store.made import AT, answered, decode, failed, html, made_of, new_store, read, spooled

LONG = html("Long", words="a sentence that is worth a reference " * 20)
VERSION_AT = len(MAGIC) - 2  # where a journal says of which version it is
GZIP = (("content-type", "text/html"), ("content-encoding", "gzip"))


class Crashed(Struct):
    """A store whose last segment was never sealed, and what that segment would have been."""

    path: Path
    name: str
    urls: list[str]  # of its fetches, in order
    journal_ends: list[int]  # after each fetch
    warc_ends: list[int]
    tables: dict[str, list[dict[str, Any]]]
    index: list[bytes]
    files: dict[str, bytes]


def tables_of(segment: Path) -> dict[str, list[dict[str, Any]]]:
    return {name: pyarrow.parquet.read_table(segment / f"{name}.parquet").to_pylist() for name in TABLES}


def index_of(segment: Path) -> list[bytes]:
    return (segment / f"{segment.name}.cdxj").read_bytes().splitlines()


def visits(scratch: Path) -> list[tuple[Fetch, Page | None, Weight | None]]:
    """One of everything that a segment can hold."""
    links = [f"http://b.example/{n}" for n in range(5)]
    page = answered("http://a.example/page", html("A page", links, "solar solar solar"))
    packed = answered("http://a.example/packed", html("Packed", links, "solar"), AT + 1, headers=GZIP)
    large = answered("http://a.example/large", html("Large", words="many words " * 60_000), AT + 3)
    copy = answered("http://a.example/copy", LONG, AT + 4)
    again = answered("http://a.example/again", html("Packed", links, "solar" * 90), AT + 5)
    twin = answered("http://a.example/twin", html("Packed", links, "solar" * 90), AT + 6)
    feed = answered("http://a.example/feed", html("A list", links), AT + 8)
    return [
        (page, *made_of(page)),
        (packed, *made_of(packed)),
        (failed("http://gone.example/", at=AT + 2), None, None),
        (spooled(large, scratch / "spool"), *made_of(large)),
        (copy, *made_of(copy)),  # a reference to the segment before
        (again, *made_of(again)),
        (twin, *made_of(twin)),  # a reference within the segment
        (answered("http://a.example/missing", b"", AT + 7, status=404), None, None),
        (feed, made_of(feed)[0], None),
    ]


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Crashed:
    scratch = tmp_path_factory.mktemp("mend")
    folder = new_store(scratch / "s")
    first = SegmentWriter(folder, "20260101-000000-00000000")
    original = answered("http://a.example/original", LONG)
    first.add(original, *made_of(original), b"")
    first.seal()
    folder.forget_journals()
    writer = SegmentWriter(folder, "20260102-000000-00000000")
    everything = visits(scratch)
    journal_ends, warc_ends = [], []
    for place, (fetch, page, weight) in enumerate(everything):
        journal_ends.append(writer.add(fetch, page, weight, b"note %d" % place))
        warc_ends.append(writer.size)
    writer.sync()
    shutil.copytree(folder.path, scratch / "crashed")
    writer.seal()
    segment = folder.segment(writer.name)
    return Crashed(
        scratch / "crashed", writer.name, [fetch.target.url for fetch, _, _ in everything], journal_ends, warc_ends,
        tables_of(segment), index_of(segment), {path.name: path.read_bytes() for path in segment.iterdir()},
    )  # fmt: skip


def copied(crashed: Crashed, to: Path) -> Folder:
    return Folder(shutil.copytree(crashed.path, to))


def warc_of(folder: Folder, crashed: Crashed) -> Path:
    return folder.segment(crashed.name) / f"{crashed.name}.warc.gz"


def is_mended(folder: Folder, crashed: Crashed, kept: int) -> None:
    """Mend, and see that the first `kept` fetches are there, exactly as they would have been, and nothing else."""
    assert mend(folder, read, decode) == ([crashed.name] if kept else [])
    assert folder.unsealed() == []
    segment, journal = folder.segment(crashed.name), folder.journal(crashed.name)
    if not kept:
        assert not segment.exists()
        assert not journal.exists()
        return
    urls = set(crashed.urls[:kept])
    for name, rows in tables_of(segment).items():
        key = "from_url" if name in ("links", "media") else "url"
        assert rows == [row for row in crashed.tables[name] if row[key] in urls], name
    assert index_of(segment) == [line for line in crashed.index if any(f'"{url}"'.encode() in line for url in urls)]
    assert warc_of(folder, crashed).stat().st_size == crashed.warc_ends[kept - 1]
    assert journal.stat().st_size == crashed.journal_ends[kept - 1]
    mark = folder.segments()[crashed.name]
    assert mark.rows == {name: len(rows) for name, rows in tables_of(segment).items()}
    assert sorted(mark.files) == sorted(path.name for path in segment.iterdir() if path.name != "done.json")
    assert [note for _, _, note in notes(folder, crashed.name, 0)] == [b"note %d" % place for place in range(kept)]
    assert list(folder.spool.iterdir()) == []


def whole(ends: Iterable[int], size: int) -> int:
    return sum(end <= size for end in ends)


def test_nothing_is_lost_when_all_was_written(crashed: Crashed, tmp_path: Path) -> None:
    folder = copied(crashed, tmp_path / "s")
    is_mended(folder, crashed, len(crashed.urls))
    again = {path.name: path.read_bytes() for path in folder.segment(crashed.name).iterdir()}
    assert again == crashed.files  # to the byte
    assert mend(folder, read, decode) == []


def test_the_first_segment_is_left_alone(crashed: Crashed, tmp_path: Path) -> None:
    folder = copied(crashed, tmp_path / "s")
    sealed = folder.segment("20260101-000000-00000000")
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in sealed.iterdir()}
    mend(folder, read, decode)
    assert {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in sealed.iterdir()} == before


@pytest.mark.parametrize("off", [-1, 0, 1])
@pytest.mark.parametrize("which", ["journal", "warc"])
def test_a_file_cut_at_or_beside_any_end_gives_what_is_whole(
    crashed: Crashed, tmp_path: Path, which: str, off: int
) -> None:
    ends = crashed.journal_ends if which == "journal" else sorted(set(crashed.warc_ends))
    for place, end in enumerate(ends[:-1] if off > 0 else ends):
        folder = copied(crashed, tmp_path / f"{place}")
        os.truncate(folder.journal(crashed.name) if which == "journal" else warc_of(folder, crashed), end + off)
        is_mended(folder, crashed, whole(getattr(crashed, f"{which}_ends"), end + off))


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_files_cut_anywhere_give_what_both_have_whole(crashed: Crashed, data: st.DataObject) -> None:
    journal_size = data.draw(st.integers(0, crashed.journal_ends[-1]), "journal")
    warc_size = data.draw(st.integers(0, crashed.warc_ends[-1]), "warc")
    with tempfile.TemporaryDirectory() as name:
        folder = copied(crashed, Path(name) / "s")
        os.truncate(folder.journal(crashed.name), journal_size)
        os.truncate(warc_of(folder, crashed), warc_size)
        is_mended(folder, crashed, min(whole(crashed.journal_ends, journal_size), whole(crashed.warc_ends, warc_size)))


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_a_wrong_byte_anywhere_ends_what_is_kept_before_it(crashed: Crashed, data: st.DataObject) -> None:
    """A power cut may leave pages of a file that were never written: right in length, wrong in content."""
    which = data.draw(st.sampled_from(["journal", "warc"]), "which")
    ends = crashed.journal_ends if which == "journal" else crashed.warc_ends
    at = data.draw(st.integers(0, ends[-1] - 1).filter(lambda at: which == "warc" or at != VERSION_AT), "at")
    with tempfile.TemporaryDirectory() as name:
        folder = copied(crashed, Path(name) / "s")
        path = folder.journal(crashed.name) if which == "journal" else warc_of(folder, crashed)
        content = bytearray(path.read_bytes())
        content[at] ^= data.draw(st.integers(1, 255), "by")
        path.write_bytes(content)
        sealed = mend(folder, read, decode)
        kept = tables_of(folder.segment(crashed.name))["fetches"] if sealed else []
        # Some bytes of a gzip member's head (time, system ...) may be anything: nothing is lost by them.
        assert len(kept) == whole(ends, at) or (which == "warc" and len(kept) == len(crashed.urls))
        assert kept == crashed.tables["fetches"][: len(kept)]
        assert folder.unsealed() == []


@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_a_stretch_of_zeros_ends_what_is_kept_before_it(crashed: Crashed, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, crashed.warc_ends[-1] - 100), "at")
    with tempfile.TemporaryDirectory() as name:
        folder = copied(crashed, Path(name) / "s")
        path = warc_of(folder, crashed)
        content = path.read_bytes()
        path.write_bytes(content[:at] + bytes(100) + content[at + 100 :])
        is_mended(folder, crashed, whole(crashed.warc_ends, at))


def test_what_comes_after_the_last_entry_is_dropped(crashed: Crashed, tmp_path: Path) -> None:
    folder = copied(crashed, tmp_path / "s")
    with warc_of(folder, crashed).open("ab") as file:
        file.write(b"half a record")
    with folder.journal(crashed.name).open("ab") as file:
        file.write(b"\xff" * 40)  # a length beyond all measure
    is_mended(folder, crashed, len(crashed.urls))


@pytest.mark.parametrize("journal", [True, False])
@pytest.mark.parametrize("warc", ["gone", "empty"])
def test_without_its_warc_file_a_segment_never_happened(
    crashed: Crashed, tmp_path: Path, journal: bool, warc: str
) -> None:
    folder = copied(crashed, tmp_path / "s")
    if not journal:
        folder.journal(crashed.name).unlink()
    warc_of(folder, crashed).unlink()
    if warc == "empty":
        warc_of(folder, crashed).touch()
    is_mended(folder, crashed, 0)
    assert list(folder.segments()) == ["20260101-000000-00000000"]


@pytest.mark.parametrize("lost", ["mark", "journal"])
def test_a_segment_whose_mark_or_journal_was_lost_is_not_removed(crashed: Crashed, tmp_path: Path, lost: str) -> None:
    """No crash leaves a WARC file without one of them: somebody took it, and may have it still."""
    folder = copied(crashed, tmp_path / "s")
    name = {"mark": "20260101-000000-00000000", "journal": crashed.name}[lost]
    (folder.segment(name) / "done.json").rename(tmp_path / "mark") if lost == "mark" else folder.journal(name).unlink()
    before = {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()}
    with pytest.raises(StoreError) as told:
        mend(folder, read, decode)
    assert str(told.value) == (
        f"{folder.segment(name)}: has fetched pages, but neither its mark done.json nor its journal; put done.json back"
        " from a copy, or move the folder out of the store, which then lacks those pages"
    )
    assert {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()} == before
    if lost == "mark":
        (tmp_path / "mark").rename(folder.segment(name) / "done.json")
        is_mended(folder, crashed, len(crashed.urls))
    else:
        folder.segment(name).rename(tmp_path / "elsewhere")
        assert mend(folder, read, decode) == []


@pytest.mark.parametrize("head", [b"", MAGIC[:7], MAGIC])
def test_a_segment_that_was_just_begun_is_removed(crashed: Crashed, tmp_path: Path, head: bytes) -> None:
    folder = copied(crashed, tmp_path / "s")
    folder.journal(crashed.name).write_bytes(head)
    is_mended(folder, crashed, 0)


def test_leftovers_of_writing_and_of_an_earlier_repair_do_no_harm(crashed: Crashed, tmp_path: Path) -> None:
    folder = copied(crashed, tmp_path / "s")
    segment = folder.segment(crashed.name)
    for name, content in crashed.files.items():
        if name.endswith(".parquet"):
            (segment / name).write_bytes(content[:-1])
        if not name.endswith(".warc.gz"):
            (segment / f"{name}.part").write_bytes(b"half")
    shutil.rmtree(folder.spool)
    kept = len(crashed.urls)
    assert mend(folder, read, decode) == [crashed.name]
    assert {name: (segment / name).read_bytes() for name in crashed.files} == crashed.files
    assert [path.name for path in segment.iterdir() if path.name.endswith(".part")] == []
    assert len(list(entries(folder.journal(crashed.name)))) == kept


def test_several_segments_are_mended_in_one_go(crashed: Crashed, tmp_path: Path) -> None:
    folder = copied(crashed, tmp_path / "s")
    writers = [SegmentWriter(folder, f"20260103-000000-0000000{n}") for n in range(3)]
    for writer in writers[:2]:
        fetch = answered("http://c.example/", LONG)
        writer.add(fetch, *made_of(fetch), b"")
    assert mend(folder, read, decode) == [crashed.name, writers[0].name, writers[1].name]
    assert list(folder.segments())[1:] == [crashed.name, writers[0].name, writers[1].name]


def test_a_reference_whose_original_is_gone_says_which_file_is_missing(crashed: Crashed, tmp_path: Path) -> None:
    folder = copied(crashed, tmp_path / "s")
    shutil.rmtree(folder.segment("20260101-000000-00000000"))
    with pytest.raises(StoreError, match=r"20260101-000000-00000000\.warc\.gz: is missing; put it back") as told:
        mend(folder, read, decode)
    segment = folder.segment(crashed.name)
    assert str(told.value).endswith(f", or move {segment}, which refers to it, out of the store as well")
    segment.rename(tmp_path / "elsewhere")
    assert mend(folder, read, decode) == []


def test_the_reader_is_given_the_answer_as_it_was(crashed: Crashed, tmp_path: Path) -> None:
    folder = copied(crashed, tmp_path / "s")
    met: dict[str, tuple[Target, bytes, bytes]] = {}

    def reading(fetch: Fetch, chunks: Iterable[bytes]) -> tuple[Page | None, Weight | None]:
        assert isinstance(fetch.outcome, Answer)
        met[fetch.target.url] = (fetch.target, fetch.outcome.head, b"".join(chunks))
        return None, None

    assert mend(folder, reading, decode) == [crashed.name]
    for fetch, page, _ in visits(tmp_path):
        if page is None:
            assert fetch.target.url not in met
            continue
        assert isinstance(fetch.outcome, Answer)
        target, head, content = met[fetch.target.url]
        assert (target, content) == (fetch.target, b"".join(decode(fetch.outcome)))
        if fetch.target.url.endswith(("copy", "twin")):  # the head of the answer whose body it is
            assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        else:
            assert head == fetch.outcome.head
    assert tables_of(folder.segment(crashed.name))["pages"] == []  # what is made of it now is what counts


def test_a_journal_of_another_version_is_not_thrown_away(crashed: Crashed, tmp_path: Path) -> None:
    folder = copied(crashed, tmp_path / "s")
    journal = folder.journal(crashed.name)
    journal.write_bytes(b"halflife journal 2\n" + journal.read_bytes()[len(MAGIC) :])
    before = {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()}
    with pytest.raises(StoreError, match="resume once with that version"):
        mend(folder, read, decode)
    assert {path: path.read_bytes() for path in folder.path.rglob("*") if path.is_file()} == before


KILLED = """
import os, signal, sys
from pathlib import Path
from halflife.store import Folder, mend
from store.made import decode, read
left = int(sys.argv[2])
fsync = os.fsync
def killing(descriptor):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)
    fsync(descriptor)
os.fsync = killing
mend(Folder(sys.argv[1]), read, decode)
"""


def test_a_repair_that_is_killed_is_done_again(crashed: Crashed, tmp_path: Path) -> None:
    """Killed before each of its calls to the disk: WARC file, six tables and index, their names, the mark, its name."""
    places = [1, 4, 8, 9, 10, 11]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    folders = [copied(crashed, tmp_path / f"{place}") for place in places]
    killed = [
        subprocess.Popen([sys.executable, "-c", KILLED, str(folder.path), str(place)], env=environment)
        for folder, place in zip(folders, places, strict=True)
    ]
    assert [process.wait() for process in killed] == [-signal.SIGKILL] * len(places)
    for folder, place in zip(folders, places, strict=True):
        if folder.unsealed():
            folder.lock()  # as the next run does, which clears what a killed repair left in the spool
            is_mended(folder, crashed, len(crashed.urls))
            folder.unlock()
        else:
            assert place >= 10  # the mark had its name already
        assert {name: (folder.segment(crashed.name) / name).read_bytes() for name in crashed.files} == crashed.files


KILLED_AT = """
import os, signal, sys
from halflife.store import Folder, SegmentWriter, mend
from store.made import decode, read
folder, what, left = Folder(sys.argv[1]), sys.argv[2], int(sys.argv[3])
def killing(call):
    def instead(*given, **named):
        global left
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*given, **named)
    return instead
for name in ("unlink", "rmdir") if what == "remove" else ("mkdir", "open", "write", "fsync"):
    setattr(os, name, killing(getattr(os, name)))
if what == "remove":
    mend(folder, read, decode)
else:
    SegmentWriter(folder, "20260103-000000-00000000")
"""


@pytest.mark.parametrize(("what", "calls"), [("begin", 7), ("remove", 4)])
def test_who_is_killed_beginning_or_removing_a_segment_leaves_nothing_in_the_way(
    crashed: Crashed, tmp_path: Path, what: str, calls: int
) -> None:
    """Killed before each of the calls that change what is on the disk."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    folders = [copied(crashed, tmp_path / f"{place}") for place in range(1, calls + 1)]
    for folder in folders:
        if what == "begin":
            shutil.rmtree(folder.segment(crashed.name))
            folder.journal(crashed.name).unlink()
        else:
            os.truncate(folder.journal(crashed.name), 5)
            for path in folder.segment(crashed.name).glob("*.part"):
                path.unlink()
            (folder.segment(crashed.name) / "pages.parquet").touch()
    killed = [
        subprocess.Popen([sys.executable, "-c", KILLED_AT, str(folder.path), what, str(place)], env=environment)
        for place, folder in enumerate(folders, 1)
    ]
    assert [process.wait() for process in killed] == [-signal.SIGKILL] * calls
    for folder in folders:
        assert mend(folder, read, decode) == []
        assert folder.unsealed() == []
        folder.forget_journals()
        assert folder.journals() == []
        assert list(folder.segments()) == ["20260101-000000-00000000"]
