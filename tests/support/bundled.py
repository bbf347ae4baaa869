"""The bundled bots as tests meet them: the Python ones as modules, and silent games to play."""

import contextlib
import io
import random
import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

import pytest

import ladder

load = ladder.load  # the Python bot of a name, as a module

BOTS = Path(__file__).resolve().parents[2] / "bots"
GRID = [f"{column}{row}" for column in range(8) for row in range(8)]

Fleet = dict[int, list[str]]  # the cells of each size's ship


def run_here(code: CodeType, argument: str, **variables: str) -> str:
    """The output of a Python program that is started with this argument, without a process for
    it."""
    said = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(said):
        patch.setattr(sys, "argv", ["bot.py", argument])
        for name, value in variables.items():
            patch.setenv(name, value)
        patch.syspath_prepend(Path(code.co_filename).parent)  # files may lie beside it
        exec(code, {"__name__": "__main__"})
    return said.getvalue()


def cells_of(reply: dict[str, dict[str, str]]) -> Fleet:
    """The cells of every ship of an init reply."""
    fleet = {}
    for size, ship in reply.items():
        column, row = map(int, ship["point"])
        across = {"horizontal": 1, "vertical": 0}[ship["orientation"]]
        fleet[int(size)] = [
            f"{column + across * i}{row + (1 - across) * i}" for i in range(int(size))
        ]
    return fleet


def is_cell(text: str) -> bool:
    """Whether this is "00" to "77"."""
    return text in GRID


def uniform_fleet(luck: random.Random) -> Fleet:
    """A fleet, each legal one as likely."""
    while True:
        reply = {}
        for size in (2, 3, 4, 5):
            point = luck.randrange(9 - size), luck.randrange(8)
            down = luck.random() < 0.5
            column, row = reversed(point) if down else point
            orientation = "vertical" if down else "horizontal"
            reply[str(size)] = {"point": f"{column}{row}", "orientation": orientation}
        fleet = cells_of(reply)
        if len({cell for ship in fleet.values() for cell in ship}) == 14:
            return fleet


@dataclass
class Game:
    """A silent game: an opponent that never shoots, and what a bot is told of it."""

    fleet: Fleet
    seat: int = 0
    dialect: str = "readme"
    hit: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    destroyed: list[int] = field(default_factory=list)
    moves: list[str] = field(default_factory=list)

    @property
    def over(self) -> bool:
        return len(self.destroyed) == len(self.fleet)

    def request(self) -> dict[str, Any]:
        """The question that the bot is sent, keys in the dialect's order."""
        shots = {"hit": sorted(self.hit), "missed": sorted(self.missed)}
        moves, destroyed = list(self.moves), list(self.destroyed)
        if self.dialect == "engine":
            sunk = {"destroyed": [str(size) for size in destroyed]}
            return {**shots, **sunk, "moves": moves, "cmd": "move", "you": self.seat}
        return {"cmd": "move", "moves": moves, **shots, "destroyed": destroyed, "you": self.seat}

    def shoot(self, cell: str) -> None:
        """Take a shot, which must be legal."""
        assert is_cell(cell)
        assert cell not in self.hit + self.missed
        result = 1
        for size, ship in self.fleet.items():
            if cell in ship:
                self.hit.append(cell)
                result = 3
                if set(ship) <= set(self.hit):
                    self.destroyed.append(size)
                    result = 4 if self.dialect == "engine" else 3
        if result == 1:
            self.missed.append(cell)
        self.moves.append(f"{self.seat}{cell}{result}")
