"""The wires: what goes out byte for byte, what comes back, and in which pieces."""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from changes import replace
from judge import schemas
from judge.documents.game import Result
from judge.documents.rules import (
    BadMove,
    Cell,
    Draw,
    Orientation,
    Placing,
    Repeat,
    Rules,
    Ship,
    Sinking,
    Turn,
)
from judge.errors import BadOutput
from judge.game.events import Shot, Target, View
from judge.game.game import Game
from judge.game.replay import replay
from judge.game.variants import BRAINJAR, VARIANTS
from judge.play.conditions import Conditions
from judge.play.referee import play_game
from judge.testing import board, fleets, games, random_rules
from judge.testing import rules as any_rules
from judge.wire import WIRES
from judge.wire.brainjar import Brainjar, fleet_replied, fleet_reply, move_reply, shot_replied
from judge.wire.broadsides import Broadsides
from judge.wire.contest import Contest
from judge.wire.interface import Wire
from judge.wire.messages import AskFleet, AskShots, Fired, FromPlayer, Placed, Question, Refused
from judge.wire.open import Open, OpenLines
from judge.wire.strict_json import parse, quoted
from judge.wire.xbs.shell import XbsShell
from players import bot
from strategies import cells, examples, some_fleet

ACROSS, DOWN = Orientation.HORIZONTAL, Orientation.VERTICAL
DIALECTS = ["readme", "engine"]

FLEET = (Ship(2, 0, 0, DOWN), Ship(3, 2, 2, DOWN), Ship(4, 4, 2, DOWN), Ship(5, 3, 7, ACROSS))
OTHER = (Ship(2, 0, 0, ACROSS), Ship(3, 7, 0, DOWN), Ship(4, 0, 7, ACROSS), Ship(5, 1, 1, ACROSS))
PLACES_FLEET = (
    b'{"2":{"point":"00","orientation":"vertical"},"3":{"point":"22","orientation":"vertical"},'
    b'"4":{"point":"42","orientation":"vertical"},"5":{"point":"37","orientation":"horizontal"}}'
)
SHOOTS = b'{"move":"42"}'


def played(seat: int, shots: str) -> View:
    """The view of a seat after these shots (two digits each), seat 0 first."""
    game = Game(BRAINJAR)
    game.place(0, FLEET)
    game.place(1, OTHER)
    for digits in shots.split():
        up = game.to_move[0]
        game.shoot(up, [Target(1 - up, Cell(int(digits[0]), int(digits[1])))])
    return game.view(seat)


def wire(seat: int = 0, dialect: str = "readme", rules: Rules = BRAINJAR) -> Brainjar:
    return Brainjar(rules, seat, dialect)


def sent(
    message: Question, seat: int = 0, dialect: str = "readme", rules: Rules = BRAINJAR
) -> bytes:
    one = wire(seat, dialect, rules)
    one.send(message)
    return one.data_to_send()


def asked(message: Question, seat: int = 0, rules: Rules = BRAINJAR) -> Brainjar:
    """A wire that has put its question and waits for the reply."""
    one = wire(seat, rules=rules)
    one.send(message)
    one.data_to_send()
    return one


def feed(one: Brainjar, pieces: Sequence[bytes]) -> FromPlayer:
    """The meaning of a reply in these pieces; none of it is told before the end of the stream."""
    for piece in pieces:
        one.receive_data(piece)
        assert one.next_event() is None
    one.receive_data(b"")
    event = one.next_event()
    assert event is not None
    assert one.next_event() is None, "a reply is one event"
    return event


def refusal(data: bytes, message: Question | None = None) -> str:
    """The sentence with which a reply (to a snapshot, by default) is refused."""
    one = asked(message or FIRST_SHOT)
    one.receive_data(data)
    one.receive_data(b"")
    with pytest.raises(BadOutput) as caught:
        one.next_event()
    assert one.next_event() is None, "a reply is refused once"
    sentence = str(caught.value)
    assert sentence.isprintable(), "one line, no control characters"
    assert 0 < len(sentence) <= 500
    return sentence


FIRST_SHOT = AskShots(played(0, ""))


# What is sent

# Ships sunk by seat 0: the 2, then the 5 (from both ends); by seat 1: the 2.
LONG = "10 00 66 00 01 76 51 11 41 31 21 30"

