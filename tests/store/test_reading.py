"""Questions to a store: the same answers as from a plain loop over its rows, whatever is asked and whatever it holds."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from halflife.errors import SettingError, StoreError
from halflife.records import Link, Links, Page, Weight
from halflife.store import (
    Folder,
    PageFilter,
    SegmentWriter,
    links_to,
    pages,
    pages_table,
    visits_of,
    weight_of,
)
from halflife.store.columns import schemas
from halflife.urls import host, site
from store.made import AT, answered, failed, new_store

HOSTILE = ["'; DROP VIEW pages; --", '"', "\\", "%", "_", "$url", "?", "{}", "a\0b", "\u202e", "*", "x' OR '1'='1"]


class Made(Struct):
    """A page as it goes into a store."""

    url: str
    at: float = AT
    title: str = ""
    text: str = ""
    total: float | None = 2.0  # None: not weighed
    threshold: float = 1.0
    noindex: bool = False
    language: str = ""
    kind: str = "html"
    links: tuple[str, ...] = ()


def put(folder: Folder, *made: Made, name: str = "") -> Path:
    """One sealed segment of these pages."""
    writer = SegmentWriter(folder, name) if name else SegmentWriter.create(folder)
    for one in made:
        links = tuple(Link(url, f"to {url}") for url in one.links)
        page = Page(
            one.url, one.url, kind=one.kind, title=one.title, text=one.text, language=one.language, noindex=one.noindex,
            links=Links.of(links),
        )  # fmt: skip
        weight = None
        if one.total is not None:
            kept = one.total > one.threshold
            weight = Weight(
                one.url, "default", 1, one.total, kept, one.threshold, 0.5, 0.0, 1.5, evidence={"solar": 1.0}
            )
        writer.add(answered(one.url, b"x", one.at), page, weight, b"")
    writer.seal()
    return folder.segment(writer.name)


def asked(folder: Folder, **filters: Any) -> list[str]:
    return [row["url"] for row in pages(folder, PageFilter(**filters))]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return new_store(tmp_path / "s")


# -- against a plain loop ----------------------------------------------------------------------------------------------

URLS = [
    f"http://{name}/{path}" for name in ("a.x.example", "b.x.example", "y.example") for path in ("", "one", "two?q=%25")
]
WORDS = st.text(st.sampled_from("aB %_'é"), max_size=6)
LANGUAGES = st.sampled_from(["", "en", "en-gb", "eng", "de"])
PAGES = st.builds(
    Made, st.sampled_from(URLS), st.sampled_from([AT, AT + 1, AT + 2]), WORDS, WORDS,
    st.none() | st.sampled_from([0.0, 1.0, 1.5, 9.0]), st.just(1.0), st.booleans(), LANGUAGES,
    st.sampled_from(["html", "plain", "feed"]),
)  # fmt: skip
FILTERS = st.builds(
    PageFilter, everything=st.booleans(), min_weight=st.none() | st.sampled_from([0.0, 1.5, 3.0]),
    site=st.sampled_from(["", "x.example", "Y.example", "example"]), host=st.sampled_from(["", "a.x.example", "x.example"]),
    match=st.sampled_from(["", "one", "^http://a", r"\?q=%25$", "(?i)TWO", "[ab]\\.x"]), text=WORDS,
    language=st.sampled_from(["", "en", "EN-gb", "e"]), kind=st.sampled_from(["", "html", "feed"]),
    order=st.sampled_from(["weight", "time", "address"]), limit=st.none() | st.integers(0, 4),
)  # fmt: skip


def expected(made: list[Made], which: PageFilter) -> list[str]:
    """What the filter means, in plain Python."""
    latest: dict[str, Made] = {}
    for one in made:
        if one.url not in latest or one.at > latest[one.url].at:
            latest[one.url] = one
    found = [
        one
        for one in latest.values()
        if (which.everything or (one.total is not None and one.total > one.threshold and not one.noindex))
        and (which.min_weight is None or (one.total is not None and one.total >= which.min_weight))
        and (not which.site or site(one.url) == which.site.lower())
        and (not which.host or host(one.url) == which.host.lower())
        and (not which.match or re.search(which.match, one.url))
        and all(word in f"{one.title} {one.text}".lower() for word in which.text.lower().split())
        and (not which.language or f"{one.language}-".startswith(f"{which.language.lower()}-"))
        and (not which.kind or one.kind == which.kind)
    ]  # fmt: skip
    found.sort(key=lambda one: one.url)
    if which.order == "weight":
        found.sort(key=lambda one: (one.total is None, -(one.total or 0.0)))
    elif which.order == "time":
        found.sort(key=lambda one: -one.at)
    return [one.url for one in found][: which.limit]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Folder, list[Made]]]:
    """Some stores of several segments, drawn once: asking is cheap, writing is not."""
    found: list[tuple[Folder, list[Made]]] = []

    @settings(max_examples=8, deadline=None, database=None)
    @given(st.lists(st.lists(PAGES, max_size=8), max_size=3))
    def draw(segments: list[list[Made]]) -> None:
        made = list({(one.url, one.at): one for segment in segments for one in segment}.values())
        folder = new_store(tmp_path_factory.mktemp("stores") / "s")
        for place in range(len(segments)):
            put(folder, *made[place :: len(segments)])
        found.append((folder, made))

    draw()
    return found


@settings(max_examples=40, deadline=None)
@given(which=FILTERS, place=st.integers(0, 100))
def test_filters_mean_what_they_say(stores: list[tuple[Folder, list[Made]]], which: PageFilter, place: int) -> None:
    folder, made = stores[place % len(stores)]
    found = [row["url"] for row in pages(folder, which)]
    assert found == expected(made, which)


def test_the_drawn_stores_hold_something(stores: list[tuple[Folder, list[Made]]]) -> None:
    assert sum(len(expected(made, PageFilter())) for _, made in stores) > 0
    assert len(stores) >= 5


# -- one by one --------------------------------------------------------------------------------------------------------


def test_an_empty_store_answers_every_question_with_nothing(folder: Folder) -> None:
    assert list(pages(folder)) == []
    assert pages_table(folder).num_rows == 0
    assert weight_of(folder, "http://a.example/") is None
    assert visits_of(folder, "http://a.example/") == []
    assert links_to(folder, "http://a.example/") == []
    put(folder)  # a segment without rows
    assert list(pages(folder, PageFilter(everything=True))) == []


def test_a_segment_that_is_not_complete_does_not_answer(folder: Folder) -> None:
    put(folder, Made("http://a.example/"))
    writer = SegmentWriter.create(folder)
    page = Page("http://b.example/", "http://b.example/")
    writer.add(answered(page.url, b"x"), page, None, b"")
    assert asked(folder, everything=True) == ["http://a.example/"]
    writer.seal()
    assert asked(folder, everything=True) == ["http://a.example/", "http://b.example/"]


def test_a_row_has_every_part_of_its_weight(folder: Folder) -> None:
    put(folder, Made("http://a.example/", title="A ☀", text="solár", total=2.0))
    (row,) = pages(folder)
    assert row["weight"] == 2.0
    assert (row["part_url"], row["part_body"], row["threshold"], row["method"]) == (0.5, 1.5, 1.0, "default")
    assert (row["title"], row["text_characters"], row["kept"], row["site"]) == ("A ☀", 5, True, "a.example")
    assert row["evidence"] == {"solar": 1.0}
    assert row["fetched_at"] == datetime.fromtimestamp(AT, UTC)
    assert pages_table(folder).column_names == list(row)


def test_the_latest_visit_speaks_for_a_page(folder: Folder) -> None:
    url = "http://a.example/"
    put(folder, Made(url, AT + 9, "new", total=5.0), Made("http://b.example/", AT, total=3.0))
    put(folder, Made(url, AT, "old", total=9.0), Made("http://b.example/", AT + 9, total=0.0))
    assert [(row["title"], row["weight"]) for row in pages(folder)] == [("new", 5.0)]
    found = weight_of(folder, url)
    assert found is not None
    assert (found["total"], found["evidence"]) == (5.0, {"solar": 1.0})


def test_a_page_that_asks_not_to_be_kept_is_not_listed(folder: Folder) -> None:
    put(folder, Made("http://a.example/", noindex=True, total=9.0))
    assert asked(folder) == []
    (row,) = pages(folder, PageFilter(everything=True))
    assert (row["kept"], row["noindex"], row["weight"]) == (False, True, 9.0)


def test_pages_that_were_not_weighed_come_last(folder: Folder) -> None:
    put(folder, Made("http://a.example/", total=None, kind="feed"), Made("http://b.example/", total=0.0))
    assert asked(folder, everything=True) == ["http://b.example/", "http://a.example/"]
    assert [row["kept"] for row in pages(folder, PageFilter(everything=True))] == [False, False]


def test_words_are_found_in_whatever_case(folder: Folder) -> None:
    cases = [
        ("The ΟΔΟΣ and", "οδος"),
        ("the οδος, it", "ΟΔΟΣ it"),
        ("in İstanbul today", "İSTANBUL"),
        ("STRASSE, Straße", "straße"),
        ("ÉNERGIE\nsolaire", "énergie SOLAIRE"),
        ("100% a_b", "% _"),
        ("photovoltaics", "  \t photo\nTAICS "),
    ]
    for n, (text, _) in enumerate(cases):
        put(folder, Made(f"http://a.example/{n}", text=text), Made(f"http://b.example/{n}", title=text))
    for n, (_, words) in enumerate(cases):
        assert asked(folder, text=words, match=f"{n}$") == [f"http://a.example/{n}", f"http://b.example/{n}"]
    assert len(asked(folder, text="photovoltaics")) == 2


def test_a_language_is_found_with_its_regions(folder: Folder) -> None:
    languages = ["", "de", "en", "en-gb", "eng"]
    put(folder, *(Made(f"http://a.example/{language}", language=language) for language in languages))
    assert asked(folder, language="en") == ["http://a.example/en", "http://a.example/en-gb"]
    assert asked(folder, language="EN-GB") == ["http://a.example/en-gb"]


def test_all_words_must_be_there(folder: Folder) -> None:
    put(folder, Made("http://a.example/", title="solar", text="wind"), Made("http://b.example/", text="wind"))
    assert asked(folder, text="wind solar") == ["http://a.example/"]
    assert asked(folder, text="wind solar heat") == []


@pytest.mark.parametrize("name", ["site", "host", "text", "language", "kind"])
def test_values_travel_as_values(folder: Folder, name: str) -> None:
    put(folder, Made("http://a.example/", text="x y z"))
    for value in ("'; DROP VIEW pages; --", "x' OR '1'='1", "$url", "\ud800"):
        assert asked(folder, **{name: value}, everything=True) == []
    assert asked(folder, everything=True) == ["http://a.example/"]


def test_hostile_text_is_found_by_itself(folder: Folder) -> None:
    values = dict(enumerate(HOSTILE))
    put(folder, *(Made(f"http://a.example/{n:02}", title=value, text=f"before {value}") for n, value in values.items()))
    assert [row["title"] for row in pages(folder, PageFilter(order="address"))] == [*values.values()]
    for n, value in values.items():
        found = asked(folder, text=value, order="address")
        others = [
            other for other, text in values.items() if all(word in text.lower() for word in value.lower().split())
        ]
        assert found == [f"http://a.example/{other:02}" for other in others]
        assert n in others


@pytest.mark.parametrize("value", ["' OR 1=1 --", "%", "http://a.example/'"])
def test_questions_about_an_address_are_about_nothing_else(folder: Folder, value: str) -> None:
    put(folder, Made("http://a.example/", links=("http://b.example/",)))
    assert (weight_of(folder, value), visits_of(folder, value), links_to(folder, value)) == (None, [], [])


@pytest.mark.parametrize("pattern", ["(", "[a", "*", "a{2,1}", r"\1", "(?<=a)b", "(?P<", "a{1000000}", "\ud800"])
def test_a_pattern_that_does_not_compile_is_named(folder: Folder, pattern: str) -> None:
    with pytest.raises(SettingError) as told:
        asked(folder, match=pattern)
    assert str(told.value).startswith(f"--match {pattern!r}: no regular expression (")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("filters", [{"order": "url; DROP"}, {"limit": -1}])
def test_other_values_that_cannot_be_are_named(folder: Folder, filters: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=f"--{next(iter(filters))} .*: must be "):
        asked(folder, **filters)


def test_a_limit_may_be_as_large_as_it_likes(folder: Folder) -> None:
    put(folder, Made("http://a.example/"), Made("http://b.example/"))
    for limit in (0, 1, 2, (1 << 63) - 1, 1 << 63, 10**30):
        assert len(asked(folder, limit=limit)) == min(limit, 2)
        assert links_to(folder, "http://c.example/", limit) == []
    with pytest.raises(SettingError, match="--limit -1: must be 0 or more"):
        links_to(folder, "http://c.example/", -1)


def test_more_rows_than_are_held_at_a_time_come_all_and_in_order(folder: Folder) -> None:
    put(folder, *(Made(f"http://a.example/{n:05}", total=2.0) for n in range(5_000)))
    assert asked(folder) == [f"http://a.example/{n:05}" for n in range(5_000)]
    rows = pages(folder)
    assert next(rows)["url"] == "http://a.example/00000"  # and the rest is not asked for
    rows.close()  # type: ignore[attr-defined]


def test_visits_are_all_attempts_oldest_first(folder: Folder) -> None:
    url = "http://a.example/"
    put(folder, Made(url, AT + 5))
    writer = SegmentWriter.create(folder)
    writer.add(failed(url, at=AT + 1), None, None, b"")
    writer.seal()
    found = visits_of(folder, url)
    assert [(row["status"], row["failure"]) for row in found] == [(None, "dns"), (200, "")]
    assert list(found[0]) == schemas()["fetches"].names


def test_links_to_a_page_are_those_of_the_latest_visits(folder: Folder) -> None:
    to = "http://b.example/"
    put(
        folder,
        Made("http://z.example/", AT, links=(to, to)),
        Made("http://a.example/", AT, links=("http://c.example/", to)),
    )
    put(folder, Made("http://a.example/", AT + 9, links=(to,)))
    found = links_to(folder, to)
    assert [(row["from_url"], row["anchor"]) for row in found] == [
        ("http://a.example/", f"to {to}"), ("http://z.example/", f"to {to}"),
    ]  # fmt: skip
    assert found[0]["position"] == 0
    assert found[0]["fetched_at"] == datetime.fromtimestamp(AT + 9, UTC)
    assert [row["from_url"] for row in links_to(folder, to, 1)] == ["http://a.example/"]


# -- where the store lies, and what became of its files ----------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["[x]", "[x", "x]", "q?", "st*r", "**", "a{b,c}", "s3:x", "~", "~root", "it's", 'q"q', "back\\slash", "new\nline",
     "per%41cent", "co:lon", "a;b", "ü☀", "k=v", "$x", " sp ", "pages.parquet", "a,b", "#h"],
)  # fmt: skip
def test_a_folder_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    folder = new_store(Path(name))
    put(folder, Made("http://a.example/"), name="20260101-000000-00000000")
    if name == "[x]":  # what a pattern would find
        put(new_store(Path("x")), Made("http://wrong.example/"), name="20260101-000000-00000000")
    assert asked(folder) == ["http://a.example/"]


QUESTIONS: dict[str, Callable[[Folder], object]] = {
    "pages": pages_table,
    "weights": lambda folder: weight_of(folder, "http://a.example/"),
    "fetches": lambda folder: visits_of(folder, "http://a.example/"),
    "links": lambda folder: links_to(folder, "http://b.example/"),
}


@pytest.mark.parametrize("table", QUESTIONS)
@pytest.mark.parametrize(("where", "place"), [("all", 0), ("data", 1), ("footer", 0), ("end", 1)])
def test_a_damaged_table_is_named_in_one_line(folder: Folder, table: str, where: str, place: int) -> None:
    """Of the right length, so that only reading it tells."""
    segments = [
        put(folder, Made("http://a.example/", AT + (n == place), links=("http://b.example/",))) for n in range(2)
    ]
    path = segments[place] / f"{table}.parquet"
    content = path.read_bytes()
    size, footer = len(content), int.from_bytes(content[-8:-4], "little")
    start, end = {
        "all": (0, size), "data": (4, size - footer - 8), "footer": (size - footer - 8, size - 8), "end": (size - 8, size),
    }[where]  # fmt: skip
    path.write_bytes(content[:start] + b"\x0f" * (end - start) + content[end:])
    with pytest.raises(StoreError) as told:
        QUESTIONS[table](folder)
    assert str(told.value).startswith(
        f"{path}: it is cut short or damaged: put it back from a copy, or move its folder"
    )
    assert str(told.value).isprintable()
    path.write_bytes(content)
    assert QUESTIONS[table](folder)


def test_pages_row_by_row_tell_of_damage_too(folder: Folder) -> None:
    path = put(folder, Made("http://a.example/")) / "weights.parquet"
    path.write_bytes(bytes(path.stat().st_size))
    with pytest.raises(StoreError, match=r"weights\.parquet: it is cut short or damaged"):
        asked(folder)


def test_asking_leaves_no_trace_in_the_store(folder: Folder) -> None:
    put(folder, Made("http://a.example/"))
    before = {path: path.stat().st_mtime_ns for path in folder.path.rglob("*")}
    assert asked(folder) == ["http://a.example/"]
    assert {path: path.stat().st_mtime_ns for path in folder.path.rglob("*")} == before


def test_times_are_shown_in_utc_wherever_one_is(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    put(folder, Made("http://a.example/"))
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        (row,) = pages(folder)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert row["fetched_at"].isoformat() == "2026-09-21T14:13:20.250000+00:00"


def test_a_folder_whose_name_is_no_text_is_told_of_before_anything_is_made() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Folder(Path(name) / "\udcff")
        with pytest.raises(StoreError, match=r"\\udcff: its name is not in UTF-8; choose or make a folder"):
            folder.exists()
        folder.path.mkdir()
        with pytest.raises(StoreError, match=r"\\udcff: its name is not in UTF-8"):
            folder.check()
