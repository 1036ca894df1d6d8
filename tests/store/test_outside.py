"""A store read by others: nothing of halflife takes part in the reading, only what docs/formats.md says."""

from __future__ import annotations

import gzip
import io
import json
import re
import shutil
import subprocess
from bisect import bisect_left
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow
import pytest
from msgspec import structs
from warcio.archiveiterator import ArchiveIterator
from warcio.indexer import Indexer

from halflife.records import Answer, Fetch, Link, Links, Page
from halflife.store import Folder, SegmentWriter
from store.made import AT, answered, failed, html, made_of, new_store

DOCUMENT = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()
BODY = html("Solar", ["http://b.example/"], " ".join(f"solar energy {n * 7919 % 1000}" for n in range(100)))


def chunked(fetch: Fetch) -> Fetch:
    """The same answer in chunks and packed, as servers like to send it."""
    answer = fetch.outcome
    assert isinstance(answer, Answer)
    packed = gzip.compress(answer.content, mtime=0)
    headers = (("content-type", "text/html"), ("content-encoding", "gzip"), ("transfer-encoding", "chunked"))
    head = "HTTP/1.1 200 OK\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n"
    raw = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (packed[:50], packed[50:], b""))
    return structs.replace(fetch, outcome=structs.replace(answer, head=head.encode(), headers=headers, raw=raw))


