"""The little web starts, can be looked at by name and by browser, and ends without a trace."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from http.client import HTTPConnection

import pytest

from halflife.littleweb import LittleWeb
from halflife.littleweb.addresses import _has_address
from littleweb.reading import Get


def listens(address: str, port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex((address, port)) == 0


def test_it_listens_on_every_address_and_stops(web: LittleWeb) -> None:
    with LittleWeb() as other:
        assert other.port != web.port
        addresses = {other.address(host) for host in other.hosts}
        assert all(listens(address, other.port) for address in addresses)
    assert not any(listens(address, other.port) for address in addresses)
    assert other.errors == []


def test_it_stops_when_the_body_raises() -> None:
    with pytest.raises(KeyError, match="on purpose"), LittleWeb() as web:
        raise KeyError("on purpose")
    assert not listens("127.0.0.1", web.port)


def test_its_thread_ends() -> None:
    before = set(threading.enumerate())
    with LittleWeb():
        assert set(threading.enumerate()) > before
    assert set(threading.enumerate()) == before


def test_it_stops_with_connections_open_and_answers_late() -> None:
    """Nothing is left behind for the garbage collector to complain of, not even in the strictest mode."""
    script = """
import socket
from halflife.littleweb import Dials, LittleWeb
with LittleWeb(Dials(slow_seconds=600)) as web:
    idle = socket.create_connection((web.address("news.example"), web.port))
    late = socket.create_connection((web.address("slow.example"), web.port))
    late.sendall(b"GET / HTTP/1.1\\r\\nHost: slow.example\\r\\n\\r\\n")
    half = socket.create_connection((web.address("shop.example"), web.port))
    half.sendall(b"GET / HT")
    done = socket.create_connection((web.address("news.example"), web.port))
    done.sendall(b"GET / HTTP/1.1\\r\\nHost: news.example\\r\\n\\r\\n")
    assert done.recv(100)
for one in (idle, late, half, done):
    one.close()
