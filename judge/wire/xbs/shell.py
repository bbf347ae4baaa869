"""The protocol of a shell-bot, a program that plays XBS over pipes.

The program first says its name. It answers the description of the table with its board, and then
gets the lines that a client at a table gets during a game. A line ``N`` with the program's name
asks for a turn. After a refused shot the line ``N`` comes again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from judge.documents.rules import BadMove, Cell, Draw, Goal, Placing, Repeat, Rules, Sinking, Turn
from judge.errors import BadOutput, IllegalFleet, IllegalMove, TimedOut
from judge.game.events import Target
from judge.wire.hints import STARTING, WRITES, Hint, always, of_living, says
from judge.wire.interface import CellNames, Transport, Wire
from judge.wire.lines import LineBuffer
from judge.wire.messages import (
    AskFleet,
    AskShots,
    Chat,
    Farewell,
    Fired,
    FromPlayer,
    GameOver,
    GameStart,
    Lobby,
    Placed,
    Refused,
    Said,
    Skipped,
    Told,
    ToPlayer,
)
from judge.wire.strict_json import quoted
from judge.wire.xbs.game_lines import GameLines
from judge.wire.xbs.notation import (
    CELLS,
    LETTERS,
    LONGEST,
    MOST_SIDE,
    SHIP_LENGTHS,
    encoded,
    fields,
    fleet_of,
    game_line,
    message_line,
    name_flaw,
    padded,
    shot_cell,
    words,
)

VERSION = "1.1"  # the version that the published host announces
_TURNS = "|0"  # the last value of a board's line, which players ignore
_MORE_ENDS_OF_LINES = re.compile("[\x85\u2028\u2029]")  # as Python's splitlines has them


_HINTS = (
    *of_living(
        "a bot",
        (WRITES, "write files in the working folder only, which is empty and gone after the game"),
        "read lines until Q comes or stdin ends, and exit only then",
        "print I|name|version before anything is read, and flush each line: in Python, print(…, "
        "flush=True)",
        [
            Hint(
                TimedOut,
                says("no legal reply"),
                "shoot at a square that is a dot on the board of the target, and count its column "
                "and row from 1",
            ),
            Hint(
                TimedOut,
                always,
                "reply sooner: G by J and the board, N with its own name by S or K, each a line of "
                "its own",
            ),
        ],
    ),
    Hint(BadOutput, says("printed more than"), "print one line for a reply and nothing else"),
    Hint(BadOutput, says("before everything else"), "print I|name|version first, and only once"),
    Hint(
        BadOutput,
        says("reply to G"),
        "reply to each G by J|name|board, with the name that its first line says",
    ),
    Hint(
        BadOutput,
        always,
        "reply to N with its own name, and nothing else, by S|target|column|row or K",
    ),
    Hint(
        IllegalFleet,
        always,
        "place each ship of G once, as its letters in one straight line; all else is dots",
    ),
    Hint(IllegalMove, always, "shoot at others, at squares that are dots on their boards"),
)


class XbsShell(Wire):
    """The judge's side of the protocol for one program, for the games of a match.

    The lines name the program as it has named itself, and the other players as the match does.
    Another player whose name is taken gets a number after the name, as in ``#2``.
    """

    name: ClassVar[str] = "xbs"
    transport: ClassVar[Transport] = Transport.PIPES
    keeps_state: ClassVar[bool] = True
    dialects: ClassVar[Sequence[str]] = ("2.0",)
    # With the quote of a source, since a compiled program may hold the other two bytes by chance.
    words: ClassVar[Sequence[bytes]] = (b'"I|', b'"J|', b'"S|')
    # Published programs write a log into their working folder.
    workplace: ClassVar[Sequence[str] | None] = ()
    cells: ClassVar[CellNames] = CELLS
    hints: ClassVar[Sequence[Hint]] = (*STARTING, *_HINTS)
    rival: ClassVar[str] = "xbs-hunt"

    def __init__(self, rules: Rules, seat: int, dialect: str) -> None:
        super().__init__(rules, seat, dialect)
        self._lines = LineBuffer(LONGEST)
        self._name = ""  # the program's name, once it has said it
        self._fault: BadOutput | None = None  # the fault of the program's first line
        self._start: GameStart | None = None
        self._early: list[Told] = []  # messages that came before the first turn
        self._telling: GameLines | None = None
        self._asked: AskFleet | AskShots | None = None

    @staticmethod
    def obstacles(rules: Rules, seats: int) -> Mapping[str, bool]:  # noqa: ARG004 - the protocol's signature
        fleet = rules.fleet
        if isinstance(fleet, Draw):
            fleet = (fleet.longest,) * fleet.ships
        room = sum(2 * length + 2 for length in fleet)
        goal = sum(fleet) if rules.points is None else rules.points
        return {
            "hits are points": rules.goal is not Goal.POINTS,
            "a turn is one shot, whatever it hits": rules.turn is not Turn.SINGLE,
            "a shot is told to have hit or missed, and no more": rules.sinking
            is not Sinking.NOTHING,
            "no square is shot at twice": rules.repeat is not Repeat.ILLEGAL,
            "every player places its whole fleet": rules.placing
            in (Placing.SHIP_BY_SHIP, Placing.JUDGE),
            "it knows no matches to forfeit": rules.bad_move is BadMove.FORFEITS_MATCH,
            f"a board has {MOST_SIDE} squares a side at most": max(rules.columns, rules.rows)
            > MOST_SIDE,
            f"a fleet has {len(LETTERS)} ships at most": len(fleet) > len(LETTERS),
            f"a ship has {SHIP_LENGTHS[0]} to {SHIP_LENGTHS[-1]} squares": not all(
                length in SHIP_LENGTHS for length in fleet
            ),
            "the points to be won are no more than a fleet has squares": goal > sum(fleet),
            f"its players want {goal + room} squares for such a fleet and goal": goal + room
            > rules.columns * rules.rows,
        }

    @staticmethod
    def unsayable(name: str) -> str | None:
        if not name_flaw(name):
            return None
        return (
            "a name has two characters or more, a letter from A to Z or a to z first, none of "
            "<>[]{}()| and no control character, and is not server, all, you, me or new"
        )

    @staticmethod
    def names_to_try(own: str) -> Sequence[str]:
        return own, f"{own}_2", "Xy", "a" * 60, "Cap'n 7 #2"

    @staticmethod
    def name_of_cell(cell: Cell) -> str:
        return f"column {cell.column + 1}, row {cell.row + 1}"

    def send(self, message: ToPlayer) -> None:
        match message:
            case Told():
                self._tell(message)
            case AskShots():
                self._ask_for_shot(message)
            case GameStart(rules=rules):
                self._rules, self._start, self._telling = rules, message, None
                self._early.clear()
            case AskFleet():
                self._ask_for_fleet(message)
            case Refused(_, AskFleet() as again):
                self._ask_for_fleet(again)
            case Refused(why, again):
                self._say(f"M||{words(why)}|")
                if isinstance(again, AskShots):
                    self._ask_for_shot(again)
            case Chat(seat, text, is_private) if self._telling:
                sender = "" if seat is None else self._telling.names[seat]
                group = "" if is_private or not sender else "All"
                self._say(message_line(sender, _readable(text), f"|{group}"))
            case GameOver(outcome):
                self._asked = None
                if self._telling:
                    self._say(*self._telling.over(outcome))
                self._telling = None
            case Farewell():
                self._say("Q")

    def receive_data(self, data: bytes) -> None:
        self._lines.add(data)
        if self._asked and not self._name:
            self._introduce()

    def next_event(self) -> FromPlayer | None:
        if self._fault:
            fault, self._fault, self._asked = self._fault, None, None
            raise fault
        if self._asked is None or not self._name:
            return None
        while (line := self._next_line()) is not None:
            kind, *values = line
            if kind == "M" and self._telling:
                if said := self._said(*padded(values, 2)):
                    return said
                continue
            asked, self._asked = self._asked, None
            return self._placed(line) if isinstance(asked, AskFleet) else self._turn(line)
        return None

    # What goes out

    def _say(self, *lines: str) -> None:
        if lines:
            self._out += encoded(_readable("\n".join(lines)))

    def _ask_for_shot(self, asked: AskShots) -> None:
        self._asked = asked
        self._say(self._own_turn)

    @property
    def _own_turn(self) -> str:
        """The line that asks the program for a turn. The line is sent only when the judge asks."""
        return f"N|{self._name}"

    def _ask_for_fleet(self, asked: AskFleet) -> None:
        self._asked = asked
        if self._name:
            self._describe()
        else:
            self._introduce()

    def _describe(self) -> None:
        assert self._start, "a game begins before a fleet is asked for"
        rules = self._rules
        title = words(rules.name)[:20] or "game"
        self._say(game_line(Lobby(title, rules, self._letters, 0, is_started=False), VERSION))

    @property
    def _letters(self) -> str:
        return LETTERS[: len(self._rules.lengths)]

    def _tell(self, message: Told) -> None:
        if self._telling:
            self._say_told(self._telling.lines(message))
            return
        self._early.append(message)
        if message.up and self._name:
            self._begin()

    def _begin(self) -> None:
        """Send the names of the players still in the game, and the messages kept so far, unless
        this program is out of the game."""
        assert self._start, "a game begins before anybody is up"
        telling = GameLines(self._names_in_lines(), self._rules, self._start.first, _TURNS)
        lines = [line for told in self._early for line in telling.lines(told)]
        if self._seat not in telling.order:
            return  # this program is out, and the others play on
        self._telling = telling
        self._say(f"J|{self._name}")
        self._say(*(f"J|{telling.names[seat]}" for seat in telling.order if seat != self._seat))
        self._say_told(lines)

    def _say_told(self, lines: Iterable[str]) -> None:
        own_turn = self._own_turn
        self._say(*[line for line in lines if line != own_turn])

    def _names_in_lines(self) -> list[str]:
        """The names of all seats in lines to and from the program. No two are alike."""
        assert self._start, "a game has seats"
        called = [words(_readable(name)) or "?" for name in self._start.names]
        called[self._seat] = self._name
        for seat, name in enumerate(called):
            if seat != self._seat and called.count(name) > 1:
                numbered = (f"{name}#{number}" for number in range(2, len(called) + 2))
                called[seat] = next(one for one in numbered if one not in called)
        return called

    # What comes in

    def _next_line(self) -> list[str] | None:
        """The fields of the next line that is not blank, or None while more data is needed."""
        while (line := self._lines.take()) is not None:
            if any(values := fields(line)):
                return values
        return None

    def _introduce(self) -> None:
        """Read the program's first line, which has its name, if it has come. Then send the
        description of the table."""
        try:
            line = self._next_line()
            if line is None:
                return
            kind, bot, version, name = padded(line, 4)
            if kind != "I" or not bot or not version:
                raise _unlike(line, "it says I|its name|its version before everything else")
            if name_flaw(name or bot):
                raise _unlike(line, f"nobody at a table may be called {quoted(name or bot)}")
            self._name = name or bot
        except BadOutput as fault:
            self._fault = fault
        else:
            self._describe()

    def _placed(self, line: Sequence[str]) -> FromPlayer:
        kind, name, board = padded(line, 3)
        if kind != "J" or name != self._name:
            raise _unlike(line, f"the reply to G is J|{self._name}|its board")
        try:
            return Placed(fleet_of(board, self._rules, self._letters))
        except ValueError as error:
            raise IllegalFleet(f"placed the board {quoted(board)}: {error}") from None

    def _turn(self, line: Sequence[str]) -> FromPlayer:
        kind, name, column, row = padded(line, 4)
        if kind == "K":
            return Skipped()
        if kind != "S":
            raise _unlike(line, "a turn is S|target|column|row, or K")
        assert self._telling, "a shot is asked for in a game"
        names = self._telling.names
        if name not in names:
            raise _unlike(line, f"nobody at the table is called {quoted(name)}")
        try:
            return Fired((Target(names.index(name), shot_cell(column, row)),))
        except ValueError as error:
            raise _unlike(line, str(error)) from None

    def _said(self, name: str, text: str) -> Said | None:
        """The program's words to other players, or None if they reach nobody."""
        assert self._telling, "words are for a game"
        if not text:
            return None
        if not name:
            return Said(text)
        if name == self._name or name not in self._telling.names:
            return None
        return Said(text, self._telling.names.index(name))


def _readable(text: str) -> str:
    """The text as valid UTF-8, without U+0085, U+2028 and U+2029. Other players' words may hold
    invalid bytes or these ends of lines, which crash programs in some languages."""
    if text.isascii():  # most lines are ASCII
        return text
    text = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return _MORE_ENDS_OF_LINES.sub(" ", text)


def _unlike(line: Sequence[str], why: str) -> BadOutput:
    return BadOutput(f"wrote {quoted('|'.join(line))}: {why}")
