"""A bot at somebody's server: at the published ones in all their odd forms, and at hostile ones."""

from __future__ import annotations

import re
import resource
import socket
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from changes import replace
from far_server import FarServer, Peer
from judge.documents.game import Outcome, Result, Termination
from judge.documents.rules import Cell, Rules
from judge.errors import BotError, Crashed, JudgeFault, NotOpen, ServerFault, TimedOut, UsageError
from judge.game.events import Gone, Shot, Target, TurnSkipped
from judge.join.address import GAMES, Address, address
from judge.join.bot import BotClient, Finished, ServerBounds
from judge.join.connection import ServerConnection
from judge.join.traffic_log import TrafficLog
from judge.wire.messages import (
    Arrived,
    AskFleet,
    AskShots,
    Chat,
    Farewell,
    Fired,
    FromPlayer,
    GameOver,
    GameStart,
    Joined,
    Lobby,
    Placed,
    Question,
    Refused,
    Said,
    Skipped,
    TauntAdded,
    ToClient,
    Told,
    Welcome,
)
from judge.wire.xbs.notation import NOT_YOUR_TURN, fleet_of
from players import Scripted

pytestmark = pytest.mark.whole

WATER = "." * 64
G = "G|2.0.1|Pond|N|2|2|0|2|8|8|2|A3|B2\n"
OWN = "AAA....." + "BB......" + "." * 48
FLEET_LINE = (
    "{carrier:A1 A2 A3 A4 A5;battleship:C1 D1 E1 F1;cruiser:C3 C4 C5;cruiser:E3 F3 G3;"
    "destroyer:H1 H2;destroyer:J9 J10;submarine:A10;submarine:E8;submarine:G10;}"
)
SOON = ServerBounds(greeting=0.5, game=0.5, back=2.0, between=0.01, received=10**6)


def seen(*marks: tuple[int, str]) -> str:
    board = list(WATER)
    for place, mark in marks:
        board[place] = mark
    return "".join(board)


def shooting(*cells: Cell) -> Callable[[Question], FromPlayer]:
    """A bot that places its ships in the upper left corner and shoots there, at seat 1."""
    rest = iter(cells)

    def answer(question: Question) -> FromPlayer:
        if isinstance(question, AskFleet):
            rules = replace(GAMES["xbs"].rules, columns=8, rows=8, fleet=(3, 2), points=None)
            return Placed(fleet_of(OWN, rules, "AB"))
        return Fired((Target(1, next(rest)),))

    return answer


def client(
    game: str,
    port: int,
    player: Scripted,
    *,
    name: str | None = None,
    bounds: ServerBounds = SOON,
    log: Path | None = None,
    told: list[str] | None = None,
    **more,
) -> BotClient:
    @contextmanager
    def seat(rules: Rules, seed: int) -> Iterator[Scripted]:
        yield player

    return BotClient(
        address=Address(GAMES[game], "127.0.0.1", port),
        usual_name="bob",
        given_name=name,
        seat=seat,
        seed=lambda: 1,
        timeout_ms=1000,
        log=TrafficLog(log),
        tell=(told if told is not None else []).append,
        bounds=bounds,
        **more,
    )


def joined(peer: Peer, name: str = "bob") -> None:
    """Give the client a place beside ann, and begin; ann is first in the order of turns."""
    peer.say(G)
    assert peer.line() == f"J|{name}|{OWN}"
    peer.say(f"J|{name}\nJ|ann\n")
    peer.say(f"B|ann||{WATER}|0|0\nB|{name}||{WATER}|0|0\nS|ann|{name}\n")


