"""Heads and chunks: what they say, and that it does not matter how they are cut into packets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.fetch import wire
from halflife.fetch.wire import CHUNKED, CLOSE, Chunks, Malformed, head_end, may_begin, read_head, read_headers


@pytest.mark.parametrize(
    ("data", "end"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\nrest", 19),
        (b"HTTP/1.1 200 OK\n\nrest\r\n\r\n", 17),
        (b"a\r\nb\n\r\nrest", 7),
        (b"a\r\nb\r\n\nrest", 7),
        (b"a\r\nb\r\n", -1),
        (b"", -1),
    ],
)
def test_a_head_ends_with_an_empty_line_however_lines_end(data: bytes, end: int) -> None:
    assert head_end(data) == end


@given(st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"a", b"\n\r"]), max_size=12), st.integers(0, 20))
def test_the_end_is_found_in_whatever_packets_it_comes(parts: list[bytes], cut: int) -> None:
    data = b"".join(parts)
    first = head_end(data[:cut])
    assert head_end(data) == (first if first >= 0 else head_end(data, max(0, min(cut, len(data)) - 3)))


def test_only_http_1_begins_like_http_1() -> None:
    assert all(may_begin(b"HTTP/1.1 200 OK"[:size]) for size in range(15))
    assert not any(map(may_begin, (b"<html>", b"HTTP/2 200", b"ICY 200 OK", b"\r\n", b"http/1.1", b"\x16\x03")))


@pytest.mark.parametrize(
    ("line", "status", "reason"),
    [
        (b"HTTP/1.1 200 OK", 200, "OK"),
        (b"HTTP/1.1 200", 200, ""),
        (b"HTTP/1.1 200 ", 200, ""),
        (b"HTTP/1.0  404  Not  Found", 404, "Not  Found"),
        (b"HTTP/1.1 999 Request denied", 999, "Request denied"),
        ("HTTP/1.1 404 Nicht gefunden \xfc".encode("latin-1"), 404, "Nicht gefunden \xfc"),
    ],
)
def test_status_lines(line: bytes, status: int, reason: str) -> None:
    for end in (b"\r\n", b"\n"):
        head = read_head(line + end + end)
        assert (head.status, head.reason) == (status, reason)


@pytest.mark.parametrize(
    "line",
    [b"HTTP/1.1", b"HTTP/1.1 20 OK", b"HTTP/1.1 2000 OK", b"HTTP/1.1 000 OK", b"HTTP/2.0 200 OK", b"HTTP/1.1 OK", b""],
)
def test_what_is_no_status_line(line: bytes) -> None:
    with pytest.raises(Malformed):
        read_head(line + b"\r\n\r\n")


def test_headers_are_read_as_browsers_do() -> None:
    text = "A: 1\r\nno colon\r\nB :2\r\n: nameless\r\nFolded: x\r\n\t y\r\n \r\n"
    text += "A:\t3 \nR: a\rb\r\nEmpty:\r\n\u00c4: \u00e4\r\n\r\n"
    expected = (
        ("a", "1"),
        ("b", "2"),
        ("folded", "x y"),
        ("a", "3"),
        ("r", "a b"),
        ("empty", ""),
        ("\u00e4", "\u00e4"),
    )
    assert read_headers(text) == expected
    assert read_headers(" folded onto nothing\r\na: b") == (("a", "b"),)


@pytest.mark.parametrize(
    ("headers", "length", "keep_alive"),
    [
        ("Content-Length: 5", 5, True),
        ("Content-Length: 0", 0, True),
        ("Content-Length: 5\r\nContent-Length: 5", 5, True),
        ("Content-Length: 5, 5", 5, True),
        ("Content-Length: 5\r\nConnection: close", 5, False),
        ("Content-Length: 5\r\nConnection: Keep-Alive, CLOSE", 5, False),
        ("Transfer-Encoding: chunked", CHUNKED, True),
        ("Transfer-Encoding: Chunked\r\nConnection: close", CHUNKED, False),
        ("Transfer-Encoding: identity, chunked", CHUNKED, True),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5", CHUNKED, False),
        ("Transfer-Encoding: identity\r\nContent-Length: 5", 5, True),
        ("X: y", CLOSE, False),
    ],
)
def test_how_long_a_body_is_and_whether_another_may_follow(headers: str, length: int, keep_alive: bool) -> None:
    head = read_head(f"HTTP/1.1 200 OK\r\n{headers}\r\n\r\n".encode())
    assert (head.length, head.keep_alive) == (length, keep_alive)


@pytest.mark.parametrize(
    "headers",
    [
        "Content-Length: 5\r\nContent-Length: 6",
        "Content-Length: 5, 6",
        "Content-Length: -5",
        "Content-Length: +5",
        "Content-Length: 5x",
        "Content-Length: 0x5",
        "Content-Length: ",
        "Content-Length: " + "9" * 5000,
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding: cow",
    ],
)
def test_lengths_that_are_none(headers: str) -> None:
    with pytest.raises(Malformed):
        read_head(f"HTTP/1.1 200 OK\r\n{headers}\r\n\r\n".encode())


@pytest.mark.parametrize("status", [100, 103, 204, 304])
def test_answers_without_a_body(status: int) -> None:
    assert read_head(f"HTTP/1.1 {status} x\r\nContent-Length: 5\r\n\r\n".encode()).length == 0


def test_answers_to_head_and_connect_have_no_body() -> None:
    assert read_head(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", bodiless=True).length == 0


def test_http_1_0_keeps_a_connection_only_when_it_says_so() -> None:
    assert not read_head(b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\n").keep_alive
    assert read_head(b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\n").keep_alive


def test_content_encodings_are_one_list() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nX: y\r\nContent-Encoding: br\r\n\r\n"
    assert read_head(head).encoding == "gzip, br"


# -- chunks ----------------------------------------------------------------------------------------------------------

PIECES = st.lists(st.binary(min_size=1, max_size=40), max_size=5)


def chunked(pieces: list[bytes], extension: bytes = b"", trailer: bytes = b"") -> bytes:
    return b"".join(b"%x%b\r\n%b\r\n" % (len(p), extension, p) for p in pieces) + b"0\r\n" + trailer + b"\r\n"


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places} | {len(data)})
    return [data[start:end] for start, end in zip([0, *ends], ends, strict=False) if end > start]


def unchunk(packets: list[bytes]) -> tuple[bytes, bool, int]:
    """The content, whether the body has ended, and how many bytes belong to it."""
    chunks, content, used = Chunks(), b"", 0
    for packet in packets:
        content += chunks.feed(packet)
        used += chunks.used
        if chunks.done:
            break
    return content, chunks.done, used


@given(PIECES, st.sampled_from([b"", b";a=b", b" ; x", b"  "]), st.sampled_from([b"", b"A: b\r\n", b"A: b\r\nC: d\r\n"]),
       st.lists(st.integers(0, 1000), max_size=20), st.binary(max_size=10))  # fmt: skip
def test_chunks_are_undone_however_they_are_cut(
    pieces: list[bytes], extension: bytes, trailer: bytes, places: list[int], behind: bytes
) -> None:
    body = chunked(pieces, extension, trailer)
    assert unchunk(cut(body + behind, places)) == (b"".join(pieces), True, len(body))


@given(PIECES, st.integers(0, 100), st.binary(min_size=1, max_size=3), st.lists(st.integers(0, 200), max_size=20))
def test_damaged_chunks_end_the_same_way_however_they_are_cut(
    pieces: list[bytes], at: int, damage: bytes, places: list[int]
) -> None:
    body = chunked(pieces)
    at %= len(body)
    body = body[:at] + damage + body[at + 1 :]

    def outcome(packets: list[bytes]) -> object:
        try:
            return unchunk(packets)
        except Malformed:
            return "malformed"

    whole = outcome([body])
    assert outcome(cut(body, places)) == whole
    assert outcome([bytes([octet]) for octet in body]) == whole


@pytest.mark.parametrize(
    "body",
    [
        b"x\r\nhello", b"\r\nhello", b"-5\r\nhello", b"0x5\r\nhello\r\n", b"5_0\r\n", b"5\nhello\r\n0\r\n\r\n",
        b"5\r\nhelloXX0\r\n\r\n", b"5\r\nhello!\r\n", b"f" * 16 + b"\r\n", b"5;" + b"x" * 5000,
        b"0\r\n" + b"A: b\r\n" * 20_000,
    ],
)  # fmt: skip
def test_what_is_no_chunk(body: bytes) -> None:
    with pytest.raises(Malformed):
        unchunk([body])


def test_framing_that_outweighs_the_content_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    body = b"1;xxxx\r\na\r\n" * 1000
    assert unchunk([body])[0] == b"a" * 1000
    monkeypatch.setattr(wire, "FRAMING_BYTES_MAX", 1000)
    with pytest.raises(Malformed, match="framing"):
        unchunk([body])
    assert unchunk([b"7d0\r\n" + b"a" * 2000 + b"\r\n", body[:1100]])[0] == b"a" * 2100
