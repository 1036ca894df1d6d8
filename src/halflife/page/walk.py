"""One walk over the tree of a page: its text as it flows, and where in it the links and other elements stand.

    text      what is shown in the body, white space folded: one blank between words, one newline between blocks
    links     hrefs, rels, starts, ends and words of each `a` that leads away from the page, in order, as five columns; the
              href without its fragment and white space around it. Its words are text[start:end]; where nothing of it is
              shown, both are 0 and its words, or what stands for them, come along
    elements  (tag, tag of its parent or 0, links before it, start, end, words, attributes) of each element that was asked for;
              start is -1 outside of the body, -2 where it is concealed; words only where they were asked for

What an element means is said by a byte for each of lexbor's tag numbers, made of the bits below; the walk knows no names.
Besides, its own attributes can hide an element. White space stands before the beginning of a link, and behind its end.

There are two walkers that do the same. The one below says what is to be done, and is there where nothing could be
compiled. `_walk.c` takes a fifteenth of its time; it is used where it was built and finds the functions that it needs.
"""

from __future__ import annotations

import os
import re
from array import array
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import selectolax.lexbor
from selectolax.lexbor import LexborHTMLParser, LexborNode

BEFORE, AFTER = 1, 2  # text begins a new line there
ANCHOR = 4
ELEMENT = 8  # is asked for
GONE = 16  # nothing in it is shown, and nothing in it is an element
CONCEALING = 32  # nothing in it is shown; what is in it counts
WORDS = 64  # and its own words are asked for
SHUT = 128  # nothing in it is shown unless it is `open`

DISPLAY_NONE = re.compile(r"display[ \t-\r]*:[ \t-\r]*none", re.I | re.A)
# lexbor has room for a character reference as long as its name: of these two the characters are longer, by a byte, which it
# writes behind its buffer when that is just full. So they never reach it.
LONG_REFERENCE = re.compile(rb"&n([GL])t;")
LONG_CHARACTERS = {b"G": "\u226b\u20d2".encode(), b"L": "\u226a\u20d2".encode()}
LOOKED_INTO_MAX = 1000  # nodes, for the words of one link or title that are not in the text
WORDS_MAX = 4000  # characters of them, before white space is folded
_scratch = LexborHTMLParser("")

LinksFound = tuple[
    list[str], list[str | None], bytes, bytes, list[str]
]  # starts and ends as arrays of int are in memory
ElementFound = tuple[int, int, int, int, int, str, dict[str, str | None]]
Walker = Callable[[LexborNode, LexborNode, bytes, int, int], "Walked"]
Walked = tuple[str, LinksFound, list[ElementFound], int]  # text, links, elements, links beyond the limit


def tag_number(name: str) -> int:
    """Lexbor's number for elements of this name."""
    return int(_scratch.create_node(name).tag_id)


OUTSIDE, CONCEALED = -1, -2
BLANKS = "".join(map(chr, range(33)))
TEXT = 2  # the tag number of text
IMAGE, LINK = tag_number("img"), tag_number("a")


def parsed(body: bytes) -> LexborHTMLParser:
    """The tree of a page that is UTF-8."""
    if has_long_reference(body):
        body = LONG_REFERENCE.sub(lambda found: LONG_CHARACTERS[found[1]], body)
    return LexborHTMLParser(body)


def walk_plainly(root: LexborNode, body: LexborNode, kinds: bytes, links_max: int, elements_max: int) -> Walked:
    """Walk from `root`; what is shown is in `body`."""
    return _Walk(body, kinds, links_max, elements_max).walk(root)


