"""halflife crawl: options to settings, events to the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from halflife.cli.options import Option, Parser, duration, header, nested, parser, size
from halflife.cli.standard import Unread, complain, say

ABOUT = (
    "Fetch what matters for a topic, best first, into a folder. The same command on the same folder goes on with it."
)
EXAMPLES = """
A SEED is an address, a file of addresses (one a line), a sitemap or feed (address or file), or - for standard input.
Sizes are written 300kB, 2GB; times 30s, 10m, 2h. A topic is written as to a search engine:
  --topic 'solar "wind power"^2 -nuclear'      a phrase that counts twice, and a word that counts against

examples:
  halflife crawl https://example.org/ --topic "solar energy" --into solar --pages 500
  halflife crawl seeds.txt --topic "solar energy" --into solar --scope any --bytes 2GB --contact mailto:me@example.org
  halflife crawl --into solar                  goes on with that crawl
"""

GROUPS: dict[str, list[Option]] = {
    "what": [
        Option("--topic", "topic", "what to look for", "WORDS"),
        Option("--into", "into", "the folder for the results (made if need be)", "DIR"),
    ],
    "where": [
        Option("--scope", "scope", "how far from the seeds: their sites, hosts, directories, or anywhere",
               "site|host|prefix|any"),
        Option("--include", "include", "only addresses in which this regular expression is found", "PATTERN", many=True),
        Option("--exclude", "exclude", "no address in which this regular expression is found", "PATTERN", many=True),
        Option("--depth", "budget.depth", "at most so many links away from a seed", "N", int, zero="no limit"),
        Option("--trap-off", "traps_off", "switch a trap guard off, by its name, or all", "NAME", many=True),
    ],
    "how much": [
        Option("--bytes", "budget.bytes", "stop after so many bytes, counted on the wire", "SIZE", size,
               zero="no limit"),
        Option("--pages", "budget.pages", "stop after so many answers", "N", int, zero="no limit"),
        Option("--seconds", "budget.seconds", "stop this run after so long", "TIME", duration, zero="no limit"),
        Option("--pages-per-host", "budget.pages_per_host", "at most so many answers from one host", "N", int,
               zero="no limit"),
    ],
    "what counts": [
        Option("--paper", "method", "weigh pages exactly as published (and breadth first, without tunnels)", means="paper"),
        Option("--threshold", "threshold", "keep pages that weigh more than this", "X", float,
               defaults=(("weight.threshold", "default "), ("paper.threshold", "with --paper "))),
        Option("--order", "order", "which address is next: the best, or the oldest (default best, with --paper breadth)",
               "best|breadth", choices=("best", "breadth")),
        Option("--tunnel", "tunnel", "follow links through so many irrelevant pages in a row", "K", int),
        Option("--starve", "starve", "give a directory up after so many failing pages in a row", "N",
               int, zero="never"),
        Option("--w-url", "paper.w_url", "with --paper: weight of the topic in the address", "X", float),
        Option("--w-title", "paper.w_title", "with --paper: weight of the topic in the title", "X", float),
        Option("--w-body", "paper.w_body", "with --paper: weight of each occurrence in the text", "X", float),
        Option("--w-out", "paper.w_out", "with --paper: weight of each link on the page", "X", float),
    ],
    "manners": [
        Option("--contact", "fetch.contact", "an address or page where people can complain, sent with every request",
               "WHERE"),
        Option("--user-agent", "fetch.user_agent", "another name than halflife's own", "NAME"),
        Option("--delay", "fetch.delay_seconds", "rest between requests to one site (default: 5 times its last answer"
               " time, between 0.5 s and 30 s)", "TIME", duration),
        Option("--per-host", "fetch.connections_per_host", "connections to one host at a time", "N", int),
        Option("--no-robots", "fetch.robots", "do not ask for robots.txt: for sites of your own", means=False),
        Option("--allow-private", "fetch.allow_private", "let public pages lead to private addresses"),
    ],
    "connection": [
        Option("--resolve", "fetch.resolve", "take this address for this host", "HOST:ADDR", many=True),
        Option("--proxy", "fetch.proxy", "go through this HTTP proxy", "URL"),
        Option("--header", "fetch.headers", "send this header with every request", "'NAME: VALUE'", header, many=True),
        Option("--ca-file", "fetch.ca_file", "trust the certificates in this file", "FILE"),
        Option("--insecure", "fetch.tls_verify", "do not verify certificates", means=False),
        Option("--connect-timeout", "fetch.limits.connect_seconds", "for a connection", "TIME", duration),
        Option("--first-byte-timeout", "fetch.limits.first_byte_seconds", "until an answer begins", "TIME", duration),
        Option("--answer-timeout", "fetch.limits.answer_seconds", "until it ends", "TIME", duration),
        Option("--header-bytes", "fetch.limits.header_bytes_max", "of an answer, at most", "SIZE", size),
        Option("--page-bytes", "fetch.limits.wire_bytes_max", "of a body on the wire, at most", "SIZE", size),
        Option("--unpacked-bytes", "fetch.limits.decoded_bytes_max", "of a body once unpacked, at most", "SIZE", size),
        Option("--redirects", "fetch.limits.redirects_max", "in a row, at most", "N", int),
    ],
    "this run": [
        Option("--retry-failed", "retry_failed", "ask again for what failed in earlier runs"),
        Option("--workers", "workers", "worker processes", "N", int, zero="one a core, less one"),
        Option("--reading-timeout", "reading_seconds", "give a page up that takes so much CPU time to read",
               "TIME", duration),
        Option("--quiet", "quiet", "say nothing unless something is wrong"),
        Option("--events", "events", "tell everything as JSON lines on standard output"),
    ],
}  # fmt: skip
OURS = ("into", "quiet", "events", "threshold")


def main(arguments: Sequence[str]) -> int:
    """Crawl; 1 when no server answered at all."""
    given = vars(crawl_parser().parse_intermixed_args(list(arguments)))
    seeds = given.pop("seeds")
    ours = {name: given.pop(name) for name in OURS}
    from halflife.cli.live import shown
    from halflife.errors import SettingError
    from halflife.report import closing_lines, is_unanswered, unanswered
    from halflife.run import crawl
    from halflife.run.seeds import read_seeds
    from halflife.run.worker import rarely_collect_garbage

    if not ours["into"]:
        raise SettingError("--into is missing: name a folder for the results, as in --into solar")
    into, silent = Path(ours["into"]), bool(ours["quiet"] or ours["events"])
    if not seeds and given["topic"] is None and _is_nothing(into):
        raise SettingError(
            f"{into}: there is no store to go on with; give the folder of a crawl, or SEED and --topic to begin one there"
        )
    settings = settings_of(given, ours["threshold"], read_seeds(seeds))
    rarely_collect_garbage()
    try:
        with shown(quiet=bool(ours["quiet"]), events=bool(ours["events"])) as tell:
            finished = crawl(settings, into, tell)
    except Unread:
        going_on = f"halflife crawl --into {shlex.quote(str(into))}"
        complain(f"halflife: nobody reads the events any more, so the crawl was stopped; {going_on} goes on with it")
        return 1
    if silent and is_unanswered(finished):
        complain(f"halflife: {unanswered(finished)}")
    elif not silent:
        say(line + "\n" for line in closing_lines(finished))
    if finished.reason == "interrupted":
        return 130
    return 1 if is_unanswered(finished) else 0


def _is_nothing(into: Path) -> bool:
    """Whether there is no such folder, or an empty one."""
    try:
        return not into.exists() or (into.is_dir() and next(into.iterdir(), None) is None)
    except OSError:  # it is told where the store is opened
        return False


def crawl_parser() -> Parser:
    """The parser of `halflife crawl`."""
    made = parser("crawl", ABOUT, EXAMPLES, GROUPS, _defaults)
    made.add_argument("seeds", metavar="SEED", nargs="*", help="an address, a file of addresses, a sitemap, or -")
    made.usage = "halflife crawl SEED... --topic WORDS --into DIR [options]"
    return made


def _defaults() -> Any:
    from halflife.run.settings import DEFAULTS

    return DEFAULTS


def settings_of(given: dict[str, Any], threshold: float | None, seeds: tuple[str, ...]) -> Any:
    """Settings from what was given on the command line."""
    from halflife.errors import SettingError
    from halflife.run.settings import CrawlSettings

    if threshold is not None:
        given[f"{'paper' if given.get('method') == 'paper' else 'weight'}.threshold"] = threshold
    if given.get("method") != "paper" and any(
        given.get(f"paper.{name}") is not None for name in ("w_url", "w_title", "w_body", "w_out")
    ):
        raise SettingError("--w-url, --w-title, --w-body and --w-out belong to --paper; add it, or leave them out")
    if given.get("method") == "paper" and given.get("tunnel"):
        raise SettingError("--tunnel: --paper discards the links of irrelevant pages; leave one of the two out")
    record = nested(given)
    try:
        return msgspec.convert({**record, "seeds": seeds, "said": tuple(record)}, CrawlSettings)
    except msgspec.ValidationError as error:
        raise SettingError(f"{error}; see halflife crawl --help") from None
