"""The data of players that learn. A player begins each game with the data that it left in its last
game.

A player's game begins when its earlier games are settled, which means added to the ledger or
dropped; `judge.contest.window` sees to that. A player's data are on the disk before its game is in
the journal, in a folder beside the ledger. The game's record has the data's digest, which names the
file. So after a crash each player's data are those of its last game in the journal. Data that a
later game replaced are removed when that game is in the ledger, or by the next run.
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
    """The data of the players of a run that learn; a `judge.play.player_data.PlayerData`.

    ``notices`` are sentences on data that were not used or not kept.
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
        self._others: set[str] = set()  # digests of the data of bots and versions that do not play
        self._pending: dict[tuple[str, str], Data | None] = {}
        self._said: set[tuple[str, str]] = set()
        self._lock = threading.RLock()

    @contextlib.contextmanager
    def following(self, ledger: Ledger | None) -> Iterator[None]:
        """Take the players' last data from a ledger, and keep their new data beside it. Without a
        ledger the data last until the run ends.

        Raises `UsageError` if another judge holds the data or a link or file has the folder's name,
        and `LedgerError` if data are missing or damaged or the folder cannot be cleared.
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
        with self._lock:  # held until the data are noted, since another thread may drop them
            if after is not None and self._folder:
                self._folder.keep(after)
            self._pending[game, player] = after
        return after.digest if after else None

    def settle(self, game: str, *, is_kept: bool) -> None:
        """Settle a game: if it ``is_kept``, its players begin their next games with the data that
        they left in it. A dropped game leaves the players' data as they were before."""
        with self._lock:
            for name in self._players:
                if (game, name) in self._pending:
                    left = self._pending.pop((game, name))
                    if is_kept:
                        left, self._data[name] = self._data[name], left
                    self._drop(left)

    def _drop(self, data: Data | None) -> None:
        """Remove data from the disk, unless a bot still needs them."""
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
