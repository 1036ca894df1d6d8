"""HTTP as the little web speaks it, to good clients and bad ones."""

from __future__ import annotations

import asyncio
import gzip
import socket
import sys
import urllib.request
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPResponse

import brotli
import pytest

from halflife.littleweb import LittleWeb, Visit
from halflife.littleweb import server as server_file
from halflife.littleweb.server import HEAD_BYTES_MAX, Server
from halflife.littleweb.wire import HEADERS_MAX, Reply, Request, read_head, write_reply
from littleweb.reading import Get

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

HOST = "solarhome.example"
DECODERS = {
    "gzip": gzip.decompress,
    "deflate": zlib.decompress,
    "br": brotli.decompress,
    "zstd": zstd.decompress,
}


@pytest.fixture
def line(web: LittleWeb) -> Iterator[socket.socket]:
    """A bare connection to the healthy site."""
    with socket.create_connection((web.address(HOST), web.port), timeout=10) as one:
        yield one


def answers(line: socket.socket, count: int, method: str = "GET") -> list[tuple[int, bytes]]:
    """The next answers on a connection."""
    found = []
    with line.makefile("rb") as stream:
        for _ in range(count):
            response = HTTPResponse(_Buffered(stream), method=method)  # type: ignore[arg-type]
            response.begin()
            found.append((response.status, response.read()))
    return found


class _Buffered:
    """What HTTPResponse takes for a socket: it must not read ahead into the next answer."""

    def __init__(self, stream: object) -> None:
        self.stream = stream

    def makefile(self, mode: str) -> object:
        return _Unclosed(self.stream)


class _Unclosed:
    def __init__(self, stream: object) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def close(self) -> None:
        """The stream is needed for the next answer."""


def to_the_end(line: socket.socket) -> bytes:
    parts = []
    while part := line.recv(65536):
        parts.append(part)
    return b"".join(parts)


def head(path: str = "/", *more: str, method: str = "GET", version: str = "1.1") -> bytes:
    return "\r\n".join([f"{method} {path} HTTP/{version}", f"Host: {HOST}", *more, "", ""]).encode()


# -- good clients -----------------------------------------------------------------------------------------------------


def test_a_connection_is_kept(web: LittleWeb) -> None:
    connection = HTTPConnection(web.address(HOST), web.port, timeout=10)
    ports = set()
    for path in ("/", "/guides/", "/nothing-here", "/about"):
        connection.request("GET", path, headers={"Host": HOST})
        assert connection.getresponse().read()
        assert connection.sock is not None
        ports.add(connection.sock.getsockname()[1])
    connection.close()
    assert len(ports) == 1


def test_a_connection_is_closed_on_request(line: socket.socket) -> None:
    line.sendall(head("/", "Connection: close"))
    assert b"Connection: close" in to_the_end(line).partition(b"\r\n\r\n")[0]


def test_questions_in_one_packet_are_answered_in_order(line: socket.socket) -> None:
    line.sendall(head("/garden/beans") + head("/missing") + b"\r\n" + head("/kitchen/stew"))
    (first, beans), (second, _), (third, stew) = answers(line, 3)
    assert (first, second, third) == (200, 404, 200)
    assert b"Beans on strings" in beans
    assert b"Potato stew" in stew


def test_a_question_may_come_byte_by_byte(line: socket.socket) -> None:
    for byte in head("/about"):
        line.sendall(bytes([byte]))
    [(status, body)] = answers(line, 1)
    assert status == 200
    assert b"About the house" in body


@pytest.mark.parametrize("encoding", DECODERS)
def test_pages_are_sent_in_every_encoding_that_is_accepted(web: LittleWeb, get: Get, encoding: str) -> None:
    paths = [path for path in next(iter(web.sites)).relevant if path != "/"]
    sent = [get(web.url(HOST, path), Accept_Encoding=encoding) for path in paths]
    encoded = [
        (path, body) for path, (_, headers, body) in zip(paths, sent, strict=True) if "content-encoding" in headers
    ]
    assert 1 <= len(encoded) < len(paths)
    for path, body in encoded:
        assert DECODERS[encoding](body) == get(web.url(HOST, path))[2]


