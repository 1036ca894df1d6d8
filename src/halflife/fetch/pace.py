"""Manners in time: when a site, and the server it lives on, may be asked again.

A request needs two lanes: that of its registrable domain and that of the address it goes to, so that a thousand
subdomains on one server are one server. (So are unrelated sites on one address of a large network: they take turns. That
is the price of the rule, and small: such networks have many addresses.) A lane takes as many requests at once as there
are connections allowed, by default one. When an answer has ended both lanes rest:

    delay     what the user said, or else clamp(5 x seconds of that answer, 0.5, 30): a slow server gets more time.
              robots.txt may ask for more with Crawl-delay, fractions too, up to CRAWL_DELAY_SECONDS_MAX.
    rest      after 429 or 503 as long as Retry-After says, up to a day; without it 5 s, doubled each time up to an
              hour, until another answer comes.

The address rests with the site, but no longer than ADDRESS_REST_SECONDS_MAX: one site that asks to be left alone for a
day must not shut up all others on its server.

Times are `time.monotonic()`. Lanes that rest are remembered, others forgotten: memory is bounded.
"""

from __future__ import annotations

import asyncio
import time
from datetime import UTC
from email.utils import parsedate_to_datetime

from halflife.fetch.settings import FetchSettings

DELAY_ANSWERS = 5.0  # times the last answer's time: we take at most a sixth of a server's
DELAY_SECONDS_LEAST, DELAY_SECONDS_MOST = 0.5, 30.0
CRAWL_DELAY_SECONDS_MAX = 300.0  # more than that is a way of saying no, and there is a line for that
ADDRESS_REST_SECONDS_MAX = 30.0  # as the longest delay
RETRY_AFTER_SECONDS_MAX = 86_400.0  # who says longer is asked again tomorrow
BACKOFF_SECONDS_LEAST, BACKOFF_SECONDS_MOST = 5.0, 3600.0
STRIKES_MAX = 12  # doubling stops counting here, past the longest backoff
BUSY = frozenset({429, 503})
LANES_MAX = 100_000  # about 40 MB
TICK_SECONDS = 0.001  # the resolution of timers: a shorter wait would be none


class Waiter:
    """A request that waits for its lanes."""

    __slots__ = ("future", "lanes")

    def __init__(self, lanes: tuple[Lane, ...], future: asyncio.Future[float]) -> None:
        self.lanes, self.future = lanes, future


class Lane:
    """One site or one address: how many requests are under way there, and when the next may be."""

    __slots__ = ("busy", "delay_seconds", "free_at", "queue", "strikes", "timer")

    def __init__(self) -> None:
        self.busy = 0
        self.free_at = 0.0
        self.delay_seconds = 0.0  # the last rest
        self.strikes = 0  # 429 and 503 in a row
        self.queue: dict[Waiter, None] = {}  # in order of arrival
        self.timer: asyncio.TimerHandle | None = None  # for the first in the queue


