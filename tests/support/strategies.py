"""Hypothesis strategies: cells, fleets and spoiled fleets, rules of every shape, whole games.

They read the fields of rules and ships, and share no logic with the engine that they try.
"""

from __future__ import annotations

import os
from random import Random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from changes import replace
from judge.documents.game import Termination
from judge.documents.rules import (
    Cell,
    Orientation,
    Rules,
    Ship,
)
from judge.testing import (
    fleets,
    free_spots,
    squares,
)

# JUDGE_TEST_EXAMPLES=20 lets every property look at twenty times as many examples: a soak.
MULTIPLIER = float(os.environ.get("JUDGE_TEST_EXAMPLES", "1"))

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


@st.composite
def spoiled_fleets(draw, rules: Rules) -> tuple[Ship, ...]:
    """Fleets with something wrong about them: nearly always illegal, and each in its own way."""
    fleet = list(draw(fleets(rules)))
    number = draw(st.integers(0, len(fleet) - 1))
    ship = fleet[number]
    how = draw(st.sampled_from(["off", "far", "lost", "twice", "length", "onto", "none", "any"]))
    match how:
        case "off":
            edge = draw(st.sampled_from([-1, rules.columns, rules.rows]))
            side = draw(st.sampled_from(["column", "row"]))
            fleet[number] = replace(ship, **{side: edge})
        case "far":
            fleet[number] = replace(ship, column=draw(st.integers()), row=draw(st.integers()))
        case "lost":
            del fleet[number]
        case "twice":
            fleet.append(ship)
        case "length":
            fleet[number] = replace(ship, length=draw(st.integers(-1, 7)))
        case "onto":
            other = draw(st.sampled_from(fleet))
            fleet[number] = replace(ship, column=other.column, row=other.row)
        case "none":
            fleet = []
        case "any":
            any_ship = st.builds(
                Ship,
                length=st.sampled_from(rules.lengths),
                column=st.integers(-1, rules.columns),
                row=st.integers(-1, rules.rows),
                orientation=st.sampled_from(Orientation),
            )
            fleet = [draw(any_ship) for _ in fleet]
    return tuple(fleet)
