"""One request, in order: where is it (names, guard), when may it be (pace), connect, ask, rest."""

from __future__ import annotations

import time

from halflife.fetch.answer import Reader
from halflife.fetch.dns import LookUp, Names, Overrides
from halflife.fetch.doors import Doors, Unconnected
from halflife.fetch.guard import Guard
from halflife.fetch.pace import BUSY, Lane, Pace
from halflife.fetch.place import Place, Requests
from halflife.fetch.proxy import read_proxy
from halflife.fetch.settings import FetchSettings, Limits
from halflife.fetch.transport import Connection
from halflife.records import Answer, Failure, Fetch, Kind, Later, Target

PROXY_AUTHENTICATION_REQUIRED = 407

Got = tuple[Fetch | Later, bytes]  # and the content, also of an answer that was cut off for its size


class _Asked:
    """What happened so far in one request."""

    __slots__ = ("address", "at", "began", "content", "cut", "outcome", "request", "wire_bytes")

    def __init__(self, cut: bool) -> None:
        self.cut = cut
        self.at = time.time()
        self.began = time.monotonic()
        self.address = ""
        self.request = b""  # b"" until it was sent
        self.outcome: Answer | Failure | None = None
        self.wire_bytes = 0
        self.content = b""


class Asker:
    """Asks for anything, at the right time and the right address."""

    def __init__(self, settings: FetchSettings, look_up: LookUp | None = None) -> None:
        self._settings = settings
        self._proxy = read_proxy(settings.proxy)
        self._overrides = Overrides(settings.resolve)
        self._names = Names(self._overrides, settings.limits.connect_seconds, look_up)
        self._guard = Guard(settings)
        self._pace = Pace(settings)
        self._doors = Doors(settings, self._proxy)
        self._requests = Requests(settings, self._proxy.authorization if self._proxy else "")
        self.stopped = False

    async def ask(
        self, target: Target, place: Place, path: str, limits: Limits, crawl_delay_seconds: float, cut: bool = False
    ) -> Got:
        """Wait for the turn, ask, and leave server and site to rest. `cut`: as `Reader` has it."""
        address = self._doors.idle_address(place.origin)
        addresses: tuple[str, ...] = (address,)
        if not address:
            found = await self._locate(place)
            if isinstance(found, Failure):
                return Fetch(target, time.time(), found), b""
            addresses = found
        lanes = self._lanes(place, addresses[0])
        if not self._pace.enter(lanes):
            due = await self._pace.wait(lanes)
            if due:
                return Later(target, time.time() + max(0.0, due - time.monotonic())), b""
        asked = _Asked(cut)
        rest_seconds = 0.0
        try:
            await self._exchange(asked, place, path, addresses, limits)
        finally:
            seconds = time.monotonic() - asked.began
            if asked.request or asked.outcome is not None:
                rest_seconds = self._rest_seconds(lanes[0], asked.outcome, seconds, crawl_delay_seconds)
            self._pace.leave(lanes, rest_seconds)
            if asked.address and asked.address != addresses[0]:
                self._pace.rest(self._lanes(place, asked.address), rest_seconds)
        if asked.outcome is None:
            return Later(target, time.time()), b""
        fetch = Fetch(
            target, asked.at, asked.outcome, seconds, asked.wire_bytes,
            "" if self._proxy is not None else asked.address, asked.request, rest_seconds,
        )  # fmt: skip
        return fetch, asked.content

    async def locate(self, place: Place) -> str:
        """The IP address a place would be asked at; '' when nobody knows, or only the proxy."""
        if self._proxy is not None:
            return ""
        found = await self._names.addresses(place.host, place.port)
        return "" if isinstance(found, Failure) else found[0]

    def resting_seconds(self, place: Place) -> float:
        """How long this place's site is not to be asked."""
        return max(0.0, self._pace.lanes(place.site)[0].free_at - time.monotonic())

    def stop(self) -> None:
        """Send nothing more; what is under way may end."""
        self.stopped = True
        self._pace.stop()
        self._doors.stop()

    async def close(self) -> None:
        """Let go of everything."""
        self.stop()
        await self._names.close()
        await self._doors.close()

    # -- before ----------------------------------------------------------------------------------------------------

    async def _locate(self, place: Place) -> tuple[str, ...] | Failure:
        """The addresses that may be connected to, the first to be tried in front."""
        given = self._overrides.of(place.host, place.port)  # the user's word
        if self._proxy is not None:
            refusal = "" if given else self._guard.name_refusal(place.host)
            if refusal:
                return Failure(Kind.GUARDED, refusal)
            found = await self._names.addresses(self._proxy.host, self._proxy.port)
            return Failure(Kind.PROXY, f"the proxy: {found.detail}") if isinstance(found, Failure) else found
        if given:
            return given
        found = await self._names.addresses(place.host, place.port)
        if isinstance(found, Failure):
            return found
        refusals = [self._guard.refusal(place.host, address) for address in found]
        if all(refusals):
            return Failure(Kind.GUARDED, refusals[0])
        return tuple(address for address, refusal in zip(found, refusals, strict=True) if not refusal)

    def _lanes(self, place: Place, address: str) -> tuple[Lane, ...]:
        """The site's and the server's. Behind a proxy the server is not known."""
        return self._pace.lanes(place.site) if self._proxy is not None else self._pace.lanes(place.site, f"@{address}")

    # -- the request -----------------------------------------------------------------------------------------------

    async def _exchange(
        self, asked: _Asked, place: Place, path: str, addresses: tuple[str, ...], limits: Limits
    ) -> None:
        """Send the request and take the answer in; once more where a kept connection turns out to have been closed."""
        through_proxy = self._proxy is not None and not place.tls
        request = (self._requests.get_through_proxy if through_proxy else self._requests.get)(place, path)
        connection = self._doors.take(place.origin)
        reused = connection is not None
        while True:
            if connection is None:
                connection = await self._open(asked, place, addresses)
                if connection is None:
                    return
            asked.request, asked.address = request, connection.address
            asked.at, asked.began = time.time(), time.monotonic()
            reader = Reader(limits, self._settings.spool_folder, cut=asked.cut)
            try:
                await connection.ask(request, reader, limits)
            except BaseException:
                reader.discard()
                raise
            if reader.keep_alive:
                self._doors.give_back(connection)
            failure = reader.failure
            if not reused or reader.wire_bytes or failure is None or failure.kind != Kind.DROPPED:
                break
            connection, reused = None, False
        asked.wire_bytes = reader.wire_bytes
        asked.outcome = reader.outcome()
        if failure is not None:
            asked.content = reader.content()
        elif through_proxy and reader.status == PROXY_AUTHENTICATION_REQUIRED:
            asked.outcome = Failure(
                Kind.PROXY, "the proxy wants a user and a password: --proxy http://USER:PASSWORD@HOST:PORT"
            )

    async def _open(self, asked: _Asked, place: Place, addresses: tuple[str, ...]) -> Connection | None:
        """A new connection. None when there is none (with the reason), or when nothing may be sent any more."""
        asked.request = b""
        port = place.port if self._proxy is None else self._proxy.port
        try:
            connection = await self._doors.open(place, addresses, port)
        except Unconnected as error:
            if not self.stopped:
                asked.outcome = error.failure
            return None
        if self.stopped:
            connection.abort()
            return None
        if connection.address != addresses[0]:
            self._names.prefer(place.host, connection.address)
        return connection

    def _rest_seconds(
        self, site: Lane, outcome: Answer | Failure | None, seconds: float, crawl_delay_seconds: float
    ) -> float:
        rest_seconds = self._pace.delay_seconds(seconds, crawl_delay_seconds)
        if not isinstance(outcome, Answer) or outcome.status not in BUSY:
            site.strikes = 0
            return rest_seconds
        return max(rest_seconds, self._pace.backoff_seconds(site, outcome.header("retry-after")))
