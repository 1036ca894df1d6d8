"""Feeds of every dialect, as one page."""

from __future__ import annotations

import json

import pytest

from halflife.page.entries import FEED_LINKS_MAX, FEED_MEDIA_MAX, FEED_TEXT_CHARACTERS_MAX, TITLE_CHARACTERS_MAX
from halflife.page.feed import FIELD_CHARACTERS_MAX, read_feed
from halflife.records import Link, Medium, Page

URL = "https://example.org/news/feed"
SITE = "https://example.org/"


def feed(text: str | bytes) -> Page:
    return read_feed(URL, text.encode() if isinstance(text, str) else text)


def rss(items: str, head: str = "") -> Page:
    return feed(f'<?xml version="1.0"?><rss version="2.0"><channel>{head}{items}</channel></rss>')


def atom(entries: str, head: str = "", attributes: str = "") -> Page:
    return feed(f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" {attributes}>{head}{entries}</feed>')


def json_feed(**document: object) -> Page:
    return feed(json.dumps({"version": "https://jsonfeed.org/version/1.1", **document}))


def links(page: Page) -> dict[str, str]:
    return {link.url: link.anchor for link in page.links}


def check_places(page: Page) -> None:
    """What each link says of its place in the text is right."""
    for link in page.links:
        assert page.text[link.start : link.end] == (link.anchor if link.end else "")


# -- the dialects ------------------------------------------------------------------------------------------------------

RSS2 = f"""<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>
<title>The  Almanac</title><atom:link href="{URL}" rel="self" type="application/rss+xml"/><link>{SITE}</link>
<description>Wind &amp; sun</description><language>en-GB</language><image><url>/logo.png</url><title>no</title>
<link>{SITE}no</link></image><textInput><title>no</title><link>/no</link></textInput>
<item><title>First &amp; best</title><link>{SITE}1</link><guid isPermaLink="false">17</guid><dc:creator>Nobody</dc:creator>
<description>Short.</description><content:encoded><![CDATA[<p>The sun&nbsp;shines.</p><script>no()</script><p>The
wind <b>blows</b>.</p>]]></content:encoded><comments>{SITE}1#c</comments><category>no</category>
<enclosure url="/1.mp3" length="1" type="audio/mpeg"/></item>
<item><title>Second</title><guid>{SITE}2</guid><description>&lt;p&gt;One&lt;/p&gt;&lt;p&gt;two&lt;/p&gt;</description>
<source url="{SITE}no"><title>no</title></source></item>
<item><description>No title, no link</description></item>
</channel></rss>"""


def test_rss() -> None:
    page = feed(RSS2)
    assert (page.kind, page.url, page.base, page.charset) == ("feed", URL, URL, "utf-8")
    assert (page.title, page.description, page.language) == ("The Almanac", "Wind & sun", "en-gb")
    assert page.text.split("\n") == [
        "First & best", "The sun shines.", "The wind blows.", "Second", "One", "two", "No title, no link",
    ]  # fmt: skip
    assert links(page) == {SITE: "The Almanac", f"{SITE}1": "First & best", f"{SITE}2": "Second"}
    assert page.media == (Medium(f"{SITE}logo.png", "image"), Medium(f"{SITE}1.mp3", "audio", "First & best"))
    check_places(page)


@pytest.mark.parametrize("version", ["0.90", "0.91", "0.92", "0.94"])
def test_old_rss(version: str) -> None:
    page = feed(
        f'<!DOCTYPE rss PUBLIC "-//Netscape Communications//DTD RSS {version}//EN" "http://my.netscape.com/publish/x.dtd">'
        f'<rss version="{version}"><channel><title>T&eacute;</title><link>{SITE}</link><item><title>A</title>'
        "<link>/a</link></item></channel></rss>"
    )
    assert links(page) == {SITE: "Té", f"{SITE}a": "A"}


def test_rdf() -> None:
    page = feed(
        f'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"'
        f' xmlns:dc="http://purl.org/dc/elements/1.1/"><channel rdf:about="{SITE}"><title>T</title><link>{SITE}</link>'
        f"<dc:language>de</dc:language><items><rdf:Seq><rdf:li resource='/no'/></rdf:Seq></items></channel>"
        f'<item rdf:about="{SITE}a"><title>A</title><link>{SITE}a</link><description>Text</description></item>'
        f'<item rdf:about="{SITE}b"><dc:title>B</dc:title></item></rdf:RDF>'
    )
    assert links(page) == {SITE: "T", f"{SITE}a": "A", f"{SITE}b": "B"}
    assert (page.text, page.language) == ("A\nText\nB", "de")
    check_places(page)


ATOM = f"""<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="fr_CA" xml:base="{SITE}blog/">
<title type="html">&lt;b&gt;Soleil&lt;/b&gt; &amp;amp; vent</title><subtitle>Chaque jour</subtitle><id>urn:x</id>
<link rel="self" href="feed"/><link rel="alternate" type="text/html" href="."/><link rel="next" href="?page=2"/>
<link rel="hub" href="https://hub.example/"/><logo>logo.svg</logo><author><name>no</name><uri>{SITE}no</uri></author>
<entry><title>Un</title><id>urn:1</id><link href="un"/><link rel="enclosure" href="un.pdf" type="application/pdf"/>
<link rel="replies" href="no"/><link rel="edit" href="no"/><link rel="via" href="https://other.example/x"/>
<summary>Court</summary><content type="xhtml" xml:base="/deep/"><div xmlns="http://www.w3.org/1999/xhtml"><p>Plus
 <em>long</em> que</p><style>no</style><p>court</p></div></content></entry>
<entry xml:base="/autre/"><title type="text">1 &lt; 2</title><link href="deux"/><content type="text/plain">a &lt;b
</content></entry>
<entry><title>Trois</title><link href="trois"/><content src="/trois.mp4" type="video/mp4"/></entry>
<entry><title>Quatre</title><content type="image/png">aGVsbG8=</content></entry>
</feed>"""


def test_atom() -> None:
    page = feed(ATOM)
    assert (page.title, page.description, page.language) == ("Soleil & vent", "Chaque jour", "fr-ca")
    assert page.base == f"{SITE}blog/"
    assert page.text.split("\n") == ["Un", "Plus long que", "court", "1 < 2", "a <b", "Trois", "Quatre"]
    assert links(page) == {
        f"{SITE}blog/": "Soleil & vent",
        f"{SITE}blog/un": "Un",
        "https://other.example/x": "Un",
        f"{SITE}autre/deux": "1 < 2",
        f"{SITE}blog/trois": "Trois",
        f"{SITE}blog/?page=2": "",
    }
    assert page.media == (
        Medium(f"{SITE}blog/logo.svg", "image"),
        Medium(f"{SITE}blog/un.pdf", "document", "Un"),
        Medium(f"{SITE}trois.mp4", "video", "Trois"),
    )
    check_places(page)


def test_atom_with_a_prefix() -> None:
    entry = "<{0}:entry><{0}:title>A</{0}:title><{0}:link href='/a'/></{0}:entry>"
    for prefix in ("atom", "a", "anything"):
        page = feed(f"<{prefix}:feed>{entry.format('foreign')}{entry.format(prefix)}</{prefix}:feed>")
        assert links(page) == {f"{SITE}a": "A"}


@pytest.mark.parametrize("version", ["https://jsonfeed.org/version/1", "https://jsonfeed.org/version/1.1"])
def test_json(version: str) -> None:
    page = json_feed(
        version=version,
        title=" The  Almanac ",
        description="Wind & sun",
        language="en-GB",
        home_page_url="/",
        feed_url=URL,
        next_url="?page=2",
        icon="/icon.png",
        items=[
            {"id": "1", "url": "/1", "external_url": "https://other.example/", "title": "One", "summary": "Short",
             "content_html": "<p>The <i>sun</i></p><p>shines</p>", "image": "/1.jpg", "banner_image": "/1b.jpg",
             "attachments": [{"url": "/1.mp3", "mime_type": "audio/mpeg"}, {"url": "/1.html", "mime_type": "text/html"}]},
            {"id": "https://example.org/2", "content_text": "plain <b>\n\n text"},
            {"id": 3, "title": None, "url": 7, "attachments": {"url": "/no"}},
            "no item",
        ],
    )  # fmt: skip
    assert (page.title, page.description, page.language, page.charset) == (
        "The Almanac",
        "Wind & sun",
        "en-gb",
        "utf-8",
    )
    assert page.text.split("\n") == ["One", "The sun", "shines", "plain <b>", "text"]
    assert links(page) == {
        SITE: "The Almanac",
        f"{SITE}1": "One",
        "https://other.example/": "One",
        f"{SITE}1.html": "One",
        f"{SITE}2": "",
        f"{URL}?page=2": "",
    }
    assert [(medium.url, medium.kind) for medium in page.media] == [
        (f"{SITE}icon.png", "image"),
        (f"{SITE}1.jpg", "image"),
        (f"{SITE}1b.jpg", "image"),
        (f"{SITE}1.mp3", "audio"),
    ]
    check_places(page)


def test_lists_of_feeds() -> None:
    page = feed(
        "<opml><head><title>Mine</title></head><body><outline text='News'><outline text='A' title='The A' type='rss'"
        " xmlUrl='/a.xml' htmlUrl='/a'/><outline text='B' url='/b'/></outline></body></opml>"
    )
    assert page.title == "Mine"
    assert links(page) == {f"{SITE}a.xml": "The A", f"{SITE}a": "The A", f"{SITE}b": "B"}


# -- where entries lead ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("<link>/a</link>", [f"{SITE}a"]),
        ("<link> a?x=1&amp;utm_source=rss </link>", [f"{SITE}news/a?x=1"]),
        ("<link><![CDATA[/a?b&c]]></link>", [f"{SITE}a?b&c"]),
        ("<link href='/a'/>", [f"{SITE}a"]),
        ("<link rel='' href='/a'/>", [f"{SITE}a"]),
        ("<link/><guid>HTTPS://example.org/a</guid>", [f"{SITE}a"]),
        ("<guid isPermaLink='true'>https://example.org/a</guid>", [f"{SITE}a"]),
        ("<guid isPermaLink=' False '>https://example.org/a</guid>", []),
        ("<guid>tag:example.org,1</guid>", []),
        ("<guid>a</guid>", []),
        ("<link>/a</link><guid>https://example.org/b</guid>", [f"{SITE}a"]),
        ("<link>/a</link><link>/a#b</link>", [f"{SITE}a"]),
        ("<link>mailto:a@b.c</link>", []),
        ("<link>   </link>", []),
        ("<link href=''/>", []),
        ("<enclosure url='/a.html' type='text/html'/>", [f"{SITE}a.html"]),
        ("<enclosure url=''/><enclosure/><enclosure url='javascript:x'/>", []),
        ("<author><link>/no</link></author><link>/a</link>", [f"{SITE}a"]),
    ],
)
def test_where_an_entry_leads(item: str, expected: list[str]) -> None:
    page = rss(f"<item><title>T</title>{item}</item>")
    assert [link.url for link in page.links] == expected
    assert {link.anchor for link in page.links} <= {"T"}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ("<enclosure url='/a' type='audio/mpeg'/>", ("a", "audio")),
        ("<enclosure url='/a.mp4'/>", ("a.mp4", "video")),
        ("<enclosure url='/a'/>", ("a", "document")),
        ("<media:content url='/a' medium='video'/>", ("a", "video")),
        ("<media:content url='/a' medium='executable' type='application/pdf'/>", ("a", "document")),
        ("<media:group><media:content url='/a' type='image/png'/></media:group>", ("a", "image")),
        ("<media:thumbnail url='/a'/>", ("a", "image")),
        ("<itunes:image href='/a'/>", ("a", "image")),
    ],
)
def test_what_goes_with_an_entry(item: str, expected: tuple[str, str]) -> None:
    page = rss(f"<item><title>T</title>{item}</item>")
    assert page.media == (Medium(SITE + expected[0], expected[1], "T"),)
    assert not page.links


