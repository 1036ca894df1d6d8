"""Texts that may be addresses, for properties: pieces that mean something to a parser, in any order, and plain noise."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = (
    "http:", "HTTPS://", "https://", "//", "/", "/", "\\", "..", ".", "./", "../", "?", "&", "&&", "=", "#", ";",
    ":", "@", "%", "+", "example.org", "EXAMPLE.org.", "a.b", "www.", "münchen.de", "xn--mnchen-3ya.de", "[::1]",
    "0x7f.1", "127.0.0.1", ":80", ":443", ":8080", ":0", ":99999", "user:pw@", "a", "B", "7", "index.html", "%2e",
    "%2E%2e", "%2f", "%41", "%7e", "%zz", "%%341", "%C3%BC", "%00", "ü", "☃", "|", "^", "[", "]", "'", '"', "<",
    "{", "`", " ", "\t", "\n", "\x00", "\ud800", "\udc00", "\u200b", "\uff0e", ";jsessionid=1", ";jsessionid=",
    ";JSESSIONID=A1/", "/.;jsessionid=1", "sid=", "sid=0123456789abcdef0123456789abcdef", "PHPSESSID=x",
    "utm_source=x", "utm%5Fsource=x", "fbclid", "javascript:", "mailto:", "data:", "ftp://",
)  # fmt: skip

pieced = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
noise = st.text(max_size=40)
strange = st.one_of(pieced, noise, st.builds("https://example.org/{}".format, st.one_of(pieced, noise)))
