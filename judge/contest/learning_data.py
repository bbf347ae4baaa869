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
import re
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from judge import writing
from judge.contest.ledger.files import located, locked
from judge.contest.ledger.journal import failing
from judge.contest.ledger.ledger import Ledger
from judge.errors import LedgerError, UsageError
from judge.process.bots.bot import Bot
from judge.process.bots.data_file import DATA_BYTES, Data, OwnData, own_data, suffix_in
from judge.process.bots.files import quoted

if TYPE_CHECKING:
    from pathlib import Path

_UNFINISHED = re.compile(r"\A\.(.*)\.[0-9]+\.new\Z", re.DOTALL)  # as `writing.replace` names it


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
        busy = (
            f"another judge plays games with --learning on for {ledger.path}, and each player's are "
            "played one after another; wait for it, or name another --ledger"
        )
        with locked(ledger.path, ".learning", busy):
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


class DataFolder:
    """The folder beside a ledger that holds what its players have learned. A file's name is the
    digest of its content."""

    def __init__(self, ledger: Path) -> None:
        """``ledger`` is the ledger's path. Raises `UsageError` if it cannot be a ledger's path, or
        if a link or a file has the folder's name."""
        self.path = path = located(ledger)[0].with_suffix(".data")
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            kind = "a symbolic link" if path.is_symlink() else "no folder"
            raise UsageError(
                f"{path} is {kind}, and what players have learned lies in a folder of that name "
                "beside the ledger; move it away, or name another --ledger"
            )

    def keep(self, data: Data) -> None:
        """Put data on the disk, unless a file with their name and size is there. Raises
        `LedgerError` if they cannot be written."""
        root, below = self._place(data.digest)
        with failing(root / below, "written"):
            writing.make_folder(root, self.path.name)
            writing.sync_folder(root)
            if writing.size(root, below) != len(data.content):
                writing.replace(root, below, data.content, durable=True, shared=True)

    def clear(self, needed: Collection[str]) -> None:
        """Remove the data whose digests are not ``needed``, and all files that a killed judge left
        unfinished. Raises `LedgerError` if the folder cannot be cleared.

        The caller holds the lock of learning, since another judge may be writing data.
        """
        places = {self._place(digest) for digest in needed}
        # A missing folder is empty: nothing has been learned yet.
        with failing(self.path, "cleared"), contextlib.suppress(FileNotFoundError):
            for name in writing.names_in(self.path.parent, self.path.name):
                meant = _UNFINISHED.sub(r"\1", name)
                is_data = suffix_in(f"sha256:{meant}") is not None
                if is_data and self._place(name) not in places:
                    writing.remove(*self._place(name))

    def drop(self, digest: str) -> None:
        """Remove the data of a digest, if they are there. Raises `LedgerError` if that fails."""
        root, below = self._place(digest)
        with failing(root / below, "removed"):
            if writing.size(root, below) is not None:
                writing.remove(root, below)

    def read(self, digest: str, player: str) -> Data:
        """The data of a digest. Raises `LedgerError` if they are missing, unreadable or damaged, or
        if the digest is invalid; the error names the ``player`` whose data they are."""
        suffix = suffix_in(digest)
        if suffix is None:
            raise LedgerError(
                f"{self.path}: the journal names data that cannot exist: {quoted(digest)}"
            )
        root, below = self._place(digest)
        mend = (
            f"if there is no copy, change a comment in the program of {player}: as a new version, it "
            "begins with the data that lie beside it"
        )
        use = f"it holds what {player} has learned by its last game, so bring it back"
        with failing(root / below, "read", f"; {use}; {mend}"):
            data = Data(suffix, writing.read(root, below, DATA_BYTES + 1))
        if data.digest != digest:
            raise LedgerError(
                f"{root / below} is damaged: its contents do not match its name; restore a copy; "
                f"{mend}"
            )
        return data

    def _place(self, digest: str) -> tuple[Path, str]:
        """The folder that the ledger lies in, and the path of a digest's data from there."""
        return self.path.parent, f"{self.path.name}/{digest.removeprefix('sha256:')}"
