"""The tournament: every bot plays every other. Bots are ranked by the points of their games, or by
the matches won if units are matches. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, combinations
from typing import ClassVar

from judge.contest.formats.every_pair import (
    Couple,
    Meetings,
    circle,
    circle_rounds,
    crossed,
    every_couple,
    of_all,
)
from judge.contest.formats.format import (
    GAMES,
    Column,
    Drawing,
    Format,
    OptionSpec,
    points_text,
    tie_break_text,
)
from judge.contest.formats.units import NOTHING, WON, PlaceInFormat, Stage, UnitResults, ranked
from judge.documents.ledger import Plan


class Tournament(Format):
    """The format in which every bot plays every other, all units of a couple in a row. Couples play
    games in the order of their names, as in the original Broadsides tournament."""

    name = "tournament"
    options: ClassVar[Mapping[str, OptionSpec]] = {"games": OptionSpec(GAMES, 2)}
    drawing = Drawing.CROSS
    title = "The tournament"
    columns: ClassVar[Sequence[Column]] = (Column("score", points_text),)
    brief = "tournament, {units} a pair"
    ranked_by = "Ranked by the score of the tournament: a point a win, half a point a tie."

    def of(self, plan: Plan) -> Format:
        return self if plan.match == 1 else _TournamentOfMatches()

    def stages(self, plan: Plan, results: UnitResults) -> Iterator[Stage]:
        yield Stage(1, "all", Meetings(every_couple(plan, _by_name), plan.units, in_a_row=True))

    def places(
        self, plan: Plan, stages: Sequence[Stage], results: UnitResults
    ) -> list[PlaceInFormat]:
        """The places by points: one for a game won, half a point for a tie."""
        halves = dict.fromkeys(plan.bots, NOTHING)
        for (one, other), total in crossed(stages, results).items():
            halves[one] += total
            halves[other] += total.swapped
        return ranked(
            ((total.points[0],), PlaceInFormat(name, 0, total.points[0] / 2))
            for name, total in halves.items()
        )

    def most(self, plan: Plan) -> int:
        return of_all(plan)


class _TournamentOfMatches(Tournament):
    """The tournament of matches, which is held round by round. A tied match counts for neither
    bot."""

    columns: ClassVar[Sequence[Column]] = (
        Column("matches won", points_text),
        Column("games won", tie_break_text),
    )
    counts_wins = True
    ranked_by = "Ranked by the tournament: the matches won, then the games won."

    def stages(self, plan: Plan, results: UnitResults) -> Iterator[Stage]:
        yield Stage(1, "all", Meetings(every_couple(plan, circle), plan.units, in_a_row=True))

    def rounds(self, plan: Plan) -> Sequence[Meetings]:
        rounds = circle_rounds(sorted(plan.bots))
        return tuple(Meetings(couples, plan.units, in_a_row=True) for couples in rounds)

    def places(
        self, plan: Plan, stages: Sequence[Stage], results: UnitResults
    ) -> list[PlaceInFormat]:
        """The places by matches won (``points``), then by games won (``tie_break``)."""
        matches, games = dict.fromkeys(plan.bots, 0), dict.fromkeys(plan.bots, 0)
        for meeting in chain.from_iterable(stage.meetings for stage in stages):
            if (result := results(meeting)) is None:
                continue
            for name, halves, won in zip(meeting[:2], result.points, result.won, strict=True):
                matches[name] += halves == max(WON.points)
                games[name] += won
        return ranked(
            ((matches[name], games[name]), PlaceInFormat(name, 0, matches[name], games[name]))
            for name in plan.bots
        )


def _by_name(names: Sequence[str]) -> Iterator[Couple]:
    return combinations(names, 2)
