"""Sitemaps: the addresses and media that a site lists, read as they come.

Sitemaps, indexes of sitemaps and plain lists of addresses, packed or not. Memory is that of what is kept, and what is
kept has limits. Elements are told apart by their names and by what they stand in, with any namespace or none: a <loc>
in an <image> is a picture, any other leads to a page.
"""

from __future__ import annotations

from collections.abc import Iterable

from halflife.page.pieces import decoded, unpacked
from halflife.page.xmlstream import XmlStream
from halflife.records import Link, Links, Medium, Page
from halflife.urls import TEXT_CHARACTERS_MAX, Joiner

SITEMAP_LINKS_MAX = 50_000  # the protocol's own limit; what a file lists beyond it is counted
SITEMAP_MEDIA_MAX = 50_000  # the protocol allows a thousand a page, which nobody needs
UNPACKED_BYTES_MAX = 64 * 1024 * 1024  # the protocol's limit is 50 MB; what came before this one counts
WORDS_CHARACTERS_MAX = 500  # of a title or caption

# By what an element stands in and its own name: what it is.
FIELDS = {
    ("image", "loc"): "image",
    ("image", "title"): "words",
    ("image", "caption"): "words",
    ("video", "content_loc"): "video",
    ("video", "thumbnail_loc"): "thumbnail",
    ("video", "title"): "words",
    ("news", "title"): "title",
}
PLACES = frozenset({"loc", "image", "video", "thumbnail"})  # fields that are addresses
PARTS = frozenset({"image", "video"})  # elements that make one medium, or two
ENTRIES = frozenset({"url", "sitemap"})


def read_sitemap(url: str, chunks: Iterable[bytes]) -> Page:
    """A sitemap or an index of sitemaps, packed or not."""
    charset, texts = decoded(unpacked(chunks, UNPACKED_BYTES_MAX))
    sitemap = _Sitemap(url)
    for text in texts:
        sitemap.feed(text)
    sitemap.end()
    return sitemap.kept.page(url, charset)


def read_address_list(url: str, chunks: Iterable[bytes]) -> Page:
    """A sitemap in plain text: one address a line. Lines that are none are passed over."""
    charset, texts = decoded(unpacked(chunks, UNPACKED_BYTES_MAX))
    kept, joined, last = _Kept(), Joiner(url), ""
    for text in texts:
        # Of a line that is too long the beginning stays, by which it is too long at its end as well.
        *lines, last = (last[: TEXT_CHARACTERS_MAX + 1] + text).replace("\r", "\n").split("\n")
        for line in filter(None, lines):
            kept.add_line(line, joined)
    kept.add_line(last, joined)
    return kept.page(url, charset)


class _Kept:
    """What was found, up to the limits."""

    def __init__(self) -> None:
        self.links: list[Link] = []
        self.others: dict[str, None] = {}  # the same pages in other languages; they stand behind the pages themselves
        self.media: list[Medium] = []
        self.cut = 0

    def add(self, place: str, anchor: str, joined: Joiner) -> None:
        if len(self.links) >= SITEMAP_LINKS_MAX:
            self.cut += 1
        elif url := joined(place):
            self.links.append(Link(url, anchor))

    def add_other(self, place: str, joined: Joiner) -> None:
        """Every page names all its languages, itself included: each is kept once."""
        if len(self.others) < SITEMAP_LINKS_MAX:
            if url := joined(place):
                self.others[url] = None
        elif place not in self.others:
            self.cut += 1

    def add_medium(self, place: str, kind: str, words: str, joined: Joiner) -> None:
        if len(self.media) < SITEMAP_MEDIA_MAX and (url := joined(place)):
            self.media.append(Medium(url, kind, words))

    def add_line(self, line: str, joined: Joiner) -> None:
        line = line.strip(" \t\ufeff")
        if line[:8].lower().startswith(("http://", "https://")):
            self.add(line, "", joined)

    def page(self, url: str, charset: str) -> Page:
        known = {link.url for link in self.links}
        others = [Link(other) for other in self.others if other not in known]
        room = SITEMAP_LINKS_MAX - len(self.links)
        links, cut = (*self.links, *others[:room]), self.cut + len(others[room:])
        return Page(url, url, "sitemap", charset, links=Links.of(links), media=tuple(self.media), links_cut=cut)


class _Sitemap(XmlStream):
    def __init__(self, url: str) -> None:
        super().__init__()
        self.kept = _Kept()
        self._joined = Joiner(url)
        self._field = ""  # what is being read, one of FIELDS
        self._pieces: list[str] = []
        self._room = 0  # characters that may yet come
        self._place = ""  # the address of the entry
        self._title = ""
        self._found: list[tuple[str, str]] = []  # kinds and addresses of the image or video
        self._words = ""

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        bare = _bare(name)
        if bare == "link":
            if "href" in attributes and attributes.get("rel", "alternate").lower() == "alternate":
                self.kept.add_other(attributes["href"].strip(), self._joined)
            return
        parent = _bare(self.stack[-2]) if len(self.stack) > 1 else ""
        prefix = name.rpartition(":")[0]  # tells as much where the element around it was left out
        field = FIELDS.get((parent, bare)) or FIELDS.get((prefix, bare)) or ("loc" if bare == "loc" else "")
        if field:
            self._field, self._pieces = field, []
            self._room = TEXT_CHARACTERS_MAX if field in PLACES else WORDS_CHARACTERS_MAX
        elif bare in ENTRIES:
            self._flush()

    def said(self, text: str) -> None:
        if self._field and self._room > 0:
            self._pieces.append(text[: self._room])
            self._room -= len(text)

    def closed(self, name: str) -> None:
        bare = _bare(name)
        if self._field:
            self._keep(self._field, "".join(self._pieces))
            self._field = ""
        elif bare in ENTRIES:
            self._flush()
        elif bare in PARTS:
            self._flush_media()

    def end(self) -> None:
        super().end()
        self._flush()

    def _keep(self, field: str, text: str) -> None:
        if field == "loc":
            self._flush()  # of a document that forgets to end its entries
            self._place = text.strip() if self._room >= 0 else ""
        elif field == "title":
            self._title = " ".join(text.split())
        elif field == "words":
            self._words = self._words or " ".join(text.split())
        elif self._room >= 0 and text.strip():
            self._found.append(("image" if field == "thumbnail" else field, text.strip()))

    def _flush(self) -> None:
        """The entry is complete."""
        self._flush_media()
        if self._place:
            self.kept.add(self._place, self._title, self._joined)
        self._place = self._title = ""

    def _flush_media(self) -> None:
        for kind, place in self._found:
            self.kept.add_medium(place, kind, self._words, self._joined)
        self._found, self._words = [], ""


def _bare(name: str) -> str:
    """A name without its prefix."""
    return name.rpartition(":")[2]
