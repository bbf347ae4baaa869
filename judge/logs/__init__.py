"""The game logs of other systems: from a record to the text of a log, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from judge.game.record import GameRecord
from judge.game.rules import Rules
from judge.logs import broadsides


class LogFormat(Protocol):
    """What a module of this room offers."""

    UNTOLD: str
    """What a log of this format cannot tell: nouns, to come after "it does not tell"."""

    def unsupported(self, rules: Rules, seats: int) -> str | None:
        """Why no log can hold a game of so many seats by these rules, or None if one can."""

    def unsayable(self, name: str) -> str | None:
        """Why no log can hold this name, or None if one can."""

    def written(self, record: GameRecord) -> str:
        """The log of a game that the format can hold; raises `RecordError` if the record breaks its
        rules."""

    def file_name(self, names: Sequence[str], number: int) -> str:
        """What the original calls the log of a game between these players, who are named in the
        order of moving, which is the ``number``-th between them, counted from 0."""

    def is_log(self, text: str) -> bool:
        """Whether a text begins as a log of this format does."""

    def read(self, text: str, game_id: str) -> GameRecord:
        """The game of a log, judged; raises `RecordError` if it breaks its rules."""


FORMATS: Mapping[str, LogFormat] = {"broadsides": broadsides}
