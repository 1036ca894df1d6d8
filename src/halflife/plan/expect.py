"""What to expect of a link before it is fetched: the probability that its page will be found relevant.

The idea. A focused crawl is as good as its guesses. A link says something (its words, its address, the words around
it), where it was found says more (relevant pages link to relevant pages), and where it leads says most, once pages of
that directory were seen. So the guess is a logistic regression over a handful of such features, learned while crawling:
after each page that was weighed, the guess that would have been made is compared with what came, and the weights move.

    p = 1 / (1 + exp(-z)),    z = sum of w_i * x_i + sum of w_word over the words of address and anchor

    x    1; share of the topic in the link's own words and address, and whether there is any; share in the words around
         it; irrelevant pages on the way (tunnel: none, one, more); depth; and the log odds of its directory, and of the
         other links of the page it was found on

Directories borrow upwards. A directory that was never seen is judged by the one above it, that one by its own, up to
the host, the site, and all pages so far; each with a Beta prior whose mean is the level above (McCallum's shrinkage):

    p(level) = (relevant + STRENGTH * p(level above)) / (fetched + STRENGTH)

Old news fades: once RECENT pages of a level are counted, both counts are halved. A crawl that takes the best first
leaves the worse behind: what a place gave at first says little about what is left there, and a host that was rich must
not keep others, not yet looked at, waiting until its average has sunk.

Words are hashed into a table of weights that start at zero: "class-use" in an address or "deprecated" in an anchor
come to count against links of every directory (the idea of Rennie and McCallum 1999, Menczer 2000; as a bandit: Meusel
and others 2014).

An unlucky start. All weights start where experience would have them go, and a directory's prior is worth STRENGTH
pages, so that the first failures do not condemn it; what nobody has seen yet inherits the average, which sinks as the
crawl fails elsewhere. So untried places come up by themselves, without dice.

Early abandon. `starved`: a directory's bandwidth is gone when `starve` pages in a row failed *in* it, or DEEP times as
many anywhere *below* it, since the last relevant one; each relevant page still counted adds one to its patience.

Where the constants come from: `bench focus`, its six tuning topics; the six others were crawled once all was fixed.
Measured was the area under the harvest curve. Round values were taken in flat regions: half or twice of a constant
moves the mean area by one or two hundredths, mostly luck. What mattered:

    RECENT      without it the area of the first 1,000 pages is 0.03 smaller: a crawl stays too long where it was lucky
    BEGIN       a regression over all that the crawls saw gives 5 for the share, 0.6 for the directory and 0.3 for the page;
                the share's weight was 3 and the page's 0.5 before. The weight of the page that a link was found on was a
                feature too, worth nothing to the regression, and was dropped: with it 0.06 less was found
    DEEP        10 gave up on a whole host, 200 failures in a row, before its one good directory was found: two thirds of a
                topic were lost. From 20 on only an unlucky crawl does; 50 is out of its way

Cost: about 7 us a guess, 20 us to learn a page.

What it gets wrong. It believes the judge: what is kept wrongly is looked for more of. It forgets directories it has not
seen for long once there are more than PLACES_MAX. The page's own weight is not guessed, only whether it is relevant.
"""

from __future__ import annotations

import math
import re
from array import array
from functools import lru_cache

import msgspec
from msgspec import Struct

from halflife.plan.memory import Recent, digest
from halflife.records import Target, Why
from halflife.urls import directory, origin, site

RANKS = 65_535  # ranks are whole numbers below this; 0 is the best
Z_MAX = 12.0  # of z: more certain than 1 in 160,000 nobody is
PLACES_MAX = 30_000  # directories and pages a generation; two of them are about 15 MB

STRENGTH = 3.0  # pages that what is known of the level above is worth
RECENT = 20  # pages of a level, or links of a page, after which what was counted of it counts half
FIRST_SHARE = 0.2  # of pages that are relevant, as long as nothing is known
SURE = 0.001  # of a directory, nothing is taken to be more certain than this
DEEP = 50  # failures below a directory, in the patience for failures in it

RATE = 0.01  # how far a guess that was wrong moves the weights
WORD_RATE = 0.1
WORDS_TABLE = 1 << 14
WORDS_MAX = 12  # the last ones of the address, and as many, the first ones, of the anchor
WORD = re.compile(r"[^\W\d_]{2,40}")
DIRECTORIES_CACHED = 20_000
PAGES_CACHED = 2_000
WORDS_CACHED = 50_000

#         1    share any  near t=0  t>1  depth place page
BEGIN = (-1.5, 5.0, 1.0, 1.0, 0.5, -0.5, 0.5, 0.7, 0.2)


class Place(Struct, array_like=True):
    """What came lately of the pages of a directory and all below it, or of the links of one page."""

    fetched: int = 0
    relevant: int = 0
    failing: int = 0  # pages in the directory itself since the last relevant one
    failing_below: int = 0  # the same anywhere below, the directory's own included


class Learned(Struct, array_like=True):
    """Everything that outlives a run."""

    weights: list[float]
    words: bytes
    young: dict[int, Place]
    old: dict[int, Place]


