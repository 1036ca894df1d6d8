"""solarhome.example: a healthy site. Guides to solar energy, and a garden and a kitchen without it."""

from __future__ import annotations

from halflife.littleweb.lists import sitemap, sitemap_index
from halflife.littleweb.markup import Look, link_list, page_reply, paragraphs
from halflife.littleweb.media import document, figure, film, hum, icon, picture
from halflife.littleweb.piece import Piece, article, further, section, sent_in_turn, shelf
from halflife.littleweb.prose import prose
from halflife.littleweb.site import Site, fixed, robots
from halflife.littleweb.wire import Reply

HOST = "solarhome.example"
HOME = f"http://{HOST}"
LOOK = Look(
    "The Sunny House",
    "#a8480b",
    (
        ("/", "Home"),
        ("/guides/", "Guides"),
        ("/garden/", "Garden"),
        ("/kitchen/", "Kitchen"),
        ("/gallery/", "Gallery"),
        ("/about", "About"),
    ),
)
ICON = '<link rel="icon" href="/media/icon.png" type="image/png">'

PANELS = shelf(
    "/guides/panels/",
    "solar",
    (
        "choosing",
        "Choosing solar panels",
        "Two panels of one size can differ by a third in the solar energy they give.",
    ),
    (
        "tilt",
        "Tilt and direction",
        "A roof need not face south to harvest solar energy, but it helps to know by how much.",
    ),
    ("shade", "The price of shade", "One chimney can take more solar energy from a roof than a week of rain."),
    ("cleaning", "Cleaning a solar roof", "Most roofs never need it; ours, beside a farm, did."),
    (
        "tiles",
        "Photovoltaic tiles",
        "They look like slate, cost like silver, and turn sunlight into power all the same.",
    ),
)
STORAGE = shelf(
    "/guides/storage/",
    "solar",
    ("batteries", "A battery for solar energy", "How much of the afternoon sun can be kept for the evening?"),
    (
        "hot-water",
        "Sunshine in the hot water tank",
        "The cheapest store for solar energy stands in most cellars already.",
    ),
    ("cars", "Driving on solar energy", "A parked car is a large battery on four wheels."),
)
MONEY = shelf(
    "/guides/money/",
    "solar",
    (
        "prices",
        "What solar energy costs today",
        "Prices fell by half in ten years, and the scaffold is now the dear part.",
    ),
    ("payback", "When a solar roof has paid for itself", "We kept every bill, so here are the sums."),
    ("selling", "Selling solar power to the grid", "What the roof makes and the house does not use can be sold."),
)
HEAT = shelf(
    "/guides/heat/",
    "solar",
    (
        "collectors",
        "Solar collectors for warm water",
        "A black pipe under glass is the oldest way to use solar energy.",
    ),
    ("hay", "Drying hay with the sun", "Three farms tell how solar energy has replaced their oil burners."),
    (
        "cooker",
        "A solar cooker from a hat box",
        "On a bright day this box of foil bakes bread with nothing but solar energy.",
    ),
)
GUIDES = {"Panels": PANELS, "Storage": STORAGE, "Money": MONEY, "Heat": HEAT}

GARDEN = shelf(
    "/garden/",
    "garden",
    ("beans", "Beans on strings", "They want warmth, a pole and little else."),
    ("compost", "Compost without a smell", "It smells when it cannot breathe."),
    ("pears", "Pears against the wall", "Ours was planted by an aunt who disliked pears."),
    ("slugs", "A peace treaty with slugs", "We leave them the lower leaves."),
    ("lamps", "Lamps along the path", "They run on solar energy, go on at dusk and are gone by ten."),
    ("potatoes", "Nine kinds of potato", "Blue ones taste like white ones, only bluer."),
    ("hedge", "Laying a hedge", "It takes a winter, a billhook and a friend."),
)
KITCHEN = shelf(
    "/kitchen/",
    "cooking",
    ("onion-tart", "Onion tart", "Cut the onions before you invite the guests."),
    ("bean-soup", "Bean soup for a cold day", "It is better on the second day."),
    ("dried-tomatoes", "Dried tomatoes", "Our editor calls them preserved solar energy; we call them tomatoes."),
    ("pear-cake", "Pear cake", "A cake for the weeks when nobody wants pears any more."),
    ("flat-bread", "Flat bread", "It needs no oven, only a pan and a firm hand."),
    ("stew", "Potato stew", "Any potato will do, and most carrots."),
    ("pickles", "Pickles in a stone jar", "They are ready when the lid begins to lift."),
)
ABOUT = Piece(
    "/about", "About the house", "village", "We are two families under one roof, and this is our notice board.", 6
)
LETTERS = Piece("/letters", "Letters to the house", "letters", "What visitors left in the box at the gate.")


