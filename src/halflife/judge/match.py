"""Finding the terms of a topic in text.

Word borders. A term matches where it is not part of a longer word: "solar" is in "solar_cell" and in "solar-powered",
not in "parasolar". A border is asked for only where the term ends in a letter or digit ("c++" is found in "c++11"). In
scripts that write no spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan) there is no border to see: a
term matches as a substring, and a term of letters is found between their characters.

Plurals. The last word of a term may carry the commonest plural of the languages of Western Europe, and only that:
"cell" and "cells" find each other, "process" finds "processes", "energy" finds "energies". Words under three letters
are left alone, and so is a term whose plural another term tells from it: in "apple -apples" each finds itself alone.
There is no stemming: it would need the language, and a table to recompute a weight with.

Phrases. Between the words of a phrase stands a blank, a hyphen or an underscore. Two unquoted words side by side may
also be run together ("file system" finds "filesystem"): that is how identifiers, addresses and German are written.

No match counts twice: of terms that overlap in the text the leftmost counts, and of those the longest. Only terms that
are the same to the letter, such as "cell" and "cells", share their matches, if they are both wanted or both unwanted. A
pair is counted besides its words, but not in what an unwanted term takes ("solar energy" in -"solar energy drink").

Speed. One alternation over all terms looks obvious, but Python's `re` then tests every position: 150 to 330 us on
20,000 characters. A pattern that *begins* with literal letters is searched by them alone, at 10 us where they do not
occur and 30 us where they occur 160 times. So each term has its own pattern, with its left border looked up after the
literal: `solar(?<![^\\W_]solar)...`. Only where terms of a topic share a word are the positions merged in one sweep.

CamelCase. `humps` gives the words inside "ThreadLocalRandom", for addresses, titles and anchors, where names of things
stand; in body text it would cost more than it finds.

What it gets wrong. Vowel signs of Indic scripts are not word characters for `re`, so a Hindi term also matches as the
beginning of a longer word. "new" and "news" are taken for one word. Names with no small letter before a capital
("XMLParser") are not taken apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from heapq import heapify, heappop, heapreplace
from itertools import combinations

from halflife.judge.topic import Topic, fold_text

UNSPACED_RANGES = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
UNSPACED = re.compile(f"[{UNSPACED_RANGES}]")
WORD_CHARACTER = rf"[^\W_{UNSPACED_RANGES}]"
WORD = re.compile(r"[^\W_]+")
JOINERS = re.compile(r"[\s_-]+")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
HUMPED = re.compile(r"(?<![A-Za-z])[A-Za-z]*[a-z][A-Z][A-Za-z]*")  # tried once a word: linear on "aaaa..." too
PLURAL_LETTERS_MIN = 3  # "as", "us", "is" are no plurals
ENDING_CHARACTERS = 3  # "-ies" for "-y", and a blank: what a match may take up beyond its term

Spans = list[tuple[int, int]]


class Finder:
    """One term, ready to be found."""

    __slots__ = ("_regex", "plural", "stem", "stems")

    def __init__(self, words: str, run_together: bool = False, plural: bool = True) -> None:
        parts = [part for part in JOINERS.split(words) if part]
        head, ending = _plural(parts[-1]) if plural else (parts[-1], "")
        parts[-1] = head
        self.plural = plural
        self.stem = parts[0]  # where a match begins
        self.stems = frozenset(parts)  # where the term occurs, all of these occur
        self._regex = re.compile(_pattern(parts, ending, run_together))

    def next(self, folded: str, at: int) -> tuple[int, int] | None:
        """Where the first match is that begins there or later."""
        match = self._regex.search(folded, at)
        return match.span() if match else None

    def spans(self, folded: str) -> Spans:
        """Where the matches are; none of them overlap."""
        return [match.span() for match in self._regex.finditer(folded)]

    def occurs(self, folded: str) -> bool:
        """Whether there is any match."""
        return self.stem in folded and self._regex.search(folded) is not None

    def spells(self, words: str) -> bool:
        """Whether the words are the term, or its plural, and nothing else."""
        return self._regex.fullmatch(words) is not None


class Matcher:
    """All terms of a topic, in the order of `Topic.terms`, and its pairs."""

    __slots__ = (
        "_last", "each", "finders", "names", "overlapping", "pair_sides", "pairs", "parts", "positive", "stems", "stems_all",
        "wanted", "weights",
    )  # fmt: skip

    def __init__(self, topic: Topic) -> None:
        self.finders = _finders(topic)
        self.names = [term.words for term in topic.terms] + [" ".join(pair) for pair in topic.pairs]
        self.weights = [term.weight for term in topic.terms]
        self.wanted = len(topic.wanted)
        self.positive = sum(term.weight for term in topic.wanted)
        self.stems = _shortest(finder.stem for finder in self.finders[: self.wanted])
        self.stems_all = _shortest(finder.stem for finder in self.finders)
        self.overlapping = _overlapping(self.finders)
        place = {term.words: index for index, term in enumerate(topic.wanted)}
        self.pair_sides = [(place[first], place[second]) for first, second in topic.pairs]
        self.pairs = [
            Finder(" ".join(pair), run_together=True, plural=self.finders[second].plural)
            for pair, (_, second) in zip(topic.pairs, self.pair_sides, strict=True)
        ]
        self.each = (*self.finders, *self.pairs)
        self.parts = frozenset[str]().union(*(finder.stems for finder in self.each))  # all that is searched for
        self._last: tuple[str, list[Spans]] = ("", [[] for _ in self.each])

    def hinted(self, folded: str) -> bool:
        """Whether all words of one of the terms are there, in whatever order: else no term and no pair is."""
        there = folded.__contains__
        return any(map(there, self.stems_all)) and any(all(map(there, finder.stems)) for finder in self.finders)

    def spans(self, folded: str) -> list[Spans]:
        """Where each term and each pair is, overlapping ones too, in the order of `names`.

        Remembered for the last text: the text of a page is weighed, and then its links are looked at.
        """
        given, found = self._last
        if given is not folded:
            absent = [stem for stem in self.parts if stem not in folded]
            found = [finder.spans(folded) if finder.stems.isdisjoint(absent) else [] for finder in self.each]
            self._last = folded, found
        return found

    def counts(self, folded: str) -> Sequence[int]:
        """Matches of each term; none of them counted twice."""
        if not self.overlapping:
            return [len(spans) for spans in self.spans(folded)[: len(self.finders)]]
        return _swept(self.finders, self.wanted, folded)

    def pair_counts(self, folded: str) -> list[int]:
        """Matches of each pair, without those that an unwanted term takes for itself."""
        unwanted = self.finders[self.wanted :]
        if not any(finder.stem in folded for finder in unwanted):
            return [len(spans) for spans in self.spans(folded)[len(self.finders) :]]
        return [_swept([*unwanted, pair], len(unwanted), folded)[-1] for pair in self.pairs]

    def share(self, told: Sequence[bool | int]) -> float:
        """How much of the topic is named, when these of its terms and pairs (in the order of `names`) occur."""
        terms = len(self.finders)
        if any(told[self.wanted : terms]):
            return 0.0
        present = {index for index in range(self.wanted) if told[index]}
        for both, sides in zip(told[terms:], self.pair_sides, strict=True):
            if both:
                present.update(sides)  # also when they are run together
        return min(1.0, sum(self.weights[index] for index in present) / self.positive)

    def taken_up(self, counts: Sequence[int]) -> tuple[int, int]:
        """How much of a text its matches of wanted, and of unwanted, terms take up, endings and blanks included."""
        each = [
            count * (len(name) + ENDING_CHARACTERS) if count else 0
            for count, name in zip(counts, self.names, strict=False)
        ]
        return sum(each[: self.wanted]), sum(each[self.wanted :])


@lru_cache(maxsize=64)
def matcher(topic: Topic) -> Matcher:
    """The compiled form of a topic, kept outside it so that a topic stays plain data."""
    return Matcher(topic)


def topic_share(text: str, topic: Topic) -> float:
    """How much of the topic a short text names: weight of the wanted terms that occur, over all of it; in [0, 1]."""
    folded = fold_text(text)
    ready = matcher(topic)
    if not ready.hinted(folded):
        return 0.0
    named = humps(text)
    return ready.share([finder.occurs(named) for finder in ready.each])


def humps(text: str) -> str:
    """Folded text, with the words inside its CamelCase names added at the end."""
    names = [] if text.islower() else HUMPED.findall(text)
    if not names:
        return fold_text(text)
    return fold_text(f"{text}\n{HUMP.sub(' ', ' '.join(names))}")


def _shortest(stems: Iterable[str]) -> tuple[str, ...]:
    """The stems without those in which another one occurs: where none of these is, none of all is."""
    once = sorted(dict.fromkeys(stems), key=len)
    return tuple(stem for place, stem in enumerate(once) if not any(other in stem for other in once[:place]))


def _plural(word: str) -> tuple[str, str]:
    """The part of a word that stays, and a pattern for its endings."""
    if UNSPACED.match(word[-1]) or len(word) < PLURAL_LETTERS_MIN or not word[-1].isalpha():
        return word, ""
    if word.endswith("y"):
        return word[:-1], "(?:y|ies|ys)"
    if word.endswith("s") and not word.endswith("ss") and len(word) > PLURAL_LETTERS_MIN:
        return word[:-1], "(?:s|es)?"
    return word, "(?:s|es)?"


def _pattern(parts: list[str], ending: str, run_together: bool) -> str:
    joiner = "[ _-]?" if run_together else "[ _-]"
    first, *rest = (re.escape(part) for part in parts)
    left = ""
    if _bordered(parts[0][0]):
        left = f"(?<!{WORD_CHARACTER}{first})"
    right = f"(?!{WORD_CHARACTER})" if ending or _bordered(parts[-1][-1]) else ""
    tail = "".join(joiner + part for part in rest)
    return f"{first}{left}{tail}{ending}{right}"


def _bordered(character: str) -> bool:
    return character.isalnum() and not UNSPACED.match(character)


def _finders(topic: Topic) -> list[Finder]:
    """Its terms ready to be counted; without plural where a term that counts the other way is just that."""
    made = [Finder(term.words) for term in topic.terms]
    others = {True: topic.unwanted, False: topic.wanted}
    return [
        Finder(term.words, plural=not any(finder.spells(other.words) for other in others[term.weight > 0]))
        for finder, term in zip(made, topic.terms, strict=True)
    ]


def _swept(finders: Sequence[Finder], first: int, folded: str) -> list[int]:
    """Matches of each, none counted twice; between the `first` and the others, the first take what is the same."""
    counts = [0] * len(finders)
    ahead = []  # the next match of each term
    for index, finder in enumerate(finders):
        if finder.stem in folded and (found := finder.next(folded, 0)):
            ahead.append((found[0], -found[1], index))
    heapify(ahead)
    free = 0
    last: tuple[int, int, bool] | None = None
    while ahead:
        start, minus_end, index = ahead[0]
        this = (start, minus_end, index < first)
        if start >= free or this == last:
            counts[index] += 1
            free, last = -minus_end, this
        if found := finders[index].next(folded, free):
            heapreplace(ahead, (found[0], -found[1], index))
        else:
            heappop(ahead)
    return counts


def _overlapping(finders: list[Finder]) -> bool:
    """Whether matches of two terms can share text: they have a word in common, or one that is seen inside another."""
    if len(finders) > 1 and any(_loose(finder) for finder in finders):
        return True
    words = [{word for stem in finder.stems for word in WORD.findall(stem)} for finder in finders]
    return any(a in b or b in a for ones, others in combinations(words, 2) for a in ones for b in others)


def _loose(finder: Finder) -> bool:
    """Whether the term matches inside words, so that any other may overlap it."""
    return any(not _bordered(character) for stem in finder.stems for character in (stem[0], stem[-1]))
