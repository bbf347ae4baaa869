"""The open protocol: JSON documents that can express any rules.

``open`` starts a new process for each question and gives it the question as its last argument.
``open-lines`` sends the same questions to one process, a line each. Every question holds all that
the seat may know, so a bot need not remember anything.

If the rules have fleets placed ship by ship, the bot is still asked for its whole fleet, and the
wire gives the game one ship of it at a time. The schemas are ``open-*``; a reply follows
``open-fleet`` or ``open-shots``.
"""

from __future__ import annotations

import contextlib
import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

import msgspec

from judge import schemas
from judge.documents.codec import Part
from judge.documents.game import Outcome, Result
from judge.documents.open import (
    OpenEvent,
    OpenMessage,
    OpenOver,
    OpenPlace,
    OpenRefused,
    OpenShip,
    OpenShoot,
    OpenShot,
    OpenTold,
)
from judge.documents.rules import (
    BadMove,
    Cell,
    Draw,
    Fleet,
    Orientation,
    Repeat,
    Rules,
    Ship,
    Sinking,
    Turn,
)
from judge.errors import BadOutput, IllegalFleet, IllegalMove, TimedOut
from judge.game.events import Back, Event, FleetPlaced, Gone, Shot, Target, TurnSkipped, View
from judge.wire import strict_json
from judge.wire.hints import (
    JSON,
    ONE_SHOT,
    SILENT,
    STARTING,
    TO_THE_LETTER,
    WRITES,
    Hint,
    always,
    of_living,
    says,
)
from judge.wire.interface import Transport, Wire
from judge.wire.lines import LineBuffer
from judge.wire.messages import (
    AskFleet,
    AskShip,
    AskShots,
    Fired,
    FromPlayer,
    GameOver,
    GameStart,
    Placed,
    PlacedShip,
    Refused,
    Skipped,
    Told,
    ToPlayer,
)

LONGEST_ARGUMENT = 131_071  # bytes, in Linux
_LONGEST_REST = 8 * 1024  # bytes of a question without its shots and the names of players, at most
_LONGEST_NAME = 64 * len(r"\ud83d\udea2") + len('"",')


_HINTS = (
    Hint(
        BadOutput,
        says(
            "required property",
            "does not match",
            "is not of type",
            "is not one of",
            "were unexpected",
            "is not valid",
            "is not true",
            "too short",
            "too long",
            "and a reply has one of these",
        ),
        (
            'reply {"ships":[[length,column,row,"vertical"],…]} to place, and to shoot '
            '{"shots":[[target,column,row],…]} or {"skip":true}; to refused, reply as to its again'
        ),
    ),
    Hint(
        IllegalFleet,
        says("placed ships of"),
        "place a ship for each length in the fleet of rules, as often as it is there",
    ),
    Hint(
        IllegalFleet,
        always,
        "draw the fleet anew until it fits: column and row are a ship's left or top end",
    ),
    Hint(
        IllegalMove,
        says("outside"),
        "shoot at cells of the board only: column, then row, each counted from 0",
    ),
    Hint(
        IllegalMove,
        says("shot at before"),
        "shoot at no cell that shots has for the same target, whoever shot there",
    ),
    Hint(IllegalMove, says("due"), "fire as many shots as due says, each time"),
    Hint(
        IllegalMove,
        says("not an opponent", "no fleet"),
        "give the target of each shot: the seat of an opponent, counted from 0 in players",
    ),
    Hint(IllegalMove, says("skipped"), 'reply {"skip":true} only where may_skip of rules is true'),
    Hint(IllegalMove, always, "do what the rules allow in this position"),
)

_LIVING = of_living(
    "a bot",
    (WRITES, "write no files but in $TMPDIR, which ends with the process"),
    "read lines until stdin ends, and exit only then",
    "flush each line: in Python, print(…, flush=True); and end it with a line feed; the question is a "
    "line of stdin",
    [Hint(TimedOut, always, "reply sooner, by one line that ends with a line feed")],
)


