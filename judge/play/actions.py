"""The data between a match and its driver: seats and games, actions, and a host's orders."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from random import Random

from msgspec import Struct

from judge.documents.game import IsolationLevel, Limits, RecordedSeat
from judge.documents.rules import Cell, Fleet, Rules
from judge.wire.messages import Question, ToPlayer


@dataclass(frozen=True, slots=True, kw_only=True)
class Seating:
    """The facts that all games of a match share.

    ``seats`` are the players as records name them before a game. ``answer_ms`` has the time of each
    seat for an answer, None for no limit. ``join_ms`` has the seats that join before the first
    game, with their time for that. ``name_of_cell`` has the function by which a seat's protocol
    names a cell. ``match`` is the id of a match of several games. With ``until_forfeit`` the match
    ends with the first forfeit, whatever the rules say. The ``absent`` seats have no player: they
    skip every turn and never move first, and their fleets are given.
    """

    rules: Rules
    seats: tuple[RecordedSeat, ...]
    answer_ms: tuple[float | None, ...]
    limits: Limits
    isolation: IsolationLevel
    enforcement: tuple[str, ...] = ()
    host: str | None = None
    rated: bool = True
    match: str | None = None
    games: int = 1
    until_forfeit: bool = False
    absent: Collection[int] = ()
    join_ms: Mapping[int, float | None] = field(default_factory=dict)
    name_of_cell: Mapping[int, Callable[[Cell], str]] = field(default_factory=dict)


def with_fleet(rules: Rules, seed: int) -> Rules:
    """The rules of the game with this seed, with the fleet drawn if the rules draw it."""
    # Ship lengths are drawn from another seed than the fleets that the judge places.
    return rules.drawn(Random(f"{seed}:fleet"))


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSetup:
    """The facts of one game of a match. The fleet of its ``rules`` must be drawn.

    The judge draws the fleets that it places from ``seed``. ``fleets`` has the legal fleets of
    seats that are not asked for a fleet.
    """

    id: str
    seed: int | None
    first: int
    rules: Rules
    fleets: Mapping[int, Fleet] = field(default_factory=dict)


# Actions of the driver. Every shot makes several, so they are Structs, which are quick to make.


class Tell(Struct, frozen=True):
    """Send a seat a message that needs no answer."""

    seat: int
    message: ToPlayer


class Ask(Struct, frozen=True):
    """Put a question to a seat. ``timeout_ms`` is the time for the answer, or None for no limit."""

    seat: int
    message: Question
    timeout_ms: float | None


class Withdraw(Struct, frozen=True):
    """Withdraw the question to a seat."""

    seat: int


Action = Tell | Ask | Withdraw


# Orders of a host


class SkipTurn(Struct, frozen=True):
    """Let the seat that is up skip its turn, if the rules allow skips. All players are told
    ``why``."""

    seat: int
    why: str = "the host says so"


class Remove(Struct, frozen=True):
    """Remove a seat from the game: for good, unless the rules let players come back."""

    seat: int


class Abort(Struct, frozen=True):
    """Abort the game and its match. ``why`` goes into the record."""

    why: str
