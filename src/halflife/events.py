"""What a run tells while it goes on. Programs read these as JSON lines (`--events`), people as a progress line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
from msgspec import Struct


class Started(Struct, frozen=True, tag="started"):
    """A run begins, or goes on where an earlier one on the same store ended."""

    into: str
    topic: str
    method: str
    workers: int
    resumed: bool
    waiting: int  # addresses in the queue
    recovered: int = 0  # visits found in journals that an earlier run could not book any more


class Visited(Struct, frozen=True, tag="visited"):
    """One fetch is over, whatever came of it."""

    url: str
    fate: str  # what became of it; "robots_txt" of a robots.txt itself
    detail: str = ""
    title: str = ""
    weight: float | None = None
    wire_bytes: int = 0
    depth: int = 0
    found: int = 0  # addresses on it that were not known to its worker


class Progress(Struct, frozen=True, tag="progress"):
    """Where the run stands."""

    seconds: float  # of this run
    pages: int  # answers, over all runs on the store
    kept: int
    judged: int  # pages that were weighed
    failed: int
    wire_bytes: int
    waiting: int
    skipped: int
    active_sites: int
    pages_per_second: float  # lately
    bytes_per_second: float  # lately
    left: str = ""  # what is left of the tightest budget, in words


class Warned(Struct, frozen=True, tag="warned"):
    """Something a person should know, and the run goes on."""

    message: str


class Finished(Struct, frozen=True, tag="finished"):
    """A run is over; the store can be read, and resumed."""

    into: str
    reason: str  # exhausted | pages | bytes | seconds | interrupted | resting
    seconds: float
    pages: int
    kept: int
    judged: int
    failed: int
    wire_bytes: int
    waiting: int
    skipped: int
    fates: dict[str, int]  # how many addresses met each fate, 'waiting' among them
    pages_this_run: int = 0
    attempted_this_run: bool = False  # whether anything was asked for
    answered_this_run: bool = False  # whether any server answered at all


class DemoSite(Struct, frozen=True):
    """What a crawl of the little web had from one host."""

    host: str
    weighed: int
    kept: int


class Demo(Struct, frozen=True):
    """A crawl of the little web."""

    topic: str
    finished: Finished
    best: list[dict[str, Any]]  # rows of the pages table
    sites: list[DemoSite]
    reasons: list[dict[str, Any]]  # what was not fetched, counted
    relevant: int | None  # pages that are on the topic, known beforehand; None for a topic of the user's own
    relevant_kept: int | None


Event = Started | Visited | Progress | Warned | Finished
Tell = Callable[[Event], None]

_encoder = msgspec.json.Encoder()


def json_line(event: Event) -> bytes:
    """An event as one line of JSON; its kind is in `type`."""
    return _encoder.encode(event) + b"\n"


def silent(event: Event) -> None:
    """For those who do not want to know."""
