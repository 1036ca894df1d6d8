"""Each site has its habits, good and bad, and keeps to them."""

from __future__ import annotations

import gzip
import os
import re
import subprocess
import sys
from http.client import HTTPConnection
from urllib.parse import urljoin
from xml.etree import ElementTree

import pytest
from protego import Protego

from halflife.littleweb import Dials, LittleWeb
from halflife.littleweb.rings import OVER, UNDER
from littleweb.reading import Get, prose_of

LOC = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"


def follow(get: Get, url: str, hops_max: int = 60) -> tuple[list[str], int]:
    """The addresses that redirects lead through, and the status at their end."""
    passed = [url]
    while len(passed) <= hops_max:
        status, headers, _ = get(passed[-1])
        if status not in (301, 302, 303, 307, 308) or "location" not in headers:
            return passed, status
        passed.append(urljoin(passed[-1], headers["location"]))
    return passed, 0


# -- the healthy ones -------------------------------------------------------------------------------------------------


def test_sitemaps_lead_to_every_page(web: LittleWeb, get: Get) -> None:
    robots = get(web.url("solarhome.example", "/robots.txt"))[2].decode()
    [sitemap] = Protego.parse(robots).sitemaps
    maps = [one.text or "" for one in ElementTree.fromstring(get(sitemap)[2]).iter(LOC)]
    assert [url.rpartition(".")[2] for url in maps] == ["gz", "xml"]
    pages: set[str] = set()
    for url in maps:
        body = get(url)[2]
        packed = gzip.decompress(body) if url.endswith(".gz") else body
        pages |= {one.text or "" for one in ElementTree.fromstring(packed).iter(LOC)}
    assert {url for url in web.relevant() if "solarhome" in url} < pages
    assert {get(url)[0] for url in pages} == {200}


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/media/icon.png", "image/png"),
        ("/media/house.svg", "image/svg+xml"),
        ("/media/snow.mp4", "video/mp4"),
        ("/media/inverter.wav", "audio/wav"),
        ("/media/solar-handbook.pdf", "application/pdf"),
    ],
)
def test_media_are_what_they_say(web: LittleWeb, get: Get, path: str, kind: str) -> None:
    starts = {
        "png": b"\x89PNG\r\n\x1a\n",
        "svg": b"<svg ",
        "mp4": b"\0\0\0\x1cftyp",
        "wav": b"RIFF",
        "pdf": b"%PDF-1.4\n",
    }
    status, headers, body = get(web.url("solarhome.example", path))
    assert (status, headers["content-type"]) == (200, kind)
    assert body.startswith(starts[path.rpartition(".")[2]])
    assert f'"{path}"' in "".join(get(web.url("solarhome.example", page))[2].decode() for page in ("/", "/gallery/"))


def test_the_places_of_a_pdf_are_right(web: LittleWeb, get: Get) -> None:
    body = get(web.url("solarhome.example", "/media/solar-handbook.pdf"))[2]
    start = int(body.rpartition(b"startxref\n")[2].split()[0])
    assert body[start:].startswith(b"xref\n")
    for number, place in enumerate(re.findall(rb"(\d{10}) 00000 n", body), 1):
        assert body[int(place) :].startswith(b"%d 0 obj" % number)


def test_pages_name_their_one_address(web: LittleWeb, get: Get) -> None:
    for path in ("/energy/solar/church.html", "/energy/solar/church.html?utm_source=front"):
        body = get(web.url("news.example", path))[2].decode()
        assert f'<link rel="canonical" href="{web.url("news.example", "/energy/solar/church.html")}">' in body


def test_feeds_are_well_formed_and_lead_to_pages(web: LittleWeb, get: Get) -> None:
    rss = ElementTree.fromstring(get(web.url("news.example", "/feed.rss"))[2])
    atom = ElementTree.fromstring(get(web.url("news.example", "/energy/feed.atom"))[2])
    leads = [item.findtext("link") or "" for item in rss.iter("item")]
    entries = list(atom.iter("{http://www.w3.org/2005/Atom}link"))
    assert len(leads) == 10
    assert len(entries) == 13
    for url in [*leads, *(one.attrib["href"] for one in entries)]:
        assert get(url)[0] == 200
    assert all(re.search(r"\d{4} 12:00:00 \+0000$", item.findtext("pubDate") or "") for item in rss.iter("item"))


