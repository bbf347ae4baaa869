"""The XBS wire over pipes: every line to a shell-bot and from one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from judge.documents.game import Outcome, Result, Termination
from judge.documents.rules import Cell, Draw, Orientation, Ship, Turn
from judge.errors import BadOutput, BotError, IllegalFleet
from judge.game.events import FleetPlaced, Gone, Shot, Target, TurnSkipped, View
from judge.game.variants import VARIANTS, XBS
from judge.wire.interface import Transport
from judge.wire.messages import (
    AskFleet,
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
    Said,
    Skipped,
    Told,
    ToPlayer,
)
from judge.wire.xbs.notation import LONGEST
from judge.wire.xbs.shell import XbsShell
from strategies import examples

ACROSS = Orientation.HORIZONTAL
SMALL = replace(XBS, columns=8, rows=8, fleet=(3, 2), points=2)
FLEET = (Ship(3, 0, 0, ACROSS), Ship(2, 0, 1, ACROSS))
BOARD = b"AAA.....BB......" + 48 * b"."
WATER = 64 * b"."
NAMES = ("hunt", "ann", "cat")
G = b"G|1.1|xbs|N|2|9|0|2|8|8|2|A3|B2\n"
HIT = Shot(0, 1, Cell(1, 0), Result.HIT)
MISS = Shot(1, 0, Cell(7, 7), Result.MISS)


def seen(*marks: tuple[int, str]) -> bytes:
    board = 64 * ["."]
    for place, mark in marks:
        board[place] = mark
    return "".join(board).encode()


def view() -> View:
    return View(0, 2, 0, SMALL, FLEET, (), 1, 0, (True, True))


def wire(names: tuple[str, ...] = NAMES[:2], seat: int = 0, first: int = 0) -> XbsShell:
    """A wire whose game is about to begin."""
    one = XbsShell(SMALL, seat, "2.0")
    one.send(MatchStart(seat, names, SMALL, 1))
    one.send(GameStart(seat, names, SMALL, 7, None, first))
    one.send(AskFleet())
    assert one.data_to_send() == b"", "the program says first who it is"
    return one


def placed(names: tuple[str, ...] = NAMES[:2], seat: int = 0, first: int = 0) -> XbsShell:
    """A wire whose program has placed its fleet; it calls itself bob."""
    one = wire(names, seat, first)
    one.receive_data(b"I|Bob's bot|1.0|bob\n")
    assert one.data_to_send() == G
    one.receive_data(b"J|bob|%b\n" % BOARD)
    assert one.next_event() == Placed(FLEET)
    return one


def playing() -> XbsShell:
    """A wire whose program is up in a game of two."""
    one = placed()
    one.send(Told((FleetPlaced(0), FleetPlaced(1)), (0,)))
    one.send(AskShots(view()))
    one.data_to_send()
    return one


def sent(one: XbsShell, *messages: ToPlayer) -> bytes:
    for message in messages:
        one.send(message)
    return one.data_to_send()


START = b"J|bob\nJ|ann\nB|bob||%b|0|0|0\nB|ann||%b|0|0|0\nS|bob|ann\n" % (WATER, WATER)


def test_the_beginning_of_a_game() -> None:
    """Its own name comes first, then the others', all boards, the order of turns and who is up;
    the line that names the program itself is sent when it is asked."""
    one = placed()
    assert sent(one, Told((FleetPlaced(0),))) == b""
    assert sent(one, Told((FleetPlaced(1),), (0,))) == START
    assert sent(one, AskShots(view())) == b"N|bob\n"
    other = placed(("ann", "hunt"), seat=1, first=1)
    told = sent(other, Told((FleetPlaced(0), FleetPlaced(1)), (1,)), AskShots(view()))
    assert told == START + b"N|bob\n", "turns begin with whoever moves first"
    waiting = placed(first=1)
    assert sent(waiting, Told((FleetPlaced(0), FleetPlaced(1)), (1,))).endswith(
        b"S|ann|bob\nN|ann\n"
    )


def test_who_could_not_place_is_not_told() -> None:
    """One of three that is out before the game begins is in none of its lines."""
    one = placed(NAMES)
    crash = Gone(1, Termination.CRASH)
    told = sent(one, Told((crash,)), Told((FleetPlaced(0), FleetPlaced(2)), (0,)))
    assert told == START.replace(b"ann", b"cat")


def test_a_game_without_the_program() -> None:
    """A program that is out before the game begins is told nothing of it but the last goodbye."""
    for one in (wire(NAMES), placed(NAMES)):
        told = sent(
            one,
            Told((Gone(0, Termination.TIMEOUT),)),
            Told((FleetPlaced(1), FleetPlaced(2)), (1,)),
            Told((Shot(1, 2, Cell(0, 0), Result.MISS),), (2,)),
            GameOver(Outcome(None, None, Termination.ABORTED)),
            Farewell(),
        )
        assert told == b"Q\n"


@pytest.mark.parametrize("theirs", ["bob", "bob#2"])
def test_a_namesake_gets_a_number(theirs: str) -> None:
    """Two players of one name are told apart, whatever the judge calls them."""
    one = placed((theirs, "hunt", "bob"), seat=1)
    data = sent(one, Told((FleetPlaced(0), FleetPlaced(1), FleetPlaced(2)), (0,))).decode()
    names = [line.split("|")[1] for line in data.splitlines() if line.startswith("J|")]
    assert names[0] == "bob"
    assert len(set(names)) == 3


@pytest.mark.parametrize("theirs", ["b\udcff\x85", "\x85", "a\u2028b"])
def test_a_name_that_not_every_program_can_read(theirs: str) -> None:
    """At a published table names have any bytes. Whatever the program reads there, it can shoot at
    the player that is called so, and no two are called alike."""
    one = placed(("bob", theirs, theirs.replace("\udcff", "\udcfe")))
    data = sent(one, Told((FleetPlaced(0), FleetPlaced(1), FleetPlaced(2)), (0,)), AskShots(view()))
    read = [line.split("|")[1].strip() for line in data.decode().splitlines() if line[:2] == "J|"]
    assert len(set(read)) == 3
    one.receive_data(f"S|{read[2]}|1|1\n".encode())
    assert one.next_event() == Fired((Target(2, Cell(0, 0)),))


SENT: dict[str, tuple[tuple[ToPlayer, ...], bytes]] = {
    "a hit": (
        (Told((HIT,), (1,)),),
        b"H|bob|ann|b1\nB|bob||%b|1|0|0\nB|ann||%b|0|0|0\nN|ann\n" % (WATER, seen((1, "X"))),
    ),
    "a miss, and the next question": (
        (Told((MISS,), (0,)), AskShots(view())),
        b"B|bob||%b|0|0|0\nN|bob\n" % seen((63, "0")),
    ),
    "a skip": ((Told((TurnSkipped(1),), (0,)), AskShots(view())), b"N|bob\n"),
    "a skip by a host": (
        (Told((TurnSkipped(1, "too | slow"),), (0,)), AskShots(view())),
        b"K|ann|too   slow\nN|bob\n",
    ),
    "somebody's failure": (
        (Told((Gone(1, Termination.TIMEOUT),), ()),),
        b"B|ann|comm error|%b|0|0|0\n" % WATER,
    ),
    "somebody's leave": (
        (Told((Gone(1, None),), ()),),
        b"B|ann|disconnected|%b|0|0|0\n" % WATER,
    ),
    "a refusal": (
        (Refused("shot | at itself", AskShots(view())),),
        b"M||shot   at itself|\nN|bob\n",
    ),
    "a refusal out of turn": (
        (Refused("it is not your turn", None),),
        b"M||it is not your turn|\n",
    ),
    "words to all": ((Chat(1, "hello", is_private=False),), b"M|ann|hello|All\n"),
    "words to it alone": ((Chat(1, "hello", is_private=True),), b"M|ann|hello|\n"),
    "words that are no UTF-8": (
        (Chat(1, "h\udcffi\u2028F\x85F\u2029F", is_private=False),),
        "M|ann|h\ufffdi F F F|All\n".encode(),
    ),
    "a leave for a reason that is not UTF-8": (
        (Told((Gone(1, None, "b\udcffe\u2028F"),), ()),),
        f"B|ann|b\ufffde F|{WATER.decode()}|0|0|0\n".encode(),
    ),
    "words of a host": ((Chat(None, "hello", is_private=False),), b"M||hello|\n"),
    "the end": (
        (
            Told((HIT,), ()),
            GameOver(Outcome(0, 1, Termination.GOAL, scores=(1, 0))),
            MatchOver((1, 0)),
            Farewell(),
        ),
        b"H|bob|ann|b1\nB|bob||%b|1|0|0\nB|ann||%b|0|0|0\n"
        b"F|finished|1|2\nR|bob|1|0|1|\nR|ann|0|0|0|\nQ\n" % (WATER, seen((1, "X"))),
    ),
    "a game broken off": (
        (GameOver(Outcome(None, None, Termination.ABORTED)),),
        b"F|aborted|0|2\nR|bob|0|0|0|\nR|ann|0|0|0|\n",
    ),
}


@pytest.mark.parametrize("name", SENT)
def test_sent_bytes(name: str) -> None:
    """In a game, these messages are these lines and no others."""
    messages, data = SENT[name]
    one = playing()
    assert sent(one, *messages) == data
    assert one.data_to_send() == b""


@pytest.mark.parametrize("letter", ["x", "é", "\udcff"])
def test_words_that_are_too_long_are_cut(letter: str) -> None:
    """A line of words ends within the bytes that a line has: what a program read of the rest would
    be a line to it."""
    line = sent(playing(), Chat(1, letter * LONGEST, is_private=False))
    assert line.startswith(b"M|ann|")
    assert line.endswith(b"|All\n")
    assert LONGEST - 8 < len(line) <= LONGEST


def test_a_fleet_that_is_refused_is_asked_for_again() -> None:
    """The table is described again, as before any game, and the program answers with another
    board."""
    one = placed()
    assert sent(one, Refused("no", AskFleet())) == G
    one.receive_data(b"J|bob|%b\n" % BOARD)
    assert one.next_event() == Placed(FLEET)


def test_a_second_game() -> None:
    """The next game of a match goes over the same pipes, and the program does not say again who it
    is; nothing of the game before is left."""
    one = playing()
    sent(one, Told((HIT,), ()), GameOver(Outcome(0, 1, Termination.GOAL)))
    names = NAMES[:2]
    assert sent(one, GameStart(0, names, SMALL, 7, None, 0), AskFleet()) == G
    one.receive_data(b"J|bob|%b\n" % BOARD)
    assert one.next_event() == Placed(FLEET)
    assert sent(one, Told((FleetPlaced(0), FleetPlaced(1)), (0,))) == START


# What comes in

SHOTS: dict[str, tuple[bytes, FromPlayer]] = {
    "a shot": (b"S|ann|8|1", Fired((Target(1, Cell(7, 0)),))),
    "with white space, a sign and zeros": (
        b" S | ann | +8 | 01 \r",
        Fired((Target(1, Cell(7, 0)),)),
    ),
    "with more values": (b"S|ann|8|1|x", Fired((Target(1, Cell(7, 0)),))),
    "off the board": (b"S|ann|0|99", Fired((Target(1, Cell(-1, 98)),))),
    "at itself": (b"S|bob|1|1", Fired((Target(0, Cell(0, 0)),))),
    "a skip": (b"K", Skipped()),
    "a skip with a reason": (b"K|tired", Skipped()),
    "words to all": (b"M||hello", Said("hello")),
    "words to one": (b"M|ann|hello", Said("hello", 1)),
}


@pytest.mark.parametrize("name", SHOTS)
def test_received_bytes(name: str) -> None:
    """A line means the same whole, byte by byte, with blank lines before it and more behind it,
    written before the question, and without an LF at the end of the stream."""
    line, meaning = SHOTS[name]
    whole = line + b"\n"
    for data in (
        [whole],
        [bytes([byte]) for byte in whole],
        [b"\n\r\n" + whole + b"S|x\nK"],
        [line, b""],
    ):
        one = playing()
        for piece in data[:-1]:
            one.receive_data(piece)
            assert one.next_event() is None
        one.receive_data(data[-1])
        assert one.next_event() == meaning
    ahead = playing()
    ahead.receive_data(b"K\n" + whole)
    assert ahead.next_event() == Skipped()
    assert ahead.next_event() is None, "nothing is asked"
    ahead.send(AskShots(view()))
    assert ahead.next_event() == meaning


def test_words_that_reach_nobody_are_no_answer() -> None:
    """Words to itself or to nobody are dropped, and the answer is what comes then."""
    one = playing()
    one.receive_data(b"M|bob|me\nM|eve|hello\nM|ann|\nM\nK\n")
    assert one.next_event() == Skipped()


REFUSED: dict[str, tuple[bytes, str]] = {
    "another type": (b"X|ann|1|1", "a turn is S"),
    "lower case": (b"s|ann|1|1", "a turn is S"),
    "a second introduction": (b"I|bob|1.0", "a turn is S"),
    "free text": (b"thinking...", "a turn is S"),
    "nobody's name": (b"S|eve|1|1", "nobody at the table is called"),
    "a name in another case": (b"S|ANN|1|1", "nobody at the table is called"),
    "no target": (b"S", "nobody at the table is called"),
    "letters": (b"S|ann|a1", "numbers from 1"),
    "no row": (b"S|ann|1", "numbers from 1"),
    "a sign": (b"S|ann|-1|1", "numbers from 1"),
    "a fraction": (b"S|ann|1.5|1", "numbers from 1"),
    "not UTF-8": (b"S|\xff|1|1", "nobody at the table is called"),
    "a line without end": (b"S|ann|" + b"1" * LONGEST, "a line of more than 4,095 bytes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_bytes(name: str) -> None:
    """A line that is not a turn is refused once, in one printable sentence, and the next line is
    read for the next question."""
    line, why = REFUSED[name]
    one = playing()
    one.receive_data(line + b"\nK\n")
    with pytest.raises(BadOutput) as caught:
        one.next_event()
    assert why in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 400
    one.send(Refused(str(caught.value), AskShots(view())))
    assert one.next_event() == Skipped()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"J|bob|%b" % BOARD, "before everything else"),
        (b"I", "before everything else"),
        (b"I|bob", "before everything else"),
        (b"hello", "before everything else"),
        (b"I|b|1.0", "may be called"),
        (b"I|Bob|1.0|all", "may be called"),
        (b"I|<Bob>|1.0", "may be called"),
        (b"x" * LONGEST, "a line of more than"),
    ],
)
def test_who_does_not_say_who_it_is(line: bytes, why: str) -> None:
    """A program that begins otherwise is refused, and is asked nothing before it says who it
    is."""
    one = wire()
    one.receive_data(line + b"\n")
    with pytest.raises(BadOutput, match=why):
        one.next_event()
    assert one.data_to_send() == b""
    one.send(Refused("no", AskFleet()))
    assert one.data_to_send() == b""
    one.receive_data(b"I|bob|1.0\n")
    assert one.data_to_send() == G


def test_who_says_who_it_is_before_it_is_asked() -> None:
    """The first line may come at any time, in pieces, with or without the name to be called by."""
    for data, name in ((b"I|bob|1.0\n", b"bob"), (b"\nI|x|1.0|bob\n", b"bob")):
        one = XbsShell(SMALL, 0, "2.0")
        for byte in data:
            one.receive_data(bytes([byte]))
        one.send(GameStart(0, NAMES[:2], SMALL, 7, None, 0))
        assert one.data_to_send() == b""
        one.send(AskFleet())
        assert one.data_to_send() == G
        one.receive_data(b"J|%b|%b\n" % (name, BOARD))
        assert one.next_event() == Placed(FLEET)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"J|ann|" + BOARD, BadOutput),
        (b"J", BadOutput),
        (b"K", BadOutput),
        (b"J|bob", IllegalFleet),
        (b"J|bob|" + BOARD[:-1], IllegalFleet),
        (b"J|bob|" + BOARD.lower(), IllegalFleet),
        (b"J|bob|" + BOARD[:-1] + b"0", IllegalFleet),
        (b"J|bob|" + WATER, IllegalFleet),
        (b"J|bob|" + BOARD.replace(b"AAA", b"A.A"), IllegalFleet),
    ],
)
def test_boards_that_are_refused(line: bytes, error: type[BotError]) -> None:
    """The name must be the one that it said; what is not a board of these ships is an illegal
    fleet."""
    one = wire()
    one.receive_data(b"I|bob|1.0\n" + line + b"\n")
    with pytest.raises(error) as caught:
        one.next_event()
    assert type(caught.value) is error
    assert str(caught.value).isprintable()


@given(st.lists(st.binary(max_size=30), max_size=20), st.booleans())
@examples(200)
def test_any_bytes(pieces: list[bytes], in_game: bool) -> None:
    """Whatever a program writes, the wire raises nothing but a fault of the program."""
    one = playing() if in_game else wire()
    for data in [*pieces, b""]:
        one.receive_data(data)
        for _ in range(50):
            try:
                if one.next_event() is None:
                    break
            except BotError as error:
                one.send(Refused(str(error), AskShots(view()) if in_game else AskFleet()))
    one.data_to_send()


# What it says of itself


def test_its_needs() -> None:
    """It is spoken over pipes in a fresh, empty folder, and keeps state."""
    assert XbsShell.transport is Transport.PIPES
    assert XbsShell.workplace == ()
    assert XbsShell.keeps_state
    assert XbsShell.environment(XBS) == {}
    assert XbsShell.luck(42) == {"BOT_SEED": "42"}
    assert XbsShell.readable(b"N|\xff") == r"N|\xff"


def test_the_rules_that_it_can_express() -> None:
    """It expresses its own variant alone, for as many as may play."""
    able = {name for name, rules in VARIANTS.items() if XbsShell.unsupported(rules, 2) is None}
    assert able == {"xbs"}
    assert XBS.wire == "xbs"
    assert XbsShell.unsupported(XBS, 9) is None


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"turn": Turn.HIT_AGAIN}, "a turn is one shot"),
        ({"columns": 23}, "22 squares a side"),
        ({"fleet": (1,)}, "2 to 8 squares"),
        ({"fleet": (9,)}, "2 to 8 squares"),
        ({"fleet": 24 * (2,), "columns": 22, "rows": 22}, "23 ships at most"),
        ({"points": 18}, "no more than a fleet has squares"),
        ({"columns": 6}, "61 squares"),
        ({"fleet": Draw(9, 2, 5)}, "153 squares"),
    ],
)
def test_what_it_cannot_express(changes: dict, why: str) -> None:
    """Each is refused with its reason; boards that are not square are not among them."""
    assert why in (XbsShell.unsupported(replace(XBS, **changes), 2) or "")
    assert XbsShell.unsupported(replace(XBS, columns=22, rows=8), 2) is None


@pytest.mark.parametrize("name", ["hunter", "xbs-hunt", "kd_hunter.3.0", "a#2", "RandomRufus"])
def test_names_that_can_be_told(name: str) -> None:
    """A name may be longer than a table's own rule has it: no program looks."""
    assert XbsShell.unsayable(name) is None


@pytest.mark.parametrize("name", ["", "a", "7up", "a|b", "a\nb", "All", "a(b)", " ab"])
def test_names_that_cannot_be_told(name: str) -> None:
    """Any other name is refused with what is allowed."""
    assert "two characters" in (XbsShell.unsayable(name) or "")
