"""What sites offer to machines: sitemaps and feeds."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, time
from email.utils import format_datetime
from html import escape

from msgspec import Struct

from halflife.littleweb.wire import Reply

SITEMAP_SPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
ATOM_SPACE = "http://www.w3.org/2005/Atom"


class Entry(Struct, frozen=True):
    """One line of a feed."""

    url: str
    title: str
    day: date
    summary: str = ""


def sitemap(urls: Iterable[str], packed: bool = False) -> Reply:
    """A sitemap of pages; `packed` as a .gz file."""
    rows = "".join(f"<url><loc>{escape(url)}</loc></url>\n" for url in urls)
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{SITEMAP_SPACE}">\n{rows}</urlset>\n'
    return Reply(body.encode(), content_type="application/gzip" if packed else "application/xml", packed=packed)


def sitemap_index(urls: Iterable[str]) -> Reply:
    """A sitemap of sitemaps."""
    rows = "".join(f"<sitemap><loc>{escape(url)}</loc></sitemap>\n" for url in urls)
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<sitemapindex xmlns="{SITEMAP_SPACE}">\n{rows}</sitemapindex>\n'
    return Reply(body.encode(), content_type="application/xml")


def rss(title: str, home: str, entries: Iterable[Entry]) -> Reply:
    """An RSS 2.0 feed."""
    items = "".join(
        f"<item><title>{escape(one.title)}</title><link>{escape(one.url)}</link>"
        f"<description>{escape(one.summary)}</description><pubDate>{format_datetime(_noon(one.day))}</pubDate></item>\n"
        for one in entries
    )
    head = f"<title>{escape(title)}</title><link>{home}</link><description>{escape(title)}</description>"
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>{head}\n{items}</channel></rss>\n'
    return Reply(body.encode(), content_type="application/rss+xml")


def atom(title: str, home: str, entries: Iterable[Entry]) -> Reply:
    """An Atom feed."""
    entries = list(entries)
    items = "".join(
        f'<entry><title>{escape(one.title)}</title><link href="{escape(one.url)}"/><id>{escape(one.url)}</id>'
        f"<updated>{_noon(one.day).isoformat()}</updated><summary>{escape(one.summary)}</summary></entry>\n"
        for one in entries
    )
    newest = max(one.day for one in entries)
    head = f"<title>{escape(title)}</title><id>{home}</id><updated>{_noon(newest).isoformat()}</updated>"
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="{ATOM_SPACE}">{head}\n{items}</feed>\n'
    return Reply(body.encode(), content_type="application/atom+xml")


def _noon(day: date) -> datetime:
    return datetime.combine(day, time(12), UTC)
