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

    ``seats`` are the seats of a record, as they are before a game. ``answer_ms`` has each seat's
    time for an answer, None for no limit. ``join_ms`` has the seats that join before the first
    game, with their times for joining. ``name_of_cell`` has the function by which a seat's protocol
    names a cell. ``match`` is the id of a match of several games. With ``until_forfeit`` the match
    ends with the first game that a forfeit ends or that is void. The ``absent`` seats have no
    player: they skip every turn and must not move first, and their fleets are given.
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
    """These rules for the game with this seed: if they draw ship lengths, the lengths are drawn."""
    # Ship lengths are drawn from another seed than the fleets that the judge places.
    return rules.drawn(Random(f"{seed}:fleet"))


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSetup:
    """The facts of one game of a match. Its ``rules`` must have the ship lengths drawn.

    If the judge places fleets, it draws them from ``seed``. A seat with a legal fleet in ``fleets``
    is not asked for one. ``rules_told`` are those that players are told, or None if these are
    ``rules``.
    """

    id: str
    seed: int | None
    first: int
    rules: Rules
    fleets: Mapping[int, Fleet] = field(default_factory=dict)
    rules_told: Rules | None = None


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
    """Let ``seat`` skip its turn, if it is up and the rules allow that. All players are told
    ``why``."""

    seat: int
    why: str = "the host says so"


class Remove(Struct, frozen=True):
    """Remove a seat. Its player may come back if the rules allow that and the placing is over."""

    seat: int


class Abort(Struct, frozen=True):
    """Abort the game and its match. ``why`` goes into the record."""

    why: str
