"""The base class of wires, and the types in which a wire describes itself.

A wire is a protocol between the judge and a player. It turns messages into bytes and bytes into
messages, without input, output or a clock.
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
    """How the bytes of a wire reach a player and come back."""

    ONE_SHOT = "one-shot"  # a new process for every question, which is the process's last argument
    PIPES = "pipes"  # one process for a match: questions on its stdin, answers on its stdout
    # One process for a match. It connects to a Unix socket, whose path is its last argument, and
    # says its name before the judge sends anything.
    SOCKET = "socket"


class Detection(Protocol):
    """A dialogue that finds out the dialect of a program, over a connection of its own."""

    def data_to_send(self) -> bytes:
        """The bytes to send to the program now. The call empties the queue."""

    def receive_data(self, data: bytes) -> None:
        """Take bytes that came from the program; ``b""`` is the end of the stream."""

    @property
    def is_over(self) -> bool:
        """Whether the dialogue is over, with the dialect known or not."""

    @property
    def dialect(self) -> str | None:
        """The dialect, or None if it is not known."""


class CellNames(NamedTuple):
    """How players write a cell. ``letters`` name the columns; without letters columns have numbers,
    as rows always have. ``first`` is the number of the first row, and of the first column without
    letters. ``form`` puts column and row together. With ``are_typed``, people write cells so."""

    letters: str = ""
    first: int = 0
    form: str = "{column}{row}"
    are_typed: bool = False


class Wire(ABC):
    """The judge's side of a protocol for one player and one connection, and the facts about the
    protocol. The class has defaults that fit most protocols."""

    name: ClassVar[str]
    transport: ClassVar[Transport]
    keeps_state: ClassVar[bool] = False
    """Whether an answer depends on earlier messages, and not on the question alone."""
    dialects: ClassVar[Sequence[str]] = ("plain",)
    """The names of the protocol's dialects, the usual one first."""
    detection: ClassVar[Callable[[], Detection] | None] = None
    """Makes the dialogue that finds out a program's dialect, or None. If it is given, the first of
    `dialects` is not a dialect but asks for this dialogue."""
    words: ClassVar[Sequence[bytes]] = ()
    """Words that the texts of most programs of this protocol hold. Few other programs hold all of
    them. Empty if no such words are known."""
    workplace: ClassVar[Sequence[str] | None] = None
    """The folders that are made in a fresh working folder, in which the program starts. With None
    it starts in the bot's own folder."""
    learns: ClassVar[bool] = False
    """Whether players may keep a data file from game to game."""
    library: ClassVar[str] = ""
    """The name of a folder beside single-file players, from which they load shared code; empty for
    none."""
    cells: ClassVar[CellNames] = CellNames()
    hints: ClassVar[Sequence[Hint]] = STARTING
    """Advice on programs' faults. `judge check` shows the first that fits."""
    shots_vary: ClassVar[bool] = False
    """Whether `judge check` also tries positions with fewer shots due."""
    plays_matches: ClassVar[bool] = False
    """Whether `judge check` also plays matches of several games: some broken off, some with
    repeated shots."""
    last_word: ClassVar[str] = ""
    """The line that a player is to answer after a game; empty if the protocol wants none. Another
    answer, or none, costs nothing."""
    socket_server: ClassVar[str] = ""
    """A Python program of one line that acts as the judge's end of a socket. Its arguments are the
    path of the socket and the messages to send, and it prints the answers. Empty without a
    socket."""
    is_written_by_pages: ClassVar[bool] = False
    """Whether a game's HTML page can show the questions of this protocol."""
    rival: ClassVar[str] = "hunter"
    """The bundled bot that `judge menu` proposes as an opponent."""

    def __init__(self, rules: Rules, seat: int, dialect: str) -> None:
        self._rules = rules
        self._seat = seat
        self._out = bytearray()

    @classmethod
    def unsupported(cls, rules: Rules, seats: int) -> str | None:
        """Why the protocol cannot express a game with this number of seats by these rules, or None
        if it can."""
        return next((why for why, holds in cls.obstacles(rules, seats).items() if holds), None)

    @staticmethod
    def obstacles(rules: Rules, seats: int) -> Mapping[str, bool]:  # noqa: ARG004 - for subclasses
        """The limits of this protocol, each as a clause, and whether a game with this number of
        seats by these rules is beyond the limit."""
        return {}

    @staticmethod
    def unsayable(name: str) -> str | None:  # noqa: ARG004 - for subclasses
        """Why the protocol cannot tell players this name, or None if it can. The name comes without
        the ``#2`` by which the judge tells two bots of one name apart."""
        return None

    @staticmethod
    def names_to_try(own: str) -> Sequence[str]:  # noqa: ARG004 - for subclasses
        """The names of opponents that `judge check` tries against a player named ``own``; empty if
        the protocol tells no names."""
        return ()

    @staticmethod
    def rules_to_try() -> Sequence[Rules]:
        """Rules that `judge check` tries besides the chosen ones."""
        return ()

    @staticmethod
    def environment(rules: Rules) -> Mapping[str, str]:  # noqa: ARG004 - for subclasses
        """The environment variables that the protocol adds for these rules."""
        return {}

    @staticmethod
    def luck(seed: int) -> Mapping[str, str]:
        """The environment variables that tell a program its seed."""
        return {"BOT_SEED": str(seed)}

    @staticmethod
    def readable(data: bytes) -> str:
        """The bytes of a connection as text for people."""
        return data.decode("utf-8", "backslashreplace")

    @staticmethod
    def name_of_cell(cell: Cell) -> str:
        """The name of a cell in a sentence for a player of this protocol."""
        return str(cell)

    @abstractmethod
    def send(self, message: ToPlayer) -> None:
        """Take a message for the player. A message that the game does not need and for which the
        protocol has no words is dropped."""

    def data_to_send(self) -> bytes:
        """The bytes to send to the player now. The call empties the queue."""
        data, self._out = bytes(self._out), bytearray()
        return data

    @abstractmethod
    def receive_data(self, data: bytes) -> None:
        """Take bytes that came from the player; ``b""`` is the end of the stream."""

    @abstractmethod
    def next_event(self) -> FromPlayer | None:
        """The next message from the player, or None while nothing is asked or more data is needed.
        Raises `BadOutput` for an unreadable answer, and `IllegalFleet` for some illegal fleets."""

    @property
    def is_owed(self) -> bool:
        """Whether the answer to `Farewell` is still to come."""
        return False
