"""HTML: what a reader sees of it, and where it leads.

The tree is lexbor's, by selectolax, so what comes out is what a browser makes of the page, however broken. One pass over
its elements gathers links, media, headings and marks, and puts marks into the text (`flow.py`) where blocks, links and
pictures are; then the text is taken in one piece.

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

from collections.abc import Callable
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from halflife.page.flow import BREAK, CLOSE, OPEN, POINT, RAW_MARKS, Flow, flow, fold_words
from halflife.page.marks import ROBOTS, Marks, heed_language, heed_refresh, heed_robots
from halflife.page.media import first_of_srcset, kind_by_ending, kind_by_type, kinds_by_ending
from halflife.records import Link, Medium, Page
from halflife.urls import Joiner, join

HTML_BYTES_MAX = 16_000_000  # the largest indexes of documentation have three; what comes behind is not read
LINKS_MAX = 50_000  # as many as a sitemap may have; more are counted
MEDIA_MAX = 2_000
HEADINGS_MAX = 1_000
TITLE_CHARACTERS_MAX = 1_000
WORDS_CHARACTERS_MAX = 1_000  # of one anchor, heading or caption
CONTEXT_CHARACTERS = 80  # each side of a medium: as Page.around has it for links

GONE = ["script", "style", "template", "noembed", "noframes", "svg", "datalist"]  # with all that is in them
HIDDEN = 'noscript,dialog:not([open]),[hidden]:not([hidden="until-found"]),[style*="display:none" i],[style*="display: none" i]'
HIDDEN_HINTS = (b"hidden", b"none", b"dialog", b"noscript")  # where none of these is, nothing is hidden
BLANK_MARKS = bytes.maketrans(RAW_MARKS, b" " * len(RAW_MARKS))

BLOCKS = (
    "address article aside blockquote caption center details dialog dir div dl fieldset figcaption figure footer form h1 h2 h3"
    " h4 h5 h6 header hgroup legend main menu nav ol p pre search section summary table ul frameset optgroup video audio"
)
# Nothing but another of its kind follows these within their parent, so a mark before each will do.
SERIAL_BLOCKS = "br hr dd dt li td th tr option"
MEDIA_TAGS = {"img": "image", "video": "video", "audio": "audio", "embed": "", "object": "", "source": ""}


def read_html(url: str, body: bytes, charset: str, marks: Marks) -> Page:
    """The page in a body that is UTF-8 by now; `marks` are those of its headers."""
    return _Reader(url, body, charset, marks).page()


class _Reader:
    """One pass over one tree."""

    def __init__(self, url: str, body: bytes, charset: str, marks: Marks) -> None:
        if any(mark in body for mark in RAW_MARKS):
            body = body.translate(BLANK_MARKS)
        self.url, self.charset, self.marks = url, charset, marks
        self.base = url
        self.title = ""
        self.description = ""
        self.headings: list[str] = []
        self.links_cut = 0
        self._links: list[tuple[str, str, bool, bool]] = []  # href, words, nofollow, whether it has marks in the text
        self._media: list[tuple[str, str, str, bool]] = []  # src, kind, text, whether it has a mark in the text
        self._feeds: list[Medium] = []
        self._points = 0
        self._tree = LexborHTMLParser(body[:HTML_BYTES_MAX])
        self._tree.strip_tags(GONE, recursive=True)
        self._concealed, self._hidden = self._find_hidden(body)

    def page(self) -> Page:
        """Everything together."""
        root = self._tree.root
        for node in list(root.traverse()) if root is not None else ():
            read = _READS.get(node.tag_id)
            if read is not None:
                read(self, node)
        for node in self._hidden:
            node.decompose()
        body = self._tree.body or root
        marked = sum(1 for link in self._links if link[3])
        flowing = flow(body.text() if body is not None else "", marked, self._points)
        links = self._made_links(flowing)
        marks = self.marks
        return Page(
            url=self.url,
            base=self.base,
            charset=self.charset,
            title=self.title,
            description=self.description,
            language=marks.language,
            headings=tuple(self.headings),
            text=flowing.text,
            canonical=marks.canonical,
            noindex=marks.noindex,
            nofollow=marks.nofollow,
            refresh=marks.refresh,
            refresh_seconds=marks.refresh_seconds,
            links=links,
            media=self._made_media(flowing, links),
            links_cut=self.links_cut,
        )

    def _find_hidden(self, body: bytes) -> tuple[frozenset[int], list[LexborNode]]:
        """The elements within hidden parts, by their place in memory, and the outermost of those parts."""
        if not any(hint in body for hint in HIDDEN_HINTS):
            return frozenset(), []
        within: set[int] = set()
        outermost = []
        for node in self._tree.css(HIDDEN):
            if node.mem_id not in within and node.tag not in ("html", "body"):
                outermost.append(node)
                within.update(inner.mem_id for inner in node.traverse())
        return frozenset(within), outermost

    # -- what the elements mean ------------------------------------------------------------------------------------

    def block(self, node: LexborNode) -> None:
        node.insert_before(BREAK)
        node.insert_after(BREAK)

    def serial_block(self, node: LexborNode) -> None:
        node.insert_before(BREAK)

    def heading(self, node: LexborNode) -> None:
        if len(self.headings) < HEADINGS_MAX and not self._is_concealed(node):
            words = fold_words(node.text())
            if words:
                self.headings.append(words[:WORDS_CHARACTERS_MAX])
        self.block(node)

    def anchor(self, node: LexborNode) -> None:
        attributes = node.attributes
        href = attributes.get("href")
        if not href or href[0] == "#":
            return
        if len(self._links) >= LINKS_MAX:
            self.links_cut += 1
            return
        rel = attributes.get("rel")
        words = node.text()
        if not words or words.isspace():
            words = _alt_words(node, attributes)
            in_text = False
        else:
            in_text = not self._is_concealed(node)
        if in_text:
            node.insert_before(OPEN)
            node.insert_after(CLOSE)
        self._links.append((href, words, bool(rel) and _is_nofollow(rel), in_text))

    def area(self, node: LexborNode) -> None:
        attributes = node.attributes
        self._textless(attributes.get("href"), attributes.get("alt") or attributes.get("title"), attributes.get("rel"))

    def frame(self, node: LexborNode) -> None:
        attributes = node.attributes
        self._textless(attributes.get("src"), attributes.get("title") or attributes.get("name"), None)

    def _textless(self, href: str | None, words: str | None, rel: str | None) -> None:
        """A link whose words stand nowhere in the text."""
        if not href or href[0] == "#":
            return
        if len(self._links) >= LINKS_MAX:
            self.links_cut += 1
        else:
            self._links.append((href, words or "", bool(rel) and _is_nofollow(rel), False))

    def medium(self, node: LexborNode) -> None:
        attributes = node.attributes
        tag = node.tag or ""
        src = attributes.get("data" if tag == "object" else "src") or attributes.get("data-src")
        if (not src or src.startswith("data:")) and (
            srcset := attributes.get("srcset") or attributes.get("data-srcset")
        ):
            src = first_of_srcset(srcset)
        if not src or src.startswith("data:") or len(self._media) >= MEDIA_MAX:
            return
        kind = MEDIA_TAGS[tag] or kind_by_type(attributes.get("type") or "") or _kind_of_source(node, tag)
        text = fold_words(attributes.get("alt") or attributes.get("title") or attributes.get("aria-label") or "")
        in_text = tag not in ("source", "object") and not self._is_concealed(node)
        if in_text:
            node.insert_before(POINT)
            self._points += 1
        self._media.append((src, kind, text[:WORDS_CHARACTERS_MAX], in_text))
        if tag in ("video", "audio"):
            self.block(node)

    def set_title(self, node: LexborNode) -> None:
        if not self.title:
            self.title = fold_words(node.text())[:TITLE_CHARACTERS_MAX]

    def set_base(self, node: LexborNode) -> None:
        href = node.attributes.get("href")
        if href and self.base == self.url:
            self.base = join(self.url, href) or self.url

    def set_language(self, node: LexborNode) -> None:
        attributes = node.attributes
        heed_language(self.marks, attributes.get("lang") or attributes.get("xml:lang"))

    def meta(self, node: LexborNode) -> None:
        attributes = node.attributes
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

    def link(self, node: LexborNode) -> None:
        attributes = node.attributes
        href, rel = attributes.get("href"), (attributes.get("rel") or "").lower().split()
        if not href or not rel:
            return
        if "canonical" in rel:
            self.marks.canonical = self.marks.canonical or join(self.base, href) or ""
        elif "next" in rel or "prev" in rel:
            self._textless(href, attributes.get("title"), None)
        elif "alternate" in rel and kind_by_type(attributes.get("type") or "") == "feed":
            url = join(self.base, href)
            if url and len(self._feeds) < MEDIA_MAX:
                self._feeds.append(
                    Medium(url, "feed", fold_words(attributes.get("title") or "")[:WORDS_CHARACTERS_MAX])
                )

    def _is_concealed(self, node: LexborNode) -> bool:
        return bool(self._concealed) and node.mem_id in self._concealed

    # -- what comes of them ----------------------------------------------------------------------------------------

    def _made_links(self, flowing: Flow) -> tuple[Link, ...]:
        joiner = Joiner(self.base)
        text, spans = flowing.text, iter(flowing.links)
        made = []
        for href, words, nofollow, in_text in self._links:
            start, end = next(spans) if in_text else (0, 0)
            url = joiner(href)
            if url is not None:
                if end:
                    words = text[start:end]
                    if "\n" in words:
                        words = words.replace("\n", " ")
                elif words:
                    words = fold_words(words)
                if end - start > WORDS_CHARACTERS_MAX or not end:
                    words = words[:WORDS_CHARACTERS_MAX]
                made.append(Link(url, words, start, end, nofollow))
        return tuple(made)

    def _made_media(self, flowing: Flow, links: tuple[Link, ...]) -> tuple[Medium, ...]:
        made = {(feed.url, feed.kind): feed for feed in self._feeds}
        joiner, points = Joiner(self.base), iter(flowing.points)
        for src, kind, text, in_text in self._media:
            at = next(points) if in_text else -1
            url = joiner(src)
            if url is not None:
                kind = kind or kind_by_ending(url) or "document"
                made.setdefault((url, kind), Medium(url, kind, text, _around(flowing.text, at, at)))
        kinds = kinds_by_ending(link.url for link in links)
        for link in links if kinds else ():
            found = kinds.get(link.url)
            if found and len(made) < MEDIA_MAX:
                context = _around(flowing.text, link.start, link.end) if link.end else ""
                made.setdefault((link.url, found), Medium(link.url, found, link.anchor, context))
        return tuple(made.values())


def _alt_words(node: LexborNode, attributes: dict[str, str | None]) -> str:
    """What stands for the words of a link that has none."""
    alts = [alt for picture in node.css("img[alt]") if (alt := picture.attributes.get("alt"))]
    return " ".join(alts) or attributes.get("title") or attributes.get("aria-label") or ""


def _kind_of_source(node: LexborNode, tag: str) -> str:
    """A source is of its parent's kind."""
    parent = node.parent.tag if tag == "source" and node.parent is not None else ""
    return {"video": "video", "audio": "audio", "picture": "image"}.get(parent or "", "")


