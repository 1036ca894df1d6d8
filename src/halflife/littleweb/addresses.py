"""Names and addresses: who lives where on loopback, and how the addresses on a page are written for who asks.

The sites write addresses as if they had port 80 to themselves (`http://news.example/`). On the way out they get the
port that the client used. Browsers know no name under .example, but take every name under .localhost for this machine.
So each site answers to `news.example.localhost` as well, and there its links stay in that form.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable

from msgspec.structs import replace

from halflife.littleweb.site import Site
from halflife.littleweb.wire import Reply, Request

HOME = "127.0.0.1"  # where the list of hosts is, and the one loopback address that every system has
FOR_BROWSERS = ".localhost"
TEXT_TYPES = ("text/", "application/xml", "application/rss+xml", "application/atom+xml")

_ADDRESS = re.compile(rb"((?:https?:)?//[a-z0-9.\x80-\xff-]+\.example)\b(?![.:])")


def spread(sites: Iterable[Site], one_address: bool = False) -> dict[str, str]:
    """The loopback address of each host. Where the system has but one, all live there."""
    one_address = one_address or not _has_address("127.0.0.2")
    servers: dict[str, str] = {}
    for site in sites:
        server = site.server or site.host
        servers.setdefault(server, HOME if one_address else f"127.0.0.{len(servers) + 2}")
    return {site.host: servers[site.server or site.host] for site in sites}


def asked_host(request: Request) -> tuple[str, str]:
    """The host that is meant, '' for the little web itself, and what its name ends in for this client."""
    if request.host == "localhost" or re.fullmatch(r"127(\.\d+){3}", request.host):
        return "", FOR_BROWSERS
    if request.host.endswith(FOR_BROWSERS):
        return request.host.removesuffix(FOR_BROWSERS), FOR_BROWSERS
    return request.host, ""


def addressed(reply: Reply, ending: str, port: str) -> Reply:
    """The reply with every address of the little web written so that this client can use it."""
    after = ending + (f":{port}" if port else "")
    if not after:
        return reply
    mark = rb"\1" + after.encode()
    headers = tuple((name, _ADDRESS.sub(mark, value.encode()).decode()) for name, value in reply.headers)
    is_text = reply.packed or reply.content_type.startswith(TEXT_TYPES)
    return replace(reply, body=_ADDRESS.sub(mark, reply.body) if is_text else reply.body, headers=headers)


def _has_address(address: str) -> bool:
    """Whether this system takes the whole of 127.0.0.0/8 for itself: Linux does, macOS does not."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as one:
        try:
            one.bind((address, 0))
        except OSError:
            return False
        return True
