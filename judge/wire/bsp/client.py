"""The client's end of a connection to somebody's BSP server."""

from __future__ import annotations

import re

from judge.documents.game import Outcome, Result, Termination
from judge.documents.rules import Cell, Fleet, Orientation, Ship
from judge.errors import IllegalFleet, ServerFault
from judge.game.events import Shot, Target, View
from judge.game.variants import BSP
from judge.wire.bsp.notation import CELL, LONGEST, PLAYERS, SHIP_NAMES, cell_of, cell_text
from judge.wire.line_client import LineClient
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
    Told,
    Welcome,
)
from judge.wire.strict_json import quoted

MOST_SHOTS = 10_000  # shots of a game, at most; a longer game is a fault of the server
_LENGTHS = {name: length for length, name in SHIP_NAMES.items()}

_ONE_CELL = re.compile(CELL)
_TURN = re.compile("TURN ([AB])(?: .*)?")  # older servers add a time limit
_RESULT = re.compile(f"(?:HIT {CELL}(?P<sunk> SUNK)?|MISS {CELL})")
_END = re.compile("END_GAME ([A-Z]+) ([AB])")
_START = re.compile(r"START_GAME ([AB]) \{(.*)\}")
_TERMINATIONS = {
    "SURRENDER": Termination.RESIGNED,
    "TIMEOUT": Termination.TIMEOUT,
    "DISCONNECTION": Termination.LEFT,
}


class BspClient(LineClient):
    """A player's end of a connection to somebody's BSP server.

    `say` takes the player's messages, and `next_message` returns the server's. `next_message`
    raises `ServerFault` for a line that cannot be read or does not fit the game. Lines with an
    unknown first word are ignored, as by the published client.
    """

    def __init__(self) -> None:
        super().__init__(LONGEST)
        self._seat = 0
        self._first: int | None = None
        self._fleet: Fleet | None = None
        self._up: int | None = None
        self._shots: list[Shot] = []
        self._pending: list[Shot] = []  # shots that the player has not been told yet
        self._aimed: Cell | None = None  # the player's shot that is not answered yet
        self._has_heard = False

    def say(self, message: FromClient) -> None:
        """Take a message of the player. The protocol must have words for the message."""
        match message:
            case Joined(name):
                line = f"JOIN {name}".strip()  # published servers refuse a space without a name
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
        if not self._has_heard and line.startswith("G|"):
            raise ServerFault(
                "the server is a table of Xterm Boat Sinker, whose address begins with xbs://"
            )
        self._has_heard = True
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
        self._begin(up)
        self._up = up
        self._messages.append(Told(tuple(self._pending), (up,)))
        self._pending.clear()
        if up == self._seat:
            self._messages.append(AskShots(self._view()))

    def _begin(self, first: int) -> None:
        if self._first is None:
            self._first = first
            start = GameStart(self._seat, tuple(PLAYERS), BSP, None, self._fleet, first)
            self._messages.append(start)

    def _shot(self, line: str) -> None:
        if self._up is None:
            raise ServerFault(f"the server said {quoted(line)} before any turn")
        found = _found(_RESULT, line)
        cell = cell_of(*[part for part in found.group(1, 2, 4, 5) if part])
        result = Result.MISS
        if line.startswith("HIT"):
            result = Result.SUNK if found["sunk"] else Result.HIT
        shot = Shot(self._up, 1 - self._up, cell, result)
        if why := self._flaw(shot):
            raise ServerFault(f"the server said {quoted(line)}: {why}")
        self._shots.append(shot)
        self._pending.append(shot)

    def _flaw(self, shot: Shot) -> str:
        """Why the shot that the server has told is not possible; empty if it is."""
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
        """End the game. The first END_GAME line counts, since some servers send two."""
        self._is_over = True
        if self._fleet is None:
            self._messages.append(Dismissed(f"END_GAME {why} {letter}"))
            return
        self._begin(0)  # the opponent may leave before the first turn
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


def _fleet(line: str, text: str) -> Fleet:
    """The fleet in the braces of ``START_GAME``."""
    ships = []
    for part in text.removesuffix(";").split(";"):
        name, _, cells = part.strip().partition(":")
        named = [_ONE_CELL.fullmatch(cell) for cell in cells.split()]
        lie = [cell_of(*one.groups()) for one in named if one]
        if len(lie) != len(named) or len(lie) != _LENGTHS.get(name):
            raise ServerFault(f"the server said {quoted(line)}: {quoted(part)} is not a ship")
        down = len(lie) > 1 and lie[0].column == lie[1].column
        way = Orientation.VERTICAL if down else Orientation.HORIZONTAL
        ship = Ship(len(lie), *lie[0], way)
        if ship.cells != tuple(lie):
            raise ServerFault(f"the server said {quoted(line)}: {quoted(part)} is not a ship")
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
