"""The lives format: a loser loses a life, a bot without lives is out, and the last bot wins. Pure.

The pairs of each round are drawn. A tie costs both bots a life, since two bots that always tie
would play for ever. In a round of an odd number of bots one has a bye, drawn from those whose last
bye is longest ago.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from judge.contest.formats.format import (
    BYES,
    GAMES,
    Column,
    Drawing,
    Format,
    OptionSpec,
    points_text,
)
from judge.contest.formats.units import (
    NOTHING_YET,
    Pair,
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


def _hearts(place: PlaceInFormat, plan: Plan) -> str:
    alive, lives = place.lives or 0, plan.lives
    return f"{alive} of {lives}" if lives > 9 else "*" * alive + NOTHING_YET * (lives - alive)


class Lives(Format):
    """The format in which a loser loses a life, and a bot without lives is out."""

    name = "lives"
    options: ClassVar[Mapping[str, OptionSpec]] = {
        "lives": OptionSpec("The lives of each bot", 3),
        "games": OptionSpec(GAMES, 1),
    }
    is_closed = True
    is_for_ais = True
    drawing = Drawing.LAST_ROUND
    title = "The lives"
    columns: ClassVar[Sequence[Column]] = (
        Column("lives", lambda place, _: str(place.lives), "Lives left", _hearts),
        Column("out in round", lambda place, _: str(place.out or "")),
        Column("won", points_text),
        BYES,
    )
    goes_out = True
    brief = "{lives} each, {units} a meeting"
    ranked_by = "Ranked by lives: those left, then the round in which the last was lost."
    lost_together = "{names} lost their last lives {when}"

    def stages(self, plan: Plan, results: UnitResults) -> Iterator[Stage]:
        """A stage for each round."""
        left = dict.fromkeys(plan.bots, plan.lives)
        last_bye = dict.fromkeys(plan.bots, 0)
        met: Counter[tuple[str, str]] = Counter()
        number = 0
        while len(alive := [name for name in plan.bots if left[name] > 0]) > 1:
            number += 1
            order = sorted(alive, key=lambda name: (hashed(plan.seed, "pairs", number, name), name))
            bye = None
            if len(order) % 2:
                longest_ago = min(last_bye[name] for name in order)
                bye = next(name for name in order if last_bye[name] == longest_ago)
                last_bye[bye] = number
                order.remove(bye)
            pairs = []
            for one, other in zip(order[::2], order[1::2], strict=True):
                before = met[couple(one, other)]
                met[couple(one, other)] += plan.units
                pairs.append(pair_of(one, other, range(before + 1, before + plan.units + 1)))
            yield of_pairs(number, f"Round {number}", pairs, () if bye is None else (bye,))
            for pair in pairs:
                for name in _losers(pair, results):
                    left[name] -= 1

    def places(
        self, plan: Plan, stages: Sequence[Stage], results: UnitResults
    ) -> list[PlaceInFormat]:
        """The places by lives left, then by the round in which each bot went out. ``points`` are
        the units won; a tie is half of one."""
        left = dict.fromkeys(plan.bots, plan.lives)
        out: dict[str, int] = {}
        halves = dict.fromkeys(plan.bots, 0)
        byes = byes_of(stages)
        for stage in stages:
            for pair in stage.pairs:
                for name, points in zip(pair.bots, pair.so_far(results).points, strict=True):
                    halves[name] += points
                for name in _losers(pair, results):
                    left[name] -= 1
                    if not left[name]:
                        out[name] = stage.round
        return ranked(
            (
                (left[name], out.get(name, 0)),
                PlaceInFormat(
                    name, 0, halves[name] / 2, lives=left[name], out=out.get(name), byes=byes[name]
                ),
            )
            for name in plan.bots
        )

    def most(self, plan: Plan) -> int:
        # Every meeting costs a life, and the winner keeps one.
        return max(0, plan.units * (plan.lives * len(plan.bots) - 1))


def _losers(pair: Pair, results: UnitResults) -> tuple[str, ...]:
    """The bots of a pair that lose a life: none until all meetings of the pair are over."""
    total = pair.result(results)
    if total is None:
        return ()
    one, other = total.points  # a tied match costs both a life, even if its games are not tied
    return pair.bots if one == other else (pair.bots[int(one > other)],)