class Expectations:
    """What a crawl has learned about links so far."""

    def __init__(self, starve: int = 20) -> None:
        self._starve = starve
        self._weights = list(BEGIN)
        self._words = array("f", bytes(4 * WORDS_TABLE))
        self._places: Recent[Place] = Recent(PLACES_MAX)

    def rank(self, target: Target, share: float) -> int:
        """Its place in the queue by what is known now; `share` is that of the topic in its own words and address."""
        z = self._z(self._features(target, share), _words(target.url, target.anchor))
        return int((Z_MAX - z) / (2 * Z_MAX) * (RANKS - 1))

    def learn(self, target: Target, share: float, relevant: bool) -> None:
        """A page was fetched and found relevant, or not."""
        if target.why != Why.SEED:  # seeds were chosen, not guessed
            features, words = self._features(target, share), _words(target.url, target.anchor)
            wrong = relevant - 1 / (1 + math.exp(-self._z(features, words)))
            self._weights = [w + RATE * wrong * x for w, x in zip(self._weights, features, strict=True)]
            step = WORD_RATE * wrong * _evenly(words)
            for word in words:
                self._words[word] += step
        self._count(target, relevant)

    def starved(self, url: str) -> bool:
        """Whether the bandwidth of its directory, or of one above it, is used up."""
        if not self._starve:
            return False
        own, *above = _levels(url)
        place = self._places.at(own)
        if place is not None and place.failing >= self._starve + place.relevant:
            return True
        return any(
            place.failing_below >= DEEP * self._starve + place.relevant
            for level in (own, *above[:-2])  # up to the host; neither the site nor everything is given up
            if (place := self._places.at(level)) is not None
        )

    def pack(self) -> bytes:
        """Everything learned, to be kept."""
        young, old = self._places.generations
        return msgspec.msgpack.encode(Learned(self._weights, self._words.tobytes(), young, old))

    def unpack(self, packed: bytes) -> None:
        """Go on from what was kept."""
        learned = msgspec.msgpack.decode(packed, type=Learned)
        self._weights = learned.weights
        self._words = array("f", learned.words)
        self._places.generations = learned.young, learned.old

    # -- the guess -------------------------------------------------------------------------------------------------

    def _features(self, target: Target, share: float) -> tuple[float, ...]:
        tunnel = target.tunnel
        everything, here = self._odds_of_place(target.url)
        return (
            1.0,
            share,
            1.0 if share else 0.0,
            target.near,
            1.0 if tunnel == 0 else 0.0,
            1.0 if tunnel > 1 else 0.0,
            1.0 / (1 + target.depth),
            _log_odds(here),
            _log_odds(self._shrunk(_links_on(target.via), everything)),
        )

    def _odds_of_place(self, url: str) -> tuple[float, float]:
        """The probability that any page is relevant, and that a page of this directory is."""
        levels = _levels(url)
        everything = probability = self._shrunk(levels[-1], FIRST_SHARE)
        for level in levels[-2::-1]:
            probability = self._shrunk(level, probability)
        return everything, probability

    def _shrunk(self, level: int, above: float) -> float:
        place = self._places.at(level)
        return above if place is None else (place.relevant + STRENGTH * above) / (place.fetched + STRENGTH)

    def _z(self, features: tuple[float, ...], words: tuple[int, ...]) -> float:
        table = self._words
        z = sum(map(float.__mul__, self._weights, features)) + _evenly(words) * sum([table[word] for word in words])
        return max(-Z_MAX, min(Z_MAX, z))

    # -- what came of it -------------------------------------------------------------------------------------------

    def _count(self, target: Target, relevant: bool) -> None:
        own, *above = _levels(target.url)
        place = self._count_in(own, relevant)
        place.failing = 0 if relevant else place.failing + 1
        for level in above:
            place = self._count_in(level, relevant)
            if relevant:
                place.failing = 0
        if target.via:
            self._count_in(_links_on(target.via), relevant)

    def _count_in(self, level: int, relevant: bool) -> Place:
        place = self._places.at(level)
        if place is None:
            place = Place()
            self._places.put_at(level, place)
        elif place.fetched >= RECENT:
            place.fetched //= 2
            place.relevant //= 2
        place.fetched += 1
        place.relevant += relevant
        place.failing_below = 0 if relevant else place.failing_below + 1
        return place


def _levels(url: str) -> tuple[int, ...]:
    """What stands for its directory, those above it, its host, its site, and everything."""
    return _levels_of(directory(url))


@lru_cache(DIRECTORIES_CACHED)
def _levels_of(own: str) -> tuple[int, ...]:
    base = origin(own)
    levels = [own]
    while len(levels[-1]) > len(base) + 1:
        levels.append(levels[-1][: levels[-1].rstrip("/").rfind("/") + 1])
    return tuple(map(digest, (*levels, site(own), "")))


@lru_cache(PAGES_CACHED)
def _links_on(url: str) -> int:
    """What stands for the links of a page."""
    return digest(f"links on {url}")


@lru_cache(WORDS_CACHED)
def _words(url: str, anchor: str) -> tuple[int, ...]:
    """The places in the table of the different words of a link, the host's left out."""
    words = WORD.findall(url[len(origin(url)) :].lower())[-WORDS_MAX:] + WORD.findall(anchor.lower())[:WORDS_MAX]
    return tuple(digest(word) % WORDS_TABLE for word in dict.fromkeys(words))


def _evenly(words: tuple[int, ...]) -> float:
    """What each word counts, so that a link of many words does not outweigh one of few."""
    return 1 / math.sqrt(len(words)) if words else 0.0


def _log_odds(probability: float) -> float:
    probability = min(max(probability, SURE), 1 - SURE)
    return math.log(probability / (1 - probability))
