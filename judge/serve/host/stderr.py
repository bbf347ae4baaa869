"""The stderr of bots in their games. An entrant may read that of the own bot.

Each entrant has a folder, and in it a file for each of the last games in which the bot wrote anything.
It lies there before the game is in the ledger. A crash or a full disk may lose a text, and never a game.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path

from judge import writing
from judge.process.run.limits import MOST_STDERR_BYTES
from judge.process.run.listening import TwoEnds

MOST_GAMES = 50  # games of a bot whose stderr is kept
_MOST_BYTES = 2 * MOST_STDERR_BYTES + 100  # bytes of a file: both ends, and what was left out


class StderrStore:
    """The stderr of entrants' bots; for any thread."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._names: frozenset[str] = frozenset()

    def keep_of(self, names: Iterable[str]) -> None:
        """Keep the stderr of these bots from now on, and remove that of others."""
        self._names = frozenset(names)
        for folder in self._root.glob("*"):
            if folder.name not in self._names:
                shutil.rmtree(folder, ignore_errors=True)

    def log(self, game: str, _seat: int, name: str) -> _StderrLog:
        """The log of a seat in a game with this id, as `judge.play.run.Run` asks for it."""
        return _StderrLog(partial(self._keep, name, game))

    def _keep(self, name: str, game: str, text: bytes) -> None:
        """Keep what a bot wrote in a game, in the place of what it wrote when that was played before."""
        if name not in self._names:
            return
        folder = self._root / name
        with suppress(OSError):  # the text is lost
            if not text:
                (folder / _file_of(game)).unlink()
                return
            folder.mkdir(parents=True, exist_ok=True)
            writing.replace(folder, _file_of(game), text)
            files = sorted(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns)
            for path in files[:-MOST_GAMES]:
                path.unlink(missing_ok=True)

    def has(self, name: str, game: str) -> bool:
        return (self._root / name / _file_of(game)).exists()

    def text(self, name: str, game: str) -> bytes:
        """The stderr of a bot in a game; empty if nothing is kept of it."""
        with suppress(OSError):
            return writing.read(self._root, f"{name}/{_file_of(game)}", _MOST_BYTES)
        return b""


class _StderrLog(TwoEnds):
    """The stderr of a bot in a game. It is kept once the bot is gone."""

    def __init__(self, keep: Callable[[bytes], None]) -> None:
        super().__init__(MOST_STDERR_BYTES)
        self._keep = keep

    def sent(self, data: bytes) -> None:
        """Nobody reads it."""

    received = sent
    stderr = TwoEnds.add

    def close(self) -> None:
        self._keep(self.whole())


def _file_of(game: str) -> str:
    """The name of a file for a game: an id is not the judge's own, and may be long."""
    return hashlib.sha256(game.encode(errors="replace")).hexdigest()
