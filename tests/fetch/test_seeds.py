"""Which seeds are private: those that the user can only have meant so."""

from __future__ import annotations

import asyncio
import threading

import pytest

from fetch.servers import names
from halflife.fetch import FetchSettings, private_hosts, seeds
from halflife.fetch.dns import LookUp

LOOK_UP = names(
    inner_example="10.0.0.1,::1", open_example="8.8.8.8", both_example="10.0.0.1,8.8.8.8", also_example="192.168.1.1"
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], ()),
        (["http://127.0.0.1:8000/", "http://8.8.8.8/", "http://[::1]/a", "http://[2600::1]/"], ("127.0.0.1", "::1")),
        (["http://inner.example/", "http://open.example/", "http://both.example/"], ("inner.example",)),
        (["http://inner.example/b", "http://10.0.0.9/", "http://also.example/", "http://inner.example/a"],
         ("10.0.0.9", "also.example", "inner.example")),
        (["http://unknown.example/"], ()),
    ],
)  # fmt: skip
def test_hosts_that_are_nothing_but_private(given: list[str], expected: tuple[str, ...]) -> None:
    assert private_hosts(given, FetchSettings(), LOOK_UP) == expected


def test_the_users_word_counts_as_the_name_servers() -> None:
    settings = FetchSettings(resolve=("open.example:127.0.0.1", "inner.example:8.8.8.8"))
    assert private_hosts(["http://open.example/", "http://inner.example/"], settings, LOOK_UP) == ("open.example",)


def test_this_machine_by_its_name() -> None:
    assert private_hosts(["http://localhost:8000/"], FetchSettings()) == ("localhost",)  # asks the hosts file


@pytest.mark.parametrize(
    "settings", [FetchSettings(allow_private=True), FetchSettings(proxy="http://proxy.example:3128")]
)
def test_names_are_not_looked_up_where_it_makes_no_difference(settings: FetchSettings) -> None:
    asked = []

    async def look_up(host: str) -> tuple[tuple[str, ...], float]:
        asked.append(host)
        return ("10.0.0.1",), 0.0

    assert private_hosts(["http://inner.example/", "http://10.0.0.1/"], settings, look_up) == ("10.0.0.1",)
    assert asked == []


def hanging(names_that_hang: str) -> LookUp:
    async def look_up(host: str) -> tuple[tuple[str, ...], float]:
        if host.startswith(names_that_hang):
            await asyncio.Event().wait()
        return ("10.0.0.1",), 0.0

    return look_up


def test_names_that_nobody_answers_for_count_as_public(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeds, "SECONDS_MAX", 0.05)
    given = [f"http://{name}{number}.example/" for name in ("hangs", "here") for number in range(3)]
    assert private_hosts(given, FetchSettings(), hanging("hangs")) == (
        "here0.example",
        "here1.example",
        "here2.example",
    )


def test_of_a_long_list_only_so_many_are_asked_for_and_few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seeds, "ASKED_MAX", 20)
    monkeypatch.setattr(seeds, "AT_ONCE_MAX", 3)
    at_once = most = 0

    async def look_up(host: str) -> tuple[tuple[str, ...], float]:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        await asyncio.sleep(0)
        at_once -= 1
        return ("10.0.0.1",), 0.0

    given = [f"http://h{number:02}.example/" for number in range(30)]
    assert private_hosts(given, FetchSettings(), look_up) == tuple(f"h{number:02}.example" for number in range(20))
    assert most == 3


def test_it_can_be_asked_from_within_a_loop_and_leaves_no_thread() -> None:
    before = threading.active_count()

    async def main() -> tuple[str, ...]:
        return private_hosts(["http://inner.example/"], FetchSettings(), LOOK_UP)

    assert asyncio.run(main()) == ("inner.example",)
    assert threading.active_count() == before