def test_a_tick_prints_one_more_story(web: LittleWeb, get: Get) -> None:
    front, late = web.url("news.example"), web.url("news.example", "/village/late-0.html")
    before, feed = get(front)[2], get(web.url("news.example", "/feed.rss"))[2]
    story = get(web.url("news.example", "/energy/solar/church.html"))[2]
    assert get(late)[0] == 404
    web.tick()
    assert get(late)[0] == 200
    assert b"/village/late-0.html" in get(front)[2]
    assert get(front)[2] != before
    assert get(web.url("news.example", "/feed.rss"))[2] != feed
    assert b"Note 1:" in get(web.url("news.example", "/live"))[2]
    assert get(web.url("news.example", "/energy/solar/church.html"))[2] == story
    for _ in range(20):
        web.tick()
    assert get(front)[0] == get(web.url("news.example", "/live"))[0] == 200


# -- traps ------------------------------------------------------------------------------------------------------------


def test_the_calendar_has_no_end(web: LittleWeb, get: Get) -> None:
    url = web.url("news.example", "/calendar/2024/11/")
    for _ in range(30):
        status, _, body = get(url)
        assert status == 200
        steps = re.findall(r'<a href="(/calendar/\d{4}/\d\d/)">(Earlier|Later)', body.decode())
        url = web.url("news.example", steps[-1][0])
    assert url.endswith("/calendar/2027/05/")
    assert get(web.url("news.example", "/calendar/2024/11/28/"))[0] == 200
    for path in (
        "/calendar/",
        "/calendar/2024/13/",
        "/calendar/0000/01/",
        "/calendar/9999/12/",
        "/calendar/2024/11/40/",
    ):
        assert get(web.url("news.example", path))[0] == 404


def test_filters_multiply(web: LittleWeb, get: Get) -> None:
    known = {"/catalogue"}
    for _ in range(2):
        for path in sorted(known):
            body = get(web.url("shop.example", path))[2].decode()
            known |= {href.replace("&amp;", "&") for href in re.findall(r'href="(/catalogue\?[^"]*)"', body)}
    assert len(known) > 100


def test_sessions_rename_the_same_pages(web: LittleWeb, get: Get) -> None:
    first, second = (re.findall(rb"PHPSESSID=(\w+)", get(web.url("shop.example"))[2]) for _ in range(2))
    assert len(set(first)) == len(set(second)) == 1
    assert first != second
    kept = get(web.url("shop.example", f"/item/spade?PHPSESSID={first[0].decode()}"))[2]
    assert set(re.findall(rb"PHPSESSID=(\w+)", kept)) == set(first)


def test_a_wrong_link_nests(web: LittleWeb, get: Get) -> None:
    url = web.url("shop.example", "/help/")
    for _ in range(5):
        url = urljoin(url, "help/")
        assert b'href="help/"' in get(url)[2]
    assert url.endswith("/help" * 6 + "/")


def test_the_shop_has_weeks_without_end(web: LittleWeb, get: Get) -> None:
    assert b"week=100000" in get(web.url("shop.example", "/calendar?week=99999"))[2]
    assert b"week 1<" in get(web.url("shop.example", "/calendar?week=%3Cb%3E"))[2]


# -- the dead ---------------------------------------------------------------------------------------------------------


def test_soft_404_answers_everything_with_a_page_of_its_own(web: LittleWeb, get: Get) -> None:
    pages = [get(web.url("soft404.example", path)) for path in ("/no/such", "/no/such2", "/goods/xyz?a=b", "/no/such")]
    assert {status for status, _, _ in pages} == {200}
    assert len({body for _, _, body in pages}) == 3
    assert b"/goods/xyz?a=b" in pages[2][2]
    assert get(web.url("soft404.example", "/robots.txt"))[0] == 404
    assert b"<script>" not in get(web.url("soft404.example", "/%3Cscript%3E"))[2]


def test_parked_answers_everything_with_one_page(web: LittleWeb, get: Get) -> None:
    assert len({get(web.url("parked.example", path))[2] for path in ("/", "/a", "/b/c?d=e")}) == 1


