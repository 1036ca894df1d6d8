"""What a user can set about a crawl, in one record. Every limit has a name, a default and a reason."""

from __future__ import annotations

import os
from typing import Any, Literal, get_args

import msgspec
from msgspec import Struct, field

from halflife.errors import SettingError
from halflife.fetch import FetchSettings
from halflife.fetch.settings import check_number
from halflife.judge import PaperSettings, WeightSettings, parse_topic
from halflife.plan import Scope, Traps

Method = Literal["default", "paper"]
Order = Literal["auto", "best", "breadth"]

TUNNEL_DEFAULT = 3  # on documentation sets nearly all relevant pages lie within three irrelevant ones of another
STARVE_DEFAULT = 20  # failing pages in a row that a directory is granted: fewer gives up on indexes that come first
SEGMENT_BYTES = (
    128_000_000  # a segment is closed at this size: small enough to copy and to repair, large enough to be few
)
READING_SECONDS_LEAST = 0.1
WORKERS_MAX = 128  # processes; no machine that one frontier can keep busy has more cores
READING_SECONDS = 20.0  # of CPU time for one page: parsers have inputs on which they take hours
# What decides which pages are fetched and kept belongs to the store: two halves of a crawl must not differ in it.
FIXED = ("topic", "method", "tunnel", "scope", "include", "exclude", "weight", "paper")


class Budget(Struct, frozen=True, kw_only=True):
    """Where a crawl stops. 0 means: no limit. Pages and bytes count over all runs on one store."""

    pages: int = 0  # answers received, robots.txt not among them
    bytes: int = 0  # received on the wire, everything counted
    seconds: float = 0.0  # of this run
    depth: int = 0  # links away from a seed
    pages_per_host: int = 0


class CrawlSettings(Struct, frozen=True, kw_only=True):
    """One crawl."""

    seeds: tuple[str, ...] = ()  # addresses
    topic: str = ""  # '' for a store that has one
    method: Method = "default"
    order: Order = "auto"  # best first; in paper mode, which has no order of its own, breadth first
    tunnel: int = TUNNEL_DEFAULT  # irrelevant pages in a row whose links are still followed
    scope: str = "site"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    budget: Budget = Budget()
    starve: int = STARVE_DEFAULT  # 0 never starves
    traps_off: tuple[str, ...] = ()  # trap guards switched off, by name
    retry_failed: bool = False  # give addresses that failed in earlier runs another chance
    weight: WeightSettings = field(default_factory=WeightSettings)
    paper: PaperSettings = field(default_factory=PaperSettings)
    fetch: FetchSettings = field(default_factory=FetchSettings)
    workers: int = 0  # 0: one for each core but the one the frontier needs
    segment_bytes: int = SEGMENT_BYTES
    reading_seconds: float = READING_SECONDS
    said: tuple[
        str, ...
    ] = ()  # of the settings that a store fixes, those that mean what they say, though it is the default

    def checked(self) -> CrawlSettings:
        """Itself with nothing left open, or an error that names the option and what it may be."""
        parse_topic(self.topic)
        _known("--order", self.order, get_args(Order))
        _known("method", self.method, get_args(Method))
        for name, value, least in (
            ("--tunnel", self.tunnel, 0),
            ("--starve", self.starve, 0),
            ("--pages", self.budget.pages, 0),
            ("--bytes", self.budget.bytes, 0),
            ("--seconds", self.budget.seconds, 0),
            ("--depth", self.budget.depth, 0),
            ("--pages-per-host", self.budget.pages_per_host, 0),
            ("--reading-timeout", self.reading_seconds, READING_SECONDS_LEAST),
        ):
            check_number(name, value, least)
        check_number("--workers", self.workers, 0, WORKERS_MAX)
        if isinstance(self.seeds, str):
            raise SettingError(
                f"seeds: {self.seeds[:80]!r} is a text, not several addresses; write ({self.seeds[:80]!r},)"
            )
        Scope(self.scope, self.seeds, self.include, self.exclude)
        Traps(off=self.traps_off)
        paper = self.method == "paper"
        return msgspec.structs.replace(
            self,
            order=("breadth" if paper else "best") if self.order == "auto" else self.order,
            tunnel=0 if paper else self.tunnel,  # the seed discards the links of irrelevant pages
            workers=self.workers or max(1, (os.cpu_count() or 2) - 1),
            weight=self.weight.checked(),
            paper=self.paper.checked(),
            fetch=self.fetch.checked(),
        )

    def fixed(self) -> dict[str, Any]:
        """What the store remembers of a crawl, and what later runs on it must agree with."""
        return {name: msgspec.to_builtins(getattr(self, name)) for name in FIXED}

    def resumed(self, stored: dict[str, Any], where: str) -> CrawlSettings:
        """Itself on a store that was begun with `stored`: what was left out is taken from there, the rest must agree."""
        begun = msgspec.convert(stored, CrawlSettings, strict=False)
        taken = {}
        for name in FIXED:
            given, before = getattr(self, name), getattr(begun, name)
            if given == getattr(DEFAULTS, name) and name not in self.said:
                taken[name] = before
            elif given != before:
                raise SettingError(
                    f"{where} was begun with {_difference(name, before, given)}; leave it out to resume,"
                    " or give a new folder with --into"
                )
        return msgspec.structs.replace(self, **taken)


DEFAULTS = CrawlSettings()


def _known(option: str, value: str, values: tuple[str, ...]) -> None:
    if value not in values:
        raise SettingError(f"{option} {value!r}: must be one of {', '.join(values)}")


def _difference(name: str, before: object, given: object) -> str:
    """What a store was begun with that is not as it is given now."""
    if isinstance(before, Struct) and isinstance(given, Struct):
        parts, now = msgspec.structs.asdict(before), msgspec.structs.asdict(given)
        return ", ".join(f"{part} {value}, not {now[part]}" for part, value in parts.items() if value != now[part])
    return f"{name} {before!r}, not {given!r}"
