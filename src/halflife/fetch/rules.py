"""robots.txt by RFC 9309: from bytes to rules, and what the rules say of a path. Pure.

The groups that name us are taken together; if none does, those of "*". The longest matching pattern decides, Allow when
two are equally long. "*" is any run of characters, a "$" at the end is the end. Escapes are compared as the RFC asks:
those of plain characters are undone, the others written in capitals, whatever is not ASCII is escaped.

Where the RFC is silent or files in the wild differ:
- Lines that are no rule (Crawl-delay, Sitemap, anything unknown) never end a group's list of names: RFC 2.2.4.
- Behind "?" an escaped "/" or ":" is the same as a plain one, so that RFC 2.2.2's own example holds for both.
- A pattern without a leading "/" gets one; misspelt names of directives that everybody misspells are understood.
- Crawl-delay is not in the RFC; the longest of those that concern us is heeded.
(protego, the usual library, ends groups at unknown lines, takes "half" for "halflife", lets "Allow: /index.html" allow
"/", and reads "$" two ways; that is why this file exists.)
"""

from __future__ import annotations

import re
from typing import NamedTuple

from msgspec import Struct

WILD_RULES_MAX = 2_000  # each is tried on every address; of further ones the part before the star is taken
PATTERN_CHARACTERS_MAX = 4_096  # longer than any address: a longer pattern is cut

DISALLOW = frozenset({"disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"})
AGENT_LINE = frozenset({"user-agent", "useragent", "user agent"})
CRAWL_DELAY = frozenset({"crawl-delay", "crawldelay", "crawl delay"})

LINE_END = re.compile(rb"\r\n|\r|\n")
PRODUCT = re.compile(r"[A-Za-z_-]+|\*")
SECONDS = re.compile(r"\d{1,9}(?:[.,]\d{1,9})?|[.,]\d{1,9}")
TO_SETTLE = re.compile(rb"%[0-9A-Fa-f]{2}|[^\x21-\x7e]")
UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
PLAIN_PATH = re.compile(r"[^%*$]*")


class Rules(Struct, frozen=True, array_like=True):
    """What a robots.txt says to us. Crosses processes, and outlives them."""

    allow: tuple[str, ...] = ()  # patterns, settled
    disallow: tuple[str, ...] = ()
    crawl_delay_seconds: float = 0.0


