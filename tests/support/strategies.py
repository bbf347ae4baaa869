"""Hypothesis strategies: cells, fleets, rules of every shape, whole games.

They read the fields of rules and ships, and share no logic with the engine that they try.
"""

from __future__ import annotations

import os
from random import Random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from judge.documents.game import Termination
from judge.documents.rules import (
    Cell,
    Rules,
    Ship,
)
from judge.testing import (
    free_spots,
    squares,
)

# A run of all tests looks at a quarter of the examples that a property names, the fast tier at a tenth:
# in CI they are the same each time. JUDGE_TEST_EXAMPLES=20 is a soak, with twenty times as many.
MULTIPLIER = float(os.environ.get("JUDGE_TEST_EXAMPLES", "0.25"))

FORFEITS = [termination for termination in Termination if termination.is_forfeit]


def examples(number: int, **more) -> settings:
    """Settings for a property that looks at ``number`` examples, times JUDGE_TEST_EXAMPLES."""
    return settings(
        max_examples=max(1, round(number * MULTIPLIER)),
        deadline=None,  # nothing is timed: the machine may be busy with something else
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        **more,
    )


# Cells, ships, fleets


def cells(rules: Rules) -> st.SearchStrategy[Cell]:
    return st.builds(Cell, st.integers(0, rules.columns - 1), st.integers(0, rules.rows - 1))


def stray_cells(rules: Rules) -> st.SearchStrategy[Cell]:
    """Cells on the grid or a little, or far, off it."""
    near = st.builds(Cell, st.integers(-2, rules.columns + 1), st.integers(-2, rules.rows + 1))
    return near | st.builds(Cell, st.integers(), st.integers())


def some_fleet(rules: Rules, rng: Random) -> tuple[Ship, ...]:
    """A legal fleet by a seed, ships in the order of the rules; no fair draw."""
    while True:
        ships: list[Ship] = []
        taken: frozenset[Cell] = frozenset()
        for length in rules.lengths:
            free = free_spots(rules, length, taken)
            if not free:
                break
            ships.append(rng.choice(free))
            taken |= squares(ships[-1])
        else:
            return tuple(ships)
