"""kill -9 at random moments: nothing is lost, and nothing is fetched again but what was in flight.

HALFLIFE_KILLS says how many kills (30 unless told): `HALFLIFE_KILLS=500 scripts/test tests/run/test_kill.py`.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

from crawling import Crawling, command
from halflife.littleweb import LittleWeb
from halflife.run import pages
from halflife.run.messages import unpack_head
from halflife.store import Folder, Frontier, notes

KILLS = int(os.environ.get("HALFLIFE_KILLS", "30"))
SEED = int(os.environ.get("HALFLIFE_SEED", "20260101"))
START_SECONDS = 0.9  # what starting takes at the most, so that half of the kills fall into that, and into repairs
PAGES = 330  # of the little web: visits are shared out over the kills, so that there is something left to kill


def written(into: Path) -> set[str]:
    """The addresses whose visit is in the store for good: in a journal or a sealed segment."""
    folder = Folder(into)
    found = set()
    for segment in folder.journals():
        found |= {
            target.url for _, target, note in notes(folder, segment, 0) if target.id and not unpack_head(note).again
        }
    if folder.segments():
        found |= {str(row["url"]) for row in pages(into, everything=True)}
    return found


def asked(web: LittleWeb) -> Counter[str]:
    """How often each address was asked for, robots.txt, and where it redirects to, aside."""
    return Counter(
        f"http://{visit.host}:{web.port}{visit.path}" for visit in web.visits if not visit.path.startswith("/robots")
    )


def wait_for_visits(process: subprocess.Popen[bytes], visits: int) -> None:
    """Read what a crawl tells until it has told of so many visits, or ended."""
    assert process.stdout is not None
    for line in process.stdout:
        visits -= b'"visited"' in line
        if visits < 0:
            return


def test_kill_and_resume(web: LittleWeb, crawling: Crawling, tmp_path: Path) -> None:
    rng = random.Random(SEED)
    into = tmp_path / "killed"
    kills = hit = 0
    while kills < KILLS:
        kept_before = written(into) if (into / "halflife.json").exists() else set()
        before = asked(web)
        process = subprocess.Popen(
            [*command(web, into, "--events"), "--workers", "2", "--delay", "0.05"],
            start_new_session=True,
            stdout=subprocess.PIPE,
        )
        # The moment of the kill is the input of this test: at some time, or after so many pages.
        if rng.random() < 0.5:
            time.sleep(rng.uniform(0.05, START_SECONDS))
        else:
            wait_for_visits(process, rng.randint(0, PAGES // KILLS))
            time.sleep(rng.uniform(0, 0.01))
        runs = process.poll() is None
        hit += runs
        # The main process alone, or all of them at once, as the power would.
        if rng.random() < 0.5:
            process.kill()
        elif runs:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()  # until the last worker has let go of the pipe
        kills += 1
        again = {url for url, count in (asked(web) - before).items() if url in kept_before}
        assert not again, f"kill {kills}, seed {SEED}: fetched again: {again}"
    assert hit >= KILLS / 2, "most kills have to find a crawl that is under way"
    last = subprocess.run(command(web, into, "--quiet"), timeout=120, check=False)
    assert last.returncode == 0
    whole = crawling("whole")
    assert {row["url"] for row in pages(into)} == {row["url"] for row in pages(whole.into)}
    folder = Folder(into)
    assert folder.journals() == []
    frontier = Frontier(folder.frontier, read_only=True)
    assert frontier.waiting == 0
    assert Counter(row["url"] for row in pages(into, everything=True)).most_common(1)[0][1] == 1
    frontier.close(commit=False)
