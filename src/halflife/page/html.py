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

from halflife.page.flow import CLOSE, OPEN, POINT, SPACED_BREAK, UNMARKED, Flow, flow, fold_words
from halflife.page.marks import ROBOTS, Marks, heed_language, heed_refresh, heed_robots
from halflife.page.media import first_of_srcset, kind_by_ending, kind_by_type, kinds_by_ending
from halflife.records import Link, Medium, Page
from halflife.urls import Joiner, join

HIDDEN = '[hidden]:not([hidden="until-found"]),[style*="display:none"],[style*="display: none"]'
HTML_BYTES_MAX = 16_000_000  # the largest indexes of documentation have three; what comes behind is not read
LINKS_MAX = 50_000  # as many as a sitemap may have; more are counted
MEDIA_MAX = 2_000
HEADINGS_MAX = 1_000
TITLE_CHARACTERS_MAX = 1_000
WORDS_CHARACTERS_MAX = 1_000  # of one anchor, heading or caption
CONTEXT_CHARACTERS = 80  # each side of a medium: as Page.around has it for links

# What is in these is not shown, whatever it is; `template` holds its content outside of the tree.
GONE = "script style noembed noframes"
GONE_TREES = "svg noscript datalist"  # these have elements in them: links in them count, and words do not
BLOCKS = (
    "address article aside blockquote caption center details dir div dl fieldset figcaption figure footer form h1 h2 h3"
    " h4 h5 h6 header hgroup legend main menu nav p pre search section summary frameset optgroup video audio"
)
# Nothing but another of its kind follows these within their parent, so a mark before each will do.
BEGINNINGS = "br hr dd dt li td th option"
ENDINGS = "table ol ul"  # these begin with one of those, so a mark behind each will do
BLOCK, BEGINNING, ENDING, ANCHOR = (
    -1,
    -2,
    -3,
    -4,
)  # what an element means; from 0 on, the place of its reader in _OTHERS
MEDIA_TAGS = {"img": "image", "video": "video", "audio": "audio", "embed": "", "object": "", "source": ""}


def read_html(url: str, body: bytes, charset: str, marks: Marks) -> Page:
    """The page in a body that is UTF-8 by now; `marks` are those of its headers."""
    return _Reader(url, body, charset, marks).page()


class _Reader:
    """One pass over one tree."""

    def __init__(self, url: str, body: bytes, charset: str, marks: Marks) -> None:
        self.url, self.charset, self.marks = url, charset, marks
        self.base = url
        self.title = ""
        self.description = ""
        self.headings: list[str] = []
        self.links_cut = 0
        # href, rel, the element when its words have marks in the text, and else its words
        self._links: list[tuple[str, str | None, LexborNode | None, str]] = []
        self._media: list[tuple[str, str, str, bool]] = []  # src, kind, text, whether it has a mark in the text
        self._feeds: list[Medium] = []
        self._points = 0
        self._tree = LexborHTMLParser(body[:HTML_BYTES_MAX])
        self._gone: list[LexborNode] = []  # taken out when the walk is over
        self._concealed: set[int] = set()  # what is in hidden parts, by its place in memory
        # Style sheets hide what they like; the two ways that a tag itself can are looked for only where they may be.
        if b" hidden" in body or b"display:" in body:
            for node in self._tree.css(HIDDEN):
                self._conceal(node)

    def page(self) -> Page:
        """Everything together."""
        self._walk()
        for node in self._gone:
            node.decompose()
        body = self._tree.body or self._tree.root
        marked = sum([node is not None for _, _, node, _ in self._links])
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

    def _conceal(self, node: LexborNode) -> None:
        """Nothing in an element is shown."""
        if node.mem_id not in self._concealed and node.tag not in ("html", "body"):
            self._gone.append(node)
            self._concealed.update([inner.mem_id for inner in node.traverse()])

    def _walk(self) -> None:
        """Once over all elements. Blocks and links are most of what there is, so they are met here, without a call each."""
        root, concealed, links = self._tree.root, self._concealed, self._links
        kind_of = _KINDS.get
        # Marks are put beside the element that was reached, so they do not disturb who walks on from there.
        for node in root.traverse() if root is not None else ():
            kind = kind_of(node.tag_id)
            if kind is None:
                continue
            if kind == BEGINNING:
                node.insert_before(SPACED_BREAK)
            elif kind == BLOCK:
                node.insert_before(SPACED_BREAK)
                node.insert_after(SPACED_BREAK)
            elif kind == ENDING:
                node.insert_after(SPACED_BREAK)
            elif kind != ANCHOR:
                _OTHERS[kind](self, node)
            elif (href := (attributes := node.attributes).get("href")) and href[0] != "#":
                if len(links) >= LINKS_MAX:
                    self.links_cut += 1
                elif concealed and node.mem_id in concealed:
                    links.append((href, attributes.get("rel"), None, _words_of(node)))
                else:
                    node.insert_before(OPEN)
                    node.insert_after(CLOSE)
                    links.append((href, attributes.get("rel"), node, ""))

    # -- what the rarer elements mean ------------------------------------------------------------------------------

    def block(self, node: LexborNode) -> None:
        node.insert_before(SPACED_BREAK)
        node.insert_after(SPACED_BREAK)

    def heading(self, node: LexborNode) -> None:
        if len(self.headings) < HEADINGS_MAX and not self._is_concealed(node):
            words = fold_words(node.text())
            if words:
                self.headings.append(words[:WORDS_CHARACTERS_MAX])
        self.block(node)

    def area(self, node: LexborNode) -> None:
        attributes = node.attributes
        self._textless(attributes.get("href"), attributes.get("alt") or attributes.get("title"), attributes.get("rel"))

    def frame(self, node: LexborNode) -> None:
        attributes = node.attributes
        self._textless(attributes.get("src"), attributes.get("title") or attributes.get("name"), None)
        if node.tag == "iframe":
            self.gone(node)

    def gone(self, node: LexborNode) -> None:
        """Nothing in it is shown, and nothing in it is an element."""
        if not self._is_concealed(node):
            self._gone.append(node)

    def gone_tree(self, node: LexborNode) -> None:
        """Nothing in it is shown."""
        self._conceal(node)

    def dialog(self, node: LexborNode) -> None:
        """Shown only when it is open."""
        if "open" in node.attributes:
            self.block(node)
        else:
            self._conceal(node)

    def _textless(self, href: str | None, words: str | None, rel: str | None) -> None:
        """A link whose words stand nowhere in the text."""
        if not href or href[0] == "#":
            return
        if len(self._links) >= LINKS_MAX:
            self.links_cut += 1
        else:
            self._links.append((href, rel, None, words or ""))

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
        if not self.title and not self._is_concealed(node):
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
        return node.mem_id in self._concealed

    # -- what comes of them ----------------------------------------------------------------------------------------

    def _made_links(self, flowing: Flow) -> tuple[Link, ...]:
        joiner = Joiner(self.base)
        text, spans = flowing.text, iter(flowing.links)
        made = []
        for href, rel, node, words in self._links:
            start, end = next(spans) if node is not None else (0, 0)
            url = joiner(href)
            if url is None:
                continue
            if end > start:
                words = text[start:end]
                if "\n" in words:
                    words = words.replace("\n", " ")
            else:
                words = fold_words(words) if node is None else _words_of(node)
                start = end = 0
            if len(words) > WORDS_CHARACTERS_MAX:
                words = words[:WORDS_CHARACTERS_MAX]
            made.append(Link(url, words, start, end, rel is not None and _is_nofollow(rel)))
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


