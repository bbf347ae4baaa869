"""The table of a contest by its format: the bots' places, and the stages that led to them. Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import chain

from msgspec import structs

from judge.contest.formats.every_pair import begun, crossed
from judge.contest.formats.format import BracketRound, Format
from judge.contest.formats.registry import USUAL, Progress, format_of
from judge.contest.formats.units import (
    Pair,
    PlaceInFormat,
    Stage,
    UnitResult,
    UnitResults,
    winner_of,
)
from judge.contest.ledger.tally import Tally
from judge.contest.people import Person
from judge.documents.ledger import Counts, Plan
from judge.documents.standings import (
    CrossedPair,
    FormatStage,
    FormatStandings,
    StagePair,
    brief_fields,
)


@dataclass(frozen=True, slots=True)
class ContestTable:
    """The table of a contest. ``crossed`` has the sum of the results of each couple that has met;
    it is empty if the contest's bots were fixed at its beginning. ``people`` has each bot's author
    and its program's own name."""

    plan: Plan
    stages: tuple[Stage, ...]
    places: tuple[PlaceInFormat, ...]
    is_over: bool
    crossed: dict[tuple[str, str], UnitResult]
    results: UnitResults
    people: Mapping[str, Person] = field(default_factory=dict)

    @property
    def format(self) -> Format:
        return format_of(self.plan)

    @property
    def winner(self) -> str | None:
        """The winner; None until the contest is over, or if several bots share the first place."""
        return winner_of(self.places) if self.is_over else None

    @property
    def bracket(self) -> list[BracketRound]:
        return self.format.bracket(self.plan, self.stages, self.results)

    def counts(self) -> tuple[dict[str, Counts], Counter[str]]:
        """The counts of the units of each bot so far, and the number of games that each has won in
        its units."""
        counts = {place.name: Counts() for place in self.places}
        games = Counter[str]()
        for meeting in chain.from_iterable(stage.meetings for stage in self.stages):
            if (result := self.results(meeting)) is None:
                continue
            for name, of_it in ((meeting.one, result), (meeting.other, result.swapped)):
                own, other = of_it.points
                counts[name].score(won=own > other, lost=own < other, tied=own == other > 0)
                games[name] += of_it.won[0]
        return counts, games

    def document(self) -> FormatStandings:
        """The ``contest`` field of a ``standings`` document."""
        return FormatStandings(
            **brief_fields(self.plan),
            is_over=self.is_over,
            winner=self.winner,
            places=tuple(map(asdict, self.places)),
            stages=tuple(
                FormatStage(
                    round=stage.round,
                    name=stage.name,
                    pairs=tuple(map(self._pair, stage.pairs)),
                    byes=stage.byes,
                )
                for stage in self.stages
                if stage.pairs or stage.byes
            ),
            crossed=tuple(
                CrossedPair(bots=couple, points=_halved(result))
                for couple, result in self.crossed.items()
            ),
        )

    def _pair(self, pair: Pair) -> StagePair:
        return StagePair(
            bots=pair.bots,
            points=_halved(pair.so_far(self.results)),
            is_over=pair.result(self.results) is not None,
        )


def contest_table(tally: Tally, current: Collection[str]) -> ContestTable | None:
    """The table of a ledger's contest. None if there is no contest, or if the percentage rule ranks
    its bots. If the bots were not fixed at the beginning, the table has the ``current`` ones."""
    contest, results, plan = tally.contest, tally.results, plan_of(tally)
    if contest is None or results is None or plan is None:
        return None
    row = format_of(plan)
    if not row.has_places:
        return None
    met: dict[tuple[str, str], UnitResult] = {}
    if row.is_closed:
        progress = Progress(plan, results)
        stages, places = progress.stages, progress.places
    else:
        plan = structs.replace(plan, bots=tuple(sorted(current)))
        progress = Progress(plan, results)
        stages = begun(progress.stages, contest.units)
        met = crossed(stages, results)
        # A game against a bot that has left the table still counts for its opponent.
        played = {name for meeting in contest.units for name in (meeting.one, meeting.other)}
        every = structs.replace(plan, bots=tuple(sorted({*plan.bots, *played})))
        all_stages = begun(Progress(every, results).stages, contest.units)
        places = _ranked_among(row.places(every, all_stages, results), plan.bots)
    return ContestTable(
        plan, tuple(stages), tuple(places), progress.is_over, met, results, tally.people
    )


def plan_of(tally: Tally) -> Plan | None:
    """The plan of a ledger's contest. If the ledger has only a contest's seed, it is a plan of the
    usual format; without a seed it is None."""
    if tally.contest is not None:
        return tally.contest.plan
    return None if tally.seed is None else Plan(format=USUAL)


def _ranked_among(places: Iterable[PlaceInFormat], names: Collection[str]) -> list[PlaceInFormat]:
    """The places of the bots of these names, ranked among themselves."""
    kept = [place for place in places if place.name in names]
    ranks = [place.rank for place in kept]
    return [replace(place, rank=1 + bisect_left(ranks, place.rank)) for place in kept]


def _halved(result: UnitResult) -> tuple[float, float]:
    one, other = result.points
    return one / 2, other / 2
