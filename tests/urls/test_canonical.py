"""The one canonical form of an address."""

from __future__ import annotations

import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.urls import ADDRESS_CHARACTERS_MAX, canonical, join
from urls.strange import strange

SAME = "https://example.org/a"

SETTLED = [
    # what the parser settles
    ("https://example.org", "https://example.org/"),
    ("HTTPS://EXAMPLE.ORG/a", SAME),
    ("  https://example.org/a\r\n", SAME),
    ("ht\ntps://exam\tple.org/\na", SAME),
    ("https://example.org:443/a", SAME),
    ("http://example.org:80/a", "http://example.org/a"),
    ("http://example.org:443/a", "http://example.org:443/a"),
    ("https:\\\\example.org\\a", SAME),
    ("https://example.org/b/../a", SAME),
    ("https://example.org/./%2e/b/%2E%2e/a", SAME),
    ("https://example.org/../../a", SAME),
    ("https://example.org//b//c/", "https://example.org//b//c/"),
    ("http://münchen.de/ü", "http://xn--mnchen-3ya.de/%C3%BC"),
    ("http://ｅｘａｍｐｌｅ。org/", "http://example.org/"),
    ("http://0x7f.1/", "http://127.0.0.1/"),
    ("http://[0:0::1]:8080/", "http://[::1]:8080/"),
    # what is dropped
    ("https://example.org/a#b?c#d", SAME),
    ("https://user:secret@example.org/a", SAME),
    ("https://a@b@example.org/a", SAME),
    ("https://example.org./a", SAME),
    ("https://example.org.:8080/a", "https://example.org:8080/a"),
    ("https://example.org/a?", SAME),
    ("https://example.org/a?&&", SAME),
    ("https://example.org/a?&x=1&&y=2&", "https://example.org/a?x=1&y=2"),
    ("https://example.org/a?utm_source=b&UTM_Medium=c", SAME),
    ("https://example.org/a?utm%5Fsource=b", SAME),
    ("https://example.org/a?x=1&fbclid=2&y=3&gclid&msclkid=", "https://example.org/a?x=1&y=3"),
    ("https://example.org/a?mc_cid=1&mc_eid=2&_ga=3", SAME),
    ("https://example.org/a?PHPSESSID=1&ASPSESSIONIDQSTU=2", SAME),
    ("https://example.org/a?sid=0123456789abcdef0123456789ABCDEF", SAME),
    ("https://example.org/a?s=k3v9q0z8m2n7b1c4x6l5&p=1", "https://example.org/a?p=1"),
    ("https://example.org/a;jsessionid=0123.node1", SAME),
    ("https://example.org/b;JSESSIONID=01/../a", SAME),
    ("https://example.org/b;x=1;jsessionid=2;y=3/c", "https://example.org/b;x=1;y=3/c"),
    ("https://example.org/b/..;jsessionid=1/a", SAME),
    ("https://example.org/b/c/..;jsessionid=1/%2E%2e;jsessionid=2/a", SAME),
    # what is settled
    ("https://example.org/%61", SAME),
    ("https://example.org/%30%39", "https://example.org/09"),
    ("https://example.org/%7euser/%2d%5f%2E", "https://example.org/~user/-_."),
    ("https://example.org/%2f%c3%bc%20", "https://example.org/%2F%C3%BC%20"),
    ("https://example.org/?q=%41%2b%26", "https://example.org/?q=A%2B%26"),
    ("https://example.org/b[1]|^{`}", "https://example.org/b%5B1%5D%7C%5E%7B%60%7D"),
    ("https://example.org/?b[]=1&c=|\\", "https://example.org/?b%5B%5D=1&c=%7C%5C"),
    ("https://example.org/b c\x00d", "https://example.org/b%20c%00d"),
    ("https://example.org/100%", "https://example.org/100%"),
    ("https://example.org/%%341", "https://example.org/%%341"),
    ("https://example.org/\ud83d\ude00\ud800", "https://example.org/%F0%9F%98%80%EF%BF%BD"),
    # what is left alone
    ("https://example.org/B/c?z=1&a=2&z=0", "https://example.org/B/c?z=1&a=2&z=0"),
    ("https://example.org/?sid=42&s=solar&session=2024", "https://example.org/?sid=42&s=solar&session=2024"),
    ("https://example.org/?s=internationalisation", "https://example.org/?s=internationalisation"),
    ("https://example.org/?my_utm_source=1&gclidx=2", "https://example.org/?my_utm_source=1&gclidx=2"),
    ("https://example.org/(S(lit3py55t21z5v55vlm25s55))/a", "https://example.org/(S(lit3py55t21z5v55vlm25s55))/a"),
    ("https://a_b.example.org/", "https://a_b.example.org/"),
    ("http://localhost:8000/", "http://localhost:8000/"),
]

