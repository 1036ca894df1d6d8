"""Pages that are made to hurt whoever reads them cost one page each, and the rest of the crawl goes on."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Literal

import pytest

from crawling import served
from halflife import CrawlSettings, FetchSettings, crawl, pages, skipped, why
from halflife.events import Event, Visited, Warned
from halflife.run.wheel import DEATHS_MAX
from halflife.store import Folder

GOOD = b"<title>Solar energy</title><p>Solar energy, and more of it."
PAGES = {
    "/": b"".join(b"<a href=/%b>solar energy</a> " % name for name in (
        b"deep", b"links", b"nul", b"wrong-charset", b"not-utf8", b"attributes", b"huge-word", b"entities", b"good",
    )),
    "/deep": b"<div>" * 3_000_000,  # lexbor's time grows with the square of the depth
    "/links": b"".join(b'<a href="/n?%d">solar</a>' % number for number in range(100_000)),
    "/nul": b"\0<title>Solar\0 energy</title><p>solar\0energy\0<a href='/\0'>\0</a>" + b"\0" * 100_000,
    "/wrong-charset": b'<meta charset="utf-16"><title>Solar energy</title>solar energy',
    "/not-utf8": b'<meta charset="utf-8"><title>Solar \xff\xfe energy</title>' + bytes(range(128, 256)) * 100,
    "/attributes": b"<p " + b" ".join(b"a%d=1" % number for number in range(20_000)) + b">solar energy",
    "/huge-word": b"<p>" + b"solarenergy" * 300_000,
    "/entities": b"<p>" + b"&solar&amp;&#x110000;&#0;" * 50_000,
    "/good": GOOD,
}  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        body = PAGES.get(self.path)
        self.send_response(200 if body is not None else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.fixture
def site() -> Iterator[str]:
    with served(Handler) as place:
        yield place


@pytest.fixture
def killers(monkeypatch: pytest.MonkeyPatch) -> int:
    """Pages that end their worker, more in a row than workers may die for no reason that is known."""
    count = DEATHS_MAX + 2
    links = b"".join(
        b"<a href=/good%d>solar energy</a> <a href=/bad%d>energy</a>" % (each, each) for each in range(count)
    )
    monkeypatch.setitem(PAGES, "/", links)
    for each in range(count):
        monkeypatch.setitem(PAGES, f"/good{each}", GOOD + b"%d" % each)
        monkeypatch.setitem(PAGES, f"/bad{each}", b"<div>" * 400_000)
    return count


@pytest.mark.parametrize("order", ["best", "breadth"])
def test_any_number_of_pages_that_end_their_worker_costs_these_and_nothing_is_untold(
    site: str, killers: int, tmp_path: Path, order: Literal["best", "breadth"]
) -> None:
    told: list[Event] = []
    settings = CrawlSettings(
        seeds=(f"{site}/",), topic="solar energy", order=order, workers=1, reading_seconds=0.3,
        fetch=FetchSettings(delay_seconds=0.0),
    )  # fmt: skip
    finished = crawl(settings, tmp_path / "store", told.append)
    assert finished.reason == "exhausted"
    visited = [event.url.removeprefix(site) for event in told if isinstance(event, Visited)]
    assert sorted(visited) == sorted(["/robots.txt", "/", *(f"/good{each}" for each in range(killers))])
    assert sum(isinstance(event, Warned) for event in told) == killers
    assert finished.pages == killers + 1
    for each in range(killers):
        assert why(tmp_path / "store", f"{site}/bad{each}").fate == "worker_died"


def test_hostile_pages_cost_one_page_each(site: str, tmp_path: Path) -> None:
    told: list[Event] = []
    settings = CrawlSettings(
        seeds=(f"{site}/",),
        topic="solar energy",
        exclude=(r"/n\?",),
        workers=1,
        reading_seconds=5.0,
        fetch=FetchSettings(delay_seconds=0.0),
    )
    finished = crawl(settings, tmp_path / "store", told.append)
    assert finished.reason == "exhausted"
    assert [event.message for event in told if isinstance(event, Warned)] != []
    assert why(tmp_path / "store", f"{site}/deep").fate == "worker_died"
    assert why(tmp_path / "store", f"{site}/deep").detail == "it took too long"
    rows = {row["url"].removeprefix(site): row for row in pages(tmp_path / "store", everything=True)}
    assert rows.keys() == PAGES.keys() - {"/deep"}
    assert rows["/good"]["kept"]
    assert rows["/wrong-charset"]["kept"]
    assert rows["/nul"]["title"].startswith("Solar")
    reasons = [row["reason"] for row in skipped(tmp_path / "store")]
    assert reasons.count("excluded") == 50_000, "as many links as a page may have"
    assert Folder(tmp_path / "store").journals() == []
