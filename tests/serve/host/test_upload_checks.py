"""The checks of uploads: nobody's bots hold up the checks of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from queue import Queue
from zipfile import ZipFile

import pytest

from hosted import SETTINGS
from judge.documents.host import Upload
from judge.serve.host import uploads as uploads_module
from judge.serve.host.uploads import UploadChecks, Uploads, playing_of

pytestmark = pytest.mark.whole

PATIENCE = 60.0  # seconds; a busy machine is no reason to fail
BOT = b"#!/bin/sh\necho '{}'\n"
OPEN = replace(SETTINGS, isolation="none")


@contextmanager
def checks_of(
    uploads: Uploads, bug: Callable[[BaseException], None] = print
) -> Iterator[tuple[UploadChecks, Queue[Upload]]]:
    """The checks, and each upload that was checked."""
    checked: Queue[Upload] = Queue()
    with closing(UploadChecks(uploads, checked.put, bug)) as checks:
        yield checks, checked


def test_a_bug_in_a_check_ends_no_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The organiser reads of it, and the upload is checked again."""
    monkeypatch.setattr(uploads_module, "BUSY_SECONDS", 0.01)
    uploads, examine = Uploads(tmp_path, OPEN), uploads_module.examine
    bugs: list[BaseException] = []

    def fails_once(*given: object, **named: object) -> object:
        if not bugs:
            raise ZeroDivisionError
        return examine(*given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(uploads_module, "examine", fails_once)
    uploads.receive("ann", "bot.sh", BOT)
    with checks_of(uploads, bugs.append) as (_, checked):
        assert checked.get(timeout=PATIENCE).number == 1
    assert [*map(type, bugs)] == [ZeroDivisionError]


def test_a_check_that_takes_too_long_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its author reads why, and the next one is checked."""
    monkeypatch.setattr(uploads_module, "CHECK_SECONDS", -1)
    uploads = Uploads(tmp_path, OPEN)
    for name in ("ann", "bob"):
        uploads.receive(name, "bot.sh", BOT)
    with checks_of(uploads) as (_, checked):
        for number in (1, 2):
            upload = checked.get(timeout=PATIENCE)
            assert (upload.number, upload.state) == (number, "rejected")
            assert "reply sooner" in upload.report


def test_a_file_with_a_long_name_is_unpacked_alike_each_time(tmp_path: Path) -> None:
    """The end of the name is kept, which says that it is an archive."""
    data = BytesIO()
    with ZipFile(data, "w") as archive:
        archive.writestr("run.sh", BOT)
    uploads = Uploads(tmp_path, OPEN)
    upload = uploads.receive("ann", "a" * 250 + ".zip", data.getvalue())
    assert uploads.bot(upload).digest == upload.digest


def test_an_upload_that_cannot_be_read_lets_others_go_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits, and the next entrant's upload is checked, although it was sent later."""
    monkeypatch.setattr(uploads_module, "BUSY_SECONDS", 0.01)
    uploads = Uploads(tmp_path, OPEN)
    uploads.receive("ann", "bot.sh", BOT)
    (tmp_path / "1" / "bot").rename(tmp_path / "elsewhere")
    (tmp_path / "1" / "archive").unlink()
    uploads.receive("bob", "bot.sh", BOT)
    with checks_of(uploads) as (_, checked):
        assert checked.get(timeout=PATIENCE).name == "bob"
    assert [one.state for one in uploads.by_name()["ann"]] == ["waiting"]


def test_old_uploads_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files of versions that do not play any more, and all of an entrant's uploads but the last
    and the one that plays. A new process knows the same."""
    monkeypatch.setattr(uploads_module, "MOST_KEPT", 3)
    uploads = Uploads(tmp_path, OPEN)
    for number in range(1, 7):
        upload = uploads.receive("ann", "bot.sh", BOT + b"# %d" % number)
        uploads.settle(upload, "rejected" if number > 5 else "accepted", "")
    waiting = uploads.receive("bob", "bot.sh", BOT)

    def kept() -> dict[str, bool]:
        return {one.name: (one / "archive").exists() for one in tmp_path.iterdir()}

    uploads.tidy({2}, {"ann", "bob"})
    assert kept() == {"2": True, "4": False, "5": True, "6": False, "7": True}
    uploads.tidy((), {"ann", "bob"})
    assert kept() == {"4": False, "5": True, "6": False, "7": True}
    for known in (uploads, Uploads(tmp_path, OPEN)):
        of_ann = known.by_name()["ann"]
        assert [one.number for one in of_ann] == [6, 5, 4]
        assert known.bot(of_ann[1]).name == "ann"
        assert known.waiting({}) == waiting


def test_the_files_of_a_removed_entrant_are_removed(tmp_path: Path) -> None:
    """Its games under way end first. An entrant who gets the name again reads what the check said,
    and may send the same bot."""
    uploads = Uploads(tmp_path, OPEN)
    for number in range(2):
        upload = uploads.receive("ann", "bot.sh", BOT + b"# %d" % number)
        uploads.settle(upload, "accepted", "fine")
    uploads.tidy({2}, ())
    assert uploads.bot(upload).name == "ann"
    uploads.tidy((), ())
    assert [path.name for path in (tmp_path / "2").iterdir()] == ["upload.json"]
    for known in (uploads, Uploads(tmp_path, OPEN)):
        of_ann = known.by_name()["ann"]
        assert playing_of(of_ann) is None
        assert [one.report for one in of_ann] == ["fine", "fine"]
    assert uploads.receive("ann", "bot.sh", BOT + b"# 1").number == 3


def test_checks_are_in_turn_by_entrant(tmp_path: Path) -> None:
    """The one whose checks have taken the least time is first, whoever has sent first."""
    uploads = Uploads(tmp_path, OPEN)
    uploads.receive("ann", "bot.sh", BOT)
    with checks_of(uploads) as (checks, checked):
        assert checked.get(timeout=PATIENCE).name == "ann"
        for name in ("ann", "bob"):
            uploads.receive(name, "bot.sh", BOT + b"# again")
        checks.wake()
        assert [checked.get(timeout=PATIENCE).name for _ in range(2)] == ["bob", "ann"]