class Pace:
    """The lanes of all sites and addresses."""

    def __init__(self, settings: FetchSettings) -> None:
        self._at_once = settings.connections_per_host
        self._delay_seconds = settings.delay_seconds
        self._wait_seconds_max = settings.limits.wait_seconds_max
        self._lanes: dict[str, Lane] = {}
        self._stopped = False

    def lanes(self, *keys: str) -> tuple[Lane, ...]:
        """The lanes of a registrable domain and of an address. Room is made first: one must not go for the other's sake."""
        if len(self._lanes) + len(keys) > LANES_MAX and any(key not in self._lanes for key in keys):
            self._forget()
        return tuple([self._lanes.get(key) or self._lanes.setdefault(key, Lane()) for key in keys])

    def _forget(self) -> None:
        """Drop lanes that do not rest; if that is too little, also some that do, the longest known first."""
        now = time.monotonic()
        kept = {key: lane for key, lane in self._lanes.items() if lane.busy or lane.queue or lane.free_at > now}
        resting = [key for key, lane in kept.items() if not (lane.busy or lane.queue)]
        for key in resting[: max(0, len(kept) - LANES_MAX // 2)]:
            del kept[key]
        self._lanes = kept

    # -- in --------------------------------------------------------------------------------------------------------

    def enter(self, lanes: tuple[Lane, ...]) -> bool:
        """Go on these lanes if all are free this moment. Whoever waits for one of them then waits for another one too."""
        if self._stopped:
            return False
        now = time.monotonic()
        for lane in lanes:
            if lane.busy >= self._at_once or lane.free_at > now:
                return False
        for lane in lanes:
            lane.busy += 1
            if self._at_once > 1:  # several at once still begin one after the other
                lane.free_at = now + lane.delay_seconds
        return True

    async def wait(self, lanes: tuple[Lane, ...]) -> float:
        """Go on these lanes as soon as they are free; 0.0 then. If that takes too long, the time when to ask again."""
        if self.enter(lanes):
            return 0.0
        now = time.monotonic()
        due = max(max(lane.free_at, now) + len(lane.queue) * lane.delay_seconds for lane in lanes)
        if self._stopped or due > now + self._wait_seconds_max:
            return due
        loop = asyncio.get_running_loop()
        waiter = Waiter(lanes, loop.create_future())
        for lane in lanes:
            lane.queue[waiter] = None
            self._arm(lane)
        giving_up = loop.call_later(self._wait_seconds_max, self._give_up, waiter)
        try:
            return await waiter.future
        except asyncio.CancelledError:
            if waiter.future.done() and not waiter.future.cancelled() and not waiter.future.result():
                self.leave(lanes, 0.0)  # it was let in at the very moment it went away
            raise
        finally:
            giving_up.cancel()
            for lane in lanes:
                lane.queue.pop(waiter, None)

    def _give_up(self, waiter: Waiter) -> None:
        now = time.monotonic()
        if not waiter.future.done():
            waiter.future.set_result(max(max(lane.free_at, now) + lane.delay_seconds for lane in waiter.lanes))

    def _serve(self, lane: Lane) -> None:
        """Let in whoever can be, in order of arrival."""
        for waiter in list(lane.queue):
            if lane.busy >= self._at_once:
                break
            if not waiter.future.done() and self.enter(waiter.lanes):
                for its_lane in waiter.lanes:
                    its_lane.queue.pop(waiter, None)
                waiter.future.set_result(0.0)
        self._arm(lane)

    def _arm(self, lane: Lane) -> None:
        """See to it that the queue is served when the lane's rest is over."""
        if lane.queue and lane.timer is None and lane.busy < self._at_once:
            rest_seconds = lane.free_at - time.monotonic()
            if rest_seconds > 0:  # else it is another lane that they wait for
                lane.timer = asyncio.get_running_loop().call_later(max(rest_seconds, TICK_SECONDS), self._ring, lane)

    def _ring(self, lane: Lane) -> None:
        lane.timer = None
        self._serve(lane)

    def stop(self) -> None:
        """Nobody waits any more, and nobody is let in."""
        self._stopped = True
        for lane in self._lanes.values():
            for waiter in lane.queue:
                if not waiter.future.done():
                    waiter.future.set_result(max(lane.free_at, time.monotonic()))
            if lane.timer is not None:
                lane.timer.cancel()
                lane.timer = None

    # -- out -------------------------------------------------------------------------------------------------------

    def leave(self, lanes: tuple[Lane, ...], rest_seconds: float) -> None:
        """A request is over; its lanes, the site's first, rest."""
        now = time.monotonic()
        for lane in lanes:
            lane.busy -= 1
            if rest_seconds:
                lane.free_at = max(lane.free_at, now + rest_seconds)
            lane.delay_seconds = rest_seconds
            rest_seconds = min(rest_seconds, max(ADDRESS_REST_SECONDS_MAX, self._delay_seconds or 0.0))
        for lane in lanes:
            if lane.queue:
                self._serve(lane)

    def rest(self, lanes: tuple[Lane, ...], rest_seconds: float) -> None:
        """Lanes that were used without having been entered rest, too."""
        for lane in lanes:
            lane.busy += 1
        self.leave(lanes, rest_seconds)

    def delay_seconds(self, answer_seconds: float, crawl_delay_seconds: float) -> float:
        """How long a site rests after an answer that took so long."""
        delay = self._delay_seconds
        if delay is None:
            delay = min(max(DELAY_ANSWERS * answer_seconds, DELAY_SECONDS_LEAST), DELAY_SECONDS_MOST)
        return max(delay, min(crawl_delay_seconds, CRAWL_DELAY_SECONDS_MAX)) if crawl_delay_seconds else delay

    def backoff_seconds(self, site: Lane, retry_after: str) -> float:
        """How long a site rests after 429 or 503."""
        site.strikes = min(site.strikes + 1, STRIKES_MAX)
        asked_for = retry_after_seconds(retry_after, time.time())
        if asked_for is not None:
            return asked_for
        return min(BACKOFF_SECONDS_LEAST * 2.0 ** (site.strikes - 1), BACKOFF_SECONDS_MOST)


def retry_after_seconds(value: str, now: float) -> float | None:
    """What a Retry-After header asks for (seconds or a date), a day at the most; None when it says nothing."""
    value = value.strip()
    if value.isascii() and value.isdigit():
        return min(float(value[:20]), RETRY_AFTER_SECONDS_MAX)
    try:
        at = parsedate_to_datetime(value)
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)  # in HTTP a date without a zone is no local one
        seconds = at.timestamp() - now
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(seconds, 0.0), RETRY_AFTER_SECONDS_MAX)
