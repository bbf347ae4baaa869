"""A player of the contest in this very process: it places a ship a row and shoots by its seed."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

from judge.documents.rules import Cell, Orientation, Ship
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection
from judge.wire.contest import ship_answer, shot_answer
from wire_players import Frames


def program(seed: int, slips: float = 0.0) -> Callable[[bytes], bytes]:
    """The function that answers, in dialect 2; with the chance ``slips`` something wrong."""
    luck = Random(seed)
    side = 10
    rows: list[int] = []
    cells: list[Cell] = []

    def answer(data: bytes) -> bytes:
        nonlocal side, rows, cells
        said = json.loads(data.rstrip(b"\0"))
        if luck.random() < slips:
            return b"bang"
        match said["mt"]:
            case 2:
                side = said["bs"]
            case 3:
                rows = luck.sample(range(side), side)
                cells = [Cell(column, row) for column in range(side) for row in range(side)]
                luck.shuffle(cells)
            case 4:
                column = luck.randrange(side - said["l"] + 1)
                return ship_answer(Ship(said["l"], column, rows.pop(), Orientation.HORIZONTAL))
            case 6 | 8 if said.get("ns", True):
                return shot_answer(cells[-1] if luck.random() < 0.05 else cells.pop())
        return b""

    return answer


def plays(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
    """Connect to such a player; every bot has one of its own."""
    return Frames(program(seed % 1000 + sum(map(ord, bot.name))))


def slips(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
    """The same; the bot ``bob`` ends the match by an error."""
    name = bot.name.partition("#")[0]
    return Frames(program(seed % 1000 + sum(map(ord, name)), slips=0.02 * (name == "bob")))
