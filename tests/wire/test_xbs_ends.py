"""The ends of the XBS wire: a client's, and both together over any fragmentation."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from judge.documents.game import Outcome, Result, Termination
from judge.documents.rules import Cell, Fleet, Orientation, Ship
from judge.errors import ServerFault
from judge.game.events import Back, Gone, Shot, Target, TurnSkipped, View
from judge.game.fleets import random_fleet
from judge.game.variants import XBS
from judge.wire.messages import (
    Arrived,
    AskShots,
    Chat,
    Denied,
    Departed,
    Dismissed,
    Fired,
    FromClient,
    GameOver,
    GameStart,
    Inquired,
    Joined,
    Left,
    Lobby,
    Refused,
    Rejoined,
    Resigned,
    Said,
    Skipped,
    TauntAdded,
    ToClient,
    Told,
    Welcome,
)
from judge.wire.xbs.client import XbsClient
from judge.wire.xbs.client_view import MOST_AT_ONCE
from judge.wire.xbs.notation import (
    LONGEST,
    board_text,
    coordinate,
    fields,
    fleet_of,
    game_line,
    lobby_of,
    name_flaw,
    words,
)
from judge.wire.xbs.server import DIALECTS, XbsServer
from own_halls import XbsHall
from strategies import examples

ACROSS, DOWN = Orientation.HORIZONTAL, Orientation.VERTICAL
SMALL = replace(XBS, columns=8, rows=8, fleet=(3, 2), points=2, players=(2, 2))
FLEET = (Ship(3, 0, 0, ACROSS), Ship(2, 0, 1, ACROSS))
BOARD = "AAA.....BB......" + 48 * "."
G = b"G|1.2.1|Pond|N|2|2|1|2|8|8|2|A3|B2\n"
LOBBY = Lobby("Pond", SMALL, "AB", 1, is_started=False)
WATER = 64 * b"."


def seen(*marks: tuple[int, str]) -> bytes:
    board = 64 * ["."]
    for place, mark in marks:
        board[place] = mark
    return "".join(board).encode()


def heard(client: XbsClient, data: bytes) -> list[ToClient]:
    client.receive_data(data)
    return list(iter(client.next_message, None))


def joined() -> XbsClient:
    """A client that has its place as bob, beside ann."""
    client = XbsClient()
    assert heard(client, G) == [LOBBY]
    client.say(Joined("bob", fleet=FLEET))
    assert client.data_to_send() == f"J|bob|{BOARD}\n".encode()
    assert heard(client, b"J|bob\nJ|ann\n") == [Welcome("bob", ()), Arrived("ann")]
    return client


START = b"B|bob||%b|0|0\nB|ann||%b|0|0\nS|bob|ann\n" % (WATER, WATER)
START_MESSAGE = GameStart(0, ("bob", "ann"), SMALL, None, FLEET, 0)


def view(shots: Sequence[Shot] = (), rounds: int = 0, *, present: bool = True) -> View:
    return View(0, 2, 0, SMALL, FLEET, tuple(shots), 1, rounds, (True, present))


def playing() -> XbsClient:
    client = joined()
    assert heard(client, START + b"N|bob\n") == [
        START_MESSAGE,
        Told((), (0,)),
        AskShots(view()),
    ]
    return client


# What a client is told

HIT = Shot(0, 1, Cell(1, 0), Result.HIT)
MISS = Shot(1, 0, Cell(7, 7), Result.MISS)

TOLD: dict[str, tuple[bytes, list[ToClient]]] = {
    "a hit": (
        b"H|bob|ann|b1\nM|ann|ouch\nB|bob||%b|1|0\nB|ann||%b|0|0\nN|ann\n"
        % (WATER, seen((1, "X"))),
        [Chat(1, "ouch", is_private=True), Told((HIT,), (1,))],
    ),
    "a hit and the other's miss": (
        b"B|bob||%b|1|0\nB|ann||%b|0|0\nN|ann\nB|bob||%b|1|0\nN|bob\n"
        % (WATER, seen((1, "X")), seen((63, "0"))),
        [Told((HIT,), (1,)), Told((MISS,), (0,)), AskShots(view([HIT, MISS], 1))],
    ),
    "its own skip": (b"N|ann\n", [Told((TurnSkipped(0),), (1,))]),
    "a skip by the host": (
        b"K|bob|asleep\nN|ann\n",
        [Told((TurnSkipped(0, "asleep"),), (1,))],
    ),
    "a refusal": (
        b"M||that spot has already been shot\n",
        [Refused("that spot has already been shot", AskShots(view()))],
    ),
    "a refusal out of turn": (
        b"N|ann\nM||it is not your turn!\n",
        [Told((TurnSkipped(0),), (1,)), Refused("it is not your turn!", None)],
    ),
    "words of the host": (b"M||hurry up\n", [Chat(None, "hurry up", is_private=False)]),
    "words to all": (b"M|ann|hello|All\n", [Chat(1, "hello", is_private=False)]),
    "words of somebody without a place": (
        b"M|new|hello|All\n",
        [Chat(None, "new: hello", is_private=False)],
    ),
    "who leaves and comes back": (
        b"B|ann|disconnected|%b|0|0\nB|ann||%b|0|0\nM||ann reconnected\nN|ann\n" % (WATER, WATER),
        [
            Told((Gone(1, None, "disconnected"),), (0,)),
            Told((Back(1),), (0,)),
            Chat(None, "ann reconnected", is_private=False),
            Told((TurnSkipped(0),), (1,)),
        ],
    ),
    "who is told to have left twice": (
        2 * (b"B|ann|gone fishing|%b|0|0\n" % WATER) + b"N|ann\nN|bob\n",
        [
            Told((Gone(1, None, "gone fishing"),), (0,)),
            Told((TurnSkipped(0),), (1,)),
            Told((), (0,)),
            AskShots(view(rounds=1, present=False)),
        ],
    ),
    "the end": (
        b"H|bob|ann|b1\nB|bob||%b|2|0\nB|ann||%b|0|0\nF|finished|2|2\nR|bob|2|0|2|\nR|ann|0|0|2|\n"
        b"L|ann|\nB|ann|disconnected|%b|0|0\n" % (WATER, seen((1, "X")), WATER),
        [Told((HIT,)), GameOver(Outcome(0, 1, Termination.GOAL, scores=(2, 0)))],
    ),
    "a tie": (
        b"F|finished|2|2\nR|bob|1|0|2|\nR|ann|1|0|2|\n",
        [GameOver(Outcome(None, None, Termination.ALL_DEAD, scores=(1, 1)))],
    ),
    "a game broken off": (
        b"F|aborted|2|2\nR|bob|1|0|2|\nR|ann|0|0|2|\n",
        [GameOver(Outcome(None, None, Termination.ABORTED, scores=(1, 0)))],
    ),
    "the end of the stream": (b"", [Dismissed("")]),
    "an error": (b"protocol error\n", [Dismissed("protocol error")]),
    "an echo": (b"P|hello\n", []),
    "a blank line": (b"\r\n\n", []),
    "CR and white space": (b" N | ann \r\n", [Told((TurnSkipped(0),), (1,))]),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_a_client_is_told(name: str) -> None:
    """Lines mean these messages and no others, whole and byte by byte."""
    data, messages = TOLD[name]
    assert heard(playing(), data) == messages
    client = playing()
    assert [m for byte in data for m in heard(client, bytes([byte]))] == messages or not data


LOBBY_TOLD: dict[str, tuple[bytes, list[ToClient]]] = {
    "a name in use": (b"E|name in use\n", [Denied("name in use")]),
    "a full game": (b"game is full\n", [Dismissed("game is full")]),
    "a lobby that is closed": (b"F|aborted|0|0\n", [Dismissed("aborted")]),
    "the table again": (G, [LOBBY]),
}


@pytest.mark.parametrize("name", LOBBY_TOLD)
def test_what_a_client_is_told_before_it_has_a_place(name: str) -> None:
    """It is told why it has none, and may ask for another name over the same connection."""
    data, messages = LOBBY_TOLD[name]
    client = XbsClient()
    heard(client, G)
    client.say(Joined("bob", fleet=FLEET))
    assert heard(client, data) == messages


def test_comings_and_goings_in_a_lobby() -> None:
    """Those who come and leave before the game are told; who has left is not in it."""
    client = joined()
    assert heard(client, b"J|cat\nL|ann|in a minute\nM|cat|hello|All\n") == [
        Arrived("cat"),
        Departed("ann", "in a minute"),
        Chat(1, "hello", is_private=False),
    ]
    data = b"B|bob||%b|0|0\nB|cat||%b|0|0\nS|cat|bob\nN|cat\n" % (WATER, WATER)
    start = GameStart(1, ("cat", "bob"), SMALL, None, FLEET, 0)
    assert heard(client, data) == [start, Told((), (0,))]


def test_a_client_that_comes_back() -> None:
    """It learns its ships and all shots from the boards; who hit whom is plain between two."""
    client = XbsClient()
    (lobby,) = heard(client, G.replace(b"|N|", b"|Y|"))
    assert lobby == replace(LOBBY, is_started=True)
    client.say(Joined("bob"))
    assert client.data_to_send() == b"J|bob\n"
    own = BOARD.encode()[:-1] + b"0"
    data = b"J|bob\nY|%b\nJ|ann\nB|ann||%b|0|0\nS|bob|ann\nN|bob\nB|bob||%b|1|0\n"
    messages = heard(client, data % (own, seen((1, "X")), seen((63, "0"))))
    assert messages[:5] == [
        Welcome("bob", ()),
        Arrived("ann"),
        START_MESSAGE,
        Rejoined(view([MISS, HIT])),
        Told((), (0,)),
    ]
    client.say(Fired((Target(1, Cell(2, 0)),)))
    assert client.data_to_send() == b"S|ann|3|1\n"


def test_a_client_goes_on_after_a_cut() -> None:
    """It is told what it missed, then all shots, and knows its ships without being told."""
    client = playing()
    client.say(Fired((Target(1, Cell(1, 0)),)))
    assert client.data_to_send() == b"S|ann|2|1\n"
    assert heard(client, b"") == [Dismissed("")]
    client.come_back()
    started = replace(LOBBY, is_started=True)
    assert heard(client, G.replace(b"|N|", b"|Y|")) == [started]
    client.say(Joined("bob"))
    assert client.data_to_send() == b"J|bob\n"
    data = b"J|bob\nY|%b\nJ|ann\nB|ann||%b|0|1\nS|bob|ann\nN|bob\nB|bob||%b|1|0\n"
    assert heard(client, data % (BOARD.encode(), seen((1, "X")), seen((63, "0")))) == [
        Welcome("bob", ()),
        Told((HIT,)),
        Rejoined(view([HIT])),
        Told((), (0,)),
        AskShots(view([HIT])),
        Told((MISS,), (0,)),
    ]
    assert client.standing == [(1, 0), (0, 1)]
    assert heard(client, b"N|ann\n") == [Told((TurnSkipped(0),), (1,))]
    assert client.standing == [(1, 1), (0, 1)]


def test_a_part_of_a_line_says_nothing() -> None:
    """The beginning of a line in which a connection is cut may be another message, or no
    message."""
    for data in (b"N|a", b"B|bob", b"F|finished|1|0", b"M||no", b"N"):
        client = playing()
        assert heard(client, data) == []
        assert heard(client, b"") == [Dismissed("")]
    client = XbsClient()
    assert heard(client, b"game is full") == []
    assert heard(client, b"")[0] == Dismissed("game is full")


@pytest.mark.parametrize(
    "data",
    [b"G|1.2.1|Pond|Y|2|2|2|2|9|9|2|A3|B2\n", G + b"J|eve\n", G + b"J|bob\nJ|ann\nS|ann|bob\n"],
)
def test_another_game_after_a_cut(data: bytes) -> None:
    """A table that has other rules, players or turns than before is not the same."""
    client = playing()
    client.come_back()
    client.receive_data(data)
    with pytest.raises(ServerFault, match="which no client can read"):
        list(iter(client.next_message, None))


SAID: dict[str, tuple[FromClient, bytes]] = {
    "a shot": (Fired((Target(1, Cell(7, 0)),)), b"S|ann|8|1\n"),
    "a skip": (Skipped(), b"K\n"),
    "words to all": (Said("hello"), b"M||hello\n"),
    "words to one": (Said("a|b\nc", 1), b"M|ann|a b c\n"),
    "a taunt": (TauntAdded(on_hit=True, text="ouch"), b"T|hit|ouch\n"),
    "no taunts": (TauntAdded(on_hit=False, text=None), b"T|miss|\n"),
    "a farewell": (Left("the phone"), b"L|the phone\n"),
    "a question": (Inquired(), b"G\n"),
}


@pytest.mark.parametrize("name", SAID)
def test_what_a_client_says(name: str) -> None:
    """A player says it by this line."""
    message, data = SAID[name]
    client = playing()
    client.say(message)
    assert client.data_to_send() == data
    assert client.data_to_send() == b""


def test_a_client_has_no_words_to_resign() -> None:
    """To say what the protocol does not know is a bug of the caller."""
    with pytest.raises(AssertionError, match="not for this protocol"):
        playing().say(Resigned())


@pytest.mark.parametrize(
    "data",
    [
        b"G|words|Pond|N|2|2|1|2|8|8|2|A3|B2\n",
        b"G|1.2|Pond|N|2|2|1|2|8|8|2|A3\n",
        b"G|1.2|Pond|N|2|2|1|2|8|8|2|A3|A2\n",
        b"G|1.2|Pond|N|2|2|1|2|900|900|1|A3\n",
        b"G|1.2|Pond|N|1|2|1|2|8|8|1|A3\n",
        b"G|1.2|Pond|N|2|2|1|2|2|2|1|A3\n",
        b"J|\n",
        b"J|bob\n",
        b"B|eve||%b|0|0\n" % WATER,
        b"B|ann||%b.|0|0\n" % WATER,
        b"B|ann||%bA|0|0\n" % WATER[1:],
        b"N|eve\n",
        b"S|bob|ann\n",
        b"S|bob|eve\n",
        b"K|eve|x\n",
        b"J|eve\n",
        b"G|1.2.1|Pond|Y|2|2|2|2|9|9|2|A3|B2\n",
        b"B|ann||%b|0|0\nB|ann||%b|0|0\n" % (seen((1, "X")), seen((1, "0"))),
        b"K|ann|x\n" * (MOST_AT_ONCE + 1),
        b"Y|%b\n" % WATER,
        b"F|finished|1|7\n",
        b"F|finished|1|x\n",
        b"R|bob|1|1|1|\n",
        b"F|finished|1|2\nR|bob|1|0|1|\nR|bob|1|0|1|\n",
        b"x" * LONGEST + b"\n",
    ],
)
def test_what_no_client_can_read(data: bytes) -> None:
    """It is the server's fault, told in one sentence, and never a bot's."""
    client = playing()
    client.receive_data(data)
    with pytest.raises(ServerFault, match=r"^the server ") as caught:
        list(iter(client.next_message, None))
    assert str(caught.value).isprintable()


@given(st.lists(st.binary(max_size=40), max_size=30))
@examples(200)
def test_any_bytes(pieces: list[bytes]) -> None:
    """Whatever comes in, neither end raises anything but its own error."""
    server = XbsServer()
    server.send(LOBBY)
    for end, take in ((server, server.next_event), (playing(), None)):
        for data in [*pieces, b""]:
            end.receive_data(data)
            for _ in range(100):
                try:
                    if (take or end.next_message)() is None:  # type: ignore[union-attr]
                        break
                except ServerFault:
                    assert end is not server


LINES = st.sampled_from(
    [
        b"S|ann|1|1",
        b"K|bob|x",
        b"N|ann",
        b"N|bob",
        b"F|finished|1|2",
        b"R|bob|1|1|1|",
        b"J|cat",
        b"E|x",
        b"L|ann|x",
        b"M|ann|x|All",
        b"M||x",
        b"S|bob|ann",
        b"G",
        b"T|hit|x",
        b"P|x",
        b"B|ann|x|" + WATER,
        b"B|ann||" + seen((3, "X")),
        b"Y|" + BOARD.encode(),
        G[:-1],
        b"J|bob|" + BOARD.encode(),
        b"",
        b"x",
    ]
)


@given(st.lists(LINES, max_size=30), st.integers(1, 50))
@examples(200)
def test_any_lines(lines: list[bytes], size: int) -> None:
    """The same for lines that are well-formed one by one, in any order."""
    data = b"".join(line + b"\n" for line in lines)
    test_any_bytes.hypothesis.inner_test([data[i : i + size] for i in range(0, len(data), size)])


# The table's end, beside what transcripts hold


def served(dialect: str = "2.0") -> XbsServer:
    server = XbsServer(dialect)
    server.send(LOBBY)
    assert server.data_to_send() == G.replace(b"1.2.1", DIALECTS[dialect].version.encode())
    return server


@pytest.mark.parametrize("line", [b"hello\n", b"Z|x\n", b"j|ann\n", b"x" * 5000 + b"\n"])
def test_a_stranger_who_talks_nonsense(line: bytes) -> None:
    """It is told so once; in the dialect of 1.2 it is closed as well."""
    for dialect, closed in (("2.0", False), ("1.2", True)):
        server = served(dialect)
        server.receive_data(line + b"G\n")
        event = server.next_event()
        assert event == (Left("protocol error") if closed else Inquired())
        assert server.data_to_send() == b"protocol error\n"


def test_a_join_without_a_name_is_closed() -> None:
    """A bare J is a protocol error, after which nothing is read."""
    server = served()
    server.receive_data(b"J\nG\n")
    assert server.next_event() == Left("protocol error")
    assert server.next_event() is None
    assert server.data_to_send() == b"protocol error\n"


def test_the_longest_line() -> None:
    """A line of 4095 bytes with its end is read; a byte more, and it is refused once, to its
    end; and what is relayed of the longest is no longer."""
    server = served()
    server.receive_data(
        b"P|" + b"x" * (LONGEST - 3) + b"\n" + b"P|" + b"x" * (LONGEST - 2) + b"\nG\n"
    )
    assert server.next_event() == Inquired()
    assert server.data_to_send() == b"P|" + b"x" * (LONGEST - 3) + b"\nprotocol error\n"
    server.send(Welcome("bob", ("ann",)))
    server.data_to_send()
    server.send(Chat(0, "é" * LONGEST, is_private=False))
    line = server.data_to_send()
    assert LONGEST - 8 <= len(line) <= LONGEST
    assert line.endswith("é|All\n".encode())


def started(dialect: str) -> XbsHall:
    table = XbsHall(SMALL, order=["ann", "bob"], dialect=dialect)
    for name in ("ann", "bob"):
        table.receive(table.connect(), f"J|{name}|{BOARD}\n".encode())
    return table


@pytest.mark.parametrize("target", ["bob", "b", "BOB", "2"])
def test_targets_by_dialect(target: str) -> None:
    """A prefix, another case and a number name a target in the dialect of 1.2 alone."""
    for dialect in DIALECTS:
        table = started(dialect)
        ann = table.lines[0]
        table.sent(ann)
        table.receive(ann, f"S|{target}|1|1\n".encode())
        is_found = target == "bob" or dialect == "1.2"
        assert table.sent(ann).startswith(b"H|ann|bob|a1" if is_found else b"M||invalid target")


# The parts of lines


@pytest.mark.parametrize(
    ("name", "flaw"),
    [
        ("ann", ""),
        ("Cap'n Rob", ""),
        ("Hal-9000", ""),
        ("a#2", ""),
        ("zoé", ""),
        ("a", "invalid name"),
        ("", "invalid name"),
        ("9ann", "invalid name"),
        ("éa", "invalid name"),
        ("a|b", "invalid name"),
        ("a\nb", "invalid name"),
        ("a\x1bb", "invalid name"),
        ("an\udcff", "invalid name"),
        ("an\u2028F", "invalid name"),
        ("an\u2029F", "invalid name"),
        ("SERVER", "invalid name"),
        ("New", "invalid name"),
        ("a(b)", "invalid name"),
        (10 * "a", ""),
        (11 * "a", "name too long"),
    ],
)
def test_names(name: str, flaw: str) -> None:
    """Who may be called what at a table that is ten squares wide."""
    assert name_flaw(name, 10) == flaw


@pytest.mark.parametrize(
    "board",
    [
        BOARD + ".",
        BOARD[:-1],
        "",
        BOARD.replace("A", "a"),
        BOARD.replace("B", "C"),
        BOARD[:-1] + "0",
        BOARD[:-1] + "A",
        BOARD.replace("AAA", "AA."),
        BOARD.replace("AAA..", "AA.A."),
        "AAB.....A" + 7 * "." + "B" + 47 * ".",
    ],
)
def test_boards_that_are_none(board: str) -> None:
    """A board has each ship once, straight and whole, and dots."""
    with pytest.raises(ValueError, match=r".+"):
        fleet_of(board, SMALL, "AB")


@given(st.integers(8, 22), st.integers(8, 22), st.integers(0, 2**32))
@examples(60)
def test_boards_and_tables_are_read_as_they_are_written(columns: int, rows: int, seed: int) -> None:
    """A fleet's board is read as that fleet, also where it is not square; and so is a table."""
    rules = replace(XBS, columns=columns, rows=rows)
    fleet = random_fleet(rules, Random(seed))
    assert fleet_of(board_text(fleet, rules, "ABCDE"), rules, "ABCDE") == fleet
    lobby = Lobby("Pond", rules, "VWABC", seed % 9, is_started=bool(seed % 2))
    assert lobby_of(game_line(lobby, "2.0.1").split("|")[1:]) == lobby


