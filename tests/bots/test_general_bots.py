"""The general bots `random`, `hunt`, `parity` and `hunter`: one program each for every game."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from bundled import BOTS, GRID, Game, uniform_fleet
from ladder import ladder

GENERAL = ("random", "hunt", "parity", "hunter")
COMMON = "# From here on `random`, `hunt`, `parity` and `hunter` are the same"
EARLIER = json.loads((Path(__file__).parent / "earlier_answers.json").read_text())


class Earlier:
    """A bot as it is, asked as `earlier_answers.json` was made: by the programs that spoke nothing
    but brainjar."""

    def __init__(self, name: str) -> None:
        self.bot = ladder.Loaded(name)

    def ask(self, request: dict, seed: int) -> dict:
        data = json.dumps(request, separators=(",", ":")).encode()
        reply: dict = json.loads(self.bot.ask(data, seed)[0])
        return reply

    def fleet(self, seed: int) -> str:
        ships = self.ask({"cmd": "init"}, seed)
        return " ".join(f"{ship['point']}{ship['orientation'][0]}" for ship in ships.values())

    def game(self, seed: int) -> str:
        """The cells of all its shots in a silent game, from either seat, in either dialect."""
        dialect = ("readme", "engine")[seed // 2 % 2]
        game = Game(uniform_fleet(random.Random(seed)), seat=seed % 2, dialect=dialect)
        while not game.over:
            game.shoot(self.ask(game.request(), seed)["move"])
        return "".join(move[1:3] for move in game.moves)

    def position(self, seed: int) -> str:
        """The cell of its shot in a position to which it would not have come by itself."""
        luck = random.Random(seed)
        game = Game(uniform_fleet(luck), dialect=("readme", "engine")[seed % 2])
        ships = [cell for ship in game.fleet.values() for cell in ship]
        water = [cell for cell in GRID if cell not in ships]
        for cell in luck.sample(ships, luck.randrange(14)) + luck.sample(water, luck.randrange(51)):
            game.shoot(cell)
        move: str = self.ask(game.request(), seed)["move"]
        return move


@pytest.mark.parametrize("name", GENERAL)
def test_brainjar_is_played_as_ever(name: str) -> None:
    """100 fleets, all shots of 40 games and the shot in each of 400 other positions are those of
    the programs that spoke nothing but brainjar."""
    bot, earlier = Earlier(name), EARLIER[name]
    assert [bot.fleet(seed) for seed in range(100)] == earlier["fleets"]
    assert [bot.game(seed) for seed in range(40)] == earlier["games"]
    assert "".join(bot.position(seed) for seed in range(400)) == earlier["positions"]


def test_the_bots_differ_in_how_they_shoot_alone() -> None:
    """All that is below the mark in their files is the same, byte for byte."""
    parts = [(BOTS / name / "bot.py").read_text().split(COMMON) for name in GENERAL]
    assert [len(part) for part in parts] == [2] * len(GENERAL)
    assert len({part[1] for part in parts}) == 1
