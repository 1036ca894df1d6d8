"""Numbers that people give and SQL is to count by."""

from __future__ import annotations

from halflife.errors import SettingError

LIMIT_MAX = (1 << 63) - 1  # SQLite and DuckDB count no further, and no store holds as many rows


def checked_limit(limit: int) -> int:
    """How many rows are wanted, as both engines take it."""
    if limit < 0:
        raise SettingError(f"--limit {limit}: must be 0 or more")
    return min(limit, LIMIT_MAX)