class _Walk:
    """The state of one walk."""

    def __init__(self, body: LexborNode, kinds: bytes, links_max: int, elements_max: int) -> None:
        self.body, self.kinds, self.links_max, self.elements_max = body.mem_id, kinds, links_max, elements_max
        self.body_at = self.concealed_at = 0  # the depth of the body, and of the outermost that conceals
        self.pieces: list[str] = []  # of the text: words with at most one white character before them
        self.length = 0
        self.white = ""  # what stands before the next word
        self.links: list[tuple[str, str | None, int, int, str]] = []
        self.elements: list[ElementFound] = []
        self.cut = 0
        # Shown elements whose end is still to come: their depth, they themselves, the list that they are in and their place
        # there, how many pieces and characters there were before them.
        self.open: list[tuple[int, LexborNode, list[Any], int, int, int]] = []

    def walk(self, root: LexborNode) -> Walked:
        for node, depth in _steps(root, self.kinds):
            if depth < 0:
                self._leave(node, -depth)
            elif node.tag_id != TEXT:
                self._enter(node, depth)
            elif self.body_at and not self.concealed_at:
                self._flow(node.text_content or "")
        columns: list[list[Any]] = [list(column) for column in zip(*self.links, strict=True)] or [[] for _ in range(5)]
        hrefs, rels, starts, ends, words = columns
        links = (hrefs, rels, array("i", starts).tobytes(), array("i", ends).tobytes(), words)
        return "".join(self.pieces), links, self.elements, self.cut

    def _enter(self, node: LexborNode, depth: int) -> None:
        kind = _kind(node, self.kinds)
        if not self.body_at and node.mem_id == self.body:
            self.body_at = depth
        if kind & BEFORE and self.body_at and not self.concealed_at:
            self.white = "\n"
        conceals = kind & CONCEALING or (kind & SHUT and "open" not in node.attributes)
        if not conceals and depth not in (1, self.body_at):
            conceals = _hides_itself(node.attributes)
        if conceals and not self.concealed_at:
            self.concealed_at = depth
        if kind & (ANCHOR | ELEMENT):
            self._note(node, kind, CONCEALED if self.concealed_at else 0 if self.body_at else OUTSIDE, depth)

    def _leave(self, node: LexborNode, depth: int) -> None:
        if self.open and self.open[-1][0] == depth:
            self._settle(*self.open.pop()[1:])
        if self.concealed_at == depth:
            self.concealed_at = 0
        if self.body_at and not self.concealed_at and _kind(node, self.kinds) & AFTER:
            self.white = "\n"
        if self.body_at == depth:
            self.body_at = 0

    def _flow(self, text: str) -> None:
        words = text.split()
        if not words:
            self.white = self.white or (" " if text else "")
            return
        if text[0].isspace():
            self.white = self.white or " "
        piece = " ".join(words)
        if self.white and self.pieces:
            piece = self.white + piece
        self.pieces.append(piece)
        self.length += len(piece)
        self.white = " " if text[-1].isspace() else ""

    def _note(self, node: LexborNode, kind: int, hidden: int, depth: int) -> None:
        """Take down an element that means something; where it is shown it stays open until its end is reached."""
        attributes = node.attributes
        into: list[Any]
        if kind & ANCHOR:
            into, href = self.links, (attributes.get("href") or "").partition("#")[0].strip(BLANKS)
            if not href:
                return
            if len(into) >= self.links_max:
                self.cut += 1
                return
            words = _link_words(node, self.kinds, shown=False) if hidden else ""
            into.append((href, attributes.get("rel"), 0, 0, words))
        else:
            into = self.elements
            if len(into) >= self.elements_max:
                return
            parent = node.parent
            parent_tag = parent.tag_id if parent is not None and parent.tag_id < len(self.kinds) else 0
            at = hidden or self.length
            words = _gathered("", _texts(node, self.kinds)) if kind & WORDS else ""
            into.append((node.tag_id, parent_tag, len(self.links), at, at, words, attributes))
        if not hidden:
            self.open.append((depth, node, into, len(into) - 1, len(self.pieces), self.length))

    def _settle(self, node: LexborNode, into: list[Any], place: int, pieces: int, length: int) -> None:
        """The end of an element is reached: where its words are in the text is known."""
        start = end = 0
        if self.length > length:
            start, end = length + (self.pieces[pieces][0] in " \n"), self.length
        if into is self.links:
            href, rel, *_ = into[place]
            into[place] = (href, rel, start, end, "" if end else _link_words(node, self.kinds, shown=True))
        elif end:
            tag, parent, links, _, _, words, attributes = into[place]
            into[place] = (tag, parent, links, start, end, words, attributes)


