"""Sitemaps, indexes of sitemaps and lists of addresses."""

from __future__ import annotations

import gzip
import random
import tracemalloc
from collections.abc import Iterator

import pytest

from halflife.page.pieces import LAYERS_MAX, MEMBERS_MAX, PIECE_BYTES, unpacked
from halflife.page.sitemap import (
    SITEMAP_LINKS_MAX,
    SITEMAP_MEDIA_MAX,
    UNPACKED_BYTES_MAX,
    WORDS_CHARACTERS_MAX,
    read_address_list,
    read_sitemap,
)
from halflife.page.xmlstream import TOKEN_CHARACTERS_MAX
from halflife.records import Link, Links, Medium, Page
from page.fetched import in_pieces

URL = "https://example.org/sitemap.xml"
DECLARED = '<?xml version="1.0" encoding="UTF-8"?>\n'
SPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
IMAGE = 'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
VIDEO = 'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
NEWS = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'


def sitemap(text: str | bytes) -> Page:
    return read_sitemap(URL, [text.encode() if isinstance(text, str) else text])


def urls(page: Page) -> list[str]:
    return [link.url for link in page.links]


def listing(*places: str) -> str:
    rows = "\n".join(f"<url><loc>{place}</loc><lastmod>2024-01-01</lastmod></url>" for place in places)
    return f"{DECLARED}<urlset {SPACE}>\n{rows}\n</urlset>\n"


SITE = "https://example.org/"
A, B, C = (SITE + name for name in "abc")


# -- what is in them ---------------------------------------------------------------------------------------------------


def test_a_sitemap_lists_pages() -> None:
    assert sitemap(listing(A, B)) == Page(URL, URL, "sitemap", "utf-8", links=Links.of([Link(A), Link(B)]))


def test_an_index_lists_sitemaps() -> None:
    rows = f"<sitemap><loc>{A}.xml.gz</loc><lastmod>2024</lastmod></sitemap><sitemap><loc>/b.xml</loc></sitemap>"
    assert urls(sitemap(f"<sitemapindex {SPACE}>{rows}</sitemapindex>")) == [f"{A}.xml.gz", f"{B}.xml"]


@pytest.mark.parametrize(
    "markup",
    [
        "<urlset><url><loc>{}</loc></url></urlset>",
        "<URLSET><URL><LOC>{}</LOC></URL></URLSET>",
        "<s:urlset xmlns:s='x'><s:url><s:loc>{}</s:loc></s:url></s:urlset>",
        "<s:urlset><s:url><s:loc>{}</s:loc></s:url></s:urlset>",  # a prefix that nobody declared
        "<urlset><url><loc>\n\t {} \n</loc></url></urlset>",
        "<urlset><url><loc><![CDATA[{}]]></loc></url></urlset>",
        "<urlset><url><loc> <![CDATA[ {} ]]> </loc></url></urlset>",
        "<urlset><url><loc><!-- here -->{}<!-- there --></loc></url></urlset>",
        "<urlset><loc>{}</loc></urlset>",
        "\n \ufeff<?xml version='1.0'?><urlset><url><loc>{}</loc></url></urlset>",
        "<?xml version='1.1'?><urlset><url><loc>{}</loc></url></urlset>",
        "<?xml-stylesheet href='/x.xsl'?><!-- made by --><urlset><url><loc>{}</loc></url></urlset>",
    ],
)
def test_an_address_however_it_is_written(markup: str) -> None:
    place = "https://example.org/a?b=1&c=2" if "CDATA" in markup else "https://example.org/a?b=1&amp;c=2"
    assert urls(sitemap(markup.format(place))) == ["https://example.org/a?b=1&c=2"]


@pytest.mark.parametrize(
    ("place", "url"),
    [
        ("HTTPS://EXAMPLE.org:443/x/../a#top", A),
        ("https://example.org/a?utm_source=sitemap", A),
        ("/a", A),
        ("a", A),
        ("https://example.org/&#252;", "https://example.org/%C3%BC"),
        ("https://münchen.de/", "https://xn--mnchen-3ya.de/"),
    ],
)
def test_addresses_are_canonical(place: str, url: str) -> None:
    assert urls(sitemap(listing(place))) == [url]


@pytest.mark.parametrize(
    "place", ["", "javascript:x", "mailto:a@b.c", "http://", "https://example.org/" + "a" * 20_000]
)
def test_what_is_no_address_is_passed_over(place: str) -> None:
    assert urls(sitemap(listing(A, place, B))) in ([A, B], [A, URL, B])
    assert len(urls(sitemap(listing(A, place, B)))) == 2


