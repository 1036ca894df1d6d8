"""Values as people write them, and the mistakes they make."""

from __future__ import annotations

import pytest

from halflife.cli.crawl import GROUPS, crawl_parser, settings_of
from halflife.cli.options import duration, header, nested, size
from halflife.errors import SettingError


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("500", 500),
        ("300kB", 300_000),
        ("2GB", 2 * 10**9),
        ("1.5 GiB", 1.5 * 2**30),
        ("2g", 2 * 10**9),
        ("0", 0),
        ("7B", 7),
    ],
)
def test_sizes(text: str, count: float) -> None:
    assert size(text) == count


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("1.5", 1.5), ("20s", 20), ("10m", 600), ("2h", 7200), ("1d", 86400)]
)
def test_times(text: str, seconds: float) -> None:
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "x", "-1", "2 parsecs", "1e99", "GB"])
def test_what_is_no_size_and_no_time(text: str) -> None:
    with pytest.raises(ValueError, match="write it as in"):
        size(text)
    with pytest.raises(ValueError, match="write it as in"):
        duration(text)


def test_headers() -> None:
    assert header("X-Key: a: b") == ("X-Key", "a: b")
    with pytest.raises(ValueError, match="no header"):
        header("nonsense")


def test_dotted_paths_become_records() -> None:
    assert nested({"a": 1, "b.c": 2, "b.d.e": 3, "f": None}) == {"a": 1, "b": {"c": 2, "d": {"e": 3}}}


def settings(*arguments: str) -> object:
    given = vars(crawl_parser().parse_intermixed_args(list(arguments)))
    seeds = given.pop("seeds")
    for name in ("into", "quiet", "events"):
        given.pop(name)
    return settings_of(given, given.pop("threshold"), tuple(seeds))


def test_every_option_arrives_in_the_settings() -> None:
    samples = {"N": "3", "K": "7", "X": "1.5", "SIZE": "3kB", "TIME": "3s", "'NAME: VALUE'": "X-A: b",
               "site|host|prefix|any": "any", "best|breadth": "best", "HOST:ADDR": "a.example:127.0.0.1"}  # fmt: skip
    plain = settings()
    for options in GROUPS.values():
        for option in options:
            if option.into in ("into", "quiet", "events"):
                continue
            value = [samples.get(option.value, "word")] if option.value else []
            paper = ["--paper"] if option.into.startswith("paper.") else []
            assert settings(*paper, option.flag, *value) != settings(*paper) or plain != settings(
                option.flag, *value
            ), option.flag


def test_seeds_may_stand_anywhere() -> None:
    assert settings("a.example", "--topic", "solar", "b.example").seeds == ("a.example", "b.example")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--pages", "many"], "argument --pages: 'many' is no whole number; see halflife crawl --help"),
        (["--bytes", "2 parsecs"], "argument --bytes: '2 parsecs' is no size; write it as in 500kB, 20MB or 2GB"),
        (["--delay", "soon"], "argument --delay: 'soon' is no time"),
        (["--threshold", "high"], "argument --threshold: 'high' is no number"),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--topic"], "argument --topic: expected one argument"),
        (["--w-url", "3"], "belong to --paper"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], said: str) -> None:
    with pytest.raises(SettingError) as raised:
        settings(*arguments)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
