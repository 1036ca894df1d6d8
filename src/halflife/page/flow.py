"""The text of a page as it flows, with marks in it that say where links and media stand.

Before the text of a tree is taken, `html.py` puts marks into it: OPEN and CLOSE around the words of a link, POINT where
something stands that is no text, BREAK where a block begins or ends. Taking the text of a whole tree is one call into
C; asking each node for its own would cost ten times as much. Here the marks are taken out again, white space is folded,
and what is left of the marks are places in the text. White space beside a mark stands before the beginning of a link,
and behind its end.

The marks are control characters that no text has. A hostile page may have them all the same: then the numbers do not
come out even, and the text stands without places.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, zip_longest
from typing import NamedTuple

OPEN, CLOSE, POINT, BREAK = "\x01", "\x02", "\x03", "\x04"
SPACED_BREAK = f" {BREAK} ".encode()  # as it is put in, so that it stays a word of its own when white space is folded
MARKS = OPEN + CLOSE + POINT + BREAK
UNMARKED = str.maketrans("", "", MARKS)
PLACELESS = str.maketrans("", "", OPEN + CLOSE + POINT)
PLACE = re.compile(f"([{OPEN}{CLOSE}{POINT}])")
EMPTY = ("", " ")
WHITE = (" ", "\n")

Span = tuple[int, int]
NOWHERE = (0, 0)
CLOSED, BEGINS = -2, -1  # in the place of where a link starts: none is open; its first word is still to come


class Flow(NamedTuple):
    """Text, and where in it the links and points are, in order. A link without words is nowhere."""

    text: str
    links: Sequence[Span]
    points: Sequence[int]


def flow(marked: str, links: int, points: int) -> Flow:
    """Folded text of a marked one that should have so many links and points."""
    flowing = _placed(_folded(marked))
    if flowing is None or len(flowing.links) != links or len(flowing.points) != points:
        text = _folded(marked.translate(PLACELESS)).strip(" \n")
        return Flow(text, [NOWHERE] * links, [0] * points)
    return flowing


def fold_words(text: str) -> str:
    """Words on one line, a blank between them."""
    return " ".join(text.split())


def _folded(marked: str) -> str:
    """White space folded to one blank in a block and one newline between blocks; places may have some on both sides."""
    text = " ".join(marked.split())
    if BREAK not in text:
        return text
    text = "\n".join([block for block in text.split(BREAK) if block not in EMPTY]).replace(" \n ", "\n")
    return text.replace(" \n", "\n").replace("\n ", "\n")  # breaks that we did not put in


def _placed(text: str) -> Flow | None:
    """The text without its places, and those; None where one link is within another."""
    return _piece_by_piece(text) if POINT in text else _link_by_link(text.strip(" \n"))


def _link_by_link(text: str) -> Flow | None:
    """For text with links only, as nearly all is: a third of the time."""
    before, *linked = text.split(OPEN)
    parts = [link.partition(CLOSE) for link in linked]
    if text.count(CLOSE) != len(parts) or not all(part[1] for part in parts):
        return None
    raw = [part[0] for part in parts]
    words = [link.strip(" \n") for link in raw]
    between = [before, *(part[2] for part in parts)]
    if "" in words:
        return _piece_by_piece(text)
    if words != raw:
        for place, (loose, tight) in enumerate(zip(raw, words, strict=True)):
            if loose != tight:
                begin, end = loose.split(tight, 1)
                between[place] = _joined(between[place], begin)
                between[place + 1] = _joined(end, between[place + 1])
        between[0], between[-1] = between[0].lstrip(" \n"), between[-1].rstrip(" \n")
    pieces = [""] * (2 * len(parts) + 1)
    pieces[::2], pieces[1::2] = between, words
    ends = list(accumulate(map(len, pieces)))
    return Flow("".join(pieces), list(zip(ends[:-1:2], ends[1::2], strict=True)), ())


def _joined(left: str, right: str) -> str:
    """Two texts, with one white space between them if both had one there; a newline if one of those was."""
    if left[-1:] in WHITE and right[:1] in WHITE:
        return left[:-1] + ("\n" if "\n" in (left[-1], right[0]) else " ") + right[1:]
    return left + right


def _piece_by_piece(text: str) -> Flow | None:
    """For any text."""
    pieces = PLACE.split(text)
    kept: list[str] = []
    links: list[Span] = []
    points: list[int] = []
    at, white = 0, ""  # the length of what is kept, and the white space that stands before what comes next
    start = CLOSED
    for piece, mark in zip_longest(pieces[::2], pieces[1::2], fillvalue=""):
        if piece:
            words = piece.strip(" \n")
            if piece[0] == "\n" or (piece[0] == " " and not white):
                white = piece[0]
            if words:
                if white and at:
                    kept.append(white)
                    at += 1
                if start == BEGINS:
                    start = at
                kept.append(words)
                at += len(words)
                white = piece[-1] if piece[-1] in " \n" else ""
        if mark == OPEN:
            if start != CLOSED:
                return None
            start = BEGINS
        elif mark == CLOSE:
            if start == CLOSED:
                return None
            links.append(NOWHERE if start == BEGINS else (start, at))
            start = CLOSED
        elif mark:
            points.append(at)
    return Flow("".join(kept), links, points)