def test_a_feed_has_pictures_of_its_own() -> None:
    assert rss("", "<itunes:image href='/a.jpg'/>").media == (Medium(f"{SITE}a.jpg", "image"),)
    assert atom("", "<icon>/b.ico</icon><icon></icon>").media == (Medium(f"{SITE}b.ico", "image"),)


def test_bases_hold_within_their_elements() -> None:
    page = atom(
        "<entry xml:base='x/'><link href='1'/><content xml:base='/no/'>t</content><link href='2'/></entry>"
        "<entry><link href='3'/><link xml:base='/y/' href='4'/><link href='5'/></entry>"
        "<entry xml:base='mailto:a@b.c'><link href='6'/></entry>",
        attributes='xml:base="/base/"',
    )
    assert page.base == f"{SITE}base/"
    paths = [link.url.removeprefix(SITE) for link in page.links]
    assert paths == ["base/x/1", "base/x/2", "base/3", "y/4", "base/5", "base/6"]


# -- what entries say --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("plain  words\n here", "plain words here"),
        ("AT&amp;amp;T &amp;lt;3", "AT&T <3"),
        ("1 &lt; 2 &amp; 3", "1 < 2 & 3"),
        ("&lt;p&gt;a&lt;/p&gt; &lt;p&gt;b&lt;br/&gt;c&lt;/p&gt;", "a\nb\nc"),
        ("<![CDATA[<div>a<span>b</span></div><div><div></div>c</div>]]>", "ab\nc"),
        ("<![CDATA[<style>no</style><script>no</script>a<!-- no --><svg><text>no</text></svg>]]>", "a"),
        ("<![CDATA[<b>a]]>", "a"),
        ("<p>a</p><p>b <b>c</b></p>d", "a\nb c\nd"),
        ("<div><script>no <b>no</b></script><p>a</p></div>", "a"),
        ("&#160;a&#8239;\u3000b&#x85;", "a b"),
        ("&amp;#1;", "\x01"),
        ("", ""),
        ("<![CDATA[<img src=x>]]>", ""),
    ],
)
def test_texts_are_what_a_reader_sees(markup: str, text: str) -> None:
    assert rss(f"<item><description>{markup}</description></item>").text == text