SENT: dict[str, tuple[Question, int, dict[str, bytes]]] = {
    "the fleet": (
        AskFleet(),
        0,
        {"readme": b'{"cmd":"init"}', "engine": b'{"cmd":"init"}'},
    ),
    "the first shot of all": (
        FIRST_SHOT,
        0,
        {
            "readme": b'{"cmd":"move","moves":[],"hit":[],"missed":[],"destroyed":[],"you":0}',
            "engine": b'{"hit":[],"missed":[],"destroyed":[],"moves":[],"cmd":"move","you":0}',
        },
    ),
    "the second player's first": (
        AskShots(played(1, "77")),
        1,
        {
            "readme": b'{"cmd":"move","moves":["0771"],"hit":[],"missed":[],"destroyed":[],'
            b'"you":1}',
            "engine": b'{"hit":[],"missed":[],"destroyed":[],"moves":["0771"],"cmd":"move",'
            b'"you":1}',
        },
    ),
    "a ship sunk, by who sank it": (
        AskShots(played(0, "10 00")),
        0,
        {
            "readme": b'{"cmd":"move","moves":["0103","0003"],"hit":["00","10"],"missed":[],'
            b'"destroyed":[2],"you":0}',
            "engine": b'{"hit":["00","10"],"missed":[],"destroyed":["2"],'
            b'"moves":["0103","0004"],"cmd":"move","you":0}',
        },
    ),
    "much, in the order of playing and of columns": (
        AskShots(played(0, LONG)),
        0,
        {
            "readme": b'{"cmd":"move","moves":["0103","0003","0661","1003","1013","1761","0513",'
            b'"0113","0413","0313","0213","0301"],"hit":["00","10","11","21","31","41","51"],'
            b'"missed":["30","66"],"destroyed":[2,5],"you":0}',
            "engine": b'{"hit":["00","10","11","21","31","41","51"],"missed":["30","66"],'
            b'"destroyed":["2","5"],"moves":["0103","0004","0661","1003","1014","1761","0513",'
            b'"0113","0413","0313","0214","0301"],"cmd":"move","you":0}',
        },
    ),
    "the same, to the other player": (
        AskShots(played(1, LONG)),
        1,
        {
            "readme": b'{"cmd":"move","moves":["0103","0003","0661","1003","1013","1761","0513",'
            b'"0113","0413","0313","0213","0301"],"hit":["00","01"],"missed":["76"],'
            b'"destroyed":[2],"you":1}',
            "engine": b'{"hit":["00","01"],"missed":["76"],"destroyed":["2"],'
            b'"moves":["0103","0004","0661","1003","1014","1761","0513","0113","0413","0313",'
            b'"0214","0301"],"cmd":"move","you":1}',
        },
    ),
}


def test_every_wire_has_its_table() -> None:
    """Every wire that there is has a table of bytes, in a file here."""
    wires = {
        "brainjar": Brainjar,
        "broadsides": Broadsides,
        "contest": Contest,
        "open": Open,
        "open-lines": OpenLines,
        "xbs": XbsShell,
    }
    assert wires == WIRES
    assert list(Brainjar.dialects) == DIALECTS


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", SENT)
def test_sent_bytes(name: str, dialect: str) -> None:
    """Each message is these bytes and no others, in the published order of keys."""
    message, seat, expected = SENT[name]
    assert sent(message, seat, dialect) == expected[dialect]


def test_data_to_send_empties_the_queue() -> None:
    """Data that were fetched are not sent again."""
    one = wire()
    assert one.data_to_send() == b""
    one.send(AskFleet())
    assert one.data_to_send() == b'{"cmd":"init"}'
    assert one.data_to_send() == b""


def test_nobody_is_asked_again() -> None:
    """A refusal has no words on this wire: to send one is a bug of the caller."""
    with pytest.raises(AssertionError, match="not for this wire"):
        wire().send(Refused("no", AskFleet()))


def shots_in(document: dict[str, Any]) -> list[tuple[int, int, int, int]]:
    return [(int(m[0]), int(m[1]), int(m[2]), int(m[3])) for m in document["moves"]]


def snapshot_check(rules: Rules, dialect: str) -> schemas.Check:
    """The published schema of a snapshot, with the digits and sizes of these rules."""
    schema: dict[str, Any] = copy.deepcopy(schemas.load("brainjar-snapshot"))
    cell = f"[0-{rules.columns - 1}][0-{rules.rows - 1}]"
    results = "[13]" if dialect == "readme" else "[134]"
    sizes = [str(n) if dialect == "engine" else n for n in rules.lengths]
    schema["properties"]["moves"]["items"]["pattern"] = f"^[01]{cell}{results}$"
    schema["properties"]["destroyed"]["items"]["enum"] = sizes
    for own in ("hit", "missed"):
        schema["properties"][own]["items"]["pattern"] = f"^{cell}$"
    return schemas.compiled(schema)


def spoken() -> st.SearchStrategy[Rules]:
    """Rules that the wire can play."""
    told = st.sampled_from([Sinking.SIZE, Sinking.NOTHING])
    rules = st.builds(lambda rules, sinking: replace(rules, sinking=sinking), any_rules(), told)
    return rules.filter(lambda rules: Brainjar.unsupported(rules, rules.players[0]) is None)


def two_seats(rules: Rules) -> Rules:
    return replace(rules, players=(2, 2))


