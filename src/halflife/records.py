"""The records that travel between rooms.

In: nothing. Out: frozen types. Never: imports anything of ours, decides anything.

Data goes one way round: a `Target` becomes a `Fetch`, a `Fetch` becomes a `Page`, a `Page` becomes judgements
(`Weight`), and its links become new targets. All of them cross processes as msgpack.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Any

from msgspec import Struct, field


class Why(StrEnum):
    """How an address came to be known."""

    SEED = "seed"
    LINK = "link"
    REDIRECT = "redirect"
    REFRESH = "refresh"
    SITEMAP = "sitemap"
    FEED = "feed"


class Kind(StrEnum):
    """Every way in which asking for an address can fail to give an answer."""

    BAD_ADDRESS = "bad_address"  # not an http(s) address that can be asked for
    GUARDED = "guarded"  # the connection would lead to an address the guard forbids
    ROBOTS = "robots"  # robots.txt says no
    ROBOTS_UNREACHABLE = "robots_unreachable"  # robots.txt could not be had (5xx, no answer): not now
    DNS = "dns"  # the name does not resolve
    REFUSED = "refused"  # nobody listens
    UNREACHABLE = "unreachable"  # no route, network down
    CONNECT_TIMEOUT = "connect_timeout"
    TLS = "tls"  # certificate or handshake
    FIRST_BYTE_TIMEOUT = "first_byte_timeout"
    ANSWER_TIMEOUT = "answer_timeout"  # the whole answer took too long
    DROPPED = "dropped"  # the connection ended before the answer did
    BAD_HTTP = "bad_http"  # what came is not HTTP
    HEADERS_TOO_LARGE = "headers_too_large"
    BODY_TOO_LARGE = "body_too_large"  # on the wire
    DECODED_TOO_LARGE = "decoded_too_large"  # after decompression: a bomb
    BAD_ENCODING = "bad_encoding"  # Content-Encoding does not decode
    REDIRECT_LOOP = "redirect_loop"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    BAD_REDIRECT = "bad_redirect"  # a 3xx whose Location is missing or no address
    PROXY = "proxy"  # the user's proxy failed


class Target(Struct, frozen=True, omit_defaults=True):
    """An address to fetch, and what is known of it before it is fetched."""

    url: str  # canonical
    id: int = 0  # its number in the frontier; 0 for what is no address of the crawl (robots.txt)
    why: Why = Why.SEED
    via: str = ""  # the address that led here
    depth: int = 0  # links from the seed
    tunnel: int = 0  # irrelevant pages in a row on the way here
    rank: int = 0  # its place in the queue; 0 is the best
    anchor: str = ""  # the words of the links that led here
    near: float = 0.0  # share of the topic in the words around the link
    redirects: tuple[str, ...] = ()  # the addresses that redirected here, oldest first
    tries: int = 0  # failed attempts so far


class Answer(Struct, frozen=True):
    """What a server answered, whatever its status."""

    status: int
    reason: str
    head: bytes  # status line and headers exactly as sent, blank line included
    headers: tuple[tuple[str, str], ...]  # names in lower case, in order, latin-1
    raw: bytes = b""  # the body exactly as sent, chunk framing included
    content: bytes = b""  # de-chunked and decoded; `raw` itself when there was nothing to undo
    spool: str = ""  # a file that holds the body as sent, when it is too large for memory; `raw` and `content` are b""

    def header(self, name: str) -> str:
        """The first header of that name (given in lower case), or ''."""
        for key, value in self.headers:
            if key == name:
                return value
        return ""

    def header_all(self, name: str) -> list[str]:
        """Every header of that name (given in lower case), in order."""
        return [value for key, value in self.headers if key == name]


class Failure(Struct, frozen=True):
    """Why there is no answer. What the web does is a value, not an exception."""

    kind: Kind
    detail: str = ""  # one short line for people


class Fetch(Struct, frozen=True):
    """One attempt at one target, whatever came of it. A redirect is an answer: where it leads is another target."""

    target: Target
    at: float  # seconds since the epoch when the request was sent
    outcome: Answer | Failure
    seconds: float = 0.0  # from sending the request to the last byte
    wire_bytes: int = 0  # received: status line, headers and body as they came
    address: str = ""  # the IP address connected to
    request: bytes = b""  # request line and headers as sent
    rest_seconds: float = 0.0  # how long the host asked to be left alone, or is by our manners


class Later(Struct, frozen=True):
    """Not fetched: manners forbid it before `due`. Nothing was asked of the host."""

    target: Target
    due: float  # seconds since the epoch


class Link(Struct, frozen=True, array_like=True, gc=False):
    """One link on a page. Links count with multiplicity; order is the page's."""

    url: str  # absolute, canonical
    anchor: str = ""  # the words of the link (alt text for an image link)
    start: int = 0  # where those words begin in the page's text, and where they end:
    end: int = 0  # the words around a link are found there, and need not be stored for each of thousands
    nofollow: bool = False