def test_coordinates() -> None:
    """A hit is told by a letter and a number; beyond z, by two numbers."""
    assert coordinate(Cell(0, 0)) == "a1"
    assert coordinate(Cell(25, 21)) == "z22"
    assert coordinate(Cell(26, 0)) == "27,1"


def test_words_are_one_value() -> None:
    """No words can end a line or a value."""
    assert words(" a|b\r\nc\x1b[0m ") == "a b  c [0m"


# Both ends


class Seat:
    """A client at a table in this process, whose bytes go over in pieces of any size."""

    def __init__(self, table: XbsHall, name: str, fleet: Fleet, luck: Random) -> None:
        self.table, self.name, self.fleet, self.luck = table, name, fleet, luck
        self.connect()

    def connect(self) -> None:
        self.client, self.line = XbsClient(), self.table.connect()
        self.heard: list[ToClient] = []

    def say(self, message: FromClient) -> None:
        self.client.say(message)
        self._move(self.client.data_to_send(), lambda data: self.table.receive(self.line, data))

    def listen(self) -> list[ToClient]:
        def take(data: bytes) -> None:
            self.client.receive_data(data)
            news.extend(iter(self.client.next_message, None))

        news: list[ToClient] = []
        self._move(self.table.sent(self.line), take)
        self.heard += news
        return news

    def _move(self, data: bytes, take) -> None:
        while data:
            size = self.luck.choice([1, 3, 20, 1000, 10_000])
            take(data[:size])
            data = data[size:]


