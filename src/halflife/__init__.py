"""halflife: a web crawler and web-health tool that spends bandwidth where it matters.

import halflife
done = halflife.crawl(halflife.CrawlSettings(seeds=("https://example.org/",), topic="solar energy"), "solar")
for page in halflife.pages("solar"):
    print(page["weight"], page["url"], page["title"])
print(halflife.why("solar", "https://example.org/").fate)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from halflife.errors import HalflifeError, InputError, SettingError, StoreError
    from halflife.fetch import FetchSettings, Limits
    from halflife.judge import PaperSettings, WeightSettings, parse_topic, weigh, weigh_paper
    from halflife.run import Budget, CrawlSettings, crawl, pages, skipped, why

_PLACES = {
    "Budget": "run", "CrawlSettings": "run", "crawl": "run", "pages": "run", "skipped": "run", "why": "run",
    "FetchSettings": "fetch", "Limits": "fetch",
    "PaperSettings": "judge", "WeightSettings": "judge", "parse_topic": "judge", "weigh": "judge", "weigh_paper": "judge",
    "HalflifeError": "errors", "InputError": "errors", "SettingError": "errors", "StoreError": "errors",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """The library's door; what lies behind it is imported when it is asked for, so that the command line starts fast."""
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module 'halflife' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"halflife.{place}"), name)


__all__ = [
    "Budget", "CrawlSettings", "FetchSettings", "HalflifeError", "InputError", "Limits", "PaperSettings", "SettingError",
    "StoreError", "WeightSettings", "crawl", "pages", "parse_topic", "skipped", "weigh", "weigh_paper", "why",
]  # fmt: skip
