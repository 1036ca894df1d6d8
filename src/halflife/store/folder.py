"""A store on disk: where everything lies, whether it is a store at all, and who may write to it.

halflife.json   which format, made by which version, and the settings that all runs on it share
frontier.sqlite every address that was ever discovered
segments/NAME/  what was fetched, read and judged; complete when it has its mark, done.json
journals/       what the frontier may not have heard of yet
spool/          bodies too large for memory, while they are being fetched
lock            held by the run that writes, and by its worker processes
"""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from halflife import __version__
from halflife.errors import StoreError
from halflife.store.faults import REPAIR_SEGMENT, damaged, told, told_of_store
from halflife.store.stored import Stored

FORMAT = 1  # raised when an older version could not read, or would misread, what this one writes
ORPHANS_SECONDS = 10.0  # workers whose main process was killed notice within a page; a new run waits so long for them
POLL_SECONDS = 0.05

SETTINGS, FRONTIER, LOCK, MARK = "halflife.json", "frontier.sqlite", "lock", "done.json"
SEGMENTS, JOURNALS, SPOOL = "segments", "journals", "spool"
OURS = frozenset(
    {SEGMENTS, JOURNALS, SPOOL, LOCK, f"{SETTINGS}.part"}
)  # a store that is just being made has only these
JOURNAL_ENDING = ".journal"
ASK_A_CRAWL = "give the folder of a crawl"


class About(Struct):
    """What halflife.json says."""

    format: int
    made_by: str
    settings: dict[str, Any]


class Mark(Struct):
    """What done.json says: the files of a segment with their sizes, and how many rows its tables have."""

    format: int
    files: dict[str, int]
    rows: dict[str, int]


