"""The checks of uploads: nobody's bots hold up the checks of others."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from queue import Queue

import pytest

from hosted import SETTINGS
from judge.documents.host import Upload
from judge.serve.host import uploads as uploads_module
from judge.serve.host.uploads import Checks, Uploads

pytestmark = pytest.mark.whole

PATIENCE = 60.0  # seconds; a busy machine is no reason to fail
BOT = b"#!/bin/sh\necho '{}'\n"
OPEN = replace(SETTINGS, isolation="none")


@contextmanager
def checks_of(uploads: Uploads) -> Iterator[tuple[Checks, Queue[Upload]]]:
    """The checks, and each upload that was checked."""
    checked: Queue[Upload] = Queue()
    with closing(Checks(uploads, OPEN, checked.put, print)) as checks:
        yield checks, checked


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
            assert "answer sooner" in upload.report


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