@given(games(spoken().map(two_seats)), st.sampled_from(DIALECTS))
@examples(150)
def test_snapshots(game: Game, dialect: str) -> None:
    """A snapshot meets the schema of the rules in force, has no white space, and holds all shots
    as the seat was told them and its own sorted, whatever the game."""
    for seat in (0, 1):
        view = game.view(seat)
        data = sent(AskShots(view), seat, dialect, game.rules)
        document = json.loads(data)
        assert data == json.dumps(document, separators=(",", ":")).encode("ascii")
        assert not set(data) & set(b" \t\r\n")
        assert snapshot_check(game.rules, dialect)(document) is None
        assert schemas.problem("brainjar-snapshot", document) is None or game.rules != BRAINJAR

        results = [
            4 if s.result is Result.SUNK and dialect == "engine" else 3 if s.is_hit else 1
            for s in view.shots
        ]
        told = [(s.seat, *s.cell, r) for s, r in zip(view.shots, results, strict=True)]
        assert shots_in(document) == told
        own = [shot for shot in view.shots if shot.seat == seat]
        hit, missed = document["hit"], document["missed"]
        assert hit == sorted(hit)
        assert missed == sorted(missed)
        assert set(hit) == {f"{s.cell.column}{s.cell.row}" for s in own if s.is_hit}
        assert set(missed) == {f"{s.cell.column}{s.cell.row}" for s in own if not s.is_hit}
        sunk = [s.sunk for s in own if s.sunk]
        assert [int(size) for size in document["destroyed"]] == list(dict.fromkeys(sunk))
        assert document["you"] == seat


def test_a_ship_sunk_is_named_once() -> None:
    """A repeat that is told the old answer again does not sink a ship again."""
    view = structs.replace(
        played(0, "10"),
        rules=replace(BRAINJAR, repeat=Repeat.OLD_ANSWER),
        shots=(Shot(0, 1, Cell(0, 0), Result.SUNK, 2), Shot(0, 1, Cell(0, 0), Result.SUNK, 2)),
    )
    document = json.loads(sent(AskShots(view)))
    assert document["destroyed"] == [2]
    assert document["hit"] == ["00"]


# What is received

FIRED = Fired((Target(1, Cell(4, 2)),))

RECEIVED: dict[str, tuple[Question, bytes, FromPlayer]] = {
    "a shot": (FIRST_SHOT, SHOOTS, FIRED),
    "a shot off this grid": (FIRST_SHOT, b'{"move":"99"}', Fired((Target(1, Cell(9, 9)),))),
    "white space around it": (FIRST_SHOT, b' \t\r\n{ "move"\n:\t"42" }\r\n \n', FIRED),
    "an escaped digit": (FIRST_SHOT, rb'{"move":"\u00342"}', FIRED),
    "an escaped key": (FIRST_SHOT, rb'{"\u006dove":"42"}', FIRED),
    "keys of its own": (FIRST_SHOT, b'{"why":["a",1,-0.5e3,null,{"b":{}}],"move":"42"}', FIRED),
    "text beyond ASCII": (FIRST_SHOT, '{"move":"42","says":"½ 🚢"}'.encode(), FIRED),
    "a surrogate pair": (FIRST_SHOT, rb'{"move":"42","\ud83d\udea2":"\ud83d\udea2"}', FIRED),
    "100,000 brackets in a string": (
        FIRST_SHOT,
        b'{"move":"42","art":"' + b'[{\\"' * 100_000 + b'"}',
        FIRED,
    ),
    "100,000 brackets beside each other": (
        FIRST_SHOT,
        b'{"move":"42","art":[' + b"[]," * 50_000 + b"{}]}",
        FIRED,
    ),
    "99 brackets in each other": (
        FIRST_SHOT,
        b'{"move":"42","deep":' + b"[" * 99 + b"]" * 99 + b"}",
        FIRED,
    ),
    "a number of 1,000 digits": (FIRST_SHOT, b'{"move":"42","n":' + b"9" * 1000 + b"}", FIRED),
    "a number beyond all floats": (FIRST_SHOT, b'{"move":"42","n":1e999}', FIRED),
    "a fleet": (AskFleet(), PLACES_FLEET, Placed(FLEET)),
    "a fleet, backwards and with more": (
        AskFleet(),
        json.dumps({"1": 1, **dict(reversed(fleet_reply(FLEET).items())), "6": None}).encode(),
        Placed(FLEET),
    ),
    "an illegal fleet": (
        AskFleet(),
        PLACES_FLEET.replace(b'"00"', b'"99"'),
        Placed((Ship(2, 9, 9, DOWN), *FLEET[1:])),
    ),
}


@pytest.mark.parametrize("name", RECEIVED)
def test_received_bytes(name: str) -> None:
    """Each of these replies is this event, fed whole, and in two halves."""
    message, data, event = RECEIVED[name]
    assert feed(asked(message), [data]) == event
    half = len(data) // 2
    assert feed(asked(message), [data[:half], data[half:]]) == event


@pytest.mark.parametrize("name", [n for n, (_, data, _) in RECEIVED.items() if len(data) < 10_000])
def test_received_byte_by_byte(name: str) -> None:
    """A reply means the same when it comes a byte at a time."""
    message, data, event = RECEIVED[name]
    assert feed(asked(message), [data[i : i + 1] for i in range(len(data))]) == event


@st.composite
def pieces(draw, data: bytes) -> list[bytes]:
    cuts = sorted(draw(st.sets(st.integers(1, len(data) - 1), max_size=12)))
    return [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]


