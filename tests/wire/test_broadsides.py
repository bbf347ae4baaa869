"""The broadsides wire: every line that goes out, every form of an answer, in whichever pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from judge.documents.game import Outcome, Result, Termination
from judge.documents.rules import Cell, Fleet, Orientation, Rules, Ship, Turn
from judge.errors import BadOutput, BotError
from judge.game.events import Shot, Target, View
from judge.game.fleets import random_fleet
from judge.game.game import Game
from judge.game.variants import BROADSIDES, VARIANTS
from judge.testing import board
from judge.wire.broadsides import Broadsides, cell_text, fleet_answer, volley_answer
from judge.wire.interface import Transport
from judge.wire.messages import (
    AskFleet,
    AskShip,
    AskShots,
    Chat,
    Farewell,
    Fired,
    FromPlayer,
    GameOver,
    GameStart,
    MatchOver,
    MatchStart,
    Placed,
    Refused,
    Told,
    ToPlayer,
)
from strategies import examples

ACROSS, DOWN = Orientation.HORIZONTAL, Orientation.VERTICAL

FLEET = (
    Ship(5, 0, 0, ACROSS),
    Ship(4, 9, 6, DOWN),
    Ship(3, 0, 2, ACROSS),
    Ship(3, 0, 3, ACROSS),
    Ship(2, 0, 4, DOWN),
)
PLACES = b"SHIPS 5:A1:H 4:J7:V 3:A3:H 3:A4:H 2:A5:V"
OTHER = (
    Ship(2, 0, 0, DOWN),
    Ship(3, 2, 0, ACROSS),
    Ship(3, 2, 2, ACROSS),
    Ship(4, 2, 4, ACROSS),
    Ship(5, 5, 9, ACROSS),
)
NAMES = ("ann", "bo_2")


def start(
    seat: int = 0, names: tuple[str, ...] = NAMES, rules: Rules = BROADSIDES, first: int = 0
) -> GameStart:
    return GameStart(seat, names, rules, 7, None, first)


def view(due: int = 6, rules: Rules = BROADSIDES) -> View:
    return View(0, 2, 0, rules, FLEET, (), due, 0, (True, True))


def wire(seat: int = 0, rules: Rules = BROADSIDES) -> Broadsides:
    """A wire whose game has begun."""
    one = Broadsides(rules, seat, "plain")
    one.send(start(seat, rules=rules))
    assert one.data_to_send()
    return one


def sent(*messages: ToPlayer) -> bytes:
    one = Broadsides(BROADSIDES, 0, "plain")
    for message in messages:
        one.send(message)
    return one.data_to_send()


def targets(*names: str) -> tuple[Target, ...]:
    return tuple(Target(1, cell(name)) for name in names)


def cell(name: str) -> Cell:
    return Cell(ord(name[0]) - ord("A"), int(name[1:]) - 1)


def shot(seat: int, name: str, result: Result, *, repeat: bool = False) -> Shot:
    return Shot(seat, 1 - seat, cell(name), result, repeat=repeat)


# What is sent

SETUP = b"INFO SETUP players:ann,bo_2 board:10x10 ships:5,4,3,3,2\n"
OVER = Outcome(1, 0, Termination.CRASH)
VOLLEY = (
    shot(0, "A1", Result.HIT),
    shot(0, "J10", Result.MISS),
    shot(0, "A1", Result.HIT),
)

SENT: dict[str, tuple[tuple[ToPlayer, ...], bytes]] = {
    "the match": ((MatchStart(0, NAMES, BROADSIDES, 1),), b""),
    "the game": ((start(),), SETUP),
    "the game, to the other player": ((start(1),), SETUP),
    "the game, where the second moves first": (
        (start(first=1),),
        b"INFO SETUP players:bo_2,ann board:10x10 ships:5,4,3,3,2\n",
    ),
    "a bot against itself": (
        (start(names=("a", "a#2")),),
        b"INFO SETUP players:a,a board:10x10 ships:5,4,3,3,2\n",
    ),
    "other rules": (
        (start(rules=replace(BROADSIDES, columns=8, rows=26, fleet=(4, 1))), AskFleet()),
        b"INFO SETUP players:ann,bo_2 board:8x26 ships:4,1\nACTION SHIPS 4,1\n",
    ),
    "a question for ships": ((AskFleet(),), b"ACTION SHIPS 5,4,3,3,2\n"),
    "a question for six shots": ((AskShots(view(6)),), b"ACTION SHOTS 6\n"),
    "a question for one": ((AskShots(view(1)),), b"ACTION SHOTS 1\n"),
    "a volley": (
        (start(), Told(VOLLEY)),
        SETUP + b"INFO SHOTS ann A1:hit J10:miss A1:hit\n",
    ),
    "the other's volley": (
        (start(), Told((shot(1, "B2", Result.MISS),))),
        SETUP + b"INFO SHOTS bo_2 B2:miss\n",
    ),
    "volleys of both at once": (
        (start(), Told((*VOLLEY, shot(1, "C3", Result.HIT), shot(1, "C4", Result.MISS)))),
        SETUP + b"INFO SHOTS ann A1:hit J10:miss A1:hit\nINFO SHOTS bo_2 C3:hit C4:miss\n",
    ),
    "a winner": ((start(), GameOver(OVER)), SETUP + b"INFO WINNER bo_2\n"),
    "a winner of two that have one name": (
        (start(names=("a", "a#2")), GameOver(OVER)),
        b"INFO SETUP players:a,a board:10x10 ships:5,4,3,3,2\nINFO WINNER a\n",
    ),
    "a tie": (
        (start(), GameOver(Outcome(None, None, Termination.ROUND_LIMIT, scores=(2, 2)))),
        SETUP,
    ),
    "the end of the match": ((MatchOver((0, 1)),), b""),
    "the last question": ((Farewell(),), b"ACTION FINISH\n"),
    "a refusal out of turn": ((Refused("no", None),), b""),
    "words of another": ((Chat(1, "hello", is_private=False),), b""),
}


@pytest.mark.parametrize("name", SENT)
def test_sent_bytes(name: str) -> None:
    """These messages are these bytes and no others."""
    messages, data = SENT[name]
    assert sent(*messages) == data


def test_data_to_send_empties_the_queue() -> None:
    """Data that were fetched are not sent again."""
    one = Broadsides(BROADSIDES, 0, "plain")
    assert one.data_to_send() == b""
    one.send(AskFleet())
    assert one.data_to_send() == b"ACTION SHIPS 5,4,3,3,2\n"
    assert one.data_to_send() == b""


@pytest.mark.parametrize("message", [Refused("no", AskFleet()), AskShip(3)])
def test_what_has_no_words(message: ToPlayer) -> None:
    """Nobody is asked again, nor for one ship: to send that is a bug of the caller."""
    with pytest.raises(AssertionError, match="not for this wire"):
        wire().send(message)


# What is received


def fired(*names: str) -> Fired:
    return Fired(targets(*names))


THREE = AskShots(view(3))
FIRED = fired("A1", "J10", "A1")

# A question, the line without its end, and what it means; tests make all the ends.
RECEIVED: dict[str, tuple[AskFleet | AskShots, bytes, FromPlayer]] = {
    "a fleet": (AskFleet(), PLACES, Placed(FLEET)),
    "a fleet, backwards": (
        AskFleet(),
        b"SHIPS " + b" ".join(reversed(PLACES.split()[1:])),
        Placed(FLEET[::-1]),
    ),
    "a fleet, with the space of at_basic behind it": (AskFleet(), PLACES + b" ", Placed(FLEET)),
    "two ships of 5": (
        AskFleet(),
        b"SHIPS 5:A1:H 5:A2:H",
        Placed((Ship(5, 0, 0, ACROSS), Ship(5, 0, 1, ACROSS))),
    ),
    "a ship over the edge": (AskFleet(), b"SHIPS 5:J10:H", Placed((Ship(5, 9, 9, ACROSS),))),
    "a ship off the board": (AskFleet(), b"SHIPS 4:M5:V", Placed((Ship(4, 12, 4, DOWN),))),
    "a ship below the board": (AskFleet(), b"SHIPS 4:A11:V", Placed((Ship(4, 0, 10, DOWN),))),
    "no ship": (AskFleet(), b"SHIPS", Placed(())),
    "a volley": (THREE, b"SHOTS A1 J10 A1", FIRED),
    "a volley between blanks": (THREE, b" \t\0SHOTS A1 J10 A1\v\f\0 ", FIRED),
    "a volley with a CR": (THREE, b"SHOTS A1 J10 A1\r", FIRED),
    "a shot too few": (THREE, b"SHOTS A1 J10", fired("A1", "J10")),
    "a shot too many": (THREE, b"SHOTS A1 J10 A1 B2", fired("A1", "J10", "A1", "B2")),
    "no shot": (THREE, b"SHOTS", Fired(())),
    "a shot off the board": (THREE, b"SHOTS M1 A1 A11", fired("M1", "A1", "A11")),
}


def asked(message: AskFleet | AskShots) -> Broadsides:
    """A wire that has put its question."""
    one = wire()
    one.send(message)
    assert one.data_to_send()
    return one


def feed(one: Broadsides, pieces: Sequence[bytes]) -> FromPlayer:
    """The meaning of an answer in these pieces; it is there with the last of them and no sooner."""
    for piece in pieces[:-1]:
        one.receive_data(piece)
        assert one.next_event() is None
    one.receive_data(pieces[-1])
    event = one.next_event()
    assert event is not None
    assert one.next_event() is None, "an answer is one event"
    return event


@pytest.mark.parametrize("name", RECEIVED)
def test_received_bytes(name: str) -> None:
    """An answer means the same whole, byte by byte, with more behind it, written before the
    question, and without an LF before the end of the stream."""
    message, line, meaning = RECEIVED[name]
    whole = line + b"\n"
    assert feed(asked(message), [whole]) == meaning
    assert feed(asked(message), [bytes([byte]) for byte in whole]) == meaning
    assert feed(asked(message), [whole + b"SHOTS A1\n\nmore"]) == meaning
    assert feed(asked(message), [line, b""]) == meaning

    ahead = Broadsides(BROADSIDES, 0, "plain")
    ahead.receive_data(whole)
    assert ahead.next_event() is None, "nothing was asked yet"
    ahead.send(start())
    ahead.send(message)
    assert ahead.next_event() == meaning


REFUSED: dict[str, tuple[AskFleet | AskShots, bytes, str]] = {
    "nothing": (AskFleet(), b"", "starts with SHIPS"),
    "blanks": (THREE, b" \t\r", "starts with SHOTS"),
    "lower case": (AskFleet(), PLACES.lower(), "starts with SHIPS"),
    "a lower-case cell": (THREE, b"SHOTS a1 J10 A1", "`a1` is not a cell"),
    "a lower-case direction": (AskFleet(), b"SHIPS 5:A1:h", "`5:A1:h` is not a ship"),
    "the other answer": (THREE, PLACES, "starts with SHOTS"),
    "FINISH": (THREE, b"FINISH", "starts with SHOTS"),
    "a word": (AskFleet(), b"SHIPS MALFORMED", "`MALFORMED` is not a ship"),
    "a word instead of a cell": (THREE, b"SHOTS MALFORMED", "`MALFORMED` is not a cell"),
    "two spaces": (AskFleet(), PLACES.replace(b" 3", b"  3", 1), "one space between"),
    "two spaces before the first shot": (THREE, b"SHOTS  A1 J10 A1", "one space between"),
    "a TAB": (AskFleet(), PLACES.replace(b" 4", b"\t4"), "is not a ship"),
    "a NUL inside": (THREE, b"SHOTS A1\0J10 A1", "is not a cell"),
    "a CR inside": (THREE, b"SHOTS A1\rJ10 A1", "is not a cell"),
    "commas": (THREE, b"SHOTS A1,J10,A1", "`A1,J10,A1` is not a cell"),
    "quotes": (THREE, b'SHOTS ["A1", "J10"]', "is not a cell"),
    "row 0": (THREE, b"SHOTS A0 J10 A1", "`A0` is not a cell"),
    "a leading zero": (THREE, b"SHOTS A01 J10 A1", "`A01` is not a cell"),
    "a ship's leading zero": (AskFleet(), b"SHIPS 5:A01:H", "`5:A01:H` is not a ship"),
    "a ship of 0": (AskFleet(), b"SHIPS 0:A1:H", "is not a ship"),
    "a column only": (THREE, b"SHOTS A J10 A1", "`A` is not a cell"),
    "two letters": (THREE, b"SHOTS AA1 J10 A1", "`AA1` is not a cell"),
    "a sign": (THREE, b"SHOTS A+1 J10 A1", "`A+1` is not a cell"),
    "a row of five digits": (THREE, b"SHOTS A10000 J10 A1", "`A10000` is not a cell"),
    "digits of another script": (THREE, "SHOTS A١ J10 A1".encode(), "ASCII characters only"),
    "not UTF-8": (AskFleet(), b"SHIPS \xff", "ASCII characters only"),
    "a byte-order mark": (AskFleet(), b"\xef\xbb\xbf" + PLACES, "ASCII characters only"),
    "a no-break space behind it": (AskFleet(), PLACES + b"\xc2\xa0", "ASCII characters only"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_bytes(name: str) -> None:
    """A message that is not of the form is refused once, whole, byte by byte, and with more behind
    it, in one printable sentence that quotes it."""
    message, line, why = REFUSED[name]
    whole = line + b"\n"
    for pieces in ([whole], [bytes([byte]) for byte in whole], [whole + PLACES + b"\n"]):
        one = asked(message)
        for piece in pieces:
            one.receive_data(piece)
        with pytest.raises(BadOutput) as caught:
            one.next_event()
        assert one.next_event() is None, "an answer is refused once"
        sentence = str(caught.value)
        assert why in sentence
        assert sentence.startswith("replied `")
        assert sentence.isprintable()
        assert len(sentence) <= 500


def test_a_long_line_is_quoted_short() -> None:
    """A line of 60,000 bytes makes no long sentence."""
    one = asked(THREE)
    one.receive_data(b"SHOTS " + b"x" * 60_000 + b"\n")
    with pytest.raises(BadOutput) as caught:
        one.next_event()
    assert len(str(caught.value)) <= 500


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("SHIPS 5:A1:H 5:A2:H 3:A3:H 3:A4:H 2:A5:H", "where the rules have 2, 3, 3, 4, 5"),
        ("SHIPS 5:A1:H 4:A2:H 3:A3:H 3:A4:H", "where the rules have"),
        ("SHIPS 5:A1:H 4:A2:H 3:A3:H 3:A4:H 2:A5:H 2:A6:H", "where the rules have"),
        ("SHIPS 9999:A1:H", "where the rules have"),
        ("SHIPS 5:A1:H 4:M5:H 3:A3:H 3:A4:H 2:A5:H", "leaves the 10×10 grid"),
        ("SHIPS 5:A1:H 4:A11:H 3:A3:H 3:A4:H 2:A5:H", "leaves the 10×10 grid"),
        ("SHIPS 5:J1:H 4:A2:H 3:A3:H 3:A4:H 2:A5:H", "leaves the 10×10 grid"),
        ("SHIPS 5:A8:V 4:B2:H 3:B3:H 3:B4:H 2:B5:H", "leaves the 10×10 grid"),
        ("SHIPS 5:A1:H 4:A1:V 3:A3:H 3:A4:H 2:A5:H", "overlap"),
    ],
)
def test_the_engine_refuses_fleets(line: str, why: str) -> None:
    """A fleet that can be read and does not fit these rules is left to the engine, which
    refuses."""
    one = asked(AskFleet())
    one.receive_data(line.encode() + b"\n")
    event = one.next_event()
    assert isinstance(event, Placed)
    with pytest.raises(BotError, match=why):
        Game(BROADSIDES).place(0, event.fleet)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("SHOTS A1 A2 A3 A4 A5", "fired 5 shots where 6 are due"),
        ("SHOTS A1 A2 A3 A4 A5 A6 A7", "fired 7 shots where 6 are due"),
        ("SHOTS A1 A2 A3 A4 A5 M1", "outside the 10×10 grid"),
        ("SHOTS A1 A2 A3 A4 A5 A11", "outside the 10×10 grid"),
        ("SHOTS", "fired 0 shots where 6 are due"),
    ],
)
def test_the_engine_refuses_volleys(line: str, why: str) -> None:
    """A volley that can be read and is not allowed is left to the engine, which refuses it."""
    game = Game(BROADSIDES)
    game.place(0, FLEET)
    game.place(1, OTHER)
    one = asked(AskShots(game.view(0)))
    one.receive_data(line.encode() + b"\n")
    event = one.next_event()
    assert isinstance(event, Fired)
    with pytest.raises(BotError, match=why):
        game.shoot(0, event.targets)


def test_an_extra_line_answers_the_next_question() -> None:
    """A line behind the answer is kept, and read as the answer to the next question."""
    one = asked(AskFleet())
    one.receive_data(PLACES + b"\nSHOTS A1\n\n")
    assert one.next_event() == Placed(FLEET)
    assert one.next_event() is None
    one.send(AskShots(view(1)))
    assert one.next_event() == fired("A1")
    one.send(AskShots(view(1)))
    with pytest.raises(BadOutput, match="starts with SHOTS"):
        one.next_event()


def test_the_end_of_the_stream() -> None:
    """After the end of the stream the lines that came before it still answer, and then nothing
    does."""
    one = asked(AskFleet())
    one.receive_data(PLACES + b"\nSHOTS A1")
    one.receive_data(b"")
    assert one.next_event() == Placed(FLEET)
    one.send(AskShots(view(1)))
    assert one.next_event() == fired("A1")
    one.send(AskShots(view(1)))
    assert one.next_event() is None


def test_targets_are_the_others() -> None:
    """The shots of either seat go to the other."""
    for seat in (0, 1):
        one = wire(seat)
        one.send(AskShots(view(1)))
        one.receive_data(b"SHOTS C5\n")
        assert one.next_event() == Fired((Target(1 - seat, Cell(2, 4)),))


# The end


@dataclass(frozen=True)
class Ending:
    """The pieces before the question for the last word, those after it, and whether a word is owed
    before and after that."""

    before: tuple[bytes, ...]
    after: tuple[bytes, ...]
    owed: tuple[bool, bool]


@pytest.mark.parametrize(
    "ending",
    [
        pytest.param(Ending((), (b"FINISH\n",), (True, False)), id="answered"),
        pytest.param(Ending((), (b"FIN", b"ISH\n"), (True, False)), id="in pieces"),
        pytest.param(Ending((), (b"\n",), (True, False)), id="an empty line"),
        pytest.param(Ending((), (b"\xff what\n",), (True, False)), id="with anything"),
        pytest.param(Ending((), (b"",), (True, False)), id="by the end of the stream"),
        pytest.param(Ending((), (b"FINISH", b""), (True, False)), id="without an LF"),
        pytest.param(Ending((), (b"FINISH",), (True, True)), id="without any end"),
        pytest.param(Ending((b"SHOTS A1\n",), (), (False, False)), id="by a late line"),
        pytest.param(Ending((b"SHOTS",), (b" A1\n",), (True, False)), id="by a line begun before"),
        pytest.param(Ending((b"",), (), (False, False)), id="not at all, for it is gone"),
    ],
)
def test_the_last_word(ending: Ending) -> None:
    """The last word is any line or the end of the stream, and a line left over is one."""
    one = wire()
    one.send(GameOver(OVER))
    for data in ending.before:
        one.receive_data(data)
    assert not one.is_owed, "the question was not put yet"
    one.send(Farewell())
    assert one.is_owed is ending.owed[0]
    for data in ending.after:
        one.receive_data(data)
    assert one.is_owed is ending.owed[1]
    assert one.next_event() is None, "nothing comes of it"


def test_a_question_that_is_open_at_the_end_gets_no_answer() -> None:
    """Who lost because it was late answers FINISH with its late line, and not a question."""
    one = asked(THREE)
    one.send(GameOver(OVER))
    one.send(Farewell())
    one.receive_data(b"SHOTS A1 A2 A3\n")
    assert not one.is_owed
    assert one.next_event() is None


# What it says of itself


def test_its_needs() -> None:
    """It is spoken over pipes in a fresh folder that has an empty ``log``, and keeps state."""
    assert Broadsides.transport is Transport.PIPES
    assert Broadsides.workplace == ("log",)
    assert Broadsides.keeps_state
    assert Broadsides.environment(BROADSIDES) == {}
    assert Broadsides.luck(42) == {"BOT_SEED": "42"}


def test_the_rules_that_it_can_express() -> None:
    """It expresses its own variant alone, between two, and says why of each other."""
    able = {name for name, rules in VARIANTS.items() if Broadsides.unsupported(rules, 2) is None}
    assert able == {"broadsides"}
    assert BROADSIDES.wire == "broadsides"
    assert Broadsides.unsupported(BROADSIDES, 3) == "a game has two players"
    wide = replace(BROADSIDES, columns=27)
    assert "26 columns" in (Broadsides.unsupported(wide, 2) or "")
    assert Broadsides.unsupported(replace(BROADSIDES, turn=Turn.SINGLE, columns=26), 2) is None


@pytest.mark.parametrize("name", ["kd_hunter", "a", "2", "_", "A_1"])
def test_names_that_can_be_told(name: str) -> None:
    """A name of ASCII letters, digits and underscores can be told."""
    assert Broadsides.unsayable(name) is None


@pytest.mark.parametrize(
    "name", ["kd_hunter.3.0", "parity-perl", "a b", "", "é", "a\n", "a,b", "a#2"]
)
def test_names_that_cannot_be_told(name: str) -> None:
    """Any other name is refused: players read names by letters, digits and _ alone, and would crash in mid-game."""
    assert "letters" in (Broadsides.unsayable(name) or "")


@given(st.integers(0, 2**32))
@examples(30)
def test_answers_are_read_as_they_are_written(seed: int) -> None:
    """The lines that the wire's own functions write for fleets and volleys are read as these."""
    rng = Random(seed)
    fleet: Fleet = random_fleet(BROADSIDES, rng)
    cells = rng.choices(list(board(BROADSIDES)), k=6)
    one = asked(AskFleet())
    assert feed(one, [fleet_answer(fleet).encode() + b"\n"]) == Placed(fleet)
    one.send(AskShots(view(6)))
    answer = volley_answer(cells).encode() + b"\n"
    assert feed(one, [answer]) == Fired(tuple(Target(1, one) for one in cells))
    assert [cell(cell_text(one)) for one in cells] == cells
