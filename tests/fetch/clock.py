"""A loop in which nothing passes but time, and that at once: a day of good manners takes a moment."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar
from unittest.mock import patch

from halflife.fetch import pace

T = TypeVar("T")

EPOCH = 1_700_000_000.0


class Patient(selectors.DefaultSelector):
    """Instead of waiting it moves the clock."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 1000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        events = super().select(0)
        if not events:
            assert timeout is not None, "everybody waits, and for nothing"
            self.now += timeout
        return events


class Clock:
    """What `pace` takes for the module `time`."""

    def __init__(self, selector: Patient) -> None:
        self._selector = selector

    def monotonic(self) -> float:
        return self._selector.now

    def time(self) -> float:
        return EPOCH + self._selector.now


def run_at_once(main: Callable[[Clock], Coroutine[Any, Any, T]]) -> T:
    """Run with a clock that never lets anybody wait."""
    selector = Patient()
    clock = Clock(selector)

    def loop() -> asyncio.AbstractEventLoop:
        made = asyncio.SelectorEventLoop(selector)
        made.time = clock.monotonic  # type: ignore[method-assign]
        return made

    with patch.object(pace, "time", clock), asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(main(clock))
