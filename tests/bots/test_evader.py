"""evader's copy of foresight, and the fleets that it draws."""

import random
from collections import Counter
from itertools import product
from math import prod

import pytest

from bundled import BOTS, load

evader = load("evader")


def test_it_fires_by_the_same_code_and_table_as_foresight() -> None:
    """But for the first comment and the placement the bots are one, so test_foresight.py's laws
    hold for both.
    """

    def firing(name: str, placement: str) -> list[str]:
        text = (BOTS / name / "bot.py").read_text()
        code = text[text.index("import json") :]
        return [code[: code.index(placement)], code[code.index("def name(cell)") :]]

    assert firing("evader", "WEIGHTS =") == firing("foresight", "def place")
    tables = {(BOTS / name / "opening.bin").read_bytes() for name in ("evader", "foresight")}
    assert len(tables) == 1


def mirrored(line: int) -> int:
    """The line with columns and rows swapped."""
    return sum(1 << 8 * (cell % 8) + cell // 8 for cell in range(64) if line >> cell & 1)


def turned(line: int) -> int:
    """The line with the grid turned by a quarter."""
    return sum(1 << 8 * (cell % 8) + 7 - cell // 8 for cell in range(64) if line >> cell & 1)


def test_no_side_of_the_grid_is_preferred() -> None:
    """Lines that a turn or a reflection carries into each other weigh the same."""
    for size, lines in evader.LINES.items():
        for line in lines:
            weight = evader.weight(size, line)
            assert weight > 0
            assert (
                weight == evader.weight(size, mirrored(line)) == evader.weight(size, turned(line))
            )


def test_fleets_are_drawn_by_the_product_of_their_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the fleets that some lines allow each turns up in proportion to its weight
    (chi-square)."""
    luck, draws = random.Random(1), 20_000
    some = {size: luck.sample(lines, 5) for size, lines in evader.LINES.items()}
    fleets = [
        fleet
        for fleet in product(*some.values())
        if sum(fleet).bit_count() == 14 == sum(line.bit_count() for line in fleet)
        and fleet[0] | fleet[1] | fleet[2] | fleet[3] == sum(fleet)
    ]
    weights = [prod(evader.weight(line.bit_count(), line) for line in fleet) for fleet in fleets]
    monkeypatch.setattr(evader, "LINES", some)
    drawn = Counter(tuple(evader.place(luck).values()) for _ in range(draws))
    assert set(drawn) <= set(fleets)
    expected = [draws * weight / sum(weights) for weight in weights]
    distance = sum((drawn[f] - e) ** 2 / e for f, e in zip(fleets, expected, strict=True))
    freedom = len(fleets) - 1
    assert abs(distance - freedom) < 4 * (2 * freedom) ** 0.5
