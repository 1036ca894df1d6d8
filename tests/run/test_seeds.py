"""Seeds in all the forms in which people give them."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

from halflife.errors import InputError
from halflife.run.seeds import read_seeds


def test_addresses_with_and_without_a_scheme() -> None:
    assert read_seeds(["https://Example.org/#top", "example.org/a", "https://example.org/"]) == (
        "https://example.org/",
        "https://example.org/a",
    )


def test_a_file_with_one_address_a_line(tmp_path: Path) -> None:
    path = tmp_path / "seeds.txt"
    path.write_text("\ufeff# of mine\r\n\r\n  https://a.example/ \r\nb.example/x\n", encoding="utf-8")
    assert read_seeds([str(path)]) == ("https://a.example/", "https://b.example/x")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"https://a.example/\n")))
    assert read_seeds(["-", "https://b.example/"]) == ("https://a.example/", "https://b.example/")


SITEMAP = (
    b'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    b"<url><loc>https://a.example/1</loc></url><url><loc>https://a.example/2</loc></url></urlset>"
)


@pytest.mark.parametrize("packed", [False, True])
def test_a_sitemap_on_disk(packed: bool, tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_bytes(gzip.compress(SITEMAP) if packed else SITEMAP)
    assert read_seeds([str(path)]) == ("https://a.example/1", "https://a.example/2")


def test_a_saved_page_and_its_absolute_links(tmp_path: Path) -> None:
    path = tmp_path / "links.html"
    path.write_text('<!doctype html><a href="https://a.example/">a</a> <a href="local.html">not this</a>')
    assert read_seeds([str(path)]) == ("https://a.example/",)


def test_a_file_is_meant_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("example.org").write_text("https://a.example/\n")
    assert read_seeds(["example.org"]) == ("https://a.example/",)


def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    # Root may read anything; a folder in the place of a file's parent fails for everybody.
    with pytest.raises(InputError, match="no such file"):
        read_seeds([str(tmp_path / "no" / "seeds.txt")])
    with pytest.raises(InputError, match=r"https://example\.org/"):
        read_seeds(["x" * 5000])
