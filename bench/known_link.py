"""What a link to a known address costs, from reading it to its row in the tables.

The pages with the most links are handled twice: as they are, every address on them known, and with each `href=` made
`data=`, so that the same bytes hold the same words and no links. The difference, over the links, is the cost of one.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from bench.peers.bare_loop import new_links
from bench.sets import HOME, RULE, PageSet, closed, file_of

PAGES = 30  # those with the most links in a set
REPEATS = 5  # the least of so many is what counts: noise only adds


def known_link_microseconds(sets: list[PageSet], settings: Any, folder: Path) -> tuple[float, float, int]:
    """The cost for halflife, doing its whole job, and for the bare loop; and the links of a page this was measured on."""
    bodies = _richest([file_of(each, path).read_bytes() for each in sets for path in closed(each)])
    stripped = [re.sub(rb"\bhref=", b"data=", body) for body in bodies]
    links = sum(len(LexborHTMLParser(body).css("a[href]")) for body in bodies)
    ours = _least(settings, folder, bodies) - _least(settings, folder, stripped)
    rule = re.compile(RULE)
    known: set[str] = set()
    theirs = _least_of(lambda: [new_links(HOME + "/", body, known, rule) for body in bodies])
    theirs -= _least_of(lambda: [new_links(HOME + "/", body, known, rule) for body in stripped])
    return ours / links * 1e6, theirs / links * 1e6, links // len(bodies)


def _richest(bodies: list[bytes]) -> list[bytes]:
    return sorted(bodies, key=lambda body: body.count(b"href="), reverse=True)[:PAGES]


def _least(settings: Any, folder: Path, bodies: list[bytes]) -> float:
    """CPU seconds of halflife's work on these pages, all that it finds on them being known."""
    from halflife.run.visit import Visitor

    visitor = Visitor(settings)
    fetches = [_fetch(number, body) for number, body in enumerate(bodies)]
    for fetch in fetches:
        visitor.visit(fetch, (fetch.outcome.content,))
    spent = []
    for _ in range(REPEATS):
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            spent.append(_handled(visitor, fetches, Path(fresh)))
    return min(spent)


def _handled(visitor: Any, fetches: list[Any], fresh: Path) -> float:
    from halflife.run.messages import Report, frame, pack_head
    from halflife.store import Folder, SegmentWriter

    store = Folder(fresh / "store")
    store.create(visitor.settings.fixed())
    writer = SegmentWriter.create(store)
    began = time.process_time()
    for fetch in fetches:
        visit = visitor.visit(fetch, (fetch.outcome.content,))
        end = writer.add(fetch, visit.page, visit.weight, pack_head(visit.head))
        frame(Report(writer.name, end, fetch.target, visit.head))
    writer.seal()
    return time.process_time() - began


def _least_of(work: Callable[[], object]) -> float:
    work()
    spent = []
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        spent.append(time.process_time() - began)
    return min(spent)


def _fetch(number: int, body: bytes) -> Any:
    from halflife.records import Answer, Fetch, Target

    headers = (("content-type", "text/html"), ("content-length", str(len(body))))
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    head = f"HTTP/1.1 200 OK\r\n{lines}\r\n".encode()
    answer = Answer(200, "OK", head, headers, body, body)
    target = Target(f"{HOME}/{number}.html", number + 1)
    return Fetch(
        target,
        time.time(),
        answer,
        wire_bytes=len(head) + len(body),
        address="127.0.0.1",
        request=b"GET / HTTP/1.1\r\n\r\n",
    )
