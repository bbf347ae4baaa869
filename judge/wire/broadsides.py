"""The broadsides protocol: lines of text to and from one process that lives for a game.

A player is told everything as it happens (``INFO …``, never answered) and asked for ships, for
volleys, and at the end for a last word (``ACTION …``). An answer is the next line that the player
has written, whenever it wrote it: before the question, or too many lines at once. Nothing that
came is ever thrown away.

Columns are letters and rows are numbers, so ``C5`` is the third column of the fifth row.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from judge.documents.game import Outcome
from judge.documents.rules import (
    BadMove,
    Cell,
    Fleet,
    Orientation,
    Placing,
    Repeat,
    Rules,
    Ship,
    Sinking,
)
from judge.errors import BadOutput
from judge.game.events import Event, Shot, Target
from judge.wire.interface import Transport
from judge.wire.lines import LineBuffer
from judge.wire.messages import (
    AskFleet,
    AskShip,
    AskShots,
    Farewell,
    Fired,
    FromPlayer,
    GameOver,
    GameStart,
    Placed,
    Refused,
    Told,
    ToPlayer,
)
from judge.wire.strict_json import quoted

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_WORDS = {Orientation.HORIZONTAL: "H", Orientation.VERTICAL: "V"}
_ORIENTATIONS = {word: orientation for orientation, word in _WORDS.items()}

# What is cut from both ends of an answer: the original program did, and players rely on it.
_BLANKS = b" \t\n\v\f\r\0"

LAST_WORD = "FINISH"  # what is asked for; any other line will do

_NAME = re.compile(r"\w+", re.ASCII)
_NUMBER_OF_A_NAMESAKE = re.compile(r"#[0-9]+\Z")
_CELL = re.compile(r"([A-Z])([1-9][0-9]{0,3})")
_SHIP = re.compile(r"([1-9][0-9]{0,3}):([A-Z][1-9][0-9]{0,3}):([HV])")


class Broadsides:
    """One player's end of the protocol, for one game."""

    name: ClassVar[str] = "broadsides"
    transport: ClassVar[Transport] = Transport.PIPES
    keeps_state: ClassVar[bool] = True
    dialects: ClassVar[Sequence[str]] = ("plain",)
    words: ClassVar[Sequence[bytes]] = (b"ACTION", b"SHIPS", b"SHOTS")
    # A published player writes a log to ./log, and dies where that folder is missing.
    workplace: ClassVar[Sequence[str] | None] = ("log",)

    def __init__(self, rules: Rules, seat: int, dialect: str) -> None:
        self._rules = rules
        self._seat = seat
        self._names: tuple[str, ...] = ()
        self._out = b""
        self._lines = LineBuffer()
        self._read: Callable[[str], FromPlayer] | None = None
        self._is_parting = False

    @staticmethod
    def unsupported(rules: Rules, seats: int) -> str | None:
        reasons = {
            "a game has two players": seats > 2,
            "a column is one letter, so a board has 26 columns at most": rules.columns > 26,
            "a shot is told to have hit or missed, and no more": rules.sinking
            is not Sinking.NOTHING,
            "a repeat is not told apart from a first shot": rules.repeat is Repeat.SAID_SO,
            "every player is asked for its whole fleet": rules.placing
            in (Placing.SHIP_BY_SHIP, Placing.JUDGE),
            "it has no way to ask again": rules.bad_move is BadMove.ASK_AGAIN,
            "it plays single games, and no match of several": rules.match > 1,
            "it knows no matches to forfeit": rules.bad_move is BadMove.FORFEITS_MATCH,
        }
        return next((reason for reason, true in reasons.items() if true), None)

    @staticmethod
    def unsayable(name: str) -> str | None:
        if _NAME.fullmatch(name):
            return None
        return "a name has only the letters A to Z and a to z, digits and _"

    @staticmethod
    def environment(rules: Rules) -> Mapping[str, str]:  # noqa: ARG004 - the protocol's signature
        return {}  # its lines tell the rules

    @staticmethod
    def luck(seed: int) -> Mapping[str, str]:
        return {"BOT_SEED": str(seed)}

    @staticmethod
    def shown(data: bytes) -> str:
        return data.decode("utf-8", "backslashreplace")

    @staticmethod
    def name_of_cell(cell: Cell) -> str:
        return cell_text(cell)

    @property
    def is_owed(self) -> bool:
        """Whether the answer to ``ACTION FINISH`` is awaited: any line, or the end."""
        return self._is_parting and not (self._lines.has_ended or self._lines.has_line())

    def send(self, message: ToPlayer) -> None:
        match message:
            case Told(events):
                self._tell_volleys(events)
            case AskShots(view):
                self._say(f"ACTION SHOTS {view.due}")
                self._read = self._volley
            case GameStart():
                self._say(self._setup(message))
            case AskFleet():
                self._say(f"ACTION SHIPS {self._ships_of_rules()}")
                self._read = _fleet
            case GameOver(Outcome(winner=winner)):
                self._read = None
                if winner is not None:
                    self._say(f"INFO WINNER {self._names[winner]}")
            case Farewell():
                self._say("ACTION FINISH")
                self._is_parting = True
            case Refused(again=None):
                return  # it was asked nothing
            case Refused() | AskShip():
                raise AssertionError(f"rules with {message} are not for this wire")
            case _:
                return  # there are no words for it

    def data_to_send(self) -> bytes:
        data, self._out = self._out, b""
        return data

    def receive_data(self, data: bytes) -> None:
        self._lines.add(data)

    def next_event(self) -> FromPlayer | None:
        if self._read is None:
            return None
        line = self._lines.take()
        if line is None:
            return None
        read, self._read = self._read, None
        return read(_text(line))

    def _say(self, line: str) -> None:
        self._out += line.encode("ascii") + b"\n"

    def _setup(self, start: GameStart) -> str:
        self._rules = start.rules
        self._names = tuple(map(told_name, start.names))
        in_order = self._names[start.first :] + self._names[: start.first]
        return (
            f"INFO SETUP players:{','.join(in_order)} "
            f"board:{start.rules.columns}x{start.rules.rows} ships:{self._ships_of_rules()}"
        )

    def _ships_of_rules(self) -> str:
        return ",".join(map(str, self._rules.lengths))

    def _tell_volleys(self, events: Sequence[Event]) -> None:
        """Say a line for each volley among these events."""
        line, seat = "", -1
        for event in events:
            if isinstance(event, Shot):
                if event.seat != seat:
                    if line:
                        self._say(line)
                    seat = event.seat
                    line = f"INFO SHOTS {self._names[seat]}"
                line += f" {cell_text(event.cell)}:{'hit' if event.is_hit else 'miss'}"
        if line:
            self._say(line)

    def _volley(self, text: str) -> FromPlayer:
        target = 1 - self._seat
        cells = _words("SHOTS", text)
        return Fired(tuple([Target(target, _cell(text, cell)) for cell in cells]))


