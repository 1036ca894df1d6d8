"""Content codings: what servers send is undone, however it is cut; what cannot be is said; bombs are met while they unfold."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Callable

import brotli
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.fetch import decode
from halflife.fetch.decode import Decoder, TooLarge, Undecodable, is_packed

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def brotli_packed(data: bytes) -> bytes:
    return bytes(brotli.compress(data, quality=4))


PACKERS: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
    ("br", brotli_packed),
    ("zstd", zstd.compress),
]
PAGE = b"<html>" + b"".join(b"<p>%d words of a page</p>\n" % number for number in range(9000))


def undone(coding: str, packets: list[bytes], bytes_max: int = 10_000_000) -> bytes:
    decoder = Decoder(coding, bytes_max)
    pieces = [piece for packet in packets for piece in decoder.feed(packet)] + list(decoder.end())
    assert all(0 < len(piece) <= decode.PIECE_BYTES for piece in pieces)
    return b"".join(pieces)


def packets_of(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@pytest.mark.parametrize(("coding", "pack"), PACKERS)
@pytest.mark.parametrize("size", [1, 1000, 1_000_000])
def test_what_was_packed_is_unpacked(coding: str, pack: Callable[[bytes], bytes], size: int) -> None:
    assert undone(coding, packets_of(pack(PAGE), size)) == PAGE
    assert undone(coding.upper(), packets_of(pack(b"x"), size)) == b"x"
    assert undone(coding, packets_of(pack(b""), size)) == b""
    assert undone(coding, []) == b""  # as redirects are "packed"


@pytest.mark.parametrize(("coding", "pack"), PACKERS)
@given(st.binary(max_size=300), st.lists(st.integers(1, 50), max_size=8))
def test_cuts_make_no_difference(coding: str, pack: Callable[[bytes], bytes], data: bytes, sizes: list[int]) -> None:
    packed, packets = pack(data), []
    for size in sizes:
        packets.append(packed[:size])
        packed = packed[size:]
    assert undone(coding, [*packets, packed]) == data


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "gzip, br"])
@given(st.binary(min_size=1, max_size=60), st.booleans())
def test_rubbish_ends_the_same_way_whole_and_byte_by_byte(coding: str, data: bytes, begins_well: bool) -> None:
    data = gzip.compress(data)[:10] + data if begins_well else data

    def outcome(packets: list[bytes]) -> bytes:
        try:
            return undone(coding, packets)
        except Undecodable:
            return b"undecodable"

    assert outcome([data]) == outcome(packets_of(data, 1))


@pytest.mark.parametrize(("coding", "pack"), PACKERS)
def test_a_body_cut_short_is_an_error(coding: str, pack: Callable[[bytes], bytes]) -> None:
    for size in (4, 20, len(pack(PAGE)) - 1):
        with pytest.raises(Undecodable, match="too early"):
            undone(coding, [pack(PAGE)[:size]])


@pytest.mark.parametrize(("coding", "pack"), PACKERS)
def test_a_damaged_body_is_an_error(coding: str, pack: Callable[[bytes], bytes]) -> None:
    with pytest.raises(Undecodable):
        undone(coding, [pack(PAGE)[:10] + b"\xff" * 200])


def test_codings_one_on_another() -> None:
    packed = zstd.compress(brotli_packed(gzip.compress(PAGE)))
    assert undone("gzip, br, zstd", packets_of(packed, 100)) == PAGE
    with pytest.raises(Undecodable, match="one on another"):
        undone("gzip, gzip, gzip, gzip, gzip", [b"x"])


def test_several_members_and_what_lies_behind_them() -> None:
    half = len(PAGE) // 2
    for pack, coding in ((gzip.compress, "gzip"), (zstd.compress, "zstd")):
        packed = pack(PAGE[:half]) + pack(b"") + pack(PAGE[half:])
        for behind in (b"", b"\0", b"\0" * 100, b"rubbish"):
            for size in (1, 7, 1_000_000):
                assert undone(coding, packets_of(packed + behind, size)) == PAGE
    assert undone("deflate", [zlib.compress(PAGE) + b"rubbish"]) == PAGE
    skippable = b"\x50\x2a\x4d\x18\x03\x00\x00\x00abc"
    assert undone("zstd", [skippable + zstd.compress(PAGE) + skippable]) == PAGE
    with pytest.raises(Undecodable):
        undone("br", [brotli_packed(PAGE) + b"rubbish"])
    with pytest.raises(Undecodable):
        undone("br", [brotli_packed(PAGE), b"rubbish"])


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd", "gzip, br"])
@pytest.mark.parametrize("body", [PAGE[:3000], b"<!DOCTYPE html>", b"<?xml", b"</p>"])
def test_a_body_that_is_not_packed_although_its_header_says_so(coding: str, body: bytes) -> None:
    for size in (1, 1_000_000):
        assert undone(coding, packets_of(body, size)) == body


def test_gzip_and_zstd_are_known_by_their_first_bytes() -> None:
    for coding in ("gzip", "zstd"):
        for body in (b"{}", b'{"json": true}', b"x"):
            assert undone(coding, [body]) == body


@pytest.mark.parametrize("coding", ["identity", "none", "utf-8", "", "text/html", "7bit"])
def test_words_that_are_no_coding_change_nothing(coding: str) -> None:
    assert not is_packed(coding)
    assert undone(coding, [b"hello"]) == b"hello"


def test_codings_nobody_asked_for_are_refused() -> None:
    for coding in ("compress", "gzip, compress", "dcz"):
        with pytest.raises(Undecodable, match="not asked for"):
            is_packed(coding)


BOMBS = [(coding, pack(bytes(50_000_000))) for coding, pack in PACKERS]


@pytest.mark.parametrize(("coding", "bomb"), BOMBS)
def test_a_bomb_is_met_while_it_unfolds(coding: str, bomb: bytes) -> None:
    decoder, made = Decoder(coding, 1_000_000), 0
    pieces = decoder.feed(bomb)
    with pytest.raises(TooLarge):  # noqa: PT012 - what is made on the way counts
        for piece in pieces:
            made += len(piece)
    assert made <= 1_000_000


def test_a_bomb_within_a_bomb_counts_at_every_stage() -> None:
    # What comes out in the end is nothing; on the way it is two million bytes of a file's name.
    nothing = b"\x1f\x8b\x08\x08" + bytes(6) + b"a" * 2_000_000 + b"\0" + raw_deflate(b"") + bytes(8)
    assert undone("gzip, gzip", [gzip.compress(nothing)], 3_000_000) == b""
    with pytest.raises(TooLarge):
        undone("gzip, gzip", [gzip.compress(nothing)], 1_000_000)


def test_endless_empty_members_are_refused() -> None:
    for pack, coding in ((gzip.compress, "gzip"), (zstd.compress, "zstd")):
        with pytest.raises(Undecodable, match="one behind the other"):
            undone(coding, [pack(b"") * (decode.STREAMS_MAX + 1)])


def test_zstd_with_a_window_that_takes_our_memory_is_refused() -> None:
    packer = zstd.ZstdCompressor(options={zstd.CompressionParameter.window_log: 27})
    packed = packer.compress(b"x" * 100) + packer.flush()
    with pytest.raises(Undecodable):
        undone("zstd", [packed])
