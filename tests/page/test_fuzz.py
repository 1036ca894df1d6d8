"""Whatever a server sends, reading it gives a page or none; and every page is as pages are.

HALFLIFE_EXAMPLES=20000 tries more, and others each time.
"""

from __future__ import annotations

import gzip
import os
import re

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from halflife.page import read
from halflife.page.charset import LABELS
from halflife.page.entries import FEED_LINKS_MAX, FEED_MEDIA_MAX, TITLE_CHARACTERS_MAX
from halflife.page.html import HEADINGS_MAX, LINKS_MAX, MEDIA_MAX, WORDS_CHARACTERS_MAX
from halflife.page.sitemap import SITEMAP_LINKS_MAX, SITEMAP_MEDIA_MAX
from halflife.records import Page, Why
from halflife.urls import canonical
from page.fetched import URL, fetched, in_pieces

MORE = int(os.environ.get("HALFLIFE_EXAMPLES", "0"))
checked = settings(
    max_examples=MORE or 400, derandomize=not MORE, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)

KINDS = {"html", "plain", "feed", "sitemap"}
MEDIA_KINDS = {"image", "video", "audio", "document", "feed"}
MOST = {
    "html": (LINKS_MAX, MEDIA_MAX), "plain": (LINKS_MAX, 0), "feed": (FEED_LINKS_MAX, FEED_MEDIA_MAX),
    "sitemap": (SITEMAP_LINKS_MAX, SITEMAP_MEDIA_MAX),
}  # fmt: skip
LANGUAGE = re.compile(r"[a-z0-9-]{0,35}")

HTML = b"""<!DOCTYPE html><html lang=en><head><meta charset=utf-8><base href="/b/"><title>A &amp; b</title>
<meta name=robots content="noindex"><meta http-equiv=refresh content="5; url=/r"><link rel=canonical href=/c>
<link rel=alternate type=application/rss+xml href=/f><meta name=description content="d"></head>
<body><h1>One <a href=x>two</a></h1><p>Words <a href="y#z" rel=nofollow> of <b>a</b> link </a> and <img src=i.png alt=pic>
more<br>text</p><a href=1><a href=2>in</a></a><ul hidden><li><a href=h>hidden</a></ul><video src=v.mp4><source src=w.webm>
</video><table><tr><td><a href=t>cell</a></table><img srcset="s.jpg 1x, t.jpg 2x"><iframe src=/frame></iframe>
<noscript><a href=n>no</a></noscript><style>a{}</style></body></html>"""
RSS = b"""<?xml version="1.0"?><rss version="2.0" xml:base="/b/"><channel><title>T</title><link>/</link>
<description>D</description><language>en</language><image><url>/i.png</url></image><item><title>A &amp; b</title>
<link>a</link><guid>http://a.b/</guid><description><![CDATA[<p>x</p><p>y]]></description>
<enclosure url="e.mp3" type="audio/mpeg"/></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="de"><title type="html">T</title><link href="/"/>
<link rel="next" href="?2"/><entry xml:base="/e/"><title>E</title><link href="e"/><content type="xhtml"><div><p>x</p>
<script>n</script>y</div></content></entry></feed>"""
JSON = b"""{"version": "https://jsonfeed.org/version/1", "title": "T", "language": "en", "next_url": "?2", "items": [
{"url": "/a", "title": "A", "content_html": "<p>x</p>", "attachments": [{"url": "/m.mp3", "mime_type": "audio/mpeg"}]}]}"""
SITEMAP = b"""<?xml version="1.0" encoding="UTF-8"?><!DOCTYPE x [<!ENTITY e "v">]><urlset><url><loc>/a?b&amp;c</loc>
<image:image><image:loc>/i.png</image:loc><image:caption>c</image:caption></image:image><news:title>N</news:title>
<xhtml:link rel="alternate" href="/o"/></url></urlset>"""
PLAIN = b"Title of it\n\n See http://a.b/c, and (https://d.e/f).\n\tEnd\n"
LIST = b"https://a.b/c\nhttps://a.b/d\nhttps://a.b/e\n"

