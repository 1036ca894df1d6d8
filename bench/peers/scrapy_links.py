"""Scrapy following links and keeping nothing. Usage: scrapy_links.py RULE START..."""

from __future__ import annotations

import sys
from urllib.parse import urlsplit

from scrapy.crawler import CrawlerProcess
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

RULE, STARTS = sys.argv[1], sys.argv[2:]

SETTINGS = {
    "LOG_ENABLED": False,
    "TELNETCONSOLE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "AUTOTHROTTLE_ENABLED": False,
    "COOKIES_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS": 16,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8 if len(STARTS) > 1 else 16,
    "DOWNLOAD_MAXSIZE": 0,
    "DOWNLOAD_WARNSIZE": 0,
}


def without_fragment(href: str) -> str:
    """Else each of a page's links into one other page becomes a request of its own for Scrapy to drop."""
    return href.partition("#")[0]


class Links(CrawlSpider):
    """Follows every link that the rule lets through, on the hosts it started from."""

    name = "links"
    start_urls = STARTS
    allowed_domains = [urlsplit(start).hostname or "" for start in STARTS]
    extractor = LinkExtractor(
        allow=RULE,
        allow_domains=[urlsplit(start).netloc for start in STARTS],
        tags=["a"],
        attrs=["href"],
        process_value=without_fragment,
    )
    rules = [Rule(extractor, callback="seen", follow=True)]

    def seen(self, response: Response) -> None:
        """Keep nothing."""


if __name__ == "__main__":
    process = CrawlerProcess(SETTINGS)
    process.crawl(Links)
    process.start()
