"""crawlee-python following links and keeping nothing. Usage: crawlee_links.py RULE START..."""

from __future__ import annotations

import asyncio
import logging
import re
import sys
from datetime import timedelta

from crawlee import ConcurrencySettings
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient

CONNECTIONS = 16


async def crawl(rule: str, starts: list[str]) -> None:
    """The documented link-following crawler, with its storage in memory."""
    logging.disable()
    crawler = ParselCrawler(
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=CONNECTIONS, max_concurrency=CONNECTIONS, desired_concurrency=CONNECTIONS
        ),
        request_handler_timeout=timedelta(hours=1),
        configure_logging=False,
    )

    @crawler.router.default_handler
    async def follow(context: ParselCrawlingContext) -> None:
        await context.enqueue_links(strategy="same-origin", include=[re.compile(rule)])

    await crawler.run(starts)


if __name__ == "__main__":
    asyncio.run(crawl(sys.argv[1], sys.argv[2:]))