def a_game_of_xbs(peer: Peer) -> None:
    """Ann misses, bob hits twice; the server is of release 2.0 and leaks a line after the end."""
    joined(peer)
    peer.say("N|ann\n", f"B|bob||{seen((63, '0'))}|0|0\n", "N|bob\n")
    assert peer.line() == "S|ann|1|1"
    hit = seen((0, "X"))
    peer.say(f"H|bob|ann|a1\nB|bob||{seen((63, '0'))}|1|0\nB|ann||{hit}|0|0\nN|ann\n")
    peer.say(f"B|bob||{seen((63, '0'), (62, '0'))}|1|0\nN|bob\n")
    assert peer.line() == "S|ann|2|1"
    peer.say(f"H|bob|ann|b1\nB|bob||{WATER[:62]}00|2|0\nB|ann||{seen((0, 'X'), (1, 'X'))}|0|0\n")
    peer.say("F|finished|2|2\nR|bob|2|0|2|\nR|ann|0|0|2|\nB|ann|disconnected|x|0|0\n")
    peer.rest()


WON = Finished(("ann", "bob"), 1, Outcome(1, 0, Termination.GOAL, scores=(0, 2)))


def test_a_game_at_a_published_table(tmp_path: Path) -> None:
    """The bot has seat 0 and is told the others in the order of turns; the log has all lines."""
    player = Scripted(shooting(Cell(0, 0), Cell(1, 0)))
    log = tmp_path / "client.log"
    with FarServer(a_game_of_xbs) as server:
        assert client("xbs", server.port, player, log=log).play() == WON
    starts = [one for one in player.told if isinstance(one, GameStart)]
    assert [(one.seat, one.names, one.first) for one in starts] == [
        (0, ("bob", "opponent1"), 0),
        (0, ("bob", "ann"), 1),
    ]
    events = [event for one in player.told if isinstance(one, Told) for event in one.events]
    assert events[:2] == [
        Shot(1, 0, Cell(7, 7), Result.MISS),
        Shot(0, 1, Cell(0, 0), Result.HIT),
    ]
    over, farewell = player.told[-2:]
    assert over == GameOver(Outcome(0, 1, Termination.GOAL, scores=(2, 0)))
    assert farewell == Farewell()
    form = re.compile(r"[-\d]{10} [:\d]{8},\d{3} - INFO - (.*)")
    lines = [form.fullmatch(line)[1] for line in log.read_text().splitlines()]
    assert lines[0].startswith("Connected to xbs://127.0.0.1:")
    assert 'Sent message: "S|ann|2|1".' in lines
    assert f'Received message: "{G[:-1]}".' in lines


def test_a_bot_with_a_persons_ships_and_taunts() -> None:
    """A board that is given goes to the table in place of the bot's own; taunts follow the place,
    and the bot's seat is said."""
    board = "." * 48 + "BB......" + "AAA....."
    told: list[str] = []
    heard: list[ToClient] = []

    def table(peer: Peer) -> None:
        peer.say(G)
        assert peer.line() == f"J|bob|{board}"
        peer.say("J|bob\nJ|ann\n")
        assert (peer.line(), peer.line()) == ("T|hit|ouch", "T|miss|too easy")
        peer.say(f"B|ann||{WATER}|0|0\nB|bob||{WATER}|0|0\nS|ann|bob\nN|ann\n")
        peer.say("F|aborted|0|2\nR|bob|0|0|0|\nR|ann|0|0|0|\n")
        peer.rest()

    taunts = [TauntAdded(on_hit=True, text="ouch"), TauntAdded(on_hit=False, text="too easy")]
    with FarServer(table) as server:
        player = Scripted(shooting())
        bot = client("xbs", server.port, player, told=told, board=board, taunts=taunts)
        bot.heard = lambda message, _: heard.append(message)
        bot.play()
    assert "the game begins: the bot has seat 2 of 2: ann, bob" in told
    assert [type(one) for one in heard][:4] == [Lobby, Welcome, Arrived, GameStart]


def test_a_board_that_does_not_fit() -> None:
    """It is refused before the bot asks for a place."""
    with FarServer(lambda peer: (peer.say(G), peer.rest())) as server:
        bot = client("xbs", server.port, Scripted(shooting()), board="AAA")
        with pytest.raises(UsageError, match="--fleet does not fit this table: "):
            bot.play()


def in_pieces(peer: Peer, text: str) -> None:
    """Every byte in a packet of its own."""
    for byte in text.encode():
        peer.say(bytes([byte]))


