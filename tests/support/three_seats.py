"""A game of three or four on a small board, by a protocol for any number of seats."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from judge.documents.game import Result
from judge.documents.rules import Cell, Orientation, Rules, Ship
from judge.errors import BadOutput
from judge.game.events import Target
from judge.wire.interface import Transport, Wire
from judge.wire.messages import AskFleet, AskShots, Fired, FromPlayer, Placed, ToPlayer

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
    "wire": "lines",
}
FLEET = (Ship(2, 0, 0, Orientation.HORIZONTAL),)
FORWARDS = [(column, row) for row in range(3) for column in range(3)]


class Lines(Wire):
    """A protocol for any number of seats, one process a question. It is here because no protocol
    of the judge's own can express more than two."""

    name: ClassVar[str] = "lines"
    transport: ClassVar[Transport] = Transport.ONE_SHOT

    def __init__(self, rules: Rules, seat: int, dialect: str) -> None:
        super().__init__(rules, seat, dialect)
        self._in = b""
        self._is_complete = False
        self._is_placing = False

    @staticmethod
    def obstacles(rules: Rules, seats: int) -> Mapping[str, bool]:  # noqa: ARG004 - any will do
        return {"nine seats are the most": seats > 9}

    @staticmethod
    def luck(seed: int) -> Mapping[str, str]:  # noqa: ARG004 - it has none
        return {}

    def send(self, message: ToPlayer) -> None:
        match message:
            case AskFleet():
                self._is_placing, self._out = True, b"{}"
            case AskShots(view):
                told = {
                    "you": view.seat,
                    "present": view.present,
                    "shots": [[one.seat, one.target, *one.cell] for one in view.shots],
                    "sunk": [one.target for one in view.shots if one.result is Result.SUNK],
                }
                self._is_placing, self._out = False, json.dumps(told).encode()
            case _:
                return
        self._in, self._is_complete = b"", False

    def receive_data(self, data: bytes) -> None:
        self._in += data
        self._is_complete = not data

    def next_event(self) -> FromPlayer | None:
        if not self._is_complete:
            return None
        self._is_complete = False
        if self._is_placing:
            return Placed(FLEET)
        try:
            seat, column, row = json.loads(self._in)
        except ValueError:
            raise BadOutput(f"replied {self._in.decode()}") from None
        return Fired((Target(seat, Cell(column, row)),))


def shooting(cells: Sequence[tuple[int, int]], most: int = 99) -> Callable[[bytes], bytes]:
    """A program that shoots at these cells of whoever is next and afloat, and, after ``most``
    shots, replies with a word."""

    def answer(data: bytes) -> bytes:
        told: dict[str, Any] = json.loads(data)
        if not told:
            return b"placed"
        you, seats = told["you"], len(told["present"])
        if sum(shot[0] == you for shot in told["shots"]) == most:
            return b"enough"
        others = ((you + step) % seats for step in range(1, seats))
        target = next(one for one in others if told["present"][one] and one not in told["sunk"])
        shot_at = {tuple(shot[2:]) for shot in told["shots"] if shot[1] == target}
        return json.dumps([target, *next(cell for cell in cells if cell not in shot_at)]).encode()

    return answer
