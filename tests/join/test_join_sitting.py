"""A person at a table: what is typed, what is shown, and what is sent, without any connection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple

from changes import replace
from golden import hold
from judge.documents.game import Outcome, Result, Termination
from judge.documents.rules import Cell, Orientation, Ship
from judge.errors import UsageError
from judge.game.events import Back, Gone, Shot, TurnSkipped, View
from judge.game.variants import BSP
from judge.join.address import GAMES, Address, address
from judge.join.boards import MOST_BOARDS
from judge.join.cells import cell, named
from judge.join.client_session import ClientSession
from judge.join.table_state import ClientStage
from judge.join.talking import Talking, taunts_in
from judge.wire.messages import (
    Arrived,
    AskShots,
    Chat,
    Denied,
    Departed,
    Dismissed,
    GameOver,
    GameStart,
    Joined,
    Lobby,
    Refused,
    Rejoined,
    ToClient,
    Told,
    Welcome,
)
from judge.wire.xbs.client import XbsClient
from own_halls import XbsHall
from sittings import CELLS, FLEET, SMALL, files, sitting
from strategies import examples

LOBBY = Lobby("Pond", SMALL, "AB", 0, is_started=False)
NAMES = ("ann", "bob", "cy")


Talked = Sequence[str | ToClient | Callable[[ClientSession], object]]


def talk(one: Talking, *steps: str | ToClient | Callable[[ClientSession], object]) -> list[str]:
    """These steps, which are typed, heard or done, and below each the messages that are sent, the lines
    that are shown, and what the sitting wants of its connection."""
    lines: list[str] = []

    def told() -> None:
        lines.extend(f"  = {message}" for message in one.sent)
        lines.extend(f"    {line}".rstrip() for text in one.printed for line in text.split("\n"))
        one.sent, one.printed = [], []

    told()
    for step in steps:
        want = getattr(one, "want", None)
        if isinstance(step, str):
            lines.append(f"> {step!r}")
            one.typed(step, 12.5)
        elif isinstance(step, ToClient):
            said = [value for value in astuple(step) if isinstance(value, str | int)]
            lines.append(" ".join(["<", type(step).__name__, *map(repr, said)]))
            one.hear(step, 10.0)
        else:
            assert isinstance(one, ClientSession)
            lines.append(step.__name__)
            step(one)
        told()
        if getattr(one, "want", None) is not want:
            lines.append(f"  it wants to {one.want.value}")
    return lines


def view(*shots: Shot) -> View:
    return View(1, 3, 0, SMALL, FLEET, shots, 1, len(shots) // 3, (True, True, True))


def placed() -> ClientSession:
    """bob, the second of three, in a game that has begun."""
    one = sitting()
    talk(one, LOBBY, "load board", "join", Welcome("bob", ()), Arrived("ann"), Arrived("cy"))
    talk(one, GameStart(1, NAMES, SMALL, None, FLEET, 0))
    return one


def playing() -> ClientSession:
    """The same, whose turn it is."""
    one = placed()
    talk(one, Told((), (1,)), AskShots(view()))
    return one


STARTED = replace(LOBBY, is_started=True)
ABORTED = GameOver(Outcome(None, None, Termination.ABORTED, scores=(0, 0, 0)))
HIT = Shot(0, 1, Cell(0, 0), Result.HIT)
MISS = Shot(1, 2, Cell(2, 4), Result.MISS)
SHIPS = tuple(
    Ship(length, 0, row, Orientation.HORIZONTAL) for row, length in enumerate(BSP.lengths)
)
connected = ClientSession.connected


def standing(one: ClientSession) -> None:
    """The table tells how all stand."""
    one.state.players[2].shots.append(Shot(2, 2, Cell(3, 3), Result.MISS))
    one.state.note_standing([(1, 0), (0, 1), (0, 0)])


def with_file(**more: Any) -> ClientSession:
    return sitting(board=files("board"), **more)


SCENES: dict[str, tuple[Callable[[], Talking], Talked]] = {
    "a fleet is placed by hand": (
        sitting,
        [
            *(LOBBY, "a1h", "b1v", "h8h", "h8v", "z9h", "b1", "h7", "d4", "here", "join"),
            *("load nowhere", "name me", "a3 s", "undo", "3,3 east", "undo", "a3v", "name ann"),
            *("a5v", "join", "join"),
        ],
    ),
    "a table for as many as there are": (
        sitting,
        [replace(LOBBY, rules=replace(SMALL, players=(3, 3)))],
    ),
    "a table that is told of again": (with_file, [LOBBY, LOBBY, LOBBY]),
    "a table in its game that is told of again": (with_file, [STARTED, STARTED]),
    "a name that is in use": (
        with_file,
        [
            *(LOBBY, Denied("name in use"), "name eve", "join", Denied("name in use")),
            *(Dismissed(""), "name fay", "join", connected, LOBBY),
        ],
    ),
    "the lobby": (
        with_file,
        [
            *(LOBBY, Welcome("bob", ()), Arrived("ann\x1b[2J")),
            Chat(1, "hi\x1b]0;x\x07 all", is_private=False),
            Chat(1, "psst", is_private=True),
            Chat(None, "soon", is_private=False),
            *(Departed("ann\x1b[2J", "tired"), "boards", "a1"),
        ],
    ),
    **{
        f"{line!r} in a game": (playing, [line])
        for line in (
            *("c4 ann", "C4 cy", "3,4 3", "h8 1", "skip", "say hello  all", "tell a psst"),
            *("taunt hit ouch", "taunt miss", "leave the phone", "quit"),
        )
    },
    "what cannot be done in a game": (
        playing,
        [
            *("c4", "i1 ann", "a9 ann", "c4 bob", "c4 x", "say", "say a|b", "taunt me"),
            *("taunt hit a|b", "dance", "again", "\x1b[2J"),
        ],
    ),
    "one's own taunts": (
        partial(with_file, taunts=taunts_in("# mine\n\nhit=ouch\nmiss = too easy\n")),
        [
            *(LOBBY, Welcome("bob", ()), "taunt", "taunt hit argh", "taunt hit", "taunt miss"),
        ],
    ),
    "who skipped a turn": (
        playing,
        [Told((TurnSkipped(0, "asleep"), TurnSkipped(1), TurnSkipped(2)), (0,))],
    ),
    "whose turns are skipped again and again": (
        playing,
        [
            Told((Gone(0, None, "comm error"),), (0,)),
            *("turn", Told((TurnSkipped(0, "gone"),), (1,))),
            *(Told((MISS,), (2,)), Told((TurnSkipped(2),), (0,)), Told((TurnSkipped(0, "gone"),))),
            *(Told((), (1,)), Told((TurnSkipped(1),), (2,)), Told((TurnSkipped(2),), (0,))),
            Told((TurnSkipped(0, "gone"), Back(0)), (1,)),
            *("turn", Told((TurnSkipped(1),), (2,)), Told((replace(MISS, target=0),), (0,))),
            *(Told((TurnSkipped(0, "gone"),), (1,)), Told((TurnSkipped(0, "gone"),))),
            *(ABORTED, "turn"),
        ],
    ),
    "who comes and goes": (
        playing,
        [
            *(Told((Gone(0, None, ""), Back(0))), Told((Gone(0, None, ""), Back(0)))),
            *(Told((Gone(0, None, ""), Back(0))), Told((Gone(0, None, "tired"),))),
            *(Told((MISS,), (2,)), Told((Back(0), Gone(2, None, ""))), Dismissed("game aborted")),
        ],
    ),
    "one shot a turn": (
        playing,
        [
            *("at c", "c4", "c5", Refused("illegal coordinates", AskShots(view())), "c5"),
            *(Told((MISS,), (2,)), "c6", "skip", Told((TurnSkipped(2),), (0,))),
            *(Told((TurnSkipped(0),), (1,)), AskShots(view(MISS)), "c5"),
        ],
    ),
    "a game": (
        placed,
        [
            *(Told((), (0,)), Told((HIT, Gone(0, None, "fishing")), (1,))),
            *(AskShots(view()), standing, "boards", "", "turn"),
            Told((TurnSkipped(1, "asleep"), Back(0)), (2,)),
            GameOver(Outcome(1, None, Termination.GOAL, scores=(1, 5, 0))),
            *("c4 ann", "again"),
        ],
    ),
    "a cut": (
        playing,
        [
            *(Dismissed(""), "c4 ann", connected, STARTED, Denied("name in use")),
            *(connected, STARTED, Welcome("bob", ()), Told((HIT,)), Rejoined(view(HIT))),
            *(Told((), (0,)), Dismissed(""), connected, LOBBY),
        ],
    ),
    "to leave is not a cut": (
        playing,
        [
            *("leave", "turn", Dismissed(""), "again", connected, STARTED),
            *(Denied("the host is asked to let bob in; your number is 1"), "join"),
        ],
    ),
    "a client that is started again, with its board": (with_file, [STARTED]),
    "a client that is started again, with any board": (
        partial(sitting, board="random"),
        [STARTED],
    ),
    "a client that is started again, with no board": (sitting, [STARTED]),
    "a client that is started again, with another table's board": (
        with_file,
        [replace(STARTED, rules=replace(SMALL, columns=9))],
    ),
    "ships after a game that is over by now": (
        playing,
        ["leave", "again", connected, LOBBY],
    ),
    "ships after a game that another board has": (
        playing,
        ["leave", "again", connected, replace(STARTED, rules=replace(SMALL, fleet=(4, 2)))],
    ),
    "ships after the end of a game": (playing, [ABORTED, "again", connected, STARTED]),
    "a game of BSP": (
        partial(sitting, "bsp", name=None),
        [
            *(Welcome("", ()), GameStart(0, ("A", "B"), BSP, None, SHIPS, 0), Told((), (0,))),
            AskShots(View(0, 2, 0, BSP, SHIPS, (), 1, 0, (True, True))),
            *("c10", Told((Shot(0, 1, Cell(9, 2), Result.SUNK),), (1,)), "say hello", "skip"),
            *("k1", "c11", "help", "leave", GameOver(Outcome(1, 0, Termination.RESIGNED))),
        ],
    ),
    "who watches a bot": (
        partial(Talking, GAMES["xbs"]),
        [
            *(LOBBY, Welcome("bob", ()), Arrived("ann"), Chat(1, "hi", is_private=False)),
            *("tell ann hello", "c3", "help", ABORTED, LOBBY, "boards", "quit"),
        ],
    ),
    "who watches a bot at BSP": (partial(Talking, GAMES["bsp"]), ["help"]),
}


@pytest.mark.parametrize("name", SCENES)
def test_a_sitting_goes_as_it_was_read(name: str, pytestconfig: pytest.Config) -> None:
    """Messages and lines for all that is typed and heard are as sittings.txt has them: fleets placed
    by hand, names, the lobby, commands, taunts, turns, boards, cuts, returns, and a game of BSP."""
    begin, steps = SCENES[name]
    text = "\n".join(talk(begin(), *steps))
    hold(Path(__file__).with_name("sittings.txt"), name, text, SCENES, pytestconfig)


def hear(one: ClientSession, *messages: ToClient) -> list[str]:
    """The lines that are shown of these messages."""
    for message in messages:
        one.hear(message, 10.0)
    printed, one.printed = one.printed, []
    return printed


def typed(one: ClientSession, *lines: str) -> tuple[list[object], list[str]]:
    """The messages that are sent for these lines, and the lines that are shown."""
    for line in lines:
        one.typed(line, 12.5)
    sent, printed = list(one.sent), one.printed
    one.sent, one.printed = [], []
    return sent, printed


def test_an_address_in_capitals() -> None:
    """The case of its game does not matter."""
    assert address("XBS://pond.example") == Address(GAMES["xbs"], "pond.example", 7948)


def test_a_fleet_is_drawn_or_comes_from_a_file() -> None:
    """At random it is legal; a file's board is read row after row; either may be given before."""
    one = sitting()
    hear(one, LOBBY)
    (joined,) = typed(one, "random", "join")[0]
    SMALL.check_fleet(joined.fleet)
    for board in ("random", files("board"), files("board")[:8] + "\n" + files("board")[8:]):
        one = sitting(board=board)
        hear(one, LOBBY)
        (joined,) = one.sent
        SMALL.check_fleet(joined.fleet)
        assert (joined.fleet == FLEET) == (board != "random")
    one = sitting(board="AAA")
    with pytest.raises(UsageError, match=r"--fleet does not fit .* has 64 squares, and not 3"):
        hear(one, LOBBY)


