"""What a running crawl shows: a line that keeps itself current, JSON lines, or warnings only."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from halflife.cli.standard import complain, say_bytes
from halflife.events import Event, Progress, Started, Tell, Warned, json_line
from halflife.report import counted, progress_line

if TYPE_CHECKING:
    from rich.live import Live

PLAIN_SECONDS = 10.0  # between progress lines where the output is no terminal


@contextmanager
def shown(quiet: bool, events: bool) -> Iterator[Tell]:
    """Somebody to tell events to."""
    if events:
        yield _json
    elif quiet:
        yield _warnings
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(stderr=True, highlight=False), transient=True, auto_refresh=False) as live:
            yield _Terminal(live)
    else:
        yield _Plain()


def _json(event: Event) -> None:
    say_bytes(json_line(event))


def _warnings(event: Event) -> None:
    if isinstance(event, Warned):
        complain(event.message)


class _Terminal:
    """One line at the bottom of the screen."""

    def __init__(self, live: Live) -> None:
        self._live = live

    def __call__(self, event: Event) -> None:
        from rich.text import Text

        if isinstance(event, Progress):
            self._live.update(Text(progress_line(event), overflow="ellipsis", no_wrap=True), refresh=True)
        elif isinstance(event, Started) and event.resumed:
            self._live.console.print(Text(_resumed(event)))
        elif isinstance(event, Warned):
            self._live.console.print(Text(event.message))


class _Plain:
    """A line now and then, for logs."""

    def __init__(self) -> None:
        self._last = 0.0

    def __call__(self, event: Event) -> None:
        if isinstance(event, Progress) and event.seconds - self._last >= PLAIN_SECONDS:
            self._last = event.seconds
            complain(progress_line(event))
        elif isinstance(event, Started) and event.resumed:
            complain(_resumed(event))
        else:
            _warnings(event)


def _resumed(event: Started) -> str:
    recovered = f", {counted(event.recovered, 'fetched page')} recovered" if event.recovered else ""
    waiting = "1 address waits" if event.waiting == 1 else f"{event.waiting:,} addresses wait"
    return f"going on with {event.into}: {waiting}{recovered}"