@pytest.mark.parametrize(
    ("kind", "markup", "text"),
    [
        ("text", "a &lt;b&gt; c", "a <b> c"),
        ("", "a &amp;amp; c", "a &amp; c"),
        ("text", "&lt;b&gt;a&lt;/b&gt;", "a"),  # whatever its type says
        ("html", "&lt;b&gt;a&lt;/b&gt; &amp;amp; b", "a & b"),
        ("application/xhtml+xml", "<div>a<p>b</p></div>", "a\nb"),
        ("text/html", "&lt;p&gt;a", "a"),
        ("application/octet-stream", "AAAA", ""),
    ],
)
def test_types_of_text_in_atom(kind: str, markup: str, text: str) -> None:
    assert atom(f"<entry><content type='{kind}'>{markup}</content></entry>").text == text


def test_of_summary_and_content_the_longer_counts() -> None:
    short, long = "<description>short</description>", "<content:encoded>much longer</content:encoded>"
    assert rss(f"<item>{short}{long}</item>").text == "much longer"
    assert rss(f"<item>{long}{short}</item>").text == "much longer"
    assert rss(f"<item>{short.replace('short', 'the very longest')}{long}</item>").text == "the very longest"
    assert rss("<item><content:encoded>a</content:encoded><content:encoded>bb</content:encoded></item>").text == "bb"


