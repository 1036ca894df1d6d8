"""Ctrl-C once, Ctrl-C twice, a worker that dies, two runs at once: the store resumes from each."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from crawling import Crawling, command
from halflife import pages
from halflife.littleweb import LittleWeb
from halflife.store import Folder


@contextmanager
def running(web: LittleWeb, into: Path, *more: str) -> Iterator[subprocess.Popen[bytes]]:
    """A crawl in a process of its own, slow enough to be interrupted, telling events."""
    process = subprocess.Popen(
        [*command(web, into, "--events", *more), "--delay", "0.05"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def until_visited(process: subprocess.Popen[bytes], count: int) -> list[dict[str, Any]]:
    """Read events until so many pages were visited."""
    events: list[dict[str, Any]] = []
    assert process.stdout is not None
    for line in process.stdout:
        events.append(json.loads(line))
        if sum(event["type"] == "visited" for event in events) >= count:
            break
    return events


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    """The process ids of a crawl's workers."""
    text = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    return [int(number) for number in text.split()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_once_ends_cleanly(number: int, web: LittleWeb, crawling: Crawling, tmp_path: Path) -> None:
    into = tmp_path / "store"
    with running(web, into) as process:
        until_visited(process, 8)
        process.send_signal(number)
        rest, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors == b""
    finished = json.loads(rest.splitlines()[-1])
    assert (finished["type"], finished["reason"]) == ("finished", "interrupted")
    folder = Folder(into)
    assert folder.journals() == []
    assert len(list(pages(into, everything=True))) == finished["judged"]
    resumes(web, crawling)


def test_twice_ends_at_once(web: LittleWeb, crawling: Crawling, tmp_path: Path) -> None:
    into = tmp_path / "store"
    with running(web, into) as process:
        until_visited(process, 8)
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["type"] == "warned":
                break
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    resumes(web, crawling)


def resumes(web: LittleWeb, crawling: Crawling) -> None:
    """The store of an interrupted crawl comes to the same end as one that was not."""
    rest = crawling("store")
    web.reset()
    whole = crawling("whole")
    assert {row["url"] for row in pages(rest.into)} == {row["url"] for row in pages(whole.into)}


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds worker processes through /proc")
def test_a_worker_that_dies_is_replaced(web: LittleWeb, crawling: Crawling, tmp_path: Path) -> None:
    into = tmp_path / "store"
    with running(web, into, "--workers", "2", "--delay", "0.03") as process:
        until_visited(process, 10)
        os.kill(workers_of(process)[0], signal.SIGKILL)
        rest, errors = process.communicate(timeout=90)
    assert process.returncode == 0, errors
    events = [json.loads(line) for line in rest.splitlines()]
    assert any(event["type"] == "warned" and "died" in event["message"] for event in events)
    assert events[-1]["reason"] == "exhausted"
    web.reset()
    whole = crawling("whole")
    assert {row["url"] for row in pages(into)} == {row["url"] for row in pages(whole.into)}
    assert max(Counter(row["url"] for row in pages(into, everything=True)).values()) == 1


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds worker processes through /proc")
def test_workers_go_when_the_main_process_is_gone(web: LittleWeb, tmp_path: Path) -> None:
    with running(web, tmp_path / "store", "--workers", "2") as process:
        until_visited(process, 5)
        workers = workers_of(process)
        process.kill()
        # The pipe that workers inherited ends when the last of them is gone; that is what this waits for.
        process.communicate(timeout=30)
    assert len(workers) == 2
    give_up = time.monotonic() + 10  # a process lets go of its pipes a moment before it is gone
    while any(map(_runs, workers)) and time.monotonic() < give_up:
        time.sleep(0.01)
    assert not [number for number in workers if _runs(number)]


def _runs(number: int) -> bool:
    try:
        state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def test_two_runs_on_one_store_do_not_mix(web: LittleWeb, tmp_path: Path) -> None:
    into = tmp_path / "store"
    with running(web, into) as process:
        until_visited(process, 3)
        second = subprocess.run(command(web, into, "--quiet"), capture_output=True, text=True, timeout=60, check=False)
        assert second.returncode == 2
        assert str(process.pid) in second.stderr
        assert len(second.stderr.splitlines()) == 1
