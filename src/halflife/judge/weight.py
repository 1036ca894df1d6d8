"""Page weight, our way: how much a page is about a topic of several weighted terms, from 0 to 100.

The idea. A page is about a term when the term stands where authors say what a page is about, often enough for the
length of the page. BM25F (Robertson, Zaragoza, Taylor 2004; Robertson and Zaragoza, "The Probabilistic Relevance
Framework", 2009) adds up a term's occurrences over the fields of a page, weighted and divided by length, *before* it
lets them saturate, since a word in title and text is one piece of news and not two. We keep that and leave out what
needs a corpus: at the start of a crawl there is none, so there is no idf. What a term is worth, the topic says.

    places(t) = sum over fields f of  w_f * min(most_f, occurrences of t in f / (1 - b_f + b_f * length_f / usual_f))
    says(t)   = places(t) / (k1 + places(t))                                                                 in [0, 1)
    wanted    = (sum of v_t * says(t)^p / sum of v_t) ^ (1/p)         over wanted terms and pairs, v_t from the topic
    unwanted  = 1 - product of (1 - says(u))^|v_u|                                                  over unwanted terms
    total     = 100 * wanted * (1 - unwanted)                                                               in [0, 100)
    kept iff total > threshold

Coverage. With p = 1 a page full of one of two terms would reach half of the whole. The mean with p < 1 (a soft AND, as
in the p-norms of Salton, Fox and Wu 1983) gives it less, and a page that says all terms a little more.

Pairs. Unquoted words side by side in the topic are a term more, worth `pair` of theirs: "solar energy" is more than
"solar" and "energy". Where they are run together ("filesystem") both words count as said.

Why it adds up. `evidence` shares `wanted` out over terms in proportion to v_t * says(t)^p, and gives unwanted terms
what they take away, below zero. `part_*` shares the total out over fields: each term's evidence in proportion to what
the fields gave to places(t). Both sum to `total`.

Where the constants come from (measured: by `bench focus`, on the six of its topics that are for tuning; the best region
is flat, and rounder values were taken within it):

    w_url 3, w_title 3, w_anchors 2, w_headings 1.5, w_body 0.5    names of a page before what others call it, before its
                        sections, before its text: the order that the literature finds, the sizes measured
    most_f              1 in address and title (the seed's rule: a term occurs there or not), 2 in anchors, 3 in headings,
                        6 in the text: no field can shout, and a thousand repeats are worth as much as a dozen
    b, usual_f          length counts for the text (b = 0.75, as everywhere since TREC-3) against 4,000 characters, what a
                        page of documentation or news has; half as much for short fields against their usual lengths
    k1 4                what must be said for half of a term's worth: a little more than a title, such as two mentions
                        besides in a text of usual length
    power 0.8, pair 0.25                         measured; power 1 keeps a few more pages and is wrong about more
    threshold 20        each term about twice in a text of usual length and nowhere else, or one of two terms in title and
                        address; where precision and recall balance on the tuning topics

What wanted terms take up does not count as length. Else naming one term would make less of the others; so naming a
wanted term once more, in whichever field, never lowers the total. (It has to stand by itself: beside other words it may
become part of a longer term.) For unwanted terms it is the other way round: what they take up does not count, what
wanted ones take up does; so naming one once more never raises the total.

What it gets wrong. It knows words, not meanings: no synonyms, no stems but plurals. Navigation is text like any other: a
menu that names the topic once gives a page of usual length half of the threshold, and keeps one that is shorter than a
third of that. A word of the topic in the name of the host is
in every address of it. Terms with signs in them ("c++", "node.js") are not found in addresses, whose signs are blanks.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod

from msgspec import Struct

from halflife.judge.match import Matcher, humps, matcher
from halflife.judge.options import between
from halflife.judge.topic import Topic, fold_body, fold_text
from halflife.records import Page, Weight
from halflife.urls import text_of

METHOD = "default"
VERSION = 1
SCALE = 100.0
K1_LEAST = 0.01  # below it a single mention anywhere is the whole of a term
K1_MOST = 1000.0
POWER_LEAST = 0.1  # below it one missing term takes all; 1 is the plain mean
WORTH_MOST = 1000.0  # of a field's weight against the others: beyond it the others do not count at all
HEADINGS_CHARACTERS_MAX = 20_000  # of all headings together: hundreds of them; beyond it they are no headings

FIELDS = ("url", "title", "headings", "anchors", "body")
BODY = FIELDS.index("body")
MOST = (1, 1, 3, 2, 6)  # times a field can say a term
USUAL_CHARACTERS = (60, 60, 400, 60, 4000)
SHORT_B = 0.375  # of the fields other than the text
NORM_LEAST = 0.05  # with b = 1 nothing but the term would be divided by nothing


class WeightSettings(Struct, frozen=True, kw_only=True):
    """The constants of the default mode. Reasons in the module's essay."""

    w_url: float = 3.0
    w_title: float = 3.0
    w_headings: float = 1.5
    w_anchors: float = 2.0
    w_body: float = 0.5
    k1: float = 4.0  # how much must be said for half of a term's worth
    b: float = 0.75  # how far the length of the text counts, from 0 to 1
    power: float = 0.8  # 1: terms may stand in for one another; towards 0: all are needed
    pair: float = 0.25  # worth of two words side by side, in terms; 0: side by side is nothing more
    threshold: float = 20.0

    def checked(self) -> WeightSettings:
        """Itself, or an error that names the option and what it may be."""
        for name in ("w_url", "w_title", "w_headings", "w_anchors", "w_body", "pair"):
            between(name, getattr(self, name), 0.0, WORTH_MOST)
        between("k1", self.k1, K1_LEAST, K1_MOST)
        between("b", self.b, 0.0, 1.0)
        between("power", self.power, POWER_LEAST, 1.0)
        between("threshold", self.threshold, 0.0, SCALE)
        return self


