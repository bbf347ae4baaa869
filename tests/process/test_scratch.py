"""Scratch folders: empty for each move, gone afterwards, whatever a bot puts in them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from judge.process.run.scratch import scratch as scratch_in
from judge.process.run.scratch import workplace

ROOT = Path(__file__).parents[2]

Scratch = Callable[[], AbstractContextManager[str]]


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    """Folders of the test's own; they do not exist yet."""
    return partial(scratch_in, root=str(tmp_path))


def test_an_untouched_folder_is_given_again(scratch: Scratch) -> None:
    """A bot that leaves its folder alone costs no new one."""
    with scratch() as first:
        assert list(Path(first).iterdir()) == []
    with scratch() as second:
        assert second == first


@pytest.mark.parametrize("age", [1.0, 0.0])
def test_a_file_is_seen_whose_change_has_no_new_ctime(
    scratch: Scratch, monkeypatch: pytest.MonkeyPatch, age: float
) -> None:
    """On a file system that keeps whole seconds of it, and where its clock stands still."""
    made = time.time_ns() // 10**9 * 10**9 if age else time.time_ns()
    monkeypatch.setattr("judge.process.run.scratch.time.time_ns", lambda: made + int(age * 10**9))
    look = os.lstat
    monkeypatch.setattr(
        "judge.process.run.scratch.os.lstat",
        lambda path: SimpleNamespace(
            **{
                name: getattr(look(path), name)
                for name in ("st_ino", "st_mode", "st_uid", "st_gid")
            },
            st_ctime_ns=made,
        ),
    )
    with scratch() as first:
        write(Path(first))
    with scratch() as second:
        assert not [*Path(second).iterdir()]


def test_two_moves_at_once_have_two_folders(scratch: Scratch) -> None:
    """No folder is given to two moves at the same time."""
    with scratch() as one, scratch() as other:
        assert one != other


def write(folder: Path) -> None:
    (folder / "note").write_text("here I was")


def write_and_clean(folder: Path) -> None:
    (folder / "note").write_text("here I was")
    (folder / "note").unlink()


def open_to_all(folder: Path) -> None:
    folder.chmod(0o755)


def shut(folder: Path) -> None:
    (folder / "inner").mkdir()
    (folder / "inner").chmod(0)
    folder.chmod(0)


def date(folder: Path) -> None:
    os.utime(folder, (1, 2))


def remove(folder: Path) -> None:
    folder.rmdir()


def replace(folder: Path) -> None:
    folder.rmdir()
    folder.mkdir(0o700)
    folder.joinpath("note").write_text("here I was")


def link(folder: Path) -> None:
    folder.rmdir()
    folder.symlink_to("/")


def put_a_file(folder: Path) -> None:
    folder.rmdir()
    folder.write_text("here I was")


@pytest.mark.parametrize(
    "change", [write, write_and_clean, open_to_all, shut, date, remove, replace, link, put_a_file]
)
def test_nothing_of_a_move_is_found_by_the_next(
    change: Callable[[Path], None], scratch: Scratch, tmp_path: Path
) -> None:
    """Whatever a bot has done to its folder, the next one is empty and as new."""
    with scratch() as folder:
        change(Path(folder))
    with scratch() as folder:
        now = Path(folder).stat()
        assert (now.st_mode & 0o777, list(Path(folder).iterdir())) == (0o700, [])
        assert now.st_mtime > 2, "not the date that was left"
    assert [path.name for path in tmp_path.iterdir()] == [Path(folder).name]


def test_a_folder_may_be_deeper_than_any_path(scratch: Scratch, tmp_path: Path) -> None:
    """The folders that a bot nests without end are removed too."""
    with scratch() as folder:
        inner = os.open(folder, os.O_RDONLY)
        for _ in range(1500):
            os.mkdir("nested", dir_fd=inner)
            deeper = os.open("nested", os.O_RDONLY, dir_fd=inner)
            os.close(inner)
            inner = deeper
        os.close(inner)
    assert list(tmp_path.iterdir()) == []


def test_no_link_is_followed_when_a_folder_is_removed(scratch: Scratch, tmp_path: Path) -> None:
    """Neither what it leads to is removed, nor its permissions are changed."""
    outside = tmp_path / "outside"
    outside.mkdir(0o500)
    (outside / "kept").touch()
    before = outside.stat()
    with scratch() as folder:
        Path(folder, "inner").mkdir()
        Path(folder, "inner", "link").symlink_to(outside)
        Path(folder, "link").symlink_to(outside)
    assert [path.name for path in tmp_path.iterdir()] == ["outside"]
    assert (outside / "kept").exists()
    assert outside.stat().st_mode == before.st_mode


# Is killed while its folder is in use.
IN_USE = """\
import time
from judge.process.run.scratch import scratch
with scratch() as folder:
    open(f"{folder}/note", "w").write("here I was")
    print(folder, flush=True)
    time.sleep(600)
"""
NEXT = "from judge.process.run.scratch import of_this_run; print(of_this_run())"


def test_what_a_killed_judge_leaves_the_next_one_removes(tmp_path: Path) -> None:
    """Not what a judge has that is still there, nor what only looks like it: a link, a folder or
    file of that name, or one of another user's.
    """
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    run = partial(subprocess.Popen, env=environment, stdout=subprocess.PIPE, text=True)
    judges = [run([sys.executable, "-c", IN_USE]) for _ in range(2)]
    folders = [Path(judge.stdout.readline().strip()) for judge in judges]
    outside = tmp_path / "outside"
    outside.mkdir(0o711)
    (outside / "kept").touch()
    for name in ("judge-run-aaaaaaaa", "judge-run-notes", "judge-run-bbbbbbbb"):
        (tmp_path / name).mkdir(0o755)
    (tmp_path / "judge-run-cccccccc").touch()
    (tmp_path / "judge-run-dddddddd").symlink_to(outside)
    others = {path for path in tmp_path.iterdir() if path != folders[0].parent}
    judges[0].kill()
    judges[0].wait()
    with run([sys.executable, "-c", NEXT]) as following:
        own = Path(following.stdout.read().strip())
    assert not folders[0].parent.exists()
    assert not own.exists(), "its own went at its end"
    assert set(tmp_path.iterdir()) == others
    assert (outside / "kept").exists()
    assert (folders[1] / "note").read_text() == "here I was"
    judges[1].kill()
    for judge in judges:
        judge.communicate()


def test_a_folder_touched_after_its_move_is_not_given_again(scratch: Scratch) -> None:
    """A daemon that waits beside a folder leaves nothing in it for the next move."""
    with scratch() as first:
        pass
    (Path(first) / "note").write_text("here I am")
    with scratch() as second:
        assert list(Path(second).iterdir()) == []
        assert second != first
    assert not Path(first).exists()


def test_a_workplace_is_nobodys_until_all_is_in_it() -> None:
    """It is a folder that no program has had, with the folders asked for, gone at the end."""
    user = None if os.getuid() else 65534
    with workplace(["log"], user) as one, workplace(["log"], user) as other:
        assert one != other
        for folder in (Path(one), Path(one, "log")):
            assert folder.stat().st_uid == (os.getuid() if user is None else user)
            assert folder.stat().st_mode & 0o777 == 0o700
    assert not Path(one).exists()
    with workplace([]) as third:
        assert third not in (one, other)
