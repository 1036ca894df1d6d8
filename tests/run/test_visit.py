"""Which links a worker passes on: what it remembers spares work, and loses nothing."""

from __future__ import annotations

from html import escape

from hypothesis import given, settings
from hypothesis import strategies as st

from halflife import CrawlSettings
from halflife.judge import link_shares
from halflife.records import Answer, Fetch, Target, Why
from halflife.run.known import Known
from halflife.run.visit import WORSE, Visit, Visitor

HOST = "http://h.example"
PATHS = ("/", "/solar", "/wind", "/energy/a", "/b.pdf")
WORDS = ("", "here", "Solar", "solar energy", "wind")
HTML = (("content-type", "text/html"),)

links = st.lists(st.tuples(st.sampled_from(PATHS), st.sampled_from(WORDS)), max_size=8)
# The title, the links, and how many irrelevant pages led there.
pages = st.lists(st.tuples(st.sampled_from(("Solar energy", "Wind")), links, st.integers(0, 3)), max_size=8)


def visited(visitor: Visitor, number: int, title: str, linked: list[tuple[str, str]], tunnel: int) -> Visit:
    anchors = "".join(f'<p><a href="{path}">{escape(words)}</a>' for path, words in linked)
    body = f"<title>{title}</title><body>{anchors}".encode()
    target = Target(f"{HOST}/page{number}", number + 1, Why.LINK, tunnel=tunnel)
    return visitor.visit(Fetch(target, 1e9, Answer(200, "OK", b"", HTML, body, body)), (body,))


@settings(deadline=None)
@given(pages, st.sampled_from(("best", "breadth")))
def test_passed_on_is_what_is_unknown_or_speaks_of_the_topic_in_new_words(
    made: list[tuple[str, list[tuple[str, str]], int]], order: str
) -> None:
    visitor = Visitor(CrawlSettings(topic="solar energy", scope="any", order=order, tunnel=2))  # type: ignore[arg-type]
    known: dict[str, int] = {}
    told: dict[tuple[str, str], int] = {}
    for number, one in enumerate(made):
        visit = visited(visitor, number, *one)
        assert visit.page is not None
        skipped = visit.head.tunnel > 2
        terms = WORSE if skipped else visit.head.tunnel * 1000
        shares = {} if skipped or order == "breadth" else link_shares(visit.page, visitor.topic)
        passed = []
        for place, link in enumerate(visit.page.links):
            share, _ = shares.get(place, (0.0, 0.0))
            words = (link.url, link.anchor)
            if known.get(link.url, WORSE + 1) > terms or (share > 0 and told.get(words, WORSE + 1) > terms):
                passed.append((link.url, link.anchor, share))
            known[link.url] = min(terms, known.get(link.url, WORSE))
            if not skipped:
                told[words] = min(terms, told.get(words, WORSE))
        assert [(found.url, found.anchor, found.share) for found in visit.head.found] == passed
        assert all(found.skip == "parent_irrelevant" for found in visit.head.found if skipped)


def test_a_file_that_is_no_page_is_passed_on_only_to_be_counted() -> None:
    visitor = Visitor(CrawlSettings(topic="solar", scope="any"))
    linked = [("/a.PDF", "a"), ("/a.pdf?x=1.html", "b"), ("/pdf", "c"), ("/v1.5/x", "d"), ("/a.pdf.html", "e")]
    skips = [found.skip for found in visited(visitor, 0, "Solar", linked, 0).head.found]
    assert skips == ["media", "media", "", "", ""]


def test_what_is_known_is_known_on_terms_at_least_as_good() -> None:
    known = Known()
    assert known.fresh([1, 2, 1, 3], 5) == [0, 1, 3]
    assert known.fresh([3, 2, 4], 5) == [2]
    assert known.fresh([3, 4], 6) == []
    assert known.fresh([3, 3, 1], 4) == [0, 2]
    assert known.fresh([3, 2], 4) == [1]


def test_what_is_met_again_and_again_is_remembered_and_the_rest_forgotten() -> None:
    known = Known(kept_max=10)
    assert known.fresh([-1, -2], 0) == [0, 1]
    for number in range(1000):
        assert known.fresh([-1, number], 0) == [1]
    assert known.fresh([-2, 3, 999], 0) == [0, 1]
