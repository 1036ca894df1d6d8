"""What a page says, as `read_html` gives it; both walks over its tree give the same (test_walk.py)."""

from __future__ import annotations

import pytest

from halflife.page.html import HEADINGS_MAX, LINKS_MAX, MEDIA_MAX, TITLE_CHARACTERS_MAX, WORDS_CHARACTERS_MAX, read_html
from halflife.page.marks import Marks
from halflife.records import Link, Medium, Page

URL = "http://a.example/dir/page.html"
HERE = "http://a.example/dir/"


def page_of(markup: str, marks: Marks | None = None) -> Page:
    return read_html(URL, markup.encode(), "utf-8", marks or Marks())


def urls(markup: str) -> list[str]:
    return [link.url.removeprefix(HERE) for link in page_of(markup).links]


def anchors(markup: str) -> list[str]:
    return [link.anchor for link in page_of(markup).links]


# -- the page itself -------------------------------------------------------------------------------------------------


def test_a_page_says_its_title_description_language_headings_and_text() -> None:
    page = page_of(
        "<html lang=de-AT><head><title> A\n title </title><meta name=description content=' What  it is '></head>"
        "<body><h1>One <i>big</i> thing</h1><p>Words.<h2>Two<br>lines</h2></body></html>"
    )
    assert (page.title, page.description, page.language) == ("A title", "What it is", "de-at")
    assert page.headings == ("One big thing", "Two lines")
    assert page.text == "One big thing\nWords.\nTwo\nlines"


@pytest.mark.parametrize(
    ("markup", "title"),
    [
        ("<title></title><title>b</title>", "b"),
        ("<title>a</title><title>b</title>", "a"),
        ("<svg><title>of a picture</title></svg><title>b</title>", "b"),
        ("<p hidden><title>a</title></p>", ""),
        ("<math><title>a</title></math>", ""),
        ("<body><div><title>late</title></div>", "late"),
        ("", ""),
        (f"<title>{'ab ' * TITLE_CHARACTERS_MAX}</title>", ("ab " * TITLE_CHARACTERS_MAX)[:TITLE_CHARACTERS_MAX]),
    ],
)
def test_the_title_is_the_first_that_is_one(markup: str, title: str) -> None:
    assert page_of(markup).title == title


@pytest.mark.parametrize(
    ("markup", "description"),
    [
        ("<meta name=Description content=a>", "a"),
        ("<meta property=og:description content=b>", "b"),
        ("<meta name=description content=a><meta property=og:description content=b>", "a"),
        ("<meta property=og:description content=b><meta name=description content=a>", "a"),
        ("<meta name=description content=''><meta name=description>", ""),
        ("<meta name=keywords content=c>", ""),
    ],
)
def test_the_description_is_the_pages_own_before_the_one_for_others(markup: str, description: str) -> None:
    assert page_of(markup).description == description


@pytest.mark.parametrize(
    ("markup", "language"),
    [
        ("<html lang=EN>", "en"),
        ("<html xml:lang=fr>", "fr"),
        ("<meta http-equiv=Content-Language content=it>", "it"),
        ("<p lang=de>x", ""),
        ("<meta http-equiv=x-ua-compatible content=it><meta content=it>", ""),
    ],
)
def test_the_language_is_that_of_the_whole_page(markup: str, language: str) -> None:
    assert page_of(markup).language == language


def test_headings_that_are_not_shown_or_empty_are_none() -> None:
    many = "".join(f"<h6>{number}</h6>" for number in range(HEADINGS_MAX + 5))
    assert page_of("<h1></h1><h2 hidden>a</h2><div style='display:none'><h3>b</h3></div><h4> c </h4>").headings == (
        "c",
    )
    assert len(page_of(many).headings) == HEADINGS_MAX
    assert len(page_of(f"<h1>{'x' * 5000}</h1>").headings[0]) == WORDS_CHARACTERS_MAX


@pytest.mark.parametrize(
    ("markup", "noindex", "nofollow"),
    [
        ("<meta name=robots content='noindex, nofollow'>", True, True),
        ("<meta name=ROBOTS content=none>", True, True),
        ("<meta name=robots content=all>", False, False),
        ("<p hidden><meta name=robots content=noindex>", True, False),
    ],
)
def test_robots_marks_are_heeded_wherever_they_stand(markup: str, noindex: bool, nofollow: bool) -> None:
    page = page_of(markup)
    assert (page.noindex, page.nofollow) == (noindex, nofollow)


