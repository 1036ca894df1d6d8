"""Standard output and standard error, which may be full, closed, or read by somebody who has seen enough.

Whatever a command says goes through `say`, and what it complains of through `complain`: so that a disk that is full is told
in one line, a reader who went away is no mistake, and nothing is left over that would fail once more when Python ends.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from halflife.errors import HalflifeError


class Unwritable(HalflifeError):
    """Standard output takes no more, as on a full disk."""


class Unread(Exception):
    """Whoever read standard output has gone, as `head` does."""


def open_all() -> None:
    """Make sure that all three standard streams are there: a caller who closed one wants nothing of it, or has nothing.

    Their numbers would otherwise go to the next files that are opened, and what is meant for a person would end up there.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    # They are for as long as the process lives.
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def say(lines: Iterable[str]) -> None:
    """Write lines, each with its end, to standard output."""
    for line in lines:
        with written():
            sys.stdout.write(line)


def say_bytes(data: bytes) -> None:
    """Write to standard output, and see that it arrives now: for programs that read along."""
    with written():
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def flush() -> None:
    """See that all that was said has arrived."""
    with written():
        sys.stdout.flush()


def complain(line: str) -> None:
    """One line on standard error; where that cannot be written to either, there is nobody to tell."""
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)


@contextmanager
def written() -> Iterator[None]:
    """What goes wrong in here is the fault of standard output."""
    try:
        yield
    except BrokenPipeError:
        _forget()
        raise Unread from None
    except OSError as error:
        _forget()
        raise Unwritable(
            f"standard output: cannot be written ({error.strerror or error}); make room where it leads, or lead it elsewhere"
        ) from None


def _forget() -> None:
    """Whatever was not written would be tried again when Python ends: it goes nowhere instead."""
    with suppress(OSError):  # a stream that is no file has no number
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            os.dup2(nowhere, sys.stdout.fileno())
        finally:
            os.close(nowhere)
