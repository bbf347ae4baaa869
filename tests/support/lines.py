"""A protocol of lines for programs that live for a match, as small as can be, and how tests run
such programs. It is in the judge's table of wires only while a test has put it there.

``place`` is answered by the column, the row and ``h`` or ``v`` of each ship, in the order of the
rules, ``shoot N`` by the column and the row of N shots, all separated by spaces. ``seat N``,
``told`` and ``over`` are not answered, unless the dialect is ``waits``: then ``over`` is.
"""

from __future__ import annotations

from typing import ClassVar

from judge.documents.rules import BadMove, Cell, Orientation, Placing, Repeat, Rules, Ship, Turn
from judge.errors import BadOutput
from judge.game.events import Target
from judge.wire.interface import Transport, Wire
from judge.wire.messages import (
    AskFleet,
    AskShots,
    Farewell,
    Fired,
    FromPlayer,
    MatchStart,
    Placed,
    Said,
    Told,
    ToPlayer,
)

TIMEOUT_MS = 500


def tiny(turn: Turn = Turn.SINGLE, **fields) -> Rules:
    """Rules of a small board where shots may be wasted."""
    return Rules(
        name="tiny",
        columns=3,
        rows=3,
        fleet=(2,),
        turn=turn,
        round_limit=30,
        repeat=Repeat.OLD_ANSWER,
        placing=Placing.ALL,
        bad_move=BadMove.FORFEITS,
        wire="lines",
        **fields,
    )


class Lines(Wire):
    """See the file's first lines."""

    name: ClassVar[str] = "lines"
    transport: ClassVar = Transport.PIPES
    keeps_state: ClassVar[bool] = True
    dialects: ClassVar = ("plain", "waits")
    is_owed = False

    def __init__(self, rules: Rules, seat: int, dialect: str) -> None:
        super().__init__(rules, seat, dialect)
        self._dialect = dialect
        self._in = b""
        self._has_ended = False
        self._asked: AskFleet | AskShots | None = None

    @staticmethod
    def obstacles(rules: Rules, seats: int) -> dict[str, bool]:  # noqa: ARG004 - any will do
        return {"two seats are the most": seats > 2}

    @staticmethod
    def environment(rules: Rules) -> dict[str, str]:  # noqa: ARG004 - always the same
        return {"TINY": "yes"}

    def send(self, message: ToPlayer) -> None:
        match message:
            case MatchStart(seat):
                self._out += b"seat %d\n" % seat
            case AskFleet():
                self._asked = message
                self._out += b"place\n"
            case AskShots(view):
                self._asked = message
                self._out += b"shoot %d\n" % view.due
            case Told():
                self._out += b"told\n"
            case Farewell():
                self._asked, self.is_owed = None, self._dialect == "waits"
                self._out += b"over\n"

    def receive_data(self, data: bytes) -> None:
        self._in += data
        self._has_ended = not data
        if self._asked is None and (b"\n" in self._in or not data):
            self.is_owed = False

    def next_event(self) -> FromPlayer | None:
        if b"\n" not in self._in and not (self._has_ended and self._in):
            return None
        line, _, self._in = self._in.partition(b"\n")
        words = line.split()
        try:
            if self._asked is None:
                return Said(line.decode())
            if isinstance(self._asked, AskFleet):
                return Placed(
                    tuple(
                        Ship(length, int(words[3 * number]), int(words[3 * number + 1]), LIES[way])
                        for number, length in enumerate(self._rules.lengths)
                        for way in (words[3 * number + 2],)
                    )
                )
            cells = zip(words[::2], words[1::2], strict=True)
            return Fired(
                tuple(Target(1 - self._seat, Cell(int(column), int(row))) for column, row in cells)
            )
        except (ValueError, IndexError, KeyError):
            raise BadOutput(f"said {line[:40]!r}") from None


class LinesAtWork(Lines):
    """The same for programs that start in a folder of their own."""

    name = "lines-at-work"
    workplace = ("log", "cache")


LIES = {b"h": Orientation.HORIZONTAL, b"v": Orientation.VERTICAL}