@given(st.data())
@examples(100)
def test_received_in_any_pieces(data: st.DataObject) -> None:
    """A reply means the same however it is cut, in the middle of a character too."""
    message, whole, event = RECEIVED[data.draw(st.sampled_from(sorted(RECEIVED)))]
    assert feed(asked(message), data.draw(pieces(whole))) == event


@given(st.data())
@examples(100)
def test_replies_round_trip_under_any_rules(data: st.DataObject) -> None:
    """The same for whatever board and fleet the wire can play."""
    rules = data.draw(spoken())
    fleet, cell = data.draw(fleets(rules)), data.draw(cells(rules))
    placed = feed(asked(AskFleet(), rules=rules), [json.dumps(fleet_reply(fleet)).encode()])
    assert isinstance(placed, Placed)
    assert [ship.length for ship in placed.fleet] == list(rules.lengths)
    assert set(placed.fleet) == set(fleet)
    fired = feed(asked(FIRST_SHOT, rules=rules), [json.dumps(move_reply(cell)).encode()])
    assert fired == Fired((Target(1, cell),))


def test_ships_of_two_digits() -> None:
    """A ship of ten, as long as this wire's board can be, has its key as any other."""
    rules = replace(BRAINJAR, columns=10, rows=10, fleet=(10, 1))
    fleet = (Ship(10, 0, 9, ACROSS), Ship(1, 9, 0, DOWN))
    data = b'{"1":{"point":"90","orientation":"vertical"},"10":{"point":"09","orientation":"horizontal"}}'
    assert feed(asked(AskFleet(), rules=rules), [data]) == Placed(fleet)


# One question after another

REPLIES = [SHOOTS, PLACES_FLEET, b"", b"junk", b'{"move":"42"', SHOOTS + SHOOTS, b"\xff", b'"']


@given(st.lists(st.tuples(st.sampled_from(REPLIES), st.sampled_from(["read", "fed", "cut"]))))
@examples(100)
def test_nothing_is_left_of_earlier_replies(earlier: list[tuple[bytes, str]]) -> None:
    """Whatever came before, and however far it was read, the next question has its own answer."""
    one = wire()
    for data, how in earlier:
        one.send(FIRST_SHOT)
        one.data_to_send()
        if data:
            one.receive_data(data)
        if how != "cut":
            one.receive_data(b"")
        if how == "read":
            try:
                one.next_event()
            except BadOutput:
                assert data != SHOOTS
            else:
                assert data == SHOOTS
    one.send(AskFleet())
    assert one.next_event() is None
    assert feed(one, [PLACES_FLEET]) == Placed(FLEET)
    one.send(FIRST_SHOT)
    assert one.next_event() is None
    assert feed(one, [SHOOTS]) == FIRED


def test_no_event_without_a_question() -> None:
    """A program's words come to nothing if nobody asked for them."""
    one = wire()
    one.receive_data(SHOOTS)
    one.receive_data(b"")
    assert one.next_event() is None


@pytest.mark.parametrize("more", [SHOOTS, b"x", b"null", b"\x00", "½".encode()])
def test_trailing_data_is_refused(more: bytes) -> None:
    """A second value or any other text after the reply is refused, in whatever piece it comes."""
    for whole in ([SHOOTS + more], [SHOOTS, more], [SHOOTS, b"\n", more]):
        one = asked(FIRST_SHOT)
        for piece in whole:
            one.receive_data(piece)
        one.receive_data(b"")
        with pytest.raises(BadOutput, match="after the JSON value comes"):
            one.next_event()


# What is refused, and how

TOO_DEEP = "the reply is nested more than 100 levels deep"
HALF = "the reply holds half a surrogate pair, {}, which is not a character"
CELL = "(expected: the cell to shoot at: column, then row, a digit each)"
NO_MATCH = f"does not match '^[0-9]{{2}}$' {CELL}"

