"""The data files that learning players bring along to their games and leave after them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from judge.process.bots.bot import Bot
from judge.process.bots.data_file import Data, OwnData, own_data, stem_of
from judge.wire import WIRES


class PlayerData(Protocol):
    """The data of the players of a run, by the players' names. Thread-safe."""

    @property
    def keeps(self) -> bool:
        """Whether the data that a player leaves are kept for its next game."""

    @property
    def digests(self) -> Mapping[str, str | None]:
        """The digests of the players' data, with None for a player without data; empty if the data
        are kept and so differ from game to game."""

    def learns(self, player: str) -> bool:
        """Whether the player can have data."""

    def brought(self, player: str) -> Data | None:
        """The data that a player brings along to its current game, or None if it has none."""

    def left(self, game: str, player: str, left: OwnData | None) -> str | None:
        """Take the data that a player has left in a game. Returns the digest of the data for its
        next game, or None without data."""


class FixedPlayerData:
    """Player data that never change: every game finds the data that lay beside the program before
    the run."""

    keeps = False

    def __init__(self, bots: Iterable[Bot] = ()) -> None:
        """``bots`` are the bots that can have data."""
        found = own_data(bots)
        self._data = {name: own.data for name, own in found.items()}
        self.problems = {name: own.problem for name, own in found.items() if own.problem}

    @property
    def digests(self) -> Mapping[str, str | None]:
        """See `PlayerData`."""
        return {name: data.digest if data else None for name, data in self._data.items()}

    def learns(self, player: str) -> bool:
        return player in self._data

    def brought(self, player: str) -> Data | None:
        return self._data.get(player)

    def left(self, game: str, player: str, left: OwnData | None) -> str | None:
        raise AssertionError("nothing is kept")


def learns(bot: Bot) -> bool:
    """Whether a bot can have data: its first protocol allows data, and the bot is a single file."""
    return WIRES[bot.wires[0]].learns and stem_of(bot) is not None
