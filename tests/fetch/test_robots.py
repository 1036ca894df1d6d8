"""robots.txt from a real server: what each answer means, how far redirects are followed, and how long it is believed."""

from __future__ import annotations

import asyncio
import gzip
import time
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from fetch.servers import (
    FREE,
    HERE,
    SHORT,
    Answers,
    Client,
    Heard,
    Server,
    answering,
    fetching,
    names,
    page,
    robots,
    run,
    saying,
    serve,
    until,
)
from fetch.test_rules import LONGEST, SIMPLE
from halflife.fetch import FetchSettings
from halflife.fetch import robots as robots_file
from halflife.fetch.robots import GOOD_SECONDS
from halflife.records import Answer, Kind, Later, Target

WITH_ROBOTS = replace(HERE, robots=True)
ROBOTS_TXT = "/robots.txt"
FORBIDDING = b"User-agent: *\nDisallow: /private\n"


class Clock:
    """What `robots` takes for the module `time`: a day passes when somebody says so."""

    def __init__(self) -> None:
        self.now = time.time()

    def time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(robots_file, "time", made)
    return made


def status(line: bytes, *headers: bytes, body: bytes = b"") -> Answers:
    """Answers robots.txt with this status, and a page for everything else."""
    return lambda heard: page(body, *headers, status=line) if heard.path == ROBOTS_TXT else page()


async def ask(answers: Answers, *paths: str, settings: FetchSettings = WITH_ROBOTS) -> list[Kind | int]:
    """What comes of asking for each path."""
    async with serve(answering(answers)) as server, fetching(settings) as using:
        got = [(await using.get(server.url(path))).outcome for path in paths]
        return [one.status if isinstance(one, Answer) else one.kind for one in got]


# -- what an answer means ----------------------------------------------------------------------------------------------


def test_it_is_asked_for_first_and_once() -> None:
    async def main() -> None:
        async with serve(answering(robots(FORBIDDING))) as server, fetching(WITH_ROBOTS) as using:
            for path in ("/a", "/b?c=d", "/"):
                await using.answer(server.url(path))
            failure = await using.failure(server.url("/private/x"))
            assert failure.kind == Kind.ROBOTS
            assert "/private" in failure.detail
            assert server.paths == [ROBOTS_TXT, "/a", "/b?c=d", "/"]
            assert [fetch.target.url for fetch in using.kept] == [server.url(ROBOTS_TXT)]
            assert using.kept[0].target.id == 0

    run(main())


def test_it_is_asked_for_once_however_many_wait_for_it() -> None:
    async def main() -> None:
        async with serve(answering(robots(FORBIDDING))) as server, fetching(WITH_ROBOTS) as using:
            await asyncio.gather(*(using.answer(server.url(f"/{number}")) for number in range(10)))
            assert server.paths.count(ROBOTS_TXT) == 1

    run(main())


def test_who_goes_away_does_not_take_it_along() -> None:
    async def main() -> None:
        release = asyncio.Event()

        async def script(client: Client) -> None:
            while heard := await client.hear():
                if heard.path == ROBOTS_TXT:
                    await release.wait()
                await client.say(robots(FORBIDDING)(heard))

        async with serve(script) as server, fetching(WITH_ROBOTS) as using:
            first, second = [asyncio.ensure_future(using.get(server.url(path))) for path in ("/a", "/b")]
            await until(lambda: server.heard)
            first.cancel()
            await asyncio.wait([first])
            release.set()
            assert isinstance((await second).outcome, Answer)
            assert server.paths == [ROBOTS_TXT, "/b"]

    run(main())


def test_closing_while_it_is_asked_for_leaves_nobody_waiting() -> None:
    async def main() -> None:
        async with serve(saying()) as server, fetching(WITH_ROBOTS) as using:
            task = asyncio.ensure_future(using.fetcher.fetch(Target(url=server.url("/a"))))
            await until(lambda: server.heard)
            await using.fetcher.close()
            await asyncio.wait([task], timeout=20)
            assert task.done()

    run(main())


@pytest.mark.parametrize(
    "line",
    [b"400 Bad Request", b"401 Unauthorized", b"403 Forbidden", b"404 Not Found", b"410 Gone", b"418 Teapot",
     b"451 Unavailable For Legal Reasons", b"499 x"],
)  # fmt: skip
def test_any_4xx_means_free(line: bytes) -> None:  # RFC 9309 2.3.1.3
    assert run(ask(status(line, body=FORBIDDING), "/private", "/a")) == [200, 200]


