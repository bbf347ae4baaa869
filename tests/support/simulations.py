"""Simulations of matches, contests and sequential tests between bots of known strength: how often the
judge's intervals hold the truth. All of it is seeded."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from judge.contest.formats import groups
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.tally_table import TallyTable
from judge.contest.standings.standings import Version, strength_of
from judge.documents.game import Limits, Termination
from judge.documents.ledger import GameResult
from judge.game.variants import VARIANTS
from judge.stats.intervals import (
    ELO_PER_NAT,
    Interval,
    elo_difference,
    elo_of,
    expected_score,
    pair_effect,
)
from judge.stats.sprt import Sprt, Verdict
from judge.stats.strength import bradley_terry, worth_of_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


def binomial(games: int, chance: float) -> NDArray[np.float64]:
    """Return the chances of 0 … `games` wins."""
    wins = np.arange(games + 1)
    log_factorial = np.array([math.lgamma(k + 1) for k in range(games + 1)])
    log_ways = log_factorial[-1] - log_factorial - log_factorial[::-1]
    chances: NDArray[np.float64] = np.exp(
        log_ways + wins * math.log(chance) + (games - wins) * math.log1p(-chance)
    )
    return chances


def exact_coverage(
    interval: Callable[[int, int], Interval],
    games: int,
    chances: Iterable[float],
    target: Callable[[float], float],
) -> NDArray[np.float64]:
    """Return, for each chance of a win, how likely ``interval(wins, games)`` holds its target."""
    limits = np.array([interval(wins, games) for wins in range(games + 1)])
    return np.array(
        [
            binomial(games, p) @ ((limits[:, 0] <= target(p)) & (target(p) <= limits[:, 1]))
            for p in chances
        ]
    )


def elo_interval(wins: int, games: int) -> Interval:
    """Return the Elo interval of a match of independent games."""
    return elo_difference(wins, games - wins).interval_95


def draw_pairs(
    rng: np.random.Generator, pairs: int, chance: float, correlation: float
) -> tuple[int, int, int]:
    """Return how many swapped pairs were lost, split and won, at this correlation of their
    games."""
    shared = correlation * chance * (1 - chance)
    both, neither = chance**2 + shared, (1 - chance) ** 2 + shared
    lost, split, won = rng.multinomial(pairs, (neither, 1 - both - neither, both)).tolist()
    return lost, split, won


def pair_coverage(
    pairs: int, chance: float, correlation: float, *, trials: int, seed: int
) -> tuple[float, float]:
    """Return the coverage of the Elo interval from pairs, and from the same games as if single."""
    rng, truth = np.random.default_rng(seed), elo_of(chance)
    kept = [0, 0]
    for _ in range(trials):
        lost, split, won = draw_pairs(rng, pairs, chance, correlation)
        for k, effect in enumerate((pair_effect((lost, split, won)), None)):
            low, high = elo_difference(2 * won + split, 2 * lost + split, effect=effect).interval_95
            kept[k] += low <= truth <= high
    return kept[0] / trials, kept[1] / trials


@dataclass(frozen=True, slots=True)
class Field:
    """Bots of known strength (Elo), and how many games each of two meets the other in."""

    name: str
    elo: tuple[float, ...]
    games: int
    meetings: float = 1.0  # the share of all couples that meet at all


FIELDS = (
    Field("10 equal bots, 10 games a couple", (0.0,) * 10, 10),
    Field("10 bots 40 Elo apart, 2 games", tuple(40.0 * k for k in range(10)), 2),
    Field("10 bots 40 Elo apart, 10 games", tuple(40.0 * k for k in range(10)), 10),
    Field("10 bots 40 Elo apart, 100 games", tuple(40.0 * k for k in range(10)), 100),
    Field("6 bots 150 Elo apart, 20 games", tuple(150.0 * k for k in range(6)), 20),
    Field("8 bots, three equal at the top", (300.0, 300, 300, 100, 100, 0, 0, -200), 20),
    Field("two bots 100 Elo apart, 40 games", (100.0, 0.0), 40),
    Field("20 bots, a third of the couples, 4 games", tuple(30.0 * k for k in range(20)), 4, 0.34),
)


class Kept(NamedTuple):
    """Shares of intervals that held the truth, and how wide they were on average."""

    elo: float
    elo_width: float
    rank: float
    rank_width: float
    wrongly_supported: float


def contest_coverage(arena: Field, *, trials: int, seed: int) -> Kept:
    """Simulate contests of a field and return how often the Bradley-Terry intervals were right.

    A rank interval is right only if it holds all ranks that a tie with equals would allow.
    `wrongly_supported` is the share of the contests' neighbours (in the fitted order) whose order
    is called supported and is not the true one.
    """
    rng = np.random.default_rng(seed)
    elo = np.array(arena.elo)
    bots = len(elo)
    chance = expected_score_table(elo)
    best = 1 + (elo[None, :] > elo[:, None]).sum(axis=1)
    worst = bots - (elo[None, :] < elo[:, None]).sum(axis=1)
    sums = np.zeros(5)
    for _ in range(trials):
        wins = np.zeros((bots, bots), dtype=np.int64)
        upper = np.triu(rng.random((bots, bots)) < arena.meetings, 1)
        won = rng.binomial(arena.games, chance)
        wins[upper] = won[upper]
        wins.T[upper] = (arena.games - won)[upper]
        fit = bradley_terry(wins)
        limits, ranks = np.array(fit.elo_95), np.array(fit.rank_95)
        truth = elo - elo.mean()
        order = np.argsort(-np.array(fit.elo), kind="stable").tolist()
        couples = list(pairwise(order))
        wrong = sum(elo[a] <= elo[b] and fit.order_supported(a, b) for a, b in couples)
        sums += (
            ((limits[:, 0] <= truth) & (truth <= limits[:, 1])).mean(),
            (limits[:, 1] - limits[:, 0]).mean(),
            ((ranks[:, 0] <= best) & (worst <= ranks[:, 1])).mean(),
            (ranks[:, 1] - ranks[:, 0] + 1).mean(),
            wrong / len(couples),
        )
    return Kept(*(sums / trials).tolist())


def expected_score_table(elo: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the chance of each bot to beat each other one."""
    chance: NDArray[np.float64] = 1 / (1 + 10 ** ((elo[None, :] - elo[:, None]) / 400))
    return chance


