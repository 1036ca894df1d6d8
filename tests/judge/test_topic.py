"""Topics as people type them, and the one form in which they and pages are compared."""

from __future__ import annotations

import sys
import unicodedata

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from halflife.errors import InputError
from halflife.judge import Term, Topic, parse_topic
from halflife.judge.topic import INVISIBLE, TERMS_MAX, WEIGHT_MAX, fold, fold_body, fold_text


def terms(text: str) -> dict[str, float]:
    return {term.words: term.weight for term in parse_topic(text).terms}


# -- what is typed -----------------------------------------------------------------------------------------------------


def test_the_topic_of_the_essay() -> None:
    topic = parse_topic('solar "wind power"^2 energy^0.5 -nuclear')
    assert topic.text == 'solar "wind power"^2 energy^0.5 -nuclear'
    assert topic.wanted == (Term("solar"), Term("wind power", 2.0), Term("energy", 0.5))
    assert topic.unwanted == (Term("nuclear", -1.0),)
    assert topic.terms == topic.wanted + topic.unwanted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("solar", {"solar": 1}),
        ("  Solar\tENERGY\n", {"solar": 1, "energy": 1}),
        ('"Solar  Energy"', {"solar energy": 1}),
        ("“solar energy” «wind power» „coal fire“", {"solar energy": 1, "wind power": 1, "coal fire": 1}),
        ("-nuclear solar", {"solar": 1, "nuclear": -1}),
        ('solar -"nuclear power"^3', {"solar": 1, "nuclear power": -3}),
        ("solar solar^2", {"solar": 3}),
        ('solar "SOLAR"', {"solar": 2}),
        ("solar^3 -solar", {"solar": 2}),
        ("wind solar -solar^2", {"wind": 1, "solar": -1}),
        ("solar^1e1 wind^.5", {"solar": 10, "wind": 0.5}),
        (f"solar^{WEIGHT_MAX:g}", {"solar": WEIGHT_MAX}),
        ("c++ c# .net node.js AT&T o’reilly", {"c++": 1, "c#": 1, ".net": 1, "node.js": 1, "at&t": 1, "o'reilly": 1}),
        ("solar & -- ... energy", {"solar": 1, "energy": 1}),
        ('solar "&" "" -"!"', {"solar": 1}),
        ("wind-power e-mail", {"wind-power": 1, "e-mail": 1}),
        ("Straße ﬁle ｓｏｌａｒ", {"strasse": 1, "file": 1, "solar": 1}),
        ("太阳能 能源", {"太阳能": 1, "能源": 1}),
        ('"wind power", "solar energy".', {"wind power": 1, "solar energy": 1}),
        ('solar"wind power"tide', {"solar": 1, "wind power": 1, "tide": 1}),
        ('"wind power"-coal', {"wind power": 1, "coal": -1}),
    ],
)
def test_terms_as_they_are_typed(text: str, expected: dict[str, float]) -> None:
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("solar", []),
        ("solar energy storage", ["solar energy", "energy storage"]),
        ("solar^2 energy^0.5", ["solar energy"]),
        ('solar "wind power" energy', []),
        ('solar energy "wind power" tide mill', ["solar energy", "tide mill"]),
        ("solar -nuclear energy", []),
        ("solar & energy", ["solar energy"]),
        ("solar energy solar energy", ["solar energy", "energy solar"]),
        ("solar energy wind -energy^2", []),
        ("solar energy wind -energy", []),
    ],
)
def test_unquoted_words_side_by_side_are_pairs(text: str, pairs: list[str]) -> None:
    assert [" ".join(pair) for pair in parse_topic(text).pairs] == pairs


@pytest.mark.parametrize(
    ("text", "strings"),
    [
        ("Solar  Energy", ("solar energy",)),
        ("solar^2 -nuclear", ("solar^2 -nuclear",)),
        ('"solar energy"', ("solar energy",)),
        ('“Solar Energy” wind power "tide"', ("solar energy", "wind power", "tide")),
        ('"solar" "Solar" "" wind', ("solar", "wind")),
    ],
)
def test_in_paper_mode_strings_are_what_was_typed(text: str, strings: tuple[str, ...]) -> None:
    assert parse_topic(text).strings == strings


