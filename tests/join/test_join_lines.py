"""A person at a scripted server, line by line, over a real socket and a pipe."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from far_server import FarServer, Peer
from judge.errors import NotOpen, ServerFault, UsageError
from judge.join.address import GAMES, Address
from judge.join.client_session import ClientSession
from judge.join.driving import Driver
from judge.join.lines import TerminalClient
from judge.join.traffic_log import TrafficLog

pytestmark = pytest.mark.whole

WATER = "." * 64
OWN = "AAA....." + "BB......" + "." * 48
G = "G|2.0.1|Pond|N|2|2|0|2|8|8|2|A3|B2\n"
STARTED = G.replace("|N|", "|Y|")


class Person:
    """Who types into a pipe, and what is shown."""

    def __init__(self) -> None:
        self.stdin, self._keys = os.pipe()
        self.shown: list[str] = []

    def types(self, *lines: str) -> None:
        os.write(self._keys, "".join(f"{line}\n" for line in lines).encode())

    def goes(self) -> None:
        """End the input."""
        os.close(self._keys)
        self._keys = -1

    def plays(
        self, port: int, game: str = "xbs", log: Path | None = None, board: str | None = OWN
    ) -> None:
        sitting = ClientSession(
            Address(GAMES[game], "127.0.0.1", port),
            given_name=None if game == "bsp" else "bob",
            usual_name="bob",
            luck=Random(1),
            read=lambda path: path,
            board=board,
        )
        driver = Driver(sitting, TrafficLog(log), write=self.shown.append, between=0.01)
        TerminalClient(driver, stdin=self.stdin).run()

    def close(self) -> None:
        os.close(self.stdin)
        if self._keys >= 0:
            os.close(self._keys)


@pytest.fixture
def person() -> Iterator[Person]:
    one = Person()
    yield one
    one.close()


def seated(peer: Peer) -> None:
    peer.say(G)
    assert peer.line() == f"J|bob|{OWN}"
    peer.say("J|bob\nJ|ann\n", f"B|bob||{WATER}|0|0\nB|ann||{WATER}|0|0\nS|bob|ann\n")


def test_a_game_with_a_cut(person: Person, tmp_path: Path) -> None:
    """The connection is cut after a shot: the client comes back by itself, tells what was missed,
    and the game goes on to its end; then another is played."""

    def cut(peer: Peer) -> None:
        seated(peer)
        person.types("a1")  # in somebody else's turn, or in the person's own
        peer.say("N|bob\n")
        person.types("a1")
        assert peer.line() == "S|ann|1|1"

    def in_use(peer: Peer) -> None:
        peer.say(STARTED)
        assert peer.line() == f"J|bob|{OWN}"
        peer.say("E|name in use\n")
        peer.rest()

    def again(peer: Peer) -> None:
        peer.say(STARTED)
        assert peer.line() == f"J|bob|{OWN}"
        hit = f"X{WATER[1:]}"
        peer.say(f"J|bob\nY|{OWN}\nJ|ann\nB|ann||{hit}|0|0\nS|bob|ann\nN|bob\n")
        peer.say(f"B|bob||{WATER[1:]}0|1|0\nM||bob reconnected\n")
        person.types("say there you are", "a2")
        assert peer.line() == "M||there you are"
        assert peer.line() == "S|ann|1|2"
        peer.say(f"B|bob||{WATER[1:]}0|2|0\nB|ann||X.......X{WATER[9:]}|0|0\n")
        peer.say("F|finished|2|2\nR|bob|2|0|2|\nR|ann|0|0|1|\n")
        person.types("again")

    def another(peer: Peer) -> None:
        peer.say(G)
        assert peer.line() == f"J|bob|{OWN}"
        peer.say("J|bob\n")  # first, for who has no place cannot leave
        person.types("leave the phone", "quit")
        assert peer.line() == "L|the phone"

    log = tmp_path / "log"
    with FarServer(cut, in_use, again, another) as server:
        person.plays(server.port, log=log)
    events = [text for text in person.shown if "\n" not in text]
    for said in (
        "you shot at ann, a1: hit",
        "the connection was cut",
        "you are back in the game, after 1 shot",
        "the host: bob reconnected",
        "ann shot at you, h8: miss",
        "the game is over: you win with 2 points; ann 0 (you were ahead when the goal was reached)",
        "you left; again joins once more, quit ends",
    ):
        assert events.count(said) == 1, (said, events)
    assert 'Received message: "E|name in use".' in log.read_text()


def test_lines_wait_for_the_server(person: Person) -> None:
    """Lines that are all there before the server has spoken are done one after another, each when
    it can be: after the greeting, and after the answer to join."""
    person.types("random", "join", "say hi", "quit")
    person.goes()

    def table(peer: Peer) -> None:
        peer.say(G)
        assert peer.line().startswith("J|bob|")
        peer.say("J|bob\n")
        assert [peer.line(), peer.line(), peer.line()] == ["M||hi", "L|", ""]

    with FarServer(table) as server:
        person.plays(server.port, board=None)
    assert not [text for text in person.shown if text.startswith("?")]


def test_a_refused_name_is_not_hidden(person: Person) -> None:
    """A user whose lines come from a pipe and end before there is a place is told why."""
    person.types("random", "join", "quit")

    def table(peer: Peer) -> None:
        peer.say(G)
        assert peer.line().startswith("J|bob|")
        peer.say("E|name in use\n")
        assert peer.rest() == ""

    with (
        FarServer(table) as server,
        pytest.raises(UsageError, match="does not take the name 'bob': name in use; --name gives"),
    ):
        person.plays(server.port, board=None)


def test_a_name_after_a_refused_one(person: Person) -> None:
    """Once there is a place, no refusal is left."""
    person.types("random", "join", "name eve", "join", "quit")

    def table(peer: Peer) -> None:
        peer.say(G)
        for name, answer in (("bob", "E|name in use\n"), ("eve", "J|eve\n")):
            assert peer.line().startswith(f"J|{name}|")
            peer.say(answer)
        assert peer.line() == "L|"

    with FarServer(table) as server:
        person.plays(server.port, board=None)
    assert "you have a place, and wait for the game" in person.shown


def test_a_table_of_xbs_is_no_server_of_bsp(person: Person) -> None:
    """Its first line says so, and nobody waits for more."""
    with (
        FarServer(lambda peer: (peer.say(G), peer.rest())) as server,
        pytest.raises(ServerFault, match=r"^the server at bsp:.* is a table of Xterm .* xbs://$"),
    ):
        person.plays(server.port, "bsp")


def test_a_server_that_closes_without_a_word(person: Person) -> None:
    """It may be one of the other game, as servers of BSP close whoever does not join."""
    person.types("random", "join", "quit")
    with (
        FarServer(lambda _: None) as server,
        pytest.raises(NotOpen, match=r"closed the connection .* server of BSP, .* bsp://$"),
    ):
        person.plays(server.port)


def test_the_end_of_the_input_leaves(person: Person) -> None:
    """The table is told, and nothing waits for anybody."""

    def table(peer: Peer) -> None:
        seated(peer)
        peer.say("N|ann\n")
        person.goes()
        assert peer.line() == "L|"
        assert peer.line() == ""

    with FarServer(table) as server:
        person.plays(server.port)
    assert "it is ann's turn" in person.shown


def test_a_surrender_at_bsp(person: Person) -> None:
    """To leave a game of BSP is to surrender, and the server says how it ended."""
    fleet = (
        "carrier:A1 A2 A3 A4 A5;battleship:C1 D1 E1 F1;cruiser:C3 C4 C5;cruiser:E3 F3 G3;"
        "destroyer:H1 H2;destroyer:J9 J10;submarine:A10;submarine:E8;submarine:G10;"
    )

    def server_of_bsp(peer: Peer) -> None:
        assert peer.line() == "JOIN"
        peer.say(f"JOINED_MATCHMAKING\nSTART_GAME B {{{fleet}}}\nTURN A\nHIT A1\nTURN B\n")
        person.types("j10")
        assert peer.line() == "SHOT J10"
        peer.say("MISS J10\nTURN A\n")
        person.types("leave")
        assert peer.line() == "SURRENDER"
        peer.say("END_GAME SURRENDER B\n")
        person.types("quit")

    with FarServer(server_of_bsp) as server:
        person.plays(server.port, "bsp")
    assert "the opponent shot at you, A1: hit" in person.shown
    assert "you shot at the opponent, J10: miss" in person.shown
    assert "the game is over: the opponent wins: you resigned" in person.shown


def test_a_flood_of_hostile_chat(person: Person) -> None:
    """Commands are obeyed while the server talks without end, and what it says is one clean line
    each."""

    def table(peer: Peer) -> None:
        seated(peer)
        with suppress(OSError):
            peer.say("M|ann|\x1b]0;owned\x07\x1b[2J\x9b2Jhi|All\n" * 1000)
            person.types("quit")
            while True:
                peer.say("M|ann|\x1b[2Jhello\r|All\n" * 1000)

    with FarServer(table) as server:
        person.plays(server.port)
    assert [text for text in person.shown if text.startswith("ann: ")]
    assert all(line.isprintable() for text in person.shown for line in text.split("\n"))


HOSTILE: dict[str, Callable[[Peer], object]] = {
    "never a newline": lambda peer: peer.say(b"x" * 65536),
    "another protocol": lambda peer: peer.say("G|HTTP/1.1|400\n"),
    "a stranger's turn": lambda peer: (seated(peer), peer.say("N|eve\n")),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_server(name: str, person: Person) -> None:
    """Its fault is a sentence, and ends the game."""
    with (
        FarServer(lambda peer: (HOSTILE[name](peer), peer.rest())) as server,
        pytest.raises(ServerFault, match=r"^the server at xbs://127.0.0.1:") as caught,
    ):
        person.plays(server.port)
    assert str(caught.value).isprintable()


def test_nobody_listens(person: Person) -> None:
    """In the beginning that is an error; later it is said, and the person may try once more."""
    with FarServer() as server:
        pass
    with pytest.raises(NotOpen, match="cannot be reached"):
        person.plays(server.port)

    def only_once(peer: Peer) -> None:
        seated(peer)
        server.stops_listening()
        peer.say("F|aborted|0|2\nR|bob|0|0|0|\nR|ann|0|0|0|\n")
        assert peer.rest() == ""
        person.types("again", "x" * 5000, "quit")

    with FarServer(only_once) as server:
        person.plays(server.port)
    assert person.shown[-3].endswith("cannot be reached: Connection refused")
    assert person.shown[-2:] == ["again tries once more, quit ends", "? no command is so long"]
