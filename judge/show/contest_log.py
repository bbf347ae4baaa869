"""The leaderboards of a contest's log, for a terminal.

Pure. Who has more lives left ranks first; then, as in the first program, who has won more games of
all matches, tied more, and lost fewer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from judge.logs.contest.model import ContestLog, ContestSide, Score
from judge.show.contest import Leader, leader_lines


def leaderboards(log: ContestLog) -> str:
    """How the contest stood after each round, and at its end."""
    return "\n\n".join("\n".join(lines) for lines in _leaderboards(log))


def _leaderboards(log: ContestLog) -> Iterator[list[str]]:
    scores = dict.fromkeys((one.number for one in log.entrants), Score())
    last: dict[int, ContestSide] = {}
    for number, round_ in enumerate(log.rounds, 1):
        for side in (side for match in round_ for side in match.sides):
            scores[side.number] += side.score
            last[side.number] = side
        if number < len(log.rounds):
            yield leader_lines(f"After round {number}:", _ranked(log, scores, last))
    of_all = {one.number: one.score for one in log.entrants}
    yield leader_lines("At the end:", _ranked(log, of_all, last), most=None)


def _ranked(
    log: ContestLog, scores: Mapping[int, Score], last: Mapping[int, ContestSide]
) -> list[Leader]:
    rows = []
    for one in log.entrants:
        score, side = scores[one.number], last.get(one.number)
        lives = side.lives if side else None
        key = (-_most_lives(lives), -score.won, -score.tied, score.lost)
        rows.append((key, one, score, _stands(side)))
    rows.sort(key=lambda row: row[0])
    keys = [key for key, *_ in rows]
    return [
        Leader(
            1 + keys.index(key),
            one.name,
            one.authors,
            score.won,
            score.lost,
            score.tied,
            "",
            stands,
        )
        for key, one, score, stands in rows
    ]


def _most_lives(lives: int | None) -> int:
    """Lives for the order; who has not played yet, or of whom none are told, has lost none."""
    return 10**9 if lives is None else lives


def _stands(side: ContestSide | None) -> str:
    if side is None:
        return ""
    lives = "" if side.lives is None else "1 life" if side.lives == 1 else f"{side.lives} lives"
    error = f"error {side.error}" if side.error else ""
    return ", ".join(filter(None, (lives, error)))
