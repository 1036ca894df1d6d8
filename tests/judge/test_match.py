"""Terms are found where a reader sees them, as whole words, and none twice."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from halflife.judge import Topic, parse_topic, topic_share
from halflife.judge.match import Finder, humps, matcher
from halflife.judge.topic import fold_text
from judge import plainly
from judge.made import texts, topics, unhurried


def found(text: str, topic: str) -> dict[str, int]:
    """What was found how often."""
    parsed = parse_topic(topic)
    counts = matcher(parsed).counts(fold_text(text))
    return {term.words: count for term, count in zip(parsed.terms, counts, strict=True) if count}


def beside(text: str, topic: str) -> list[int]:
    """How often each pair was found."""
    return matcher(parse_topic(topic)).pair_counts(fold_text(text))


# -- borders -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["solar", "a solar day", "SOLAR!", "solar_cell", "solar-powered", "(solar)", "日solar能"]
)
def test_a_term_is_found_where_a_word_begins_and_ends(text: str) -> None:
    assert found(text, "solar") == {"solar": 1}


@pytest.mark.parametrize("text", ["parasolar", "solarium", "solar2", "2solar", "ésolar", "solarа", "sol ar", ""])
def test_a_term_is_not_found_within_a_longer_word(text: str) -> None:
    assert found(text, "solar") == {}


@pytest.mark.parametrize(
    ("text", "topic", "times"),
    [
        ("c++ and c++11, not c or obj-c", "c++", 2),
        ("c, c++, c#, abc", "c", 3),
        ("a .net and asp.net, .network", ".net", 2),
        ("node.js, node.jsx, xnode.js", "node.js", 1),
        ("at&t", "at&t", 1),
        ("python 3.11 3.110", "3.11", 1),
    ],
)
def test_borders_are_asked_for_only_at_letters_and_digits(text: str, topic: str, times: int) -> None:
    assert sum(found(text, topic).values()) == times


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("可再生能源政策", "能源"),
        ("太陽光はきれい", "太陽"),
        ("พลังงานแสงอาทิตย์", "แสงอาทิตย์"),
        ("พลังงานสะอาด", "พลังงาน"),
        ("ພະລັງງານແສງຕາເວັນ", "ແສງ"),
        ("ថាមពលពន្លឺព្រះអាទិត្យ", "ពន្លឺ"),
        ("နေရောင်ခြည်စွမ်းအင်", "စွမ်းအင်"),
        ("ཉི་མའི་ནུས་པ", "ནུས"),
        ("ソーラーパネル", "パネル"),
        ("使用python编程", "python"),
        ("𠀀𠀁𠀂", "𠀁"),
    ],
)
def test_scripts_without_blanks_have_no_borders(text: str, topic: str) -> None:
    assert sum(found(text, topic).values()) == 1


# -- plurals -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("topic", "finds"),
    [
        ("cell", "cell cells celles"),
        ("cells", "cell cells"),
        ("process", "process processes"),
        ("energy", "energy energies energys"),
        ("energies", "energies"),
        ("box", "box boxes"),
        ("bus", "bus buses"),
        ("panneau", "panneau"),
        ("straße", "Straße strasse STRASSES"),
        ('"solar cell"', "solar-cells"),
    ],
)
def test_the_last_word_finds_its_plural(topic: str, finds: str) -> None:
    for word in finds.split():
        assert sum(found(word, topic).values()) == 1, word


@pytest.mark.parametrize(
    ("topic", "text"),
    [
        ("cell", "cellar cellss cel"),
        ("us", "u uss uses"),
        ("is", "i iss"),
        ("gas", "ga"),
        ("glass", "glas"),
        ("energy", "energ energie"),
        ("c++", "c c+"),
        ("3d", "3"),
        ("b2b", "b2"),
        ("mp3", "mp3s"),
        ('"solar cell"', "solars cell"),
    ],
)
def test_what_only_looks_like_a_plural_is_not_found(topic: str, text: str) -> None:
    assert found(text, topic) == {}


def test_a_plural_that_counts_the_other_way_is_told_apart() -> None:
    assert found("apple apples apple", "apple -apples") == {"apple": 2, "apples": 1}
    assert found("apple apples apple", "apples -apple") == {"apples": 1, "apple": 2}
    assert found("energies energy", "energy -energies") == {"energy": 1, "energies": 1}
    assert topic_share("apple", parse_topic("apple -apples")) == 1.0
    assert topic_share("apples", parse_topic("apple -apples")) == 0.0
    assert beside("file windows file window", "file window -windows") == [1]


# -- phrases and pairs -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["solar energy", "Solar-Energy", "solar_energies", "solar\u00a0energy"])
def test_the_words_of_a_phrase_follow_one_another(text: str) -> None:
    assert found(text, '"solar energy"') == {"solar energy": 1}


@pytest.mark.parametrize(
    "text",
    ["energy solar", "solar and energy", "solar, energy", "solar\nenergy", "solar  energy", "solarenergy", "solar", ""],
)
def test_what_stands_otherwise_is_no_phrase(text: str) -> None:
    assert found(text, '"solar energy"') == {}


@pytest.mark.parametrize("text", ["file system", "file-systems", "file_system", "filesystem", "FileSystems"])
def test_a_pair_may_be_run_together(text: str) -> None:
    assert beside(text, "file system") == [1]


@pytest.mark.parametrize("text", ["system file", "file\nsystem", "file, system", "profile system", "filesystemic"])
def test_what_stands_otherwise_is_no_pair(text: str) -> None:
    assert beside(text, "file system") == [0]


def test_a_pair_is_not_found_in_what_an_unwanted_term_takes() -> None:
    topic = 'solar energy -"solar energy drink"'
    assert beside("solar energy drink, solar energy", topic) == [1]
    assert found("solar energy drink, solar energy", topic) == {"solar energy drink": 1, "solar": 1, "energy": 1}
    assert beside("file system, filesystem", "file system -filesystem") == [1]
    assert beside("solar energy", "solar energy -nuclear") == [1]


# -- no match twice ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "topic", "counted"),
    [
        ("solar energy solar", 'solar "solar energy"', {"solar energy": 1, "solar": 1}),
        ("a solar energy store", '"solar energy" "energy store"', {"solar energy": 1}),
        ("node.js.org", "js.org node.js", {"node.js": 1}),
        ("太阳能源", "太阳能 能源", {"太阳能": 1}),
        ("能能能", '"能能" 能', {"能能": 1, "能": 1}),
        ("c++11", "c++ c++11", {"c++11": 1}),
        ("a b a b a", '"a b a" b', {"a b a": 1, "b": 1}),
    ],
)
def test_of_terms_that_overlap_the_leftmost_counts_and_then_the_longest(
    text: str, topic: str, counted: dict[str, int]
) -> None:
    assert found(text, topic) == counted


@pytest.mark.parametrize("topic", ["cell cells", '"wind-power" "wind power"', 'x "cell" "cells"'])
def test_terms_that_are_the_same_share_their_matches(topic: str) -> None:
    same = {words: 2 for words in (term.words for term in parse_topic(topic).terms) if words != "x"}
    assert found("cells, cell, wind power; wind_power", topic) == same


def test_the_same_wanted_and_unwanted_is_wanted() -> None:
    assert found("wind power", 'wind-power -"wind power"') == {"wind-power": 1}


letters = st.text(st.sampled_from("aabbs +-_\n能"), max_size=14)
small_topics = st.lists(
    st.builds("{}{}".format, st.sampled_from(["", "-"]), st.text(st.sampled_from("abs+-能"), min_size=1, max_size=4)
              | st.text(st.sampled_from("aabs -能"), min_size=1, max_size=6).map('"{}"'.format)),
    max_size=4,
).map(lambda others: parse_topic(" ".join(["zz^100", *others])))  # fmt: skip


@unhurried
@given(texts | letters, topics() | small_topics)
@example("straße solar energies FileSystem", parse_topic("file system solar energy"))
@example("solar energy drink, solar energy-drink", parse_topic('solar energy -"solar energy drink"'))
def test_counts_are_those_of_a_plain_search(text: str, topic: Topic) -> None:
    folded = fold_text(text)
    ready = matcher(topic)
    assert (list(ready.counts(folded)), ready.pair_counts(folded)) == plainly.counts(folded, topic)


@settings(unhurried, max_examples=300)
@given(letters, small_topics)
def test_counts_are_those_of_a_plain_search_also_where_everything_overlaps(folded: str, topic: Topic) -> None:
    ready = matcher(topic)
    assert (list(ready.counts(folded)), ready.pair_counts(folded)) == plainly.counts(folded, topic)


@unhurried
@given(texts | letters, small_topics | topics())
def test_each_term_by_itself_is_where_a_plain_search_finds_it(text: str, topic: Topic) -> None:
    folded = fold_text(text)
    ready = matcher(topic)
    plain = [one for part in plainly.matches(topic) for one in part]
    for finder, one, together in zip((*ready.finders, *ready.pairs), plain, ready.spans(folded), strict=True):
        spans = finder.spans(folded)
        assert spans == together == plainly.spans(one, folded)
        assert finder.occurs(folded) == bool(spans)
        assert not spans or any(stem in folded for stem in ready.stems_all)


@unhurried
@given(texts, topics())
def test_a_wanted_term_occurs_only_where_one_of_the_stems_does(text: str, topic: Topic) -> None:
    ready = matcher(topic)
    folded = fold_text(text)
    if any([*ready.counts(folded)[: ready.wanted], *ready.pair_counts(folded)]):
        assert any(stem in folded for stem in ready.stems)


@unhurried
@given(topics())
def test_every_term_finds_itself(topic: Topic) -> None:
    for term, finder in zip(topic.terms, matcher(topic).finders, strict=True):
        assert finder.spans(term.words) == [(0, len(term.words))]
        assert finder.spells(term.words)


@pytest.mark.parametrize("unit", ["solar ", "solar", "a", "file ", "c+", "-", "能"])
def test_long_texts_are_counted_in_one_go(unit: str) -> None:
    text = unit * 20_000
    parsed = parse_topic('solar "solar energy" "file file" c++ "能能" filesystem')
    assert found(text, parsed.text) == {
        "solar ": {"solar": 20_000}, "file ": {"file file": 10_000}, "能": {"能能": 10_000}
    }.get(unit, {})  # fmt: skip


# -- short texts -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("ThreadLocalRandom", "threadlocalrandom\nthread local random"),
        ("an HTTPServer, an XMLParser", "an httpserver, an xmlparser"),
        ("a newHTTPServer", "a newhttpserver\nnew http server"),
        ("iPhone and eBay", "iphone and ebay\ni phone e bay"),
        ("plain words Only HERE", "plain words only here"),
        ("", ""),
    ],
)
def test_humps_are_words(text: str, inside: str) -> None:
    assert humps(text) == inside


@unhurried
@given(st.text(st.sampled_from("aAbB z\n1é"), max_size=20))
def test_humps_are_those_of_a_plain_walk(text: str) -> None:
    assert humps(text) == plainly.named(text)


@pytest.mark.parametrize(
    ("text", "topic", "share"),
    [
        ("Solar panels", "solar", 1.0),
        ("Solar panels", "solar energy", 0.5),
        ("Solar panels", "solar^3 energy", 0.75),
        ("solar energy", "solar energy", 1.0),
        ("SolarEnergy", "solar energy", 1.0),
        ("solarenergy", "solar energy", 1.0),
        ("solar, no nuclear", "solar -nuclear", 0.0),
        ("nuclear", "solar -nuclear", 0.0),
        ("nothing", "solar", 0.0),
        ("parasolar", "solar", 0.0),
        ("", "solar", 0.0),
        ("cells", "cell cells", 1.0),
    ],
)
def test_the_share_of_the_topic_that_a_short_text_names(text: str, topic: str, share: float) -> None:
    assert topic_share(text, parse_topic(topic)) == share


@unhurried
@given(texts, topics())
def test_the_share_is_that_of_a_plain_search(text: str, topic: Topic) -> None:
    share = topic_share(text, topic)
    assert share == pytest.approx(plainly.share(text, topic))
    assert 0.0 <= share <= 1.0


def test_a_finder_knows_where_its_next_match_is() -> None:
    finder = Finder("solar")
    assert finder.next("solar solar", 0) == (0, 5)
    assert finder.next("solar solar", 1) == (6, 11)
    assert finder.next("xsolar solar", 1) == (7, 12)  # what stands before the place is seen
    assert finder.next("solar", 1) is None
