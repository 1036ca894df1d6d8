"""Traps: addresses without end that lead nowhere, and how they are told from large sites.

The idea. A crawler never knows that it is in a trap, only that what it sees is more likely there than on a site made
for people. Each guard refuses one such shape, each can be switched off by its name, and every limit is set so that the
large honest sites we know of stay below it: documentation trees, news archives by day, shops and forums with tens of
thousands of numbered pages. A trap with other shapes ends at the crawl's budgets (pages of a host, starved
directories), so a guard that is not sure lets pass.

    deep        more than 20 "/" in a path. Honest ones have up to a dozen.
    repeat      the same row of segments three times in succession (/a/b/a/b/a/b: a relative link that should have been an
                absolute one), or one segment five times. A number may follow itself up to four times (/tiles/0/0/0).
    calendar    a date more than 3 years ahead, or, where the address names a calendar, 100 years back; and too many
                different dates under one template: 1,000 where the address speaks of calendars, else 50,000 (137 years of
                days). Only a full date (2031-05-17, 2031/05/17) counts as one anywhere; a year and month do where the
                address has a word for it, since /thread/2045/10 is the tenth page of a thread.
    parameters  more than 20 parameters, or too many different values under one template: 50,000 with up to three
                parameters (?f=3&t=71&start=20 is how forums number their pages), 5,000 with more.
    facets      the same parameters in another order than seen before; one parameter more than three times; and more than
                500 combinations of three or more parameters of which none has more than some thirty values: colours and
                sizes and ways to sort multiply, where forums and shops have one parameter that counts their pages.
    lookalike   pages of one template with the same text: 20 more than three times as many as differ. The text is compared
                without digits, the values of the address's parameters, and, on calendars, the names of months and days.

A template is an address with each run of digits, and each parameter's value, as "*" (`urls.template`).

What it gets wrong. Look-alikes must be alike to the letter but for what is taken out: a page that quotes a random proverb
never is. Pages that differ in nothing but numbers or pictures are alike, for there is nothing to read on them. Endless
words (/tag/a/, /tag/b/ ...) make a template each and are not seen at all. Counts may be too small by a few per cent,
never too large. All memory is bounded, and is a worker's own: when it is full, or the crawl resumed, it begins anew.
"""

from __future__ import annotations

import re
from collections import Counter
from urllib.parse import unquote_plus

from xxhash import xxh3_64_intdigest

from halflife.errors import SettingError
from halflife.plan.dates import Dated, date_in
from halflife.plan.memory import Distinct, Recent, digest
from halflife.urls import template

TRAPS = {
    "deep": "paths of more than 20 levels",
    "repeat": "paths in which the same segments follow each other again and again",
    "calendar": "dates far from now, or too many of them",
    "parameters": "too many parameters, or too many values of them",
    "facets": "the same parameters in another order, or in too many combinations",
    "lookalike": "many addresses of one pattern whose pages have the same text",
}

DEPTH_MAX = 20
CYCLES_MAX = 2  # a row of segments may follow itself once
CYCLE_SEGMENTS_MAX = 8  # longer rows are not looked for; three of them are past the depth limit
SAME_SEGMENT_MAX = 4
FUTURE_YEARS = 3  # how far ahead people announce things by the day
PAST_YEARS = 100  # how far back a calendar may be leafed
DATES_MAX = 50_000  # an archive of days may go back far
CALENDAR_DATES_MAX = 1_000  # three years of days, or eighty of months
PARAMETERS_MAX = 20
FEW_PARAMETERS = 3
VALUES_MAX = 50_000
VALUES_OF_MANY_MAX = 5_000  # of more than FEW_PARAMETERS
SAME_PARAMETER_MAX = 3
FACETS_MIN = 3  # two of thirty values make 900 pages at the most
COMBINATIONS_MAX = 500
FACET_BITS_MAX = 24  # of 64, set by the values of a parameter: about 30 of them
ALIKE_MAX = 20
DIFFERENCE_WEIGHS = 3  # a page that differs outweighs three that do not
TEXT_CHARACTERS_MAX = 50_000  # of a page, for its fingerprint
VALUE_BYTES_MIN = 3  # of a parameter, to be taken out of the text: shorter ones occur by chance

DIGIT = re.compile(r"[0-9]")
NAMES_ON_CALENDARS = re.compile(  # months, then days, in English, German, French, Spanish and Italian
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mär|mai|okt|dez|fév|avr|juin|juil|aoû|déc|ene|abr|ago|dic"
    r"|gen|mag|giu|lug|set|ott|mon|tue|wed|thu|fri|sat|sun|die|mit|don|fre|sam|son|lun|mer|jeu|ven|dim|mié|jue|vie"
    r"|sáb|dom|gio)\w*"
)
LOWERED = bytes.maketrans(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"abcdefghijklmnopqrstuvwxyz")


