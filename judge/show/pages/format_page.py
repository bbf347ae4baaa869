"""A contest by its format, as a section of the page of the standings. Pure.

The bracket is laid out in `judge.show.pages.bracket`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from judge.contest.formats.units import PlaceInFormat, Stage
from judge.contest.standings.contest_table import ContestTable
from judge.show.contest import (
    NAMED,
    first_places,
    how_it_stands,
    ranked_as,
    score,
    told,
)
from judge.show.pages.bracket import BracketRound, bracket_notes, bracket_rounds
from judge.show.text import clean, cut, in_a_list, many
from judge.show.units import whole

ROUNDS = 100  # shown; of more, the last ones
PAIRS = 1_000  # of a round


class PairLine(NamedTuple):
    """Two bots that met, and what it came to; ``winner`` is 0, 1 or None."""

    one: str
    other: str
    score: str
    winner: int | None


class Round(NamedTuple):
    name: str
    lines: list[PairLine]
    byes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FormatPage:
    """What a page shows of a contest. ``rows`` are a place each, below ``headings``, of which the
    second is the bot's. A knock-out has its rounds in a ``bracket`` with ``notes`` on its scores,
    the others below each other.
    """

    title: str
    told: str
    stands: str
    headings: list[str]
    rows: list[list[str]]
    rounds: list[Round]
    more_rounds: int
    bracket: list[BracketRound]
    notes: list[str]


def format_page(contest: ContestTable | None) -> FormatPage | None:
    """None where the percentage rule alone ranks the bots."""
    if contest is None:
        return None
    columns = _COLUMNS[contest.plan.format]
    bracket = bracket_rounds(contest) if contest.plan.format == "knockout" else []
    if bracket:
        columns = {**columns, "Out in": lambda place: _round_of(place, bracket)}
    if contest.counts_wins:
        columns = {**_ANYWHERE, "Matches won": _points, "Games won": _tie_break}
    stages = () if bracket else contest.stages
    return FormatPage(
        title=_TITLES[contest.plan.format],
        told=told(contest),
        stands=how_it_stands(contest),
        headings=["#", *columns],
        rows=[
            [ranked_as(place, contest), *(value(place) for value in columns.values())]
            for place in contest.places
        ],
        rounds=[_round(contest, stage) for stage in stages[-ROUNDS:] if stage.pairs],
        more_rounds=max(0, len(stages) - ROUNDS),
        bracket=bracket,
        notes=[*bracket_notes(bracket, has_seeds=True)],
    )


def headline(contest: ContestTable | None) -> str | None:
    """What there is to say of a contest first; None where the percentage rule alone ranks, or
    nobody is left in the table."""
    if contest is None or not contest.places:
        return None
    if contest.winner is not None:
        return f"{isolated(contest.winner)} has won"
    is_last_one_left = contest.plan.format in ("knockout", "lives")
    if is_last_one_left and not contest.is_over:
        left = sum(place.out is None for place in contest.places)
        return f"{left:,} of {many(len(contest.places), 'bot')} are still in it"
    if contest.plan.format == "lives":
        return "Nobody has won"
    return (
        shared_lead(first_places(contest)) or f"{isolated(contest.places[0].name)} leads, for now"
    )


def shared_lead(first: Sequence[str]) -> str:
    """Who share the first place; empty if it is one alone."""
    if len(first) < 2:
        return ""
    return f"{in_a_list([*map(isolated, first)], NAMED, 'bot')} share the first place"


def isolated(name: str) -> str:
    """A short name that turns no text around it, whichever way it runs itself."""
    return f"\u2068{cut(clean(name), 24)}\u2069"


def _round(contest: ContestTable, stage: Stage) -> Round:
    lines = []
    for pair in stage.pairs[:PAIRS]:
        won = contest.won(pair)
        winner = None if won is None else pair.bots.index(won)
        lines.append(PairLine(pair.one, pair.other, score(contest, pair), winner))
    return Round(stage.name, lines, stage.byes)


def _points(place: PlaceInFormat) -> str:
    return whole(place.points)


def _tie_break(place: PlaceInFormat) -> str:
    return whole(place.tie_break or 0)


def _round_of(place: PlaceInFormat, bracket: Sequence[BracketRound]) -> str:
    """The round in which a bot went out."""
    return "–" if place.out is None else bracket[place.out - 1].name


def _name(place: PlaceInFormat) -> str:
    return place.name


_ANYWHERE: dict[str, Callable[[PlaceInFormat], str]] = {"Bot": _name}
_COLUMNS: dict[str, dict[str, Callable[[PlaceInFormat], str]]] = {
    "tournament": {**_ANYWHERE, "Points": _points},
    "swiss": {
        **_ANYWHERE,
        "Points": _points,
        "Opponents’ points": _tie_break,
        "Byes": lambda place: str(place.byes),
    },
    "knockout": {
        **_ANYWHERE,
        "Rounds won": _points,
    },
    "lives": {
        **_ANYWHERE,
        "Lives left": lambda place: str(place.lives),
        "Out in round": lambda place: "–" if place.out is None else str(place.out),
        "Won": _points,
        "Byes": lambda place: str(place.byes),
    },
}
_TITLES = {
    "tournament": "The tournament",
    "swiss": "The Swiss contest",
    "knockout": "The bracket",
    "lives": "The lives",
}
