"""The leaderboards and the matches of a contest's log, for a terminal.

Pure. A bot with more lives left ranks higher, then one with more games won, more games tied, and
fewer games lost, as in the contest's original program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from judge.logs.contest.model import ContestLog, ContestSide, LogBot, Score
from judge.show.contest import Leader, leader_lines
from judge.show.text import cells, clean, cut, right

_NAME = 24  # cells of a name


def leaderboards(log: ContestLog) -> str:
    """The leaderboards after each round but the last, and at the end."""
    return "\n\n".join("\n".join(lines) for lines in _leaderboards(log))


def _leaderboards(log: ContestLog) -> Iterator[list[str]]:
    games = dict.fromkeys((entrant.number for entrant in log.entrants), Score())
    last: dict[int, ContestSide] = {}
    for number, round_ in enumerate(log.rounds, 1):
        for side in (side for match in round_ for side in match.sides):
            games[side.number] += side.score
            last[side.number] = side
        if number < len(log.rounds):
            standings = [
                _Standing(entrant, games[entrant.number], last.get(entrant.number))
                for entrant in log.entrants
            ]
            yield leader_lines(f"After round {number}:", _ranked(standings))
    standings = [
        _Standing(entrant, entrant.score, last.get(entrant.number)) for entrant in log.entrants
    ]
    yield leader_lines("At the end:", _ranked(standings), most=None)


def match_lines(log: ContestLog) -> list[str]:
    """A heading, and a line for each match with its number for `judge replay --game`. Each match
    has its winner first."""
    names = {entrant.number: cut(clean(entrant.name), _NAME) for entrant in log.entrants}
    played = [(number, match) for number, round_ in enumerate(log.rounds, 1) for match in round_]
    widest = max(map(cells, names.values()), default=0)
    return ["The matches:"] + [
        f"{game:>{len(str(len(played))) + 2}}  round {number}  "
        f"{right(names[first.number], widest)} {first.score.won}–{second.score.won} "
        f"{names[second.number]}{f', {first.score.tied} tied' if first.score.tied else ''}"
        for game, (number, match) in enumerate(played, 1)
        for first, second in [sorted(match.sides, key=lambda side: (side.error, -side.score.won))]
    ]


class _Standing(NamedTuple):
    """The results of an entrant after a round: its ``games`` won, lost and tied. ``last`` is its
    side in its last match, None before its first match."""

    one: LogBot
    games: Score
    last: ContestSide | None

    @property
    def key(self) -> tuple[int, ...]:
        """The key to sort by; the lowest key ranks first."""
        lives = 10**9 if self.last is None else self.last.lives
        return -lives, -self.games.won, -self.games.tied, self.games.lost

    @property
    def stands(self) -> str:
        if self.last is None:
            return ""
        lives, error = self.last.lives, self.last.error
        return ("1 life" if lives == 1 else f"{lives} lives") + (
            f", error {error}" if error else ""
        )


def _ranked(standings: Iterable[_Standing]) -> list[Leader]:
    rows = sorted(standings, key=lambda row: row.key)
    keys = [row.key for row in rows]
    return [
        Leader(
            1 + keys.index(row.key),
            row.one.name,
            "",
            row.one.authors,
            row.games.won,
            row.games.lost,
            row.games.tied,
            "",
            row.stands,
        )
        for row in rows
    ]
