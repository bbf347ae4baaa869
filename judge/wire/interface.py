"""The interface of every wire, and what a wire says that it needs.

A wire turns messages into bytes and bytes into messages. It opens nothing, waits for nothing and
knows no clock; the shape is that of the h11 library.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import ClassVar, Protocol

from judge.documents.rules import Cell, Rules
from judge.wire.messages import FromPlayer, ToPlayer


class Transport(Enum):
    """How the bytes of a wire get to a player and back."""

    ONE_SHOT = "one-shot"  # a new process for every question, which is its last argument
    PIPES = "pipes"  # one process for a match: questions on its stdin, answers on its stdout
    # One process for a match: it connects to a Unix socket, the path of which is its last argument,
    # and says who it is before it is sent anything.
    SOCKET = "socket"


class Wire(Protocol):
    """One player's end of a protocol, for the games of one connection.

    ``transport`` is how its bytes travel, and ``keeps_state`` whether an answer depends on what
    went over the wire before the question. The first of its ``dialects`` is the usual one.
    ``words`` are such as every program has in it that speaks the protocol, and few others have all;
    none where there are no such words. ``workplace`` names the folders in the fresh, writable
    folder in which its programs start; None has them start in the bot's own folder.
    """

    name: ClassVar[str]
    transport: ClassVar[Transport]
    keeps_state: ClassVar[bool]
    dialects: ClassVar[Sequence[str]]
    words: ClassVar[Sequence[bytes]]
    workplace: ClassVar[Sequence[str] | None]

    def __init__(self, rules: Rules, seat: int, dialect: str) -> None: ...

    @staticmethod
    def unsupported(rules: Rules, seats: int) -> str | None:
        """Why this protocol cannot express a game of so many seats by these rules, or None if it
        can."""

    @staticmethod
    def unsayable(name: str) -> str | None:
        """Why this protocol cannot tell a player that somebody has this name, or None if it can.
        The name is a seat's, without the ``#2`` that tells two bots of one name apart."""

    @staticmethod
    def environment(rules: Rules) -> Mapping[str, str]:
        """The variables that a program gets besides those of every program."""

    @staticmethod
    def luck(seed: int) -> Mapping[str, str]:
        """The variables by which a program gets the seed of its own luck."""

    @staticmethod
    def shown(data: bytes) -> str:
        """What went to a player or came from it, as a person is shown it."""

    @staticmethod
    def name_of_cell(cell: Cell) -> str:
        """How a player of this protocol is told of a cell in a sentence."""

    def send(self, message: ToPlayer) -> None:
        """Take a message. One that the protocol cannot express, and the game goes on without, is
        dropped."""

    def data_to_send(self) -> bytes:
        """The bytes that go to the player now; empties the queue."""

    def receive_data(self, data: bytes) -> None:
        """Take what came from the player; ``b""`` is the end of the stream."""

    def next_event(self) -> FromPlayer | None:
        """The next message, or None while more data is needed; raises `BadOutput`, and
        `IllegalFleet` for a fleet that a message cannot hold."""

    @property
    def is_owed(self) -> bool:
        """Whether an answer is still to come for which no game waits, after `Farewell`."""


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
