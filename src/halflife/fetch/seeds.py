"""Which seeds lie in private networks: asked once, before a crawl begins."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable

from halflife.fetch.dns import LookUp, Names, Overrides
from halflife.fetch.guard import bare, is_literal, is_private
from halflife.fetch.settings import FetchSettings
from halflife.records import Failure
from halflife.urls import host as host_of

SECONDS_MAX = 10.0  # to wait for names at the start; a name not known by then counts as public
ASKED_MAX = 1_000  # names asked for; longer lists of seeds come from the open web
AT_ONCE_MAX = 50


def private_hosts(seeds: Iterable[str], settings: FetchSettings, look_up: LookUp | None = None) -> tuple[str, ...]:
    """The hosts of these canonical addresses that are private, or are names that resolve to nothing but private addresses.

    A seed is what the user typed: such a host is meant. Behind a proxy names are not looked up here.
    """
    hosts = dict.fromkeys(bare(host_of(seed)) for seed in seeds)
    literal = [host for host in hosts if is_literal(host) and is_private(host)]
    names = [host for host in hosts if not is_literal(host)][:ASKED_MAX]
    if settings.allow_private or settings.proxy or not names:
        return tuple(literal)
    found: list[str] = []
    # A thread of its own: the caller may or may not stand in an event loop.
    thread = threading.Thread(target=lambda: found.extend(asyncio.run(_private(names, settings, look_up))))
    thread.start()
    thread.join()
    return (*literal, *found)


async def _private(names: list[str], settings: FetchSettings, look_up: LookUp | None) -> list[str]:
    resolver = Names(Overrides(settings.resolve), settings.limits.connect_seconds, look_up)
    waiting, found = iter(names), []

    async def ask() -> None:
        for name in waiting:
            addresses = await resolver.addresses(name, 0)
            if not isinstance(addresses, Failure) and all(is_private(address) for address in addresses):
                found.append(name)

    try:
        async with asyncio.timeout(SECONDS_MAX):
            await asyncio.gather(*(ask() for _ in range(min(AT_ONCE_MAX, len(names)))))
    except TimeoutError:
        pass
    finally:
        await resolver.close()
    return sorted(found)
