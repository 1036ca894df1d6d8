"""WARC files: everything that was written is read by warcio and fastwarc, and every digest is right."""

from __future__ import annotations

import gzip
import random
import tempfile
from base64 import b32encode
from hashlib import sha1
from pathlib import Path

import pytest
from fastwarc.warc import ArchiveIterator as FastArchive
from fastwarc.warc import WarcRecordType
from hypothesis import given, settings
from hypothesis import strategies as st
from warcio.archiveiterator import ArchiveIterator

from halflife.records import Answer, Fetch
from halflife.store.stored import Original, Stored
from halflife.store.warc import PIECE_BYTES, REVISIT_BYTES_MIN, Placed, WarcFile
from halflife.store.warc_back import BrokenRecordError, check_members, split_answer
from store.made import AT, answered, failed, spooled

# Some are long enough for a reference to be worth it, and come again.
BODIES = st.one_of(st.binary(max_size=400), st.sampled_from([b"", b"x" * 299, b"x" * 300, b"yz" * 400]))


def read_by_warcio(path: Path) -> list[tuple[str, str, bytes]]:
    """Type, payload digest and payload of every record; a digest that is wrong raises."""
    found = []
    with path.open("rb") as file:
        for record in ArchiveIterator(file, check_digests="raise"):
            payload = record.raw_stream.read()
            found.append((record.rec_type, record.rec_headers.get_header("WARC-Payload-Digest") or "", payload))
    return found