def test_pictures_and_films_are_no_pages() -> None:
    page = sitemap(f"""<urlset {SPACE} {IMAGE} {VIDEO}><url><loc>{A}</loc>
        <image:image><image:loc>{A}.jpg</image:loc><image:caption> The
            sun </image:caption><image:title>not this</image:title></image:image>
        <image:image><image:loc>/b.jpg</image:loc></image:image>
        <image:image><image:loc> </image:loc></image:image><image:image><image:loc>data:x</image:loc></image:image>
        <video:video><video:thumbnail_loc>{A}.png</video:thumbnail_loc><video:title>Wind</video:title>
            <video:content_loc>{A}.mp4</video:content_loc><video:player_loc>{A}/player</video:player_loc></video:video>
        </url><url><loc>{B}</loc></url></urlset>""")
    assert urls(page) == [A, B]
    assert page.media == (
        Medium(f"{A}.jpg", "image", "The sun"),
        Medium(f"{B}.jpg", "image"),
        Medium(f"{A}.png", "image", "Wind"),
        Medium(f"{A}.mp4", "video", "Wind"),
    )


@pytest.mark.parametrize(
    "inside",
    [
        f"<image:image><image:loc>{B}</image:loc></image:image><loc>{A}</loc>",
        f"<loc>{A}</loc><image:loc>{B}</image:loc>",
        f"<loc>{A}</loc><image:image><image:loc>{B}</image:loc>",  # not closed
        f"<loc>{A}</loc><i:image><i:loc>{B}</i:loc></i:image>",
        f"<loc>{A}</loc><image><loc>{B}</loc></image>",
    ],
)
def test_a_picture_is_no_page_wherever_it_stands(inside: str) -> None:
    page = sitemap(f"<urlset><url>{inside}</url><url><loc>{C}</loc></url></urlset>")
    assert urls(page) == [A, C]
    assert [medium.url for medium in page.media] == [B]


def test_titles_of_news_are_the_words_of_the_link() -> None:
    row = "<news:news><news:publication><news:name>Daily</news:name></news:publication>"
    row += "<news:title>Wind &amp;\n sun</news:title></news:news>"
    page = sitemap(f"<urlset {SPACE} {NEWS}><url><loc>{A}</loc>{row}</url><url><loc>{B}</loc></url></urlset>")
    assert list(page.links) == [Link(A, "Wind & sun"), Link(B)]


def test_pages_in_other_languages_follow_the_pages_once() -> None:
    def row(place: str) -> str:
        others = "".join(f'<xhtml:link rel="alternate" hreflang="{one[-1]}" href="{one}"/>' for one in (A, B, C))
        return f"<url><loc>{place}</loc>{others}<xhtml:link rel='stylesheet' href='/style'/><xhtml:link/></url>"

    assert urls(sitemap(f"<urlset {SPACE} {XHTML}>{row(A)}{row(B)}</urlset>")) == [A, B, C]


def test_words_are_cut() -> None:
    page = sitemap(
        f"<urlset><url><loc>{A}</loc><news:news><news:title>{'x' * 9000}</news:title></news:news></url></urlset>"
    )
    assert list(page.links) == [Link(A, "x" * WORDS_CHARACTERS_MAX)]


# -- limits ------------------------------------------------------------------------------------------------------------


def test_links_beyond_the_limit_are_counted() -> None:
    places = [f"/{number}" for number in range(SITEMAP_LINKS_MAX + 7)]
    page = sitemap(listing(*places))
    assert len(page.links) == SITEMAP_LINKS_MAX
    assert page.links_cut == 7
    page = read_address_list(URL, ["".join(f"https://example.org{place}\n" for place in places).encode()])
    assert len(page.links) == SITEMAP_LINKS_MAX
    assert page.links_cut == 7


def test_pages_in_other_languages_beyond_the_limit_are_counted() -> None:
    others = "".join(f"<link href='{SITE}{number}'/>" for number in range(SITEMAP_LINKS_MAX + 5))
    # Those that are kept, and those that lead nowhere, are not counted.
    page = sitemap(f"<urlset><url><loc>/x</loc><link href='mailto:x'/>{others}<link href='{SITE}7'/></url></urlset>")
    assert len(page.links) == SITEMAP_LINKS_MAX
    assert page.links[0].url == "https://example.org/x"
    assert page.links_cut == 6


