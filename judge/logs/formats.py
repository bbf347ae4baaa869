"""The formats of game logs: each turns game records into the text of a log, or a log into
records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from judge.documents.game import GameRecord
from judge.documents.rules import Rules
from judge.logs import WRITTEN, broadsides
from judge.logs.contest.forms import FIRST, TEXT
from judge.logs.contest.writers import ActionsFormat, ContestFormat


class ReadFormat(Protocol):
    """A format of logs that the judge reads."""

    UNTOLD: str
    """The facts that a log of this format lacks, as the end of a sentence "it does not tell …"."""

    def is_log(self, text: str) -> bool:
        """Whether a text begins like a log of this format."""

    def read(self, text: str, game_id: str) -> GameRecord | Sequence[GameRecord]:
        """The record of a log's game, or a sequence of the records of its games. Raises
        `RecordError` if the text is not a valid log. A sequence replays a game each time its record
        is taken; this raises `RecordError` if the game breaks its rules."""


class LogFormat(ReadFormat, Protocol):
    """A format of logs that the judge reads and writes."""

    def unsupported(self, rules: Rules, seats: int) -> str | None:
        """Why no log can hold a game with this number of seats by these rules, or None if one
        can."""

    def unsayable(self, name: str) -> str | None:
        """Why no log can hold this name, or None if one can."""


class GameLogFormat(LogFormat, Protocol):
    """A format with one log for each game. A `ContestFormat` has one log for all games of a
    match."""

    def written(self, record: GameRecord) -> str:
        """The log of a game, which the format must be able to hold. Raises `RecordError` if the
        record breaks its rules."""

    def file_name(self, names: Sequence[str], number: int) -> str:
        """The name that the original system gives to the log file of a game. ``names`` are in the
        order of moving, and ``number`` is that of the game between these players, from 0."""


_FORMATS: tuple[GameLogFormat | ContestFormat, ...] = (
    broadsides,
    ContestFormat(TEXT),
    ContestFormat(FIRST),
)
FORMATS = dict(zip(WRITTEN, _FORMATS, strict=True))

_READ: Mapping[str, ReadFormat] = {
    **FORMATS,
    "contest-text step-through": ActionsFormat(TEXT),
    "contest-1 step-through": ActionsFormat(FIRST),
}


def format_of(text: str) -> str | None:
    """The name of the format whose logs begin as this text does, or None."""
    return next((name for name, format_ in _READ.items() if format_.is_log(text)), None)


def read(format_: str, text: str, game_id: str) -> Sequence[GameRecord]:
    """The records of the games in a log of this format, as from `ReadFormat.read`."""
    found = _READ[format_].read(text, game_id)
    return (found,) if isinstance(found, GameRecord) else found


def remark(format_: str, text: str, records: Sequence[GameRecord]) -> str | None:
    """A clause on where a log disagrees with the replay of its games, or None if it agrees."""
    return broadsides.other_winner(text, records[0]) if _READ[format_] is broadsides else None


def untold(format_: str) -> str:
    """The facts that a log of this format lacks, as the end of a sentence "it does not tell …"."""
    return _READ[format_].UNTOLD
