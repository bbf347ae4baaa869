"""The brainjar protocol: each question is a JSON text for a new process, each reply one JSON value.

The question for a fleet is ``init``. The question for a shot, a *snapshot*, holds the whole game so
far. There are two dialects: ``readme`` follows the published description, ``engine`` the published
engine. Questions have no white space, because published bots hand ``$1`` to their interpreter
without quotes.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, ClassVar

import msgspec

from judge import schemas
from judge.documents.codec import builtins, whole
from judge.documents.game import HIT, MISS, SUNK, Result
from judge.documents.replies import RepliedShip
from judge.documents.rules import (
    BadMove,
    Cell,
    Draw,
    Fleet,
    Orientation,
    Placing,
    Rules,
    Ship,
    Sinking,
    Turn,
)
from judge.errors import BadOutput, IllegalFleet, IllegalMove
from judge.game.events import Shot, Target, View
from judge.wire import strict_json
from judge.wire.hints import JSON, ONE_SHOT, SILENT, STARTING, TO_THE_LETTER, Hint, always, says
from judge.wire.interface import RULES_VARIABLE, Transport, Wire
from judge.wire.messages import (
    AskFleet,
    AskShip,
    AskShots,
    Fired,
    FromPlayer,
    Placed,
    Refused,
    ToPlayer,
)

_HINTS = (
    Hint(
        BadOutput,
        says("required property", "does not match", "is not of type", "is not one of"),
        (
            'reply {"move":"XY"} to a snapshot, and to init {"2":{"point":"XY","orientation":'
            '"vertical"},…} with every size; XY are two digits in quotation marks, column then row'
        ),
    ),
    Hint(
        IllegalFleet,
        always,
        "draw the fleet anew until it fits: point is the left or the top end, column then row",
    ),
    Hint(
        IllegalMove,
        says("outside"),
        "shoot at cells of the grid only, XY being column then row, each counted from 0",
    ),
    Hint(
        IllegalMove,
        says("shot at before"),
        (
            "shoot at no cell of hit or missed; those two hold all shots of its own, whoever it plays "
            "as, and moves holds the opponent's too"
        ),
    ),
    Hint(IllegalMove, always, "do what the rules allow in this position"),
)


class Brainjar(Wire):
    """The judge's side of the protocol for one bot."""

    name: ClassVar[str] = "brainjar"
    transport: ClassVar[Transport] = Transport.ONE_SHOT
    dialects: ClassVar[Sequence[str]] = ("readme", "engine")
    hints: ClassVar[Sequence[Hint]] = (*STARTING, *ONE_SHOT, *JSON, SILENT, *_HINTS, TO_THE_LETTER)
    is_written_by_pages: ClassVar[bool] = True

    def __init__(self, rules: Rules, seat: int, dialect: str) -> None:
        super().__init__(rules, seat, dialect)
        self._snapshots = Snapshots(dialect)
        self._in = bytearray()
        self._complete = False
        self._read: Callable[[bytes], FromPlayer] | None = None

    @staticmethod
    def obstacles(rules: Rules, seats: int) -> Mapping[str, bool]:
        return {
            "a game has two players": seats > 2,
            "a cell is two digits, so a board is 10×10 at most": max(rules.columns, rules.rows)
            > 10,
            "a fleet has one ship a size": isinstance(rules.fleet, Draw)
            or len(set(rules.fleet)) < len(rules.fleet),
            "a shot that sinks a ship is told to, with its size, or is a hit like any other": (
                rules.sinking in (Sinking.SHIP, Sinking.SUNK)
            ),
            "a reply is one shot, so there are no salvos": rules.turn is Turn.SALVO,
            "it has no way to ask again": rules.bad_move is BadMove.ASK_AGAIN,
            "it plays single games, and no match of several": rules.match > 1,
            "it knows no matches to forfeit": rules.bad_move is BadMove.FORFEITS_MATCH,
            "the whole fleet is asked for at once": rules.placing is Placing.SHIP_BY_SHIP,
        }

    @staticmethod
    def environment(rules: Rules) -> Mapping[str, str]:
        return {RULES_VARIABLE: json.dumps(builtins(rules), separators=(",", ":"))}

    def send(self, message: ToPlayer) -> None:
        match message:
            case AskFleet():
                self._out += b'{"cmd":"init"}'
                self._read = self._read_fleet
            case AskShots(view):
                self._out += _compact(self._snapshots.of(view))
                self._read = self._read_shot
            case Refused(again=None):
                return  # the bot was asked nothing
            case Refused() | AskShip():
                raise AssertionError(f"rules with {message} are not for this wire")
            case _:
                return  # the next question tells everything
        self._in, self._complete = bytearray(), False

    def receive_data(self, data: bytes) -> None:
        self._in += data
        self._complete = not data

    def next_event(self) -> FromPlayer | None:
        if not self._complete or self._read is None:
            return None
        data, read = bytes(self._in), self._read
        self._in, self._complete, self._read = bytearray(), False, None
        return read(data)

    def _read_fleet(self, data: bytes) -> FromPlayer:
        reply = _checked(data, _fleet_check(self._rules.lengths))
        return Placed(fleet_of_reply(reply, self._rules.lengths))

    def _read_shot(self, data: bytes) -> FromPlayer:
        cell = _shot_at(data) if len(data) > _SHORT else _shot_at_again(data)
        return Fired((Target(1 - self._seat, cell),))


def fleet_reply(fleet: Fleet) -> dict[str, Any]:
    """The reply to ``init`` that places this fleet, as a dict."""
    return {
        str(ship.length): {
            "point": _digits(Cell(ship.column, ship.row)),
            "orientation": ship.orientation,
        }
        for ship in fleet
    }


