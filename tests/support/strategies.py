"""Hypothesis strategies: cells, fleets and spoiled fleets, rules of every shape, whole games.

They read the fields of rules and ships, and share no logic with the engine that they try.
"""

from __future__ import annotations

import os
from functools import cache
from random import Random

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from changes import replace
from judge.documents.game import Termination
from judge.documents.rules import (
    BadMove,
    Cell,
    Draw,
    Goal,
    Opening,
    Orientation,
    Placing,
    Repeat,
    Rules,
    Ship,
    Sinking,
    Turn,
)
from judge.game.events import Target
from judge.game.game import Game
from judge.game.variants import VARIANTS, contest

# JUDGE_TEST_EXAMPLES=20 lets every property look at twenty times as many examples: a soak.
MULTIPLIER = float(os.environ.get("JUDGE_TEST_EXAMPLES", "1"))

FORFEITS = [termination for termination in Termination if termination.is_forfeit]


def examples(number: int, **more) -> settings:
    """Settings for a property that looks at so many examples, times JUDGE_TEST_EXAMPLES."""
    return settings(
        max_examples=max(1, round(number * MULTIPLIER)),
        deadline=None,  # nothing is timed: the machine may be busy with something else
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        **more,
    )


# Cells, ships, fleets


def squares(ship: Ship) -> frozenset[Cell]:
    """The cells of a ship, counted here and not by the engine."""
    across = ship.orientation == "horizontal"
    return frozenset(
        Cell(ship.column + i * across, ship.row + i * (not across)) for i in range(ship.length)
    )


def board(rules: Rules) -> list[Cell]:
    return [Cell(column, row) for column in range(rules.columns) for row in range(rules.rows)]


@cache
def spots(columns: int, rows: int, length: int) -> dict[Ship, frozenset[Cell]]:
    """Every ship of that length on an empty board; one of length 1 lies both ways."""
    grid = {Cell(column, row) for column in range(columns) for row in range(rows)}
    ships = [Ship(length, *cell, way) for cell in sorted(grid) for way in Orientation]
    return {ship: squares(ship) for ship in ships if squares(ship) <= grid}


def free_spots(rules: Rules, length: int, taken: frozenset[Cell]) -> list[Ship]:
    ships = spots(rules.columns, rules.rows, length)
    return [ship for ship, own in ships.items() if not own & taken]


def has_room(rules: Rules, lengths: tuple[int, ...], taken: frozenset[Cell]) -> bool:
    """Whether ships of these lengths can be placed beside what is taken."""
    if not lengths:
        return True
    return any(
        has_room(rules, lengths[1:], taken | squares(ship))
        for ship in free_spots(rules, lengths[0], taken)
    )


def cells(rules: Rules) -> st.SearchStrategy[Cell]:
    return st.builds(Cell, st.integers(0, rules.columns - 1), st.integers(0, rules.rows - 1))


def stray_cells(rules: Rules) -> st.SearchStrategy[Cell]:
    """Cells on the grid or a little, or far, off it."""
    near = st.builds(Cell, st.integers(-2, rules.columns + 1), st.integers(-2, rules.rows + 1))
    return near | st.builds(Cell, st.integers(), st.integers())


@st.composite
def fleets(draw, rules: Rules) -> tuple[Ship, ...]:
    """Legal fleets of these rules, their ships in any order."""
    rest = tuple(sorted(rules.lengths, reverse=True))
    taken: frozenset[Cell] = frozenset()
    ships = []
    while rest:
        length, *others = rest
        rest = tuple(others)
        free = free_spots(rules, length, taken)
        ship = draw(st.sampled_from(free))
        if not has_room(rules, rest, taken | squares(ship)):
            ship = next(one for one in free if has_room(rules, rest, taken | squares(one)))
        taken |= squares(ship)
        ships.append(ship)
    return tuple(draw(st.permutations(ships)))


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


# Rules


