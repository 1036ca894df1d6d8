"""What can become of an address, in words for people. The one list that `why`, `skipped` and the reports draw on."""

from __future__ import annotations

SKIPPED = {
    "parent_irrelevant": "found only on pages that are off the topic (follow more of them with --tunnel)",
    "too_deep": "more links away from a seed than --depth allows",
    "nofollow": "the page, or the link, asks not to be followed",
    "media": "by its ending no page (image, archive, document ...)",
    "out_of_scope": "outside --scope",
    "excluded": "matches --exclude",
    "not_included": "does not match --include",
    "starved": "its directory kept leading to nothing on the topic (--starve)",
    "host_full": "its host has had --pages-per-host pages",
    "robots": "robots.txt forbids it",
    "guarded": "leads to a private address (--allow-private)",
    "bad_address": "cannot be asked for",
}
FETCHED = {
    "kept": "on the topic: kept",
    "irrelevant": "fetched, and off the topic",
    "noindex": "on the topic, but asks not to be kept",
    "sitemap": "a sitemap: read for its addresses",
    "feed": "a feed: read for its addresses",
    "redirected": "leads to another address",
    "not_a_page": "fetched, and no page",
    "redirect_loop": "redirects in a ring",
    "too_many_redirects": "redirects too often",
    "bad_redirect": "redirects to nowhere",
}
FAILED = {
    "robots_unreachable": "robots.txt could not be had, so nothing may be asked for now",
    "dns": "its host's name does not resolve",
    "refused": "nobody listens there",
    "unreachable": "there is no way to its server",
    "connect_timeout": "its server took too long to connect",
    "tls": "its certificate or encryption failed",
    "first_byte_timeout": "its server took too long to begin its answer",
    "answer_timeout": "its server took too long to end its answer",
    "dropped": "its server hung up",
    "bad_http": "its server does not speak HTTP properly",
    "headers_too_large": "its headers are too large",
    "body_too_large": "larger than is read",
    "decoded_too_large": "larger than is read, once unpacked",
    "bad_encoding": "its compression is broken",
    "proxy": "the proxy failed",
    "worker_died": "reading it took too long, or ended the process that did it",
}
WAITING = "waits for its turn"


def is_skip(fate: str) -> bool:
    """Whether an address of this fate was never asked for."""
    return fate in SKIPPED or fate.startswith("trap_")


def in_words(fate: str) -> str:
    """A fate as a person would say it."""
    if fate.startswith("http_"):
        return f"its server answered {fate.removeprefix('http_')}"
    if fate.startswith("trap_"):
        return f"looks like a trap: {fate.removeprefix('trap_').replace('_', ' ')} (--trap-off {fate.removeprefix('trap_')})"
    if fate == "waiting":
        return WAITING
    return SKIPPED.get(fate) or FETCHED.get(fate) or FAILED.get(fate) or fate