def test_media_have_a_limit() -> None:
    rows = "".join(f"<image><loc>/{number}.jpg</loc></image>" for number in range(SITEMAP_MEDIA_MAX + 5))
    assert len(sitemap(f"<urlset><url><loc>{A}</loc>{rows}</url></urlset>").media) == SITEMAP_MEDIA_MAX


def made_chunks(bytes_wanted: int) -> Iterator[bytes]:
    """A sitemap of about that size, made as it is read; it has as many links as are kept, and more."""
    yield listing().partition("</urlset>")[0].encode()
    for number in range(0, SITEMAP_LINKS_MAX, 500):
        yield "".join(f"<url><loc>/{number + more}</loc></url>" for more in range(500)).encode()
    number = 0
    while bytes_wanted > 0:
        piece = f"<url><loc>/{number}/{'x' * 1_000}</loc><!--{'y' * 2_000}--><lastmod>{' ' * 1_000}</lastmod></url>".encode()
        number += 1
        bytes_wanted -= len(piece)
        yield piece
    yield b"</urlset>"


def peak_bytes(chunks: Iterator[bytes]) -> int:
    tracemalloc.start()
    try:
        page = read_sitemap(URL, chunks)
        assert len(page.links) == SITEMAP_LINKS_MAX
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_large_sitemap_costs_no_more_memory_than_a_small_one() -> None:
    small = peak_bytes(made_chunks(100_000))
    large = peak_bytes(made_chunks(50_000_000))
    assert large < small + 1_000_000


def test_no_more_is_asked_for_than_can_count() -> None:
    asked = 0

    def endless() -> Iterator[bytes]:
        nonlocal asked
        while True:
            asked += PIECE_BYTES
            yield b" " * PIECE_BYTES

    assert not read_sitemap(URL, endless()).links
    assert asked <= UNPACKED_BYTES_MAX + PIECE_BYTES


# -- packed ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layers", range(LAYERS_MAX + 1))
@pytest.mark.parametrize("size", [1, 10, 1_000_000])
def test_packed_once_or_more(layers: int, size: int) -> None:
    body = listing(A, B).encode()
    for _ in range(layers):
        body = gzip.compress(body)
    assert urls(read_sitemap(URL, in_pieces(body, size))) == [A, B]


@pytest.mark.parametrize("level", [0, 9])
@pytest.mark.parametrize("size", [PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 2 * PIECE_BYTES])
def test_a_file_that_just_fills_a_piece(size: int, level: int) -> None:
    body = listing(A, B).encode().ljust(size)
    assert urls(read_sitemap(URL, [gzip.compress(body, level), gzip.compress(b"")])) == [A, B]
    assert b"".join(unpacked([gzip.compress(body, level)] * 3, UNPACKED_BYTES_MAX)) == body * 3


def test_packed_too_often_is_no_sitemap() -> None:
    body = listing(A).encode()
    for _ in range(LAYERS_MAX + 1):
        body = gzip.compress(body)
    assert not sitemap(body).links


def test_packed_in_several_members() -> None:
    text = listing(A, B, C).encode()
    body = b"".join(gzip.compress(piece) for piece in in_pieces(text, 20))
    assert urls(sitemap(body)) == [A, B, C]
    assert urls(read_sitemap(URL, [gzip.compress(piece) for piece in in_pieces(text, 20)])) == [A, B, C]
    assert urls(sitemap(body + b"\0" * 512)) == [A, B, C]
    assert urls(sitemap(body + b"something else")) == [A, B, C]


def test_members_that_hold_nothing_come_to_an_end() -> None:
    body = gzip.compress(b"") * (MEMBERS_MAX + 1) + gzip.compress(listing(A).encode())
    assert not sitemap(body).links