REFUSED = {
    b"": "printed nothing",
    b" \n\t\r\n": "printed nothing but white space",
    b"\x00": r"replied `\x00`, which is not JSON: Expecting value at character 1",
    b"\x0b": r"replied `\x0b`, which is not JSON: Expecting value at character 1",
    b"\x0c{}": r"replied `\x0c{}`, which is not JSON: Expecting value at character 1",
    "\xa0{}".encode(): r"replied `\xa0{}`, which is not JSON: Expecting value at character 1",
    # the bytes
    b"\xef\xbb\xbf" + SHOOTS: "the reply starts with a byte-order mark; print plain UTF-8",
    SHOOTS.decode().encode("utf-16"): "the reply is not UTF-8: byte 0xff at offset 0",
    SHOOTS.decode().encode("utf-16-le"): r"""replied `{\x00"\x00m\x00o\x00v\x00e\x00"\x00:\x00"""
    r""""\x004\x002\x00"\x00}\x00`, which is not JSON: """
    "Expecting property name enclosed in double quotes at character 2",
    b'{"move":"4\xff"}': "the reply is not UTF-8: byte 0xff at offset 10",
    b'{"move":"42","\xc3": 1}': "the reply is not UTF-8: byte 0xc3 at offset 14",
    b'{"move":"42","x":"\xed\xa0\x80"}': "the reply is not UTF-8: byte 0xed at offset 18",
    b'{"move":"42"}\xf0\x9f': "the reply is not UTF-8: byte 0xf0 at offset 13",
    # the syntax
    b'{"move":"42"': 'replied `{"move":"42"`, which is not JSON: '
    "Expecting ',' delimiter at character 13",
    b'{"move":"4': 'replied `{"move":"4`, which is not JSON: '
    "Unterminated string starting at character 9",
    b'{"move":': 'replied `{"move":`, which is not JSON: Expecting value at character 9',
    b'{"move"': "replied `{\"move\"`, which is not JSON: Expecting ':' delimiter at character 8",
    b"{'move':'42'}": "replied `{'move':'42'}`, which is not JSON: "
    "Expecting property name enclosed in double quotes at character 2",
    b"move 42": "replied `move 42`, which is not JSON: Expecting value at character 1",
    b'{"move":"4\n2"}': r'replied `{"move":"4\n2"}`, which is not JSON: '
    "Invalid control character at character 11",
    b'{"move":"4\x00"}': r'replied `{"move":"4\x00"}`, which is not JSON: '
    "Invalid control character at character 11",
    rb'{"move":"\x42"}': r'replied `{"move":"\x42"}`, which is not JSON: '
    r"Invalid \escape at character 10",
    SHOOTS + SHOOTS: 'replied `{"move":"42"}{"move":"42"}`: '
    'after the JSON value comes `{"move":"42"}`',
    SHOOTS + b"\n// a shot\n": 'replied `{"move":"42"}\\n// a shot`: '
    "after the JSON value comes `// a shot`",
    SHOOTS + b"\x00": r'replied `{"move":"42"}\x00`: after the JSON value comes `\x00`',
    b'{"move":"42","x":NaN}': "the reply holds NaN, which is not JSON",
    b'{"move":"42","x":[Infinity]}': "the reply holds Infinity, which is not JSON",
    b'{"move":-Infinity}': "the reply holds -Infinity, which is not JSON",
    # keys
    b'{"move":"42","move":"42"}': "the reply holds the key `move` twice",
    rb'{"move":"42","\u006dove":"43"}': "the reply holds the key `move` twice",
    b'{"move":"42","x":[{"y":{"a":1,"b":2,"a":3}}]}': "the reply holds the key `a` twice",
    b'{"move":"42","\\u0007":1,"\\u0007":2}': r"the reply holds the key `\x07` twice",
    b'{"":1,"":2}': "the reply holds the key `` twice",
    # half characters
    rb'{"move":"\ud800"}': HALF.format(r"\ud800"),
    rb'{"move":"42","x":"\udea2\ud83d"}': HALF.format(r"\udea2"),
    rb'{"move":"42","\udfff":1}': HALF.format(r"\udfff"),
    rb'{"move":"42","x":[1,{"y":["\uD83D"]}]}': HALF.format(r"\ud83d"),
    # too much
    b'{"move":"42","x":' + b"1" * 5000 + b"}": "the reply holds a number of 5000 digits",
    b'{"move":"42","x":0.' + b"1" * 4998 + b"}": "the reply holds a number of 5000 digits",
    b'{"move":"42","x":1e' + b"1" * 4998 + b"}": "the reply holds a number of 5000 digits",
    b"[" * 100_000: TOO_DEEP,
    b"[" * 100_000 + b"]" * 100_000: TOO_DEEP,
    b'{"a":' * 100_000 + b"1" + b"}" * 100_000: TOO_DEEP,
    b'[{"a":' * 50_000: TOO_DEEP,
    b'{"move":"42","x":' + b"[" * 100 + b"]" * 100 + b"}": TOO_DEEP,
    b'{"move":"42","\\"[":' + b"[" * 100_000: TOO_DEEP,
    # the shape
    b"42": "replied `42`: 42 is not of type 'object'",
    b'"42"': "replied `\"42\"`: '42' is not of type 'object'",
    b"null": "replied `null`: None is not of type 'object'",
    b"true": "replied `true`: True is not of type 'object'",
    b'["42"]': "replied `[\"42\"]`: ['42'] is not of type 'object'",
    b"{}": "replied `{}`: 'move' is a required property",
    b'{"mov":"00"}': 'replied `{"mov":"00"}`: \'move\' is a required property',
    b'{"Move":"00"}': 'replied `{"Move":"00"}`: \'move\' is a required property',
    b'{"move":42}': "replied `{\"move\":42}`: move: 42 is not of type 'string'",
    b'{"move":4.2}': "replied `{\"move\":4.2}`: move: 4.2 is not of type 'string'",
    b'{"move":null}': "replied `{\"move\":null}`: move: None is not of type 'string'",
    b'{"move":false}': "replied `{\"move\":false}`: move: False is not of type 'string'",
    b'{"move":["42"]}': "replied `{\"move\":[\"42\"]}`: move: ['42'] is not of type 'string'",
    b'{"move":""}': f'replied `{{"move":""}}`: move: \'\' {NO_MATCH}',
    b'{"move":"4"}': f'replied `{{"move":"4"}}`: move: \'4\' {NO_MATCH}',
    b'{"move":"A1"}': f'replied `{{"move":"A1"}}`: move: \'A1\' {NO_MATCH}',
    b'{"move":"-1"}': f'replied `{{"move":"-1"}}`: move: \'-1\' {NO_MATCH}',
    '{"move":"٣٤"}'.encode(): f'replied `{{"move":"٣٤"}}`: move: \'٣٤\' {NO_MATCH}',
    '{"move":"４２"}'.encode(): f'replied `{{"move":"４２"}}`: move: \'４２\' {NO_MATCH}',
    b'{"move":"420"}': f'replied `{{"move":"420"}}`: move: \'420\' {NO_MATCH}',
    b'{"move":" 42"}': f'replied `{{"move":" 42"}}`: move: \' 42\' {NO_MATCH}',
    rb'{"move":"42\n"}': rf"""replied `{{"move":"42\n"}}`: move: '42\n' is too long {CELL}""",
}


