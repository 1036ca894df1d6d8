"""The walk over a page's tree: what text flows out of it, and that both walkers do the same."""

from __future__ import annotations

import os
import random
from array import array
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from halflife.page import walk as walking
from halflife.page.html import KINDS
from halflife.page.walk import (
    LOOKED_INTO_MAX,
    WORDS_MAX,
    Walked,
    has_long_reference,
    parsed,
    tag_number,
    walk,
    walk_plainly,
)

MORE = int(os.environ.get("HALFLIFE_EXAMPLES", "0"))
needs_compiled = pytest.mark.skipif(
    not walking.IS_COMPILED, reason="the walk in C was not built: no compiler was found"
)
WALKERS = [walk_plainly, pytest.param(walk, marks=needs_compiled)]

TAGS = """
<p> </p> <div> </div> <br> <td> <table> </table> <ul> <li> </ul> <h1> </h1> <b> </b> <pre> <x-y> </x-y> <math>
<title> </title> <svg> </svg> <noscript> </noscript> <script> </script> <style> </style> <datalist> <xmp> <plaintext>
<dialog> </dialog> <iframe> </iframe> <frameset> <template> </template> <select> <option> <button> <form> </span>
</body> </html> <head> <object> <video> </video> <picture> </picture> <source> <img> <a> </a>
"""
ATTRIBUTES = """
href=x|href='#x'|href|href=y rel='nofollow me'|href=z title=t|href=z aria-label='l m' hidden|href='&amp;&#0;é'|href=' '
href=' #x'|href='\t y z &#10;#'|xlink:href=h|href=x xlink:title=q|xlink:title=q title=t
src=i alt='a b'|alt=' '|alt=c|hidden|hidden=until-found|hidden=UNTIL-FOUND|hidden=until-found-x|lang=en|xml:lang=de|open
style='display:none'|style='color:red; DISPLAY :\tNone'|style='display:nothing'|style='display'|style|style='display:'
style='displaydisplay:none'|class=c|name=a content=b|rel=next href=n|a"b=c|é=é|data-x
"""
NAMES = "a p b span img body html dialog svg title base link meta area frame iframe video source x-y i"
WHITE = [
    "\n",
    " ",
    "\t x ",
    "&nbsp;",
    "\x85",
    "\u1680",
    "\u2003x",
    "\u2028",
    "\u202f",
    "\u205f",
    "\u3000",
    "\x1c",
    "\x0b",
]
STRANGE = [
    "é",
    "漢字",
    "\U0001f600",
    "&#x80;",
    "\x00",
    "\x01",
    "\ud7ff",
    "&#xd800;",
    "\u200b",
    "\u303f",
    "\u2060",
]
OPENED = [f"<{name} {one}>" for name in NAMES.split() for line in ATTRIBUTES.split("\n") for one in line.split("|")]
PIECES = [*TAGS.split() * 4, *OPENED, *[*WHITE, *STRANGE, "word", "<!-- c -->"] * 8]


def walked(markup: str | bytes, walker: object = walk_plainly, links_max: int = 100, elements_max: int = 100) -> Walked:
    tree = LexborHTMLParser(markup)
    assert tree.root is not None
    assert callable(walker)
    found: Walked = walker(tree.root, tree.body or tree.root, KINDS, links_max, elements_max)
    return found


def links_of(found: Walked) -> list[tuple[str, str | None, int, int, str]]:
    hrefs, rels, starts, ends, words = found[1]
    return list(zip(hrefs, rels, array("i", starts), array("i", ends), words, strict=True))


@pytest.mark.parametrize("walker", WALKERS)
@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("", ""),
        ("  a \n b\t", "a b"),
        ("a<b>b</b>c", "abc"),
        ("a <b> b </b> c", "a b c"),
        ("a<p>b</p>c", "a\nb\nc"),
        ("<p>a</p>\n\n <p>b", "a\nb"),
        ("a<br>b<br><br>c", "a\nb\nc"),
        ("<table><tr><td>a<td>b</table>c", "a\nb\nc"),
        ("<ul><li>a<li>b</ul>c", "a\nb\nc"),
        ("a<script>x</script>b<style>y</style>c", "abc"),
        ("a<svg><text>x</text></svg>b", "ab"),
        ("a<template>x</template>b", "ab"),
        ("<title>t</title>a", "a"),
        ("a<p hidden>x</p>b", "a\nb"),
        ("a<i hidden>x</i>b", "ab"),
        ("a<i hidden=until-found>x</i>b", "axb"),
        ("a<i style='DISPLAY : none !important'>x</i>b", "ab"),
        ("a<i style='display:block'>x</i>b", "axb"),
        ("a<i hidden><b>x</b></i><i>y</i>b", "ayb"),
        ("a<dialog>x</dialog>b", "a\nb"),
        ("a<dialog open>x</dialog>b", "a\nx\nb"),
        ("<body hidden>a", "a"),
        ("<html style='display:none'>a", "a"),
        ("a\xa0\u2003 \u3000b\u200bc", "a b\u200bc"),
        ("a\x1cb\x85c\u1680d\u2028e\u202ff\u205fg", "a b c d e f g"),
        ("<frameset><noframes>x</noframes></frameset>", ""),
        ("<p>é <b>漢字</b></p>\U0001f600", "é 漢字\n\U0001f600"),
    ],
)
def test_text_flows_as_it_is_shown(walker: object, markup: str, text: str) -> None:
    assert walked(markup, walker)[0] == text


