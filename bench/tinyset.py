"""Two small made-up sets of pages, with what real ones have: index pages, fragments, escapes, dead links, odd names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from bench.sets import PageSet

PAGES = 60
WORDS = ("thread", "holds", "iterator", "while", "reference counting", "keeps", "every", "exception", "alive")


def make_tiny_sets(folder: Path) -> list[PageSet]:
    """Write them into a folder."""
    return [_make(folder / name, name, odd) for name, odd in (("plain", ""), ("odd", "~(x) =+"))]


def _make(folder: Path, name: str, odd: str) -> PageSet:
    chapters = folder / "chapters"
    chapters.mkdir(parents=True)
    folder.chmod(0o755)
    names = [f"{number}{odd}.html" for number in range(PAGES)]
    everything = [f"chapters/{quote(each)}" for each in names]
    no_pages = ["gone.html", "style.css", "mailto:nobody@example.org"]
    _write(folder / "index.html", [*everything[:20], "more.html#top", *no_pages])
    _write(folder / "more.html", [f"{link}#part" for link in everything for _ in range(3)] + ["index.html"])
    _write(folder / "unreached.html", ["index.html"])
    for number, each in enumerate(names):
        following = quote(names[(number + 1) % PAGES])
        _write(chapters / each, ["../index.html", "../more.html", following, f"./{following}#again", "#here"])
    (folder / "style.css").write_text("p { color: black }")
    return PageSet(name, folder, "/index.html")


def _write(file: Path, links: list[str]) -> None:
    text = " ".join(WORDS[(len(file.name) + place) % len(WORDS)] for place in range(400))
    listed = "\n".join(f'<li><a href="{link}">to {link}</a></li>' for link in links)
    file.write_text(f"<!doctype html><title>{file.stem}</title><h1>{file.stem}</h1><p>{text}</p><ul>\n{listed}\n</ul>")
