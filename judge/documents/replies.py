"""The questions to a brainjar bot, its replies, and lists of fleets.

A reply may have extra keys. It is checked against the schema of its type; the sentence on a wrong
value ends with the text below the field.
"""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from msgspec import Meta, field

from judge.documents.codec import Document, Part, Report
from judge.documents.rules import Ship

_DIGITS = {"pattern": "^[0-9]{2}$"}  # stands first, so that the fault of a longer text names it
Digits = Annotated[str, Meta(**_DIGITS, max_length=2, extra_json_schema=_DIGITS)]
Size = Annotated[str, Meta(pattern="^[1-9][0-9]?$", description="the size of a ship")]
SnapshotCell = Annotated[str, Meta(pattern="^[0-7]{2}$", max_length=2)]
SnapshotShot = Annotated[str, Meta(pattern="^[01][0-7]{2}[134]$", max_length=4)]
UNIQUE = Meta(extra_json_schema={"uniqueItems": True})


class Reply(Document, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """A bot's reply."""


class PointedShip(Part, frozen=True, kw_only=True):
    """The place of the ship of this size."""

    point: Digits
    """its left or top end: column, then row, a digit each"""
    orientation: Literal["horizontal", "vertical"]
    """to the right of the point, or down from it"""


class RepliedShip(PointedShip, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """The place of the ship of this size."""


class BrainjarFleet(Reply, frozen=True, kw_only=True):
    """A bot's fleet: one ship a size. The rules set the sizes; this schema has the sizes of
    brainjar. Extra keys are allowed."""

    CALLED: ClassVar = "brainjar init reply"

    two: RepliedShip = field(name="2")
    """The ship of two cells."""
    three: RepliedShip = field(name="3")
    """The ship of three cells."""
    four: RepliedShip = field(name="4")
    """The ship of four cells."""
    five: RepliedShip = field(name="5")
    """The ship of five cells."""


class BrainjarMove(Reply, frozen=True, kw_only=True):
    """A bot's shot. A cell off the grid, or one shot at before, is valid here: it makes an illegal
    move. Extra keys are allowed."""

    CALLED: ClassVar = "brainjar move reply"

    move: Digits
    """the cell to shoot at: column, then row, a digit each"""


class BrainjarInit(Report, frozen=True, kw_only=True):
    """The question for a fleet: the only argument of the bot."""

    CALLED: ClassVar = "brainjar init question"

    cmd: Literal["init"] = "init"
    """Place your fleet."""


class BrainjarSnapshot(Report, frozen=True, kw_only=True):
    """The question for a shot, with the whole game so far: the only argument of the bot. The rules
    set the board and the ship sizes; this schema has those of brainjar."""

    CALLED: ClassVar = "brainjar snapshot"

    cmd: Literal["move"] = "move"
    """Shoot."""
    moves: tuple[SnapshotShot, ...]
    """All shots of both players, in order: player, cell, result (1 miss, 3 hit; in the engine
    dialect, 4 for a hit that sinks a ship)."""
    hit: Annotated[tuple[SnapshotCell, ...], UNIQUE]
    """Your hits, sorted by column, then row."""
    missed: Annotated[tuple[SnapshotCell, ...], UNIQUE]
    """Your misses, sorted by column, then row."""
    destroyed: Annotated[tuple[Literal[2, 3, 4, 5, "2", "3", "4", "5"], ...], UNIQUE]
    """The sizes of the ships that you have sunk, in the order of sinking: integers, or strings in
    the engine dialect."""
    you: Literal[0, 1]
    """Which player you are in `moves`."""


RepliedFleet = Annotated[
    dict[Size, PointedShip], Meta(description="As a reply to init: a ship under its size.")
]
RecordedFleet = Annotated[
    tuple[Ship, ...],
    Meta(max_length=50, description="As in a game record: the ships, in any order."),
]
Placements = Annotated[
    tuple[RepliedFleet | RecordedFleet, ...],
    Meta(
        min_length=1,
        max_length=100_000,
        title="Placements",
        description=(
            "A list of fleets for bots to find: the file that `judge test --placements` takes. Each is "
            "written as a bot's reply to init or as the fleet of a seat in a game record."
        ),
    ),
]