def checked_by_fastwarc(path: Path) -> int:
    """How many records had digests; all of them are right."""
    checked = 0
    with path.open("rb") as file:
        for record in FastArchive(file, parse_http=False):
            if record.record_type == WarcRecordType.response:
                record.parse_http()
                assert record.verify_payload_digest()
                checked += 1
    return checked


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(BODIES, st.booleans()), max_size=8))
def test_whatever_is_written_is_read_by_others(bodies: list[tuple[bytes, bool]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        warc, stored = WarcFile(folder / "s.warc.gz", "s"), Stored()
        written: list[tuple[Fetch, Placed]] = []
        for place, (body, is_spooled) in enumerate(bodies):
            fetch = answered(f"http://a.example/{place}", body)
            placed = warc.write(spooled(fetch, folder / "spool") if is_spooled else fetch, stored)
            written.append((fetch, placed))
        warc.close()
        assert warc.size == warc.path.stat().st_size
        found = read_by_warcio(warc.path)
        assert [kind for kind, _, _ in found[1::2]] == [placed.record for _, placed in written]
        assert [kind for kind, _, _ in found[0::2]] == ["warcinfo", *["request"] * len(written)]
        assert checked_by_fastwarc(warc.path) == sum(placed.record == "response" for _, placed in written)
        payloads: dict[tuple[str, int], bytes] = {}
        for (fetch, placed), (_, digest, payload) in zip(written, found[1::2], strict=True):
            assert isinstance(fetch.outcome, Answer)
            raw = fetch.outcome.raw
            assert payload == (b"" if placed.record == "revisit" else raw)
            assert digest == placed.digest == f"sha1:{b32encode(sha1(raw).digest()).decode()}"
            if placed.record == "response":
                payloads["s", placed.offset] = raw
            else:
                assert payloads[placed.segment, placed.original] == raw
                assert len(raw) >= REVISIT_BYTES_MIN


def test_where_a_record_lies_it_can_be_read_alone(tmp_path: Path) -> None:
    warc, stored = WarcFile(tmp_path / "s.warc.gz", "s"), Stored()
    big = bytes(range(256)) * (2 * PIECE_BYTES // 256) + b"end"
    bodies = [b"a" * 1000, big, b"a" * 1000, b""]
    fetches = [answered(f"http://a.example/{place}", body) for place, body in enumerate(bodies)]
    fetches[1] = spooled(fetches[1], tmp_path / "spool")
    places = [warc.write(fetch, stored) for fetch in fetches]
    warc.close()
    assert [placed.record for placed in places] == ["response", "response", "revisit", "response"]
    data = warc.path.read_bytes()
    for fetch, placed, body in zip(fetches, places, bodies, strict=True):
        record = gzip.decompress(data[placed.offset : placed.offset + placed.length])
        assert f"WARC-Target-URI: {fetch.target.url}\r\n".encode() in record.partition(b"\r\n\r\n")[0]
        assert isinstance(fetch.outcome, Answer)
        offset = placed.original if placed.record == "revisit" else placed.offset
        head = split_answer(warc.path, offset, placed.body_bytes, tmp_path / "back")
        assert (tmp_path / "back").read_bytes() == body
        if placed.record == "response":
            assert head == fetch.outcome.head
    check_members(warc.path, 0, len(data))


def test_a_large_body_that_does_not_pack_is_stored_piece_by_piece(tmp_path: Path) -> None:
    body = random.Random(1).randbytes(3 * PIECE_BYTES + 17)
    warc = WarcFile(tmp_path / "s.warc.gz", "s")
    placed = warc.write(spooled(answered("http://a.example/", body), tmp_path / "spool"), Stored())
    warc.close()
    assert warc.size == warc.path.stat().st_size > len(body)
    assert read_by_warcio(warc.path)[1] == ("response", placed.digest, body)
    split_answer(warc.path, placed.offset, placed.body_bytes, tmp_path / "back")
    assert (tmp_path / "back").read_bytes() == body


@pytest.mark.parametrize(("size", "record"), [(REVISIT_BYTES_MIN - 1, "response"), (REVISIT_BYTES_MIN, "revisit")])
@pytest.mark.parametrize("first_is_spooled", [False, True])
@pytest.mark.parametrize("second_is_spooled", [False, True])
def test_a_payload_is_the_same_from_memory_and_from_a_spool(
    tmp_path: Path, size: int, record: str, first_is_spooled: bool, second_is_spooled: bool
) -> None:
    warc, stored = WarcFile(tmp_path / "s.warc.gz", "s"), Stored()
    places = []
    for url, is_spooled in (("http://a.example/", first_is_spooled), ("http://b.example/", second_is_spooled)):
        fetch = answered(url, b"x" * size)
        places.append(warc.write(spooled(fetch, tmp_path / "spool") if is_spooled else fetch, stored))
    warc.close()
    assert [placed.record for placed in places] == ["response", record]
    assert places[0].digest == places[1].digest


def test_a_failure_leaves_nothing(tmp_path: Path) -> None:
    warc = WarcFile(tmp_path / "s.warc.gz", "s")
    before = warc.size
    assert warc.write(failed("http://a.example/"), Stored()) == Placed()
    assert warc.size == before
    warc.close()


@pytest.mark.parametrize(
    ("at", "date"),
    [
        (0.0, "1970-01-01T00:00:00.000000Z"),
        (1.9999999, "1970-01-01T00:00:02.000000Z"),
        (AT, "2026-09-21T14:13:20.250000Z"),
        (951_782_400.000001, "2000-02-29T00:00:00.000001Z"),
    ],
)
def test_dates_have_microseconds(tmp_path: Path, at: float, date: str) -> None:
    warc = WarcFile(tmp_path / "s.warc.gz", "s")
    warc.write(answered("http://a.example/", b"x", at), Stored())
    warc.close()
    with warc.path.open("rb") as file:
        dates = {record.rec_type: record.rec_headers.get_header("WARC-Date") for record in ArchiveIterator(file)}
    assert dates["response"] == dates["request"] == date


def test_a_warc_file_is_never_written_over(tmp_path: Path) -> None:
    WarcFile(tmp_path / "s.warc.gz", "s").close()
    with pytest.raises(FileExistsError):
        WarcFile(tmp_path / "s.warc.gz", "s")


def test_the_memory_of_payloads_forgets_the_oldest() -> None:
    stored = Stored(kept_max=2)
    originals = [Original(f"http://a.example/{n}", "", "", "s", n) for n in range(9)]
    for n, original in enumerate(originals):
        stored.put(bytes([n]), original)
        assert stored.get(bytes([n])) == original
    known = [n for n in range(9) if stored.get(bytes([n]))]
    assert known == [6, 7, 8]


def gzipped(path: Path, *members: bytes) -> Path:
    path.write_bytes(b"".join(gzip.compress(member) for member in members))
    return path


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"WARC/1.1\r\nContent-Length: 5\r\n",  # a head without an end
        b"WARC/1.1\r\nContent-Length: 5\r\n\r\nabc",  # shorter than it says
        b"WARC/1.1\r\nContent-Length: 50\r\n\r\nabc",  # and shorter than the head of the answer
        b"WARC/1.1\r\nContent-Type: x\r\n\r\nabcde",
        b"WARC/1.1\r\nContent-Length: -5\r\n\r\nabcde",
        b"WARC/1.1\r\nX: " + b"y" * 500_000,
    ],
)
def test_a_record_that_is_none_is_broken(tmp_path: Path, record: bytes) -> None:
    warc = gzipped(tmp_path / "w", record)
    with pytest.raises(BrokenRecordError):
        split_answer(warc, 0, 4, tmp_path / "back")


def test_members_must_end_where_they_should(tmp_path: Path) -> None:
    warc = gzipped(tmp_path / "w", b"one", b"two" * 100)
    size = warc.stat().st_size
    first = len(gzip.compress(b"one"))
    check_members(warc, 0, size)
    check_members(warc, first, size)
    check_members(warc, size, size)
    for start, end in ((0, size - 1), (1, size), (0, first + 1), (0, size + 1)):
        with pytest.raises(BrokenRecordError):
            check_members(warc, start, end)
