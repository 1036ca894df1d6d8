"""soft404.example, parked.example and gone.example: three ways for pages to be dead."""

from __future__ import annotations

import random
from html import escape
from urllib.parse import unquote

from halflife.littleweb.markup import Look, html_page, link_list, not_found, page_reply, paragraphs
from halflife.littleweb.piece import articles, further, shelf
from halflife.littleweb.prose import prose
from halflife.littleweb.site import Answering, Route, Site, World, fixed
from halflife.littleweb.wire import Reply, Request

SOFT = Look("Everything Store", "#7a2e5d", (("/", "Home"),))
SOFT_PIECES = shelf(
    "/goods/",
    "solar",
    ("panel-kit", "A solar panel kit for the shed", "With this kit the shed has solar energy by Sunday night."),
    (
        "charger",
        "A solar charger for the window sill",
        "It fills a telephone with solar energy while you read the paper.",
    ),
)
SOFT_MISSING = ("/goods/solar-lantern", "/goods/old-stock", "/offers/2019/", "/offers/2019/winter.html")

PARKED = Look(
    "parked.example", "#555555", closing="This domain is parked. The owner may be reached through the registrar."
)
SEARCHES = ("Sun Lamps", "Solar Panels Near Me", "Cheap Electricity", "Roof Insurance", "Magazine Subscriptions")

GONE = Look(
    "The Sun Post",
    "#8a5a00",
    (("/", "Home"), ("/links", "Links")),
    closing="Last changed in 2009. Best seen in any browser.",
)
GONE_PIECES = shelf(
    "/articles/",
    "solar",
    ("first-roof", "The first solar roof of the county", "When this was written, solar energy was still a wonder."),
    (
        "subsidy",
        "Solar energy and the subsidy of 2008",
        "Hurry, it says here, the money for solar energy will not last.",
    ),
)
GONE_LINKS = (
    ("/articles/first-roof", "The first roof of the county"),
    ("/articles/deleted", "Deleted since"),
    ("/articles/withdrawn", "Withdrawn for good"),
    ("/articles/broken", "A page that breaks the server"),
    ("/articles/empty", "A page with nothing on it"),
    ("/articles/no-content", "A page that is not even empty"),
    ("/articles/end", "A dead end"),
    ("http://soft404.example/goods/retired", "The store's old catalogue"),
    ("http://parked.example/issue/12", "Sunbeam magazine, issue 12"),
    ("http://closed.onion/", "A friend's page on solar cookers"),  # see LittleWeb.nowhere
)


def sites() -> list[Site]:
    """All sites of this file."""
    return [
        Site(
            "soft404.example",
            "answers 200 to whatever is missing",
            _soft404(),
            frozenset(piece.path for piece in SOFT_PIECES),
        ),
        Site("parked.example", "a name for sale, the same page everywhere", _parked),
        Site(
            "gone.example",
            "a site in decay: 404, 410, 500, empty pages, dead ends",
            fixed(GONE, _gone()),
            frozenset(piece.path for piece in GONE_PIECES),
        ),
    ]


def _soft404() -> Answering:
    home = paragraphs(
        ["We have everything. If we do not have it, we have something like it.", *prose("village", "store", 15)]
    )
    home += further(SOFT_PIECES) + link_list((path, path.strip("/")) for path in SOFT_MISSING)
    pages = {"/": page_reply(SOFT, "Everything Store", home), **articles(SOFT, SOFT_PIECES)}

    def answer(request: Request, _: World) -> Reply:
        if request.route == "/robots.txt":
            return not_found(SOFT)  # a text that is none would be read as a rule
        return pages.get(request.route) or _something_like(request.path)

    return answer


def _something_like(path: str) -> Reply:
    """What a missing page becomes: it is named, wished well, and has a number that no other has."""
    number = random.Random(path).randrange(10**9)
    name = unquote(path)
    body = f"<p>We looked for <b>{escape(name)}</b> and found something you may like better.</p>"
    body += paragraphs([f"Your search has the number {number}.", "Please try our home page."]) + link_list(
        [("/", "Home")]
    )
    return page_reply(SOFT, f"Results for {name}", body)


def _parked(request: Request, _: World) -> Reply:
    if request.route == "/robots.txt":
        return not_found(PARKED)
    links = link_list((f"/search?q={name.replace(' ', '+')}", name) for name in SEARCHES)
    body = paragraphs(["This domain may be for sale. Make an offer today."]) + "<h2>Related searches</h2>" + links
    return page_reply(PARKED, "parked.example is for sale", body)


def _gone() -> dict[str, Route]:
    home = paragraphs(["All the news about the sun, when there is any."]) + paragraphs(prose("letters", "gone", 15))
    broken = Reply(html_page(GONE, "Server error", paragraphs(["Something broke."])).encode(), 500)
    return {
        "/": page_reply(GONE, "The Sun Post", home + further(GONE_PIECES) + link_list([("/links", "Links")])),
        "/links": page_reply(GONE, "Links", paragraphs(prose("letters", "links", 15)) + link_list(GONE_LINKS)),
        **articles(GONE, GONE_PIECES, more=link_list(GONE_LINKS[1:3])),
        "/articles/withdrawn": not_found(GONE, 410),
        "/articles/broken": broken,
        "/articles/empty": Reply(),
        "/articles/no-content": Reply(status=204),
        "/articles/end": Reply(b"<!DOCTYPE html><title>The end</title><p>Nothing leads on from here."),
    }
