"""`scripts/bench crawl`: halflife doing its whole job against crawlers that follow links and keep nothing.

Real pages behind nginx on loopback, one address for each set, no delays, until the closed sets are exhausted: the log
says whether all crawlers had the same pages. Several rounds, the order rotated; ratios are taken within a round, where
the machine is the same for both, and their median is what counts.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.crawl_table import Run, report
from bench.measure import measure
from bench.rivals import OUT, WORKER, Rival, nginx_missing, prepare_peers, rivals
from bench.sets import CPP, JAVA, PYTHON, PageSet, closed, install, missing_packages
from bench.tinyset import make_tiny_sets
from bench.web import Web

ROUNDS = 3
CRAWL_SECONDS_MAX = 1800.0  # the slowest peer takes three minutes for the larger table on two cores


def main(argv: list[str]) -> None:
    """Run the comparison, print the tables."""
    options = _options(argv)
    if options.profile:
        from bench.page_cost import profile

        profile(options.small, options.pages)
        return
    with tempfile.TemporaryDirectory(prefix="halflife-bench-") as scratch:
        Path(scratch).chmod(0o755)  # started by root, nginx reads as nobody
        tables = _tables(options, Path(scratch))
        chosen = _chosen(options.only, options.small)
        for title, sets in tables.items():
            runs = _table(title, sets, chosen, options.rounds, Path(scratch))
            report(title, sets, runs, chosen)


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench crawl", description=__doc__, allow_abbrev=False)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each crawler runs (%(default)s)")
    parser.add_argument("--only", default="", metavar="NAME,...", help=f"some of: {', '.join(rivals())}")
    parser.add_argument("--table", type=int, choices=(1, 2), help="one table only")
    parser.add_argument("--install", action="store_true", help="have apt-get install what is missing (as root)")
    parser.add_argument("--small", action="store_true", help="a made-up set, one round, without what is not installed")
    parser.add_argument("--profile", action="store_true", help="where the time of one page goes, in one process")
    parser.add_argument("--pages", type=int, default=0, help="with --profile: so many pages of each set at most")
    return parser.parse_args(argv)


def _tables(options: argparse.Namespace, scratch: Path) -> dict[str, list[PageSet]]:
    if options.small:
        options.rounds = 1
        if lacking := nginx_missing():
            raise SystemExit(f"bench crawl: not run: it needs {lacking}")
        return {"small": make_tiny_sets(scratch)}
    tables = {"table one": [PYTHON, CPP], "table two": [JAVA]}
    if options.table:
        tables = dict([list(tables.items())[options.table - 1]])
    packages = missing_packages([each for sets in tables.values() for each in sets])
    packages += ["nginx-light"] if nginx_missing() else []
    packages += [] if shutil.which("wget2") else ["wget2"]
    if packages and options.install and os.geteuid() == 0:
        install(packages)
    elif packages:
        raise SystemExit(f"bench crawl: apt install {' '.join(packages)} first (or, as root, add --install)")
    return tables


def _chosen(only: str, small: bool) -> list[Rival]:
    known = rivals()
    names = [name.strip() for name in only.split(",")] if only else list(known)
    if unknown := [name for name in names if name not in known]:
        raise SystemExit(f"bench crawl: --only {unknown[0]}: there are {', '.join(known)}")
    if not small:
        prepare_peers()
    ready = []
    for name in names:
        if lacking := known[name].missing():
            print(f"not run: {name}, which needs {lacking}")
        else:
            ready.append(known[name])
    return ready


# -- running ---------------------------------------------------------------------------------------------------------


def _table(title: str, sets: list[PageSet], chosen: Sequence[Rival], rounds: int, scratch: Path) -> list[Run]:
    wanted = {(number, path) for number, each in enumerate(sets) for path in closed(each)}
    runs = []
    with Web([each.folder for each in sets]) as web:
        for number in range(rounds):
            turn = number % len(chosen)
            for rival in [*chosen[turn:], *chosen[:turn]]:
                print(f"{title}, round {number + 1} of {rounds}: {rival.name} ...", file=sys.stderr, flush=True)
                runs.append(_run(rival, number, sets, wanted, web, scratch))
    OUT.mkdir(exist_ok=True)
    name = time.strftime(f"crawl-{title.replace(' ', '-')}-%Y%m%d-%H%M%S.json")
    (OUT / name).write_text(json.dumps([{**run._asdict(), "cost": run.cost._asdict()} for run in runs], indent=1))
    return runs


def _run(rival: Rival, number: int, sets: list[PageSet], wanted: set[tuple[int, str]], web: Web, scratch: Path) -> Run:
    folder = scratch / "run"
    folder.mkdir()
    log = scratch / "said.log"
    starts = [web.origin(place) + each.start for place, each in enumerate(sets)]
    web.forget()
    cost = measure(rival.command(starts, folder), folder, log, CRAWL_SECONDS_MAX, WORKER)
    seen = web.seen()
    if cost.code not in rival.codes:
        said = log.read_text(errors="replace").strip()[-2000:]
        raise SystemExit(f"bench crawl: {rival.name} ended with {cost.code}:\n{said}")
    had = {(web.addresses.index(address), path): times for (address, path), times in seen.pages.items()}
    kept_bytes = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    shutil.rmtree(folder)
    return Run(
        rival.name, number, len(had), _named(wanted - had.keys(), sets), _named(had.keys() - wanted, sets),
        sum(had.values()) - len(had), dict(seen.others), seen.sent_bytes, kept_bytes, cost,
    )  # fmt: skip


def _named(pages: set[tuple[int, str]], sets: list[PageSet]) -> list[str]:
    return sorted(f"{sets[number].name}{path}" for number, path in pages)
