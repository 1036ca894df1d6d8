"""Questions to the segments, asked with DuckDB. Only complete segments answer; values travel as parameters, never as SQL.

A page may have been fetched several times: where pages are listed, its latest visit speaks for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from halflife.errors import SettingError
from halflife.store.columns import TABLES, schemas
from halflife.store.faults import REPAIR, REPAIR_SEGMENT, store_error
from halflife.store.folder import Folder
from halflife.store.limits import checked_limit

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

BATCH_ROWS = 2_048  # rows held in memory at a time while an answer is read
GARBLED = (ValueError, OverflowError, RuntimeError)  # what damaged files lead to, beside errors of DuckDB
# Nothing is looked for on the network, and times are shown as they are stored.
CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}

Order = Literal["weight", "time", "address"]
ORDERS = {
    "weight": "w.total DESC NULLS LAST, p.url",
    "time": "p.fetched_at DESC, p.url",
    "address": "p.url",
}

PAGES = """
SELECT p.url, p.title, w.total AS weight, coalesce(w.kept AND NOT p.noindex, false) AS kept, p.fetched_at, p.kind,
    p.language, p.site, p.host, p.description, p.canonical, p.noindex, p.link_count, p.media_count,
    length(p.text) AS text_characters, w.method, w.threshold, w.part_url, w.part_title, w.part_headings,
    w.part_anchors, w.part_body, w.part_out, w.evidence
FROM pages p
JOIN (SELECT url, max(fetched_at) AS fetched_at FROM pages GROUP BY url) latest USING (url, fetched_at)
LEFT JOIN weights w USING (url, fetched_at)
"""
WEIGHT = "SELECT * FROM weights WHERE url = $url ORDER BY fetched_at DESC LIMIT 1"
VISITS = "SELECT * FROM fetches WHERE url = $url ORDER BY fetched_at"
LINKS = """
SELECT from_url, max(fetched_at) AS fetched_at, arg_max(anchor, fetched_at) AS anchor,
    arg_max(position, fetched_at) AS position, arg_max(nofollow, fetched_at) AS nofollow
FROM links WHERE to_url = $url GROUP BY from_url ORDER BY from_url LIMIT $limit
"""


class PageFilter(Struct, frozen=True, kw_only=True):
    """Which pages, and in which order. What is left out does not restrict."""

    everything: bool = False  # irrelevant pages, feeds and sitemaps too
    min_weight: float | None = None
    site: str = ""
    host: str = ""
    match: str = ""  # a regular expression found in the address
    text: str = ""  # words that all occur in title or text, in whatever case
    language: str = ""  # "en" is also en-GB
    kind: str = ""  # html | feed | sitemap | plain
    order: Order = "weight"
    limit: int | None = None


KEPT = PageFilter()


def pages(folder: Folder, which: PageFilter = KEPT) -> Iterator[dict[str, Any]]:
    """The pages of a store, row by row."""
    sql, values = _pages_query(which)
    yield from _rows(folder, sql, values)


def pages_table(folder: Folder, which: PageFilter = KEPT) -> pa.Table:
    """The pages of a store as one Arrow table."""
    import duckdb

    sql, values = _pages_query(which)
    with opened(folder) as tables:
        try:
            return tables.sql(sql, params=values).to_arrow_table()
        except (duckdb.Error, *GARBLED) as error:
            raise _named(error, folder) from error


def weight_of(folder: Folder, url: str) -> dict[str, Any] | None:
    """The latest weight of a page, with all its parts, or None."""
    return next(_rows(folder, WEIGHT, {"url": url}), None)


def visits_of(folder: Folder, url: str) -> list[dict[str, Any]]:
    """Every attempt at an address, oldest first."""
    return list(_rows(folder, VISITS, {"url": url}))


def links_to(folder: Folder, url: str, limit: int = 1_000) -> list[dict[str, Any]]:
    """The pages that link to an address, each with the words of its link."""
    return list(_rows(folder, LINKS, {"url": url, "limit": checked_limit(limit)}))


def opened(folder: Folder) -> duckdb.DuckDBPyConnection:
    """DuckDB with the five tables as views: fetches, pages, weights, links, media. To be closed."""
    import duckdb

    segments = folder.segments()
    tables = duckdb.connect(config=CONFIG)
    try:
        tables.execute("SET TimeZone = 'UTC'")
        for name in TABLES:
            files = [_plain(str(_table(folder, segment, name))) for segment in segments]
            found = tables.read_parquet(files) if files else tables.from_arrow(schemas()[name].empty_table())
            found.create_view(name)
    except (duckdb.Error, *GARBLED) as error:
        tables.close()
        raise _named(error, folder) from error
    return tables


def _pages_query(which: PageFilter) -> tuple[str, dict[str, Any]]:
    if which.order not in ORDERS:
        raise SettingError(f"--order {which.order!r}: must be {', '.join(ORDERS)}")
    _check_pattern(which.match)
    conditions = ["true"] if which.everything else ["w.kept AND NOT p.noindex"]
    values: dict[str, Any] = {}
    for condition, name, value in (
        ("w.total >= $min_weight", "min_weight", which.min_weight),
        ("p.site = $site", "site", which.site.lower() or None),
        ("p.host = $host", "host", which.host.lower() or None),
        ("regexp_matches(p.url, $match)", "match", which.match or None),
        ("(p.language = $language OR starts_with(p.language, $language || '-'))", "language", which.language.lower() or None),
        ("p.kind = $kind", "kind", which.kind or None),
        *_words(which.text),
    ):  # fmt: skip
        if value is not None:
            conditions.append(condition)
            values[name] = _sendable(value)
    sql = f"{PAGES} WHERE {' AND '.join(conditions)} ORDER BY {ORDERS[which.order]}"
    if which.limit is not None:
        sql += " LIMIT $limit"
        values["limit"] = checked_limit(which.limit)
    return sql, values


def _words(text: str) -> list[tuple[str, str, str]]:
    # Both sides are folded by the same hand: Python and DuckDB differ on letters such as "İ".
    where = _folded("p.title || ' ' || p.text")
    return [
        (f"contains({where}, {_folded(f'$word{place}')})", f"word{place}", word)
        for place, word in enumerate(text.split())
    ]


def _folded(sql: str) -> str:
    """In lower case, and a sigma at a word's end like any other."""
    return f"replace(lower({sql}), 'ς', 'σ')"