def a_game_of_bsp(peer: Peer) -> None:
    """A burst of lines, a line in pieces, two ends; whatever comes after the first is no matter."""
    assert peer.line() == "JOIN"
    peer.say("JOINED_MATCHMAKING\n")
    peer.say(f"START_GAME B {FLEET_LINE}\nTURN A 1700000000\nMISS B1\nTURN B\n")
    assert peer.line() == "SHOT A1"
    peer.say("BAD_REQUEST\n")
    assert peer.line() == "SHOT A2"
    in_pieces(peer, "HIT A2 SUNK\nTURN A\n")
    peer.say("END_GAME SURRENDER A\nEND_GAME WINNER A\n")
    peer.rest()


def test_a_game_at_a_published_server() -> None:
    """A bot plays BSP as B: the opponent is seat 1, a bad request is followed by another shot."""
    cells = iter([Cell(0, 0), Cell(1, 0)])
    player = Scripted(lambda _: Fired((Target(1, next(cells)),)))
    with FarServer(a_game_of_bsp) as server:
        finished = client("bsp", server.port, player).play()
    assert finished == Finished(("A", "B"), 1, Outcome(1, 0, Termination.RESIGNED))
    assert [type(one) for one in player.asked] == [AskShots, Refused]
    assert player.asked[0].view.seat == 0
    assert player.told[-2] == GameOver(Outcome(0, 1, Termination.RESIGNED))


def test_a_name_at_bsp() -> None:
    """It is sent where it was given; a server that takes none closes, and the sentence says so."""

    def refuses(peer: Peer) -> None:
        assert peer.line() == "JOIN ann"

    with FarServer(refuses) as server, pytest.raises(NotOpen, match="leave --name out"):
        client("bsp", server.port, Scripted(shooting()), name="ann").play()
    with pytest.raises(UsageError, match="1 to 20 visible ASCII"):
        client("bsp", 1, Scripted(shooting()), name="an na").play()


def test_wrong_answers_are_refused_here() -> None:
    """A move that the rules do not allow never reaches the server, and the bot is asked again."""
    answers = iter(
        [
            Fired((Target(1, Cell(8, 0)),)),
            Fired((Target(0, Cell(0, 0)),)),
            Fired((Target(2, Cell(0, 0)),)),
            Fired(()),
            Placed(()),
            Said("to nobody who hears it", 1),
            Fired((Target(1, Cell(5, 0)),)),
            Fired((Target(1, Cell(5, 0)),)),
            Skipped(),
        ]
    )
    usual = shooting()
    player = Scripted(lambda asked: usual(asked) if isinstance(asked, AskFleet) else next(answers))

    def table(peer: Peer) -> None:
        joined(peer)
        peer.say("N|bob\n")
        assert peer.line() == "M|ann|to nobody who hears it"
        assert peer.line() == "S|ann|6|1"
        peer.say(f"B|ann||{seen((5, '0'))}|0|0\nN|ann\nN|bob\n")
        assert peer.line() == "K"
        peer.say("N|ann\nF|aborted|1|2\nR|ann|0|0|1|\nR|bob|0|1|2|\n")

    with FarServer(table) as server:
        finished = client("xbs", server.port, player).play()
    assert finished.outcome.termination is Termination.ABORTED
    refusals = [one.why for one in player.asked if isinstance(one, Refused)]
    assert refusals == [
        "shot off the board",
        "shot at no opponent",
        "shot at no opponent",
        "fired 0 shots, and a turn is one",
        "gave no shot where one was asked for",
        "shot at a cell that was shot at before",
    ]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (TimedOut("did not answer within 1 s"), "did not answer"),
        (Crashed("exited with status 1"), "exited"),
    ],
)
def test_a_bot_that_fails(fault: BotError, said: str) -> None:
    """The table is told that it leaves, and whose fault it was is the bot's."""

    def answer(question: Question) -> FromPlayer:
        if isinstance(question, AskFleet):
            return shooting()(question)
        raise fault

    left: list[str] = []

    def table(peer: Peer) -> None:
        joined(peer)
        peer.say("N|bob\n")
        left.append(peer.line())

    with FarServer(table) as server, pytest.raises(type(fault), match=said):
        client("xbs", server.port, Scripted(answer)).play()
    assert left == ["L|its program failed"]


