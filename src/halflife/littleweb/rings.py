"""ring.example: redirects of every sort. Some lead somewhere."""

from __future__ import annotations

import re

from halflife.littleweb.markup import Look, link_list, page_reply, paragraphs, redirect
from halflife.littleweb.piece import Piece, article
from halflife.littleweb.prose import prose
from halflife.littleweb.site import Site, World, fixed
from halflife.littleweb.wire import Reply, Request

LOOK = Look("Round and Round", "#00695c", (("/", "Home"),))
UNDER, OVER = 12, 25  # how many redirects the two chains have: browsers and crawlers give up after 20
_STEP = re.compile(r"/(under|over)/([1-9]\d{0,3})")  # any number may be asked for
LINKS = (
    (f"/under/{UNDER}", "Twelve redirects"),
    (f"/over/{OVER}", "Twenty-five redirects"),
    ("/moved", "Solar energy, moved for good"),
    ("/ring/1", "A ring of three"),
    ("/self", "A page that leads to itself"),
    ("/away", "A redirect to another host"),
    ("/nowhere", "A redirect without a place"),
    ("/nonsense", "A redirect to nonsense"),
    ("/inside", "A redirect to where nobody from outside may go"),
    ("/closed", "A redirect to a name without an address"),
)
ENDS = {
    "under": Piece(
        "/under/0", "At the end of twelve redirects", "solar", "Solar energy has moved often since the first cells."
    ),
    "over": Piece(
        "/over/0", "At the end of twenty-five redirects", "solar", "Solar energy is here, but nobody comes so far."
    ),
    "moved": Piece("/arrived", "Arrived: solar energy", "solar", "This page on solar energy had another address once."),
}


def sites() -> list[Site]:
    """The one site of this file."""
    home = page_reply(
        LOOK, "Round and Round", paragraphs(["Follow the arrows.", *prose("village", "rings", 15)]) + link_list(LINKS)
    )
    known = fixed(
        LOOK,
        {
            "/": home,
            "/moved": redirect("/arrived", 301),
            "/ring/1": redirect("/ring/2", 301),
            "/ring/2": redirect("/ring/3", 307),
            "/ring/3": redirect("/ring/1", 308),
            "/self": redirect("/self"),
            "/away": redirect("http://solarhome.example/guides/panels/tilt", 303),
            "/nowhere": Reply(status=302),
            "/nonsense": redirect("http://[not an address"),
            "/inside": redirect("http://169.254.169.254/latest/meta-data/"),
            "/closed": redirect("http://closed.onion/sun"),
            **{piece.path: article(LOOK, piece) for piece in ENDS.values()},
        },
    )

    def answer(request: Request, world: World) -> Reply:
        step = _STEP.fullmatch(request.route)
        return redirect(f"/{step[1]}/{int(step[2]) - 1}", 301) if step else known(request, world)

    # What lies behind more than twenty redirects is not to be had.
    relevant = frozenset({ENDS["under"].path, ENDS["moved"].path})
    return [Site("ring.example", "redirects: rings, chains short and long, to other hosts", answer, relevant)]
