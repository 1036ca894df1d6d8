"""The worker processes: starting them, talking to them, and knowing which of them asks which server.

Sites are cut over workers by the address of the server they live on, so that a thousand names on one server are one
server to the one worker that asks it.
"""

from __future__ import annotations

import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter, OrderedDict
from collections.abc import Iterator
from pathlib import Path

import msgspec

from halflife.records import Target
from halflife.run.messages import READING_BYTES, Begin, Frames, FromWorker, Lease, Locate, Stop, Sync
from halflife.run.settings import CrawlSettings

OWNERS_MAX = (
    200_000  # server addresses, and sites, whose worker is remembered: about 40 MB; a forgotten one is asked for again
)


# A page's tree is made and thrown away as a whole: glibc should keep its memory for the next one, for to ask for it anew
# takes as long as to parse the page. What does not know these ignores them.
SURROUNDINGS = {
    "MALLOC_TRIM_THRESHOLD_": "67108864", "MALLOC_MMAP_THRESHOLD_": "33554432", "MALLOC_TOP_PAD_": "4194304",
}  # fmt: skip


class Hand:
    """One worker, seen from the main process."""

    def __init__(self, begin: Begin, keep_open: int) -> None:
        ours, theirs = socket.socketpair()
        self.number = begin.number
        self.frames = Frames(ours)
        self.turns: dict[int, dict[int, Target]] = {}  # site -> its addresses that are leased and not yet told of
        self.stopped = False
        self.synced = True
        self.met: OrderedDict[str, None] = OrderedDict()  # origins whose robots.txt it was given
        self._reading = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the process
        self._reading.write(bytes(READING_BYTES))  # not a hole: the worker would find out about a full disk too late
        self._reading.flush()
        handed = theirs.fileno(), self._reading.fileno()
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
                [sys.executable, "-m", "halflife.run.worker", *map(str, handed)],
                pass_fds=(*handed, keep_open),
                stdin=subprocess.DEVNULL,
                env=os.environ | SURROUNDINGS,
            )
        self.frames.send(begin)

    def last_words(self) -> tuple[int, bool]:
        """Of a process that is gone: the address whose page it was reading (0: none), and whether that took too long."""
        took_too_long = self.process.wait() == -signal.SIGPROF
        return int.from_bytes(os.pread(self._reading.fileno(), READING_BYTES, 0), sys.byteorder), took_too_long

    def end(self) -> None:
        """End the process at once, and wait until it is gone."""
        self.process.kill()
        self.process.wait()
        self.frames.socket.close()
        self._reading.close()


class Owners:
    """Which worker asks which site: the one that asks its server's address, and else the least burdened one."""

    def __init__(self, workers: int) -> None:
        self._addresses: OrderedDict[str, int] = OrderedDict()
        self._sites: OrderedDict[int, int] = OrderedDict()
        self._burden = Counter(dict.fromkeys(range(workers), 0))

    def of_site(self, site: int) -> int | None:
        """The worker of a site, or None when its server is not known (any more)."""
        return self._sites.get(site)

    def settle(self, site: int, address: str) -> int:
        """Give a site to the worker that asks this address. An address nobody knows is shared by no two sites."""
        owner = self._addresses.get(address) if address else None
        if owner is None:
            owner = min(self._burden, key=lambda number: (self._burden[number], number))
            self._burden[owner] += 1
            if address:
                self._addresses[address] = owner
                _bounded(self._addresses)
        self._sites[site] = owner
        _bounded(self._sites)
        return owner


class Crew:
    """All workers of a run."""

    def __init__(self, settings: CrawlSettings, folder: Path, lock: int) -> None:
        self._settings, self._folder, self._lock = settings, folder, lock
        self._selector = selectors.DefaultSelector()
        self.owners = Owners(settings.workers)
        self.hands = [self._start(number) for number in range(settings.workers)]

    def _start(self, number: int) -> Hand:
        settings = self._settings
        if settings.scope == "any" and not settings.include:  # then seeds bound nothing, and may be a million
            settings = msgspec.structs.replace(settings, seeds=())
        hand = Hand(Begin(settings, str(self._folder), number), self._lock)
        self._selector.register(hand.frames.socket, selectors.EVENT_READ, hand)
        return hand

    def silence(self, hand: Hand) -> None:
        """Stop listening to a worker that is gone."""
        self._selector.unregister(hand.frames.socket)

    def restart(self, hand: Hand) -> None:
        """Another process in the place of one that died."""
        self.silence(hand)
        hand.end()
        self.hands[hand.number] = self._start(hand.number)

    def listen(self, seconds: float) -> Iterator[tuple[Hand, list[FromWorker] | None]]:
        """What the workers have to say, waiting at most so long for it; None from one that is gone."""
        for key, _ in self._selector.select(max(0.0, seconds)):
            hand: Hand = key.data
            try:
                yield hand, hand.frames.receive()
            except ConnectionError:
                yield hand, None

    @property
    def turns(self) -> int:
        """Sites on turn."""
        return sum(len(hand.turns) for hand in self.hands)

    @property
    def leased(self) -> int:
        """Addresses leased in turns that are not over."""
        return sum(len(targets) for hand in self.hands for targets in hand.turns.values())

    def owner(self, site: int, first: Target) -> Hand | None:
        """Whose site this is; None while the server it lives on is being looked up."""
        if len(self.hands) == 1:
            return self.hands[0]
        number = self.owners.of_site(site)
        if number is not None:
            return self.hands[number]
        hand = self.hands[site % len(self.hands)]
        hand.turns[site] = {}
        hand.frames.send(Locate(site, first.url))
        return None

    def lease(self, hand: Hand, lease: Lease) -> None:
        """Give a site its turn."""
        hand.turns[lease.site] = {target.id: target for target in lease.targets}
        hand.frames.send(lease)

    def sync(self) -> None:
        """Ask every worker to put what it reported on the disk."""
        for hand in self.hands:
            hand.synced = False
            hand.frames.send(Sync())

    @property
    def synced(self) -> bool:
        """Whether all have done so."""
        return all(hand.synced for hand in self.hands)

    def stop(self) -> None:
        """Ask every worker to finish."""
        for hand in self.hands:
            hand.frames.send(Stop())  # a dead one is noticed when it is listened to

    def end(self) -> None:
        """End every worker at once."""
        for hand in self.hands:
            hand.end()
        self._selector.close()


def _bounded(kept: OrderedDict[str, int] | OrderedDict[int, int]) -> None:
    if len(kept) > OWNERS_MAX:
        kept.popitem(last=False)
