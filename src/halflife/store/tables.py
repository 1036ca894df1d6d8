"""A segment's tables while they grow: rows are collected cheaply, and go to disk a row group at a time."""

from __future__ import annotations

from array import array
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from halflife.records import Answer, Failure, Fetch, Page, Weight
from halflife.store.arrow import coded, column, numbers, truths
from halflife.store.columns import BOUNDED, REPEATED, schemas
from halflife.store.warc import Placed
from halflife.urls import host, site

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

GROUP_BYTES = 8_000_000  # a row group goes to disk at this size: five such and their copies are far from 100 MB
ROW_BYTES = 600  # of a row apart from its long texts, as Python objects
LINK_BYTES = 33  # of a link, as numbers
WORDS_BYTES = 120  # of an address or anchor that a link mentions for the first time
PART = ".part"  # the ending of a table until its segment is sealed: no reader takes it for a table
POSITIONS = array("i", range(10_000))
HEADERS = ("content-type", "location", "etag", "last-modified")


class Tables:
    """The five tables of one segment."""

    def __init__(self, folder: Path, warc_name: str) -> None:
        self._folder = folder
        self._warc_name = warc_name
        self._fetches = Rows(folder, "fetches")
        self._pages = Rows(folder, "pages")
        self._weights = Rows(folder, "weights")
        self._links = Links(folder)
        self._media = Rows(folder, "media")
        self._all: tuple[Rows | Links, ...] = (self._fetches, self._pages, self._weights, self._links, self._media)

    def add(
        self, fetch: Fetch, placed: Placed, page: Page | None, weight: Weight | None, content_bytes: int | None
    ) -> None:
        """What one fetch leaves in the tables."""
        at = round(fetch.at * 1_000_000)
        self._fetches.add(_fetch_row(fetch, at, placed, self._warc_name, content_bytes), 0)
        if page is not None:
            self._pages.add(_page_row(page, at), 2 * len(page.text) + len(page.description))
            if page.links:
                self._links.add(page, at)
            for place, medium in enumerate(page.media):
                row = (page.url, at, place, medium.url, medium.kind, medium.text, medium.context)
                self._media.add(row, len(medium.context))
        if weight is not None:
            self._weights.add(_weight_row(weight, at), 100 * len(weight.evidence))

    def close(self) -> dict[str, int]:
        """Write what is left; how many rows each table has. The files still have their provisional names."""
        return {table.name: table.close() for table in self._all}


