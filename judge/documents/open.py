"""The messages of the wires `open` and `open-lines`: events, questions and replies.

A reply may have extra keys. It is checked against the schema of its type; the sentence on a wrong
value ends with the text below the field.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from msgspec import UNSET, Meta, UnsetType

from judge.documents.codec import Part, Report
from judge.documents.game import Seat
from judge.documents.replies import Reply
from judge.documents.rules import Orientation, Rules

RepliedNumber = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
Coordinate = Annotated[int, Meta(ge=0, le=99)]
Length = Annotated[int, Meta(ge=1, le=100)]
PlayerName = Annotated[str, Meta(min_length=1, max_length=1000)]
DrawnRules = Annotated[
    Rules,
    Meta(
        extra_json_schema={
            "properties": {
                "fleet": {
                    "type": "array",
                    "description": "The lengths of the ships of this game, even where rules draw them.",
                }
            }
        }
    ),
]


class OpenRepliedShip(Part, frozen=True, array_like=True):
    """A ship: its length, the column and the row of its left or top end, and how it lies."""

    length: RepliedNumber
    """its length"""
    column: RepliedNumber
    """the column of its left or top end"""
    row: RepliedNumber
    """the row of its left or top end"""
    orientation: Literal["horizontal", "vertical"]
    """to the right of that end, or down from it"""


class OpenFleet(Reply, frozen=True, kw_only=True):
    """A bot's fleet. Ships that the rules do not allow are valid here: they make an illegal fleet.
    Extra keys are allowed."""

    CALLED: ClassVar = "open reply to a question for a fleet"

    ships: tuple[OpenRepliedShip, ...]
    """Every ship of the fleet, in any order."""


class OpenRepliedShot(Part, frozen=True, array_like=True):
    """A shot: the seat whose board it goes to, column, row."""

    target: RepliedNumber
    """the seat whose board it goes to"""
    column: RepliedNumber
    """the column"""
    row: RepliedNumber
    """the row"""


class OpenVolley(Reply, frozen=True, kw_only=True):
    """A bot's volley, or a skipped turn. Shots that the rules do not allow are valid here: they
    make an illegal move. Extra keys are allowed."""

    shots: tuple[OpenRepliedShot, ...] | UnsetType = UNSET
    """As many shots as are due, in order."""
    skip: Annotated[Any, Meta(extra_json_schema={"const": True})] | UnsetType = UNSET
    """true in place of shots, where rules let a turn be skipped"""


OpenShots = Annotated[
    OpenVolley,
    Meta(
        title="Open reply to a question for shots",
        extra_json_schema={
            "if": {"required": ["skip"]},
            "then": {"not": {"required": ["shots"]}},
            "else": {"required": ["shots"]},
        },
    ),
]


class OpenShip(Part, frozen=True, array_like=True):
    """A ship: its length, the column and the row of its left or top end, and how it lies."""

    length: Length
    """The length of the ship."""
    column: Coordinate
    """The column of its left or top end."""
    row: Coordinate
    """The row of its left or top end."""
    orientation: Orientation
    """`horizontal`: to the right of that end. `vertical`: down from it."""


class OpenShot(Part, frozen=True, array_like=True):
    """A shot and its result."""

    seat: Seat
    """The seat that fired it."""
    target: Seat
    """The seat whose board it went to."""
    column: Coordinate
    """The column."""
    row: Coordinate
    """The row."""
    result: Annotated[int, Meta(extra_json_schema={"enum": [0, 1, 3, 4]})]
    """0 repeat, 1 miss, 3 hit, 4 hit that sank the ship."""
    sunk: OpenShip | Length | None
    """The ship that the shot sank, or only its length, as the rules have it told; null if no ship
    sank or the rules do not tell."""


class OpenMessage(Report, frozen=True, kw_only=True, tag_field="cmd"):
    """A message to a bot over `open` or `open-lines`."""

    cmd: ClassVar[str]


class OpenPlace(OpenMessage, frozen=True, kw_only=True, tag="place"):
    """The question for your whole fleet. The reply is an `open-fleet`."""

    CALLED: ClassVar = "open question for a fleet"

    cmd: ClassVar[str]
    """Place your fleet."""
    rules: DrawnRules
    """The rules of this game, every key written out; `fleet` has the ships of this very game."""
    seat: Seat
    """Your seat: your place in `players`, from 0."""
    players: Annotated[tuple[PlayerName, ...], Meta(min_length=2, max_length=100)]
    """The names of all players, seat by seat."""


class OpenShoot(OpenMessage, frozen=True, kw_only=True, tag="shoot"):
    """The question for your shots, with all that you may know of the game. The reply is an
    `open-shots`."""

    CALLED: ClassVar = "open question for shots"

    cmd: ClassVar[str]
    """Shoot."""
    rules: DrawnRules
    """The rules of this game, every key written out; `fleet` has the ships of this very game."""
    seat: Seat
    """Your seat: your place in `players`, from 0."""
    players: Annotated[tuple[PlayerName, ...], Meta(min_length=2, max_length=100)]
    """The names of all players, seat by seat."""
    present: Annotated[tuple[bool, ...], Meta(min_length=2, max_length=100)]
    """Seat by seat, whether the player is still in the game."""
    first: Seat
    """The seat that moved first."""
    due: Annotated[int, Meta(ge=1, le=1000)]
    """How many shots your reply has to have, unless it skips the turn."""
    fleet: Annotated[tuple[OpenShip, ...], Meta(min_length=1, max_length=100)]
    """Your own ships."""
    shots: Annotated[tuple[OpenShot, ...], Meta(max_length=100_000)]
    """All shots of all players in order, with the results that the rules have them told."""


class OpenRefused(OpenMessage, frozen=True, kw_only=True, tag="refused"):
    """Your last reply does not count, and the question is put again. This message comes only if
    `bad_move` of the rules is `ask-again`."""

    CALLED: ClassVar = "open refusal"

    cmd: ClassVar[str]
    """Your last reply is refused."""
    why: Annotated[str, Meta(min_length=1, max_length=10_000)]
    """The fault, in one sentence."""
    again: OpenPlace | OpenShoot
    """The question again."""


class OpenEvent(Part, frozen=True, kw_only=True):
    """One event of the game."""

    placed: Seat | UnsetType = UNSET
    """The seat of a player that has placed its fleet."""
    shot: OpenShot | UnsetType = UNSET
    """A shot that a player has fired, as in `open-shoot`."""
    skipped: Seat | UnsetType = UNSET
    """The seat of a player that has skipped its turn."""
    gone: Seat | UnsetType = UNSET
    """The seat of a player that is gone."""
    why: Annotated[str, Meta(max_length=100)] | UnsetType | None = UNSET
    """With `gone`: why the player lost, such as `timeout`; null if the player may come back."""
    back: Seat | UnsetType = UNSET
    """The seat of a player who had left and is back."""


OneOpenEvent = Annotated[
    OpenEvent,
    Meta(
        extra_json_schema={
            "oneOf": [
                {"required": [what]} for what in ("placed", "shot", "skipped", "gone", "back")
            ],
            "dependentRequired": {"gone": ["why"], "why": ["gone"]},
        }
    ),
]


class OpenTold(OpenMessage, frozen=True, kw_only=True, tag="told"):
    """The latest events, as far as you may know them. A bot does not reply to this message. Only
    `open-lines` has this message."""

    CALLED: ClassVar = "open news"

    cmd: ClassVar[str]
    """Something has happened."""
    events: Annotated[tuple[OneOpenEvent, ...], Meta(min_length=1, max_length=10_000)]
    """The events, in order."""


class OpenOver(OpenMessage, frozen=True, kw_only=True, tag="over"):
    """The end of a game. A bot does not reply to this message. Only `open-lines` has this message."""

    CALLED: ClassVar = "open end of a game"

    cmd: ClassVar[str]
    """The game is over."""
    winner: Seat | None
    """The seat that won; null if nobody did."""
    why: Annotated[str, Meta(min_length=1, max_length=100)]
    """Why the game ended: a termination, as in a game record."""
    scores: Annotated[tuple[Annotated[int, Meta(ge=0, le=10**9)], ...], Meta(max_length=100)] | None
    """The points of each seat if the goal is `points`, or its ships afloat if the game ended at the
    round limit; null otherwise."""
