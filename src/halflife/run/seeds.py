"""Seeds as people give them: addresses, files of addresses, sitemaps, feeds or pages on disk, `-` for standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from halflife.errors import InputError
from halflife.page import read
from halflife.records import Answer, Fetch, Target
from halflife.urls import typed, why_not

FILE_BYTES_MAX = (
    256_000_000  # of a file of seeds: five million addresses; more is a mistake, or a store of another kind
)
SHOWN_CHARACTERS = 80  # of a line that is no address
MARKUP_HEADS = (b"<?xml", b"<urlset", b"<sitemapindex", b"<rss", b"<feed", b"<!doctype", b"<html", b"\x1f\x8b")
FILE_ENDINGS = (".txt", ".lst", ".list", ".csv", ".xml", ".gz", ".html", ".htm", ".opml")


def read_seeds(given: Iterable[str]) -> tuple[str, ...]:
    """The canonical addresses that these arguments amount to, each once, in order."""
    seeds: dict[str, None] = {}
    for argument in given:
        seeds.update(dict.fromkeys(_addresses(argument)))
    return tuple(seeds)


def _addresses(argument: str) -> Iterator[str]:
    if argument == "-":
        yield from _some(_lines(sys.stdin.buffer.read(FILE_BYTES_MAX + 1), "standard input"), "standard input")
        return
    if not argument.strip():
        raise InputError("an empty seed; give an address, a file of addresses, or - for standard input")
    path = Path(argument)
    if "://" not in argument and _is_file(path):
        yield from _from_file(path)
        return
    if "://" not in argument and (argument.lower().endswith(FILE_ENDINGS) or argument.startswith((".", "/", "~"))):
        raise InputError(f"{argument}: no such file; give an address, or a file that holds one address a line")
    url = typed(argument)
    if url is None:
        raise InputError(f"seed {_shown(argument)}: {why_not(argument)}; write it as in https://example.org/")
    yield url


def _is_file(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long for a file name, or with a NUL in it
        return False


def _from_file(path: Path) -> Iterator[str]:
    if path.is_dir():
        raise InputError(f"{path}: a folder cannot be a seed; give a file that holds one address a line")
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); give a file that can") from None
    if data.lstrip()[:32].lower().startswith(MARKUP_HEADS):
        yield from _from_markup(data, path)
    else:
        yield from _some(_lines(data, str(path)), str(path))


def _some(addresses: Iterator[str], where: str) -> Iterator[str]:
    """The addresses, of which there has to be one."""
    nothing = True
    for address in addresses:
        nothing = False
        yield address
    if nothing:
        raise InputError(f"{where}: holds no address; give a list with one address a line")


def _lines(data: bytes, where: str) -> Iterator[str]:
    """One address a line; blank lines and lines that begin with # are passed over."""
    if len(data) > FILE_BYTES_MAX:
        raise InputError(f"{where}: larger than {FILE_BYTES_MAX:,} bytes; split the list")
    if b"\0" in data:
        raise InputError(f"{where}: holds binary data; give a text file with one address a line")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{where}, line {number}: is not UTF-8 text; save the list as UTF-8, one address a line"
        ) from None
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip()
        if not words or words.startswith("#"):
            continue
        url = typed(words)
        if url is None:
            raise InputError(
                f"{where}, line {number}: {_shown(words)} is no address ({why_not(words)}); mend or remove it"
            )
        yield url


def _from_markup(data: bytes, path: Path) -> Iterator[str]:
    """The links of a sitemap, feed or saved page that lies on disk."""
    # Relative links of a file on disk lead nowhere: its base is an address that no link may keep.
    nowhere = "http://file.invalid/"
    headers = (("content-type", "application/octet-stream"),)
    answer = Answer(200, "OK", b"", headers, data, data)
    page = read(Fetch(Target(nowhere), 0.0, answer), [data])
    found = [] if page is None else [url for url in page.links.urls if not url.startswith(nowhere)]
    if not found:
        raise InputError(f"{path}: holds no address; give a sitemap, a feed, a page with links, or one address a line")
    yield from found


def _shown(text: str) -> str:
    return repr(text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "...")
