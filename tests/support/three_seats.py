"""A game of three or four on a small board, by a protocol for any number of seats."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from judge.documents.game import Result
from judge.documents.rules import Cell, Orientation, Ship
from judge.game.events import Target
from judge.wire.open import fleet_reply, shots_reply

TRIO = {
    "name": "trio",
    "columns": 3,
    "rows": 3,
    "fleet": [2],
    "players": [3, 4],
    "turn": "single",
    "repeat": "illegal",
    "placing": "all",
    "bad_move": "forfeits",
    "wire": "open",
}
FLEET = (Ship(2, 0, 0, Orientation.HORIZONTAL),)
FORWARDS = [(column, row) for row in range(3) for column in range(3)]


def shooting(cells: Sequence[tuple[int, int]]) -> Callable[[bytes], bytes]:
    """A program that shoots at these cells of whoever is next and afloat."""

    def answer(data: bytes) -> bytes:
        asked: dict[str, Any] = json.loads(data)
        if asked["cmd"] == "place":
            return json.dumps(fleet_reply(FLEET)).encode()
        seats, shots = len(asked["players"]), asked["shots"]
        sunk = {target for _, target, _, _, result, *_ in shots if result == Result.SUNK}
        others = ((asked["seat"] + step) % seats for step in range(1, seats))
        target = next(one for one in others if asked["present"][one] and one not in sunk)
        shot_at = {tuple(shot[2:4]) for shot in shots if shot[1] == target}
        cell = next(cell for cell in cells if cell not in shot_at)
        return json.dumps(shots_reply([Target(target, Cell(*cell))])).encode()

    return answer