VISITS = [
    [answered("http://www.a.example/Solar/?b=2&a=1", BODY, AT), answered("http://c.example/short", b"short", AT + 1)],
    [answered("https://a.example/copy", BODY, AT + 60), failed("http://gone.example/", at=AT + 61)],
    [
        chunked(answered("http://b.example/packed", BODY, AT + 120)),
        answered("http://a.example/solar?a=1&b=2", BODY, AT + 121),  # another address with the key of the first
        answered("http://c.example/missing", b"not here", AT + 122, status=404),
        chunked(answered("http://b.example/twin", BODY, AT + 123)),
    ],
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three segments in a folder called solar, and one that was never finished."""
    folder = new_store(tmp_path_factory.mktemp("outside") / "solar")
    for fetches in VISITS:
        writer = SegmentWriter.create(folder)
        for fetch in fetches:
            made = made_of(fetch) if isinstance(fetch.outcome, Answer) and fetch.outcome.status == 200 else (None, None)
            writer.add(fetch, *made, b"")
        writer.seal()
    unfinished = SegmentWriter.create(folder)
    fetch = answered("http://never.example/", BODY, AT)
    unfinished.add(fetch, *made_of(fetch), b"")
    return folder.path


def index(store: Path) -> list[str]:
    """One index of the store, made as the document says."""
    command = re.search(r"`(LC_ALL=C sort -m [^`]+)`", DOCUMENT)
    assert command is not None
    merged = subprocess.run(["sh", "-c", command[1]], cwd=store, capture_output=True, text=True, check=True)
    return merged.stdout.splitlines()


def said_by(line: str) -> tuple[str, str, dict[str, str]]:
    """Key, stamp and fields of a line of the index."""
    key, stamp, fields = line.split(" ", 2)
    return key, stamp, json.loads(fields)


def captures(lines: list[str], key: str) -> list[tuple[str, dict[str, str]]]:
    """The captures of a key, by binary search, as replay tools do."""
    found = []
    for line in lines[bisect_left(lines, f"{key} ") :]:
        name, stamp, fields = said_by(line)
        if name != key:
            break
        found.append((stamp, fields))
    return found


def record_at(store: Path, fields: dict[str, str]) -> Any:
    """A record, read from its place alone."""
    (path,) = store.glob(f"segments/*/{fields['filename']}")
    start, length = int(fields["offset"]), int(fields["length"])
    return next(iter(ArchiveIterator(io.BytesIO(path.read_bytes()[start : start + length]), check_digests="raise")))


def replayed(store: Path, lines: list[str], fields: dict[str, str]) -> bytes:
    """What a browser would be shown of a capture; a revisit is followed to its original by address and date."""
    record = record_at(store, fields)
    if record.rec_type == "revisit":
        url = record.rec_headers.get_header("WARC-Refers-To-Target-URI")
        stamp = re.sub(r"\D", "", record.rec_headers.get_header("WARC-Refers-To-Date"))[:14]
        (original,) = [
            said
            for _, found, said in map(said_by, lines)
            if said["url"] == url and found == stamp and said["mime"] != "warc/revisit"
        ]
        revisit, record = record, record_at(store, original)
        assert record.rec_headers.get_header("WARC-Record-ID") == revisit.rec_headers.get_header("WARC-Refers-To")
        assert original["digest"] == fields["digest"]
    content: bytes = record.content_stream().read()
    return content


def test_every_capture_can_be_found_and_replayed(store: Path) -> None:
    lines = index(store)
    assert lines == sorted(lines)
    assert len(lines) == 7
    for fetch in (fetch for fetches in VISITS for fetch in fetches):
        if isinstance(fetch.outcome, Answer):
            (fields,) = [said for _, _, said in map(said_by, lines) if said["url"] == fetch.target.url]
            assert replayed(store, lines, fields) == fetch.outcome.content


def test_addresses_that_differ_in_nothing_that_matters_share_a_key(store: Path) -> None:
    found = captures(index(store), "example,a)/solar?a=1&b=2")
    assert [(stamp, fields["url"]) for stamp, fields in found] == [
        ("20260921141320", "http://www.a.example/Solar/?b=2&a=1"), ("20260921141521", "http://a.example/solar?a=1&b=2"),
    ]  # fmt: skip
    assert captures(index(store), "example,a)/sola") == []


def test_the_same_payload_is_stored_once(store: Path) -> None:
    assert {said["url"] for _, _, said in map(said_by, index(store)) if said["mime"] == "warc/revisit"} == {
        "https://a.example/copy", "http://a.example/solar?a=1&b=2", "http://b.example/twin",
    }  # fmt: skip


def test_the_index_agrees_with_the_one_that_warcio_makes(store: Path) -> None:
    fields = ["offset", "length", "warc-type", "warc-target-uri", "http:status", "warc-payload-digest", "filename"]
    for path in store.glob("segments/*/*.warc.gz"):
        if not (path.parent / "done.json").exists():
            continue
        out = io.StringIO()
        with path.open("rb") as file:
            Indexer(fields, [str(path)], "").process_one(file, out, str(path))
        theirs = {
            (said["warc-target-uri"], said["offset"], said["length"], said["http:status"], said["warc-payload-digest"])
            for said in map(json.loads, out.getvalue().splitlines())
            if said["warc-type"] in ("response", "revisit")
        }
        ours = {
            (said["url"], said["offset"], said["length"], said["status"], said["digest"])
            for _, _, said in map(said_by, path.with_suffix("").with_suffix(".cdxj").read_text().splitlines())
        }
        assert ours == theirs


def test_the_tables_point_at_the_records(store: Path) -> None:
    with duckdb.connect() as db:
        rows = db.execute(
            "SELECT url, status, warc_record, warc_file, warc_offset, warc_length, digest, epoch_us(fetched_at)"
            " FROM read_parquet(?) WHERE warc_record <> ''", [f"{store}/segments/*/fetches.parquet"],
        ).fetchall()  # fmt: skip
    assert len(rows) == 7
    for url, status, kind, file, offset, length, digest, micros in rows:
        record = record_at(store, {"filename": file, "offset": offset, "length": length})
        headers = record.rec_headers
        assert (record.rec_type, headers.get_header("WARC-Target-URI")) == (kind, url)
        assert record.http_headers.get_statuscode() == str(status)
        assert headers.get_header("WARC-Payload-Digest") == digest
        assert headers.get_header("WARC-Date") == pandas.Timestamp(micros, unit="us").strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def test_the_questions_in_the_document_can_be_asked(store: Path) -> None:
    sql, python = re.findall(r"^```(?:sql|python)\n(.*?)^```", DOCUMENT, re.M | re.S)
    pages = [fetch.target.url for fetches in VISITS for fetch in fetches
             if isinstance(fetch.outcome, Answer) and fetch.outcome.status == 200]  # fmt: skip
    with duckdb.connect() as db:
        found = db.execute(sql.replace("'solar/", f"'{store}/")).fetchall()
    assert sorted(url for url, _ in found) == sorted(pages)
    frame = eval(python, {"pandas": pandas, "Path": lambda name: store.parent / name})
    assert sorted(frame["url"]) == sorted(pages)
    assert str(frame["fetched_at"].dtype) == "datetime64[us, UTC]"


def test_tables_join_by_address_and_visit(store: Path) -> None:
    with duckdb.connect() as db:
        for name in ("fetches", "pages", "weights", "links", "media"):
            db.read_parquet(f"{store}/segments/*/{name}.parquet").create_view(name)
        assert db.execute(
            "SELECT count(*), bool_and(f.status = 200), bool_and(p.link_count = 1), bool_and(w.total = 100)"
            " FROM pages p JOIN fetches f USING (url, fetched_at) JOIN weights w USING (url, fetched_at)"
            " JOIN links l ON l.from_url = p.url AND l.fetched_at = p.fetched_at"
            " JOIN media m ON m.from_url = p.url AND m.fetched_at = p.fetched_at WHERE p.title = 'Solar'"
        ).fetchall() == [(5, True, True, True)]  # fmt: skip
        assert db.execute("SELECT evidence['solar'] > 0 FROM weights WHERE url LIKE '%copy'").fetchall() == [(True,)]


def test_places_in_the_text_are_characters_as_the_document_counts_them(tmp_path: Path) -> None:
    words = "le\u0301 soleil \U0001f31e \U0001f468‍\U0001f469‍\U0001f467"
    text = f"before \U0001f31e {words} after"
    start = text.index(words)
    page = Page(
        "http://a.example/",
        "",
        text=text,
        links=Links.of([Link("http://b.example/", words, start, start + len(words))]),
    )
    folder: Folder = new_store(tmp_path / "s")
    writer = SegmentWriter.create(folder)
    writer.add(answered(page.url, b"x"), page, None, b"")
    writer.seal()
    around = re.search(r"`(substring\(text, greatest[^`]+)`", DOCUMENT)
    assert around is not None
    with duckdb.connect() as db:
        for name in ("pages", "links"):
            db.read_parquet(f"{folder.path}/segments/*/{name}.parquet").create_view(name)
        found = db.execute(
            f"SELECT anchor, substring(text, text_start + 1, text_end - text_start), {around[1]}"
            " FROM links JOIN pages ON url = from_url"
        ).fetchall()  # fmt: skip
    assert found == [(words, words, text)]


def test_a_copy_without_frontier_and_journals_can_be_read(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    shutil.copy(store / "halflife.json", copy)
    shutil.copytree(store / "segments", copy / "segments")
    done = sorted(path.parent for path in copy.glob("segments/*/done.json"))
    assert len(done) == 3
    for segment in done:
        mark = json.loads((segment / "done.json").read_text())
        assert mark["files"] == {
            path.name: path.stat().st_size for path in segment.iterdir() if path.name != "done.json"
        }
        for table, count in mark["rows"].items():
            assert pyarrow.parquet.read_metadata(segment / f"{table}.parquet").num_rows == count
    assert json.loads((copy / "halflife.json").read_text())["format"] == 1
