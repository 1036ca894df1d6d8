"""The little web as a whole: starts the server in a thread of its own, and knows who asked for what."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from http import HTTPStatus
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from halflife.littleweb import almanac, dead, healthy, manners, names, news, odd, rings, traps
from halflife.littleweb.addresses import HOME, addressed, asked_host, spread
from halflife.littleweb.markup import Look, link, page_reply, paragraphs
from halflife.littleweb.server import Server
from halflife.littleweb.site import Dials, Site, World
from halflife.littleweb.wire import Reply, Request, Visit

VISITS_MAX = 200_000  # what is remembered of who asked: more than any test asks for, 60 MB for one that never ends
SEEDS = ("solarhome.example", "news.example", "almanac.example")
GROUPS: tuple[Callable[[], list[Site]], ...] = (
    healthy.sites,
    news.sites,
    almanac.sites,
    names.sites,
    dead.sites,
    rings.sites,
    manners.sites,
    traps.sites,
    odd.sites,
)
LOOK = Look("The little web", "#222222", closing="Everything here is made up, and nothing of it leaves this machine.")


class LittleWeb:
    """A web of several hosts on loopback, from `with` to the end of its block.

    `port` 0 lets the system choose; `one_address` puts all hosts on 127.0.0.1, as on systems that have no other.
    """

    nowhere = "closed.onion"  # pages link to it, and it has no address: such names are not looked up (RFC 7686)

    def __init__(self, dials: Dials | None = None, port: int = 0, one_address: bool = False) -> None:
        self.port = port
        self._world = World(dials or Dials())
        self._sites = {site.host: site for group in GROUPS for site in group()}
        self._addresses = spread(self._sites.values(), one_address)
        self._visits: deque[Visit] = deque(maxlen=VISITS_MAX)
        self._server: Server | None = None

    def __enter__(self) -> Self:
        started: Future[int] = Future()
        self._thread = threading.Thread(target=self._run, args=(started,), name="little web", daemon=True)
        self._thread.start()
        try:
            self.port = started.result()
        except Exception:
            self._thread.join()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join()

    # -- what is there --------------------------------------------------------------------------------------------

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names of all hosts."""
        return tuple(self._sites)

    @property
    def sites(self) -> tuple[Site, ...]:
        """What there is, in the order of `hosts`."""
        return tuple(self._sites.values())

    @property
    def resolve(self) -> tuple[str, ...]:
        """HOST:ADDRESS for each host, as `--resolve` takes it."""
        return tuple(f"{host}:{address}" for host, address in self._addresses.items())

    @property
    def seeds(self) -> tuple[str, ...]:
        """Where a crawl begins; links lead from there to all other hosts."""
        return tuple(self.url(host) for host in SEEDS)

    def url(self, host: str, path: str = "/") -> str:
        """The canonical address of a page."""
        return f"http://{host}:{self.port}{path}"

    def address(self, host: str) -> str:
        """The loopback address on which a host lives."""
        return self._addresses[host]

    def relevant(self) -> set[str]:
        """The pages that are about solar energy, and that a crawler with manners can have and may keep."""
        return {self.url(site.host, path) for site in self.sites for path in site.relevant}

    # -- what happens ---------------------------------------------------------------------------------------------

    @property
    def visits(self) -> list[Visit]:
        """Who asked for what, oldest first."""
        return list(self._visits)

    @property
    def errors(self) -> list[Exception]:
        """Mistakes of ours that a request has brought to light: none, as a test may assert."""
        return list(self._server.errors) if self._server is not None else []

    def tick(self) -> None:
        """Let time pass: the newspaper prints."""
        self._world.tick += 1

    def reset(self) -> None:
        """Back to the first day, nobody has asked for anything."""
        self._world.reset()
        self._visits.clear()

    # -- in the server's thread -----------------------------------------------------------------------------------

    def _run(self, started: Future[int]) -> None:
        asyncio.run(self._serve(started))

    async def _serve(self, started: Future[int]) -> None:
        self._loop, self._ending = asyncio.get_running_loop(), asyncio.Event()
        self._server = server = Server(self._respond, self._visits.append)
        addresses = tuple(dict.fromkeys([HOME, *self._addresses.values()]))
        try:
            port = await server.start(addresses, self.port)
        except Exception as error:  # a port that is taken, most likely: a matter for whoever started it
            started.set_exception(error)
            return
        started.set_result(port)
        await self._ending.wait()
        await server.stop()

    def _respond(self, request: Request) -> Reply:
        host, ending = asked_host(request)
        site = self._sites.get(host)
        if site is None:
            reply = self._contents() if not host else Reply(b"no such host here\n", HTTPStatus.MISDIRECTED_REQUEST)
        else:
            if request.route != "/robots.txt":
                self._world.asked[host] += 1
            reply = site.answer(replace(request, host=host), self._world)
        return addressed(reply, ending, request.port)

    def _contents(self) -> Reply:
        """The list of all hosts, for people."""
        rows = "".join(
            f"<tr><td>{link(f'http://{site.host}/', site.host)}</td><td>{site.about}</td></tr>\n" for site in self.sites
        )
        said = paragraphs(["Some hosts with one thing in common: a crawler should meet them here first."])
        return page_reply(LOOK, "Hosts", f"{said}<table>{rows}</table>")
