"""Pages and topics made up for tests, and what hypothesis draws them from."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

from hypothesis import reject, settings
from hypothesis import strategies as st

from halflife.errors import InputError
from halflife.judge.topic import Topic, parse_topic
from halflife.records import Link, Links, Page
from halflife.urls import canonical

unhurried = settings(deadline=None)  # the machine may be busy

URL = "http://www.example.org/page"

# Words that are parts, plurals, neighbours and foreign forms of each other.
WORDS = (
    "solar", "energy", "energies", "solar-energy", "solarenergy", "cell", "Cells", "cellar", "file", "system", "FileSystem",
    "straße", "STRASSE", "node.js", "js.org", "c++", "c++11", "能源", "太阳能源", "能", "b\u00fccher", "of", "other", "words",
)  # fmt: skip
TERMS = ("solar", "energy", "cell", "file", "system", "straße", "node.js", "js.org", "c++", "能源", "能", "bücher")
BETWEEN = (" ", " ", " ", "-", "_", ", ", "\n")

texts = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(BETWEEN)), max_size=25).map(
    lambda pieces: "".join(word + after for word, after in pieces).strip()
)
headings = st.lists(st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join), max_size=3).map(tuple)
phrases = st.lists(st.sampled_from(TERMS), min_size=2, max_size=3).map(lambda words: '"' + " ".join(words) + '"')
terms = st.builds(
    "{}{}{}".format,
    st.sampled_from(["", "-"]),
    st.sampled_from(TERMS) | phrases,
    st.sampled_from(["", "", "^2", "^0.25", "^40"]),
)


def address(words: Iterable[str]) -> str:
    """A canonical address with these words in its path."""
    url = canonical("http://www.example.org/" + "/".join(quote(word) for word in words))
    assert url
    return url


addresses = st.lists(st.sampled_from(WORDS), max_size=4).map(address)


@st.composite
def topics(draw: st.DrawFn) -> Topic:
    """Topics with at least one wanted term."""
    text = " ".join(["solar", *draw(st.lists(terms, max_size=5))])
    try:
        return parse_topic(text)
    except InputError:  # "solar -solar": nothing is left to look for
        reject()


def page(
    url: str = URL,
    title: str = "",
    text: str = "",
    headings: tuple[str, ...] = (),
    links: tuple[Link, ...] = (),
    links_cut: int = 0,
) -> Page:
    return Page(url, url, title=title, text=text, headings=headings, links=Links.of(links), links_cut=links_cut)


pages = st.builds(
    page, url=addresses, title=texts.map(lambda text: text.replace("\n", " ")), text=texts, headings=headings
)
