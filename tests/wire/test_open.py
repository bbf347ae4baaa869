"""The wires ``open`` and ``open-lines``: the bytes of every message, and what replies mean."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from changes import replace
from judge import schemas
from judge.documents.codec import convert
from judge.documents.game import Outcome, Termination
from judge.documents.rules import (
    BadMove,
    Cell,
    Draw,
    Goal,
    Orientation,
    Placing,
    Repeat,
    Rules,
    Ship,
    Sinking,
    Turn,
)
from judge.errors import BadOutput, BotError, IllegalFleet
from judge.game import events
from judge.game.events import Back, Gone, Target
from judge.game.game import Game
from judge.game.variants import BSP, VARIANTS, contest
from judge.testing import fleets, games, numbers_of_players
from judge.testing import rules as any_rules
from judge.wire.messages import (
    AskFleet,
    AskShip,
    AskShots,
    Farewell,
    Fired,
    FromPlayer,
    GameOver,
    GameStart,
    MatchOver,
    MatchStart,
    Placed,
    PlacedShip,
    Question,
    Refused,
    Skipped,
    Told,
    ToPlayer,
)
from judge.wire.open import (
    LONGEST_ARGUMENT,
    SKIP_REPLY,
    Open,
    OpenLines,
    fleet_reply,
    shots_reply,
)
from strategies import examples, stray_cells

ACROSS, DOWN = Orientation.HORIZONTAL, Orientation.VERTICAL
WIRES = [Open, OpenLines]

PAIR = Rules(
    name="pair",
    columns=4,
    rows=3,
    fleet=(2, 1),
    players=(2, 3),
    turn=Turn.SALVO,
    salvo_bonus=(2,),
    repeat=Repeat.SAID_SO,
    placing=Placing.ALL,
    bad_move=BadMove.ASK_AGAIN,
    may_skip=True,
    sinking=Sinking.SHIP,
)
RULES_TEXT = (
    b'{"name":"pair","columns":4,"rows":3,"fleet":[2,1],"players":[2,3],"turn":"salvo",'
    b'"salvo_bonus":[2],"goal":"fleet","points":null,"round_limit":null,"repeat":"said-so",'
    b'"placing":"all","bad_move":"ask-again","may_skip":true,"may_return":false,'
    b'"sinking":"ship","opening":"drawn","wire":"brainjar","timeout_ms":2000,'
    b'"bot_bytes":2097152,"match":1}'
)
FLEETS = (
    (Ship(2, 0, 0, ACROSS), Ship(1, 3, 2, DOWN)),
    (Ship(1, 0, 0, ACROSS), Ship(2, 1, 1, DOWN)),
    (Ship(2, 2, 0, DOWN), Ship(1, 0, 1, ACROSS)),
)
NAMES = ("ada", "bob's bot", "Žofie")
NAMES_TEXT = rb'["ada","bob\'s bot","\u017dofie"]'.replace(b"\\'", b"'")


def started(seat: int, rules: Rules = PAIR, names: Sequence[str] = NAMES) -> GameStart:
    return GameStart(seat, tuple(names), rules, 7, None, 0)


def played(rules: Rules = PAIR) -> Game:
    """Seat 0 sinks the 1 of seat 1, and hits its 2 twice at one cell; seat 1 misses and hits."""
    game = Game(rules, 3)
    for seat, fleet in enumerate(FLEETS):
        game.place(seat, fleet)
    game.shoot(0, [Target(1, Cell(0, 0)), Target(1, Cell(1, 1)), Target(1, Cell(1, 1))])
    game.shoot(1, [Target(0, Cell(3, 0)), Target(2, Cell(2, 0))])
    game.skip(2)
    return game


PLACE = b'{"cmd":"place","rules":%s,"seat":%d,"players":%s}'
SHOOT = (
    b'{"cmd":"shoot","rules":%s,"seat":0,"players":%s,"present":[true,true,true],"first":0,'
    b'"due":3,"fleet":[[2,0,0,"horizontal"],[1,3,2,"vertical"]],"shots":[[0,1,0,0,4,'
    b'[1,0,0,"horizontal"]],[0,1,1,1,3,null],[0,1,1,1,0,null],[1,0,3,0,1,null],[1,2,2,0,3,null]]}'
) % (RULES_TEXT, NAMES_TEXT)
GAME_ON = AskShots(played().view(0))

SENT: dict[str, tuple[Question, int, bytes]] = {
    "the fleet": (AskFleet(), 2, PLACE % (RULES_TEXT, 2, NAMES_TEXT)),
    "a ship, so the fleet": (AskShip(2), 0, PLACE % (RULES_TEXT, 0, NAMES_TEXT)),
    "shots": (GAME_ON, 0, SHOOT),
    "the fleet again": (
        Refused("no such ship: “½”", AskFleet()),
        1,
        rb'{"cmd":"refused","why":"no such ship: \u201c\u00bd\u201d","again":%s}'
        % (PLACE % (RULES_TEXT, 1, NAMES_TEXT)),
    ),
    "a ship again, so the fleet": (
        Refused("no", AskShip(1)),
        1,
        b'{"cmd":"refused","why":"no","again":%s}' % (PLACE % (RULES_TEXT, 1, NAMES_TEXT)),
    ),
    "shots again": (
        Refused("no", GAME_ON),
        0,
        b'{"cmd":"refused","why":"no","again":%s}' % SHOOT,
    ),
}

A_VOLLEY = (
    b'{"cmd":"told","events":[{"shot":[0,1,0,0,4,[1,0,0,"horizontal"]]},'
    b'{"shot":[0,1,1,1,3,null]}]}\n'
)
TOLD: dict[str, tuple[ToPlayer, bytes]] = {
    "a match": (MatchStart(0, NAMES, PAIR, 3), b""),
    "placed": (Told((events.FleetPlaced(1),)), b'{"cmd":"told","events":[{"placed":1}]}\n'),
    "a volley": (
        Told(tuple(played().announced_shots[:2])),
        A_VOLLEY,
    ),
    "skipped": (Told((events.TurnSkipped(2),)), b'{"cmd":"told","events":[{"skipped":2}]}\n'),
    "gone for good": (
        Told((Gone(1, Termination.TIMEOUT),)),
        b'{"cmd":"told","events":[{"gone":1,"why":"timeout"}]}\n',
    ),
    "gone, and back": (
        Told((Gone(1, None), Back(1))),
        b'{"cmd":"told","events":[{"gone":1,"why":null},{"back":1}]}\n',
    ),
    "won": (
        GameOver(Outcome(1, 0, Termination.FLEET_DESTROYED)),
        b'{"cmd":"over","winner":1,"why":"fleet-destroyed","scores":null}\n',
    ),
    "a tie": (
        GameOver(Outcome(None, None, Termination.GOAL, scores=(3, 3))),
        b'{"cmd":"over","winner":null,"why":"goal","scores":[3,3]}\n',
    ),
    "a match that is over": (MatchOver((1, 2)), b""),
    "a refusal of what was not asked": (Refused("it is not your turn", None), b""),
    "the end": (Farewell(), b""),
}


def sent(wire: type[Open], message: ToPlayer, seat: int) -> bytes:
    one = wire(PAIR, seat, "plain")
    one.send(started(seat))
    assert one.data_to_send() == b""
    one.send(message)
    data = one.data_to_send()
    assert one.data_to_send() == b"", "what was fetched is not sent again"
    return data


@pytest.mark.parametrize("name", SENT)
def test_questions(name: str) -> None:
    """Each question is these bytes and no others; over open-lines, with the end of a line."""
    message, seat, data = SENT[name]
    assert sent(Open, message, seat) == data
    assert sent(OpenLines, message, seat) == data + b"\n"


@pytest.mark.parametrize("name", TOLD)
def test_news(name: str) -> None:
    """Each of these is a line over open-lines, or nothing; over open it waits for the next
    question."""
    message, data = TOLD[name]
    assert sent(Open, message, 0) == b""
    assert sent(OpenLines, message, 0) == data


def test_nothing_is_asked_before_a_game() -> None:
    """The names and the rules of a game are those that a wire was told last."""
    with pytest.raises(AssertionError, match="a game begins"):
        Open(PAIR, 0, "plain").send(AskFleet())
    one = Open(PAIR, 0, "plain")
    for fleet, names in (((1,), ("a", "b")), ((3,), ("c", "d"))):
        one.send(started(0, replace(PAIR, fleet=fleet), names))
        one.send(AskFleet())
        asked = json.loads(one.data_to_send())
        assert (asked["rules"]["fleet"], asked["players"]) == ([*fleet], [*names])


# Replies

FLEET_TEXT = b'{"ships":[[1,0,0,"horizontal"],[2,1,1,"vertical"]]}'
SHOTS_TEXT = b'{"shots":[[1,0,0],[2,3,2],[1,0,0]]}'
SHOTS = Fired((Target(1, Cell(0, 0)), Target(2, Cell(3, 2)), Target(1, Cell(0, 0))))

RECEIVED: dict[str, tuple[Question, bytes, FromPlayer]] = {
    "a fleet": (AskFleet(), FLEET_TEXT, Placed(FLEETS[1])),
    "a fleet again": (Refused("no", AskFleet()), FLEET_TEXT, Placed(FLEETS[1])),
    "one ship of it": (AskShip(2), FLEET_TEXT, PlacedShip(FLEETS[1][1])),
    "an illegal fleet": (
        AskFleet(),
        b'{"ships":[[9,-3,1000,"vertical"]]}',
        Placed((Ship(9, -3, 1000, DOWN),)),
    ),
    "no fleet": (AskFleet(), b'{"ships":[]}', Placed(())),
    "shots": (GAME_ON, SHOTS_TEXT, SHOTS),
    "shots again": (Refused("no", GAME_ON), SHOTS_TEXT, SHOTS),
    "no shots": (GAME_ON, b'{"shots":[]}', Fired(())),
    "shots at nobody": (GAME_ON, b'{"shots":[[-1,99,-5]]}', Fired((Target(-1, Cell(99, -5)),))),
    "a skip": (GAME_ON, b'{"skip":true}', Skipped()),
    "white space and keys of its own": (
        GAME_ON,
        b' \t\r{ "skip" : true, "why": ["\\u00bd", {"a": null}] }\r',
        Skipped(),
    ),
}


def asked(wire: type[Open], message: Question, rules: Rules = PAIR) -> Open:
    """A wire that has put its question and waits for the reply."""
    one = wire(rules, 0, "plain")
    one.send(started(0, rules))
    one.send(message)
    one.data_to_send()
    return one


def at_end(one: Open, pieces: Sequence[bytes]) -> FromPlayer | None:
    """The meaning of a reply in these pieces; no part of it is told before the end of the
    stream."""
    for piece in pieces:
        one.receive_data(piece)
        assert one.next_event() is None
    one.receive_data(b"")
    return one.next_event()


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("name", RECEIVED)
def test_replies(name: str, wire: type[Open]) -> None:
    """Each reply is this event, whole or byte by byte, if the process ends after it."""
    message, data, event = RECEIVED[name]
    assert at_end(asked(wire, message), [data]) == event
    one = asked(wire, message)
    assert at_end(one, [data[i : i + 1] for i in range(len(data))]) == event
    assert one.next_event() is None, "a reply is one event"


@pytest.mark.parametrize("name", RECEIVED)
def test_replies_in_lines(name: str) -> None:
    """Over open-lines a reply ends with its line; what follows is the answer to the next
    question, and is read when that is put."""
    message, data, event = RECEIVED[name]
    one = asked(OpenLines, message)
    one.receive_data(data + b"\n" + SHOTS_TEXT + b"\n" + b'{"ski')
    assert one.next_event() == event
    assert one.next_event() is None
    one.send(GAME_ON)
    assert one.next_event() == SHOTS
    one.send(GAME_ON)
    assert one.next_event() is None
    one.receive_data(b'p":true}')
    assert one.next_event() is None
    one.receive_data(b"\n")
    assert one.next_event() == Skipped()


def test_an_answer_before_the_question() -> None:
    """Over open-lines what is said before the question is its answer."""
    one = OpenLines(PAIR, 0, "plain")
    one.receive_data(SHOTS_TEXT + b"\n")
    one.send(started(0))
    assert one.next_event() is None
    one.send(GAME_ON)
    assert one.next_event() == SHOTS


@pytest.mark.parametrize("wire", WIRES)
def test_the_end_without_a_word(wire: type[Open]) -> None:
    """Over open a process that prints nothing has given a bad reply; over open-lines a process
    that has ended says nothing, and why it ended is for others to judge."""
    if wire is Open:
        with pytest.raises(BadOutput, match="printed nothing"):
            at_end(asked(wire, GAME_ON), [])
    else:
        assert at_end(asked(wire, GAME_ON), []) is None


def test_a_long_line_in_small_pieces() -> None:
    """Taking a line byte by byte looks at no byte twice: squared, this would take minutes."""
    one = asked(OpenLines, GAME_ON)
    for _ in range(2**20):
        one.receive_data(b" ")
        assert one.next_event() is None
    one.receive_data(SHOTS_TEXT + b"\n")
    assert one.next_event() == SHOTS


REFUSED = {
    (AskFleet(), b"[]"): "replied `[]`: [] is not of type 'object'",
    (AskFleet(), b"{}"): "replied `{}`: 'ships' is a required property",
    (AskFleet(), b'{"ships":[[2,0,0]]}'): 'replied `{"ships":[[2,0,0]]}`: '
    "ships[0]: [2, 0, 0] is too short",
    (AskFleet(), b'{"ships":[[2,0,0,"up"]]}'): 'replied `{"ships":[[2,0,0,"up"]]}`: '
    "ships[0][3]: 'up' is not one of ['horizontal', 'vertical'] "
    "(expected: to the right of that end, or down from it)",
    (AskFleet(), b'{"ships":[],"ships":[]}'): "the reply holds the key `ships` twice",
    (AskFleet(), b'{"ships":[[2,0.0,0,"vertical"]]}'): 'replied `{"ships":[[2,0.0,0,"vertical"]]}`'
    ": ships[0][1]: 0.0 is not of type 'integer'",
    (GAME_ON, b'{"shots":[[1,0,0]],"skip":true}'): 'replied `{"shots":[[1,0,0]],"skip":true}`: '
    "it has `shots` and `skip`, and a reply has one of these",
    (GAME_ON, b'{"skip":false}'): 'replied `{"skip":false}`: skip: false is not true '
    "(expected: true in place of shots, where rules let a turn be skipped)",
    (GAME_ON, b'{"shots":[[1,0,NaN]]}'): "the reply holds NaN, which is not JSON",
    (GAME_ON, b'{"shots":[[1,0,true]]}'): 'replied `{"shots":[[1,0,true]]}`: '
    "shots[0][2]: True is not of type 'integer'",
    (GAME_ON, b'{"shots":[[1,0,1000001]]}'): 'replied `{"shots":[[1,0,1000001]]}`: '
    "shots[0][2]: 1000001 is greater than the maximum of 1000000",
    (GAME_ON, b"\xff"): "the reply is not UTF-8: byte 0xff at offset 0",
    (GAME_ON, b"[" * 1000): "the reply is nested more than 100 levels deep",
}


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(("message", "data"), REFUSED)
def test_refused_replies(message: Question, data: bytes, wire: type[Open]) -> None:
    """Each of these is refused with a sentence of its own, and once."""
    one = asked(wire, message)
    one.receive_data(data + b"\n")
    one.receive_data(b"")
    with pytest.raises(BadOutput) as caught:
        one.next_event()
    assert str(caught.value) == REFUSED[message, data]
    assert one.next_event() is None


def test_a_blank_line_is_a_reply() -> None:
    """Over open-lines an empty line is the answer, and a bad one."""
    one = asked(OpenLines, GAME_ON)
    one.receive_data(b"\n")
    with pytest.raises(BadOutput, match="printed nothing"):
        one.next_event()


def test_two_values_are_no_reply() -> None:
    """Over open all that is printed is the reply."""
    one = asked(Open, GAME_ON)
    one.receive_data(SHOTS_TEXT + b"\n" + SHOTS_TEXT)
    one.receive_data(b"")
    with pytest.raises(BadOutput, match="after the JSON value comes"):
        one.next_event()


# Ship by ship

SINGLY = replace(PAIR, placing=Placing.SHIP_BY_SHIP, fleet=(2, 1, 2))
THREE = (Ship(2, 0, 0, DOWN), Ship(2, 1, 0, DOWN), Ship(1, 2, 0, ACROSS))


@pytest.mark.parametrize("wire", WIRES)
def test_a_fleet_is_asked_for_once(wire: type[Open]) -> None:
    """The first question has the reply for all if ships are asked for one by one, ships of a size
    in their order; the next game asks anew."""
    rules = replace(SINGLY, bad_move=BadMove.FORFEITS)
    one = asked(wire, AskShip(2), rules)
    for _ in range(2):
        one.receive_data(json.dumps(fleet_reply(THREE)).encode() + b"\n")
        one.receive_data(b"")
        assert one.next_event() == PlacedShip(THREE[0])
        for length, ship in ((1, THREE[2]), (2, THREE[1])):
            one.send(Told((events.FleetPlaced(1),)))
            one.data_to_send()
            one.send(AskShip(length))
            assert one.data_to_send() == b""
            assert one.next_event() == PlacedShip(ship)
            assert one.next_event() is None
        one.send(started(0, rules))
        one.send(AskShip(2))
        assert b"place" in one.data_to_send()


@pytest.mark.parametrize(
    ("ships", "sentence"),
    [
        (THREE[:2], "placed ships of 2, 2 where the rules have 1, 2, 2"),
        ((*THREE, THREE[0]), "placed ships of 1, 2, 2, 2 where the rules have 1, 2, 2"),
    ],
)
def test_ships_that_no_one_asks_for(ships: tuple[Ship, ...], sentence: str) -> None:
    """A fleet of other ships than those of the rules is refused at once, as it is where the whole
    fleet is asked for."""
    for bad_move in BadMove:
        one = asked(Open, AskShip(2), replace(SINGLY, bad_move=bad_move))
        with pytest.raises(IllegalFleet) as caught:
            at_end(one, [json.dumps(fleet_reply(ships)).encode()])
        assert str(caught.value) == sentence


def test_a_fleet_can_be_mended_whole() -> None:
    """A fleet that overlaps is refused before any of its ships is taken if rules ask again;
    elsewhere the ships before the bad one are answers."""
    bad = (THREE[0], THREE[2], replace(THREE[1], column=0))
    data = json.dumps(fleet_reply(bad)).encode()
    one = asked(Open, AskShip(2), SINGLY)
    with pytest.raises(IllegalFleet, match="overlap"):
        at_end(one, [data])
    one.send(Refused("they overlap", AskShip(2)))
    assert at_end(one, [json.dumps(fleet_reply(THREE)).encode()]) == PlacedShip(THREE[0])
    one = asked(Open, AskShip(2), replace(SINGLY, bad_move=BadMove.FORFEITS))
    assert at_end(one, [data]) == PlacedShip(THREE[0])


# Properties


@given(st.data())
@examples(60)
def test_everything_that_is_sent_meets_its_schema(data: st.DataObject) -> None:
    """A question of any game by any rules is compact JSON that meets its schema and holds what
    the seat may know; so does its refusal, and the news of every shot."""
    game = data.draw(games())
    names = [f"{seat}-“½”" for seat in range(game.players)]
    seat = data.draw(st.integers(0, game.players - 1))
    view = game.view(seat)
    placing = st.sampled_from([AskFleet(), AskShip(game.rules.lengths[0])])
    question = AskShots(structs.replace(view, due=max(1, view.due)))
    question = data.draw(placing | st.just(question))
    one = OpenLines(game.rules, seat, "plain")
    one.send(started(seat, game.rules, names))
    news = [Told((shot,)) for shot in view.shots[:1]]
    for message in (question, Refused("“no”", question), *news):
        one.send(message)
        line = one.data_to_send()
        document = json.loads(line)
        assert line == json.dumps(document, separators=(",", ":")).encode("ascii") + b"\n"
        assert schemas.problem(f"open-{document['cmd']}", document) is None
        if document["cmd"] == "shoot":
            assert convert(Rules, document["rules"], "it") == game.rules
            assert document["players"] == names
            assert len(document["shots"]) == len(view.shots)
            assert tuple(document["present"]) == view.present


@given(st.data())
@examples(60)
def test_replies_round_trip(data: st.DataObject) -> None:
    """Reading what the reply functions write gives the fleet and the volley back."""
    rules = data.draw(any_rules())
    fleet = data.draw(fleets(rules))
    for reply in (fleet_reply(fleet), SKIP_REPLY):
        name = "open-fleet" if "ships" in reply else "open-shots"
        assert schemas.problem(name, reply) is None
    one = asked(Open, AskFleet(), rules)
    assert at_end(one, [json.dumps(fleet_reply(fleet)).encode()]) == Placed(fleet)
    near = stray_cells(rules).filter(lambda cell: max(map(abs, cell)) <= 1_000_000)
    targets = data.draw(st.lists(st.builds(Target, st.integers(-1, 9), near), max_size=6))
    volley = shots_reply(targets)
    assert schemas.problem("open-shots", volley) is None
    one = asked(Open, GAME_ON, rules)
    assert at_end(one, [json.dumps(volley).encode()]) == Fired(tuple(targets))


@given(st.data())
@examples(40)
def test_any_bytes_are_a_reply_or_a_fault_of_the_bot(data: st.DataObject) -> None:
    """Whatever a program prints is an answer or a `BotError`."""
    one = asked(
        data.draw(st.sampled_from(WIRES)), data.draw(st.sampled_from([AskFleet(), GAME_ON]))
    )
    one.receive_data(data.draw(st.binary(max_size=50)))
    one.receive_data(b"")
    with contextlib.suppress(BotError):
        one.next_event()
    assert one.next_event() is None


# Which rules they can play


@given(st.data())
@examples(60)
def test_every_rule_set_can_be_expressed(data: st.DataObject) -> None:
    """Any rules on a board of usual size can be told, for any number of seats."""
    rules = data.draw(any_rules())
    seats = data.draw(numbers_of_players(rules))
    assert Open.unsupported(rules, seats) is None
    assert OpenLines.unsupported(rules, seats) is None


@pytest.mark.parametrize("rules", [*VARIANTS.values(), contest(3)], ids=lambda rules: rules.name)
def test_every_variant_can_be_expressed(rules: Rules) -> None:
    """Every variant can be told, for as many seats as it allows."""
    for wire in WIRES:
        assert wire.unsupported(rules, rules.players[1]) is None


def test_a_game_too_long_for_an_argument_is_refused() -> None:
    """A question of open is one argument of a program, which has a greatest length; a line of
    open-lines has none."""
    huge = replace(BSP, columns=100, rows=100, repeat=Repeat.ILLEGAL, round_limit=None)
    reason = Open.unsupported(huge, 2)
    assert reason == (
        "a question is one argument of at most 131,071 bytes, too short for all shots of the "
        "longest game"
    )
    assert Open.unsupported(replace(BSP, round_limit=10_000), 2) == reason
    assert OpenLines.unsupported(huge, 2) is None
    drawn = replace(huge, fleet=Draw(50, 1, 9), turn=Turn.SALVO, round_limit=200)
    assert Open.unsupported(drawn, 2) == reason


@pytest.mark.parametrize(
    "rules",
    [
        replace(BSP, columns=40, rows=40, repeat=Repeat.ILLEGAL, goal=Goal.POINTS, points=10**6),
        replace(BSP, columns=40, rows=40, repeat=Repeat.OLD_ANSWER, sinking=Sinking.SHIP),
    ],
    ids=["every cell", "every round"],
)
def test_the_longest_question_fits(rules: Rules) -> None:
    """The longest game that open does not refuse fits into an argument, names of 60 characters
    beyond the usual planes and all."""
    limit = max(
        limit
        for limit in range(1, 4000)
        if Open.unsupported(replace(rules, round_limit=limit), 2) is None
    )
    rules = replace(rules, round_limit=limit)
    game = Game(rules)
    for seat in (0, 1):
        row = iter(range(40))
        game.place(seat, tuple(Ship(n, 40 - n, 39 - next(row), ACROSS) for n in rules.lengths))
    cells = [Cell(column, row) for column in range(40) for row in range(40)][::-1]
    fresh = {seat: iter(cells) for seat in (0, 1)}
    while game.to_move:
        (seat,) = game.to_move
        cell = next(fresh[seat]) if rules.repeat is Repeat.ILLEGAL else cells[0]
        view = game.view(seat)
        game.shoot(seat, [Target(1 - seat, cell)])
    one = Open(rules, 0, "plain")
    one.send(started(0, rules, ("\N{SHIP}" * 60,) * 2))
    one.send(Refused("x" * 500, AskShots(view)))
    assert len(one.data_to_send()) <= LONGEST_ARGUMENT
