"""How much of the topic the links of a page speak of: in their own words and address, and in the words around them.

A page has hundreds of links, and nearly all of them say nothing of the topic. So nothing is done link by link: all
addresses are searched as one string, all link words as another, and the text of the page as it is, each for the stems
of the topic. Only where a stem is found is it asked whose link that is (by bisection) and what exactly it says.

    share    the part of the topic that a link's own words and its address name together (`topic_share` of both)
    near     the part named in the text within 80 characters of it, its own words included

What it gets wrong. In text whose folding changes its length (ligatures, soft hyphens), "near" is told by the line and
not by the character.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from urllib.parse import unquote

from halflife.judge.match import Matcher, matcher, topic_share
from halflife.judge.topic import Topic, fold_body, fold_text
from halflife.records import Link, Page
from halflife.urls import text_of

AROUND_CHARACTERS = 80  # about a dozen words each side; Page.around shows the same
SHARES_CACHED = 50_000  # links that name the topic and their shares: navigation repeats them on page after page


def link_shares(page: Page, topic: Topic) -> dict[int, tuple[float, float]]:
    """By a link's place on the page: its share and what is near it. Only links where either is above 0."""
    links = page.links
    if not links:
        return {}
    ready = matcher(topic)
    own = _own(links, topic, ready)
    near = _near(page.text, links, ready)
    return {place: (own.get(place, 0.0), near.get(place, 0.0)) for place in sorted(own.keys() | near.keys())}


@lru_cache(SHARES_CACHED)
def link_share(url: str, anchor: str, topic: Topic) -> float:
    """The share of the topic in a link's words and address together."""
    return topic_share(f"{anchor}\n{text_of(url)}", topic)


# -- in its own words and address ------------------------------------------------------------------------------------


def _own(links: Sequence[Link], topic: Topic, ready: Matcher) -> dict[int, float]:
    urls = [link.url for link in links]
    stems = ready.stems
    joined = "\n".join(urls)
    if "%" in joined or "xn--" in joined:
        # Also for stems of ASCII: sharp s is found as "ss". All are undone at once, which is faster, unless one
        # is a newline. Punycode, and escapes that are not UTF-8, are looked at one by one.
        undone = unquote(joined).split("\n")
        urls = undone if len(undone) == len(urls) else [unquote(url) for url in urls]
        stems = (*stems, "xn--", "\ufffd")
    places = _speaking(urls, stems)
    places |= _speaking([link.anchor for link in links], ready.stems)
    shares = {place: link_share(links[place].url, links[place].anchor, topic) for place in places}
    return {place: share for place, share in shares.items() if share}


def _speaking(lines: list[str], stems: Sequence[str]) -> set[int]:
    """The places of the lines in which one of the stems is."""
    folded = fold_text("\n".join(lines))
    found = [stem for stem in stems if stem in folded]
    if not found:
        return set()
    if folded.count("\n") != len(lines) - 1:
        folded = fold_text("\n".join(line.replace("\n", " ") for line in lines))
    ends = list(accumulate(len(line) + 1 for line in folded.split("\n")))
    places = set()
    for stem in found:
        at = folded.find(stem)
        while at >= 0:
            place = bisect_right(ends, at)
            places.add(place)
            at = folded.find(stem, ends[place])
    return places


# -- in the words around it ------------------------------------------------------------------------------------------


def _near(text: str, links: Sequence[Link], ready: Matcher) -> dict[int, float]:
    folded = fold_body(text)
    if not any(stem in folded for stem in ready.stems):
        return {}
    placed = [place for place, link in enumerate(links) if link.end]  # the others are nowhere in the text
    order = sorted(placed, key=lambda place: links[place].start)  # nearly always the page's own
    starts = [links[place].start for place in order]
    ends = list(accumulate((links[place].end for place in order), max))
    reached: set[int] = set()
    told = []
    for spans in _spans(text, folded, ready):
        mark = bytearray(len(order))
        for one, after in _reach(spans, starts, ends):
            mark[one:after] = b"\1" * (after - one)
            reached.update(range(one, after))
        told.append(mark)
    shares: dict[tuple[int, ...], float] = {}
    near = {}
    for at in reached:
        terms = tuple(mark[at] for mark in told)
        if terms not in shares:
            shares[terms] = ready.share(terms)
        if shares[terms]:
            near[order[at]] = shares[terms]
    return near


def _spans(text: str, folded: str, ready: Matcher) -> list[list[tuple[int, int]]]:
    """Where in the text as it was each term and pair is."""
    found = [finder.spans(folded) for finder in (*ready.finders, *ready.pairs)]
    if len(folded) == len(text):
        return found
    lines, lines_folded = text.split("\n"), folded.split("\n")
    begins = list(accumulate((len(line) + 1 for line in lines), initial=0))
    begins_folded = list(accumulate((len(line) + 1 for line in lines_folded), initial=0))
    shifts = [begin - folded_begin for begin, folded_begin in zip(begins, begins_folded, strict=True)]
    moved = []
    for spans in found:
        by_line = ((shifts[bisect_right(begins_folded, start) - 1], start, end) for start, end in spans)
        moved.append([(start + shift, end + shift) for shift, start, end in by_line])
    return moved


def _reach(spans: list[tuple[int, int]], starts: list[int], ends: list[int]) -> Iterator[tuple[int, int]]:
    """The stretches of links near which one of the spans lies, each link once."""
    first = 0
    for start, end in spans:
        after = bisect_right(starts, start + AROUND_CHARACTERS, first)
        one = bisect_left(ends, end - AROUND_CHARACTERS, first)
        if one < after:
            yield one, after
            first = after
