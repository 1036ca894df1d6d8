"""halflife skipped: what was discovered and not fetched."""

from __future__ import annotations

from collections.abc import Sequence

from halflife.cli.options import Option, parser
from halflife.cli.output import COLUMNS, OUTPUT, put

ABOUT = "List every discovered address that was not fetched, or gave no page, with its reason; or count them by reason."
EXAMPLES = """
examples:
  halflife skipped solar                        how many, by reason, with an example of each
  halflife skipped solar --reason robots        the addresses that robots.txt forbids
  halflife skipped solar --list --format csv    all of them
"""
GROUPS = {
    "which": [
        Option("--reason", "reasons", "only this reason (may be repeated)", "NAME", many=True),
        Option("--list", "list", "every address, instead of counts"),
        Option("--limit", "limit", "list addresses instead of counting them, and at most so many", "N", int),
    ],
    "output": [*OUTPUT, COLUMNS],
}
LISTED = ("reason", "url", "via", "in_words")
COUNTED = ("count", "reason", "in_words", "example")


def main(arguments: Sequence[str]) -> int:
    """List or count; 1 when there is none."""
    made = parser("skipped", ABOUT, EXAMPLES, GROUPS)
    made.add_argument("store", metavar="DIR", help="a folder that halflife crawl made")
    given = made.parse_args(list(arguments))
    from halflife.run import skipped
    from halflife.run.listing import skipped_counts

    output = {"format": given.format, "output": given.output, "columns": given.columns}
    if given.list or given.reasons or given.limit is not None:
        return put(skipped(given.store, given.reasons or (), given.limit), output, LISTED)
    return put(skipped_counts(given.store), output, COUNTED)
