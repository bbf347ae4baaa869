"""foresight's lists of fleets, its table, its thinking ahead and its knowledge of what it sank,
against slow and plain ways."""

import random
from collections import Counter
from functools import cache
from itertools import groupby

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bundled import load
from fleets import (
    EVERYWHERE,
    Fleet,
    all_fleets,
    answers,
    corner,
    enumerate_fleets,
    told_of,
    true_sinkings,
    union,
)
from strategies import examples

foresight = load("foresight")
TABLE_END = 500  # fleets that are left where the table ends

SMALL = [cell for cell in range(64) if corner(5) >> cell & 1]


def choices(fleet: Fleet, cells: list[int], board: int) -> list[list[int]]:
    """The lines that foresight thinks possible after these shots, told what they sank."""
    shot = sum(1 << cell for cell in cells) | EVERYWHERE & ~board
    hit = union(fleet) & shot
    possible: list[list[int]] = foresight.possible_lines(
        hit, shot & ~hit, true_sinkings(fleet, cells)
    )
    return possible


@examples(15)
@given(st.data())
def test_fleets_are_listed_as_enumerated(data: st.DataObject) -> None:
    """Listed are the fleets that would have answered alike, each once; and counted, as many."""
    fleet = data.draw(st.sampled_from(all_fleets(5)))
    cells = data.draw(st.permutations(SMALL))[: data.draw(st.integers(0, 25))]
    hit = union(fleet) & sum(1 << cell for cell in cells)
    shot = sum(1 << cell for cell in cells)
    told = answers(fleet, cells)
    hits_alike = (other for other in all_fleets(5) if union(other) & shot == hit)
    alike = [other for other in hits_alike if answers(other, cells) == told]
    possible = choices(fleet, cells, corner(5))
    assert sorted(foresight.list_fleets(possible, hit, len(alike))) == sorted(alike)
    assert foresight.list_fleets(possible, hit, len(alike) - 1) is None
    lines = Counter(line for other in alike for line in other)
    assert +Counter(foresight.count_lines(possible, hit)) == lines


def some_fleets(data: st.DataObject, most: int, fewest_shots: int) -> tuple[list[Fleet], int]:
    """Fleets of a small board that are alike after some shots, at most ``most`` of them; and the
    hits."""
    fleet = data.draw(st.sampled_from(all_fleets(5)))
    cells = data.draw(st.permutations(SMALL))[: data.draw(st.integers(fewest_shots, 22))]
    hit = union(fleet) & sum(1 << cell for cell in cells)
    assume(hit != union(fleet))
    found = foresight.list_fleets(choices(fleet, cells, corner(5)), hit, 10**6)
    return sorted(found)[:most], hit


def split(fleets: list[Fleet], hit: int, cell: int) -> list[tuple[int, list[Fleet]]]:
    """The fleets by their answer to a shot after these hits: 1 missed, 3 hit, or minus the size."""

    def answer(fleet: Fleet) -> int:
        struck = [line for line in fleet if line >> cell & 1]
        if not struck:
            return 1
        return 3 if struck[0] & ~(hit | 1 << cell) else -struck[0].bit_count()

    return [(told, list(alike)) for told, alike in groupby(sorted(fleets, key=answer), answer)]


def fewest_misses(fleets: list[Fleet], hit: int) -> int:
    """The misses of the best there is, found by trying everything."""

    @cache
    def fewest(left: frozenset[Fleet], hit: int) -> int:
        if len(left) == 1:
            return 0
        results = []
        for cell in range(64):
            groups = split(list(left), hit, cell)
            if hit >> cell & 1 or (len(groups) == 1 and groups[0][0] == 1):
                continue
            misses = 0
            for told, alike in groups:
                misses += len(alike) if told == 1 else 0
                misses += fewest(frozenset(alike), hit | (0 if told == 1 else 1 << cell))
            results.append(misses)
        return min(results)

    return fewest(frozenset(fleets), hit)


def misses_of_likeliest(fleets: list[Fleet], hit: int) -> int:
    """The misses if every shot is at the first of the cells that are in the most fleets."""
    if len(fleets) == 1:
        return 0
    chance = Counter(
        cell
        for fleet in fleets
        for cell in range(64)
        if union(fleet) >> cell & 1 and not hit >> cell & 1
    )
    best = max(sorted(chance), key=lambda cell: chance[cell])
    return sum(
        len(alike) + misses_of_likeliest(alike, hit)
        if told == 1
        else misses_of_likeliest(alike, hit | 1 << best)
        for told, alike in split(fleets, hit, best)
    )


