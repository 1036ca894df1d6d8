"""What the tests of the little web share: one that runs, and somebody to ask it."""

from __future__ import annotations

from collections.abc import Iterator
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from halflife.littleweb import Dials, LittleWeb
from littleweb.reading import Get, Got


@pytest.fixture(scope="session")
def one_web() -> Iterator[LittleWeb]:
    with LittleWeb(Dials(slow_seconds=0.05)) as web:
        yield web
    assert web.errors == []


@pytest.fixture
def web(one_web: LittleWeb) -> LittleWeb:
    """The little web, as if it had just been started."""
    one_web.reset()
    return one_web


@pytest.fixture
def get(web: LittleWeb) -> Iterator[Get]:
    """Ask for an address of the little web, over one connection a host that is kept open."""
    open_ones: dict[str, HTTPConnection] = {}

    def ask(url: str, **headers: str) -> Got:
        parts = urlsplit(url)
        host = parts.hostname or ""
        if host not in open_ones:
            open_ones[host] = HTTPConnection(web.address(host), web.port, timeout=10)
        path = parts.path + ("?" + parts.query if parts.query else "")
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        open_ones[host].request("GET", path, headers={"Host": parts.netloc, **named})
        answer = open_ones[host].getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()

    yield ask
    for one in open_ones.values():
        one.close()