@st.composite
def random_rules(draw) -> Rules:
    """Rules of every shape on boards so small that their games end."""
    columns, rows = draw(st.integers(2, 6)), draw(st.integers(2, 4))
    if draw(st.booleans()):
        columns, rows = rows, columns
    lengths = draw(st.lists(st.integers(1, max(columns, rows)), min_size=1, max_size=4))
    base = Rules(
        name="random",
        columns=columns,
        rows=rows,
        fleet=(1,),
        players=(2, 4),
        turn=draw(st.sampled_from(Turn)),
        salvo_bonus=tuple(draw(st.lists(st.sampled_from(lengths), unique=True, max_size=2))),
        goal=draw(st.sampled_from(Goal)),
        points=draw(st.none() | st.integers(1, 8)),
        round_limit=draw(st.none() | st.integers(1, 12)),
        repeat=draw(st.sampled_from(Repeat)),
        placing=draw(st.sampled_from(Placing)),
        bad_move=draw(st.sampled_from(BadMove)),
        may_skip=draw(st.booleans()),
        may_return=draw(st.booleans()),
        sinking=draw(st.sampled_from(Sinking)),
        opening=draw(st.sampled_from(Opening)),
        timeout_ms=draw(st.integers(1, 100_000)),
        bot_bytes=draw(st.integers(1, 2**30)),
        match=draw(st.integers(1, 500)),
    )
    while 3 * sum(lengths) > 2 * columns * rows or not has_room(base, tuple(lengths), frozenset()):
        lengths.remove(max(lengths))
    return replace(base, fleet=tuple(lengths) or (1,))


@st.composite
def variant(draw, name: str) -> Rules:
    """A game on a board so small that it ends, and shrinks, in a few moves; or, now and then, as
    it is. The fleet is drawn where the game draws it."""
    rules = VARIANTS[name]
    size = draw(st.integers(3, 6))
    if size < 6 and isinstance(rules.fleet, Draw):
        rules = contest(size)
    elif size < 6:
        fleet = draw(st.sampled_from([(1,), (2,), (1, 2), (2, 1, 1), (3, 1), (1, 3, 2)]))
        bonus = (max(fleet),) if rules.salvo_bonus else ()
        rules = replace(rules, columns=size, rows=3, fleet=fleet, salvo_bonus=bonus)
    return rules.drawn(Random(draw(st.integers(0, 99))))


def any_rules() -> st.SearchStrategy[Rules]:
    return st.one_of(*map(variant, VARIANTS), random_rules())


def numbers_of_players(rules: Rules) -> st.SearchStrategy[int]:
    least, most = rules.players
    return st.integers(least, min(most, 4))


# Moves and games


def aim(
    rng: Random,
    *,
    rules: Rules,
    fleets: dict[int, tuple[Ship, ...]],
    shot_at: set[tuple[int, int, int]],
    seat: int,
    due: int,
) -> list[tuple[int, int, int]]:
    """A volley of (seat, column, row) at fresh cells while there are any, every other one at a
    ship: blind players would take most of a board to end a game."""
    boards = [target for target in fleets if target != seat]
    fresh = {(t, *cell) for t in boards for cell in board(rules)} - shot_at
    ships = {(t, *cell) for t in boards for ship in fleets[t] for cell in squares(ship)}
    volley: list[tuple[int, int, int]] = []
    for _ in range(due):
        left = fresh - set(volley)
        hot = left & ships
        if hot and rng.random() < 0.5:
            volley.append(rng.choice(sorted(hot)))
        elif left:
            volley.append(rng.choice(sorted(left)))
        else:  # such players are up only where a repeat is legal
            volley.append((rng.choice(boards), *rng.choice(board(rules))))
    return volley


def targets(volley: list[tuple[int, int, int]]) -> list[Target]:
    return [Target(seat, Cell(column, row)) for seat, column, row in volley]


def fire(game: Game, seat: int, rng: Random) -> None:
    """Let a seat that is up fire at fresh cells."""
    volley = aim(
        rng,
        rules=game.rules,
        fleets={s: fleet for s in range(game.players) if (fleet := game.fleet(s)) is not None},
        shot_at={(shot.target, *shot.cell) for shot in game.shots},
        seat=seat,
        due=game.shots_due(seat),
    )
    game.shoot(seat, targets(volley))


@st.composite
def games(draw, rules: st.SearchStrategy[Rules] | None = None, most_turns: int = 60) -> Game:
    """A game with its fleets placed and some turns played at fresh cells: begun or over."""
    of = draw(rules if rules is not None else any_rules())
    players = draw(numbers_of_players(of))
    game = Game(of, players, draw(st.integers(0, players - 1)))
    while game.is_placing:
        game.place(game.to_move[0], draw(fleets(of)))
    rng = Random(draw(st.integers(0, 2**32 - 1)))
    for _ in range(draw(st.integers(0, most_turns))):
        if not game.to_move:
            break
        fire(game, rng.choice(game.to_move), rng)
    return game