@pytest.mark.parametrize("changes", [{"columns": 4, "rows": 4}, {"fleet": (4, 2)}])
def test_a_server_that_has_other_rules_by_now(changes: dict[str, Any]) -> None:
    """Ships that were placed for a table which turned the client away are placed anew where they
    cannot lie."""
    one = sitting(name="eve")
    hear(one, LOBBY)
    typed(one, "e1h", "a3v", "join")
    hear(one, Denied("name in use"), Dismissed(""))
    typed(one, "name fay", "join")
    one.connected()
    rules = replace(SMALL, **changes)
    assert hear(one, replace(LOBBY, rules=rules))[-1].startswith("place your ships")
    assert one.sent == []
    ((said,), _) = typed(one, "random", "join")
    assert isinstance(said, Joined)
    assert said.fleet is not None
    rules.check_fleet(said.fleet)


def test_turns_for_ever_show_little() -> None:
    """However often a server says whose turn it is, boards are printed once for each shot, and not
    those of a thousand players."""
    one = sitting(name="eve", board=files("board"))
    names = ("eve", *(f"p{number}" for number in range(999)))
    rules = replace(SMALL, players=(2, 1000))
    hear(one, replace(LOBBY, rules=rules), Welcome("eve", ()))
    hear(one, GameStart(0, names, rules, None, FLEET, 0))
    said = hear(one, *[Told((), (0,)), Told((), (1,))] * 100)
    shown = [text for text in said if "\n" in text]
    assert len(shown) == 1
    assert shown[0].count("points") == MOST_BOARDS
    miss = Shot(1, 0, Cell(3, 3), Result.MISS)
    assert sum("\n" in text for text in hear(one, Told((miss,), (0,)), Told((), (0,)))) == 1


