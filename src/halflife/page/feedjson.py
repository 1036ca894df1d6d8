"""JSON Feed, version 1 and 1.1."""

from __future__ import annotations

import json
import re
from typing import Any

from halflife.page.entries import Entries, Entry, enclose, folded, shown
from halflife.page.walk import fold_words
from halflife.records import Page
from halflife.urls import Joiner

# Addresses of a document that breaks somewhere; no more of it is read.
PLACE = re.compile(
    r'"(?:url|external_url|home_page_url|next_url)"\s{0,9}:\s{0,9}"([^"\\]{0,4000}(?:\\.[^"\\]{0,4000}){0,99})"'
)


def read_json(url: str, text: str, charset: str) -> Page:
    """A feed in JSON, which begins with a brace; of a broken one, the addresses that can be made out."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = {"items": [{"url": _unquoted(match[1])} for match in PLACE.finditer(text)]}
    joined, feed = Joiner(url), Entries()
    _read(document, feed, joined)
    return feed.page(url, url, charset)


def _read(document: dict[str, Any], feed: Entries, joined: Joiner) -> None:
    feed.title = fold_words(_text(document, "title"))
    feed.description = fold_words(_text(document, "description"))
    feed.language = _text(document, "language").strip()
    feed.site += _places(document, joined, "home_page_url")
    feed.more += _places(document, joined, "next_url")
    for place in _places(document, joined, "icon"):
        feed.add_medium(place, "image")
    for item in _records(document, "items"):
        entry = Entry(fold_words(_text(item, "title")))
        entry.links += _places(item, joined, "url", "external_url")
        entry.guid = next(iter(_places(item, joined, "id")), "") if _text(item, "id").startswith("http") else ""
        entry.summary = folded(_text(item, "summary"))
        entry.content = shown(_text(item, "content_html")) or folded(_text(item, "content_text"))
        for place in _places(item, joined, "image", "banner_image"):
            entry.media.append((place, "image"))
        for attachment in _records(item, "attachments"):
            enclose(entry, joined, _text(attachment, "url"), _text(attachment, "mime_type"))
        feed.add(entry)


def _text(record: dict[str, Any], key: str) -> str:
    """The text under a key, '' for anything else; halves of characters that need two are joined, or else replaced."""
    value = record.get(key)
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _places(record: dict[str, Any], joined: Joiner, *keys: str) -> list[str]:
    return [url for key in keys if (place := _text(record, key).strip()) and (url := joined(place))]


def _records(record: dict[str, Any], key: str) -> list[dict[str, Any]]:
    value = record.get(key)
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _unquoted(text: str) -> str:
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return text
