"""Our weight: worked by hand, against the essay written down plainly, and what must hold of every page."""

from __future__ import annotations

from math import inf, nan

import msgspec
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from halflife.errors import SettingError
from halflife.judge import Term, Topic, WeightSettings, parse_topic, weigh
from halflife.judge.match import matcher
from halflife.judge.topic import fold_text
from halflife.judge.weight import HEADINGS_CHARACTERS_MAX
from halflife.records import Link, Links, Page, Weight
from judge import plainly
from judge.made import TERMS, WORDS, address, page, pages, texts, topics, unhurried

FIELDS = ("url", "title", "headings", "anchors", "body")
SLACK = 1e-9  # what adding up in another order may change

numbers = st.sampled_from([0.0, 0.5, 1.0, 3.0]) | st.floats(0.0, 20.0)
some_settings = st.just(WeightSettings()) | st.builds(
    WeightSettings, w_url=numbers, w_title=numbers, w_headings=numbers, w_anchors=numbers, w_body=numbers,
    k1=st.floats(0.01, 20.0), b=st.sampled_from([0.0, 1.0]) | st.floats(0.0, 1.0), power=st.floats(0.1, 1.0), pair=numbers,
    threshold=st.floats(0.0, 100.0),
)  # fmt: skip
anchors = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)
long_pages = st.builds(
    lambda made, filler: msgspec.structs.replace(made, text=f"{made.text}\n{'some prose ' * filler}"),
    pages,
    st.integers(0, 500),
)


def total(made: Page, topic: Topic | str, settings: WeightSettings | None = None, anchor: str = "") -> float:
    parsed = parse_topic(topic) if isinstance(topic, str) else topic
    return weigh(made, parsed, settings or WeightSettings(), anchor).total


def parts(weight: Weight) -> list[float]:
    return [getattr(weight, f"part_{field}") for field in FIELDS]


# -- worked by hand ----------------------------------------------------------------------------------------------------


def test_one_word_once_in_a_text_of_usual_length() -> None:
    weight = weigh(page(text="solar" + "x" * 4003), parse_topic('"solar"'))
    assert weight.total == 0.0  # a longer word
    # 4,008 characters less the 5 of the term and 3 for what is about it: 4,000, so nothing is taken off.
    weight = weigh(page(text="solar " + "x" * 4002), parse_topic("solar"))
    assert weight.part_body == weight.total == pytest.approx(100 * 0.5 / (4 + 0.5))
    assert weight.evidence == {"solar": pytest.approx(weight.total)}
    assert (weight.url, weight.method, weight.version) == ("http://www.example.org/page", "default", 1)
    assert not weight.kept
    assert weight.threshold == 20.0
    assert weight.part_out == 0.0


@pytest.mark.parametrize(
    ("made", "anchor", "places"),
    [
        # length less what the term takes up, on usual length: norm = 1 - b + b * that / usual
        (page(title="solar"), "", 3.0 / 1),  # 1 / 0.625 is more than once
        (page(title="solar " + "x" * 122), "", 3.0 / (0.625 + 0.375 * 120 / 60)),
        (page(url="http://h.example/solar"), "", 3.0),
        (page(headings=("solar " + "x" * 402,)), "", 1.5),
        (page(headings=("solar", "solar", "solar", "solar")), "", 1.5 * 3),
        (page(), "solar " + "x" * 62, 2.0),
        (page(), "solar solar solar", 2.0 * 2),
        (page(text="solar " + "x" * 8002), "", 0.5 / (0.25 + 0.75 * 2)),
        (page(text="solar"), "", 0.5 / 0.25),
        (page(text="solar " * 7), "", 0.5 * 6),
        (page(title="solar", text="solar " + "x" * 4002), "", 3.0 + 0.5),
    ],
)
def test_one_word_in_each_field(made: Page, anchor: str, places: float) -> None:
    assert total(made, "solar", anchor=anchor) == pytest.approx(100 * places / (4 + places))


