"""Which addresses belong to a crawl: the user's word, and nothing learned.

    site      the registrable domains of the seeds, with all their hosts
    host      the hosts of the seeds; http or https, with or without "www.", since sites redirect from one to the other
    prefix    what lies under the directory of a seed, on the same terms
    any       everything

Patterns are regular expressions, searched for anywhere in the canonical address, letter case as it stands ("(?i)" in
front changes that). With `include`, an address must match one of them; with `exclude`, none. A seed is what the user
asked for by name: only `exclude` refuses it. A pattern that takes forever takes it from the crawl of who wrote it.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable

from halflife.errors import SettingError
from halflife.urls import directory, origin, site

SCOPES = ("site", "host", "prefix", "any")
PATTERN_CHARACTERS_MAX = 1000  # a longer one is a pasted file; what compiling it takes grows with it
ORIGINS_REMEMBERED = 100_000  # whether they are in scope: about 20 MB at the most

Search = Callable[[str], "re.Match[str] | None"]


class Scope:
    """Refuses what does not belong to the crawl."""

    def __init__(self, scope: str, seeds: tuple[str, ...], include: tuple[str, ...], exclude: tuple[str, ...]) -> None:
        if scope not in SCOPES:
            raise SettingError(f"--scope {scope!r}: must be one of {', '.join(SCOPES)}")
        self._seeds = frozenset(seeds)
        self._include = [_compiled("--include", pattern) for pattern in include]
        self._exclude = [_compiled("--exclude", pattern) for pattern in exclude]
        self._all = scope == "any"
        self._name = site if scope == "site" else _bare
        self._names = frozenset() if self._all else frozenset(self._name(origin(seed)) for seed in seeds)
        self._directories = frozenset(_bare(directory(seed)) for seed in seeds if scope == "prefix")
        self._lengths = sorted({len(name) for name in self._directories})
        self._origins: dict[str, bool] = {}  # whether they are in scope

    def refuses(self, url: str) -> str:
        """Why an address does not belong to the crawl: out_of_scope, not_included or excluded; '' when it does."""
        reason = "" if self._all or self._holds(url) else "out_of_scope"
        if not reason and self._include and not _matches(self._include, url):
            reason = "not_included"
        if reason and url not in self._seeds:
            return reason
        return "excluded" if self._exclude and _matches(self._exclude, url) else ""

    def _holds(self, url: str) -> bool:
        base = url[: url.find("/", 8)]
        holds = self._origins.get(base)
        if holds is None:
            if len(self._origins) >= ORIGINS_REMEMBERED:
                self._origins.clear()
            holds = self._origins[base] = self._name(base) in self._names
        return holds and (not self._lengths or self._lies_in_directory(_bare(url)))

    def _lies_in_directory(self, bare: str) -> bool:
        return any(bare[:length] in self._directories for length in self._lengths)


def _bare(url: str) -> str:
    """An address without what http and https, or a host and its "www.", differ in."""
    return url.partition("://")[2].removeprefix("www.")


def _matches(searches: list[Search], url: str) -> bool:
    return any(search(url) for search in searches)


def _compiled(option: str, pattern: str) -> Search:
    """The search for a pattern, or an error that names the option, the pattern and the place."""
    shown = f"'{pattern}'" if pattern.isprintable() else repr(pattern)
    if len(pattern) > PATTERN_CHARACTERS_MAX:
        remedy = f"longer than {PATTERN_CHARACTERS_MAX} characters; give several shorter patterns"
        raise SettingError(f"{option} {shown[:60]}…: {remedy}")
    if not pattern:
        raise SettingError(f"{option} '': an empty pattern is found in every address; leave the option out")
    try:
        with warnings.catch_warnings(action="ignore"):  # that "[[a]" may mean something else some day
            return re.compile(pattern).search
    except (re.error, OverflowError, RecursionError) as error:
        remedy = "quote special characters such as . ? + with a backslash"
        raise SettingError(f"{option} {shown}: not a regular expression ({error}); {remedy}") from None
