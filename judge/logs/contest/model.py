"""The contents of the contest's logs, apart from their form. Numbers for results are those of the
contest's programs. Rows, columns and ships are counted from 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from judge.documents.rules import Cell, Ship

HIT, MISS = 88, 42
REPEAT = 33  # any repeat: the described form has one word for the three that follow
REPEATED_HIT, REPEATED_MISS, REPEATED_KILL = 34, 35, 36
REPEATS = (REPEAT, REPEATED_HIT, REPEATED_MISS, REPEATED_KILL)
WON, LOST, TIED, BROKEN_OFF = 87, 76, 84, 0


@dataclass(frozen=True, slots=True)
class LoggedShot:
    """A shot and its result. ``sunk`` is the number of the opponent's ship that the shot sank, or
    None."""

    cell: Cell
    value: int
    sunk: int | None = None


@dataclass(frozen=True, slots=True)
class LoggedSeat:
    """One seat's part of a game: its ships in the order of placing, its shots, and its result."""

    ships: tuple[Ship, ...]
    shots: tuple[LoggedShot, ...]
    result: int


LoggedGame = tuple[LoggedSeat, LoggedSeat]


@dataclass(frozen=True, slots=True)
class Score:
    """Games won, lost and tied."""

    won: int = 0
    lost: int = 0
    tied: int = 0

    def __add__(self, other: object) -> Score:
        if not isinstance(other, Score):
            return NotImplemented
        return Score(self.won + other.won, self.lost + other.lost, self.tied + other.tied)

    @property
    def games(self) -> int:
        return self.won + self.lost + self.tied

    def is_within(self, other: Score) -> bool:
        """Whether no count is greater than the same count of ``other``."""
        return self.won <= other.won and self.lost <= other.lost and self.tied <= other.tied


@dataclass(frozen=True, slots=True)
class MatchPlayer:
    """A player of a match. ``error`` is the code of the error by which the player ended the match,
    or 0."""

    name: str
    authors: str
    score: Score
    error: int = 0


@dataclass(frozen=True, slots=True)
class MatchLog:
    """A match and its logged games. ``seconds`` is None if the match's duration is not known."""

    size: int
    seconds: float | None
    players: tuple[MatchPlayer, MatchPlayer]
    games: tuple[LoggedGame, ...]


@dataclass(frozen=True, slots=True)
class LogBot:
    """A player of a contest. ``number`` stands for it in matches, and ``score`` counts all its
    games."""

    number: int
    name: str
    authors: str
    score: Score


@dataclass(frozen=True, slots=True)
class ContestSide:
    """An entrant's part of a match. ``lives`` are the lives that it had left after the match."""

    number: int
    score: Score
    error: int = 0
    lives: int = 0


@dataclass(frozen=True, slots=True)
class ContestMatch:
    """A match of a contest. ``last`` is the only game that a log has of the match; None if the
    match ended before its first game."""

    seconds: float
    sides: tuple[ContestSide, ContestSide]
    last: LoggedGame | None


@dataclass(frozen=True, slots=True)
class ContestLog:
    """A contest: its entrants, and the matches of each round."""

    size: int
    entrants: tuple[LogBot, ...]
    rounds: tuple[tuple[ContestMatch, ...], ...]
