"""Bad input costs one line on stderr - what, where, what to do - and exit code 2, never a trace."""

from __future__ import annotations

import io
import json
import os
import resource
import subprocess
import sys
from contextlib import redirect_stderr
from pathlib import Path

import pytest

from halflife.cli import main
from halflife.store import Folder

SEED = "http://127.0.0.1:9/"  # nobody listens there, and nobody needs to
TOPIC = ["--topic", "solar"]


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a mistake gets."""
    assert main(list(arguments)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("halflife: ")
    return lines[0]


def begun(into: Path) -> Path:
    """A store that was begun properly."""
    with redirect_stderr(io.StringIO()):  # it says that no server answered
        assert main(["crawl", SEED, *TOPIC, "--into", str(into), "--quiet", "--seconds", "1"]) in (0, 1)
    return into


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["crawl", "http://[1:2/", *TOPIC], ("http://[1:2/", "https://example.org/")),
        (["crawl", "ftp://example.org/", *TOPIC], ("ftp", "https://example.org/")),
        (["crawl", "no-such-file.txt", *TOPIC], ("no-such-file.txt", "no such file")),
        (["crawl", SEED], ("--topic",)),
        (["crawl", SEED, "--topic", "  "], ("--topic",)),
        (["crawl", SEED, "--topic", '"solar'], ("quotation mark",)),
        (["crawl", SEED, "--topic=-solar"], ("no word to look for",)),
        (["crawl", *TOPIC], ("no seed",)),
        (["crawl", SEED, *TOPIC, "--scope", "galaxy"], ("galaxy", "site", "prefix")),
        (["crawl", SEED, *TOPIC, "--order", "worst"], ("worst", "best", "breadth")),
        (["crawl", SEED, *TOPIC, "--exclude", "a("], ("--exclude", "a(")),
        (["crawl", SEED, *TOPIC, "--include", "[z-a]"], ("--include", "[z-a]")),
        (["crawl", SEED, *TOPIC, "--pages", "-1"], ("--pages", "0 or more")),
        (["crawl", SEED, *TOPIC, "--bytes", "lots"], ("--bytes", "lots")),
        (["crawl", SEED, *TOPIC, "--trap-off", "mouse"], ("mouse", "calendar")),
        (["crawl", SEED, *TOPIC, "--resolve", "nonsense"], ("--resolve", "HOST:ADDR")),
        (["crawl", SEED, *TOPIC, "--header", "X: a\r\nEvil: b"], ("--header",)),
        (["crawl", SEED, *TOPIC, "--header", "Host: elsewhere"], ("--header", "Host")),
        (["crawl", SEED, *TOPIC, "--proxy", "gopher://x"], ("--proxy",)),
        (["crawl", SEED, *TOPIC, "--delay", "-3"], ("--delay",)),
        (["crawl", SEED, *TOPIC, "--per-host", "0"], ("--per-host",)),
        (["crawl", SEED, *TOPIC, "--threshold", "nan"], ("threshold",)),
        (["crawl", SEED, *TOPIC, "--ca-file", "no-such.pem"], ("--ca-file", "no-such.pem")),
        (["crawl", SEED, *TOPIC, "--nonsense"], ("--nonsense", "--help")),
        (["crawl", SEED, *TOPIC, "--pages", "9" * 23], ("--pages", "or less")),
        (["crawl", SEED, *TOPIC, "--bytes", f"{'9' * 23}TB"], ("--bytes", "or less")),
        (["crawl", SEED, *TOPIC, "--page-bytes", f"{'9' * 23}TB"], ("--page-bytes", "or less")),
        (["crawl", SEED, *TOPIC, "--depth", "9" * 23], ("--depth", "or less")),
        (["crawl", SEED, *TOPIC, "--redirects", "9" * 23], ("--redirects", "or less")),
        (["crawl", SEED, *TOPIC, "--workers", "100000"], ("--workers", "128")),
        (["crawl", SEED, *TOPIC, "--reading-timeout", "0"], ("--reading-timeout", "0.1")),
        (["crawl", SEED, *TOPIC, "--paper", "--tunnel", "3"], ("--tunnel", "--paper")),
        (["crawl", "", *TOPIC], ("empty seed",)),
        (["fly"], ("fly", "--help")),
    ],
)
def test_a_mistake_on_the_command_line(
    arguments: list[str], words: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    into = ["--into", str(tmp_path / "store")] if arguments[0] == "crawl" else []
    line = said(capsys, *arguments, *into)
    for word in words:
        assert word in line
    assert not (tmp_path / "store").exists(), "a mistake leaves nothing behind"


def test_crawl_needs_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--into" in said(capsys, "crawl", SEED, *TOPIC)


def test_a_bad_line_in_a_file_of_seeds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text("# mine\nhttps://example.org/\n\nhttp://exa mple.org/\n")
    line = said(capsys, "crawl", str(seeds), *TOPIC, "--into", str(tmp_path / "store"))
    assert f"{seeds}, line 4" in line
    assert "http://exa mple.org/" in line


@pytest.mark.parametrize(
    ("data", "words"), [(b"\x7fELF\0\1", "binary"), (b"https://example.org/\nhttps://x.example/\xff\n", "line 2")]
)
def test_a_file_of_seeds_that_is_no_text(
    data: bytes, words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_bytes(data)
    assert words in said(capsys, "crawl", str(seeds), *TOPIC, "--into", str(tmp_path / "store"))


def test_a_folder_as_a_seed_and_a_file_without_addresses(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "folder" in said(capsys, "crawl", str(tmp_path), *TOPIC, "--into", str(tmp_path / "store"))
    empty = tmp_path / "sitemap.xml"
    empty.write_text("<?xml version='1.0'?><urlset></urlset>")
    assert "no address" in said(capsys, "crawl", str(empty), *TOPIC, "--into", str(tmp_path / "store"))


@pytest.mark.parametrize("ask", [["pages"], ["skipped"], ["why", SEED], ["crawl"]])
def test_a_folder_that_is_no_store(ask: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "holiday.jpg").write_bytes(b"not ours")
    arguments = (
        ["crawl", SEED, *TOPIC, "--into", str(tmp_path)] if ask == ["crawl"] else [ask[0], str(tmp_path), *ask[1:]]
    )
    line = said(capsys, *arguments)
    assert str(tmp_path) in line
    assert (tmp_path / "holiday.jpg").read_bytes() == b"not ours"


@pytest.mark.parametrize("ask", [["pages"], ["skipped"], ["why", SEED]])
def test_a_folder_that_is_not_there(ask: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "nowhere" in said(capsys, ask[0], str(tmp_path / "nowhere"), *ask[1:])


def test_a_store_of_a_newer_version(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    into = begun(tmp_path / "store")
    settings = into / "halflife.json"
    made = json.loads(settings.read_text())
    made["format"] += 1
    settings.write_text(json.dumps(made))
    assert "newer" in said(capsys, "crawl", "--into", str(into))
    assert "newer" in said(capsys, "pages", str(into))


def test_a_store_that_another_run_holds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    into = begun(tmp_path / "store")
    folder = Folder(into)
    folder.lock()
    try:
        line = said(capsys, "crawl", "--into", str(into))
        assert str(os.getpid()) in line
    finally:
        folder.unlock()


def test_a_store_begun_with_another_topic(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    into = begun(tmp_path / "store")
    line = said(capsys, "crawl", SEED, "--topic", "wind", "--into", str(into))
    assert "solar" in line
    assert "--into" in line


@pytest.mark.parametrize("name", ["halflife.json", "frontier.sqlite"])
@pytest.mark.parametrize("left", [0, 40])
def test_a_store_file_cut_short(name: str, left: int, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    into = begun(tmp_path / "store")
    path = into / name
    path.write_bytes(path.read_bytes()[:left])
    assert name in said(capsys, "crawl", "--into", str(into))


def test_a_full_disk(tmp_path: Path) -> None:
    # A limit on the size of files stands in for the end of the disk: the system calls fail in the same places.
    def small() -> None:
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    run = subprocess.run(
        [sys.executable, "-m", "halflife", "crawl", SEED, *TOPIC, "--into", str(tmp_path / "store"), "--quiet"],
        preexec_fn=small,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert run.returncode == 2
    assert len(run.stderr.splitlines()) == 1, run.stderr
    assert "Traceback" not in run.stderr


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    from halflife import __version__

    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith(f"halflife {__version__} (pages are walked in ")
    assert main(["--help"]) == 0
    assert "crawl" in capsys.readouterr().out
    assert main([]) == 2
    for name in ("crawl", "pages", "why", "skipped", "demo"):
        with pytest.raises(SystemExit) as left:
            main([name, "--help"])
        assert left.value.code == 0


def test_help_needs_nothing_heavy() -> None:
    # Start-up time is not asserted; what makes it long is.
    code = (
        "import sys; from halflife.cli import main; main(['--help']);"
        "heavy = {'duckdb', 'pyarrow', 'aiodns', 'uvloop', 'rich', 'selectolax', 'sqlite3', 'asyncio'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.splitlines()[-1] == "[]"
