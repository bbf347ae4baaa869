"""The BSP wire: whole games from both ends, byte for byte, and whatever else may come in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halls import BSP_FLEET as FLEET
from judge.documents.game import Outcome, Result, Termination
from judge.documents.rules import Cell
from judge.errors import BadOutput, ServerFault
from judge.game.events import Shot, Target, View
from judge.game.variants import BSP
from judge.wire.bsp.client import BspClient
from judge.wire.bsp.notation import LONGEST, cell_text, fleet_text
from judge.wire.bsp.server import BspServer
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
    Said,
    ToClient,
    Told,
    Welcome,
)
from own_halls import played
from strategies import examples
from transcripts import BSP_GAMES as GAMES
from transcripts import read


@pytest.mark.parametrize("pieces", ["whole", "bytes", "joined"])
@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game(name: str, pieces: str) -> None:
    """Both are sent these lines and no others, in whichever pieces they send theirs."""
    transcript = read(name)
    sent, table = played(transcript, pieces)
    expected = transcript.sent_to()
    for who, stream in sent.items():
        assert stream.decode().splitlines() == expected.get(who, b"").decode().splitlines(), who
    assert table.match
    assert table.match.is_over


ENDS = {
    "bsp_winner": (0, Termination.FLEET_DESTROYED),
    "bsp_surrender": (1, Termination.RESIGNED),
    "bsp_surrender_in_turn": (1, Termination.RESIGNED),
    "bsp_disconnection": (1, Termination.LEFT),
    "bsp_timeout": (0, Termination.TIMEOUT),
    "bsp_limit": (1, Termination.ROUND_LIMIT),
    "bsp_draw": (None, Termination.ROUND_LIMIT),
    "bsp_aborted": (None, Termination.ABORTED),
    "bsp_queue": (1, Termination.RESIGNED),
}


@pytest.mark.parametrize("name", GAMES)
def test_how_a_client_understands_a_game(name: str) -> None:
    """A client that is sent the lines of a transcript, in whichever pieces, is told the shots and
    the end of that game, except that of a game at the limit of rounds it learns the winner
    alone."""
    transcript = read(name)
    _, table = played(transcript, "whole")
    assert table.match
    (record,) = table.match.records
    winner, why = ENDS[name]
    assert (record.outcome.winner, record.outcome.termination) == (winner, why)
    for seat, who in enumerate("ab"):
        stream = transcript.sent_to()[who]
        for size in (1, 7, len(stream)):
            client = BspClient()
            messages = [
                message
                for i in range(0, len(stream), size)
                for message in heard(client, stream[i : i + size])
            ]
            assert messages[:2] == [
                Welcome("", ()),
                GameStart(seat, ("A", "B"), BSP, None, FLEET, record.first),
            ]
            shots = [event for m in messages if isinstance(m, Told) for event in m.events]
            assert shots == table.match.game.announced_shots
            (over,) = [message for message in messages if isinstance(message, GameOver)]
            assert over.outcome.winner == winner
            if why is Termination.ROUND_LIMIT and winner is not None:
                why = Termination.FLEET_DESTROYED
            assert over.outcome.termination is why


def heard(client: BspClient, data: bytes) -> list[ToClient]:
    client.receive_data(data)
    return list(iter(client.next_message, None))


# The server's end, beside what transcripts hold


def test_the_fleet_as_it_is_told() -> None:
    """The published example, with a semicolon after every ship; the longest first in any order."""
    text = (
        "carrier:A1 A2 A3 A4 A5;battleship:C1 D1 E1 F1;cruiser:C3 C4 C5;cruiser:E3 F3 G3;"
        "destroyer:H1 H2;destroyer:J9 J10;submarine:A10;submarine:E8;submarine:G10;"
    )
    assert fleet_text(FLEET) == text
    assert fleet_text(FLEET[::-1]).startswith("carrier:A1 A2 A3 A4 A5;battleship:C1 D1 E1 F1;")


@pytest.mark.parametrize(
    "data",
    [
        b"PLAY\n",
        b"join\n",
        b" JOIN\n",
        b"JOIN \n",
        b"JOIN\r\n",
        b"\n",
        b"JOIN a b\n",
        b"\xff\n",
        b"JO",
        b"x" * 9000,
        b"JOIN " + b"x" * 21 + b"\n",
        b"JOIN \x1b[0m\n",
    ],
)
def test_who_does_not_join(data: bytes) -> None:
    """It is the client's fault, and nothing is said to it or read from it any more."""
    server = BspServer()
    server.receive_data(data)
    server.receive_data(b"")
    with pytest.raises(BadOutput, match="says JOIN first"):
        server.next_event()
    server.receive_data(b"JOIN\n")
    assert server.next_event() is None
    assert server.data_to_send() == b""


