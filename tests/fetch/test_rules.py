"""robots.txt by RFC 9309: its own examples, what Google's published tests ask for, and what the wild sends."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflife.fetch import rules
from halflife.fetch.rules import Matcher, Rules, read_rules, settled_path, settled_pattern


def matcher(text: str | bytes, token: str = "halflife", bytes_max: int = 500 * 1024) -> Matcher:
    return Matcher(read_rules(text if isinstance(text, bytes) else text.encode(), token, bytes_max))


def allows(text: str | bytes, path: str, token: str = "halflife") -> bool:
    return not matcher(text, token).refusal(path)


def one(rule: str, path: str) -> bool:
    """Whether a single Disallow pattern forbids a path."""
    return not allows(f"User-agent: *\nDisallow: {rule}\n", path)


# -- RFC 9309 --------------------------------------------------------------------------------------------------------

SIMPLE = """\
User-Agent: *
Disallow: *.gif$
Disallow: /example/
Allow: /publications/

User-Agent: foobot
Disallow:/
Allow:/example/page.html
Allow:/example/allowed.gif

User-Agent: barbot
User-Agent: bazbot
Disallow: /example/page.html

User-Agent: quxbot
"""


@pytest.mark.parametrize(
    ("token", "path", "allowed"),
    [
        ("halflife", "/publications/x", True),
        ("halflife", "/example/x", False),
        ("halflife", "/x.gif", False),
        ("halflife", "/x.gif?y", True),
        ("halflife", "/publications/x.gif", True),  # the longer pattern
        ("foobot", "/", False),
        ("foobot", "/example/page.html", True),
        ("foobot", "/example/allowed.gif", True),
        ("foobot", "/example/other.gif", False),
        ("barbot", "/example/page.html", False),
        ("barbot", "/x.gif", True),
        ("bazbot", "/example/page.html", False),
        ("bazbot", "/example/page2.html", True),
        ("quxbot", "/example/page.html", True),
        ("quxbot", "/x.gif", True),
    ],
)
def test_the_simple_example(token: str, path: str, allowed: bool) -> None:  # 5.1
    assert allows(SIMPLE, path, token) == allowed


LONGEST = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n"


def test_the_longest_match_decides() -> None:  # 5.2
    assert not allows(LONGEST, "/example/page/disallowed.gif", "foobot")
    assert allows(LONGEST, "/example/page/", "foobot")


def test_allow_wins_between_equals() -> None:  # 2.2.2
    for lines in ("Allow: /page\nDisallow: /page", "Disallow: /page\nAllow: /page"):
        assert allows(f"User-agent: *\n{lines}", "/page.html")
    for lines in ("Allow: /*.x\nDisallow: /p.x", "Disallow: /*.x\nAllow: /p.x", "Disallow: /p.x$\nAllow: /*p.x"):
        assert allows(f"User-agent: *\n{lines}", "/p.x")


def test_groups_of_one_name_are_one_group() -> None:  # 2.2.1
    text = "user-agent: ExampleBot\ndisallow: /foo\ndisallow: /bar\n\nuser-agent: ExampleBot\ndisallow: /baz\n"
    for path in ("/foo", "/bar", "/baz"):
        assert not allows(text, path, "examplebot")
    assert allows(text, "/boo", "examplebot")
    assert allows(text, "/foo", "otherbot")


@pytest.mark.parametrize(
    ("rule", "path"),
    [
        ("/foo/bar?baz=quz", "/foo/bar?baz=quz"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
        ("/foo/bar?baz=https%3A%2F%2Ffoo.bar", "/foo/bar?baz=https://foo.bar"),
        ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https://foo.bar"),
        ("/foo/bar/ツ", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%E3%83%84", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"),
        ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
        ("/foo/bar/baz", "/foo/bar/%62%61%7A"),
        ("/~user", "/%7Euser"),
    ],
)
def test_octets_are_compared_not_their_spelling(rule: str, path: str) -> None:  # 2.2.2
    assert one(rule, path)


def test_reserved_characters_keep_their_meaning() -> None:
    assert not one("/a%2Fb", "/a/b")
    assert not one("/a/b", "/a%2Fb")
    assert one("/a%2fb", "/a%2Fb")
    assert not one("/a?b%26c", "/a?b&c")


@pytest.mark.parametrize(
    ("rule", "path", "forbidden"),
    [
        ("/path/file-with-a-%2A.html", "/path/file-with-a-*.html", True),  # 2.2.3
        ("/path/file-with-a-%2A.html", "/path/file-with-a-b.html", False),
        ("/path/foo-%24", "/path/foo-$", True),
        ("/path/foo-%24", "/path/foo-", False),
        ("/path/foo-$", "/path/foo-", True),
        ("/path/foo-$", "/path/foo-$", False),
        ("/a$b", "/a$b", True),
        ("/a$b", "/a", False),
        ("/fish*", "/fish/salmon.html", True),
        ("/fish*", "/Fish.asp", False),
        ("/fish*", "/catfish", False),
        ("/*.php", "/folder/filename.php?parameters", True),
        ("/*.php", "/windows.PHP", False),
        ("/*.php$", "/filename.php", True),
        ("/*.php$", "/filename.php?parameters", False),
        ("/*.php$", "/filename.php5", False),
        ("/fish*.php", "/fishheads/catfish.php?parameters", True),
        ("/a*a$", "/a", False),
        ("/a*a$", "/aa", True),
        ("*/x", "/y/x", True),
        ("/*/*/z", "/a/b/z", True),
        ("/*/*/z", "/a/z", False),
        ("/**a", "/ba", True),
        ("*", "/", True),
        ("/$", "/", True),
        ("/$", "/a", False),
    ],
)
def test_special_characters(rule: str, path: str, forbidden: bool) -> None:
    assert one(rule, path) == forbidden


def test_other_lines_never_end_a_group() -> None:  # 2.2.4
    for line in ("Sitemap: https://foo.bar/sitemap", "Invalid-Unknown-Line: unknown", "Crawl-delay: 3", "Foo"):
        text = f"User-agent: BarBot\n{line}\nUser-agent: *\nDisallow: /\n"
        assert not allows(text, "/foo")
        assert not allows(text, "/foo", "barbot")
        text = f"User-agent: BarBot\nDisallow: /a\n{line}\nDisallow: /b\n"
        assert not allows(text, "/b", "barbot")


def test_the_file_itself_may_always_be_asked_for() -> None:  # 2.2.2
    assert allows("User-agent: *\nDisallow: /", "/robots.txt")
    assert not allows("User-agent: *\nDisallow: /", "/robots.txt?")


def test_only_so_much_is_read() -> None:  # 2.5
    text = "User-agent: *\nDisallow: /a\n" + "# padding\n" * 100
    assert matcher(text + "Disallow: /b\n").refusal("/b") != ""
    assert matcher(text + "Disallow: /b\n", bytes_max=len(text)).refusal("/b") == ""
    assert matcher(text + "Disallow: /b\n", bytes_max=len(text)).refusal("/a") == "/a"
    for size in range(len(text), len(text) + 13):  # never half a line: "Disallow: /" would forbid everything
        assert matcher(text + "Disallow: /b\n", bytes_max=size).refusal("/c") == ""
    assert read_rules(b"User-agent: *\nDisallow: /a\rDisallow: /", "x", 1000, whole=False).disallow == ("/a",)


# -- names -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["halflife", "HalfLife", "HALFLIFE", "halflife/0.1", "halflife (x)", "  halflife  # ours"]
)
def test_our_name_in_any_spelling(name: str) -> None:
    assert not allows(f"User-agent: {name}\nDisallow: /", "/x")


@pytest.mark.parametrize("name", ["half", "life", "halflifes", "half-life", "halflife-images", "", "1halflife"])
def test_names_that_are_not_ours(name: str) -> None:
    assert allows(f"User-agent: {name}\nDisallow: /", "/x")


def test_a_group_that_names_us_replaces_the_one_for_all() -> None:
    text = "User-agent: *\nDisallow: /\n\nUser-agent: halflife\nDisallow: /private\n"
    assert allows(text, "/x")
    assert not allows(text, "/private")
    assert allows("User-agent: *\nDisallow: /\n\nUser-agent: halflife\nDisallow:\n", "/x")


def test_rules_before_any_name_are_nobodys() -> None:
    assert allows("Disallow: /\nUser-agent: other\nDisallow: /\n", "/x")


# -- lines -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n", "\r\r\n"])
def test_any_line_end(end: str) -> None:
    text = end.join(["User-agent: *", "Disallow: /a", "Disallow: /b"])
    assert not allows(text, "/a")
    assert not allows(text, "/b")
    assert allows(text, "/c")


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffUser-agent: *\nDisallow: /x",
        "USER-AGENT:*\nDISALLOW:/x",
        "  user-agent\t:  *  \n\tdisallow :\t/x  ",
        "User-agent: * # all\nDisallow: /x # this",
        "Useragent: *\nDissallow: /x",
        "User-agent: *\nDisallow: x",
        "\0\1\2\nUser-agent: *\n\xff\xfe: \xfd\nDisallow: /x\n",
    ],
)
def test_lines_as_people_write_them(text: str) -> None:
    assert not allows(text, "/x")
    assert allows(text, "/y")


def test_what_is_no_rule_forbids_nothing() -> None:
    for text in (
        "",
        "<!doctype html><html><p>404: not found</p></html>",
        "User-agent: *\nDisallow:\nAllow:",
        "\0" * 100,
    ):
        assert matcher(text).rules == Rules()
        assert allows(text, "/x")


def test_a_refusal_names_the_pattern() -> None:
    text = "User-agent: *\nDisallow: /a\nDisallow: /a*c\nAllow: /abc\nDisallow: /abcd$\n"
    found = [matcher(text).refusal(path) for path in ("/ab", "/axc", "/abc", "/abcd", "/b")]
    assert found == ["/a", "/a*c", "", "/abcd$", ""]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("10", 10.0),
        ("0.5", 0.5),
        ("1,5", 1.5),
        (".25", 0.25),
        ("10 seconds", 10.0),
        ("soon", 0.0),
        ("-1", 0.0),
        ("", 0.0),
    ],
)
def test_crawl_delay(value: str, seconds: float) -> None:
    text = f"User-agent: *\nCrawl-delay: {value}\nDisallow: /x\n\nUser-agent: other\nCrawl-delay: 99\nDisallow: /\n"
    assert matcher(text).rules.crawl_delay_seconds == seconds


def test_the_longest_of_our_delays_counts() -> None:
    text = "User-agent: halflife\nCrawl-delay: 7\nDisallow: /x\nUser-agent: halflife\nCrawl-delay: 3\nDisallow: /y"
    assert matcher(text).rules.crawl_delay_seconds == 7.0


def test_past_so_many_wild_rules_the_rest_is_stricter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "WILD_RULES_MAX", 1)
    text = "User-agent: *\nDisallow: /a*b\nDisallow: /c*d\nDisallow: /e$\nAllow: /f*\n"
    assert allows(text, "/ax")
    assert not allows(text, "/cx")
    assert not allows(text, "/ex")


# -- properties ------------------------------------------------------------------------------------------------------

LETTERS = st.text("/ab*$?%2F~é", max_size=8)


def slowly(pattern: str, path: str) -> bool:
    """Whether a settled pattern matches, by trying everything."""
    if pattern == "$":
        return path == ""
    if not pattern:
        return True
    if pattern[0] == "*":
        return any(slowly(pattern[1:], path[start:]) for start in range(len(path) + 1))
    return bool(path) and path[0] == pattern[0] and slowly(pattern[1:], path[1:])


@given(st.lists(st.tuples(st.booleans(), LETTERS), max_size=6), st.text("/ab?%2F~$*", max_size=8))
def test_matching_is_what_it_says_it_is(lines: list[tuple[bool, str]], rest: str) -> None:
    path = f"/{rest}"
    text = "User-agent: *\n" + "".join(f"{'Allow' if allow else 'Disallow'}: {pattern}\n" for allow, pattern in lines)
    settled = [(allow, settled_pattern(pattern.encode())) for allow, pattern in lines if pattern]
    matching = [(len(pattern), allow) for allow, pattern in settled if slowly(pattern, settled_path(path))]
    assert allows(text, path) == (max(matching)[1] if matching else True)


@given(st.binary(max_size=300), st.text(max_size=20))
def test_any_bytes_can_be_read_and_asked(data: bytes, path: str) -> None:
    for text in (data, b"User-agent: *\nDisallow: " + data, b"User-agent: *\nAllow: " + data + b"$"):
        made = matcher(text)
        assert isinstance(made.refusal("/" + path), str)
        assert made.cost > 0


LINES = st.tuples(
    st.sampled_from([
        "User-agent", "user agent", "Allow", "Disallow", "Dissallow", "Crawl-delay", "Sitemap", "Host", "", " ",
        "\ufeffUser-agent",
    ]),
    st.sampled_from([":", " : ", "", "::", " "]),
    st.sampled_from(["*", "halflife", "HalfLife/1.0", "other", "/", "/a", "/*", "/a*b$", "$", "*$", "1e9", "0.5", "-1"])
    | st.just("9" * 400)
    | st.text(max_size=12),
    st.sampled_from(["", " # x", "#", "\0"]),
).map("".join)  # fmt: skip
FILES = st.tuples(st.lists(LINES, max_size=25), st.sampled_from(["\n", "\r\n", "\r", "\n\n"])).map(
    lambda file: file[1].join(file[0]).encode("utf-8", "replace")
)


@given(FILES, st.integers(0, 600), st.booleans())
def test_whatever_a_file_says_its_rules_are_bounded_and_survive_a_journey(
    data: bytes, bytes_max: int, whole: bool
) -> None:
    read = read_rules(data, "halflife", bytes_max, whole)
    patterns = (*read.allow, *read.disallow)
    assert sum(map(len, patterns)) <= 9 * min(len(data), bytes_max)  # at most an escape for each octet
    assert all(pattern.isascii() and pattern.startswith(("/", "*")) for pattern in patterns)
    assert len(patterns) == len(set(read.allow)) + len(set(read.disallow))
    assert 0 <= read.crawl_delay_seconds < 1e9 + 1
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(read), type=Rules) == read
    assert Matcher(read).refusal("/robots.txt") == ""


@given(FILES, FILES, st.text("/ab*$?%2F~é", max_size=8))
def test_what_others_are_told_is_not_for_us(ours: bytes, theirs: bytes, rest: str) -> None:
    """A group of somebody else's, behind ours, changes nothing."""
    alone = matcher(b"User-agent: halflife\nAllow: /\n" + ours.replace(b"ser", b"xxx") + b"\n")
    theirs = b"\nUser-agent: elsewhere\nDisallow: /\n" + theirs.replace(b"ser", b"xxx")
    both = matcher(b"User-agent: halflife\nAllow: /\n" + ours.replace(b"ser", b"xxx") + theirs)
    assert both.refusal("/" + rest) == alone.refusal("/" + rest)
    assert both.rules.crawl_delay_seconds == alone.rules.crawl_delay_seconds


@given(LETTERS)
def test_a_settled_pattern_is_settled(pattern: str) -> None:
    once = settled_pattern(pattern.encode())
    assert settled_pattern(once.encode()) == once
    assert settled_path(settled_path("/" + pattern)) == settled_path("/" + pattern)


def test_a_long_pattern_is_cut_and_a_file_of_nothing_but_names_is_read() -> None:
    (pattern,) = matcher("User-agent: *\nDisallow: /" + "é" * 9_000).rules.disallow
    assert len(pattern) == rules.PATTERN_CHARACTERS_MAX
    assert matcher("User-agent: other\n" * 25_000 + "Disallow: /").rules == Rules()
    assert matcher("User-agent: other\nDisallow: /\n" * 16_000).rules == Rules()


def test_hostile_patterns_take_no_time_to_speak_of() -> None:
    path = "/" + "a" * 2_000 + "b"
    text = "User-agent: *\n" + f"Disallow: /{'*a' * 1_000}c\n" * 300 + "Disallow: /" + "x" * 100_000
    assert allows(text, path)
