"""Positions that a game could bring: what their recipes promise, looked up in what bots are
sent."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations, product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from judge import schemas
from judge.documents.rules import Cell, Rules, Turn
from judge.errors import IllegalMove
from judge.game import positions
from judge.game.events import Target
from judge.game.positions import Position
from judge.game.variants import BRAINJAR, BSP, VARIANTS, XBS
from judge.wire.brainjar import Snapshots
from strategies import examples

Recipe = Callable[[Rules, Random, int], Position | None]

RECIPES: dict[str, Recipe] = {
    "opening": positions.opening,
    "answering": positions.answering,
    "begun": lambda rules, rng, seat: positions.begun(rules, rng, seat, rng.randrange(4)),
    "middle": lambda rules, rng, seat: positions.middle(rules, rng, seat, rng.random()),
    "sunk": lambda rules, rng, seat: positions.sunk_in_order(
        rules, rng, seat, rng.sample(rules.lengths, len(rules.lengths) - 1)
    ),
    "wounded": lambda rules, rng, seat: positions.wounded(rules, rng, seat, 4),
    "touching": lambda rules, rng, seat: positions.touching(rules, rng, seat, rng.randrange(3)),
    "unlucky": positions.unlucky,
    "lucky": positions.lucky,
    "crossed": lambda rules, rng, seat: positions.crossed(rules, rng, seat, 6),
    "last cell": lambda rules, rng, seat: positions.last_cell(rules, rng, seat, Cell(0, 0)),
}

seeds = st.integers(0, 2**32)
seats = st.integers(0, 1)


def told(position: Position | None) -> dict[str, Any]:
    """The message about it that a bot is sent."""
    assert position is not None
    return Snapshots().of(position.view)


def shots_of(snapshot: dict[str, Any], seat: int) -> set[str]:
    return {move[1:3] for move in snapshot["moves"] if move[0] == str(seat)}


def board(rules: Rules) -> set[str]:
    return {f"{column}{row}" for column in range(rules.columns) for row in range(rules.rows)}


def beside(cell: Cell) -> set[Cell]:
    """The cells of the board that share an edge with this one."""
    return {
        Cell(column, row)
        for column, row in product(range(BRAINJAR.columns), range(BRAINJAR.rows))
        if abs(column - cell.column) + abs(row - cell.row) == 1
    }


@pytest.mark.parametrize("name", RECIPES)
@given(seed=seeds, seat=seats)
@examples(15)
def test_every_recipe_brings_a_sound_position(name: str, seed: int, seat: int) -> None:
    """The seat is up, what it is sent meets the schema and agrees with itself, and the engine
    lets it shoot at its fresh cells and at no other; the position itself does not move."""
    position = RECIPES[name](BRAINJAR, Random(seed), seat)
    snapshot = told(position)
    assert position is not None
    assert position.seat in position.game.to_move
    assert schemas.problem("brainjar-snapshot", snapshot) is None
    own = {*snapshot["hit"], *snapshot["missed"]}
    assert (snapshot["you"], own) == (seat, shots_of(snapshot, seat))
    fresh = board(BRAINJAR) - own
    assert fresh
    before = len(position.game.shots)
    luck = Random(seed)
    for digits in [*luck.sample(sorted(fresh), 1), *luck.sample(sorted(own), min(2, len(own)))]:
        shoot = [Target(1 - seat, Cell(int(digits[0]), int(digits[1])))]
        if digits in fresh:
            assert position.copy().shoot(seat, shoot)
        else:
            with pytest.raises(IllegalMove):
                position.copy().shoot(seat, shoot)
    assert len(position.game.shots) == before


@given(seed=seeds, seat=seats)
@examples(25)
def test_recipes_keep_what_they_promise(seed: int, seat: int) -> None:
    """Each position is of its own kind."""
    luck = Random(seed)
    assert told(positions.opening(BRAINJAR, luck, seat))["moves"] == []

    answering = told(positions.answering(BRAINJAR, luck, seat))
    assert answering["moves"]
    assert not shots_of(answering, seat)

    begun = told(positions.begun(BRAINJAR, luck, seat, 3))
    assert len(shots_of(begun, seat)) == 3

    unlucky = told(positions.unlucky(BRAINJAR, luck, seat))
    assert (len(unlucky["hit"]), len(unlucky["missed"])) == (0, 50)

    lucky = told(positions.lucky(BRAINJAR, luck, seat))
    assert (len(lucky["hit"]), len(lucky["missed"])) == (13, 0)

    crossed = told(positions.crossed(BRAINJAR, luck, seat, 6))
    left = board(BRAINJAR) - shots_of(crossed, seat)
    assert len(left) == 6
    assert left <= shots_of(crossed, 1 - seat)

    touching = told(positions.touching(BRAINJAR, luck, seat, 0))
    assert touching["hit"] == ["00", "01", "02", "03"]
    assert (touching["missed"], touching["destroyed"]) == ([], [])
    sunk = told(positions.touching(BRAINJAR, luck, seat, 2))
    assert len(sunk["destroyed"]) == 2

    wounded = positions.wounded(BRAINJAR, luck, seat, 5)
    assert wounded
    fleet = wounded.game.fleet(1 - seat) or ()
    (ship,) = (ship for ship in fleet if ship.length == 5)
    ships = {cell for ship in fleet for cell in ship.cells}
    shot = {shot.cell for shot in wounded.game.shots if shot.seat == seat}
    assert 0 < len(shot & ships) < 5
    assert shot & ships < {*ship.cells}
    assert shot - ships == {near for cell in ship.cells for near in beside(cell)} - ships

    for cell in positions.corners_and_centre(BRAINJAR):
        last = told(positions.last_cell(BRAINJAR, luck, seat, cell))
        assert board(BRAINJAR) - shots_of(last, seat) == {f"{cell.column}{cell.row}"}
        assert len(last["moves"]) > 110


@given(seed=seeds, seat=seats)
@examples(25)
def test_rarer_recipes_keep_what_they_promise(seed: int, seat: int) -> None:
    """Those of games with repeats, with skipped turns and of many players."""
    luck = Random(seed)
    repeated = positions.repeated(BSP, luck, seat, 1.0)
    assert repeated
    for player in (0, 1):
        cells = [shot.cell for shot in repeated.game.shots if shot.seat == player]
        assert len(cells) > 2
        assert cells[1::2] == cells[: len(cells) // 2 * 2 : 2]

    skipped = positions.skipped(XBS, luck, seat)
    assert skipped
    assert [shot.seat for shot in skipped.game.shots] == [seat, seat]

    crowded = positions.crowded(XBS, luck, seat, 5, 8)
    assert crowded
    assert sum(shot.seat == seat for shot in crowded.game.shots) == 8
    assert crowded.view.present.count(False) == 1


@pytest.mark.parametrize("order", list(permutations(BRAINJAR.lengths)))
def test_ships_sink_in_the_order_that_is_asked_for(order: tuple[int, ...]) -> None:
    """All but the last of them, in each of the 24 orders; with that one the game would be over."""
    reached = positions.sunk_in_order(BRAINJAR, Random(7), 0, order[:3])
    assert told(reached)["destroyed"] == list(order[:3])
    assert positions.sunk_in_order(BRAINJAR, Random(7), 0, order) is None


def test_the_same_luck_brings_the_same_position() -> None:
    """All luck is handed in, and the seat changes nothing but the numbers of the players."""
    one, other = (told(positions.middle(BRAINJAR, Random(3), seat, 0.5)) for seat in (0, 1))
    assert one == told(positions.middle(BRAINJAR, Random(3), 0, 0.5))
    assert [str(1 - int(move[0])) + move[1:] for move in one["moves"]] == other["moves"]
    assert (one["hit"], one["missed"]) == (other["hit"], other["missed"])


MORE_RECIPES: dict[str, Recipe] = {
    **RECIPES,
    "sunk": lambda rules, rng, seat: positions.sunk_in_order(rules, rng, seat, rules.lengths[1:]),
    "wounded": lambda rules, rng, seat: positions.wounded(rules, rng, seat, max(rules.lengths)),
    "repeated": lambda rules, rng, seat: positions.repeated(rules, rng, seat, 0.4),
    "skipped": positions.skipped,
    "crowded": lambda rules, rng, seat: positions.crowded(rules, rng, seat, 5, 8),
}
RULES = {**VARIANTS, "xbs of three": replace(XBS, players=(3, 9))}
# What the rules do not bring: as they forbid it, or all move at once.
NOT_BROUGHT = {
    "answering": {"contest"},
    "repeated": {"brainjar", "xbs", "xbs of three"},
    "skipped": {"brainjar", "broadsides", "contest", "bsp"},
    "crowded": {"brainjar", "broadsides", "contest", "bsp"},
}


@pytest.mark.parametrize("variant", [*VARIANTS, "xbs of three"])
@pytest.mark.parametrize("name", MORE_RECIPES)
@given(seed=seeds, seat=seats)
@examples(4)
def test_every_variant_brings_every_recipe_that_it_can(
    name: str, variant: str, seed: int, seat: int
) -> None:
    """The seat is up with shots due, and the engine takes a volley of them at fresh cells."""
    luck = Random(seed)
    rules = RULES[variant].drawn(luck)
    position = MORE_RECIPES[name](rules, luck, seat)
    assert (position is None) == (variant in NOT_BROUGHT.get(name, ()))
    if position is None:
        return
    game, view = position.copy(), position.view
    assert seat in game.to_move
    assert (name == "crowded") == (game.players == 5)
    target = (seat + 1) % game.players
    shot = {shot.cell for shot in view.shots if shot.target == target}
    cells = [Cell(c, r) for c in range(rules.columns) for r in range(rules.rows)]
    fresh = [cell for cell in cells if cell not in shot]
    assert fresh
    volley = (fresh + view.due * fresh[-1:])[: view.due]
    game.shoot(seat, [Target(target, cell) for cell in volley])
    assert len(position.game.shots) == len(view.shots)


SMALL = replace(XBS, columns=2, rows=2, fleet=(2,))


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        pytest.param("touching", replace(BRAINJAR, columns=5, rows=3), id="more ships than rows"),
        pytest.param("touching", replace(BRAINJAR, columns=4), id="a ship longer than a row"),
        pytest.param("skipped", replace(SMALL, round_limit=1), id="an end before the third turn"),
        pytest.param("crowded", SMALL, id="an end before the last turn"),
        pytest.param("crowded", replace(SMALL, points=100), id="fewer cells than turns"),
        pytest.param(
            "lucky", replace(SMALL, fleet=(1,) * 4, turn=Turn.SALVO), id="no water for a volley"
        ),
    ],
)
def test_a_board_without_room_for_a_position_brings_none(name: str, rules: Rules) -> None:
    """The recipe does not fail, and gives no other position instead."""
    assert MORE_RECIPES[name](rules, Random(1), 0) is None


def test_fleets_that_the_judge_places_are_not_asked_for() -> None:
    """There is no such position."""
    placed = {
        name for name, rules in VARIANTS.items() if not positions.placing(rules.drawn(Random(1)))
    }
    assert placed == {"bsp"}


def test_each_of_several_ships_of_a_size_is_sunk() -> None:
    """Two of one length are two ships."""
    position = positions.sunk_in_order(VARIANTS["broadsides"], Random(1), 0, (3, 3))
    assert position
    assert [shot.sunk for shot in position.game.shots if shot.seat == 0 and shot.sunk] == [3, 3]
