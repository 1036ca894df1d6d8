"""fetch: the only room that opens a socket to the web.

In: a Target. Out: a Fetch (an answer, or the kind of its failure), or Later when manners forbid to ask now.
Never: reads meaning into a page; follows a redirect, but for robots.txt; raises for what the web does; writes to disk,
but for bodies too large for memory, which go to a file that the caller removes.
Start at: `Fetcher.fetch` in fetcher.py, then `Asker.ask` in asking.py.

    fetcher.py  may we: robots, then ask           asking.py     where, when, connect, ask, rest
    robots.py   robots.txt asked for and kept      rules.py      robots.txt read and matched (pure)
    pace.py     when a site and a server may be    guard.py      which addresses may be connected to
    dns.py      names to addresses                 seeds.py      which seeds are private
    doors.py    connections made and kept open     transport.py  one connection
    answer.py   one answer within its limits       wire.py       heads and chunks (pure)
    decode.py   content codings (pure)             place.py      origins and requests (pure)
    proxy.py    the user's proxy                   settings.py   what can be set
"""

from __future__ import annotations

from halflife.fetch.answer import chunks_of
from halflife.fetch.fetcher import Fetcher
from halflife.fetch.guard import is_private
from halflife.fetch.seeds import private_hosts
from halflife.fetch.settings import FetchSettings, Limits

__all__ = ["FetchSettings", "Fetcher", "Limits", "chunks_of", "is_private", "private_hosts"]
