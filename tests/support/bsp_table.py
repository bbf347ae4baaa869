"""A BSP table for two in this very process, without sockets and clocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from changes import replace
from judge.documents.game import Limits, RecordedSeat
from judge.documents.rules import Cell, Fleet, Orientation, Ship
from judge.errors import BadOutput, TimedOut
from judge.game.variants import BSP
from judge.play.deal import Abort, Ask, Deal, Do, Seating, Tell
from judge.play.match import Match
from judge.wire.bsp.server import BspServer
from judge.wire.messages import FromClient, Joined, Left, Welcome

ACROSS, DOWN = Orientation.HORIZONTAL, Orientation.VERTICAL

# The fleet of both, unless others are given.
FLEET: Fleet = (
    Ship(5, *Cell(0, 0), ACROSS),
    Ship(4, *Cell(0, 2), DOWN),
    Ship(3, *Cell(2, 2), ACROSS),
    Ship(3, *Cell(2, 4), DOWN),
    Ship(2, *Cell(0, 7), ACROSS),
    Ship(2, *Cell(8, 9), ACROSS),
    Ship(1, *Cell(9, 0), ACROSS),
    Ship(1, *Cell(7, 4), ACROSS),
    Ship(1, *Cell(9, 6), ACROSS),
)


@dataclass
class Line:
    end: BspServer = field(default_factory=BspServer)
    out: bytearray = field(default_factory=bytearray)
    is_closed: bool = False


class Table:
    """The first two to join play, the first of them as A; ``first`` is whose turn is first."""

    def __init__(
        self,
        *,
        first: int = 0,
        rounds: int = 300,
        fleets: Sequence[Fleet] = (FLEET, FLEET),
    ) -> None:
        self.first = first
        self.fleets = fleets
        self.rules = replace(BSP, round_limit=rounds)
        self.seats: list[Line] = []
        self.match: Match | None = None

    def connect(self) -> Line:
        return Line()

    def receive(self, line: Line, data: bytes) -> None:
        if line.is_closed:
            return
        line.end.receive_data(data)
        try:
            while event := line.end.next_event():
                self._take(line, event)
        except BadOutput:
            line.is_closed = True
        self._collect([line])

    def sent(self, line: Line) -> bytes:
        data = bytes(line.out)
        line.out.clear()
        return data

    def time_is_up(self) -> None:
        assert self.match
        (up,) = self.match.waiting
        self._do(self.match.receive(up, TimedOut("took its time")))
        self._collect(self.seats)

    def abort(self) -> None:
        assert self.match
        self._do(self.match.host(Abort("the host quit")))
        self._collect(self.seats)

    def _take(self, line: Line, event: FromClient) -> None:
        match event:
            case Joined():
                line.end.send(Welcome("", ()))
                self.seats.append(line)
                if len(self.seats) == 2:
                    self._start()
            case Left() if self.match is None:
                line.is_closed = True
                if line in self.seats:
                    self.seats.remove(line)
            case _:
                assert self.match
                self._do(self.match.receive(self.seats.index(line), event))
        self._collect(self.seats)

    def _start(self) -> None:
        seats = tuple(RecordedSeat.of(name) for name in ("a", "b"))
        table = Seating(
            rules=self.rules,
            seats=seats,
            answer_ms=(None, None),
            limits=Limits(timeout_ms=30_000),
            isolation="none",
        )
        fleets = dict(enumerate(self.fleets))
        deal = Deal(id="table", seed=1, first=self.first, rules=self.rules, fleets=fleets)
        self.match = Match(table, [deal])
        self._do(self.match.start())

    def _do(self, todo: Sequence[Do]) -> None:
        for do in todo:
            match do:
                case Tell(seat, message) | Ask(seat, message, _):
                    self.seats[seat].end.send(message)

    def _collect(self, lines: Sequence[Line]) -> None:
        for line in lines:
            line.out += line.end.data_to_send()
