"""What the judge says to a player and hears from one, and what every wire must be able to do.

A wire turns messages into bytes and bytes into messages. It opens nothing, waits for nothing and
knows no clock; the shape is that of the h11 library.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from judge.game.events import Target, View
from judge.game.rules import Fleet, Rules


@dataclass(frozen=True, slots=True)
class AskFleet:
    """Place your fleet."""


@dataclass(frozen=True, slots=True)
class AskShots:
    """It is your turn, and this is all that you may know."""

    view: View


@dataclass(frozen=True, slots=True)
class Refused:
    """Your last answer does not count; you will be asked again."""

    why: str


ToBot = AskFleet | AskShots | Refused


@dataclass(frozen=True, slots=True)
class Placed:
    fleet: Fleet


@dataclass(frozen=True, slots=True)
class Fired:
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Skipped:
    pass


@dataclass(frozen=True, slots=True)
class Resigned:
    pass


FromBot = Placed | Fired | Skipped | Resigned


class Wire(Protocol):
    """One player's end of a protocol, for one game."""

    dialects: ClassVar[Sequence[str]]

    def __init__(self, rules: Rules, seat: int, dialect: str) -> None: ...

    @staticmethod
    def unsupported(rules: Rules) -> str | None:
        """Why this protocol cannot express these rules, or None if it can."""

    def send(self, message: ToBot) -> None: ...

    def data_to_send(self) -> bytes:
        """What is to go to the bot now; empties the queue."""

    def receive_data(self, data: bytes) -> None:
        """Take what came from the bot; ``b""`` is the end of the stream."""

    def next_event(self) -> FromBot | None:
        """The next message, or None while more data is needed; raises `BadOutput`."""
