"""One visit: from what came back to what is kept, what it weighs and where it leads. Pure but for its memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from halflife.judge import Topic, link_shares, parse_topic, weigh, weigh_paper
from halflife.page import read
from halflife.plan import Scope, Traps
from halflife.records import Answer, Failure, Fetch, Kind, Link, Page, Target, Weight, Why
from halflife.run.known import Known
from halflife.run.messages import Found, Head
from halflife.run.settings import CrawlSettings
from halflife.urls import join

PASSING = frozenset({
    Kind.DNS, Kind.REFUSED, Kind.UNREACHABLE, Kind.CONNECT_TIMEOUT, Kind.FIRST_BYTE_TIMEOUT, Kind.ANSWER_TIMEOUT,
    Kind.DROPPED, Kind.ROBOTS_UNREACHABLE, Kind.PROXY,
})  # fmt: skip
PASSING_STATUS = frozenset({408, 429, 500, 502, 503, 504})
REDIRECTS = frozenset({301, 302, 303, 307, 308})
LISTS = frozenset({"sitemap", "feed"})  # pages that are nothing but links
NO_PAGES = frozenset({
    ".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".ico", ".css", ".js", ".mjs", ".woff", ".woff2", ".zip",
    ".tgz", ".xz", ".bz2", ".7z", ".rar", ".exe", ".dmg", ".deb", ".rpm", ".iso", ".mp3", ".ogg", ".wav", ".flac",
    ".mp4", ".webm", ".avi", ".mov", ".mkv", ".pdf", ".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".epub",
})  # fmt: skip
WORSE = 1_000_000  # the terms of an address that is passed on only to be counted as skipped
ANCHOR_CHARACTERS = 200  # of a link's words: enough to judge by
TITLE_CHARACTERS = 200
LINKS_KEPT_MAX = 200_000  # to look at a link again is cheaper than to pass an address on again
SECONDS_A_YEAR = 31_556_952


class Visit(Struct):
    """What one fetch came to."""

    head: Head
    page: Page | None = None
    weight: Weight | None = None


class Visitor:
    """Reads, weighs and follows, for one worker."""

    def __init__(self, settings: CrawlSettings) -> None:
        self.settings = settings
        self.topic: Topic = parse_topic(settings.topic)
        self.scope = Scope(settings.scope, settings.seeds, settings.include, settings.exclude)
        self.traps = Traps(off=settings.traps_off)
        self.known = Known()  # addresses passed on
        self.told = Known(LINKS_KEPT_MAX)  # links looked at: addresses with the words of the link

    def visit(self, fetch: Fetch, chunks: Iterable[bytes]) -> Visit:
        """Everything that follows from one fetch; `chunks` is the content of its answer."""
        target = fetch.target
        head = Head("", at=fetch.at, wire_bytes=fetch.wire_bytes, depth=target.depth + 1, tunnel=target.tunnel)
        head.due = fetch.at + fetch.seconds + fetch.rest_seconds
        if isinstance(fetch.outcome, Failure):
            head.fate, head.detail = fetch.outcome.kind.value, fetch.outcome.detail
            head.again = fetch.outcome.kind in PASSING
            return Visit(head)
        answer = fetch.outcome
        head.answered = True
        if answer.status in REDIRECTS:
            self._redirected(head, answer, target)
        elif not 200 <= answer.status < 300:
            head.fate, head.detail = f"http_{answer.status}", answer.reason
            head.again = answer.status in PASSING_STATUS
        else:
            return self._answered(head, fetch, chunks)
        return Visit(head)

    def read(self, fetch: Fetch, chunks: Iterable[bytes]) -> tuple[Page | None, Weight | None]:
        """The page and its weight, without following anything: all that a repair needs."""
        if not isinstance(fetch.outcome, Answer) or not 200 <= fetch.outcome.status < 300:
            return None, None
        page = read(fetch, chunks)
        return page, None if page is None or page.kind in LISTS else self._weigh(page, fetch.target.anchor)

    def _weigh(self, page: Page, anchor: str) -> Weight:
        if self.settings.method == "paper":
            return weigh_paper(page, self.topic, self.settings.paper)
        return weigh(page, self.topic, self.settings.weight, anchor)

    def _redirected(self, head: Head, answer: Answer, target: Target) -> None:
        location = answer.header("location")
        to = join(target.url, location) if location else None
        chain = (*target.redirects, target.url)
        head.detail = to or location[:TITLE_CHARACTERS]
        if to is None:
            head.fate = Kind.BAD_REDIRECT.value
        elif to in chain:
            head.fate = Kind.REDIRECT_LOOP.value
        elif len(chain) > self.settings.fetch.limits.redirects_max:
            head.fate = Kind.TOO_MANY_REDIRECTS.value
        else:
            head.fate = "redirected"
            head.redirects = chain
            # The place it leads to stands where this one stood: same depth, same words, same tunnel.
            head.depth = target.depth
            self._pass_on(head, Found(to, Why.REDIRECT, target.anchor, 0.0, target.near))

    def _answered(self, head: Head, fetch: Fetch, chunks: Iterable[bytes]) -> Visit:
        page, weight = self.read(fetch, chunks)
        if page is None:
            assert isinstance(fetch.outcome, Answer)
            head.fate, head.detail = "not_a_page", fetch.outcome.header("content-type")[:100]
            return Visit(head)
        head.title = page.title[:TITLE_CHARACTERS]
        if weight is None:
            head.fate = page.kind
            if fetch.target.why in (Why.SEED, Why.SITEMAP):
                head.depth = fetch.target.depth  # a list of seeds is no step away from them
            self._follow(head, page)
            return Visit(head, page)
        head.weight, head.relevant = weight.total, weight.kept
        head.kept = weight.kept and not page.noindex
        head.fate = "kept" if head.kept else "noindex" if weight.kept else "irrelevant"
        self.traps.lookalike(page.url, page.text)
        # The user chose the seeds, and by that where they redirect to: outside paper mode their links are followed
        # whatever they weigh.
        trusted = fetch.target.depth == 0 and self.settings.method != "paper"
        head.tunnel = 0 if weight.kept or trusted else fetch.target.tunnel + 1
        self._follow(head, page)
        return Visit(head, page, weight)

    # -- where it leads --------------------------------------------------------------------------------------------

    def _follow(self, head: Head, page: Page) -> None:
        """Pass on the links that were not passed on before, each to be fetched or with the reason why not."""
        limit = self.settings.budget.depth
        skip = ""
        if head.tunnel > self.settings.tunnel:
            skip = "parent_irrelevant"
        elif limit and head.depth > limit:
            skip = "too_deep"
        if page.refresh:
            self._pass_on(head, Found(page.refresh, Why.REFRESH, skip=skip))
        why = {"sitemap": Why.SITEMAP, "feed": Why.FEED}.get(page.kind, Why.LINK)
        # Terms: lower is better. Depth counts only where it is limited.
        terms = WORSE if skip else head.tunnel * 1000 + (min(head.depth, 999) if limit else 0)
        judged = not skip and self.settings.order != "breadth"
        for link, share, near in self._fresh(page, terms, judged):
            nofollow = "nofollow" if link.nofollow or page.nofollow else ""
            self._pass_on(head, Found(link.url, why, link.anchor[:ANCHOR_CHARACTERS], share, near, skip or nofollow))

    def _fresh(self, page: Page, terms: int, judged: bool) -> Iterator[tuple[Link, float, float]]:
        """The links to pass on, with what they say of the topic and what stands near them.

        They are the unknown ones, and known ones in words that speak of the topic for the first time. Most links of a page
        were looked at on pages before this one: those say nothing new.
        """
        links = page.links
        places: Sequence[int] = range(len(links))
        if judged:
            places = self.told.fresh(list(map(hash, zip(links.urls, links.anchors, strict=True))), terms)
        urls = links.urls
        unknown = {places[at] for at in self.known.fresh([hash(urls[place]) for place in places], terms)}
        shares = link_shares(page, self.topic, places) if judged else {}
        for place in places:
            share, near = shares.get(place, (0.0, 0.0))
            if share > 0 or place in unknown:
                yield links[place], share, near

    def _pass_on(self, head: Head, found: Found) -> None:
        if not found.skip:
            found.skip = self._refusal(found.url, head)
        head.found.append(found)

    def _refusal(self, url: str, head: Head) -> str:
        reason = self.scope.refuses(url) or self.traps.trap(url, int(1970 + head.at / SECONDS_A_YEAR))
        if reason:
            return reason
        path = url.partition("?")[0]
        return "media" if path[path.rfind(".") :].lower() in NO_PAGES else ""
