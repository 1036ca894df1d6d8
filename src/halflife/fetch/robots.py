"""robots.txt files: asked for once, remembered for a day, known again in the next run.

    2xx                 the first 500 KiB count, also of a file that is larger
    3xx                 followed five times, to other hosts too; more, or to no address: as 404
    4xx                 free
    429, 5xx, failures  do not crawl now. (429 is a 4xx, but who says "too many requests" has not said "come in".)
                        Asked again after some minutes, or when Retry-After says so.

A host that cannot be reached at all (no name, nobody listens, no TLS) fails as what it is: that is the better answer to
"why", and true of all its addresses.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable

import msgspec
from msgspec import Struct

from halflife.fetch.rules import Matcher, Rules, read_rules
from halflife.records import Answer, Failure, Fetch, Kind, Later, Target
from halflife.urls import join

PATH = "/robots.txt"
REDIRECTS_MAX = 5  # RFC 9309
GOOD_SECONDS = 86_400.0  # RFC 9309: a day
AGAIN_SECONDS = 300.0  # after a failure; a crawl's other hosts keep it busy for that long
REMEMBERED_MAX = 20_000  # hosts
REMEMBERED_BYTES_MAX = 50_000_000
FORMAT = 1  # of the blobs that outlive us

REDIRECTS = frozenset({301, 302, 303, 307, 308})
CUT = frozenset({Kind.BODY_TOO_LARGE, Kind.DECODED_TOO_LARGE})
WHOLE_HOST = frozenset({
    Kind.GUARDED, Kind.DNS, Kind.REFUSED, Kind.UNREACHABLE, Kind.CONNECT_TIMEOUT, Kind.TLS, Kind.PROXY, Kind.BAD_ADDRESS,
})  # fmt: skip


class Kept(Struct, frozen=True, array_like=True):
    """A verdict as the next run finds it."""

    format: int
    token: str  # the name the rules were read for
    at: float  # seconds since the epoch
    rules: Rules


class Verdict(Struct):
    """What is known of one origin."""

    until: float  # seconds since the epoch
    matcher: Matcher | None = None
    failure: Failure | None = None  # why there are no rules
    cost: int = 500  # bytes of memory, about


Get = Callable[
    [Target], Awaitable[tuple[Fetch | Later, bytes]]
]  # and the content, also of an answer that was too large


class Robots:
    """The robots.txt of every origin, as far as memory reaches."""

    def __init__(
        self, token: str, bytes_max: int, get: Get, keep: Callable[[Fetch], None], learned: Callable[[str, bytes], None]
    ) -> None:
        self._token, self._bytes_max = token, bytes_max
        self._get, self._keep, self._learned = get, keep, learned
        self._verdicts: OrderedDict[str, Verdict] = OrderedDict()
        self._cost = 0
        self._asked: dict[str, asyncio.Task[Verdict | Later]] = {}

    def known(self, base: str) -> Verdict | None:
        """The verdict on an origin, while it holds."""
        verdict = self._verdicts.get(base)
        return verdict if verdict is not None and verdict.until > time.time() else None

    async def ask(self, base: str) -> Verdict | Later:
        """The verdict on an origin, asked for once however many wait for it."""
        task = self._asked.get(base)
        if task is None:
            task = self._asked[base] = asyncio.get_running_loop().create_task(self._ask(base))
            task.add_done_callback(lambda _: self._asked.pop(base, None))
        return await asyncio.shield(task)

    def learn(self, base: str, blob: bytes) -> None:
        """What an earlier run has learned. What is too old, or not for us, is left alone."""
        try:
            kept = msgspec.msgpack.decode(blob, type=Kept)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return
        now = time.time()
        fits = kept.format == FORMAT and kept.token == self._token and now - GOOD_SECONDS < kept.at <= now
        if fits and self.known(base) is None:
            self._remember(base, _good(kept.rules, kept.at))

    async def close(self) -> None:
        """Ask no more."""
        tasks = list(self._asked.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _ask(self, base: str) -> Verdict | Later:
        got = await self._follow(base)
        if isinstance(got, Verdict):
            self._remember(base, got)
            if got.matcher is not None:
                kept = Kept(FORMAT, self._token, got.until - GOOD_SECONDS, got.matcher.rules)
                self._learned(base, msgspec.msgpack.encode(kept))
        return got

    async def _follow(self, base: str) -> Verdict | Later:
        """Ask, and go where that leads."""
        target = Target(url=base + PATH)
        for _ in range(REDIRECTS_MAX + 1):
            fetch, content = await self._get(target)
            if isinstance(fetch, Later):
                return fetch
            self._keep(fetch)
            outcome = fetch.outcome
            if not isinstance(outcome, Answer) or outcome.status not in REDIRECTS:
                return self._verdict(fetch, content)
            location = outcome.header("location")
            to = join(target.url, location) if location else None  # "" would be the same address again
            if not to:
                break
            target = Target(url=to, redirects=(*target.redirects, target.url))
        return _good(Rules(), time.time())

    def _verdict(self, fetch: Fetch, content: bytes) -> Verdict:
        outcome = fetch.outcome
        status = outcome.status if isinstance(outcome, Answer) else 0
        if 200 <= status < 300 or (isinstance(outcome, Failure) and outcome.kind in CUT):
            whole = isinstance(outcome, Answer)
            content = outcome.content if isinstance(outcome, Answer) else content
            return _good(read_rules(content, self._token, self._bytes_max, whole), fetch.at)
        if 300 <= status < 500 and status != 429:
            return _good(Rules(), fetch.at)
        until = time.time() + max(AGAIN_SECONDS, fetch.rest_seconds)
        if isinstance(outcome, Answer):
            return Verdict(until, failure=_unreachable(f"{status} {outcome.reason}".strip()))
        if outcome.kind in WHOLE_HOST and not fetch.target.redirects:
            return Verdict(until, failure=outcome)
        return Verdict(until, failure=_unreachable(outcome.detail))

    def _remember(self, base: str, verdict: Verdict) -> None:
        old = self._verdicts.pop(base, None)
        self._cost += verdict.cost - (old.cost if old else 0)
        self._verdicts[base] = verdict
        while len(self._verdicts) > 1 and (self._cost > REMEMBERED_BYTES_MAX or len(self._verdicts) > REMEMBERED_MAX):
            self._cost -= self._verdicts.popitem(last=False)[1].cost


def _good(rules: Rules, at: float) -> Verdict:
    matcher = Matcher(rules)
    return Verdict(at + GOOD_SECONDS, matcher, cost=matcher.cost)


def _unreachable(reason: str) -> Failure:
    return Failure(Kind.ROBOTS_UNREACHABLE, f"robots.txt: {reason}")
