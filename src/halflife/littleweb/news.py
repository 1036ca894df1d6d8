"""news.example: a newspaper with feeds, an archive, a calendar without end, and pages that change with the tick."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from datetime import date, timedelta
from html import escape

from msgspec import Struct

from halflife.littleweb.lists import Entry, atom, rss
from halflife.littleweb.markup import Look, link_list, not_found, page_reply, paragraphs
from halflife.littleweb.piece import Piece, sent_in_turn, written
from halflife.littleweb.prose import prose, sentence
from halflife.littleweb.site import Route, Site, World, fixed, robots
from halflife.littleweb.wire import Reply, Request

HOST = "news.example"
HOME = f"http://{HOST}"
LOOK = Look(
    "The Valley Post",
    "#1f4e79",
    (
        ("/", "Front page"),
        ("/energy/", "Energy"),
        ("/sport/", "Sport"),
        ("/village/", "Village"),
        ("/archive/", "Archive"),
        ("/calendar/2024/05/", "Calendar"),
    ),
)
FEEDS = (
    '<link rel="alternate" type="application/rss+xml" title="All news" href="/feed.rss">'
    '<link rel="alternate" type="application/atom+xml" title="Energy" href="/energy/feed.atom">'
)
FIRST_DAY = date(2023, 9, 4)
DAYS_BETWEEN = 9
FRONT_STORIES = 10  # on the front page and in the feed
TEASERS = "utm_source=front&utm_medium=teaser"  # what newspapers hang on the links of their own front page

# In the order in which they were printed.
HEADLINES = (
    ("energy/solar", "solar", "school-roof", "School roof makes its first kilowatt hour of solar energy"),
    ("sport", "football", "opening-day", "Castle Hay stumble on the opening day"),
    ("village", "village", "goat", "Goat stops the morning bus"),
    ("energy/wind", "wind", "two-turbines", "Two turbines for the ridge"),
    ("energy/solar", "solar", "panel-prices", "Solar panels cheaper than roof tiles"),
    ("sport", "football", "fog", "Cup match lost in the fog"),
    ("energy/grid", "grid", "new-cable", "New cable reaches the coast"),
    ("village", "village", "flower-show", "Record crowd at the flower show"),
    ("energy/solar", "solar", "church", "Church votes for solar energy after all"),
    ("energy/water", "water", "mill", "Old mill turns again"),
    ("sport", "football", "late-goal", "Late goal saves the derby"),
    ("village", "village", "library", "Library to stay open on Mondays"),
    ("energy/solar", "solar", "farm-battery", "Dairy farm stores its solar energy in old car batteries"),
    ("energy/wind", "wind", "larks", "Larks counted on the wind farm"),
    ("sport", "football", "penalty", "Goalkeeper is the hero of the shoot-out"),
    ("energy/solar", "solar", "allotments", "Solar roofs over the allotments: plans on show"),
    ("village", "village", "ferry", "Ferry back in service"),
    ("energy/grid", "grid", "blackout", "Eleven minutes in the dark"),
    ("sport", "football", "new-coach", "New coach promises hard work"),
    ("energy/solar", "solar", "heat-network", "Solar heat for forty homes"),
    ("village", "village", "market", "Market square closed for paving"),
    ("energy/water", "water", "eels", "A ladder for the eels"),
    ("energy/solar", "solar", "year-in-sun", "A year of solar energy: what the valley harvested"),
    ("sport", "football", "season-ends", "Season ends as it began"),
)
# Printed one by one, with each tick. All of it gossip, so that the truth about what is relevant stays as it is.
LATER = (
    "A second goat",
    "Post office sold",
    "Choir to sing twice",
    "Bus shelter painted",
    "Regatta put off",
    "Goats found",
)


class Story(Struct, frozen=True):
    """One article of the newspaper."""

    piece: Piece
    section: str
    day: date

    @property
    def entry(self) -> Entry:
        return Entry(f"{HOME}{self.piece.path}", self.piece.title, self.day, self.piece.lead)


def sites() -> list[Site]:
    """The one site of this file."""
    stories = [_story(at, *row) for at, row in enumerate(HEADLINES)]
    pages = sent_in_turn({**_stories(stories), **_sections(stories), **_archive(stories)})
    known = fixed(LOOK, {**pages, **_changing(stories), "/robots.txt": robots("Disallow: /search")})

    def answer(request: Request, world: World) -> Reply:
        return _calendar(request.route) if request.route.startswith("/calendar/") else known(request, world)

    relevant = frozenset(path for path in pages if path.startswith("/energy/solar/"))
    return [Site(HOST, "a newspaper: feeds, an archive, a calendar without end", answer, relevant)]


def _story(at: int, section: str, topic: str, name: str, title: str) -> Story:
    day = FIRST_DAY + timedelta(days=DAYS_BETWEEN * at)
    lead = sentence("[Reported from {place} by {name}.|From our own correspondent in {place}.]", random.Random(title))
    return Story(Piece(f"/{section}/{name}.html", title, topic, lead), section, day)


def _stories(stories: list[Story]) -> dict[str, Reply]:
    """The articles. Each links to two others of its section and to the one printed before it."""
    pages = {}
    for at, story in enumerate(stories):
        kin = [one for one in stories if one.section == story.section and one is not story]
        links = [*kin[at % len(kin) :][:2], stories[at - 1]]
        head = f'<link rel="canonical" href="{story.entry.url}">'
        pages[story.piece.path] = page_reply(LOOK, story.piece.title, _printed(story) + _teasers(links), head)
    return pages


def _printed(story: Story) -> str:
    return f'<p><time datetime="{story.day}">{story.day:%A, %d %B %Y}</time></p>' + written(story.piece, LOOK.name)


def _teasers(stories: Iterable[Story], head: str = "More from the valley", tracking: str = "") -> str:
    after = f"?{tracking}" if tracking else ""
    return f"<h2>{head}</h2>" + link_list((one.piece.path + after, one.piece.title) for one in stories)


def _in_brief(seed: str) -> str:
    return "<h2>In brief</h2>" + paragraphs(prose("village", seed, 15))


def _sections(stories: list[Story]) -> dict[str, Reply]:
    pages = {}
    for section, title in (
        ("energy", "Energy: wind, water, wires and sun"),
        ("energy/solar", "Solar energy in the valley"),
        ("sport", "Sport"),
        ("village", "From the village"),
    ):
        wanted = ("energy/wind", "energy/water", "energy/grid") if section == "energy" else (section,)
        mine = [one for one in stories if one.section in wanted]
        body = paragraphs(prose(mine[0].piece.topic, section, 15)) + _teasers(mine)
        if section == "energy":
            body += link_list(
                [("/energy/solar/", "Everything under the sun"), ("/energy/feed.atom", "Energy as a feed")]
            )
        pages[f"/{section}/"] = page_reply(LOOK, title, body, FEEDS)
    return pages


def _archive(stories: list[Story]) -> dict[str, Reply]:
    """A page for each month, with what was printed then."""
    pages = {}
    months = sorted({one.day.replace(day=1) for one in stories})
    for month in months:
        mine = [one for one in stories if one.day.replace(day=1) == month]
        body = link_list((one.piece.path, f"{one.day:%d %B}: {one.piece.title}") for one in mine)
        body += _in_brief(f"{month}")
        pages[f"/archive/{month:%Y/%m}/"] = page_reply(LOOK, f"Printed in {month:%B %Y}", body)
    links = link_list((f"/archive/{month:%Y/%m}/", f"{month:%B %Y}") for month in months)
    return {**pages, "/archive/": page_reply(LOOK, "The archive", paragraphs(["Every paper since we began."]) + links)}


# -- what changes -----------------------------------------------------------------------------------------------------


def _changing(stories: list[Story]) -> dict[str, Route]:
    last = stories[-1].day
    later = [
        Story(Piece(f"/village/late-{at}.html", title, "village", prose("village", title, 1)[0]), "village", day)
        for at, (title, day) in enumerate((title, last + timedelta(days=at + 1)) for at, title in enumerate(LATER))
    ]

    def newest(world: World) -> list[Story]:
        return (stories + later[: world.tick])[::-1]

    def front(_: Request, world: World) -> Reply:
        body = paragraphs(["The paper of the valley, printed since there was a press."])
        body += _teasers(newest(world)[:FRONT_STORIES], "Today", TEASERS)
        body += link_list([("/live", "As it happens"), ("/feed.rss", "All news as a feed")])
        neighbours = (("http://solarhome.example/", "The Sunny House"), ("http://almanac.example/", "The Almanac"))
        body += link_list(neighbours)
        return page_reply(LOOK, "News from the valley", body + _in_brief("today"), FEEDS)

    def live(_: Request, world: World) -> Reply:
        notes = [f"Note {number}: {prose('village', f'live {number}', 1)[0]}" for number in range(world.tick, -1, -1)]
        return page_reply(LOOK, "As it happens", paragraphs(notes[:FRONT_STORIES]))

    def feed(_: Request, world: World) -> Reply:
        return rss(LOOK.name, f"{HOME}/", [one.entry for one in newest(world)[:FRONT_STORIES]])

    def energy_feed(_: Request, world: World) -> Reply:
        return atom(
            f"{LOOK.name}: energy", f"{HOME}/energy/", [one.entry for one in stories if "energy" in one.section]
        )

    def late(at: int) -> Route:
        return lambda _, world: (
            page_reply(LOOK, later[at].piece.title, _printed(later[at])) if at < world.tick else not_found(LOOK)
        )

    routes: dict[str, Route] = {"/": front, "/live": live, "/feed.rss": feed, "/energy/feed.atom": energy_feed}
    return {**routes, **{story.piece.path: late(at) for at, story in enumerate(later)}}


def _calendar(path: str) -> Reply:
    """A page for every month and day of every year, each with links to the next."""
    matched = re.fullmatch(r"/calendar/(\d{4})/(0[1-9]|1[0-2])/(?:([0-2]\d|3[01])/)?", path)
    if matched is None or not 1 < int(matched[1]) < 9999:
        return not_found(LOOK)
    month = date(int(matched[1]), int(matched[2]), 1)
    if matched[3]:
        title, days = f"{escape(matched[3])} {month:%B %Y}", ""
    else:
        title = f"{month:%B %Y}"
        days = link_list((f"{path}{day:02}/", f"Market day, {day} {month:%B}") for day in (7, 14, 21, 28))
    steps = (month - timedelta(days=1), "Earlier"), (month + timedelta(days=31), "Later")
    links = link_list((f"/calendar/{to.year:04}/{to:%m}/", f"{label}: {to:%B} {to.year}") for to, label in steps)
    return page_reply(LOOK, f"Calendar: {title}", paragraphs(["Nothing is planned."]) + days + links)