@given(st.integers(2, 5), st.integers(0, 2**32))
@examples(40)
def test_both_ends_talk(players: int, seed: int) -> None:
    """Whole games between this wire's clients at this wire's table: with shots, skips, chat, and
    players who leave and come back, each client knows every board and whose turn it is, in
    whichever pieces the bytes go over, and all are told the same end."""
    luck = Random(seed)
    rules = replace(SMALL, players=(2, players))
    names = ["ann", "bob", "cat", "dan", "eve"][:players]
    order = luck.sample(names, players)
    table = XbsHall(rules, most=players, order=order)
    seats = {}
    for name in names:
        seats[name] = Seat(table, name, random_fleet(rules, luck), luck)
        seats[name].listen()
        seats[name].say(Joined(name, fleet=seats[name].fleet))
    match = table.match
    assert match
    while not match.is_over:
        for seat in seats.values():
            seat.listen()
        (up,) = match.game.to_move
        mover = seats[order[up]]
        asked = [message for message in mover.heard if not isinstance(message, Chat)][-1]
        for seat in seats.values():
            told = [message for message in seat.heard if isinstance(message, Told)]
            assert told[-1].up == (up,)
        assert isinstance(asked, AskShots)
        shots = {(shot.target, shot.cell, shot.is_hit) for shot in match.game.shots}
        known = {(shot.target, shot.cell, shot.is_hit) for shot in asked.view.shots}
        assert known <= shots
        assert {shot for shot in shots - known if shot[0] != up} == set(), "it shoots at others"
        assert asked.view.fleet == mover.fleet
        match luck.choice(["skip", "leave", *8 * ["shoot"]]):
            case "skip":
                mover.say(Skipped())
            case "leave":
                table.receive(mover.line, b"")
                mover.connect()
                mover.listen()
                mover.say(Joined(mover.name))
            case _:
                fresh = [
                    Target(target, Cell(column, row))
                    for target in range(players)
                    for column in range(8)
                    for row in range(8)
                    if target != up and (target, Cell(column, row)) not in {s[:2] for s in shots}
                ]
                mover.say(Fired((luck.choice(fresh),)))
    (record,) = match.records
    for seat in seats.values():
        seat.listen()
        over = seat.heard[-1]
        assert isinstance(over, GameOver)
        assert (over.outcome.winner, over.outcome.scores) == (
            record.outcome.winner,
            record.outcome.scores,
        )


def test_a_nul_ends_a_line() -> None:
    """The bytes behind a NUL are no part of the line, and white space at both ends of a value
    neither."""
    assert fields(b" M |\tann | a  b \0|c\r") == ["M", "ann", "a  b"]
    assert fields(b"") == [""]
    assert fields(b"\xff|x") == ["\udcff", "x"]
