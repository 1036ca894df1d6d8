"""Certificates made when a test needs them: good ones, and one for each way of not being good."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import trustme


@cache
def authority() -> trustme.CA:
    """The authority that tests trust."""
    return trustme.CA()


def certified(
    *names: str, by: trustme.CA | None = None, begins_days: float = -1, ends_days: float = 1
) -> ssl.SSLContext:
    """A server's side of TLS, with a certificate for these names."""
    now = datetime.now(UTC)
    made = (by or authority()).issue_cert(
        *names, not_before=now + timedelta(days=begins_days), not_after=now + timedelta(days=ends_days)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.configure_cert(context)
    return context


def ca_file(folder: Path, of: trustme.CA | None = None) -> str:
    """A file with the authority's own certificate."""
    path = folder / "ca.pem"
    (of or authority()).cert_pem.write_to_path(str(path))
    return str(path)