def test_two_words_a_pair_and_an_unwanted_one() -> None:
    # The text is 4,000 characters beyond what wanted terms take up: (5 + 3) + (6 + 3) = 17.
    text = "solar energy" + "\n" + "x" * 4004
    says = 0.5 / 4.5
    # All three say the same, so the mean of them is that, whatever the power and their worth.
    assert total(page(text=text), "solar energy") == pytest.approx(100 * says)
    assert total(page(text=text), "solar^3 energy") == pytest.approx(100 * says)
    # Two of three: (2 / 2.25) of says^0.8, and back by the power of 1 / 0.8.
    apart = "solar\nenergy" + "\n" + "x" * 4004
    assert total(page(text=apart), "solar energy") == pytest.approx(100 * ((2 / 2.25) * says**0.8) ** 1.25)
    # One of two, and no pair: they are quoted.
    assert total(page(title="solar"), '"solar" "energy"') == pytest.approx(100 * (0.5 * (3 / 7) ** 0.8) ** 1.25)
    # An unwanted word in a title takes 3/7 of the rest; of weight 2 it does so twice.
    both = page(url="http://h.example/solar", title="nuclear")
    assert total(both, "solar -nuclear") == pytest.approx(100 * (3 / 7) * (4 / 7))
    assert total(both, "solar -nuclear^2") == pytest.approx(100 * (3 / 7) * (4 / 7) ** 2)


def test_what_counts_against_a_page_takes_up_no_length_of_its_own() -> None:
    # 4,008 characters: 4,000 beyond "solar", 3,998 beyond "nuclear"; neither takes off from the length of the other.
    solar, nuclear = 0.5, 0.5 / (0.25 + 0.75 * 3998 / 4000)
    expected = 100 * solar / (4 + solar) * (1 - nuclear / (4 + nuclear))
    made = page(text="solar nuclear " + "x" * 3994)
    assert total(made, "solar -nuclear") == pytest.approx(expected, rel=1e-9)


def test_the_parts_and_the_evidence_of_a_page_worked_by_hand() -> None:
    made = page(url="http://h.example/solar", title="Solar, and a fusion", text="tide " + "x" * 4002)
    weight = weigh(made, parse_topic('"solar" "tide" -fusion'))
    # solar: 3 in the address, 3 in the title; tide: 0.5 in the text; fusion: 3 in the title
    solar, tide, fusion = 6 / 10, 0.5 / 4.5, 3 / 7
    wanted = 100 * ((solar**0.8 + tide**0.8) / 2) ** 1.25
    of_solar = wanted * solar**0.8 / (solar**0.8 + tide**0.8)
    assert weight.total == pytest.approx(wanted * (1 - fusion))
    assert weight.evidence == {
        "solar": pytest.approx(of_solar),
        "tide": pytest.approx(wanted - of_solar),
        "fusion": pytest.approx(-wanted * fusion),
    }
    half = of_solar * (1 - fusion) / 2
    assert parts(weight) == pytest.approx([half, half, 0, 0, (wanted - of_solar) * (1 - fusion)])


def test_the_threshold_is_what_the_essay_says() -> None:
    usual = "x" * 4000
    assert not weigh(page(text=f"solar energy\n{usual}"), parse_topic("solar energy")).kept
    assert weigh(page(text=f"solar energy\nsolar energy\n{usual}"), parse_topic("solar energy")).kept
    assert weigh(page(url="http://h.example/solar", title="solar"), parse_topic("solar energy")).kept
    # A menu that names the topic once: half of the threshold, and over it on a page of less than a third.
    assert total(page(text=f"solar energy\n{usual}"), "solar energy") == pytest.approx(11.1, abs=0.1)
    assert weigh(page(text=f"solar energy\n{usual[:1300]}"), parse_topic("solar energy")).kept
    assert not weigh(page(text=f"solar energy\n{usual[:1400]}"), parse_topic("solar energy")).kept


# -- against the essay written down plainly ----------------------------------------------------------------------------


