"""The protocol of the Battleships contest, in both dialects: frames of 256 bytes, padded with NULs.

A program plays a match over one Unix socket. Every message to the program is a frame: a JSON object
and then NULs. An answer is the bytes of one read of at most 256 bytes, up to the first NUL. The
program first sends a hello with its name.

The contest's first program spoke dialect ``1``, its successor ``2``. In ``1`` every question for a
shot is a message of its own, and so is each shot and each sunk ship of a round. In ``2`` only the
first question for a shot is a message of its own: later one message tells a whole round and asks
for the next shot, unless the game is over. The message on the end of a game has the player's own
counts in ``2`` only. ``auto`` stands for the dialect that `DialectDetection` finds, or for ``2`` if
it finds none.

Rows and columns are counted from 0, and seats from 1.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, ClassVar, NoReturn

from judge.documents.game import Outcome, Termination
from judge.documents.rules import (
    BadMove,
    Cell,
    Goal,
    Orientation,
    Placing,
    Repeat,
    Rules,
    Ship,
    Sinking,
    Turn,
)
from judge.errors import BadOutput, BotError, Crashed, IllegalFleet, IllegalMove, TimedOut
from judge.game.events import Event, Shot, Target, TurnSkipped
from judge.game.variants import CONTEST_DRAWS, contest
from judge.wire import strict_json
from judge.wire.hints import STARTING, Hint, always, nothing_came, says
from judge.wire.interface import CellNames, Detection, Transport, Wire
from judge.wire.messages import (
    AskFleet,
    AskName,
    AskShip,
    AskShots,
    Fired,
    FromPlayer,
    GameOver,
    GameStart,
    Joined,
    MatchOver,
    PlacedShip,
    Refused,
    Told,
    ToPlayer,
)

FRAME_BYTES = 256  # bytes of every message, in both dialects
LONGEST_NAME = 64  # characters of a name that are kept

# The values of ``mt``, the kind of a message. From 8 on, the dialects differ.
_HELLO, _SETUP, _START, _PLACE, _PLACED, _SHOOT, _FIRED, _RETURN = range(1, 9)
_MATCH_OVER_1, _MATCH_OVER_2 = 11, 10
_THIRD_HELLO = 0  # the hello of a third protocol, which has the same frames and other messages

_WAYS = {Orientation.HORIZONTAL: 72, Orientation.VERTICAL: 86}
_ORIENTATIONS = {number: orientation for orientation, number in _WAYS.items()}

_HIT, _MISS = 88, 42
_REPEATED_HIT, _REPEATED_MISS, _REPEATED_KILL = 34, 35, 36
_WON, _LOST, _TIED = 87, 76, 84

_MOST_KEPT = 4096  # cached messages about shots; 10×10 cells have about a thousand
_SHORT = 64  # bytes; longer messages of players are not cached

_SHOOT_FRAME = b'{"mt":6}'.ljust(FRAME_BYTES, b"\0")

_PLAYED_OUT = (Termination.FLEET_DESTROYED, Termination.ROUND_LIMIT)


_IN_ONE_PIECE = (
    "send each reply in one piece, as by one send, and one reply to each question; a JSON object of "
    f"at most {FRAME_BYTES - 1} bytes, with nothing after it but NULs"
)
_HINTS = (
    Hint(
        BotError,
        says("did not connect", "status 0 before it connected"),
        "connect to the Unix socket (AF_UNIX, SOCK_STREAM) whose path is the last argument",
    ),
    Hint(
        TimedOut,
        nothing_came,
        (
            'first say who it is: {"mt":1,"ai":"its name","au":"its authors"}; then read messages of '
            f"{FRAME_BYTES} bytes, and reply to those of mt 4 and 6, and in dialect 2 of mt 8 with ns true"
        ),
    ),
    Hint(TimedOut, always, "reply to each question in time; think less where the board is large"),
    Hint(
        Crashed,
        says("exited with status 0", "closed its connection"),
        (
            "read messages and reply until the match is over: mt 11 in dialect 1, mt 10 in dialect 2; "
            "judge guide contest says how to name the dialect"
        ),
    ),
    Hint(Crashed, always, "run it by hand: all that it printed stands below"),
    Hint(
        BadOutput,
        says("third protocol"),
        "build it with the library of dialect 1 or 2, whose hello has mt 1 (judge guide contest)",
    ),
    Hint(BadOutput, says("whole number"), "give rows, columns, lengths and directions as integers"),
    Hint(
        BadOutput,
        says("is awaited"),
        f"reply to each question once, by its own kind of message, and nothing else; {_IN_ONE_PIECE}",
    ),
    Hint(BadOutput, always, _IN_ONE_PIECE),
    Hint(IllegalFleet, says("is asked for"), "place a ship of the length that is asked for"),
    Hint(
        IllegalFleet,
        always,
        (
            "draw each ship anew until it fits beside those that are placed: r and c are its top or left "
            "cell, d is 72 to the right and 86 downwards"
        ),
    ),
    Hint(IllegalMove, always, "shoot at rows and columns from 0 to the size of the board less 1"),
)

_SERVER = (
    "import json, os, socket, sys; path = sys.argv[1]; judge = socket.socket(socket.AF_UNIX); "
    'judge.settimeout(20); judge.bind(path + "~"); judge.listen(); os.rename(path + "~", path); '
    f"bot, _ = judge.accept(); print(bot.recv({FRAME_BYTES})); "
    f'[(bot.send(text.encode().ljust({FRAME_BYTES}, b"\\0")), said.get("ns", said["mt"] in (4, 6)) and '
    f"print(bot.recv({FRAME_BYTES}), flush=True)) for text in sys.argv[2:] for said in [json.loads(text)]]"
)


class DialectDetection:
    """A dialogue like the start of a match, which shows whether a program speaks dialect 1 or 2.

    In the first game the program gets a message with the ``mt`` 10. In dialect 1 this ends the
    game, so the program goes on to the next game. In dialect 2 it ends the match: the program
    leaves.
    """

    def __init__(self) -> None:
        self.dialect: str | None = None
        self.is_over = False
        self._out = b""
        self._is_greeted = False

    def data_to_send(self) -> bytes:
        data, self._out = self._out, b""
        return data

    def receive_data(self, data: bytes) -> None:
        if self._is_greeted and not data:
            self.dialect, self.is_over = "2", True
            return
        try:
            _message(data, _PLACED if self._is_greeted else _HELLO)
        except BadOutput:
            self.is_over = True
            return
        if self._is_greeted:
            self.dialect, self.is_over = "1", True
            self._out = _frame(b'{"mt":11}')
        else:
            self._is_greeted = True
            messages = (b'{"bs":10,"mt":2,"pn":1}', b'{"mt":3}', b'{"mt":10}', b'{"mt":3}')
            self._out = b"".join(map(_frame, (*messages, b'{"l":3,"mt":4}')))


class Contest(Wire):
    """The judge's side of the protocol for one player, for one match."""

    name: ClassVar[str] = "contest"
    transport: ClassVar[Transport] = Transport.SOCKET
    keeps_state: ClassVar[bool] = True
    dialects: ClassVar[Sequence[str]] = ("auto", "1", "2")
    detection: ClassVar[Callable[[], Detection] | None] = DialectDetection
    library: ClassVar[str] = "protected"
    cells: ClassVar[CellNames] = CellNames(form="[{row}, {column}]")
    hints: ClassVar[Sequence[Hint]] = (*STARTING, *_HINTS)
    plays_matches: ClassVar[bool] = True
    socket_server: ClassVar[str] = _SERVER
    rival: ClassVar[str] = "contest-hunt"

    def __init__(self, rules: Rules, seat: int, dialect: str) -> None:
        super().__init__(rules, seat, dialect)
        self._tells_apart = dialect == "1"  # whether each shot and each sunk ship has a message
        self._in: deque[bytes] = deque()
        self._read: Callable[[Mapping[str, Any]], FromPlayer] | None = None
        self._awaited = 0  # the ``mt`` of the awaited answer
        self._has_setup = False
        self._is_at_fault = False  # whether this player's fault ended the match
        self._begin_game()

    @staticmethod
    def obstacles(rules: Rules, seats: int) -> Mapping[str, bool]:
        return {
            "a game has two players": seats > 2,
            "a board has as many rows as columns": rules.columns != rules.rows,
            "both players shoot at once": rules.turn is not Turn.BOTH,
            "the last fleet afloat wins": rules.goal is not Goal.FLEET,
            "ships are placed one by one": rules.placing is not Placing.SHIP_BY_SHIP,
            "a repeat is told to be one": rules.repeat is not Repeat.SAID_SO,
            "a ship that is sunk is told whole": rules.sinking is not Sinking.SHIP,
            "a wrong reply ends the match": rules.bad_move is not BadMove.FORFEITS_MATCH,
            "no turn can be skipped": rules.may_skip,
        }

    @staticmethod
    def rules_to_try() -> Sequence[Rules]:
        return [contest(side) for side in CONTEST_DRAWS]

    @staticmethod
    def readable(data: bytes) -> str:
        texts = (text for text in data.split(b"\0") if text)
        return "\n".join(text.decode("utf-8", "backslashreplace") for text in texts)

    @staticmethod
    def name_of_cell(cell: Cell) -> str:
        return f"row {cell.row}, column {cell.column}"

    def send(self, message: ToPlayer) -> None:
        if isinstance(message, Told):  # the most frequent message comes first
            self._tell(message.events)
            return
        match message:
            case AskShots():
                self._ask_for_shot()
            case AskShip(length):
                self._say(b'{"l":%d,"mt":4}', length)
                self._expect(_PLACED, self._placed)
            case GameStart(rules=rules):
                self._rules = rules
                self._begin_game()
                self._set_up()
                self._say(b'{"mt":3}')
            case GameOver(outcome):
                self._end_game(outcome)
            case MatchOver():
                self._end_match()
            case AskName():
                self._expect(_HELLO, _joined)
            case Refused(again=None):
                return  # the player was asked nothing
            case Refused() | AskFleet():
                raise AssertionError(f"rules with {message} are not for this wire")
            case _:
                return  # the protocol has no words for this message

    def receive_data(self, data: bytes) -> None:
        """Take the bytes of one read, which are one answer."""
        if data:
            self._in.append(data)

    def next_event(self) -> FromPlayer | None:
        if self._read is None or not self._in:
            return None
        read, self._read = self._read, None
        return read(_message(self._in.popleft(), self._awaited))

    # What goes out

    def _say(self, text: bytes, *values: object) -> None:
        frame = text % values
        assert len(frame) < FRAME_BYTES, "every message is short"
        self._out += frame.ljust(FRAME_BYTES, b"\0")

    def _expect(self, kind: int, read: Callable[[Mapping[str, Any]], FromPlayer]) -> None:
        self._awaited, self._read = kind, read

    def _begin_game(self) -> None:
        self._own: set[Cell] = set()  # the cells of the player's own ships
        self._dead: set[tuple[int, Cell]] = set()  # cells of sunk ships, with their seat
        self._has_shot_at_water: Cell | None = None
        self._hits = self._misses = self._repeats = self._kills = 0  # counts of this player's shots
        self._round: bytes | None = None  # the shots of a round that are not told yet, in dialect 2

    def _set_up(self) -> None:
        if not self._has_setup:
            self._has_setup = True
            self._say(b'{"bs":%d,"mt":2,"pn":%d}', self._rules.columns, self._seat + 1)

    def _ask_for_shot(self) -> None:
        if self._round is None:
            self._out += _SHOOT_FRAME
        else:
            self._tell_round(b"true")
        self._expect(_FIRED, self._fired)

    def _tell(self, events: Sequence[Event]) -> None:
        """Tell the shots of a round and the ships that they sank. In dialect 2 the text waits for
        the next question or the end of the game."""
        rows: list[tuple[int, int, int, int]] = []
        sunk: dict[int, Ship] = {}  # sunk ships by the seat that lost them
        for event in events:
            if isinstance(event, Shot):
                rows.append((event.seat, *event.cell, self._value(event)))
                if event.ship and not event.repeat:
                    sunk[event.target] = event.ship
            elif isinstance(event, TurnSkipped):
                rows.append(self._shot_at_water(event.seat))
        if not rows:
            return
        if self._tells_apart:
            self._out += b"".join([_shot_frame(*one) for one in sorted(rows)])
            for seat, ship in sorted(sunk.items()):
                self._say(
                    b'{"c":%d,"d":%d,"l":%d,"mt":9,"pn":%d,"r":%d}',
                    *(ship.column, _WAYS[ship.orientation], ship.length, seat + 1, ship.row),
                )
            return
        self._round = b",".join(
            b'"p%d":{%b"st":%b}' % (seat + 1, _sunk(sunk.get(seat)), _shot_text(column, row, value))
            for seat, column, row, value in sorted(rows)
        )

    def _tell_round(self, goes_on: bytes) -> None:
        assert self._round is not None, "there was one"
        self._say(b'{"mt":8,"ns":%b,%b}', goes_on, self._round)
        self._round = None

    def _value(self, shot: Shot) -> int:
        """The protocol's number for the result of a shot. The shot is counted if it is this
        player's own."""
        is_own, is_hit = shot.seat == self._seat, shot.is_hit
        if shot.repeat:
            self._repeats += is_own
            if (shot.target, shot.cell) in self._dead:
                return _REPEATED_KILL
            return _REPEATED_HIT if is_hit else _REPEATED_MISS
        if is_hit:
            self._hits += is_own
        else:
            self._misses += is_own
        if shot.ship:
            self._kills += is_own
            self._dead.update((shot.target, cell) for cell in shot.ship.cells)
        return _HIT if is_hit else _MISS

    def _shot_at_water(self, seat: int) -> tuple[int, int, int, int]:
        """The shot that stands for a skipped turn, for which the protocol has no words. It always
        goes to the same cell without a ship of this player."""
        value = _MISS if self._has_shot_at_water is None else _REPEATED_MISS
        side = range(self._rules.columns)
        cells = (Cell(column, row) for row in side for column in side)
        water = next((cell for cell in cells if cell not in self._own), Cell(0, 0))
        self._has_shot_at_water = water
        return seat, *water, value

    def _end_game(self, outcome: Outcome) -> None:
        self._read = None
        if outcome.termination not in _PLAYED_OUT:
            # The protocol has no words for such an end, but it ends the match too.
            both = outcome.termination is Termination.BOTH_FAILED
            self._is_at_fault = both or outcome.loser == self._seat
        elif self._tells_apart:
            self._say(b'{"mt":10}')
        else:
            self._tell_round(b"false")
            result = _TIED
            if outcome.winner is not None:
                result = _WON if outcome.winner == self._seat else _LOST
            self._say(
                b'{"gr":%d,"mt":9,"nb":%d,"nd":%d,"nh":%d,"nm":%d,"sk":%d}',
                *(result, self._hits + self._misses, self._repeats, self._hits, self._misses),
                self._kills,
            )

    def _end_match(self) -> None:
        """Say that the match is over, unless this player's fault ended it."""
        if not self._is_at_fault:
            self._set_up()  # programs need the setup before any other message
            self._say(b'{"mt":%d}', _MATCH_OVER_1 if self._tells_apart else _MATCH_OVER_2)

    # What comes in

    def _placed(self, said: Mapping[str, Any]) -> FromPlayer:
        row, column, length, way = [_integer(said, key) for key in "rcld"]
        if way not in _ORIENTATIONS:
            raise BadOutput(f"replied {_quoted(said)}: `d` is 72 (to the right) or 86 (downwards)")
        ship = Ship(length, column, row, _ORIENTATIONS[way])
        if 0 < length <= self._rules.columns:
            self._own.update(ship.cells)
        return PlacedShip(ship)

    def _fired(self, said: Mapping[str, Any]) -> FromPlayer:
        column, row = said.get("c"), said.get("r")
        if type(column) is not int or type(row) is not int:
            column, row = _integer(said, "c"), _integer(said, "r")  # raises `BadOutput`
        return Fired((Target(1 - self._seat, Cell(column, row)),))


