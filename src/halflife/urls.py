"""Addresses: one canonical form, and what can be read off it. Text in, text out; never resolves a name.

Parsing is WHATWG's, by can_ada: it settles default ports, dot segments, stray blanks, letter case and punycode of the
host as browsers do. On top of that one page gets one address:

    dropped     fragment; user name and password (credentials are never sent); the dot that ends a host; an empty query and
                empty parameters; tracking parameters (utm_*, fbclid ...); session ids (;jsessionid=, PHPSESSID; sid and
                the like only with a value that looks like one)
    settled     escapes are in capitals; letters, digits and - . _ ~ are not escaped; what RFC 3986 has no place for is
    refused     other schemes; hosts that no name server can know; port 0; more than 2,083 characters
    untouched   the order of parameters, letter case and "//" in paths

What it gets wrong. A parameter named like a tracking one is dropped also where a site gives it a meaning. ASP.NET's
"/(S(...))/" stays, for servers that use it redirect every address without it to one with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from urllib.parse import unquote_to_bytes

import can_ada

ADDRESS_CHARACTERS_MAX = 2083  # the shortest limit still met with, Internet Explorer's
TEXT_CHARACTERS_MAX = 16_384  # of what may yet come below that limit, when parameters are dropped
HOST_CHARACTERS_MAX = 253  # RFC 1035, without the last dot
ORIGIN_CHARACTERS_MAX = len("https://:65535") + HOST_CHARACTERS_MAX + 1
ORIGINS_CACHED = 16_384  # their forms and sites; 10 MB each at the most
HREFS_CACHED = 50_000  # of all directories; they are 15 MB on most webs,
HREF_CHARACTERS_CACHED = 400  # and 40 MB at the most, since an href and its address are not remembered beyond this

HTTP = ("http://", "https://")
HOST = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*|\[[0-9a-f:]+\]")
IP_ADDRESS = re.compile(r"\[.*\]|[0-9.]+")  # WHATWG has written every IPv4 address as four decimal numbers
SCHEME = re.compile(r"[\x00-\x20]*([A-Za-z][A-Za-z0-9+.-]*):")
HOST_WITH_PORT = re.compile(r"(?:[^/?#@\s:\[\]\\]+|\[[^/?#@\s\]]*\]):([0-9]+)(?=[/?#]|$)")
PORT = re.compile(r":([^:\]]*)$")
AFTER_HOST = re.compile(r"[/?#\\]")
BLANKS = "".join(map(chr, range(33)))  # what WHATWG takes off both ends

# What stands for itself in a path. ";" does too, but a session id may follow it.
PLAIN = r"A-Za-z0-9_~!$&'()*+,=@\-"
SETTLED_ESCAPE = "%(?:2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF]|[0189A-F][0-9A-F])"
SETTLED = re.compile(rf"/(?:[{PLAIN}:./]++|{SETTLED_ESCAPE})*+(?:\?((?:[{PLAIN}:./;?]++|{SETTLED_ESCAPE})*+))?")
RELATIVE = re.compile(rf"(?:\./)?((?:\.\./)*+)([{PLAIN}][{PLAIN}./]*+)?")
ROOTED = re.compile(rf"/(?:[{PLAIN}:.][{PLAIN}:./]*+)?")
ABSOLUTE = re.compile(rf"(https?://[A-Za-z0-9.:\-]++)(/[{PLAIN}:./]*+)?")

ESCAPE = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")  # "%%341" has no escape that would be undone to "%41"
UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
ILLEGAL = re.compile(r"""["<>\\^`{|}\[\]]""")

