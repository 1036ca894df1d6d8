"""Text for terminals: numbers in words, plain tables, and nothing that a hostile page could do with either."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

CELL_CHARACTERS_MAX = 200  # of one cell; longer ones end in an ellipsis
ELLIPSIS = "…"


def plain(text: str) -> str:
    """Text on one line without control, format or direction characters: a title cannot move the cursor."""
    if text.isascii() and text.isprintable():
        return text
    kept = [" " if character.isspace() else character for character in text if _shows(character) or character.isspace()]
    return " ".join("".join(kept).split())


def _shows(character: str) -> bool:
    return unicodedata.category(character)[0] != "C"


def counted(count: int, one: str, many: str = "") -> str:
    """So many of something: 1 page, 2 pages."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def size_words(count: float) -> str:
    """Bytes, as a person reads them."""
    for unit in ("B", "kB", "MB", "GB"):
        if abs(count) < 1000:
            return f"{count:.0f} B" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} TB"


def time_words(seconds: float) -> str:
    """A stretch of time, as a person reads it."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} min"


def cut(text: str, width: int) -> str:
    """At most so many columns of text; what is too long ends in an ellipsis."""
    if columns(text) <= width:
        return text
    kept, used = [], 1
    for character in text:
        used += columns(character)
        if used > width:
            break
        kept.append(character)
    return "".join(kept) + ELLIPSIS


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def table(
    heads: Sequence[str], rows: Iterable[Sequence[object]], width: int = 0, right: Sequence[int] = ()
) -> list[str]:
    """Rows in columns; the last column takes what is left of `width` (0: what it needs). `right`: columns of numbers."""
    cells = [[cut(plain(str(cell)), CELL_CHARACTERS_MAX) for cell in row] for row in rows]
    everything = [list(heads), *cells]
    widths = [max(columns(row[place]) for row in everything) for place in range(len(heads))]
    if width:
        widths[-1] = min(widths[-1], max(12, width - sum(widths[:-1]) - 2 * (len(heads) - 1)))
    rule = "  ".join("-" * wide for wide in widths)
    lines = [_line(row, widths, right) for row in everything]
    return [lines[0], rule, *lines[1:]]


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> str:
    parts = []
    for place, (cell, wide) in enumerate(zip(row, widths, strict=True)):
        shown = cut(cell, wide)
        space = " " * (wide - columns(shown))
        parts.append(space + shown if place in right else shown + space)
    return "  ".join(parts).rstrip()
