"""The formats of game logs: from a record to the text of a log, and back."""

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
    """The facts that a log of this format cannot tell: nouns, to come after "it does not tell"."""

    def is_log(self, text: str) -> bool:
        """Whether a text begins as a log of this format does."""

    def read(self, text: str, game_id: str) -> GameRecord | Sequence[GameRecord]:
        """The game of a log, judged, or its games, each judged when it is looked at; raises
        `RecordError` where one breaks its rules."""


class LogFormat(ReadFormat, Protocol):
    """A format of logs that the judge reads and writes."""

    def unsupported(self, rules: Rules, seats: int) -> str | None:
        """Why no log can hold a game of this number of seats by these rules, or None if one can."""

    def unsayable(self, name: str) -> str | None:
        """Why no log can hold this name, or None if one can."""


class GameLogFormat(LogFormat, Protocol):
    """A format that has a log for each game. A `ContestFormat` writes one log for all games of a
    match."""

    def written(self, record: GameRecord) -> str:
        """The log of a game that the format can hold; raises `RecordError` if the record breaks its
        rules."""

    def file_name(self, names: Sequence[str], number: int) -> str:
        """The original's file name for the log of a game between these players, named in the order
        of moving; it is their ``number``-th game, counted from 0."""


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
    """The name of the format that a text is written in, or None if it is not a log."""
    return next((name for name, format_ in _READ.items() if format_.is_log(text)), None)


def read(format_: str, text: str, game_id: str) -> Sequence[GameRecord]:
    """The games of a log, one or more or none; raises `RecordError` if it is damaged."""
    found = _READ[format_].read(text, game_id)
    return (found,) if isinstance(found, GameRecord) else found


def remark(format_: str, text: str, records: Sequence[GameRecord]) -> str | None:
    """A clause about what a log says otherwise than its games as judged; None if there is nothing
    to say."""
    return broadsides.other_winner(text, records[0]) if _READ[format_] is broadsides else None


def untold(format_: str) -> str:
    """The facts that a log of this format cannot tell: nouns, to come after "it does not tell"."""
    return _READ[format_].UNTOLD
