"""The journal: whole entries come back as they were, torn ones are the end."""

from __future__ import annotations

import os
import tempfile
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from halflife.errors import StoreError
from halflife.records import Answer, Failure, Fetch, Kind, Target, Why
from halflife.store import Folder, SegmentWriter, notes
from halflife.store import journal as journal_module
from halflife.store.journal import FRAME, MAGIC, Entry, Journal, entries, entry_of
from halflife.store.warc import Placed
from store.made import AT, answered, failed, html, new_store

TEXT = st.text(st.characters(), max_size=20)  # halves of surrogate pairs are among them
WHOLE = st.text(max_size=20)
NUMBERS = st.integers(0, 1 << 40)
SECONDS = st.floats(0, 1e10)
TARGETS = st.builds(
    Target, url=WHOLE, id=NUMBERS, why=st.sampled_from(Why), via=WHOLE, depth=NUMBERS, tunnel=NUMBERS, anchor=TEXT,
    near=SECONDS, redirects=st.lists(WHOLE, max_size=3).map(tuple), tries=NUMBERS,
)  # fmt: skip
OUTCOMES = st.one_of(
    st.builds(Failure, st.sampled_from(Kind), TEXT),
    st.builds(
        Answer, st.integers(100, 599), TEXT, st.binary(max_size=9), st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple),
        st.binary(max_size=9), st.binary(max_size=9),
    ),
)  # fmt: skip
FETCHES = st.builds(Fetch, TARGETS, SECONDS, OUTCOMES, SECONDS, NUMBERS, WHOLE, st.binary(max_size=9), SECONDS)
PLACES = st.builds(Placed, WHOLE, NUMBERS, NUMBERS, WHOLE, NUMBERS, WHOLE, NUMBERS)


def storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def as_stored(fetch: Fetch) -> Fetch:
    """What the journal is to give back: no head, no body, no request, and nothing that is no text."""
    target = structs.replace(fetch.target, anchor=storable(fetch.target.anchor))
    came = fetch.outcome
    outcome = (
        Failure(came.kind, storable(came.detail))
        if isinstance(came, Failure)
        else Answer(
            came.status,
            storable(came.reason),
            b"",
            tuple((storable(name), storable(value)) for name, value in came.headers),
        )
    )
    return Fetch(target, fetch.at, outcome, fetch.seconds, fetch.wire_bytes, fetch.address, b"", fetch.rest_seconds)


def simple(place: int = 0) -> Entry:
    return entry_of(failed(f"http://a.example/{place}"), Placed(), b"note %d" % place, 0, (False, False), None)


def written(path: Path, count: int = 5) -> list[int]:
    """A journal of so many entries; where each ends."""
    journal = Journal(path)
    ends = [journal.add(simple(place)) for place in range(count)]
    journal.sync()
    journal.close()
    return ends


def read(path: Path, start: int = 0) -> list[bytes]:
    return [entry.note for _, entry in entries(path, start)]


@settings(max_examples=150, deadline=None)
@given(FETCHES, PLACES, st.binary(max_size=50), NUMBERS, st.tuples(st.booleans(), st.booleans()), st.none() | NUMBERS)
def test_what_goes_in_comes_out(
    fetch: Fetch, placed: Placed, note: bytes, warc_end: int, made: tuple[bool, bool], content_bytes: int | None
) -> None:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "j"
        journal = Journal(path)
        end = journal.add(entry_of(fetch, placed, note, warc_end, made, content_bytes))
        journal.close()
        assert end == path.stat().st_size
        ((found_end, entry),) = entries(path)
    assert found_end == end
    assert entry.fetch() == as_stored(fetch)
    assert (entry.placed, entry.note, entry.warc_end) == (placed, note, warc_end)
    assert (entry.page, entry.weight, entry.content_bytes) == (*made, content_bytes)


def test_entries_come_in_order_with_their_ends(tmp_path: Path) -> None:
    ends = written(tmp_path / "j")
    assert [end for end, _ in entries(tmp_path / "j")] == ends
    assert read(tmp_path / "j") == [b"note 0", b"note 1", b"note 2", b"note 3", b"note 4"]


def test_reading_begins_where_it_is_told_to(tmp_path: Path) -> None:
    ends = written(tmp_path / "j")
    assert [read(tmp_path / "j", start) for start in (0, 1, len(MAGIC))] == [read(tmp_path / "j")] * 3
    for place, end in enumerate(ends):
        assert read(tmp_path / "j", end) == [b"note %d" % n for n in range(place + 1, 5)]
    assert read(tmp_path / "j", ends[-1] + 1000) == []


