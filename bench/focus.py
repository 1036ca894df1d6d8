"""`scripts/bench focus`: how early a crawl finds what it was sent for, against breadth-first order and paper mode.

Three documentation sets are one web (`focus_web`), twelve topics have a rule that names their pages (`focus_topics`).
The harvest curve says which share of a topic's pages was found after 1, 2, 3 ... answers; the area under it is its mean
over the budget. An answer counts whatever it was: a page, a dead link, something that is no page.

    best           what `halflife crawl` does without options
    breadth        `--order breadth` with everything else the same: links far from anything relevant are dropped, and
                   directories that keep failing starve
    breadth all    plain breadth-first order, which drops nothing; it does not hang on the topic, and is crawled once
    paper          `--paper` and the topic as it was typed. The letter of the published rule discards the links of a
                   start page that does not name the topic: there the crawl ends
    paper helped   paper mode with every help: any word of the topic will do (each is quoted), links of irrelevant pages
                   are followed as far as in the default mode, and besides the start page it is given a relevant page of
                   each set, which counts as found

Compared is with the better of the two each time, chosen topic by topic after the fact.

A crawl that is over before its budget is has a flat curve from there on. Two means are printed for each group of
topics: the ratio of the mean areas, in which topics weigh by what can be won on them, and the geometric mean of the
ratios, in which they weigh the same. The bar counts as met when both reach it, and, against paper mode, when no topic
is lost. Everything is deterministic: one run is enough.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, geometric_mean
from typing import NamedTuple

from bench.focus_crawl import asked_for
from bench.focus_topics import TOPICS, FocusTopic
from bench.focus_web import START, FocusWeb, area
from bench.rivals import OUT
from bench.sets import CPP, JAVA, PYTHON, missing_packages
from bench.tinyset import make_tiny_sets

BUDGETS = (1_000, 5_000)  # answers; besides these, the whole web. The table by topic is for the last, a third of it
BAR = 1.5  # of breadth-first's area
EVERYTHING = 1_000_000  # a tunnel that drops nothing
SMALL_BUDGETS = (30,)
SMALL_TOPICS = (
    FocusTopic("chapters 17", True, ("chapters/17.html",), ("chapters/1[78]*.html",), ("none",)),
    FocusTopic("more", False, ("more.html",), ("more.html",), ("none",)),
)


class Found(NamedTuple):
    """One topic: how many pages are relevant, and the order in which each way asked for pages."""

    topic: FocusTopic
    relevant: set[str]
    orders: dict[str, list[str]]

    def area(self, way: str, pages: int) -> float:
        """The area under the harvest curve; of breadth-first order and paper mode, the better of their two."""
        return max(area(order, self.relevant, pages) for name, order in self.orders.items() if name.startswith(way))

    def ratio(self, way: str, pages: int) -> float:
        """How many times another way's area ours is."""
        other = self.area(way, pages)
        return self.area("best", pages) / other if other else math.inf


def main(argv: list[str]) -> None:
    """Run the comparison, print the tables."""
    options = _options(argv)
    with tempfile.TemporaryDirectory(prefix="halflife-bench-") as scratch:
        web, topics, budgets = _small(Path(scratch)) if options.small else _whole()
        topics = topics if options.topics == "all" else topics[: int(options.topics)]
        found = _harvest(web, topics)
    budgets = (*budgets, web.size)
    _print_topics(found, budgets[-2], web.size)
    _print_means(found, budgets)
    if options.small:
        print("A made-up web: the bars are for the real one")
    _keep(found, budgets)


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/bench focus", description="Harvest curves.", allow_abbrev=False)
    parser.add_argument("--small", action="store_true", help="a made-up web of 125 pages, two topics")
    parser.add_argument(
        "--topics", default="all", metavar="N", help="the first N; 6 are those for tuning (%(default)s)"
    )
    options = parser.parse_args(argv)
    if options.topics != "all" and not (options.topics.isdecimal() and int(options.topics)):
        parser.error(f"--topics {options.topics!r}: give a number, or all")
    return options


def _whole() -> tuple[FocusWeb, Sequence[FocusTopic], tuple[int, ...]]:
    if packages := missing_packages([PYTHON, CPP, JAVA]):
        raise SystemExit(f"bench focus: not run: apt install {' '.join(packages)} first")
    return FocusWeb({"python": PYTHON, "cpp": CPP, "java": JAVA}), TOPICS, BUDGETS


