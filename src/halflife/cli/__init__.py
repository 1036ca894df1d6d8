"""The command line. In: arguments. Out: one call into `run`, text, an exit code. Never: more than that.

One file a command, each with `HELP` and `main(arguments) -> exit code`. Start at `main` here: it finds the command and is
the one place where errors become a line. Exit codes: 0 it was done, 1 it was done and found nothing, 2 a mistake in what
was given or a broken store (one line on stderr says what, where and what to do), 130 interrupted.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from halflife import __version__
from halflife.cli import standard
from halflife.cli.standard import complain, say
from halflife.errors import HalflifeError

COMMANDS = {
    "crawl": "fetch what matters for a topic, best first, into a folder",
    "pages": "list the pages of a store, best first",
    "why": "explain one address: its weight, the links that led to it, or why it was skipped",
    "skipped": "list every discovered address that was not fetched, with the reason",
    "demo": "see all of it on a little web on this machine, without a network",
}
USAGE = "usage: halflife COMMAND ...    (halflife COMMAND --help says more)"
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    standard.open_all()
    code = 0
    try:
        try:
            code = _dispatch(given)
        finally:
            standard.flush()  # now, for what fails when Python ends is a trace
    except HalflifeError as error:
        complain(f"halflife: {' '.join(str(error).split())}")
        return 2
    except KeyboardInterrupt:
        complain("halflife: interrupted")
        return INTERRUPTED
    except standard.Unread:
        return code  # whoever read our output has seen enough
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        complain(f"halflife: {where}{error.strerror or error}; see to it, then give the same command again")
        return 2
    return code


def _dispatch(given: list[str]) -> int:
    if not given or given[0] in ("-h", "--help", "help"):
        if not given:
            complain(_overview())
            return 2
        say([_overview() + "\n"])
        return 0
    if given[0] in ("-V", "--version"):
        from halflife.run import IS_COMPILED

        say([f"halflife {__version__} (pages are walked in {'C' if IS_COMPILED else 'Python'})\n"])
        return 0
    command = given[0]
    if command not in COMMANDS:
        complain(f"halflife: there is no command {command!r}; halflife --help lists them")
        return 2
    code: int = importlib.import_module(f"halflife.cli.{command}").main(given[1:])
    return code


def _overview() -> str:
    width = max(map(len, COMMANDS)) + 2
    lines = [f"  {name:<{width}}{about}" for name, about in COMMANDS.items()]
    return "\n".join(
        [USAGE, "", "A web crawler and web-health tool that spends bandwidth where it matters.", "", *lines, "",
         "Exit codes: 0 done, 1 done and nothing found, 2 a mistake (one line says which), 130 interrupted."]
    )  # fmt: skip
