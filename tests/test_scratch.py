from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable
from pathlib import Path

import pytest

from judge.process.scratch import scratch


@pytest.fixture(autouse=True)
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No folder is there yet, and those to come lie in the test's own."""
    monkeypatch.setattr("judge.process.scratch.of_this_run", lambda: str(tmp_path))
    monkeypatch.setattr("judge.process.scratch._untouched", deque())


def test_an_untouched_folder_is_given_again() -> None:
    """A bot that leaves its folder alone costs no new one."""
    with scratch() as first:
        assert list(Path(first).iterdir()) == []
    with scratch() as second:
        assert second == first


def test_two_moves_at_once_have_two_folders() -> None:
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
    change: Callable[[Path], None], tmp_path: Path
) -> None:
    """Whatever a bot has done to its folder, the next one is empty and as new."""
    with scratch() as folder:
        change(Path(folder))
    with scratch() as folder:
        now = Path(folder).stat()
        assert (now.st_mode & 0o777, list(Path(folder).iterdir())) == (0o700, [])
        assert now.st_mtime > 2, "not the date that was left"
    assert [path.name for path in tmp_path.iterdir()] == [Path(folder).name]