def test_a_journal_cut_at_any_byte_gives_its_whole_entries(tmp_path: Path) -> None:
    path = tmp_path / "j"
    ends = written(path)
    everything = read(path)
    for size in range(ends[-1], -1, -1):
        os.truncate(path, size)
        assert read(path) == everything[: sum(end <= size for end in ends)]


def test_a_wrong_byte_anywhere_ends_the_journal_before_its_entry(tmp_path: Path) -> None:
    path = tmp_path / "j"
    ends = written(path)
    content = path.read_bytes()
    everything = read(path)
    for at in range(len(MAGIC), len(content)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x41]) + content[at + 1 :])
        assert read(path) == everything[: sum(end <= at for end in ends)]


def test_a_length_beyond_all_measure_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ends = written(tmp_path / "j")
    longest = max(end - before - FRAME.size for before, end in pairwise([len(MAGIC), *ends]))
    monkeypatch.setattr(journal_module, "ENTRY_BYTES_MAX", longest)
    assert len(read(tmp_path / "j")) == 5
    monkeypatch.setattr(journal_module, "ENTRY_BYTES_MAX", longest - 1)
    assert len(read(tmp_path / "j")) < 5


def test_a_file_that_is_no_journal_has_no_entries(tmp_path: Path) -> None:
    assert read(tmp_path / "none") == []
    for content in (b"", b"half", b"something else " * 9, MAGIC, bytes(100)):
        (tmp_path / "j").write_bytes(content)
        assert read(tmp_path / "j") == []


@pytest.mark.parametrize("content", [b"halflife journal 2\n", b"halflife journal 0\nand more"])
def test_a_journal_of_another_version_is_for_that_version(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(
        StoreError, match=r"j: another version of halflife was writing it; resume once with that version"
    ):
        read(tmp_path / "j")


def test_a_journal_that_cannot_be_read_is_told_of(tmp_path: Path) -> None:
    """Reading /proc/self/mem at its beginning fails with an error of the system."""
    if not os.path.exists("/proc/self/mem"):
        pytest.skip("no /proc on this system")
    (tmp_path / "j").symlink_to("/proc/self/mem")
    with pytest.raises(StoreError, match=r"j: .*; see to the disk"):
        read(tmp_path / "j")


def test_a_journal_is_never_written_over(tmp_path: Path) -> None:
    written(tmp_path / "j")
    with pytest.raises(FileExistsError):
        Journal(tmp_path / "j")
    assert len(read(tmp_path / "j")) == 5


def test_a_journal_that_grows_can_be_read_meanwhile(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "j")
    for place in range(3):
        journal.add(simple(place))
        assert len(read(tmp_path / "j")) == place + 1
    journal.close()


# -- notes -------------------------------------------------------------------------------------------------------------


def noted(folder: Folder, count: int = 4) -> tuple[SegmentWriter, list[int], list[int]]:
    """A segment under way; where its journal and its WARC file end after each fetch."""
    writer = SegmentWriter.create(folder)
    ends, sizes = [], []
    for place in range(count):
        fetch = answered(f"http://a.example/{place}", html(f"page {place}"), AT, id_=place + 1)
        ends.append(writer.add(fetch, None, None, b"note %d" % place))
        sizes.append(writer.size)
    return writer, ends, sizes


def test_notes_say_what_was_fetched_and_where_their_entries_end(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    writer, ends, _ = noted(folder)
    found = list(notes(folder, writer.name, 0))
    assert [(end, target.id, note) for end, target, note in found] == [
        (end, place + 1, b"note %d" % place) for place, end in enumerate(ends)
    ]
    assert [end for end, _, _ in notes(folder, writer.name, ends[1])] == ends[2:]
    assert list(notes(folder, writer.name, ends[-1])) == []


def test_notes_never_say_more_than_the_warc_file_has(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    writer, ends, sizes = noted(folder)
    warc = folder.segment(writer.name) / f"{writer.name}.warc.gz"
    for size in range(sizes[-1], -1, -7):
        os.truncate(warc, size)
        assert [end for end, _, _ in notes(folder, writer.name, 0)] == ends[: sum(end <= size for end in sizes)]
    warc.unlink()
    assert list(notes(folder, writer.name, 0)) == []


def test_notes_of_a_segment_that_grows_go_on(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    writer, ends, _ = noted(folder, 1)
    growing = notes(folder, writer.name, 0)
    assert next(growing)[0] == ends[0]
    end = writer.add(answered("http://b.example/", html()), None, None, b"later")
    assert [(found, note) for found, _, note in growing] == [(end, b"later")]


def test_a_segment_without_a_journal_has_no_notes(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    assert list(notes(folder, "20260101-000000-00000000", 0)) == []
