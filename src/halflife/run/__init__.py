"""The only room that knows the order of steps. In: settings. Out: counts, and events while it works. Never: rules.

Start at `wheel.py` (the main process's loop) and `worker.py` (a worker's). One page's way: `Turns.choose` picks it,
`Worker._lane` fetches it, `Visitor.visit` reads, weighs and follows, `SegmentWriter.add` keeps it, `Books.book` settles it
and makes known what it links to.

    wheel.py    begin, listen, book, lease, commit, finish      begin.py    opening a store, also after a crash
    worker.py   one worker process                              crew.py     the worker processes, from outside
    visit.py    what follows from one fetch                     known.py    links a worker has passed on already
    turns.py    which addresses a site's turn gets              books.py    what a visit means for the frontier
    pulse.py    progress and budgets                            messages.py what the processes tell each other
    seeds.py    seeds as people give them                       listing.py  pages, skipped: questions to a store
    explain.py  everything known of one address                 demo.py     a crawl of the little web
"""

from __future__ import annotations

from halflife.page import IS_COMPILED
from halflife.run.explain import why
from halflife.run.listing import export, pages, skipped
from halflife.run.settings import Budget, CrawlSettings
from halflife.run.wheel import crawl

__all__ = ["IS_COMPILED", "Budget", "CrawlSettings", "crawl", "export", "pages", "skipped", "why"]