@pytest.mark.parametrize("data", REFUSED, ids=lambda data: repr(data[:40]))
def test_refused_shots(data: bytes) -> None:
    """Each of these is refused with a sentence of its own."""
    assert refusal(data) == REFUSED[data]


def spoiled(size: str, **fields: object) -> bytes:
    reply = fleet_reply(FLEET)
    reply[size] = {name: v for name, v in {**reply[size], **fields}.items() if v is not ...}
    return json.dumps(reply, separators=(",", ":")).encode()


POINT = "(expected: its left or top end: column, then row, a digit each)"

REFUSED_FLEETS = {
    b"{}": "replied `{}`: '2' is a required property",
    b"[]": "replied `[]`: [] is not of type 'object'",
    SHOOTS: 'replied `{"move":"42"}`: \'2\' is a required property',
    b'{"2":"00"}': 'replied `{"2":"00"}`: \'3\' is a required property',
    spoiled("5", point=...): "5: 'point' is a required property",
    spoiled("5", orientation=...): "5: 'orientation' is a required property",
    spoiled("5", point=37): "5.point: 37 is not of type 'string'",
    spoiled("5", point="3"): f"5.point: '3' does not match '^[0-9]{{2}}$' {POINT}",
    spoiled("5", point="37\n"): rf"5.point: '37\n' is too long {POINT}",
    spoiled("5", point="370"): f"5.point: '370' does not match '^[0-9]{{2}}$' {POINT}",
    spoiled("5", orientation="across"): "5.orientation: 'across' is not one of "
    "['horizontal', 'vertical'] (expected: to the right of the point, or down from it)",
    spoiled("5", orientation="Vertical"): "5.orientation: 'Vertical' is not one of "
    "['horizontal', 'vertical'] (expected: to the right of the point, or down from it)",
    spoiled("5", orientation=None): "5.orientation: None is not one of "
    "['horizontal', 'vertical'] (expected: to the right of the point, or down from it)",
    PLACES_FLEET.replace(b'"3":', b'"2":'): "the reply holds the key `2` twice",
}


@pytest.mark.parametrize("data", REFUSED_FLEETS, ids=lambda data: repr(data[-60:]))
def test_refused_fleets(data: bytes) -> None:
    """Each of these is refused with a sentence of its own, which names the ship."""
    assert refusal(data, AskFleet()).endswith(REFUSED_FLEETS[data])


def test_a_fleet_of_other_sizes_is_refused() -> None:
    """The sizes asked for are those of the rules in force, not of the default ones."""
    one = asked(AskFleet(), rules=replace(BRAINJAR, fleet=(1, 6)))
    one.receive_data(PLACES_FLEET)
    one.receive_data(b"")
    with pytest.raises(BadOutput, match="'1' is a required property"):
        one.next_event()


def json_values() -> st.SearchStrategy[Any]:
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters())
    keys = st.sampled_from(["move", "2", "5", "point", "orientation"]) | st.text()
    return st.recursive(
        leaves | st.sampled_from(["00", "42", "vertical"]),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
        max_leaves=12,
    )


def answer_or_refusal(data: bytes, message: Question) -> FromPlayer | str:
    """The event or the sentence; nothing else can come of a reply."""
    one = asked(message)
    if data:
        one.receive_data(data)
    one.receive_data(b"")
    try:
        event = one.next_event()
    except BadOutput:
        return refusal(data, message)
    assert event is not None
    return event


@given(st.binary() | st.text().map(str.encode), st.sampled_from([AskFleet(), FIRST_SHOT]))
@examples(250)
def test_any_bytes_at_all(data: bytes, message: Question) -> None:
    """Any bytes in place of a reply are an event or a sentence, never anything else."""
    assert isinstance(answer_or_refusal(data, message), str | Placed | Fired)