WHOLE = [HTML, RSS, ATOM, JSON, SITEMAP, PLAIN, LIST]
PIECES = [
    *re.findall(rb"<[^<>]*>|[^<>]+", HTML + RSS + ATOM + SITEMAP),
    *re.findall(rb'"[^"]*"|[{}\[\]:,]', JSON),
    *(b"\0 \x01 \x02 \x03 \x04 \xff \xc3 \xef\xbb\xbf \xff\xfe \x1f\x8b\x08").split(b" "),
    *(b"& &#1; &#x85; &#10; &nbsp; &e; <![CDATA[ ]]> <!-- --> < > </ ' \" ,\r \\u0000 \\ud800").split(b" "),
    *(b"<svg> <template> <select> <plaintext> <frameset> <math> <dialog> <pre> <td> <br> </a>").split(b" "),
    *[b"\n", b" ", b"\x0b", "\x85\xa0\u2028\u3000".encode()],
    *[b"<p hidden>", b"<a href=q>", b"<a name=x>", b"<img src=j>", b"<object data=o>"],
]


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A good document with a few things wrong."""
    body = draw(st.sampled_from(WHOLE))
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(body)))
        end = draw(st.sampled_from([start, start + 1, start + 9, len(body)]))
        body = body[:start] + draw(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4))) + body[end:]
    return body


@st.composite
def wrapped(draw: st.DrawFn) -> bytes:
    """A body that may be in another charset, or packed, and damaged after that."""
    body = draw(
        st.one_of(st.binary(max_size=300), st.lists(st.sampled_from(PIECES), max_size=30).map(b"".join), mutated())
    )
    match draw(st.integers(0, 9)):
        case 0:
            body = body.decode("latin-1").encode(draw(st.sampled_from(["utf-16", "utf-16-be", "utf-7", "utf-32"])))
        case 1:
            body = gzip.compress(body)
            start = draw(st.integers(0, len(body)))
            body = body[:start] + draw(st.binary(max_size=2)) + body[start + draw(st.integers(0, 2)) :]
    return body


TYPES = st.one_of(
    st.sampled_from(
        ["text/html", "text/html", "text/plain", "application/xml", "application/rss+xml", "", "image/png", "\xff"]
    ),
    st.builds(
        "{}; charset={}".format, st.sampled_from(["text/html", "text/plain"]), st.sampled_from([*LABELS, "x", "hex"])
    ),
)
HEADERS = st.lists(
    st.tuples(st.sampled_from(["x-robots-tag", "refresh", "link", "content-language"]), st.text(max_size=30)),
    max_size=2,
)


@checked
@given(wrapped(), TYPES, HEADERS, st.sampled_from(Why), st.sampled_from([1, 7, 64, 5000]))
def test_any_answer_is_a_page_or_none(
    body: bytes, content_type: str, headers: list[tuple[str, str]], why: Why, size: int
) -> None:
    fetch = fetched(("content-type", content_type), *headers, why=why)
    page = read(fetch, in_pieces(body, size))
    if page is not None:
        check(page)
    assert page == read(fetch, [body])


@checked
@given(mutated(), st.sampled_from(["text/html", "application/xml", "text/plain"]))
def test_documents_with_a_few_things_wrong_are_still_pages(body: bytes, content_type: str) -> None:
    page = read(fetched(("content-type", content_type)), [body])
    if page is not None:
        check(page)


def check(page: Page) -> None:
    """What every page promises to those who read it."""
    assert page.kind in KINDS
    assert page.url == URL
    assert canonical(page.base) == page.base
    assert page.charset in LABELS
    check_text(page.text)
    for line in (page.title, page.description, *page.headings):
        assert line == " ".join(line.split())
        assert len(line) <= max(TITLE_CHARACTERS_MAX, WORDS_CHARACTERS_MAX)
    assert LANGUAGE.fullmatch(page.language)
    for url in (page.canonical, page.refresh):
        assert not url or canonical(url) == url
    assert page.refresh != page.url
    assert page.refresh_seconds >= 0
    links_max, media_max = MOST[page.kind]
    assert len(page.links) <= links_max
    assert page.links_cut >= 0
    assert len(page.headings) <= HEADINGS_MAX
    for link in page.links:
        assert canonical(link.url) == link.url
        assert 0 <= link.start <= link.end <= len(page.text)
        assert link.anchor == " ".join(link.anchor.split())
        assert not link.end or page.text[link.start : link.end].replace("\n", " ").startswith(link.anchor)
    assert len(page.media) <= media_max + len(page.links)
    for medium in page.media:
        assert canonical(medium.url) == medium.url
        assert medium.kind in MEDIA_KINDS
        assert medium.text == " ".join(medium.text.split())
        assert medium.context in page.text


def check_text(text: str) -> None:
    """Folded: words with one blank between them, lines with one newline between them, nothing at the edges."""
    assert text == text.strip()
    assert [" ".join(line.split()) for line in text.split("\n")] == text.split("\n")
    assert "\n\n" not in text
    text.encode()
