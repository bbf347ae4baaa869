"""Learning that is kept: what each player has left in its last game, by what the journal holds.

A game begins when every earlier one of its players has been settled, that is, added to the ledger
or dropped: `judge.contest.window` has their games in a lane. The data that a player has left are on
the disk before its game is, in a folder beside the ledger and under their digest, which the game's
record tells. So a run that is ended anywhere leaves each player's data as its last game in the
journal has them. Data that are no version's last are removed: as soon as the next game is in the
ledger, or by the next run.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator, Mapping

from judge.contest.ledger.data_files import DataFolder, alone
from judge.contest.ledger.ledger import Ledger
from judge.process.bots.bot import Bot
from judge.process.bots.data_file import Data, OwnData, own_data
from judge.process.bots.files import quoted


class LearningData:
    """The data of ``players``, those of a run that learn; a `judge.play.player_data.PlayerData`.

    ``notices`` are sentences on what was not kept, for whoever tells them to take out.
    """

    keeps = True

    def __init__(self, players: Iterable[Bot]) -> None:
        self._players = {bot.name: bot for bot in players}
        own = own_data(self._players.values())
        self._data = {name: one.data for name, one in own.items()}
        self.notices = [
            f"{name} has no data at first, for {one.problem}"
            for name, one in own.items()
            if one.problem
        ]
        self._folder: DataFolder | None = None
        self._others: set[str] = set()  # digests of data of bots, and versions, that do not play
        self._pending: dict[tuple[str, str], Data | None] = {}
        self._said: set[tuple[str, str]] = set()
        self._lock = threading.RLock()

    @contextlib.contextmanager
    def following(self, ledger: Ledger | None) -> Iterator[None]:
        """Go on with the data that the players have by this ledger, and keep them beside it;
        without one, until the run ends.

        Raises `UsageError` if another judge does so, or a link lies where the data are to be, and
        `LedgerError` if data are not there.
        """
        if ledger is None:
            yield
            return
        with alone(ledger.path):
            self._folder = folder = DataFolder(ledger.path)
            last = ledger.last_data()
            needed = [digest for digest in last.values() if digest]
            for name, bot in self._players.items():
                if (version := (name, bot.digest)) in last:
                    digest = last.pop(version)
                    self._data[name] = None if digest is None else folder.read(digest, name)
            folder.clear(needed)  # only now: a user who restores a lost line needs its data
            self._others = {digest for digest in last.values() if digest}
            yield

    @property
    def digests(self) -> Mapping[str, str | None]:
        """See `judge.play.player_data.PlayerData`."""
        return {}

    def learns(self, player: str) -> bool:
        """See `judge.play.player_data.PlayerData`."""
        return player in self._players

    def brought(self, player: str) -> Data | None:
        """See `judge.play.player_data.PlayerData`."""
        with self._lock:
            return self._data.get(player)

    def left(self, game: str, player: str, left: OwnData | None) -> str | None:
        """See `judge.play.player_data.PlayerData`."""
        before = self._data[player]
        problem = "what it left could not be read" if left is None else left.problem
        if problem:
            self._say(player, "problem", f"the data of {player} stay as they were, for {problem}")
        if left and left.dropped:
            named = quoted(left.dropped)
            self._say(
                player, "dropped", f"what {player} wrote besides its data is dropped: {named}"
            )
        after = before
        if left is not None and not left.problem:
            after = left.data
        with self._lock:  # held until it is noted: another thread may drop the same data
            if after is not None and self._folder:
                self._folder.keep(after)
            self._pending[game, player] = after
        return after.digest if after else None

    def settle(self, game: str, *, is_kept: bool) -> None:
        """Have the players of a game begin their next ones with what they have left in it, if the
        game ``is_kept``."""
        with self._lock:
            for name in self._players:
                if (game, name) in self._pending:
                    left = self._pending.pop((game, name))
                    if is_kept:
                        left, self._data[name] = self._data[name], left
                    self._drop(left)

    def _drop(self, data: Data | None) -> None:
        """Remove data from the disk that no bot needs any more."""
        if data is None or self._folder is None:
            return
        known = (*self._data.values(), *self._pending.values())
        if data.digest not in {one.digest for one in known if one} | self._others:
            self._folder.drop(data.digest)

    def _say(self, player: str, what: str, sentence: str) -> None:
        with self._lock:
            if (player, what) not in self._said:
                self._said.add((player, what))
                self.notices.append(sentence)
