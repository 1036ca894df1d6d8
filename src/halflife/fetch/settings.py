"""What a user can set about fetching, in two records. Every limit has a name, a default and a reason."""

from __future__ import annotations

import re
from pathlib import Path

from msgspec import Struct

from halflife import __version__
from halflife.errors import SettingError

CONTACT_CHARACTERS_MAX = 200  # an address or a page; whoever needs more has a page to write it on
HEADERS_MAX = 50  # far more than any site needs, far fewer than servers refuse
NUMBER_MAX = 2**53  # past it whole numbers are no longer told apart, and nobody has so much of anything
DELAY_SECONDS_MAX = 86_400.0  # one request a day is the slowest that can be meant

TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # RFC 9110: what a header's name is made of
VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")  # no line breaks: a value must not become a second header
AGENT = re.compile(r"[\x20-\x7e]+")
PRODUCT = re.compile(r"[A-Za-z_-]+")  # RFC 9309: what robots.txt can name
COMPATIBLE = re.compile(r"\(compatible; *([A-Za-z_-]+)")
OURS = frozenset({
    "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect", "keep-alive",
    "proxy-authorization", "proxy-connection", "user-agent", "accept-encoding", "range",
})  # fmt: skip


class Limits(Struct, frozen=True, kw_only=True):
    """How much of our time and room one address may take."""

    connect_seconds: float = 10.0  # for the name, and again for TCP and TLS together: slower servers are down
    first_byte_seconds: float = 20.0  # pages made by slow databases take ten
    answer_seconds: float = 60.0  # from the request to the last byte: ends what sends a byte a second
    header_bytes_max: int = 64 * 1024  # four times what common servers send at most
    wire_bytes_max: int = 64_000_000  # of a body as sent: sitemaps end at 50 MB
    decoded_bytes_max: int = 128_000_000  # of a body once unpacked: past this it is a bomb
    memory_bytes_max: int = 2_000_000  # a larger body goes to a file: nearly all pages are smaller
    redirects_max: int = 20  # as many as browsers follow
    robots_bytes_max: int = 500 * 1024  # RFC 9309 asks for at least that
    wait_seconds_max: float = 30.0  # a longer wait is better spent on another host


