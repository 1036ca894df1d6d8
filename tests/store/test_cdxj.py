"""The index: its keys are those that replay tools look for, its lines can be sorted and split."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.records import Answer, Fetch, Target
from halflife.store.cdxj import cdxj_line, surt
from halflife.store.warc import Placed
from halflife.urls import canonical
from store.made import AT, answered

# The right column is what the library says that pywb makes its keys with.
KEYS = [
    ("http://example.com/", "com,example)/"),
    ("https://www.example.com/A/B/", "com,example)/a/b"),
    ("http://www2.example.com/a?b=2&a=1", "com,example)/a?a=1&b=2"),
    ("http://wwww.example.com/", "com,example,wwww)/"),
    ("http://www.www.example.com/x", "com,example,www)/x"),
    ("http://sub.www.example.com/", "com,example,www,sub)/"),
    ("http://example.com:8080/x", "com,example:8080)/x"),
    ("https://example.com:8443/", "com,example:8443)/"),
    ("http://localhost:8000/a/", "localhost:8000)/a"),
    ("http://www/", "www)/"),
    ("http://192.0.2.7/x", "7,2,0,192)/x"),
    ("http://192.0.2.7:81/x", "7,2,0,192:81)/x"),
    ("http://[2001:db8::1]/x", "2001:db8::1)/x"),
    ("http://[2001:db8::1]:81/x", "2001:db8::1:81)/x"),
    ("http://xn--bcher-kva.example/", "example,xn--bcher-kva)/"),
    ("http://example.com/%C3%A9/~a", "com,example)/%c3%a9/~a"),
    ("http://example.com/a%2Fb%2525", "com,example)/a/b%25"),
    ("http://example.com/a%20b%23c", "com,example)/a%20b%23c"),
    ("http://example.com/a//b///", "com,example)/a/b"),
    ("http://example.com/a?x=%2F&X=1", "com,example)/a?x=/&x=1"),
    ("http://example.com/a?b", "com,example)/a?b"),
    ("http://example.com/a?b=&a", "com,example)/a?a&b="),
    ("http://example.com/a?b+=1&b=2", "com,example)/a?b=2&b+=1"),
    ("http://example.com/a?b=1&b=1", "com,example)/a?b=1&b=1"),
    ("http://example.com/a/?b=1", "com,example)/a?b=1"),
    ("http://example.com/?z=//", "com,example)/?z=//"),
    ("http://example.com/index.html", "com,example)/index.html"),
]


@pytest.mark.parametrize(("url", "key"), KEYS)
def test_keys_are_those_of_replay_tools(url: str, key: str) -> None:
    assert canonical(url) == url
    assert surt(url) == key


@given(st.text(st.sampled_from("aB/%25?&=+.;:@é \t\n\0#~"), max_size=20))
def test_a_key_is_one_word_in_lower_case(rest: str) -> None:
    url = canonical(f"http://www.Example.com/{rest}")
    assert url is not None
    key = surt(url)
    assert key.split() == [key]
    assert key == key.lower()
    assert key.isascii()
    assert key.startswith("com,example)/")


def fields_of(fetch: Fetch, placed: Placed) -> dict[str, str]:
    line = cdxj_line(fetch, placed, "x.warc.gz")
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    _, _, text = line.decode().split(" ", 2)
    found: dict[str, str] = json.loads(text)
    return found


@pytest.mark.parametrize(
    ("content_type", "record", "mime"),
    [
        ("text/HTML; charset=x", "response", "text/html"),
        ("", "response", "unk"),
        (" ; q", "response", "unk"),
        ("text/html", "revisit", "warc/revisit"),
        ('a"b\\c', "response", 'a"b\\c'),
    ],
)
def test_the_type_that_a_line_names(content_type: str, record: str, mime: str) -> None:
    headers = (("content-type", content_type),) if content_type else ()
    fetch = answered("http://example.com/", b"body", headers=headers)
    assert fields_of(fetch, Placed(record))["mime"] == mime


def test_a_line_holds_everything_as_text() -> None:
    fetch = answered("http://example.com/é", b"body", status=404)
    placed = Placed("response", 17, 345, "sha1:ABC", 4)
    assert fields_of(fetch, placed) == {
        "url": "http://example.com/é", "mime": "text/html", "status": "404", "digest": "sha1:ABC", "length": "345",
        "offset": "17", "filename": "x.warc.gz",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("at", "stamp"),
    [(0.0, "19700101000000"), (AT, "20260921141320"), (AT + 0.749, "20260921141320"), (4102444799.5, "20991231235959")],
)
def test_the_stamp_is_the_second_in_utc(at: float, stamp: str) -> None:
    answer = Answer(200, "OK", b"", ())
    line = cdxj_line(Fetch(Target("http://example.com/"), at, answer), Placed("response"), "x")
    assert line.split(b" ")[1].decode() == stamp