def test_what_is_not_accepted_is_not_sent(web: LittleWeb, get: Get) -> None:
    for path in next(iter(web.sites)).relevant:
        status, headers, body = get(web.url(HOST, path))
        assert status == 200
        assert "content-encoding" not in headers
        assert body.endswith(b"</html>\n")


def test_some_pages_come_in_chunks(web: LittleWeb, get: Get) -> None:
    chunked = {
        path
        for path in next(iter(web.sites)).relevant
        if get(web.url(HOST, path), Accept_Encoding="gzip")[1].get("transfer-encoding") == "chunked"
    }
    assert len(chunked) >= 2
    for path in chunked:
        with urllib.request.urlopen(
            urllib.request.Request(f"http://{web.address(HOST)}:{web.port}{path}", headers={"Host": HOST}), timeout=10
        ) as answer:
            assert answer.read().endswith(b"</html>\n")


def test_old_clients_get_no_chunks() -> None:
    reply = Reply(b"x" * 5000, chunked=True)
    request = read_head(b"GET / HTTP/1.0\r\nHost: a\r\nConnection: keep-alive")
    assert isinstance(request, Request)
    sent = write_reply(request, reply)
    assert b"Content-Length: 5000" in sent
    assert b"Transfer-Encoding" not in sent
    assert b"Connection: keep-alive" in sent


def test_head_is_get_without_a_body(line: socket.socket) -> None:
    line.sendall(head("/about", method="HEAD") + head("/about", method="HEAD", version="1.0"))
    heads, rest = to_the_end(line).rsplit(b"\r\n\r\n", 1)
    assert rest == b""
    assert heads.count(b"HTTP/1.1 200 OK") == 2
    assert b"<" not in heads


def test_no_content_has_no_length(web: LittleWeb, get: Get) -> None:
    status, headers, body = get(web.url("gone.example", "/articles/no-content"))
    assert (status, body) == (204, b"")
    assert "content-length" not in headers


def test_many_clients_at_once(web: LittleWeb) -> None:
    def ask(number: int) -> bool:
        host, path = web.hosts[number % len(web.hosts)], f"/{number}?n={number}"
        connection = HTTPConnection(web.address(host), web.port, timeout=30)
        for _ in range(3):
            connection.request("GET", path, headers={"Host": host})
            connection.getresponse().read()
        connection.close()
        return True

    with ThreadPoolExecutor(40) as pool:
        assert all(pool.map(ask, range(200)))
    assert len(web.visits) == 600
    assert len({visit.path for visit in web.visits}) == 200


# -- bad ones ---------------------------------------------------------------------------------------------------------

BAD = {
    "no method": b" / HTTP/1.1\r\nHost: a\r\n\r\n",
    "no version": b"GET /\r\nHost: a\r\n\r\n",
    "wrong version": b"GET / HTTP/2.0\r\nHost: a\r\n\r\n",
    "small letters": b"get / HTTP/1.1\r\nHost: a\r\n\r\n",
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "impossible host": b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
    "impossible port": b"GET / HTTP/1.1\r\nHost: a:\\g<9>\r\n\r\n",
    "no slash": b"GET page HTTP/1.1\r\nHost: a\r\n\r\n",
    "header without colon": b"GET / HTTP/1.1\r\nHost: a\r\nrubbish\r\n\r\n",
    "header with blank name": b"GET / HTTP/1.1\r\nHost: a\r\n : x\r\n\r\n",
    "TLS": bytes.fromhex("16030100c8010000c40303") + b"\r\n\r\n",
    "NUL bytes": b"\0\0\0\0\r\n\r\n",
    "not ASCII": b"GET /\xff\xfe\x01 HTTP/1.1\r\nHost: a\r\n\r\n",
}


