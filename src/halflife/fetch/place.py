"""Where a request goes, read off an address, and the request itself."""

from __future__ import annotations

import re

from halflife.fetch.guard import bare
from halflife.fetch.settings import FetchSettings
from halflife.urls import host as host_of
from halflife.urls import site as site_of

ORIGIN = re.compile(r"(https?)://(\[[0-9a-f:.]+\]|[a-z0-9._-]{1,255})(?::([0-9]{1,5}))?")
UNSENT = re.compile(r"[^\x21-\x7e]")  # what no request line may hold

ACCEPT = ("Accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8")
ENCODINGS = ("Accept-Encoding", "gzip, deflate, br, zstd")


class Place:
    """An origin: what is asked there goes through the same door."""

    __slots__ = ("authority", "host", "origin", "port", "site", "tls")

    def __init__(self, origin: str, tls: bool, host: str, port: int, authority: str) -> None:
        self.origin = origin
        self.tls = tls
        self.host = host  # without brackets
        self.port = port
        self.authority = authority  # as in the Host header
        self.site = site_of(origin)  # the registrable domain


def place_of(origin: str) -> Place | None:
    """The place an origin names, None when it names none."""
    matched = ORIGIN.fullmatch(origin)
    if matched is None:
        return None
    scheme, _, given = matched.groups()
    port = int(given) if given else 443 if scheme == "https" else 80
    if not 0 < port < 65_536:
        return None
    return Place(origin, scheme == "https", bare(host_of(origin)), port, origin.partition("://")[2])


class Requests:
    """Makes requests: all headers but Host are the same for all of them."""

    def __init__(self, settings: FetchSettings, proxy_authorization: str = "") -> None:
        given = {name.lower() for name, _ in settings.headers}
        headers = [("User-Agent", settings.agent()), *settings.headers]
        headers += [pair for pair in (ACCEPT, ENCODINGS) if pair[0].lower() not in given]
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        self._tail = f"\r\n{lines}\r\n".encode("latin-1")
        proxy_line = f"Proxy-Authorization: {proxy_authorization}\r\n" if proxy_authorization else ""
        self._proxy_tail = f"\r\n{lines}{proxy_line}\r\n".encode("latin-1")

    def get(self, place: Place, path: str) -> bytes:
        """A request to the server itself."""
        return f"GET {path} HTTP/1.1\r\nHost: {place.authority}".encode() + self._tail

    def get_through_proxy(self, place: Place, path: str) -> bytes:
        """The same to a proxy, which wants whole addresses."""
        return f"GET {place.origin}{path} HTTP/1.1\r\nHost: {place.authority}".encode() + self._proxy_tail


def path_of(url: str, origin: str) -> str:
    """Path and query as a request line has them; '' when they cannot be sent."""
    path = url[len(origin) :].partition("#")[0] or "/"
    if path.startswith("?"):
        path = f"/{path}"
    return "" if not path.startswith("/") or UNSENT.search(path) else path
