"""The guard: no page of the open web may lead us into a private network.

It looks at addresses, not names: at the very address that is about to be connected to, so that neither a redirect nor a
name that resolves to one thing now and to another later gets past it. Allowed is what is routed on the open internet and
belongs to one machine there; everything else is refused, above all what is private, loopback, link-local (where cloud
machines keep their passwords) or a multicast group. IPv6 addresses that carry an IPv4 address inside are taken apart.

What the user names is the user's word: hosts of private seeds, and with --allow-private all. (An address given with
--resolve is not shown to the guard; `asking` takes it as it is.)
"""

from __future__ import annotations

import ipaddress
from functools import lru_cache

from halflife.fetch.settings import FetchSettings

ADDRESSES_CACHED = 65_536  # verdicts remembered: about 10 MB

# IANA's special-purpose registries, and what they do not list: multicast, and the address (public in form) at which one
# cloud provider answers its own machines.
PRIVATE_V4 = tuple(
    ipaddress.IPv4Network(text)
    for text in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4", "168.63.129.16/32",
    )
)  # fmt: skip
PUBLIC_V6 = ipaddress.IPv6Network("2000::/3")  # all that has ever been given out
PRIVATE_V6 = tuple(
    ipaddress.IPv6Network(text)
    for text in (
        "2001::/23",  # protocols: Teredo, benchmarking, overlay identifiers
        "2001:db8::/32", "3fff::/20",  # documentation
    )
)  # fmt: skip
MAPPED = ipaddress.IPv6Network("::ffff:0:0/96")  # an IPv4 address in IPv6 notation
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # the IPv4 internet, seen from a network that has IPv6 only
SIX_TO_FOUR = ipaddress.IPv6Network("2002::/16")


class Guard:
    """Knows which hosts may live where."""

    def __init__(self, settings: FetchSettings) -> None:
        self._all = settings.allow_private
        self._exempt = {bare(name) for name in settings.private_hosts}

    def trusts(self, host: str) -> bool:
        """Whether this host may live anywhere."""
        return self._all or host in self._exempt

    def refusal(self, host: str, address: str) -> str:
        """Why this host must not be connected to at this address, '' when it may."""
        if self.trusts(host) or not is_private(address):
            return ""
        place = "is" if host == address else f"({host}) is"
        return f"{address} {place} no public address; --allow-private lets pages lead there"

    def name_refusal(self, host: str) -> str:
        """The same where the address is not known: all that can be told from the name alone."""
        if is_literal(host):
            return self.refusal(host, host)
        if self.trusts(host) or not (host == "localhost" or host.endswith(".localhost")):
            return ""
        return f"{host} is this machine; --allow-private lets pages lead there"


def bare(host: str) -> str:
    """A host as it is looked up: in lower case, an IPv6 address without its brackets."""
    return host.strip("[]").lower()


@lru_cache(ADDRESSES_CACHED)
def is_private(address: str) -> bool:
    """Whether an IP address is anything but one machine on the open internet. What is no address is."""
    try:
        number = ipaddress.ip_address(address.strip("[]"))
    except ValueError:
        return True
    if isinstance(number, ipaddress.IPv4Address):
        return any(number in network for network in PRIVATE_V4)
    if number.scope_id is not None:  # a zone is a network of ours
        return True
    inner = _embedded(number)
    if inner is not None:
        return is_private(str(inner))
    return number not in PUBLIC_V6 or any(number in network for network in PRIVATE_V6)


def is_literal(host: str) -> bool:
    """Whether a host is an IP address and no name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _embedded(number: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that is really meant, if there is one."""
    if number in MAPPED or number in NAT64:
        return ipaddress.IPv4Address(number.packed[12:])
    if number in SIX_TO_FOUR:
        return ipaddress.IPv4Address(number.packed[2:6])
    return None