@pytest.mark.parametrize("line", ["ouch", "hit=", "kick=ouch", "hit=a|b", "hit ouch"])
def test_what_is_no_taunt(line: str) -> None:
    """The sentence names the line of the file."""
    with pytest.raises(ValueError, match=r"^line 2 is neither hit=TEXT nor miss=TEXT"):
        taunts_in(f"hit=a\n{line}\n")


def test_a_fleet_is_chosen_from_nine() -> None:
    """They are numbered; one that is chosen can be joined with, and others can be asked for."""
    one = sitting()
    hear(one, LOBBY)
    _, (boards, how) = typed(one, "choose")
    assert how == "type 1 to 9 to take one, choose for others"
    assert [word for word in boards.split() if word.isdecimal()].count("9") == 1
    fleets = [*one.placed]
    assert len({*fleets}) > 1
    assert typed(one, "10")[1] == ["? the fleets to choose from are 1 to 9"]
    assert typed(one, "choose", "3", "join")[0][0].fleet not in fleets
    again = sitting()
    hear(again, LOBBY)
    typed(again, "choose")
    assert typed(again, "3", "join")[0] == [Joined("bob", fleet=fleets[2])]


@given(column=st.integers(0, 9), row=st.integers(0, 9), game=st.sampled_from(sorted(GAMES)))
def test_every_cell_has_its_name(column: int, row: int, game: str) -> None:
    """A cell is typed by its name."""
    one = GAMES[game]
    assert cell(named(Cell(column, row), one, one.rules), one, one.rules) == Cell(column, row)


