"""What a running crawl shows: a line that keeps itself current, JSON lines, or nothing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from halflife.events import Event, Progress, Started, Tell, Warned, json_line, silent
from halflife.report import progress_line

if TYPE_CHECKING:
    from rich.live import Live

PLAIN_SECONDS = 10.0  # between progress lines where the output is no terminal


@contextmanager
def shown(quiet: bool, events: bool) -> Iterator[Tell]:
    """Somebody to tell events to."""
    if events:
        yield _json
    elif quiet:
        yield silent
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(stderr=True, highlight=False), transient=True, auto_refresh=False) as live:
            yield _Terminal(live)
    else:
        yield _Plain()


def _json(event: Event) -> None:
    sys.stdout.buffer.write(json_line(event))
    sys.stdout.buffer.flush()


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
            print(progress_line(event), file=sys.stderr)
        elif isinstance(event, Started) and event.resumed:
            print(_resumed(event), file=sys.stderr)
        elif isinstance(event, Warned):
            print(event.message, file=sys.stderr)


def _resumed(event: Started) -> str:
    recovered = f", {event.recovered:,} fetched pages recovered" if event.recovered else ""
    return f"going on with {event.into}: {event.waiting:,} addresses wait{recovered}"
