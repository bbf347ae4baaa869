"""The BSP protocol: two players at a server, which places their fleets and tells each shot.

A message is one line of upper-case words with single spaces; the lines are read to the byte. The
first client to come is A and has seat 0, the second is B. Rows are letters and columns are
numbers, so ``C5`` is the fifth column of the third row, and boards are 10×10.

`BspServer` is the server's end of one client's connection, `BspClient` the end of a player at
somebody's server. Neither opens anything or knows a clock.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum

from judge.errors import BadOutput, IllegalFleet, ServerFault
from judge.game.events import Event, Result, Shot, Target, View
from judge.game.outcome import Outcome, Termination
from judge.game.rules import Cell, Fleet, Orientation, Ship
from judge.game.variants import BSP
from judge.wire.client_end import ClientEnd
from judge.wire.lines import LineBuffer
from judge.wire.messages import (
    AskShots,
    Dismissed,
    Fired,
    FromClient,
    GameOver,
    GameStart,
    Joined,
    Left,
    Refused,
    Resigned,
    ToClient,
    Told,
    Welcome,
)
from judge.wire.strict_json import quoted

PLAYERS = "AB"
LONGEST = 1024  # bytes of a line that is read to its end
MOST_SHOTS = 10_000  # of a game that a client follows
_ROWS = "ABCDEFGHIJ"
_SHIP_NAMES = {5: "carrier", 4: "battleship", 3: "cruiser", 2: "destroyer", 1: "submarine"}
_LENGTHS = {name: length for length, name in _SHIP_NAMES.items()}

_JOIN = re.compile(r"JOIN(?: ([!-~]{1,20}))?")
_CELL = "([A-J])(10|[1-9])"
_ONE_CELL = re.compile(_CELL)
_SHOT = re.compile(f"SHOT {_CELL}")
_TURN = re.compile("TURN ([AB])(?: .*)?")  # older servers add a time
_RESULT = re.compile(f"(?:HIT {_CELL}(?P<sunk> SUNK)?|MISS {_CELL})")
_END = re.compile("END_GAME ([A-Z]+) ([AB])")
_START = re.compile(r"START_GAME ([AB]) \{(.*)\}")

# What a game's end is called, and whose letter it has.
_WINNERS = {Termination.FLEET_DESTROYED: "WINNER", Termination.ROUND_LIMIT: "WINNER"}
_LOSERS = {
    Termination.RESIGNED: "SURRENDER",
    Termination.TIMEOUT: "TIMEOUT",
    Termination.LEFT: "DISCONNECTION",
    Termination.CRASH: "DISCONNECTION",
}
_TERMINATIONS = {
    "SURRENDER": Termination.RESIGNED,
    "TIMEOUT": Termination.TIMEOUT,
    "DISCONNECTION": Termination.LEFT,
}


class _Stage(Enum):
    CONNECTED = "connected"
    WAITING = "waiting"
    PLAYING = "playing"
    OVER = "over"  # nothing is read any more


class BspServer:
    """What one client is sent, and what it says.

    Bad lines are refused here and never reach the game; ``bad_lines`` counts them. `next_event`
    raises `BadOutput` for a client that does not begin with ``JOIN``, whose connection is to be
    closed. ``heard`` is called with each line that is read.
    """

    def __init__(self, heard: Callable[[str], None] | None = None) -> None:
        self.bad_lines = 0
        self._heard = heard
        self._stage = _Stage.CONNECTED
        self._lines = LineBuffer(LONGEST)
        self._out = b""
        self._seat = 0
        self._is_up = False

    def send(self, message: ToClient) -> None:
        """Take a message; one that the protocol has no words for is dropped."""
        match message:
            case Welcome():
                self._stage = _Stage.WAITING
                self._say("JOINED_MATCHMAKING")
            case GameStart(seat=seat, fleet=fleet):
                assert fleet is not None, "the server places the fleets"
                self._seat, self._stage = seat, _Stage.PLAYING
                self._say(f"START_GAME {PLAYERS[seat]} {{{fleet_text(fleet)}}}")
            case Told(events, up):
                for event in events:
                    self._tell(event)
                if up:
                    self._is_up = self._seat in up
                    self._say(f"TURN {PLAYERS[up[0]]}")
            case Refused():
                self._say("BAD_REQUEST")
            case GameOver(outcome):
                self._stage = _Stage.OVER
                self._say(_end_text(outcome))
            case Dismissed():
                self._stage = _Stage.OVER

    def data_to_send(self) -> bytes:
        """What is to go to the client now; empties the queue."""
        data, self._out = self._out, b""
        return data

    def receive_data(self, data: bytes) -> None:
        """Take what came from the client; ``b""`` is the end of the stream."""
        if self._stage is not _Stage.OVER:
            self._lines.add(data)

    def next_event(self) -> FromClient | None:
        """The next thing that the client said and the server or the game has to know."""
        while self._stage is not _Stage.OVER:
            try:
                line = self._lines.take()
            except BadOutput:
                line = b"\0"  # no message is like it
            if line is None:
                if not self._lines.has_ended:
                    return None
                self._stage = _Stage.OVER
                return Left()
            text = line.decode("latin-1")
            if self._heard:
                self._heard(text)
            if event := self._read(text):
                return event
        return None

    def _say(self, line: str) -> None:
        self._out += line.encode("ascii") + b"\n"

    def _tell(self, event: Event) -> None:
        match event:
            case Shot(result=Result.SUNK):
                self._say(f"HIT {cell_text(event.cell)} SUNK")
            case Shot():
                self._say(f"{'HIT' if event.is_hit else 'MISS'} {cell_text(event.cell)}")

    def _read(self, line: str) -> FromClient | None:
        if self._stage is _Stage.CONNECTED:
            return self._join(line)
        if line == "SURRENDER":
            if self._stage is _Stage.PLAYING:
                return Resigned()
            self._stage = _Stage.OVER
            return Left()
        shot = _SHOT.fullmatch(line)
        if shot is None:
            self.bad_lines += 1
            self._say("BAD_REQUEST")
        elif self._is_up:  # out of turn it is passed over in silence
            self._is_up = False
            return Fired((Target(1 - self._seat, _cell(*shot.groups())),))
        return None

    def _join(self, line: str) -> FromClient:
        found = _JOIN.fullmatch(line)
        if found is None:
            self._stage = _Stage.OVER
            raise BadOutput(f"said {quoted(line)} where a client says JOIN first")
        return Joined(found[1] or "")


class BspClient(ClientEnd):
    """A player's end of the connection to somebody's server.

    What the player says goes in by `say`, what it is told comes out of `next_message`, which raises
    `ServerFault` for a line that no client can read. Unknown lines are passed over, as the
    published client does.
    """

    def __init__(self) -> None:
        super().__init__(LONGEST)
        self._seat = 0
        self._first: int | None = None
        self._fleet: Fleet | None = None
        self._up: int | None = None
        self._shots: list[Shot] = []
        self._pending: list[Shot] = []  # not told yet
        self._aimed: Cell | None = None  # at what the player has shot in this turn

    def say(self, message: FromClient) -> None:
        """Take what the player says, which must be something that the protocol knows."""
        match message:
            case Joined(name):
                line = f"JOIN {name}".strip()  # published servers refuse a name behind it
            case Fired((Target(cell=cell),)):
                self._aimed = cell
                line = f"SHOT {cell_text(cell)}"
            case Resigned():
                line = "SURRENDER"
            case Left():
                return  # the connection is closed
            case _:
                raise AssertionError(f"{message} is not for this protocol")
        self._out += line.encode("ascii") + b"\n"

    def _read_line(self, line: bytes) -> None:
        self._read(line.decode("latin-1"))

    def _read(self, line: str) -> None:
        match line.partition(" ")[0]:
            case "JOINED_MATCHMAKING":
                self._messages.append(Welcome("", ()))
            case "START_GAME":
                if self._fleet is not None:
                    raise ServerFault(f"the server said {quoted(line)} in the middle of a game")
                seat, ships = _found(_START, line).groups()
                self._seat, self._fleet = PLAYERS.index(seat), _fleet(line, ships)
            case "TURN":
                self._turn(PLAYERS.index(_found(_TURN, line)[1]), line)
            case "HIT" | "MISS":
                self._shot(line)
            case "BAD_REQUEST":
                why = "the server took it for a bad request"
                again = AskShots(self._view()) if self._up == self._seat else None
                self._messages.append(Refused(why, again))
            case "END_GAME":
                self._end(*_found(_END, line).groups())

    def _turn(self, up: int, line: str) -> None:
        if self._fleet is None:
            raise ServerFault(f"the server said {quoted(line)} before any game began")
        if self._first is None:
            self._first = up
            start = GameStart(self._seat, tuple(PLAYERS), BSP, None, self._fleet, up)
            self._messages.append(start)
        self._up = up
        self._messages.append(Told(tuple(self._pending), (up,)))
        self._pending.clear()
        if up == self._seat:
            self._messages.append(AskShots(self._view()))

    def _shot(self, line: str) -> None:
        if self._up is None:
            raise ServerFault(f"the server said {quoted(line)} before any turn")
        found = _found(_RESULT, line)
        cell = _cell(*[part for part in found.group(1, 2, 4, 5) if part])
        result = Result.MISS
        if line.startswith("HIT"):
            result = Result.SUNK if found["sunk"] else Result.HIT
        shot = Shot(self._up, 1 - self._up, cell, result)
        if why := self._flaw(shot):
            raise ServerFault(f"the server said {quoted(line)}: {why}")
        self._shots.append(shot)
        self._pending.append(shot)

    def _flaw(self, shot: Shot) -> str:
        """What is wrong with a shot as the server tells it, if anything is."""
        aimed, self._aimed = self._aimed, None
        if len(self._shots) == MOST_SHOTS:
            return f"no game has more than {MOST_SHOTS:,} shots"
        if shot.seat == self._seat:
            return f"the shot was at {cell_text(aimed)}" if aimed not in (None, shot.cell) else ""
        is_ship = any(shot.cell in ship.cells for ship in self._fleet or ())
        if shot.is_hit and not is_ship:
            return "no ship lies there"
        return ""

    def _end(self, why: str, letter: str) -> None:
        """The first end counts: servers have been seen to send two."""
        self._is_over = True
        if self._pending:
            self._messages.append(Told(tuple(self._pending)))
        named = PLAYERS.index(letter)
        if termination := _TERMINATIONS.get(why):
            outcome = Outcome(1 - named, named, termination)
        elif why == "WINNER":
            outcome = Outcome(named, 1 - named, Termination.FLEET_DESTROYED)
        elif why == "DRAW":
            outcome = Outcome(None, None, Termination.ROUND_LIMIT)
        else:
            outcome = Outcome(None, None, Termination.ABORTED, why)
        self._messages.append(GameOver(outcome))

    def _view(self) -> View:
        shots, first = tuple(self._shots), self._first or 0
        rounds = len(shots) // 2
        return View(self._seat, 2, first, BSP, self._fleet, shots, 1, rounds, (True, True))


def fleet_text(fleet: Fleet) -> str:
    """A fleet as its owner is told it: the longest ships first, each with its cells."""
    ships = sorted(fleet, key=lambda ship: -ship.length)
    return "".join(
        f"{_SHIP_NAMES[ship.length]}:{' '.join(map(cell_text, ship.cells))};" for ship in ships
    )


def cell_text(cell: Cell) -> str:
    return f"{_ROWS[cell.row]}{cell.column + 1}"


def _end_text(outcome: Outcome) -> str:
    """How the game ended, for both. A tie and a game that was broken off are not in the published
    protocol, whose client takes them as an end that it has no words for."""
    why, winner = outcome.termination, outcome.winner
    if winner is None:
        return f"END_GAME {'ABORTED' if why is Termination.ABORTED else 'DRAW'} {PLAYERS[0]}"
    if why in _WINNERS:
        return f"END_GAME {_WINNERS[why]} {PLAYERS[winner]}"
    return f"END_GAME {_LOSERS[why]} {PLAYERS[1 - winner]}"


def _cell(row: str, column: str) -> Cell:
    return Cell(int(column) - 1, _ROWS.index(row))


def _fleet(line: str, text: str) -> Fleet:
    """The fleet in the braces of ``START_GAME``."""
    ships = []
    for part in text.removesuffix(";").split(";"):
        name, _, cells = part.strip().partition(":")
        named = [_ONE_CELL.fullmatch(cell) for cell in cells.split()]
        lie = [_cell(*one.groups()) for one in named if one]
        if len(lie) != len(named) or len(lie) != _LENGTHS.get(name):
            raise ServerFault(f"the server said {quoted(line)}: {quoted(part)} is no ship")
        down = len(lie) > 1 and lie[0].column == lie[1].column
        way = Orientation.VERTICAL if down else Orientation.HORIZONTAL
        ship = Ship(len(lie), *lie[0], way)
        if ship.cells != tuple(lie):
            raise ServerFault(f"the server said {quoted(line)}: {quoted(part)} is no ship")
        ships.append(ship)
    fleet = tuple(ships)
    try:
        BSP.check_fleet(fleet)
    except IllegalFleet as error:
        raise ServerFault(f"the server said {quoted(line)}: it {error}") from None
    return fleet


def _found(form: re.Pattern[str], line: str) -> re.Match[str]:
    if found := form.fullmatch(line):
        return found
    raise ServerFault(f"the server said {quoted(line)}, which no client can read")