def test_of_a_damaged_file_counts_what_came_before() -> None:
    places = [f"https://example.org/{random.Random(number).getrandbits(64)}" for number in range(3000)]
    packed = gzip.compress(listing(*places).encode())
    for body in (packed[:-8] + b"\0" * 8, packed[:-8], packed[:-4]):
        assert urls(sitemap(body)) == places
    for cut in (len(packed) // 2, len(packed) - 1000):
        found = urls(sitemap(packed[:cut]))
        assert found == places[: len(found)]
        assert len(found) > len(places) // 3
        # Invalid from there on: a block of a type that there is none of.
        found = urls(sitemap(packed[:cut] + b"\xff" * 100))
        assert len(found) > len(places) // 3


def test_a_bomb_is_read_up_to_the_limit() -> None:
    bomb = gzip.compress(b" " * 10_000_000) * 12
    tracemalloc.start()
    try:
        assert not sitemap(gzip.compress(bomb)).links
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


# -- hostile and broken ------------------------------------------------------------------------------------------------


def test_entities_are_not_expanded() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    text = f'<!DOCTYPE x [<!ENTITY l0 "lol">{laughs}]><urlset><url><loc>/&l9;</loc></url><url><loc>{A}</loc></url></urlset>'
    page = sitemap(text)
    assert urls(page) == ["https://example.org/&l9;", A]


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE x [<!ENTITY e "secret">]>',
        '<!DOCTYPE x SYSTEM "file:///etc/hostname">',
        "<!DOCTYPE x [ %undeclared; ]>",
        '<!DOCTYPE x PUBLIC "-//x" "http://127.0.0.1:9/x.dtd" [<!ENTITY % p SYSTEM "file:///etc/hostname"> %p;]>',
    ],
)
def test_nothing_outside_is_read(doctype: str) -> None:
    assert urls(sitemap(f"{doctype}<urlset><url><loc>/&e;</loc></url><url><loc>{A}</loc></url></urlset>")) == [
        "https://example.org/&e;",
        A,
    ]


def test_characters_by_name() -> None:
    assert urls(sitemap(listing("/&eacute;&#x21;&quot;"))) == ["https://example.org/%C3%A9!%22"]


@pytest.mark.parametrize(
    "between",
    [
        "</wrong>",
        "<url><loc>broken",
        "&",
        "& < > \x01\x02\x00 <3",
        "<a href=x y='z>'>",
        "<!-- -- -->",
        "<![CDATA[ <url><loc>no</loc></url> ]]>",
        "<?xml version='1.0'?>",
        "<url><loc>/x</url>",
        "\ufffe\uffff",
        "<!ENTITY x>",
        "]]>",
        "<x" + " a='b'" * 10,
        "<1>",
        "</>",
        "<>",
    ],
)
def test_a_broken_document_is_read_before_and_behind_the_break(between: str) -> None:
    text = f"<urlset><url><loc>{A}</loc></url>{between}<url><loc>{B}</loc></url><url><loc>{C}</loc></url></urlset>"
    for size in (7, 1_000_000):
        found = urls(read_sitemap(URL, in_pieces(text.encode(), size)))
        assert found[0] == A
        assert found[-1] == C
        assert not {"https://example.org/no"} & set(found)


@pytest.mark.parametrize("keep", range(0, len(listing(A, B)), 3))
def test_a_document_cut_short_gives_whole_addresses(keep: int) -> None:
    found = urls(sitemap(listing(A, B)[:keep]))
    assert found == [A, B][: len(found)]
    assert len(found) == listing(A, B)[:keep].count("</loc>")


def test_the_scanner_finds_what_the_parser_finds() -> None:
    """A document that breaks at its first character is read by the one, a whole one by the other."""
    text = f"""<urlset {SPACE} {IMAGE}><!-- <url><loc>/no</loc></url> --><url a="1>2" b='"'><loc>{A}&amp;1</loc>
        <image:image><image:loc><![CDATA[{A}.jpg?<>&]]></image:loc><image:title>1 &lt; 2 &#8364;</image:title></image:image>
        <xhtml:link rel='alternate' href="/x?a=1&amp;b=2"/></url><url><loc>{B}</loc></url></urlset>"""
    whole = sitemap(text)
    assert len(whole.links) == 3
    assert len(whole.media) == 1
    for size in (1, 5, 1_000_000):
        broken = read_sitemap(URL, in_pieces(f"<&>{text}".replace('a="1>2" ', "").encode(), size))
        assert broken == whole


@pytest.mark.parametrize("broken", ["", "<&>"])
def test_deep_nesting_costs_what_lies_in_it(broken: str) -> None:
    text = f"{broken}<urlset><url><loc>{A}</loc></url>{'<x>' * 100_000}{'</x>' * 100_000}<url><loc>{B}</loc></url></urlset>"
    assert urls(sitemap(text)) == [A, B]


