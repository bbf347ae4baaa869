"""The table's end of one XBS client's connection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from judge.documents.rules import Fleet
from judge.errors import BadOutput
from judge.game.events import Target
from judge.wire.lines import LineBuffer
from judge.wire.messages import (
    Arrived,
    Chat,
    Denied,
    Departed,
    Dismissed,
    Fired,
    FromClient,
    GameOver,
    GameStart,
    Inquired,
    Joined,
    Left,
    Lobby,
    Refused,
    Rejoined,
    Said,
    Skipped,
    Taunt,
    TauntAdded,
    ToClient,
    Told,
    Welcome,
)
from judge.wire.xbs.game_lines import GameLines
from judge.wire.xbs.notation import (
    LONGEST,
    NO_COORDINATES,
    NO_TARGET,
    NOT_STARTED,
    NOT_YOUR_TURN,
    SHOT_BEFORE,
    UNKNOWN,
    UNREADABLE,
    YOURSELF,
    board_text,
    encoded,
    fields,
    fleet_of,
    game_line,
    message_line,
    padded,
    shot_cell,
    square,
    words,
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """The differences between the published servers. ``version`` is announced to clients (published
    programs want 1.1 or newer). With ``finds_targets``, a target may be named by a prefix of its
    name or by its number in the order of turns. With ``closes_strangers``, an unknown line of a
    client without a place ends its connection."""

    version: str
    finds_targets: bool
    closes_strangers: bool


DIALECTS = {
    "2.0": Dialect("2.0.1", finds_targets=False, closes_strangers=False),
    "1.2": Dialect("1.2.1", finds_targets=True, closes_strangers=True),
}


class XbsServer:
    """The table's end of one client's connection.

    An illegal shot is refused here in the words of the protocol, and never reaches the game: so it
    costs nothing. After `Left`, after `Dismissed`, and once the game is over, no more lines are
    read.

    A player who has left the game may come back over another connection. Until then the table goes
    on sending messages to this end. On the return the table calls `adopt` with the new connection's
    end, and sends `Rejoined`.
    """

    def __init__(self, dialect: str = "2.0") -> None:
        self._dialect = DIALECTS[dialect]
        self._lines = LineBuffer(LONGEST)
        self._out = bytearray()
        self._lobby: Lobby | None = None
        self._name = ""  # the client's name, once it has a place
        self._places: list[str] = []  # the players' names, by the seats in messages
        self._seat = 0
        self._fleet: Fleet | None = None
        self._telling: GameLines | None = None  # the lines of the game under way
        self._has_answered = False  # whether the client has answered in this turn
        self._taunt: list[str] = []
        self._is_closed = False
        self.bad_lines = 0  # lines that are not messages

    def send(self, message: ToClient) -> None:
        """Take a message for the client. A message for which the protocol has no words is
        dropped."""
        match message:
            case Told() if self._telling:
                self._has_answered = False
                taunt, self._taunt = self._taunt, []
                self._say(self._telling.lines(message, taunt))
            case GameStart(seat=seat, names=names, fleet=fleet):
                self._seat, self._places, self._fleet = seat, list(names), fleet
                self._telling = GameLines(names, message.rules, message.first)
            case GameOver(outcome) if self._telling:
                self._is_closed = True
                self._say(self._telling.over(outcome))
            case Rejoined():
                self._say(self._back())
            case Taunt(seat, text):
                self._taunt = [message_line(self._places[seat], text)]
            case Chat(seat, text, is_private):
                sender = "" if seat is None else self._places[seat]
                group = "" if is_private or not sender else "|All"
                self._say([message_line(sender, text, group)])
            case Refused(why):
                self._say([message_line("", why)])
            case _:
                self._greet(message)

    def data_to_send(self) -> bytes:
        """The bytes to send to the client now. The call empties the queue."""
        data = bytes(self._out)
        self._out.clear()
        return data

    def receive_data(self, data: bytes) -> None:
        """Take bytes that came from the client; ``b""`` is the end of the stream."""
        if not self._is_closed:
            self._lines.add(data)

    def next_event(self) -> FromClient | None:
        """The next message from the client that the table or the game needs. None while more data
        is needed, and once nothing is read any more."""
        while not self._is_closed:
            try:
                line = self._lines.take()
            except BadOutput:
                if event := self._stray():
                    return event
                continue
            if line is None:
                return self._leave("") if self._lines.has_ended else None
            kind, *values = fields(line)
            if not kind and not values:
                continue  # a blank line
            read = self._read if self._name else self._read_stranger
            if event := read(kind, values):
                return event
        return None

    def adopt(self, other: XbsServer) -> None:
        """Take over the connection of ``other``, with the unread lines and the unsent bytes there.
        The unsent bytes of this end are dropped."""
        self._lines, self._out, self._is_closed = other._lines, other._out, False
        self.bad_lines = other.bad_lines

    # What goes out

    def _say(self, lines: Iterable[str]) -> None:
        for line in lines:
            self._out += encoded(line)

    def _greet(self, message: ToClient) -> None:
        """Send a message that is not about a game under way."""
        match message:
            case Lobby():
                self._lobby = message
                self._say([game_line(message, self._dialect.version)])
            case Welcome(name, others):
                self._name, self._places = name, [*others, name]
                self._say([f"J|{name}", *(f"J|{other}" for other in others)])
            case Arrived(name):
                self._places.append(name)
                self._say([f"J|{name}"])
            case Departed(name, why):
                self._places.remove(name)
                self._say([f"L|{name}|{words(why)}"])
            case Denied(why):
                self._say([f"E|{words(why)}"])
            case Dismissed(why):
                self._is_closed = True
                self._say([words(why)] if words(why) else [])

    def _back(self) -> list[str]:
        """The lines for a client that comes back in the middle of a game."""
        telling, lobby, fleet = self._telling, self._lobby, self._fleet
        assert telling, "there is a game to come back to"
        assert lobby, "at the table that it was told of"
        assert fleet, "for which it has placed its ships"
        ships = board_text(fleet, lobby.rules, lobby.letters)
        shots = telling.boards[self._seat]
        own = "".join(
            shot if ship == UNKNOWN else ship for ship, shot in zip(ships, shots, strict=True)
        )
        lines = [f"J|{self._name}", f"Y|{own}"]
        for seat in telling.order:
            if seat != self._seat:
                lines += [f"J|{telling.names[seat]}", telling.board_line(seat)]
        return [*lines, telling.start_line(), *telling.turn_lines()]

    # What comes in

    def _read(self, kind: str, values: Sequence[str]) -> FromClient | None:
        """Read a line of a client that has a place."""
        match kind:
            case "S":
                return self._shoot(*padded(values, 3))
            case "K":
                if flaw := self._not_now():
                    self._refuse(flaw)
                    return None
                self._has_answered = True
                return Skipped()
            case "M":
                return self._said(*padded(values, 2))
            case "T":
                kind_of_shot, text = padded(values, 2)
                if kind_of_shot.lower() in ("hit", "miss"):
                    return TauntAdded(kind_of_shot.lower() == "hit", text or None)
                return None
            case "J":
                return None  # the client has its place already
        return self._read_of_anyone(kind, values)

    def _read_stranger(self, kind: str, values: Sequence[str]) -> FromClient | None:
        """Read a line of a client that has no place yet."""
        match kind:
            case "J":
                return self._join(*padded(values, 2))
            case "S" | "K":
                self._refuse(NOT_STARTED)
                return None
            case "M" | "T":
                return None
        return self._read_of_anyone(kind, values)

    def _read_of_anyone(self, kind: str, values: Sequence[str]) -> FromClient | None:
        match kind:
            case "G":
                return Inquired()
            case "P":
                self._say(["|".join(["P", *values])])
                return None
            case "L":
                (why,) = padded(values, 1)
                self._say([why] if why else [])
                return self._leave(why)
        return self._stray()

    def _stray(self) -> FromClient | None:
        """Refuse an unknown line, and close a stranger's connection if the dialect wants that."""
        self.bad_lines += 1
        self._say([UNREADABLE])
        if not self._name and self._dialect.closes_strangers:
            return self._leave(UNREADABLE)
        return None

    def _leave(self, why: str) -> Left:
        self._is_closed = True
        return Left(why)

    def _refuse(self, why: str) -> None:
        self._say([f"M||{why}"])

    def _join(self, name: str, board: str) -> FromClient:
        assert self._lobby, "a client is told of the table when it connects"
        if not name:
            self._say([UNREADABLE])
            return self._leave(UNREADABLE)
        if not board.strip(UNKNOWN):
            return Joined(name)  # published clients send no board when they come back
        try:
            fleet = fleet_of(board, self._lobby.rules, self._lobby.letters)
        except ValueError as error:
            return Joined(name, flaw=str(error))
        return Joined(name, fleet=fleet)

    def _said(self, name: str, text: str) -> FromClient | None:
        if not text or name == self._name:
            return None
        if not name:
            return Said(text)
        return Said(text, self._places.index(name)) if name in self._places else None

    def _not_now(self) -> str:
        """Why the client may not act now, in the protocol's words; empty if it may."""
        if self._telling is None or not self._telling.has_begun:
            return NOT_STARTED
        if self._seat not in self._telling.up or self._has_answered:
            return NOT_YOUR_TURN
        return ""

    def _shoot(self, name: str, column: str, row: str) -> FromClient | None:
        if flaw := self._not_now():
            self._refuse(flaw)
            return None
        assert self._telling, "a game is on"
        assert self._lobby, "at the table that it was told of"
        target = self._target(name)
        if target is None or target == self._seat:
            self._refuse(NO_TARGET if target is None else YOURSELF)
            return None
        rules = self._lobby.rules
        try:
            cell = shot_cell(column, row)
        except ValueError:
            cell = None
        if cell is None or not rules.on_grid(cell):
            self._refuse(NO_COORDINATES)
            return None
        if self._telling.boards[target][square(cell, rules)] != UNKNOWN:
            self._refuse(SHOT_BEFORE)
            return None
        self._has_answered = True
        return Fired((Target(target, cell),))

    def _target(self, name: str) -> int | None:
        """The seat with this name or, if the dialect allows those, this number or this prefix of
        the name. None unless one seat fits."""
        telling = self._telling
        assert telling, "a game is on"
        called = {telling.names[seat]: seat for seat in telling.order}
        if name in called or not self._dialect.finds_targets or not name:
            return called.get(name)
        if name.isdecimal() and name.isascii():
            in_order = dict(enumerate(telling.order, start=1))
            return in_order.get(int(name[:9]))
        alike = [seat for one, seat in called.items() if one.lower().startswith(name.lower())]
        return alike[0] if len(alike) == 1 else None
