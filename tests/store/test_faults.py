"""What goes wrong with files, for real: full disks, limits, damage. One line each: what, where, what to do."""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from halflife.errors import StoreError
from halflife.store import Entry, Folder, Frontier, SegmentWriter, mend
from halflife.store.faults import damaged, store_error, told, told_of_store
from halflife.store.folder import write_whole
from store.made import answered, decode, html, made_of, new_store, read

# Writes until it cannot, and says how that was told. Its arguments: the store, what to write, the largest size of a file.
FILLS = """
import random, resource, sys
from pathlib import Path
from halflife.errors import StoreError
from halflife.store import Entry, Folder, Frontier, SegmentWriter
from store.made import answered, html, made_of
folder, what, limit = Folder(sys.argv[1]), sys.argv[2], int(sys.argv[3])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
done = 0
try:
    if what == "frontier":
        frontier = Frontier(folder.frontier)
        for done in range(1000):
            frontier.add([Entry(f"http://a.example/{done}/{n}" + "x" * 200) for n in range(100)])
            frontier.commit()
    else:
        writer = SegmentWriter(folder, "20260101-000000-00000000")
        for done in range(1000):
            fetch = answered(f"http://a.example/{done}", html(words=random.Random(done).randbytes(3000).hex()))
            writer.add(fetch, *made_of(fetch), b"note")
            if what == "seal" and done == 5:
                resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
                writer.seal()
except StoreError as error:
    print(done)
    print(error)
    again = None
    if what != "frontier":
        try:
            writer.add(fetch, None, None, b"")
        except StoreError as error:
            again = error
    print(again)
"""


