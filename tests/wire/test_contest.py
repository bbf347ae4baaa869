"""The contest wire: every frame that goes out in both dialects, every form of an answer, and how
the dialect of a program is found out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from changes import replace
from judge.documents.game import Outcome, Result, Termination
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
from judge.errors import BadOutput
from judge.game.events import Gone, Shot, Target, TurnSkipped, View
from judge.game.variants import VARIANTS, contest
from judge.wire.contest import Contest, DialectDetection, hello, ship_answer, shot_answer
from judge.wire.interface import Transport
from judge.wire.messages import (
    AskFleet,
    AskName,
    AskShip,
    AskShots,
    Chat,
    Farewell,
    Fired,
    FromPlayer,
    GameOver,
    GameStart,
    Joined,
    MatchOver,
    MatchStart,
    PlacedShip,
    Refused,
    Told,
    ToPlayer,
)
from strategies import examples

ACROSS, DOWN = Orientation.HORIZONTAL, Orientation.VERTICAL
DIALECTS = ["1", "2"]
RULES = replace(contest(3), fleet=(2, 1, 1))
NAMES = ("ann", "bob")

SETUP_1, SETUP_2 = '{"bs":3,"mt":2,"pn":1}', '{"bs":3,"mt":2,"pn":2}'
START, SHOOT = '{"mt":3}', '{"mt":6}'


def framed(*texts: str) -> bytes:
    return b"".join(text.encode("ascii").ljust(256, b"\0") for text in texts)


def start() -> GameStart:
    return GameStart(0, NAMES, RULES, 7, None, 0)


def ask() -> AskShots:
    return AskShots(View(0, 2, 0, RULES, (), (), 1, 0, (True, True)))


def wire(dialect: str = "1", seat: int = 0, rules: Rules = RULES) -> Contest:
    """A wire whose first game has begun."""
    one = Contest(rules, seat, dialect)
    one.send(replace(start(), seat=seat, rules=rules))
    assert one.data_to_send()
    return one


def sent(dialect: str, seat: int, *messages: ToPlayer) -> bytes:
    one = Contest(RULES, seat, dialect)
    for message in messages:
        one.send(message)
    return one.data_to_send()


SMALL, LONG = Ship(1, 0, 1, DOWN), Ship(2, 1, 2, ACROSS)
OUT = Outcome(0, 1, Termination.FLEET_DESTROYED)
TIE = Outcome(None, None, Termination.ROUND_LIMIT, scores=(1, 1))


def shot(seat: int, row: int, column: int, result: Result, ship: Ship | None = None) -> Shot:
    sunk = ship.length if ship else None
    return Shot(seat, 1 - seat, Cell(column, row), result, sunk, ship=ship)


def again(seat: int, row: int, column: int, before: Result) -> Shot:
    return structs.replace(shot(seat, row, column, before), repeat=True)


MISSES = Told((shot(0, 0, 2, Result.MISS), shot(1, 2, 0, Result.MISS)))
# Seat 0 repeats a shot at a ship that it has sunk; seat 1 hits and sinks.
SUNK = Told((shot(0, 1, 0, Result.SUNK, SMALL), shot(1, 0, 0, Result.HIT)))
KILLED = Told((again(0, 1, 0, Result.SUNK), shot(1, 1, 0, Result.SUNK, SMALL)))
WITHOUT_BOTH = Told((Gone(1, Termination.CRASH),))

# What is sent to seat 0 by each dialect; a frame for each text.
SENT: dict[str, tuple[tuple[ToPlayer, ...], Sequence[str], Sequence[str]]] = {
    "the match": ((MatchStart(0, NAMES, RULES, 500),), [], []),
    "a question for its name": ((AskName(),), [], []),
    "the first game": ((start(),), [SETUP_1, START], [SETUP_1, START]),
    "two games": ((start(), start()), [SETUP_1, START, START], [SETUP_1, START, START]),
    "a ship": (
        (AskShip(2), AskShip(1)),
        ['{"l":2,"mt":4}', '{"l":1,"mt":4}'],
        ['{"l":2,"mt":4}', '{"l":1,"mt":4}'],
    ),
    "the first shot": ((ask(),), [SHOOT], [SHOOT]),
    "a round": (
        (ask(), MISSES, ask()),
        [
            SHOOT,
            '{"c":2,"mt":8,"pn":1,"r":0,"v":42}',
            '{"c":0,"mt":8,"pn":2,"r":2,"v":42}',
            SHOOT,
        ],
        [
            SHOOT,
            '{"mt":8,"ns":true,"p1":{"st":{"c":2,"r":0,"v":42}},"p2":{"st":{"c":0,"r":2,"v":42}}}',
        ],
    ),
    "a sunk ship, and a repeat of it": (
        (ask(), SUNK, ask(), KILLED, ask()),
        [
            SHOOT,
            '{"c":0,"mt":8,"pn":1,"r":1,"v":88}',
            '{"c":0,"mt":8,"pn":2,"r":0,"v":88}',
            '{"c":0,"d":86,"l":1,"mt":9,"pn":2,"r":1}',
            SHOOT,
            '{"c":0,"mt":8,"pn":1,"r":1,"v":36}',
            '{"c":0,"mt":8,"pn":2,"r":1,"v":88}',
            '{"c":0,"d":86,"l":1,"mt":9,"pn":1,"r":1}',
            SHOOT,
        ],
        [
            SHOOT,
            (
                '{"mt":8,"ns":true,"p1":{"st":{"c":0,"r":1,"v":88}},'
                '"p2":{"sp":{"c":0,"d":86,"l":1,"r":1},"st":{"c":0,"r":0,"v":88}}}'
            ),
            (
                '{"mt":8,"ns":true,"p1":{"sp":{"c":0,"d":86,"l":1,"r":1},"st":{"c":0,"r":1,"v":36}},'
                '"p2":{"st":{"c":0,"r":1,"v":88}}}'
            ),
        ],
    ),
    "both lose a ship": (
        (
            ask(),
            Told((shot(0, 2, 2, Result.SUNK, LONG), shot(1, 1, 0, Result.SUNK, SMALL))),
            GameOver(OUT),
        ),
        [
            SHOOT,
            '{"c":2,"mt":8,"pn":1,"r":2,"v":88}',
            '{"c":0,"mt":8,"pn":2,"r":1,"v":88}',
            '{"c":0,"d":86,"l":1,"mt":9,"pn":1,"r":1}',
            '{"c":1,"d":72,"l":2,"mt":9,"pn":2,"r":2}',
            '{"mt":10}',
        ],
        [
            SHOOT,
            (
                '{"mt":8,"ns":false,"p1":{"sp":{"c":0,"d":86,"l":1,"r":1},"st":{"c":2,"r":2,"v":88}},'
                '"p2":{"sp":{"c":1,"d":72,"l":2,"r":2},"st":{"c":0,"r":1,"v":88}}}'
            ),
            '{"gr":87,"mt":9,"nb":1,"nd":0,"nh":1,"nm":0,"sk":1}',
        ],
    ),
    "repeats, a tie and the end of the match": (
        (
            start(),
            ask(),
            MISSES,
            ask(),
            Told((again(0, 0, 2, Result.MISS), shot(1, 0, 1, Result.HIT))),
            ask(),
            Told((shot(0, 2, 1, Result.HIT), again(1, 0, 1, Result.HIT))),
            GameOver(TIE),
            MatchOver((0, 0)),
            Farewell(),
        ),
        [
            SETUP_1,
            START,
            SHOOT,
            '{"c":2,"mt":8,"pn":1,"r":0,"v":42}',
            '{"c":0,"mt":8,"pn":2,"r":2,"v":42}',
            SHOOT,
            '{"c":2,"mt":8,"pn":1,"r":0,"v":35}',
            '{"c":1,"mt":8,"pn":2,"r":0,"v":88}',
            SHOOT,
            '{"c":1,"mt":8,"pn":1,"r":2,"v":88}',
            '{"c":1,"mt":8,"pn":2,"r":0,"v":34}',
            '{"mt":10}',
            '{"mt":11}',
        ],
        [
            SETUP_1,
            START,
            SHOOT,
            '{"mt":8,"ns":true,"p1":{"st":{"c":2,"r":0,"v":42}},"p2":{"st":{"c":0,"r":2,"v":42}}}',
            '{"mt":8,"ns":true,"p1":{"st":{"c":2,"r":0,"v":35}},"p2":{"st":{"c":1,"r":0,"v":88}}}',
            '{"mt":8,"ns":false,"p1":{"st":{"c":1,"r":2,"v":88}},"p2":{"st":{"c":1,"r":0,"v":34}}}',
            '{"gr":84,"mt":9,"nb":2,"nd":1,"nh":1,"nm":1,"sk":0}',
            '{"mt":10}',
        ],
    ),
    "the other failed, in a game": (
        (
            start(),
            WITHOUT_BOTH,
            GameOver(Outcome(0, 1, Termination.CRASH)),
            MatchOver((1, 0)),
        ),
        [SETUP_1, START, '{"mt":11}'],
        [SETUP_1, START, '{"mt":10}'],
    ),
    "the other failed, before the first game": (
        (AskName(), GameOver(Outcome(0, 1, Termination.LEFT)), MatchOver((1, 0))),
        [SETUP_1, '{"mt":11}'],
        [SETUP_1, '{"mt":10}'],
    ),
    "it failed itself": (
        (start(), GameOver(Outcome(1, 0, Termination.BAD_OUTPUT)), MatchOver((0, 1))),
        [SETUP_1, START],
        [SETUP_1, START],
    ),
    "both failed": (
        (start(), GameOver(Outcome(None, None, Termination.BOTH_FAILED)), MatchOver((0, 0))),
        [SETUP_1, START],
        [SETUP_1, START],
    ),
    "a match that is broken off": (
        (start(), GameOver(Outcome(None, None, Termination.ABORTED)), MatchOver((0, 0))),
        [SETUP_1, START, '{"mt":11}'],
        [SETUP_1, START, '{"mt":10}'],
    ),
    "what there are no words for": ((Chat(1, "hi", is_private=False), Refused("no", None)), [], []),
}


@pytest.mark.parametrize("name", SENT)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_sent_frames(dialect: str, name: str) -> None:
    """Each message is these frames and no others: 256 bytes, with sorted keys, filled up with
    NULs."""
    messages, first, second = SENT[name]
    assert sent(dialect, 0, *messages) == framed(*(first if dialect == "1" else second))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_other_seat(dialect: str) -> None:
    """The other seat gets the same frames, but for its number and its own result and figures."""
    messages = (start(), ask(), SUNK, ask(), KILLED, GameOver(OUT))
    theirs = sent(dialect, 1, *messages)
    frames = [theirs[at : at + 256].rstrip(b"\0").decode() for at in range(0, len(theirs), 256)]
    assert frames[0] == SETUP_2
    ours = sent(dialect, 0, *messages)
    own = '{"gr":76,"mt":9,"nb":2,"nd":0,"nh":2,"nm":0,"sk":1}' if dialect == "2" else '{"mt":10}'
    assert frames[-1] == own
    end = -256 if dialect == "2" else None
    assert theirs[256:end] == ours[256:end]


def test_auto_is_the_newer_dialect_where_none_was_found() -> None:
    """So a program whose dialect cannot be told fails by its own fault, in a match."""
    messages = (start(), ask(), MISSES, ask())
    assert sent("auto", 0, *messages) == sent("2", 0, *messages)
    assert Contest.dialects[0] == "auto"


def test_figures_begin_anew_with_each_game() -> None:
    """Those of a game are not carried into the next."""
    over = GameOver(TIE)
    game = (start(), ask(), MISSES, over)
    assert sent("2", 0, *game, *game).endswith(
        framed('{"gr":84,"mt":9,"nb":1,"nd":0,"nh":0,"nm":1,"sk":0}')
    )


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_opponent_that_skips_shoots_at_water(dialect: str) -> None:
    """A player alone with a board is told of shots at one cell of its own water, for the protocol
    has no words for a skipped turn."""
    one = wire(dialect)
    one.send(AskShip(2))
    answered(one, ship_answer(Ship(2, 0, 0, ACROSS)))
    one.send(ask())
    one.data_to_send()
    for _ in range(2):
        one.send(Told((TurnSkipped(1), shot(0, 1, 1, Result.MISS))))
        one.send(ask())
    data = one.data_to_send()
    told = [json.loads(text) for text in data.split(b"\0") if text]
    theirs = [
        (one["r"], one["c"], one["v"]) if dialect == "1" else tuple(one["p2"]["st"].values())
        for one in told
        if (one["mt"], one.get("pn", 2)) == (8, 2)
    ]
    assert theirs == ([(0, 2, 42), (0, 2, 35)] if dialect == "1" else [(2, 0, 42), (2, 0, 35)])


# What comes in


def answered(one: Contest, data: bytes) -> FromPlayer:
    one.receive_data(data)
    event = one.next_event()
    assert event is not None
    return event


def named(**more: object) -> bytes:
    return json.dumps({"mt": 1, "ai": "Ann", "au": "A. One", **more}).encode()


SHIP = '{"mt":5,"r":1,"c":0,"l":2,"d":72}'
SHOT = '{"mt":7,"r":2,"c":1}'
PLACED, FIRED = PlacedShip(Ship(2, 0, 1, ACROSS)), Fired((Target(1, Cell(1, 2)),))

RECEIVED: dict[str, tuple[ToPlayer, bytes, FromPlayer]] = {
    "a name": (AskName(), named(), Joined("Ann", "A. One")),
    "a name, as the judge's own would say it": (AskName(), hello("é", "ü"), Joined("é", "ü")),
    "empty names": (AskName(), named(ai="", au=""), Joined("", "")),
    "a name that a NUL ends": (AskName(), named(ai="An\0n"), Joined("An", "A. One")),
    "a long name, cut by characters": (AskName(), named(ai="é" * 30 + "x" * 40), Joined("é" * 30 + "x" * 34, "A. One")),
    "a ship": (AskShip(2), SHIP.encode(), PLACED),
    "a ship downwards": (AskShip(2), SHIP.replace("72", "86").encode(), PlacedShip(Ship(2, 0, 1, DOWN))),
    "a ship off the board": (AskShip(2), SHIP.replace('"r":1', '"r":-7').encode(), PlacedShip(Ship(2, 0, -7, ACROSS))),
    "a ship of another length": (AskShip(2), SHIP.replace('"l":2', '"l":0').encode(), PlacedShip(Ship(0, 0, 1, ACROSS))),
    "a shot": (ask(), SHOT.encode(), FIRED),
    "a shot far off": (ask(), b'{"mt":7,"r":4294967296,"c":-1}', Fired((Target(1, Cell(-1, 2**32)),))),
    "a shot, as the judge's own would say it": (ask(), shot_answer(Cell(1, 2)), FIRED),
    "filled up with NULs": (ask(), framed(SHOT), FIRED),
    "anything after a NUL": (ask(), SHOT.encode() + b"\0{", FIRED),
    "a line's end": (ask(), SHOT.encode() + b"\r\n", FIRED),
    "white space": (ask(), b' { "mt" : 7 ,\t"r":2,"c":1 } ', FIRED),
    "other keys": (ask(), b'{"x":[{}],"mt":7,"r":2,"c":1,"d":null}', FIRED),
    "a key twice: the last counts": (ask(), b'{"mt":7,"r":9,"r":2,"c":1}', FIRED),
    "255 bytes": (ask(), SHOT.encode().ljust(255), FIRED),
    "255 bytes and a NUL": (ask(), SHOT.encode().ljust(255) + b"\0", FIRED),
}  # fmt: skip


@pytest.mark.parametrize("name", RECEIVED)
def test_received_bytes(name: str) -> None:
    """These are answers, whether or not they are filled up with NULs."""
    question, data, event = RECEIVED[name]
    for filled in (data, data.ljust(256, b"\0")):
        one = wire()
        one.send(question)
        assert answered(one, filled) == event
        assert one.next_event() is None


@pytest.mark.parametrize("name", RECEIVED)
def test_one_read_is_one_answer(name: str) -> None:
    """An answer that comes in two reads is two answers: the first byte alone is a wrong one, and
    what comes after an answer is the answer to the next question."""
    question, data, event = RECEIVED[name]
    one = wire()
    one.send(question)
    one.receive_data(data[:1])
    with pytest.raises(BadOutput):
        one.next_event()
    one = wire()
    one.send(question)
    one.receive_data(data)
    one.receive_data(SHOT.encode())
    assert one.next_event() == event
    assert one.next_event() is None
    one.send(ask())
    assert one.next_event() == FIRED


def changed(text: str, **fields: Any) -> bytes:
    document = {**json.loads(text), **fields}
    return json.dumps({key: value for key, value in document.items() if value != "-"}).encode()


WRONG: dict[str, tuple[ToPlayer, bytes, str]] = {
    "garbage": (ask(), b"bang", "not JSON"),
    "no UTF-8": (ask(), b'{"mt":7,"r":2,"c":1,"x":"\xff"}', "not UTF-8"),
    "nothing but NULs": (ask(), b"\0" * 256, "sent a message without text"),
    "white space": (ask(), b" \n", "sent a message without text"),
    "a byte-order mark": (ask(), b"\xef\xbb\xbf" + SHOT.encode(), "byte-order mark"),
    "no object": (ask(), b"[7,2,1]", "not a JSON object"),
    "a brace too many": (ask(), SHOT.encode() + b"}", "after the JSON value"),
    "a comment": (ask(), SHOT.encode() + b" // bang", "after the JSON value"),
    "two objects": (ask(), SHOT.encode() * 2, "after the JSON value"),
    "NaN": (ask(), b'{"mt":7,"r":2,"c":1,"x":NaN}', "NaN"),
    "half a surrogate pair": (AskName(), b'{"mt":1,"ai":"\\ud800","au":""}', "surrogate"),
    "256 bytes without a NUL": (ask(), SHOT.encode().ljust(256), "without a NUL"),
    "nested": (ask(), b"[" * 200, "nested"),
    "no mt": (ask(), changed(SHOT, mt="-"), "there is no `mt`"),
    "another mt": (ask(), SHIP.encode(), "`mt` 7 is awaited"),
    "mt as text": (ask(), changed(SHOT, mt="7"), "`mt` is not a whole number"),
    "mt as a fraction": (ask(), changed(SHOT, mt=7.0), "`mt` is not a whole number"),
    "no row": (ask(), changed(SHOT, r="-"), "there is no `r`"),
    "a row of true": (ask(), changed(SHOT, r=True), "`r` is not a whole number"),
    "a row of null": (ask(), changed(SHOT, r=None), "`r` is not a whole number"),
    "a row as text": (ask(), changed(SHOT, r="2"), "`r` is not a whole number"),
    "a column of 1.0": (ask(), changed(SHOT, c=1.0), "`c` is not a whole number"),
    "a column of 1e0": (ask(), b'{"mt":7,"r":2,"c":1e0}', "`c` is not a whole number"),
    "no length": (AskShip(2), changed(SHIP, l="-"), "there is no `l`"),
    "a direction of 0": (AskShip(2), changed(SHIP, d=0), "`d` is 72"),
    "a direction as a letter": (AskShip(2), changed(SHIP, d="H"), "`d` is not a whole number"),
    "a shot for a ship": (AskShip(2), SHOT.encode(), "`mt` 5 is awaited"),
    "a name of 7": (AskName(), named(ai=7), "`ai` and `au` are texts"),
    "no authors": (AskName(), b'{"mt":1,"ai":"Ann"}', "`ai` and `au` are texts"),
    "the name of the third program": (
        AskName(),
        named(mt=0),
        "speaks the contest's third protocol",
    ),
    "a third program's answer later": (ask(), named(mt=0), "`mt` 7 is awaited"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_answers(name: str) -> None:
    """Each of these is not an answer, and the sentence says why."""
    question, data, why = WRONG[name]
    one = wire()
    one.send(question)
    one.receive_data(data)
    with pytest.raises(BadOutput, match=why):
        one.next_event()


@given(st.binary(min_size=1, max_size=256), st.sampled_from([AskName(), AskShip(2), ask()]))
@examples(300)
def test_any_bytes(data: bytes, question: ToPlayer) -> None:
    """Whatever comes is an answer or a `BadOutput`."""
    one = wire()
    one.send(question)
    one.receive_data(data)
    try:
        said: object = one.next_event()
    except BadOutput as error:
        said = str(error)
        assert str.isprintable(said)
    assert said


def test_nothing_is_read_before_it_is_asked_for() -> None:
    """Data that came before the question are its answer; the end of the stream is not an answer."""
    one = wire()
    one.receive_data(SHOT.encode())
    one.receive_data(b"")
    assert one.next_event() is None
    one.send(ask())
    assert one.next_event() == FIRED
    one.send(ask())
    assert one.next_event() is None


# What the wire says of itself


def test_what_it_can_express() -> None:
    """All sizes of the contest, and no other variant."""
    assert Contest.transport is Transport.SOCKET
    for side in range(3, 11):
        assert Contest.unsupported(contest(side), 2) is None
    able = [name for name, rules in VARIANTS.items() if Contest.unsupported(rules, 2) is None]
    assert able == ["contest"]
    assert Contest.unsupported(replace(RULES, round_limit=200), 2) is None


@pytest.mark.parametrize(
    "changed",
    [
        {"columns": 4},
        {"turn": Turn.SINGLE},
        {"goal": Goal.POINTS},
        {"placing": Placing.ALL},
        {"repeat": Repeat.ILLEGAL},
        {"sinking": Sinking.SIZE},
        {"bad_move": BadMove.ASK_AGAIN},
        {"may_skip": True},
    ],
)
def test_what_it_cannot_express(changed: dict[str, Any]) -> None:
    """Rules that are otherwise in any of this are refused, with a reason."""
    assert Contest.unsupported(replace(RULES, **changed), 2)
    assert Contest.unsupported(RULES, 3)


def test_it_asks_for_no_fleet() -> None:
    """Rules by which a whole fleet is asked for are not for this wire."""
    with pytest.raises(AssertionError, match="not for this wire"):
        wire().send(AskFleet())


def test_shown() -> None:
    """A person is shown the texts of frames, a line each."""
    assert Contest.readable(framed(SETUP_1, START)) == f"{SETUP_1}\n{START}"
    assert Contest.luck(7) == {"BOT_SEED": "7"}


# The dialect of a program


def heard(*data: bytes) -> tuple[DialectDetection, list[bytes]]:
    detection = DialectDetection()
    out = []
    for one in data:
        assert not detection.is_over
        detection.receive_data(one)
        out.append(detection.data_to_send())
    return detection, out


PROBE = framed('{"bs":10,"mt":2,"pn":1}', START, '{"mt":10}', START, '{"l":3,"mt":4}')


def test_dialect_1_is_told_by_a_ship() -> None:
    """A program for which message 10 ends a game places a ship in the next one, and is let go."""
    detection, out = heard(named(), SHIP.replace('"l":2', '"l":3').encode())
    assert out == [PROBE, framed('{"mt":11}')]
    assert (detection.dialect, detection.is_over) == ("1", True)


def test_dialect_2_is_told_by_its_leaving() -> None:
    """A program for which message 10 ends the match closes the connection."""
    detection, out = heard(named(), b"")
    assert out == [PROBE, b""]
    assert (detection.dialect, detection.is_over) == ("2", True)


@pytest.mark.parametrize("said", [(b"",), (b"bang",), (named(mt=0),), (named(), SHOT.encode())])
def test_a_dialect_that_cannot_be_told(said: Sequence[bytes]) -> None:
    """Who says anything else, or leaves at once, has no dialect."""
    detection, _ = heard(*said)
    assert (detection.dialect, detection.is_over) == (None, True)
