"""Pages of plain text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.page.marks import Marks
from halflife.page.plain import LINKS_MAX, TITLE_CHARACTERS_MAX, read_plain
from halflife.records import Link, Links, Page
from halflife.urls import ADDRESS_CHARACTERS_MAX, canonical
from page.fetched import URL


def plain(text: str) -> Page:
    return read_plain(URL, text, "utf-8", Marks())


def test_a_text_with_addresses() -> None:
    text = "Wind  and sun\r\n\r\n\tSee http://example.org/a#b, and\x00(HTTPS://Example.org/c_(d)).\n \n Bye\u2028bye"
    assert plain(text) == Page(
        URL,
        URL,
        "plain",
        "utf-8",
        title="Wind and sun",
        text="Wind and sun\nSee http://example.org/a#b, and (HTTPS://Example.org/c_(d)).\nBye\nbye",
        links=Links.of(
            [
                Link("http://example.org/a", "http://example.org/a#b", 17, 39),
                Link("https://example.org/c_(d)", "HTTPS://Example.org/c_(d)", 46, 71),
            ]
        ),
    )


def test_what_headers_said_is_the_page_s() -> None:
    marks = Marks(True, True, "https://example.org/c", "de", "https://example.org/r", 3.0)
    page = read_plain(URL, "a", "koi8-r", marks)
    assert (page.noindex, page.nofollow, page.canonical, page.language) == (True, True, "https://example.org/c", "de")
    assert (page.refresh, page.refresh_seconds, page.charset) == ("https://example.org/r", 3.0, "koi8-r")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("http://a.b", "http://a.b"),
        ("<http://a.b/c>", "http://a.b/c"),
        ('"http://a.b/c"', "http://a.b/c"),
        ("[x](http://a.b/c)", "http://a.b/c"),
        ("(see http://a.b/c).", "http://a.b/c"),
        ("http://a.b/c(d)", "http://a.b/c(d)"),
        ("((http://a.b/c_(d)))!", "http://a.b/c_(d)"),
        ("http://a.b/c?d=e&f=g!", "http://a.b/c?d=e&f=g"),
        ("*http://a.b/c*", "http://a.b/c"),
        ("http://a.b/c...", "http://a.b/c"),
        ("http://a.b/c\nd", "http://a.b/c"),
        ("http://a.b/ü", "http://a.b/ü"),
        ("x=http://a.b/http://c.d/", "http://a.b/http://c.d/"),
    ],
)
def test_where_an_address_ends(text: str, words: str) -> None:
    (link,) = plain(text).links
    assert (link.anchor, link.url) == (words, canonical(words))


@pytest.mark.parametrize("text", ["", " \n", "http://", "http://...", "https:/a.b", "ftp://a.b/", "a.b/c", "http://)"])
def test_texts_without_addresses(text: str) -> None:
    assert not plain(text).links


def test_links_beyond_the_limit_are_counted() -> None:
    page = plain("http://a.b/ http://...\n" * (LINKS_MAX + 3))
    assert (len(page.links), page.links_cut) == (LINKS_MAX, 3)


def test_an_address_that_is_too_long_is_none() -> None:
    longest = "http://a.b/".ljust(ADDRESS_CHARACTERS_MAX, "x")
    assert [link.url for link in plain(f"{longest} {longest}x {longest}{'x' * 5000}").links] == [longest]


def test_the_title_is_the_first_line_cut() -> None:
    assert plain(f"\n\n {'x' * (TITLE_CHARACTERS_MAX - 1)} y\nz").title == "x" * (TITLE_CHARACTERS_MAX - 1)


@given(
    st.lists(
        st.sampled_from(
            ["http://", "a.b/", "(", ")", ".", " ", "\n", "\r", "\x0c", "\x85", "\u2029", "\xa0", "\0", "x"]
        )
    )
)
def test_any_text_is_folded_and_its_links_stand_in_it(pieces: list[str]) -> None:
    page = plain("".join(pieces))
    assert [" ".join(line.split()) for line in page.text.split("\n")] == page.text.split("\n")
    assert "\n\n" not in page.text
    assert page.text == page.text.strip()
    for link in page.links:
        assert page.text[link.start : link.end] == link.anchor
        assert canonical(link.anchor) == link.url