@pytest.mark.parametrize("what", BAD)
def test_what_is_no_request_is_refused_and_harms_nobody(
    web: LittleWeb, get: Get, line: socket.socket, what: str
) -> None:
    status, _, _ = get(web.url(HOST, "/about"))  # the other connection, opened before
    line.sendall(BAD[what])
    assert to_the_end(line).startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert get(web.url(HOST, "/about"))[0] == status == 200


def test_a_head_without_end_is_refused(line: socket.socket) -> None:
    line.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * HEAD_BYTES_MAX)
    assert to_the_end(line).startswith(b"HTTP/1.1 431 ")


def test_a_head_of_too_many_lines_is_refused() -> None:
    assert read_head(b"GET / HTTP/1.1\r\n" + b"\r\n".join([b"A: b"] * (HEADERS_MAX + 1))) == 431


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_other_methods_are_refused(line: socket.socket, method: str) -> None:
    line.sendall(head("/", "Content-Length: 4", method=method) + b"body")
    received = to_the_end(line)
    assert received.startswith(b"HTTP/1.1 405 ")
    assert b"Allow: GET, HEAD" in received
    assert received.count(b"HTTP/1.1") == 1, "the body of a request is not taken for the next one"


def test_who_leaves_early_harms_nobody(web: LittleWeb, get: Get) -> None:
    for sent in (b"", b"GET / HT", head("/")):
        with socket.create_connection((web.address(HOST), web.port)) as one:
            one.sendall(sent)
    assert get(web.url(HOST))[0] == 200


def test_who_does_not_read_is_waited_for(web: LittleWeb, line: socket.socket, get: Get) -> None:
    """Whoever asks thousands of times before reading gets no further answers until then, and all of them in the end."""
    count = 4000  # about 12 MB of answers: more than the buffers of a connection hold

    def answered() -> int:
        get(web.url(HOST, "/about"))  # a turn of the server, and a sign that the others are served meanwhile
        return sum(visit.path == "/guides/" for visit in web.visits)

    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(line.sendall, head("/guides/") * (count - 1) + head("/guides/", "Connection: close"))
        before, now = -1, answered()
        while now > before:
            before, now = now, answered()
        assert now < count
        assert to_the_end(line).count(b"HTTP/1.1 200 OK") == count
        sending.result()


def test_idle_connections_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_file, "SWEEP_SECONDS", 0.01)
    monkeypatch.setattr(server_file, "IDLE_SECONDS_MAX", -1.0)
    with LittleWeb() as web, socket.create_connection(("127.0.0.1", web.port), timeout=10) as one:
        assert one.recv(1) == b""


def test_a_port_must_be_free_on_every_address(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[tuple[str, int]] = []

    def listen(address: str, port: int) -> socket.socket:
        tried.append((address, port))
        if len(tried) == 2:
            raise OSError("taken there")
        return listen_really(address, port)

    listen_really = server_file._listen
    monkeypatch.setattr(server_file, "_listen", listen)
    listening = server_file.bind_all(("127.0.0.1", "127.0.0.2"), 0)
    assert [address for address, _ in tried] == ["127.0.0.1", "127.0.0.2"] * 2
    assert listening[0].getsockname()[1] == listening[1].getsockname()[1]
    for one in listening:
        one.close()


def test_a_mistake_in_a_site_is_kept_and_ends_nothing() -> None:
    async def scene() -> tuple[bytes, list[Exception], list[Visit]]:
        visits: list[Visit] = []
        server = Server(mistaken, visits.append)
        port = await server.start(("127.0.0.1",))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(head("/mistake") + head("/fine", "Connection: close"))
        received = await reader.read()
        writer.close()
        await writer.wait_closed()
        await server.stop()
        return received, server.errors, visits

    def mistaken(request: Request) -> Reply:
        if request.path == "/mistake":
            raise ZeroDivisionError("on purpose")
        return Reply(b"fine")

    received, errors, visits = asyncio.run(scene())
    assert [visit.status for visit in visits] == [500, 200]
    assert received.endswith(b"fine")
    assert [str(error) for error in errors] == ["on purpose"]