def hello(name: str, authors: str) -> bytes:
    """The first message of a program, with its name and authors."""
    return _dumped({"ai": name, "au": authors, "mt": _HELLO})


def ship_answer(ship: Ship) -> bytes:
    """The answer that places this ship."""
    way = _WAYS[ship.orientation]
    document = {"c": ship.column, "d": way, "l": ship.length, "mt": _PLACED, "r": ship.row}
    return _dumped(document)


def shot_answer(cell: Cell) -> bytes:
    """The answer that shoots at this cell."""
    return _dumped({"c": cell.column, "mt": _FIRED, "r": cell.row})


def _dumped(document: object) -> bytes:
    return json.dumps(document).encode()


def _frame(text: bytes) -> bytes:
    return text.ljust(FRAME_BYTES, b"\0")


@lru_cache(_MOST_KEPT)
def _shot_frame(seat: int, column: int, row: int, value: int) -> bytes:
    text = b'{"c":%d,"mt":8,"pn":%d,"r":%d,"v":%d}' % (column, seat + 1, row, value)
    return _frame(text)


@lru_cache(_MOST_KEPT)
def _shot_text(column: int, row: int, value: int) -> bytes:
    return b'{"c":%d,"r":%d,"v":%d}' % (column, row, value)


def _sunk(ship: Ship | None) -> bytes:
    if ship is None:
        return b""
    return b'"sp":{"c":%d,"d":%d,"l":%d,"r":%d},' % (
        *(ship.column, _WAYS[ship.orientation], ship.length, ship.row),
    )