def fleet_answer(fleet: Fleet) -> str:
    """The line that places this fleet."""
    ships = (
        f" {ship.length}:{cell_text(Cell(ship.column, ship.row))}:{_WORDS[ship.orientation]}"
        for ship in fleet
    )
    return "SHIPS" + "".join(ships)


def volley_answer(cells: Sequence[Cell]) -> str:
    """The line that shoots at these cells."""
    return "SHOTS" + "".join(f" {cell_text(cell)}" for cell in cells)


def told_name(name: str) -> str:
    """The name as players are told it: without the ``#2`` that tells two of one name apart."""
    return _NUMBER_OF_A_NAMESAKE.sub("", name)


def cell_text(cell: Cell) -> str:
    """A cell in the protocol's words; of a ship that leaves the board, perhaps one off it."""
    if cell.column >= len(_LETTERS):
        return f"column {cell.column + 1}, row {cell.row + 1}"
    return f"{_LETTERS[cell.column]}{cell.row + 1}"


def _text(line: bytes) -> str:
    line = line.strip(_BLANKS)
    try:
        return line.decode("ascii")
    except UnicodeDecodeError:
        shown = quoted(line.decode("utf-8", "backslashreplace"))
        raise BadOutput(f"replied {shown}: a line has ASCII characters only") from None


def _fleet(text: str) -> FromPlayer:
    return Placed(tuple(_ship(text, word) for word in _words("SHIPS", text)))


def _words(first: str, text: str) -> list[str]:
    """The words after the first, which must be this one, with single spaces between all."""
    said, *words = text.split(" ")
    if said != first:
        raise BadOutput(f"replied {quoted(text)}: the answer to ACTION {first} starts with {first}")
    if "" in words:
        raise BadOutput(f"replied {quoted(text)}: there is one space between two words")
    return words


def _ship(text: str, word: str) -> Ship:
    found = _SHIP.fullmatch(word)
    if found is None:
        raise BadOutput(
            f"replied {quoted(text)}: {quoted(word)} is no ship; one is its length, its top or "
            f"left cell and H or V, as in 5:A1:H{_of_old_ruby(word)}"
        )
    length, cell, orientation = found.groups()
    column, row = _cell(text, cell)
    return Ship(int(length), column, row, _ORIENTATIONS[orientation])


def _of_old_ruby(word: str) -> str:
    """What may have gone wrong in a player for Ruby 1.8, where a list in a text had no brackets."""
    if "[" not in word:
        return ""
    return (
        "; if it was written for Ruby 1.8: since Ruby 1.9 a list in a text has brackets; write "
        "#{cells.join(' ')}"
    )


def _cell(text: str, word: str) -> Cell:
    found = _CELL.fullmatch(word)
    if found is None:
        raise BadOutput(
            f"replied {quoted(text)}: {quoted(word)} is no cell; one is a letter and a number, as "
            f"in C5{_of_old_ruby(word)}"
        )
    letter, number = found.groups()
    return Cell(_LETTERS.index(letter), int(number) - 1)