class Decided(NamedTuple):
    """How sequential tests ended: the shares that accepted each, and the games that they took."""

    h0: float
    h1: float
    games: float


def sprt_runs(
    test: Sprt, elo: float, *, pairs: bool, trials: int, seed: int, correlation: float = 0.0
) -> Decided:
    """Run a sequential test again and again at a true difference of `elo`, to its end.

    With `pairs` the test looks after each swapped pair, otherwise after each game.
    """
    rng, chance = np.random.default_rng(seed), expected_score(elo)
    verdict = lru_cache(maxsize=None)(test.verdict)
    shared = correlation * chance * (1 - chance)
    ladder = (
        np.cumsum(((1 - chance) ** 2 + shared, 2 * (chance * (1 - chance) - shared)))
        if pairs
        else np.array([1 - chance])
    )
    accepted = {Verdict.H0: 0, Verdict.H1: 0}
    games = 0
    for _ in range(trials):
        counts = [0, 0, 0] if pairs else [0, 0]
        said = Verdict.CONTINUE
        while said is Verdict.CONTINUE:
            for score in np.searchsorted(ladder, rng.random(256), side="right").tolist():
                counts[score] += 1
                said = verdict(tuple(counts))
                if said is not Verdict.CONTINUE:
                    break
        accepted[said] += 1
        games += sum(counts) * (2 if pairs else 1)
    return Decided(accepted[Verdict.H0] / trials, accepted[Verdict.H1] / trials, games / trials)


Scores = Callable[[np.random.Generator, "NDArray[np.float64]"], "NDArray[np.float64]"]
LONG = 30_000  # games, after which what is fitted is the truth


