"""The leaderboards of a contest's log, for a terminal.

Pure. Who has more lives left ranks first. Then, as in the first program, who has won more games of
all matches, tied more, and lost fewer; in a log of the second program, as there, who has made no
error, who has passed the wake-up test, and who has won more matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from judge.logs.contest.model import (
    LOST,
    TIED,
    WON,
    ContestLog,
    ContestSide,
    Entrant,
    Score,
)
from judge.show.leaderboard import Leader, leader_lines


def leaderboards(log: ContestLog) -> str:
    """How the contest stood after each round, and at its end."""
    return "\n\n".join("\n".join(lines) for lines in _leaderboards(log))


def _leaderboards(log: ContestLog) -> Iterator[list[str]]:
    games = dict.fromkeys((one.number for one in log.entrants), Score())
    matches = dict(games)
    last: dict[int, ContestSide] = {}
    for number, round_ in enumerate(log.rounds, 1):
        for side in (side for match in round_ for side in match.sides):
            games[side.number] += side.score
            matches[side.number] += Score(
                side.result == WON, side.result == LOST, side.result == TIED
            )
            last[side.number] = side
        if number < len(log.rounds):
            bye = log.byes[number - 1] if log.byes else None
            standings = [
                _Standing(
                    one,
                    games[one.number],
                    None if one.matches is None else matches[one.number],
                    _lives(one, last.get(one.number)),
                    _error(one, last.get(one.number)),
                    has_bye=one.number == bye,
                )
                for one in log.entrants
            ]
            yield leader_lines(f"After round {number}:", _ranked(standings))
    standings = [
        _Standing(
            one,
            one.score,
            one.matches,
            _lives(one, last.get(one.number)) if one.lives is None else one.lives,
            _error(one, last.get(one.number)) or one.error,
        )
        for one in log.entrants
    ]
    yield leader_lines("At the end:", _ranked(standings), most=None)


class _Standing(NamedTuple):
    """How an entrant stands after a round. ``lives`` are None of one that has not played yet, and
    ``matches`` where the log does not count them."""

    one: Entrant
    games: Score
    matches: Score | None
    lives: int | None
    error: int
    has_bye: bool = False

    @property
    def counted(self) -> Score:
        """The matches, or the games where those are not counted."""
        return self.games if self.matches is None else self.matches

    @property
    def key(self) -> tuple[int, ...]:
        """The order, the lowest first."""
        lives = -(10**9 if self.lives is None else self.lives)
        if self.matches is None:
            return lives, -self.games.won, -self.games.tied, self.games.lost
        return lives, self.error > 0, not self.one.is_awake, -self.matches.won

    @property
    def stands(self) -> str:
        lives, error = self.lives, self.error
        said = ["" if lives is None else "1 life" if lives == 1 else f"{lives} lives"]
        said.append("" if self.one.is_awake else "failed the wake-up test")
        said.append(f"error {error}" if error else "")
        said.append("bye" if self.has_bye else "")
        return ", ".join(filter(None, said))


def _ranked(standings: Iterable[_Standing]) -> list[Leader]:
    rows = sorted(standings, key=lambda row: row.key)
    keys = [row.key for row in rows]
    return [
        Leader(
            1 + keys.index(row.key),
            row.one.name,
            row.one.authors,
            row.counted.won,
            row.counted.lost,
            row.counted.tied,
            "" if row.matches is None else str(row.games.won),
            row.stands,
        )
        for row in rows
    ]


def _lives(one: Entrant, side: ContestSide | None) -> int | None:
    """Those left after the last match so far; whoever failed the wake-up test has none."""
    if not one.is_awake:
        return 0
    return None if side is None else side.lives


def _error(one: Entrant, side: ContestSide | None) -> int:
    """The code of the error of the last match so far, or of the wake-up test."""
    if side is None:
        return 0 if one.is_awake else one.error
    return side.error