def _sendable(value: Any) -> Any:
    """A value without halves of surrogate pairs, which no stored text has."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _check_pattern(pattern: str) -> None:
    if not pattern:
        return
    import duckdb

    with duckdb.connect(config=CONFIG) as checker:
        try:
            checker.execute("SELECT regexp_matches('', ?)", [pattern]).fetchall()
        except duckdb.Error as error:
            why = str(error).partition("\n")[0].removeprefix("Invalid Input Error: ")
            raise SettingError(f"--match {pattern!r}: no regular expression ({why}); mend it") from None


def _rows(folder: Folder, sql: str, values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    import duckdb

    with opened(folder) as tables:
        try:
            for batch in tables.sql(sql, params=values).to_arrow_reader(BATCH_ROWS):
                for row in batch.to_pylist():
                    if row.get("evidence") is not None:
                        row["evidence"] = dict(row["evidence"])
                    yield row
        except (duckdb.Error, *GARBLED) as error:
            raise _named(error, folder) from error


def _named(error: Exception, folder: Folder) -> Exception:
    """The error about the file that DuckDB names, or that it cannot read by itself, or else about the store."""
    message = str(error)
    paths = [_table(folder, segment, name) for segment in folder.segments() for name in TABLES]
    damaged = next((path for path in paths if str(path) in message), None) or next(filter(_is_damaged, paths), None)
    return store_error(error, damaged or folder.path, REPAIR_SEGMENT if damaged else REPAIR)


def _is_damaged(path: Path) -> bool:
    import duckdb

    with duckdb.connect(config=CONFIG) as tables:
        try:
            for _ in tables.read_parquet([_plain(str(path))]).to_arrow_reader(BATCH_ROWS):
                pass
        except (duckdb.Error, *GARBLED):
            return True
    return False


def _table(folder: Folder, segment: str, name: str) -> Path:
    """Absolute, for a relative path may begin with "s3:" or "~", which DuckDB takes for something else."""
    return (folder.segment(segment) / f"{name}.parquet").absolute()


def _plain(path: str) -> str:
    """The path as a pattern that matches nothing but itself."""
    return "".join(f"[{character}]" if character in "[*?" else character for character in path)