"""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", script], capture_output=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_it_can_be_started_again() -> None:
    web = LittleWeb()
    with web:
        port = web.port
    with web:
        assert web.port == port
        assert listens("127.0.0.1", port)


def test_a_taken_port_is_an_error_and_leaves_nothing_open(web: LittleWeb) -> None:
    before = threading.active_count()
    with pytest.raises(OSError, match="in use"), LittleWeb(port=web.port):
        pass
    assert threading.active_count() == before


def test_sites_share_an_address_only_where_they_share_a_server(web: LittleWeb) -> None:
    with_server = {site.host: site.server or site.host for site in web.sites}
    for one in web.hosts:
        for other in web.hosts:
            same = with_server[one] == with_server[other]
            assert (web.address(one) == web.address(other)) == same
    assert web.resolve == tuple(f"{host}:{web.address(host)}" for host in web.hosts)
    assert web.address("www.sunclub.example") == web.address("sunclub.example")
    assert web.address("a.many.example") == web.address("f.many.example")
    assert web.address("lodge.example") == web.address("attic.example")


def test_where_there_is_one_address_all_hosts_live_there() -> None:
    with LittleWeb(one_address=True) as web:
        assert {web.address(host) for host in web.hosts} == {"127.0.0.1"}
        for host in ("solarhome.example", "parked.example"):
            request = urllib.request.Request(f"http://127.0.0.1:{web.port}/", headers={"Host": f"{host}:{web.port}"})
            with urllib.request.urlopen(request, timeout=10) as answer:
                assert answer.status == 200
        assert {visit.address for visit in web.visits} == {"127.0.0.1"}


def test_an_address_that_is_not_ours_is_found_out() -> None:
    assert _has_address("127.0.0.1")
    assert not _has_address("192.0.2.1")  # kept free for documentation


def test_seeds_are_sites_of_their_own(web: LittleWeb, get: Get) -> None:
    assert len({web.address(seed.split("/")[2].split(":")[0]) for seed in web.seeds}) == len(web.seeds) == 3
    assert [get(seed)[0] for seed in web.seeds] == [200, 200, 200]


# -- for people -------------------------------------------------------------------------------------------------------


def ask_home(web: LittleWeb, host: str, path: str = "/") -> tuple[int, str]:
    """What a browser is answered that takes every name for this machine."""
    connection = HTTPConnection("127.0.0.1", web.port, timeout=10)
    connection.request("GET", path, headers={"Host": f"{host}:{web.port}"})
    answer = connection.getresponse()
    body = answer.read().decode()
    location = answer.getheader("Location")
    connection.close()
    return answer.status, location or body


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "127.0.0.9"])
def test_the_machine_itself_shows_the_list_of_hosts(web: LittleWeb, name: str) -> None:
    status, body = ask_home(web, name)
    assert status == 200
    for host in web.hosts:
        assert f'"http://{host}.localhost:{web.port}/"' in body


def test_under_localhost_links_stay_under_localhost(web: LittleWeb) -> None:
    status, body = ask_home(web, "almanac.example.localhost", "/links")
    assert status == 200
    assert f'"http://news.example.localhost:{web.port}/"' in body
    assert f'"http://bücher.example.localhost:{web.port}/"' in body
    assert '.example/"' not in body
    status, location = ask_home(web, "sunclub.example.localhost", "/reports/spring?x=1")
    assert (status, location) == (301, f"http://www.sunclub.example.localhost:{web.port}/reports/spring?x=1")


def test_without_a_port_in_the_question_there_is_none_in_the_answer(web: LittleWeb) -> None:
    """As for a client that uses the little web as its proxy."""
    connection = HTTPConnection("127.0.0.1", web.port, timeout=10)
    connection.request("GET", "http://almanac.example/links", headers={"Host": "almanac.example"})
    body = connection.getresponse().read().decode()
    connection.close()
    assert '"http://news.example/"' in body


def test_a_name_that_nobody_has(web: LittleWeb) -> None:
    assert ask_home(web, "nobody.example")[0] == 421
    assert web.nowhere not in web.hosts


def test_run_as_a_program() -> None:
    command = [sys.executable, "-m", "halflife.littleweb"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        said = process.stdout.readline()
        port = int(said.partition("localhost:")[2].partition("/")[0])
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
            assert b"solarhome.example.localhost" in answer.read()
        taken = subprocess.run([*command, "--port", str(port)], capture_output=True, text=True, timeout=30, check=False)
        process.send_signal(signal.SIGINT)
        rest, complaints = process.stdout.read(), process.stderr.read()
    assert process.returncode == 0
    assert complaints == ""
    assert f"http://solarhome.example.localhost:{port}/ " in rest
    assert taken.returncode == 2
    assert f"--port {port}" in taken.stderr.splitlines()[-1]
    assert "Traceback" not in taken.stderr


def test_an_impossible_port_is_refused_in_one_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "halflife.littleweb", "--port", "70000"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "--port 70000: must be between 0 and 65535" in done.stderr


# -- what it remembers -----------------------------------------------------------------------------------------------


def test_visits_say_who_asked_for_what(web: LittleWeb, get: Get) -> None:
    get(web.url("news.example", "/sport/?a=b"), User_Agent="tester/1.0")
    get(web.url("gone.example", "/nothing"), User_Agent="tester/1.0")
    first, second = web.visits
    assert (first.host, first.path, first.status, first.user_agent) == (
        "news.example",
        "/sport/?a=b",
        200,
        "tester/1.0",
    )
    assert (second.host, second.path, second.status, second.method) == ("gone.example", "/nothing", 404, "GET")
    assert first.address == web.address("news.example")
    assert first.client.startswith("127.")
    assert first.at <= first.ended <= second.at <= second.ended
    web.visits.clear()
    assert len(web.visits) == 2, "what is handed out is a copy"


def test_reset_forgets_everything(web: LittleWeb, get: Get) -> None:
    busy = web.url("busy.example")
    web.tick()
    before = get(web.url("news.example"))[2]
    assert [get(busy)[0], get(busy)[0]] == [429, 200]
    web.reset()
    assert web.visits == []
    assert [get(busy)[0], get(busy)[0]] == [429, 200]
    assert get(web.url("news.example"))[2] != before
