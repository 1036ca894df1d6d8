"""halflife pages: what a store holds, best first."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from math import isfinite
from pathlib import Path

from halflife.cli.options import Option, parser
from halflife.cli.output import COLUMNS, OUTPUT, put

ABOUT = "List the pages of a store, best first. Only kept pages, unless --all is given."
EXAMPLES = """
examples:
  halflife pages solar --limit 20
  halflife pages solar --site example.org --min-weight 5 --format csv > pages.csv
  halflife pages solar --all --format parquet --output pages.parquet
"""
GROUPS = {
    "which": [
        Option("--all", "everything", "irrelevant pages too"),
        Option("--min-weight", "min_weight", "only pages that weigh at least this", "X", float),
        Option("--site", "site", "only pages of this site (registrable domain)", "NAME"),
        Option("--host", "host", "only pages of this host", "NAME"),
        Option("--match", "match", "only addresses in which this regular expression is found", "PATTERN"),
        Option("--text", "text", "only pages whose title or text contains these words", "WORDS"),
        Option("--language", "language", "only pages in this language, as in en", "CODE"),
        Option(
            "--order",
            "order",
            "what comes first (default weight)",
            "weight|time|address",
            choices=("weight", "time", "address"),
        ),
        Option("--limit", "limit", "at most so many", "N", int),
    ],
    "output": [*OUTPUT, COLUMNS],
}
DEFAULT_COLUMNS = ("weight", "title", "url")


def main(arguments: Sequence[str]) -> int:
    """List; 1 when nothing matches."""
    made = parser("pages", ABOUT, EXAMPLES, GROUPS)
    made.add_argument("store", metavar="DIR", help="a folder that halflife crawl made")
    given = vars(made.parse_args(list(arguments)))
    from halflife.errors import SettingError
    from halflife.run import pages

    if given["min_weight"] is not None and not isfinite(given["min_weight"]):
        raise SettingError(f"--min-weight {given['min_weight']}: must be an ordinary number")
    output = {name: given.pop(name) for name in ("format", "output", "columns")}
    filters = {name: value for name, value in given.items() if value is not None and name != "store"}
    return put(pages(given["store"], **filters), output, DEFAULT_COLUMNS, lambda: _nothing(Path(given["store"])))


def _nothing(store: Path) -> str:
    """Why there is nothing to list: perhaps only because the first segment is not complete yet."""
    from halflife.run.listing import is_begun_only

    if not is_begun_only(store):
        return "nothing to list"
    return (
        f"{store}: a crawl is under way, and its pages can be listed when its first segment is complete; if it was cut"
        f" off, halflife crawl --into {shlex.quote(str(store))} goes on with it"
    )
