"""Feeds: the entries of RSS, Atom, RDF, JSON Feed and OPML, as one page.

A crawler wants of a feed what it wants of a page: titles, texts and where they lead. So the elements that hold these
are read by name and place, whatever the dialect calls itself: half of all feeds mix several. Dates, authors and
categories are passed over.

    links     the site's own, then those of the entries with their titles, then the feed's next page; not its own address
    text      titles of the entries, and of each the summary or the content, whichever says more
    media     enclosures, media:content and thumbnails, the feed's own picture
"""

from __future__ import annotations

from halflife.page.charset import in_utf8, is_utf8
from halflife.page.entries import Entries, Entry, enclose, folded, shown
from halflife.page.feedjson import read_json
from halflife.page.html import names_that_mean
from halflife.page.walk import AFTER, BEFORE, CONCEALING, GONE, fold_words
from halflife.page.xmlstream import XmlStream
from halflife.records import Page
from halflife.urls import Joiner, join

FIELD_CHARACTERS_MAX = 500_000  # of one title, summary or content: a book

ENTRIES = frozenset({"item", "entry"})
OWN_PREFIXES = frozenset({"", "atom", "atom10", "a10", "rss"})  # under which the elements of a feed itself go
ASIDE = frozenset({"source", "author", "contributor", "textinput", "image"})  # what is in there is not the entry's
FIELDS = {
    "title": "title",
    "dc:title": "title",
    "description": "summary",
    "dc:description": "summary",
    "summary": "summary",
    "itunes:summary": "summary",
    "media:description": "summary",
    "subtitle": "summary",
    "tagline": "summary",
    "content": "content",
    "content:encoded": "content",
    "language": "language",
    "dc:language": "language",
    "link": "link",
    "guid": "guid",
    "logo": "picture",
    "icon": "picture",
}
PLACES = frozenset({"link", "guid", "picture"})  # fields that are addresses: half of one leads elsewhere
ENCLOSED = {"enclosure": "", "media:content": "", "media:thumbnail": "image", "itunes:image": "image"}
FOLLOWED = frozenset({"alternate", "related", "via"})
FURTHER = frozenset({"next", "prev-archive"})
LITERAL_TYPES = frozenset({"", "text", "text/plain"})
MARKUP_TYPES = frozenset({"html", "xhtml", "text/html", "application/xhtml+xml", "escaped", "xml"})
CLOSING = "</"  # Atom's plain text has no tags; where one is closed in it, the type is wrong
# In content that is XHTML: elements that are a line of their own, and those that are not shown.
BLOCKS = names_that_mean(BEFORE | AFTER)
UNREAD = names_that_mean(GONE | CONCEALING) | {"template"}
BREAK = "\x0b"  # between blocks; no document has it when it comes here


def read_feed(url: str, body: bytes) -> Page:
    """A feed, whichever kind; of a broken one, what can be made out."""
    # What was decoded before it came here may still declare what it was in.
    content, charset = (body, "utf-8") if is_utf8(body) else in_utf8(body, "")
    text = content.decode("utf-8", "replace").lstrip(" \t\r\n\ufeff")
    if text.startswith("{"):
        return read_json(url, text, charset)
    reader = _Feed(url)
    reader.feed(text)
    reader.end()
    return reader.entries.page(url, reader.base, charset)


