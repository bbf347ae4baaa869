"""The data of learning players beside a ledger, read and kept without a game."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from changes import replace
from judge.contest.learning_data import DataFolder, LearningData
from judge.errors import UsageError
from judge.play.player_data import learns
from judge.process.bots.bot import Bot, find
from judge.process.bots.data_file import Data, OwnData


class Kept(NamedTuple):
    """The data of its players that a ledger keeps."""

    path: Path
    data: Mapping[tuple[str, str | None], str | None]

    def last_data(self) -> dict[tuple[str, str | None], str | None]:
        return {**self.data}


@pytest.fixture
def bot(tmp_path: Path) -> Bot:
    program = tmp_path / "ada.sh"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    program.with_suffix(".txt").write_text("at first")
    return find(str(program), wire="broadsides")


@pytest.mark.parametrize("end", ["kept", "dropped", "left nothing", "another version"])
def test_a_player_begins_with_the_data_of_its_versions_last_game(
    end: str, bot: Bot, tmp_path: Path
) -> None:
    """A version that has not played begins with the data that lie beside it."""
    ledger, first, later = tmp_path / "x.json", Data(".txt", b"at first"), Data(".txt", b"later")
    players = LearningData([bot])
    with players.following(Kept(ledger, {})):
        assert players.brought("ada") == first
        digest = players.left("game", "ada", OwnData(None if end == "left nothing" else later))
        players.settle("game", is_kept=end != "dropped")
        begun = {"dropped": first, "left nothing": None}.get(end, later)
        assert players.brought("ada") == begun
    if end == "dropped":
        return
    digests = {("ada", "another" if end == "another version" else bot.digest): digest}
    again = LearningData([bot])
    with again.following(Kept(ledger, digests)):
        assert again.brought("ada") == (first if end == "another version" else begun)


@pytest.mark.parametrize("kind", ["a symbolic link", "no folder"])
def test_the_folder_of_data_is_no_link_and_no_file(kind: str, tmp_path: Path) -> None:
    """A folder is taken as it is, and need not be there."""
    folder = DataFolder(tmp_path / "x.json").path
    folder.mkdir()
    assert DataFolder(tmp_path / "x.json").path == folder
    folder.rmdir()
    if kind == "no folder":
        folder.write_text("")
    else:
        folder.symlink_to(tmp_path)
    with pytest.raises(UsageError, match=f"is {kind}, and what players have learned"):
        DataFolder(tmp_path / "x.json")


def test_a_bot_learns_if_its_protocol_and_its_form_allow_it(bot: Bot) -> None:
    """Only a single file has a place beside it for data."""
    assert learns(bot)
    assert not learns(replace(bot, wires=("brainjar",)))
    assert not learns(replace(bot, files=(bot.folder,)))
