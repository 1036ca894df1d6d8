"""Plain text: text, and the addresses that stand in it."""

from __future__ import annotations

import re

from halflife.page.marks import Marks
from halflife.records import Link, Links, Page
from halflife.urls import canonical

PLAIN_BYTES_MAX = 4_000_000  # a long novel has one; more is data
LINKS_MAX = 10_000
TITLE_CHARACTERS_MAX = 200
ADDRESS = re.compile(r"https?://[^\s<>\"'`{}|\\^\[\]]{1,2100}", re.I)  # one that is cut is too long for an address
NOT_AT_THE_END = ".,;:!?*_~"
UNSHOWN = {number: " " for number in range(32) if chr(number) not in "\t\n\r"}


def read_plain(url: str, text: str, charset: str, marks: Marks) -> Page:
    """A page of plain text. Its title is its first line."""
    folded = "\n".join(line for raw in text.translate(UNSHOWN).splitlines() if (line := " ".join(raw.split())))
    links: list[Link] = []
    cut = 0
    for found in ADDRESS.finditer(folded):
        words = _trimmed(found[0])
        link = canonical(words)
        if link and len(links) < LINKS_MAX:
            links.append(Link(link, words, found.start(), found.start() + len(words)))
        elif link:
            cut += 1
    return Page(
        url=url,
        base=url,
        kind="plain",
        charset=charset,
        title=folded.partition("\n")[0][:TITLE_CHARACTERS_MAX].rstrip(),
        language=marks.language,
        text=folded,
        canonical=marks.canonical,
        noindex=marks.noindex,
        nofollow=marks.nofollow,
        refresh=marks.refresh,
        refresh_seconds=marks.refresh_seconds,
        links=Links.of(links),
        links_cut=cut,
    )


def _trimmed(address: str) -> str:
    """Without the punctuation of the sentence it stands in."""
    address = address.rstrip(NOT_AT_THE_END)
    unopened = address.count(")") - address.count("(")
    while unopened > 0 and address.endswith(")"):
        address = address[:-1].rstrip(NOT_AT_THE_END)
        unopened -= 1
    return address
