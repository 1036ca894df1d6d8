"""shop.example: a shop without end. Filters multiply its addresses, sessions rename them, a wrong link nests them."""

from __future__ import annotations

import random
import re
from html import escape
from urllib.parse import parse_qsl, urlencode

from halflife.littleweb.markup import Look, link_list, page_reply, paragraphs
from halflife.littleweb.piece import Piece, shelf, written
from halflife.littleweb.prose import prose
from halflife.littleweb.site import Site, World, fixed, robots
from halflife.littleweb.wire import Reply, Request

HOST = "shop.example"
LOOK = Look(
    "The Corner Shop",
    "#33691e",
    (("/", "Home"), ("/catalogue", "Catalogue"), ("/help/", "Help"), ("/calendar?week=1", "Market days")),
)
FILTERS = {
    "colour": ("red", "green", "blue", "white", "black"),
    "size": ("small", "medium", "large"),
    "sort": ("price", "name", "newest"),
    "view": ("list", "grid"),
    "page": ("1", "2", "3", "4", "5", "6"),
}
SESSION = "PHPSESSID"
GOODS = (
    *shelf(
        "/item/",
        "solar",
        ("solar-lantern", "Solar lantern", "It gathers solar energy by day and gives four hours of light."),
        ("balcony-panel", "Solar panel for the balcony", "Solar energy for people without a roof: plug it in."),
    ),
    *shelf("/item/", "cooking", ("stockpot", "Stockpot", "Holds a goose."), ("ladle", "Ladle", "Holds enough.")),
    *shelf("/item/", "garden", ("spade", "Spade", "Ash handle."), ("twine", "Twine", "Green, on a ball.")),
)
_HELP = re.compile(r"/(?:help/)+")


def sites() -> list[Site]:
    """The one site of this file."""
    known = fixed(LOOK, {"/robots.txt": robots("Disallow: /basket")})
    goods = {piece.path: piece for piece in GOODS}

    def answer(request: Request, world: World) -> Reply:
        session = _session(request, world)
        if request.route == "/":
            return _home(session)
        if request.route in goods:
            return _item(goods[request.route], session)
        if request.route == "/catalogue":
            return _catalogue(request.query, session)
        if request.route == "/calendar":
            return _market_days(request.query)
        if _HELP.fullmatch(request.route):
            return _help()
        return known(request, world)

    relevant = frozenset(piece.path for piece in GOODS if piece.topic == "solar")
    return [Site(HOST, "filters, sessions and wrong links: addresses without end", answer, relevant)]


def _session(request: Request, world: World) -> str:
    """The session of a visitor; whoever comes without one is given a new one."""
    given = dict(parse_qsl(request.query)).get(SESSION, "")
    number = random.Random(f"session {world.asked[HOST]}").getrandbits(128)
    return given if re.fullmatch(r"[0-9a-f]{32}", given) else f"{number:032x}"


def _home(session: str) -> Reply:
    body = paragraphs(["String, soup and solar lamps, since 1911."]) + paragraphs(prose("village", "shop", 15))
    return page_reply(LOOK, "The Corner Shop", body + _shelf(GOODS, session))


def _item(piece: Piece, session: str) -> Reply:
    kin = [other for other in GOODS if other.topic == piece.topic and other is not piece]
    body = written(piece, LOOK.name) + "<h2>Others also bought</h2>" + _shelf(kin, session)
    return page_reply(LOOK, piece.title, body, f'<link rel="canonical" href="http://{HOST}{piece.path}">')


def _shelf(pieces: tuple[Piece, ...] | list[Piece], session: str) -> str:
    return link_list((f"{piece.path}?{SESSION}={session}", piece.title) for piece in pieces)


def _catalogue(query: str, session: str) -> Reply:
    """The same few goods under every choice of filters, with a link for every filter that could be changed."""
    chosen = {name: value for name, value in parse_qsl(query) if value in FILTERS.get(name, ())}
    shown = random.Random(str(sorted(chosen.items()))).sample(GOODS, 3)
    body = paragraphs(["All goods, as you like to see them."]) + _shelf(shown, session) + "<h2>Filters</h2>"
    for name, values in FILTERS.items():
        choices = [{**chosen, name: value} for value in values if chosen.get(name) != value]
        body += link_list((f"/catalogue?{urlencode(choice)}", f"{name}: {choice[name]}") for choice in choices)
    title = ", ".join(f"{name} {value}" for name, value in chosen.items())
    return page_reply(LOOK, f"Catalogue{': ' + title if title else ''}", body)


def _market_days(query: str) -> Reply:
    """Another week after every week."""
    week = dict(parse_qsl(query)).get("week", "1")
    number = int(week) if re.fullmatch(r"\d{1,6}", week) else 1
    links = link_list([(f"/calendar?week={number + 1}", "Next week")])
    return page_reply(LOOK, f"Market days, week {escape(str(number))}", paragraphs(["Open as always."]) + links)


def _help() -> Reply:
    """The writer of this page forgot a slash: its link to itself is relative."""
    body = paragraphs(["Everything about help. Ask at the counter."])
    return page_reply(LOOK, "Help", body + link_list([("help/", "More about help"), ("/", "Back to the shop")]))