DEFAULTS = WeightSettings()


def weigh(page: Page, topic: Topic, settings: WeightSettings = DEFAULTS, anchor: str = "") -> Weight:
    """The weight of a page for a topic; `anchor` is what the links that led here say."""
    ready = matcher(topic)
    said = _said(page, anchor, ready, settings)
    places = [sum(row) for row in zip(*said.values(), strict=True)]
    says = [place / (settings.k1 + place) for place in places]
    gains = _gains(says, topic, settings) if said else {}
    if not gains:
        return _weight(page.url, settings.threshold, [0.0] * len(FIELDS), {})
    losses = _losses(says, ready)
    kept_share = max(0.0, 1.0 + sum(losses.values()))  # rounding may carry it below
    parts = [0.0] * len(FIELDS)
    evidence: dict[str, float] = {}
    for index, gain in gains.items():
        evidence[ready.names[index]] = evidence.get(ready.names[index], 0.0) + gain
        for field, values in said.items():
            parts[field] += gain * kept_share * values[index] / places[index]
    reached = sum(gains.values())
    for index, loss in losses.items():
        evidence[ready.names[index]] = evidence.get(ready.names[index], 0.0) + reached * loss
    return _weight(page.url, settings.threshold, parts, evidence)


def _said(page: Page, anchor: str, ready: Matcher, settings: WeightSettings) -> dict[int, list[float]]:
    """By field: how much it says each term, terms first and then pairs. Only fields that say any."""
    fields: list[tuple[int, str]] = []
    short = (text_of(page.url), page.title, "\n".join(page.headings)[:HEADINGS_CHARACTERS_MAX], anchor)
    if ready.hinted(fold_text("\n".join(short))):
        # The words inside names ("ThreadLocal") are looked for only where that can find something.
        fields += [(field, humps(text)) for field, text in enumerate(short) if ready.hinted(fold_text(text))]
    fields.append((BODY, fold_body(page.text)))  # last, since the links ask where the terms are in it
    worths = (settings.w_url, settings.w_title, settings.w_headings, settings.w_anchors, settings.w_body)
    said = {}
    for field, text in fields:
        if any(ready.spans(text)):
            b = settings.b if field == BODY else SHORT_B
            said[field] = _column(text, ready, worths[field], MOST[field], b / USUAL_CHARACTERS[field], 1.0 - b)
    return said


def _column(text: str, ready: Matcher, worth: float, most: float, slope: float, least: float) -> list[float]:
    """How much one field says each term and each pair."""
    counts = list(ready.counts(text))
    norms = [max(least + slope * max(0, len(text) - taken), NORM_LEAST) for taken in ready.taken_up(counts)]
    together = ready.pair_counts(text)
    for count, sides in zip(together, ready.pair_sides, strict=True):
        for side in sides:
            counts[side] = max(counts[side], count)
    first, terms = ready.wanted, len(counts)
    counts += together
    return [
        worth * min(most, count / norms[first <= place < terms]) if count else 0.0 for place, count in enumerate(counts)
    ]


def _gains(says: list[float], topic: Topic, settings: WeightSettings) -> dict[int, float]:
    """What each wanted term and pair that is said brings, out of 100."""
    worths, whole = _worths(topic, settings.pair)
    power = settings.power
    raised = {index: worth * says[index] ** power for index, worth in worths if says[index]}
    reached = sum(raised.values())
    if not reached:
        return {}
    wanted = SCALE * (reached / whole) ** (1.0 / power)
    return {index: wanted * value / reached for index, value in raised.items()}


@lru_cache(maxsize=64)
def _worths(topic: Topic, pair: float) -> tuple[tuple[tuple[int, float], ...], float]:
    """What each wanted term and pair is worth against the others, by its place, and all of them together."""
    ready = matcher(topic)
    worths = dict(enumerate(ready.weights[: ready.wanted]))
    for index, (one, other) in enumerate(ready.pair_sides, start=len(ready.finders)):
        worths[index] = pair * (ready.weights[one] + ready.weights[other]) / 2
    return tuple((index, worth) for index, worth in worths.items() if worth), sum(worths.values())


def _losses(says: list[float], ready: Matcher) -> dict[int, float]:
    """The share of the rest that each unwanted term takes away, below zero: shared out by how much each would alone."""
    left = {
        index: (1.0 - says[index]) ** -ready.weights[index]
        for index in range(ready.wanted, len(ready.finders))
        if says[index]
    }
    alone = sum(1.0 - value for value in left.values())
    if not alone:
        return {}  # also when a weight, or what is said, is too small to be told from nothing
    lost = 1.0 - prod(left.values())
    return {index: -lost * (1.0 - value) / alone for index, value in left.items()}


def _weight(url: str, threshold: float, parts: list[float], evidence: dict[str, float]) -> Weight:
    total = sum(parts)
    return Weight(
        url=url,
        method=METHOD,
        version=VERSION,
        total=total,
        kept=total > threshold,
        threshold=threshold,
        part_url=parts[0],
        part_title=parts[1],
        part_headings=parts[2],
        part_anchors=parts[3],
        part_body=parts[4],
        evidence=evidence,
    )