def _is_nofollow(rel: str) -> bool:
    return not {"nofollow", "ugc", "sponsored"}.isdisjoint(rel.lower().split())


def _around(text: str, start: int, end: int) -> str:
    return text[max(0, start - CONTEXT_CHARACTERS) : end + CONTEXT_CHARACTERS] if start >= 0 else ""


def _reads() -> dict[int, Callable[[_Reader, LexborNode], Any]]:
    """What each element means, by lexbor's number of its name."""
    by_name: dict[str, Callable[[_Reader, LexborNode], Any]] = dict.fromkeys(BLOCKS.split(), _Reader.block)
    by_name |= dict.fromkeys(SERIAL_BLOCKS.split(), _Reader.serial_block)
    by_name |= dict.fromkeys(MEDIA_TAGS, _Reader.medium)
    by_name |= dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _Reader.heading)
    by_name |= {
        "a": _Reader.anchor, "area": _Reader.area, "frame": _Reader.frame, "iframe": _Reader.frame,
        "title": _Reader.set_title, "base": _Reader.set_base, "meta": _Reader.meta, "link": _Reader.link,
        "html": _Reader.set_language,
    }  # fmt: skip
    scratch = LexborHTMLParser("")
    return {scratch.create_node(name).tag_id: read for name, read in by_name.items()}


_READS = _reads()
