"""The folder of a store: whether it is one, who may write to it, and whether it is as it was written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import halflife
from halflife.errors import StoreError
from halflife.store import Folder, Frontier, SegmentWriter, opened, pages
from halflife.store import folder as folder_module
from store.made import SETTINGS, answered, html, made_of, new_store

REPAIR = "put it back from a copy, or move its folder out of the store, which then lacks what was fetched in it"
HOLDER = """
import sys
from halflife.store import Folder
folder = Folder(sys.argv[1])
folder.lock()
print("locked", flush=True)
sys.stdin.read()
"""
# A run whose worker outlives it: the worker has the lock's descriptor and waits for its own standard input to end.
ORPHAN = """
import os, subprocess, sys
from halflife.store import Folder
folder = Folder(sys.argv[1])
folder.lock()
subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], pass_fds=[folder.lock_fd],
                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print("locked", flush=True)
os._exit(9)
"""


def sealed(folder: Folder, *urls: str) -> str:
    writer = SegmentWriter.create(folder)
    for url in urls:
        fetch = answered(url, html(words="solar solar"))
        writer.add(fetch, *made_of(fetch), b"")
    writer.seal()
    return writer.name


@contextmanager
def running(program: str, path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that has the lock, or had it, until its standard input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        assert process.stdout.readline() == "locked\n"
        yield process
    finally:
        process.stdin.close()
        process.wait()
        process.stdout.close()


# -- is it a store? ----------------------------------------------------------------------------------------------------


def test_a_store_is_made_and_found_again(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "deep" / "in" / "folders")
    assert not folder.exists()
    folder.create(SETTINGS)
    again = Folder(str(folder.path))
    assert again.exists()
    assert again.settings() == SETTINGS
    about = again.check()
    assert (about.format, about.made_by) == (1, halflife.__version__)
    assert (again.segments(), again.unsealed(), again.journals()) == ({}, [], [])
    assert json.loads((folder.path / "halflife.json").read_text())["settings"] == SETTINGS


def test_making_the_object_touches_nothing(tmp_path: Path) -> None:
    Folder(tmp_path / "s")
    assert list(tmp_path.iterdir()) == []


def test_a_store_can_be_made_in_an_empty_folder_and_where_making_one_was_cut_short(tmp_path: Path) -> None:
    assert not Folder(tmp_path).exists()
    for name in ("segments", "journals", "spool"):
        (tmp_path / name).mkdir()
    (tmp_path / "halflife.json.part").write_bytes(b"{")
    (tmp_path / "lock").touch()
    assert not Folder(tmp_path).exists()
    Folder(tmp_path).create(SETTINGS)
    assert Folder(tmp_path).settings() == SETTINGS


def test_a_foreign_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").touch()
    with pytest.raises(StoreError) as told:
        Folder(tmp_path).exists()
    what = f"{tmp_path}: holds other files and is no halflife store"
    assert str(told.value) == f"{what}; choose a folder that is new, empty or a halflife store"
    with pytest.raises(StoreError) as told:
        Folder(tmp_path).check()
    assert str(told.value) == f"{what}; give the folder of a crawl"
    assert [path.name for path in tmp_path.iterdir()] == ["photo.jpg"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(StoreError, match=r"file"):
            Folder(path).create(SETTINGS)
    with pytest.raises(
        StoreError, match="a file, not a folder; choose a folder that is new, empty or a halflife store"
    ):
        Folder(tmp_path / "file").exists()
    with pytest.raises(StoreError, match="a file, not a folder; give the folder of a crawl"):
        Folder(tmp_path / "file").check()


def test_a_folder_that_the_system_does_not_make_is_not_a_matter_of_spelling() -> None:
    if not os.path.isdir("/proc/self"):
        pytest.skip("no /proc on this system")
    folder = Folder("/proc/x/y")
    assert not folder.exists()
    with pytest.raises(StoreError, match=r"^/proc/x: does not exist and cannot be made there; choose another folder"):
        folder.create(SETTINGS)


def test_a_name_that_no_folder_can_have_is_told_of(tmp_path: Path) -> None:
    for ask in (Folder(tmp_path / ("x" * 300)).exists, Folder(tmp_path / ("x" * 300)).check):
        with pytest.raises(StoreError, match="cannot be used as it stands"):
            ask()


@pytest.mark.parametrize("also_gone", [[], ["frontier.sqlite"], ["segments"]])
def test_a_store_without_its_settings_says_so_and_is_not_begun_anew(tmp_path: Path, also_gone: list[str]) -> None:
    folder = new_store(tmp_path / "s")
    Frontier(folder.frontier).close()
    sealed(folder, "http://a.example/")
    for name in also_gone:
        path = folder.path / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    (folder.path / "halflife.json").unlink()
    what = f"{folder.path / 'halflife.json'}: is missing, without which this is no halflife store; put it back from a copy, or"
    with pytest.raises(StoreError) as told:
        folder.check()
    assert str(told.value) == f"{what} give the folder of a crawl"
    with pytest.raises(StoreError) as told:
        folder.exists()
    assert str(told.value) == f"{what} choose a folder that is new, empty or a halflife store"


def test_what_is_not_there_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="does not exist; give the folder of a crawl"):
        Folder(tmp_path / "none").check()
    with pytest.raises(StoreError, match="no halflife store; give the folder of a crawl"):
        Folder(tmp_path).settings()


def test_a_newer_format_names_the_version_to_install(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    about = {"format": 2, "made_by": "7.1", "settings": {}, "more": "that is not known here"}
    (folder.path / "halflife.json").write_text(json.dumps(about))
    with pytest.raises(StoreError, match=r"made by halflife 7\.1, which is newer than this .*; install that version"):
        folder.check()


def test_the_settings_cut_anywhere_are_damaged(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    path = folder.path / "halflife.json"
    whole = path.read_bytes()
    assert whole.endswith(b"}\n")
    for size in range(len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(StoreError, match=r"halflife.json: cannot be read .*put it back from a copy"):
            folder.check()


@pytest.mark.parametrize("text", [b"\xff\xfe", b"[]", b'{"format": "one"}', b"null", b'{"format": 1, "settings": {}}'])
def test_settings_of_another_shape_are_damaged(tmp_path: Path, text: bytes) -> None:
    folder = new_store(tmp_path / "s")
    (folder.path / "halflife.json").write_bytes(text)
    with pytest.raises(StoreError, match="cannot be read"):
        folder.check()


# -- who may write -----------------------------------------------------------------------------------------------------


def test_one_run_writes_at_a_time(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    with running(HOLDER, folder.path) as process:
        with pytest.raises(StoreError, match=f"in use by another run {process.pid} of halflife; wait until it ends"):
            folder.lock()
        with pytest.raises(RuntimeError, match="not locked"):
            _ = folder.lock_fd
    folder.lock()
    assert (folder.path / "lock").read_text() == f"{os.getpid()}\n"
    os.fstat(folder.lock_fd)
    other = Folder(folder.path)
    with pytest.raises(StoreError, match=f"run {os.getpid()} "):
        other.lock()
    folder.unlock()
    folder.unlock()
    other.lock()
    other.unlock()


def test_workers_left_behind_by_a_killed_run_are_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = new_store(tmp_path / "s")
    with running(ORPHAN, folder.path) as process:
        assert process.wait() == 9
        waited = []

        def one_look_later(seconds: float) -> None:
            waited.append(seconds)
            if process.stdin and not process.stdin.closed:
                process.stdin.close()  # which ends the worker
            os.sched_yield()

        monkeypatch.setattr("time.sleep", one_look_later)
        folder.lock()
        folder.unlock()
    assert waited


def test_workers_that_do_not_end_are_not_waited_for_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_module, "ORPHANS_SECONDS", 0.0)
    folder = new_store(tmp_path / "s")
    with running(ORPHAN, folder.path) as process:
        process.wait()
        with pytest.raises(StoreError, match=f"run {process.pid} "):
            folder.lock()
        (folder.path / "lock").write_bytes(b"")
        with pytest.raises(StoreError, match="in use by another run of halflife; wait until it ends"):
            folder.lock()


def test_what_a_killed_run_was_fetching_is_thrown_away(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    (folder.spool / "half").mkdir()
    (folder.spool / "half" / "a body").write_bytes(b"half")
    folder.lock()
    assert list(folder.spool.iterdir()) == []
    folder.unlock()


# -- segments and journals ---------------------------------------------------------------------------------------------


def test_segments_with_a_mark_count_and_others_do_not(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    names = sorted(sealed(folder, f"http://a.example/{n}") for n in range(3))
    open_one = SegmentWriter.create(folder)
    (folder.path / "segments" / "a file").touch()
    assert list(folder.segments()) == names
    assert folder.unsealed() == [open_one.name]
    assert folder.journals() == sorted([*names, open_one.name])
    folder.forget_journal(names[0])
    folder.forget_journal(names[0])
    assert folder.journals() == sorted([*names[1:], open_one.name])
    folder.forget_journals()
    assert folder.journals() == [open_one.name]
    open_one.seal()


def test_every_file_of_a_segment_is_missed_when_it_is_cut_or_gone(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    segment = folder.segment(sealed(folder, "http://a.example/"))
    files = [path for path in sorted(segment.iterdir()) if path.name != "done.json"]
    assert len(files) == 7
    for path in files:
        whole = path.read_bytes()
        for wrong in (whole[:-1], whole + b"x", b""):
            path.write_bytes(wrong)
            message = (
                f"{path}: has {len(wrong):,} bytes instead of {len(whole):,}; it is cut short or damaged: {REPAIR}"
            )
            for ask in (folder.segments, lambda: opened(folder)):
                with pytest.raises(StoreError) as told:
                    ask()
                assert str(told.value) == message
        path.unlink()
        with pytest.raises(StoreError) as told:
            folder.segments()
        assert str(told.value) == f"{path}: is missing; {REPAIR}"
        path.write_bytes(whole)
    assert len(folder.segments()) == 1


def test_a_mark_cut_anywhere_is_damaged(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    mark = folder.segment(sealed(folder)) / "done.json"
    whole = mark.read_bytes()
    for size in range(len(whole) - 1):
        mark.write_bytes(whole[:size])
        with pytest.raises(StoreError, match=r"done.json: cannot be read"):
            folder.segments()


def test_a_segment_that_is_moved_out_is_done_without(tmp_path: Path) -> None:
    folder = new_store(tmp_path / "s")
    names = sorted(sealed(folder, f"http://a.example/{n}") for n in range(2))
    (folder.segment(names[0]) / "pages.parquet").unlink()
    with pytest.raises(StoreError, match=f"{names[0]}/pages.parquet: is missing; put it back from a copy, or move"):
        list(pages(folder))
    folder.segment(names[0]).rename(tmp_path / "elsewhere")
    assert len(list(pages(folder))) == 1


@pytest.mark.parametrize("name", ["segments", "journals"])
def test_a_store_without_its_folders_says_so(tmp_path: Path, name: str) -> None:
    folder = new_store(tmp_path / "s")
    (folder.path / name).rmdir()
    with pytest.raises(StoreError, match=f"{name}: is missing; put it back from a copy, or start a new store"):
        _ = folder.segments(), folder.journals()