def test_a_turn_that_is_over_before_the_answer() -> None:
    """A host may skip the bot while it thinks; then nothing is sent of what it answers."""
    heard: list[str] = []

    def table(peer: Peer) -> None:
        joined(peer)
        peer.say("N|bob\nK|bob|asleep\nN|ann\nN|bob\n")
        heard.append(peer.line())
        peer.say("F|finished|1|2\nR|ann|0|0|2|\nR|bob|0|1|2|\n")

    player = Scripted(shooting(Cell(0, 0), Cell(1, 0)))
    with FarServer(table) as server:
        client("xbs", server.port, player).play()
    assert heard == ["S|ann|2|1"]
    events = [event for one in player.told if isinstance(one, Told) for event in one.events]
    assert TurnSkipped(0, "asleep") in events


def test_a_bot_comes_back_after_a_cut() -> None:
    """It takes its place again by its name and its ships, is told what was missed, and plays on."""

    def cut(peer: Peer) -> None:
        joined(peer)
        peer.say("N|bob\n")
        assert peer.line() == "S|ann|1|1"

    def refuses(peer: Peer) -> None:
        peer.say(G.replace("|N|", "|Y|"))
        assert peer.line() == f"J|bob|{OWN}"
        peer.say("E|name in use\n")

    def again(peer: Peer) -> None:
        peer.say(G.replace("|N|", "|Y|"))
        assert peer.line() == f"J|bob|{OWN}"
        peer.say(f"J|bob\nY|{OWN}\nJ|ann\nB|ann||{seen((0, 'X'))}|0|0\nS|ann|bob\nN|bob\n")
        peer.say(f"B|bob||{seen((63, '0'))}|1|0\nM||bob reconnected\n")
        assert peer.line() == "S|ann|2|1"
        peer.say(f"B|ann||{seen((0, 'X'), (1, 'X'))}|0|0\n")
        peer.say("F|finished|2|2\nR|bob|2|0|2|\nR|ann|0|0|2|\n")

    player = Scripted(shooting(Cell(0, 0), Cell(1, 0)))
    told: list[str] = []
    with FarServer(cut, refuses, again) as server:
        assert client("xbs", server.port, player, told=told).play() == WON
    assert told[-2:] == [
        "the connection was cut; the bot tries to come back",
        "the bot is back at the table",
    ]
    events = [event for one in player.told if isinstance(one, Told) for event in one.events]
    assert Shot(0, 1, Cell(0, 0), Result.HIT) in events
    assert Shot(1, 0, Cell(7, 7), Result.MISS) in events


def welcomes(peer: Peer) -> None:
    peer.say(G.replace("|N|", "|Y|"))
    if peer.line():
        peer.say("J|bob\n")


def ends(peer: Peer) -> None:
    peer.say(G.replace("|N|", "|Y|"), "F|finished|1|2\nR|bob|0|0|1|\nR|ann|0|0|1|\n")


@pytest.mark.parametrize("script", [welcomes, ends])
def test_a_table_that_cuts_the_bot_off_for_ever(script: Callable[[Peer], None]) -> None:
    """A place alone is no way back into the game: the table has to tell the game again, in time,
    and is tried now and then, not as fast as it closes."""
    connections: list[Peer] = []

    def cut(peer: Peer) -> None:
        joined(peer)
        peer.say("N|ann\n")

    def again(peer: Peer) -> None:
        connections.append(peer)
        with suppress(OSError):
            script(peer)

    bounds = replace(SOON, greeting=30.0, back=0.4, between=0.1)
    with FarServer(cut, *[again] * 20) as server:
        with pytest.raises(ServerFault, match=r"did not take the bot back within 0\.4 s"):
            client("xbs", server.port, Scripted(shooting()), bounds=bounds).play()
        assert 0 < len(connections) < 10
        with suppress(OSError):  # until the server has served as many as it has scripts
            while True:
                socket.create_connection(("127.0.0.1", server.port)).close()