def test_gone_has_every_sort_of_dead_page(web: LittleWeb, get: Get) -> None:
    names = ("first-roof", "deleted", "withdrawn", "broken", "empty", "no-content", "end")
    statuses = [get(web.url("gone.example", f"/articles/{name}"))[0] for name in names]
    assert statuses == [200, 404, 410, 500, 200, 204, 200]
    assert b"href" not in get(web.url("gone.example", "/articles/end"))[2]


def test_redirects(web: LittleWeb, get: Get) -> None:
    ring = [web.url("ring.example", f"/ring/{number}") for number in (1, 2, 3, 1)]
    assert follow(get, ring[0], 3)[0] == ring
    under, status = follow(get, web.url("ring.example", f"/under/{UNDER}"))
    assert (len(under) - 1, status) == (UNDER, 200)
    over, status = follow(get, web.url("ring.example", f"/over/{OVER}"))
    assert (len(over) - 1, status) == (OVER, 200)
    assert UNDER < 20 < OVER
    away, status = follow(get, web.url("ring.example", "/away"))
    assert (away[-1], status) == (web.url("solarhome.example", "/guides/panels/tilt"), 200)
    assert follow(get, web.url("sunclub.example", "/reports/spring")) == (
        [web.url("sunclub.example", "/reports/spring"), web.url("www.sunclub.example", "/reports/spring")],
        200,
    )
    assert get(web.url("ring.example", "/nowhere"))[:1] == (302,)
    assert "location" not in get(web.url("ring.example", "/nowhere"))[1]
    assert get(web.url("ring.example", "/inside"))[1]["location"].startswith("http://169.254.169.254/")
    assert get(web.url("ring.example", "/closed"))[1]["location"] == f"http://{web.nowhere}/sun"


# -- manners ----------------------------------------------------------------------------------------------------------


def test_busy_turns_the_first_away_and_recovers(web: LittleWeb, get: Get) -> None:
    assert get(web.url("busy.example", "/robots.txt"))[0] == 404
    status, headers, _ = get(web.url("busy.example"))
    assert (status, headers["retry-after"]) == (429, "1")
    assert get(web.url("busy.example"))[0] == 200


def test_dials_turn() -> None:
    with LittleWeb(Dials(busy_refusals=0, slow_seconds=0.0)) as other:
        command = "import sys, urllib.request as u; u.urlopen(u.Request(sys.argv[1], headers={'Host': sys.argv[2]}))"
        for host in ("busy.example", "slow.example"):
            url = f"http://{other.address(host)}:{other.port}/"
            subprocess.run([sys.executable, "-c", command, url, host], check=True, timeout=30)
        assert [visit.status for visit in other.visits] == [200, 200]


def test_slow_keeps_nobody_else_waiting() -> None:
    with LittleWeb(Dials(slow_seconds=600)) as web:
        slow = HTTPConnection(web.address("slow.example"), web.port, timeout=10)
        slow.request("GET", "/", headers={"Host": "slow.example"})
        quick = HTTPConnection(web.address("news.example"), web.port, timeout=10)
        quick.request("GET", "/", headers={"Host": "news.example"})
        assert quick.getresponse().read()
        assert [visit.host for visit in web.visits] == ["news.example"]
        slow.close()
        quick.close()


def test_robots_of_the_private_club(web: LittleWeb, get: Get) -> None:
    rules = Protego.parse(get(web.url("private.example", "/robots.txt"))[2].decode())
    free = ("/", "/public/talk", "/members/open/day")
    closed = ("/members/", "/members/minutes", "/door.cgi", "/search?q=solar")
    assert [rules.can_fetch(web.url("private.example", path), "halflife") for path in free] == [True] * 3
    assert [rules.can_fetch(web.url("private.example", path), "halflife") for path in closed] == [False] * 4
    assert not rules.can_fetch(web.url("private.example"), "greedybot")
    assert rules.crawl_delay("halflife") == 0.2
    assert {get(web.url("private.example", path))[0] for path in (*free, *closed)} == {200}
    assert not any(url.endswith(closed) for url in web.relevant())