def _words_of(node: LexborNode) -> str:
    """The words of a link, or what stands for them."""
    words = fold_words(node.text().translate(UNMARKED))
    if not words:
        alts = [alt for picture in node.css("img[alt]") if (alt := picture.attributes.get("alt"))]
        words = fold_words(" ".join(alts) or node.attributes.get("title") or node.attributes.get("aria-label") or "")
    return words


def _kind_of_source(node: LexborNode, tag: str) -> str:
    """A source is of its parent's kind."""
    parent = node.parent.tag if tag == "source" and node.parent is not None else ""
    return {"video": "video", "audio": "audio", "picture": "image"}.get(parent or "", "")


def _is_nofollow(rel: str) -> bool:
    return not {"nofollow", "ugc", "sponsored"}.isdisjoint(rel.lower().split())


def _around(text: str, start: int, end: int) -> str:
    return text[max(0, start - CONTEXT_CHARACTERS) : end + CONTEXT_CHARACTERS] if start >= 0 else ""


def _kinds() -> tuple[dict[int, int], tuple[Callable[[_Reader, LexborNode], Any], ...]]:
    """What each element means, by lexbor's number of its name; and who reads those that are no block and no anchor."""
    others: dict[str, Callable[[_Reader, LexborNode], Any]] = {
        **dict.fromkeys(MEDIA_TAGS, _Reader.medium),
        **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), _Reader.heading),
        **dict.fromkeys(GONE.split(), _Reader.gone),
        **dict.fromkeys(GONE_TREES.split(), _Reader.gone_tree),
        "area": _Reader.area, "frame": _Reader.frame, "iframe": _Reader.frame, "title": _Reader.set_title,
        "base": _Reader.set_base, "dialog": _Reader.dialog,
        "meta": _Reader.meta, "link": _Reader.link, "html": _Reader.set_language,
    }  # fmt: skip
    readers = tuple(dict.fromkeys(others.values()))
    kinds = {
        **dict.fromkeys(BLOCKS.split(), BLOCK),
        **dict.fromkeys(BEGINNINGS.split(), BEGINNING),
        **dict.fromkeys(ENDINGS.split(), ENDING),
        "a": ANCHOR,
        **{name: readers.index(read) for name, read in others.items()},
    }
    scratch = LexborHTMLParser("")
    return {scratch.create_node(name).tag_id: kind for name, kind in kinds.items()}, readers


_KINDS, _OTHERS = _kinds()
