"""Command lines as tables: each option is one row that says where its value goes, and how it is written."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from msgspec import Struct

from halflife.cli.standard import say
from halflife.errors import SettingError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

SIZES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
TIMES = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgt]i?|)b?", re.IGNORECASE)
NO_ARGUMENT = re.compile(r"argument (--[a-z-]+): expected one argument")
TIME = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd]?)")


class Option(Struct, frozen=True):
    """One option of a command."""

    flag: str
    into: str  # the setting it fills: a dotted path, or the name of an argument of the command itself
    help: str
    value: str = ""  # the name of its value in --help; '' for a switch
    read: Callable[[str], Any] = str  # from what was typed to the value
    choices: tuple[str, ...] = ()
    many: bool = False  # may be given several times
    means: Any = True  # the value of a switch that is given
    zero: str = ""  # what 0 means, where it is no number like the others
    defaults: tuple[tuple[str, str], ...] = ()  # the settings that hold its defaults, with words; else what it fills


class Parser(argparse.ArgumentParser):
    """argparse, but a mistake is one line, raised, and --help says what holds where an option is not given."""

    options: tuple[Option, ...] = ()
    settings: Callable[[], Any] | None = None  # makes the record that has the defaults

    def error(self, message: str) -> NoReturn:
        """Raise what argparse would print, with where to look."""
        if missing := NO_ARGUMENT.fullmatch(message):
            message += f" (one that begins with - is written {missing[1]}=-...)"
        raise SettingError(f"{message}; see {self.prog} --help")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; argparse keeps it to itself when that fails."""
        say([self.format_help()])

    def format_help(self) -> str:
        """The help, with the defaults: they are read from the settings, so that nothing has to say them twice."""
        if self.settings is not None:
            record = self.settings()
            texts = {option.flag: _with_default(option, record) for option in self.options}
            for action in self._actions:
                for flag in action.option_strings:
                    action.help = texts.get(flag, action.help)
        return super().format_help()


def parser(
    command: str,
    about: str,
    epilog: str,
    groups: Mapping[str, Sequence[Option]],
    settings: Callable[[], Any] | None = None,
) -> Parser:
    """A command's parser; the options are in named groups, as --help shows them, with their defaults from `settings`."""
    made = Parser(
        prog=f"halflife {command}",
        description=about,
        epilog=epilog,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, max_help_position=30, width=100),
        allow_abbrev=False,
    )
    made.settings = settings
    made.options = tuple(option for options in groups.values() for option in options)
    for title, options in groups.items():
        group = made.add_argument_group(title)
        for option in options:
            _add(group, option)
    return made


def _add(group: argparse._ArgumentGroup, option: Option) -> None:
    text = _escaped(option.help)
    if not option.value:
        group.add_argument(
            option.flag, dest=option.into, help=text, action="store_const", const=option.means, default=None
        )
        return
    group.add_argument(
        option.flag,
        dest=option.into,
        help=text,
        metavar=option.value,
        type=_reader(option),
        choices=option.choices or None,
        action="append" if option.many else "store",
        default=None,
    )


def _escaped(text: str) -> str:
    return text.replace("%", "%%")


def _with_default(option: Option, settings: Any) -> str:
    """An option's help and what holds where it is not given."""
    notes = [f"{words}{text}" for path, words in option.defaults or ((option.into, "default "),)
             if (text := _default(option, settings, path))]  # fmt: skip
    if option.zero:
        zero = f"0: {option.zero}"
        notes = [f"default {zero}" if notes == ["default 0"] else "; ".join([*notes, zero])]
    return _escaped(f"{option.help} ({', '.join(notes)})" if option.value and notes else option.help)


def _default(option: Option, settings: Any, path: str) -> str:
    """A default as it would be typed; '' where there is none that could be."""
    value = settings
    for name in path.split("."):
        value = getattr(value, name, None)
    if isinstance(value, str):
        return value if not option.choices or value in option.choices else ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if option.read is size:
        return as_size(value)
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return f"{shown}s" if option.read is duration and value else shown


def _reader(option: Option) -> Callable[[str], Any]:
    def read(text: str) -> Any:
        try:
            return option.read(text)
        except ValueError as error:
            reason = str(error) if error.args and not isinstance(error, UnicodeError) else ""
            if option.read in (int, float):
                reason = "is no whole number" if option.read is int else "is no number"
            raise argparse.ArgumentTypeError(f"{text!r} {reason}".rstrip()) from None

    return read


def nested(values: dict[str, Any]) -> dict[str, Any]:
    """Values by dotted path as records within records; what was not given is left out."""
    made: dict[str, Any] = {}
    for path, value in values.items():
        if value is None:
            continue
        *outer, name = path.split(".")
        place = made
        for part in outer:
            place = place.setdefault(part, {})
        place[name] = value
    return made


def size(text: str) -> int:
    """Bytes, as in 500000, 300kB, 2GB, 1.5 GiB."""
    matched = SIZE.fullmatch(text.strip())
    if matched is None:
        raise ValueError("is no size; write it as in 500kB, 20MB or 2GB")
    return int(float(matched[1]) * SIZES[matched[2].lower()])


def as_size(count: float) -> str:
    """Bytes as `size` reads them: in the largest unit that leaves a whole number."""
    for unit in ("TB", "TiB", "GB", "GiB", "MB", "MiB", "kB", "KiB"):
        one = SIZES[unit[:-1].lower()]
        if count >= one and count % one == 0:
            return f"{count // one:g}{unit}"
    return f"{count:g}"


def duration(text: str) -> float:
    """Seconds, as in 90, 1.5, 20s, 10m, 2h, 1d."""
    matched = TIME.fullmatch(text.strip().lower())
    if matched is None:
        raise ValueError("is no time; write it as in 30s, 10m or 2h")
    return float(matched[1]) * TIMES[matched[2]]


def header(text: str) -> tuple[str, str]:
    """A header, as in 'Name: value'."""
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise ValueError("is no header; write it as in 'Name: value'")
    return name.strip(), value.strip()
