"""Visits made up for tests: fetches of pages that read back to the same pages, however they were stored."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from halflife.records import Answer, Failure, Fetch, Kind, Link, Links, Medium, Page, Target, Weight, Why
from halflife.store import Folder

AT = 1_790_000_000.25
SETTINGS = {"topic": "solar energy", "tunnel": 3}
HTML = (("content-type", "text/html; charset=utf-8"), ("etag", '"7"'))


def new_store(path: Path) -> Folder:
    folder = Folder(path)
    folder.create(SETTINGS)
    return folder


def html(title: str = "A page", links: Iterable[str] = (), words: str = "words") -> bytes:
    anchors = "".join(f'<p>before <a href="{link}">to {link}</a> after</p>' for link in links)
    return (
        f"<html lang=en><title>{title}</title><h1>{title}</h1><p>{words}</p>{anchors}<img src=/i.png alt=sun></html>"
    ).encode()


def answered(
    url: str,
    body: bytes = b"",
    at: float = AT,
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = HTML,
    id_: int = 1,
) -> Fetch:
    """An answer as the fetcher gives it; bodies said to be gzip are packed."""
    packed = ("content-encoding", "gzip") in headers
    raw = gzip.compress(body, mtime=0) if packed else body
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    head = f"HTTP/1.1 {status} OK\r\n{lines}Content-Length: {len(raw)}\r\n\r\n".encode("latin-1")
    target = Target(
        url,
        id=id_,
        why=Why.LINK,
        via="http://a.example/",
        depth=2,
        anchor="the words",
        redirects=("http://r.example/",),
    )
    return Fetch(
        target, at, Answer(status, "OK", head, headers, raw, body), 0.125, len(head) + len(raw), "192.0.2.7",
        f"GET / HTTP/1.1\r\nHost: {url.split('/')[2]}\r\n\r\n".encode(), 0.5,
    )  # fmt: skip


def spooled(fetch: Fetch, path: Path) -> Fetch:
    """The same fetch as if its body were too large for memory."""
    answer = fetch.outcome
    assert isinstance(answer, Answer)
    path.write_bytes(answer.raw)
    short = Answer(answer.status, answer.reason, answer.head, answer.headers, b"", b"", str(path))
    return Fetch(
        fetch.target, fetch.at, short, fetch.seconds, fetch.wire_bytes, fetch.address, fetch.request, fetch.rest_seconds
    )


def failed(url: str, kind: Kind = Kind.DNS, at: float = AT) -> Fetch:
    return Fetch(Target(url, id=2), at, Failure(kind, "no such name"), 0.01)


def decode(answer: Answer) -> Iterator[bytes]:
    """The content of an answer, from memory or from its spool."""
    if not answer.spool:
        yield answer.content
        return
    data = Path(answer.spool).read_bytes()
    yield gzip.decompress(data) if ("content-encoding", "gzip") in answer.headers else data


def read(fetch: Fetch, chunks: Iterable[bytes]) -> tuple[Page | None, Weight | None]:
    """A page and its weight, always the same for the same content."""
    tree = LexborHTMLParser(b"".join(chunks))
    body = tree.body
    text = " ".join(body.text(separator=" ").split()) if body else ""
    links, at = [], 0
    for node in tree.css("a[href]"):
        words = node.text().strip()
        at = max(text.find(words, at), 0)
        links.append(Link(node.attributes["href"] or "", words, at, at + len(words), "nofollow" in node.attributes))
    title = tree.css_first("title")
    media = tuple(Medium(node.attributes["src"] or "", "image", "sun", "near it") for node in tree.css("img"))
    page = Page(
        fetch.target.url, fetch.target.url, title=title.text() if title else "", language="en", text=text,
        headings=tuple(node.text() for node in tree.css("h1")), links=Links.of(links), media=media,
    )  # fmt: skip
    return page, weighed(page)


def weighed(page: Page) -> Weight:
    total = float(page.text.count("solar"))
    return Weight(page.url, "default", 1, total, total > 1, 1.0, 0.0, 0.5, total, evidence={"solar": total})


def made_of(fetch: Fetch) -> tuple[Page | None, Weight | None]:
    """What `read` makes of an answer that is in memory."""
    answer = fetch.outcome
    assert isinstance(answer, Answer)
    return read(fetch, decode(answer))
