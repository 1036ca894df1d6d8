"""The bare loop: aiohttp, uvloop, selectolax, ada and a set. It keeps nothing. Usage: bare_loop.py RULE START..."""

from __future__ import annotations

import asyncio
import re
import sys
from asyncio import Queue

import aiohttp
import uvloop
from ada_url import join_url
from selectolax.lexbor import LexborHTMLParser

CONNECTIONS_PER_HOST = 8


def new_links(url: str, body: bytes, known: set[str], rule: re.Pattern[str]) -> list[str]:
    """The addresses on a page that the rule lets through, that stay on its host, and that nobody has seen."""
    home = url[: url.index("/", 8) + 1]
    hrefs = {(node.attributes["href"] or "").partition("#")[0] for node in LexborHTMLParser(body).css("a[href]")}
    found = []
    for href in hrefs:
        try:
            link = join_url(url, href)
        except ValueError:
            continue
        if link not in known and link.startswith(home) and rule.match(link):
            known.add(link)
            found.append(link)
    return found


async def work(session: aiohttp.ClientSession, queue: Queue[str], known: set[str], rule: re.Pattern[str]) -> None:
    """Fetch and follow until the queue is done."""
    while True:
        url = await queue.get()
        async with session.get(url, allow_redirects=False) as answer:
            body = await answer.read()
            if answer.status == 200 and answer.content_type == "text/html":
                for link in new_links(url, body, known, rule):
                    queue.put_nowait(link)
        queue.task_done()


async def crawl(rule: re.Pattern[str], starts: list[str]) -> None:
    """One queue for each start's host, so that each has its own connections."""
    known: set[str] = set(starts)
    connector = aiohttp.TCPConnector(limit=0, limit_per_host=CONNECTIONS_PER_HOST)
    async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as session:
        queues: list[Queue[str]] = [Queue() for _ in starts]
        for queue, start in zip(queues, starts, strict=True):
            queue.put_nowait(start)
        lanes = queues * CONNECTIONS_PER_HOST
        workers = [asyncio.create_task(work(session, queue, known, rule)) for queue in lanes]
        await asyncio.gather(*(queue.join() for queue in queues))
        for worker in workers:
            worker.cancel()


if __name__ == "__main__":
    uvloop.run(crawl(re.compile(sys.argv[1]), sys.argv[2:]))
