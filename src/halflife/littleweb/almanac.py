"""almanac.example: an encyclopedia that links widely. Some pages on the topic lie behind one to three that are not."""

from __future__ import annotations

from itertools import pairwise

from halflife.littleweb.markup import CLOSING, Look, link_list, page_reply, paragraphs, redirect
from halflife.littleweb.piece import Piece, article, further, section, sent_in_turn, shelf
from halflife.littleweb.prose import prose
from halflife.littleweb.site import Site, fixed, robots
from halflife.littleweb.wire import Reply

HOST = "almanac.example"
LOOK = Look(
    "The Household Almanac",
    "#3d5a3a",
    (("/", "Contents"), ("/entries/", "Entries"), ("/links", "Other places")),
    closing=f"The Household Almanac, revised every winter. {CLOSING}",
)

SOLAR = shelf(
    "/entries/",
    "solar",
    ("solar-energy", "Solar energy", "Solar energy is light and heat of the sun put to use in the household."),
    ("photovoltaics", "Photovoltaics", "Photovoltaics turn sunlight into current: the common form of solar energy."),
    ("solar-heat", "Solar heat", "Solar energy may be gathered as heat, in water, air or stone."),
)
OTHERS = (
    *shelf(
        "/entries/",
        "wind",
        ("wind", "Wind", "Moving air; see also draughts."),
        ("draughts", "Draughts", "Seek the gap."),
    ),
    *shelf(
        "/entries/", "water", ("mills", "Mills", "The oldest engine of the house."), ("tides", "Tides", "Twice a day.")
    ),
    *shelf(
        "/entries/", "grid", ("meters", "Meters", "The box under the stairs."), ("fuses", "Fuses", "Keep spare ones.")
    ),
    *shelf("/entries/", "cooking", ("soups", "Soups", "See also spoons."), ("bread", "Bread", "Patience and flour.")),
    *shelf(
        "/entries/", "garden", ("hedges", "Hedges", "A slow sort of fence."), ("weeds", "Weeds", "Plants out of place.")
    ),
    *shelf("/entries/", "football", ("football", "Football", "A game of two halves and a muddy hall floor.")),
)

# Tunnels: no page but the one before leads to the next, and only the last is about the topic.
TUNNELS: dict[str, tuple[Piece, ...]] = {
    "The trades": (
        Piece("/trades/", "The trades", "village", "Who mends what, and when they come."),
        Piece("/trades/roofer", "Solar roofs: a roofer's notes", "solar", "I have laid solar energy on ninety roofs."),
    ),
    "Museums": (
        Piece("/museums/", "Museums", "museum", "Places to be on a wet Sunday."),
        Piece("/museums/east-wing", "The east wing", "museum", "Through the door behind the third clock."),
        Piece(
            "/museums/sun-engines", "The sun engines of 1878", "solar", "A steam engine that ran on solar energy alone."
        ),
    ),
    "Old letters": (
        Piece("/letters/", "Old letters", "letters", "The almanac keeps what its readers wrote."),
        Piece("/letters/1974/", "Letters of 1974", "letters", "The year of the long postal strike."),
        Piece("/letters/1974/hills", "From the hills", "letters", "A bundle tied with string."),
        Piece(
            "/letters/1974/cooker",
            "How we cook with the sun",
            "solar",
            "There is no wood here, but solar energy enough.",
        ),
    ),
}
MORE_SUN = (("/entries/solar-energy", "Solar energy"), ("http://solarhome.example/guides/", "Guides to solar energy"))

# One line for each place that the little web has, so that a walk from here meets them all.
PLACES = (
    ("http://solarhome.example/", "The Sunny House"),
    ("http://news.example/", "The Valley Post"),
    ("http://www.sunclub.example/", "The sun club"),
    ("http://bücher.example/", "Bücher: a bookshop"),
    ("http://many.example/", "Many small sites"),
    ("http://lodge.example/", "The lodge"),
    ("http://attic.example/", "The attic"),
    ("http://soft404.example/", "A shop that never says no"),
    ("http://parked.example/", "Sunbeam magazine, once"),
    ("http://gone.example/", "A site in decay"),
    ("http://ring.example/", "Round and round"),
    ("http://slow.example/", "The slow reader"),
    ("http://busy.example/", "The busy office"),
    ("http://private.example/", "A private club"),
    ("http://brokenrobots.example/", "A house without a doorkeeper"),
    ("http://shop.example/", "The corner shop"),
    ("http://odd.example/", "Odds and ends"),
)


def sites() -> list[Site]:
    """The one site of this file."""
    pages = sent_in_turn({**_entries(), **_tunnels(), "/": _contents(), "/links": _places()})
    routes = {**pages, "/robots.txt": redirect("/robots-for-all.txt", 301), "/robots-for-all.txt": robots("Disallow:")}
    relevant = frozenset(piece.path for piece in (*SOLAR, *(pieces[-1] for pieces in TUNNELS.values())))
    return [Site(HOST, "an encyclopedia that links to everything", fixed(LOOK, routes), relevant)]


def _entries() -> dict[str, Reply]:
    hub = Piece(
        "/entries/", "Entries from bread to wind", "museum", "Each of them has been in print since the first year.", 3
    )
    places = further(SOLAR[1:]) + link_list(PLACES[:4])
    return {**section(LOOK, hub, (*SOLAR, *OTHERS)), SOLAR[0].path: article(LOOK, SOLAR[0], places)}


def _tunnels() -> dict[str, Reply]:
    pages = {}
    for pieces in TUNNELS.values():
        for piece, onward in pairwise(pieces):
            pages[piece.path] = article(LOOK, piece, further([onward]))
        pages[pieces[-1].path] = article(LOOK, pieces[-1], link_list(MORE_SUN))
    return pages


def _contents() -> Reply:
    said = "Everything a household ought to know, and some things it need not."
    body = paragraphs([said, *prose("museum", "home", 15)])
    body += "<h2>Entries</h2>" + link_list((piece.path, piece.title) for piece in (*OTHERS[:6], *SOLAR[:1]))
    body += "<h2>More</h2>" + link_list((pieces[0].path, name) for name, pieces in TUNNELS.items())
    return page_reply(LOOK, "The Household Almanac", body)


def _places() -> Reply:
    body = paragraphs(["The almanac has friends in many places, not all of them in good health."])
    return page_reply(LOOK, "Other places", body + link_list(PLACES))
