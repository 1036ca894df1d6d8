"""What a command costs: CPU seconds and memory of its whole tree of processes, and the time on the wall.

In: a command. Out: a Cost. CPU time is the kernel's own count, of every process of the tree that ended and was waited
for; orphans come to us and are waited for too. Memory is sampled: the proportional set size (pages that several
processes share count once) summed over the tree. Sampling costs time here, not in what is measured.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SAMPLE_SECONDS = 0.25  # a shorter peak goes unseen; reading the sizes of a few processes takes milliseconds
ORPHANS_SECONDS_MAX = 20.0  # a process that outlives its crawler by more hangs
PR_SET_CHILD_SUBREAPER = 36  # from <linux/prctl.h>


class Cost(NamedTuple):
    """What one run took."""

    code: int  # the exit code; negative: ended by that signal
    cpu_seconds: float
    wall_seconds: float
    peak_bytes: int  # of the tree
    marked: int  # processes at once whose command line holds the mark
    marked_peak_bytes: int  # of the largest of them


class Memory(threading.Thread):
    """Looks at a process and its descendants until told to stop."""

    def __init__(self, root: int, mark: str) -> None:
        super().__init__(daemon=True)
        self.peak_bytes = self.marked = self.marked_peak_bytes = 0
        self._root, self._mark = root, mark.encode()
        self._over = threading.Event()

    def run(self) -> None:
        """Sample."""
        while not self._over.wait(SAMPLE_SECONDS):
            total = marked = 0
            for pid in descendants(self._root):
                size = proportional_bytes(pid)
                total += size
                if self._mark and self._mark in _read(f"/proc/{pid}/cmdline").replace(b"\0", b" "):
                    marked += 1
                    self.marked_peak_bytes = max(self.marked_peak_bytes, size)
            self.peak_bytes = max(self.peak_bytes, total)
            self.marked = max(self.marked, marked)

    def stop(self) -> None:
        """The last sample was taken."""
        self._over.set()
        self.join()


def measure(command: list[str], folder: Path, log: Path, seconds_max: float, mark: str = "") -> Cost:
    """Run a command in a folder, what it says going to a log, and wait for all of its processes."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    ours_before = set(_children(os.getpid()))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.monotonic()
    home = {**os.environ, "HOME": str(folder)}  # nobody's settings and caches but its own
    with log.open("wb") as said:
        process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=said, stderr=said, env=home)
    memory = Memory(process.pid, mark)
    memory.start()
    try:
        process.wait(seconds_max)
    except subprocess.TimeoutExpired:
        for pid in [*descendants(process.pid)]:
            _end(pid)
        process.wait()
    wall_seconds = time.monotonic() - began
    memory.stop()
    _wait_for_orphans(ours_before)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(
        process.returncode,
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        wall_seconds,
        memory.peak_bytes,
        memory.marked,
        memory.marked_peak_bytes,
    )


def descendants(root: int) -> Iterator[int]:
    """A process and all below it."""
    yield root
    for child in _children(root):
        yield from descendants(child)


def proportional_bytes(pid: int) -> int:
    """The process's share of the memory it uses; 0 when it is gone."""
    for line in _read(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _children(pid: int) -> list[int]:
    try:
        tasks = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    return [int(child) for task in tasks for child in _read(f"/proc/{pid}/task/{task}/children").split()]


def _wait_for_orphans(ours_before: set[int]) -> None:
    for pid in set(_children(os.getpid())) - ours_before:
        give_up = time.monotonic() + ORPHANS_SECONDS_MAX
        while os.waitpid(pid, os.WNOHANG)[0] == 0:
            if time.monotonic() > give_up:
                _end(pid)
            time.sleep(0.02)


def _end(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""
