"""One connection: a request out, an answer in, within the limits."""

from __future__ import annotations

import asyncio
import select
import time
from collections.abc import Callable
from typing import cast

from halflife.errors import StoreError
from halflife.fetch.answer import Reader
from halflife.fetch.settings import Limits
from halflife.records import Kind


class Connection(asyncio.Protocol):
    """One connection: one request at a time."""

    def __init__(self, forget: Callable[[Connection], None]) -> None:
        """`forget` is called when the connection has ended."""
        self.loop = asyncio.get_running_loop()
        self.transport: asyncio.Transport | None = None
        self.origin = ""  # whom it leads to
        self.address = ""  # the IP address it is connected to
        self.idle_since = 0.0
        self.lost = False
        self._forget = forget
        self._reader: Reader | None = None
        self._done: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._limits: Limits | None = None
        self._asked_at = 0.0
        self._poll: select.poll | None = None  # sees what the loop has not read yet

    # -- what is asked of it ---------------------------------------------------------------------------------------

    async def ask(self, request: bytes, reader: Reader, limits: Limits) -> None:
        """Send a request and read until the reader is done. Whoever gives up waiting loses the connection."""
        if self.transport is None or self.lost or self.transport.is_closing():
            reader.lost(clean=True)
            return
        self._reader, self._limits = reader, limits
        self._done = done = self.loop.create_future()
        self._asked_at = time.monotonic()
        self._timer = self.loop.call_later(min(limits.first_byte_seconds, limits.answer_seconds), self._late)
        self.transport.write(request)
        try:
            await done
        finally:
            self._timer.cancel()
            self._reader = self._done = self._timer = None
            if not reader.keep_alive:
                self.abort()

    @property
    def closing(self) -> bool:
        """Whether it has been hung up."""
        return self.transport is None or self.transport.is_closing()

    @property
    def silent(self) -> bool:
        """Whether it is open and nothing has come that nobody asked for: that would pass for the next answer."""
        if self.transport is None or self.transport.is_closing():
            return False
        if self._poll is None:
            self._poll = select.poll()
            self._poll.register(self.transport.get_extra_info("socket").fileno(), select.POLLIN)
        return not self._poll.poll(0)

    def abort(self) -> None:
        """Hang up."""
        if self.transport is not None:
            self.transport.abort()

    # -- what happens to it ----------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        reader = self._reader
        if reader is None or reader.done:
            self.abort()  # nobody asked: what follows could not be told from the next answer
            return
        try:
            if reader.feed(data):
                self._end()
        except StoreError as error:
            self._end(error)

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True
        self._forget(self)
        if self._reader is not None:
            try:
                self._reader.lost(clean=exc is None)
                self._end()
            except StoreError as error:
                self._end(error)

    def _end(self, error: StoreError | None = None) -> None:
        if self._done is not None and not self._done.done():
            if error is None:
                self._done.set_result(None)
            else:
                self._done.set_exception(error)

    def _late(self) -> None:
        """One of the limits has passed; when it is not the answer's, that one is next."""
        reader, limits = self._reader, self._limits
        assert reader is not None
        assert limits is not None
        left_seconds = self._asked_at + limits.answer_seconds - time.monotonic()
        if reader.done:
            return
        if reader.wire_bytes and left_seconds > 0:
            self._timer = self.loop.call_later(left_seconds, self._late)
            return
        if reader.wire_bytes:
            reader.fail(Kind.ANSWER_TIMEOUT, f"not all of it came within {limits.answer_seconds:g} s")
        else:
            waited_seconds = min(limits.first_byte_seconds, limits.answer_seconds)
            reader.fail(Kind.FIRST_BYTE_TIMEOUT, f"no answer within {waited_seconds:g} s")
        self._end()
