"""The section on a contest's format for the page of the standings: the places, and the rounds or
the bracket. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from judge.contest.formats.format import BracketRound
from judge.contest.formats.units import Stage, first_of
from judge.contest.people import Person
from judge.contest.standings.contest_table import ContestTable
from judge.show.contest import NAMED, how_it_stands, isolated, place_columns, score
from judge.show.match import in_words
from judge.show.pages.bracket import bracket_notes
from judge.show.text import in_a_list, many

ROUNDS = 100  # rounds that a page shows; of more, the last ones
PAIRS = 1_000  # pairs of a round that a page shows


class PairLine(NamedTuple):
    """Two bots that meet, and their score. ``winner`` is 0 for the first bot, 1 for the other, or
    None."""

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
    """The part of a page on a contest's format. ``rows`` has a row for each place, below
    ``headings``; the second column has the bots' names. A knock-out has a ``bracket`` with
    ``notes`` on deciders and seeds, and any other format has ``rounds``. ``people`` has the bots'
    own names and authors by the bots' names."""

    title: str
    ranked_by: str
    stands: str
    headings: list[str]
    rows: list[list[str]]
    rounds: list[Round]
    more_rounds: int
    bracket: list[BracketRound]
    notes: list[str]
    people: Mapping[str, Person]

    @property
    def table(self) -> tuple[list[str], list[list[str]], list[str]]:
        """The headings, the rows, and the text below each row's name."""
        about = [in_words(self.people.get(name, Person())) for _, name, *_ in self.rows]
        return self.headings, self.rows, about


def format_page(contest: ContestTable | None) -> FormatPage | None:
    """The part of a page on the contest's format; None without a contest."""
    if contest is None:
        return None
    bracket, columns = contest.bracket, place_columns(contest)
    stages = () if bracket else contest.stages
    return FormatPage(
        title=contest.format.title,
        ranked_by=contest.format.ranked_by,
        stands=how_it_stands(contest),
        headings=[column.page_heading for column in columns],
        rows=[[column.page_text(place) for column in columns] for place in contest.places],
        rounds=[_round(contest, stage) for stage in stages[-ROUNDS:] if stage.pairs],
        more_rounds=max(0, len(stages) - ROUNDS),
        bracket=bracket,
        notes=[*bracket_notes(bracket, contest.format.by_seed, has_seeds=True)],
        people=contest.people,
    )


def headline(contest: ContestTable | None) -> str | None:
    """The headline of a contest's page; None without a contest or without bots in its table."""
    if contest is None or not contest.places:
        return None
    if contest.winner is not None:
        return f"{isolated(contest.winner)} has won"
    if contest.format.goes_out and not contest.is_over:
        left = sum(place.out is None for place in contest.places)
        return f"{left:,} of {many(len(contest.places), 'bot')} are still in it"
    if contest.format.lost_together:
        return "Nobody has won"
    return (
        shared_lead(first_of(contest.places))
        or f"{isolated(contest.places[0].name)} leads, for now"
    )


def shared_lead(first: Sequence[str]) -> str:
    """A clause on the bots that share the first place; empty if ``first`` has fewer than two."""
    if len(first) < 2:
        return ""
    return f"{in_a_list([*map(isolated, first)], NAMED, 'bot')} share the first place"


def _round(contest: ContestTable, stage: Stage) -> Round:
    lines = []
    for pair in stage.pairs[:PAIRS]:
        won = pair.winner(contest.results)
        winner = None if won is None else pair.bots.index(won)
        lines.append(PairLine(pair.one, pair.other, score(contest, pair), winner))
    return Round(stage.name, lines, stage.byes)