NO_WORD = "no word to look for; give at least one word that is not excluded with '-'"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", f"topic '': {NO_WORD}"),
        (" \n", NO_WORD),
        ("-nuclear", NO_WORD),
        ("& -- ...", NO_WORD),
        ("solar -solar", NO_WORD),
        ('""', NO_WORD),
        ('"solar energy', "a quotation mark is not closed; add the missing one"),
        ("“solar", "topic '“solar': a quotation mark is not closed; add the missing one"),
        ("solar^", "'^' is no weight; give a number above 0, at most 100"),
        ("solar^x", "topic 'solar^x': '^x' is no weight; give a number above 0, at most 100"),
        ("solar^0", "'^0' is no weight"),
        ("solar^-1", "'^-1' is no weight"),
        ("solar^nan", "'^nan' is no weight"),
        ("solar^inf", "'^inf' is no weight"),
        ("solar^100.5", "'^100.5' is no weight"),
        ("solar^1^2", "'^1^2' is no weight"),
        ('"wind power"^2,', "'^2,' is no weight"),
        (
            " ".join(f"w{n}" for n in range(TERMS_MAX + 1)),
            f"topic: {TERMS_MAX + 1} terms are too many; give at most 64",
        ),
    ],
)
def test_what_is_no_topic_gets_one_line(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_topic(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_as_many_terms_as_are_allowed() -> None:
    assert len(parse_topic(" ".join(f"w{n}" for n in range(TERMS_MAX))).terms) == TERMS_MAX


def test_a_topic_is_plain_data() -> None:
    topic = parse_topic('solar "wind power"^2 -nuclear')
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(topic), type=Topic) == topic
    assert hash(parse_topic(topic.text)) == hash(topic)


typed = st.text(st.sampled_from('ab "^-+2.&\n“ßﬁ能\u0301\u00ad'), max_size=40) | st.text(max_size=40)


@given(typed)
def test_any_text_is_a_topic_or_a_mistake(text: str) -> None:
    try:
        topic = parse_topic(text)
    except InputError:
        return
    assert topic.terms[: len(topic.wanted)] == topic.wanted != ()
    assert topic.terms[len(topic.wanted) :] == topic.unwanted
    assert len({term.words for term in topic.terms}) == len(topic.terms) <= TERMS_MAX
    assert all(term.words and fold(term.words) == term.words for term in topic.terms)
    assert {word for pair in topic.pairs for word in pair} <= {term.words for term in topic.wanted}
    assert topic.strings
    assert all(string and fold(string) == string for string in topic.strings)


# -- one form of text --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Solar ENERGY", "solar energy"),
        ("Straße STRASSE ẞ", "strasse strasse ss"),
        ("ＳＯＬＡＲ　１", "solar 1"),
        ("eﬃcient ﬁle", "efficient file"),
        ("solar\u00a0energy", "solar energy"),
        (" solar \t\n\u2003 energy ", "solar energy"),
        ("so\u00adlar e\u200bn\u200ce\u200dr\u2060g\ufeffy", "solar energy"),
        ("o’reilly", "o'reilly"),
        ("bu\u0308cher B\u00dcCHER", "b\u00fccher b\u00fccher"),
        ("x² ① ™ ½", "x2 1 tm 1\u20442"),
        ("ΣΊΣΥΦΟΣ Σίσυφος", "σίσυφοσ σίσυφοσ"),
        ("İ", "i\u0307"),
        ("한국 \u1112\u1161\u11ab\u1100\u116e\u11a8", "한국 한국"),
        ("ｶﾞ", "ガ"),
        ("太阳能", "太阳能"),
        ("", ""),
    ],
)
def test_one_form(text: str, folded: str) -> None:
    assert fold(text) == folded
    padded = f"{text}{' a long text of ASCII' * 20}"  # where foreign characters are folded by themselves
    assert fold(padded) == folded + " a long text of ascii" * 20 if folded else fold(padded)


def test_newlines_keep_blocks_apart() -> None:
    assert fold_text("Solar\nEnergy") == "solar\nenergy"
    assert fold_text("Sölar\nEnergy") == "sölar\nenergy"
    assert fold("Solar\nEnergy") == "solar energy"


def plain_fold(text: str, rounds: int = 10) -> str:
    """What the essay says, step by step."""
    for character in INVISIBLE:
        text = text.replace(character, "")
    text = text.replace("’", "'")
    for _ in range(rounds):
        text = unicodedata.normalize("NFKC", text.casefold())
    return text


def test_two_rounds_settle_every_character() -> None:
    every = [chr(code) for code in range(sys.maxunicode + 1)]
    changed = [one for one in every if one.casefold() != one or not unicodedata.is_normalized("NFKC", one)]
    assert len(changed) > 5_000
    for one in changed:
        twice = plain_fold(one, 2)
        assert unicodedata.normalize("NFKC", twice.casefold()) == twice, hex(ord(one))


STRANGE = (
    "ßẞİŉǰΐﬁﬃſKÅ½①™’“”—…\u00ad\u200b\ufeff\u00a0\u3000é"
    "\u0301\u0327\u0308\u1100\u1161\u11a8각가ｶﾞ\u037a\u1fbd\u0345ͅ\ud800\udc00能"
)
mixed = st.builds(
    "{}{}{}".format,
    st.text(st.sampled_from("aA zZ\n") | st.characters(max_codepoint=127), max_size=30),
    st.text(st.sampled_from(STRANGE) | st.characters(), max_size=8),
    st.text(st.sampled_from("eE uU\n"), max_size=40),
)


@given(st.text(max_size=60) | mixed)
@example("e" * 40 + "\u0301")
@example("\u00b5\u00df\u00bd\u00aa\u00c5\u00ad\u00a0\u00e5" + "Xy" * 40)
@example("\ud83d\ude00" + "x" * 40)
def test_folding_is_the_same_however_many_characters_are_foreign(text: str) -> None:
    assert fold_text(text) == plain_fold(text)
    assert fold(text) == " ".join(plain_fold(text).split())


@given(st.text(max_size=60) | mixed)
def test_folding_twice_is_folding_once(text: str) -> None:
    once = fold(text)
    assert fold(once) == once
    assert fold_text(fold_text(text)) == fold_text(text)
    assert "  " not in once
    assert once == once.strip()
    assert fold_text(text).count("\n") == text.count("\n")


def test_the_last_body_is_remembered_and_no_other() -> None:
    one, other = "Solar " * 50, "Wind " * 50
    assert fold_body(one) is fold_body(one)
    assert [fold_body(text) for text in (one, other, one, "", other)] == [
        fold_text(text) for text in (one, other, one, "", other)
    ]
