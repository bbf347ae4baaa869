"""An XBS table in this very process, without sockets and clocks: a lobby, then its game.

It does what a server has to do with the ends of the wire and the match, and no more: bytes of
connections go in, and each connection's bytes come out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from changes import replace
from judge.documents.game import Limits, RecordedSeat
from judge.documents.rules import Fleet, Rules
from judge.game.events import Shot
from judge.game.variants import XBS
from judge.play.deal import Abort, Ask, Deal, Do, Seating, SkipTurn, Tell
from judge.play.match import Match
from judge.wire.messages import (
    Arrived,
    Chat,
    Denied,
    Departed,
    Dismissed,
    FromClient,
    Inquired,
    Joined,
    Left,
    Lobby,
    Said,
    Taunt,
    TauntAdded,
    ToClient,
    Told,
    Welcome,
)
from judge.wire.xbs.notation import name_flaw
from judge.wire.xbs.server import XbsServer
from transcripts import Transcript


@dataclass
class Line:
    """A connection: the end of the wire that serves it, and what is to be sent."""

    end: XbsServer
    out: bytearray = field(default_factory=bytearray)
    is_closed: bool = False


@dataclass
class Place:
    name: str
    fleet: Fleet
    end: XbsServer
    line: Line | None
    taunts: dict[bool, list[str]] = field(default_factory=lambda: {True: [], False: []})


class Table:
    """``order`` is that of turns, by name; the game starts when ``most`` have joined."""

    def __init__(
        self,
        rules: Rules = XBS,
        *,
        most: int = 2,
        order: Sequence[str] = (),
        title: str = "Pond",
        dialect: str = "2.0",
    ) -> None:
        self.rules = replace(rules, players=(2, most))
        self.most = most
        self.title = title
        self.dialect = dialect
        self.order = list(order)
        self.places: list[Place] = []
        self.match: Match | None = None
        self.lines: list[Line] = []
        self.luck = Random(1)

    # Connections

    def connect(self) -> Line:
        line = Line(XbsServer(self.dialect))
        self.lines.append(line)
        line.end.send(self.lobby())
        lobby_is_full = self.match is None and len(self.places) == self.most
        if lobby_is_full or (self.match and all(place.line for place in self.places)):
            self._close(line, "")
        self._collect()
        return line

    def receive(self, line: Line, data: bytes) -> None:
        if line.is_closed:
            return
        line.end.receive_data(data)
        while event := line.end.next_event():
            self._take(line, event)
        self._collect()

    def sent(self, line: Line) -> bytes:
        data = bytes(line.out)
        line.out.clear()
        return data

    # The host

    def skip(self, why: str) -> None:
        assert self.match
        self._do(self.match.host(SkipTurn(min(self.match.waiting), why)))
        self._collect()

    def say(self, text: str) -> None:
        for place in self.places:
            place.end.send(Chat(None, text, is_private=False))
        self._collect()

    def abort(self) -> None:
        if self.match:
            self._do(self.match.host(Abort("the host quit")))
        else:
            for line in self.lines:
                self._close(line, "game aborted")
        self._collect()

    # What comes of it

    def lobby(self) -> Lobby:
        rules = self.rules
        letters = "ABCDEFGHIJKLMNOPQRSTUVW"[: len(rules.lengths)]
        return Lobby(self.title, rules, letters, len(self.places), self.match is not None)

    def _take(self, line: Line, event: FromClient) -> None:
        place = next((one for one in self.places if one.line is line), None)
        match event:
            case Inquired():
                line.end.send(self.lobby())
            case Joined():
                self._join(line, event)
            case Left(why):
                self._leave(line, place, why)
            case Said(text, to) if place:
                seat = self.places.index(place)
                for number, other in enumerate(self.places):
                    if other is not place and to in (None, number):
                        other.end.send(Chat(seat, text, is_private=to is not None))
            case TauntAdded(on_hit, text) if place:
                place.taunts[on_hit] = [*place.taunts[on_hit], text] if text else []
            case _:
                assert place, "only who has a place makes a turn"
                assert self.match, "and only in a game"
                self._do(self.match.receive(self.places.index(place), event))

    def _join(self, line: Line, joined: Joined) -> None:
        name = joined.name
        if self.match:
            self._come_back(line, name)
        elif len(self.places) == self.most:
            self._close(line, "game is full")
        elif flaw := name_flaw(name, self.rules.columns):
            line.end.send(Denied(flaw))
        elif name in [place.name for place in self.places]:
            line.end.send(Denied("name in use"))
        elif joined.fleet is None:
            self._close(line, "invalid board")
        else:
            line.end.send(Welcome(name, tuple(place.name for place in self.places)))
            for other in self.places:
                other.end.send(Arrived(name))
            self.places.append(Place(name, joined.fleet, line.end, line))
            if len(self.places) == self.most:
                self.start()

    def _come_back(self, line: Line, name: str) -> None:
        assert self.match
        place = next((one for one in self.places if one.name == name), None)
        if place is None:
            self._close(line, "game is already started")
        elif place.line:
            line.end.send(Denied("name in use"))
        else:
            seat = self.places.index(place)
            place.end.adopt(line.end)
            line.end, place.line = place.end, line
            self._do(self.match.back(seat))

    def _leave(self, line: Line, place: Place | None, why: str) -> None:
        line.out += line.end.data_to_send()
        line.is_closed = True
        if place is None:
            return
        if self.match is None:
            self.places.remove(place)
            for other in self.places:
                other.end.send(Departed(place.name, why))
        elif not self.match.is_over:
            place.line = None
            seat = self.places.index(place)
            self._do(self.match.away(seat, why))

    def start(self) -> None:
        names = self.order or [place.name for place in self.places]
        self.places.sort(key=lambda place: names.index(place.name))
        seats = tuple(RecordedSeat.of(place.name) for place in self.places)
        no_limits = Limits(timeout_ms=60_000)
        table = Seating(
            rules=self.rules,
            seats=seats,
            answer_ms=(None,) * len(seats),
            limits=no_limits,
            isolation="none",
        )
        fleets = {seat: place.fleet for seat, place in enumerate(self.places)}
        deal = Deal(id="table", seed=None, first=0, rules=self.rules, fleets=fleets)
        self.match = Match(table, [deal])
        self._do(self.match.start())

    def _do(self, todo: Sequence[Do]) -> None:
        for do in todo:
            match do:
                case Tell(seat, message):
                    self._tell(seat, message)
                case Ask(seat, question, _):
                    self.places[seat].end.send(question)
        if self.match and self.match.is_over:
            for line in self.lines:
                self._collect()
                line.is_closed = True

    def _tell(self, seat: int, message: ToClient) -> None:
        place = self.places[seat]
        if isinstance(message, Told):
            for event in message.events:
                if isinstance(event, Shot) and event.seat == seat:
                    words = self.places[event.target].taunts[event.is_hit]
                    if words:
                        place.end.send(Taunt(event.target, self.luck.choice(words)))
        place.end.send(message)

    def _close(self, line: Line, why: str) -> None:
        line.end.send(Dismissed(why))
        self._collect()
        line.is_closed = True

    def _collect(self) -> None:
        """Queue what ends have to send; nobody hears what an end says whose client is away."""
        for line in self.lines:
            if not line.is_closed:
                line.out += line.end.data_to_send()
        for place in self.places:
            if place.line is None:
                place.end.data_to_send()


def played(transcript: Transcript, pieces: str) -> tuple[dict[str, bytes], Table]:
    """The messages that each connection was sent, and the table."""
    table = table_of(transcript)
    lines: dict[str, Line] = {}
    for step in transcript.inputs(pieces):
        match step.what:
            case "connect":
                lines[step.who] = table.connect()
            case ">":
                table.receive(lines[step.who], step.text.encode())
            case "close":
                table.receive(lines[step.who], b"")
            case "host":
                word, _, text = step.text.partition(" ")
                match word:
                    case "skip":
                        table.skip(text)
                    case "say":
                        table.say(text)
                    case "abort":
                        table.abort()
    return {who: table.sent(line) for who, line in lines.items()}, table


def table_of(transcript: Transcript) -> Table:
    setup = transcript.setup
    return Table(
        transcript.xbs_rules,
        most=int(setup["most"]),
        order=setup.get("order", "").split(),
        dialect=setup.get("dialect", "2.0"),
    )