class Folder:
    """One store. Making the object touches nothing."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self.frontier = self.path / FRONTIER
        self.spool = self.path / SPOOL
        self.stored = Stored()  # the payloads that this process has stored: they need not be stored again
        self._lock_fd = -1

    # -- is it a store? --------------------------------------------------------------------------------------------

    def exists(self) -> bool:
        """Whether a store is here; False where one can be made. Anything else here is an error."""
        return self._is_store("choose a folder that is new, empty or a halflife store")

    def _is_store(self, otherwise: str) -> bool:
        """Whether a store is here; `otherwise` says what to do where neither is one nor can one be made."""
        self._check_name()
        with told(self.path):
            if (self.path / SETTINGS).exists():
                return True
            if not self.path.exists():
                return False
            if not self.path.is_dir():
                raise StoreError(f"{self.path}: a file, not a folder; {otherwise}")
            if self._was_store():
                raise StoreError(
                    f"{self.path / SETTINGS}: is missing, without which this is no halflife store; put it back from a copy,"
                    f" or {otherwise}"
                )
            if set(os.listdir(self.path)) <= OURS:
                return False
        raise StoreError(f"{self.path}: holds other files and is no halflife store; {otherwise}")

    def _was_store(self) -> bool:
        """Whether there is what only comes once halflife.json is there: its loss is no reason to begin anew over it."""
        segments = self.path / SEGMENTS
        return (self.path / FRONTIER).exists() or (segments.is_dir() and any(segments.iterdir()))

    def _check_name(self) -> None:
        """Tables are opened by name, and the libraries that do so take names in UTF-8 only."""
        name = str(self.path.absolute())
        if not _is_utf8(name):
            shown = name.encode("utf-8", "backslashreplace").decode()
            raise StoreError(f"{shown}: its name is not in UTF-8; choose or make a folder with another name")

    def create(self, settings: dict[str, Any]) -> None:
        """Make a store. It is one as soon as halflife.json lies there, which comes last."""
        with told(self.path):
            for name in (SEGMENTS, JOURNALS, SPOOL):
                (self.path / name).mkdir(parents=True, exist_ok=True)
            about = msgspec.json.encode(About(FORMAT, __version__, settings))
            write_whole(self.path / SETTINGS, msgspec.json.format(about, indent=2) + b"\n")

    def settings(self) -> dict[str, Any]:
        """The settings that all runs on this store share."""
        return self.check().settings

    def check(self) -> About:
        """What the store says of itself, or an error when it is none that this version can read."""
        path = self.path / SETTINGS
        if not self._is_store(ASK_A_CRAWL):
            what = "no halflife store" if self.path.exists() else "does not exist"
            raise StoreError(f"{self.path}: {what}; {ASK_A_CRAWL}")
        with told_of_store(path):
            text = path.read_bytes()
        try:
            about = msgspec.json.decode(text, type=About)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise damaged(path, f"cannot be read ({error})") from None
        if about.format > FORMAT:
            raise StoreError(
                f"{path}: made by halflife {about.made_by}, which is newer than this {__version__}; install that version"
            )
        return about

    # -- who may write ---------------------------------------------------------------------------------------------

    @property
    def lock_fd(self) -> int:
        """The open lock; a child process that inherits it keeps the store locked for as long as it lives."""
        if self._lock_fd < 0:
            raise RuntimeError("the store is not locked")
        return self._lock_fd

    def lock(self) -> None:
        """Become the one run that writes. Worker processes that a killed run left behind are waited for."""
        path = self.path / LOCK
        with told(path):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            give_up = time.monotonic() + ORPHANS_SECONDS
            while not _locked(descriptor):
                pid = _holder(descriptor)
                if _is_alive(pid) or time.monotonic() > give_up:
                    os.close(descriptor)
                    who = f"run {pid}" if pid else "run"
                    raise StoreError(f"{self.path}: in use by another {who} of halflife; wait until it ends, or end it")
                time.sleep(POLL_SECONDS)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
            self._lock_fd = descriptor
            self._clear_spool()

    def unlock(self) -> None:
        """Let others write. The store stays locked while child processes live that inherited the lock."""
        if self._lock_fd >= 0:
            os.close(self._lock_fd)
            self._lock_fd = -1

    def _clear_spool(self) -> None:
        """What a killed run was fetching is fetched again."""
        shutil.rmtree(self.spool, ignore_errors=True)
        self.spool.mkdir(exist_ok=True)

    # -- segments and journals -------------------------------------------------------------------------------------

    def segment(self, name: str) -> Path:
        """Where a segment lies."""
        return self.path / SEGMENTS / name

    def journal(self, name: str) -> Path:
        """The journal of a segment."""
        return self.path / JOURNALS / f"{name}{JOURNAL_ENDING}"

    def segments(self) -> dict[str, Mark]:
        """The complete segments, oldest first. One whose files are not as its mark says is an error."""
        return {name: self._checked(name) for name in self._names() if (self.segment(name) / MARK).exists()}

    def unsealed(self) -> list[str]:
        """The segments without a mark: for readers they never happened."""
        return [name for name in self._names() if not (self.segment(name) / MARK).exists()]

    def _names(self) -> list[str]:
        with told_of_store(self.path / SEGMENTS):
            return sorted(entry.name for entry in os.scandir(self.path / SEGMENTS) if entry.is_dir())

    def _checked(self, name: str) -> Mark:
        path = self.segment(name) / MARK
        with told_of_store(path, REPAIR_SEGMENT):
            text = path.read_bytes()
        try:
            mark = msgspec.json.decode(text, type=Mark)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise damaged(path, f"cannot be read ({error})", REPAIR_SEGMENT) from None
        for file, size in mark.files.items():
            with told_of_store(path.parent / file, REPAIR_SEGMENT):
                found = (path.parent / file).stat().st_size
            if found != size:
                raise damaged(path.parent / file, f"has {found:,} bytes instead of {size:,}", REPAIR_SEGMENT)
        return mark

    def journals(self) -> list[str]:
        """The segments that have a journal, oldest first."""
        with told_of_store(self.path / JOURNALS):
            names = os.listdir(self.path / JOURNALS)
        return sorted(name.removesuffix(JOURNAL_ENDING) for name in names if name.endswith(JOURNAL_ENDING))

    def forget_journal(self, name: str) -> None:
        """All of a complete segment's journal is in the frontier, and committed."""
        with told(self.journal(name)):
            self.journal(name).unlink(missing_ok=True)

    def forget_journals(self) -> None:
        """All of every complete segment's journal is in the frontier, and committed."""
        unsealed = set(self.unsealed())
        for name in self.journals():
            if name not in unsealed:
                self.forget_journal(name)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that after a power cut it is there whole or not at all."""
    part = path.with_name(f"{path.name}.part")
    with part.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make the names in a folder as durable as the files."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _holder(descriptor: int) -> int:
    """The number of the process that wrote itself into the lock, 0 when it has not yet."""
    text = os.pread(descriptor, 32, 0).strip()
    return int(text) if text.isdigit() else 0


def _is_alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