SESSION_IN_PATH = re.compile(r";(?:jsessionid|phpsessid|sessionid)=[^;/]*", re.I)
SESSION_VALUE = re.compile(r"[0-9a-f]{32,}|(?=[0-9]*[a-z])(?=[a-z]*[0-9])[0-9a-z]{20,}", re.I)
SESSION_NAMES = frozenset(["s", "sess", "sessid", "session", "session_id", "sessionid", "sid"])
DROPPED_PREFIXES = ("utm_", "mtm_", "piwik_", "hsa_", "aspsessionid")
DROPPED_NAMES = frozenset([
    "phpsessid", "jsessionid", "cfid", "cftoken", "oscsid", "zenid", "fbclid", "gclid", "gclsrc", "dclid", "gbraid",
    "wbraid", "srsltid", "msclkid", "yclid", "ysclid", "twclid", "ttclid", "li_fat_id", "igsh", "igshid", "epik", "mc_cid",
    "mc_eid", "mkt_tok", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsctatracking", "_ga", "_gac", "_gl",
    "_openstat", "rb_clickid", "s_cid", "s_kwcid", "ef_id", "pk_campaign", "pk_kwd", "pk_keyword", "pk_source",
    "pk_medium", "pk_content", "pk_cid", "vero_id", "vero_conv", "oly_anon_id", "oly_enc_id", "wickedid",
    "ml_subscriber", "ml_subscriber_hash",
])  # fmt: skip
DIGITS = re.compile(r"[0-9]+")
SEPARATORS = str.maketrans(dict.fromkeys("-_./+?=&:;,~|@()[]{}!*", " "))


def canonical(text: str, base: str = "") -> str | None:
    """The one canonical form of an http(s) address, relative to `base` if it is relative; None for anything else."""
    return _settled(_parsed(text, canonical(base) if base else None))


def join(base: str, href: str) -> str | None:
    """Where an href on a page leads; None when that is not http(s). A base that is no address leaves absolute hrefs."""
    return canonical(href, base)


