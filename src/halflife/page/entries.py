"""What a feed amounts to, whichever kind it was: its entries, put together as one page."""

from __future__ import annotations

import re
from html import unescape

from msgspec import Struct

from halflife.page.html import text_of
from halflife.page.marks import Marks, heed_language
from halflife.page.media import kind_by_ending, kind_by_type
from halflife.page.walk import fold_words
from halflife.records import Link, Links, Medium, Page
from halflife.urls import Joiner

FEED_LINKS_MAX = 50_000  # as many as a sitemap may have; more are counted
FEED_MEDIA_MAX = 10_000
FEED_TEXT_CHARACTERS_MAX = 8_000_000  # all entries together; whole books have one
TAGS_MAX = 4_000  # of a text that is parsed: tags in each other take quadratic time. Of more, tags are just taken out
TITLE_CHARACTERS_MAX = 1_000  # of a description as well

TAG = re.compile("<[^<>]*>")
MARKED = re.compile("<[A-Za-z/!?]|&[#A-Za-z]")


class Entry(Struct):
    """One entry while it is read."""

    title: str = ""
    summary: str = ""
    content: str = ""
    guid: str = ""  # an address that stands in for the missing link
    links: list[str] = []
    media: list[tuple[str, str]] = []  # addresses and kinds


class Entries:
    """All that was read of a feed. Addresses come here canonical."""

    def __init__(self) -> None:
        self.title = ""
        self.description = ""
        self.language = ""
        self.site: list[str] = []  # where the feed says that its site is
        self.more: list[str] = []  # further pages of the feed
        self._links: list[Link] = []
        self._media: list[Medium] = []
        self._cut = 0
        self._blocks: list[str] = []
        self._size = 0  # characters of the text so far, with a newline behind each block

    def add(self, entry: Entry) -> None:
        """An entry is complete."""
        title = entry.title[:TITLE_CHARACTERS_MAX].rstrip()
        start = self._say(title)
        end = start + len(title) if start >= 0 else 0
        for url in dict.fromkeys(entry.links or ([entry.guid] if entry.guid else [])):
            self._link(Link(url, title, max(0, start), end))
        for url, kind in entry.media:
            self.add_medium(url, kind, title)
        # Many feeds give the beginning and the whole: one of the two will do.
        for block in max(entry.summary, entry.content, key=len).split("\n"):
            self._say(block)

    def add_medium(self, url: str, kind: str, words: str = "") -> None:
        """Something that is no page."""
        if len(self._media) < FEED_MEDIA_MAX:
            self._media.append(Medium(url, kind, words))

    def page(self, url: str, base: str, charset: str) -> Page:
        """Everything together."""
        title, marks = self.title[:TITLE_CHARACTERS_MAX].rstrip(), Marks()
        heed_language(marks, self.language)
        own = [Link(place, title) for place in dict.fromkeys(self.site)]
        links = [*own, *self._links, *map(Link, dict.fromkeys(self.more))]
        return Page(
            url=url,
            base=base,
            kind="feed",
            charset=charset,
            title=title,
            description=self.description[:TITLE_CHARACTERS_MAX].rstrip(),
            language=marks.language,
            text="\n".join(self._blocks),
            links=Links.of(links[:FEED_LINKS_MAX]),
            media=tuple(self._media),
            links_cut=self._cut + len(links[FEED_LINKS_MAX:]),
        )

    def _link(self, link: Link) -> None:
        if len(self._links) < FEED_LINKS_MAX:
            self._links.append(link)
        else:
            self._cut += 1

    def _say(self, block: str) -> int:
        """Where in the text this block begins; -1 when it is not there."""
        if not block or self._size + len(block) > FEED_TEXT_CHARACTERS_MAX:
            return -1
        start = self._size
        self._blocks.append(block)
        self._size += len(block) + 1
        return start


def kind_of(url: str, mime: str, medium: str = "") -> str:
    """What is behind the address of an enclosure; '' for a page."""
    if medium in ("image", "video", "audio", "document"):
        return medium
    if mime.strip().lower().startswith(("text/html", "application/xhtml")):
        return ""
    return kind_by_type(mime) or kind_by_ending(url) or "document"


def enclose(entry: Entry, joined: Joiner, place: str, mime: str, medium: str = "") -> None:
    """Something that an entry says goes with it."""
    url = joined(place.strip()) if place.strip() else None
    if url is None:
        return
    if kind := kind_of(url, mime, medium):
        entry.media.append((url, kind))
    else:
        entry.links.append(url)


def shown(markup: str) -> str:
    """What a reader sees of a piece of HTML: white space folded, blocks separated by newlines."""
    if not MARKED.search(markup):
        return fold_words(markup)
    if markup.count("<") > TAGS_MAX:
        return fold_words(unescape(TAG.sub(" ", markup)))
    return text_of(markup.encode("utf-8", "replace"))


def folded(text: str) -> str:
    """White space folded, line by line, without empty lines."""
    return "\n".join([words for line in text.split("\n") if (words := fold_words(line))])
