"""What is no page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.page.media import KINDS, first_of_srcset, kind_by_ending, kind_by_type, kinds_by_ending


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://example.org/a.jpg", "image"),
        ("https://example.org/a.JPEG", "image"),
        ("https://example.org/a.b/c.webm?x=1.pdf", "video"),
        ("https://example.org/a.mp3", "audio"),
        ("https://example.org/a.tar.pdf", "document"),
        ("https://example.org/feed.rss", "feed"),
        ("https://example.org/.png", "image"),
        ("https://example.org/a.html", ""),
        ("https://example.org/a", ""),
        ("https://example.org/a.jpg/", ""),
        ("https://example.org/a.jpg/b", ""),
        ("https://example.org/?x=a.jpg", ""),
        ("https://example.ps/", ""),
        ("https://example.org/jpg", ""),
        ("https://example.org/a.", ""),
        ("https://example.org/a.jpg.html", ""),
        ("", ""),
        ("jpg", ""),
    ],
)
def test_kinds_by_ending(url: str, kind: str) -> None:
    assert kind_by_ending(url) == kind
    assert kinds_by_ending([url, url]) == ({url: kind} if kind else {})


@pytest.mark.parametrize("ending", KINDS)
def test_every_ending_is_found(ending: str) -> None:
    assert kind_by_ending(f"https://example.org/x.{ending}") == KINDS[ending]
    assert kind_by_ending(f"https://example.org/x{ending}") == ""


@pytest.mark.parametrize(
    ("mime", "kind"),
    [
        (" Image/PNG ", "image"),
        ("video/mp4; codecs=x", "video"),
        ("audio/mpeg", "audio"),
        ("application/pdf", "document"),
        ("application/vnd.oasis.opendocument.text", "document"),
        ("application/rss+xml; charset=utf-8", "feed"),
        ("application/feed+json", "feed"),
        ("text/html", ""),
        ("application/json", ""),
        ("images/png", ""),
        ("image", "image"),
        ("", ""),
    ],
)
def test_kinds_by_type(mime: str, kind: str) -> None:
    assert kind_by_type(mime) == kind


@pytest.mark.parametrize(
    ("srcset", "first"),
    [
        ("a.jpg", "a.jpg"),
        ("a.jpg 1x, b.jpg 2x", "a.jpg"),
        (" \n a.jpg\t480w,b.jpg 2x", "a.jpg"),
        ("a.jpg, b.jpg", "a.jpg"),
        (", ,a.jpg 1x", "a.jpg"),
        ("/a,b.jpg 1x", "/a,b.jpg"),
        ("a.jpg,,", "a.jpg"),
        ("", ""),
        (" , ", ""),
        (",\r", ""),
        (",\x0c,\x0b", ""),
    ],
)
def test_the_first_of_several_images(srcset: str, first: str) -> None:
    assert first_of_srcset(srcset) == first


@given(st.text(" \t\r\n\x0b\x0c\xa0\u2003,ab./1x", max_size=12))
def test_of_any_images_one_is_the_first(srcset: str) -> None:
    first = first_of_srcset(srcset)
    assert first in srcset
    assert first == first.strip().strip(",")
    assert bool(first) == bool(srcset.replace(",", " ").strip())