@unhurried
@given(long_pages, topics(), some_settings, anchors)
@example(page(text="filesystem, FileSystem", title="FileSystem"), parse_topic("file system"), WeightSettings(), "aFile")
@example(page(text="cell", title="cells"), parse_topic("cell cells"), WeightSettings(), "")
@example(
    page(text="solar, energy drink. " * 3 + "x" * 4000), parse_topic("solar -energy -drink^2"), WeightSettings(), ""
)
@example(page(text="energy drink " * 9), parse_topic('energy -"energy drink"'), WeightSettings(b=1.0), "")
def test_any_page_weighs_what_the_essay_says(made: Page, topic: Topic, settings: WeightSettings, anchor: str) -> None:
    weight = weigh(made, topic, settings, anchor)
    assert parts(weight) == pytest.approx(plainly.weigh(made, topic, settings, anchor), rel=1e-6, abs=SLACK)


@unhurried
@given(long_pages, topics(), some_settings, anchors)
@example(page(text="solar nuclear"), parse_topic("solar -nuclear^1e-17"), WeightSettings(), "")
@example(page(text="solar nuclear"), parse_topic("solar nuclear^0.3 -nuclear^0.1 -nuclear^0.2"), WeightSettings(), "")
@example(
    page(text="solar cell", title="cell"), parse_topic("solar -cell"), WeightSettings(w_body=1e-20, w_title=1e-20), ""
)
@example(
    page(text="solar cell", title="cell"), parse_topic("solar -cell^100"), WeightSettings(w_title=1000, k1=0.01), ""
)
def test_parts_and_evidence_add_up_to_a_total_within_bounds(
    made: Page, topic: Topic, settings: WeightSettings, anchor: str
) -> None:
    weight = weigh(made, topic, settings, anchor)
    assert sum(parts(weight)) == pytest.approx(weight.total)
    assert sum(weight.evidence.values()) == pytest.approx(weight.total, abs=SLACK)
    assert min(parts(weight)) >= 0
    assert 0 <= weight.total <= 100 + SLACK
    assert weight.kept == (weight.total > settings.threshold)
    assert weight.threshold == settings.threshold
    unwanted = {term.words for term in topic.unwanted}
    assert all((value < 0) == (words in unwanted) for words, value in weight.evidence.items() if value)
    assert set(weight.evidence) <= {*(term.words for term in topic.terms), *map(" ".join, topic.pairs)}


# -- what must hold of every page --------------------------------------------------------------------------------------


def with_term(made: Page, field: str, words: str, anchor: str) -> tuple[Page, str]:
    """The same page, with the words once more in a field, by themselves."""
    replace = msgspec.structs.replace
    match field:
        case "title":
            return replace(made, title=f"{made.title} | {words}" if made.title else words), anchor
        case "headings":
            return replace(made, headings=(*made.headings, words)), anchor
        case "anchors":
            return made, f"{anchor} | {words}" if anchor else words
        case _:
            return replace(made, text=f"{made.text}\n{words}" if made.text else words), anchor


def tells_apart(topic: Topic) -> bool:
    """Whether no wanted term is the same as an unwanted one, as in 'wind-power -"wind power"'."""
    return all(matcher(topic).counts(term.words)[place] for place, term in enumerate(topic.terms))


places = st.sampled_from(["title", "headings", "anchors", "body"])


@unhurried
@given(long_pages, topics(), some_settings, anchors, places, st.data())
def test_naming_a_wanted_term_once_more_never_lowers_the_total(
    made: Page, topic: Topic, settings: WeightSettings, anchor: str, field: str, data: st.DataObject
) -> None:
    assume(tells_apart(topic))
    term = data.draw(st.sampled_from(topic.wanted))
    more, more_anchor = with_term(made, field, term.words, anchor)
    assert total(more, topic, settings, more_anchor) >= total(made, topic, settings, anchor) - SLACK