def test_a_refresh_leads_on_relative_to_the_base() -> None:
    page = page_of("<base href=/b/><meta http-equiv=refresh content='3; url=next'>")
    assert (page.refresh, page.refresh_seconds) == ("http://a.example/b/next", 3)


@pytest.mark.parametrize(
    ("markup", "canonical"),
    [
        ("<link rel=canonical href=x>", HERE + "x"),
        ("<link rel=canonical href=x><link rel=canonical href=y>", HERE + "x"),
        ("<link rel=canonical href=mailto:a@b><link rel=canonical href=y>", HERE + "y"),
        ("<link rel=canonical><link href=x><link rel='' href=x>", ""),
        ("<link rel='Alternate Canonical' href=x>", HERE + "x"),
    ],
)
def test_the_page_may_say_what_its_address_is(markup: str, canonical: str) -> None:
    assert page_of(markup).canonical == canonical


# -- links -----------------------------------------------------------------------------------------------------------


def test_links_are_relative_to_the_first_base_that_leads_somewhere() -> None:
    assert urls("<base><base href='mailto:x'><base href=sub/><base href=other/><a href=x>") == ["sub/x"]
    assert page_of("<a href=x>").base == URL
    assert page_of("<svg><base href=/evil/></svg><math><base href=/evil/></math>").base == URL


def test_links_come_in_the_pages_order_and_with_multiplicity() -> None:
    markup = (
        "<link rel=next href=n title=later><a href=1>1</a><map><area href=2 alt=two></map><a href=1>1</a>"
        "<iframe src=3 title=three></iframe><a href=4>4</a>"
    )
    assert urls(markup) == ["n", "1", "2", "1", "3", "4"]
    assert anchors(markup) == ["later", "1", "two", "1", "three", "4"]
    assert urls("<frameset><frame src=a name=b><frame src=c></frameset>") == ["a", "c"]


def test_a_link_says_where_in_the_text_its_words_are() -> None:
    page = page_of("<p>Go <a href=x rel='me nofollow'> there\n<b>now</b> </a>!")
    assert list(page.links) == [Link(HERE + "x", "there now", 3, 12, True)]
    assert page.around(page.links[0], 3) == "Go there now !"


def test_words_over_several_blocks_are_one_anchor() -> None:
    assert anchors("<a href=x><div>a</div><div>b</div></a>") == ["a b"]
    assert len(anchors(f"<a href=x>{'y' * 5000}</a>")[0]) == WORDS_CHARACTERS_MAX


@pytest.mark.parametrize(
    ("markup", "anchor"),
    [
        ("<a href=x><img src=i alt='a  picture'></a>", "a picture"),
        ("<a href=x title=' t '></a>", "t"),
        ("<a href=x aria-label=l></a>", "l"),
        ("<a href=x></a>", ""),
        ("<a href=x hidden> not\nshown </a>", "not shown"),
        ("<area href=x title=t>", "t"),
        ("<area href=x>", ""),
        ("<iframe src=x name=n></iframe>", "n"),
        ("<link rel=prev href=x>", ""),
    ],
)
def test_what_stands_for_the_words_of_a_link_without_any(markup: str, anchor: str) -> None:
    (link,) = page_of(markup).links
    assert (link.anchor, link.start, link.end) == (anchor, 0, 0)


@pytest.mark.parametrize(
    "markup",
    [
        "<a name=x>", "<a href='#top'>", "<a href=' #top'>", "<a href=mailto:a@b>", "<a href='javascript:x()'>",
        "<a href='http://'>", "<area>", "<area href='#x'>", "<area href='\n#x'>", "<iframe></iframe>",
        "<link rel=stylesheet href=x>", "<link rel=next>", "<svg><link rel=next href=x></svg>",
        "<script><a href=x></script>", "<iframe><a href=x></iframe>", "<template><a href=x></template>",
    ],
)  # fmt: skip
def test_what_leads_to_no_other_page_is_no_link(markup: str) -> None:
    assert urls(markup) == []


