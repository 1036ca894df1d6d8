"""The published rule, to the letter: worked by hand, and against the rule written down once more without patterns."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from halflife.cli.crawl import GROUPS, OURS, crawl_parser, settings_of
from halflife.errors import SettingError
from halflife.judge import PaperSettings, parse_topic, weigh_paper
from halflife.judge.topic import fold
from halflife.records import Link, Page, Weight
from halflife.urls import canonical
from judge.made import addresses, page, texts, unhurried

PARTS = ("part_url", "part_title", "part_body", "part_out")
NAMES = ("w_url", "w_title", "w_body", "w_out", "threshold")


def links(count: int) -> tuple[Link, ...]:
    return tuple(Link(f"http://other.example/{number}") for number in range(count))


def parts(weight: Weight) -> tuple[float, ...]:
    return tuple(getattr(weight, part) for part in PARTS)


# -- worked by hand ----------------------------------------------------------------------------------------------------

# One page with everything: "solar" is in the address and the title, four times in the text, and seven links go out.
EVERYTHING = page(
    url="http://www.example.org/solar/page",
    title="All about Solar",
    text="Solar here, solar there,\nsolar_cells and parasolar everywhere. Other words.",
    headings=("Solar is not counted in headings", "solar solar solar"),
    links=links(5),
    links_cut=2,
)


def test_the_four_parts_and_their_sum_with_constants_as_they_come() -> None:
    weight = weigh_paper(EVERYTHING, parse_topic("solar"))
    #               10 * 1 + 10 * 1 + 1 * 4 + 0.01 * 7 = 24.07
    assert parts(weight) == pytest.approx((10.0, 10.0, 4.0, 0.07))
    assert weight.total == pytest.approx(24.07)
    assert weight.kept
    assert weight.threshold == 5.0
    assert (weight.url, weight.method, weight.version) == (EVERYTHING.url, "paper", 1)
    assert weight.evidence == {"solar": 4.0}
    assert (weight.part_headings, weight.part_anchors) == (0.0, 0.0)


def test_the_four_parts_and_their_sum_with_constants_of_ones_own() -> None:
    settings = PaperSettings(w_url=3.0, w_title=5.0, w_body=0.5, w_out=0.25, threshold=11.75)
    weight = weigh_paper(EVERYTHING, parse_topic("solar"), settings)
    #               3 * 1 + 5 * 1 + 0.5 * 4 + 0.25 * 7 = 11.75
    assert parts(weight) == (3.0, 5.0, 2.0, 1.75)
    assert weight.total == 11.75
    assert not weight.kept  # it has to weigh more than the threshold
    assert weight.threshold == 11.75
    assert weight.evidence == {"solar": 4.0}  # occurrences, whatever one is worth


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (page(), (0.0, 0.0, 0.0, 0.0)),
        (page(url="http://www.example.org/solar"), (10.0, 0.0, 0.0, 0.0)),
        (page(url="http://solar.example.org/solar?q=solar"), (10.0, 0.0, 0.0, 0.0)),
        (page(title="Solar"), (0.0, 10.0, 0.0, 0.0)),
        (page(title="solar solar solar"), (0.0, 10.0, 0.0, 0.0)),
        (page(text="solar"), (0.0, 0.0, 1.0, 0.0)),
        (page(text="solar " * 1000), (0.0, 0.0, 1000.0, 0.0)),
        (page(headings=("solar",)), (0.0, 0.0, 0.0, 0.0)),
        (page(links=links(100)), (0.0, 0.0, 0.0, 1.0)),
        (page(links=links(1) * 100), (0.0, 0.0, 0.0, 1.0)),
        (page(links=(Link("http://www.example.org/", "solar"),)), (0.0, 0.0, 0.0, 0.01)),
        (page(links_cut=100), (0.0, 0.0, 0.0, 1.0)),
    ],
)
def test_each_part_by_itself(made: Page, expected: tuple[float, ...]) -> None:
    weight = weigh_paper(made, parse_topic("solar"))
    assert parts(weight) == pytest.approx(expected)
    assert weight.total == pytest.approx(sum(expected))
    assert weight.kept == (sum(expected) > 5)


@pytest.mark.parametrize(("mentions", "kept"), [(0, False), (4, False), (5, False), (6, True)])
def test_more_than_the_threshold_is_kept(mentions: int, kept: bool) -> None:
    assert weigh_paper(page(text="solar " * mentions), parse_topic("solar")).kept is kept


@pytest.mark.parametrize(("count", "kept"), [(500, False), (501, True)])
def test_links_alone_keep_a_page_only_as_the_essay_says(count: int, kept: bool) -> None:
    assert weigh_paper(page(links_cut=count), parse_topic("solar")).kept is kept


def test_constants_may_be_nothing_or_below_it() -> None:
    settings = PaperSettings(w_url=0.0, w_title=-1.0, w_body=-0.5, w_out=0.0, threshold=-3.5)
    weight = weigh_paper(EVERYTHING, parse_topic("solar"), settings)
    assert parts(weight) == (0.0, -1.0, -2.0, 0.0)
    assert weight.total == -3.0
    assert weight.kept


# -- where the seed leaves something open ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "topic", "expected"),
    [
        ("http://h.example/solar-energy", "solar energy", True),
        ("http://h.example/solar%20energy", "solar energy", True),
        ("http://h.example/solar_energy.html", "solar energy", True),
        ("http://h.example/?q=solar+energy", "solar energy", True),
        ("http://h.example/solar/energy", "solar energy", True),
        ("http://h.example/solar--energy", "solar energy", True),
        ("http://h.example/Solar%2DENERGY", "solar energy", True),
        ("http://h.example/solarenergy", "solar energy", False),
        ("http://h.example/energy-solar", "solar energy", False),
        ("http://h.example/solar-energy", "solar-energy", True),
        ("http://h.example/solar%20energy", "solar-energy", True),
        ("http://solar.example/energy", "solar example", True),
        ("http://solar.example/", "SOLAR.EXAMPLE", True),
        ("http://h.example/party", "art", True),
        ("http://h.example/", "http", False),
        ("https://h.example/", "https", False),
        ("http://h.example/http", "http", True),
        ("http://h.example:8080/", "8080", True),
        ("http://h.example/b%C3%BCcher", "bücher", True),
        ("http://h.example/bu%CC%88cher", "BÜCHER", True),
        ("http://h.example/b%FCcher", "bücher", True),
        ("http://bücher.example/", "bücher", True),
        ("http://xn--bcher-kva.example/", "Bücher", True),
        ("http://xn--bcher-kva.example/", "bücher.example", True),
        ("http://h.example/stra%C3%9Fe", "STRASSE", True),
        ("http://h.example/%E5%A4%AA%E9%98%B3%E8%83%BD", "太阳能", True),
        ("http://h.example/%EF%BC%B3olar", "solar", True),
        ("http://h.example/c++", "c++", True),
        ("http://h.example/c%2B%2B", "c++", True),
        ("http://h.example/c", "c++", False),
        ("http://h.example/abc", "c++", False),
        ("http://h.edu/", ".edu", True),
        ("http://h.example/edu", ".edu", False),
        ("http://h.example/a-b", "-", True),
        ("http://h.example/a", "---", False),
        ("http://h.example/50%25", "50%", True),
    ],
)
def test_the_address_as_it_stands_and_as_words(typed: str, topic: str, expected: bool) -> None:
    url = canonical(typed)
    assert url
    strings = parse_topic(f'"{topic}" zzz').strings  # also what has no letter in it
    assert strings[0] == fold(topic)
    assert weigh_paper(page(url=url), parse_topic(f'"{topic}" zzz')).part_url == (10.0 if expected else 0.0)


@pytest.mark.parametrize(
    ("text", "topic", "occurrences"),
    [
        ("art, party", "art", 2),
        ("Solar SOLAR ｓｏｌａｒ so\u00adlar", "sOLAR", 4),
        ("solar energy, solar-energy", "solar energy", 1),
        ("solar\u00a0energy", "Solar \t Energy", 1),
        ("Straße, STRASSE", "strasse", 2),
        ("aaaa", "aa", 2),
        ("aaaaa", "aa", 2),
        ("abababa", "aba", 2),
        ("solar^2 and solar", "solar^2", 1),
        ("solar -nuclear, nuclear", "solar -nuclear", 1),
        ("a.c abc", "a.c", 1),
        ("solar energy and solar", '"solar energy" solar', 2),
        ("solar energy and solar", 'solar "solar energy"', 2),
        ("abcd", '"ab" "bcd"', 1),
        ("abc", '"ab" "abc" "c"', 1),
        ("abc", '"c" "abc" "ab"', 1),
        ("wind power, solar energy", 'wind power "solar energy"', 2),
        ("", "solar", 0),
    ],
)
def test_occurrences_in_the_text(text: str, topic: str, occurrences: int) -> None:
    weight = weigh_paper(page(text=text), parse_topic(topic))
    assert weight.part_body == occurrences
    assert sum(weight.evidence.values()) == occurrences


def test_the_evidence_says_which_string_occurred_how_often() -> None:
    weight = weigh_paper(page(text="solar, wind power, solar"), parse_topic('"solar" "wind power" "tide"'))
    assert weight.evidence == {"solar": 2.0, "wind power": 1.0}


@pytest.mark.parametrize(
    ("title", "topic", "expected"),
    [
        ("Solar Energy", "solar energy", 10.0),
        ("Parasolar", "solar", 10.0),
        ("Energy, solar", "solar energy", 0.0),
        ("Energy", '"solar" "energy"', 10.0),
        ("SOLAR\u2003ENERGY", '"solar energy"', 10.0),
        ("", "solar", 0.0),
    ],
)
def test_the_title_has_it_or_not(title: str, topic: str, expected: float) -> None:
    assert weigh_paper(page(title=title), parse_topic(topic)).part_title == expected


# -- against the rule written down plainly -----------------------------------------------------------------------------

SEPARATORS = "-_./+?=&:;,~|@()[]{}!*"


def plain_count(text: str, strings: tuple[str, ...]) -> int:
    count = at = 0
    while at < len(text):
        ends = [at + len(string) for string in strings if text[at : at + len(string)] == string]
        count += bool(ends)
        at = max(ends, default=at + 1)
    return count


def plain_decoded(url: str) -> str:
    rest = url[url.index("//") + 2 :]
    name, path = rest[: rest.index("/")], rest[rest.index("/") :]
    labels = [label[4:].encode().decode("punycode") if label.startswith("xn--") else label for label in name.split(".")]
    raw, at = bytearray(), 0
    while at < len(path):
        escaped = path[at] == "%"
        raw += bytes([int(path[at + 1 : at + 3], 16)]) if escaped else path[at].encode()
        at += 3 if escaped else 1
    return ".".join(labels) + raw.decode()


def plain_words(text: str) -> str:
    return "".join(" " if one in SEPARATORS else one for one in text)


def plain_in_address(url: str, strings: tuple[str, ...]) -> bool:
    decoded = plain_decoded(url)
    bare = [string for string in strings if string[0] not in SEPARATORS and string[-1] not in SEPARATORS]
    return any(string in fold(decoded) for string in strings) or any(
        fold(plain_words(string)) in fold(plain_words(decoded)) for string in bare
    )


def plain_parts(made: Page, strings: tuple[str, ...], settings: PaperSettings) -> tuple[float, ...]:
    return (
        settings.w_url if plain_in_address(made.url, strings) else 0.0,
        settings.w_title if [string for string in strings if string in fold(made.title)] else 0.0,
        settings.w_body * plain_count(fold(made.text), strings),
        settings.w_out * (len(made.links) + made.links_cut),
    )


numbers = st.floats(-100, 100) | st.integers(-3, 12).map(float)
some_settings = st.builds(PaperSettings, **dict.fromkeys(NAMES, numbers))
mixed = st.text(st.sampled_from("aab AB-_.+ß能\n"), max_size=20)
phrases = st.sampled_from(["solar", "solar energy", "energy", "file system", "能源", "c++", "er", "s", ".js", "BÜCHER"])
strings = st.lists(phrases | st.text(st.sampled_from("aab -._+"), min_size=1, max_size=4), max_size=4)
topics = st.builds(lambda quoted, word: " ".join([f'"{one}"' for one in quoted] + [word]), strings,
                   st.sampled_from(["solar", "solar energy", "c++", "aa", "aba", "file"])).map(parse_topic)  # fmt: skip
hosts = st.sampled_from(
    ["http://bücher.example/", "https://solar-energy.example:8080/a/", "http://h.example/?q=c%2B%2B&"]
)
urls = addresses | st.builds(lambda start, end: canonical(start + end), hosts, mixed).filter(bool)
some_pages = st.builds(
    page, url=urls, title=texts | mixed, text=texts | mixed, links=st.integers(0, 30).map(links), links_cut=st.integers(0, 9)
)  # fmt: skip


@unhurried
@given(some_pages, topics, some_settings)
@example(page(url="http://h.example/%C3%9F", text="aaaa"), parse_topic('"aa" "SS"'), PaperSettings())
def test_any_page_weighs_what_the_rule_says(made: Page, topic: Any, settings: PaperSettings) -> None:
    weight = weigh_paper(made, topic, settings)
    expected = plain_parts(made, topic.strings, settings)
    assert parts(weight) == expected
    assert weight.total == pytest.approx(sum(expected), abs=1e-9)
    assert weight.total == sum(parts(weight))
    assert weight.kept == (weight.total > settings.threshold)
    assert weight.threshold == settings.threshold
    assert sum(weight.evidence.values()) == plain_count(fold(made.text), topic.strings)


@unhurried
@given(some_pages, topics, st.sampled_from(["w_url", "w_title", "w_body", "w_out"]), st.floats(0, 100))
def test_each_constant_moves_its_own_part_and_no_other(made: Page, topic: Any, name: str, value: float) -> None:
    before = weigh_paper(made, topic)
    after = weigh_paper(made, topic, msgspec.structs.replace(PaperSettings(), **{name: value}))
    own = name.replace("w_", "part_")
    assert getattr(after, own) * getattr(PaperSettings(), name) == pytest.approx(getattr(before, own) * value)
    for part in PARTS:
        assert part == own or getattr(after, part) == getattr(before, part)


# -- the constants are options -----------------------------------------------------------------------------------------


def typed(*options: str) -> PaperSettings:
    given = vars(crawl_parser().parse_intermixed_args(["--topic", "solar", "--paper", *options]))
    given = {name: value for name, value in given.items() if name != "seeds"}
    ours = {name: given.pop(name) for name in OURS}
    paper: PaperSettings = settings_of(given, ours["threshold"], ("http://h.example/",)).checked().paper
    return paper


def test_the_constants_that_are_documented() -> None:
    assert typed() == PaperSettings(w_url=10.0, w_title=10.0, w_body=1.0, w_out=0.01, threshold=5.0)
    assert PaperSettings.__struct_fields__ == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_constant_is_an_option(name: str) -> None:
    flag = "--" + name.replace("_", "-")
    assert typed(flag, "2.5") == msgspec.structs.replace(PaperSettings(), **{name: 2.5})
    assert flag in {option.flag for group in GROUPS.values() for option in group}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [nan, inf, -inf])
def test_a_constant_is_an_ordinary_number(name: str, value: float) -> None:
    with pytest.raises(SettingError) as caught:
        msgspec.structs.replace(PaperSettings(), **{name: value}).checked()
    assert str(caught.value).startswith(f"--{name.replace('_', '-')} {value:g}: ")
