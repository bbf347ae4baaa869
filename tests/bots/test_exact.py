"""exact's count of fleets against their plain enumeration."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bundled import load
from fleets import EVERYWHERE, Fleet, all_fleets, corner, enumerate_fleets, union
from strategies import examples

exact = load("exact")


def told(fleet: Fleet, shot: int) -> tuple[int, int, set[int]]:
    """The facts that a bot has after shooting at these cells: hits, misses and sizes destroyed."""
    destroyed = {line.bit_count() for line in fleet if not line & ~shot}
    return union(fleet) & shot, shot & ~union(fleet), destroyed


def enumerated(fleets: list[Fleet], fleet: Fleet, shot: int) -> Counter[int]:
    """In how many of the fleets that would have given the same answers each line is."""
    answers = told(fleet, shot)
    alike = (other for other in fleets if told(other, shot) == answers)
    return Counter(line for other in alike for line in other)


def counted(hit: int, missed: int, destroyed: set[int], board: int = EVERYWHERE) -> Counter[int]:
    """The same as the bot counts it; a smaller board is one with misses all around."""
    choices = exact.possible_lines(hit, missed | EVERYWHERE & ~board, destroyed)
    return +Counter(exact.count_fleets(choices, hit))


def test_all_fleets_are_counted() -> None:
    """On the empty grid 21,354,072 fleets are possible, whichever ship they are counted by."""
    fleets = counted(0, 0, set())
    for lines in exact.LINES.values():
        assert sum(fleets[line] for line in lines) == 21_354_072


@pytest.mark.parametrize("side", [4, 5])
def test_a_small_empty_board_is_counted_as_enumerated(side: int) -> None:
    """With nothing known each line is in as many fleets as the enumeration finds."""
    lines = Counter(line for fleet in all_fleets(side) for line in fleet)
    assert counted(0, 0, set(), corner(side)) == lines


@examples(40)
@given(st.data())
def test_any_state_of_a_small_board_is_counted_as_enumerated(data: st.DataObject) -> None:
    """After any shots at any fleet, each line is in as many fleets as would answer alike."""
    fleet = data.draw(st.sampled_from(all_fleets(5)))
    cells = [cell for cell in range(64) if corner(5) >> cell & 1]
    shot = sum(1 << cell for cell in data.draw(st.sets(st.sampled_from(cells))))
    expected = enumerated(all_fleets(5), fleet, shot)
    assert counted(*told(fleet, shot), corner(5)) == expected


@pytest.mark.parametrize("seed", range(4))
def test_the_middle_of_a_game_is_counted_as_enumerated(seed: int) -> None:
    """After 28 shots on the whole grid, half of the fleet hit, the same; and the best is shot
    at."""
    luck = random.Random(seed)
    fleet = tuple(exact.place(luck).values())
    ship_cells = [cell for cell in range(64) if union(fleet) >> cell & 1]
    water = [cell for cell in range(64) if not union(fleet) >> cell & 1]
    shot = sum(1 << cell for cell in luck.sample(ship_cells, 7) + luck.sample(water, 21))
    hit, missed, destroyed = told(fleet, shot)
    expected = enumerated(enumerate_fleets(EVERYWHERE, missed), fleet, shot)
    assert counted(hit, missed, destroyed) == expected

    chance = Counter[int]()
    for line, fleets in expected.items():
        for cell in range(64):
            if line >> cell & 1 and not shot >> cell & 1:
                chance[cell] += fleets
    assert chance[exact.shoot(hit, missed, destroyed, luck)] == max(chance.values())


def evenly(luck: random.Random) -> list[int]:
    """A fleet of the bot random, each ship as the bits of its cells."""
    rules = {"columns": 8, "rows": 8, "fleet": [2, 3, 4, 5]}
    placed = load("random").place(rules, luck)
    return [sum(1 << 8 * (xy // 1000) + xy % 1000 for xy in ship) for ship in placed]


@pytest.mark.parametrize("name", ["random", "exact"])
def test_fleets_are_placed_evenly(name: str) -> None:
    """Every line turns up in drawn fleets in proportion to the fleets that have it (chi-square)."""
    luck, draws = random.Random(1), 1_000
    place = evenly if name == "random" else lambda luck: exact.place(luck).values()
    drawn = Counter(line for _ in range(draws) for line in place(luck))
    fleets = counted(0, 0, set())
    for lines in exact.LINES.values():
        expected = [draws * fleets[line] / 21_354_072 for line in lines]
        observed = [drawn[line] for line in lines]
        distance = sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True))
        freedom = len(lines) - 1
        assert abs(distance - freedom) < 4 * (2 * freedom) ** 0.5
