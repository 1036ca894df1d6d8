"""What can be read off a canonical address."""

from __future__ import annotations

import pytest
from hypothesis import given

from halflife.urls import canonical, directory, host, origin, site, template, text_of
from urls.strange import strange


@pytest.mark.parametrize(
    ("url", "name", "base"),
    [
        ("https://example.org/a/b?c=/d", "example.org", "https://example.org"),
        ("http://example.org:8080/", "example.org", "http://example.org:8080"),
        ("http://[::1]:8080/a", "[::1]", "http://[::1]:8080"),
        ("http://[::1]/a:b", "[::1]", "http://[::1]"),
        ("https://a.b", "a.b", "https://a.b"),  # an origin is its own origin
    ],
)
def test_host_and_origin(url: str, name: str, base: str) -> None:
    assert host(url) == name
    assert origin(url) == base


@pytest.mark.parametrize(
    ("url", "domain"),
    [
        ("https://a.b.example.org/", "example.org"),
        ("https://www.example.co.uk:8443/", "example.co.uk"),
        ("https://someone.github.io/", "someone.github.io"),
        ("https://xn--mnchen-3ya.de/", "xn--mnchen-3ya.de"),
        ("https://a.intern/", "a.intern"),
        ("https://b.a.intern/", "a.intern"),
        ("https://co.uk/", "co.uk"),
        ("http://localhost:8000/", "localhost"),
        ("http://127.0.0.1:8000/", "127.0.0.1"),
        ("http://[2001:db8::1]/", "[2001:db8::1]"),
    ],
)
def test_site(url: str, domain: str) -> None:
    assert site(url) == domain


@pytest.mark.parametrize(
    ("url", "above"),
    [
        ("https://h/", "https://h/"),
        ("https://h/us", "https://h/"),
        ("https://h/us/hr", "https://h/us/"),
        ("https://h/us/hr/", "https://h/us/hr/"),
        ("https://h/us?a=/b/c", "https://h/"),
    ],
)
def test_directory(url: str, above: str) -> None:
    assert directory(url) == above


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("https://h1.org:80/a", "https://h1.org:80/a"),
        ("https://h/2024/05/03/a-17b", "https://h/*/*/*/a-*b"),
        ("https://h/a.asp?p=17", "https://h/a.asp?p=*"),
        ("https://h/?b=x&a=y=z&c&f%5B3%5D=1", "https://h/?b=*&a=*&c=*&f%*B*%*D=*"),
        ("https://h/?20240503", "https://h/?*=*"),
    ],
)
def test_template(url: str, pattern: str) -> None:
    assert template(url) == pattern


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://example.org/solar-energy", "example org solar energy"),
        ("https://example.org/solar%20energy", "example org solar energy"),
        ("https://example.org/Solar_Energy.html?q=wind+power&p=2", "example org Solar Energy html q wind power p 2"),
        ("https://xn--mnchen-3ya.de/s%C3%BCd", "münchen de süd"),
        ("https://example.org/m%FCnchen", "example org münchen"),
        ("https://example.org/%2Fa%", "example org  a%"),
        ("https://example.org/", "example org"),
        ("http://[::1]:80/a", "1  80 a"),
    ],
)
def test_words(url: str, words: str) -> None:
    assert text_of(url) == words


@given(strange)
def test_every_address_has_its_parts(text: str) -> None:
    url = canonical(text)
    if url is None:
        return
    assert url.startswith(origin(url) + "/")
    assert origin(url).partition("://")[2].startswith(host(url))
    assert host(url).endswith(site(url))
    assert url.startswith(directory(url))
    assert canonical(directory(url)) == directory(url)
    assert template(template(url)).startswith(origin(url))
    assert "://" not in text_of(url)