def test_who_is_absent_is_told(tmp_path: Path) -> None:
    """Release 1.2 tells twice that a player is gone; the bot is told once."""
    gone = f"B|ann|comm error|{WATER}|0|0\n"

    def table(peer: Peer) -> None:
        joined(peer)
        peer.say(f"N|ann\n{gone}{gone}N|bob\n")
        assert peer.line() == "S|ann|1|1"
        peer.say("F|finished|1|2\nR|ann|0|0|1|\nR|bob|0|0|1|\nL|ann|\n")

    player = Scripted(shooting(Cell(0, 0)))
    with FarServer(table) as server:
        client("xbs", server.port, player).play()
    events = [event for one in player.told if isinstance(one, Told) for event in one.events]
    assert events.count(Gone(1, None, "comm error")) == 1
    assert not player.asked[1].view.present[1]


def test_chat_reaches_the_bot() -> None:
    """Words at the table go to the bot once the game has begun."""

    def table(peer: Peer) -> None:
        joined(peer)
        peer.say("M|ann|hello|All\nN|ann\nF|aborted|0|2\nR|ann|0|0|0|\nR|bob|0|0|0|\n")

    player = Scripted(shooting())
    with FarServer(table) as server:
        client("xbs", server.port, player).play()
    assert Chat(1, "hello", is_private=False) in player.told


# Before the game


def closes(peer: Peer) -> None:
    pass


NO_PLACE: dict[str, tuple[Callable[[Peer], None], type[Exception], str]] = {
    "1.2 closes a full lobby without a byte": (closes, NotOpen, "table may be full"),
    "2.0 describes it and closes": (lambda peer: peer.say(G), NotOpen, "table may be full"),
    "a game is under way": (
        lambda peer: peer.say(G.replace("|N|", "|Y|")),
        NotOpen,
        "a game is under way",
    ),
    "the name is in use, and 2.0 closes": (
        lambda peer: (peer.say(G), peer.line(), peer.say("E|name in use\n")),
        UsageError,
        "does not take the name 'bob': name in use; --name",
    ),
    "the board is refused": (
        lambda peer: (peer.say(G), peer.line(), peer.say("invalid board\n")),
        NotOpen,
        "sent the bot away before the game: invalid board",
    ),
    "the lobby is closed": (
        lambda peer: (peer.say(G), peer.line(), peer.say("J|bob\ngame aborted\n")),
        NotOpen,
        "game aborted",
    ),
}


@pytest.mark.parametrize("name", NO_PLACE)
def test_no_place(name: str) -> None:
    """Who gets no place is told why in a sentence."""
    script, kind, said = NO_PLACE[name]
    with FarServer(script) as server, pytest.raises(kind, match=said):
        client("xbs", server.port, Scripted(shooting())).play()


def test_the_next_table_is_waited_for() -> None:
    """Between two games the published servers refuse, or still tell of the last one."""
    player = Scripted(shooting(Cell(0, 0), Cell(1, 0)))
    busy = G.replace("|N|", "|Y|")
    with FarServer(closes, lambda peer: peer.say(busy), a_game_of_xbs) as server:
        assert client("xbs", server.port, player).play(again=True) == WON
    with pytest.raises(NotOpen, match="cannot be reached"):
        client("xbs", server.port, player, bounds=replace(SOON, back=0.0)).play(again=True)


@pytest.mark.parametrize("name", ["new", "x", "a|b", "123", "much too long"])
def test_which_names_cannot_be_had(name: str) -> None:
    """A name that the table would refuse is refused here, with what it may be."""
    with (
        FarServer(lambda peer: (peer.say(G), peer.rest())) as server,
        pytest.raises(UsageError, match="--name gives another"),
    ):
        client("xbs", server.port, Scripted(shooting()), name=name).play()


# Hostile servers

ESC = "\x1b]0;owned\x07\x1b[2J"


def floods(data: bytes) -> Callable[[Peer], None]:
    """Sends the same for ever."""

    def script(peer: Peer) -> None:
        with suppress(OSError):  # the client has gone
            while True:
                peer.say(data)

    return script


