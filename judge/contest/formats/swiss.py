"""The Swiss format: round by round everyone meets somebody who stands next to it. Pure.

The highest is paired with the nearest below it whom it has not met (as in Monrad's system), then
the next highest, and so on; nobody meets anybody again while the round can be paired without.
Of an odd number the lowest of those with the fewest byes has one, which is as good as a win.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from judge.contest.formats.matching import Matcher
from judge.contest.formats.units import (
    Meeting,
    Pair,
    PlaceInFormat,
    Stage,
    UnitResults,
    of_pairs,
    ranked,
)
from judge.contest.seeds import hashed
from judge.documents.ledger import Plan


def stages(plan: Plan, results: UnitResults) -> Iterator[Stage]:
    """A stage a round."""
    done: list[Stage] = []
    met: Counter[tuple[str, str]] = Counter()
    drawn = {name: hashed(plan.seed, "swiss", name) for name in plan.bots}
    for number in range(1, plan.rounds + 1 if len(plan.bots) > 1 else 1):
        ranks = {place.name: place.rank for place in places(plan, done, results)}
        standing = sorted(plan.bots, key=lambda name: (ranks[name], drawn[name], name))
        bye = _bye(standing, met, Counter(one for stage in done for one in stage.byes))
        playing = [name for name in standing if name != bye]
        pairs = []
        for one, other in Matcher(playing, met).pairs():
            couple = _couple(one, other)
            before = met[couple] * plan.units
            meetings = (Meeting(*couple, before + unit) for unit in range(1, plan.units + 1))
            pairs.append(Pair(one, other, tuple(meetings)))
            met[couple] += 1
        done.append(of_pairs(number, f"Round {number}", pairs, () if bye is None else (bye,)))
        yield done[-1]


def places(plan: Plan, stages: Sequence[Stage], results: UnitResults) -> list[PlaceInFormat]:
    """By points; then by the sum of the opponents' points (Buchholz's tie-break)."""
    halves = dict.fromkeys(plan.bots, 0)
    games = dict.fromkeys(plan.bots, 0)
    opponents: dict[str, list[str]] = {name: [] for name in plan.bots}
    byes: Counter[str] = Counter()
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
            byes[name] += 1
    strength = {name: sum(halves[other] for other in opponents[name]) for name in plan.bots}
    return ranked(
        (
            (halves[name], strength[name], games[name]),
            PlaceInFormat(name, 0, halves[name] / 2, tie_break=strength[name] / 2, byes=byes[name]),
        )
        for name in plan.bots
    )


def _bye(standing: Sequence[str], met: Counter[tuple[str, str]], byes: Counter[str]) -> str | None:
    """Who of an odd number has a bye: of those that have had the fewest the lowest, unless another
    spares a second meeting."""
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


def _couple(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)
