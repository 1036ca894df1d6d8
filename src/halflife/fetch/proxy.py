"""The user's HTTP proxy: how it is written, and how a way through it is asked for."""

from __future__ import annotations

import base64
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from halflife.errors import SettingError
from halflife.fetch.place import Place

EXAMPLE = "write http://[USER:PASSWORD@]HOST:PORT"


class Proxy(Struct, frozen=True):
    """Where the proxy is, and what it wants to hear."""

    host: str
    port: int
    authorization: str = ""

    def connect(self, place: Place, agent: str) -> bytes:
        """A request for a way through to this place."""
        host = f"[{place.host}]" if ":" in place.host else place.host
        lines = [f"CONNECT {host}:{place.port} HTTP/1.1", f"Host: {host}:{place.port}", f"User-Agent: {agent}"]
        if self.authorization:
            lines.append(f"Proxy-Authorization: {self.authorization}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def read_proxy(text: str) -> Proxy | None:
    """The proxy that --proxy names, None for ''. Its password is in no message."""
    if not text:
        return None
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
    except ValueError:
        raise SettingError(f"--proxy: that is no address; {EXAMPLE}") from None
    if parts.scheme.lower() != "http":
        raise SettingError(f"--proxy: only http:// proxies can be used; {EXAMPLE}")
    more = parts.path.strip("/") or parts.query or parts.fragment
    if not host or not host.isascii() or any(sign in host for sign in " %") or port == 0 or more:
        raise SettingError(f"--proxy: that names no host and port; {EXAMPLE}")
    if ":" in user:
        raise SettingError(f"--proxy: a user's name has no colon in it; {EXAMPLE}")
    secret = base64.b64encode(f"{user}:{password}".encode()).decode() if user or password else ""
    return Proxy(host, port or 80, f"Basic {secret}" if secret else "")
