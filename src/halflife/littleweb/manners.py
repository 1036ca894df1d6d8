"""Sites that try the manners of a crawler: one is slow, one is busy, two have rules about who may come in."""

from __future__ import annotations

from http import HTTPStatus

from msgspec.structs import replace

from halflife.littleweb.markup import Look, link_list, page_reply, paragraphs, text_reply
from halflife.littleweb.piece import Piece, articles, section, shelf
from halflife.littleweb.prose import prose
from halflife.littleweb.site import Answering, Site, World, fixed
from halflife.littleweb.wire import Reply, Request

SLOW = Look("The Slow Reader", "#5d4037", (("/", "Home"),))
SLOW_PIECES = shelf(
    "/",
    "solar",
    ("patience", "Solar energy takes its time", "Eight minutes from the sun, and then a while in our old server."),
)
BUSY = Look("The Busy Office", "#b71c1c", (("/", "Home"),))
BUSY_PIECES = shelf(
    "/forms/",
    "solar",
    ("permit", "How to apply for a solar roof", "Solar energy needs a form in three copies."),
    ("grant", "Grants for solar energy", "There is money for solar energy, once the form has been found."),
)
PRIVATE = Look("The Private Club", "#263238", (("/", "Home"), ("/public/", "Public"), ("/members/", "Members")))
PUBLIC_PIECES = shelf(
    "/public/",
    "solar",
    ("talk", "A talk on solar energy", "The club invites you to a talk on solar energy, with slides."),
)
MEMBER_PIECES = shelf(
    "/members/",
    "solar",
    ("minutes", "Minutes: the solar energy committee", "Not for the public: what the club thinks of solar energy."),
    ("cellar", "The club's solar energy store", "Not for the public: where the batteries are."),
    ("open/day", "Open day: see our solar roof", "Members show their solar energy to everyone, once a year."),
)
PRIVATE_ROBOTS = """\
# The club lets everyone see the open day, and nobody the rest of the members' pages.
User-agent: *
Disallow: /members/
Allow: /members/open/
Disallow: /*.cgi$
Disallow: /search?
Crawl-delay: 0.2

User-agent: greedybot
Disallow: /
"""
NO_KEEPER = Look("No Doorkeeper", "#4a148c", (("/", "Home"),))


def sites() -> list[Site]:
    """All sites of this file."""
    open_day = MEMBER_PIECES[-1].path
    return [
        Site("slow.example", "thinks a while before it answers", _slow(), frozenset({SLOW_PIECES[0].path})),
        Site(
            "busy.example",
            "429 with Retry-After at first, then recovers",
            _busy(),
            frozenset(piece.path for piece in BUSY_PIECES),
        ),
        Site(
            "private.example",
            "robots.txt keeps folders closed and asks for a crawl delay",
            _private(),
            frozenset({PUBLIC_PIECES[0].path, open_day}),
        ),
        Site("brokenrobots.example", "robots.txt answers 503: nothing may be fetched now", _no_keeper()),
    ]


def _slow() -> Answering:
    home = paragraphs(["Good things come to those who wait."]) + paragraphs(prose("letters", "slow", 15))
    links = link_list([*((piece.path, piece.title) for piece in SLOW_PIECES), ("/snail", "The snail")])
    snail = Piece("/snail", "The snail", "garden", "It has all day.")
    known = fixed(
        SLOW,
        {"/": page_reply(SLOW, "The Slow Reader", home + links), **articles(SLOW, (*SLOW_PIECES, snail))},
    )

    def answer(request: Request, world: World) -> Reply:
        return replace(known(request, world), wait_seconds=world.dials.slow_seconds)

    return answer


def _busy() -> Answering:
    hub = Piece("/", "The office for roofs and wires", "village", "Please take a number.", 6)
    known = fixed(BUSY, section(BUSY, hub, BUSY_PIECES))

    def answer(request: Request, world: World) -> Reply:
        if request.route == "/robots.txt" or world.asked[request.host] > world.dials.busy_refusals:
            return known(request, world)
        body = paragraphs(["Too many people at once. Please come back later."])
        after = (("Retry-After", str(world.dials.retry_after_seconds)),)
        return replace(page_reply(BUSY, "Please wait", body), status=HTTPStatus.TOO_MANY_REQUESTS, headers=after)

    return answer


def _private() -> Answering:
    public = Piece("/public/", "Open to all", "museum", "What the club shows to everyone.")
    members = Piece("/members/", "Members only", "museum", "You should not be reading this.")
    home = paragraphs(["A club for people with a good lock on the door.", *prose("letters", "club", 15)])
    home += link_list([
        ("/public/", "Open to all"),
        ("/members/", "Members only"),
        ("/members/minutes", "Minutes of the committee"),
        ("/members/open/day", "Open day on the roof"),
        ("/door.cgi", "The door"),
        ("/search?q=solar", "Search"),
    ])  # fmt: skip
    routes = {
        "/": page_reply(PRIVATE, "The Private Club", home),
        **section(PRIVATE, public, PUBLIC_PIECES),
        **section(PRIVATE, members, MEMBER_PIECES),
        "/door.cgi": page_reply(PRIVATE, "The door", paragraphs(["Knock twice."])),
        "/search": page_reply(PRIVATE, "Search", paragraphs(["Nothing was found."])),
        "/robots.txt": text_reply(PRIVATE_ROBOTS),
    }
    return fixed(PRIVATE, routes)


def _no_keeper() -> Answering:
    home = paragraphs(["Who comes here has not asked at the door."]) + paragraphs(prose("solar", "brokenrobots", 15))
    closed = Reply(b"The doorkeeper is ill.\n", 503, "text/plain; charset=utf-8")
    return fixed(
        NO_KEEPER, {"/": page_reply(NO_KEEPER, "Solar energy without a doorkeeper", home), "/robots.txt": closed}
    )
