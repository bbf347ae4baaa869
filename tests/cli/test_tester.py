"""Ships and cells as they are typed in judge tester and judge play."""

from __future__ import annotations

import json
from random import Random

import pytest

from judge.cli.interactive import fleet_input
from judge.documents.rules import Cell, Orientation, Rules, Ship
from judge.errors import IllegalFleet
from judge.game.fleets import random_fleet
from judge.game.variants import BRAINJAR, VARIANTS
from judge.wire.brainjar import fleet_reply


@pytest.mark.parametrize(
    ("text", "ship"),
    [
        ("34h", Ship(3, 3, 4, Orientation.HORIZONTAL)),
        ("3 4 v", Ship(3, 3, 4, Orientation.VERTICAL)),
        ("3,4 Vertical", Ship(3, 3, 4, Orientation.VERTICAL)),
        (" 12,3h ", Ship(3, 12, 3, Orientation.HORIZONTAL)),
    ],
)
def test_a_ship_is_written_in_some_ways(text: str, ship: Ship) -> None:
    """Its end and a letter, close together or apart."""
    assert fleet_input.ship(text, 3, BRAINJAR) == ship


@pytest.mark.parametrize("text", ["", "34", "h", "3h", "34x", "345h", "-1,0h", "３４h"])
def test_what_is_no_ship_is_refused(text: str) -> None:
    """Half of it, too much of it, or something else."""
    with pytest.raises(ValueError, match="not a place for a ship"):
        fleet_input.ship(text, 3, BRAINJAR)


def test_a_ship_of_one_has_no_direction() -> None:
    """A cell is enough for it."""
    assert fleet_input.ship("34", 1, BRAINJAR).cells == (Cell(3, 4),)


@pytest.mark.parametrize("rules", [BRAINJAR, VARIANTS["broadsides"]], ids=lambda rules: rules.name)
def test_a_fleet_can_be_typed_as_it_is_shown(rules: Rules) -> None:
    """The text told of a fleet drawn by luck could be typed, by rules whose cells have letters
    too."""
    fleet = random_fleet(rules, Random(5))
    words = [part.split(" at ") for part in fleet_input.named(fleet, rules).split(", ")]
    assert tuple(fleet_input.ship(text, int(length), rules) for length, text in words) == fleet


def test_a_fleet_can_be_typed_as_a_bot_replies_it() -> None:
    """As JSON; a ship more has no room in it."""
    fleet = random_fleet(BRAINJAR, Random(5))
    assert fleet_input.parsed(json.dumps(fleet_reply(fleet)), BRAINJAR, "brainjar") == fleet
    with pytest.raises(IllegalFleet):
        fleet_input.require_room(BRAINJAR, (*fleet, fleet[0]))


@pytest.mark.parametrize("text", ["34", "G0", "G", "6G", "3,4", "GG"])
def test_where_cells_have_letters_digits_alone_are_none(text: str) -> None:
    """The sentence has a cell as the board of these rules names it."""
    with pytest.raises(ValueError, match="is not a cell, such as D5; help says"):
        fleet_input.volley(text, 1, VARIANTS["broadsides"])
    assert fleet_input.volley("g10", 1, VARIANTS["broadsides"]) == (Cell(6, 9),)
