"""Look at the little web in a browser: starts it, says where it is, and ends it with Ctrl-C."""

from __future__ import annotations

import argparse
import signal
import sys
import threading

from halflife.littleweb.addresses import FOR_BROWSERS, HOME
from halflife.littleweb.web import LittleWeb


def main() -> int:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser(prog="python -m halflife.littleweb", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0, the default, lets the system choose")
    port = parser.parse_args().port
    if not 0 <= port < 65536:
        parser.error(f"--port {port}: must be between 0 and 65535")
    try:
        with LittleWeb(port=port) as web:
            sys.stdout.write(_said(web))
            sys.stdout.flush()
            _wait()
    except OSError as error:
        parser.error(f"--port {port}: {error.strerror}; choose another, or leave the option out")
    return 0


def _said(web: LittleWeb) -> str:
    width = max(len(web.url(host + FOR_BROWSERS)) for host in web.hosts)
    lines = [
        f"The little web is at http://localhost:{web.port}/ until Ctrl-C.",
        "",
        "Its hosts, and where each of them lives:",
    ]
    lines += [f"  {web.url(host + FOR_BROWSERS):{width}}  {web.address(host)}" for host in web.hosts]
    lines += ["", "To a crawler they all answer at one address, without the last part of the name:"]
    lines += [f"  halflife crawl {' '.join(web.seeds)} \\", "    --scope any --topic 'solar energy' --into solar \\"]
    return "\n".join([*lines, f"    --resolve '*:{HOME}' --allow-private", ""])


def _wait() -> None:
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()


if __name__ == "__main__":
    sys.exit(main())