@unhurried
@given(long_pages, topics(), some_settings, anchors, places, st.data())
@example(page(), parse_topic('solar energy -"solar energy drink"'), WeightSettings(), "", "body", None)
@example(page(), parse_topic("file system -filesystem"), WeightSettings(), "", "title", None)
@example(page(text="apple"), parse_topic("apple -apples"), WeightSettings(), "", "body", None)
def test_naming_an_unwanted_term_once_more_never_raises_the_total(
    made: Page, topic: Topic, settings: WeightSettings, anchor: str, field: str, data: st.DataObject | None
) -> None:
    assume(topic.unwanted and tells_apart(topic))
    term = data.draw(st.sampled_from(topic.unwanted)) if data else topic.unwanted[0]
    more, more_anchor = with_term(made, field, term.words, anchor)
    assert total(more, topic, settings, more_anchor) <= total(made, topic, settings, anchor) + SLACK


@pytest.mark.parametrize("field", ["title", "headings", "anchors", "body"])
def test_a_wanted_term_raises_a_page_without_it_and_an_unwanted_one_lowers_it(field: str) -> None:
    made = page(url="http://h.example/tide")
    more, anchor = with_term(made, field, "solar", "")
    assert total(more, "tide solar", anchor=anchor) > total(made, "tide solar") > 0
    less, anchor = with_term(made, field, "nuclear", "")
    assert 0 < total(less, "tide -nuclear", anchor=anchor) < total(made, "tide -nuclear")


@unhurried
@given(long_pages, topics(), some_settings, anchors, st.randoms(use_true_random=False))
@example(page(text="cell " * 6), parse_topic("cell^3 cells"), WeightSettings(), "", None)
def test_the_order_of_the_terms_is_nothing(
    made: Page, topic: Topic, settings: WeightSettings, anchor: str, random: object
) -> None:
    wanted, unwanted, pairs = list(topic.wanted), list(topic.unwanted), list(topic.pairs)
    for each in (wanted, unwanted, pairs):
        if random is None:
            each.reverse()
        else:
            random.shuffle(each)  # type: ignore[attr-defined]
    other = Topic(topic.text, (*wanted, *unwanted), tuple(pairs), topic.strings)
    one, two = weigh(made, topic, settings, anchor), weigh(made, other, settings, anchor)
    assert two.total == pytest.approx(one.total)
    assert parts(two) == pytest.approx(parts(one))
    assert two.evidence == pytest.approx(one.evidence)


@unhurried
@given(long_pages, topics(), anchors, st.floats(0.01, 1.0))
def test_weights_are_against_one_another(made: Page, topic: Topic, anchor: str, factor: float) -> None:
    wanted = tuple(Term(term.words, term.weight * factor) for term in topic.wanted)
    other = Topic(topic.text, (*wanted, *topic.unwanted), topic.pairs, topic.strings)
    assert total(made, other, anchor=anchor) == pytest.approx(total(made, topic, anchor=anchor))


@unhurried
@given(long_pages, topics(), some_settings)
def test_a_page_without_any_wanted_term_weighs_nothing(made: Page, topic: Topic, settings: WeightSettings) -> None:
    absent = [Term(f"q{term.words}q", term.weight) for term in topic.wanted]
    other = Topic(topic.text, (*absent, *topic.unwanted))
    weight = weigh(made, other, settings)
    assert (weight.total, weight.kept, weight.evidence) == (0.0, False, {})


@unhurried
@given(topics(), some_settings)
def test_an_empty_page_weighs_nothing(topic: Topic, settings: WeightSettings) -> None:
    assert total(Page("http://h.example/", "http://h.example/"), topic, settings) == 0.0


@unhurried
@given(long_pages, topics(), anchors, st.integers(1, 300), st.integers(0, 10_000))
def test_links_count_for_nothing(made: Page, topic: Topic, anchor: str, count: int, cut: int) -> None:
    farm = Links.of([Link("http://h.example/solar", "solar energy")] * count)
    with_links = msgspec.structs.replace(made, links=farm, links_cut=cut)
    assert weigh(with_links, topic, anchor=anchor) == weigh(made, topic, anchor=anchor)


# -- bulk does not win -------------------------------------------------------------------------------------------------