def _message(data: bytes, kind: int) -> Mapping[str, Any]:
    """The message in the bytes of one read. Raises `BadOutput` if the bytes cannot be read, or the
    message's ``mt`` is not ``kind``."""
    end = data.find(b"\0")
    if end < 0:
        if len(data) >= FRAME_BYTES:
            raise BadOutput(
                f"replied {FRAME_BYTES} bytes without a NUL; a message has "
                f"{FRAME_BYTES - 1} bytes at most"
            )
        end = len(data)
    return (_said_again if end <= _SHORT else _said)(data[:end], kind)


def _said(text: bytes, kind: int) -> Mapping[str, Any]:
    said = _parsed(text)
    if not isinstance(said, dict):
        raise BadOutput(f"replied {_quoted(said)}, which is not a JSON object")
    found = _integer(said, "mt")
    if found != kind:
        if (kind, found) == (_HELLO, _THIRD_HELLO):
            raise BadOutput(
                "speaks the contest's third protocol (its hello has `mt` 0), and the judge plays "
                "the first two, dialects 1 and 2"
            )
        raise BadOutput(f"replied {_quoted(said)} where a message of `mt` {kind} is awaited")
    return said


# The same hundred shots come in every game.
_said_again = lru_cache(_MOST_KEPT)(_said)


