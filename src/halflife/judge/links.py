"""How much of the topic the links of a page speak of: in their own words and address, and in the words around them.

A page has hundreds of links, and nearly all of them say nothing of the topic. So nothing is done link by link: all
addresses are searched as one string, all link words as another, each for the stems of the topic. Only where a stem is
found is it asked whose link that is (by bisection) and what exactly it says. Where the text of the page names the topic
is known from weighing it; what is near a link is found there by bisection too.

    share    the part of the topic that a link's own words and its address name together (`topic_share` of both)
    near     the part named in the text within 80 characters of it, its own words included

What it gets wrong. In text whose folding changes its length (ligatures, soft hyphens), "near" is told by the line and
not by the character.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import inf
from urllib.parse import unquote

from halflife.judge.match import Matcher, Spans, matcher, topic_share
from halflife.judge.topic import Topic, fold_body, fold_text
from halflife.records import Links, Page
from halflife.urls import text_of

AROUND_CHARACTERS = 80  # about a dozen words each side; Page.around shows the same
SHARES_CACHED = 50_000  # addresses that wait are ranked again and again


def link_shares(page: Page, topic: Topic, places: Sequence[int] | None = None) -> dict[int, tuple[float, float]]:
    """By a link's place on the page: its share and what is near it. Only links where either is above 0.

    With `places`, in order, only those links are looked at.
    """
    links = page.links
    if places is None:
        places = range(len(links))
    if not places:
        return {}
    ready = matcher(topic)
    own, near = _own(links, places, topic, ready), _near(page.text, links, places, ready)
    return {place: (own.get(place, 0.0), near.get(place, 0.0)) for place in sorted(own.keys() | near.keys())}


@lru_cache(SHARES_CACHED)
def link_share(url: str, anchor: str, topic: Topic) -> float:
    """The share of the topic in a link's words and address together."""
    return _share(url, anchor, topic)


def _share(url: str, anchor: str, topic: Topic) -> float:
    return topic_share(f"{anchor}\n{text_of(url)}", topic)


# -- in its own words and address ------------------------------------------------------------------------------------


def _own(links: Links, places: Sequence[int], topic: Topic, ready: Matcher) -> dict[int, float]:
    urls = [links.urls[place] for place in places]
    stems = ready.stems
    joined = "\n".join(urls)
    if "%" in joined or "xn--" in joined:
        # Also for stems of ASCII: sharp s is found as "ss". All are undone at once, which is faster, unless one
        # is a newline. Punycode, and escapes that are not UTF-8, are looked at one by one.
        undone = unquote(joined).split("\n")
        urls = undone if len(undone) == len(urls) else [unquote(url) for url in urls]
        stems = (*stems, "xn--", "\ufffd")
    speaking = _speaking(urls, stems) | _speaking([links.anchors[place] for place in places], ready.stems)
    shares = {places[at]: _share(links.urls[places[at]], links.anchors[places[at]], topic) for at in speaking}
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


def _near(text: str, links: Links, places: Sequence[int], ready: Matcher) -> dict[int, float]:
    found = [(index, *_bounds(spans)) for index, spans in enumerate(_spans(text, ready)) if spans]
    if not found:
        return {}
    shares: dict[tuple[int, ...], float] = {}
    near = {}
    for place in places:
        end = links.ends[place]
        if not end:
            continue  # it is nowhere in the text
        least, most = links.starts[place] - AROUND_CHARACTERS, end + AROUND_CHARACTERS
        told = tuple([index for index, starts, ends in found if ends[bisect_left(starts, least)] <= most])
        if told not in shares:
            shares[told] = ready.share([index in told for index in range(len(ready.names))])
        if shares[told]:
            near[place] = shares[told]
    return near


def _bounds(spans: Spans) -> tuple[list[int], list[float]]:
    """Where spans start, in order; and for each, and for none, where the first of it and those behind it ends."""
    spans = sorted(spans)
    ends = accumulate((end for _, end in reversed(spans)), min, initial=inf)
    return [start for start, _ in spans], [*ends][::-1]


def _spans(text: str, ready: Matcher) -> list[Spans]:
    """Where in the text as it was each term and pair is."""
    folded = fold_body(text)
    found = ready.spans(folded)
    if len(folded) == len(text) or not any(found):
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
