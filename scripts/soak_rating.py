#!/usr/bin/env python3
"""Simulate what the ratings of judge.contest promise, and print how often each promise was kept.

The test suite runs these same simulations at a small size; here the size is yours.  All of it is
seeded: the same arguments print the same tables.  Nothing is timed.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from judge.stats.intervals import (
    Interval,
    elo_difference,
    elo_of,
    expected_score,
    pair_effect,
    wilson,
)
from judge.stats.sprt import Sprt, Verdict
from judge.stats.strength import bradley_terry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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


def print_table(title: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under a title, each column as wide as its widest cell."""
    lines = [list(head), *(list(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    print(f"\n{title}")
    for line in lines:
        first, *rest = (cell.rjust(width) for cell, width in zip(line, widths, strict=True))
        print("  ", line[0].ljust(len(first)), *rest, sep="  ", flush=True)


def soak_intervals(trials: int, seed: int) -> None:
    """Print the coverage of the intervals of one match."""
    chances = np.linspace(0.5, 0.95, 181).tolist()
    rows = []
    for games in (10, 20, 50, 100, 200, 500, 1000):
        rate = exact_coverage(wilson, games, chances, float)
        elo = exact_coverage(elo_interval, games, chances, elo_of)
        rows.append([f"{games}", *(f"{x:.2%}" for x in (rate.mean(), rate.min(), elo.mean()))])
    print_table(
        "One match, p = 0.5 ... 0.95 (exact binomial sums)",
        ("games", "Wilson, mean", "Wilson, least", "Elo, mean"),
        rows,
    )
    rows = []
    for pairs in (5, 20, 100, 500):
        for correlation in (-0.3, 0.0, 0.5):
            for chance in (0.5, 0.7):
                kept = pair_coverage(pairs, chance, correlation, trials=trials, seed=seed)
                rows.append(
                    [
                        f"{pairs}",
                        f"{correlation:+.1f}",
                        f"{chance}",
                        *(f"{x:.2%}" for x in kept),
                    ]
                )
    print_table(
        f"Swapped pairs whose games are correlated: Elo interval ({trials} matches a row)",
        ("pairs", "correlation", "p", "from pairs", "as if single games"),
        rows,
    )


def soak_contests(trials: int, seed: int) -> None:
    """Print the coverage of the Elo and rank intervals of whole contests."""
    rows = []
    for arena in FIELDS:
        kept = contest_coverage(arena, trials=trials, seed=seed)
        rows.append(
            [
                arena.name,
                f"{kept.elo:.2%}",
                f"{kept.elo_width:.0f}",
                f"{kept.rank:.2%}",
                f"{kept.rank_width:.2f}",
                f"{kept.wrongly_supported:.2%}",
            ]
        )
    print_table(
        f"Contests: Bradley-Terry ({trials} contests a row)",
        ("field", "Elo 95%", "width", "rank 95%", "ranks", "order wrongly supported"),
        rows,
    )


def soak_sprt(trials: int, seed: int) -> None:
    """Print how the sequential tests end."""
    rows = []
    for elo0, elo1 in ((0.0, 30.0), (-10.0, 50.0), (0.0, 200.0)):
        test = Sprt(elo0, elo1)
        for elo in (elo0, elo1, 2 * elo1):
            for name, pairs, correlation in (
                ("games", False, 0.0),
                ("pairs", True, 0.0),
                ("pairs, correlation -0.4", True, -0.4),
                ("pairs, correlation +0.4", True, 0.4),
            ):
                ended = sprt_runs(
                    test, elo, pairs=pairs, trials=trials, seed=seed, correlation=correlation
                )
                rows.append(
                    [
                        f"[{elo0:g}, {elo1:g}]",
                        f"{elo:g}",
                        name,
                        f"{ended.h0:.2%}",
                        f"{ended.h1:.2%}",
                        f"{ended.games:.0f}",
                    ]
                )
    print_table(
        f"Sequential tests, alpha = beta = 5% ({trials} tests a row)",
        ("SPRT", "true Elo", "counted by", "H0", "H1", "mean games"),
        rows,
    )


PARTS = {"intervals": soak_intervals, "contests": soak_contests, "sprt": soak_sprt}


def main() -> None:
    """Parse the command line and run the parts asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all unless given"
    )
    parser.add_argument(
        "--trials", type=int, default=2000, help="simulations for each row (default: %(default)s)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the chance (default: %(default)s)")
    options = parser.parse_args()
    unknown = [part for part in options.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part is called {unknown[0]!r}; there are {', '.join(PARTS)}")
    if options.trials < 1:
        parser.error(f"--trials must be 1 or more, not {options.trials}")
    for part in options.parts or PARTS:
        PARTS[part](options.trials, options.seed)


if __name__ == "__main__":
    main()
