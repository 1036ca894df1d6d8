"""What belongs to a crawl."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.errors import SettingError
from halflife.plan import Scope
from halflife.plan.scope import ORIGINS_REMEMBERED, PATTERN_CHARACTERS_MAX

SEED = "https://docs.example.org/guide/start?x=/y/"

INSIDE = {
    "site": [
        "https://docs.example.org/",
        "http://example.org/a",
        "https://deep.blog.example.org:8443/",
    ],
    "host": [
        "https://docs.example.org/",
        "http://docs.example.org/a",
        "https://www.docs.example.org/",
    ],
    "prefix": [
        "https://docs.example.org/guide/",
        "http://docs.example.org/guide/deep/er?x=y",
        "https://www.docs.example.org/guide/x",
    ],
    "any": ["https://other.net/", "http://[::1]:80/"],
}
OUTSIDE = {
    "site": ["https://example.com/", "https://badexample.org/", "https://example.org.evil.net/", "http://127.0.0.1/"],
    "host": [
        "https://example.org/",
        "https://x.docs.example.org/",
        "https://docs.example.org:8443/",
        "https://docs.example.or/",
    ],
    "prefix": [
        "https://docs.example.org/",
        "https://docs.example.org/guide",
        "https://docs.example.org/guides/",
        "https://docs.example.org/other/guide/",
        "https://docs.example.org/?p=/guide/",
        "https://example.org/guide/",
    ],
    "any": [],
}


@pytest.mark.parametrize("scope", INSIDE)
def test_what_lies_in_scope(scope: str) -> None:
    asked = Scope(scope, (SEED,), (), ())
    for _ in range(2):  # once fresh, once remembered
        assert [asked.refuses(url) for url in INSIDE[scope]] == [""] * len(INSIDE[scope])
        assert [asked.refuses(url) for url in OUTSIDE[scope]] == ["out_of_scope"] * len(OUTSIDE[scope])


def test_www_makes_no_difference_either_way() -> None:
    assert Scope("host", ("https://www.example.org/",), (), ()).refuses("http://example.org/a") == ""
    assert Scope("prefix", ("http://www.example.org/a/b",), (), ()).refuses("https://example.org/a/c") == ""


def test_several_seeds() -> None:
    asked = Scope("prefix", ("https://a.org/x/", "https://a.org/long/er/y", "https://b.org/"), (), ())
    inside = ["https://a.org/x/1", "https://a.org/long/er/1", "https://b.org/1"]
    outside = ["https://a.org/", "https://a.org/long/", "https://c.org/"]
    assert [asked.refuses(url) for url in inside] == ["", "", ""]
    assert [asked.refuses(url) for url in outside] == ["out_of_scope"] * 3


def test_no_seeds_no_scope() -> None:
    assert Scope("site", (), (), ()).refuses("https://a.org/") == "out_of_scope"
    assert Scope("prefix", (), (), ()).refuses("https://a.org/") == "out_of_scope"
    assert Scope("any", (), (), ()).refuses("https://a.org/") == ""


def test_patterns_are_searched_in_the_address() -> None:
    asked = Scope("any", (), ("/docs/", r"\.txt$"), (r"/old", r"[?&]print=", "(?i)secret"))
    expected = {
        "https://a.org/docs/x": "",
        "https://a.org/x.txt": "",
        "https://a.org/x.txt?y": "not_included",
        "https://a.org/Docs/x": "not_included",
        "https://a.org/docs/old": "excluded",
        "https://a.org/docs/x?print=1": "excluded",
        "https://a.org/docs/SECRET": "excluded",
    }
    assert {url: asked.refuses(url) for url in expected} == expected


def test_out_of_scope_comes_first() -> None:
    asked = Scope("host", ("https://a.org/",), ("x",), ("y",))
    assert asked.refuses("https://b.org/y") == "out_of_scope"
    assert asked.refuses("https://a.org/y") == "not_included"
    assert asked.refuses("https://a.org/xy") == "excluded"


def test_a_seed_is_refused_by_exclude_alone() -> None:
    seeds = ("https://a.org/start", "https://a.org/bad")
    asked = Scope("prefix", seeds, ("/docs/",), ("bad",))
    assert asked.refuses("https://a.org/start") == ""
    assert asked.refuses("https://a.org/bad") == "excluded"
    assert asked.refuses("https://a.org/else") == "not_included"


@pytest.mark.parametrize(
    ("scope", "include", "exclude", "message"),
    [
        ("planet", "", "", "--scope 'planet': must be one of site, host, prefix, any"),
        ("any", "*.pdf", "", "--include '*.pdf': not a regular expression (nothing to repeat at position 0); "),
        (
            "any",
            "",
            "a(b",
            "--exclude 'a(b': not a regular expression (missing ), unterminated subpattern at position 1); ",
        ),
        ("any", "", "a{99999999999}", "(the repetition number is too large)"),
        ("any", "", "a\n(", "--exclude 'a\\n('"),
        ("any", "", "(?P<a>", "quote special characters such as . ? + with a backslash"),
        ("any", "", "x" * (PATTERN_CHARACTERS_MAX + 1), f"longer than {PATTERN_CHARACTERS_MAX} characters"),
    ],
)
def test_mistakes_are_named(scope: str, include: str, exclude: str, message: str) -> None:
    with pytest.raises(SettingError) as caught:
        Scope(scope, (), tuple(filter(None, [include])), tuple(filter(None, [exclude])))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_an_empty_pattern_is_a_mistake() -> None:
    with pytest.raises(SettingError, match="empty pattern"):
        Scope("any", (), (), ("",))


def test_a_pattern_that_may_change_its_meaning_is_taken_as_it_is_now() -> None:
    assert Scope("any", (), (), ("[[a]b",)).refuses("https://x.org/ab") == "excluded"


@given(st.text("a(b)[c]{d}*+?\\|^$.,0129\x00ü", max_size=20))
def test_any_pattern_compiles_or_is_refused(pattern: str) -> None:
    try:
        asked = Scope("any", (), (), (pattern,))
    except SettingError:
        return
    assert asked.refuses("https://a.org/") in ("", "excluded")


def test_memory_of_origins_is_bounded_and_right() -> None:
    asked = Scope("site", ("https://example.org/",), (), ())
    for number in range(ORIGINS_REMEMBERED + 2):
        asked._origins[f"https://{number}.net"] = False
    assert asked.refuses("https://a.example.org/") == ""
    assert asked.refuses("https://1.net/") == "out_of_scope"
    assert len(asked._origins) == 2