@pytest.mark.parametrize("tag", ["div", "b", "p", "table", "a"])
def test_markup_as_deep_as_it_fits_is_read_in_one_go(tag: str) -> None:
    """Were it not, this would take a quarter of a minute for each entry."""
    page = rss(f"<item><description><![CDATA[{f'<{tag}>' * 70_000}deep &lt;down]]></description></item>" * 3)
    assert page.text == "\n".join(["deep <down"] * 3)


def test_the_first_title_counts() -> None:
    page = rss(
        "<item><title>A</title><media:title>no</media:title><title>B</title></item>", "<title>C</title><title>D</title>"
    )
    assert (page.title, page.text) == ("C", "A")


# -- limits ------------------------------------------------------------------------------------------------------------


def test_links_beyond_the_limit_are_counted() -> None:
    page = rss(
        "".join(f"<item><link>/{number}</link></item>" for number in range(FEED_LINKS_MAX + 3)), f"<link>{SITE}</link>"
    )
    assert len(page.links) == FEED_LINKS_MAX
    assert page.links[0].url == SITE
    assert page.links_cut == 4


def test_media_have_a_limit() -> None:
    items = "".join(f"<item><enclosure url='/{number}.mp3'/></item>" for number in range(FEED_MEDIA_MAX + 3))
    assert len(rss(items).media) == FEED_MEDIA_MAX


def test_titles_are_cut() -> None:
    title = f"<title>{'x' * (TITLE_CHARACTERS_MAX - 1)} {'y' * 100}</title>"
    page = rss(f"<item>{title}<link>/a</link></item>", f"{title}<link>/b</link><description>{'z' * 5000}</description>")
    assert page.title == "x" * (TITLE_CHARACTERS_MAX - 1)
    assert set(links(page).values()) == {page.title}
    assert len(page.description) == TITLE_CHARACTERS_MAX
    assert page.text == page.title
    assert len(rss("", f"<language>{'abcdefgh-' * 1000}</language>").language) < 40