def test_joining() -> None:
    """A nickname behind JOIN is tolerated; no name is an empty one."""
    for data, name in ((b"JOIN\n", ""), (b"JOIN bob-7\n", "bob-7"), (b"JOIN", "")):
        server = BspServer()
        server.receive_data(data)
        if not data.endswith(b"\n"):
            assert server.next_event() is None
            server.receive_data(b"")
        assert server.next_event() == Joined(name)


def test_a_long_line_is_one_bad_request() -> None:
    """A line over the limit is refused once, however long it is and in whichever pieces it comes,
    and the next line is read."""
    server = BspServer()
    server.receive_data(b"JOIN\n")
    assert server.next_event() == Joined("")
    server.send(GameStart(0, ("a", "b"), BSP, None, FLEET, 0))
    server.send(Told((), (0,)))
    server.data_to_send()
    for _ in range(20):
        server.receive_data(b"SHOT A2" * 100)
        assert server.next_event() is None
    server.receive_data(b"\nSHOT A2\n")
    assert server.next_event() == Fired((Target(1, Cell(1, 0)),))
    assert server.data_to_send() == b"BAD_REQUEST\n"


@pytest.mark.parametrize("why", [one for one in Termination if one.is_forfeit])
def test_every_forfeit_has_an_end(why: Termination) -> None:
    """A forfeit of any kind can be told, where a bot of the server's own plays."""
    if why in (Termination.BAD_OUTPUT, Termination.ILLEGAL_FLEET, Termination.ILLEGAL_MOVE):
        assert BSP.bad_move == "ask-again", "none of these ends a game"
        return
    server = BspServer()
    server.send(GameOver(Outcome(0, 1, why)))
    words = {"resigned": "SURRENDER", "timeout": "TIMEOUT"}
    assert server.data_to_send().decode() == f"END_GAME {words.get(why, 'DISCONNECTION')} B\n"


# The client's end

START = (f"JOINED_MATCHMAKING\nSTART_GAME A {{{fleet_text(FLEET)}}}\n").encode()


def playing() -> BspClient:
    client = BspClient()
    assert heard(client, START + b"TURN A\n")[-1] == AskShots(view())
    return client