REFUSED = [
    "", "   ", "a", "/a", "//example.org/", "?a", "#a", "example.org/a", "javascript:void(0)", " JavaScript:x",
    "java\nscript:x", "mailto:a@example.org", "data:text/html,x", "ftp://example.org/", "file:///etc/hosts",
    "ws://example.org/", "about:blank", "http://", "https:///", "http://:80/", "http://./", "http://a b/",
    "http://a..b/", "http://.a/", "http://a!b.org/", "http://a.b../", f"http://{'a' * 64}.org/",
    f"http://{'a.' * 127}org/", f"http://{'a' * 400}/", "http://example.org:0/", "http://example.org:65536/",
    "http://example.org:a/", "http://[::1/", "http://[::g]/", "http://1.2.3.4.5/", "http://256.1.1.1/",
    "http://xn--a/", "http://a\x00b/", "http://a%00b/", "http://\ud800/",
]  # fmt: skip


@pytest.mark.parametrize(("text", "url"), SETTLED)
def test_one_page_has_one_address(text: str, url: str) -> None:
    assert canonical(text) == url


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_address(text: str) -> None:
    assert canonical(text) is None


def test_length() -> None:
    longest = "https://example.org/".ljust(ADDRESS_CHARACTERS_MAX, "a")
    assert canonical(longest) == longest
    assert canonical(f"{longest}#{'b' * 100_000}") == longest
    assert canonical(f"{longest}?utm_campaign={'b' * 5_000}") == longest
    assert canonical(f"{longest}?utm_campaign={'b' * 50_000}") is None
    assert canonical(f"{longest}a") is None
    assert canonical(f"{longest[:-1]}ü") is None
    assert canonical(f"https://{'user' * 200}@example.org/") == "https://example.org/"


def test_relative_to_a_base() -> None:
    assert canonical("c#d", "https://example.org/a/b?x=1") == "https://example.org/a/c"
    assert canonical("http://a.b", "nonsense") == "http://a.b/"
    assert canonical("c", "nonsense") is None


@given(strange)
def test_twice_is_once(text: str) -> None:
    url = canonical(text)
    assert url is None or canonical(url) == url


@given(strange)
def test_is_plain_text_of_bounded_length_with_a_host(text: str) -> None:
    url = canonical(text)
    if url is not None:
        assert url.isascii()
        assert url.isprintable()
        assert not set(url) & set(' #"<>\\^`{|}')
        assert url.startswith(("http://", "https://"))
        assert len(url) <= ADDRESS_CHARACTERS_MAX
        assert "@" not in url.split("/")[2]
        assert not {".", ".."} & set(url.partition("?")[0].split("/")[3:])


@given(strange, strange)
def test_a_canonical_address_is_itself_on_any_page(base: str, text: str) -> None:
    url = canonical(text)
    assert url is None or join(base, url) == url


plain_segment = st.text("abcXYZ019_-~!$&'()*+,=:", min_size=1, max_size=8)


@given(st.lists(plain_segment, max_size=4), st.sampled_from(["example.org", "EXAMPLE.org:8080", "bücher.example"]))
def test_where_nothing_is_dropped_it_is_what_the_standard_says(segments: list[str], host: str) -> None:
    text = f"https://{host}/{'/'.join(segments)}"
    assert canonical(text) == ada_url.URL(text).href
