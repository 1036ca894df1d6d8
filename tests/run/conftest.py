"""What the tests of whole crawls share: the little web, and settings fit for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crawling import TOPIC, Crawled, Crawling, fetch_settings
from halflife import Budget, CrawlSettings, crawl
from halflife.events import Event
from halflife.littleweb import LittleWeb


@pytest.fixture(scope="session")
def one_web() -> Iterator[LittleWeb]:
    with LittleWeb() as web:
        yield web
    assert web.errors == []


@pytest.fixture
def web(one_web: LittleWeb) -> LittleWeb:
    """The little web, as if it had just been started."""
    one_web.reset()
    return one_web


@pytest.fixture
def crawling(web: LittleWeb, tmp_path: Path) -> Crawling:
    """Crawl the little web with some settings of one's own."""

    def run(into: str = "store", fetch: dict[str, Any] | None = None, budget: Any = None, **settings: Any) -> Crawled:
        events: list[Event] = []
        given: dict[str, Any] = {
            "seeds": tuple(web.seeds),
            "topic": TOPIC,
            "scope": "any",
            "workers": 1,
            "budget": Budget(**{"seconds": 60.0, **(budget or {})}),
            **settings,
        }
        finished = crawl(
            CrawlSettings(fetch=fetch_settings(web, **(fetch or {})), **given), tmp_path / into, events.append
        )
        return Crawled(tmp_path / into, finished, events)

    return run
