"""Answers as the web gives them, for tests of what is read of them."""

from __future__ import annotations

from collections.abc import Iterable

from halflife.page import read
from halflife.records import Answer, Fetch, Page, Target, Why

URL = "https://example.org/a/b"


def fetched(*headers: tuple[str, str], url: str = URL, why: Why = Why.LINK) -> Fetch:
    """A fetch whose answer has these headers."""
    answer = Answer(200, "OK", b"HTTP/1.1 200 OK\r\n\r\n", headers)
    return Fetch(Target(url, why=why), 0.0, answer)


def page_of(body: bytes, content_type: str = "", why: Why = Why.LINK, *headers: tuple[str, str]) -> Page | None:
    """What is read of a body with that media type."""
    return read(fetched(("content-type", content_type), *headers, why=why), [body])


def in_pieces(body: bytes, size: int) -> Iterable[bytes]:
    """A body as it comes from a network."""
    return (body[start : start + size] for start in range(0, len(body), size))