def sites() -> list[Site]:
    """The one site of this file."""
    pages = sent_in_turn(_pages())
    shown = {f"{HOME}{path}" for path in pages}
    guides = sorted(url for url in shown if "/guides/" in url)
    routes = {
        **pages,
        **_media(),
        "/robots.txt": robots("Disallow: /admin/", f"Sitemap: {HOME}/sitemap.xml"),
        "/sitemap.xml": sitemap_index([f"{HOME}/sitemap-guides.xml.gz", f"{HOME}/sitemap-rest.xml"]),
        "/sitemap-guides.xml.gz": sitemap(guides, packed=True),
        "/sitemap-rest.xml": sitemap(sorted(shown.difference(guides))),
    }
    relevant = frozenset(path for path in pages if path in ("/", "/gallery/") or path.startswith("/guides/"))
    return [Site(HOST, "guides to solar energy, beside a garden and a kitchen", fixed(LOOK, routes), relevant)]


def _pages() -> dict[str, Reply]:
    pages = {"/": _home(), "/guides/": _guides(), "/gallery/": _gallery()}
    for name, pieces in GUIDES.items():
        folder = pieces[0].path.rpartition("/")[0] + "/"
        about = Piece(folder, f"Guides to solar energy: {name.lower()}", "solar", "What we learned, in order.")
        pages |= section(LOOK, about, pieces, ICON)
    for folder, title, pieces in (("/garden/", "The garden", GARDEN), ("/kitchen/", "The kitchen", KITCHEN)):
        about = Piece(folder, title, pieces[0].topic, "What grows here, and what becomes of it.")
        pages |= section(LOOK, about, pieces, ICON)
    links = link_list([
        ("/letters", "Letters to the house"),
        ("/garden/?from=about", "The garden"),
        ("http://almanac.example/", "The Household Almanac"),
    ])  # fmt: skip
    pages["/about"] = article(LOOK, ABOUT, links, _head("/about"))
    pages["/letters"] = article(LOOK, LETTERS, "", _head("/letters"))
    return pages


def _head(path: str) -> str:
    """What the head of a page says about it: its one address, whatever parameters it was asked with."""
    return f'{ICON}<link rel="canonical" href="{HOME}{path}">'


def _home() -> Reply:
    picked = (PANELS[0], STORAGE[0], MONEY[1], HEAT[2], GARDEN[4], KITCHEN[0])
    body = paragraphs(["This house lives on solar energy. We write down how, with all numbers and all mistakes."])
    body += figure(
        "/media/house.svg", "A house with solar panels on its roof", "The house in June, seen from the lane."
    )
    body += paragraphs(prose("solar", "home", 15)) + further(picked)
    body += "<h2>Neighbours</h2>" + link_list([
        ("http://news.example/energy/solar/", "The Valley Post: solar energy"),
        ("http://sunclub.example/", "The sun club"),
        ("http://shop.example/", "The corner shop"),
    ])  # fmt: skip
    about = '<meta name="description" content="Solar energy at home: guides with numbers">'
    return page_reply(LOOK, "A house that runs on solar energy", body, _head("/") + about)


def _guides() -> Reply:
    body = paragraphs(["Fourteen guides to solar energy, from the first panel to the last bill."])
    for name, pieces in GUIDES.items():
        body += f"<h2>{name}</h2>" + link_list((one.path, one.title) for one in pieces)
        body += link_list([(pieces[0].path.rpartition("/")[0] + "/", f"All about {name.lower()}")])
    return page_reply(
        LOOK, "Guides to solar energy", body + paragraphs(prose("solar", "guides", 15)), _head("/guides/")
    )


def _gallery() -> Reply:
    body = paragraphs(["Pictures, a film and sounds from ten years of solar energy in Oakhurst."])
    body += figure("/media/array.svg", "Solar array on a barn", "Solar energy for the dairy: the array on the barn.")
    body += figure("/media/sunset.svg", "The house at sunset", "When the sun is low the battery takes over.")
    body += (
        '<figure><video controls poster="/media/house.svg" src="/media/snow.mp4" width="640"></video>'
        "<figcaption>Film: snow slides off the solar panels.</figcaption></figure>"
        '<figure><audio controls src="/media/inverter.wav"></audio>'
        "<figcaption>Sound: the inverter turning solar power into current.</figcaption></figure>"
    )
    body += "<h2>To print</h2>" + link_list([("/media/solar-handbook.pdf", "The solar energy handbook (PDF)")])
    return page_reply(
        LOOK, "Solar energy in pictures", body + paragraphs(prose("solar", "gallery", 15)), _head("/gallery/")
    )


def _media() -> dict[str, Reply]:
    return {
        "/media/icon.png": icon(),
        "/media/house.svg": picture("#cfe6f5", 4, (330, 70)),
        "/media/array.svg": picture("#dbeaf0", 5, (520, 80)),
        "/media/sunset.svg": picture("#f3c9a5", 3, (90, 235)),
        "/media/snow.mp4": film(),
        "/media/inverter.wav": hum(),
        "/media/solar-handbook.pdf": document(
            ["Solar energy: the handbook of the sunny house", "Chapter one: the roof."]
        ),
    }
