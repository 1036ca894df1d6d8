"""Pieces of writing: a title and a beginning by hand, the rest is prose under headings."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from html import escape

from msgspec import Struct
from msgspec.structs import replace

from halflife.littleweb.markup import Look, link_list, page_reply, paragraphs
from halflife.littleweb.prose import prose
from halflife.littleweb.wire import Reply
from halflife.littleweb.words import HEADINGS

# In which encodings the pages of a site leave the house, and whether in chunks: all are to be met on a crawl.
WAYS = (("", False), ("gzip", False), ("br", True), ("deflate", False), ("zstd", False), ("", True), ("gzip", True))
PARAGRAPHS_A_HEADING = 2


class Piece(Struct, frozen=True):
    """One article."""

    path: str
    title: str
    topic: str  # of its prose
    lead: str  # how it begins
    sentences: int = 18  # gives a page about half as long as an article on the web


def shelf(folder: str, topic: str, *rows: tuple[str, str, str]) -> tuple[Piece, ...]:
    """The articles of one folder: rows of name, title and lead."""
    return tuple(Piece(folder + name, title, topic, lead) for name, title, lead in rows)


def article(look: Look, piece: Piece, more: str = "", head: str = "") -> Reply:
    """The page of one article; `more` is markup that comes last, for instance links."""
    return page_reply(look, piece.title, written(piece, look.name) + more, head)


def written(piece: Piece, where: str) -> str:
    """The text of an article: the lead, and prose with a heading over every second paragraph."""
    seed = f"{where} {piece.path}"
    texts = prose(piece.topic, seed, piece.sentences)
    heads = random.Random(seed).sample(HEADINGS[piece.topic], len(texts) // PARAGRAPHS_A_HEADING)
    parts = [paragraphs([piece.lead])]
    for at, text in enumerate(texts):
        if at % PARAGRAPHS_A_HEADING:
            parts.append(f"<h2>{escape(heads[at // PARAGRAPHS_A_HEADING])}</h2>")
        parts.append(paragraphs([text]))
    return "\n".join(parts)


def section(look: Look, hub: Piece, pieces: Sequence[Piece], head: str = "") -> dict[str, Reply]:
    """The pages of one folder, with the page that leads to them all."""
    return {hub.path: article(look, hub, further(pieces), head), **articles(look, pieces, head)}


def articles(look: Look, pieces: Sequence[Piece], head: str = "", more: str = "") -> dict[str, Reply]:
    """Pages that each lead on to the next two."""
    pages = {}
    for at, piece in enumerate(pieces):
        following = [pieces[(at + step) % len(pieces)] for step in (1, 2)]
        links = further(one for one in following if one is not piece) if len(pieces) > 1 else ""
        pages[piece.path] = article(look, piece, links + more, head)
    return pages


def further(pieces: Iterable[Piece]) -> str:
    """Links to other articles, under a heading."""
    return "<h2>Read on</h2>" + link_list((one.path, one.title) for one in pieces)


def sent_in_turn(pages: Mapping[str, Reply]) -> dict[str, Reply]:
    """The same pages, each sent in another one of the ways in which servers send pages."""
    ways = [WAYS[at % len(WAYS)] for at in range(len(pages))]
    return {
        path: replace(reply, encoding=encoding, chunked=chunked)
        for (path, reply), (encoding, chunked) in zip(pages.items(), ways, strict=True)
    }