class _Group:
    """Lines for some names."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.has_rules = False
        self.allow: list[str] = []
        self.disallow: list[str] = []
        self.crawl_delay_seconds = 0.0


def read_rules(data: bytes, token: str, bytes_max: int, whole: bool = True) -> Rules:
    """The rules in the beginning of a robots.txt for the crawler of this name (in lower case)."""
    if len(data) > bytes_max or not whole:
        data = data[:bytes_max]
        data = data[: max(data.rfind(b"\n"), data.rfind(b"\r")) + 1]  # half a pattern would forbid too much
    groups: list[_Group] = []
    for line in LINE_END.split(data.removeprefix(b"\xef\xbb\xbf")):
        name, value = _directive(line)
        if not name:
            continue
        if name in AGENT_LINE:
            if not groups or groups[-1].has_rules:
                groups.append(_Group())
            matched = PRODUCT.match(value.decode("latin-1"))
            groups[-1].names.append(matched[0].lower() if matched else "")
        elif groups:
            _add(groups[-1], name, value)
    ours = [group for group in groups if token in group.names] or [group for group in groups if "*" in group.names]
    return Rules(
        tuple(dict.fromkeys(pattern for group in ours for pattern in group.allow)),
        tuple(dict.fromkeys(pattern for group in ours for pattern in group.disallow)),
        max((group.crawl_delay_seconds for group in ours), default=0.0),
    )


def _directive(line: bytes) -> tuple[str, bytes]:
    """Name in lower case and value of a line, '' for what is none."""
    name, colon, value = line.partition(b"#")[0].partition(b":")
    if not colon or len(name) > 100:
        return "", b""
    return name.strip().lower().decode("latin-1"), value.strip()


def _add(group: _Group, name: str, value: bytes) -> None:
    if name == "allow" or name in DISALLOW:
        group.has_rules = True
        if value:
            pattern = settled_pattern(value)
            (group.allow if name == "allow" else group.disallow).append(pattern)
    elif name in CRAWL_DELAY and (matched := SECONDS.match(value.decode("latin-1"))):
        group.crawl_delay_seconds = max(group.crawl_delay_seconds, float(matched[0].replace(",", ".")))


# -- patterns and paths --------------------------------------------------------------------------------------------


def settled_pattern(value: bytes) -> str:
    """A pattern in the one form in which it is compared; "*" and a last "$" keep their meaning."""
    if not value.startswith((b"/", b"*")):
        value = b"/" + value
    end = b"$" if value.endswith(b"$") else b""
    value = value[: len(value) - len(end)].replace(b"$", b"%24")
    return _settled(value)[:PATTERN_CHARACTERS_MAX] + end.decode()


def settled_path(path: str) -> str:
    """A path with its query in the form in which it is compared."""
    if PLAIN_PATH.fullmatch(path):
        return path
    return _settled(path.replace("*", "%2A").replace("$", "%24").encode())


def _settled(value: bytes) -> str:
    path, mark, query = TO_SETTLE.sub(_settled_octet, value).partition(b"?")
    if mark and b"%" in query:
        query = query.replace(b"%2F", b"/").replace(b"%3A", b":")
    return (path + mark + query).decode("ascii")


def _settled_octet(match: re.Match[bytes]) -> bytes:
    found = match[0]
    if len(found) == 1:
        return b"%%%02X" % found[0]
    octet = int(found[1:], 16)
    return bytes((octet,)) if octet in UNRESERVED else found.upper()


class _Wild(NamedTuple):
    """A pattern that is more than a beginning."""

    length: int
    allow: bool
    parts: list[str]  # between the stars
    to_the_end: bool
    pattern: str

    def matches(self, path: str) -> bool:
        first, *more = self.parts
        if not more:
            return path == first
        if not path.startswith(first):
            return False
        at = len(first)
        for part in more[:-1]:
            at = path.find(part, at)
            if at < 0:
                return False
            at += len(part)
        last = more[-1]
        if self.to_the_end:
            return len(path) - len(last) >= at and path.endswith(last)
        return path.find(last, at) >= 0


class Matcher:
    """Rules, prepared for many questions."""

    __slots__ = ("_lengths", "_prefixes", "_wild", "rules")

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self._prefixes: dict[str, bool] = {}
        wild: list[_Wild] = []
        for patterns, allow in ((rules.disallow, False), (rules.allow, True)):
            for pattern in patterns:
                if "*" in pattern or pattern.endswith("$"):
                    if len(wild) < WILD_RULES_MAX:
                        wild.append(_wild(pattern, allow))
                        continue
                    if allow:
                        continue
                    pattern = pattern.partition("*")[0].rstrip("$")
                self._prefixes[pattern] = allow  # Allow comes second: it wins
        self._wild = sorted(wild, key=lambda one: (-one.length, not one.allow))
        self._lengths = tuple(sorted({len(prefix) for prefix in self._prefixes}, reverse=True))

    @property
    def cost(self) -> int:
        """About how many bytes of memory it takes."""
        return 500 + sum(200 + 2 * len(text) for texts in (self.rules.allow, self.rules.disallow) for text in texts)

    def refusal(self, path: str) -> str:
        """The pattern that forbids a path (with its query), '' when it may be asked for."""
        if (not self._wild and not self._lengths) or path == "/robots.txt":
            return ""
        path = settled_path(path)
        found, allow = "", True
        for length in self._lengths:
            if path[:length] in self._prefixes:
                found = path[:length]
                allow = self._prefixes[found]
                break
        length = len(found)
        for wild in self._wild:
            if wild.length < length or (wild.length == length and allow):
                break
            if wild.matches(path):
                return "" if wild.allow else wild.pattern if wild.length > length else found
        return "" if allow else found


def _wild(pattern: str, allow: bool) -> _Wild:
    to_the_end = pattern.endswith("$")
    return _Wild(len(pattern), allow, pattern.removesuffix("$").split("*"), to_the_end, pattern)
