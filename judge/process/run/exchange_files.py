"""Writes the exchange with each bot of a game, and the bot's stderr, into files."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

from judge.errors import JudgeFault, UsageError
from judge.process.bots.files import quoted
from judge.writing import make_folder, opened, write

MOST_BYTES = 16 * 2**20  # bytes of a file, at most
_CUT = b"(cut here, at 16 MiB)\n"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+", re.ASCII)


class SeatLog(Protocol):
    """Hears the exchange with the bot of one seat in one game, and what the bot writes to stderr."""

    def sent(self, data: bytes) -> None: ...

    def received(self, data: bytes) -> None: ...

    def stderr(self, data: bytes) -> None: ...

    def close(self) -> None:
        """Note that the bot is gone."""


SeatLogs = Callable[[str, int, str], SeatLog]
"""Makes the log of a seat, by the id of the game, the number of the seat, and the bot's name."""


class ExchangeFiles:
    """The two files of one seat in one game, such as those of the bot hunter in seat A:
    ``A-hunter.exchange`` has the sent lines after ``>`` and the received lines after ``<``, and
    ``A-hunter.stderr`` has the stderr. Both take the place of the seat's files from an earlier game
    of that id."""

    def __init__(self, folder: Path, game: str, seat: int, name: str) -> None:
        try:
            make_folder(folder, _safe(game))
            stem = folder / _safe(game) / f"{chr(ord('A') + seat)}-{_safe(name)}"
            files = [stem.with_name(f"{stem.name}.{kind}") for kind in ("exchange", "stderr")]
            for earlier in {*stem.parent.glob(f"{stem.name[:2]}*")}.difference(files):
                earlier.unlink()
            self._exchange, self._stderr = map(_File, files)
        except OSError as error:
            raise JudgeFault(f"--io {folder}: {error.filename}: {error.strerror}") from None

    def sent(self, data: bytes) -> None:
        self._exchange.add(b"> ", data)

    def received(self, data: bytes) -> None:
        self._exchange.add(b"< ", data)

    def stderr(self, data: bytes) -> None:
        self._stderr.write(data)

    def close(self) -> None:
        self._exchange.close()
        self._stderr.close()


def exchanges_in(folder: Path) -> SeatLogs:
    """A function that makes `ExchangeFiles` in a folder, which is made if it is missing. Raises
    `UsageError` if nothing can be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise UsageError(
            f"--io {quoted(folder)}: {error.strerror}; name a folder that can be written"
        ) from None
    return partial(ExchangeFiles, folder)


class _File:
    """A file of at most about `MOST_BYTES`: a note replaces the first write that exceeds them, and
    ends the file."""

    def __init__(self, path: Path) -> None:
        self._fd = opened(path, os.O_WRONLY | os.O_CREAT)
        os.ftruncate(self._fd, 0)  # only now, since `opened` refuses a link
        self._left = MOST_BYTES

    def add(self, mark: bytes, data: bytes) -> None:
        """Write each line of the data, with the mark before it."""
        if data:
            lines = data.removesuffix(b"\n").split(b"\n")
            self.write(b"".join(mark + line + b"\n" for line in lines))

    def write(self, data: bytes) -> None:
        if self._left > 0:
            write(self._fd, data if len(data) <= self._left else _CUT)
            self._left -= len(data)

    def close(self) -> None:
        os.close(self._fd)


def _safe(name: str) -> str:
    """A name made safe as a part of a path, since strangers may choose a game's id and a bot's
    name."""
    return _UNSAFE.sub("_", name).strip(".")[:100] or "_"