class Open(Wire):
    """The judge's side of ``open`` for one bot: a new process for each question."""

    name: ClassVar[str] = "open"
    transport: ClassVar[Transport] = Transport.ONE_SHOT
    hints: ClassVar[Sequence[Hint]] = (*STARTING, *ONE_SHOT, *JSON, SILENT, *_HINTS, TO_THE_LETTER)

    def __init__(self, rules: Rules, seat: int, dialect: str) -> None:
        super().__init__(rules, seat, dialect)
        self._names: Sequence[str] = ()
        self._in = bytearray()
        self._has_ended = False
        self._read: Callable[[bytes], FromPlayer] | None = None
        self._ships: deque[Ship] = deque()  # ships of the bot's fleet that were not asked for yet
        self._length: int | None = None  # the length of the ship that is asked for now

    @staticmethod
    def obstacles(rules: Rules, seats: int) -> Mapping[str, bool]:
        rest = _LONGEST_REST + seats * _LONGEST_NAME
        longest = _most_shots(rules, seats) * _longest_shot(rules, seats) + rest
        return {
            f"a question is one argument of at most {LONGEST_ARGUMENT:,} bytes, too short for all "
            "shots of the longest game": longest > LONGEST_ARGUMENT
        }

    def send(self, message: ToPlayer) -> None:
        match message:
            case GameStart(names=names, rules=rules):
                self._names, self._rules = names, rules
                self._ships.clear()
            case AskShip(length) if self._ships:
                self._length = length
            case AskFleet() | AskShip() | AskShots():
                self._ask(message, self._question(message))
            case Refused(why, again) if again is not None:
                self._ask(again, OpenRefused(why=why, again=self._question(again)))
            case _:
                self._tell(message)

    def receive_data(self, data: bytes) -> None:
        self._in += data
        self._has_ended = not data

    def next_event(self) -> FromPlayer | None:
        if self._length is not None:
            return self._next_ship()
        if self._read is None:
            return None
        data = self._whole_reply()
        if data is None:
            return None
        read, self._read = self._read, None
        return read(data)

    # What goes out

    def _ask(self, asked: AskFleet | AskShip | AskShots, document: OpenMessage) -> None:
        match asked:
            case AskFleet():
                self._read = self._read_fleet
            case AskShip(length):
                self._read = lambda data: self._read_ships(data, length)
            case AskShots():
                self._read = _read_shots
        self._ships.clear()
        self._put(document)
        self._begin_reply()

    def _question(self, asked: AskFleet | AskShip | AskShots) -> OpenPlace | OpenShoot:
        assert self._names, "a game begins before anything is asked"
        match asked:
            case AskShots(view):
                return _shoot(view, self._names)
        return OpenPlace(rules=self._rules, seat=self._seat, players=tuple(self._names))

    def _put(self, document: OpenMessage) -> None:
        self._out += _compact(document)

    def _tell(self, message: ToPlayer) -> None:
        """Nothing is sent: the next question holds all news."""

    # What comes in

    def _begin_reply(self) -> None:
        self._in, self._has_ended = bytearray(), False

    def _whole_reply(self) -> bytes | None:
        """All that the process printed, once it has ended, or None before."""
        return bytes(self._in) if self._has_ended else None

    def _read_fleet(self, data: bytes) -> FromPlayer:
        return Placed(_fleet(data))

    def _read_ships(self, data: bytes, length: int) -> FromPlayer:
        fleet = _fleet(data)
        if self._rules.bad_move is BadMove.ASK_AGAIN:
            # A bot that is asked again sends a new fleet, so the whole fleet must be legal before
            # its first ship is used.
            self._rules.check_fleet(fleet)
        self._rules.check_lengths(fleet)
        self._ships = deque(fleet)
        self._length = length
        return self._next_ship()

    def _next_ship(self) -> FromPlayer:
        length, self._length = self._length, None
        ship = next(ship for ship in self._ships if ship.length == length)
        self._ships.remove(ship)
        return PlacedShip(ship)


class OpenLines(Open):
    """The judge's side of ``open-lines`` for one bot: one process, with a line for each document.

    The bot also gets lines that tell events, and does not answer these lines.
    """

    name: ClassVar[str] = "open-lines"
    transport: ClassVar[Transport] = Transport.PIPES
    hints: ClassVar[Sequence[Hint]] = (*STARTING, *_LIVING, *JSON, *_HINTS, TO_THE_LETTER)

    def __init__(self, rules: Rules, seat: int, dialect: str) -> None:
        super().__init__(rules, seat, dialect)
        self._lines = LineBuffer()

    @staticmethod
    def obstacles(rules: Rules, seats: int) -> Mapping[str, bool]:  # noqa: ARG004 - the protocol's signature
        return {}  # a line may have any length

    def _put(self, document: OpenMessage) -> None:
        super()._put(document)
        self._out += b"\n"

    def _tell(self, message: ToPlayer) -> None:
        match message:
            case Told(events):
                self._put(OpenTold(events=tuple(map(_event, events))))
            case GameOver(outcome):
                why, scores = outcome.termination, outcome.scores
                self._put(OpenOver(winner=outcome.winner, why=why, scores=scores))

    def receive_data(self, data: bytes) -> None:
        self._lines.add(data)

    def _begin_reply(self) -> None:
        """Keep lines that the bot wrote before the question: they are its answer."""

    def _whole_reply(self) -> bytes | None:
        return self._lines.take()


