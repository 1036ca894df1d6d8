"""Hosts and their names: with and without www, many on one server, a name with an umlaut, two sites on one address."""

from __future__ import annotations

from halflife.littleweb.markup import Look, link_list, page_reply, paragraphs, redirect
from halflife.littleweb.piece import Piece, article, articles, further, section, sent_in_turn, shelf
from halflife.littleweb.prose import prose
from halflife.littleweb.site import Route, Site, World, fixed, robots
from halflife.littleweb.wire import Reply, Request

CLUB = Look("The Sun Club", "#c75b00", (("/", "Home"),))
CLUB_PIECES = shelf(
    "/reports/",
    "solar",
    ("spring", "Solar energy: our spring report", "All members have read their meters, and solar energy has won."),
    ("autumn", "Solar energy: our autumn report", "The sun went early this year, and solar energy with it."),
)
BOOKS = Look("Bücher", "#6d4c41", (("/", "Home"),))
BOOK_PIECES = (
    Piece("/b%C3%BCcher/sonne", "Books on solar energy", "solar", "The whole wall to the left is about solar energy."),
    Piece("/b%C3%BCcher/garten", "Books on gardens", "garden", "They smell of earth, and some of tea."),
)
MANY = Look("Many small sites", "#37474f")
# One server, one registrable domain: letter of the subdomain, topic, title, lead.
MANY_SITES = (
    ("a", "solar", "Anna's solar roof", "I write about solar energy, when the sun lets me."),
    ("b", "football", "Ben's match reports", "Every home match since the flood."),
    ("c", "cooking", "Clara cooks", "Mostly soup."),
    ("d", "village", "David's lane", "News from four houses."),
    ("e", "solar", "Esra and the inverter", "A diary of solar energy and one noisy box."),
    ("f", "garden", "Frank's frost diary", "It came early."),
)
LODGE = Look("The Lodge", "#4e342e", (("/", "Home"), ("http://attic.example/", "The attic")))
ATTIC = Look("The Attic", "#4e342e", (("/", "Home"), ("http://lodge.example/", "The lodge")))


def sites() -> list[Site]:
    """All sites of this file."""
    return [*_club(), _books(), *_many(), *_shared()]


def _club() -> list[Site]:
    www = "http://www.sunclub.example"
    hub = Piece("/", "The sun club of the valley", "solar", "We meet on Mondays to compare our solar energy.")
    pages = section(CLUB, hub, CLUB_PIECES)
    routes: dict[str, Route] = {**pages, "/robots.txt": robots("Disallow:")}

    def bare(request: Request, _: World) -> Reply:
        return redirect(www + request.path, 301)

    return [
        Site("www.sunclub.example", "the name that counts", fixed(CLUB, routes), frozenset(pages), "sunclub"),
        Site("sunclub.example", "the same name without www: leads there", bare, server="sunclub"),
    ]


def _books() -> Site:
    hub = Piece("/", "Bücher, new and old", "museum", "A bookshop with an umlaut in its name and in its addresses.")
    links = link_list([("/bücher/sonne", "Bücher: solar energy"), ("/bücher/garten", "Bücher: gardens")])
    pages = {"/": article(BOOKS, hub, links), **articles(BOOKS, BOOK_PIECES)}
    return Site(
        "xn--bcher-kva.example",
        "bücher.example as it is asked for",
        fixed(BOOKS, pages),
        frozenset({BOOK_PIECES[0].path}),
    )


def _many() -> list[Site]:
    """A server of many subdomains. Whoever paces by name only asks it too much."""
    homes = [(f"http://{letter}.many.example/", title) for letter, _, title, _ in MANY_SITES]
    body = paragraphs(["Everyone gets a name here and two pages."]) + link_list(homes)
    server = [
        Site(
            "many.example",
            "many names, one server",
            fixed(MANY, {"/": page_reply(MANY, "Many small sites", body)}),
            server="many",
        )
    ]
    for letter, topic, title, lead in MANY_SITES:
        look = Look(title, "#37474f", (("/", "Home"), ("http://many.example/", "All sites")))
        home = Piece("/", title, topic, lead)
        diary = Piece("/diary", f"{title}: the diary", topic, f"{lead} Here is the rest.")
        pages = {"/": article(look, home, further([diary])), "/diary": article(look, diary)}
        relevant = frozenset(pages if topic == "solar" else ())
        server.append(Site(f"{letter}.many.example", f"one of the many: {topic}", fixed(look, pages), relevant, "many"))
    return server


def _shared() -> list[Site]:
    """Two owners, two registrable domains, one address."""
    made = []
    for name, look, piece, other in (
        (
            "lodge",
            LODGE,
            Piece("/roof", "The lodge and its solar roof", "solar", "Guests shower with solar energy."),
            "museum",
        ),
        (
            "attic",
            ATTIC,
            Piece("/meter", "A meter in the attic", "solar", "It counts the solar energy of the house."),
            "letters",
        ),
    ):
        home = paragraphs(prose(other, name, 15)) + further([piece])
        pages = sent_in_turn({"/": page_reply(look, look.name, home), piece.path: article(look, piece)})
        about = "shares its address with another owner's site"
        made.append(Site(f"{name}.example", about, fixed(look, pages), frozenset({piece.path}), "shared"))
    return made