@pytest.mark.parametrize("walker", WALKERS)
@pytest.mark.parametrize(
    ("markup", "link"),
    [
        ("x <a href=y>  two <b>words</b> </a> z", ("y", None, 2, 11, "")),
        ("<p>é</p><a href=y rel=next>漢</a>", ("y", "next", 2, 3, "")),
        ("<a href=y>a<p>b</p></a>", ("y", None, 0, 3, "")),
        ("x<a href=y></a>", ("y", None, 0, 0, "")),
        ("x<a href=y><img alt=' p '><img alt=' '><img alt=q></a>", ("y", None, 0, 0, " p  q")),
        ("x<a href=y title=t aria-label=l></a>", ("y", None, 0, 0, "t")),
        ("x<a href=y title=' ' aria-label=l></a>", ("y", None, 0, 0, "l")),
        ("x<a href=y hidden>a<script>s</script> b</a>", ("y", None, 0, 0, "a b")),
        ("x<p hidden><a href=y title=t> </a>", ("y", None, 0, 0, "t")),
        ("x<a href=y><i hidden>no</i></a>", ("y", None, 0, 0, "")),
        ("<noscript><a href=y>a</a></noscript>", ("y", None, 0, 0, "a")),
        ("<svg><a href=y>a</a></svg>", ("y", None, 0, 0, "a")),
    ],
)
def test_a_link_knows_where_its_words_stand_or_brings_them(walker: object, markup: str, link: object) -> None:
    assert links_of(walked(f"<body>{markup}", walker)) == [link]


@pytest.mark.parametrize("walker", WALKERS)
def test_what_leads_nowhere_else_is_no_link(walker: object) -> None:
    assert links_of(walked("<a>a</a><a href>b</a><a href=''>c</a><a href='#d'>d</a>", walker)) == []


@pytest.mark.parametrize("walker", WALKERS)
def test_elements_come_with_their_place_their_parent_and_their_attributes(walker: object) -> None:
    markup = (
        "<html lang=en><title>A <b>t</b></title><p>é <a href=x>l</a> <picture><source src=s><img alt=i></picture>"
        " <h2>h<br>i</h2>"
    )
    names = {tag_number(name): name for name in ["html", "head", "title", "body", "picture", "source", "img", "h2"]}
    found = walked(markup, walker)[2]
    elements = [(names[tag], names.get(parent, ""), *rest) for tag, parent, *rest in found]
    assert elements == [
        ("html", "", 0, -1, -1, "", {"lang": "en"}),
        ("title", "head", 0, -1, -1, "A <b>t</b>", {}),
        ("source", "picture", 1, 3, 3, "", {"src": "s"}),
        ("img", "picture", 1, 3, 3, "", {"alt": "i"}),
        ("h2", "body", 1, 4, 7, "", {}),
    ]


@pytest.mark.parametrize("walker", WALKERS)
def test_what_is_concealed_is_told_from_what_is_outside_of_the_body(walker: object) -> None:
    found = walked("<meta name=a><p hidden><img src=b></p><svg><title>c</title></svg>", walker)[2]
    assert [start for _, _, _, start, *_ in found] == [-1, -1, -2, -2]


@pytest.mark.parametrize("walker", WALKERS)
def test_limits_hold_and_links_beyond_them_are_counted(walker: object) -> None:
    found = walked("<a href=x>a</a><img>" * 10, walker, links_max=3, elements_max=4)
    assert (len(links_of(found)), len(found[2]), found[3]) == (3, 4, 7)
    assert walked("<a href=x>a</a><img>", walker, links_max=0, elements_max=0) == ("a", ([], [], b"", b"", []), [], 1)


