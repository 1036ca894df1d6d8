"""What people type where an address is asked for."""

from __future__ import annotations

import pytest
from hypothesis import given

from halflife.urls import canonical, typed, why_not
from urls.strange import strange

TYPED = [
    ("example.org/x", "https://example.org/x"),
    (" Example.org ", "https://example.org/"),
    ("example.org?q#f", "https://example.org/?q"),
    ("münchen.de", "https://xn--mnchen-3ya.de/"),
    ("//example.org/x", "https://example.org/x"),
    ("http://example.org/x", "http://example.org/x"),
    ("HTTP:example.org", "http://example.org/"),
    ("http://intranet/", "http://intranet/"),
    ("example.org:443/x", "https://example.org/x"),
    ("example.org:80/x", "http://example.org/x"),
    ("example.org:8080", "http://example.org:8080/"),
    ("intranet:8080/x", "http://intranet:8080/x"),
    ("localhost", "http://localhost/"),
    ("localhost/x", "http://localhost/x"),
    ("localhost:8000/x", "http://localhost:8000/x"),
    ("127.0.0.1/x", "http://127.0.0.1/x"),
    ("192.168.1.1:443", "https://192.168.1.1/"),
    ("[::1]/x", "http://[::1]/x"),
    ("[::1]:8000", "http://[::1]:8000/"),
]

NOT_TYPED = [
    ("", "empty"),
    (" \n", "empty"),
    ("seeds", "no host: without http:// in front it needs a dot in it"),
    ("solar energy", "no host: without http:// in front it needs a dot in it"),
    ("/etc/hosts", "no host: without http:// in front it needs a dot in it"),
    ("?x", "no host: without http:// in front it needs a dot in it"),
    ("a@example.org", "a mail address"),
    ("mailto:a@example.org", "scheme mailto is not http or https"),
    ("FTP://example.org/", "scheme ftp is not http or https"),
    ("c:\\seeds.txt", "scheme c is not http or https"),
    ("http://", "no host"),
    ("https:///", "no host"),
    ("http://user:pw@/x", "no host"),
    ("http://:80/", "no host"),
    ("http://example.org:99999/", "port '99999' is not a number from 1 to 65535"),
    ("https://example.org:http/", "port 'http' is not a number from 1 to 65535"),
    ("example.org:0", "port '0' is not a number from 1 to 65535"),
    ("http://[::1]:99999/", "port '99999' is not a number from 1 to 65535"),
    ("my seeds.txt", "host 'my seeds.txt' is no name or address"),
    ("http://a..b/", "host 'a..b' is no name or address"),
    ("http://a..b:80/", "host 'a..b' is no name or address"),
    ("../seeds", "host '..' is no name or address"),
    ("http://1.2.3.4.5/", "host '1.2.3.4.5' is no name or address"),
    ("http://[::g]/", "host '[::g]' is no name or address"),
    ("https://example.org/" + "a" * 2083, "longer than 2,083 characters"),
    ("https://example.org/" + "ü" * 500, "longer than 2,083 characters"),
    ("example.org/" + "a" * 20_000, "longer than 2,083 characters"),
]


@pytest.mark.parametrize(("text", "url"), TYPED)
def test_what_was_meant(text: str, url: str) -> None:
    assert typed(text) == url
    assert why_not(text) == ""


@pytest.mark.parametrize(("text", "why"), NOT_TYPED)
def test_why_it_is_no_address(text: str, why: str) -> None:
    assert typed(text) is None
    assert why_not(text) == why


@given(strange)
def test_there_is_an_address_or_a_reason(text: str) -> None:
    url, why = typed(text), why_not(text)
    assert (url is None) == bool(why)
    assert len(why) < 200
    assert "\n" not in why
    assert url is None or canonical(url) == url == typed(url)
