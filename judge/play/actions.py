"""The data between a match and its driver: seats and games, what to do next, a host's orders."""

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
    """The facts that all games of a match share; they go into every record.

    ``seats`` have everything but what comes of the game. ``answer_ms`` is each seat's time for
    an answer, None where there is no limit, and ``join_ms`` has the time to say that it is there
    for each seat that does so before the first game. ``name_of_cell`` is how a
    seat's protocol calls a cell. ``match`` names a match of several games, and ``until_forfeit``
    says that it ends with the first game that is forfeited, whatever the rules. Nobody sits in the
    ``absent`` seats, which skip each turn and never move first; their fleets are given.
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
    """The rules of the game with this seed: where they draw the fleet, it is drawn."""
    # The seed of a fleet that the rules draw is not that of fleets that the judge places.
    return rules.drawn(Random(f"{seed}:fleet"))


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSetup:
    """One game of a match: what differs from the others. The fleet of its rules must be drawn.

    ``seed`` is where fleets that the judge places come from. ``fleets`` has those of seats that
    are not asked for one; they must be legal.
    """

    id: str
    seed: int | None
    first: int
    rules: Rules
    fleets: Mapping[int, Fleet] = field(default_factory=dict)


# What the driver is to do. There are several for each shot, so what is made most is made fastest.


class Tell(Struct, frozen=True):
    """Tell a seat; nothing is to be answered."""

    seat: int
    message: ToPlayer


class Ask(Struct, frozen=True):
    """Ask a seat, which has ``timeout_ms`` to answer; None: as long as it likes."""

    seat: int
    message: Question
    timeout_ms: float | None


class Withdraw(Struct, frozen=True):
    """A seat need not answer any more."""

    seat: int


Action = Tell | Ask | Withdraw


# What a host may order


class SkipTurn(Struct, frozen=True):
    """Let the seat that is up skip its turn, where rules know skipping; all are told ``why``."""

    seat: int
    why: str = "the host says so"


class Remove(Struct, frozen=True):
    """Remove a seat from the game, for good unless the rules let players come back."""

    seat: int


class Abort(Struct, frozen=True):
    """Break the game off, and with it the match; ``why`` goes into the record."""

    why: str
