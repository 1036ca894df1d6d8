"""What is written for people is true: examples run, options exist, links lead somewhere, words are explained."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import halflife
from crawling import TOPIC, fetch_settings
from halflife.cli import COMMANDS, main
from halflife.cli.crawl import GROUPS
from halflife.fates import in_words
from halflife.littleweb import LittleWeb
from halflife.plan import TRAPS

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md")])
README = (ROOT / "README.md").read_text()
OURS = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
FENCED = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
OTHERS = {
    "--help",
    "--version",
    "--small",
    "--profile",
    "--only",
    "--rounds",
    "--table",
    "--install",
    "--topics",
}  # of scripts


def usage(capsys: pytest.CaptureFixture[str], command: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0
    return capsys.readouterr().out


def test_every_option_that_is_named_exists(capsys: pytest.CaptureFixture[str]) -> None:
    known = OTHERS.union(*(OURS.findall(usage(capsys, command)) for command in COMMANDS))
    for path in DOCUMENTS:
        unknown = set(OURS.findall(path.read_text())) - known
        assert not unknown, f"{path.name} names {sorted(unknown)}"


def test_help_names_every_command_and_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    overview = capsys.readouterr().out
    for command, about in COMMANDS.items():
        assert f"  {command}" in overview
        assert about in overview
        assert f"halflife {command}" in README
        assert usage(capsys, command).startswith(f"usage: halflife {command} ")


def test_help_of_crawl_names_every_option_and_fits_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    text = usage(capsys, "crawl")
    for options in GROUPS.values():
        for option in options:
            assert f"  {option.flag}" in text
    assert max(map(len, text.splitlines())) <= 120


def test_fates_name_options_that_exist(capsys: pytest.CaptureFixture[str]) -> None:
    known = set(OURS.findall(usage(capsys, "crawl")))
    for fate in ("parent_irrelevant", "starved", "robots", "guarded", "host_full", "too_deep", "excluded", *TRAPS):
        assert set(OURS.findall(in_words(fate))) <= known


def test_links_between_documents_lead_somewhere() -> None:
    for path in DOCUMENTS:
        for target in re.findall(r"\]\((?!https?:|mailto:|#)([^)#]+)", path.read_text()):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"


@pytest.mark.parametrize("text", [README, halflife.__doc__ or ""], ids=["README", "docstring"])
def test_the_example_in_python_runs(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = next((body for language, body in FENCED.findall(text) if language == "python"), text.partition("\n\n")[2])
    assert code.startswith("import halflife")
    assert len([line for line in code.splitlines() if line.strip()]) <= 6
    with LittleWeb() as web:
        settings = halflife.CrawlSettings

        def on_the_little_web(**given: Any) -> Any:
            assert given.pop("seeds") == ("https://example.org/",)
            return settings(seeds=(web.seeds[0],), fetch=fetch_settings(web), **given)

        monkeypatch.setattr(halflife, "CrawlSettings", on_the_little_web, raising=False)
        monkeypatch.chdir(tmp_path)
        exec(
            code.replace("https://example.org/", web.seeds[0]).replace(
                f'("{web.seeds[0]}",)', '("https://example.org/",)'
            )
        )
    printed = capsys.readouterr().out.splitlines()
    assert printed[-1] == "kept"
    assert len(printed) > 5
    weights = [float(line.split()[0]) for line in printed[:-1]]
    assert weights == sorted(weights, reverse=True)


def test_the_topic_of_the_examples_is_the_one_that_tests_use() -> None:
    assert TOPIC.strip('"') in README