def ranked(luck: np.random.Generator, strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Every pair by the Elo model: Luce's and Plackett's ranking."""
    return strengths + luck.gumbel(size=strengths.shape)


def hits(luck: np.random.Generator, strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points that are counted one by one, so that there are ties."""
    return luck.poisson(8 * np.exp(strengths / 3)).astype(float)


class Arena(NamedTuple):
    """Contests of that number of ``bots``, whose strengths have the standard deviation ``sd`` in
    Elo, in ``rounds`` rounds of games of ``seats`` seats."""

    bots: int
    seats: int
    sd: float
    rounds: int
    scores: Scores


class GroupsKept(NamedTuple):
    """How often intervals held the truth: Elo, Elo from independent pairs, ranks; and how wide
    those of Elo are, to either side."""

    elo: float
    independent: float
    rank: float
    reach: float


def groups_coverage(arena: Arena, *, trials: int, seed: int) -> GroupsKept:
    """Play ``trials`` contests of an arena by the judge's own groups, and count them as it does."""
    luck = np.random.default_rng(seed)
    strengths = luck.normal(size=arena.bots) * arena.sd / ELO_PER_NAT
    strengths -= strengths.mean()
    truth = ELO_PER_NAT * strengths
    if arena.scores is not ranked:
        truth = _long_run(arena, luck, strengths)
    true_ranks = 1 + (truth[None, :] > truth[:, None] + 1e-9).sum(axis=1)
    names = [f"b{number:02}" for number in range(arena.bots)]
    held = np.zeros(4)
    for trial in range(trials):
        table = TallyTable(ConditionSet(VARIANTS["xbs"], Limits()))
        wins = np.zeros((arena.bots, arena.bots))
        for games in islice(groups.rounds(names, arena.seats, trial), arena.rounds):
            for game in games:
                seats = [names.index(name) for name in game]
                scores = arena.scores(luck, strengths[seats])
                _count(table, game, scores)
                wins[np.ix_(seats, seats)] += _ahead(scores)
        found = strength_of(table, [Version(name, 1) for name in names])
        naive = bradley_terry(wins)
        held += np.array(
            (
                _within(found.elo_95, truth),
                _within(naive.elo_95, truth),
                np.mean(
                    [
                        low <= rank <= high
                        for rank, (low, high) in zip(true_ranks, found.rank_95, strict=True)
                    ]
                    if arena.sd
                    else [low == 1 and high == arena.bots for low, high in found.rank_95]
                ),
                np.mean([(high - low) / 2 for low, high in found.elo_95]),
            )
        )
    return GroupsKept(*(float(share) for share in held / trials))


def _long_run(
    arena: Arena, luck: np.random.Generator, strengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The limit of the Elo of a contest without end."""
    seats = luck.random((LONG, arena.bots)).argsort(axis=1)[:, : arena.seats]
    scores = arena.scores(luck, strengths[seats])
    wins = np.zeros((arena.bots, arena.bots))
    for first in range(arena.seats):
        for second in range(arena.seats):
            if first != second:
                ahead = (np.sign(scores[:, first] - scores[:, second]) + 1) / 2
                np.add.at(wins, (seats[:, first], seats[:, second]), ahead)
    return np.array(bradley_terry(wins * worth_of_pairs(arena.seats)).elo)


def _count(table: TallyTable, names: Sequence[str], scores: NDArray[np.float64]) -> None:
    marks = tuple(np.unique(scores, return_inverse=True)[1].tolist())
    leaders = [seat for seat, mark in enumerate(marks) if mark == max(marks)]
    game = GameResult(
        id="",
        names=tuple(names),
        digests=(None,) * len(names),
        winner=leaders[0] if len(leaders) == 1 else None,
        termination=Termination.GOAL,
        marks=marks,
    )
    table.count(game, [1] * len(names))


def _ahead(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    ahead = (np.sign(scores[:, None] - scores[None, :]) + 1) / 2
    np.fill_diagonal(ahead, 0)
    return np.asarray(ahead)


def _within(intervals: Sequence[tuple[float, float]], truth: NDArray[np.float64]) -> float:
    return float(
        np.mean([low <= true <= high for true, (low, high) in zip(truth, intervals, strict=True)])
    )
