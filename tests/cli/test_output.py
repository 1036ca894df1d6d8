"""Where output goes and cannot go, and what is said when there is nothing to show: asked of real processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawling import command
from halflife.cli.crawl import GROUPS
from halflife.cli.options import as_size, duration, size
from halflife.littleweb import LittleWeb
from halflife.run.settings import DEFAULTS

HALFLIFE = [sys.executable, "-m", "halflife"]
DEAD = "http://127.0.0.1:9/"  # nobody listens there
FULL = Path("/dev/full")
SAYING = (
    ["pages", "STORE"], ["pages", "STORE", "--all", "--format", "jsonl"], ["skipped", "STORE"],
    ["why", "STORE", "SEED"], ["why", "STORE", "SEED", "--json"],
    ["--help"], ["--version"], ["crawl", "--help"], ["crawl", "--into", "STORE"],
)  # fmt: skip

needs_full = pytest.mark.skipif(not FULL.exists(), reason="no /dev/full on this system")


@pytest.fixture(autouse=True)
def as_for_users(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python holds output back until there is much of it, or the process ends: that is where writing fails then."""
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)


@pytest.fixture(scope="module")
def web() -> Iterator[LittleWeb]:
    with LittleWeb() as web:
        yield web


@pytest.fixture(scope="module")
def store(web: LittleWeb, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a few pages, whose budget is spent."""
    into = tmp_path_factory.mktemp("output") / "store"
    subprocess.run(command(web, into, "--quiet", "--pages", "12"), check=True, timeout=60, capture_output=True)
    return into


def words(asked: list[str], store: Path, web: LittleWeb) -> list[str]:
    """A command line with the names filled in; a crawl that goes on has nothing left to do."""
    named = {"STORE": str(store), "SEED": web.seeds[0]}
    more = ["--pages", "1"] if asked == ["crawl", "--into", "STORE"] else []
    return [*HALFLIFE, *(named.get(word, word) for word in asked), *more]


def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*HALFLIFE, *arguments], capture_output=True, text=True, timeout=60, check=False)


def one_line(run: subprocess.CompletedProcess[str], code: int = 2) -> str:
    """The one line that was said on standard error."""
    assert run.returncode == code, run
    lines = run.stderr.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("halflife: ")
    return lines[0]


def complaints(text: str) -> list[str]:
    """What stands on standard error, but for the note that a crawl goes on."""
    return [line for line in text.splitlines() if not line.startswith("going on with ")]


# -- output that goes nowhere ------------------------------------------------------------------------------------------


@needs_full
@pytest.mark.parametrize("asked", SAYING, ids=" ".join)
def test_a_full_disk_behind_standard_output_is_one_line(asked: list[str], store: Path, web: LittleWeb) -> None:
    with FULL.open("w") as full:
        run = subprocess.run(
            words(asked, store, web), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    assert run.returncode == 2
    (line,) = complaints(run.stderr)
    assert line.startswith("halflife: standard output: cannot be written (No space left on device); ")


@pytest.mark.parametrize("asked", SAYING, ids=" ".join)
def test_a_reader_who_has_gone_is_no_mistake(asked: list[str], store: Path, web: LittleWeb) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        run = subprocess.run(
            words(asked, store, web), stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60, check=False
        )
    finally:
        os.close(writing)
    assert (run.returncode, complaints(run.stderr)) == (0, [])


@pytest.mark.parametrize("asked", SAYING, ids=" ".join)
def test_standard_output_may_be_closed(asked: list[str], store: Path, web: LittleWeb) -> None:
    run = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *words(asked, store, web)],
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    assert (run.returncode, complaints(run.stderr)) == (0, [])


@needs_full
def test_events_that_cannot_be_written_end_the_crawl(web: LittleWeb, tmp_path: Path) -> None:
    with FULL.open("w") as full:
        run = subprocess.run(
            command(web, tmp_path / "store", "--events"),
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert "standard output: cannot be written" in one_line(run)


def test_events_that_nobody_reads_end_the_crawl_and_it_can_go_on(web: LittleWeb, tmp_path: Path) -> None:
    into = tmp_path / "store"
    process = subprocess.Popen(
        command(web, into, "--events"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(1) == b"{"
    process.stdout.close()
    said = process.stderr.read().decode()
    assert process.wait(60) == 1
    process.stderr.close()
    assert len(said.splitlines()) == 1
    assert f"halflife crawl --into {into} goes on" in said
    again = subprocess.run(command(web, into, "--events", "--pages", "5"), capture_output=True, timeout=60, check=False)
    assert again.returncode == 0
    assert json.loads(again.stdout.splitlines()[-1])["pages"] >= 5


@needs_full
@pytest.mark.parametrize("form", ["table", "csv", "jsonl", "parquet"])
@pytest.mark.parametrize("ask", [["pages"], ["skipped", "--list"]], ids=" ".join)
def test_a_full_disk_behind_a_file_is_about_that_file(ask: list[str], form: str, store: Path) -> None:
    line = one_line(ran(*ask, str(store), "--format", form, "--output", str(FULL)))
    assert line.startswith("halflife: /dev/full: cannot be written (No space left on device); ")
    assert "--output" in line
    assert FULL.exists()


def test_a_file_that_cannot_be_made_is_named(store: Path, tmp_path: Path) -> None:
    nowhere = str(tmp_path / "nowhere" / "a.parquet")
    for form in ("csv", "parquet"):
        assert nowhere in one_line(ran("pages", str(store), "--format", form, "--output", nowhere))


# -- nothing to show ---------------------------------------------------------------------------------------------------


def test_when_no_server_answers_the_closing_text_says_what_to_look_at(tmp_path: Path) -> None:
    run = ran("crawl", DEAD, "--topic", "solar", "--into", str(tmp_path / "store"), "--proxy", DEAD, "--delay", "0")
    assert run.returncode == 1
    assert "No server answered: 1 proxy (the proxy failed); look at" in run.stdout
    assert "halflife pages" not in run.stdout
    assert "halflife skipped" in run.stdout


@pytest.mark.parametrize("how", ["--quiet", "--events"])
def test_when_no_server_answers_one_line_says_so_also_when_it_is_quiet(how: str, tmp_path: Path) -> None:
    run = ran("crawl", DEAD, "--topic", "solar", "--into", str(tmp_path / "store"), "--delay", "0", how)
    assert "no server answered: 1 refused (nobody listens there)" in one_line(run, code=1)
    assert bool(run.stdout) == (how == "--events")


def test_quiet_still_warns_and_a_store_cut_off_says_when_its_pages_can_be_listed(
    web: LittleWeb, tmp_path: Path
) -> None:
    into = tmp_path / "store"
    process = subprocess.Popen(
        command(web, into, "--quiet", "--delay", "0.3"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
        text=True,
    )
    try:
        give_up = time.monotonic() + 30
        while not any(journal.stat().st_size for journal in into.glob("journals/*")):
            assert time.monotonic() < give_up
            assert process.poll() is None
            time.sleep(0.02)
        listed = ran("pages", str(into))
        process.send_signal(signal.SIGINT)
        errors = process.communicate(timeout=60)[1]
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    assert process.returncode == 130
    (warning,) = errors.splitlines()
    assert warning.startswith("stopping: ")
    assert "a crawl is under way" in one_line(listed, code=1)
    assert ran("pages", str(into), "--all").returncode == 0, "its first segment is complete now"


def test_a_list_that_matches_nothing_says_just_that(store: Path) -> None:
    assert one_line(ran("pages", str(store), "--host", "nowhere.example"), code=1) == "halflife: nothing to list"


# -- mistakes ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["skipped", "STORE", "--limit", "-5"], "--limit -5: must be 0 or more"),
        (["pages", "STORE", "--limit", "-1"], "--limit -1: must be 0 or more"),
        (["pages", "STORE", "--min-weight", "nan"], "--min-weight nan"),
        (["skipped", "STORE", "--limit", "many"], "'many' is no whole number"),
        (["crawl", DEAD, "--topic", "-nuclear", "--into", "new"], "is written --topic=-..."),
        (["crawl", "--into", "typo"], "typo: there is no store to go on with; give"),
    ],
)
def test_a_mistake_is_one_line_that_says_what_to_do(
    arguments: list[str], said: str, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in one_line(ran(*(str(store) if word == "STORE" else word for word in arguments)))
    assert list(tmp_path.iterdir()) == [], "a mistake leaves nothing behind"


def test_there_is_nothing_to_go_on_with_in_an_empty_folder(tmp_path: Path) -> None:
    assert "there is no store" in one_line(ran("crawl", "--into", str(tmp_path)))


def test_a_limit_lists_addresses_however_large_it_is(store: Path) -> None:
    listed = ran("skipped", str(store), "--list", "--format", "csv")
    assert len(listed.stdout.splitlines()) > 3
    assert ran("skipped", str(store), "--limit", "9" * 23, "--format", "csv").stdout == listed.stdout
    assert len(ran("skipped", str(store), "--limit", "2", "--format", "csv").stdout.splitlines()) == 3
    assert one_line(ran("skipped", str(store), "--limit", "0"), code=1) == "halflife: nothing to list"


# -- help --------------------------------------------------------------------------------------------------------------


def test_help_says_what_holds_where_an_option_is_not_given() -> None:
    text = " ".join(ran("crawl", "--help").stdout.split())
    for name in ("--pages ", "--bytes ", "--seconds ", "--depth ", "--pages-per-host "):
        about = text.partition(f" {name}")[2][:110]
        assert "(default 0: no limit)" in about, name
    assert "worker processes (default 0: one a core, less one)" in text
    assert "weigh more than this (default 20, with --paper 5)" in text
    assert "(default 20; 0: never)" in text
    assert "(default 64MB)" in text
    assert "(default 10s)" in text


def test_every_number_that_has_a_default_has_it_in_its_help() -> None:
    text = " ".join(ran("crawl", "--help").stdout.split())
    for options in GROUPS.values():
        for option in options:
            value: object = DEFAULTS
            for name in option.into.split("."):
                value = getattr(value, name, None)
            if option.value and isinstance(value, int | float):
                about = text.partition(f"{option.flag} {option.value} {option.help}")[2]
                typed = about.removeprefix(" (default ").partition(")")[0].split(";")[0].split(":")[0]
                read = option.read if option.read in (size, duration) else float
                assert read(typed) == value, option.flag


@pytest.mark.parametrize("count", [0, 1, 999, 1000, 1024, 64 * 1024, 64_000_000, 128_000_000, 10**12, 2**40, 1_500_000])
def test_sizes_are_shown_as_they_are_typed(count: int) -> None:
    assert size(as_size(count)) == count


def test_the_help_of_skipped_says_what_a_limit_does() -> None:
    assert "list addresses instead of counting them" in " ".join(ran("skipped", "--help").stdout.split())
