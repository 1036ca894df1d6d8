"""Where the links of a page lead, and the fast way to know."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.urls import ADDRESS_CHARACTERS_MAX, HREFS_CACHED, Joiner, _origin_of, canonical, join
from urls.strange import pieced, strange

BASE = "https://example.org/a/b/c.html?x=1"

LINKS = [
    ("", BASE),
    ("#top", BASE),
    ("d.html", "https://example.org/a/b/d.html"),
    ("d.html#top", "https://example.org/a/b/d.html"),
    ("./d.html", "https://example.org/a/b/d.html"),
    ("../d.html", "https://example.org/a/d.html"),
    ("../../d/", "https://example.org/d/"),
    ("../../../../d", "https://example.org/d"),
    ("../", "https://example.org/a/"),
    ("..", "https://example.org/a/"),
    (".", "https://example.org/a/b/"),
    ("./", "https://example.org/a/b/"),
    ("/", "https://example.org/"),
    ("/d/e", "https://example.org/d/e"),
    ("/d/../e", "https://example.org/e"),
    ("/.well-known/x", "https://example.org/.well-known/x"),
    ("d/./e/../f", "https://example.org/a/b/d/f"),
    ("d/..", "https://example.org/a/b/"),
    (".hidden", "https://example.org/a/b/.hidden"),
    ("...", "https://example.org/a/b/..."),
    ("d//e", "https://example.org/a/b/d//e"),
    ("?y=2", "https://example.org/a/b/c.html?y=2"),
    ("?", "https://example.org/a/b/c.html"),
    ("d?utm_source=x", "https://example.org/a/b/d"),
    ("d;jsessionid=1", "https://example.org/a/b/d"),
    ("d%41", "https://example.org/a/b/dA"),
    ("//other.org/d", "https://other.org/d"),
    ("http://other.org", "http://other.org/"),
    ("http://OTHER.org:80/d/../e", "http://other.org/e"),
    ("https://user@other.org/d", "https://other.org/d"),
    ("https:d", "https://example.org/a/b/d"),
    ("https:", BASE),
    ("http:d", "http://d/"),
    ("d:e", None),
    ("./d:e", "https://example.org/a/b/d:e"),
    (" d ", "https://example.org/a/b/d"),
    ("d\n/e", "https://example.org/a/b/d/e"),
    ("\\d", "https://example.org/d"),
    ("\x00", BASE),
    ("\ud800", "https://example.org/a/b/%EF%BF%BD"),
    ("javascript:void(0)", None),
    ("JavaScript:void(0)", None),
    ("mailto:a@example.org", None),
    ("tel:+49", None),
    ("data:text/plain,a#b", None),
    ("http://", None),
    ("http://a..b/", None),
    ("http://0x7f.1/", "http://127.0.0.1/"),
    ("http://a:99999/", None),
    (f"http://{'a' * 400}.org/", None),
]


@pytest.mark.parametrize(("href", "url"), LINKS)
def test_links_lead_where_the_standard_says(href: str, url: str | None) -> None:
    assert join(BASE, href) == url
    joiner = Joiner(BASE)
    assert joiner(href) == url
    assert joiner(href) == url  # remembered


@pytest.mark.parametrize("base", ["", "nonsense", "mailto:a@b.c", "file:///a/b", "http://a b/"])
def test_a_base_that_is_no_address_leaves_absolute_links(base: str) -> None:
    joiner = Joiner(canonical(base) or "")
    for href, url in [
        ("", None),
        ("#a", None),
        ("b", None),
        ("/b", None),
        ("//a.b/", None),
        ("http://a.b", "http://a.b/"),
    ]:
        assert join(base, href) == url
        assert joiner(href) == url


def test_the_base_is_made_canonical_first() -> None:
    base = "HTTPS://u:p@EXAMPLE.org:443/a/../b/c;jsessionid=1?utm_source=x#y"
    assert join(base, "") == "https://example.org/b/c"
    assert join(base, "d") == "https://example.org/b/d"


def test_pages_of_one_directory_differ_in_what_is_their_own() -> None:
    one, other = Joiner("https://example.org/d/one?x"), Joiner("https://example.org/d/other")
    for href in [
        "",
        "#a",
        "?",
        "?y",
        "https:",
        " ",
        "https:?z",
        "https://?q",
        "https:///?q",
        "https://e.f?q",
        "e",
        ".",
        "\n",
    ]:
        assert one(href) == join("https://example.org/d/one?x", href)
        assert other(href) == join("https://example.org/d/other", href)


def test_length() -> None:
    joiner = Joiner(BASE)
    room = ADDRESS_CHARACTERS_MAX - len("https://example.org/")
    assert joiner("/" + "a" * room) == "https://example.org/" + "a" * room
    assert joiner("/" + "a" * (room + 1)) is None
    assert joiner("a" * 1_000_000) is None
    origins = _origin_of.cache_info().currsize
    assert joiner(f"http://{'a' * 1_000_000}/") is None
    assert _origin_of.cache_info().currsize == origins  # what is long is not remembered
    assert joiner("d#" + "a" * 1_000_000) == "https://example.org/a/b/d"


def test_many_links_are_joined_right_though_not_all_can_be_remembered() -> None:
    joiner = Joiner("https://many.example/d/")
    for _ in range(2):
        for number in range(HREFS_CACHED + 10):
            assert joiner(f"{number}.html") == f"https://many.example/d/{number}.html"


plain_name = st.text("abc.019-_~/:@!'()*+,=", max_size=12)
plain_base = st.builds("https://example.org/{}".format, plain_name)
plain_href = st.one_of(plain_name, st.builds("../{}".format, plain_name), st.builds("/{}".format, plain_name))


@given(plain_base, st.lists(plain_href, max_size=8))
def test_the_fast_way_is_the_slow_way_for_plain_names(base: str, hrefs: list[str]) -> None:
    joiner = Joiner(canonical(base) or "")
    assert [joiner(href) for href in hrefs + hrefs] == [join(base, href) for href in hrefs + hrefs]


@given(strange, st.lists(st.one_of(pieced, strange), max_size=8))
def test_the_fast_way_is_the_slow_way_for_anything(base: str, hrefs: list[str]) -> None:
    joiner = Joiner(canonical(base) or "")
    assert [joiner(href) for href in hrefs + hrefs] == [join(base, href) for href in hrefs + hrefs]
