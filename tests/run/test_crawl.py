"""Whole crawls of the little web, with real sockets and real processes."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from crawling import Crawled, Crawling
from halflife import pages, skipped, why
from halflife.events import Finished, Progress, Started, Visited
from halflife.littleweb import LittleWeb
from halflife.store import Folder, Frontier


def fates(crawled: Crawled) -> dict[str, str]:
    """What became of every address."""
    frontier = Frontier(Folder(crawled.into).frontier, read_only=True)
    try:
        return {fate.url: fate.fate for fate in frontier.fates(list(frontier.counts))}
    finally:
        frontier.close(commit=False)


EXPLAINED_OF_A_FATE = 8  # each asks three tables


def asked(web: LittleWeb) -> Counter[str]:
    """How often each address was asked for, robots.txt, and where it redirects to, aside."""
    return Counter(web.url(visit.host, visit.path) for visit in web.visits if not visit.path.startswith("/robots"))


@pytest.fixture(scope="session")
def whole(one_web: LittleWeb, tmp_path_factory: pytest.TempPathFactory) -> tuple[Crawled, Counter[str]]:
    """One crawl of everything, and what the servers saw of it."""
    from crawling import TOPIC, fetch_settings
    from halflife import Budget, CrawlSettings, crawl
    from halflife.events import Event

    one_web.reset()
    into = tmp_path_factory.mktemp("whole") / "store"
    events: list[Event] = []
    settings = CrawlSettings(
        seeds=tuple(one_web.seeds),
        topic=TOPIC,
        scope="any",
        workers=1,
        budget=Budget(seconds=90.0),
        fetch=fetch_settings(one_web),
    )
    return Crawled(into, crawl(settings, into, events.append), events), asked(one_web)


def test_it_ends_by_itself_and_keeps_what_is_on_the_topic(
    whole: tuple[Crawled, Counter[str]], one_web: LittleWeb
) -> None:
    crawled, _ = whole
    assert crawled.finished.reason == "exhausted"
    kept = {row["url"] for row in pages(crawled.into)}
    relevant = one_web.relevant()
    assert len(kept & relevant) >= 0.9 * len(relevant)
    assert len(kept & relevant) >= 0.8 * len(kept)


def test_nothing_is_asked_for_twice_but_what_may_pass(whole: tuple[Crawled, Counter[str]]) -> None:
    crawled, seen = whole
    known = fates(crawled)
    retried = {"http_429", "http_500", "http_503", "dropped", "first_byte_timeout", "answer_timeout"}
    twice = {url: count for url, count in seen.items() if count > 1 and known.get(url) not in retried}
    # busy.example turns some away at first: those are asked for again, and only those.
    assert {urlsplit(url).hostname for url in twice} <= {"busy.example"}


def test_every_answer_is_accounted_for(whole: tuple[Crawled, Counter[str]]) -> None:
    crawled, seen = whole
    finished = crawled.finished
    assert finished.pages == sum(seen.values())
    assert finished.fates["kept"] == finished.kept == len(list(pages(crawled.into)))
    assert finished.waiting == 0
    assert sum(finished.fates.values()) == len(fates(crawled))


@pytest.mark.parametrize(
    ("host", "fate"),
    [
        ("private.example", "robots"),
        ("brokenrobots.example", "robots_unreachable"),
        ("169.254.169.254", "guarded"),
        ("127.0.0.1", "guarded"),
        ("ring.example", "redirect_loop"),
        ("ring.example", "too_many_redirects"),
        ("gone.example", "http_404"),
    ],
)
def test_what_is_wrong_with_the_web_is_a_fate(whole: tuple[Crawled, Counter[str]], host: str, fate: str) -> None:
    crawled, _ = whole
    found = {name for url, name in fates(crawled).items() if urlsplit(url).hostname == host}
    assert fate in found


def test_a_robots_txt_is_told_by_another_word_than_what_it_forbids(whole: tuple[Crawled, Counter[str]]) -> None:
    told = {event.url: event.fate for event in whole[0].events if isinstance(event, Visited)}
    assert {fate for url, fate in told.items() if url.endswith("/robots.txt")} == {"robots_txt"}
    assert {urlsplit(url).path for url, fate in told.items() if fate == "robots_txt"} <= {
        "/robots.txt",
        "/robots-for-all.txt",
    }


def test_robots_are_obeyed(whole: tuple[Crawled, Counter[str]]) -> None:
    _, seen = whole
    hosts = {urlsplit(url).hostname for url in seen}
    assert "brokenrobots.example" not in hosts
    assert "private.example" in hosts
    forbidden = [url for url, fate in fates(whole[0]).items() if fate == "robots"]
    assert forbidden
    assert not set(forbidden) & set(seen)


def test_traps_have_an_end(whole: tuple[Crawled, Counter[str]]) -> None:
    crawled, _ = whole
    assert {name for name in crawled.finished.fates if name.startswith("trap_")}


def test_events_tell_the_story(whole: tuple[Crawled, Counter[str]]) -> None:
    crawled, seen = whole
    assert isinstance(crawled.events[0], Started)
    assert isinstance(crawled.events[-1], Finished)
    visited = [event for event in crawled.events if isinstance(event, Visited)]
    assert Counter(event.url for event in visited if event.url in seen) == seen
    assert any(isinstance(event, Progress) for event in crawled.events)


def test_every_address_can_be_explained(whole: tuple[Crawled, Counter[str]]) -> None:
    from halflife.report import why_lines

    crawled, _ = whole
    met: Counter[str] = Counter()
    for url, fate in fates(crawled).items():
        met[fate] += 1
        if met[fate] > EXPLAINED_OF_A_FATE:
            continue
        explained = why(crawled.into, url)
        assert explained.fate == fate
        assert explained.way[0].why == "seed"
        assert explained.way[-1].url == url
        assert len(why_lines(explained)) >= 4
    kept = next(iter(pages(crawled.into)))
    explained = why(crawled.into, kept["url"])
    assert explained.weight is not None
    parts = sum(value for name, value in explained.weight.items() if name.startswith("part_"))
    assert parts == pytest.approx(explained.weight["total"])
    assert explained.visits


def test_an_address_nobody_saw_has_no_fate(whole: tuple[Crawled, Counter[str]]) -> None:
    assert why(whole[0].into, "https://never.example/").fate == ""


def test_skipped_lists_what_gave_no_page(whole: tuple[Crawled, Counter[str]]) -> None:
    crawled, seen = whole
    rows = list(skipped(crawled.into))
    assert {row["reason"] for row in rows} >= {"robots", "guarded", "parent_irrelevant"}
    assert len(list(skipped(crawled.into, ["robots"]))) == crawled.finished.fates["robots"]
    assert len(list(islice(skipped(crawled.into, limit=3), 9))) == 3
    assert not {row["url"] for row in rows if row["reason"] in ("robots", "guarded")} & set(seen)


# -- budgets, scope, order ---------------------------------------------------------------------------------------------


def test_the_budget_of_pages_is_kept_to_the_page(crawling: Crawling, web: LittleWeb) -> None:
    crawled = crawling(budget={"pages": 17})
    assert crawled.finished.reason == "pages"
    assert crawled.finished.pages == 17 == sum(asked(web).values())


def test_the_budget_of_bytes_counts_the_wire(crawling: Crawling) -> None:
    crawled = crawling(budget={"bytes": 60_000})
    assert crawled.finished.reason == "bytes"
    assert crawled.finished.wire_bytes >= 60_000
    visited = [event for event in crawled.events if isinstance(event, Visited)]
    assert sum(event.wire_bytes for event in visited) == crawled.finished.wire_bytes


def test_depth_and_pages_a_host(crawling: Crawling, web: LittleWeb) -> None:
    crawled = crawling(budget={"depth": 1, "pages_per_host": 4})
    visited = [event for event in crawled.events if isinstance(event, Visited)]
    assert max(event.depth for event in visited) <= 1
    assert max(Counter(visit.host for visit in web.visits if visit.path != "/robots.txt").values()) <= 4 + 1
    assert {"too_deep", "host_full"} <= set(crawled.finished.fates)


def test_scope_host_stays_on_the_hosts_of_the_seeds(crawling: Crawling, web: LittleWeb) -> None:
    seed = web.seeds[0]
    crawled = crawling(seeds=(seed,), scope="host")
    assert {visit.host for visit in web.visits} == {urlsplit(seed).hostname}
    assert crawled.finished.fates["out_of_scope"] > 0


def test_include_and_exclude(crawling: Crawling, web: LittleWeb) -> None:
    seed = web.seeds[0]
    everything = crawling("a", seeds=(seed,), scope="host", tunnel=9)
    web.reset()
    some = crawling("b", seeds=(seed,), scope="host", tunnel=9, exclude=(r"/guides?/",))
    assert some.finished.pages < everything.finished.pages
    assert not [url for url in asked(web) if "/guide/" in url or "/guides/" in url]
    web.reset()
    crawling("c", seeds=(seed,), scope="host", tunnel=9, include=(r"^[^?]*$",))
    assert not [url for url in asked(web) if "?" in url]


def test_best_first_finds_relevant_pages_sooner(crawling: Crawling, web: LittleWeb) -> None:
    best = crawling("best", budget={"pages": 60})
    web.reset()
    breadth = crawling("breadth", budget={"pages": 60}, order="breadth")
    relevant = web.relevant()
    found = [len({row["url"] for row in pages(crawled.into)} & relevant) for crawled in (best, breadth)]
    assert found[0] > found[1]


def test_paper_mode_is_the_published_rule(crawling: Crawling, web: LittleWeb) -> None:
    from halflife import PaperSettings

    settings = PaperSettings(w_url=3.0, w_title=2.0, w_body=0.5, w_out=0.25, threshold=4.0)
    crawled = crawling(method="paper", paper=settings)
    rows = [row for row in pages(crawled.into, everything=True) if row["weight"] is not None]
    assert rows
    for row in rows:
        assert row["method"] == "paper"
        assert row["part_url"] in (0.0, 3.0)
        assert row["part_title"] in (0.0, 2.0)
        assert row["weight"] == pytest.approx(sum(row[f"part_{name}"] for name in ("url", "title", "body", "out")))
    # The links of irrelevant pages are discarded: whatever was fetched was a seed, or was found on a page that counts.
    frontier = Frontier(Folder(crawled.into).frontier, read_only=True)
    weights = {row["url"]: row["weight"] for row in rows}
    try:
        for url in weights:
            fate = frontier.fate(url)
            assert fate is not None
            if fate.via in weights and fate.why == "link":
                assert weights[fate.via] > 4.0
    finally:
        frontier.close(commit=False)


# -- going on ----------------------------------------------------------------------------------------------------------


def test_the_same_command_goes_on(crawling: Crawling, web: LittleWeb) -> None:
    first = crawling(budget={"pages": 20})
    second = crawling(budget={"pages": 45})
    assert isinstance(second.events[0], Started)
    assert second.events[0].resumed
    assert (first.finished.pages, second.finished.pages) == (20, 45)
    twice = {url for url, count in asked(web).items() if count > 1}
    assert {urlsplit(url).hostname for url in twice} <= {"busy.example"}


def test_going_on_needs_neither_seeds_nor_topic(crawling: Crawling) -> None:
    crawling(budget={"pages": 10})
    more = crawling(seeds=(), topic="", scope="site", budget={"pages": 15})
    assert more.finished.pages == 15


def test_a_finished_crawl_has_nothing_left_to_do(crawling: Crawling, web: LittleWeb) -> None:
    seed = web.seeds[0]
    crawling(seeds=(seed,), scope="host")
    web.reset()
    again = crawling(seeds=(seed,), scope="host")
    assert again.finished.reason == "exhausted"
    assert web.visits == []


def test_two_workers_keep_what_one_keeps(crawling: Crawling, whole: tuple[Crawled, Counter[str]]) -> None:
    two = crawling(workers=2)
    assert {row["url"] for row in pages(two.into)} == {row["url"] for row in pages(whole[0].into)}


def test_a_public_seed_does_not_open_the_private_net(crawling: Crawling, web: LittleWeb) -> None:
    crawled = crawling()
    assert {fate for url, fate in fates(crawled).items() if "169.254" in url} == {"guarded"}
    allowed = crawling("allowed", fetch={"allow_private": True})
    assert "guarded" not in {fate for url, fate in fates(allowed).items() if "127.0.0.1:" in url}


def test_a_store_reads_without_halflife(whole: tuple[Crawled, Counter[str]]) -> None:
    import duckdb
    from warcio.archiveiterator import ArchiveIterator

    crawled, seen = whole
    warcs = sorted(Path(crawled.into).rglob("*.warc.gz"))
    responses: Counter[str] = Counter()
    for path in warcs:
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests="raise"):
                if record.rec_type in ("response", "revisit"):
                    responses[record.rec_headers.get_header("WARC-Target-URI")] += 1
                    record.raw_stream.read()  # its digest is checked as it is read
    assert {url: count for url, count in responses.items() if "/robots" not in url} == dict(seen)
    tables = sorted(str(path) for path in Path(crawled.into).rglob("*weights*.parquet"))
    with duckdb.connect() as database:
        row = database.execute(f"SELECT count(*) FROM read_parquet({tables}) WHERE kept").fetchone()
    assert row is not None
    assert row[0] >= crawled.finished.kept
