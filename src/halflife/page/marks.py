"""What a page and its headers ask of robots, where they send a reader on, what they say its address and language are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from halflife.page.walk import fold_words
from halflife.urls import join

ROBOTS = ("robots", "halflife")  # what is said to other robots is not for us
VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
NAMED = re.compile(r"\s*([A-Za-z][^:]*):(.*)", re.S)  # a date may have colons too, and begins with a number
REFRESH = re.compile(
    r"""([0-9]{1,9}(?:\.[0-9]{0,9})?|\.[0-9]{1,9})?[0-9.]*\s*(?:[;,]\s*|\s+|$)(?:url\s*=\s*)?(.*)""", re.I | re.S
)
LINK = re.compile(r"<([^<>]{1,3000})>([^<>]{0,500})")  # one entry of a Link header, and its parameters
CANONICAL = re.compile(r"""(?:^|[;\s])rel\s*=\s*(?:"(?:[^"]*\s)?canonical[\s"]|canonical(?![\w-]))""", re.I)
LANGUAGE = re.compile(r"[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8})*")
LANGUAGE_CHARACTERS_MAX = 35  # RFC 5646 needs no more

Headers = Iterable[tuple[str, str]]


class Marks(Struct):
    """What was found so far; the first word counts, but for robots: there the strictest does."""

    noindex: bool = False
    nofollow: bool = False
    canonical: str = ""
    language: str = ""
    refresh: str = ""
    refresh_seconds: float = 0.0


def marks_of(headers: Headers, url: str) -> Marks:
    """What the headers say, which all kinds of pages have."""
    marks = Marks()
    for name, value in headers:
        if name == "x-robots-tag":
            heed_header(marks, value)
        elif name == "refresh":
            heed_refresh(marks, value, url, url)
        elif name == "content-language":
            heed_language(marks, value)
        elif name == "link" and not marks.canonical:
            marks.canonical = _canonical(value, url)
    return marks


def heed_header(marks: Marks, value: str) -> None:
    """X-Robots-Tag: directives; those behind the name of a robot are for that one, up to the next name."""
    ours, told = True, []
    for word in value.split(","):
        named = NAMED.fullmatch(word)
        if named and named[1].strip().lower() not in VALUED:
            ours, word = named[1].strip().lower() in ROBOTS, named[2]
        if ours:
            told.append(word)
    heed_robots(marks, ",".join(told))


def heed_robots(marks: Marks, value: str) -> None:
    """The directives of a robots meta tag."""
    words = {word.strip().lower() for word in value.split(",")}
    marks.noindex |= bool(words & {"noindex", "none"})
    marks.nofollow |= bool(words & {"nofollow", "none"})


def heed_refresh(marks: Marks, value: str, base: str, url: str) -> None:
    """A refresh, as the header and the meta tag have it. One that leads to the page itself leads nowhere."""
    found = REFRESH.fullmatch(value.strip())
    if marks.refresh or found is None or not found[2]:
        return
    to = join(base, _unquoted(found[2]))
    if to and to != url:
        marks.refresh, marks.refresh_seconds = to, float(found[1] or 0.0)


def heed_language(marks: Marks, value: str | None) -> None:
    """A language tag, or the first of several."""
    found = LANGUAGE.match((value or "").strip())
    if found and not marks.language:
        marks.language = found[0][:LANGUAGE_CHARACTERS_MAX].replace("_", "-").lower()


def _unquoted(text: str) -> str:
    quote = text[:1]
    return text[1:].partition(quote)[0] if quote in ("'", '"') else fold_words(text)


def _canonical(value: str, url: str) -> str:
    for entry in LINK.finditer(value):
        if CANONICAL.search(entry[2]):
            return join(url, entry[1].strip()) or ""
    return ""