class _Feed(XmlStream):
    def __init__(self, url: str) -> None:
        super().__init__()
        self.entries = Entries()
        self.base = url  # of the root
        self._bases = [(0, url, Joiner(url))]  # with the depths of the elements that set them
        self._own_prefix = ""
        self._atom = False
        self._entry: Entry | None = None
        self._aside = 0  # the depth of an element whose parts are passed over
        self._field = ""  # what is being read, a value of FIELDS
        self._depth = 0  # of its element
        self._type = ""
        self._pieces: list[str] = []
        self._room = 0  # characters that may yet come
        self._marked = False  # whether it has elements in it
        self._unread = 0  # the depth of one whose text is not shown

    # -- elements ------------------------------------------------------------------------------------------------------

    def opened(self, name: str, attributes: dict[str, str]) -> None:
        if len(self.stack) == 1:
            self._own_prefix = name.rpartition(":")[0]
            self._atom = name.endswith("feed")
        name = self._bare(name)
        if self._field:
            if name not in ENTRIES:
                self._marked = True
                self._inner(name.rpartition(":")[2])
                return
            self._field = ""  # forgot to end; markup has no such elements
        if "xml:base" in attributes:
            self._rebase(attributes["xml:base"])
        if name in ENTRIES:
            self._flush()
            self._entry, self._aside = Entry(), 0
            self._entry.guid = self._address(attributes.get("rdf:about", ""))
        elif self._aside:
            if name == "url" and self._bare(self.stack[-2]) == "image":
                self._begin("picture", "")
        elif name in ASIDE:
            self._aside = len(self.stack)
        else:
            self._element(name, attributes)

    def _element(self, name: str, attributes: dict[str, str]) -> None:
        if self._entry is None and not self.entries.language:
            self.entries.language = attributes.get("xml:lang", "").strip()
        kind = attributes.get("type", "").strip().lower()
        if name == "link" and "href" in attributes:
            self._link(attributes["href"], attributes.get("rel", "").strip().lower() or "alternate", kind)
        elif name in ENCLOSED:
            place = attributes.get("url") or attributes.get("href") or ""
            self._enclose(place, kind, ENCLOSED[name] or attributes.get("medium", "").lower())
        elif name == "outline":
            title = fold_words(attributes.get("title") or attributes.get("text") or "")
            places = [attributes.get(key, "") for key in ("xmlurl", "htmlurl", "url")]
            self.entries.add(Entry(title, links=[url for place in places if (url := self._address(place))]))
        elif name == "content" and "src" in attributes:
            self._enclose(attributes["src"], kind, "")
        elif name == "guid" and attributes.get("ispermalink", "").strip().lower() == "false":
            pass
        elif name in FIELDS and not (name == "content" and kind not in LITERAL_TYPES | MARKUP_TYPES):
            self._begin(FIELDS[name], kind)

    def _link(self, place: str, rel: str, kind: str) -> None:
        url = self._address(place)
        if not url:
            return
        if rel == "enclosure":
            self._enclose(place, kind, "")
        elif self._entry is not None:
            if rel in FOLLOWED:
                self._entry.links.append(url)
        elif rel in FOLLOWED:
            self.entries.site.append(url)
        elif rel in FURTHER:
            self.entries.more.append(url)

    def _enclose(self, place: str, mime: str, medium: str) -> None:
        entry = self._entry or Entry()
        enclose(entry, self._bases[-1][2], place, mime, medium)
        if self._entry is None:
            for url, kind in entry.media:
                self.entries.add_medium(url, kind)

    def closed(self, name: str) -> None:
        depth = len(self.stack)
        if self._field:
            if depth > self._depth:
                self._inner_end(name.rpartition(":")[2])
                return
            self._store(self._field)
            self._field = ""
        if depth == self._aside:
            self._aside = 0
        if self._bare(name) in ENTRIES:
            self._flush()
        if depth == self._bases[-1][0]:
            self._bases.pop()

    def end(self) -> None:
        super().end()
        if self._field and self._field not in PLACES:
            self._store(self._field)
        self._flush()

    def _flush(self) -> None:
        """The entry is complete."""
        if self._entry is not None:
            self.entries.add(self._entry)
        self._entry = None

    def _bare(self, name: str) -> str:
        """The name without a prefix that stands for the feed itself."""
        prefix, _, local = name.rpartition(":")
        return local if prefix in OWN_PREFIXES or prefix == self._own_prefix else name

    # -- addresses -----------------------------------------------------------------------------------------------------

    def _rebase(self, place: str) -> None:
        base = self._bases[-1][1]
        url = join(base, place.strip()) or base
        if len(self.stack) == 1:
            self.base = url
        if url != base:
            self._bases.append((len(self.stack), url, Joiner(url)))

    def _address(self, place: str) -> str:
        place = place.strip()
        return (self._bases[-1][2](place) or "") if place else ""

    # -- texts ---------------------------------------------------------------------------------------------------------

    def _begin(self, field: str, kind: str) -> None:
        self._field, self._type, self._depth = field, kind, len(self.stack)
        self._pieces, self._room, self._marked, self._unread = [], FIELD_CHARACTERS_MAX, False, 0

    def said(self, text: str) -> None:
        if self._field and self._room > 0 and not self._unread:
            self._pieces.append(text[: self._room])
            self._room -= len(text)

    def _inner(self, name: str) -> None:
        """An element within a text begins."""
        if name in BLOCKS:
            self._pieces.append(BREAK)
        elif name in UNREAD and not self._unread:
            self._unread = len(self.stack)

    def _inner_end(self, name: str) -> None:
        if name in BLOCKS:
            self._pieces.append(BREAK)
        if len(self.stack) == self._unread:
            self._unread = 0

    def _store(self, field: str) -> None:
        text = "".join(self._pieces)
        if field == "picture":
            self._enclose(text, "", "image")
        elif field in PLACES:
            self._store_address(field, text)
        elif field == "language":
            self.entries.language = self.entries.language or fold_words(text)
        else:
            self._store_text(field, self._readable(text))

    def _store_address(self, field: str, text: str) -> None:
        url = self._address(text)
        if not url:
            return
        if self._entry is None:
            self.entries.site.append(url)
        elif field == "link":
            self._entry.links.append(url)
        elif text.strip().lower().startswith("http"):
            self._entry.guid = url

    def _store_text(self, field: str, text: str) -> None:
        """The first of each counts, but for the longest content."""
        if self._entry is None:
            if field == "title":
                self.entries.title = self.entries.title or fold_words(text)
            else:
                self.entries.description = self.entries.description or fold_words(text)
        elif field == "title":
            self._entry.title = self._entry.title or fold_words(text)
        elif field == "summary":
            self._entry.summary = self._entry.summary or text
        elif len(text) > len(self._entry.content):
            self._entry.content = text

    def _readable(self, text: str) -> str:
        if self._marked:
            return folded(" ".join(text.replace(BREAK, "\0").split()).replace("\0", "\n"))
        if self._atom and self._type in LITERAL_TYPES and CLOSING not in text:
            return fold_words(text)
        return shown(text)
