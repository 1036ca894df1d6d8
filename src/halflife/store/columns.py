"""The columns of the tables, listed here once, in order; docs/formats.md explains each.

Every table has `fetched_at`: with the address it says which visit a row belongs to.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = ("fetches", "pages", "weights", "links", "media")

# Columns whose values repeat within a table: each value is stored once a row group.
REPEATED = {
    "fetches": (
        "host", "site", "why", "via", "failure", "mime", "content_type", "address", "warc_record", "warc_file", "status",
        "depth", "tries",
    ),
    "pages": ("host", "site", "kind", "language", "charset", "noindex", "nofollow"),
    "weights": ("method", "version", "threshold"),
    "links": ("from_url", "fetched_at", "to_url", "anchor"),
    "media": ("from_url", "fetched_at", "url", "kind", "text"),
}  # fmt: skip

# Columns for which each row group says its smallest and largest value, so that a reader can pass it over.
BOUNDED = {
    "fetches": ("url", "fetched_at", "host", "site", "status"),
    "pages": ("url", "fetched_at", "host", "site"),
    "weights": ("url", "fetched_at", "total"),
    "links": ("from_url", "fetched_at", "to_url"),
    "media": ("from_url", "fetched_at", "url"),
}


@cache
def schemas() -> dict[str, pa.Schema]:
    """The columns of every table, by table name."""
    import pyarrow as pa

    text, number, small, real, truth = pa.string(), pa.int64(), pa.int32(), pa.float64(), pa.bool_()
    at, texts, scores = pa.timestamp("us", tz="UTC"), pa.list_(pa.string()), pa.map_(pa.string(), pa.float64())

    def table(**columns: pa.DataType) -> pa.Schema:
        return pa.schema(list(columns.items()))

    return {
        "fetches": table(
            url=text, fetched_at=at, host=text, site=text, why=text, depth=small, via=text, anchor=text, tries=small,
            redirects=texts, status=small, failure=text, detail=text, mime=text, content_type=text, location=text,
            etag=text, last_modified=text, seconds=real, wire_bytes=number, body_bytes=number, content_bytes=number,
            address=text, rest_seconds=real, warc_record=text, warc_file=text, warc_offset=number, warc_length=number,
            digest=text,
        ),
        "pages": table(
            url=text, fetched_at=at, host=text, site=text, kind=text, title=text, description=text, language=text,
            charset=text, headings=texts, text=text, base=text, canonical=text, noindex=truth, nofollow=truth,
            refresh=text, refresh_seconds=real, link_count=small, media_count=small, links_cut=small,
        ),
        "weights": table(
            url=text, fetched_at=at, method=text, version=small, total=real, kept=truth, threshold=real, part_url=real,
            part_title=real, part_body=real, part_out=real, part_headings=real, part_anchors=real, evidence=scores,
        ),
        "links": table(
            from_url=text, fetched_at=at, position=small, to_url=text, anchor=text, text_start=small, text_end=small,
            nofollow=truth,
        ),
        "media": table(from_url=text, fetched_at=at, position=small, url=text, kind=text, text=text, context=text),
    }  # fmt: skip