@given(json_values(), st.booleans(), st.sampled_from([AskFleet(), FIRST_SHOT]))
@examples(250)
def test_any_value_at_all(value: Any, ascii_only: bool, message: Question) -> None:
    """Any JSON value in place of a reply is an event or a sentence, never anything else."""
    data = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert isinstance(answer_or_refusal(data, message), str | Placed | Fired)


@given(st.data())
@examples(250)
def test_any_value_in_any_place(data: st.DataObject) -> None:
    """Any JSON value in place of a part of a good reply, and any bytes in place of its bytes."""
    message, reply = data.draw(
        st.sampled_from([(AskFleet(), fleet_reply(FLEET)), (FIRST_SHOT, move_reply(Cell(4, 2)))])
    )
    size = data.draw(st.sampled_from(sorted(reply)))
    if isinstance(reply[size], dict) and data.draw(st.booleans()):
        part = data.draw(st.sampled_from(["point", "orientation", "extra"]))
        reply = {**reply, size: {**reply[size], part: data.draw(json_values())}}
    else:
        reply = {**reply, size: data.draw(json_values())}
    text = json.dumps(reply).encode()
    if data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(text)))
        until = data.draw(st.integers(at, min(at + 4, len(text))))
        text = text[:at] + data.draw(st.binary(max_size=4)) + text[until:]
    assert isinstance(answer_or_refusal(text, message), str | Placed | Fired)


