"""The events of a game, and the view that a seat has of it.

All types here are frozen.
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
    """A shot and its result. ``sunk`` is the length of the ship that the shot sank, and ``ship``
    that ship; both are None if it sank none. The rules say which of the two the players are
    told."""

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
        """The shot in the form of a game record. ``ms`` is the time that the seat took."""
        column, row = self.cell
        return RecordedShot(self.seat, self.target, column, row, self.result, ms)


AnyShot = Shot | RecordedShot


class FleetPlaced(Struct, frozen=True):
    seat: int


class TurnSkipped(Struct, frozen=True):
    """A turn passed without a shot. ``why`` is the host's reason if the host ordered the skip, or
    empty."""

    seat: int
    why: str = ""


class Gone(Struct, frozen=True):
    """A player has forfeited, resigned or left. ``termination`` is None if the player may come
    back."""

    seat: int
    termination: Termination | None
    detail: str = ""


class Back(Struct, frozen=True):
    seat: int


Event = FleetPlaced | Shot | TurnSkipped | Gone | Back | Outcome


class View(Struct, frozen=True):
    """All that a seat may know of a game. ``fleet`` is its own fleet, and ``shots`` are all shots
    as players are told them. ``due`` is the number of shots in its next volley, 0 if it is not
    up."""

    seat: int
    players: int
    first: int
    rules: Rules
    fleet: Fleet | None
    shots: tuple[Shot, ...]
    due: int
    rounds: int
    present: tuple[bool, ...]
