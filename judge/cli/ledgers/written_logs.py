"""Writes the logs of --game-log in the formats of other systems."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judge import writing
from judge.cli.ledgers.game_logs import GameLogs
from judge.cli.ledgers.game_source import LONGEST as LONGEST_READ
from judge.cli.output import note
from judge.cli.settings import Settings
from judge.contest.ledger.ledger import Ledger
from judge.contest.schedule import Pairing
from judge.documents.game import GameRecord
from judge.documents.rules import Rules
from judge.errors import JudgeFault, UsageError
from judge.game.variants import name_of
from judge.logs.contest.chosen import ALL
from judge.logs.contest.writers import ContestFormat, ContestWriter, MatchWriter
from judge.logs.formats import FORMATS, GameLogFormat
from judge.process.bots.bot import Bot

if TYPE_CHECKING:
    from judge.contest.contest_run import ContestRun
    from judge.contest.no_ledger import NoLedger

_BEGIN_BYTES = 256  # bytes at the beginning of a file, which show a log


def opened(
    place: str, settings: Settings, bots: Sequence[Bot], *, games: int | None, seats: int
) -> GameLogs:
    """Open the logs of a command's games; see `judge.cli.ledgers.game_logs.logs_of`."""
    rules, which = settings.rules, settings.game_log_games
    name = _chosen(settings.game_log_format, rules, seats)
    format_ = FORMATS[name]
    for bot in bots:
        if reason := format_.unsayable(bot.name):
            raise UsageError(
                f"--game-log: a {name} log cannot hold the name {bot.name!r}: {reason}; give "
                "the bot another name"
            )
    path = Path(place).expanduser()
    # A word without a suffix means a folder, unless it is a file already.
    is_folder = path.is_dir() or place.endswith("/") or not (path.suffix or path.exists())
    if which is not None and not isinstance(format_, ContestFormat):
        raise UsageError(f"--game-log-games: a {name} log has one game; leave it out")
    if not isinstance(format_, ContestFormat):
        if is_folder or games != 1:
            if path.suffix == ".log" and not is_folder:
                raise UsageError(f"--game-log {path}: each game has a file; name a folder")
            _make_folder(path, "each game has a file")
            return _LogOfEachGame(name, format_, path)
        return _LogOfEachGame(name, format_, *_file(path, name))
    if is_folder or path.suffix != ".json":
        _make_folder(path, "a log's name ends in .json")
        path /= format_.contest_file if games is None else format_.match_file
    writer = format_.match(which or ALL) if games else format_.contest(rules.columns)
    logs = _LogOfAll(name, writer, *_file(path, name))
    click.get_current_context().call_on_close(logs.end)
    return logs


def _chosen(format_name: str | None, rules: Rules, seats: int) -> str:
    """Return the name of the chosen format, or of the first that can hold the games. Raises
    `UsageError` if the chosen format, or every format, cannot hold them."""
    reasons = {name: one.unsupported(rules, seats) for name, one in FORMATS.items()}
    if format_name is not None:
        reasons = {format_name: reasons[format_name]}
    for name, reason in reasons.items():
        if reason is None:
            return name
    said = "; ".join(f"a {name} log cannot hold them: {why}" for name, why in reasons.items())
    raise UsageError(f"--game-log: games by the rules {name_of(rules)!r} cannot be logged: {said}")