def fleet_reply(fleet: Fleet) -> dict[str, Any]:
    """The reply to ``place`` that places this fleet, as a dict."""
    return {"ships": [msgspec.to_builtins(_ship(ship)) for ship in fleet]}


def shots_reply(targets: Sequence[Target]) -> dict[str, Any]:
    """The reply to ``shoot`` that fires this volley, as a dict."""
    return {"shots": [[target.seat, *target.cell] for target in targets]}


SKIP_REPLY = {"skip": True}


def _shoot(view: View, names: Sequence[str]) -> OpenShoot:
    return OpenShoot(
        rules=view.rules,
        seat=view.seat,
        players=tuple(names),
        present=tuple(view.present),
        first=view.first,
        due=view.due,
        fleet=tuple(map(_ship, view.fleet or ())),
        shots=tuple(map(_shot, view.shots)),
    )


def _shot(shot: Shot) -> OpenShot:
    sunk = _ship(shot.ship) if shot.ship else shot.sunk
    result = int(Result.REPEAT) if shot.repeat else int(shot.result)
    return OpenShot(shot.seat, shot.target, *shot.cell, result, None if shot.repeat else sunk)


def _ship(ship: Ship) -> OpenShip:
    return OpenShip(ship.length, ship.column, ship.row, ship.orientation)


def _event(event: Event) -> OpenEvent:
    match event:
        case Shot():
            return OpenEvent(shot=_shot(event))
        case FleetPlaced(seat):
            return OpenEvent(placed=seat)
        case TurnSkipped(seat):
            return OpenEvent(skipped=seat)
        case Gone(seat, termination):
            return OpenEvent(gone=seat, why=termination)
        case Back(seat):
            return OpenEvent(back=seat)
        case Outcome():
            raise AssertionError("how a game ended is told by itself")


def _fleet(data: bytes) -> Fleet:
    reply = strict_json.parse(data)
    _check(data, reply, _fleet_check())
    return tuple(
        Ship(length, column, row, Orientation(way)) for length, column, row, way in reply["ships"]
    )


def _read_shots(data: bytes) -> FromPlayer:
    reply = strict_json.parse(data)
    if isinstance(reply, dict) and {"shots", "skip"} <= reply.keys():
        raise _unlike(data, "it has `shots` and `skip`, and a reply has one of these")
    _check(data, reply, _shots_check())
    if "skip" in reply:
        return Skipped()
    return Fired(tuple(Target(seat, Cell(column, row)) for seat, column, row in reply["shots"]))


def _check(data: bytes, reply: Any, check: schemas.Check) -> None:
    if problem := check(reply):
        raise _unlike(data, problem)


def _unlike(data: bytes, problem: str) -> BadOutput:
    return BadOutput(f"replied {strict_json.quoted(data.decode())}: {problem}")


@cache
def _fleet_check() -> schemas.Check:
    return schemas.compiled(schemas.load("open-fleet"))


@cache
def _shots_check() -> schemas.Check:
    return schemas.compiled(schemas.load("open-shots"))


def _compact(part: Part) -> bytes:
    """Compact JSON in ASCII, even if names have other characters."""
    with contextlib.suppress(UnicodeEncodeError):
        data = msgspec.json.encode(part)
        if data.isascii():
            return data
    return json.dumps(msgspec.to_builtins(part), separators=(",", ":")).encode()


def _most_shots(rules: Rules, seats: int) -> int:
    """The most shots that a game can have. Without a round limit this is the number of cells of all
    boards: repeats are not counted."""
    fleet = rules.fleet
    lengths = (fleet.longest,) * fleet.ships if isinstance(fleet, Draw) else fleet
    once = seats * rules.columns * rules.rows
    if rules.round_limit is None:
        return once
    volley = 1
    if rules.turn is Turn.SALVO:
        volley = len(lengths) + sum(length in rules.salvo_bonus for length in lengths)
    # A hit may give another shot in the same round.
    limited = seats * (rules.round_limit * volley + sum(lengths))
    return min(once, limited) if rules.repeat is Repeat.ILLEGAL else limited


def _longest_shot(rules: Rules, seats: int) -> int:
    """The most bytes that a shot takes in a question."""
    column, row = rules.columns - 1, rules.rows - 1
    ship = None
    if rules.sinking is Sinking.SHIP:
        ship = Ship(max(rules.columns, rules.rows), column, row, Orientation.HORIZONTAL)
    shot = Shot(seats - 1, seats - 1, Cell(column, row), Result.SUNK, None, ship=ship)
    return len(_compact(_shot(shot)) + b",")