@unhurried
@given(long_pages, topics(), some_settings, st.integers(1, 2000))
def test_text_beside_the_topic_never_raises_the_total(
    made: Page, topic: Topic, settings: WeightSettings, more: int
) -> None:
    topic = Topic(topic.text, topic.wanted, topic.pairs)  # unwanted terms are worth less in a longer text, too
    longer = msgspec.structs.replace(made, text=made.text + "\n" + "prose " * more)
    assert total(longer, topic, settings) <= total(made, topic, settings) + SLACK


def test_a_thousand_repeats_are_worth_as_much_as_a_dozen() -> None:
    dozen, thousand = total(page(text="solar " * 12), "solar"), total(page(text="solar " * 1000), "solar")
    assert thousand == dozen == pytest.approx(100 * 3 / 7)
    shouted = page(title="solar " * 100, headings=("solar",) * 100, text="solar " * 1000)
    # 3 in the title, 1.5 * 3 in the headings, 2 * 2 in the anchors, 0.5 * 6 in the text: no field can say more
    assert total(shouted, "solar", anchor="solar " * 100) == pytest.approx(100 * 14.5 / (4 + 14.5))
    assert total(page(text="solar " * 1000), "solar energy") < total(page(title="Solar energy"), "solar energy")


@pytest.mark.parametrize("times", [2, 10, 100])
def test_a_page_many_times_over_is_worth_little_more(times: int) -> None:
    once = "Of solar energy.\n" + "Some prose about other things. " * 130 + "\n"
    assert total(page(text=once * times), "solar energy") == pytest.approx(
        total(page(text=once), "solar energy"), rel=0.35
    )


def test_a_long_page_that_mentions_the_topic_weighs_less_than_a_short_one_about_it() -> None:
    about = page(title="Solar energy", text="Solar energy is light that is made into power. " * 10)
    long = page(title="Everything", text="Solar energy once. " + "And so much else to say of other things. " * 2000)
    assert total(long, "solar energy") < 5 < 50 < total(about, "solar energy")


# -- where it stands ---------------------------------------------------------------------------------------------------


@unhurried
@given(st.sampled_from(TERMS), texts)
def test_the_title_is_worth_more_than_the_headings_and_they_more_than_the_text(word: str, text: str) -> None:
    made = page(text=f"{text}\n" + "prose " * 800)
    weights = [total(with_term(made, field, word, "")[0], f'"{word}"') for field in ("title", "headings", "body")]
    assert weights[0] > weights[1] > weights[2] > 0


@pytest.mark.parametrize(
    ("made", "anchor", "field"),
    [
        (page(url=address(["solar"])), "", "url"),
        (page(url="http://h.example/a?q=Solar"), "", "url"),
        (page(url="http://solar.example/"), "", "url"),
        (page(title="Solar"), "", "title"),
        (page(headings=("Solar",)), "", "headings"),
        (page(), "Solar", "anchors"),
        (page(text="Solar"), "", "body"),
    ],
)
def test_each_part_is_that_of_its_field(made: Page, anchor: str, field: str) -> None:
    weight = weigh(made, parse_topic("solar"), anchor=anchor)
    assert [name for name, part in zip(FIELDS, parts(weight), strict=True) if part] == [field]
    nothing = msgspec.structs.replace(WeightSettings(), **{f"w_{field}": 0.0})
    assert weigh(made, parse_topic("solar"), nothing, anchor).total == 0.0


@pytest.mark.parametrize(
    ("url", "topic"),
    [
        ("http://h.example/solar-energy", '"solar energy"'),
        ("http://h.example/solar%20energy", '"solar energy"'),
        ("http://h.example/solar_energy.html", '"solar energy"'),
        ("http://h.example/?q=solar+energy", '"solar energy"'),
        ("http://h.example/SolarEnergy", '"solar energy"'),
        ("http://h.example/filesystem", "file system"),
        ("http://h.example/b%C3%BCcher", "BÜCHER"),
        ("http://h.example/b%FCcher", "bücher"),
        ("http://xn--bcher-kva.example/", "bücher"),
        ("http://h.example/stra%C3%9Fe", "strasse"),
        ("http://h.example/%E8%83%BD%E6%BA%90", "能源"),
    ],
)
def test_terms_are_found_in_addresses(url: str, topic: str) -> None:
    assert weigh(page(url=url), parse_topic(topic)).part_url > 0


