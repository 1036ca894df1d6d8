"""Reading the little web for tests: over a socket, or straight from the sites."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from html import unescape
from urllib.parse import urldefrag, urljoin

from halflife.littleweb import Dials, Site
from halflife.littleweb.site import World
from halflife.littleweb.wire import Reply, Request

Got = tuple[int, dict[str, str], bytes]  # status, headers by lower-case name, body as it was sent
Get = Callable[..., Got]

HREF = re.compile(r'(?:href|src|poster)="([^"]*)"')
SEEN_MAX = 400  # addresses of one site: more than any healthy site has


def walk(site: Site) -> dict[str, Reply]:
    """A site from its home page on, as far as its own links lead: path -> reply. The calendar has no end: left out."""
    world = World(Dials(busy_refusals=0))
    home = f"http://{site.host}/"
    found: dict[str, Reply] = {}
    waiting = deque([home])
    while waiting and len(found) < SEEN_MAX:
        url = waiting.popleft()
        path = url.removeprefix(home[:-1])
        if path not in found:
            world.asked[site.host] += 1
            found[path] = reply = site.answer(Request("GET", site.host, path, {}), world)
            waiting += [other for other in links(url, reply) if other.startswith(home) and "/calendar" not in other]
    return found


def links(url: str, reply: Reply) -> list[str]:
    """Where a reply leads, absolute."""
    leads = [value for name, value in reply.headers if name == "Location"]
    if reply.content_type.startswith("text/html"):
        leads += [unescape(href) for href in HREF.findall(reply.body.decode("utf-8", "replace"))]
    return [urldefrag(urljoin(url, href)).url for href in leads if "[" not in href and ":port" not in href]


def prose_of(body: bytes) -> str:
    """What a page says itself, without its head, menu and the words of its links."""
    text = re.sub(r"<(head|nav|style|script|a)\b.*?</\1>", " ", body.decode("utf-8", "replace"), flags=re.DOTALL)
    return unescape(re.sub(r"<!--.*?-->|<[^>]+>", " ", text, flags=re.DOTALL))