class _LogOfEachGame(GameLogs):
    """Logs of single games: one file, or a folder with a file for each game. The files in a folder
    have the names that the other system gives them."""

    def __init__(self, name: str, format_: GameLogFormat, folder: Path, file: str = "") -> None:
        self._name = name
        self._format = format_
        self._folder = folder
        self._file = file
        self._numbers: dict[str, int] = {}  # numbers of games under way, by their ids
        self._written: set[Path] = set()

    def following(
        self, schedule: Iterable[Pairing], is_played: Callable[[Pairing], bool] = lambda _: False
    ) -> Iterator[Pairing]:
        """Yield the games that are not played yet, and number all games between the same players
        from 0."""
        counts: Counter[frozenset[int]] = Counter()
        for pairing in schedule:
            players = frozenset(pairing.seats)
            if not is_played(pairing):
                self._numbers[pairing.id] = counts[players]
                yield pairing
            counts[players] += 1

    def keep(self, record: GameRecord) -> None:
        """Write the log of a game, whole or not at all."""
        number = self._numbers.pop(record.id)
        names = [seat.name for seat in record.seats]
        in_order = names[record.first :] + names[: record.first]
        path = self._place(in_order, number)
        while path in self._written and not self._file:
            number += 1  # other players' names may make the same file name
            path = self._place(in_order, number)
        self._written.add(path)
        _write(path, self._name, self._format.written(record).encode())

    def _place(self, in_order: Sequence[str], number: int) -> Path:
        return self._folder / (self._file or self._format.file_name(in_order, number))


class _LogOfAll(GameLogs):
    """One log of all games, written when the command is over, however it ends."""

    def __init__(
        self, name: str, writer: MatchWriter | ContestWriter, folder: Path, file: str
    ) -> None:
        self._name = name
        self._writer = writer
        self._place = folder / file
        self._lives = 0  # lives of each bot; 0 if it has no lives to lose

    def keep(self, record: GameRecord) -> None:
        self._writer.add(record)

    def begin(self, run: ContestRun, ledger: Ledger | NoLedger) -> None:
        """Take the lives of the contest, and log the games of it that the ledger holds."""
        # Here, so that a fight does not load it.
        from judge.contest.ledger_games import past_games

        self._lives = run.plan.lives
        if isinstance(ledger, Ledger) and ledger.tally.recorded:
            for record in past_games(ledger.path, run.contest_key):
                self._writer.add(record)

    def end(self) -> None:
        """Write the log, unless it has no game."""
        is_contest = isinstance(self._writer, ContestWriter)
        text = self._writer.text(self._lives) if is_contest else self._writer.text()
        if text:
            data = text.encode()
            _write(self._place, self._name, data)
            if len(data) > LONGEST_READ:
                note(
                    f"{self._place} has {len(data):,} bytes, and the judge reads logs of up to "
                    f"{LONGEST_READ:,}: neither judge replay nor judge ledger verify can read it"
                )


def _write(path: Path, format_: str, data: bytes) -> None:
    """Write a log, whole or not at all. Raises `JudgeFault` if it cannot be written."""
    try:
        if problem := _problem(path, format_):
            raise JudgeFault(f"{path}: {problem}, so no log can be written there")
        writing.replace(path.parent, path.name, data, shared=True)
    except OSError as error:
        raise JudgeFault(f"{path} cannot be written: {error.strerror}") from error


def _file(path: Path, format_: str) -> tuple[Path, str]:
    """Return the folder and the name of the file for a log. Raises `UsageError` if a log cannot be
    written there."""
    if not path.parent.is_dir():
        raise UsageError(f"--game-log {path}: there is no folder {path.parent}; make it first")
    place = Path(os.path.realpath(path))  # what a link leads to is replaced, not the link
    if problem := _problem(place, format_):
        raise UsageError(f"--game-log {path}: {problem}; name another file")
    return place.parent, place.name


def _make_folder(path: Path, why: str) -> None:
    if path.exists() and not path.is_dir():
        raise UsageError(f"--game-log {path} is not a folder, and {why}; name a folder")
    if not path.parent.is_dir():
        raise UsageError(f"--game-log {path}: there is no folder {path.parent}; make it first")
    try:
        path.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(f"--game-log: {path} cannot be made: {error.strerror}") from None


def _problem(path: Path, format_: str) -> str | None:
    """Return the reason why a log cannot replace the file at this path, or None. A log of the
    format or an empty file can be replaced."""
    if path.is_symlink() or (path.exists() and not path.is_file()):
        return "it is there already, and is not an ordinary file"
    if not path.exists():
        return None
    try:
        with path.open("rb") as file:
            begin = file.read(_BEGIN_BYTES).decode(errors="replace")
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    if begin and not FORMATS[format_].is_log(begin):
        return f"it is there already, and is no {format_} log"
    return None
