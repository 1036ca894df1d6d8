"""What a later run may change, what it may not, and what the user chose by name."""

from __future__ import annotations

import os
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from crawling import Crawling, command, served
from halflife import CrawlSettings, SettingError, pages, skipped, why
from halflife.errors import InputError
from halflife.littleweb import LittleWeb
from halflife.store import Folder, Frontier


def test_a_deeper_run_fetches_what_was_too_deep(crawling: Crawling, web: LittleWeb) -> None:
    seed = web.seeds[0]
    shallow = crawling(seeds=(seed,), scope="host", budget={"depth": 1})
    assert shallow.finished.fates["too_deep"] > 0
    same = crawling(seeds=(seed,), scope="host", budget={"depth": 1})
    assert same.finished.pages == shallow.finished.pages
    deep = crawling(seeds=(seed,), scope="host")
    assert "too_deep" not in deep.finished.fates
    web.reset()
    whole = crawling("whole", seeds=(seed,), scope="host")
    assert {row["url"] for row in pages(deep.into)} == {row["url"] for row in pages(whole.into)}


def test_looser_rules_revive_what_they_held_back(crawling: Crawling) -> None:
    tight = crawling()
    held = {"starved", "robots", "robots_unreachable", "guarded", "trap_facets"}
    assert held <= set(tight.finished.fates)
    loose = crawling(fetch={"robots": False, "allow_private": True}, traps_off=("all",), starve=0)
    assert not (held - {"guarded"}) & set(loose.finished.fates)
    assert loose.finished.pages > tight.finished.pages


def test_a_larger_share_for_hosts_revives_what_was_too_much(crawling: Crawling) -> None:
    tight = crawling(budget={"pages_per_host": 3})
    assert tight.finished.fates["host_full"] > 0
    loose = crawling()
    assert "host_full" not in loose.finished.fates
    assert loose.finished.kept > tight.finished.kept


def test_a_tighter_run_revives_nothing(crawling: Crawling) -> None:
    loose = crawling(budget={"pages_per_host": 5})
    tight = crawling(budget={"pages_per_host": 4})
    assert tight.finished.pages == loose.finished.pages


def test_where_a_seed_redirects_to_is_trusted_as_a_seed(crawling: Crawling, web: LittleWeb) -> None:
    """The usual case: the address that was typed redirects to the one with www, or with https."""
    with serving() as site:
        crawled = crawling(seeds=(f"{site}/old",), scope="host", tunnel=0)
        assert {row["url"] for row in pages(crawled.into)} == {f"{site}/solar"}
        assert why(crawled.into, f"{site}/").fate == "irrelevant"


@contextmanager
def serving() -> Iterator[str]:
    """A home page that is off the topic, an address that redirects to it, and one page that is worth having."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = {
                "/": b"<title>Home</title><a href=solar>more</a>",
                "/solar": b"<title>Solar energy</title>solar energy",
            }
            self.send_response(301 if self.path == "/old" else 200 if self.path in body else 404)
            if self.path == "/old":
                self.send_header("Location", "/")
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body.get(self.path, b""))

        def log_message(self, *_: object) -> None:
            """Nothing."""

    with served(Handler) as site:
        yield site


def test_a_setting_that_is_said_is_meant_though_it_is_the_default(crawling: Crawling) -> None:
    crawled = crawling(tunnel=0, scope="any", budget={"pages": 3})
    crawling(seeds=(), topic="", scope="site", budget={"pages": 4})  # left out: as it was begun
    with pytest.raises(SettingError, match="begun with tunnel 0, not 3"):
        crawling(tunnel=3, said=("tunnel",))
    with pytest.raises(SettingError, match="begun with scope 'any', not 'site'"):
        crawling(scope="site", said=("scope",))
    assert crawled.finished.pages == 3


def test_what_differs_is_named_and_nothing_else(crawling: Crawling) -> None:
    from halflife import WeightSettings

    crawling(budget={"pages": 1})
    with pytest.raises(SettingError, match=r"begun with threshold 20\.0, not 10\.0; leave it out") as raised:
        crawling(weight=WeightSettings(threshold=10.0))
    assert "w_title" not in str(raised.value)


def test_seeds_are_never_forgotten(crawling: Crawling, web: LittleWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = tuple(f"http://nobody.invalid/{number}" for number in range(100_001))
    seed = web.seeds[0]
    crawled = crawling(
        seeds=(*nowhere, seed),
        scope="host",
        budget={"pages": 4},
        fetch={"resolve": (*web.resolve, "nobody.invalid:127.0.0.1")},
    )
    assert seed in {row["url"] for row in pages(crawled.into, everything=True)}
    assert not [row for row in skipped(crawled.into, ["out_of_scope"]) if row["url"].startswith(seed)]
    monkeypatch.setattr("halflife.run.begin.SEEDS_MAX", 100_002)
    with pytest.raises(InputError, match="100,003 seeds: at most 100,002 go into one store"):
        crawling(seeds=("http://one.more.invalid/",), scope="host")


def test_a_text_is_no_list_of_seeds() -> None:
    with pytest.raises(SettingError, match="not several addresses"):
        CrawlSettings(seeds="http://example.org/", topic="solar").checked()  # type: ignore[arg-type]


def test_a_number_is_a_number() -> None:
    from halflife import Budget

    with pytest.raises(SettingError, match="--pages '3': must be a number"):
        CrawlSettings(topic="solar", budget=Budget(pages="3")).checked()  # type: ignore[arg-type]


def test_a_polite_kill_of_the_whole_group_ends_cleanly(web: LittleWeb, tmp_path: Path) -> None:
    into = tmp_path / "store"
    with subprocess.Popen(
        command(web, into, "--events", "--delay", "0.05"),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        visited = 0
        for line in process.stdout:
            visited += '"visited"' in line
            if visited == 8:
                os.killpg(process.pid, signal.SIGTERM)
                break
        rest, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "died" not in rest + errors
    assert Folder(into).journals() == []
    frontier = Frontier(Folder(into).frontier, read_only=True)
    assert frontier.waiting > 0
    frontier.close(commit=False)
    assert max(Counter(row["url"] for row in pages(into, everything=True)).values()) == 1