@pytest.mark.parametrize("broken", ["", "<&>"])
def test_elements_without_number_are_read_up_to_a_limit(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"{broken}<urlset><url><loc>{A}</loc></url>{'<x/>' * 2_000}<url><loc>{B}</loc></url></urlset>"
    assert urls(sitemap(text)) == [A, B]
    monkeypatch.setattr("halflife.page.xmlstream.TOKENS_MAX", 1_000)  # as it is it would take seconds to reach
    for size in (100, 1_000_000):
        assert urls(read_sitemap(URL, in_pieces(text.encode(), size))) == [A]
        assert urls(read_sitemap(URL, in_pieces(text.replace("<x/>", "&x;").encode(), size)))[0] == A
    assert urls(sitemap(listing(A, *["&x;" * 2_000, B]))) == [A]


@pytest.mark.parametrize("opening", ["<!--", "<![CDATA[", "<x a='", "<", "<?x "])
def test_what_never_ends_is_not_held(opening: str) -> None:
    def chunks() -> Iterator[bytes]:
        yield f"<urlset><url><loc>{A}</loc></url>{opening}".encode()
        for _ in range(3 * TOKEN_CHARACTERS_MAX // PIECE_BYTES):
            yield b"x" * PIECE_BYTES

    tracemalloc.start()
    try:
        assert urls(read_sitemap(URL, chunks())) == [A]
        assert tracemalloc.get_traced_memory()[1] < 12 * TOKEN_CHARACTERS_MAX
    finally:
        tracemalloc.stop()


# -- encodings ---------------------------------------------------------------------------------------------------------

UMLAUT = "https://example.org/%C3%BC"


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        (listing("/ü").encode(), "utf-8"),
        (b"\xef\xbb\xbf" + listing("/ü").encode(), "utf-8"),
        (b"\xff\xfe" + listing("/ü").replace("UTF-8", "UTF-16").encode("utf-16-le"), "utf-16le"),
        (b"\xfe\xff" + listing("/ü").replace("UTF-8", "UTF-16").encode("utf-16-be"), "utf-16be"),
        (listing("/ü").encode("utf-16-le"), "utf-16le"),  # without a mark, and declared as another
        (listing("/ü").encode("utf-16-be"), "utf-16be"),
        (listing("/ü").replace("UTF-8", "UTF-16").encode(), "utf-8"),
        (listing("/ü").replace("UTF-8", "ISO-8859-1").encode("latin-1"), "windows-1252"),
        (listing("/ü").replace("UTF-8", "ISO-8859-1").encode(), "utf-8"),
        (listing("/ü").replace("UTF-8", "no-such-thing").encode(), "utf-8"),
        (listing("/ü").replace("UTF-8", "windows-1251").encode(), "utf-8"),
    ],
)
def test_whatever_it_is_declared_in(body: bytes, charset: str) -> None:
    for size in (1, 1_000_000):
        page = read_sitemap(URL, in_pieces(body, size))
        assert urls(page) == [UMLAUT]
        assert page.charset == charset


def test_characters_cut_in_two_by_pieces() -> None:
    places = [f"/{'ü€😀' * 50}/{number}" for number in range(20)]
    whole = sitemap(listing(*places))
    assert len(whole.links) == 20
    assert read_sitemap(URL, in_pieces(listing(*places).encode(), 4097)) == whole


def test_nul_bytes_are_blanks() -> None:
    assert urls(sitemap(f"\0\0<urlset>\0<url><loc>\0{A}\0</loc>\0</url><url><loc>{B}</loc></url></urlset>\0")) == [A, B]


# -- lists of addresses ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r", "\n\n"])
@pytest.mark.parametrize("start", ["", "\ufeff", "\n\n"])
def test_one_address_a_line(newline: str, start: str) -> None:
    text = start + newline.join(
        [A, f"  HTTP://example.org/b\t{newline}", "# no address", "nor/this", "mailto:a@b.c", C]
    )
    for size in (1, 5, 1_000_000):
        page = read_address_list(URL, in_pieces(text.encode(), size))
        assert page == Page(
            URL, URL, "sitemap", "utf-8", links=Links.of([Link(A), Link("http://example.org/b"), Link(C)])
        )


def test_a_packed_list() -> None:
    assert urls(read_address_list(URL, [gzip.compress(f"{A}\n{B}".encode())])) == [A, B]


def test_a_line_that_is_too_long_is_no_address() -> None:
    text = f"{A}\nhttps://example.org/{'x' * 100_000}\n{B}"
    for size in (1_000, 1_000_000):
        assert urls(read_address_list(URL, in_pieces(text.encode(), size))) == [A, B]


def test_an_empty_answer_lists_nothing() -> None:
    for read in (read_sitemap, read_address_list):
        for chunks in ([], [b""], [b"", b""]):
            assert not read(URL, chunks).links
