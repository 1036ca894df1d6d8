"""A worker process: fetches, reads, weighs and writes segments for the sites the main process leases to it.

It owns no decision that lasts: what it did is in its segment's journal before the main process hears of it, so it may
die at any moment. Started as `python -m halflife.run.worker SOCKET FILE`: its end of a socket pair, and where it
says what it is reading, both by their numbers as open files.
"""

from __future__ import annotations

import asyncio
import gc
import mmap
import os
import signal
import socket
import sys
from collections import deque
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from halflife.errors import HalflifeError
from halflife.fetch import Fetcher, chunks_of
from halflife.records import Answer, Fetch, Later
from halflife.run.messages import (
    LENGTH,
    READING_BYTES,
    Begin,
    Broken,
    FromWorker,
    Head,
    Lease,
    Locate,
    Located,
    Report,
    Robots,
    Sealed,
    Stop,
    Stopped,
    Sync,
    Synced,
    TurnOver,
    frame,
    pack_head,
    to_worker,
)  # fmt: skip
from halflife.run.visit import Visitor
from halflife.store import Folder, SegmentWriter

GARBAGE_AFTER = 50_000  # new objects before Python looks for cycles among them: a page makes thousands, and no cycles
TELL_SECONDS = 0.02  # a report waits so long for others to go with
FINISH_SECONDS = 20.0  # what is in flight when the run stops gets this long; then its address goes back to the queue
MESSAGE_BYTES_MAX = 1 << 28  # of the main process; it never sends nearly as much


class Turn:
    """A site's turn: the addresses leased and not yet begun, and until when the site then rests."""

    def __init__(self, lease: Lease) -> None:
        self.site = lease.site
        self.waiting = deque(lease.targets)
        self.due = 0.0


