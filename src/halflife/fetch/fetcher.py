"""The fetcher: first whether an address may be asked for, then `asking`."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

from msgspec.structs import replace

from halflife.fetch.asking import Asker, Got
from halflife.fetch.decode import PIECE_BYTES
from halflife.fetch.dns import LookUp
from halflife.fetch.place import Place, path_of, place_of
from halflife.fetch.robots import Robots
from halflife.fetch.settings import FetchSettings
from halflife.records import Failure, Fetch, Kind, Later, Target
from halflife.urls import origin

PLACES_MAX = 20_000  # origins taken apart and remembered: about 10 MB


class Fetcher:
    """Fetches, with manners and within limits. What the web does is a value; only a full disk raises (StoreError)."""

    def __init__(
        self,
        settings: FetchSettings,
        keep: Callable[[Fetch], None],
        learned: Callable[[str, bytes], None],
        look_up: LookUp | None = None,
    ) -> None:
        """`keep` is given each robots.txt fetched, `learned` what `learn_robots` wants to hear in the next run.

        `look_up` finds the addresses of names in place of the hosts file and the name servers.
        """
        self._settings = settings
        self._asker = Asker(settings, look_up)
        size = settings.limits.robots_bytes_max
        room = size + PIECE_BYTES  # what goes past it comes in a piece, which is not kept
        self._robots_limits = replace(
            settings.limits, wire_bytes_max=room, decoded_bytes_max=room, memory_bytes_max=2 * room
        )
        self._robots = Robots(settings.agent_token(), size, self._get_robots, keep, learned)
        self._places: OrderedDict[str, Place] = OrderedDict()

    async def fetch(self, target: Target) -> Fetch | Later:
        """Ask for one address when manners allow it; Later when they do not for too long."""
        base = origin(target.url)
        place = self._places.get(base) or self._place(base)
        path = path_of(target.url, base)
        if place is None or not path:
            return _refused(target, Kind.BAD_ADDRESS, "not an http(s) address that can be asked for")
        if self._asker.stopped:
            return Later(target, time.time())
        crawl_delay_seconds = 0.0
        if self._settings.robots:
            verdict = self._robots.known(base) or await self._robots.ask(base)
            if isinstance(verdict, Later):
                return Later(target, verdict.due)
            if verdict.matcher is None:
                assert verdict.failure is not None
                return Fetch(target, time.time(), verdict.failure, rest_seconds=self._asker.resting_seconds(place))
            refused = verdict.matcher.refusal(path)
            if refused:
                return _refused(target, Kind.ROBOTS, f"robots.txt says: Disallow: {refused[:200]}")
            crawl_delay_seconds = verdict.matcher.rules.crawl_delay_seconds
        fetch, _ = await self._asker.ask(target, place, path, self._settings.limits, crawl_delay_seconds)
        return fetch

    async def address(self, url: str) -> str:
        """The IP address an address would be asked at; '' when nobody knows, or only the proxy."""
        place = self._place(origin(url))
        return await self._asker.locate(place) if place is not None else ""

    def learn_robots(self, base: str, blob: bytes) -> None:
        """What an earlier run learned of an origin's robots.txt."""
        self._robots.learn(base, blob)

    def stop(self) -> None:
        """Send nothing more: whoever waits is told to come later. What is under way may end."""
        self._asker.stop()

    async def close(self) -> None:
        """Stop, and let go of everything; what is under way fails."""
        self.stop()
        await self._robots.close()
        await self._asker.close()

    async def _get_robots(self, target: Target) -> Got:
        """A robots.txt: paced and limited as anything else, but not forbidden by itself."""
        base = origin(target.url)
        place, path = self._place(base), path_of(target.url, base)
        if place is None or not path:
            return _refused(target, Kind.BAD_ADDRESS, "robots.txt leads to no address that can be asked for"), b""
        return await self._asker.ask(target, place, path, self._robots_limits, 0.0, cut=True)

    def _place(self, base: str) -> Place | None:
        place = self._places.get(base) or place_of(base)
        if place is not None:
            self._places[base] = place
            if len(self._places) > PLACES_MAX:
                self._places.popitem(last=False)
        return place


def _refused(target: Target, kind: Kind, detail: str) -> Fetch:
    return Fetch(target, time.time(), Failure(kind, detail))
