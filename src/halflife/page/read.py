"""Which reader an answer is for: told by its media type, and by how it begins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from halflife.page.charset import in_utf8
from halflife.page.feed import read_feed
from halflife.page.html import HTML_BYTES_MAX, read_html
from halflife.page.marks import marks_of
from halflife.page.pieces import GZIP, unpacked
from halflife.page.plain import PLAIN_BYTES_MAX, read_plain
from halflife.page.sitemap import read_address_list, read_sitemap
from halflife.records import Answer, Fetch, Page, Why

START_BYTES = 4_096  # of a body, in which its first element has to be
FEED_BYTES_MAX = 16_000_000  # a feed of ten thousand entries

# What may stand before the first element. Matched one by one: as one repeated group it would take exponential time.
BEFORE_ROOT = re.compile(
    rb"\xef\xbb\xbf|\s+|<\?.{0,2000}?\?>|<!--.{0,2000}?-->|<!doctype[^>\[]{0,500}(?:\[.{0,3000}?\]\s*)?>", re.I | re.S
)
ROOT = re.compile(rb"<([A-Za-z][A-Za-z0-9:._-]{0,40})")
SITEMAPS, FEEDS = frozenset({b"urlset", b"sitemapindex"}), frozenset({b"rss", b"feed", b"rdf", b"opml"})
HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
UNTOLD = frozenset([
    "", "application/octet-stream", "binary/octet-stream", "unknown/unknown", "application/unknown", "*/*",
])  # fmt: skip
PLAIN_TYPES = frozenset({"text/plain", "text/markdown", "text/x-markdown", "text/x-rst", "text/asciidoc"})
JSON_FEED = b"jsonfeed.org/version"
ADDRESSES = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:https?://[^\s<>]+(?:\s+|$))+", re.I)
HTML_ROOTS = frozenset([
    b"html", b"head", b"body", b"title", b"meta", b"link", b"script", b"style", b"div", b"p", b"table", b"a", b"h1", b"h2",
    b"center", b"font", b"frameset", b"base",
])  # fmt: skip
LIST_LINES_MIN = 2  # newlines: a text of one or two addresses is a note


def read(fetch: Fetch, chunks: Iterable[bytes]) -> Page | None:
    """The page that an answer holds, None when it holds none. `chunks` is its decoded content."""
    answer = fetch.outcome
    assert isinstance(answer, Answer)
    url = fetch.target.url
    content_type = answer.header("content-type")
    start, whole = _begun(chunks)
    kind = _kind(content_type.partition(";")[0].strip().lower(), start, fetch.target.why)
    if kind == "sitemap":
        return read_sitemap(url, whole)
    if kind == "list":
        return read_address_list(url, whole)
    if kind == "feed":
        return read_feed(url, in_utf8(_joined(whole, FEED_BYTES_MAX), content_type)[0])
    if not kind:
        return None
    marks = marks_of(answer.headers, url)
    body, charset = in_utf8(_joined(whole, HTML_BYTES_MAX if kind == "html" else PLAIN_BYTES_MAX), content_type)
    if kind == "plain":
        return read_plain(url, body.decode("utf-8", "replace"), charset, marks)
    return read_html(url, body, charset, marks)


def _begun(chunks: Iterable[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The beginning of a body, and all of it."""
    rest = iter(chunks)
    start = b""
    for piece in rest:
        start += piece
        if len(start) >= START_BYTES:
            break
    return start, chain((start,), rest)


def _joined(chunks: Iterator[bytes], bytes_max: int) -> bytes:
    """A body, cut at a size."""
    pieces, size = [], 0
    for piece in chunks:
        pieces.append(piece)
        size += len(piece)
        if size > bytes_max:
            break
    return pieces[0] if len(pieces) == 1 and size <= bytes_max else b"".join(pieces)[:bytes_max]


def _kind(mime: str, start: bytes, why: Why) -> str:
    """html, plain, feed, sitemap or list; '' for what is no page."""
    if start.startswith(GZIP):
        start = b"".join(unpacked((start,), START_BYTES))
        if _first_element(start) in SITEMAPS:
            return "sitemap"
        return "list" if why == Why.SITEMAP and _is_list(start, why) else ""
    first = _first_element(start[:START_BYTES])
    if first in SITEMAPS:
        return "sitemap"
    if first in FEEDS or (b"{" in start[:64] and JSON_FEED in start[:START_BYTES].replace(b"\\/", b"/")):
        return "feed"
    if mime in HTML_TYPES:
        return "html"
    if mime in PLAIN_TYPES:
        return "html" if first == b"html" else "list" if _is_list(start, why) else "plain"
    if mime in UNTOLD or mime.endswith(("/xml", "+xml")):
        if first in HTML_ROOTS:
            return "html"
        return "list" if mime in UNTOLD and why == Why.SITEMAP and _is_list(start, why) else ""
    return ""


def _first_element(start: bytes) -> bytes:
    """The local name of the first element, in lower case."""
    if start[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in start[:4]:
        start = in_utf8(start[: START_BYTES - START_BYTES % 2], "")[0]
    at = 0
    while before := BEFORE_ROOT.match(start, at):
        at = before.end()
    found = ROOT.match(start, at)
    return found[1].rpartition(b":")[2].lower() if found else b""


def _is_list(start: bytes, why: Why) -> bool:
    """Whether a text is a list of addresses: one of its own accord where a sitemap was expected, a long one anywhere."""
    lines = start[:START_BYTES].rpartition(b"\n")[0] if len(start) >= START_BYTES else start
    found = ADDRESSES.fullmatch(lines)
    return found is not None and (why == Why.SITEMAP or lines.strip().count(b"\n") >= LIST_LINES_MIN)
