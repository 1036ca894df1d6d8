"""Crawls of the little web for tests: settings, the fixture's type, the command line."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from halflife import FetchSettings, Limits
from halflife.events import Event, Finished
from halflife.littleweb import LittleWeb

TOPIC = '"solar energy"'


class Crawled:
    """A crawl that is over, and all it told."""

    def __init__(self, into: Path, finished: Finished, events: list[Event]) -> None:
        self.into, self.finished, self.events = into, finished, events


Crawling = Callable[..., Crawled]


@contextmanager
def served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """A server on loopback while this lasts: where it is."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def fetch_settings(web: LittleWeb, **more: Any) -> FetchSettings:
    limits = Limits(connect_seconds=2.0, first_byte_seconds=3.0, answer_seconds=5.0)
    given: dict[str, Any] = {"resolve": tuple(web.resolve), "delay_seconds": 0.0, "limits": limits, **more}
    return FetchSettings(**given)


def command(web: LittleWeb, into: Path, *more: str, seeds: tuple[str, ...] | None = None) -> list[str]:
    """The command line of a crawl of the little web."""
    resolve = [part for pair in web.resolve for part in ("--resolve", pair)]
    chosen = tuple(web.seeds) if seeds is None else seeds
    return [
        sys.executable, "-m", "halflife", "crawl", *chosen, "--topic", TOPIC, "--into", str(into), "--scope", "any",
        "--delay", "0", "--first-byte-timeout", "3", "--connect-timeout", "2", *resolve, *more,
    ]  # fmt: skip
