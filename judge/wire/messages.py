"""The messages between the judge and a player, for all protocols.

A wire turns messages into bytes, and bytes into messages. A match sends and takes nothing but these
messages.
"""

from __future__ import annotations

from msgspec import Struct

from judge.documents.game import Outcome
from judge.documents.rules import Fleet, Rules, Ship
from judge.game.events import Event, Target, View

# To a player


class MatchStart(Struct, frozen=True):
    """Tells a player its seat in a match of ``games`` games. ``names`` are the names of all
    seats."""

    seat: int
    names: tuple[str, ...]
    rules: Rules
    games: int


class GameStart(Struct, frozen=True):
    """Tells a player that a game begins. ``rules`` have the ship lengths of this game. ``seed`` is
    for the player's own luck, if any. ``fleet`` is the player's fleet if it is placed already, or
    else None. The seat ``first`` moves first."""

    seat: int
    names: tuple[str, ...]
    rules: Rules
    seed: int | None
    fleet: Fleet | None
    first: int


class AskName(Struct, frozen=True):
    """Asks a program that connects to the judge for its name, before the first game."""


class AskFleet(Struct, frozen=True):
    """Asks a player for its fleet."""


class AskShip(Struct, frozen=True):
    """Asks a player for one ship of this ``length``, if the rules have fleets placed ship by
    ship."""

    length: int


class AskShots(Struct, frozen=True):
    """Asks a player for its shots. ``view`` is all that the player may know of the game."""

    view: View


class Refused(Struct, frozen=True):
    """Tells a player that its last message does not count. ``again`` is the question that is still
    open, or None if no question is."""

    why: str
    again: AskFleet | AskShip | AskShots | None


class Told(Struct, frozen=True):
    """Tells a player the latest events, as far as players may know them. ``up`` are the seats whose
    turn it is after the events; empty if nobody is up, as during the placing."""

    events: tuple[Event, ...]
    up: tuple[int, ...] = ()


class GameOver(Struct, frozen=True):
    outcome: Outcome


class MatchOver(Struct, frozen=True):
    """Tells a player that the match is over. ``won`` is the number of games that each seat has
    won."""

    won: tuple[int, ...]


class Rejoined(Struct, frozen=True):
    """Tells a player that it is back in the game. ``view`` is all that the player may know of the
    game."""

    view: View


class Chat(Struct, frozen=True):
    """Words of a seat, or of the host if ``seat`` is None, to all players or to this player alone.

    Before the game, ``seat`` is an index in the order of coming: first the others of `Welcome`,
    then the player itself, then each that `Arrived`. Those who `Departed` are left out.
    """

    seat: int | None
    text: str
    is_private: bool


class Farewell(Struct, frozen=True):
    """Tells a player that its connection ends. Some protocols want an answer to this message."""


Question = AskName | AskFleet | AskShip | AskShots | Refused
ToPlayer = (
    MatchStart | GameStart | Question | Told | GameOver | MatchOver | Rejoined | Chat | Farewell
)

# Further messages to a client of a server


class Lobby(Struct, frozen=True):
    """Describes the server's table, which the client has connected to. ``letters`` name the ships
    of the rules, in order. ``joined`` is the number of players that have a place."""

    title: str
    rules: Rules
    letters: str
    joined: int
    is_started: bool


class Welcome(Struct, frozen=True):
    """Tells the client that it has a place. ``others`` are the other players in the order in which
    they came."""

    name: str
    others: tuple[str, ...]


class Arrived(Struct, frozen=True):
    """Tells the client that another player has come."""

    name: str


class Departed(Struct, frozen=True):
    """Tells the client that a player has left before the game."""

    name: str
    why: str


class Denied(Struct, frozen=True):
    """Tells the client that it does not get a place. The client may ask again."""

    why: str


class Dismissed(Struct, frozen=True):
    """Tells the client that the server ends the connection. ``why`` is empty if the server gives no
    reason."""

    why: str


class Taunt(Struct, frozen=True):
    """A taunt from ``seat``, at which the client has just shot. It comes before `Told`."""

    seat: int
    text: str


ToClient = ToPlayer | Lobby | Welcome | Arrived | Departed | Denied | Dismissed | Taunt

# From a player


class Joined(Struct, frozen=True):
    """The player has come, or come back. It gives ``name`` and ``authors`` itself. Some servers
    want a ``fleet`` with this message; if what came is not a fleet, ``flaw`` says why."""

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
    """The player is gone, but may come back if the rules allow that. ``why`` is told to the other
    players."""

    why: str = "left the game"


class Said(Struct, frozen=True):
    """Words of the player to all others, or to the seat ``to`` alone, numbered as in `Chat`."""

    text: str
    to: int | None = None


Answer = Fired | Placed | PlacedShip | Skipped  # the most frequent comes first
FromPlayer = Joined | Answer | Resigned | Left | Said

# Further messages from a client of a server


class Inquired(Struct, frozen=True):
    """The client asks for the `Lobby`."""


class TauntAdded(Struct, frozen=True):
    """A taunt for players that shoot at this player: for hits if ``on_hit``, or else for misses. If
    ``text`` is None, the taunts of this kind added before are forgotten."""

    on_hit: bool
    text: str | None


FromClient = FromPlayer | Inquired | TauntAdded