@examples(20)
@given(st.data())
def test_thought_through_to_the_end_it_finds_the_best(data: st.DataObject) -> None:
    """With all cells tried out and depth to spare its misses are the fewest there can be."""
    fleets, hit = some_fleets(data, 5, fewest_shots=15)
    ahead = foresight.Lookahead(fleets, hit)
    fewest, cell = ahead.best(ahead.all, ahead.columns, 0, depth=8, width=64)
    assert fewest == fewest_misses(fleets, hit)
    assert not hit >> cell & 1
    assert any(union(fleet) >> cell & 1 for fleet in fleets)


@examples(20)
@given(st.data())
def test_thinking_ahead_ends_in_shots_at_the_likeliest_cell(data: st.DataObject) -> None:
    """Without depth the misses are those of the likeliest cells; with more they are never more."""
    fleets, hit = some_fleets(data, 40, fewest_shots=8)
    ahead = foresight.Lookahead(fleets, hit)
    misses = [ahead.misses(ahead.all, ahead.columns, 0, depth) for depth in range(4)]
    assert misses[0] == misses_of_likeliest(fleets, hit)
    assert misses == sorted(misses, reverse=True)


@pytest.mark.parametrize("seed", range(3))
def test_the_table_ends_where_few_fleets_are_left(seed: int) -> None:
    """Along a game by the table all shots are fresh, and it ends at 500 fleets, not before."""
    fleet = tuple(foresight.place(random.Random(seed)).values())
    table, node, cells = foresight.OPENING, 0, []
    while node is not None:
        assert table.cells[node] not in cells
        cells.append(table.cells[node])
        result, size = answers(fleet, cells)[-1]
        node = table.next(node, size or (0 if result == 1 else 1))
        hit = union(fleet) & sum(1 << cell for cell in cells)
        lines = choices(fleet, cells, EVERYWHERE)
        left = foresight.list_fleets(lines, hit, TABLE_END)
        assert (node is None) == (left is not None)
    assert left == [other for other in left if answers(other, cells) == answers(fleet, cells)]


@pytest.mark.parametrize("seed", range(2))
def test_off_the_table_it_fires_at_the_likeliest_cell(seed: int) -> None:
    """With more fleets left than it may list, no other cell is in more of them."""
    luck = random.Random(seed)
    fleet = tuple(foresight.place(luck).values())
    water = [cell for cell in range(64) if not union(fleet) >> cell & 1]
    cells = luck.sample(water, 14)
    fleets = enumerate_fleets(EVERYWHERE, sum(1 << cell for cell in cells))
    assert len(fleets) > foresight.MOST
    cells_of = [union(other) for other in fleets]
    chance = [sum(one >> cell & 1 for one in cells_of) for cell in range(64)]
    assert chance[foresight.shoot([(cell, 1) for cell in cells], [])] == max(chance)


@pytest.mark.parametrize(("dialect", "seed"), [("engine", 0), ("readme", 1), ("readme", 2)])
def test_it_finds_its_own_true_story(dialect: str, seed: int) -> None:
    """Before its last shot it has not ruled out what happened; told sinkings, it knows just
    that."""
    fleet = tuple(foresight.place(random.Random(seed)).values())
    cells: list[int] = []
    while len(told_of(fleet, cells, dialect)[1]) < 4:
        cells.append(foresight.shoot(*told_of(fleet, cells, dialect)))
    cells.pop()
    stories = [story for story, _ in foresight.read_stories(*told_of(fleet, cells, dialect))]
    truth = true_sinkings(fleet, cells)
    assert truth in stories
    assert dialect == "readme" or stories == [truth]


@pytest.mark.parametrize("dialect", ["readme", "engine"])
@pytest.mark.parametrize("seed", range(10))
def test_it_goes_on_from_shots_that_were_not_its_own(seed: int, dialect: str) -> None:
    """After any shots, told in either dialect, it fires at a cell that is fresh."""
    luck = random.Random(seed)
    fleet = tuple(foresight.place(luck).values())
    ship_cells = [cell for cell in range(64) if union(fleet) >> cell & 1]
    water = [cell for cell in range(64) if not union(fleet) >> cell & 1]
    cells = luck.sample(ship_cells, 5 + seed % 9) + luck.sample(water, 20 + seed)
    luck.shuffle(cells)
    cell = foresight.shoot(*told_of(fleet, cells, dialect))
    assert cell in range(64)
    assert cell not in cells
