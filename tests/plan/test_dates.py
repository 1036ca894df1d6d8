"""Dates in addresses, and numbers that only look like dates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.plan.dates import Dated, date_in

BASE = "https://h2031-05-01.org"


@pytest.mark.parametrize(
    ("path", "year"),
    [
        ("/2024/05/03/title", 2024),
        ("/news/2024-05-03-title.html", 2024),
        ("/a.2024.12.31/", 2024),
        ("/log?d=1&when=1999-01-01&n=2", 1999),
        ("/x?date=20240503", 2024),
        ("/x?startDate=2024-05", 2024),
        ("/x?month=202405", 2024),
        ("/x?year=2024&month=5", 2024),
        ("/x?m=05&y=2024", 2024),
        ("/x?cal_year=2024&cal_week=17", 2024),
        ("/events/2024-05/", 2024),
        ("/schedule_2024.05", 2024),
        ("/calendar/2024/5/", 2024),
        ("/calendar/2024/may", 2024),
        ("/Kalender/20240503", 2024),
        ("/calendrier/05-2024", 2024),
        ("/agenda/may-2024", 2024),
    ],
)
def test_dates(path: str, year: int) -> None:
    dated = date_in(BASE + path, len(BASE))
    assert dated is not None
    assert dated.year == year
    assert str(year) in dated.text


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/2024/",
        "/thread/2045/10",
        "/thread/2045/2",
        "/item/203105",
        "/item/20310517",
        "/12031-05-17",
        "/2031-05-171",
        "/2031-13-01",
        "/2031/05-17",
        "/standard-2031-05",
        "/x?start=203105",
        "/x?update=203105",
        "/x?candidate=203105",
        "/x?year=2024",
        "/x?year=20245&month=5",
        "/events/203105",
        "/events/2045/10",
        "/eventful/2045-10",
        "/calendar/20315",
        "/calendar/203113",
        "/calendar/11-20315",
    ],
)
def test_numbers_that_are_no_dates(path: str) -> None:
    assert date_in(BASE + path, len(BASE)) is None


def test_what_the_address_says_of_its_kind() -> None:
    assert date_in("https://h/2024/05/03/x") == Dated(2024, "2024/05/03")
    assert date_in("https://h/events/2024-05") == Dated(2024, "2024-05", planned=True)
    assert date_in("https://h/cal/2024-05") == Dated(2024, "2024-05", planned=True, calendar=True)
    assert date_in("https://h/calories/2024-05-03") == Dated(2024, "2024-05-03")
    assert date_in("https://h/x?year=2024&month=5&day=7&z=8") == Dated(2024, "?year=2024&month=5&day=7")


@given(st.dates(), st.sampled_from(["/", "-", ".", "_"]))
def test_every_full_date_is_found(date: object, separator: str) -> None:
    text = str(date).replace("-", separator)
    dated = date_in(f"https://h/{text}/x")
    assert dated is None if text < "1000" or text >= "3000" else dated is not None and dated.text == text


@given(st.text("0123456789/-?&=yearmonthcald", max_size=40))
def test_anything_may_be_asked(rest: str) -> None:
    dated = date_in(f"https://h/{rest}")
    assert dated is None or 1000 <= dated.year < 3000