@pytest.mark.parametrize("line", [b"300 Multiple Choices", b"304 Not Modified", b"399 x"])
def test_a_3xx_that_leads_nowhere_means_free(line: bytes) -> None:
    assert run(ask(status(line), "/private")) == [200]


@pytest.mark.parametrize(
    "line", [b"500 Internal Server Error", b"502 Bad Gateway", b"503 x", b"504 x", b"599 x", b"999 x", b"429 x"]
)
def test_any_5xx_and_too_many_requests_mean_not_now(line: bytes) -> None:  # 2.3.1.4
    async def main() -> None:
        answers = status(line, b"Retry-After: 0", body=b"User-agent: *\nAllow: /")
        async with serve(answering(answers)) as server, fetching(WITH_ROBOTS) as using:
            for path in ("/a", "/b"):
                failure = await using.failure(server.url(path))
                assert failure.kind == Kind.ROBOTS_UNREACHABLE
                assert line.split()[0].decode() in failure.detail
            assert server.paths == [ROBOTS_TXT]
            assert using.learned == {}

    run(main())


@pytest.mark.parametrize(
    "said",
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nUser-agent: *\nAllow: /",),
        (b"<html>no HTTP</html>",),
        (),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00",),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000,),
    ],
)
def test_no_whole_answer_means_not_now(said: tuple[bytes, ...]) -> None:
    async def main() -> None:
        async with serve(saying(*said, then="close")) as server, fetching(WITH_ROBOTS) as using:
            assert await using.kind(server.url("/a")) == Kind.ROBOTS_UNREACHABLE
            assert set(server.paths) == {ROBOTS_TXT}

    run(main())


def test_a_robots_txt_that_takes_too_long_means_not_now() -> None:
    async def main() -> None:
        settings = replace(WITH_ROBOTS, limits=replace(SHORT, first_byte_seconds=0.05))
        async with serve(saying()) as server, fetching(settings) as using:
            assert await using.kind(server.url("/a")) == Kind.ROBOTS_UNREACHABLE

    run(main())


def test_a_host_that_cannot_be_reached_fails_as_what_it_is() -> None:
    async def main() -> None:
        async with serve(saying()) as server:
            port = server.port
        async with fetching(WITH_ROBOTS, names(a_example="127.0.0.1")) as using:
            assert await using.kind(f"http://a.example:{port}/x") == Kind.REFUSED
            assert await using.kind(f"http://nowhere.example:{port}/x") == Kind.DNS

    run(main())


def test_after_a_failure_it_is_asked_for_again_but_not_at_once(clock: Clock) -> None:
    async def main() -> None:
        broken = True

        def answer(heard: Heard) -> bytes:
            return (status(b"500 x") if broken else robots(FORBIDDING))(heard)

        async with serve(answering(answer)) as server, fetching(WITH_ROBOTS) as using:
            assert await using.kind(server.url("/a")) == Kind.ROBOTS_UNREACHABLE
            broken = False
            clock.now += robots_file.AGAIN_SECONDS - 1
            assert await using.kind(server.url("/a")) == Kind.ROBOTS_UNREACHABLE
            clock.now += 2
            await using.answer(server.url("/a"))
            assert server.paths == [ROBOTS_TXT, ROBOTS_TXT, "/a"]

    run(main())


def test_when_the_server_says_when_to_come_back_it_is_not_asked_before(clock: Clock) -> None:
    async def main() -> None:
        answers = status(b"503 x", b"Retry-After: 4000")
        async with serve(answering(answers)) as server, fetching(WITH_ROBOTS) as using:
            await using.failure(server.url("/a"))
            clock.now += 3999
            assert await using.kind(server.url("/a")) == Kind.ROBOTS_UNREACHABLE
            clock.now += 2
            assert isinstance(await using.fetcher.fetch(Target(url=server.url("/a"))), Later)  # the site still rests
            assert server.paths == [ROBOTS_TXT]

    run(main())


