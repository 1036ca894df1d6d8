"""What links say of the topic, in their own words and in those around them: the same as looking at each by itself."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from halflife.judge import Topic, link_share, link_shares, parse_topic, topic_share
from halflife.records import Link
from halflife.urls import canonical, text_of
from judge import plainly
from judge.made import BETWEEN, URL, WORDS, page, topics, unhurried

FILLER = "prose " * 40
SOLAR_ENERGY = parse_topic("solar energy")


def shares(text: str, topic: str, *links: Link) -> dict[int, tuple[float, float]]:
    return link_shares(page(text=text, links=links), parse_topic(topic))


def placed(text: str, words: str, url: str = URL) -> Link:
    """A link on the words, where they first stand in the text."""
    start = text.index(words)
    return Link(url, words, start, start + len(words))


# -- in its own words and address --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "anchor", "share"),
    [
        ("http://h.example/solar-energy", "", 1.0),
        ("http://h.example/solar", "", 0.5),
        ("http://h.example/", "Solar", 0.5),
        ("http://h.example/solar", "Energies", 1.0),
        ("http://h.example/solar", "solar", 0.5),
        ("http://h.example/SolarEnergy", "", 1.0),
        ("http://h.example/a?q=solar%20energy", "", 1.0),
        ("http://solar.example/", "", 0.5),
        ("http://h.example/parasolar", "solarium", 0.0),
        ("http://h.example/", "", 0.0),
    ],
)
def test_words_and_address_together(url: str, anchor: str, share: float) -> None:
    assert link_share(url, anchor, SOLAR_ENERGY) == share
    assert shares("", "solar energy", Link(url, anchor)) == ({0: (share, 0.0)} if share else {})


@pytest.mark.parametrize(
    ("typed", "topic"),
    [
        ("http://h.example/b%C3%BCcher", "bücher"),
        ("http://h.example/b%FCcher", "bücher"),
        ("http://bücher.example/", "bücher"),
        ("http://h.example/stra%C3%9Fe", "strasse"),
        ("http://h.example/%E8%83%BD%E6%BA%90", "能源"),
        ("http://h.example/a%0Asolar", "solar"),
        ("http://h.example/so%C2%ADlar", "solar"),
    ],
)
def test_addresses_are_undone(typed: str, topic: str) -> None:
    url = canonical(typed)
    assert url
    others = (Link("http://h.example/a"), Link("http://h.example/%41%0A%C3%A4"), Link("http://h.example/b", "x\ny"))
    assert shares("", topic, *others, Link(url), *others) == {3: (1.0, 0.0)}


def test_an_anchor_of_several_lines_is_still_one() -> None:
    links = [Link(URL, "a\nb\nc"), Link(URL, "d\nsolar\ne"), Link(URL, "f"), Link(URL, "solar"), Link(URL, "")]
    assert shares("", "solar", *links) == {1: (1.0, 0.0), 3: (1.0, 0.0)}


def test_an_unwanted_word_leaves_nothing() -> None:
    links = [Link(URL, "solar"), Link(URL, "solar, nuclear"), Link("http://h.example/nuclear", "solar")]
    assert shares("", "solar -nuclear", *links) == {0: (1.0, 0.0)}


def test_no_links_have_no_shares() -> None:
    assert shares("solar", "solar") == {}


# -- in the words around it --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("between", "near"), [(0, 1.0), (74, 1.0), (75, 0.0), (500, 0.0)])
@pytest.mark.parametrize("before", [True, False])
def test_what_stands_within_80_characters_is_near(before: bool, between: int, near: float) -> None:
    # "solar" is 5 characters: with 74 and a blank between, it begins (or ends) 80 characters away.
    gap = " " + "." * between
    text = f"{FILLER}solar{gap}here {FILLER}" if before else f"{FILLER}here{gap[::-1]}solar {FILLER}"
    assert shares(text, "solar", placed(text, "here")) == ({0: (0.0, near)} if near else {})


def test_its_own_words_are_near_it_however_long_they_are() -> None:
    words = f"begin {FILLER}solar {FILLER}end"
    text = f"{FILLER}{words} {FILLER}"
    assert shares(text, "solar energy", placed(text, words)) == {0: (0.5, 0.5)}


def test_near_is_only_what_is_near() -> None:
    text = (
        f"Of solar things: first. {FILLER} second {FILLER} Of solar energy: third. {FILLER} Of nuclear energy: fourth"
    )
    links = [placed(text, word) for word in ("first", "second", "third", "fourth")]
    assert shares(text, "solar energy", *links) == {0: (0.0, 0.5), 2: (0.0, 1.0), 3: (0.0, 0.5)}
    assert shares(text, "solar energy -nuclear", *links) == {0: (0.0, 0.5), 2: (0.0, 1.0)}
    assert shares(text, '"solar energy"', *links) == {2: (0.0, 1.0)}
    assert shares(text, "wind", *links) == {}


def test_a_link_without_a_place_has_nothing_near_it() -> None:
    assert shares("solar energy", "solar energy", Link(URL), placed("solar energy", "energy")) == {1: (0.5, 1.0)}


def test_where_folding_changes_the_length_near_is_told_by_the_line() -> None:
    text = f"Straße, Straße, Straße\nsolar {'.' * 74} here\n{FILLER}\nSolar\u00adzellen: there"
    there, here = placed(text, "there"), placed(text, "here")
    assert shares(text, "solar zellen solarzellen", there, here) == {0: (0.0, 1.0)}
    assert shares(text, "solar", there, here) == {}
    closer = text.replace("." * 74, "." * 73)
    assert shares(closer, "solar", placed(closer, "there"), placed(closer, "here")) == {1: (0.0, 1.0)}


# -- against looking at each link by itself ----------------------------------------------------------------------------

pieces = st.lists(
    st.tuples(st.sampled_from((*WORDS, "prose " * 4, "prose " * 12)), st.sampled_from(BETWEEN)), max_size=20
)
urls = st.just("http://xn--bcher-kva.example/") | st.lists(
    st.sampled_from((*WORDS, "\n", "ü", "\udcfc")), max_size=3
).map(lambda words: "http://h.example/" + "/".join(quote(word, errors="surrogateescape") for word in words))


@st.composite
def texts_with_links(draw: st.DrawFn) -> tuple[str, list[Link]]:
    """Text in which some words are links, and links that are nowhere in it, in any order."""
    text = ""
    links = []
    for word, after in draw(pieces):
        if draw(st.booleans()):
            links.append(Link(draw(urls), word, len(text), len(text) + len(word)))
        text += word + after
    nowhere = draw(st.lists(st.builds(Link, urls, st.sampled_from(("", "solar energy", "file\nsystem"))), max_size=3))
    return text, draw(st.permutations(links + nowhere))


@unhurried
@given(texts_with_links(), topics())
@example(("solar", [Link("http://h.example/%FC", "solar", 0, 5)]), parse_topic("solar ü"))
@example(("solar", [Link(URL, "solar", 0, 5), Link(URL, "")]), parse_topic("solar"))
@example(("file windows", [Link(URL, "file windows", 0, 12)]), parse_topic("file window -windows"))
def test_shares_are_those_of_each_link_by_itself(made: tuple[str, list[Link]], topic: Topic) -> None:
    text, links = made
    whole = page(text=text, links=tuple(links))
    found = link_shares(whole, topic)
    assert found == {place: pytest.approx(both) for place, both in plainly.link_shares(whole, topic).items()}
    assert list(found) == sorted(found)
    assert all(0 <= share <= 1 and 0 <= near <= 1 and share + near > 0 for share, near in found.values())


@unhurried
@given(texts_with_links(), topics(), st.data())
def test_of_some_links_it_is_the_same_as_of_all(
    made: tuple[str, list[Link]], topic: Topic, data: st.DataObject
) -> None:
    text, links = made
    whole = page(text=text, links=tuple(links))
    every = link_shares(whole, topic)
    some = sorted(data.draw(st.sets(st.sampled_from(range(len(links)))))) if links else []
    assert link_shares(whole, topic, some) == {place: every[place] for place in some if place in every}


@unhurried
@given(texts_with_links(), topics())
def test_a_link_says_the_same_whatever_the_others_say(made: tuple[str, list[Link]], topic: Topic) -> None:
    text, links = made
    together = link_shares(page(text=text, links=tuple(links)), topic)
    for place, link in enumerate(links):
        assert link_shares(page(text=text, links=(link,)), topic).get(0) == together.get(place)


@given(urls, st.sampled_from(WORDS), topics())
def test_the_share_of_a_link_is_that_of_its_words_and_address(url: str, anchor: str, topic: Topic) -> None:
    for _ in range(2):  # the second time it is remembered
        assert link_share(url, anchor, topic) == topic_share(f"{anchor}\n{text_of(url)}", topic)


@pytest.mark.parametrize(("between", "every"), [(70, 7), (90, None)])
def test_hundreds_of_links_in_a_long_text_are_told_apart(between: int, every: int | None) -> None:
    text, links = "", []
    for number in range(500):
        text += f"{'Other' if number % 7 else 'Solar'} {'.' * between} "
        links.append(Link(URL, "here", len(text), len(text) + 4))
        text += f"here {'.' * 90}\n"
    near = set(range(0, 500, every)) if every else set()
    assert set(shares(text, "solar", *links)) == near
