"""The next opponent of a newcomer in a contest without an end. Pure.

A newcomer first meets bots all over the table, so that a few games say where it belongs. Then it meets
its neighbours, whose order its games decide. `scripts/formats.py` measures this rule.
"""

from __future__ import annotations

from collections.abc import Sequence

SPREAD = 6
"""The opponents all over the table."""
NEIGHBOURS = 12
"""The bots nearest in strength; a newcomer meets the one of them that it has met least."""
ENOUGH = 60
"""The games after which a version is not a newcomer."""


def next_opponent(newcomer: int, elo: Sequence[float], met: Sequence[int]) -> int:
    """The number of the bot that a newcomer meets next. ``met`` says how often it has met each."""
    others = [bot for bot in range(len(elo)) if bot != newcomer]
    table = sorted(others, key=lambda bot: (-elo[bot], bot))
    times = sum(met)
    if times < SPREAD:
        return table[int(_spread(times) * len(table))]
    near = sorted(others, key=lambda bot: (abs(elo[bot] - elo[newcomer]), bot))[:NEIGHBOURS]
    return min(near, key=lambda bot: met[bot])


def _spread(number: int) -> float:
    """Points of 0 to 1, each in the widest gap: 1/2, 1/4, 3/4, 1/8 … (van der Corput)."""
    at, step, number = 0.0, 0.5, number + 1
    while number:
        at, step, number = at + step * (number & 1), step / 2, number >> 1
    return at
