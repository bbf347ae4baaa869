"""The messages between the judge and a player, whatever protocol lies between them.

All messages are frozen. A wire turns them into bytes and bytes into them (`judge.wire.interface`);
the match sends and takes nothing else.
"""

from __future__ import annotations

from msgspec import Struct

from judge.documents.game import Outcome
from judge.documents.rules import Fleet, Rules, Ship
from judge.game.events import Event, Target, View

# To a player


class MatchStart(Struct, frozen=True):
    """You have this seat in a match of ``games`` games; ``names`` are those of all seats."""

    seat: int
    names: tuple[str, ...]
    rules: Rules
    games: int


class GameStart(Struct, frozen=True):
    """A game begins. ``rules`` have the fleet of this very game, ``seed`` is for the player's own
    luck, ``fleet`` is your fleet where the judge has drawn it, and the seat ``first`` moves
    first."""

    seat: int
    names: tuple[str, ...]
    rules: Rules
    seed: int | None
    fleet: Fleet | None
    first: int


class AskName(Struct, frozen=True):
    """Say that you are there, and who you are: before the first game, where a program connects to
    the judge."""


class AskFleet(Struct, frozen=True):
    """Place your fleet."""


class AskShip(Struct, frozen=True):
    """Place one ship of this length, where rules have fleets placed ship by ship."""

    length: int


class AskShots(Struct, frozen=True):
    """It is your turn, and this is all that you may know."""

    view: View


class Refused(Struct, frozen=True):
    """Your last message does not count. ``again`` is the question that is still open, or None if
    you were asked none."""

    why: str
    again: AskFleet | AskShip | AskShots | None


class Told(Struct, frozen=True):
    """The latest events, as far as players may know them. ``up`` are the seats whose turn it is
    then: none while fleets are placed, and once the game is over."""

    events: tuple[Event, ...]
    up: tuple[int, ...] = ()


class GameOver(Struct, frozen=True):
    outcome: Outcome


class MatchOver(Struct, frozen=True):
    """All games are played; ``won`` is how many of them each seat has won."""

    won: tuple[int, ...]


class Rejoined(Struct, frozen=True):
    """You are back at the table, and this is all that you may know."""

    view: View


class Chat(Struct, frozen=True):
    """The words of a seat, or of the host where it is None, to everyone or to you alone.

    Before the game a seat is the place in the order of coming: the others of `Welcome`, then
    yourself, then who `Arrived`; and everyone moves up when somebody `Departed`.
    """

    seat: int | None
    text: str
    is_private: bool


class Farewell(Struct, frozen=True):
    """Nothing follows, and the connection ends. A protocol may want an answer to that."""


Question = AskName | AskFleet | AskShip | AskShots | Refused
ToPlayer = (
    MatchStart | GameStart | Question | Told | GameOver | MatchOver | Rejoined | Chat | Farewell
)

# To a client of a server besides


class Lobby(Struct, frozen=True):
    """The table that you have connected to. ``letters`` name the ships of the rules, in order;
    ``joined`` players have a place."""

    title: str
    rules: Rules
    letters: str
    joined: int
    is_started: bool


class Welcome(Struct, frozen=True):
    """You have a place, beside these others, in the order in which they came."""

    name: str
    others: tuple[str, ...]


class Arrived(Struct, frozen=True):
    """Somebody has come after you."""

    name: str


class Departed(Struct, frozen=True):
    """Somebody has left before the game."""

    name: str
    why: str


class Denied(Struct, frozen=True):
    """You do not get the place that you asked for, and may ask for another."""

    why: str


class Dismissed(Struct, frozen=True):
    """The server ends the connection; ``why`` is empty where it says nothing."""

    why: str


class Taunt(Struct, frozen=True):
    """The reply of the seat at which you have just shot, told with the shot."""

    seat: int
    text: str


ToClient = ToPlayer | Lobby | Welcome | Arrived | Departed | Denied | Dismissed | Taunt

# From a player


class Joined(Struct, frozen=True):
    """The player is there, or there again; the names are its own words. ``fleet`` is what it
    brings to a server where players place their fleets as they come, and ``flaw`` why what it
    brings is not a fleet; it may bring nothing."""

    name: str
    authors: str = ""
    fleet: Fleet | None = None
    flaw: str = ""


class Placed(Struct, frozen=True):
    fleet: Fleet


class PlacedShip(Struct, frozen=True):
    ship: Ship


class Fired(Struct, frozen=True):
    targets: tuple[Target, ...]


class Skipped(Struct, frozen=True):
    pass


class Resigned(Struct, frozen=True):
    pass


class Left(Struct, frozen=True):
    """The player is gone, and may come back where the rules have it; ``why`` is said of it."""

    why: str = "left the game"


class Said(Struct, frozen=True):
    """Words for the table, or for the seat ``to`` alone, which is as `Chat` has it."""

    text: str
    to: int | None = None


Answer = Placed | PlacedShip | Fired | Skipped
FromPlayer = Joined | Answer | Resigned | Left | Said

# From a client of a server besides


class Inquired(Struct, frozen=True):
    """The player asks for the `Lobby`."""


class TauntAdded(Struct, frozen=True):
    """Words for whoever hits a ship of the player, or misses; None forgets those added before."""

    on_hit: bool
    text: str | None


FromClient = FromPlayer | Inquired | TauntAdded
