"""A segment: what goes in comes out, read by halflife and by the tools that know nothing of it."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path
from typing import Any

import duckdb
import pandas
import pyarrow.parquet
import pytest
from fastwarc.warc import ArchiveIterator as FastArchive
from fastwarc.warc import WarcRecordType
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from halflife.errors import StoreError
from halflife.records import Answer, Fetch, Kind, Link, Links, Medium, Page, Weight
from halflife.store import Folder, SegmentWriter, tables
from halflife.store.columns import TABLES, schemas
from store.made import AT, answered, failed, html, made_of, new_store, spooled

URL = "http://www.a.example/dir/page.html"


def add(writer: SegmentWriter, fetch: Fetch, note: bytes = b"") -> int:
    page, weight = made_of(fetch)
    return writer.add(fetch, page, weight, note)


def sealed(folder: Folder, *fetches: Fetch) -> Path:
    """One sealed segment of these fetches; answers become pages."""
    writer = SegmentWriter.create(folder)
    for fetch in fetches:
        if isinstance(fetch.outcome, Answer) and not fetch.outcome.spool:
            add(writer, fetch)
        else:
            writer.add(fetch, None, None, b"")
    writer.seal()
    return folder.segment(writer.name)


def warc_of(segment: Path) -> Path:
    return segment / f"{segment.name}.warc.gz"


def rows(segment: Path, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = pyarrow.parquet.read_table(segment / f"{table}.parquet").to_pylist()
    return found


def test_answers_come_back_byte_for_byte_through_warcio(tmp_path: Path) -> None:
    body = html(links=["http://b.example/"], words="solar solar")
    fetches = [
        answered(URL, body),
        answered("http://b.example/", b"5\r\nhello\r\n0\r\n\r\n", headers=(("transfer-encoding", "chunked"),)),
        answered("http://c.example/", body * 3, headers=(("content-encoding", "gzip"),)),
        answered("http://d.example/", b"", status=204),
    ]
    segment = sealed(new_store(tmp_path / "s"), *fetches)
    found = {}
    with warc_of(segment).open("rb") as file:
        for record in ArchiveIterator(file, no_record_parse=True):
            found[record.rec_type, record.rec_headers.get_header("WARC-Target-URI")] = record.raw_stream.read()
    for fetch in fetches:
        assert isinstance(fetch.outcome, Answer)
        assert found["response", fetch.target.url] == fetch.outcome.head + fetch.outcome.raw
        assert found["request", fetch.target.url] == fetch.request
    assert b"software: halflife/" in found["warcinfo", None]
    assert len(found) == 9


def test_the_headers_of_records(tmp_path: Path) -> None:
    segment = sealed(new_store(tmp_path / "s"), answered(URL, html()))
    with warc_of(segment).open("rb") as file:
        records = {record.rec_type: record.rec_headers for record in ArchiveIterator(file)}
    response, request = records["response"], records["request"]
    assert response.get_header("WARC-Date") == "2026-09-21T14:13:20.250000Z"
    assert response.get_header("WARC-IP-Address") == "192.0.2.7"
    assert request.get_header("WARC-Concurrent-To") == response.get_header("WARC-Record-ID")
    assert records["warcinfo"].get_header("WARC-Filename") == warc_of(segment).name
    assert len({record.get_header("WARC-Record-ID") for record in records.values()}) == 3


def test_an_address_that_is_no_ip_is_left_out(tmp_path: Path) -> None:
    fetch = answered(URL, html())
    proxied = Fetch(fetch.target, fetch.at, fetch.outcome, address="proxy.example")
    segment = sealed(new_store(tmp_path / "s"), proxied)
    with warc_of(segment).open("rb") as file:
        headers = [record.rec_headers for record in ArchiveIterator(file)]
    assert [header.get_header("WARC-Type") for header in headers] == ["warcinfo", "response"]
    assert headers[1].get_header("WARC-IP-Address") is None


def test_fastwarc_agrees_with_every_digest(tmp_path: Path) -> None:
    fetches = [answered(f"http://a.example/{n}", html(words="x" * n * 1000)) for n in range(20)]
    segment = sealed(new_store(tmp_path / "s"), *fetches)
    with warc_of(segment).open("rb") as file:
        responses = 0
        for record in FastArchive(file, parse_http=False):
            if record.record_type == WarcRecordType.response:
                record.parse_http()
                assert record.verify_payload_digest()
                responses += 1
    assert responses == 20


def test_warcio_check_finds_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    segment = sealed(
        new_store(tmp_path / "s"), answered(URL, html()), answered("http://b.example/", html(words="w" * 500))
    )
    checker = Checker(type("Given", (), {"inputs": [str(warc_of(segment))], "verbose": True})())
    checker.process_all()
    assert "digest failed" not in capsys.readouterr().out
    assert checker.exit_value == 0


@pytest.mark.parametrize("size", [0, 10, 700_000])
def test_a_spooled_body_is_stored_like_any_other(tmp_path: Path, size: int) -> None:
    folder = new_store(tmp_path / "s")
    body = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    fetch = answered(URL, body)
    segment = sealed(folder, spooled(fetch, tmp_path / "spool"))
    assert isinstance(fetch.outcome, Answer)
    with warc_of(segment).open("rb") as file:
        found = {record.rec_type: record.raw_stream.read() for record in ArchiveIterator(file, no_record_parse=True)}
    assert found["response"] == fetch.outcome.head + body
    row = rows(segment, "fetches")[0]
    assert (row["body_bytes"], row["content_bytes"]) == (size, None)


def test_every_index_line_points_at_its_record(tmp_path: Path) -> None:
    body = html(words="long enough to be worth a reference " * 20)
    urls = ["http://b.example/z", "http://www.a.example/?b=2&a=1", "http://a.example/same", "http://b.example:8080/A/"]
    segment = sealed(
        new_store(tmp_path / "s"), *(answered(url, body, AT + n) for n, url in enumerate(urls)), failed(URL)
    )
    lines = (segment / f"{segment.name}.cdxj").read_text().splitlines()
    assert lines == sorted(lines)
    data = warc_of(segment).read_bytes()
    found = {}
    for line in lines:
        key, stamp, fields = line.split(" ", 2)
        said = json.loads(fields)
        start, length = int(said["offset"]), int(said["length"])
        member = gzip.decompress(data[start : start + length])
        assert f"WARC-Target-URI: {said['url']}\r\n".encode() in member
        assert said["filename"] == warc_of(segment).name
        found[said["url"]] = (key, stamp, said["mime"], said["status"])
    assert found == {
        urls[0]: ("example,b)/z", "20260921141320", "text/html", "200"),
        urls[1]: ("example,a)/?a=1&b=2", "20260921141321", "warc/revisit", "200"),
        urls[2]: ("example,a)/same", "20260921141322", "warc/revisit", "200"),
        urls[3]: ("example,b:8080)/a", "20260921141323", "warc/revisit", "200"),
    }


def test_a_payload_stored_before_becomes_a_revisit_across_segments(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    body = html(words="a sentence that is long enough " * 20)
    first = sealed(folder, answered(URL, body))
    second = sealed(folder, answered("http://b.example/copy", body, AT + 60), answered("http://c.example/", b"short"))
    third = sealed(folder, answered("http://d.example/", b"short"))
    with warc_of(second).open("rb") as file:
        revisit = next(record for record in ArchiveIterator(file) if record.rec_type == "revisit")
        assert revisit.rec_headers.get_header("WARC-Refers-To-Target-URI") == URL
        assert revisit.rec_headers.get_header("WARC-Refers-To-Date") == "2026-09-21T14:13:20.250000Z"
        assert revisit.rec_headers.get_header("WARC-Profile").endswith("/identical-payload-digest")
        assert revisit.http_headers.get_statuscode() == "200"
        assert revisit.rec_headers.get_header("WARC-Payload-Digest") == rows(first, "fetches")[0]["digest"]
    assert [row["warc_record"] for row in rows(second, "fetches")] == ["revisit", "response"]
    assert [row["warc_record"] for row in rows(third, "fetches")] == ["response"]  # shorter than a reference to it


def test_digests_are_what_they_say(tmp_path: Path) -> None:
    from base64 import b32encode

    body = html()
    segment = sealed(new_store(tmp_path / "s"), answered(URL, body))
    assert rows(segment, "fetches")[0]["digest"] == f"sha1:{b32encode(hashlib.sha1(body).digest()).decode()}"


def test_the_tables_hold_what_was_given(tmp_path: Path) -> None:
    fetch = answered(URL, html("Ein Titel: ☀", ["http://b.example/", "http://c.example/"], "solar solar solar"))
    segment = sealed(new_store(tmp_path / "s"), fetch, failed("http://gone.example/", Kind.DNS, AT + 1))
    page, weight = made_of(fetch)
    assert page is not None
    assert weight is not None
    got, gone = rows(segment, "fetches")
    assert (got["url"], got["host"], got["site"], got["status"], got["failure"]) == (
        URL, "www.a.example", "a.example", 200, "",
    )  # fmt: skip
    assert got["redirects"] == ["http://r.example/"]
    assert got["fetched_at"].timestamp() == AT
    assert (got["mime"], got["content_type"], got["etag"]) == ("text/html", "text/html; charset=utf-8", '"7"')
    assert (gone["status"], gone["failure"], gone["detail"], gone["warc_offset"]) == (None, "dns", "no such name", None)
    stored = rows(segment, "pages")[0]
    assert (stored["title"], stored["text"], stored["headings"]) == (page.title, page.text, list(page.headings))
    assert (stored["link_count"], stored["media_count"]) == (2, 1)
    stored_weight = rows(segment, "weights")[0]
    assert stored_weight["total"] == weight.total
    assert dict(stored_weight["evidence"]) == weight.evidence
    links = rows(segment, "links")
    assert [(row["position"], row["to_url"], row["anchor"]) for row in links] == [
        (place, link.url, link.anchor) for place, link in enumerate(page.links)
    ]
    for row in links:
        assert stored["text"][row["text_start"] : row["text_end"]] == row["anchor"]
    assert rows(segment, "media")[0]["context"] == "near it"


def test_of_headers_that_came_twice_the_first_counts(tmp_path: Path) -> None:
    headers = (("etag", "1"), ("location", "/a"), ("etag", "2"), ("content-type", "text/a"), ("content-type", "text/b"))
    segment = sealed(new_store(tmp_path / "s"), answered(URL, html(), headers=headers))
    (row,) = rows(segment, "fetches")
    assert (row["etag"], row["location"], row["content_type"], row["mime"]) == ("1", "/a", "text/a", "text/a")


def test_duckdb_and_pandas_read_every_table(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    for n in range(2):
        sealed(folder, answered(f"http://a.example/{n}", html(links=[URL])), failed(f"http://b.example/{n}"))
    counts = {"fetches": 4, "pages": 2, "weights": 2, "links": 2, "media": 2}
    for table in TABLES:
        pattern = f"{folder.path}/segments/*/{table}.parquet"
        with duckdb.connect() as connection:
            assert connection.execute("SELECT count(*) FROM read_parquet(?)", [pattern]).fetchall() == [
                (counts[table],)
            ]
        frame = pandas.concat(map(pandas.read_parquet, Path(folder.path).glob(f"segments/*/{table}.parquet")))
        assert len(frame) == counts[table]
        assert list(frame.columns) == schemas()[table].names


def test_files_have_the_columns_that_are_declared(tmp_path: Path) -> None:
    full = sealed(new_store(tmp_path / "s"), answered(URL, html(links=[URL])))
    empty = sealed(new_store(tmp_path / "t"))
    for table in TABLES:
        for segment in (full, empty):
            found = pyarrow.parquet.read_schema(segment / f"{table}.parquet")
            assert found.names == schemas()[table].names
            assert found.types == schemas()[table].types


HOSTILE = "NUL \0, half a pair \ud800, \udfff reversed, \U0001f31e, \x1b[31m, \u202e"
STORED = HOSTILE.replace("\ud800", "?").replace("\udfff", "?")


def test_hostile_text_is_stored_character_for_character(tmp_path: Path) -> None:
    link = Link("http://b.example/", HOSTILE, 0, len(HOSTILE))
    page = Page(
        URL, URL, title=HOSTILE, headings=(HOSTILE, "plain"), text=HOSTILE, links=Links.of([link]),
        media=(Medium("http://b.example/i.png", "image", HOSTILE, HOSTILE),),
    )  # fmt: skip
    weight = Weight(URL, "default", 1, 2.0, True, 1.0, 0.0, 0.0, 2.0, evidence={HOSTILE: 2.0})
    fetch = answered(URL, html())
    target = type(fetch.target)(URL, id=1, anchor=HOSTILE)
    folder = new_store(tmp_path / "s")
    writer = SegmentWriter.create(folder)
    writer.add(Fetch(target, AT, fetch.outcome), page, weight, b"note")
    writer.seal()
    segment = folder.segment(writer.name)
    stored = rows(segment, "pages")[0]
    assert (stored["title"], stored["headings"], stored["text"]) == (STORED, [STORED, "plain"], STORED)
    assert rows(segment, "fetches")[0]["anchor"] == STORED
    assert rows(segment, "media")[0]["text"] == STORED
    assert dict(rows(segment, "weights")[0]["evidence"]) == {STORED: 2.0}
    found = rows(segment, "links")[0]
    assert stored["text"][found["text_start"] : found["text_end"]] == found["anchor"] == STORED


def test_row_groups_go_to_disk_as_they_fill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "GROUP_BYTES", 20_000)
    folder = new_store(tmp_path / "s")
    writer = SegmentWriter.create(folder)
    for n in range(60):
        links = [f"http://b.example/{(n * place) % 97}" for place in range(30)]
        add(writer, answered(f"http://a.example/{n}", html(f"page {n}", links, "words " * 100)))
    part = folder.segment(writer.name) / "pages.parquet.part"
    assert part.stat().st_size > 4  # before the seal
    writer.seal()
    segment = folder.segment(writer.name)
    for table, count in (("fetches", 60), ("pages", 60), ("links", 1800), ("media", 60)):
        file = pyarrow.parquet.ParquetFile(segment / f"{table}.parquet")
        assert file.num_row_groups > 1, table
        assert file.metadata.num_rows == count
    assert [row["url"] for row in rows(segment, "pages")] == [f"http://a.example/{n}" for n in range(60)]
    assert [row["position"] for row in rows(segment, "links")] == list(range(30)) * 60


def test_an_unsealed_segment_shows_no_tables(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    writer = SegmentWriter.create(folder)
    add(writer, answered(URL, html()))
    writer.sync()
    assert folder.segments() == {}
    assert folder.unsealed() == [writer.name]
    assert list(folder.segment(writer.name).glob("*.parquet")) == []


def test_the_mark_lists_the_files_and_their_sizes(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    segment = sealed(folder, answered(URL, html()))
    mark = folder.segments()[segment.name]
    assert mark.files == {path.name: path.stat().st_size for path in segment.iterdir() if path.name != "done.json"}
    assert mark.rows == {"fetches": 1, "pages": 1, "weights": 1, "links": 0, "media": 1}


def test_a_sealed_writer_takes_nothing_more(tmp_path: Path) -> None:
    writer = SegmentWriter.create(new_store(tmp_path / "s"))
    writer.seal()
    for action in (writer.seal, writer.sync, lambda: add(writer, answered(URL, html()))):
        with pytest.raises(StoreError, match="nothing more can be added"):
            action()


def test_size_is_what_the_warc_file_has(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    writer = SegmentWriter.create(folder)
    for n in range(3):
        add(writer, answered(f"http://a.example/{n}", html(words=str(n) * 1000)))
        assert writer.size == warc_of(folder.segment(writer.name)).stat().st_size
    writer.seal()
