"""Who is compared: halflife and the peers, how each is started, and what has to be installed for it.

In: addresses to start from. Out: command lines. The peers live in an environment of their own, made on first use.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bench.sets import RULE
from bench.web import nginx_path

BENCH = Path(__file__).parent
OUT = BENCH / "out"
PEERS = OUT / "peers"  # the peers' environment
REQUIREMENTS = BENCH / "peers" / "requirements.txt"
CONNECTIONS_PER_HOST = 8
TOPIC = '"reference counting" thread^2 iterator exception'  # found in all sets, on few of their pages
WORKER = "halflife.run.worker"  # by this its workers are told from its main process


class Rival(NamedTuple):
    """One crawler."""

    name: str
    command: Callable[[list[str], Path], list[str]]  # from the starts, and a folder to write into
    bar: float = 0.0  # halflife must do so many times its pages per CPU second; 0: a reference only
    missing: Callable[[], str] = lambda: ""  # what has to be installed first, and how
    codes: tuple[int, ...] = (0,)  # exit codes of a crawl that went well


def rivals() -> dict[str, Rival]:
    """All of them, by name."""
    return {
        each.name: each
        for each in (
            Rival("halflife", halflife_command),
            Rival("scrapy", _peer("scrapy_links.py"), 8.0, _peers_missing),
            Rival("crawlee", _peer("crawlee_links.py"), 4.0, _peers_missing),
            Rival("bare loop", _peer("bare_loop.py"), 0.5, _peers_missing),
            Rival("wget2", _wget2_command, 0.0, _wget2_missing, (0, 8)),  # 8: some link was dead
        )
    }


def halflife_command(starts: list[str], folder: Path) -> list[str]:
    """Its whole job: every page is fetched, weighed and stored, none is left out for its weight or look."""
    return [
        *(sys.executable, "-m", "halflife", "crawl", *starts, "--topic", TOPIC, "--into", str(folder / "crawl")),
        *("--scope", "host", "--include", RULE, "--order", "best", "--tunnel", "1000000", "--starve", "0"),
        *("--trap-off", "all", "--delay", "0", "--per-host", str(CONNECTIONS_PER_HOST), "--quiet"),
    ]


def nginx_missing() -> str:
    """What has to be installed before anything can be served."""
    return "" if nginx_path() else "nginx (apt install nginx-light)"


def prepare_peers() -> None:
    """Make the peers' environment, or make it anew when its requirements have changed."""
    if not _peers_missing():
        return
    print(f"making {PEERS} from {REQUIREMENTS}", file=sys.stderr)
    made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(PEERS)], stdout=subprocess.DEVNULL)
    if made.returncode:
        raise SystemExit("bench: the peers need an environment of their own: apt install python3-venv")
    pip = [_peers_python(), "-m", "pip", "--no-input", "--disable-pip-version-check"]
    installed = subprocess.run([*pip, "install", "--quiet", "--only-binary", ":all:", "-r", str(REQUIREMENTS)])
    if installed.returncode:
        raise SystemExit(f"bench: {REQUIREMENTS} could not be installed into {PEERS} (see above)")
    shutil.copy(REQUIREMENTS, PEERS / "installed.txt")


def _peer(script: str) -> Callable[[list[str], Path], list[str]]:
    return lambda starts, _: [_peers_python(), str(BENCH / "peers" / script), RULE, *starts]


def _wget2_command(starts: list[str], folder: Path) -> list[str]:
    # It tries the rule on links as they are written, and on stylesheets and images too.
    return [
        *("wget2", "--quiet", "--no-config", "--no-robots", "--recursive", "--level=0", "--max-threads=16"),
        *("--follow-tags=a/href", "--filter-urls", "--regex-type=posix", f"--accept-regex={RULE}"),
        *("--delete-after", f"--directory-prefix={folder}", *starts),
    ]


def _peers_python() -> str:
    return str(PEERS / "bin" / "python")


def _peers_missing() -> str:
    installed = PEERS / "installed.txt"
    if installed.is_file() and installed.read_text() == REQUIREMENTS.read_text():
        return ""
    return f"the peers' environment {PEERS} (scripts/bench crawl makes it)"


def _wget2_missing() -> str:
    return "" if shutil.which("wget2") else "wget2 (apt install wget2)"