class Traps:
    """Refuses addresses that are likelier in a trap than on a site. One memory for all the sites of a worker."""

    def __init__(self, off: tuple[str, ...] = ()) -> None:
        names = {name.removeprefix("trap_") for name in off}
        for name in sorted(names - TRAPS.keys() - {"all"}):
            raise SettingError(f"--trap-off {name!r}: no such guard; there are {', '.join(TRAPS)}, or all")
        self._on = frozenset() if "all" in names else TRAPS.keys() - names
        self._deep, self._repeat = "deep" in self._on, "repeat" in self._on  # every address asks for these two
        self._distinct = Distinct()
        self._orders: Recent[int] = Recent()  # a set of parameters -> the order in which it was first seen
        self._values: Recent[int] = Recent()  # a parameter -> bits that its values set
        self._texts: Recent[tuple[int, int]] = (
            Recent()
        )  # a template -> the text most of its pages have, and by how much
        self._alike: Recent[bool] = Recent()  # templates whose pages are alike

    def trap(self, url: str, year: int) -> str:
        """Why an address is taken for a trap ('trap_deep' ...), or ''; `year` is the year it is now."""
        if not self._on:
            return ""
        start = url.find("/", 8)
        end = url.find("?", start)
        path = url[start:] if end < 0 else url[start:end]
        if self._deep and path.count("/") > DEPTH_MAX:
            return "trap_deep"
        if self._repeat:
            segments = path.strip("/").split("/")
            if len(set(segments)) < len(segments) and _repeat(segments):
                return "trap_repeat"
        if end < 0 and not DIGIT.search(path):
            return ""  # it shares its template with no other
        return self._trap_of_many(url, start, end, year)

    def _trap_of_many(self, url: str, start: int, end: int, year: int) -> str:
        """The guards that look at the addresses of one template together."""
        on = self._on
        dated = date_in(url, start) if "calendar" in on else None
        pattern = template(url) if end >= 0 or dated or self._alike else ""
        if dated and self._leaves_time(pattern, dated, year):
            return "trap_calendar"
        if self._alike and self._alike.get(pattern):
            return "trap_lookalike"
        parts = url[end + 1 :].split("&") if end >= 0 else []
        if "parameters" in on and len(parts) > PARAMETERS_MAX:
            return "trap_parameters"
        if "facets" in on and len(parts) > 1 and self._combines(pattern, url[:end], parts):
            return "trap_facets"
        values_max = VALUES_MAX if len(parts) <= FEW_PARAMETERS else VALUES_OF_MANY_MAX
        if "parameters" in on and parts and self._distinct.beyond(url, pattern, values_max):
            return "trap_parameters"
        return ""

    def lookalike(self, url: str, text: str) -> None:
        """Learn the text of a page. When too many pages of one template are alike, it is a trap."""
        if "lookalike" not in self._on or (pattern := template(url)) == url:
            return
        print_ = _fingerprint(url, text)
        most, majority = self._texts.get(pattern) or (print_, 0)
        majority += 1 if print_ == most else -DIFFERENCE_WEIGHS
        self._texts.put(pattern, (most, majority) if majority > 0 else (print_, 1))
        if majority >= ALIKE_MAX:
            self._alike.put(pattern, True)

    def _leaves_time(self, pattern: str, dated: Dated, year: int) -> bool:
        if dated.year > year + FUTURE_YEARS or (dated.calendar and dated.year < year - PAST_YEARS):
            return True
        return self._distinct.beyond(f"date {dated.text}", pattern, CALENDAR_DATES_MAX if dated.planned else DATES_MAX)

    def _combines(self, pattern: str, place: str, parts: list[str]) -> bool:
        """Whether the parameters are facets: combined in any order and number."""
        names = sorted(pattern.partition("?")[2].split("&"))
        if any(name == later for name, later in zip(names, names[SAME_PARAMETER_MAX:], strict=False)):
            return True
        parameters = f"{place}?{'&'.join(sorted(parts))}"
        order, known = digest("&".join(parts)), self._orders.get(parameters)
        if known is None:
            self._orders.put(parameters, order)
        elif order != known:
            return True
        if len(parts) < FACETS_MIN:
            return False
        facets = [self._is_facet(place, part) for part in parts]  # a list, since each of them is to be counted
        return all(facets) and self._distinct.beyond(parameters, f"facets {place}", COMBINATIONS_MAX)

    def _is_facet(self, place: str, parameter: str) -> bool:
        """Whether a parameter has had few values so far, this one included."""
        name, _, value = parameter.partition("=")
        bits = self._values.get(f"{place}?{name}") or 0
        if bits.bit_count() > FACET_BITS_MAX:
            return False
        self._values.put(f"{place}?{name}", bits | 1 << (digest(value) & 63))
        return True


def _repeat(segments: list[str]) -> bool:
    """Whether a row of segments follows itself too often, or one segment comes too often."""
    if max(Counter(segments).values()) > SAME_SEGMENT_MAX:
        return True
    for length in range(1, min(CYCLE_SEGMENTS_MAX, len(segments) // (CYCLES_MAX + 1)) + 1):
        together = 0  # segments in succession that are the same as `length` before
        for i in range(length, len(segments)):
            together = together + 1 if segments[i] == segments[i - length] else 0
            if together == length * CYCLES_MAX and not "".join(segments[i - length + 1 : i + 1]).isdigit():
                return True
    return False


def _fingerprint(url: str, text: str) -> int:
    """A number that is the same for texts that differ in digits, or in what the address itself says."""
    raw = text[:TEXT_CHARACTERS_MAX]
    dated = date_in(url, url.find("/", 8))
    if dated and dated.planned:
        raw = NAMES_ON_CALENDARS.sub("", raw.lower())
    bare = _bare(raw)
    for part in url.partition("?")[2].split("&")[:PARAMETERS_MAX]:
        value = _bare(unquote_plus(part.partition("=")[2]))
        if len(value) >= VALUE_BYTES_MIN:
            bare = bare.replace(value, b"")
    return int(xxh3_64_intdigest(bare))


def _bare(text: str) -> bytes:
    return text.encode(errors="replace").translate(LOWERED, b"0123456789")
