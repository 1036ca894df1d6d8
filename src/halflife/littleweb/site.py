"""What a site of the little web is: a name, a line about it, and a function from a request to a reply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

from msgspec import Struct

from halflife.littleweb.markup import Look, not_found, redirect, text_reply
from halflife.littleweb.wire import Reply, Request


class Dials(Struct, frozen=True, kw_only=True):
    """What a test may turn."""

    slow_seconds: float = 0.3  # how long slow.example thinks: enough to see, short enough for a demo
    busy_refusals: int = 1  # how many requests busy.example turns away before it recovers
    retry_after_seconds: int = 1  # what it asks for; Retry-After knows whole seconds only


class World:
    """What changes while the little web runs. Touched by the server's thread; `tick` is only counted up by others."""

    def __init__(self, dials: Dials) -> None:
        self.dials = dials
        self.tick = 0  # time as the news site knows it
        self.asked: Counter[str] = Counter()  # requests a host, robots.txt not counted

    def reset(self) -> None:
        self.tick = 0
        self.asked.clear()


Answering = Callable[[Request, World], Reply]
Route = Reply | Answering


class Site(Struct, frozen=True):
    """One host."""

    host: str
    about: str  # one line for people
    answer: Answering
    relevant: frozenset[str] = frozenset()  # paths of the pages that are about the topic and may be had
    server: str = ""  # sites that name the same server share its address; '' is one of its own


def fixed(look: Look, routes: Mapping[str, Route]) -> Answering:
    """A site of known paths: a query is ignored, a missing slash is added, anything else is a 404."""

    def answer(request: Request, world: World) -> Reply:
        route = routes.get(request.route)
        if route is None:
            with_slash = request.route + "/"
            return redirect(with_slash, 301) if with_slash in routes else not_found(look)
        return route if isinstance(route, Reply) else route(request, world)

    return answer


def robots(*lines: str) -> Reply:
    """A robots.txt for every crawler."""
    return text_reply("\n".join(["User-agent: *", *lines]) + "\n")