# Whole games

WORDS = st.sampled_from(
    [
        *("skip", "boards", "turn", "help", "again", "join", "random", "at a", "at 2", "say hi"),
        *("tell bob x", "taunt hit ha", "leave", "undo", "name cy", "a1h", "", "zz", "a1 ann"),
    ]
)


@examples(60)
@given(
    lines=st.lists(st.tuples(st.sampled_from(["ann", "bob"]), WORDS | CELLS), max_size=60),
    pieces=st.sampled_from([1, 7, 4096]),
)
def test_whatever_is_typed_at_a_table(lines: list[tuple[str, str]], pieces: int) -> None:
    """Two people in a game type anything: the table refuses none of it, and whoever is in the game
    sees the shots that the table counts."""
    table = XbsHall(replace(SMALL, players=(2, 2)), order=["ann", "bob"])
    sittings = {name: sitting(name=name, board="random") for name in ("ann", "bob")}
    ends = {name: XbsClient() for name in sittings}
    wires = {name: table.connect() for name in sittings}

    def settle() -> None:
        """Pass everything on until nobody has anything to say."""
        busy = True
        while busy:
            busy = False
            for name, one in sittings.items():
                data = table.sent(wires[name])
                for begin in range(0, len(data), pieces):
                    ends[name].receive_data(data[begin : begin + pieces])
                    while message := ends[name].next_message():
                        one.hear(message, 0.0)
                said, one.sent = one.sent, []
                for message in said:
                    ends[name].say(message)
                if more := ends[name].data_to_send():
                    table.receive(wires[name], more)
                busy = busy or bool(data or more)

    settle()
    for name, line in [("ann", "join"), ("bob", "join"), *lines]:
        sittings[name].typed(line, 0.0)
        settle()
        for one in sittings.values():
            if one.state.stage is ClientStage.PLAYING:
                assert table.match
                assert [shot for player in one.state.players for shot in player.shots] == [
                    shot
                    for seat in (0, 1)
                    for shot in table.match.game.announced_shots
                    if shot.target == seat
                ]
    assert table.match, "both have joined"
    printed = [text for one in sittings.values() for text in one.printed]
    assert not [text for text in printed if text.startswith("refused")]
    assert all(line.isprintable() for text in printed for line in text.split("\n"))