def chatters(*first: str) -> Callable[[Peer], None]:
    """Says something again and again, and nothing that goes on with the game."""

    def script(peer: Peer) -> None:
        with suppress(OSError):  # the client has gone
            peer.say(*first)
            while True:
                peer.say("M|host|soon\n")
                time.sleep(0.05)

    return script


def in_a_game(text: str) -> Callable[[Peer], None]:
    def script(peer: Peer) -> None:
        joined(peer)
        peer.say(text)
        peer.rest()

    return script


HOSTILE: dict[str, tuple[Callable[[Peer], None], str]] = {
    "never a newline": (floods(b"x" * 65536), "wrote a line of more than 4,095 bytes"),
    "silence": (lambda peer: peer.rest(), "has not answered for 0.5 s"),
    "silence after joining": (
        lambda peer: (peer.say(G), peer.rest()),
        "has not answered for 0.5 s, where it has to answer",
    ),
    "silence after a shot": (
        in_a_game("N|bob\n"),
        "not answered for 0.5 s, in the middle of a game",
    ),
    "chatter instead of a place": (chatters(G), "has not answered for 0.5 s, where it has to"),
    "chatter instead of a table": (chatters(), "has not answered for 0.5 s, where it has to"),
    "chatter after a shot": (
        lambda peer: (joined(peer), chatters("N|bob\n")(peer)),
        "has not answered for 0.5 s, in the middle of a game",
    ),
    "another protocol": (lambda peer: peer.say("HTTP/1.1 400 Bad Request\n"), "HTTP"),
    "escape sequences": (lambda peer: peer.say(f"G|{ESC}|x\n"), "which no client can read"),
    "a board of a million squares": (
        lambda peer: peer.say("G|2.0|P|N|2|2|0|2|1000|1000|2|A3|B2\n"),
        "which no client can read",
    ),
    "a table without room for its ships": (
        lambda peer: peer.say("G|2.0|P|N|2|2|0|2|2|2|2|A3|B2\n"),
        "which no client can read",
    ),
    "wrong numbers": (
        lambda peer: peer.say("G|2.0|P|N|2|2|0|-2|8|8|2|A3|B2\n"),
        "which no client can read",
    ),
    "a thousand players": (
        lambda peer: (
            peer.say(G),
            peer.line(),
            peer.say("J|bob\n", *(f"J|p{number}\n" for number in range(1100))),
            peer.rest(),
        ),
        "which no client can read",
    ),
    "a game for millions": (
        lambda peer: (peer.say(G.replace("|2|2|0|", "|2000000|2000000|0|")), peer.rest()),
        "which no client can read",
    ),
    "other rules in the game": (in_a_game(G.replace("|8|8|", "|9|9|")), "which no client can"),
    "turns for ever": (in_a_game("N|bob\nN|ann\n" * 10_001), "more than 10,000 turns"),
    "a stranger's turn": (in_a_game("N|eve\n"), "which no client can read"),
    "more shots than any game has": (
        lambda peer: (
            peer.say(G.replace("|8|8|", "|62|65|")),
            peer.line(),
            peer.say("J|bob\nJ|ann\n", *(f"J|p{number}\n" for number in range(30))),
            peer.say(f"S|ann|bob|{'|'.join(f'p{number}' for number in range(30))}\nN|ann\n"),
            peer.say(*(f"B|p{number}||{'0' * 4030}|0|0\nN|ann\n" for number in range(30))),
            peer.rest(),
        ),
        "which no client can read",
    ),
    "a board that is too long": (in_a_game(f"B|ann||{WATER}.|0|0\n"), "which no client can"),
    "the end of nothing": (in_a_game("R|ann|1|1|1|\n"), "which no client can read"),
    "a close in the game": (
        lambda peer: (joined(peer), peer.say("booted\n")),
        "in the middle of a game, and said: booted",
    ),
    "a close for ever": (
        joined,
        "did not take the bot back within 2 s",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_table(name: str) -> None:
    """It harms nothing: what it did wrong is one sentence that a terminal may show."""
    script, said = HOSTILE[name]
    player = Scripted(shooting(*[Cell(0, 0)] * 20_000))
    with (
        FarServer(script) as server,
        pytest.raises(JudgeFault, match=re.escape(said)) as caught,
    ):
        client("xbs", server.port, player).play()
    assert isinstance(caught.value, ServerFault | NotOpen)
    assert str(caught.value).isprintable()
    assert str(server.port) in str(caught.value)


def test_lines_that_say_nothing_are_waited_for_no_longer() -> None:
    """However many lines come that tell the client nothing, it has its turn: whoever waits for no
    time at all is answered when what has come by then is read."""
    said = threading.Event()

    def says_nothing(peer: Peer) -> None:
        peer.say(b"P\n" * 2**17)
        said.set()

    with FarServer(says_nothing) as server:
        log = TrafficLog(None)
        address = Address(GAMES["xbs"], "127.0.0.1", server.port)
        with closing(ServerConnection(address, log, most=10**5)) as connection:
            assert said.wait(60.0)
            assert connection.next(0.0) is None


def test_lines_for_ever() -> None:
    """A server may send a million bytes."""
    bounds = replace(SOON, greeting=600.0)
    with (
        FarServer(floods(G.encode() * 1000)) as server,
        pytest.raises(ServerFault, match="more than 1,000,000 bytes"),
    ):
        client("xbs", server.port, Scripted(shooting()), bounds=bounds).play()


@pytest.mark.parametrize(
    ("first", "said"),
    [(f"{G}J|bob\n", "no game has begun for 0.0005 h"), (None, "nobody has moved for 0.0005 h")],
)
def test_others_may_take_longer_than_a_server(first: str | None, said: str) -> None:
    """A lobby, or the turn of another player, is waited for much longer than an answer, but not for
    ever, whatever the server says meanwhile."""

    def script(peer: Peer) -> None:
        if first is None:
            joined(peer)
        chatters(first or "N|ann\n")(peer)

    bounds = replace(SOON, greeting=0.2, game=0.2, others=1.8)
    with FarServer(script) as server, pytest.raises(ServerFault, match=re.escape(said)):
        client("xbs", server.port, Scripted(shooting()), bounds=bounds).play()
    assert ServerBounds().others == 12 * 3600


STARTED = f"JOINED_MATCHMAKING\nSTART_GAME A {FLEET_LINE}\nTURN A\n"

HOSTILE_BSP: dict[str, tuple[str, str, str]] = {
    "another cell": (STARTED, "HIT B7\n", "the shot was at A1"),
    "a hit where no ship lies": (STARTED, "MISS A1\nTURN B\nHIT B2\n", "no ship lies there"),
    "two games at once": (STARTED, STARTED, "in the middle of a game"),
    "no fleet": ("JOINED_MATCHMAKING\nTURN A\n", "", "before any game"),
    "an endless game": (STARTED, "MISS A1\n" + "TURN B\nMISS B1\n" * 10_001, "10,000 shots"),
    "endless shots": (STARTED, "MISS A1\n" + "HIT A1\n" * 10_001, "10,000 shots"),
    "words": (STARTED, "MISS A1\nTURN C\n", "which no client can read"),
    "a close": ("JOINED_MATCHMAKING\n", "", "sent the bot away before the game"),
    "the end of no game": ("END_GAME WINNER A\n", "", "before the game: END_GAME WINNER A"),
}


@pytest.mark.parametrize("name", HOSTILE_BSP)
def test_a_hostile_server(name: str) -> None:
    """The same at BSP."""
    first, then, said = HOSTILE_BSP[name]

    def script(peer: Peer) -> None:
        assert peer.line() == "JOIN"
        peer.say(first)
        if then:
            assert peer.line() == "SHOT A1"
            with suppress(OSError):  # the client goes in the middle of it
                peer.say(then)

    player = Scripted(lambda _: Fired((Target(1, Cell(0, 0)),)))
    with (
        FarServer(script) as server,
        pytest.raises(JudgeFault, match=re.escape(said)) as caught,
    ):
        client("bsp", server.port, player, bounds=replace(SOON, game=30.0)).play()
    assert str(caught.value).isprintable()


def test_an_opponent_who_leaves_before_the_first_turn() -> None:
    """The game counts, though nobody was up in it."""

    def script(peer: Peer) -> None:
        assert peer.line() == "JOIN"
        peer.say(f"JOINED_MATCHMAKING\nSTART_GAME A {FLEET_LINE}\nEND_GAME SURRENDER B\n")

    with FarServer(script) as server:
        finished = client("bsp", server.port, Scripted(shooting())).play()
    assert finished.outcome == Outcome(0, 1, Termination.RESIGNED)


@pytest.mark.parametrize("line", ["N|bob\n", f"M||{NOT_YOUR_TURN}|\n"])
def test_questions_that_come_while_the_bot_thinks(line: str) -> None:
    """Each has all shots in it; the second is not read before the first is answered."""
    shots, questions, most = 3600, 2000, 10 * 2**20

    def script(peer: Peer) -> None:
        peer.say(G.replace("|8|8|", "|60|60|"))
        peer.line()
        peer.say("J|bob\nJ|ann\nS|ann|bob\nN|ann\n", f"B|bob||{'0' * shots}|0|0\nN|bob\n")
        peer.say(line * questions)
        peer.rest()

    with FarServer(script) as server:
        address = Address(GAMES["xbs"], "127.0.0.1", server.port)
        with closing(ServerConnection(address, TrafficLog(None))) as connection:
            while not isinstance(message := connection.next(60.0), AskShots):
                if isinstance(message, Lobby):
                    fleet = fleet_of(
                        OWN[:8] + "." * 52 + OWN[8:16] + "." * 3532, message.rules, "AB"
                    )
                    connection.say(Joined("bob", fleet=fleet))
            tracemalloc.start()
            connection.passed_on(1)
            _, peak = tracemalloc.get_traced_memory()
            tracemalloc.stop()
    assert peak < most


def test_a_server_that_hangs_up_in_a_game_of_bsp() -> None:
    """Nobody comes back to a game of BSP, so that is the end."""

    def script(peer: Peer) -> None:
        assert peer.line() == "JOIN"
        peer.say(STARTED)

    player = Scripted(lambda _: Fired((Target(1, Cell(0, 0)),)))
    with FarServer(script) as server, pytest.raises(ServerFault, match="in the middle of a game"):
        client("bsp", server.port, player).play()


# The rest


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("xbs://127.0.0.1:7949", "xbs://127.0.0.1:7949"),
        ("xbs://pond.example", "xbs://pond.example:7948"),
        (" bsp://localhost/ ", "bsp://localhost:8080"),
        ("bsp://[::1]:9000", "bsp://[::1]:9000"),
    ],
)
def test_an_address(text: str, shown: str) -> None:
    """It names the game, the host, and the port or the usual one."""
    assert str(address(text)) == shown


@pytest.mark.parametrize(
    "text", ["", "localhost:80", "http://x:80", "xbs://", "xbs://a:0", "xbs://a:65536", "xbs://a b"]
)
def test_what_is_no_address(text: str) -> None:
    """The sentence shows what was typed, and what an address is."""
    with pytest.raises(ValueError, match=re.escape(repr(text))):
        address(text)


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    """A path that is not a file is refused; the game goes on if the disk is full, and the log says
    why it does not."""
    with pytest.raises(UsageError, match="--log /dev/full cannot be written"):
        TrafficLog(Path("/dev/full"))
    log = TrafficLog(tmp_path / "log")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        for _ in range(3):
            log.say("hello " * 5)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert log.failure == "the log cannot be written any more: File too large"
    assert (tmp_path / "log").stat().st_size == 100


def test_a_host_has_a_name() -> None:
    """A host whose name the network does not allow is told as a server that is not there."""
    with pytest.raises(NotOpen, match="it is not the name of a host"):
        ServerConnection(Address(GAMES["xbs"], ".example", 4000), TrafficLog(None))
