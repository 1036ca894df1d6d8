"""What headers say of a page: robots, refresh, canonical address, language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.page.marks import LANGUAGE_CHARACTERS_MAX, Marks, heed_language, heed_refresh, heed_robots, marks_of
from halflife.urls import canonical
from page.fetched import URL

SITE = "https://example.org/"


def marks(*headers: tuple[str, str]) -> Marks:
    return marks_of(headers, URL)


# -- robots ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "noindex", "nofollow"),
    [
        ([], False, False),
        ([""], False, False),
        (["noindex"], True, False),
        (["nofollow"], False, True),
        (["none"], True, True),
        ([" NoIndex , NOFOLLOW "], True, True),
        (["noindex", "nofollow"], True, True),
        (["all"], False, False),
        (["noindex, index, follow"], True, False),  # the strictest counts
        (["index", "noindex"], True, False),
        (["noindexing, nonefollow, xnone"], False, False),
        # for whom
        (["halflife: noindex"], True, False),
        (["HalfLife : none"], True, True),
        (["robots: nofollow"], False, True),
        (["googlebot: noindex"], False, False),
        (["googlebot: noindex, nofollow"], False, False),
        (["googlebot: noindex", "nofollow"], False, True),
        (["noindex, googlebot: nofollow"], True, False),
        (["googlebot: none, halflife: nofollow"], False, True),
        (["halflife: noindex, otherbot: nofollow, none"], True, False),
        (["other bot/2.0: noindex"], False, False),
        ([": noindex"], False, False),
        # directives that have values
        (["unavailable_after: 25 Jun 2010 15:00:00 PST"], False, False),
        (["unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT, noindex"], True, False),
        (["halflife: unavailable_after: 2010-06-25T15:00:00+00:00, nofollow"], False, True),
        (["googlebot: unavailable_after: 25 Jun 2010 15:00:00 PST, noindex"], False, False),
        (["max-snippet: 20, noindex"], True, False),
        (["max-image-preview: none"], False, False),
        (["nofollow, max-video-preview:-1"], False, True),
    ],
)
def test_the_robots_header(values: list[str], noindex: bool, nofollow: bool) -> None:
    said = marks(*[("x-robots-tag", value) for value in values])
    assert (said.noindex, said.nofollow) == (noindex, nofollow)


@pytest.mark.parametrize(
    ("value", "noindex", "nofollow"),
    [("noindex,follow", True, False), ("NONE", True, True), ("index, nofollow", False, True), ("", False, False)],
)
def test_directives(value: str, noindex: bool, nofollow: bool) -> None:
    said = Marks()
    heed_robots(said, value)
    assert (said.noindex, said.nofollow) == (noindex, nofollow)


# -- refresh -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "refresh", "seconds"),
    [
        ("0; url=/x", "x", 0),
        ("0;url=/x", "x", 0),
        ("5, URL = '/x'", "x", 5),
        ('5;url="/x" and more', "x", 5),
        ("5; url='/x", "x", 5),
        ("5 /x", "x", 5),
        ("5; /x", "x", 5),
        (" 5 ; \n url=\n/x ", "x", 5),
        ("2.5; url=/x", "x", 2.5),
        (".5; url=/x", "x", 0.5),
        ("1.2.3; url=/x", "x", 1.2),
        ("999999999; url=/x", "x", 999_999_999),
        ("0; url=c#d", "a/c", 0),
        ("0; url=/x?utm_source=r", "x", 0),
        ("0; url=/url=y", "url=y", 0),
        ("0; /x y", "x%20y", 0),
    ],
)
def test_a_refresh_leads_elsewhere(value: str, refresh: str, seconds: float) -> None:
    said = marks(("refresh", value))
    assert (said.refresh, said.refresh_seconds) == (SITE + refresh, seconds)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "5",
        "5;",
        "5; url=",
        "5; url=''",
        "5;url=b",  # the page itself
        f"5; url={URL}#part",
        "5x; url=/x",
        "  5x",
        "soon; url=/x",
        "  /x",
        "url=/x",
        "-1; url=/x",
        "0; url=javascript:x",
        "0; url=http://",
    ],
)
def test_a_refresh_that_leads_nowhere(value: str) -> None:
    assert marks(("refresh", value)) == Marks()


def test_the_first_refresh_counts() -> None:
    assert marks(("refresh", "5"), ("refresh", "1; url=/x"), ("refresh", "2; url=/y")).refresh == f"{SITE}x"


def test_a_refresh_is_relative_to_its_base() -> None:
    said = Marks()
    heed_refresh(said, "0; url=x", f"{SITE}deep/er/", URL)
    assert said.refresh == f"{SITE}deep/er/x"


# -- canonical ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "url"),
    [
        ('</x>; rel="canonical"', "x"),
        ("</x>; rel=canonical", "x"),
        ("</x>;rel=Canonical", "x"),
        ("< /x > ; title=y ; REL = 'no' ; rel=canonical", "x"),
        ('</x>; rel="alternate canonical"', "x"),
        ('</style.css>; rel=preload; as=style, </x?a=1,2>; rel="canonical", </y>; rel=canonical', "x?a=1,2"),
        (f"<{SITE}x?utm_source=l#z>; rel=canonical", "x"),
        ("<c>; rel=canonical", "a/c"),
    ],
)
def test_the_canonical_header(value: str, url: str) -> None:
    assert marks(("link", value)).canonical == SITE + url


@pytest.mark.parametrize(
    "value",
    [
        "",
        "/x; rel=canonical",
        "</x>",
        "</x>; rel=preload",
        '</x>; rel="uncanonical"',
        '</x>; rel="not-canonical"',
        "</x>; rel=canonical-not",
        "</x>; notrel=canonical",
        "<javascript:x>; rel=canonical",
        "<>; rel=canonical",
    ],
)
def test_no_canonical_header(value: str) -> None:
    assert marks(("link", value)).canonical == ""


def test_the_first_canonical_header_counts() -> None:
    said = marks(("link", "</x>; rel=next"), ("link", "</y>; rel=canonical"), ("link", "</z>; rel=canonical"))
    assert said.canonical == f"{SITE}y"


# -- language ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "language"),
    [
        ("en", "en"),
        (" de-AT ", "de-at"),
        ("pt_BR", "pt-br"),
        ("en, fr", "en"),
        ("zh-Hant-TW", "zh-hant-tw"),
        ("", ""),
        (None, ""),
        ("*", ""),
        ("e", ""),
        ("-", ""),
        ("en-" + "abcdefgh-" * 9 + "x", "en-abcdefgh-abcdefgh-abcdefgh-abcde"),
    ],
)
def test_languages(value: str | None, language: str) -> None:
    said = Marks()
    heed_language(said, value)
    assert said.language == language
    assert len(language) <= LANGUAGE_CHARACTERS_MAX


def test_the_first_language_counts() -> None:
    assert marks(("content-language", "?"), ("content-language", "da"), ("content-language", "sv")).language == "da"


# -- anything ----------------------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["x-robots-tag", "refresh", "link", "content-language", "other"])
PARTS = st.lists(st.sampled_from([
    "noindex", "none", "halflife", "googlebot", ":", ",", ";", " ", "0", "5", ".", "url", "=", "'", '"', "/x", "<", ">", "rel",
    "canonical", "en", "-", "_", "unavailable_after", "http://a.b/", "javascript:", "\n", "\xa0", "ü",
]), max_size=20).map("".join)  # fmt: skip


@given(st.lists(st.tuples(NAMES, st.one_of(PARTS, st.text(max_size=30))), max_size=5))
def test_any_headers_say_something_sensible(headers: list[tuple[str, str]]) -> None:
    said = marks(*headers)
    for url in (said.canonical, said.refresh):
        assert not url or canonical(url) == url
    assert said.refresh != URL
    assert said.refresh_seconds >= 0
    assert len(said.language) <= LANGUAGE_CHARACTERS_MAX
    robots = " ".join(value for name, value in headers if name == "x-robots-tag").lower()
    assert not said.noindex or "noindex" in robots or "none" in robots
    assert not said.nofollow or "nofollow" in robots or "none" in robots


@pytest.mark.parametrize(
    "value", ["0" * 50_000 + "x", " " * 50_000 + "x", "," * 50_000, "<a>" * 20_000, '<a>;rel="' * 10_000]
)
def test_long_headers_are_read_in_one_go(value: str) -> None:
    """Were they not, this would not end."""
    names = ("x-robots-tag", "refresh", "link", "content-language")
    assert not marks(*[(name, value) for name in names]).noindex
