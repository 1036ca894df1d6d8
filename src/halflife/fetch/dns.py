"""Names and their addresses: the user's word first, then the hosts file and the name servers, remembered for a while."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any

from halflife.errors import SettingError
from halflife.fetch.guard import bare, is_literal
from halflife.records import Failure, Kind
from halflife.urls import canonical
from halflife.urls import host as host_of

NAMES_REMEMBERED = 50_000  # about 20 MB; a forgotten name is looked up again
TTL_SECONDS_MIN = 60.0  # names that change by the second are asked for once a minute
TTL_SECONDS_MAX = 3600.0  # whatever it says: a crawl lasts longer than a move
FAILURE_SECONDS = 60.0  # a name that did not resolve is not asked for again at once
TRY_SECONDS, TRIES = 3.0, 3  # of one question to one name server

AFTER_HOST = re.compile(r"[/\\?#@]")  # what ends a host in an address, or stands before it

Addresses = tuple[str, ...]
LookUp = Callable[[str], Coroutine[Any, Any, tuple[Addresses, float]]]


class Overrides:
    """What --resolve says: HOST:ADDR or HOST:PORT:ADDR, as curl has it. "*" is every host."""

    def __init__(self, given: tuple[str, ...]) -> None:
        self._addresses: dict[tuple[str, int], Addresses] = {}
        for text in given:
            host, port, addresses = _read_override(text)
            self._addresses[host, port] = addresses

    def of(self, host: str, port: int) -> Addresses:
        """The addresses given for a host, () when there are none."""
        for key in ((host, port), (host, 0), ("*", port), ("*", 0)):
            if key in self._addresses:
                return self._addresses[key]
        return ()


def _read_override(text: str) -> tuple[str, int, Addresses]:
    wrong = SettingError(f"--resolve {text!r}: write HOST:ADDR, as in example.org:127.0.0.1")
    if text.startswith("["):
        name, _, rest = text.partition("]:")
    else:
        name, _, rest = text.partition(":")
    port, colon, after = rest.partition(":")
    if colon and port.isascii() and port.isdigit():  # "80:::1" is a port and an address, never an address
        if not 0 < int(port[:6]) < 65_536:
            raise wrong
        rest = after
    else:
        port = "0"
    addresses = tuple(bare(address.strip()) for address in rest.split(","))
    url = name if name == "*" else canonical(f"http://{name}]/" if name.startswith("[") else f"http://{name}/")
    if (
        not url
        or AFTER_HOST.search(name)
        or not all(is_literal(address) and "%" not in address for address in addresses)
    ):
        raise wrong
    return name if name == "*" else bare(host_of(url)), int(port), addresses


class Names:
    """Looks names up; each once at a time, however many ask."""

    def __init__(self, overrides: Overrides, seconds_max: float, look_up: LookUp | None = None) -> None:
        """`look_up` gives the addresses of a name and how many seconds they hold; by default it asks as the system does."""
        self._overrides = overrides
        self._seconds_max = seconds_max
        self._servers = NameServers()
        self._look_up = look_up or self._servers.look_up
        self._known: OrderedDict[str, tuple[float, Addresses | Failure]] = OrderedDict()
        self._asked: dict[str, asyncio.Task[Addresses | Failure]] = {}

    async def addresses(self, host: str, port: int) -> Addresses | Failure:
        """Where a host lives, the address to try first in front; or why nobody knows."""
        given = self._overrides.of(host, port)
        if given:
            return given
        if is_literal(host):
            return (host,)
        known = self._known.get(host)
        if known is not None and known[0] > time.monotonic():
            return known[1]
        task = self._asked.get(host)
        if task is None:
            task = self._asked[host] = asyncio.get_running_loop().create_task(self._ask(host))
            task.add_done_callback(lambda _: self._asked.pop(host, None))
        return await asyncio.shield(task)

    def prefer(self, host: str, address: str) -> None:
        """An address that answered is tried first while its name is remembered."""
        known = self._known.get(host)
        if known is not None and not isinstance(known[1], Failure) and address in known[1][1:]:
            others = tuple(other for other in known[1] if other != address)
            self._known[host] = known[0], (address, *others)

    async def close(self) -> None:
        """Ask no more."""
        tasks = list(self._asked.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._servers.close()

    async def _ask(self, host: str) -> Addresses | Failure:
        found: Addresses | Failure
        try:
            async with asyncio.timeout(self._seconds_max):
                addresses, ttl_seconds = await self._look_up(host)
            found = _in_order(addresses) or Failure(Kind.DNS, f"{host} has no address")
        except TimeoutError:
            found, ttl_seconds = Failure(Kind.DNS, f"no name server answered for {host}"), 0.0
        except (OSError, ValueError) as error:
            found, ttl_seconds = Failure(Kind.DNS, f"{host}: {_reason(error)}"), 0.0
        holds_seconds = FAILURE_SECONDS if isinstance(found, Failure) else ttl_seconds
        until = time.monotonic() + min(max(holds_seconds, TTL_SECONDS_MIN), TTL_SECONDS_MAX)
        self._known[host] = until, found
        self._known.move_to_end(host)
        if len(self._known) > NAMES_REMEMBERED:
            self._known.popitem(last=False)
        return found


def _in_order(addresses: Addresses) -> Addresses:
    """IPv4 first, since more networks have it; else by number, so that all workers ask the same machine of several."""
    return tuple(sorted(set(addresses), key=lambda address: (":" in address, address)))


def _reason(error: Exception) -> str:
    if isinstance(error, socket.gaierror):
        return (
            "the name does not resolve"
            if error.errno in (socket.EAI_NONAME, socket.EAI_NODATA)
            else str(error.strerror)
        )
    return "no name that can be looked up" if isinstance(error, ValueError) else str(error)


class NameServers:
    """The hosts file and the name servers, asked by aiodns; where it cannot be used, by the system in a thread."""

    def __init__(self, servers: tuple[str, ...] = ()) -> None:
        """`servers` are ADDR:PORT of others than the system's."""
        self._servers = servers
        self._resolver: Any = None  # an aiodns.DNSResolver; None until it is needed
        self._system_only = False

    async def look_up(self, host: str) -> tuple[Addresses, float]:
        """Addresses and for how many seconds they hold; socket.gaierror when there are none."""
        resolver = self._started()
        if resolver is not None:
            from aiodns.error import ARES_ECONNREFUSED, ARES_ENODATA, ARES_ENOTFOUND, ARES_ETIMEOUT, DNSError

            try:
                result = await resolver.getaddrinfo(host, family=socket.AF_UNSPEC, type=socket.SOCK_STREAM)
            except DNSError as error:
                code = error.args[0] if error.args else 0
                if code == ARES_ETIMEOUT:
                    raise TimeoutError from None
                # Without a name server, or for a name without a dot, the system may know another way.
                if code != ARES_ECONNREFUSED and "." in host:
                    unknown = code in (ARES_ENOTFOUND, ARES_ENODATA)
                    raise socket.gaierror(
                        socket.EAI_NONAME if unknown else socket.EAI_FAIL, str(error.args[-1])
                    ) from None
            else:
                ttl_seconds = min((node.ttl for node in result.nodes), default=0)
                return tuple(node.addr[0].decode() for node in result.nodes), ttl_seconds
        return await _ask_system(host), TTL_SECONDS_MIN

    def _started(self) -> Any:
        if self._resolver is None and not self._system_only:
            import aiodns
            import pycares

            # Without search: a name on a page is a whole one, never the beginning of one in our own domain.
            flags = pycares.ARES_FLAG_NOSEARCH
            try:
                self._resolver = aiodns.DNSResolver(
                    self._servers or None, timeout=TRY_SECONDS, tries=TRIES, flags=flags
                )
            except Exception:  # it wants threads, watches and a loop of its kind: the system's way needs none of them
                self._system_only = True
        return self._resolver

    async def close(self) -> None:
        """Let go of its sockets."""
        if self._resolver is not None:
            await self._resolver.close()
            self._resolver = None


async def _ask_system(host: str) -> Addresses:
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return tuple(str(entry[4][0]) for entry in found)
