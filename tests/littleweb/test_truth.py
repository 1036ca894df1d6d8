"""The healthy sites are whole, and what is said to be on the topic is."""

from __future__ import annotations

import re
from itertools import pairwise
from urllib.parse import urlsplit

import can_ada
import pytest

from halflife.littleweb import LittleWeb, Site
from halflife.littleweb.almanac import TUNNELS
from littleweb.reading import Get, links, prose_of, walk

HEALTHY = (
    "solarhome.example",
    "news.example",
    "almanac.example",
    "www.sunclub.example",
    "lodge.example",
    "many.example",
)
TOPIC = re.compile(r"solar|photovoltaic", re.IGNORECASE)
PASSING_MENTIONS_MAX = 2  # a reader does not take a page with so few for one about the topic
MENTIONS_LEAST = 4


def site(web: LittleWeb, host: str) -> Site:
    return next(site for site in web.sites if site.host == host)


@pytest.mark.parametrize("host", HEALTHY)
def test_every_link_of_a_healthy_site_leads_to_a_page(web: LittleWeb, host: str) -> None:
    replies = walk(site(web, host))
    assert {path: reply.status for path, reply in replies.items() if reply.status != 200} == {}


def test_the_sites_have_as_many_pages_as_a_short_crawl_can_take(web: LittleWeb) -> None:
    pages = {
        f"{host}{path}" for host in HEALTHY for path, reply in walk(site(web, host)).items() if b"<html" in reply.body
    }
    assert 100 < len(pages) < 160
    assert 0.2 < len(web.relevant()) / len(pages) < 0.7


@pytest.mark.parametrize("host", HEALTHY)
def test_no_other_page_of_a_healthy_site_would_fool_a_reader(web: LittleWeb, host: str) -> None:
    relevant = site(web, host).relevant
    for path, reply in walk(site(web, host)).items():
        if reply.content_type.startswith("text/html") and path.partition("?")[0] not in relevant:
            assert len(TOPIC.findall(prose_of(reply.body))) <= PASSING_MENTIONS_MAX, path


def test_some_pages_mention_the_topic_in_passing(web: LittleWeb) -> None:
    passing = [
        path
        for path, reply in {**walk(site(web, "solarhome.example")), **walk(site(web, "news.example"))}.items()
        if reply.content_type.startswith("text/html") and 1 <= len(TOPIC.findall(prose_of(reply.body))) <= 2
    ]
    assert "/garden/lamps" in passing
    assert len(passing) >= 5


def test_every_relevant_page_is_there_and_about_the_topic(web: LittleWeb, get: Get) -> None:
    assert len(web.relevant()) > 50
    get(web.url("busy.example"))  # it turns its first visitor away
    for url in sorted(web.relevant()):
        status, headers, body = get(url)
        said = prose_of(body)
        assert status == 200, url
        assert len(TOPIC.findall(said)) >= MENTIONS_LEAST, url
        assert re.search("solar energy", said, re.IGNORECASE), url
        assert "noindex" not in body.decode("latin-1") + headers.get("x-robots-tag", ""), url


def test_relevant_addresses_are_canonical(web: LittleWeb) -> None:
    for url in web.relevant():
        assert can_ada.parse(url).href == url


def test_links_lead_from_the_seeds_to_every_host(web: LittleWeb) -> None:
    met: set[str] = set()
    waiting = [urlsplit(seed).hostname or "" for seed in web.seeds]
    while waiting:
        host = waiting.pop()
        if host in web.hosts and host not in met:
            met.add(host)
            leads = [
                url for path, reply in walk(site(web, host)).items() for url in links(f"http://{host}{path}", reply)
            ]
            waiting += {(urlsplit(url).hostname or "").encode("idna").decode() for url in leads if "//" in url}
    assert met == set(web.hosts)


def test_a_page_at_the_end_of_a_tunnel_has_no_other_way_in(web: LittleWeb) -> None:
    replies = {f"{host}{path}": reply for host in web.hosts for path, reply in walk(site(web, host)).items()}
    lengths = []
    for pieces in TUNNELS.values():
        lengths.append(len(pieces) - 1)
        for before, piece in pairwise(pieces):
            doors = {name for name, reply in replies.items() if f'"{piece.path}"'.encode() in reply.body}
            assert doors == {f"almanac.example{before.path}"}
        assert not any(TOPIC.search(piece.title) for piece in pieces[:-1])
    assert lengths == [1, 2, 3]