def test_links_in_each_other_do_not_multiply_their_words() -> None:
    page = page_of(f"{'<a href=x.pdf><object>' * 300}{'word ' * 100_000}")
    assert {len(link.anchor) for link in page.links} == {WORDS_CHARACTERS_MAX}
    assert {len(page.around(link)) for link in page.links} == {WORDS_CHARACTERS_MAX + 80}
    assert {len(medium.context) for medium in page.media} == {WORDS_CHARACTERS_MAX + 80}


def test_links_beyond_the_limit_are_counted() -> None:
    more = "<a href=x>y</a>" * (LINKS_MAX + 3)
    page = page_of(more)
    assert (len(page.links), page.links_cut) == (LINKS_MAX, 3)
    page = page_of(f"<link rel=next href=n>{more}<area href=z>")
    assert (len(page.links), page.links_cut) == (LINKS_MAX, 5)
    assert page.links[0].url == HERE + "n"


# -- media -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "url", "kind", "text"),
    [
        ("<img src=i.png alt=' A  dog '>", "i.png", "image", "A dog"),
        ("<img src=i title=t>", "i", "image", "t"),
        ("<img data-src=i aria-label=l>", "i", "image", "l"),
        ("<img srcset='s.jpg 1x, t.jpg 2x'>", "s.jpg", "image", ""),
        ("<img src='data:x' data-srcset='s.jpg 2x'>", "s.jpg", "image", ""),
        ("<picture><source srcset=s.webp></picture>", "s.webp", "image", ""),
        ("<video src=v></video>", "v", "video", ""),
        ("<video><source src=v></video>", "v", "video", ""),
        ("<audio><source src=v></audio>", "v", "audio", ""),
        ("<audio src=v></audio>", "v", "audio", ""),
        ("<source src=v.mp3>", "v.mp3", "audio", ""),
        ("<source src=v type=video/ogg>", "v", "video", ""),
        ("<embed src=x.pdf>", "x.pdf", "document", ""),
        ("<embed src=x type=audio/mpeg>", "x", "audio", ""),
        ("<object data=x.svg></object>", "x.svg", "image", ""),
        ("<object data=x></object>", "x", "document", ""),
        ("<a href=x.pdf>Paper</a>", "x.pdf", "document", "Paper"),
        ("<link rel=alternate type=application/rss+xml href=f title=' F '>", "f", "feed", "F"),
    ],
)
def test_media_say_what_they_are(markup: str, url: str, kind: str, text: str) -> None:
    (medium,) = page_of(markup).media
    assert (medium.url, medium.kind, medium.text) == (HERE + url, kind, text)


@pytest.mark.parametrize(
    "markup",
    [
        "<img>", "<img src=''>", "<img src='data:image/png;base64,x'>", "<img srcset=' '>", "<img src=about:blank>",
        "<link rel=alternate type=application/rss+xml href='http://'>", "<link rel=alternate hreflang=de href=x>",
    ],
)  # fmt: skip
def test_what_shows_nothing_is_no_medium(markup: str) -> None:
    assert page_of(markup).media == ()


def test_media_bring_the_words_around_them_once() -> None:
    words = "w" * 100
    page = page_of(
        f"<p>{words} see <img src=i> here {words}<p><img src=i><img src=j hidden><object data=o.png></object>"
    )
    assert page.media == (
        Medium(HERE + "i", "image", "", f"{'w' * 76} see here {'w' * 74}"),
        Medium(HERE + "j", "image", "", ""),
        Medium(HERE + "o.png", "image", "", ""),
    )
    assert page_of("<p>The <a href=x.pdf>paper</a> of it").media[0].context == "The paper of it"
    assert page_of("<p>The <a href=x.pdf></a> of it").media[0].context == ""


def test_media_have_their_limit() -> None:
    images = "".join(f"<img src={number}>" for number in range(MEDIA_MAX + 5))
    assert len(page_of(images + "<a href=x.pdf>p</a>").media) == MEDIA_MAX
    feeds = "".join(f"<link rel=alternate type=application/rss+xml href={number}>" for number in range(MEDIA_MAX + 5))
    assert len(page_of(feeds).media) == MEDIA_MAX