class Links:
    """The links of a page, in its order, as columns: there are a hundred a page, and most questions are put to all at once.

    Looked at one by one they are `Link`s.
    """

    __slots__ = ("anchors", "ends", "nofollow", "starts", "urls")

    def __init__(
        self, urls: list[str], anchors: list[str], starts: array[int], ends: array[int], nofollow: bytes
    ) -> None:
        self.urls, self.anchors, self.starts, self.ends, self.nofollow = urls, anchors, starts, ends, nofollow

    @classmethod
    def of(cls, links: Iterable[Link]) -> Links:
        """Links as columns."""
        all_ = list(links)
        return cls(
            [link.url for link in all_],
            [link.anchor for link in all_],
            array("i", [link.start for link in all_]),
            array("i", [link.end for link in all_]),
            bytes([link.nofollow for link in all_]),
        )

    def __len__(self) -> int:
        return len(self.urls)

    def __getitem__(self, place: int) -> Link:
        return Link(
            self.urls[place], self.anchors[place], self.starts[place], self.ends[place], bool(self.nofollow[place])
        )

    def __iter__(self) -> Iterator[Link]:
        return map(Link, self.urls, self.anchors, self.starts, self.ends, map(bool, self.nofollow))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Links) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Links.of({list(self)!r})"


class Medium(Struct, frozen=True, array_like=True, gc=False):
    """Something on a page that is not a page."""

    url: str
    kind: str  # image | video | audio | document | feed
    text: str = ""  # alt text, title, caption or the words of the link
    context: str = ""


class Page(Struct, frozen=True):
    """What a reader, or a crawler, finds on a page."""

    url: str  # canonical address it was read from
    base: str  # what relative links are relative to
    kind: str = "html"  # html | feed | sitemap | plain
    charset: str = ""
    title: str = ""
    description: str = ""
    language: str = ""
    headings: tuple[str, ...] = ()
    text: str = ""  # readable text, white space folded, blocks separated by newlines
    canonical: str = ""  # what the page says its address is ('' when it does not say)
    noindex: bool = False
    nofollow: bool = False
    refresh: str = ""  # where a meta refresh (or Refresh header) leads, '' for none or itself
    refresh_seconds: float = 0.0
    links: Links = field(default_factory=lambda: Links.of(()))
    media: tuple[Medium, ...] = ()
    links_cut: int = 0  # links beyond the limit, counted and not kept

    def around(self, link: Link, characters: int = 80) -> str:
        """The words around a link, its own included, as far as they are its anchor."""
        end = min(link.end, link.start + len(link.anchor))
        return self.text[max(0, link.start - characters) : end + characters]


class Weight(Struct, frozen=True):
    """The page-weight judgement: does this page matter for the topic, and why."""

    url: str
    method: str  # "paper" or "default"
    version: int
    total: float
    kept: bool  # total > threshold
    threshold: float
    part_url: float
    part_title: float
    part_body: float
    part_out: float = 0.0  # paper mode: outlinks
    part_headings: float = 0.0  # default mode
    part_anchors: float = 0.0  # default mode: anchors that led here
    evidence: dict[str, float] = {}  # term -> what it contributed


class Step(Struct, frozen=True):
    """One step on the way from a seed to an address."""

    url: str
    why: str  # a Why, as text
    anchor: str = ""
    fate: str = ""


class Explained(Struct, frozen=True, kw_only=True):
    """Everything a store knows of one address."""

    url: str
    fate: str = ""  # '' when it was never discovered
    detail: str = ""
    at: float = 0.0
    depth: int = 0
    anchor: str = ""
    rank: int | None = None
    way: list[Step] = []
    weight: dict[str, Any] | None = None  # the row of the weights table, if it was weighed
    visits: list[dict[str, Any]] = []  # rows of the fetches table, oldest first
    linked_from: list[dict[str, Any]] = []  # rows of the links table
