"""The broadsides protocol: lines of text to and from one process that lives for a game.

Lines ``INFO …`` tell a player what happens, and have no answer. Lines ``ACTION …`` ask the player
for ships, for volleys, and after the game for a last word. The answer is the first line of the
player that was not read yet, even if the player wrote it before the question.

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
from judge.errors import BadOutput, IllegalFleet, IllegalMove, TimedOut
from judge.game.events import Event, Shot, Target
from judge.wire.hints import STARTING, Hint, always, complains, of_living, says
from judge.wire.interface import CellNames, Transport, Wire
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

# Characters that are cut from both ends of an answer, as the original program does.
_BLANKS = b" \t\n\v\f\r\0"

LAST_WORD = "FINISH"  # the player's last line

_NAME = re.compile(r"\w+", re.ASCII)
_NUMBER_OF_A_NAMESAKE = re.compile(r"#[0-9]+\Z")
_CELL = re.compile(r"([A-Z])([1-9][0-9]{0,3})")
_SHIP = re.compile(r"([1-9][0-9]{0,3}):([A-Z][1-9][0-9]{0,3}):([HV])")


_SHIPS = "reply to ACTION SHIPS with one line of all ships asked for, as in SHIPS 5:A1:H 4:A2:V …"
_SHOTS = "reply to ACTION SHOTS 3 with one line of as many cells, as in SHOTS A1 J10 C5"
_HINTS = (
    *of_living(
        "a player",
        (
            complains("cannot load such file", "No such file", "ENOENT"),
            (
                "find files beside the program, as by require_relative: the working folder holds the "
                "player's data file and an empty folder log, and nothing else; a player that is more than "
                "one file is given as its folder, and helpers that lie elsewhere come with --share FOLDER"
            ),
        ),
        "read lines until stdin ends, and exit only then or after ACTION FINISH",
        "flush each line: in Ruby, begin with $stdout.sync = true; and end it with a line feed",
        [Hint(TimedOut, always, "reply sooner, by one line that ends with a line feed")],
    ),
    Hint(BadOutput, says("printed more than"), "print one line for a reply and nothing else"),
    Hint(BadOutput, says("starts with SHIPS", "is not a ship"), _SHIPS),
    Hint(
        BadOutput,
        says("starts with SHOTS"),
        f"{_SHOTS}; a line too many before is taken for this reply: print such lines to stderr",
    ),
    Hint(BadOutput, always, _SHOTS),
    Hint(
        IllegalFleet,
        says("placed ships of"),
        "place each ship that is asked for, as often as it is asked for",
    ),
    Hint(
        IllegalFleet,
        always,
        "draw the fleet anew until it fits: a ship is named by its left or top cell",
    ),
    Hint(IllegalMove, says("due"), "fire as many shots as ACTION SHOTS says, each time"),
    Hint(IllegalMove, always, "shoot at cells of the board only: A1 to J10"),
)


class Broadsides(Wire):
    """The judge's side of the protocol for one player, for one game."""

    name: ClassVar[str] = "broadsides"
    transport: ClassVar[Transport] = Transport.PIPES
    keeps_state: ClassVar[bool] = True
    words: ClassVar[Sequence[bytes]] = (b"ACTION", b"SHIPS", b"SHOTS")
    # A published player writes a log into ./log, and crashes if that folder is missing.
    workplace: ClassVar[Sequence[str] | None] = ("log",)
    learns: ClassVar[bool] = True
    cells: ClassVar[CellNames] = CellNames(_LETTERS, first=1, are_typed=True)
    hints: ClassVar[Sequence[Hint]] = (*STARTING, *_HINTS)
    shots_vary: ClassVar[bool] = True
    last_word: ClassVar[str] = LAST_WORD
    rival: ClassVar[str] = "salvo"

    def __init__(self, rules: Rules, seat: int, dialect: str) -> None:
        super().__init__(rules, seat, dialect)
        self._names: tuple[str, ...] = ()
        self._lines = LineBuffer()
        self._read: Callable[[str], FromPlayer] | None = None
        self._is_parting = False

    @staticmethod
    def obstacles(rules: Rules, seats: int) -> Mapping[str, bool]:
        return {
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

    @staticmethod
    def unsayable(name: str) -> str | None:
        if _NAME.fullmatch(name):
            return None
        return "a name has only the letters A to Z and a to z, digits and _"

    @staticmethod
    def names_to_try(own: str) -> Sequence[str]:
        return own, f"{own}_2", own[:1], "A", "_", "7", "a" * 60

    @staticmethod
    def name_of_cell(cell: Cell) -> str:
        return cell_text(cell)

    @property
    def is_owed(self) -> bool:
        """Whether the answer to ``ACTION FINISH`` is still to come. Any line is an answer, and so
        is the end of the stream."""
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
                return  # the player was asked nothing
            case Refused() | AskShip():
                raise AssertionError(f"rules with {message} are not for this wire")
            case _:
                return  # the protocol has no words for this message

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
        """Send a line for each volley among these events."""
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
    """The name that players are told: without the ``#2`` by which the judge tells two players of
    one name apart."""
    return _NUMBER_OF_A_NAMESAKE.sub("", name)


def cell_text(cell: Cell) -> str:
    """A cell in the protocol's notation. A cell right of column Z, which no board has, is described
    in words."""
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
    """The words of a line after its first word. Raises `BadOutput` unless the first word is
    ``first`` and single spaces part the words."""
    said, *words = text.split(" ")
    if said != first:
        raise BadOutput(f"replied {quoted(text)}: the reply to ACTION {first} starts with {first}")
    if "" in words:
        raise BadOutput(f"replied {quoted(text)}: there is one space between two words")
    return words


def _ship(text: str, word: str) -> Ship:
    found = _SHIP.fullmatch(word)
    if found is None:
        raise BadOutput(
            f"replied {quoted(text)}: {quoted(word)} is not a ship; one is its length, its top or "
            f"left cell and H or V, as in 5:A1:H"
        )
    length, cell, orientation = found.groups()
    column, row = _cell(text, cell)
    return Ship(int(length), column, row, _ORIENTATIONS[orientation])


def _cell(text: str, word: str) -> Cell:
    found = _CELL.fullmatch(word)
    if found is None:
        raise BadOutput(
            f"replied {quoted(text)}: {quoted(word)} is not a cell; one is a letter and a number, as "
            f"in C5"
        )
    letter, number = found.groups()
    return Cell(_LETTERS.index(letter), int(number) - 1)
