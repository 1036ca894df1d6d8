"""Doors: connections opened within their limit, kept for the next request, and never left behind."""

from __future__ import annotations

import asyncio
import errno
import ssl
import time
from collections import Counter, OrderedDict

from halflife.fetch.answer import Reader
from halflife.fetch.place import Place
from halflife.fetch.proxy import Proxy
from halflife.fetch.settings import FetchSettings
from halflife.fetch.transport import Connection
from halflife.records import Failure, Kind

ADDRESSES_TRIED_MAX = 4  # of a name that has more: who does not answer on four does not answer
IDLE_SECONDS_MAX = 60.0  # most servers hang up earlier
IDLE_MAX = 256  # of all: far below what a process may have open
IDLE_PER_ADDRESS_MAX = 8  # on one server under several names: a few cost it less than as many handshakes
SWEEP_SECONDS = 10.0
CLOSE_ROUNDS_MAX = 1000  # of the loop until all connections are gone; a few are enough

NO_WAY = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN, errno.EADDRNOTAVAIL})


class Unconnected(Exception):
    """No connection came about. Never leaves this room."""

    def __init__(self, kind: Kind, detail: str) -> None:
        super().__init__(detail)
        self.failure = Failure(kind, detail)


class Doors:
    """All connections of one fetcher."""

    def __init__(self, settings: FetchSettings, proxy: Proxy | None) -> None:
        self._settings, self._proxy = settings, proxy
        self._context: ssl.SSLContext | None = None  # 20 ms to make: when it is needed
        self._connections: set[Connection] = set()
        self._idle: OrderedDict[Connection, None] = OrderedDict()  # the longest idle first
        self._idle_at: dict[str, list[Connection]] = {}  # by origin
        self._idle_on: Counter[str] = Counter()  # by address
        self._opening: set[asyncio.Timeout] = set()
        self._sweep: asyncio.TimerHandle | None = None
        self._stopped = False

    # -- open ones -------------------------------------------------------------------------------------------------

    def idle_address(self, origin: str) -> str:
        """The address that an idle connection to this origin leads to, '' when there is none."""
        connections = self._idle_at.get(origin)
        return connections[-1].address if connections else ""

    def take(self, origin: str) -> Connection | None:
        """An idle connection to this origin, now in use."""
        while connections := self._idle_at.get(origin):
            connection = connections[-1]
            self._leave_idle(connection)
            if connection.silent:
                return connection
            connection.abort()
        return None

    def give_back(self, connection: Connection) -> None:
        """The connection is not needed for now."""
        if connection.lost or connection.closing or self._stopped:
            connection.abort()
            return
        connection.idle_since = time.monotonic()
        self._idle[connection] = None
        self._idle_at.setdefault(connection.origin, []).append(connection)
        self._idle_on[connection.address] += 1
        if self._idle_on[connection.address] > IDLE_PER_ADDRESS_MAX:
            next(other for other in self._idle if other.address == connection.address).abort()
        elif len(self._idle) > IDLE_MAX:
            next(iter(self._idle)).abort()
        if self._sweep is None:
            self._sweep = connection.loop.call_later(SWEEP_SECONDS, self._close_old)

    def _leave_idle(self, connection: Connection) -> None:
        del self._idle[connection]
        siblings = self._idle_at[connection.origin]
        siblings.remove(connection)
        if not siblings:
            del self._idle_at[connection.origin]
        self._idle_on[connection.address] -= 1
        if not self._idle_on[connection.address]:
            del self._idle_on[connection.address]

    def _forget(self, connection: Connection) -> None:
        self._connections.discard(connection)
        if connection in self._idle:
            self._leave_idle(connection)

    def _close_old(self) -> None:
        oldest = time.monotonic() - IDLE_SECONDS_MAX
        for connection in self._idle:
            if connection.idle_since > oldest:
                break
            connection.abort()
        self._sweep = None
        if self._idle:
            self._sweep = asyncio.get_running_loop().call_later(SWEEP_SECONDS, self._close_old)

    def stop(self) -> None:
        """Whatever is being opened now, is not."""
        self._stopped = True
        for timeout in self._opening:
            if not timeout.expired():
                timeout.reschedule(0.0)

    async def close(self) -> None:
        """Close everything at once; returns when it is closed."""
        self.stop()
        if self._sweep is not None:
            self._sweep.cancel()
        for connection in list(self._connections):
            connection.abort()
        for _ in range(CLOSE_ROUNDS_MAX):
            if not self._connections:
                break
            await asyncio.sleep(0)  # connection_lost is called in the loop's next rounds

    # -- new ones --------------------------------------------------------------------------------------------------

    async def open(self, place: Place, addresses: tuple[str, ...], port: int) -> Connection:
        """A new connection to the first of these addresses that takes one, through the proxy if there is one."""
        until = time.monotonic() + self._settings.limits.connect_seconds
        tried = addresses[:ADDRESSES_TRIED_MAX]
        for number, address in enumerate(tried):
            share_seconds = (until - time.monotonic()) / (len(tried) - number)
            try:
                return await self._open_one(place, address, port, share_seconds)
            except Unconnected as error:
                if number == len(tried) - 1 or error.failure.kind in (Kind.TLS, Kind.PROXY, Kind.BAD_ADDRESS):
                    raise
        raise AssertionError("a place has an address")

    async def _open_one(self, place: Place, address: str, port: int, seconds: float) -> Connection:
        connection = Connection(self._forget)
        connection.origin, connection.address = place.origin, address
        try:
            async with asyncio.timeout(0 if self._stopped else seconds) as timeout:
                self._opening.add(timeout)
                try:
                    await self._connect(connection, place, address, port)
                finally:
                    self._opening.discard(timeout)
        except BaseException as error:
            connection.abort()
            if not isinstance(error, Exception):
                raise
            raise self._unconnected(error, place, address, port) from None
        return connection

    async def _connect(self, connection: Connection, place: Place, address: str, port: int) -> None:
        loop = asyncio.get_running_loop()
        self._connections.add(connection)
        try:
            if self._proxy is None and place.tls:
                await loop.create_connection(
                    lambda: connection, address, port, ssl=self._tls(), server_hostname=place.host
                )
            else:
                await loop.create_connection(lambda: connection, address, port)
        except BaseException:
            if connection.transport is None:
                self._connections.discard(connection)
            raise
        if self._proxy is not None and place.tls:
            await self._pass_proxy(connection, self._proxy, place)

    async def _pass_proxy(self, connection: Connection, proxy: Proxy, place: Place) -> None:
        """Ask for a way through, and speak TLS with who is at its end."""
        reader = Reader(self._settings.limits, bodiless=True)
        await connection.ask(proxy.connect(place, self._settings.agent()), reader, self._settings.limits)
        outcome = reader.outcome()
        if isinstance(outcome, Failure):
            raise Unconnected(Kind.PROXY, f"the proxy: {outcome.detail}")
        if not 200 <= outcome.status < 300:
            raise Unconnected(Kind.PROXY, f"the proxy said {outcome.status} {outcome.reason}".rstrip())
        if connection.lost or connection.closing:  # also when bytes came that would pass for the server's
            raise Unconnected(Kind.PROXY, "the proxy said there is a way, and then hung up or went on talking")
        assert connection.transport is not None
        try:
            upgraded = await asyncio.get_running_loop().start_tls(
                connection.transport, connection, self._tls(), server_hostname=place.host
            )
        except BaseException:
            self._forget(connection)  # asyncio does not tell it of its end when that comes during the handshake
            raise
        if upgraded is None:
            raise ConnectionResetError
        connection.transport = upgraded

    def _tls(self) -> ssl.SSLContext:
        if self._context is None:
            context = ssl.create_default_context()
            if self._settings.ca_file:
                context.load_verify_locations(cafile=self._settings.ca_file)
            if not self._settings.tls_verify:
                context.check_hostname = False
                context.verify_mode = ssl.CERT_NONE
            context.set_alpn_protocols(["http/1.1"])
            self._context = context
        return self._context

    def _unconnected(self, error: Exception, place: Place, address: str, port: int) -> Unconnected:
        """What went wrong, as one of the kinds and in words."""
        if isinstance(error, Unconnected):
            return error
        where = f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
        if isinstance(error, TimeoutError) and error.errno is None:
            kind, detail = Kind.CONNECT_TIMEOUT, f"no connection to {where} in time"
        elif isinstance(error, ssl.SSLError):
            kind, detail = Kind.TLS, _tls_reason(error)
        elif isinstance(error, OSError):
            kind, detail = _connect_reason(error, where, place.tls)
        else:  # a host name that TLS cannot name
            kind, detail = Kind.BAD_ADDRESS, f"{place.host}: {error}"
        if self._proxy is not None and kind not in (Kind.TLS, Kind.BAD_ADDRESS):
            kind, detail = Kind.PROXY, f"the proxy: {detail}"
        return Unconnected(kind, detail)


def _tls_reason(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not good: {error.verify_message.rstrip('.')}"
    return f"no TLS with this server: {(error.reason or str(error)).replace('_', ' ').lower()}"


def _connect_reason(error: OSError, where: str, tls: bool) -> tuple[Kind, str]:
    reason = error.strerror or str(error) or type(error).__name__
    if isinstance(error, ConnectionRefusedError):
        return Kind.REFUSED, f"nobody listens at {where}"
    if error.errno == errno.ETIMEDOUT:
        return Kind.CONNECT_TIMEOUT, f"no connection to {where}"
    if isinstance(error, ConnectionError):
        return (Kind.TLS, "the server hung up during the TLS handshake") if tls else (Kind.DROPPED, f"{where} hung up")
    return Kind.UNREACHABLE, f"no way to {where}: {reason}" if error.errno in NO_WAY else f"{where}: {reason}"
