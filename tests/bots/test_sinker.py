"""The knowledge that sinker and foresight have of what their shots sank, against enumeration and
their own true games."""

import random
from collections import Counter
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bundled import BOTS, load
from fleets import EVERYWHERE, all_fleets, answers, corner, told_of, true_sinkings, union
from strategies import examples

sinker, foresight = load("sinker"), load("foresight")


def stories_of(bot: ModuleType, shots: Any, sizes: list[int]) -> list[Any]:
    """What may have been sunk by what, as the bot would have shot."""
    if bot is sinker:
        return sinker.read_stories(shots, sizes, own_policy=True)
    return [story for story, _ in foresight.read_stories(shots, sizes)]


def test_fleets_are_counted_by_the_same_code_as_in_exact() -> None:
    """The bots share the text that counts fleets, so test_exact.py's laws hold for both."""

    def counting(name: str) -> str:
        text = (BOTS / name / "bot.py").read_text()
        return text[text.index("SIDE =") : text.index("def possible_lines")]

    assert counting("sinker") == counting("exact")


@examples(40)
@given(st.data())
def test_known_sinkings_are_counted_as_enumerated(data: st.DataObject) -> None:
    """Each line is in as many fleets as would have given the same answers, sinkings named."""
    fleet = data.draw(st.sampled_from(all_fleets(5)))
    grid = [cell for cell in range(64) if corner(5) >> cell & 1]
    cells = data.draw(st.permutations(grid))[: data.draw(st.integers(0, 25))]
    shot = sum(1 << cell for cell in cells)
    hit, missed = union(fleet) & shot, (shot | EVERYWHERE & ~corner(5)) & ~union(fleet)
    choices = sinker.possible_lines(hit, missed, true_sinkings(fleet, cells))
    told = answers(fleet, cells)
    # Hits and misses first: quicker than the answers one by one.
    alike = (other for other in all_fleets(5) if union(other) & shot == hit)
    lines = Counter(line for other in alike if answers(other, cells) == told for line in other)
    assert +Counter(sinker.count_fleets(choices, hit)) == lines


@pytest.mark.parametrize("bot", [sinker, foresight], ids=["sinker", "foresight"])
@pytest.mark.parametrize(("dialect", "seed"), [("engine", 0), ("readme", 1), ("readme", 2)])
def test_it_finds_its_own_true_story(bot: ModuleType, dialect: str, seed: int) -> None:
    """Before its last shot it has not ruled out what happened; told sinkings, it knows just
    that."""
    fleet = tuple(bot.place(random.Random(seed)).values())
    cells: list[int] = []
    while len(told_of(fleet, cells, dialect)[1]) < 4:
        cells.append(bot.shoot(*told_of(fleet, cells, dialect)))
    cells.pop()
    stories = stories_of(bot, *told_of(fleet, cells, dialect))
    truth = true_sinkings(fleet, cells)
    assert truth in stories
    assert dialect == "readme" or stories == [truth]


@pytest.mark.parametrize("bot", [sinker, foresight], ids=["sinker", "foresight"])
@pytest.mark.parametrize("dialect", ["readme", "engine"])
@pytest.mark.parametrize("seed", range(10))
def test_it_goes_on_from_shots_that_were_not_its_own(
    bot: ModuleType, seed: int, dialect: str
) -> None:
    """After any shots, told in either dialect, it fires at a cell that is fresh."""
    luck = random.Random(seed)
    fleet = tuple(bot.place(luck).values())
    ship_cells = [cell for cell in range(64) if union(fleet) >> cell & 1]
    water = [cell for cell in range(64) if not union(fleet) >> cell & 1]
    cells = luck.sample(ship_cells, 5 + seed % 9) + luck.sample(water, 20 + seed)
    luck.shuffle(cells)
    cell = bot.shoot(*told_of(fleet, cells, dialect))
    assert cell in range(64)
    assert cell not in cells
