"""What the user is looking for, and one form of text in which it can be found.

The idea. A topic is written as people write to a search engine:

    solar "wind power"^2 energy^0.5 -nuclear

Words and quoted phrases are terms; `^` gives a term a weight other than 1; `-` makes a term count against a page.
Unquoted words that stand side by side are looked for one by one and, besides, next to each other (`Topic.pairs`).

One form of text. `fold` brings topic and page to the same form: Unicode NFKC (full-width letters, ligatures, no-break
spaces), case folding (which also turns the German sharp s into ss), invisible characters dropped (soft hyphen, zero
width space and joiners, byte order mark), the curly apostrophe made straight, and white space folded to one blank.
`fold_text` is the same without the last step, for text whose white space the page reader has folded already: blocks
stay apart by their newline, so that a phrase does not match across two paragraphs. Casefold and NFKC disturb each
other, so they are applied until nothing changes; two rounds settle every character. Most pages are ASCII but for a few
dashes and quotation marks: then only those characters are folded, each kind once, which is four times as fast.

In paper mode (`Topic.strings`) the seed knows one search string, and it is what was typed: unquoted text is one string,
operators are plain characters. A topic with quotation marks has several strings: each quoted phrase and each stretch
of unquoted text between them.

What it gets wrong. NFKC also folds what some readers tell apart (superscripts, circled digits). A term with no letter
or digit in it ("&", "--") is dropped in default mode. There is no stemming: see `match.py` for the plurals.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

from msgspec import Struct

from halflife.errors import InputError

TERMS_MAX = 64  # each term costs about 10 us a page; nobody types more, and a pasted essay is a mistake
WEIGHT_MAX = 100.0  # of one term against the others; beyond it the others do not count at all

ASCII = bytes(range(128))
SPARSE = 4  # up to a quarter of a text's bytes may be foreign to ASCII for folding those by themselves to be faster
JAMO = ("\u1100", "\u11ff")  # the parts of Korean syllables, which join without being marks
INVISIBLE = ("\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff")
CURLY_QUOTES = str.maketrans("\u201c\u201d\u201e\u201f\u00ab\u00bb", '""""""')
PIECE = re.compile(
    r'(?P<minus>-?)(?:"(?P<quoted>[^"]*)"|(?P<word>[^\s"]+?))(?:\^(?P<weight>[^\s"]*))?(?(quoted)|(?=[\s"]|$))'
)
QUOTED = re.compile(r'"([^"]*)"')
LETTER_OR_DIGIT = re.compile(r"[^\W_]")


class Term(Struct, frozen=True):
    """One thing to look for."""

    words: str  # folded; several words for a phrase
    weight: float = 1.0  # below zero: counts against the page


class Topic(Struct, frozen=True, cache_hash=True):
    """What the user is looking for. Made by `parse_topic`."""

    text: str  # as it was given
    terms: tuple[Term, ...]  # wanted ones first
    pairs: tuple[tuple[str, str], ...] = ()  # unquoted words side by side: the implicit phrase
    strings: tuple[str, ...] = ()  # paper mode: the search strings

    @property
    def wanted(self) -> tuple[Term, ...]:
        """The terms that count for a page."""
        return tuple(term for term in self.terms if term.weight > 0)

    @property
    def unwanted(self) -> tuple[Term, ...]:
        """The terms that count against a page."""
        return tuple(term for term in self.terms if term.weight < 0)


def parse_topic(text: str) -> Topic:
    """Read a topic as a person writes it. Raises InputError with what is wrong and what to do."""
    plain = text.translate(CURLY_QUOTES)
    if plain.count('"') % 2:
        raise InputError(f"topic {text!r}: a quotation mark is not closed; add the missing one")
    weights, runs = _read(plain, text)
    wanted = [Term(words, weight) for words, weight in weights.items() if weight > 0]
    unwanted = [Term(words, weight) for words, weight in weights.items() if weight < 0]
    if not wanted:
        raise InputError(f"topic {text!r}: no word to look for; give at least one word that is not excluded with '-'")
    if len(weights) > TERMS_MAX:
        raise InputError(f"topic: {len(weights)} terms are too many; give at most {TERMS_MAX}")
    return Topic(text, (*wanted, *unwanted), _pairs(runs, weights), _strings(plain))


def fold(text: str) -> str:
    """One form for comparing: NFKC, casefold, invisible characters dropped, white space folded."""
    return " ".join(fold_text(text).split())


def fold_text(text: str) -> str:
    """`fold` for text whose white space is in order: newlines stay."""
    if text.isascii():
        return text.lower()
    try:
        data, codec = text.encode("latin-1"), "latin-1"  # three times as fast
    except UnicodeEncodeError:
        data, codec = text.encode("utf-8", "surrogatepass"), "utf-8"
    foreign = data.translate(None, ASCII)
    if len(foreign) * SPARSE > len(data):
        return _fold_string(text)
    lowered = data.lower().decode(codec, "surrogatepass")  # the letters of ASCII alone
    for character in set(foreign.decode(codec, "surrogatepass")):
        folded = _fold_character(character)
        if folded is None:
            return _fold_string(text)
        if folded != character:
            lowered = lowered.replace(character, folded)
    return lowered


def fold_body(text: str) -> str:
    """`fold_text`, remembered for the last text: a page is weighed, and then its links are looked at."""
    global _last_body
    given, folded = _last_body
    if given is not text:
        folded = fold_text(text)
        _last_body = text, folded
    return folded


_last_body = ("", "")


@lru_cache(maxsize=10_000)
def _fold_character(character: str) -> str | None:
    """What a character folds to by itself, or None when that hangs on its neighbours."""
    folded = _fold_string(character)
    for one in character + folded:
        if unicodedata.category(one).startswith("M") or JAMO[0] <= one <= JAMO[1]:
            return None
    return folded


def _fold_string(text: str) -> str:
    for character in INVISIBLE:
        text = text.replace(character, "")
    text = text.replace("\u2019", "'")
    while (folded := unicodedata.normalize("NFKC", text.casefold())) != text:
        text = folded
    return text


def _read(plain: str, given: str) -> tuple[dict[str, float], list[list[str]]]:
    """Terms with their weights, and the runs of unquoted words."""
    weights: dict[str, float] = {}
    runs: list[list[str]] = [[]]
    for piece in PIECE.finditer(plain):
        quoted = piece["quoted"]
        words = fold(piece["word"] if quoted is None else quoted)
        if not LETTER_OR_DIGIT.search(words):
            continue
        weight = _weight(piece["weight"], given)
        if piece["minus"]:
            weight = -weight
        weights[words] = weights.get(words, 0.0) + weight
        if quoted is None and weight > 0:
            runs[-1].append(words)
        else:
            runs.append([])
    return weights, runs


def _weight(text: str | None, given: str) -> float:
    if text is None:
        return 1.0
    try:
        weight = float(text)
    except ValueError:
        weight = 0.0
    if not 0.0 < weight <= WEIGHT_MAX:
        raise InputError(f"topic {given!r}: '^{text}' is no weight; give a number above 0, at most {WEIGHT_MAX:g}")
    return weight


def _pairs(runs: list[list[str]], weights: dict[str, float]) -> tuple[tuple[str, str], ...]:
    neighbours = [pair for run in runs for pair in pairwise(run)]
    return tuple({pair: None for pair in neighbours if all(weights[word] > 0 for word in pair)})


def _strings(plain: str) -> tuple[str, ...]:
    strings = {fold(part): None for part in QUOTED.split(plain)}
    return tuple(string for string in strings if string)