# -- rules, as a server sees them ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("agent", "text", "heard"),
    [
        ("foobot/1.0", SIMPLE, ["/example/page.html", "/example/allowed.gif"]),
        ("barbot/2", SIMPLE, ["/", "/example/x", "/example/allowed.gif", "/x.gif", "/publications/x"]),
        ("Mozilla/5.0 (compatible; BazBot/1.0)", SIMPLE,
         ["/", "/example/x", "/example/allowed.gif", "/x.gif", "/publications/x"]),
        ("quxbot", SIMPLE,
         ["/", "/example/page.html", "/example/x", "/example/allowed.gif", "/x.gif", "/publications/x"]),
        ("", SIMPLE, ["/", "/publications/x"]),
        ("foobot", LONGEST,
         ["/", "/example/page.html", "/example/x", "/example/allowed.gif", "/x.gif", "/publications/x"]),
    ],
)  # fmt: skip
def test_what_is_forbidden_is_never_heard_of(agent: str, text: str, heard: list[str]) -> None:  # 5.1, 5.2
    asked = ["/", "/example/page.html", "/example/x", "/example/allowed.gif", "/x.gif", "/publications/x"]

    async def main() -> None:
        settings = replace(WITH_ROBOTS, user_agent=agent)
        async with serve(answering(robots(text.encode()))) as server, fetching(settings) as using:
            for path in asked:
                await using.get(server.url(path))
            assert server.paths == [ROBOTS_TXT, *heard]

    run(main())


def test_each_origin_has_its_own() -> None:
    async def main() -> None:
        def answer(heard: Heard) -> bytes:
            forbids = heard.header("host").startswith("strict.")
            return robots(b"User-agent: *\nDisallow: /" if forbids else b"")(heard)

        settings = replace(WITH_ROBOTS, resolve=("*:127.0.0.1",))
        async with (
            serve(answering(answer)) as server,
            serve(answering(robots(b""))) as other,
            fetching(settings) as using,
        ):
            assert await using.kind(server.url("/x", host="strict.a.example")) == Kind.ROBOTS
            await using.answer(server.url("/x", host="a.example"))
            await using.answer(other.url("/x", host="strict.a.example"))  # another port
            assert server.paths == [ROBOTS_TXT, ROBOTS_TXT, "/x"]

    run(main())


def test_the_file_itself_may_be_asked_for_and_it_need_not_be_heeded() -> None:
    forbidding = robots(b"User-agent: *\nDisallow: /")
    assert run(ask(forbidding, ROBOTS_TXT, "/a")) == [200, Kind.ROBOTS]
    assert run(ask(forbidding, "/a", settings=HERE)) == [200]


@pytest.mark.parametrize(
    ("value", "seconds"), [("0.25", 0.25), ("1,5", 1.5), (".75", 0.75), ("7", 7.0), ("99999", 300.0), ("x", 0.0)]
)
def test_the_rest_after_a_page_is_the_crawl_delay(value: str, seconds: float) -> None:
    async def main() -> None:
        text = f"User-agent: *\nCrawl-delay: {value}\n".encode()
        async with serve(answering(robots(text))) as server, fetching(WITH_ROBOTS) as using:
            assert (await using.get(server.url("/a"))).rest_seconds == seconds

    run(main())


# -- size --------------------------------------------------------------------------------------------------------------

PADDING = b"# " + b"x" * 997 + b"\n"
FIRST_500_KIB = FORBIDDING + PADDING * 511
FIRST_500_KIB += b"#" * (500 * 1024 - len(FIRST_500_KIB) - 1) + b"\n"
BEYOND = b"Disallow: /beyond\n"


def plain(text: bytes) -> bytes:
    return page(text)


def packed(text: bytes) -> bytes:
    return page(gzip.compress(text), b"Content-Encoding: gzip")


def in_chunks(text: bytes) -> bytes:
    body = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (text[:70_000], text[70_000:])) + b"0\r\n\r\n"
    return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body