class FetchSettings(Struct, frozen=True, kw_only=True):
    """How to fetch.

    Extra headers go to every host that is asked: a password among them is told to all of them. Behind a proxy the
    address connected to is the proxy's, so the guard sees names only: private addresses written as numbers are refused,
    a name that resolves to one is not.
    """

    limits: Limits = Limits()
    connections_per_host: int = 1  # one, as a person has
    delay_seconds: float | None = None  # between requests to one site; None: by the clamp rule of `pace`
    robots: bool = True
    user_agent: str = ""  # '': made of name, version and contact
    contact: str = ""  # where people can complain
    headers: tuple[tuple[str, str], ...] = ()  # sent with every request
    proxy: str = ""  # http://[USER:PASSWORD@]HOST:PORT
    resolve: tuple[str, ...] = ()  # HOST:ADDR or HOST:PORT:ADDR, the user's word against the name servers'
    allow_private: bool = False
    private_hosts: tuple[str, ...] = ()  # hosts of private seeds, taken at their word
    ca_file: str = ""  # certificates trusted besides the system's
    tls_verify: bool = True
    spool_folder: str = ""  # for bodies too large for memory; '': the system's temporary folder

    def checked(self) -> FetchSettings:
        """Itself, or an error that names the option and what it may be."""
        from halflife.fetch.dns import Overrides
        from halflife.fetch.proxy import read_proxy

        self._check_numbers()
        self._check_names()
        for name, value in self.headers:
            _check_header(name, value)
        if len(self.headers) > HEADERS_MAX:
            raise SettingError(f"--header: {len(self.headers)} are given; at most {HEADERS_MAX} can be sent")
        if self.ca_file:
            _check_ca_file(self.ca_file)
        read_proxy(self.proxy)
        Overrides(self.resolve)
        return self

    def _check_numbers(self) -> None:
        limits = self.limits
        for option, value, least in (
            ("--per-host", self.connections_per_host, 1),
            ("--delay", 0.0 if self.delay_seconds is None else self.delay_seconds, 0),
            ("--connect-timeout", limits.connect_seconds, 0.001),
            ("--first-byte-timeout", limits.first_byte_seconds, 0.001),
            ("--answer-timeout", limits.answer_seconds, 0.001),
            ("--header-bytes", limits.header_bytes_max, 100),
            ("--page-bytes", limits.wire_bytes_max, 1),
            ("--unpacked-bytes", limits.decoded_bytes_max, 1),
            ("--redirects", limits.redirects_max, 0),
            ("memory_bytes_max", limits.memory_bytes_max, 0),
            ("robots_bytes_max", limits.robots_bytes_max, 1),
            ("wait_seconds_max", limits.wait_seconds_max, 0),
        ):
            check_number(option, value, least)
        if self.delay_seconds is not None and self.delay_seconds > DELAY_SECONDS_MAX:
            raise SettingError(f"--delay {self.delay_seconds}: must be a day ({DELAY_SECONDS_MAX:.0f} s) or less")

    def _check_names(self) -> None:
        if self.contact and (not AGENT.fullmatch(self.contact) or len(self.contact) > CONTACT_CHARACTERS_MAX):
            raise SettingError(
                f"--contact {self.contact[:40]!r}: must be one line of at most {CONTACT_CHARACTERS_MAX} plain ASCII"
                " characters, as in https://example.org/our-crawler or crawler@example.org"
            )
        if self.user_agent and not (AGENT.fullmatch(self.user_agent) and self.agent_token()):
            raise SettingError(
                f"--user-agent {self.user_agent[:40]!r}: must be one line of plain ASCII that begins with a name"
                " robots.txt can use, as in ExampleBot/1.0 (+https://example.org/bot)"
            )

    def agent(self) -> str:
        """What the User-Agent header says: who we are and where to complain."""
        if self.user_agent:
            return f"{self.user_agent} (+{self.contact})" if self.contact else self.user_agent
        return f"halflife/{__version__} (+{self.contact})" if self.contact else f"halflife/{__version__} (web crawler)"

    def agent_token(self) -> str:
        """The name by which robots.txt means us, in lower case."""
        agent = self.user_agent or "halflife"
        found = COMPATIBLE.search(agent) if agent.startswith("Mozilla/") else None
        token = found[1] if found else (named[0] if (named := PRODUCT.match(agent)) else "")
        return token.lower()


def check_number(option: str, value: float, least: float, most: float = NUMBER_MAX) -> None:
    """Raise an error that names the option and what it may be, unless the value is within its bounds."""
    if not isinstance(value, int | float):
        raise SettingError(f"{option} {value!r}: must be a number")
    if not least <= value:
        raise SettingError(f"{option} {value}: must be {least} or more")
    if value > most:
        raise SettingError(f"{option} {value:g}: must be {most:,} or less")


def _check_header(name: str, value: str) -> None:
    where = f"--header '{name[:40]}: ...'"
    if not TOKEN.fullmatch(name):
        raise SettingError(f"{where}: that is no header name; write it as in 'Accept-Language: de'")
    if not VALUE.fullmatch(value):
        raise SettingError(f"{where}: its value has line breaks or characters that no header may have")
    if name.lower() in OURS:
        instead = "; use --user-agent" if name.lower() == "user-agent" else ""
        raise SettingError(f"{where}: halflife sets this one itself{instead}")


def _check_ca_file(path: str) -> None:
    import ssl

    try:
        ssl.create_default_context(cafile=path)
    except ssl.SSLError:
        raise SettingError(f"--ca-file {path}: holds no certificate in PEM form") from None
    except OSError as error:
        raise SettingError(f"--ca-file {path}: {error.strerror or error}") from None
    if not Path(path).is_file():
        raise SettingError(f"--ca-file {path}: is no file")