def _parsed(data: bytes) -> Any:
    """The JSON value in these bytes. Raises `BadOutput` if the bytes are blank, or are not one JSON
    value. A quick reader is tried before the strict one."""
    if b"\\" not in data:
        with suppress(ValueError, StopIteration):
            value, end = _decoder.raw_decode(data.decode())
            if end == len(data):
                return value
    if not data.strip():
        raise BadOutput("sent a message without text")
    return strict_json.parse(data, last_counts=True)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


_decoder = json.JSONDecoder(parse_constant=_refuse_constant)


def _integer(said: Mapping[str, Any], key: str) -> int:
    value = said.get(key)
    if type(value) is not int:
        wrong = f"`{key}` is not a whole number" if key in said else f"there is no `{key}`"
        raise BadOutput(f"replied {_quoted(said)}: {wrong}")
    return value


def _joined(said: Mapping[str, Any]) -> FromPlayer:
    name, authors = said.get("ai"), said.get("au")
    if not isinstance(name, str) or not isinstance(authors, str):
        raise BadOutput(f"replied {_quoted(said)}: `ai` and `au` are texts")
    return Joined(_cut(name), _cut(authors))


def _cut(name: str) -> str:
    return name.partition("\0")[0][:LONGEST_NAME]


def _quoted(said: object) -> str:
    return strict_json.quoted(_dumped(said).decode())