def filled(path: Path, what: str, limit: int, *before: str) -> tuple[int, str, str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(part for part in sys.path if part)}
    command = [*before, sys.executable, "-c", FILLS, str(path), what, str(limit)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.stderr == ""
    assert run.returncode == 0
    done, *lines = run.stdout.splitlines()
    assert len(lines) == 2  # each message is one line
    return int(done), lines[0], lines[1]


def test_a_segment_on_a_full_disk_says_so_and_loses_nothing(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    done, message, again = filled(folder.path, "segment", 50_000)
    segment = folder.segment("20260101-000000-00000000")
    assert message.startswith(
        f"{segment}: the disk is full (or a limit on file sizes is reached); free some space, then"
    )
    assert again == f"{segment}: sealed or broken; nothing more can be added to it"
    assert done > 3
    assert mend(folder, read, decode) == [segment.name]
    assert folder.segments()[segment.name].rows["pages"] == done  # every fetch before the one that failed


@pytest.fixture
def small_files() -> Iterator[None]:
    """No file may grow beyond 50 kB; Python ignores the signal that comes with it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.usefixtures("small_files")
def test_a_writer_that_failed_takes_nothing_more(tmp_path: Path) -> None:
    writer = SegmentWriter.create(new_store(tmp_path / "s"))
    fetch = answered("http://a.example/", random.Random(1).randbytes(60_000))
    with pytest.raises(StoreError, match="the disk is full"):
        writer.add(fetch, None, None, b"")
    for action in (writer.seal, writer.sync, lambda: writer.add(answered("http://b.example/", b"x"), None, None, b"")):
        with pytest.raises(StoreError, match="sealed or broken; nothing more can be added to it"):
            action()


@pytest.mark.usefixtures("small_files")
def test_what_was_there_stays_when_a_new_one_cannot_be_written_whole(tmp_path: Path) -> None:
    write_whole(tmp_path / "file", b"old")
    with pytest.raises(OSError, match="File too large"):
        write_whole(tmp_path / "file", bytes(60_000))
    assert (tmp_path / "file").read_bytes() == b"old"


def test_a_seal_on_a_full_disk_says_so_and_loses_nothing(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    done, message, _ = filled(folder.path, "seal", 0)
    assert "the disk is full" in message
    assert folder.segments() == {}
    assert mend(folder, read, decode) == ["20260101-000000-00000000"]
    assert folder.segments()["20260101-000000-00000000"].rows["pages"] == done + 1


def test_a_frontier_on_a_full_disk_says_so_and_keeps_what_was_committed(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    done, message, _ = filled(folder.path, "frontier", 400_000)
    assert message.startswith(f"{folder.frontier}: ")
    assert "then give the same command again" in message
    frontier = Frontier(folder.frontier)
    assert frontier.waiting == done * 100
    frontier.close()


def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    """A file system in memory of 2 MB, mounted where nobody else sees it."""
    unshare = shutil.which("unshare")
    mount = ["sh", "-c", 'mount -t tmpfs -o size=2m none "$0" && cd "$0" && exec "$@"', str(tmp_path)]
    inside = [unshare or "unshare", "--mount", "--user", "--map-root-user", *mount]
    if unshare is None or subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here (unshare)")
    make = f"from halflife.store import Folder; Folder({str(tmp_path)!r} + '/s').create({{}})\n"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(part for part in sys.path if part)}
    for what in ("segment", "frontier"):
        run = subprocess.run(
            [*inside, sys.executable, "-c", make + FILLS, str(tmp_path / "s"), what, "0"],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (run.stderr, run.returncode) == ("", 0)
        assert "the disk is full" in run.stdout.splitlines()[1]
        assert "free some space, then give the same command again" in run.stdout.splitlines()[1]


def test_a_frontier_cut_anywhere_is_told_of_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "frontier.sqlite"
    frontier = Frontier(path)
    frontier.add([Entry(f"http://a.example/{n}") for n in range(500)])
    frontier.close()
    whole = path.read_bytes()
    messages = []
    for size in [1, 16, 99, 100, 4095, *range(4096, len(whole), 4096), len(whole) - 1]:
        path.write_bytes(whole[:size])
        try:
            opened = Frontier(path, read_only=True)
            found = [fate.url for fate in opened.fates(["waiting"])]
            opened.close()
            assert len(found) == 500  # the end may hold nothing that was asked for
        except StoreError as error:
            messages.append(str(error))
    assert len(messages) > 5
    assert all(message.startswith(f"{path}: ") and message.isprintable() for message in messages)


@pytest.mark.parametrize("content", [b"SQLite format 3\0" + b"\xaa" * 5000, b"no database at all" * 300])
@pytest.mark.parametrize("read_only", [False, True])
def test_a_frontier_that_is_none_says_what_to_do(tmp_path: Path, content: bytes, read_only: bool) -> None:
    path = tmp_path / "frontier.sqlite"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"frontier.sqlite: it is cut short or damaged: put it back from a copy"):
        Frontier(path, read_only)
    assert path.read_bytes() == content


def test_a_frontier_that_is_missing_says_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"frontier.sqlite: it cannot be opened; see that it exists"):
        Frontier(tmp_path / "frontier.sqlite", read_only=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "advice"),
    [
        (errno.ENOSPC, "the disk is full (or a limit on file sizes is reached); free some space, then give"),
        (errno.EDQUOT, "the disk is full"),
        (errno.EFBIG, "the disk is full"),
        (errno.EACCES, "no permission; change its permissions, or choose another folder"),
        (errno.EPERM, "no permission"),
        (errno.EROFS, "no permission"),
        (errno.ENOENT, "does not exist and cannot be made there; choose another folder"),
        (errno.ENOTDIR, "cannot be used as it stands (Not a directory); choose another folder"),
        (errno.EISDIR, "cannot be used as it stands (Is a directory)"),
        (errno.ELOOP, "cannot be used as it stands (Too many"),
        (errno.ENAMETOOLONG, "cannot be used as it stands (File name too long)"),
        (errno.EIO, "Input/output error; see to the disk, then give the same command again"),
    ],
)
def test_every_error_of_the_system_has_its_advice(number: int, advice: str) -> None:
    error = OSError(number, os.strerror(number))
    assert str(store_error(error, "place")).startswith(f"place: {advice}")
    assert str(store_error(OSError(number, os.strerror(number), "file"), "place")).startswith(f"file: {advice}")


def test_errors_without_a_number_are_damage() -> None:
    message = str(store_error(ValueError("first\x1b[31m line\nsecond line " + "x" * 500), "place"))
    assert message.startswith("place: it is cut short or damaged: put it back from a copy, or start a new store")
    assert message.endswith("(first?[31m line)")
    assert str(store_error(OSError("magic bytes not found"), "place")).endswith("(magic bytes not found)")
    assert len(str(store_error(ValueError("x" * 5000), "place"))) < 400
    assert str(store_error(sqlite3.ProgrammingError("closed"), "place")).endswith("(closed)")


def test_what_a_store_lacks_is_damage_and_what_else_goes_wrong_is_told_as_ever(tmp_path: Path) -> None:
    with pytest.raises(StoreError) as raised, told_of_store(tmp_path / "a"):
        (tmp_path / "a").read_bytes()
    advice = "put it back from a copy, or start a new store with another --into"
    assert str(raised.value) == f"{tmp_path / 'a'}: is missing; {advice}"
    with pytest.raises(StoreError) as raised, told_of_store("elsewhere", "buy a new one"):
        (tmp_path / "a").read_bytes()
    assert str(raised.value) == f"{tmp_path / 'a'}: is missing; buy a new one"
    with pytest.raises(StoreError, match="cannot be used as it stands"), told_of_store(tmp_path):
        tmp_path.read_bytes()
    with pytest.raises(StoreError, match=r"^place: is wrong; it is cut short"), told_of_store("elsewhere"):
        raise damaged("place", "is wrong")


def test_what_was_told_is_not_told_again() -> None:
    error = damaged("place", "has holes")
    assert store_error(error, "elsewhere") is error
    with pytest.raises(StoreError, match=r"^place: has holes; it is cut short") as raised, told("elsewhere"):
        raise error
    assert raised.value is error


@pytest.mark.parametrize("error", [OSError(errno.EIO, "x"), sqlite3.OperationalError("x")])
def test_errors_leave_as_one_and_name_their_cause(error: Exception) -> None:
    with pytest.raises(StoreError, match=r"^place: ") as raised, told("place"):
        raise error
    assert raised.value.__cause__ is error


def test_other_errors_are_faults_of_ours_and_pass() -> None:
    with pytest.raises(ZeroDivisionError), told("place"):
        _ = 1 / 0


def test_a_folder_that_may_not_be_written_to(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    writer = SegmentWriter.create(folder)
    (folder.path / "segments").chmod(0o500)
    try:
        if os.access(folder.path / "segments", os.W_OK):
            pytest.skip("whoever runs this may write everywhere (root)")
        with pytest.raises(StoreError, match="no permission; change its permissions, or choose another folder"):
            SegmentWriter.create(folder)
    finally:
        (folder.path / "segments").chmod(0o700)
    fetch = answered("http://a.example/", html())
    writer.add(fetch, *made_of(fetch), b"")


def test_a_segment_is_never_written_over(tmp_path: Path) -> None:
    folder: Folder = new_store(tmp_path / "s")
    SegmentWriter(folder, "20260101-000000-00000000")
    with pytest.raises(StoreError, match="20260101-000000-00000000: File exists"):
        SegmentWriter(folder, "20260101-000000-00000000")
