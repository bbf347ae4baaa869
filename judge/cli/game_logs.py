"""--game-log: every game of a command as a log of another system, written as soon as it is played."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from click.core import ParameterSource

from judge import writing
from judge.contest.schedule import Pairing, without
from judge.errors import JudgeFault, UsageError
from judge.game.record import GameRecord
from judge.game.rules import Rules
from judge.logs import FORMATS
from judge.process.bots.bot import Bot

_BEGIN_BYTES = 64  # the beginning of a file, by which a log is recognised


@dataclass(frozen=True, slots=True)
class LogRequest:
    """A file or a folder, and a format as typed; None takes the first format that fits the rules."""

    place: str | None
    format: str | None

    def opened(self, bots: Sequence[Bot], rules: Rules, *, games: int | None) -> GameLogs:
        """Open the log of so many ``games`` of these bots, None for any number.

        Raises `UsageError` if they cannot be logged.
        """
        source = click.get_current_context().get_parameter_source("game_log_format")
        if self.place is None:
            if source is ParameterSource.COMMANDLINE:
                raise UsageError("--game-log-format needs --game-log")
            return GameLogs()
        format_ = self._chosen(rules, len(bots) if games else rules.players[0])
        for bot in bots:
            if reason := FORMATS[format_].unsayable(bot.name):
                raise UsageError(
                    f"--game-log: a {format_} log cannot hold the name {bot.name!r}: {reason}; give "
                    "the bot another name"
                )
        path = Path(self.place).expanduser()
        is_folder = path.is_dir() or self.place.endswith("/") or games != 1
        if is_folder:
            _make_folder(path)
            return GameLogs(format_, path)
        if not path.parent.is_dir():
            raise UsageError(f"--game-log {path}: there is no folder {path.parent}; make it first")
        place = Path(os.path.realpath(path))  # what a link leads to is replaced, not the link
        if problem := _problem(place, format_):
            raise UsageError(f"--game-log {path}: {problem}; name another file")
        return GameLogs(format_, place.parent, place.name)

    def _chosen(self, rules: Rules, seats: int) -> str:
        """The format; raises `UsageError` if it cannot hold these games, or if none can."""
        reasons = {name: one.unsupported(rules, seats) for name, one in FORMATS.items()}
        if self.format is not None:
            reasons = {self.format: reasons[self.format]}
        for name, reason in reasons.items():
            if reason is None:
                return name
        said = "; ".join(f"a {name} log cannot hold them: {why}" for name, why in reasons.items())
        raise UsageError(f"--game-log: games by the rules {rules.name!r} cannot be logged: {said}")


class GameLogs:
    """The logs of a command's games: one file, or a folder with a file a game, named as the
    original names them; nothing, where no logs are wanted."""

    def __init__(self, format_: str = "", folder: Path | None = None, file: str = "") -> None:
        self._format = format_
        self._folder = folder
        self._file = file
        self._numbers: dict[str, int] = {}  # of games under way, by their ids

    def following(
        self, schedule: Iterable[Pairing], is_played: Callable[[Pairing], bool] = lambda _: False
    ) -> Iterator[Pairing]:
        """The games of a schedule but for those that are played. All of them are numbered, from 0
        for every two players."""
        if self._folder is None:
            yield from without(schedule, is_played)
            return
        counts: Counter[frozenset[int]] = Counter()
        for pairing in schedule:
            players = frozenset(pairing.seats)
            if not is_played(pairing):
                self._numbers[pairing.id] = counts[players]
                yield pairing
            counts[players] += 1

    def keep(self, record: GameRecord) -> None:
        """Write the log of a game, whole or not at all; raises `JudgeFault` if it cannot be."""
        if self._folder is None:
            return
        number = self._numbers.pop(record.id)
        names = [seat.name for seat in record.seats]
        in_order = names[record.first :] + names[: record.first]
        format_ = FORMATS[self._format]
        place = self._folder / (self._file or format_.file_name(in_order, number))
        try:
            if problem := _problem(place, self._format):
                raise JudgeFault(
                    f"{place}: {problem}, so the log of a game cannot be written there"
                )
            text = format_.written(record)
            writing.replace(place.parent, place.name, text.encode(), shared=True)
        except OSError as error:
            raise JudgeFault(f"{place} cannot be written: {error.strerror}") from error


def _make_folder(path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise UsageError(f"--game-log {path} is no folder, and each game has a file; name a folder")
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(f"--game-log: {path} cannot be made: {error.strerror}") from None


def _problem(place: Path, format_: str) -> str | None:
    """Why a file cannot be replaced by a log, if it is there and neither a log nor empty."""
    if place.is_symlink() or (place.exists() and not place.is_file()):
        return "it is there already, and is no ordinary file"
    if not place.exists():
        return None
    try:
        with place.open("rb") as file:
            begin = file.read(_BEGIN_BYTES).decode(errors="replace")
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    if begin and not FORMATS[format_].is_log(begin):
        return f"it is there already, and is no {format_} log"
    return None