def view(*shots: Shot) -> View:
    return View(0, 2, 0, BSP, FLEET, shots, 1, len(shots) // 2, (True, True))


SUNK = Shot(0, 1, Cell(9, 0), Result.SUNK)
MISSED = Shot(1, 0, Cell(0, 1), Result.MISS)

TOLD: dict[str, tuple[bytes, list[ToClient]]] = {
    "a bad request": (
        b"BAD_REQUEST\n",
        [Refused("the server took it for a bad request", AskShots(view()))],
    ),
    "a bad request out of turn": (
        b"TURN B\nBAD_REQUEST\n",
        [Told((), (1,)), Refused("the server took it for a bad request", None)],
    ),
    "a round": (
        b"HIT A10 SUNK\nTURN B\nMISS B1\nTURN A\n",
        [Told((SUNK,), (1,)), Told((MISSED,), (0,)), AskShots(view(SUNK, MISSED))],
    ),
    "a turn with its time": (b"TURN B 1700000000\n", [Told((), (1,))]),
    "the last shot": (
        b"HIT A10 SUNK\nEND_GAME WINNER A\nEND_GAME SURRENDER A\nMISS\n",
        [Told((SUNK,)), GameOver(Outcome(0, 1, Termination.FLEET_DESTROYED))],
    ),
    "a game that was stopped": (
        b"END_GAME ABORTED A\n",
        [GameOver(Outcome(None, None, Termination.ABORTED, "ABORTED"))],
    ),
    "unknown words": (b"HELLO\n\nFOO BAR\n", []),
    "the end of the stream": (b"", [Dismissed("")]),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_a_client_is_told(name: str) -> None:
    """Lines mean these messages and no others, whole and byte by byte."""
    data, messages = TOLD[name]
    assert heard(playing(), data) == messages
    client = playing()
    assert [m for byte in data for m in heard(client, bytes([byte]))] == messages or not data


@pytest.mark.parametrize(
    ("message", "data"),
    [
        (Joined(""), b"JOIN\n"),
        (Joined("bob"), b"JOIN bob\n"),
        (Fired((Target(1, Cell(9, 0)),)), b"SHOT A10\n"),
        (Resigned(), b"SURRENDER\n"),
        (Left(), b""),
    ],
)
def test_what_a_client_says(message: FromClient, data: bytes) -> None:
    """A player says it by this line; to leave is to close the connection."""
    client = playing()
    client.say(message)
    assert client.data_to_send() == data
    assert client.data_to_send() == b""
    with pytest.raises(AssertionError, match="not for this protocol"):
        client.say(Said("hello"))


@pytest.mark.parametrize(
    "data",
    [
        b"TURN C\n",
        b"TURN\n",
        b"HIT A11\n",
        b"HIT\n",
        b"MISS A1 SUNK\n",
        b"END_GAME\n",
        b"END_GAME WINNER C\n",
        b"START_GAME A {}\n",
        START.split(b"\n")[1] + b"\n",
        b"START_GAME C " + START.split(b" A ")[1],
        START.split(b"\n")[1].replace(b"A1 A2", b"A1 A1") + b"\n",
        START.split(b"\n")[1].replace(b"submarine:G10;", b"") + b"\n",
        START.split(b"\n")[1].replace(b"carrier", b"dinghy") + b"\n",
        START.split(b"\n")[1].replace(b"submarine:G10;", b"submarine:A1;") + b"\n",
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


@pytest.mark.parametrize("data", [b"TURN A\n", b"HIT A1\n"])
def test_what_comes_before_a_game(data: bytes) -> None:
    """No turn and no shot comes before a game."""
    client = BspClient()
    client.receive_data(data)
    with pytest.raises(ServerFault, match="before any"):
        client.next_message()


LINES = st.sampled_from(
    [
        b"JOIN",
        b"SHOT A1",
        b"SHOT J10",
        b"SURRENDER",
        b"FOO",
        b"",
        b"TURN A",
        b"TURN B",
        b"HIT A1 SUNK",
        b"MISS B2",
        b"END_GAME WINNER A",
        b"BAD_REQUEST",
        START.split(b"\n")[1],
        b"JOINED_MATCHMAKING",
    ]
)


@given(
    st.lists(st.binary(max_size=30) | LINES.map(lambda line: line + b"\n"), max_size=30),
    st.booleans(),
)
@examples(300)
def test_any_bytes(pieces: list[bytes], in_game: bool) -> None:
    """Whatever comes in, in whichever state, neither end raises anything but its own error."""
    server = BspServer()
    if in_game:
        server.send(GameStart(0, ("a", "b"), BSP, None, FLEET, 0))
        server.send(Told((), (0,)))
    for data in [*pieces, b""]:
        server.receive_data(data)
        try:
            while server.next_event():
                pass
        except BadOutput:
            assert not in_game
    client = playing() if in_game else BspClient()
    for data in [*pieces, b""]:
        client.receive_data(data)
        for _ in range(100):
            try:
                if client.next_message() is None:
                    break
            except ServerFault:
                continue


def test_cells() -> None:
    """The row is the letter: A10 is the tenth column of the first row."""
    assert cell_text(Cell(9, 0)) == "A10"
    assert cell_text(Cell(0, 9)) == "J1"
