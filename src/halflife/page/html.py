"""HTML: what a reader sees of it, and where it leads.

The tree is lexbor's, by selectolax, so what comes out is what a browser makes of the page, however broken. One walk over
it (`walk.py`) gives the text, the links, and the elements that mean something; here is said which those are, and what.

    text      what is shown: no title, script, style, template; nothing under `hidden` or display:none, no closed dialog
    links     a, area, frame, iframe and link rel=next/prev, in the page's order and with multiplicity; also hidden ones,
              which menus are full of, and those in noscript. A fragment of the page itself is no link.
    anchor    the words of a link; else the alt text of its pictures, its title or its aria-label
    media     img, picture, video, audio, embed, object; links by their ending to documents, images, video and audio;
              link rel=alternate to feeds

What it gets wrong. Style sheets are not read: what they hide is read, and words that they set apart may run together.
Options of a list are text like any other.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import compress
from typing import Any, NamedTuple, cast

from halflife.page.marks import ROBOTS, Marks, heed_language, heed_refresh, heed_robots
from halflife.page.media import first_of_srcset, kind_by_ending, kind_by_type, kinds_by_ending
from halflife.page.walk import (
    AFTER,
    ANCHOR,
    BEFORE,
    BLANKS,
    CONCEALED,
    CONCEALING,
    ELEMENT,
    GONE,
    SHUT,
    WORDS,
    Walked,
    fold_words,
    parsed,
    tag_number,
    walk,
)
from halflife.records import Links, Medium, Page
from halflife.urls import Joiner, join

HTML_BYTES_MAX = 16_000_000  # the largest indexes of documentation have three; what comes behind is not read
LINKS_MAX = 50_000  # as many as a sitemap may have; more are counted
ELEMENTS_MAX = 20_000  # that are looked at for other reasons
MEDIA_MAX = 2_000
HEADINGS_MAX = 1_000
TITLE_CHARACTERS_MAX = 1_000
WORDS_CHARACTERS_MAX = 1_000  # of one anchor, heading or caption
CONTEXT_CHARACTERS = 80  # each side of a medium: as Page.around has it for links

MEDIA_TAGS = {"img": "image", "video": "video", "audio": "audio", "embed": "", "object": "", "source": ""}
HEADINGS = "h1 h2 h3 h4 h5 h6"
# What each element means to the walk; for those that are an ELEMENT, `_Reader` has a method too.
MEANINGS = {
    "a": ANCHOR,
    "address article aside blockquote br caption center dd details dir div dl dt fieldset figcaption figure footer form header"
    " hgroup hr legend li main menu nav ol optgroup option p pre search section summary table td th tr ul"
    " frameset": BEFORE | AFTER,
    # What is in these is not shown, whatever it is; `template` holds its content outside of the tree.
    "script style noembed noframes": GONE,
    "svg noscript datalist": CONCEALING,  # these have elements in them: links in them count, and words do not
    "dialog": BEFORE | AFTER | SHUT,
    "title": ELEMENT | WORDS | GONE,
    "iframe": ELEMENT | GONE,
    "area frame base meta link html img embed object source": ELEMENT,
    f"video audio {HEADINGS}": BEFORE | AFTER | ELEMENT,
}


def read_html(url: str, body: bytes, charset: str, marks: Marks) -> Page:
    """The page in a body that is UTF-8 by now; `marks` are those of its headers."""
    return _Reader(url, body, charset, marks).page()


def text_of(body: bytes) -> str:
    """What is shown of a piece of HTML that is UTF-8."""
    return _walked(body, 0, 0)[0]


def names_that_mean(bits: int) -> frozenset[str]:
    """The elements that mean one of these to a walk."""
    return frozenset(name for names, kind in MEANINGS.items() if kind & bits for name in names.split())


def _walked(body: bytes, links_max: int, elements_max: int) -> Walked:
    tree = parsed(body)
    root = tree.root
    assert root is not None  # lexbor makes one of anything
    return walk(root, tree.body or root, KINDS, links_max, elements_max)


class _Element(NamedTuple):
    """An element that the walk was asked for, as it gives them."""

    tag: int
    parent: int
    links_before: int
    start: int  # below 0 where it is not shown
    end: int
    words: str
    attributes: dict[str, str | None]


class _Reader:
    """One page."""

    def __init__(self, url: str, body: bytes, charset: str, marks: Marks) -> None:
        self.url, self.charset, self.marks = url, charset, marks
        self.base = url
        self.title = ""
        self.description = ""
        self.headings: list[str] = []
        self._media: list[tuple[str, str, str, int]] = []  # src, kind, text, where in the text it stands
        self._feeds: list[Medium] = []
        # Links that stand nowhere in the text: how many stand before them, and what the walk's columns have of links.
        self._textless: list[tuple[int, str, str | None, int, int, str]] = []
        walked = _walked(body[:HTML_BYTES_MAX], LINKS_MAX, ELEMENTS_MAX)
        self.text, self._links, elements, self.links_cut = walked
        for element in map(_Element._make, elements):
            if element.parent != MATH:  # elements of formulas have names of their own
                READERS[element.tag](self, element)

    def page(self) -> Page:
        """Everything together."""
        joiner, marks = Joiner(self.base), self.marks
        links = self._made_links(joiner)
        return Page(
            url=self.url,
            base=self.base,
            charset=self.charset,
            title=self.title,
            description=self.description,
            language=marks.language,
            headings=tuple(self.headings),
            text=self.text,
            canonical=marks.canonical,
            noindex=marks.noindex,
            nofollow=marks.nofollow,
            refresh=marks.refresh,
            refresh_seconds=marks.refresh_seconds,
            links=links,
            media=self._made_media(joiner, links),
            links_cut=self.links_cut,
        )

    # -- what the elements mean ------------------------------------------------------------------------------------

    def heading(self, element: _Element) -> None:
        start, end = element.start, min(element.end, element.start + WORDS_CHARACTERS_MAX)
        if 0 <= start < end and len(self.headings) < HEADINGS_MAX:
            self.headings.append(self.text[start:end].replace("\n", " "))

    def area(self, element: _Element) -> None:
        attributes = element.attributes
        self._link(element, "href", attributes.get("alt") or attributes.get("title"))

    def frame(self, element: _Element) -> None:
        attributes = element.attributes
        self._link(element, "src", attributes.get("title") or attributes.get("name"))

    def _link(self, element: _Element, name: str, words: str | None) -> None:
        href = (element.attributes.get(name) or "").strip(BLANKS)
        if href and href[0] != "#":
            rel = element.attributes.get("rel")
            self._textless.append((element.links_before, href, rel, 0, 0, words or ""))

    def medium(self, element: _Element) -> None:
        attributes, tag = element.attributes, MEDIA_NAMES[element.tag]
        src = attributes.get("data" if tag == "object" else "src") or attributes.get("data-src")
        if (not src or src.startswith("data:")) and (
            srcset := attributes.get("srcset") or attributes.get("data-srcset")
        ):
            src = first_of_srcset(srcset)
        if not src or src.startswith("data:") or len(self._media) >= MEDIA_MAX:
            return
        kind = MEDIA_TAGS[tag] or kind_by_type(attributes.get("type") or "")
        if not kind and tag == "source":
            kind = KINDS_OF_SOURCE.get(element.parent, "")
        text = fold_words(attributes.get("alt") or attributes.get("title") or attributes.get("aria-label") or "")
        at = -1 if tag in ("source", "object") else element.start
        self._media.append((src, kind, text[:WORDS_CHARACTERS_MAX], at))

    def set_title(self, element: _Element) -> None:
        if not self.title and element.start != CONCEALED:
            self.title = fold_words(element.words)[:TITLE_CHARACTERS_MAX]

    def set_base(self, element: _Element) -> None:
        href = element.attributes.get("href")
        if href and self.base == self.url and element.start != CONCEALED:
            self.base = join(self.url, href) or self.url

    def set_language(self, element: _Element) -> None:
        attributes = element.attributes
        heed_language(self.marks, attributes.get("lang") or attributes.get("xml:lang"))

    def meta(self, element: _Element) -> None:
        attributes = element.attributes
        content = attributes.get("content")
        if not content:
            return
        name = (attributes.get("name") or attributes.get("property") or "").strip().lower()
        if name in ROBOTS:
            heed_robots(self.marks, content)
        elif name == "description" or (name == "og:description" and not self.description):
            self.description = fold_words(content)[:WORDS_CHARACTERS_MAX]
        elif http := (attributes.get("http-equiv") or "").strip().lower():
            if http == "refresh":
                heed_refresh(self.marks, content, self.base, self.url)
            elif http == "content-language":
                heed_language(self.marks, content)

    def link(self, element: _Element) -> None:
        attributes = element.attributes
        href, rel = attributes.get("href"), (attributes.get("rel") or "").lower().split()
        if not href or not rel or element.start == CONCEALED:
            return
        if "canonical" in rel:
            self.marks.canonical = self.marks.canonical or join(self.base, href) or ""
        elif "next" in rel or "prev" in rel:
            self._link(element, "href", attributes.get("title"))
        elif "alternate" in rel and kind_by_type(attributes.get("type") or "") == "feed":
            url = join(self.base, href)
            if url and len(self._feeds) < MEDIA_MAX:
                self._feeds.append(
                    Medium(url, "feed", fold_words(attributes.get("title") or "")[:WORDS_CHARACTERS_MAX])
                )

    # -- what comes of them ----------------------------------------------------------------------------------------

    def _made_links(self, joiner: Joiner) -> Links:
        hrefs, rels, starts, ends, words = self._columns()
        known, line = joiner.known.get, self.text.replace("\n", " ")
        urls = [known(href) or joiner(href) for href in hrefs]
        most = WORDS_CHARACTERS_MAX  # cut before it is copied, for links can stand in each other
        anchors = [
            line[start : end if end - start < most else start + most] if end else fold_words(word)[:most]
            for start, end, word in zip(starts, ends, words, strict=True)
        ]
        nofollow = bytes([rel is not None and _is_nofollow(rel) for rel in rels]) if any(rels) else bytes(len(rels))
        if all(urls):
            return Links(cast(list[str], urls), anchors, starts, ends, nofollow)
        return Links(
            [url for url in urls if url],
            list(compress(anchors, urls)),
            array("i", compress(starts, urls)),
            array("i", compress(ends, urls)),
            bytes(compress(nofollow, urls)),
        )

    def _columns(self) -> tuple[list[str], list[str | None], array[int], array[int], list[str]]:
        """The walk's columns of links, those without a place in the text where they belong, and as many as are wanted."""
        hrefs, rels, starts, ends, words = self._links
        columns: list[Any] = [hrefs, rels, array("i", starts), array("i", ends), words]
        for place in range(len(columns) if self._textless else 0):
            column, at = columns[place], 0
            merged = column[:0]
            for before, *textless in self._textless:
                merged += column[at:before]
                merged.append(textless[place])
                at = before
            columns[place] = merged + column[at:]
        self.links_cut += max(0, len(columns[0]) - LINKS_MAX)
        for column in columns:
            del column[LINKS_MAX:]
        return tuple(columns)

    def _made_media(self, joiner: Joiner, links: Links) -> tuple[Medium, ...]:
        made = {(feed.url, feed.kind): feed for feed in self._feeds}
        for src, kind, text, at in self._media:
            url = joiner(src)
            if url is not None:
                kind = kind or kind_by_ending(url) or "document"
                made.setdefault((url, kind), Medium(url, kind, text, _around(self.text, at, at)))
        kinds = kinds_by_ending(links.urls)
        for link in links if kinds else ():
            found = kinds.get(link.url)
            if found and len(made) < MEDIA_MAX:
                context = _around(self.text, link.start, link.end) if link.end else ""
                made.setdefault((link.url, found), Medium(link.url, found, link.anchor, context))
        return tuple(made.values())


