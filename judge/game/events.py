"""The events of a game: shots and their answers, comings and goings; and the view of a seat.

All of it is frozen; only `judge.game.game.Game` moves.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec import Struct

from judge.documents.game import Outcome, RecordedShot, Result, Termination
from judge.documents.rules import Cell, Fleet, Rules, Ship


class Target(NamedTuple):
    """The target of a shot: a cell on the board of a seat."""

    seat: int
    cell: Cell


class Shot(Struct, frozen=True):
    """A shot and its answer. ``sunk`` is the length of the ship that it sank, ``ship`` the ship
    itself; what a seat is told of them depends on the rules."""

    seat: int
    target: int
    cell: Cell
    result: Result
    sunk: int | None = None
    repeat: bool = False
    ship: Ship | None = None

    @property
    def is_hit(self) -> bool:
        return self.result.is_hit

    def recorded(self, ms: float = 0.0) -> RecordedShot:
        """The shot as a game record has it, with the time that its seat took."""
        return RecordedShot(self.seat, self.target, *self.cell, self.result, ms)


AnyShot = Shot | RecordedShot


class FleetPlaced(Struct, frozen=True):
    seat: int


class TurnSkipped(Struct, frozen=True):
    """A turn passed without a shot; ``why`` is what a host who ordered it says, else empty."""

    seat: int
    why: str = ""


class Gone(Struct, frozen=True):
    """A seat lost, gave up or left; ``termination`` is None for one who may come back."""

    seat: int
    termination: Termination | None
    detail: str = ""


class Back(Struct, frozen=True):
    seat: int


Event = FleetPlaced | Shot | TurnSkipped | Gone | Back | Outcome


class View(Struct, frozen=True):
    """All that a seat may know: its own fleet, and the shots of everyone as they were told."""

    seat: int
    players: int
    first: int
    rules: Rules
    fleet: Fleet | None
    shots: tuple[Shot, ...]
    due: int
    rounds: int
    present: tuple[bool, ...]
