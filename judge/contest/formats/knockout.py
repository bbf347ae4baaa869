"""The knock-out format: the loser of a meeting is out. Pure.

The bracket is seeded: the two highest seeds can meet only in the final, the four highest not before
the semi-finals, and so on. If the number of bots is not a power of two, the highest seeds have a
bye in the first round. Tied bots play up to `DECIDERS` more units, the deciders. If all of these
are tied, the higher seed goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from judge.contest.formats.format import (
    GAMES,
    BracketMatch,
    BracketRound,
    BracketSide,
    Column,
    Drawing,
    Format,
    OptionSpec,
    points_text,
)
from judge.contest.formats.units import (
    NOTHING,
    Pair,
    PlaceInFormat,
    Stage,
    UnitResults,
    byes_of,
    halves,
    of_pairs,
    pair_of,
    ranked,
    shown_score,
)
from judge.documents.ledger import Plan

DECIDERS = 3


def _name_of_last_round(place: PlaceInFormat, plan: Plan) -> str:
    slots = len(places_of_bracket(plan.bots))
    return "" if place.out is None else round_name(slots >> place.out - 1)


class Knockout(Format):
    """A format in which the loser of a meeting is out."""

    name = "knockout"
    options: ClassVar[Mapping[str, OptionSpec]] = {"games": OptionSpec(GAMES, 3)}
    is_closed = True
    drawing = Drawing.BRACKET
    title = "The bracket"
    columns: ClassVar[Sequence[Column]] = (
        Column("rounds won", points_text),
        Column("out in", _name_of_last_round),
    )
    goes_out = True
    brief = "knock-out, {units} a meeting"
    by_seed = f"After {DECIDERS} tied deciders the higher seed goes on."
    ranked_by = "Ranked by the knock-out: the round in which each went out."

    def stages(self, plan: Plan, results: UnitResults) -> Iterator[Stage]:
        """A stage for each round, and after it up to `DECIDERS` stages with one decider for each
        couple that is still tied."""
        slots = places_of_bracket(plan.bots)
        number = 0
        while len(slots) > 1:
            number += 1
            couples = [*zip(slots[::2], slots[1::2], strict=True)]
            byes = [one or other for one, other in couples if one is None or other is None]
            pairs = [
                pair_of(one, other, range(1, plan.units + 1))
                for one, other in couples
                if one is not None and other is not None
            ]
            of_round = [
                of_pairs(number, round_name(len(slots)), pairs, [bye for bye in byes if bye])
            ]
            yield of_round[0]
            for again in range(1, DECIDERS + 1):
                tied = [pair for pair in pairs if winner(plan, pair, of_round, results) is None]
                if not tied:
                    break
                name = f"{round_name(len(slots))}, decider {again}"
                deciders = (pair_of(one, other, [plan.units + again]) for one, other, _ in tied)
                of_round.append(of_pairs(number, name, deciders))
                yield of_round[-1]
            won = {pair.bots: winner(plan, pair, of_round, results) for pair in pairs}
            slots = [
                won[one, other] if one is not None and other is not None else one or other
                for one, other in couples
            ]

    def places(
        self, plan: Plan, stages: Sequence[Stage], results: UnitResults
    ) -> list[PlaceInFormat]:
        """The places by the round in which each bot went out. ``points`` is the number of rounds
        that it has won, without byes."""
        won = dict.fromkeys(plan.bots, 0)
        out: dict[str, int] = {}
        byes = byes_of(stages)
        for number in range(1, stages[-1].round + 1 if stages else 1):
            of_round = [stage for stage in stages if stage.round == number]
            for pair in of_round[0].pairs:
                if (victor := winner(plan, pair, of_round, results)) is not None:
                    won[victor] += 1
                    out[pair.other if victor == pair.one else pair.one] = number
        last = len(plan.bots)  # more rounds than there are
        return ranked(
            (
                (out.get(name, last),),
                PlaceInFormat(name, 0, won[name], out=out.get(name), byes=byes[name]),
            )
            for name in plan.bots
        )

    def most(self, plan: Plan) -> int:
        return (plan.units + DECIDERS) * (len(plan.bots) - 1)

    def numbers_of_pair(self, plan: Plan, number: int) -> range:
        return range(1, plan.units + DECIDERS + 1)

    def bracket(
        self, plan: Plan, stages: Sequence[Stage], results: UnitResults
    ) -> list[BracketRound]:
        slots = places_of_bracket(plan.bots)
        seeds = {name: seed for seed, name in enumerate(plan.bots, 1)}
        rounds: list[BracketRound] = []
        while len(slots) > 1:
            number = len(rounds) + 1
            of_round = [stage for stage in stages if stage.round == number]
            couples = [*zip(slots[::2], slots[1::2], strict=True)]
            matches, slots_after = [], list[str | None]()
            for one, other in couples:
                if number == 1 and other is None:
                    matches.append(BracketMatch(_side(one, seeds), None))
                    slots_after.append(one)
                    continue
                sides, goes_on = _meeting(plan, (one, other), of_round, seeds, results)
                matches.append(BracketMatch(*sides))
                slots_after.append(goes_on)
            rounds.append(BracketRound(round_name(len(slots)), tuple(matches)))
            slots = slots_after
        return rounds


def winner(plan: Plan, pair: Pair, of_round: Sequence[Stage], results: UnitResults) -> str | None:
    """The bot of a pair that goes on, by the stages of its round so far; None if undecided."""
    for stage in of_round:
        again = next((one for one in stage.pairs if one.bots == pair.bots), None)
        if again is not None:
            total = again.result(results)
            if total is None:
                return None
            if (won := total.winner) is not None:
                return pair.bots[won]
    is_last = len(of_round) > DECIDERS
    return min(pair.bots, key=plan.bots.index) if is_last else None


def places_of_bracket(bots: Sequence[str]) -> list[str | None]:
    """The bots in the places of a bracket, from top to bottom; None is an empty place. The bots in
    the first two places meet, then those in the next two, and so on."""
    seeds = [0]
    while len(seeds) < len(bots):
        size = 2 * len(seeds)
        seeds = [one for seed in seeds for one in (seed, size - 1 - seed)]
    return [bots[seed] if seed < len(bots) else None for seed in seeds]


def round_name(slots: int) -> str:
    """The name of a round with this number of places, such as "Final"."""
    return _NAMES.get(slots, f"Round of {slots}")


_NAMES = {2: "Final", 4: "Semi-finals", 8: "Quarter-finals"}


def _side(name: str | None, seeds: Mapping[str, int]) -> BracketSide:
    return BracketSide() if name is None else BracketSide(name, seeds[name])


def _meeting(
    plan: Plan,
    meeting: tuple[str | None, str | None],
    of_round: Sequence[Stage],
    seeds: Mapping[str, int],
    results: UnitResults,
) -> tuple[tuple[BracketSide, BracketSide], str | None]:
    """The two sides of a match as far as known, and the bot that goes on, or None."""
    one, other = meeting
    sides = _side(one, seeds), _side(other, seeds)
    met = [pair for stage in of_round for pair in stage.pairs if pair.bots == (one, other)]
    if not met:
        return sides, None
    goes_on = winner(plan, met[0], of_round, results)
    match, *deciders = (pair.begun(results) for pair in met)
    by_seed = goes_on is not None and not any(pair.winner(results) for pair in met)
    scores = shown_score(plan, match or NOTHING)
    again = [shown_score(plan, played) for played in deciders if played]
    first, second = (
        side._replace(
            points=halves(scores[at]) if match else "",
            decider=halves(sum(score[at] for score in again)) if again else "",
            is_winner=goes_on is not None and goes_on == side.name,
            by_seed=by_seed and goes_on == side.name,
        )
        for at, side in enumerate(sides)
    )
    return (first, second), goes_on
