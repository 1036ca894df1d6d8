"""A little web on loopback: what `halflife demo` crawls, and what tests stand on.

In: HTTP requests. Out: pages of two dozen hosts under .example, each with its habits, good and bad; which of them are
about solar energy, fixed in advance; who asked for what. Never: speaks to anything but loopback, depends on chance or
on the calendar, knows the crawler.
Start at: web.py (the whole), healthy.py (one site), site.py (what a site is), server.py (the bytes).

    with LittleWeb() as web:
        ...  # web.seeds, web.resolve, web.relevant(), web.visits

To look at it: `python -m halflife.littleweb`.
"""

from __future__ import annotations

from halflife.littleweb.site import Dials, Site
from halflife.littleweb.web import LittleWeb
from halflife.littleweb.wire import Visit

__all__ = ["Dials", "LittleWeb", "Site", "Visit"]
