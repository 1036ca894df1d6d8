"""CDXJ: the index by which replay tools find a record. One line an answer, sorted by its address turned around.

The key is the one that pywb makes: host labels from the end (the numbers of an IPv4 address too), without "www", all in
lower case, escapes undone where a byte may stand for itself, parameters sorted, no empty parts and no slash at the end.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache
from urllib.parse import quote_from_bytes, unquote_to_bytes

import msgspec

from halflife.records import Answer, Fetch
from halflife.store.warc import Placed, second_of
from halflife.urls import origin

WWW = re.compile(r"^www\d*\.")
SLASHES = re.compile(r"/{2,}")
PUNCTUATION = str.maketrans("", "", "-T:")
PLAIN = string.punctuation.translate(str.maketrans("", "", "#%"))  # what need not be escaped in a key, beside words

_encoder = msgspec.json.Encoder()


def surt(url: str) -> str:
    """A canonical address turned around: com,example)/path?parameters."""
    base = origin(url)
    path, _, query = url[len(base) :].partition("?")
    path, query = SLASHES.sub("/", _plain(path)).lower(), _plain(query).lower()
    key = f"{_host(base)}){path.rstrip('/') or '/'}"
    return f"{key}?{'&'.join(sorted(query.split('&'), key=_name_and_value))}" if query else key


@lru_cache(4096)
def _host(base: str) -> str:
    """The host of an origin turned around; canonical origins name no port that goes without saying."""
    name = base.partition("://")[2]
    if name.startswith("["):
        return name.replace("[", "").replace("]", "")
    name, colon, port = WWW.sub("", name).partition(":")
    return ",".join(reversed(name.split("."))) + colon + port


def _name_and_value(parameter: str) -> tuple[str, str, str]:
    return parameter.partition("=")


def _plain(text: str) -> str:
    """Without escapes, however often escaped, but for bytes that cannot stand for themselves."""
    if "%" not in text:
        return text
    data = text.encode()
    while (undone := unquote_to_bytes(data)) != data:
        data = undone
    return quote_from_bytes(data, safe=PLAIN)


def cdxj_line(fetch: Fetch, placed: Placed, filename: str) -> bytes:
    """The line for an answer that lies in the WARC file of that name."""
    answer = fetch.outcome
    assert isinstance(answer, Answer)
    revisit = placed.record == "revisit"
    mime = answer.header("content-type").partition(";")[0].strip().lower()
    fields = {
        "url": fetch.target.url,
        "mime": "warc/revisit" if revisit else mime or "unk",
        "status": str(answer.status),
        "digest": placed.digest,
        "length": str(placed.length),
        "offset": str(placed.offset),
        "filename": filename,
    }
    stamp = second_of(int(fetch.at)).translate(PUNCTUATION)
    return b"%b %b %b\n" % (surt(fetch.target.url).encode(), stamp.encode(), _encoder.encode(fields))
