"""Text for terminals: harmless whatever a page says, and lined up."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.report.text import columns, cut, plain, size_words, table, time_words


@given(st.text())
def test_plain_text_has_no_character_that_steers_a_terminal(text: str) -> None:
    shown = plain(text)
    assert not [character for character in shown if unicodedata.category(character).startswith("C")]
    assert "\n" not in shown
    assert plain(shown) == shown


def test_plain_takes_the_teeth_out_of_escapes() -> None:
    assert plain("\x1b[2J\x1b]0;owned\x07title") == "[2J]0;ownedtitle"
    assert plain("left\u202eright") == "leftright"
    assert plain("two\nlines\tand a tab") == "two lines and a tab"


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (2_500_000, "2.5 MB"), (3e9, "3.0 GB"), (7e12, "7.0 TB")],
)
def test_sizes(count: float, words: str) -> None:
    assert size_words(count) == words


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.25, "0.2 s"), (59.9, "59.9 s"), (61, "1 min 01 s"), (3660, "1 h 01 min")]
)
def test_times(seconds: float, words: str) -> None:
    assert time_words(seconds) == words


@given(st.text(max_size=40), st.integers(min_value=2, max_value=30))
def test_cut_text_fits(text: str, width: int) -> None:
    assert columns(cut(text, width)) <= width


def test_wide_characters_take_two_columns() -> None:
    assert columns("太陽") == 4
    assert columns("e\u0301") == 1


def test_a_table_lines_up() -> None:
    assert table(("name", "n"), [("a", 1), ("long one", 22)], right=(1,)) == [
        "name       n",
        "--------  --",
        "a          1",
        "long one  22",
    ]


def test_the_last_column_takes_what_is_left() -> None:
    lines = table(("a", "b"), [("x", "y" * 100)], width=30)
    assert max(map(len, lines)) == 30
    assert lines[-1].endswith("…")
