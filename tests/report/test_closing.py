"""What is said while a crawl goes on and when it is over."""

from __future__ import annotations

import msgspec
import pytest

from halflife.events import Finished, Progress
from halflife.fates import FAILED, FETCHED, SKIPPED, in_words, is_skip
from halflife.records import Explained, Kind, Step
from halflife.report import closing_lines, is_unanswered, progress_line, unanswered, why_lines
from halflife.store.frontier import SOFT

PROGRESS = Progress(
    seconds=65.0, pages=1234, kept=50, judged=200, failed=3, wire_bytes=5_000_000, waiting=99, skipped=7, active_sites=4,
    pages_per_second=12.3, bytes_per_second=40_000.0, left="766 pages",
)  # fmt: skip
FINISHED = Finished(
    into="my solar", reason="pages", seconds=3.2, pages=10, kept=4, judged=8, failed=1, wire_bytes=4096, waiting=5, skipped=2,
    fates={"kept": 4, "irrelevant": 4, "waiting": 5, "robots": 2, "dns": 1, "trap_calendar": 1, "http_404": 1},
)  # fmt: skip


def test_the_progress_line_says_it_all() -> None:
    line = progress_line(PROGRESS)
    for part in (
        "1,234 pages",
        "5.0 MB",
        "12.3 pages/s",
        "kept 50 (25%)",
        "4 sites active",
        "99 waiting",
        "766 pages left",
    ):
        assert part in line


def test_the_closing_lines_say_what_to_type_next() -> None:
    text = "\n".join(closing_lines(FINISHED))
    assert "halflife pages 'my solar'" in text
    assert "halflife skipped 'my solar'" in text
    assert "halflife crawl --into 'my solar'" in text
    assert "50% of 8 weighed" in text
    order = [text.index(name) for name in ("kept", "http_404", "robots", "waiting")]
    assert order == sorted(order)


def test_one_of_a_thing_is_said_in_the_singular() -> None:
    line = progress_line(msgspec.structs.replace(PROGRESS, pages=1, active_sites=1))
    assert line.startswith("1 page  ")
    assert "1 site active" in line
    text = "\n".join(closing_lines(msgspec.structs.replace(FINISHED, pages=1, kept=1, waiting=1)))
    assert "1 answer, " in text
    assert "1 page kept" in text
    assert "1 address waits" in text


def test_when_no_server_answered_the_commonest_failures_are_named() -> None:
    fates = {"refused": 2, "dns": 9, "tls": 1, "proxy": 4, "robots": 1, "waiting": 3}
    finished = msgspec.structs.replace(
        FINISHED, pages=0, kept=0, judged=0, waiting=3, fates=fates, attempted_this_run=True
    )
    assert is_unanswered(finished)
    said = unanswered(finished)
    order = [
        said.index(words) for words in ("no server answered", "9 dns (", "4 proxy (", "2 refused (", "3 addresses wait")
    ]
    assert order == sorted(order)
    assert "tls" not in said
    text = "\n".join(closing_lines(finished))
    assert f"N{said[1:]}." in text
    assert "halflife pages" not in text
    assert "Next:    halflife skipped" in text


def test_nothing_asked_for_is_not_laid_at_the_door_of_the_servers() -> None:
    finished = msgspec.structs.replace(FINISHED, fates={"robots": 1}, attempted_this_run=True, waiting=0)
    assert unanswered(finished).startswith("nothing could be asked for: 1 robots (robots.txt forbids it); ")
    assert unanswered(msgspec.structs.replace(finished, fates={})).startswith("no server answered; ")
    for tried, answered in ((False, False), (True, True)):
        assert not is_unanswered(
            msgspec.structs.replace(finished, attempted_this_run=tried, answered_this_run=answered)
        )


@pytest.mark.parametrize(
    ("fate", "said"),
    [
        *((name, "fetched 1970") for name in [*FETCHED, "http_404"]),
        *((name, "last tried 1970") for name in [*FAILED, "robots", "guarded", "bad_address", "waiting"]),
    ],
)
def test_only_what_was_fetched_is_called_fetched(fate: str, said: str) -> None:
    line = why_lines(Explained(url="https://example.org/", fate=fate, at=1.0, depth=1))[2]
    assert line == f"  {said}-01-01 00:00:01 UTC, 1 link from a seed"


def test_what_waits_has_a_place_in_the_queue() -> None:
    line = why_lines(Explained(url="https://example.org/", fate="waiting", rank=7, depth=2))[2]
    assert line == "  rank 7 of 65535 in its site's queue (0 is the best), 2 links from a seed"


def test_every_fate_has_words() -> None:
    for name in [*SKIPPED, *FETCHED, *FAILED, *(kind.value for kind in Kind), *SOFT]:
        assert in_words(name) != name
    assert in_words("http_503") == "its server answered 503"
    assert "--trap-off calendar" in in_words("trap_calendar")
    assert is_skip("trap_calendar")
    assert not is_skip("kept")


def test_an_address_nobody_saw_is_explained_too() -> None:
    assert "never discovered" in "\n".join(why_lines(Explained(url="https://example.org/")))


def test_the_way_and_the_parts_are_shown_and_harmless() -> None:
    explained = Explained(
        url="https://example.org/a",
        fate="kept",
        at=1.0,
        way=[
            Step("https://example.org/", "seed", "", "irrelevant"),
            Step("https://example.org/a", "link", "so\x1b[1mlar", "kept"),
        ],
        weight={
            "kept": True, "total": 7.5, "threshold": 5.0, "method": "default", "version": 1, "part_title": 5.0,
            "part_body": 2.5, "part_url": 0.0, "evidence": [("solar", 7.5)],
        },
        linked_from=[{"from_url": "https://example.org/", "anchor": "solar"}],
    )  # fmt: skip
    text = "\n".join(why_lines(explained))
    assert "Weight 7.5 > 5 (threshold)" in text
    assert "\x1b" not in text
    assert "by term: solar 7.5" in text
    assert text.index("https://example.org/  [irrelevant]  seed") < text.index("linked from the one above")
