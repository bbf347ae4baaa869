"""The Swiss format: in each round a bot meets another with a similar score. Pure.

A round has as few repeated meetings as possible. Within this bound the highest bot is paired with
the nearest below it that it has not met, as in Monrad's system; then the next highest, and so on.
If the number of bots is odd, the lowest of those with the fewest byes has a bye, unless a bye of
another such bot means fewer repeated meetings. A bye scores like a win of all units.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from judge.contest.formats.format import (
    BYES,
    GAMES,
    Column,
    Format,
    OptionSpec,
    points_text,
    tie_break_text,
)
from judge.contest.formats.matching import Matcher
from judge.contest.formats.units import (
    PlaceInFormat,
    Stage,
    UnitResults,
    byes_of,
    couple,
    of_pairs,
    pair_of,
    ranked,
)
from judge.contest.seeds import hashed
from judge.documents.ledger import Plan


class Swiss(Format):
    """The format in which a bot meets another with a similar score in each round."""

    name = "swiss"
    options: ClassVar[Mapping[str, OptionSpec]] = {
        "rounds": OptionSpec(
            "With swiss: the number of rounds",
            in_words="as many as leave one bot without a loss",
            most=1000,
        ),
        "games": OptionSpec(GAMES, 2),
    }
    grows = "rounds"
    is_closed = True
    title = "The Swiss contest"
    columns: ClassVar[Sequence[Column]] = (
        Column("score", points_text),
        Column("opponents' scores", tie_break_text),
        BYES,
    )
    brief = "Swiss, {rounds} of {units}"
    ranked_by = (
        "Ranked by the score of the Swiss contest, a point a win, half a point a tie; then by the "
        "scores of the opponents."
    )

    def stages(self, plan: Plan, results: UnitResults) -> Iterator[Stage]:
        """A stage for each round."""
        done: list[Stage] = []
        met: Counter[tuple[str, str]] = Counter()
        drawn = {name: hashed(plan.seed, "swiss", name) for name in plan.bots}
        for number in range(1, plan.rounds + 1 if len(plan.bots) > 1 else 1):
            ranks = {place.name: place.rank for place in self.places(plan, done, results)}
            standing = sorted(plan.bots, key=lambda name: (ranks[name], drawn[name], name))
            bye = _bye(standing, met, byes_of(done))
            playing = [name for name in standing if name != bye]
            pairs = []
            for one, other in Matcher(playing, met).pairs():
                before = met[couple(one, other)] * plan.units
                pairs.append(pair_of(one, other, range(before + 1, before + plan.units + 1)))
                met[couple(one, other)] += 1
            done.append(of_pairs(number, f"Round {number}", pairs, () if bye is None else (bye,)))
            yield done[-1]

    def places(
        self, plan: Plan, stages: Sequence[Stage], results: UnitResults
    ) -> list[PlaceInFormat]:
        """The places by points, then by the sum of the opponents' points (Buchholz's tie-break),
        then by the points of the single games."""
        halves = dict.fromkeys(plan.bots, 0)
        games = dict.fromkeys(plan.bots, 0)
        opponents: dict[str, list[str]] = {name: [] for name in plan.bots}
        byes = byes_of(stages)
        for stage in stages:
            for pair in stage.pairs:
                total = pair.so_far(results)
                for name, other, points, won in zip(
                    pair.bots, pair.bots[::-1], total.points, total.games, strict=True
                ):
                    halves[name] += points
                    games[name] += won
                    opponents[name].append(other)
            for name in stage.byes:
                halves[name] += 2 * plan.units
        strength = {name: sum(halves[other] for other in opponents[name]) for name in plan.bots}
        return ranked(
            (
                (halves[name], strength[name], games[name]),
                PlaceInFormat(
                    name, 0, halves[name] / 2, tie_break=strength[name] / 2, byes=byes[name]
                ),
            )
            for name in plan.bots
        )

    def most(self, plan: Plan) -> int:
        return plan.rounds * plan.units * (len(plan.bots) // 2)

    def sized(self, numbers: Mapping[str, int | None], match: int, bots: int) -> tuple[int, int]:
        units = 1 if match > 1 else numbers["games"]
        return units or 1, numbers["rounds"] or swiss_rounds(bots)

    def numbers(self, plan: Plan, match: int) -> dict[str, int]:
        return {**super().numbers(plan, match), "rounds": plan.rounds}


def swiss_rounds(bots: int) -> int:
    """The default number of rounds: as many as leave one bot without a loss, and at least one."""
    return max(1, math.ceil(math.log2(max(1, bots))))


def _bye(standing: Sequence[str], met: Counter[tuple[str, str]], byes: Counter[str]) -> str | None:
    """The bot that has a bye in a round; None if the number of bots is even. The bye goes to the
    lowest of the bots with the fewest byes, unless a bye of another such bot means fewer repeated
    meetings."""
    if len(standing) % 2 == 0:
        return None
    fewest = min(byes[name] for name in standing)
    best: tuple[int, str] | None = None
    for name in reversed(standing):
        if byes[name] == fewest:
            others = [one for one in standing if one != name]
            again = Matcher(others, met).again
            if best is None or again < best[0]:
                best = again, name
            if not best[0]:
                break
    assert best is not None, "somebody has had the fewest"
    return best[1]
