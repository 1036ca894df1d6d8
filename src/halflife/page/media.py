"""What on a page is no page: images, video, audio, documents and feeds, told by element, type or ending."""

from __future__ import annotations

import re
from collections.abc import Iterable

ENDINGS = {
    "image": "jpg jpeg png gif webp svg avif bmp tif tiff ico heic jxl",
    "video": "mp4 m4v webm mov avi mkv mpg mpeg ogv wmv flv",
    "audio": "mp3 ogg oga opus wav flac m4a aac mid midi wma",
    "document": "pdf doc docx xls xlsx ppt pptx odt ods odp rtf epub mobi djvu ps tex csv",
    "feed": "rss atom",
}
KINDS = {ending: kind for kind, endings in ENDINGS.items() for ending in endings.split()}
PAGE_ENDINGS = ("/", ".html", ".htm", ".php")
DOCUMENT_TYPES = ("application/pdf", "application/epub", "application/msword", "application/vnd.", "application/rtf")
FEED_TYPES = ("application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml")
FIRST_OF_SRCSET = re.compile(r"[^\s,]\S*")


def kind_by_ending(url: str) -> str:
    """What the ending of a canonical address says it leads to, '' for a page or nobody knows."""
    path = url.partition("?")[0]
    dot = path.rfind(".", -6)
    return KINDS.get(path[dot + 1 :].lower(), "") if dot > path.rfind("/") else ""


def kind_by_type(mime: str) -> str:
    """What a media type says, '' when it does not say."""
    mime = mime.strip().lower()
    if mime.startswith(FEED_TYPES):
        return "feed"
    if mime.startswith(DOCUMENT_TYPES):
        return "document"
    family = mime.partition("/")[0]
    return family if family in ("image", "video", "audio") else ""


def kinds_by_ending(urls: Iterable[str]) -> dict[str, str]:
    """Those of many addresses that lead to no page, with their kinds."""
    perhaps = {url for url in urls if not url.endswith(PAGE_ENDINGS)}  # quick, and mostly enough
    return {url: kind for url in perhaps if (kind := kind_by_ending(url))}


def first_of_srcset(srcset: str) -> str:
    """The first image of a srcset, '' when there is none."""
    found = FIRST_OF_SRCSET.search(srcset)
    return found[0].rstrip(",") if found else ""
