"""The text of a page as it flows, with marks in it that say where links and media stand.

Before the text of a tree is taken, `html.py` puts marks into it: OPEN and CLOSE around the words of a link, POINT where
something stands that is no text, BREAK where a block begins or ends. Taking the text of a whole tree is one call into
C; asking each node for its own would cost ten times as much. Here the marks are taken out again, white space is folded,
and what is left of the marks are places in the text.

The marks are control characters that no text has. A hostile page may have them all the same: then the numbers do not
come out even, and the text stands without places.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

OPEN, CLOSE, POINT, BREAK = "\x01", "\x02", "\x03", "\x04"
MARKS = OPEN + CLOSE + POINT + BREAK
UNMARKED = str.maketrans("", "", MARKS)
RAW_MARKS = bytes(map(ord, MARKS))
POINTS_AND_BLANK = re.compile(f"({POINT}+) ")

Span = tuple[int, int]


class Flow(NamedTuple):
    """Text, and where in it the links and points are, in order."""

    text: str
    links: Sequence[Span]
    points: Sequence[int]


def flow(marked: str, links: int, points: int) -> Flow:
    """Folded text of a marked one that should have so many links and points."""
    text = _folded(marked, points > 0)
    if text.count(OPEN) != links or text.count(CLOSE) != links or text.count(POINT) != points:
        return _placeless(text, links, points)
    places: list[int] = []
    if points:
        *before, last = text.replace(OPEN, "").replace(CLOSE, "").split(POINT)
        places = list(accumulate(map(len, before)))
        text = text.replace(POINT, "")
    if [piece.count(CLOSE) for piece in text.split(OPEN)] != [0, *[1] * links]:
        return _placeless(text, links, points)  # a link within another, or marks that are not ours
    pieces = text.replace(CLOSE, OPEN).split(OPEN)
    ends = list(accumulate(map(len, pieces)))
    return Flow("".join(pieces), list(zip(ends[0:-1:2], ends[1::2], strict=True)), places)


def fold_words(text: str) -> str:
    """Words on one line, a blank between them."""
    return " ".join(text.split())


def _placeless(text: str, links: int, points: int) -> Flow:
    return Flow(_folded(text.translate(UNMARKED), False), [(0, 0)] * links, [0] * points)


def _folded(marked: str, with_points: bool) -> str:
    """White space folded to one blank in a block, and one newline between blocks; none of it inside a link's ends."""
    lines = [line for block in marked.split(BREAK) if (line := " ".join(block.split()))]
    text = "\n".join(_carried(lines) if with_points else lines)
    if with_points:
        text = POINTS_AND_BLANK.sub(r" \1", text)
    # A blank at the edge of a link's words belongs outside of them.
    text = text.replace(f"{OPEN} ", f" {OPEN}").replace(f" {CLOSE}", f"{CLOSE} ")
    while "  " in text:
        text = text.replace("  ", " ")
    for blank, fold in ((" \n", "\n"), ("\n ", "\n")):
        if blank in text:
            text = text.replace(blank, fold)
    return text.strip(" ")


def _carried(lines: list[str]) -> list[str]:
    """Blocks that hold nothing but points leave no empty line: their points go to the next block."""
    kept: list[str] = []
    points = ""
    for line in lines:
        if not line.strip(f"{POINT} "):
            points += line.replace(" ", "")
        else:
            kept.append(points + line)
            points = ""
    if points:
        kept[-1:] = [(kept[-1] if kept else "") + points]
    return kept
