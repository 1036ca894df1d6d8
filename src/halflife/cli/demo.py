"""halflife demo: the whole wheel, on a little web on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from halflife.cli.options import Option, parser
from halflife.cli.standard import complain, say

ABOUT = "Crawl a little web that this machine serves to itself, and show what came of it. No network."
EXAMPLES = """
examples:
  halflife demo
  halflife demo --topic '"wind power"' --into wind
  halflife demo --paper
"""
GROUPS = {
    "what": [
        Option("--topic", "topic", 'what to look for (default: "solar energy")', "WORDS"),
        Option("--into", "into", "a new folder for the results (default: one among the temporary files)", "DIR"),
        Option("--paper", "paper", "weigh pages exactly as published"),
        Option("--quiet", "quiet", "no progress, only the result"),
    ]
}


def main(arguments: Sequence[str]) -> int:
    """Serve, crawl, tell."""
    given = parser("demo", ABOUT, EXAMPLES, GROUPS).parse_args(list(arguments))
    from halflife.cli.live import shown
    from halflife.report import demo_lines
    from halflife.run.demo import demo

    complain("Serving the little web on loopback and crawling it ...")
    with shown(quiet=bool(given.quiet), events=False) as tell:
        done = demo(given.topic, Path(given.into) if given.into else None, bool(given.paper), tell)
    say(line + "\n" for line in demo_lines(done))
    return 130 if done.finished.reason == "interrupted" else 0
