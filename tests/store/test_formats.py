"""docs/formats.md against what is written: whatever a reader can meet is named there, with the type that it has."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pyarrow as pa
import pytest
from warcio.archiveiterator import ArchiveIterator

from halflife.fates import FAILED, FETCHED, SKIPPED
from halflife.records import Kind, Why
from halflife.store import Entry, Folder, Frontier, SegmentWriter
from halflife.store.columns import TABLES, schemas
from halflife.store.database import LAYOUT
from halflife.store.fates import WHYS
from halflife.store.folder import FORMAT, About, Mark
from halflife.store.journal import MAGIC
from halflife.store.warc import REVISIT_BYTES_MIN
from store.made import answered, failed, html, made_of, new_store

DOCUMENT = Path(__file__).parents[2] / "docs" / "formats.md"
TYPES = {
    "string": pa.string(),
    "bool": pa.bool_(),
    "int32": pa.int32(),
    "int64": pa.int64(),
    "double": pa.float64(),
    "timestamp[us, tz=UTC]": pa.timestamp("us", tz="UTC"),
    "list<string>": pa.list_(pa.string()),
    "map<string, double>": pa.map_(pa.string(), pa.float64()),
}


def section(title: str) -> str:
    """What the document says under a heading, up to the next one of the same rank or a higher one."""
    level = title.partition(" ")[0]
    found = re.search(rf"^{re.escape(title)}\n(.*?)(?=^#{{1,{len(level)}}} |\Z)", DOCUMENT.read_text(), re.M | re.S)
    assert found, f"docs/formats.md has no heading {title!r}"
    return found[1]


def table_of(text: str) -> list[list[str]]:
    """The rows of the Markdown tables in a text, without their heads; a bar in a cell is written with a backslash."""
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line.startswith("|")]
    rules = {place for place, row in enumerate(rows) if all(set(cell.strip()) == {"-"} for cell in row)}
    heads = {place - 1 for place in rules}
    return [[cell.strip() for cell in row] for place, row in enumerate(rows) if place not in rules | heads]


FOLDER = section("## The folder").partition("\n### ")[0]


def named(text: str) -> set[str]:
    """Everything that stands between backticks."""
    return set(re.findall(r"`([^`]+)`", text))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A store in the middle of a run: one segment complete, one begun, the frontier open."""
    folder = new_store(tmp_path_factory.mktemp("formats") / "s")
    folder.lock()
    body = html(links=["http://b.example/"], words="solar " * REVISIT_BYTES_MIN)
    done = SegmentWriter.create(folder)
    for url in ("http://a.example/", "http://a.example/copy"):
        fetch = answered(url, body)
        done.add(fetch, *made_of(fetch), b"")
    done.add(failed("http://c.example/"), None, None, b"")
    done.seal()
    frontier = Frontier(folder.frontier)
    frontier.add([Entry("http://a.example/"), Entry("http://b.example/", skip="robots")])
    frontier.commit()
    begun = SegmentWriter.create(folder)
    begun.add(failed("http://c.example/"), None, None, b"")
    return folder


@pytest.mark.parametrize("table", TABLES)
def test_every_column_is_explained_with_its_type_in_order(table: str) -> None:
    rows = table_of(section(f"### {table}"))
    said = [(name.strip("`"), TYPES[kind]) for name, kind, _ in rows]
    assert said == [(field.name, field.type) for field in schemas()[table]]
    assert all(meaning for _, _, meaning in rows)


def test_every_file_of_a_store_is_explained(store: Folder) -> None:
    said = {name for row in table_of(FOLDER) for name in named(row[0])}
    folders = {name for name in said if name.endswith("/")}
    for path in store.path.rglob("*"):
        name = path.relative_to(store.path).as_posix()
        for segment in (*store.segments(), *store.unsealed()):
            name = name.replace(segment, "NAME")
        if path.is_dir():
            assert f"{name}/" in folders or any(other.startswith(f"{name}/") for other in said), name
        else:
            assert name in said or (name.endswith(".part") and "*.part" in said), name


def test_the_files_that_are_explained_are_there(store: Folder) -> None:
    name = next(iter(store.segments()))
    for row in table_of(FOLDER):
        for said in named(row[0]):
            if said not in ("frontier.sqlite-wal", "frontier.sqlite-shm", "*.part"):
                there = (store.path / said.replace("NAME", name)).exists()
                assert there, said


@pytest.mark.parametrize(("title", "kind"), [("### halflife.json", About), ("### done.json", Mark)])
def test_every_key_of_the_small_files_is_explained(title: str, kind: type) -> None:
    assert [row[0].strip("`") for row in table_of(section(title))] == list(kind.__annotations__)


def test_the_numbers_of_the_formats_are_those_of_the_code() -> None:
    text = DOCUMENT.read_text()
    assert f"This page is about format {FORMAT}." in text
    assert f"`user_version` (now {LAYOUT})" in text
    assert f"Bodies shorter than {REVISIT_BYTES_MIN} bytes" in text
    assert f"`{MAGIC.decode().strip()}` and a newline" in text


def test_every_header_of_every_record_is_explained(store: Folder) -> None:
    name = next(iter(store.segments()))
    said = {row[0].strip("`"): row[1].split(", ") for row in table_of(section("## WARC files")) if len(row) == 3}
    met: dict[str, set[str]] = {}
    with (store.segment(name) / f"{name}.warc.gz").open("rb") as file:
        for record in ArchiveIterator(file):
            for header, _ in record.rec_headers.headers:
                met.setdefault(header, set()).add(record.rec_type)
    everything = {"warcinfo", "response", "revisit", "request"}
    assert {kind for kinds in met.values() for kind in kinds} == everything
    assert {header: everything if kinds == ["all"] else set(kinds) for header, kinds in said.items()} == met


def test_every_key_of_the_index_is_explained(store: Folder) -> None:
    name = next(iter(store.segments()))
    said = [row[0].strip("`") for row in table_of(section("## CDXJ files"))]
    for line in (store.segment(name) / f"{name}.cdxj").read_text().splitlines():
        fields = json.loads(line.split(" ", 2)[2])
        assert list(fields) == said
        assert all(isinstance(value, str) for value in fields.values())


def test_every_column_of_the_frontier_is_explained(store: Folder) -> None:
    said: dict[str, list[str]] = {}
    table = ""
    for row in table_of(section("## The frontier")):
        if len(row) == 3:
            table = row[0].strip("`") or table
            said.setdefault(table, []).extend(re.findall(r"`([^`]+)`", row[1]))
    db = sqlite3.connect(f"{store.frontier.as_uri()}?mode=ro", uri=True)
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = {name: [row[1] for row in db.execute(f"PRAGMA table_info({name})")] for name in tables}
    db.close()
    assert {name: sorted(columns) for name, columns in said.items()} == {
        name: sorted(columns) for name, columns in found.items()
    }


def test_every_word_that_a_column_can_hold_is_explained() -> None:
    fetches, frontier = named(section("### fetches")), named(section("## The frontier"))
    assert {kind.value for kind in Kind} <= fetches
    assert {why.value for why in Why} <= fetches
    assert f"in: {', '.join(WHYS)} " in section("## The frontier")
    assert {*SKIPPED, *FETCHED, *FAILED} <= frontier
