"""A contest by its format, as a section of the page of the standings. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from judge.contest.contest_table import ContestTable
from judge.contest.formats.plan import Plan
from judge.contest.formats.units import PlaceInFormat, Stage
from judge.show.contest import halves, how_it_stands, ranked_as, score, told, whole
from judge.show.text import clean, cut, many

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
    second is the bot's; a ``bracket`` has its rounds beside each other."""

    title: str
    told: str
    stands: str
    headings: list[str]
    rows: list[list[str]]
    rounds: list[Round]
    more_rounds: int
    bracket: bool


def format_page(contest: ContestTable | None) -> FormatPage | None:
    """None where the percentage rule alone ranks the bots."""
    if contest is None:
        return None
    columns = _COLUMNS[contest.plan.format]
    if contest.plan.format == "tournament" and contest.plan.match > 1:
        columns = {**columns, "Games won": _tie_break}
    return FormatPage(
        title=_TITLES[contest.plan.format],
        told=told(contest),
        stands=how_it_stands(contest),
        headings=["#", *columns],
        rows=[
            [ranked_as(place, contest), *(value(place) for value in columns.values())]
            for place in contest.places
        ],
        rounds=[_round(contest, stage) for stage in contest.stages[-ROUNDS:] if stage.pairs],
        more_rounds=max(0, len(contest.stages) - ROUNDS),
        bracket=contest.plan.format == "knockout",
    )


def in_brief(plan: Plan) -> str:
    """The format and its numbers, for a line of facts."""
    unit = "game" if plan.match == 1 else "match"
    told = {
        "tournament": f"tournament, {many(plan.units, unit)} a pair",
        "swiss": f"Swiss, {many(plan.rounds, 'round')} of {many(plan.units, unit)}",
        "knockout": f"knock-out, {many(plan.units, unit)} a meeting",
        "lives": f"{plan.lives} {'life' if plan.lives == 1 else 'lives'} each, {many(plan.units, unit)} a meeting",
    }
    return told[plan.format]


def headline(contest: ContestTable | None) -> str | None:
    """What there is to say of a contest that is over, if somebody has won it."""
    if contest is None or contest.winner is None:
        return None
    return f"\u2068{cut(clean(contest.winner), 24)}\u2069 has won"


def _round(contest: ContestTable, stage: Stage) -> Round:
    lines = []
    for pair in stage.pairs[:PAIRS]:
        won = contest.won(pair)
        winner = None if won is None else pair.bots.index(won)
        lines.append(PairLine(pair.one, pair.other, score(contest, pair), winner))
    return Round(stage.name, lines, stage.byes)


def _tie_break(place: PlaceInFormat) -> str:
    return whole(place.tie_break or 0)


def _name(place: PlaceInFormat) -> str:
    return place.name


_ANYWHERE: dict[str, Callable[[PlaceInFormat], str]] = {"Bot": _name}
_COLUMNS: dict[str, dict[str, Callable[[PlaceInFormat], str]]] = {
    "tournament": {**_ANYWHERE, "Points": lambda place: whole(place.points)},
    "swiss": {
        **_ANYWHERE,
        "Points": lambda place: whole(place.points),
        "Opponents’ points": _tie_break,
        "Byes": lambda place: str(place.byes),
    },
    "knockout": {
        **_ANYWHERE,
        "Rounds won": lambda place: halves(round(2 * place.points)),
        "Out in round": lambda place: "–" if place.out is None else str(place.out),
    },
    "lives": {
        **_ANYWHERE,
        "Lives left": lambda place: str(place.lives),
        "Out in round": lambda place: "–" if place.out is None else str(place.out),
        "Won": lambda place: whole(place.points),
        "Byes": lambda place: str(place.byes),
    },
}
_TITLES = {
    "tournament": "The tournament",
    "swiss": "The Swiss contest",
    "knockout": "The bracket",
    "lives": "The lives",
}
