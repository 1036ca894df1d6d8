"""The frontier at one and at ten million addresses: what an address costs to add, to lease and to finish, and memory.

In: nothing; addresses are made up, always the same ones: on 100,000 hosts whose sizes follow a power law, found in
batches as pages have them, most of a batch on the page's own host, some of it known already. Out: a table.
Each size runs in processes of its own: one adds and is ended without warning, the next resumes, leases and finishes.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator
from pathlib import Path

HOSTS = 100_000
SIZES = (1_000_000, 10_000_000)
SMALL_HOSTS, SMALL_SIZES = 500, (2_000, 20_000)
LINKS_A_PAGE = 40  # new ones on the page's own host
LINKS_ABROAD = 5  # on other hosts, new
LINKS_KNOWN = 5  # that the workers' own memory let through
COMMIT_ADDED = 20_000  # a crawl commits every few seconds; in that time it finds about so many addresses
COMMIT_FINISHED = 5_000  # and finishes about so many
TURN = 64  # addresses a turn, as in run/turns.py
REST_SECONDS = 1.0  # of a site after its turn, on a clock of the benchmark's own
TURN_SECONDS = 0.001
BARS = {"ratio": 1.5, "memory": 600.0, "resume": 5.0}
PHASES = ("add", "lease", "finish")
WORDS = ["news", "archive", "guide", "reference", "library", "article", "section", "release", "product", "people",
         "history", "report", "index", "topic"]  # fmt: skip


def main(argv: list[str]) -> None:
    """Run both sizes and print how they compare."""
    parser = argparse.ArgumentParser(
        prog="python -m bench frontier", description="The frontier at 1 and 10 million addresses."
    )
    parser.add_argument("--small", action="store_true", help="a smoke run with a few thousand addresses")
    parser.add_argument("--into", default=None, help="where the frontiers are made (default: a temporary folder)")
    parser.add_argument("--size", type=int, nargs="*", help="other sizes")
    options = parser.parse_args(argv)
    sizes = tuple(options.size or (SMALL_SIZES if options.small else SIZES))
    hosts = SMALL_HOSTS if options.small else HOSTS
    with tempfile.TemporaryDirectory(prefix="halflife-bench-frontier-", dir=options.into) as folder:
        runs = [_run(Path(folder) / f"{size}.sqlite", size, hosts) for size in sizes]
    _print(sizes, hosts, runs)


def _run(path: Path, size: int, hosts: int) -> dict[str, float]:
    figures: dict[str, float] = {}
    for job in ("fill", "drain"):
        done = subprocess.run(
            [sys.executable, "-m", "bench.frontier", job, str(path), str(size), str(hosts)],
            stdout=subprocess.PIPE,
            check=True,
        )
        got = json.loads(done.stdout)
        figures["memory"] = max(figures.get("memory", 0.0), got.pop("memory"))
        figures.update(got)
    for leftover in path.parent.glob(f"{path.name}*"):
        leftover.unlink()
    return figures


def _print(sizes: tuple[int, ...], hosts: int, runs: list[dict[str, float]]) -> None:
    first, last = runs[0], runs[-1]
    print(f"CPU microseconds per address, {hosts:,} hosts")
    print(f"{'':28}" + "".join(f"{size:>14,}" for size in sizes) + f"{'ratio':>9}")
    rows = {
        "add": "add", "add, the last tenth": "add_last", "lease": "lease", "finish": "finish", "all three": "all",
    }  # fmt: skip
    for run in runs:
        run["all"] = sum(run[phase] for phase in PHASES)
    for words, name in rows.items():
        print(f"{words:28}" + "".join(f"{run[name]:14.2f}" for run in runs) + f"{last[name] / first[name]:9.2f}")
    for words, name in (
        ("peak memory, MB", "memory"),
        ("resume, s", "resume"),
        ("wall time, s", "wall"),
        ("file, MB", "file"),
    ):
        print(f"{words:28}" + "".join(f"{run[name]:14.2f}" for run in runs))
    verdicts = {
        f"ratio at most {BARS['ratio']}": last["all"] / first["all"] <= BARS["ratio"],
        f"memory at most {BARS['memory']:.0f} MB": last["memory"] <= BARS["memory"],
        f"resume in {BARS['resume']:.0f} s": last["resume"] <= BARS["resume"],
    }
    print("; ".join(f"{bar}: {'met' if met else 'MISSED'}" for bar, met in verdicts.items()))


# -- one job in a process of its own -----------------------------------------------------------------------------------


def _job(job: str, path: Path, size: int, hosts: int) -> None:
    began = time.monotonic()
    figures = fill(path, size, hosts) if job == "fill" else drain(path, size)
    figures["wall"] = time.monotonic() - began
    figures["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures["file"] = path.stat().st_size / 1e6
    print(json.dumps(figures), flush=True)
    os._exit(0)  # nothing is closed: the next one finds what a crash leaves behind


def fill(path: Path, size: int, hosts: int) -> dict[str, float]:
    """Add that many addresses."""
    from halflife.store.frontier import Frontier

    frontier = Frontier(path)
    added = uncommitted = 0
    spent = until_last_tenth = 0.0
    for batch in batches(hosts):
        began = time.process_time()
        new = frontier.add(batch)
        added, uncommitted = added + new, uncommitted + new
        if uncommitted >= COMMIT_ADDED or added >= size:
            frontier.commit()
            uncommitted = 0
        spent += time.process_time() - began
        if added <= size * 9 // 10:
            until_last_tenth, at_last_tenth = spent, added
        if added >= size:
            break
    last = (spent - until_last_tenth) / (added - at_last_tenth)
    return {"add": spent / added * 1e6, "add_last": last * 1e6}


def drain(path: Path, size: int) -> dict[str, float]:
    """Resume, then lease and finish every address."""
    from halflife.store.frontier import Frontier
    from halflife.urls import origin

    began = time.monotonic()
    now = time.time()
    frontier = Frontier(path)
    assert frontier.is_ready(now)
    resume = time.monotonic() - began
    leasing = finishing = 0.0
    finished = uncommitted = 0
    while True:
        at = time.process_time()
        site = frontier.turn(now)
        if not site:
            due = frontier.next_due()
            if due is None:
                break
            now = max(now, due)
            continue
        targets = frontier.best(site, TURN)
        leased = time.process_time()
        for target in targets:
            frontier.settle(target.id, "kept", "", now, 1.0)
            frontier.count_fetched(origin(target.url))
        now += TURN_SECONDS
        frontier.release(site, now + REST_SECONDS, now)
        uncommitted += len(targets)
        if uncommitted >= COMMIT_FINISHED:
            frontier.commit()
            uncommitted = 0
        finished += len(targets)
        leasing += leased - at
        finishing += time.process_time() - leased
    assert finished >= size, f"{finished} of {size} addresses were leased"
    frontier.commit()
    return {"resume": resume, "lease": leasing / finished * 1e6, "finish": finishing / finished * 1e6}


def batches(hosts: int) -> Iterator[list[object]]:
    """What page after page leads to, without end; always the same."""
    from halflife.store.frontier import Entry

    chance = random.Random(20)
    made = array("I", bytes(4 * hosts))  # addresses made up on each host so far

    def address(host: int) -> str:
        made[host] += 1
        number = made[host]
        words = WORDS[number % 7], WORDS[number * 31 % 13], WORDS[number * 17 % 11]
        return f"https://www.{words[0]}-{host}.org/{words[1]}/{words[2]}-{words[0]}/{number * 7919 % 100_003}-{number}.html"

    def some_host() -> int:
        return int(hosts ** chance.random()) - 1  # log-uniform: Zipf's law

    root = "https://www.{}-{}.org/"
    for start in range(0, hosts, 1000):
        yield [Entry(root.format(WORDS[host % 7], host), 0) for host in range(start, min(start + 1000, hosts))]
    page = 0
    while True:
        page += 1
        host = some_host()
        rank = chance.randrange(60_000)  # pages differ in what they promise, the links of one page less so
        urls = [address(host) for _ in range(LINKS_A_PAGE)]
        urls += [address(some_host()) for _ in range(LINKS_ABROAD)]
        urls += [root.format(WORDS[known % 7], known) for known in (some_host() for _ in range(LINKS_KNOWN))]
        yield [
            Entry(
                url,
                rank + chance.randrange(5_000),
                via=page,
                depth=page % 9,
                anchor=f"{WORDS[place % 13]} of {WORDS[page % 11]}",
            )
            for place, url in enumerate(urls)
        ]


if __name__ == "__main__":
    _job(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