def _is_nofollow(rel: str) -> bool:
    return not {"nofollow", "ugc", "sponsored"}.isdisjoint(rel.lower().split())


def _around(text: str, start: int, end: int) -> str:
    end = min(end, start + WORDS_CHARACTERS_MAX)
    return text[max(0, start - CONTEXT_CHARACTERS) : end + CONTEXT_CHARACTERS] if start >= 0 else ""


def _kinds() -> bytes:
    """What each element means, by its number. Names that HTML does not know have higher ones."""
    numbers = {tag_number(name): kind for names, kind in MEANINGS.items() for name in names.split()}
    return bytes([numbers.get(number, 0) for number in range(256)])


def _readers() -> dict[int, Callable[[_Reader, _Element], Any]]:
    """Who reads each element that the walk is asked for, by its number."""
    readers: dict[str, Callable[[_Reader, _Element], Any]] = {
        **dict.fromkeys(MEDIA_TAGS, _Reader.medium),
        **dict.fromkeys(HEADINGS.split(), _Reader.heading),
        "area": _Reader.area, "frame": _Reader.frame, "iframe": _Reader.frame, "title": _Reader.set_title,
        "base": _Reader.set_base, "meta": _Reader.meta, "link": _Reader.link, "html": _Reader.set_language,
    }  # fmt: skip
    return {tag_number(name): read for name, read in readers.items()}


KINDS, READERS = _kinds(), _readers()
MEDIA_NAMES = {tag_number(name): name for name in MEDIA_TAGS}
MATH = tag_number("math")
KINDS_OF_SOURCE = {tag_number("video"): "video", tag_number("audio"): "audio", tag_number("picture"): "image"}
