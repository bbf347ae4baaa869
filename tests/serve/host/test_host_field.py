"""The field of a ladder: nothing that is put into its folder ends the ladder."""

from __future__ import annotations

import errno
import threading
from pathlib import Path
from typing import Any

import pytest

from hosted import SETTINGS
from judge import waiting
from judge.errors import Interrupted
from judge.serve.host.folder import HostFolder
from judge.serve.host.ladder import Ladder
from judge.serve.host.stderr import StderrStore
from judge.serve.host.uploads import Uploads
from judge.show.live import Watches

BOT = b"#!/bin/sh\necho '{}'\n"


@pytest.fixture
def folder(tmp_path: Path) -> HostFolder:
    folder = HostFolder(tmp_path / "pond")
    folder.make()
    return folder


def said_by(folder: HostFolder, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sentences that a ladder tells until it has nothing to play."""
    told: list[str] = []
    nobody: Any = None  # no game is played, so none is watched

    def end(_: float) -> None:
        raise Interrupted("it waits")

    monkeypatch.setattr(waiting, "sleep", end)
    ladder = Ladder(
        folder,
        Uploads(folder.uploads, SETTINGS),
        Watches(nobody, nobody),
        changed=threading.Event(),
        new_share=0.5,
        stderr=StderrStore(folder.stderr),
        tell=told.append,
        take_field=lambda _: None,
    )
    with pytest.raises(Interrupted):
        ladder.play()
    return told


def accept(folder: HostFolder, name: str) -> None:
    """Invite somebody whose bot plays."""
    folder.invite(name)
    uploads = Uploads(folder.uploads, SETTINGS)
    uploads.settle(uploads.receive(name, "bot.sh", BOT), "accepted", "")


def put(name: str, folder: HostFolder) -> None:
    """Put a file into the folder of the organiser's bots."""
    (folder.bots / name).write_bytes(BOT)
    (folder.bots / name).chmod(0o755)


@pytest.mark.parametrize("name", ["hunter", "Hunter"])
def test_an_entrant_keeps_the_name_that_the_organiser_gives_a_bot(
    name: str, folder: HostFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No game of a bot against itself is played, and the organiser is told."""
    accept(folder, "hunter")
    put(f"{name}.sh", folder)
    (told,) = said_by(folder, monkeypatch)
    assert told == f"left out {name}: an entrant has this name; rename its file or folder"


def test_a_field_that_cannot_play_ends_no_ladder(
    folder: HostFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for the organiser, and says for what."""
    put("bot.json", folder)
    (told,) = said_by(folder, monkeypatch)
    assert told.startswith("the ladder waits: ")
    assert "is itself a bot" in told


def test_no_game_is_shown_while_the_ladder_waits(
    folder: HostFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Games that were under way when too few bots were left are taken off the live page."""
    left: list[str] = []

    class Watch:
        def leave(self) -> None:
            left.append("the game")

    def play_on(ladder: Ladder, _: object) -> None:
        watch: Any = Watch()
        ladder.watches._watches["1"] = watch

    monkeypatch.setattr(Ladder, "_play_on", play_on)
    assert said_by(folder, monkeypatch) == []
    assert left == ["the game"]


def test_a_file_that_cannot_be_removed_ends_no_ladder(
    folder: HostFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files of a replaced upload stay where the disk has a fault."""

    def broken(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    accept(folder, "ann")
    monkeypatch.setattr(Uploads, "tidy", broken)
    assert said_by(folder, monkeypatch) == []
