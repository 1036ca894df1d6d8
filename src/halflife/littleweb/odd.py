"""odd.example: pages that are hard to read, or that say something about themselves."""

from __future__ import annotations

from halflife.littleweb.markup import Look, html_page, link_list, page_reply, paragraphs
from halflife.littleweb.piece import Piece, article, written
from halflife.littleweb.prose import prose
from halflife.littleweb.site import Route, Site, fixed, robots
from halflife.littleweb.wire import Reply

LOOK = Look("Odds and Ends", "#283593", (("/", "Home"), ("/doors", "Doors")))
CONTENTS = (
    ("/noindex", "Not to be indexed"),
    ("/noindex-header", "Not to be indexed, says a header"),
    ("/refresh", "A page that leads on by itself"),
    ("/refresh-header", "A page that leads on, says a header"),
    ("/hidden", "A soup with hidden words"),
    ("/latin1", "Cafés in Latin-1"),
    ("/shift-jis", "A clock museum in Shift_JIS"),
    ("/unlabelled", "A page that does not name its charset"),
    ("/plain.txt", "Notes in plain text"),
    ("/base", "A page with a base"),
    ("/sorts", "Links of all sorts"),
    ("/untitled", "A page without a title"),
    ("/unclosed", "A page whose tags are never closed"),
    ("/doors", "Doors that should stay shut"),
)
# Addresses to which nothing on a public page may lead.
DOORS = (
    ("http://169.254.169.254/latest/meta-data/", "The cloud"),
    ("http://127.0.0.1:1/", "At home"),
    ("http://localhost/", "At home, by name"),
    ("http://[::1]:1/", "At home, in six"),
    ("http://2130706433:1/", "At home, as a number"),
    ("http://192.168.0.1/", "Next door"),
    ("http://closed.onion/", "A name without an address"),
)
CAFES = Piece("/latin1", "Cafés under solar roofs", "solar", "Solar energy à la carte: three cafés and a crêperie.")
PLAIN = Piece("/plain.txt", "Notes on solar energy", "solar", "Solar energy, noted on the back of a bill.")
ARRIVED = Piece("/refreshed", "Where solar energy has moved", "solar", "Solar energy lives here now.")
ARRIVED_TOO = Piece("/refreshed-too", "Where solar energy has moved as well", "solar", "Solar energy lives here too.")
UNLABELLED = Piece("/unlabelled", "Solar energy without a label", "solar", "Solar energy in naïve little pages.")
UNCLOSED = Piece("/unclosed", "Solar energy left open", "solar", "Solar energy does not close its tags.")
BELOW = Piece("/base/deep/page", "Below the base", "museum", "A relative link led here, by way of a base.")
SOUP = Piece("/hidden", "A soup for rainy days", "cooking", "Nothing but soup here.")
STUFFING = "solar energy " * 30
JAPANESE = "時計の博物館です。古い時計が三百あります。雨の日は学校の生徒で一杯になります。床がきしみます。"


def sites() -> list[Site]:
    """The one site of this file."""
    routes: dict[str, Route] = {
        "/": page_reply(
            LOOK,
            "Odds and Ends",
            paragraphs(["Each of these pages has something odd.", *prose("museum", "odd", 15)]) + link_list(CONTENTS),
        ),
        **_about_themselves(),
        **_in_other_letters(),
        **_with_links(),
        "/robots.txt": robots(),
    }
    relevant = frozenset(piece.path for piece in (CAFES, PLAIN, ARRIVED, ARRIVED_TOO, UNLABELLED, UNCLOSED))
    return [
        Site(
            "odd.example",
            "charsets, hidden text, refreshes, doors that should stay shut",
            fixed(LOOK, routes),
            relevant,
        )
    ]


