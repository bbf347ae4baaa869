"""Leaderboards as text for a terminal. `leaderboard` makes that of a contest. `leader_lines` also
serves `judge.show.contest_log`, for the contest that a log file tells. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from judge.contest.formats.units import PlaceInFormat, whole_score
from judge.contest.people import Person
from judge.contest.standings.contest_table import ContestTable
from judge.show.text import cells, clean, cut, left, right

LEADERS = 10  # bots that are named after each round
_NAME, _BOTH_NAMES, _AUTHORS = 20, 28, 16  # cells, so that a row fits a terminal
_WORDS = (1, 2, 7)  # indexes of the columns with words


def leaderboard(contest: ContestTable, after: str | None = None) -> str:
    """The text of the leaderboard after the last round that is over, with the first `LEADERS` bots.
    ``after`` is the name of that round, by default as the contest's format calls it."""
    counts, games = contest.counts()
    rows = [
        Leader(
            place.rank,
            place.name,
            *contest.people.get(place.name, Person()),
            counts[place.name].won,
            counts[place.name].lost,
            counts[place.name].tied,
            str(games[place.name]) if contest.plan.match > 1 else "",
            "" if contest.format.counts_wins else _stands(place),
        )
        for place in contest.places
    ]
    return "\n".join(leader_lines(f"After {after or _last_round(contest)}:", rows))


def _last_round(contest: ContestTable) -> str:
    """The name of the last round that is over, its first letter small; "no round" before that."""
    stage = next(
        (
            stage
            for stage in reversed(contest.stages)
            if all(pair.result(contest.results) is not None for pair in stage.pairs)
        ),
        None,
    )
    return f"{stage.name[:1].lower()}{stage.name[1:]}" if stage else "no round"


class Leader(NamedTuple):
    """A row of a leaderboard. ``games`` is the number of games won if ``won`` counts matches, else
    empty. ``stands`` says in words what decides the rank, or is empty."""

    rank: int
    name: str
    own_name: str
    authors: str
    won: int
    lost: int
    tied: int
    games: str
    stands: str


def _short_names(row: Leader) -> tuple[str, str]:
    named = cut(clean(row.name), _NAME)
    if row.own_name:
        named = cut(f"{named} ({clean(row.own_name)})", _BOTH_NAMES)
    return named, cut(clean(row.authors), _AUTHORS)


def leader_lines(title: str, rows: Sequence[Leader], most: int | None = LEADERS) -> list[str]:
    """The lines of a leaderboard: its title, headings, the first ``most`` rows (None for all), and
    the number of other rows. A column that is empty in all these rows is left out."""
    ranks = [row.rank for row in rows]
    grid = [
        ("#", "bot", "authors", "won", "lost", "tied", "games won", ""),
        *((ranked(row.rank, ranks), *_short_names(row), *map(str, row[4:])) for row in rows[:most]),
    ]
    told = [at for at in range(len(grid[0])) if any(line[at] for line in grid[1:])]
    columns = [[line[at] for line in grid] for at in told]
    placed = [
        [(left if at in _WORDS else right)(text, max(map(cells, column))) for text in column]
        for at, column in zip(told, columns, strict=True)
    ]
    lines = [title, *("  ".join(["", *line]).rstrip() for line in zip(*placed, strict=True))]
    if (more := len(rows) - (most or len(rows))) > 0:
        lines.append(f"  and {more} more")
    return lines


def ranked(rank: int, ranks: Sequence[int]) -> str:
    """A rank as text, with ``=`` if it stands in ``ranks`` more than once."""
    return f"{rank}{'=' if ranks.count(rank) > 1 else ''}"


def _stands(place: PlaceInFormat) -> str:
    """The reason for a bot's rank, in words: its lives or points, or that it is out."""
    if place.out is not None:
        return "out"
    if place.lives is not None:
        return "1 life" if place.lives == 1 else f"{place.lives} lives"
    return f"{whole_score(place.points)} point{'s' * (place.points != 1)}"
