"""halflife why: one address explained."""

from __future__ import annotations

from collections.abc import Sequence

from halflife.cli.options import Option, parser
from halflife.cli.standard import say, say_bytes

ABOUT = "Explain one address: every part of its weight, the links that led there, or the reason it was skipped."
EXAMPLES = """
examples:
  halflife why solar https://example.org/panels
  halflife why solar https://example.org/panels --json | jq .weight
"""
GROUPS = {"output": [Option("--json", "json", "everything that is known, as JSON")]}


def main(arguments: Sequence[str]) -> int:
    """Explain; 1 for an address that was never discovered."""
    made = parser("why", ABOUT, EXAMPLES, GROUPS)
    made.add_argument("store", metavar="DIR", help="a folder that halflife crawl made")
    made.add_argument("address", metavar="ADDRESS", help="the address to explain")
    given = made.parse_args(list(arguments))
    import msgspec

    from halflife.report import why_lines
    from halflife.run import why

    explained = why(given.store, given.address)
    if given.json:
        say_bytes(msgspec.json.format(msgspec.json.encode(explained), indent=2) + b"\n")
    else:
        say(line + "\n" for line in why_lines(explained))
    return 0 if explained.fate else 1