def test_robots_of_the_others(web: LittleWeb, get: Get) -> None:
    assert get(web.url("brokenrobots.example", "/robots.txt"))[0] == 503
    passed, status = follow(get, web.url("almanac.example", "/robots.txt"))
    assert (len(passed), status) == (2, 200)
    for site in web.sites:
        if site.host != "private.example":
            status, headers, body = get(web.url(site.host, "/robots.txt"))
            assert status in (200, 301, 404, 503)
            assert status != 200 or headers["content-type"].startswith("text/plain")
            rules = Protego.parse(body.decode() if status == 200 else "")
            assert all(rules.can_fetch(url, "halflife") for url in web.relevant() if f"//{site.host}:" in url)


# -- odds and ends ----------------------------------------------------------------------------------------------------


def test_charsets(web: LittleWeb, get: Get) -> None:
    _, headers, latin = get(web.url("odd.example", "/latin1"))
    assert headers["content-type"] == "text/html; charset=iso-8859-1"
    assert "Cafés under solar roofs" in latin.decode("iso-8859-1")
    _, headers, japanese = get(web.url("odd.example", "/shift-jis"))
    assert headers["content-type"] == "text/html"
    assert '<meta charset="shift_jis">' in japanese.decode("shift_jis")
    assert "時計の博物館" in japanese.decode("shift_jis")
    _, headers, unlabelled = get(web.url("odd.example", "/unlabelled"))
    assert headers["content-type"] == "text/html"
    assert b"charset" not in unlabelled
    assert "naïve" in unlabelled.decode()


def test_hidden_words_are_many_and_shown_ones_none(web: LittleWeb, get: Get) -> None:
    body = get(web.url("odd.example", "/hidden"))[2].decode()
    assert body.count("solar energy") >= 150
    shown = re.sub(r"<(div style|p hidden|template).*?</(div|p|template)>", "", body.partition("<main>")[2])
    assert "solar" not in prose_of(shown.encode())


def test_pages_that_speak_of_themselves(web: LittleWeb, get: Get) -> None:
    assert b'<meta name="robots" content="noindex, nofollow">' in get(web.url("odd.example", "/noindex"))[2]
    assert get(web.url("odd.example", "/noindex-header"))[1]["x-robots-tag"] == "noindex"
    assert b'content="0; url=/refreshed"' in get(web.url("odd.example", "/refresh"))[2]
    assert get(web.url("odd.example", "/refresh-header"))[1]["refresh"] == "1; url=/refreshed-too"


def test_doors_lead_to_no_public_place(web: LittleWeb, get: Get) -> None:
    body = get(web.url("odd.example", "/doors"))[2].decode()
    for place in ("169.254.169.254", "127.0.0.1:1", "localhost", "[::1]:1", "192.168.0.1", web.nowhere):
        assert f'"http://{place}/' in body


def test_addresses_without_a_scheme_get_the_port_too(web: LittleWeb, get: Get) -> None:
    assert f'"//odd.example:{web.port}/base"' in get(web.url("odd.example", "/sorts"))[2].decode()


def test_a_host_with_an_umlaut(web: LittleWeb, get: Get) -> None:
    body = get(web.url("almanac.example", "/links"))[2].decode()
    assert f'"http://bücher.example:{web.port}/"' in body
    assert "bücher.example".encode("idna").decode() in web.hosts
    [relevant] = [url for url in web.relevant() if "xn--" in url]
    assert get(relevant)[0] == 200


# -- the same every time ----------------------------------------------------------------------------------------------

EVERYTHING = """
import hashlib, sys
sys.path.insert(0, sys.argv[1])
from halflife.littleweb import LittleWeb
from halflife.littleweb.wire import Request, write_reply
from littleweb.reading import walk
whole = hashlib.sha256()
for site in LittleWeb().sites:
    for path, reply in sorted(walk(site).items()):
        for encoding in ("", "gzip, br, zstd, deflate"):
            sent = write_reply(Request("GET", site.host, path, {"accept-encoding": encoding}), reply)
            lines = sent.split(b"\\r\\n")
            del lines[1]  # the date
            whole.update(b"".join(lines))
print(whole.hexdigest())
"""


def test_every_process_serves_the_same_bytes(request: pytest.FixtureRequest) -> None:
    folder = str(request.path.parent.parent)
    said = {
        subprocess.run(
            [sys.executable, "-c", EVERYTHING, folder],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
    assert len(said.pop().strip()) == 64
