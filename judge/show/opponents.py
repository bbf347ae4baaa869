"""The table of a bot's opponents: the bot's results against each, for a terminal and a page. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter

from judge.documents.history import OpponentCounts, Opponents
from judge.documents.ledger import Counts
from judge.show.columns import Column, told_table
from judge.show.text import clean, plural
from judge.stats.intervals import wilson


def opponent_columns(
    opponents: Sequence[OpponentCounts],
    unit: str,
    ranks: Mapping[Opponents, int] | None = None,
) -> list[Column[OpponentCounts]]:
    """The columns of the table with these rows. ``unit`` is what was won and lost: a game or a
    match. With ``ranks`` the table begins with the rank of each opponent. Ties, void games and
    forfeits have a column if there are any."""

    def count(
        heading: str, of: Callable[[OpponentCounts], int], spare: int = 0
    ) -> Column[OpponentCounts]:
        return Column(heading, lambda one: f"{of(one):,}", spare=spare)

    seldom = (("tied", "tied"), ("void", "void"), ("forfeits", "forfeited"))
    return [
        *([] if ranks is None else [Column("#", lambda one: str(ranks[one.name]), sort="up")]),
        Column("opponent", _names, sort="up", is_name=True),
        count(plural(unit, 2), lambda one: _counts(one).games, spare=2),
        count("won", attrgetter("won")),
        count("lost", attrgetter("lost")),
        *(
            count(heading, attrgetter(field))
            for heading, field in seldom
            if any(map(attrgetter(field), opponents))
        ),
        Column("win rate", _win_rate, spare=3),
        Column("95%", _interval, spare=1),
    ]


def opponent_lines(
    opponents: Sequence[OpponentCounts], unit: str, width: int | None, colour: bool
) -> list[str]:
    """The table for a terminal, and a line on the columns for which ``width`` has no room."""
    columns = opponent_columns(opponents, unit)
    return told_table(columns, opponents, width, colour)


def _names(one: OpponentCounts) -> str:
    return clean(one.name) if isinstance(one.name, str) else ", ".join(map(clean, one.name))


def _counts(one: OpponentCounts) -> Counts:
    return Counts(one.won, one.lost, one.tied)


def _win_rate(one: OpponentCounts) -> str | None:
    counts = _counts(one)
    return f"{counts.points / 2 / counts.games:.0%}" if counts.games else None


def _interval(one: OpponentCounts) -> str | None:
    counts = _counts(one)
    if not counts.games:
        return None
    return "–".join(f"{end:.0%}" for end in wilson(counts.points / 2, counts.games))