def fleet_of_reply(reply: Mapping[str, Any], lengths: Iterable[int]) -> Fleet:
    """The fleet in a valid reply to ``init``. The ships are in the order of ``lengths``."""
    return tuple(_ship(length, reply[str(length)]) for length in lengths)


def fleet_replied(reply: object, rules: Rules) -> Fleet:
    """The fleet in a reply to ``init`` that is a Python value instead of JSON text. Raises
    `BadOutput` if the reply is not valid."""
    _require(reply, _fleet_check(rules.lengths))
    assert isinstance(reply, Mapping), "by its schema"
    return fleet_of_reply(reply, rules.lengths)


def shot_replied(reply: object) -> Cell:
    """The cell in a reply to a snapshot that is a Python value instead of JSON text. Raises
    `BadOutput` if the reply is not valid."""
    if isinstance(reply, dict) and len(reply) == 1 and isinstance(move := reply.get("move"), str):
        return _moved(move)
    _require(reply, _move_check())
    assert isinstance(reply, Mapping), "by its schema"
    return _cell(reply["move"])


@lru_cache(10_000)
def _moved(move: str) -> Cell:
    _require({"move": move}, _move_check())
    return _cell(move)


def _require(reply: object, check: schemas.Check) -> None:
    if problem := check(reply):
        raise BadOutput(f"replied {strict_json.quoted(repr(reply))}: {problem}")


def move_reply(cell: Cell) -> dict[str, Any]:
    """The reply to a snapshot that shoots at this cell, as a dict."""
    return {"move": _digits(cell)}


class Snapshots:
    """The snapshots for one seat. To save time, each is made from the one before it."""

    def __init__(self, dialect: str = "readme") -> None:
        self._is_readme = dialect == "readme"
        self._begin()

    def _begin(self) -> None:
        self._seen: tuple[Shot, ...] = ()
        self._moves: list[str] = []
        self._hit: list[str] = []  # sorted, and so is `_missed`
        self._missed: list[str] = []
        self._destroyed: list[int] = []

    def of(self, view: View) -> dict[str, Any]:
        """The snapshot of a position as a dict, in the dialect that the constructor was given."""
        seen = len(self._seen)
        if seen and (len(view.shots) < seen or view.shots[seen - 1] is not self._seen[-1]):
            self._begin()  # a move was taken back, or another game has begun
            seen = 0
        for shot in view.shots[seen:]:
            self._add(shot, view.seat)
        self._seen = view.shots
        moves, hit, missed = [*self._moves], [*self._hit], [*self._missed]
        if self._is_readme:
            return {
                "cmd": "move",
                "moves": moves,
                "hit": hit,
                "missed": missed,
                "destroyed": [*self._destroyed],
                "you": view.seat,
            }
        return {
            "hit": hit,
            "missed": missed,
            "destroyed": list(map(str, self._destroyed)),
            "moves": moves,
            "cmd": "move",
            "you": view.seat,
        }

    def _add(self, shot: Shot, own: int) -> None:
        is_sunk = shot.result is SUNK
        code = HIT if is_sunk and self._is_readme else shot.result
        digits, move = _named(shot.seat, shot.cell, code)
        self._moves.append(move)
        if shot.seat != own:
            return
        cells = self._missed if shot.result is MISS else self._hit
        place = bisect_left(cells, digits)
        if place == len(cells) or cells[place] != digits:
            cells.insert(place, digits)
        # Each size once: with the rule old-answer, a repeat names a sunk ship again.
        if shot.sunk is not None and shot.sunk not in self._destroyed:
            self._destroyed.append(shot.sunk)


@lru_cache(10_000)
def _named(seat: int, cell: Cell, code: Result) -> tuple[str, str]:
    """The texts for a cell and for a shot at it."""
    digits = _digits(cell)
    return digits, f"{seat}{digits}{int(code)}"


def _digits(cell: Cell) -> str:
    return f"{cell.column}{cell.row}"


def _cell(digits: str) -> Cell:
    return Cell(int(digits[0]), int(digits[1]))


def _ship(length: int, document: dict[str, str]) -> Ship:
    point = _cell(document["point"])
    return Ship(length, point.column, point.row, Orientation(document["orientation"]))


_SHORT = 64  # bytes; the check of a longer reply is not cached


def _shot_at(data: bytes) -> Cell:
    return _cell(_checked(data, _move_check())["move"])


# The same hundred replies come in every game, and the check of one takes longer than the engine.
_shot_at_again = lru_cache(10_000)(_shot_at)


def _checked(data: bytes, check: schemas.Check) -> Any:
    reply = strict_json.parse(data)
    if problem := check(reply):
        raise BadOutput(f"replied {strict_json.quoted(data.decode())}: {problem}")
    return reply


@cache
def _fleet_check(lengths: tuple[int, ...]) -> schemas.Check:
    """A check of a reply to ``init``, for a fleet with these ship sizes."""
    sizes = [str(length) for length in sorted(lengths)]
    ship = {"$ref": "#/$defs/RepliedShip"}
    schema = schemas.load("brainjar-fleet")
    explain = schemas.compiled(
        {**schema, "properties": dict.fromkeys(sizes, ship), "required": sizes}
    )

    one = whole(RepliedShip)

    def check(reply: Any) -> str | None:
        try:  # msgspec checks a valid ship much faster than the schema does
            for size in sizes:
                msgspec.convert(reply[size], one)
        except (KeyError, TypeError, msgspec.ValidationError):
            return explain(reply)
        return None

    return check


@cache
def _move_check() -> schemas.Check:
    return schemas.compiled(schemas.load("brainjar-move"))


def _compact(document: dict[str, Any]) -> bytes:
    return msgspec.json.encode(document)
