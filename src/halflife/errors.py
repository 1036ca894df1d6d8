"""The errors a user can act on. Each is one line: what, where, what to do next. Caught once, in `cli.py`."""

from __future__ import annotations


class HalflifeError(Exception):
    """Anything that ends a command with a message instead of a result."""


class InputError(HalflifeError):
    """What the user gave cannot be read: a seed, a file, a pattern."""


class SettingError(HalflifeError):
    """An option or setting has a value it cannot have."""


class StoreError(HalflifeError):
    """The folder on disk is not what it should be: foreign, newer, locked, cut short, full."""