def _small(scratch: Path) -> tuple[FocusWeb, Sequence[FocusTopic], tuple[int, ...]]:
    return FocusWeb(dict(zip(("python", "cpp"), make_tiny_sets(scratch), strict=True))), SMALL_TOPICS, SMALL_BUDGETS


# -- crawling --------------------------------------------------------------------------------------------------------


def _harvest(web: FocusWeb, topics: Sequence[FocusTopic]) -> list[Found]:
    from halflife.run.settings import TUNNEL_DEFAULT

    everything = asked_for(web, "anything", web.size, tunnel=EVERYTHING, order="breadth", starve=0)
    found = []
    for topic in topics:
        print(f"{topic.text} ...", file=sys.stderr, flush=True)
        any_word = " ".join(f'"{word}"' for word in topic.text.split())
        seeds = (START, *web.way_in(topic))
        orders = {
            "best": asked_for(web, topic.text, web.size),
            "breadth": asked_for(web, topic.text, web.size, order="breadth"),
            "breadth all": everything,
            "paper": asked_for(web, topic.text, web.size, method="paper"),
            "paper helped": asked_for(web, any_word, web.size, TUNNEL_DEFAULT, method="paper", seeds=seeds),
        }
        found.append(Found(topic, web.relevant(topic), orders))
    return found


# -- telling ---------------------------------------------------------------------------------------------------------


def _print_topics(found: list[Found], pages: int, size: int) -> None:
    ways = list(found[0].orders)
    print(f"A web of {size:,} pages; area under the harvest curve of the first {pages:,} answers")
    print(
        f"{'topic':30}{'relevant':>9}"
        + "".join(f"{way:>14}" for way in ways)
        + f"{'best/breadth':>14}{'best/paper':>12}"
    )
    for each in found:
        areas = "".join(f"{area(order, each.relevant, pages):14.3f}" for order in each.orders.values())
        name = each.topic.text + ("" if each.topic.tuning else " *")
        ratios = f"{each.ratio('breadth', pages):14.2f}{each.ratio('paper', pages):12.2f}"
        print(f"{name:30}{len(each.relevant):9}{areas}{ratios}")
    print("* not looked at until the constants were chosen")
    print(f"\nShare of the relevant pages that was found in the end, and answers until then (of {size:,})")
    for each in found:
        shares = (
            f"{len(each.relevant & set(order)) / len(each.relevant):.0%}, {len(order):,}"
            for order in each.orders.values()
        )
        print(f"{each.topic.text:39}" + "".join(f"{share:>14}" for share in shares))


def _print_means(found: list[Found], budgets: tuple[int, ...]) -> None:
    groups = {
        "tuning": [each for each in found if each.topic.tuning],
        "unseen": [each for each in found if not each.topic.tuning],
        "all": found,
    }
    print(
        f"\n{'topics':8}{'answers':>9}{'best':>8}{'breadth':>9}{'paper':>8}   best/breadth: of means, geometric, least"
    )
    for name, group in groups.items():
        for pages in budgets if group else ():
            best, breadth, paper = (
                fmean(each.area(way, pages) for each in group) for way in ("best", "breadth", "paper")
            )
            ratios = [each.ratio("breadth", pages) for each in group]
            of_means, geometric = best / breadth, geometric_mean(ratios)
            ahead = sum(each.area("best", pages) > each.area("paper", pages) for each in group)
            print(
                f"{name:8}{pages:9,}{best:8.3f}{breadth:9.3f}{paper:8.3f}{of_means:26.2f}{geometric:11.2f}{min(ratios):7.2f}"
                f"   bar {BAR}: {_verdict(min(of_means, geometric) >= BAR)};"
                f" above paper on {ahead} of {len(group)}: {_verdict(ahead == len(group))}"
            )


def _verdict(met: bool) -> str:
    return "met" if met else "MISSED"


def _keep(found: list[Found], budgets: tuple[int, ...]) -> None:
    areas = {
        each.topic.text: {
            way: [area(order, each.relevant, pages) for pages in budgets] for way, order in each.orders.items()
        }
        for each in found
    }
    OUT.mkdir(exist_ok=True)
    file = OUT / time.strftime("focus-%Y%m%d-%H%M%S.json")
    file.write_text(json.dumps({"budgets": budgets, "areas": areas}, indent=1))
