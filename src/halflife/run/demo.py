"""A crawl of the little web, and how well it went: there, what is on the topic is known beforehand."""

from __future__ import annotations

import tempfile
from collections import Counter
from itertools import islice
from pathlib import Path

from halflife.errors import InputError
from halflife.events import Demo, DemoSite, Tell, silent
from halflife.fetch import FetchSettings, Limits
from halflife.littleweb import LittleWeb
from halflife.run.listing import pages, skipped_counts
from halflife.run.settings import Budget, CrawlSettings
from halflife.run.wheel import crawl
from halflife.urls import host

TOPIC = '"solar energy"'
DELAY_SECONDS = 0.05  # between requests to one site: it is our own, and a newcomer is waiting
SECONDS_MAX = 15.0  # the whole of it takes a few; this only bounds a slow machine
BEST_SHOWN = 8


def demo(topic: str | None = None, into: Path | None = None, paper: bool = False, tell: Tell = silent) -> Demo:
    """Serve the little web, crawl it, and gather what there is to show."""
    folder = into or Path(tempfile.mkdtemp(prefix="halflife-demo-"))
    if folder.exists() and any(folder.iterdir()):
        raise InputError(f"{folder}: is not empty; give --into another folder, or leave it out")
    with LittleWeb() as web:
        finished = crawl(_settings(web, topic or TOPIC, paper), folder, tell)
        relevant = web.relevant() if topic is None else None
    everything = list(pages(folder, everything=True))
    kept = {row["url"] for row in everything if row["kept"]}
    return Demo(
        topic=topic or TOPIC,
        finished=finished,
        best=list(islice(pages(folder), BEST_SHOWN)),
        sites=_sites(everything),
        reasons=list(skipped_counts(folder)),
        relevant=None if relevant is None else len(relevant),
        relevant_kept=None if relevant is None else len(relevant & kept),
    )


def _settings(web: LittleWeb, topic: str, paper: bool) -> CrawlSettings:
    return CrawlSettings(
        seeds=tuple(web.seeds),
        topic=topic,
        method="paper" if paper else "default",
        scope="any",
        budget=Budget(seconds=SECONDS_MAX),
        fetch=FetchSettings(
            resolve=tuple(web.resolve),
            delay_seconds=DELAY_SECONDS,
            contact="https://demo.example/",
            limits=Limits(connect_seconds=2.0, first_byte_seconds=3.0, answer_seconds=5.0),
        ),
        workers=1,
    )


def _sites(rows: list[dict[str, object]]) -> list[DemoSite]:
    fetched: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for row in rows:
        name = host(str(row["url"]))
        fetched[name] += 1
        kept[name] += bool(row["kept"])
    return [
        DemoSite(name, fetched[name], kept[name])
        for name, _ in sorted(fetched.items(), key=lambda pair: (-kept[pair[0]], pair[0]))
    ]