# A reply of one mebibyte each: what takes time in the square of that would take many minutes.
MIB = 2**20
HUGE = {
    "spaces": b" " * MIB,
    "spaces, then text": SHOOTS + b" " * MIB + b"x",
    "newlines before a mistake": b"\n" * MIB + b"x",
    "zeros": b"\x00" * MIB,
    "not UTF-8": b"a" * MIB + b"\xff",
    "brackets": b"[" * MIB,
    "closing brackets": b"]" * MIB,
    "brackets that close": b"[]" * (MIB // 2),
    "objects": b'{"":' * (MIB // 4),
    "quotes": b'"' * MIB,
    "backslashes": b'"' + b"\\" * MIB,
    "escaped quotes after brackets": b"[" * 101 + b'"' + b'\\"' * (MIB // 2),
    "digits": b"9" * MIB,
    "a fraction": b"0." + b"9" * MIB,
    "an exponent": b"1e" + b"9" * MIB,
    "minus signs": b"-" * MIB,
    "a long string": b'"' + b"x" * MIB + b'"',
    "a long shot": b'{"move":"' + b"4" * MIB + b'"}',
    "a shot of newlines": b'{"move":"' + b"\\n" * (MIB // 2) + b'"}',
    "a string without an end": b'"' + b"x" * MIB,
    "escapes": b'"' + b"\\u0041" * (MIB // 6) + b'"',
    "surrogate pairs, then half of one": b'"' + b"\\ud83d\\udea2" * (MIB // 12) + b'\\ud83d"',
    "a long list": b"[" + b"1," * (MIB // 2) + b"1]",
    "a list without an end": b"[" + b"1," * (MIB // 2),
    "a list of lists": b"[" + b"[]," * (MIB // 3) + b"[]]",
    "many keys": b"{" + b",".join(b'"%d":0' % i for i in range(MIB // 12)) + b"}",
    "many keys, the last twice": b"{" + b",".join(b'"%d":0' % i for i in range(MIB // 12))
    + b',"0":0}',
    "a long key twice": b'{"' + b"k" * (MIB // 2) + b'":1,"' + b"k" * (MIB // 2) + b'":2}',
    "shots": SHOOTS * (MIB // len(SHOOTS)),
}  # fmt: skip


@pytest.mark.parametrize("name", HUGE)
def test_huge_replies(name: str) -> None:
    """A mebibyte of anything is refused in time proportional to it, and in a short sentence."""
    assert refusal(HUGE[name])


def test_huge_and_allowed() -> None:
    """A mebibyte of white space, or of keys of its own, costs a bot nothing."""
    assert feed(asked(FIRST_SHOT), [SHOOTS + b" " * MIB]) == FIRED
    keys = b",".join(b'"%d":[{}]' % i for i in range(MIB // 16))
    assert feed(asked(FIRST_SHOT), [b"{" + keys + b',"move":"42"}']) == FIRED


def test_a_huge_reply_byte_by_byte() -> None:
    """Taking a reply byte by byte copies no byte twice: squared, this would take minutes."""
    one = asked(FIRST_SHOT)
    for _ in range(MIB):
        one.receive_data(b" ")
    one.receive_data(SHOOTS)
    one.receive_data(b"")
    assert one.next_event() == FIRED


# Which rules it can play

REASONS = {
    "a game has two players": {"players": (3, 4)},
    "a cell is two digits, so a board is 10×10 at most": {"columns": 11},
    "a fleet has one ship a size": {"fleet": (2, 2, 3)},
    "a shot that sinks a ship is told to, with its size, or is a hit like any other": {
        "sinking": Sinking.SUNK
    },
    "a reply is one shot, so there are no salvos": {"turn": Turn.SALVO},
    "it has no way to ask again": {"bad_move": BadMove.ASK_AGAIN},
    "it plays single games, and no match of several": {"match": 3},
    "it knows no matches to forfeit": {"bad_move": BadMove.FORFEITS_MATCH},
    "the whole fleet is asked for at once": {"placing": Placing.SHIP_BY_SHIP},
}


@pytest.mark.parametrize("reason", REASONS)
def test_unsupported(reason: str) -> None:
    """Each thing that this wire cannot say is a reason of its own to refuse the rules."""
    rules = replace(BRAINJAR, **REASONS[reason])
    assert Brainjar.unsupported(rules, rules.players[0]) == reason


def test_unsupported_in_other_ways() -> None:
    """A board too high is as bad as one too wide, a fleet to be drawn may repeat a size, and it
    says no more of a ship that sank than its size."""
    assert Brainjar.unsupported(replace(BRAINJAR, sinking=Sinking.SHIP), 2) is not None
    assert Brainjar.unsupported(replace(BRAINJAR, sinking=Sinking.NOTHING), 2) is None
    assert Brainjar.unsupported(replace(BRAINJAR, rows=11), 2) is not None
    assert Brainjar.unsupported(replace(BRAINJAR, fleet=Draw(2, 2, 3)), 2) is not None
    assert Brainjar.unsupported(replace(BRAINJAR, columns=10, rows=10), 2) is None


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_on_this_wire(name: str) -> None:
    """This wire plays its own of the five games; it has a reason to refuse each other one."""
    reason = Brainjar.unsupported(VARIANTS[name], 2)
    assert (reason is None) == (name == "brainjar")
    assert reason is None or reason in REASONS


@given(spoken() | random_rules(), st.integers(0, 2**32), st.sampled_from(DIALECTS))
@examples(100)
def test_refused_or_playable(rules: Rules, seed: int, dialect: str) -> None:
    """Rules are refused with a reason, or programs that know nothing but what this wire tells
    them play them to an end, and its record holds."""
    if reason := Brainjar.unsupported(rules, rules.players[0]):
        assert reason in REASONS
        return
    luck = Random(seed)

    def program(data: bytes) -> bytes:
        document = json.loads(data)
        if document["cmd"] == "init":
            return json.dumps(fleet_reply(some_fleet(rules, luck))).encode()
        shot_at = {(c, r) for seat, c, r, _ in shots_in(document) if seat == document["you"]}
        fresh = [cell for cell in board(rules) if cell not in shot_at] or board(rules)
        return json.dumps(move_reply(luck.choice(fresh))).encode()

    players = [bot(program, rules, seat, dialect=dialect) for seat in (0, 1)]
    record = play_game(Conditions(rules=rules, dialect=dialect), players, game_id="1", seed=seed)
    assert not record.outcome.termination.is_forfeit
    assert list(replay(record))[-1].outcome == record.outcome


@pytest.mark.parametrize("wire", WIRES.values())
def test_a_check_tries_names_that_the_wire_can_tell(wire: type[Wire]) -> None:
    """The names of opponents are texts of at least one character that the wire itself allows."""
    for name in wire.names_to_try("ada"):
        assert name
        assert wire.unsayable(name.partition("#")[0].rstrip()) is None


def test_each_protocol_has_its_own_name_of_a_cell() -> None:
    """The letter is the column in Broadsides; a cell that has no letter is counted from 1."""
    cells = (Cell(2, 4), Cell(30, 4))
    assert [Broadsides.name_of_cell(cell) for cell in cells] == ["C5", "column 31, row 5"]
    assert [Contest.name_of_cell(cell) for cell in cells[:1]] == ["row 4, column 2"]
    assert [XbsShell.name_of_cell(cell) for cell in cells[:1]] == ["column 3, row 5"]


def test_a_reply_that_is_a_value_is_held_to_the_schema_of_the_text() -> None:
    """A caller from Python gets the same fleet and the same cell, or the same refusal."""
    assert fleet_replied(json.loads(PLACES_FLEET), BRAINJAR) == FLEET
    assert shot_replied(json.loads(SHOOTS)) == Cell(4, 2)
    for reply in ([], None, {"2": {"point": "00"}}):
        with pytest.raises(BadOutput):
            fleet_replied(reply, BRAINJAR)


def test_a_long_reply_is_quoted_by_its_beginning() -> None:
    """A quotation has at most 80 characters, though a control character is spelled with four."""
    text = "".join(f"{number:02}" for number in range(60))
    assert quoted(text[:80]) == f"`{text[:80]}`"
    for end in (81, 120):
        assert quoted(text[:end]) == f"`{text[:78]} …`"
    assert len(quoted("\0" * 40)) == len("``") + 80


def test_a_hundred_levels_are_not_nested_too_deep() -> None:
    """Only the depth counts, not the number of brackets, and brackets in a text do not count."""
    deep = b"[" * 99 + b"]" * 99
    assert len(parse(b"[%b,[],%b]" % (deep, b'"' + b"[" * 200 + b'"'))) == 3
    with pytest.raises(BadOutput, match="nested more than 100 levels deep"):
        parse(b"[[%b]]" % deep)