def test_texts_are_cut() -> None:
    assert (
        len(rss(f"<item><description>{'x' * (FIELD_CHARACTERS_MAX + 1)}</description></item>").text)
        == FIELD_CHARACTERS_MAX
    )
    item = f"<item><title>T</title><link>/a</link><description>{'x' * FIELD_CHARACTERS_MAX}</description></item>"
    page = rss(item * (FEED_TEXT_CHARACTERS_MAX // FIELD_CHARACTERS_MAX + 2))
    assert len(page.text) <= FEED_TEXT_CHARACTERS_MAX
    assert len(page.links) == FEED_TEXT_CHARACTERS_MAX // FIELD_CHARACTERS_MAX + 2
    check_places(page)


# -- broken and hostile ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", range(0, len(RSS2), 13))
def test_a_feed_cut_short_gives_whole_addresses(keep: int) -> None:
    page = feed(RSS2[:keep])
    assert set(links(page)) <= set(links(feed(RSS2))) | {f"{SITE}17"}
    check_places(page)


def test_an_address_cut_short_leads_nowhere() -> None:
    assert not feed("<rss><channel><item><title>T</title><link>https://example.org/ab").links
    page = feed("<rss><channel><item><link>/a</link><title>A</title><description>Half of")
    assert page.text == "A\nHalf of"
    assert links(page) == {f"{SITE}a": "A"}


@pytest.mark.parametrize(
    "between",
    ["</wrong>", "&", "&nbsp;", "<3", "\x00\x01", "<a b=c>", "<!-- -- -->", "<item><title>no end", "<x", "</item>"],
)
def test_a_broken_feed_is_read_before_and_behind_the_break(between: str) -> None:
    page = rss(f"<item><title>A</title><link>/a</link></item>{between}<item><title>B</title><link>/b</link></item>")
    assert links(page).get(f"{SITE}a") == "A"
    assert links(page).get(f"{SITE}b") == "B"


def test_entities_are_not_expanded() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    page = feed(
        f'<!DOCTYPE x [<!ENTITY l0 "lol">{laughs}]><rss><item><title>&l9; &eacute;</title><link>/a</link></item></rss>'
    )
    assert links(page) == {f"{SITE}a": "&l9; é"}


@pytest.mark.parametrize(
    "text",
    [
        '{"version": "https://jsonfeed.org/version/1", "items": [{"url": "/a", "title": "A"}, {"url": "\\/b\\u00fc"}, {"u',
        '{"items": [{"url": "/a"}, {"url": "/b\\u00fc", }]}',
        '{"items": [{"url": "/a"}, {"url": "/bü"}, {"url": "mailto:\\q"}, ]}',
        '{"items": [{"url": "/a"}], "deep": ' + "[" * 100_000 + '{"external_url": "/b\u00fc"}',
        '{"home_page_url": "/a", "n": ' + "1" * 10_000 + ', "items": [{"url": "/bü"}]}',
    ],
)
def test_of_broken_json_the_addresses_are_kept(text: str) -> None:
    assert set(links(feed(text))) == {f"{SITE}a", f"{SITE}b%C3%BC"}


def test_json_that_ends_in_half_a_character() -> None:
    page = feed('{"items": [{"url": "/\\ud83d", "title": "\\ud83d\\ude00 \\ude00"}], "title": ["no"], }')
    assert [link.url for link in page.links] == [f"{SITE}%EF%BF%BD"]
    page = feed('{"items": [{"url": "/\\ud83d", "title": "\\ud83d\\ude00 \\ude00"}], "title": ["no"]}')
    assert list(page.links) == [Link(f"{SITE}%EF%BF%BD", "😀 \ufffd", 0, 3)]


@pytest.mark.parametrize(
    "text", ["", "   ", "<", "{", "{}", "null", "<rss", "<rss/>", "<feed></feed>", '{"items": 1}', "[]", "{]"]
)
def test_an_empty_feed_says_nothing(text: str) -> None:
    page = feed(text)
    assert (len(page.links), page.media, page.text, page.title) == (0, (), "", "")


# -- encodings ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "charset"),
    [
        ('\ufeff<?xml version="1.0"?><rss><title>Grüße</title></rss>'.encode(), "utf-8"),
        ('<?xml version="1.0" encoding="utf-16"?><rss><title>Grüße</title></rss>'.encode(), "utf-8"),
        (
            '<?xml version="1.0" encoding="iso-8859-1"?><rss><title>Grüße</title></rss>'.encode("latin-1"),
            "windows-1252",
        ),
        ('<?xml version="1.0" encoding="utf-8"?><rss><title>Grüße</title></rss>'.encode("utf-16"), "utf-16le"),
        (' \n<?xml version="1.0" encoding="iso-8859-1"?><rss><title>Grüße</title></rss>'.encode(), "utf-8"),
        ('\ufeff{"title": "Grüße"}'.encode(), "utf-8"),
    ],
)
def test_whatever_it_is_declared_in(body: bytes, charset: str) -> None:
    page = feed(body)
    assert (page.title, page.charset) == ("Grüße", charset)