def _about_themselves() -> dict[str, Route]:
    """Pages that ask not to be kept, that lead elsewhere by themselves, or that are not what they seem."""
    kept_out = Piece(
        "/noindex", "Solar energy, kept out", "solar", "This page on solar energy does not want to be found."
    )
    refresh = '<meta http-equiv="refresh" content="0; url=/refreshed">'
    hidden = (
        f'<div style="display:none">{STUFFING}</div><p hidden>{STUFFING}</p><!-- {STUFFING} -->'
        f"<script>var words = '{STUFFING}';</script><style>/* {STUFFING} */</style><template>{STUFFING}</template>"
    )
    moved = paragraphs(["One moment, please."])
    onward = link_list([("/only-from-noindex", "A page that only this one links to")])
    robots_meta = '<meta name="robots" content="noindex, nofollow">'
    by_header = page_reply(LOOK, "Solar energy, kept out by a header", paragraphs(prose("solar", "header", 15)))
    return {
        "/noindex": article(LOOK, kept_out, onward, robots_meta),
        "/only-from-noindex": page_reply(LOOK, "Behind nofollow", paragraphs(prose("museum", "behind", 15))),
        "/noindex-header": Reply(by_header.body, headers=(("X-Robots-Tag", "noindex"),)),
        "/refresh": page_reply(LOOK, "Moving", moved, refresh),
        "/refreshed": article(LOOK, ARRIVED),
        "/refresh-header": Reply(
            page_reply(LOOK, "Moving", moved).body, headers=(("Refresh", "1; url=/refreshed-too"),)
        ),
        "/refreshed-too": article(LOOK, ARRIVED_TOO),
        "/hidden": article(LOOK, SOUP, hidden),
    }


def _in_other_letters() -> dict[str, Route]:
    latin = html_page(LOOK, CAFES.title, written(CAFES, LOOK.name)).replace('<meta charset="utf-8">', "")
    unlabelled = html_page(LOOK, UNLABELLED.title, written(UNLABELLED, LOOK.name)).replace('<meta charset="utf-8">', "")
    japanese = (
        html_page(LOOK, "時計の博物館", paragraphs([JAPANESE, JAPANESE]))
        .replace("utf-8", "shift_jis")
        .replace('"en"', '"ja"')
    )
    plain = "\n\n".join([PLAIN.title, PLAIN.lead, *prose("solar", "plain", 15)])
    return {
        "/latin1": Reply(latin.encode("latin-1"), content_type="text/html; charset=iso-8859-1"),
        "/shift-jis": Reply(japanese.encode("shift_jis"), content_type="text/html"),
        "/unlabelled": Reply(unlabelled.encode(), content_type="text/html"),
        "/plain.txt": Reply(plain.encode(), content_type="text/plain; charset=utf-8"),
    }


def _with_links() -> dict[str, Route]:
    sorts = (
        ("mailto:sun@odd.example", "A letter"),
        ("tel:+441632960000", "A call"),
        ("javascript:void(0)", "A script"),
        ("ftp://odd.example/sun", "A file"),
        ("data:text/plain,sun", "Data"),
        ("#top", "The top"),
        ("", "Nothing"),
        ("//odd.example/base", "Without a scheme"),
        ("/base/../untitled", "By way of the base"),
        ("?again=1", "The same once more"),
        ("/refresh?utm_source=odd#top", "With a fragment and a tracker"),
        ("http://odd.example:port/", "With a port that is none"),
    )
    unclosed = f"<!DOCTYPE html><title>{UNCLOSED.title}<body><h1>{UNCLOSED.title}</h1><div><p>"
    unclosed = unclosed.replace("<body>", "</title><body>") + "<p>".join(
        [UNCLOSED.lead, *prose("solar", "unclosed", 15)]
    )
    base = '<base href="/base/deep/">'
    return {
        "/base": page_reply(LOOK, "A page with a base", link_list([("page", "A relative link")]), base),
        BELOW.path: article(LOOK, BELOW),
        "/sorts": page_reply(LOOK, "Links of all sorts", link_list(sorts)),
        "/untitled": Reply(b"<!DOCTYPE html><p>No title, no heading, no author."),
        "/unclosed": Reply(unclosed.encode()),
        "/doors": page_reply(LOOK, "Doors that should stay shut", link_list(DOORS)),
    }