class Rows:
    """One table, collected as rows."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self._file = File(folder, name)
        self._rows: list[tuple[Any, ...]] = []
        self._bytes = 0

    def add(self, row: tuple[Any, ...], text_bytes: int) -> None:
        """One more row, its long texts so long."""
        self._rows.append(row)
        self._bytes += ROW_BYTES + text_bytes
        if self._bytes > GROUP_BYTES:
            self._flush()

    def close(self) -> int:
        """Write what is left; how many rows the table has."""
        if self._rows:
            self._flush()
        return self._file.close()

    def _flush(self) -> None:
        import pyarrow as pa

        schema = schemas()[self.name]
        columns = zip(*self._rows, strict=True)
        arrays = [column(values, field.type) for values, field in zip(columns, schema, strict=True)]
        self._file.write(pa.record_batch(arrays, schema=schema))
        self._rows.clear()
        self._bytes = 0


class Links:
    """The links table: there are a hundred links a page, so addresses and anchors are held as numbers of distinct ones."""

    name = "links"

    def __init__(self, folder: Path) -> None:
        self._file = File(folder, "links", coded=("from_url", "to_url", "anchor"))
        self._clear()

    def _clear(self) -> None:
        self._pages: list[str] = []
        self._urls, self._anchors = _numbering(), _numbering()
        self._at, self._nofollow = array("q"), bytearray()
        self._from, self._to, self._anchor = array("i"), array("i"), array("i")
        self._position, self._start, self._end = array("i"), array("i"), array("i")

    def add(self, page: Page, at: int) -> None:
        """The links of one page."""
        links, urls, anchors = page.links, self._urls, self._anchors
        count = len(links)
        # An array takes another array at once, and a list one by one: hence the arrays of lists.
        self._from.extend(array("i", [len(self._pages)]) * count)
        self._pages.append(page.url)
        self._at.extend(array("q", [at]) * count)
        self._position.extend(POSITIONS[:count] if count <= len(POSITIONS) else array("i", range(count)))
        self._to.extend(array("i", [urls[url] for url in links.urls]))
        self._anchor.extend(array("i", [anchors[anchor] for anchor in links.anchors]))
        self._start.extend(links.starts)
        self._end.extend(links.ends)
        self._nofollow.extend(links.nofollow)
        if len(self._to) * LINK_BYTES + (len(self._urls) + len(self._anchors)) * WORDS_BYTES > GROUP_BYTES:
            self._flush()

    def close(self) -> int:
        """Write what is left; how many rows the table has."""
        if self._pages:
            self._flush()
        return self._file.close()

    def _flush(self) -> None:
        import pyarrow as pa

        small, at = pa.int32(), schemas()["links"].field("fetched_at").type
        columns = {
            "from_url": coded(self._from, self._pages),
            "fetched_at": numbers(self._at, at),
            "position": numbers(self._position, small),
            "to_url": coded(self._to, list(self._urls)),
            "anchor": coded(self._anchor, list(self._anchors)),
            "text_start": numbers(self._start, small),
            "text_end": numbers(self._end, small),
            "nofollow": truths(self._nofollow),
        }
        self._file.write(pa.record_batch(columns))
        self._clear()


class File:
    """One Parquet file, made when its first row group comes."""

    def __init__(self, folder: Path, name: str, coded: tuple[str, ...] = ()) -> None:
        # Absolute: pyarrow takes a relative path that begins with "s3:" or "~" for something else.
        self._path, self._name = (folder / f"{name}.parquet{PART}").absolute(), name
        self._coded = coded  # columns that come as numbers of distinct texts; in the file they are plain text
        self._writer: pq.ParquetWriter | None = None
        self._rows = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """One row group."""
        import pyarrow as pa

        self._open().write_table(pa.Table.from_batches([batch]), row_group_size=max(1, batch.num_rows))
        self._rows += batch.num_rows

    def close(self) -> int:
        """The file is whole; how many rows it has."""
        self._open().close()
        return self._rows

    def _open(self) -> pq.ParquetWriter:
        if self._writer is None:
            import pyarrow as pa
            import pyarrow.parquet as pq

            fields = [
                pa.field(field.name, pa.dictionary(pa.int32(), field.type)) if field.name in self._coded else field
                for field in schemas()[self._name]
            ]
            self._writer = pq.ParquetWriter(
                self._path,
                pa.schema(fields),
                compression="zstd",
                compression_level=1,
                use_dictionary=list(REPEATED[self._name]),
                write_statistics=list(BOUNDED[self._name]),
                dictionary_pagesize_limit=GROUP_BYTES,
                store_schema=False,
                memory_pool=pa.system_memory_pool(),  # pyarrow's own takes 40 ms and much memory to get ready
            )
        return self._writer


def _fetch_row(fetch: Fetch, at: int, placed: Placed, warc_name: str, content_bytes: int | None) -> tuple[Any, ...]:
    target, outcome = fetch.target, fetch.outcome
    url = target.url
    known = (
        url, at, host(url), site(url), target.why.value, target.depth, target.via, target.anchor, target.tries,
        target.redirects,
    )  # fmt: skip
    if isinstance(outcome, Failure):
        came: tuple[Any, ...] = (None, outcome.kind.value, outcome.detail, "", "", "", "", "")
        where: tuple[Any, ...] = ("", "", None, None, "")
    else:
        content_type, location, etag, last_modified = _headers(outcome)
        mime = content_type.partition(";")[0].strip().lower()
        came = (outcome.status, "", outcome.reason, mime, content_type, location, etag, last_modified)
        where = (placed.record, warc_name, placed.offset, placed.length, placed.digest)
    sizes = (fetch.seconds, fetch.wire_bytes, placed.body_bytes, content_bytes, fetch.address, fetch.rest_seconds)
    return (*known, *came, *sizes, *where)


def _headers(answer: Answer) -> list[str]:
    found = dict.fromkeys(HEADERS, "")
    for name, value in reversed(answer.headers):  # so that the first of a name stays
        if name in found:
            found[name] = value
    return list(found.values())


def _page_row(page: Page, at: int) -> tuple[Any, ...]:
    url = page.url
    return (
        url, at, host(url), site(url), page.kind, page.title, page.description, page.language, page.charset,
        page.headings, page.text, page.base, page.canonical, page.noindex, page.nofollow, page.refresh,
        page.refresh_seconds, len(page.links), len(page.media), page.links_cut,
    )  # fmt: skip


def _weight_row(weight: Weight, at: int) -> tuple[Any, ...]:
    return (
        weight.url, at, weight.method, weight.version, weight.total, weight.kept, weight.threshold, weight.part_url,
        weight.part_title, weight.part_body, weight.part_out, weight.part_headings, weight.part_anchors,
        weight.evidence,
    )  # fmt: skip


def _numbering() -> defaultdict[str, int]:
    """Asked for a text it has not met, it gives it the next number."""
    numbering: defaultdict[str, int] = defaultdict()
    numbering.default_factory = numbering.__len__
    return numbering
