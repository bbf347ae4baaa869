"""The interface of every wire, and what a wire says that it needs.

A wire turns messages into bytes and bytes into messages. It opens nothing, waits for nothing and
knows no clock; the shape is that of the h11 library.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import ClassVar, NamedTuple, Protocol

from judge.documents.rules import Cell, Rules
from judge.wire.hints import STARTING, Hint
from judge.wire.messages import FromPlayer, ToPlayer

RULES_VARIABLE = "BOT_RULES"


class Transport(Enum):
    """How the bytes of a wire get to a player and back."""

    ONE_SHOT = "one-shot"  # a new process for every question, which is its last argument
    PIPES = "pipes"  # one process for a match: questions on its stdin, answers on its stdout
    # One process for a match: it connects to a Unix socket, whose path is its last argument, and
    # says who it is before it is sent anything.
    SOCKET = "socket"


class Detection(Protocol):
    """Finds out the dialect of a program, over a connection that serves for nothing else."""

    def data_to_send(self) -> bytes:
        """The bytes that go to the program now; empties the queue."""

    def receive_data(self, data: bytes) -> None:
        """Take what came from it; ``b""`` is the end of the stream."""

    @property
    def is_over(self) -> bool:
        """Whether no more is to be heard: the dialect is known, or cannot be told."""

    @property
    def dialect(self) -> str | None:
        """The dialect, once it is known."""


class CellNames(NamedTuple):
    """How players write a cell: its column by one of the ``letters``, if there are any, and else by
    its number, as its row; ``first`` is the number of the first. If they ``are_typed``, the judge
    names cells so to everybody, and else to those who look at a game."""

    letters: str = ""
    first: int = 0
    form: str = "{column}{row}"
    are_typed: bool = False


class Wire(ABC):
    """One player's end of a protocol, for the games of one connection, and all that is particular
    to the protocol. A class leaves out what it shares with most of them."""

    name: ClassVar[str]
    transport: ClassVar[Transport]
    keeps_state: ClassVar[bool] = False
    """Whether an answer depends on what went over the wire before the question."""
    dialects: ClassVar[Sequence[str]] = ("plain",)
    """The first is the usual one."""
    detection: ClassVar[Callable[[], Detection] | None] = None
    """Finds out which of the other dialects a program speaks, where the first stands for these."""
    words: ClassVar[Sequence[bytes]] = ()
    """Words that every program has in it that speaks the protocol, and few others all of."""
    workplace: ClassVar[Sequence[str] | None] = None
    """The folders in the fresh, writable folder in which programs start; None has them start in the
    bot's own folder."""
    learns: ClassVar[bool] = False
    """Whether players may have a data file, from which they learn."""
    library: ClassVar[str] = ""
    """The folder beside players that are single files from which they load what they share."""
    cells: ClassVar[CellNames] = CellNames()
    hints: ClassVar[Sequence[Hint]] = STARTING
    """The mends of programs' mistakes; the first that fits is told."""
    shots_vary: ClassVar[bool] = False
    """Whether `judge check` also looks how a player copes with fewer shots to a turn."""
    plays_matches: ClassVar[bool] = False
    """Whether `judge check` also plays matches of several games, broken off and with repeated
    shots."""
    last_word: ClassVar[str] = ""
    """The player's word at the end of a game, which costs it nothing if it is missing."""
    socket_server: ClassVar[str] = ""
    """The judge's end of a socket, as a Python program of one line: it sends the messages that it is
    given as words, and prints the answers. It has its name once it can be connected to."""
    is_written_by_pages: ClassVar[bool] = False
    """Whether the script of a game's page can write what players were asked, in each dialect."""
    rival: ClassVar[str] = "hunter"
    """The bundled bot that `judge menu` proposes as an opponent."""

    def __init__(self, rules: Rules, seat: int, dialect: str) -> None:
        self._rules = rules
        self._seat = seat
        self._out = bytearray()

    @classmethod
    def unsupported(cls, rules: Rules, seats: int) -> str | None:
        """Why this protocol cannot express a game of this number of seats by these rules, or None
        if it can."""
        return next((why for why, holds in cls.obstacles(rules, seats).items() if holds), None)

    @staticmethod
    def obstacles(rules: Rules, seats: int) -> Mapping[str, bool]:  # noqa: ARG004 - for subclasses
        """The obstacles to expressing a game in this protocol, and whether each holds."""
        return {}

    @staticmethod
    def unsayable(name: str) -> str | None:  # noqa: ARG004 - for subclasses
        """Why this protocol cannot tell a player that somebody has this name, or None if it can.
        The name is a seat's, without the ``#2`` that tells two bots of one name apart."""
        return None

    @staticmethod
    def names_to_try(own: str) -> Sequence[str]:  # noqa: ARG004 - for subclasses
        """The names of opponents with which `judge check` looks how a player copes that has this
        name itself; none where the protocol tells no names."""
        return ()

    @staticmethod
    def rules_to_try() -> Sequence[Rules]:
        """Rules by which `judge check` plays besides those that the user has chosen."""
        return ()

    @staticmethod
    def environment(rules: Rules) -> Mapping[str, str]:  # noqa: ARG004 - for subclasses
        """The variables that a program gets besides those of every program."""
        return {}

    @staticmethod
    def luck(seed: int) -> Mapping[str, str]:
        """The variables by which a program gets the seed of its own luck."""
        return {"BOT_SEED": str(seed)}

    @staticmethod
    def readable(data: bytes) -> str:
        """The traffic of a player, as a person is shown it."""
        return data.decode("utf-8", "backslashreplace")

    @staticmethod
    def name_of_cell(cell: Cell) -> str:
        """How a player of this protocol is told of a cell in a sentence."""
        return str(cell)

    @abstractmethod
    def send(self, message: ToPlayer) -> None:
        """Take a message. One that the protocol cannot express, and the game goes on without, is
        dropped."""

    def data_to_send(self) -> bytes:
        """The bytes that go to the player now; empties the queue."""
        data, self._out = bytes(self._out), bytearray()
        return data

    @abstractmethod
    def receive_data(self, data: bytes) -> None:
        """Take what came from the player; ``b""`` is the end of the stream."""

    @abstractmethod
    def next_event(self) -> FromPlayer | None:
        """The next message, or None while more data is needed; raises `BadOutput`, and
        `IllegalFleet` for a fleet that a message cannot hold."""

    @property
    def is_owed(self) -> bool:
        """Whether an answer is still to come for which no game waits, after `Farewell`."""
        return False
