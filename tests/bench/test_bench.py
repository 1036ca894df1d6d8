"""The comparisons in bench/ still run: made small, and as far as they go without what requirements.lock does not hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = "124"  # that links reach in the made-up sets
SECONDS_MAX = 60


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What `scripts/bench` does once it has its environment."""
    command = [sys.executable, "-m", "bench", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS_MAX)


def skip_unless_run(output: str, name: str) -> None:
    """Report by name what the machine lacks."""
    for line in output.splitlines():
        if "not run: " in line and name in line:
            pytest.skip(line)


@pytest.fixture(scope="module")
def crawl() -> subprocess.CompletedProcess[str]:
    """One small comparison of whatever crawlers are here."""
    ran = bench("crawl", "--small")
    skip_unless_run(ran.stderr, "nginx")
    return ran


@pytest.mark.parametrize("name", ["halflife", "scrapy", "crawlee", "bare loop", "wget2"])
def test_every_crawler_has_every_page_once(crawl: subprocess.CompletedProcess[str], name: str) -> None:
    assert crawl.returncode == 0, crawl.stderr
    skip_unless_run(crawl.stdout, name)
    (row,) = [
        line for line in crawl.stdout.splitlines() if line.startswith(name) and "/" not in line and "'" not in line
    ]
    pages, missing, extra = row.removeprefix(name).split()[:3]
    assert (pages, missing, extra) == (PAGES, "0", "0"), crawl.stdout


def test_halflife_is_held_against_every_peer_that_ran(crawl: subprocess.CompletedProcess[str]) -> None:
    for name in ("scrapy", "crawlee", "bare loop", "wget2"):
        assert (f"not run: {name}" in crawl.stdout) != (f"halflife / {name}: " in crawl.stdout), crawl.stdout
    assert "halflife's peak memory: " in crawl.stdout


def test_profile_says_where_the_time_of_a_page_goes() -> None:
    ran = bench("crawl", "--profile", "--small")
    skip_unless_run(ran.stderr, "nginx")
    assert ran.returncode == 0, ran.stderr
    for stage in ("fetch", "read", "weigh", "WARC", "Parquet", "frontier", "messages", "a known link"):
        assert stage in ran.stdout


@pytest.mark.parametrize("name", ["frontier", "focus"])
def test_the_other_comparisons_run_small(name: str) -> None:
    ran = bench(name, "--small")
    skip_unless_run(ran.stdout + ran.stderr, "")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip()


def test_without_a_name_the_comparisons_are_listed() -> None:
    ran = bench()
    assert ran.returncode == 0
    assert [line.split()[0] for line in ran.stdout.splitlines()] == ["crawl", "frontier", "focus"]


def test_an_unknown_name_is_one_line_and_exit_code_2() -> None:
    ran = bench("crwal")
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert len(ran.stderr.splitlines()) == 1
    assert "crwal" in ran.stderr