@pytest.mark.parametrize("way", [plain, packed, in_chunks])
@pytest.mark.parametrize("more", [0, 300_000, 3_000_000])
def test_the_first_500_kib_count_and_no_more(way: Callable[[bytes], bytes], more: int) -> None:  # 2.5
    async def main() -> None:
        assert len(FIRST_500_KIB) == 500 * 1024
        text = FIRST_500_KIB + BEYOND + b"# more\n" * (more // 7)
        async with (
            serve(answering(lambda heard: way(text) if heard.path == ROBOTS_TXT else page())) as server,
            fetching(WITH_ROBOTS) as using,
        ):
            assert await using.kind(server.url("/private")) == Kind.ROBOTS
            await using.answer(server.url("/beyond"))
            await using.answer(server.url("/a"))

    run(main())


def test_an_endless_robots_txt_is_read_to_its_500th_kib() -> None:
    async def script(client: Client) -> None:
        while heard := await client.hear():
            if heard.path != ROBOTS_TXT:
                await client.say(page())
                continue
            await client.say(b"HTTP/1.1 200 OK\r\n\r\n" + FORBIDDING)
            while True:
                await client.say(PADDING * 50)

    async def main() -> None:
        async with serve(script) as server, fetching(WITH_ROBOTS) as using:
            assert await using.kind(server.url("/private")) == Kind.ROBOTS
            await using.answer(server.url("/a"))
            assert using.kept[0].wire_bytes < 2_000_000

    run(main())


# -- redirects -----------------------------------------------------------------------------------------------------------


def redirecting(times: int, end: bytes) -> Answers:
    """A robots.txt at the end of so many redirects."""

    def answer(heard: Heard) -> bytes:
        if heard.path != ROBOTS_TXT and not heard.path.startswith("/r"):
            return page()
        number = 0 if heard.path == ROBOTS_TXT else int(heard.path[2:])
        return page(b"", b"Location: /r%d" % (number + 1), status=b"302 Found") if number < times else end

    return answer


@pytest.mark.parametrize("times", [1, 4, 5])
def test_five_redirects_are_followed(times: int) -> None:  # 2.3.1.2
    assert run(ask(redirecting(times, page(FORBIDDING)), "/private", "/a")) == [Kind.ROBOTS, 200]


def test_a_sixth_means_free() -> None:
    async def main() -> None:
        async with serve(answering(redirecting(6, page(FORBIDDING)))) as server, fetching(WITH_ROBOTS) as using:
            await using.answer(server.url("/private"))
            assert server.paths == [ROBOTS_TXT, *(f"/r{number}" for number in range(1, 6)), "/private"]
            assert len(using.kept) == 6
            assert using.kept[-1].target.redirects[0] == server.url(ROBOTS_TXT)

    run(main())


@pytest.mark.parametrize("line", [b"301 x", b"302 x", b"303 x", b"307 x", b"308 x"])
def test_every_kind_of_redirect_leads_on(line: bytes) -> None:
    def answer(heard: Heard) -> bytes:
        if heard.path == "/there":
            return page(FORBIDDING)
        return status(line, b"Location: /there")(heard)

    assert run(ask(answer, "/private")) == [Kind.ROBOTS]


@pytest.mark.parametrize(
    "header", [b"X: y", b"Location:", b"Location: http://[", b"Location: mailto:a@b", b"Location: /robots.txt"]
)
def test_a_redirect_to_nowhere_or_in_a_ring_means_free(header: bytes) -> None:
    assert run(ask(status(b"301 Moved", header), "/private")) == [200]


@pytest.mark.parametrize(
    ("end", "expected"),
    [(FREE, 200), (page(status=b"500 x"), Kind.ROBOTS_UNREACHABLE), (page(FORBIDDING), Kind.ROBOTS)],
)
def test_what_a_redirect_leads_to_counts(end: bytes, expected: Kind | int) -> None:
    assert run(ask(redirecting(2, end), "/private")) == [expected]


def test_a_redirect_to_another_host_holds_for_the_first_one_only() -> None:  # 2.3.1.2
    async def main() -> None:
        def answer(heard: Heard) -> bytes:
            if heard.header("host").startswith("a.example"):
                return status(b"301 x", b"Location: http://b.example:%d/rules" % server.port)(heard)
            return page(FORBIDDING) if heard.path == "/rules" else robots(b"")(heard)

        settings = replace(WITH_ROBOTS, resolve=("*:127.0.0.1",))
        async with serve(answering(lambda heard: answer(heard))) as server, fetching(settings) as using:
            assert await using.kind(server.url("/private", host="a.example")) == Kind.ROBOTS
            await using.answer(server.url("/private", host="b.example"))

    run(main())


def test_a_redirect_to_a_host_that_is_not_there_means_not_now() -> None:
    async def main() -> None:
        answers = status(b"301 x", b"Location: http://nowhere.example/robots.txt")
        look_up = names(a_example="127.0.0.1")
        async with serve(answering(answers)) as server, fetching(WITH_ROBOTS, look_up) as using:
            assert await using.kind(server.url("/a", host="a.example")) == Kind.ROBOTS_UNREACHABLE

    run(main())


# -- how long it is believed -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("good", [robots(FORBIDDING), status(b"404 x"), redirecting(9, b"")])
def test_it_is_believed_for_a_day(clock: Clock, good: Answers) -> None:  # 2.4
    async def main() -> None:
        async with serve(answering(good)) as server, fetching(WITH_ROBOTS) as using:
            await using.answer(server.url("/a"))
            asked = len(server.paths)
            clock.now += GOOD_SECONDS - 10
            await using.answer(server.url("/b"))
            assert server.paths[asked:] == ["/b"]

    run(main())


def test_after_a_day_it_is_asked_for_again(clock: Clock) -> None:
    async def main() -> None:
        async with serve(answering(robots(FORBIDDING))) as server, fetching(WITH_ROBOTS) as using:
            await using.answer(server.url("/a"))
            clock.now += GOOD_SECONDS + 10
            await using.answer(server.url("/b"))
            assert server.paths == [ROBOTS_TXT, "/a", ROBOTS_TXT, "/b"]

    run(main())


async def learned_from(server: Server) -> bytes:
    """What a first run has learned of a server, which forgets that run."""
    async with fetching(WITH_ROBOTS) as using:
        await using.answer(server.url("/a"))
        assert list(using.learned) == [server.url("")]
        server.heard.clear()
        return using.learned[server.url("")]


def test_the_next_run_does_not_ask_again_within_the_day() -> None:
    async def main() -> None:
        async with serve(answering(robots(FORBIDDING))) as server:
            blob = await learned_from(server)
            async with fetching(WITH_ROBOTS) as using:
                using.fetcher.learn_robots(server.url(""), blob)
                assert await using.kind(server.url("/private")) == Kind.ROBOTS
                await using.answer(server.url("/a"))
            assert server.paths == ["/a"]

    run(main())


@pytest.mark.parametrize("why", ["too old", "from the future", "another name", "cut short", "no blob", "empty"])
def test_what_the_next_run_cannot_use_it_asks_for_itself(why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with serve(answering(robots(FORBIDDING))) as server:
            blob = await learned_from(server)
            blob = {"cut short": blob[:-2], "no blob": b"\xc1\xff rubbish", "empty": b""}.get(why, blob)
            clock = Clock()
            clock.now += {"too old": GOOD_SECONDS + 1, "from the future": -3600.0}.get(why, 0.0)
            monkeypatch.setattr(robots_file, "time", clock)
            settings = replace(WITH_ROBOTS, user_agent="otherbot/1" if why == "another name" else "")
            async with fetching(settings) as using:
                using.fetcher.learn_robots(server.url(""), blob)
                assert await using.kind(server.url("/private")) == Kind.ROBOTS
            assert server.paths == [ROBOTS_TXT]

    run(main())


def test_what_was_asked_for_just_now_is_not_replaced_by_what_was_learned_earlier() -> None:
    async def main() -> None:
        text = b""
        async with serve(answering(lambda heard: robots(text)(heard))) as server:
            blob = await learned_from(server)
            text = FORBIDDING
            async with fetching(WITH_ROBOTS) as using:
                assert await using.kind(server.url("/private")) == Kind.ROBOTS
                using.fetcher.learn_robots(server.url(""), blob)
                assert await using.kind(server.url("/private")) == Kind.ROBOTS

    run(main())


@pytest.mark.parametrize(("limit", "room"), [("REMEMBERED_MAX", 3), ("REMEMBERED_BYTES_MAX", 2_100)])
def test_only_so_many_are_remembered(limit: str, room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robots_file, limit, room)

    async def main() -> None:
        settings = replace(WITH_ROBOTS, resolve=("*:127.0.0.1",))
        async with serve(answering(robots(FORBIDDING))) as server, fetching(settings) as using:
            for number in (0, 1, 2, 3, 3, 0):
                await using.answer(server.url("/a", host=f"h{number}.example"))
            asked = [heard.header("host")[:2] for heard in server.heard if heard.path == ROBOTS_TXT]
            assert asked == ["h0", "h1", "h2", "h3", "h0"]

    run(main())


def test_who_comes_while_the_site_rests_is_told_when_to_come_back() -> None:
    async def main() -> None:
        settings = replace(WITH_ROBOTS, delay_seconds=100.0, limits=replace(SHORT, wait_seconds_max=0.0))
        async with serve(answering(robots(FORBIDDING))) as server, fetching(settings) as using:
            assert isinstance(await using.fetcher.fetch(Target(url=server.url("/a"))), Later)
            assert await using.kind(server.url("/private")) == Kind.ROBOTS  # this is known without asking
            assert server.paths == [ROBOTS_TXT]

    run(main())
