"""CPU time by stage: functions wrapped so that what they take is booked on their stage, and not on those around them."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any
from unittest import mock

# (what holds the function, its name there, the stage it belongs to)
Place = tuple[Any, str, str]


class Ledger:
    """What this thread's CPU time went to. Reading the clock costs half a microsecond: wrap nothing smaller than that."""

    def __init__(self) -> None:
        self.nanoseconds: Counter[str] = Counter()
        self._inner: list[int] = []  # for each stage under way: the time booked on stages within it

    def timed(self, stage: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, booked."""

        @wraps(function)
        def booked(*args: Any, **kwargs: Any) -> Any:
            self._inner.append(0)
            began = time.thread_time_ns()
            try:
                return function(*args, **kwargs)
            finally:
                spent = time.thread_time_ns() - began
                self.nanoseconds[stage] += spent - self._inner.pop()
                if self._inner:
                    self._inner[-1] += spent

        return booked

    @contextmanager
    def watching(self, places: list[Place]) -> Iterator[None]:
        """Book these functions, wherever they are called from, while this lasts."""
        with ExitStack() as stack:
            for owner, name, stage in places:
                stack.enter_context(mock.patch.object(owner, name, self.timed(stage, getattr(owner, name))))
            yield