class Joiner:
    """`join` for the many hrefs of one page: differs from it in nothing but speed. The base is canonical, or ''.

    Pages of documentation have thousands of links to a few addresses, with fragments. So the fragment goes first; what
    was joined once is remembered, for all pages of a directory; and a plain name ("functions.html", "../x/y.html",
    "/a/b") that is canonical as it stands is put behind its directory without asking the parser.
    """

    __slots__ = ("_base", "_origin", "_ups", "known")

    def __init__(self, base: str) -> None:
        self._base = base or None
        self._origin = origin(base) if base else ""
        self._ups = [directory(base)] if base else []
        # Hrefs without a fragment that were joined before. To look here first, where there are thousands, saves a call each.
        self.known = _hrefs_of(self._ups[0]) if base else {}

    def __call__(self, href: str) -> str | None:
        """Where the href leads, canonical; None when that is not http(s)."""
        bare = href.partition("#")[0]
        if not bare:
            return self._base
        try:
            return self.known[bare]
        except KeyError:
            return self._join(bare)

    def _join(self, href: str) -> str | None:
        url = self._plain(href)
        if url is None:
            url = _settled(_parsed(href, self._base))
        elif len(url) > ADDRESS_CHARACTERS_MAX:
            return None
        # To be the same for all pages of a directory it must be absolute, or more than a query or the base's own scheme.
        shared = href.startswith(HTTP) or ("?" not in href and href[0] > " " < href[-1] != ":")
        if shared and len(href) + len(url or "") <= HREF_CHARACTERS_CACHED:
            _remember_href(self.known, href, url)
        return url

    def _plain(self, href: str) -> str | None:
        """The address when it is certain without a parser, but for its length."""
        if self._ups:
            if match := RELATIVE.fullmatch(href):
                climb, name = match.groups("")
                return None if "/." in name else self._up(len(climb) // 3) + name
            if ROOTED.fullmatch(href):
                return None if "/." in href else self._origin + href
        match = ABSOLUTE.fullmatch(href)
        if match and len(match[1]) <= ORIGIN_CHARACTERS_MAX:
            base, path = _origin_of(match[1]), match[2] or "/"
            return base + path if base and "/." not in path else None
        return None

    def _up(self, levels: int) -> str:
        """The directory so many levels above the page's own; the root is above itself."""
        ups = self._ups
        while len(ups) <= levels:
            parent = ups[-1][: ups[-1].rfind("/", 0, -1) + 1]
            if len(parent) < len(self._origin):
                return ups[-1]
            ups.append(parent)
        return ups[levels]


_hrefs: dict[str, dict[str, str | None]] = {}  # by directory: where hrefs of its pages lead
_hrefs_count = 0


def _hrefs_of(base: str) -> dict[str, str | None]:
    return _hrefs.setdefault(base, {})


def _remember_href(known: dict[str, str | None], href: str, url: str | None) -> None:
    """Until there are too many of all; then all are forgotten, also by who is just looking."""
    global _hrefs_count
    _hrefs_count += 1
    if _hrefs_count > HREFS_CACHED:
        for hrefs in _hrefs.values():
            hrefs.clear()
        _hrefs.clear()
        _hrefs_count = 1
    known[href] = url


def origin(url: str) -> str:
    """Scheme, host and port of a canonical address: always a prefix of it."""
    slash = url.find("/", 8)
    return url if slash < 0 else url[:slash]


def host(url: str) -> str:
    """The host of a canonical address, without port; an IPv6 address in its brackets."""
    name = origin(url).partition("://")[2]
    return name[: name.rfind("]") + 1] if name.startswith("[") else name.partition(":")[0]


def site(url: str) -> str:
    """The registrable domain of a canonical address; an IP address, or a host that has none, is its own site."""
    return _site_of(origin(url))


def directory(url: str) -> str:
    """A canonical address up to and with the last "/" of its path."""
    return url[: url.partition("?")[0].rfind("/") + 1]


def template(url: str) -> str:
    """A canonical address with each run of digits in path and names, and each parameter's value, as "*"."""
    base = origin(url)
    path, mark, query = url[len(base) :].partition("?")
    if mark:
        query = "&".join([f"{part.partition('=')[0]}=*" for part in query.split("&")])
    return base + DIGITS.sub("*", path + mark + query)


def text_of(url: str) -> str:
    """The words of an address, to look for words in: decoded, with blanks in the place of separators."""
    name, slash, rest = url.partition("://")[2].partition("/")
    if "xn--" in name:
        name = can_ada.idna_decode(name.encode())  # type: ignore[arg-type]  # its stubs are wrong
    return (name + slash + _unescaped(rest)).translate(SEPARATORS).strip()


def typed(text: str) -> str | None:
    """The canonical form of an address as a person types it; "example.org/x" will do."""
    return canonical(_with_scheme(text.strip(BLANKS)))


def why_not(text: str) -> str:
    """Why `typed` makes no address of a text, in a few words; '' when it does."""
    bare = text.strip(BLANKS)
    whole = _with_scheme(bare)
    if canonical(whole) is not None:
        return ""
    if not bare:
        return "empty"
    if not whole:
        return "a mail address" if "@" in bare else "no host: without http:// in front it needs a dot in it"
    scheme, _, rest = whole.partition(":")
    if scheme.lower() not in ("http", "https"):
        return f"scheme {scheme[:20].lower()} is not http or https"
    return _why_no_host(AFTER_HOST.split(rest.lstrip("/\\"), maxsplit=1)[0].rpartition("@")[2])


def _why_no_host(authority: str) -> str:
    port = PORT.search(authority)
    name = authority[: port.start()] if port else authority
    if not name:
        return "no host"
    if port and canonical(f"http://{name}"):
        return f"port {port[1][:20]!r} is not a number from 1 to 65535"
    if canonical(f"http://{name}"):
        return f"longer than {ADDRESS_CHARACTERS_MAX:,} characters"
    return f"host {name[:60]!r} is no name or address"


def _with_scheme(bare: str) -> str:
    """What was typed, with the scheme that was meant; '' when it begins with no host."""
    if bare.startswith("//"):
        return f"https:{bare}"
    if with_port := HOST_WITH_PORT.match(bare):
        return f"{'https' if with_port[1] == '443' else 'http'}://{bare}"
    if SCHEME.match(bare):
        return bare
    start = AFTER_HOST.split(bare, maxsplit=1)[0]
    if not start or "@" in start:
        return ""
    name = host(canonical(f"http://{start}") or "")
    if name == "localhost" or IP_ADDRESS.fullmatch(name):
        return f"http://{bare}"  # few of these have a certificate
    return f"https://{bare}" if "." in start else ""


# -- the canonical form ------------------------------------------------------------------------------------------------


def _parsed(text: str, base: str | None = None) -> str:
    """The address as WHATWG serialises it, without fragment; '' when there is none."""
    bare = text.partition("#")[0]
    if len(bare) > TEXT_CHARACTERS_MAX:
        return ""
    scheme = SCHEME.match(bare)
    if scheme and scheme[1].lower() not in ("http", "https"):
        return ""
    if not bare.isascii():  # halves of characters that need two are joined, or else replaced
        bare = bare.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    try:
        parsed = can_ada.parse(bare) if base is None else can_ada.parse(base) + bare
    except ValueError:
        return ""
    return parsed.href


def _settled(href: str) -> str | None:
    """The canonical form of a serialised address."""
    url = _settled_once(href)
    # What was dropped may have laid a dot segment bare: the parser has the last word.
    return url if url is None or url == href else _settled_once(_parsed(url))


def _settled_once(href: str) -> str | None:
    if not href.startswith(HTTP):
        return None
    start = href.index("/", 8)
    base, rest = _settled_origin(_without_credentials(href[:start])), href[start:]
    url = base + (rest if _is_settled(rest) else _settled_rest(rest))
    return url if base and len(url) <= ADDRESS_CHARACTERS_MAX else None


def _without_credentials(base: str) -> str:
    scheme, _, authority = base.partition("://")
    base = f"{scheme}://{authority.rpartition('@')[2]}" if "@" in authority else base
    return base if len(base) <= ORIGIN_CHARACTERS_MAX else ""


@lru_cache(ORIGINS_CACHED)
def _settled_origin(base: str) -> str:
    """A serialised origin without the dot after its host; '' when its host or port cannot be."""
    scheme, _, authority = base.partition("://")
    port = PORT.search(authority)
    name = (authority[: port.start()] if port else authority).removesuffix(".")
    if not HOST.fullmatch(name) or len(name) > HOST_CHARACTERS_MAX or (port and port[1] == "0"):
        return ""
    return f"{scheme}://{name}{port[0] if port else ''}"


def _is_settled(rest: str) -> bool:
    match = SETTLED.fullmatch(rest)
    if not match or match[1] is None:
        return match is not None
    return all(part and not _is_noise(part) for part in match[1].split("&"))


def _settled_rest(rest: str) -> str:
    """Path and query with escapes settled, and without what has nothing to do with the page."""
    if "%" in rest:
        rest = ESCAPE.sub(_settled_escape, rest)
    rest = ILLEGAL.sub(lambda match: f"%{ord(match[0]):02X}", rest)
    path, _, query = rest.partition("?")
    if ";" in path:
        path = SESSION_IN_PATH.sub("", path)
    query = "&".join([part for part in query.split("&") if part and not _is_noise(part)])
    return f"{path}?{query}" if query else path


def _settled_escape(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in UNRESERVED else match[0].upper()


def _is_noise(parameter: str) -> bool:
    """Whether a parameter says where a visitor came from, or who it is, but nothing of the page."""
    name, _, value = parameter.partition("=")
    name = name.lower()
    if name in SESSION_NAMES:
        return SESSION_VALUE.fullmatch(value) is not None
    return name in DROPPED_NAMES or name.startswith(DROPPED_PREFIXES)


@lru_cache(ORIGINS_CACHED)
def _origin_of(start: str) -> str | None:
    """The canonical origin of an address that starts so, or None."""
    url = canonical(start)
    return origin(url) if url else None


# -- what is read off it -----------------------------------------------------------------------------------------------


@lru_cache(ORIGINS_CACHED)
def _site_of(base: str) -> str:
    name = host(base)
    return name if IP_ADDRESS.fullmatch(name) else _registrable()(name) or name


@cache
def _registrable() -> Callable[[str], str | None]:
    """The list of public suffixes, bundled: 50 ms to load, so only where it is needed, and once."""
    from publicsuffixlist import PublicSuffixList

    find: Callable[[str], str | None] = PublicSuffixList().privatesuffix
    return find


def _unescaped(text: str) -> str:
    """Escapes undone: as UTF-8, or else, for old servers, as Windows-1252."""
    if "%" not in text:
        return text
    raw = unquote_to_bytes(text)
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")