def _steps(root: LexborNode, kinds: bytes) -> Iterator[tuple[LexborNode, int]]:
    """Every node with its depth when it is reached, and with its depth below zero when its end is."""
    node, depth = root, 1
    while True:
        yield node, depth
        below = None if depth > 1 and _kind(node, kinds) & GONE else node.child
        while below is None:
            yield node, -depth
            depth -= 1
            if not depth:
                return
            below = node.next
            if below is None:
                node = node.parent  # type: ignore[assignment]  # the root is not left
        node, depth = below, depth + 1


def _kind(node: LexborNode, kinds: bytes) -> int:
    tag = node.tag_id
    return kinds[tag] if tag < len(kinds) else 0


def _hides_itself(attributes: dict[str, str | None]) -> bool:
    """Whether an element's own attributes say that it is not shown."""
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return True
    return DISPLAY_NONE.search(attributes.get("style") or "") is not None


def _link_words(node: LexborNode, kinds: bytes, shown: bool) -> str:
    """The words of a link that has none in the text: its own, what its pictures are called, or what it is called."""
    words = "" if shown else _gathered("", _texts(node, kinds))
    if not words.strip():
        words = _gathered(" ", (alt for alt in _alts(node, kinds) if alt.strip()))
    attributes = node.attributes
    for name in ("title", "aria-label"):
        if not words.strip():
            words = (attributes.get(name) or "")[:WORDS_MAX]
    return words


def _gathered(between: str, pieces: Iterator[str]) -> str:
    """The pieces together, as far as they are wanted."""
    gathered = ""
    for piece in pieces:
        gathered = f"{gathered}{between if gathered else ''}{piece[:WORDS_MAX]}"
        if len(gathered) >= WORDS_MAX:
            break
    return gathered[:WORDS_MAX]


def _texts(root: LexborNode, kinds: bytes) -> Iterator[str]:
    """The text in an element."""
    return (node.text_content or "" for node in _nodes(root, kinds) if node.tag_id == TEXT)


def _alts(root: LexborNode, kinds: bytes) -> Iterator[str]:
    """What the pictures in an element are called."""
    return (node.attributes.get("alt") or "" for node in _nodes(root, kinds) if node.tag_id == IMAGE)


def _nodes(root: LexborNode, kinds: bytes) -> Iterator[LexborNode]:
    return islice((node for node, depth in _steps(root, kinds) if depth > 0), LOOKED_INTO_MAX)


def fold_words(text: str) -> str:
    """Words on one line, a blank between them."""
    return " ".join(text.split())


# -- the compiled one ------------------------------------------------------------------------------------------------


def _compiled() -> tuple[Walker, Callable[[bytes], bool]] | None:
    """The same in C; None where it was not built, or this selectolax does not have what it needs."""
    place = os.fsencode(selectolax.lexbor.__file__)
    try:
        from halflife.page import _walk

        _walk.bind(place, IMAGE)  # pragma: no cover  # where nothing could be compiled
    except ImportError:
        return None
    return (_walk.walk, _walk.has_long_reference) if _is_same(_walk.walk) else None  # pragma: no cover


def _is_same(walker: Walker) -> bool:
    """Whether it walks over a small page as it should: a lexbor whose functions mean something else would show here."""
    root = LexborHTMLParser("<p lang=de>a <a href=b rel=c> d</a><b hidden>e</b><img alt=f>").root
    kinds = bytes([ANCHOR if tag == LINK else ELEMENT | BEFORE for tag in range(256)])
    return root is not None and walker(root, root, kinds, 9, 9) == walk_plainly(root, root, kinds, 9, 9)


def _has_long_reference(body: bytes) -> bool:
    return LONG_REFERENCE.search(body) is not None


walk, has_long_reference = _compiled() or (walk_plainly, _has_long_reference)
IS_COMPILED = walk is not walk_plainly
