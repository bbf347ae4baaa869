"""Keeps what entrants' bots write to stderr in games. An entrant may read only its own bot's
stderr.

Each entrant has a folder, with a file for each of the last games in which the bot wrote to stderr.
The file is written before the game is added to the ledger. A crash or a full disk may lose a text,
but never a game.
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
    """Stores the stderr of entrants' bots. Any thread may use it."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._names: frozenset[str] = frozenset()

    def keep_of(self, names: Iterable[str]) -> None:
        """Keep the stderr of the bots with these names from now on. Remove that of all others."""
        self._names = frozenset(names)
        for folder in self._root.glob("*"):
            if folder.name not in self._names:
                shutil.rmtree(folder, ignore_errors=True)

    def log(self, game: str, _seat: int, name: str) -> _StderrLog:
        """Return the object that takes a bot's stderr in the game with this id.
        `judge.play.run.Run` calls this for each seat."""
        return _StderrLog(partial(self._keep, name, game))

    def _keep(self, name: str, game: str, text: bytes) -> None:
        """Store the stderr of a bot in a game. If the game is played again, the new text replaces
        the old. The stderr of a bot that is not an entrant's is dropped."""
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
        """Return the stderr of a bot in a game; empty if no text can be read."""
        with suppress(OSError):
            return writing.read(self._root, f"{name}/{_file_of(game)}", _MOST_BYTES)
        return b""


class _StderrLog(TwoEnds):
    """Collects the stderr of a bot in a game, and stores the text when the bot has ended."""

    def __init__(self, keep: Callable[[bytes], None]) -> None:
        super().__init__(MOST_STDERR_BYTES)
        self._keep = keep

    def sent(self, data: bytes) -> None:
        """Ignore the text: only stderr is logged."""

    received = sent
    stderr = TwoEnds.add

    def close(self) -> None:
        self._keep(self.whole())


def _file_of(game: str) -> str:
    """Return the name of a game's file: a digest, since an id may be too long for a name."""
    return hashlib.sha256(game.encode(errors="replace")).hexdigest()
