"""Finds the date in an address, and tells how sure the address makes us that it is one.

Numbers that look like dates are mostly something else: /thread/2045/10 is the tenth page of a thread, /events/203105 an
event. So the forms that are taken for a date depend on the company they keep:

    anywhere                                a full date (2031-05-17, /2031/05/17), or a parameter named for one
    beside a word for what is planned       also a month (2031-05)
    beside a word for the calendar itself   also /2031/5, 20310517, 05-2031, may-2031
"""

from __future__ import annotations

import re

from msgspec import Struct

YEAR = re.compile(r"(?<![0-9])[12][0-9]{3}")  # whatever has none of this has no date
FULL_DATE = re.compile(r"(?<![0-9])([12][0-9]{3})([-/._])(?:0[1-9]|1[0-2])\2(?:0[1-9]|[12][0-9]|3[01])(?![0-9])")
DATE_PARAMETER = re.compile(
    r"(?<!up)(?<!candi)(?:date|datum|month|monat)=([12][0-9]{3})-?(?:0[1-9]|1[0-2])(?:-?[0-3][0-9])?(?![0-9])", re.I
)
YEAR_PARAMETER = re.compile(r"[?&](?:[a-z_]*year|yr|y|jahr)=([12][0-9]{3})(?![0-9])", re.I)
PART_PARAMETER = re.compile(r"[?&](?:[a-z_]*(?:month|week|day)|mon|m|w|d|monat|tag)=[0-9]{1,2}(?![0-9])", re.I)
# A word followed by "=" only names a parameter.
PLAN = re.compile(r"(?<![a-z])(?:events?|month|week|schedule|termine)(?![a-z=])", re.I)
PLAN_DATE = re.compile(r"(?<![0-9])([12][0-9]{3})[-_.](?:0[1-9]|1[0-2])(?![0-9])")
CALENDAR = re.compile(r"calend|kalend|(?<![a-z])(?:cal|agenda|booking|availability)(?![a-z])", re.I)
MONTH = r"(?:0?[1-9]|1[0-2]|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6})"
CALENDAR_DATES = (
    PLAN_DATE,
    re.compile(rf"(?<![0-9])([12][0-9]{{3}})[-/._]{MONTH}(?![0-9])", re.I),
    re.compile(r"(?<![0-9])([12][0-9]{3})(?:0[1-9]|1[0-2])[0-3][0-9](?![0-9])"),
    re.compile(rf"(?<![0-9]){MONTH}[-/._]([12][0-9]{{3}})(?![0-9])", re.I),
)


class Dated(Struct, frozen=True):
    """The date in an address."""

    year: int
    text: str  # as it stands there
    planned: bool = False  # beside a word for what is planned, or for the calendar
    calendar: bool = False  # beside a word for the calendar


def date_in(url: str, start: int = 0) -> Dated | None:
    """The first date in an address from `start` on, or None."""
    if not YEAR.search(url, start):
        return None
    calendar = CALENDAR.search(url, start) is not None
    planned = calendar or PLAN.search(url, start) is not None
    sure = FULL_DATE.search(url, start) or DATE_PARAMETER.search(url, start)
    if sure:
        return Dated(int(sure[1]), sure[0], planned, calendar)
    if year := YEAR_PARAMETER.search(url, start):
        parts = PART_PARAMETER.findall(url, start)
        return Dated(int(year[1]), "".join([year[0], *parts]), planned, calendar) if parts else None
    for form in CALENDAR_DATES if calendar else (PLAN_DATE,) if planned else ():
        if match := form.search(url, start):
            return Dated(int(match[1]), match[0], planned, calendar)
    return None
