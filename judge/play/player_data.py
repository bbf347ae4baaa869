"""The data that learning players bring along to their games, and what becomes of those that they
leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from judge.process.bots.bot import Bot
from judge.process.bots.data_file import Data, OwnData, own_data, stem_of
from judge.wire import WIRES


class PlayerData(Protocol):
    """The data of the players of a run, by their names. Thread-safe."""

    @property
    def keeps(self) -> bool:
        """Whether what a game leaves is kept for the player's next."""

    @property
    def digests(self) -> Mapping[str, str | None]:
        """The digest of what each player brings along to every game, where nothing is kept."""

    def learns(self, player: str) -> bool:
        """Whether it is a player that can have data."""

    def brought(self, player: str) -> Data | None:
        """The data that a player brings along to its current game."""

    def left(self, game: str, player: str, left: OwnData | None) -> str | None:
        """Take what a player has left at the end of a game; returns the digest of its data as they
        are now."""


class FixedPlayerData:
    """Every game finds the data that lay beside the player before the run, and nothing is kept."""

    keeps = False

    def __init__(self, bots: Iterable[Bot] = ()) -> None:
        """``bots`` are those that speak a protocol of players with data."""
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
    """Whether a bot can have data, by the protocol that it speaks."""
    return WIRES[bot.wires[0]].learns and stem_of(bot) is not None
