"""Origins and sites: their numbers, what was fetched from them, their robots.txt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halflife.store import hosts as hosts_module
from halflife.store.database import Database
from halflife.store.hosts import Hosts
from halflife.urls import origin, site

URLS = [
    "http://a.example.co.uk/x", "http://b.example.co.uk/", "https://a.example.co.uk/", "http://a.example.co.uk:81/",
    "http://example.org/", "http://192.0.2.7/", "http://192.0.2.7:81/y", "http://[2001:db8::1]/", "http://localhost:8000/",
]  # fmt: skip


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "f")
    yield database
    database.close()


def numbers(hosts: Hosts, url: str) -> tuple[int, int]:
    return hosts.numbers(origin(url), url)


def test_origins_are_told_apart_and_share_their_sites(db: Database) -> None:
    hosts = Hosts(db)
    found = {url: numbers(hosts, url) for url in URLS}
    assert len({host for host, _ in found.values()}) == len({origin(url) for url in URLS}) == 9
    for one in URLS:
        for other in URLS:
            assert (found[one][1] == found[other][1]) == (site(one) == site(other)), (one, other)


def test_numbers_outlast_the_memory_and_the_process(db: Database) -> None:
    first = {url: numbers(Hosts(db), url) for url in URLS}
    db.commit()
    again = Database(db.path, read_only=True)
    assert {url: numbers(Hosts(again), url) for url in URLS} == first
    again.close()


def test_the_memory_of_names_is_bounded_and_forgets_nothing_else(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts_module, "NAMES_CACHED", 2)
    hosts = Hosts(db)
    first = [numbers(hosts, url) for url in URLS]
    assert [numbers(hosts, url) for url in URLS] == first
    assert len(hosts._numbers) <= 2


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(URLS), st.just("save")), max_size=30))
def test_pages_are_counted_by_origin_saved_or_not(steps: list[str]) -> None:
    db = Database(Path(":memory:"))
    hosts = Hosts(db)
    for step in steps:
        if step == "save":
            hosts.save()
        else:
            hosts.count_fetched(origin(step))
    expected = {url: sum(step != "save" and origin(step) == origin(url) for step in steps) for url in URLS}
    assert {url: hosts.fetched(origin(url)) for url in URLS} == expected
    hosts.save()
    hosts.save()  # a second one adds nothing
    assert {url: Hosts(db).fetched(origin(url)) for url in URLS} == expected
    db.close()


def test_of_unknown_origins_nothing_is_known(db: Database) -> None:
    hosts = Hosts(db)
    assert hosts.fetched("http://nobody.example") == 0
    assert hosts.robots("http://nobody.example") is None
    assert db.rows("SELECT * FROM hosts") == []  # asking makes none


def test_the_last_robots_txt_is_kept_one_for_each_origin(db: Database) -> None:
    hosts = Hosts(db)
    for blob in (b"old", b"", b"\0new"):
        hosts.keep_robots("http://a.example", blob)
        assert hosts.robots("http://a.example") == blob
    assert hosts.robots("https://a.example") is None
    hosts.keep_robots("https://a.example", b"other")
    assert (hosts.robots("http://a.example"), hosts.robots("https://a.example")) == (b"\0new", b"other")
