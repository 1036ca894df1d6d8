"""The three documentation sets as one web: a host for each, and a start page that links where each begins.

In: folders of pages. Out: for a target the answer that a plain web server would give, straight from the file: what is
compared is an order, so nothing waits for a network. Never: sockets, robots rules, delays.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote, unquote

from bench.focus_topics import FocusTopic
from bench.sets import PageSet, closed, file_of

DOMAIN = "docs.test"  # all hosts are of one site: one queue, so that nothing but the order decides what is next
START = f"http://{DOMAIN}/"
AT = 1_767_225_600.0  # when everything is fetched: what a crawl does must not hang on the day
ROOTS = {"java": "/api/"}  # where the paths of a topic's rule begin, if not at the set's own root


class FocusWeb:
    """The sets by name, one host each."""

    def __init__(self, sets: dict[str, PageSet]) -> None:
        self._sets = {f"{name}.{DOMAIN}": each for name, each in sets.items()}
        links = [f'<li><a href="http://{host}{each.start}">{host}</a></li>' for host, each in self._sets.items()]
        self._start_page = f"<!doctype html><title>Documentation</title><ul>{''.join(links)}</ul>".encode()
        self._pages = {name: closed(each) for name, each in sets.items()}
        self.size = 1 + sum(len(paths) for paths in self._pages.values())

    def relevant(self, topic: FocusTopic) -> set[str]:
        """The pages that the topic's rule names and that links reach, as `page_of` names them."""
        return {page for pages in self._relevant_by_set(topic) for page in pages}

    def way_in(self, topic: FocusTopic) -> tuple[str, ...]:
        """The address of one relevant page of each set that has any: the first on a breadth-first way."""
        return tuple(f"http://{quote(pages[0])}" for pages in self._relevant_by_set(topic) if pages)

    def _relevant_by_set(self, topic: FocusTopic) -> list[list[str]]:
        rules = topic.rule()
        return [
            [f"{name}.{DOMAIN}{path}" for path in paths if rules[name].match(path.removeprefix(ROOTS.get(name, "/")))]
            for name, paths in self._pages.items()
        ]

    def page_of(self, url: str) -> str:
        """Which page an address is: host and path of the file behind it; '' for the start page and what is not there."""
        host, slash, path = url.partition("://")[2].partition("?")[0].partition("/")
        if (each := self._sets.get(host)) is None:
            return ""
        path = slash + unquote(path)
        path += "index.html" if path.endswith("/") else ""
        return host + path if file_of(each, path).is_file() else ""

    def fetch(self, target: Any) -> Any:
        """What comes of asking for a target."""
        from halflife.records import Answer, Fetch

        body = self._start_page if target.url == START else self._body(target.url)
        html = target.url == START or target.url.endswith((".html", "/"))
        headers = (("content-type", "text/html" if html else "application/octet-stream"),)
        answer = Answer(404, "Not Found", b"", ()) if body is None else Answer(200, "OK", b"", headers, content=body)
        return Fetch(target, AT, answer, wire_bytes=len(body or b""))

    def _body(self, url: str) -> bytes | None:
        if not (page := self.page_of(url)):
            return None
        host, slash, path = page.partition("/")
        return file_of(self._sets[host], slash + path).read_bytes()


def area(order: Iterable[str], relevant: set[str], pages: int) -> float:
    """The mean, over the first 1, 2, ... `pages` answers, of the share of the relevant pages found until then."""
    left = set(relevant)
    gained = 0
    for number, page in zip(range(pages), order, strict=False):
        if page in left:
            left.discard(page)
            gained += pages - number
    return gained / pages / len(relevant)
