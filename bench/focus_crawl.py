"""One crawl of the web of `bench focus`, in this process and without a network: in which order its pages are asked for.

Everything that decides the order is halflife's own: the frontier, its turns, what is expected of links, the page reader,
the weight, the rules by which links are followed. Left out is what cannot change it: transport, manners, the store. (A
crawl of the same web behind nginx with one worker, `halflife.crawl`, asked for its first 600 pages in the same order.)
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import msgspec

from bench.focus_web import AT, START, FocusWeb

SEGMENT = "none"  # nothing is written; books go by the end of a journal, which here is the number of the answer


def asked_for(web: FocusWeb, topic: str, pages: int, tunnel: int | None = None, **settings: Any) -> list[str]:
    """What a crawl's first answers were, in order, '' for no page of the sets. A tunnel holds in paper mode too."""
    from halflife.fetch import FetchSettings, chunks_of
    from halflife.run.begin import begin
    from halflife.run.settings import CrawlSettings
    from halflife.run.turns import Turns
    from halflife.run.visit import Visitor

    settings.setdefault("seeds", (START,))
    fetch = FetchSettings(allow_private=True)  # nobody is to be asked where these hosts live
    order: list[str] = []
    with tempfile.TemporaryDirectory(prefix="halflife-bench-focus-") as folder:
        begun = begin(CrawlSettings(topic=topic, fetch=fetch, **settings), Path(folder) / "crawl")
        if tunnel is not None:
            begun.settings = msgspec.structs.replace(begun.settings, tunnel=tunnel)
        frontier, books = begun.frontier, begun.books
        turns, visitor = Turns(books), Visitor(begun.settings)
        while len(order) < pages and (site := frontier.turn(AT)):
            for target in turns.choose(site, pages - len(order)):
                fetched = web.fetch(target)
                order.append(web.page_of(target.url))
                books.book(SEGMENT, len(order), target, visitor.visit(fetched, chunks_of(fetched.outcome)).head)
                books.flush()
            frontier.release(site, 0.0, AT)
        frontier.close(commit=False)
        begun.folder.unlock()
    return order