@pytest.mark.parametrize("walker", WALKERS)
def test_words_that_are_not_in_the_text_are_looked_for_so_far_and_no_farther(walker: object) -> None:
    [(*_, words)] = links_of(walked(f"<a href=y hidden>{'<b>x</b>' * LOOKED_INTO_MAX}</a>", walker))
    assert words == "x" * (LOOKED_INTO_MAX // 2 - 1)
    [(*_, words)] = links_of(walked(f"<a href=y>{'<b></b>' * LOOKED_INTO_MAX}<img alt=x></a>", walker))
    assert words == ""


@pytest.mark.parametrize("walker", WALKERS)
@pytest.mark.parametrize(
    "markup",
    [
        f"<svg>{'<a href=x>' * 300}{'é' * 200_000}",
        f"<div hidden>{'<a href=x><object>' * 300}{'<b>é</b>' * 200_000}",
        f"<body>{'<a href=x><object>' * 300}<img alt='{'é' * 200_000}'>",
        "<body>" + f"<a href=x title={'é' * 20_000}><object>" * 30,
    ],
)
def test_links_in_each_other_do_not_multiply_their_words(walker: object, markup: str) -> None:
    words = [words for *_, words in links_of(walked(markup, walker, links_max=1000))]
    assert len(words) >= 30
    assert all(0 < len(word) <= WORDS_MAX and not word.strip("é") for word in words[:20])


@needs_compiled
@pytest.mark.parametrize("seed", range(3))
def test_both_walkers_find_the_same_on_large_broken_pages(seed: int) -> None:
    rng = random.Random(seed)
    same("".join(rng.choices(PIECES, k=20_000)), 1_000, 1_000)


@needs_compiled
@settings(max_examples=MORE or 600, derandomize=not MORE, deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=40).map("".join),
    st.integers(0, 4),
    st.integers(0, 6),
)
def test_both_walkers_find_the_same(markup: str, links_max: int, elements_max: int) -> None:
    same(markup, links_max, elements_max)


def same(markup: str, links_max: int, elements_max: int) -> None:
    body = markup.encode("utf-8", "replace")
    plain = walked(body, walk_plainly, links_max, elements_max)
    compiled = walked(body, walk, links_max, elements_max)
    for ours, theirs in zip(plain, compiled, strict=True):
        assert ours == theirs


def test_without_the_functions_that_it_needs_the_compiled_walk_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("selectolax.lexbor.__file__", os.__file__)
    assert walking._compiled() is None


@pytest.mark.parametrize("is_there", [has_long_reference, walking._has_long_reference])
@pytest.mark.parametrize("before", ["", "&", "&n", "&&nGt", "&nbsp;" * 100])
def test_references_that_overflow_the_parsers_buffer_are_seen(is_there: Callable[[bytes], bool], before: str) -> None:
    for reference in ("&nGt;", "&nLt;"):
        for after in ("", "x", ";"):
            assert is_there(f"{before}{reference}{after}".encode())
            assert not is_there(f"{before}{reference[:-1]}{after.replace(';', ',')}".encode())
    assert not is_there(b"&ngt;&amp;nGt;&nXt;&nGT;&nGt &N")


def test_references_that_overflow_the_parsers_buffer_are_resolved_before_it() -> None:
    body = parsed(f"<p title='&nLt;'>&nLt; &ngt; &amp;nGt;{'&nGt;' * 10_000}".encode()).body
    assert body is not None
    assert body.text() == "\u226a\u20d2 \u226f &nGt;" + "\u226b\u20d2" * 10_000
    assert body.css("p")[0].attributes == {"title": "\u226a\u20d2"}


def test_a_walk_that_finds_something_else_is_not_taken() -> None:
    assert walking._is_same(walk_plainly)
    assert walking._is_same(walk)
    assert not walking._is_same(lambda *_: ("a d", ([], [], b"", b"", []), [], 0))


@needs_compiled
def test_the_compiled_walk_refuses_what_it_cannot_walk() -> None:
    compiled: Any = walk
    node, stranger, nothing = LexborHTMLParser("").root, SimpleNamespace(mem_id="x"), SimpleNamespace(mem_id=0)
    for root, body in [(None, node), (node, 1), (stranger, node)]:
        with pytest.raises((AttributeError, TypeError)):
            compiled(root, body, b"", 1, 1)
    for root, *limits in [(nothing, 1, 1), (node, -1, 1), (node, 1, -1)]:
        with pytest.raises(ValueError, match=r"no node|below zero"):
            compiled(root, node, b"", *limits)
