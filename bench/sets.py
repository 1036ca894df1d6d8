"""The documentation sets that Debian packages: where they lie, where a crawl starts, which pages its links reach.

In: folders of HTML. Out: closed sets of paths. Never: sockets. A path here is as the file system has it, led by "/".
"""

from __future__ import annotations

import os
import re
import subprocess
from collections import deque
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from ada_url import join_url
from selectolax.lexbor import LexborHTMLParser

# What every crawler is told to follow: HTML pages of these servers, whatever fragment the link has. (crawlee and wget2
# try the rule on the link as it is written, Scrapy and the bare loop after cutting the fragment off.)
RULE = r"^http://[0-9.]+:[0-9]+/[^?#]*\.html(#.*)?$"
HOME = "http://127.0.0.1:1"  # stands for the server while a closed set is worked out


class PageSet(NamedTuple):
    """A folder of linked pages."""

    name: str  # the Debian package
    folder: Path
    start: str  # the path of the page whose links reach the others


PYTHON = PageSet("python3.11-doc", Path("/usr/share/doc/python3.11/html"), "/index.html")
CPP = PageSet("cppreference-doc-en-html", Path("/usr/share/cppreference/doc/html"), "/en/index.html")
JAVA = PageSet("openjdk-17-doc", Path("/usr/share/doc/openjdk-17-doc"), "/api/index.html")  # /index.html has no link


def missing_packages(sets: list[PageSet]) -> list[str]:
    """The packages that have to be installed first."""
    return [each.name for each in sets if not file_of(each, each.start).is_file()]


def install(packages: list[str]) -> None:
    """Have Debian's packager install them; needs root."""
    if packages:
        command = ["apt-get", "install", "--yes", "--no-install-recommends", *packages]
        subprocess.run(command, check=True, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})


def file_of(pages: PageSet, path: str) -> Path:
    """Where a page lies."""
    return pages.folder / path.lstrip("/")


def closed(pages: PageSet) -> list[str]:
    """The paths of all pages that links reach from the start, in breadth-first order: what any crawler ought to fetch.

    Worked out from the files, so that no crawler is the measure of the others.
    """
    rule = re.compile(RULE)
    found: list[str] = []
    known, waiting = {pages.start}, deque([HOME + pages.start])
    while waiting:
        url = waiting.popleft()
        path = unquote(url.removeprefix(HOME))
        file = file_of(pages, path)
        if not file.is_file():
            continue  # a dead link
        found.append(path)
        for href in dict.fromkeys(_hrefs(file.read_bytes())):
            link = _joined(url, href)
            if link.startswith(HOME + "/") and rule.match(link) and (path := unquote(link[len(HOME) :])) not in known:
                known.add(path)
                waiting.append(link)
    return found


def _hrefs(body: bytes) -> list[str]:
    return [(node.attributes["href"] or "").partition("#")[0] for node in LexborHTMLParser(body).css("a[href]")]


def _joined(base: str, href: str) -> str:
    try:
        return str(join_url(base, href))
    except ValueError:
        return ""
