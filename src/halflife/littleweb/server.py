"""A small HTTP/1.1 server on asyncio: keep-alive, GET and HEAD, chunked, late answers. It outlives bad clients."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import cast

from halflife.littleweb.wire import Reply, Request, Visit, read_head, refusal, write_reply

HEAD_BYTES_MAX = 16 * 1024  # what common servers allow
IDLE_SECONDS_MAX = 60.0  # longer than any crawl leaves a connection alone; then it is forgotten
SWEEP_SECONDS = 5.0  # how often idle connections are looked for
BACKLOG = 512  # connections waiting to be accepted: tests open hundreds at once
PORT_TRIES = 20  # a free port must be free on every address

Respond = Callable[[Request], Reply]
Record = Callable[[Visit], None]


class Server:
    """Listens on loopback addresses, all on one port. `respond` is called in the loop and must not wait."""

    def __init__(self, respond: Respond, record: Record) -> None:
        self.respond = respond
        self.record = record
        self.errors: list[Exception] = []  # what `respond` raised: a mistake in a site
        self.connections: set[Connection] = set()
        self.all_gone = asyncio.Event()  # no connection is open
        self.all_gone.set()
        self._listening: list[socket.socket] = []
        self._arriving: set[asyncio.Task[object]] = set()  # accepted, but not yet among the connections
        self._sweep: asyncio.TimerHandle | None = None

    async def start(self, addresses: tuple[str, ...], port: int = 0) -> int:
        """Begin to listen; gives the port, chosen by the system when 0 is asked for."""
        loop = asyncio.get_running_loop()
        self._listening = bind_all(addresses, port)
        for one in self._listening:
            loop.add_reader(one, self._accept, one)
        self._sweep = loop.call_later(SWEEP_SECONDS, self._close_idle)
        return cast(int, self._listening[0].getsockname()[1])

    async def stop(self) -> None:
        """Close everything; open answers are cut off."""
        if self._sweep is not None:
            self._sweep.cancel()
        for one in self._listening:
            asyncio.get_running_loop().remove_reader(one)
            one.close()
        self._listening.clear()
        if self._arriving:
            await asyncio.wait(self._arriving)
        for connection in list(self.connections):
            connection.abort()
        await self.all_gone.wait()

    def _accept(self, listener: socket.socket) -> None:
        """Let in whoever waits. Not left to `loop.create_server`, which forgets who arrives while it closes."""
        loop = asyncio.get_running_loop()
        try:
            accepted, (client, _) = listener.accept()
        except OSError:  # left again, or no file can be opened at the moment
            return
        accepted.setblocking(False)
        task = loop.create_task(loop.connect_accepted_socket(lambda: Connection(self, client), accepted))
        self._arriving.add(task)
        task.add_done_callback(self._arriving.discard)

    def _close_idle(self) -> None:
        oldest = time.monotonic() - IDLE_SECONDS_MAX
        for connection in list(self.connections):
            if connection.last_at < oldest:
                connection.abort()
        self._sweep = asyncio.get_running_loop().call_later(SWEEP_SECONDS, self._close_idle)


def bind_all(addresses: tuple[str, ...], port: int) -> list[socket.socket]:
    """One listening socket an address, all with the same port number."""
    for tries_left in reversed(range(PORT_TRIES)):
        bound: list[socket.socket] = []
        try:
            for address in addresses:
                bound.append(_listen(address, bound[0].getsockname()[1] if bound else port))
        except OSError:
            for one in bound:
                one.close()
            if port or len(bound) == 0 or not tries_left:
                raise
        else:
            return bound
    raise AssertionError("not reached")


def _listen(address: str, port: int) -> socket.socket:
    one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        one.bind((address, port))
        one.listen(BACKLOG)
        one.setblocking(False)
    except OSError:
        one.close()
        raise
    return one


class Connection(asyncio.Protocol):
    """One client. Requests are answered in order, one at a time, also when they come in one packet."""

    def __init__(self, server: Server, client: str) -> None:
        self.last_at = time.monotonic()
        self._server = server
        self._client = client
        self._buffer = bytearray()
        self._open: tuple[Request, Reply, float] | None = None  # the answer that is being waited for
        self._late: asyncio.TimerHandle | None = None
        self._full = False  # the client does not read what it asked for

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._address = str(transport.get_extra_info("sockname")[0])
        self._server.connections.add(self)
        self._server.all_gone.clear()

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.connections.discard(self)
        if self._late is not None:
            self._late.cancel()
        if self._open is not None:
            self._note(*self._open)
        if not self._server.connections:
            self._server.all_gone.set()

    def abort(self) -> None:
        self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self.last_at = time.monotonic()
        self._buffer += data
        self._work()
        if len(self._buffer) > HEAD_BYTES_MAX and not self._transport.is_closing():
            self._transport.pause_reading()

    def pause_writing(self) -> None:
        self._full = True

    def resume_writing(self) -> None:
        self._full = False
        self._work()

    def _work(self) -> None:
        """Answer every whole request in the buffer, until one has to be waited for."""
        while self._open is None and not self._full and not self._transport.is_closing():
            self._buffer = self._buffer.lstrip(b"\r\n") if self._buffer[:1] in b"\r\n" else self._buffer
            end = self._buffer.find(b"\r\n\r\n", 0, HEAD_BYTES_MAX)
            if end < 0:
                if len(self._buffer) >= HEAD_BYTES_MAX:
                    self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
                break
            request = read_head(bytes(self._buffer[:end]))
            del self._buffer[: end + 4]
            if isinstance(request, int):
                self._refuse(request)
            else:
                self._answer(request)
        if len(self._buffer) <= HEAD_BYTES_MAX and not self._transport.is_closing():
            self._transport.resume_reading()

    def _answer(self, request: Request) -> None:
        reply = self._reply(request)
        self._open = (request, reply, time.monotonic())
        if reply.wait_seconds:
            self._late = asyncio.get_running_loop().call_later(reply.wait_seconds, self._send_late)
        else:
            self._send()

    def _reply(self, request: Request) -> Reply:
        if request.method not in ("GET", "HEAD"):
            return Reply(b"GET and HEAD only\n", 405, "text/plain", (("Allow", "GET, HEAD"),))
        try:
            return self._server.respond(request)
        except Exception as error:  # a mistake in one site must not end the others
            self._server.errors.append(error)
            return Reply(b"this site has a mistake in it\n", 500, "text/plain")

    def _send_late(self) -> None:
        self._late = None
        self._send()
        self._work()

    def _send(self) -> None:
        assert self._open is not None
        request, reply, at = self._open
        data = write_reply(request, reply)
        self._open = None
        self._note(request, reply, at)  # before the write: who has the answer finds it in the log
        self._transport.write(data)
        if not request.keep_alive:
            self._transport.close()

    def _note(self, request: Request, reply: Reply, at: float) -> None:
        agent = request.headers.get("user-agent", "")
        ended = self.last_at = time.monotonic()
        self._server.record(
            Visit(
                at, request.host, request.path, reply.status, agent, self._client, ended, self._address, request.method
            )
        )

    def _refuse(self, status: int) -> None:
        self._buffer.clear()
        self._transport.write(refusal(status))
        self._transport.close()
