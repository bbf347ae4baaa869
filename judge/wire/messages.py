"""What the judge tells a player and a player says, whatever protocol lies between them.

All messages are frozen. A wire turns them into bytes and bytes into them (`judge.wire.interface`); the
match sends and takes nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass

from judge.game.events import Event, Target, View
from judge.game.outcome import Outcome
from judge.game.rules import Fleet, Rules, Ship

# To a player


@dataclass(frozen=True, slots=True)
class MatchStart:
    """You have this seat in a match of so many games; ``names`` are those of all seats."""

    seat: int
    names: tuple[str, ...]
    rules: Rules
    games: int


@dataclass(frozen=True, slots=True)
class GameStart:
    """A game begins. ``rules`` have the fleet of this very game, ``seed`` is for the player's own
    luck, ``fleet`` is your fleet where the judge has drawn it, and the seat ``first`` moves first."""

    seat: int
    names: tuple[str, ...]
    rules: Rules
    seed: int | None
    fleet: Fleet | None
    first: int


@dataclass(frozen=True, slots=True)
class AskName:
    """Say that you are there, and who you are: before the first game, where a program connects to
    the judge."""


@dataclass(frozen=True, slots=True)
class AskFleet:
    """Place your fleet."""


@dataclass(frozen=True, slots=True)
class AskShip:
    """Place one ship of this length, where rules have fleets placed ship by ship."""

    length: int


@dataclass(frozen=True, slots=True)
class AskShots:
    """It is your turn, and this is all that you may know."""

    view: View


@dataclass(frozen=True, slots=True)
class Refused:
    """Your last message does not count. ``again`` is the question that is still open, or None if
    you were asked none."""

    why: str
    again: AskFleet | AskShip | AskShots | None


@dataclass(frozen=True, slots=True)
class Told:
    """What has just happened, as far as players may know it."""

    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class GameOver:
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class MatchOver:
    """All games are played; ``won`` is how many of them each seat has won."""

    won: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rejoined:
    """You are back at the table, and this is all that you may know."""

    view: View


@dataclass(frozen=True, slots=True)
class Chat:
    """What a seat said, to everyone or to you alone."""

    seat: int
    text: str
    is_private: bool


@dataclass(frozen=True, slots=True)
class Farewell:
    """Nothing follows, and the connection ends. A protocol may want an answer to that."""


Question = AskName | AskFleet | AskShip | AskShots | Refused
ToPlayer = (
    MatchStart | GameStart | Question | Told | GameOver | MatchOver | Rejoined | Chat | Farewell
)

# From a player


@dataclass(frozen=True, slots=True)
class Joined:
    """The player is there, or there again; the names are its own words."""

    name: str
    authors: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    fleet: Fleet


@dataclass(frozen=True, slots=True)
class PlacedShip:
    ship: Ship


@dataclass(frozen=True, slots=True)
class Fired:
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    pass


@dataclass(frozen=True, slots=True)
class Resigned:
    pass


@dataclass(frozen=True, slots=True)
class Left:
    """The player is gone, and may come back where the rules have it; ``why`` is said of it."""

    why: str = "left the game"


@dataclass(frozen=True, slots=True)
class Said:
    """Words for the table, or for the seat ``to`` alone."""

    text: str
    to: int | None = None


Answer = Placed | PlacedShip | Fired | Skipped
FromPlayer = Joined | Answer | Resigned | Left | Said
