"""One answer: the same whatever packets it comes in, within its limits, in memory or in a file."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from halflife.errors import StoreError
from halflife.fetch import Limits, chunks_of
from halflife.fetch.answer import Reader
from halflife.records import Answer, Failure, Kind

SMALL = Limits(header_bytes_max=400, wire_bytes_max=300, decoded_bytes_max=2_000, memory_bytes_max=1_000_000)
OK = b"HTTP/1.1 200 OK\r\n"


def read(packets: list[bytes], limits: Limits = SMALL, folder: str = "", end: str = "") -> Reader:
    reader = Reader(limits, folder)
    for packet in packets:
        if reader.feed(packet):
            break
    if end:
        reader.lost(clean=end == "clean")
    return reader


def answer(data: bytes, end: str = "") -> Answer:
    outcome = read([data], end=end).outcome()
    assert isinstance(outcome, Answer), outcome
    return outcome


def kind(data: bytes, end: str = "") -> Kind:
    outcome = read([data], end=end).outcome()
    assert isinstance(outcome, Failure)
    assert outcome.detail
    return outcome.kind


def test_head_body_and_content_are_kept_as_they_came() -> None:
    got = answer(OK + b"Server: x\r\nContent-Length: 5\r\n\r\nhello")
    assert (got.status, got.reason) == (200, "OK")
    assert got.head == OK + b"Server: x\r\nContent-Length: 5\r\n\r\n"
    assert got.headers == (("server", "x"), ("content-length", "5"))
    assert got.raw == b"hello"
    assert got.content is got.raw


def test_chunks_and_codings_are_undone_in_the_content_only() -> None:
    packed = gzip.compress(b"hello", mtime=0)
    body = b"%x\r\n%b\r\n0\r\nT: railer\r\n\r\n" % (len(packed), packed)
    got = answer(OK + b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
    assert got.raw == body
    assert got.content == b"hello"


def test_a_body_without_length_ends_with_the_connection() -> None:
    reader = read([OK + b"\r\nhel", b"lo"])
    assert not reader.done
    reader.lost(clean=True)
    outcome = reader.outcome()
    assert isinstance(outcome, Answer)
    assert outcome.content == b"hello"
    assert not reader.keep_alive
    assert kind(OK + b"\r\nhel", end="reset") == Kind.DROPPED


def test_heads_that_come_first_do_not_count() -> None:
    interim = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
    got = answer(interim + OK + b"Content-Length: 2\r\n\r\nhi")
    assert (got.status, got.head) == (200, OK + b"Content-Length: 2\r\n\r\n")
    assert kind(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 20) == Kind.HEADERS_TOO_LARGE
    assert kind(b"HTTP/1.1 101 Switching Protocols\r\n\r\n") == Kind.BAD_HTTP


@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified"])
def test_answers_without_body_keep_the_connection(status: bytes) -> None:
    reader = read([b"HTTP/1.1 " + status + b"\r\nContent-Length: 10\r\nContent-Encoding: gzip\r\n\r\n"])
    assert reader.keep_alive
    outcome = reader.outcome()
    assert isinstance(outcome, Answer)
    assert outcome.raw == b""


@pytest.mark.parametrize(
    "head", [b"Content-Length: 5\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n5\r\n", b"Content-Length: 0\r\n\r\n"]
)
def test_what_follows_an_answer_is_ignored_and_ends_the_connection(head: bytes) -> None:
    body = {b"C": b"hello", b"T": b"hello\r\n0\r\n\r\n"}[head[:1]] if b": 0" not in head else b""
    clean, dirty = read([OK + head + body]), read([OK + head + body + b"HTTP/1.1 200 OK\r\n\r\n"])
    assert clean.keep_alive
    assert not dirty.keep_alive
    assert clean.outcome() == dirty.outcome()


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", Kind.DROPPED),
        (b"HT", Kind.DROPPED),
        (OK, Kind.DROPPED),
        (OK + b"Content-Length: 5\r\n\r\n", Kind.DROPPED),
        (OK + b"Content-Length: 5\r\n\r\nhell", Kind.DROPPED),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n", Kind.DROPPED),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n5", Kind.DROPPED),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhel", Kind.DROPPED),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", Kind.DROPPED),
        (OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b", Kind.DROPPED),
        (b"<html>hello</html>", Kind.BAD_HTTP),
        (b"\x16\x03\x01\x02", Kind.BAD_HTTP),
        (b"<html>" * 100, Kind.BAD_HTTP),
        (b"\0" * 300 + b"\r\n\r\n" + b"\0" * 300, Kind.BAD_HTTP),
        (OK + b"Content-Length: x\r\n\r\n", Kind.BAD_HTTP),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nhello", Kind.BAD_HTTP),
        (OK + b"A: " + b"b" * 400, Kind.HEADERS_TOO_LARGE),
        (OK + b"A: " + b"b" * 400 + b"\r\n\r\n", Kind.HEADERS_TOO_LARGE),
        (OK + b"Content-Length: 301\r\n\r\n", Kind.BODY_TOO_LARGE),
        (OK + b"\r\n" + b"x" * 301, Kind.BODY_TOO_LARGE),
        (OK + b"Transfer-Encoding: chunked\r\n\r\nfff\r\n" + b"x" * 301, Kind.BODY_TOO_LARGE),
        (OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(bytes(100_000)), Kind.DECODED_TOO_LARGE),
        (
            OK + b"Content-Encoding: br\r\nContent-Length: 9\r\n\r\n\xff\xff\xff\xff\xff\xff\xff\xff\xff",
            Kind.BAD_ENCODING,
        ),
        (OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"hello")[:-3], Kind.BAD_ENCODING),
        (OK + b"Content-Encoding: compress\r\nContent-Length: 1\r\n\r\nx", Kind.BAD_ENCODING),
    ],
)
def test_every_way_to_fail_has_its_kind(data: bytes, expected: Kind) -> None:
    assert kind(data, end="clean") == expected
    for size in (1, 3):
        reader = read([data[at : at + size] for at in range(0, len(data), size)], end="clean")
        assert reader.failure is not None
        assert reader.failure.kind == expected


def test_what_came_before_it_was_too_much_is_not_lost() -> None:
    reader = read([OK + b"\r\n" + b"x" * 200, b"y" * 101])
    assert reader.failure is not None
    assert reader.content() == b"x" * 200


WHOLE = [
    OK + b"Content-Length: 5\r\n\r\nhello",
    OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3;x=y\r\n you\r\n0\r\nA: b\r\n\r\n",
    OK + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"hello" * 50, mtime=0),
    b"HTTP/1.1 103 Early Hints\r\nA: b\r\n\r\nHTTP/1.0 404 Gone\nX:  y\n\nnot found",
    b"HTTP/1.1 204 None\r\n\r\n",
    b"HTTP/1.1 30 None\r\n\r\n",
    OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello world",
]


@given(st.sampled_from(WHOLE), st.lists(st.integers(0, 200), max_size=30), st.binary(max_size=2), st.integers(0, 150))
def test_packets_make_no_difference(data: bytes, places: list[int], damage: bytes, at: int) -> None:
    data = data[:at] + damage + data[at + len(damage) :]
    ends = sorted({place % (len(data) + 1) for place in places} | {len(data)})
    packets = [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    whole, cut = read([data], end="clean"), read(packets, end="clean")
    one, other = whole.outcome(), cut.outcome()
    if isinstance(one, Failure):
        assert isinstance(other, Failure)
        assert one.kind == other.kind
    else:
        assert one == other
        assert whole.status == cut.status


# -- in a file -------------------------------------------------------------------------------------------------------

LARGE = replace(SMALL, wire_bytes_max=10_000, decoded_bytes_max=1_000_000, memory_bytes_max=1_000)
PACKED = gzip.compress(b"hello" * 1_000, mtime=0)


@pytest.mark.parametrize(
    ("head", "body", "content"),
    [
        (b"Content-Length: 5000\r\n\r\n", b"hello" * 1000, b"hello" * 1000),
        (b"\r\n", b"hello" * 1000, b"hello" * 1000),
        (b"Transfer-Encoding: chunked\r\n\r\n", b"5\r\nhello\r\n" * 500 + b"0\r\n\r\n", b"hello" * 500),
        (b"Content-Encoding: gzip\r\n\r\n", PACKED, b"hello" * 1000),  # small as sent, large as content
        (b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % (len(PACKED) * 50), PACKED * 50, b"hello" * 50_000),
    ],
)
def test_a_large_body_goes_to_a_file_as_it_came(tmp_path: Path, head: bytes, body: bytes, content: bytes) -> None:
    data = OK + head + body
    for size in (len(data), 100):
        packets = [data[at : at + size] for at in range(0, len(data), size)]
        outcome = read(packets, LARGE, str(tmp_path / "spool"), end="clean").outcome()
        assert isinstance(outcome, Answer)
        assert outcome.raw == outcome.content == b""
        assert Path(outcome.spool).read_bytes() == body
        assert b"".join(chunks_of(outcome)) == content
        Path(outcome.spool).unlink()
    assert list((tmp_path / "spool").iterdir()) == []


def test_small_content_comes_in_one_piece() -> None:
    assert list(chunks_of(answer(OK + b"Content-Length: 5\r\n\r\nhello"))) == [b"hello"]
    assert list(chunks_of(answer(OK + b"Content-Length: 0\r\n\r\n"))) == []


@pytest.mark.parametrize("ending", ["reset", "too large", "discarded"])
def test_no_file_is_left_of_an_answer_that_failed(tmp_path: Path, ending: str) -> None:
    reader = read([OK + b"\r\n" + b"x" * 5_000], LARGE, str(tmp_path))
    assert len(list(tmp_path.iterdir())) == 1
    if ending == "discarded":
        reader.discard()
    elif ending == "reset":
        reader.lost(clean=False)
    else:
        reader.feed(b"x" * 10_000)
    assert list(tmp_path.iterdir()) == []


def test_a_disk_that_takes_no_more_is_the_users_business(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="no room"):
        read([OK + b"\r\n" + b"x" * 5_000], LARGE, str(tmp_path / "file"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_whatever_comes_it_ends_in_an_answer_or_a_failure(data: bytes) -> None:
    for start in (b"", OK, OK + b"Transfer-Encoding: chunked\r\n\r\n", OK + b"Content-Encoding: br\r\n\r\n"):
        reader = read([start + data], end="clean")
        assert reader.done
        outcome = reader.outcome()
        assert isinstance(outcome, Answer) or outcome.detail
