"""Which reader an answer is for, and how much of it is read."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import pytest

from halflife.page import read
from halflife.page.html import HTML_BYTES_MAX
from halflife.page.plain import PLAIN_BYTES_MAX
from halflife.page.read import FEED_BYTES_MAX, START_BYTES
from halflife.records import Why
from page.fetched import URL, fetched, in_pieces, page_of

HTML = b"<html><title>T</title><a href=/x>x</a>"
SITEMAP = b"<urlset><url><loc>/x</loc></url></urlset>"
INDEX = b"<?xml version='1.0'?><!-- x --><s:sitemapindex><s:sitemap><s:loc>/x</s:loc></s:sitemap></s:sitemapindex>"
RSS = b"<rss><channel><item><link>/x</link></item></channel></rss>"
RSS_091 = b'<?xml version="1.0"?>\n<!DOCTYPE rss PUBLIC "-//x//EN" "http://x/y.dtd" [<!ENTITY a "b">\n]>\n' + RSS
RDF = b"<rdf:RDF><item><link>/x</link></item></rdf:RDF>"
ATOM = b"\xef\xbb\xbf <feed><entry><link href='/x'/></entry></feed>"
OPML = b"<opml><body><outline xmlUrl='/x'/></body></opml>"
JSON_FEED = b'{"version": "https://jsonfeed.org/version/1", "items": [{"url": "/x"}]}'
JSON_FEED_ESCAPED = b'\xef\xbb\xbf{ "version":"https:\\/\\/jsonfeed.org\\/version\\/1.1","items":[{"url":"\\/x"}]}'
LIST = b"https://example.org/x\nhttps://example.org/y\nhttps://example.org/z\n"
PNG = b"\x89PNG\r\n\x1a\n\0\0\0"

PLAIN = ["text/plain", "text/markdown; charset=utf-8"]
XML = ["text/xml", "application/xml", "application/rss+xml", "image/svg+xml"]
UNTOLD = ["", "application/octet-stream", "*/*"]
OTHER = ["image/png", "application/json", "application/zip", "nonsense"]
ANY = ["text/html", "TEXT/HTML ; charset=utf-8", *PLAIN, *XML, *UNTOLD, *OTHER]


@pytest.mark.parametrize("content_type", ANY)
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (SITEMAP, "sitemap"),
        (INDEX, "sitemap"),
        (gzip.compress(SITEMAP), "sitemap"),
        (gzip.compress(gzip.compress(INDEX)), "sitemap"),
        (gzip.compress(SITEMAP * 1000), "sitemap"),
        (gzip.compress(SITEMAP)[:-6] + b"\0\0", "sitemap"),
        ("\ufeff<urlset><url><loc>/x</loc></url></urlset>".encode("utf-16-le"), "sitemap"),
        (SITEMAP.decode().encode("utf-16-be"), "sitemap"),
        (RSS, "feed"),
        (RSS_091, "feed"),
        (RDF, "feed"),
        (ATOM, "feed"),
        (OPML, "feed"),
        (JSON_FEED, "feed"),
        (JSON_FEED_ESCAPED, "feed"),
    ],
)
def test_lists_are_known_by_how_they_begin(body: bytes, kind: str, content_type: str) -> None:
    page = page_of(body, content_type)
    assert page is not None
    assert page.kind == kind
    assert page.links[0].url == "https://example.org/x"


@pytest.mark.parametrize(
    ("content_types", "body", "kind"),
    [
        (["text/html", "application/xhtml+xml", "Text/HTML; x"], HTML, "html"),
        (["text/html"], b"just words", "html"),
        (["text/html"], b"", "html"),
        ([*PLAIN, *XML, *UNTOLD], b"<?xml version='1.0'?>\n<!-- x -->\n<!DOCTYPE html>\n" + HTML, "html"),
        ([*XML, *UNTOLD], b"<p>words", "html"),
        (PLAIN, b"<p>words", "plain"),
        (PLAIN, b"just words", "plain"),
        (PLAIN, b"", "plain"),
        (PLAIN, b"{}", "plain"),
        ([*UNTOLD, *XML], b"just words", None),
        ([*UNTOLD, *XML], b"", None),
        (XML, b"<svg></svg>", None),
        (XML, b"<!DOCTYPE html>", None),
        (OTHER, HTML, None),
        (OTHER, b"{}", None),
        ([*UNTOLD, *OTHER], PNG, None),
        ([*UNTOLD, *OTHER, "application/gzip"], gzip.compress(HTML), None),
        (UNTOLD, b"\x1f\x8bdamaged", None),
    ],
)
def test_pages_are_known_by_their_type(content_types: list[str], body: bytes, kind: str | None) -> None:
    for content_type in content_types:
        page = page_of(body, content_type)
        assert (page and page.kind) == kind


@pytest.mark.parametrize("body", [LIST, b"\xef\xbb\xbf\r\n" + LIST.replace(b"\n", b"\r\n"), LIST * 500, LIST[:-1]])
def test_a_list_of_addresses_is_one(body: bytes) -> None:
    for content_type in PLAIN:
        page = page_of(body, content_type)
        assert page is not None
        assert (page.kind, page.links[1].url) == ("sitemap", "https://example.org/y")


@pytest.mark.parametrize("body", [LIST, LIST[:22], LIST[:21], gzip.compress(LIST), gzip.compress(LIST * 500)])
@pytest.mark.parametrize("content_type", [*PLAIN, *UNTOLD])
def test_where_a_sitemap_is_expected_a_short_list_will_do(body: bytes, content_type: str) -> None:
    page = page_of(body, content_type, Why.SITEMAP)
    assert page is not None
    assert (page.kind, page.links[0].url) == ("sitemap", "https://example.org/x")


@pytest.mark.parametrize(
    ("body", "content_type", "why", "kind"),
    [
        (LIST[:22], "text/plain", Why.LINK, "plain"),  # a note
        (LIST + b"and words", "text/plain", Why.LINK, "plain"),
        (b"words first\n" + LIST, "text/plain", Why.SITEMAP, "plain"),
        (b"https://example.org/" + b"x" * START_BYTES, "text/plain", Why.SITEMAP, "plain"),
        (LIST, "", Why.LINK, None),
        (LIST, "image/png", Why.SITEMAP, None),
        (gzip.compress(LIST), "", Why.LINK, None),
        (b"words", "", Why.SITEMAP, None),
        (HTML, "text/html", Why.SITEMAP, "html"),
    ],
)
def test_what_is_no_list_of_addresses(body: bytes, content_type: str, why: Why, kind: str | None) -> None:
    page = page_of(body, content_type, why)
    assert (page and page.kind) == kind


@pytest.mark.parametrize("size", [1, 3, 5000])
@pytest.mark.parametrize("body", [HTML + b"x" * 9000, SITEMAP + b" " * 9000, RSS, JSON_FEED, LIST])
def test_pieces_make_no_difference(body: bytes, size: int) -> None:
    fetch = fetched(("content-type", "text/plain"))
    assert read(fetch, in_pieces(body, size)) == read(fetch, [body])
    assert read(fetch, in_pieces(body, size)) is not None


@pytest.mark.parametrize(
    "before", [b" ", b"<!---->", b"<!-->", b"<?x?>", b"\xef\xbb\xbf", b"<!doctype x>", b"<!doctype x [", b"--><!--"]
)
@pytest.mark.parametrize("last", [b"", b"x", b"<"])
def test_a_start_that_leads_nowhere_is_read_in_one_go(before: bytes, last: bytes) -> None:
    """Were it not, this would not end."""
    assert page_of(before * (START_BYTES // len(before) - 1) + last, "text/xml") is None
    assert page_of(before * START_BYTES + last, "text/xml") is None


@pytest.mark.parametrize(
    ("content_type", "start", "bytes_max"),
    [
        ("text/html", b"<p>", HTML_BYTES_MAX),
        ("text/plain", b"", PLAIN_BYTES_MAX),
        ("text/xml", b"<rss>", FEED_BYTES_MAX),
    ],
)
def test_an_endless_body_is_read_up_to_a_limit(content_type: str, start: bytes, bytes_max: int) -> None:
    given = 0

    def endless() -> Iterator[bytes]:
        nonlocal given
        yield start
        while True:
            given += 500_000
            yield b"words and more words\n" * (500_000 // 21)

    page = read(fetched(("content-type", content_type)), endless())
    assert page is not None
    assert len(page.text) <= bytes_max
    assert given <= bytes_max + 2_000_000


def test_headers_are_heeded() -> None:
    headers = [
        ("x-robots-tag", "none"),
        ("content-language", "de"),
        ("link", "</c>; rel=canonical"),
        ("refresh", "1;url=/r"),
    ]
    for content_type in ("text/html", "text/plain"):
        page = page_of(b"words", content_type, Why.LINK, *headers)
        assert page is not None
        assert (page.noindex, page.nofollow, page.language) == (True, True, "de")
        assert (page.canonical, page.refresh, page.refresh_seconds) == (
            "https://example.org/c",
            "https://example.org/r",
            1.0,
        )


def test_the_charset_of_the_header_is_heeded() -> None:
    for content_type in ("text/html", "text/plain"):
        page = page_of("Ветер".encode("koi8-r"), f"{content_type}; charset=koi8-r")
        assert page is not None
        assert (page.text, page.charset) == ("Ветер", "koi8-r")
    page = page_of("<rss><title>Ветер</title></rss>".encode("koi8-r"), "text/xml; charset=koi8-r")
    assert page is not None
    assert page.title == "Ветер"


def test_without_headers() -> None:
    assert read(fetched(), [HTML]) is not None
    assert read(fetched(), []) is None
    assert read(fetched(url=URL), [b""]) is None
