"""Page weight as the seed has it: the reference that is never tuned.

The idea. A page matters as far as the search string q occurs where authors put what a page is about.

    weight(page) = w_url   * [q occurs in URL]
                 + w_title * [q occurs in title]
                 + w_body  * occurrences of q in the body text
                 + w_out   * number of hyperlinks on the page
    kept iff weight > threshold

Paper: the seed "web crawler that uses a concept of irrelevant pages" (SPEC section 1). It fixes no constants. Ours keep
its order of importance (URL and title name the page, a mention in the body is one of many) with the body as the unit:

    w_body 1      the unit
    w_title 10    a title counts as much as ten mentions
    w_url 10      and so does an address
    w_out 0.01    a hundred links count as one mention: enough to be the seed's rule, too little to keep a link list
                  of ordinary size by itself
    threshold 5   more than five mentions, or a title, or an address

What the seed leaves open, decided here:

- "Occurs" is plain substring search, as the seed says: "art" occurs in "party". (Default mode asks for word borders.)
- Both sides are folded (`topic.fold`): NFKC, case, white space.
- A URL is looked at in two forms: percent-decoded and punycode-decoded as it stands ("c++" or ".edu" can be found), and
  with its separators as blanks, the search string's own too. So `solar-energy`, `solar%20energy`, `solar_energy` and
  `solar+energy` all match "solar energy". A string that begins or ends with a separator is looked for as it stands
  alone: "c++" is not in every address with a "c". The scheme is no part of it, or "http" would be in every address.
- The body is `Page.text`: what a reader sees, without title, script, style or markup.
- Matches that overlap count once: "aa" occurs twice in "aaaa". Of several strings the leftmost match counts, and of those
  the longest.
- Unquoted text is one search string, operators and all. With quotation marks there are several strings (each phrase,
  each stretch between phrases): a place has q when it has one of them, and occurrences are added up.
- Hyperlinks count with multiplicity, as the walk of SPEC 3 counts them, and those beyond the page reader's limit count.

What it gets wrong. Long pages win, for occurrences are not divided by length. The outlink term can be gamed: at 0.01 a
page with 501 links is kept whatever it says. One search string cannot say "this or that".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import unquote

import can_ada
from msgspec import Struct

from halflife.judge.options import finite
from halflife.judge.topic import Topic, fold
from halflife.records import Page, Weight
from halflife.urls import SEPARATORS, text_of

METHOD = "paper"
VERSION = 1


class PaperSettings(Struct, frozen=True, kw_only=True):
    """The seed's constants; it gives no values. Reasons in the module's essay."""

    w_url: float = 10.0
    w_title: float = 10.0
    w_body: float = 1.0
    w_out: float = 0.01
    threshold: float = 5.0

    def checked(self) -> PaperSettings:
        """Itself, or an error that names the option and what it may be."""
        for name in self.__struct_fields__:
            finite(name, getattr(self, name))
        return self


DEFAULTS = PaperSettings()


def weigh_paper(page: Page, topic: Topic, settings: PaperSettings = DEFAULTS) -> Weight:
    """The weight of a page by the seed's rule."""
    title, body = fold(page.title), fold(page.text)
    found = Counter(_either(topic.strings).findall(body))
    occurrences = {string: found[string] for string in topic.strings}
    part_url = settings.w_url * _in_address(page.url, topic.strings)
    part_title = settings.w_title * any(string in title for string in topic.strings)
    part_body = settings.w_body * sum(occurrences.values())
    part_out = settings.w_out * (len(page.links) + page.links_cut)
    total = part_url + part_title + part_body + part_out
    return Weight(
        url=page.url,
        method=METHOD,
        version=VERSION,
        total=total,
        kept=total > settings.threshold,
        threshold=settings.threshold,
        part_url=part_url,
        part_title=part_title,
        part_body=part_body,
        part_out=part_out,
        evidence={string: float(count) for string, count in occurrences.items() if count},
    )


@lru_cache(maxsize=64)
def _either(strings: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(string) for string in sorted(strings, key=len, reverse=True)))


def _in_address(url: str, strings: Sequence[str]) -> bool:
    name, slash, rest = url.partition("://")[2].partition("/")
    if "xn--" in name:
        name = can_ada.idna_decode(name.encode())  # type: ignore[arg-type]  # its stubs are wrong
    as_it_stands, as_words = fold(name + slash + unquote(rest)), fold(text_of(url))
    return any(string in as_it_stands or _in_words(string, as_words) for string in strings)


def _in_words(string: str, as_words: str) -> bool:
    words = string.translate(SEPARATORS)
    return words == words.strip() and fold(words) in as_words