class Worker:
    """One worker's state: its fetcher, its visitor, its open segment, the turns under way."""

    def __init__(self, begin: Begin, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, reading: int) -> None:
        self.settings = begin.settings
        self.folder = Folder(Path(begin.folder))
        self.number = begin.number
        self.visitor = Visitor(begin.settings)
        self.fetcher = Fetcher(begin.settings.fetch, self._keep, lambda base, blob: self._tell(Robots(base, blob)))
        self.segment: SegmentWriter | None = None
        self.stopping = False
        self._reader, self._writer = reader, writer
        self._reading = memoryview(mmap.mmap(reading, READING_BYTES)).cast("Q")
        self._turns: set[asyncio.Task[None]] = set()
        self._untold: list[bytes] = []  # messages that are not sent yet

    async def run(self) -> None:
        """Do what the main process says until it says stop, or is gone."""
        while not self.stopping:
            size = LENGTH.unpack(await self._reader.readexactly(LENGTH.size))[0]
            if size > MESSAGE_BYTES_MAX:
                raise EOFError("the main process does not speak our language")
            message = to_worker(await self._reader.readexactly(size))
            if isinstance(message, Lease):
                self._begin_task(self._turn(message))
            elif isinstance(message, Sync):
                if self.segment is not None:
                    self.segment.sync()
                self._tell(Synced())
            elif isinstance(message, Locate):
                self._begin_task(self._locate(message))
            elif isinstance(message, Stop):
                self.stopping = True
        await self._finish()

    def _begin_task(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._turns.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._turns.discard(task)
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self.break_off(error)

    def break_off(self, error: BaseException) -> None:
        """A full disk or a fault of ours: say it and go; the journal holds what was done."""
        if isinstance(error, HalflifeError):
            self._tell(Broken(str(error)))
        else:
            import traceback

            where = traceback.extract_tb(error.__traceback__)[-1]
            self._tell(Broken(f"worker {self.number}: {type(error).__name__}: {error} ({where.name}:{where.lineno})"))
        self.stopping = True
        self._reader.feed_eof()

    # -- turns -----------------------------------------------------------------------------------------------------

    async def _locate(self, message: Locate) -> None:
        self._tell(Located(message.site, await self.fetcher.address(message.url)))

    async def _turn(self, lease: Lease) -> None:
        for base, blob in lease.robots:
            self.fetcher.learn_robots(base, blob)
        turn = Turn(lease)
        lanes = min(self.settings.fetch.connections_per_host, len(turn.waiting))
        if lanes == 1:
            await self._lane(turn)
        else:
            await asyncio.gather(*(self._lane(turn) for _ in range(lanes)))
        self._tell(TurnOver(turn.site, turn.due))
        await self._writer.drain()

    async def _lane(self, turn: Turn) -> None:
        """One connection's worth of a turn."""
        while turn.waiting and not self.stopping:
            target = turn.waiting.popleft()
            got = await self.fetcher.fetch(target)
            if isinstance(got, Later):
                turn.due = max(turn.due, got.due)
                turn.waiting.clear()  # they still wait in the frontier
            else:
                self._visited(got)
                if got.rest_seconds > self.settings.fetch.limits.wait_seconds_max:
                    turn.due = max(turn.due, got.at + got.seconds + got.rest_seconds)
                    turn.waiting.clear()

    def _visited(self, fetch: Fetch) -> None:
        spool = fetch.outcome.spool if isinstance(fetch.outcome, Answer) else ""
        # A page that takes longer ends this process: nothing else can stop a parser. That costs the page, as its fate.
        self._say_reading(fetch.target.id)
        signal.setitimer(signal.ITIMER_PROF, self.settings.reading_seconds)
        try:
            chunks = chunks_of(fetch.outcome) if isinstance(fetch.outcome, Answer) else ()
            visit = self.visitor.visit(fetch, chunks)
            writer = self._open_segment()
            end = writer.add(fetch, visit.page, visit.weight, pack_head(visit.head))
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            self._say_reading(0)
            if spool:
                Path(spool).unlink(missing_ok=True)
        self._tell(Report(writer.name, end, fetch.target, visit.head))
        if writer.size > self.settings.segment_bytes:
            self._seal()

    def _say_reading(self, number: int) -> None:
        """Leave word of which address's page may end this process."""
        self._reading[0] = number

    def _keep(self, fetch: Fetch) -> None:
        """A robots.txt was fetched: kept and counted like anything else."""
        head = Head("robots_txt", at=fetch.at, wire_bytes=fetch.wire_bytes)
        writer = self._open_segment()
        end = writer.add(fetch, None, None, pack_head(head))
        self._tell(Report(writer.name, end, fetch.target, head))

    # -- segments --------------------------------------------------------------------------------------------------

    def _open_segment(self) -> SegmentWriter:
        if self.segment is None:
            self.segment = SegmentWriter.create(self.folder)
        return self.segment

    def _seal(self) -> None:
        if self.segment is not None:
            self.segment.seal()
            self._tell(Sealed(self.segment.name))
            self.segment = None

    async def _finish(self) -> None:
        """Let what is in flight end, within reason, and close the books."""
        self.fetcher.stop()
        if self._turns:
            _, late = await asyncio.wait(self._turns, timeout=FINISH_SECONDS)
            for task in late:
                task.cancel()
            await asyncio.gather(*late, return_exceptions=True)
        await self.fetcher.close()
        self._seal()
        self._tell(Stopped())
        await self.hang_up()

    async def hang_up(self) -> None:
        """Nothing more will be said; wait until what was said is out."""
        self._tell_all()
        self._writer.close()
        await self._writer.wait_closed()

    def _tell(self, message: FromWorker) -> None:
        """Reports wait a moment for others, so that the main process wakes up once for several."""
        self._untold.append(frame(message))
        if not isinstance(message, Report):
            self._tell_all()
        elif len(self._untold) == 1:
            asyncio.get_running_loop().call_later(TELL_SECONDS, self._tell_all)

    def _tell_all(self) -> None:
        if self._untold:
            self._writer.writelines(self._untold)
            self._untold.clear()


async def work(ours: socket.socket, reading: int) -> None:
    """Read what to work on, then work."""
    reader, writer = await asyncio.open_connection(sock=ours, limit=1 << 20)
    worker: Worker | None = None
    try:
        size = LENGTH.unpack(await reader.readexactly(LENGTH.size))[0]
        begin = to_worker(await reader.readexactly(size))
        assert isinstance(begin, Begin)
        worker = Worker(begin, reader, writer, reading)
        await worker.run()
    except (asyncio.IncompleteReadError, ConnectionError, HalflifeError) as error:
        if worker is not None and isinstance(error, HalflifeError):
            worker.break_off(error)
        if worker is not None and worker.stopping:  # something broke; what it was has been said
            with suppress(ConnectionError):
                await worker.hang_up()
        os._exit(1)  # or the main process is gone: nobody to answer to


def rarely_collect_garbage() -> None:
    """For a process of our own: what is there now stays, and cycles are rare; looking for them costs a twentieth."""
    gc.freeze()
    gc.set_threshold(GARBAGE_AFTER, 20, 20)


def main() -> None:
    """The process's whole life."""
    # Ctrl-C reaches every process of a terminal, and job schedulers end whole groups; only the main process decides.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    rarely_collect_garbage()
    # Arrow loads numpy where there is one: a tenth of a second and 25 MB for what nothing here uses.
    sys.modules.setdefault("numpy", None)  # type: ignore[arg-type]
    ours = socket.socket(fileno=int(sys.argv[1]))
    ours.setblocking(False)
    import uvloop

    uvloop.run(work(ours, int(sys.argv[2])))


if __name__ == "__main__":
    main()
