"""What is said while a crawl goes on and when it is over."""

from __future__ import annotations

from halflife.events import Finished, Progress
from halflife.fates import FAILED, FETCHED, SKIPPED, in_words, is_skip
from halflife.records import Explained, Kind, Step
from halflife.report import closing_lines, progress_line, why_lines
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