@pytest.mark.parametrize("url", ["http://h.example/parasolar", "http://h.example/energy-solar", "http://h.example/"])
def test_what_is_not_in_the_address_is_not_found(url: str) -> None:
    assert total(page(url=url), '"solar energy"') == 0.0


@pytest.mark.parametrize(
    "text",
    [
        "SOLAR ENERGY",
        "ｓｏｌａｒ ｅｎｅｒｇｙ",
        "Solar\u00a0Energy",
        "so\u00adlar energy",
        "solar_energy",
        "Solar-Energies",
    ],
)
def test_forms_of_the_same_words_weigh_the_same(text: str) -> None:
    plain = weigh(page(title="solar energy"), parse_topic("solar energy"))
    assert weigh(page(title=text), parse_topic("solar energy")).total == pytest.approx(plain.total)
    assert weigh(page(title="solar energy"), parse_topic(text.replace("-", " "))).total > 0


@unhurried
@given(texts)
def test_a_phrase_weighs_only_where_its_words_follow_one_another(text: str) -> None:
    topic = parse_topic('"solar energy"')
    words = fold_text(text).replace("-", " ").replace("_", " ")
    padded = f" {words} ".replace("\n", " \n ").replace(",", " , ")
    in_sequence = any(f" solar {last} " in padded for last in ("energy", "energies"))
    assert (weigh(page(text=text), topic).total > 0) == in_sequence


def test_side_by_side_is_more_than_apart_and_apart_is_more_than_one_alone() -> None:
    prose = "\n" + "prose " * 600
    together = total(page(text="solar energy" + prose), "solar energy")
    apart = total(page(text="solar\nenergy" + prose), "solar energy")
    alone = total(page(text="solar\nsolar." + prose), "solar energy")
    assert together > apart > alone > 0
    assert total(page(text="energy solar" + prose), "solar energy") == pytest.approx(apart)
    flat = WeightSettings(pair=0.0)
    assert total(page(text="solar energy" + prose), "solar energy", flat) == pytest.approx(
        total(page(text="solar\nenergy" + prose), "solar energy", flat)
    )


def test_headings_end_somewhere() -> None:
    many = ("x" * HEADINGS_CHARACTERS_MAX, "solar")
    assert total(page(headings=many), "solar") == 0.0
    assert total(page(headings=("x" * (HEADINGS_CHARACTERS_MAX - 6), "solar")), "solar") > 0


def test_the_same_page_always_weighs_the_same() -> None:
    made = page(title="Solar", text="solar energy, file systems " * 9)
    first = weigh(made, parse_topic("solar energy file"))
    weigh(page(text="other"), parse_topic("other"))
    assert weigh(made, parse_topic("solar energy file")) == first


# -- settings ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "least", "most"),
    [
        *((name, 0.0, 1000.0) for name in ("w_url", "w_title", "w_headings", "w_anchors", "w_body", "pair")),
        ("k1", 0.01, 1000.0),
        ("b", 0.0, 1.0),
        ("power", 0.1, 1.0),
        ("threshold", 0.0, 100.0),
    ],
)
def test_settings_have_bounds(name: str, least: float, most: float) -> None:
    for value in (least, most):
        settings = msgspec.structs.replace(WeightSettings(), **{name: value})
        assert settings.checked() == settings
        assert 0 <= total(page(title="solar energy", text="solar nuclear"), "solar energy -nuclear", settings) <= 100
    for value in (least - 0.01, most + 0.01, nan, inf, -inf):
        with pytest.raises(SettingError) as caught:
            msgspec.structs.replace(WeightSettings(), **{name: value}).checked()
        assert str(caught.value).startswith(f"--{name.replace('_', '-')} {value:g}: must be between")
