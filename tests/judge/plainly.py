"""The judgements once more, as the essays say them: letter by letter, without patterns or shortcuts, and slow.

What is fast and what is plain have to agree on everything that hypothesis thinks of.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise
from math import prod

from halflife.judge import Term, Topic, WeightSettings
from halflife.judge.topic import fold_text
from halflife.records import Link, Page
from halflife.urls import text_of

UNSPACED_SCRIPTS = {"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "TIBETAN", "MYANMAR", "KHMER"}
JOINERS = " -_"
ENDINGS = 3
AROUND = 80

Spans = list[tuple[int, int]]
Match = Callable[[str, int], int | None]  # from a text and a place in it to where the match that begins there ends


# -- one term ----------------------------------------------------------------------------------------------------------


def bordered(character: str) -> bool:
    """Whether the character is of a script in which one sees where a word ends."""
    return character.isalnum() and unicodedata.name(character, "?").split()[0] not in UNSPACED_SCRIPTS


def spellings(word: str) -> set[str]:
    """A word and its other number."""
    if len(word) < 3 or not word[-1].isalpha() or not bordered(word[-1]):
        return {word}
    if word[-1] == "y":
        return {word, word[:-1] + "ies", word[:-1] + "ys"}
    base = word[:-1] if word[-1] == "s" and word[-2] != "s" and len(word) > 3 else word
    return {base, base + "s", base + "es"}


def words_of(term: str) -> list[str]:
    for joiner in JOINERS:
        term = term.replace(joiner, " ")
    return term.split()


def match(term: str, together: bool = False, plural: bool = True) -> Match:
    *before, last = words_of(term)
    lasts = spellings(last) if plural else {last}
    joiners = [*JOINERS, *([""] if together else [])]

    def ends(text: str, start: int) -> int | None:
        if start and bordered(text[start]) and bordered(text[start - 1]):
            return None
        places = {start}
        for word in before:
            places = {at + len(word) for at in places if text.startswith(word, at)}
            places = {at + len(joiner) for at in places for joiner in joiners if text.startswith(joiner, at)}
        found = {at + len(word) for at in places for word in lasts if text.startswith(word, at)}
        if bordered(last[-1]):
            found = {at for at in found if at == len(text) or not bordered(text[at])}
        return max(found, default=None)

    return ends


def spans(one: Match, text: str) -> Spans:
    """Where one term is found, from left to right."""
    found, at = [], 0
    while at < len(text):
        end = one(text, at)
        if end is not None:
            found.append((at, end))
        at = end or at + 1
    return found


# -- all terms of a topic ----------------------------------------------------------------------------------------------


def matches(topic: Topic) -> tuple[list[Match], list[Match]]:
    """Of the terms, and of the pairs."""
    plurals = {term.words: not _told_apart(term, topic) for term in topic.terms}
    return (
        [match(term.words, plural=plurals[term.words]) for term in topic.terms],
        [match(" ".join(pair), together=True, plural=plurals[pair[1]]) for pair in topic.pairs],
    )


def _told_apart(term: Term, topic: Topic) -> bool:
    others = topic.unwanted if term.weight > 0 else topic.wanted
    return any(match(term.words)(other.words, 0) == len(other.words) for other in others)


def swept(each: Sequence[Match], first: int, text: str) -> list[int]:
    """The leftmost counts, of those the longest; the same words count for all of the first, or else for all others."""
    counts, at = [0] * len(each), 0
    while at < len(text):
        ends = [one(text, at) or 0 for one in each]
        longest = max(ends, default=0)
        if not longest:
            at += 1
            continue
        winners = [index for index, end in enumerate(ends) if end == longest]
        for index in winners:
            counts[index] += (index < first) == (winners[0] < first)
        at = longest
    return counts


def counts(text: str, topic: Topic) -> tuple[list[int], list[int]]:
    """Of the terms, and of the pairs, in folded text."""
    terms, pairs = matches(topic)
    unwanted = terms[len(topic.wanted) :]
    return swept(terms, len(topic.wanted), text), [swept([*unwanted, pair], len(unwanted), text)[-1] for pair in pairs]


def named(text: str) -> str:
    """Folded text, with the words of CamelCase names behind it."""
    names = [run for run in _letter_runs(text) if any(a.islower() and b.isupper() for a, b in pairwise(run))]
    return fold_text(text + "\n" + " ".join(_humps(name) for name in names)) if names else fold_text(text)


def _letter_runs(text: str) -> list[str]:
    return "".join(one if one.isascii() and one.isalpha() else " " for one in text).split()


def _humps(name: str) -> str:
    told = name[0]
    for before, this, after in zip(name, name[1:], name[2:] + " ", strict=False):
        begins = this.isupper() and (before.islower() or after.islower())
        told += " " + this if begins else this
    return told


def share_of(told: Sequence[bool], topic: Topic) -> float:
    terms = len(topic.terms)
    if any(told[len(topic.wanted) : terms]):
        return 0.0
    words = {term.words for term, occurs in zip(topic.wanted, told, strict=False) if occurs}
    words |= {word for pair, occurs in zip(topic.pairs, told[terms:], strict=True) if occurs for word in pair}
    whole = sum(term.weight for term in topic.wanted)
    return sum(term.weight for term in topic.wanted if term.words in words) / whole


def share(text: str, topic: Topic) -> float:
    terms, pairs = matches(topic)
    return share_of([bool(spans(one, named(text))) for one in (*terms, *pairs)], topic)


# -- links -------------------------------------------------------------------------------------------------------------


def link_shares(page: Page, topic: Topic) -> dict[int, tuple[float, float]]:
    found = [_as_it_was(page.text, spans(one, fold_text(page.text))) for part in matches(topic) for one in part]
    told = {
        place: (share(f"{link.anchor}\n{text_of(link.url)}", topic), _near(link, found, topic))
        for place, link in enumerate(page.links)
    }
    return {place: shares for place, shares in told.items() if any(shares)}


def _near(link: Link, found: list[Spans], topic: Topic) -> float:
    if not link.end:
        return 0.0
    least, most = link.start - AROUND, link.end + AROUND
    return share_of([any(least <= start and end <= most for start, end in each) for each in found], topic)


def _as_it_was(text: str, found: Spans) -> Spans:
    """Places in folded text as places in the text: the same line, and as far from its beginning."""
    lines, folded = text.split("\n"), fold_text(text).split("\n")
    begin, begin_folded, moved = 0, 0, []
    for line, folded_line in zip(lines, folded, strict=True):
        after = begin_folded + len(folded_line) + 1
        shift = begin - begin_folded
        moved += [(start + shift, end + shift) for start, end in found if begin_folded <= start < after]
        begin, begin_folded = begin + len(line) + 1, after
    return moved


# -- the weight of a page ----------------------------------------------------------------------------------------------


def weigh(page: Page, topic: Topic, settings: WeightSettings, anchor: str) -> list[float]:
    """The parts of address, title, headings, anchors and text."""
    s, b = settings, 0.375
    fields = [
        (named(text_of(page.url)), s.w_url, 1, b, 60),
        (named(page.title), s.w_title, 1, b, 60),
        (named("\n".join(page.headings)), s.w_headings, 3, b, 400),
        (named(anchor), s.w_anchors, 2, b, 60),
        (fold_text(page.text), s.w_body, 6, s.b, 4000),
    ]
    rows = list(zip(*(_said(topic, *field) for field in fields), strict=True))
    says = [sum(row) / (s.k1 + sum(row)) for row in rows]
    wanted, terms = len(topic.wanted), len(topic.terms)
    weight = {term.words: term.weight for term in topic.terms}
    worths = [term.weight for term in topic.wanted] + [0.0] * len(topic.unwanted)
    worths += [s.pair * (weight[one] + weight[other]) / 2 for one, other in topic.pairs]
    raised = [worth * value**s.power for worth, value in zip(worths, says, strict=True)]
    left = prod((1 - says[place]) ** -topic.terms[place].weight for place in range(wanted, terms))
    total = 100 * (sum(raised) / sum(worths)) ** (1 / s.power) * left
    return [
        sum(total * gain / sum(raised) * row[field] / sum(row) for gain, row in zip(raised, rows, strict=True) if gain)
        for field in range(len(fields))
    ]


def _said(topic: Topic, text: str, worth: float, most: int, b: float, usual: int) -> list[float]:
    of_terms, of_pairs = counts(text, topic)
    places = dict(enumerate(of_terms))
    wanted = len(topic.wanted)

    def said(count: int, own: range) -> float:
        taken = sum(places[place] * (len(topic.terms[place].words) + ENDINGS) for place in own)
        norm = max(0.05, 1 - b + b * max(0, len(text) - taken) / usual)
        return worth * min(most, count / norm)

    best = list(of_terms)
    for place, term in enumerate(topic.wanted):
        beside = [count for count, pair in zip(of_pairs, topic.pairs, strict=True) if term.words in pair]
        best[place] = max([best[place], *beside])
    ours, theirs = range(wanted), range(wanted, len(topic.terms))
    return [said(count, ours if place < wanted else theirs) for place, count in enumerate(best)] + [
        said(count, ours) for count in of_pairs
    ]
