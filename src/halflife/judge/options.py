"""Checks of settings: an error that names the option as it is typed, and what it may be."""

from __future__ import annotations

from math import isfinite

from halflife.errors import SettingError


def finite(name: str, value: float) -> None:
    """Raise unless the setting is an ordinary number."""
    if not isfinite(value):
        raise SettingError(f"{option(name)} {value:g}: must be an ordinary number")


def between(name: str, value: float, least: float, most: float) -> None:
    """Raise unless the setting lies between two values, both allowed."""
    if not least <= value <= most:  # also when it is no number at all
        raise SettingError(f"{option(name)} {value:g}: must be between {least:g} and {most:g}")


def option(name: str) -> str:
    """A setting's name as it is typed."""
    return "--" + name.replace("_", "-")
