"""A person at a table: what is typed, what is shown, and what is sent, without any connection."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from judge.documents.game import Outcome, Result, Termination
from judge.documents.rules import Cell, Orientation, Ship
from judge.errors import UsageError
from judge.game.events import Back, Gone, Shot, Target, TurnSkipped, View
from judge.game.variants import BSP
from judge.join.address import GAMES, Address, address
from judge.join.boards import MOST_BOARDS
from judge.join.cells import cell, named
from judge.join.sitting import Sitting, Want
from judge.join.table import Stage
from judge.join.talking import Talking, taunts_in
from judge.wire.messages import (
    Arrived,
    AskShots,
    Chat,
    Denied,
    Departed,
    Dismissed,
    Fired,
    GameOver,
    GameStart,
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
from own_halls import XbsHall
from sittings import CELLS, FLEET, SMALL, files, sitting
from strategies import examples

LOBBY = Lobby("Pond", SMALL, "AB", 0, is_started=False)
NAMES = ("ann", "bob", "cy")
DESCRIBED = (
    "the table Pond: 0 players are there, 2 to 3 may play; boards of 8×8, ships of 3 2; "
    "5 points end the game"
)


def hear(one: Sitting, *messages: ToClient) -> list[str]:
    """The lines that are shown of these messages."""
    for message in messages:
        one.hear(message, 10.0)
    printed, one.printed = one.printed, []
    return printed


def typed(one: Sitting, *lines: str) -> tuple[list[object], list[str]]:
    """The lines that are sent for these lines, and those that are shown."""
    for line in lines:
        one.typed(line, 12.5)
    sent, printed = list(one.sent), one.printed
    one.sent, one.printed = [], []
    return sent, printed


def view(*shots: Shot) -> View:
    return View(1, 3, 0, SMALL, FLEET, shots, 1, len(shots) // 3, (True, True, True))


def playing(*, first: int = 1) -> Sitting:
    """bob, the second of three."""
    one = sitting()
    hear(one, LOBBY)
    typed(one, "load board", "join")
    hear(one, Welcome("bob", ()), Arrived("ann"), Arrived("cy"))
    hear(one, GameStart(1, NAMES, SMALL, None, FLEET, 0), Told((), (first,)))
    if first == 1:
        hear(one, AskShots(view()))
    return one


# Before the game


def test_a_fleet_is_placed_by_hand() -> None:
    """Ship by ship, with what cannot be refused in a sentence; the name may be changed before."""
    one = sitting()
    said = hear(one, LOBBY)
    assert said[0] == DESCRIBED
    assert said[1].startswith("place your ships: ")
    sent, said = typed(one, "a1h")
    assert said == [
        "  a b c d e f g h\n1 3 3 3 · · · · ·\n"
        + "\n".join(f"{n} · · · · · · · ·" for n in range(2, 9)),
        "the next ship has 2 cells",
    ]
    _, said = typed(one, "b1v")
    assert said == ["? the ships of 3 and 2 overlap at b1"]
    for line, why in {
        "h8h": "? the ship of 2 does not fit on the board from h8 to the right",
        "h8v": "? the ship of 2 does not fit on the board from h8 down",
        "z9h": "? 'z9h' is no place on this board",
        "b1": "? the ship of 2 does not fit at b1",
        "h7": "? which way? The ship of 2 fits h7v down",
        "d4": "? which way? The ship of 2 fits d4h to the right or d4v down",
        "here": "? 'here' is nothing that can be done here; help says what is",
        "join": "? the ship of 2 is not placed yet",
        "load nowhere": "? nowhere cannot be read: No such file or directory",
        "name me": "? nobody at the table 'Pond' can be called 'me': invalid name",
    }.items():
        sent, said = typed(one, line)
        assert (sent, len(said)) == ([], 1)
        assert said[0].startswith(why)
    typed(one, "a3 s", "undo", "3,3 east", "undo", "a3v", "name ann")
    assert typed(one, "a5v")[1] == ["? all ships lie; undo takes the last one away"]
    assert typed(one, "join")[0] == [Joined("ann", fleet=FLEET)]
    assert typed(one, "join")[1] == ["? you have asked for a place already"]


def test_a_table_for_exactly_so_many() -> None:
    """Their number is said once."""
    lobby = replace(LOBBY, rules=replace(SMALL, players=(3, 3)))
    assert hear(sitting(), lobby)[0].startswith("the table Pond: 0 players are there, 3 may play;")


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


@pytest.mark.parametrize("is_started", [False, True])
def test_a_table_that_is_told_of_again(*, is_started: bool) -> None:
    """One place is asked for, however often a server tells of its table."""
    one = sitting(board="random")
    lobby = replace(LOBBY, is_started=is_started)
    hear(one, lobby, lobby, lobby)
    assert len(one.sent) == 1
    assert isinstance(one.sent[0], Joined)


def test_a_name_that_is_in_use() -> None:
    """Another name is asked for, over the same connection or, where the table closes it, a new
    one; the ships stay."""
    one = sitting(board=files("board"))
    hear(one, LOBBY)
    typed(one)
    assert hear(one, Denied("name in use")) == [
        "the table does not take that name: name in use",
        "type name NAME for another name, then join",
    ]
    assert typed(one, "name eve", "join")[0] == [Joined("eve", fleet=FLEET)]
    hear(one, Denied("name in use"), Dismissed(""))
    assert typed(one, "name fay", "join")[0] == []
    assert one.want is Want.CONNECT
    one.connected()
    hear(one, LOBBY)
    assert typed(one)[0] == [Joined("fay", fleet=FLEET)]


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


def test_the_lobby() -> None:
    """Who comes and goes is told, with what they say, and none of it can move a cursor."""
    one = sitting(board="random")
    hear(one, LOBBY)
    assert hear(
        one,
        Welcome("bob", ()),
        Arrived("ann\x1b[2J"),
        Chat(1, "hi\x1b]0;x\x07 all", is_private=False),
        Chat(1, "psst", is_private=True),
        Chat(None, "soon", is_private=False),
        Departed("ann\x1b[2J", "tired"),
    ) == [
        "you have a place, and wait for the game",
        "ann is at the table",
        "ann: hi all",
        "ann to you alone: psst",
        "the host: soon",
        "ann left the table: tired",
    ]
    assert typed(one, "boards")[1] == ["at the table: you"]
    assert typed(one, "a1")[1] == ["? there is no game now"]


# The game


def test_commands_of_a_game() -> None:
    """Each line means one message; what cannot be done is said in a sentence, and nothing sent."""
    for line, message in {
        "c4 ann": Fired((Target(0, Cell(2, 3)),)),
        "C4 cy": Fired((Target(2, Cell(2, 3)),)),
        "3,4 3": Fired((Target(2, Cell(2, 3)),)),
        "h8 1": Fired((Target(0, Cell(7, 7)),)),
        "skip": Skipped(),
        "say hello  all": Said("hello  all"),
        "tell a psst": Said("psst", 0),
        "taunt hit ouch": TauntAdded(on_hit=True, text="ouch"),
        "taunt miss": TauntAdded(on_hit=False, text=None),
        "leave the phone": Left("the phone"),
        "quit": Left(""),
    }.items():
        assert typed(playing(), line)[0] == [message], line
    for line, why in {
        "c4": "at whom? Type a1 NAME, or at NAME for this and later shots",
        "i1 ann": "there is no cell i1 on this board; the last one is h8",
        "a9 ann": "there is no cell a9 on this board; the last one is h8",
        "c4 bob": "no other player is called 'bob'",
        "c4 x": "no other player is called 'x'",
        "say": "there is nothing to say",
        "say a|b": "a | cannot be said",
        "taunt me": "type taunt hit TEXT or taunt miss TEXT, without a |",
        "taunt hit a|b": "type taunt hit TEXT or taunt miss TEXT, without a |",
        "dance": "'dance' is nothing that can be done here; help says what is",
        "again": "this game is not over; leave leaves it",
        "\x1b[2J": "'\\x1b[2j' is nothing that can be done here; help says what is",
    }.items():
        sent, said = typed(playing(), line)
        assert sent == []
        assert [text.lower() for text in said] == [f"? {why}".lower()], line


def test_ones_own_taunts() -> None:
    """Those of a file are told to the table with the place; all are listed, and forgotten by
    kind."""
    taunts = taunts_in("# mine\n\nhit=ouch\nmiss = too easy\n")
    one = sitting(board="random", taunts=taunts)
    hear(one, LOBBY)
    one.sent.clear()
    hear(one, Welcome("bob", ()))
    assert one.sent == [TauntAdded(on_hit=True, text="ouch"), TauntAdded(False, "too easy")]
    one.sent.clear()
    listed = ["your taunt on a hit: ouch", "your taunt on a miss: too easy"]
    assert typed(one, "taunt") == ([], listed)
    assert typed(one, "taunt hit argh")[1] == [*listed, "your taunt on a hit: argh"]
    assert typed(one, "taunt hit")[1] == listed[1:]
    assert typed(one, "taunt miss")[1] == ["you have no taunts"]


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


def test_who_skipped_a_turn() -> None:
    """A turn that the host skipped is the host's doing; another one was let pass by its player."""
    one = playing()
    skips = (TurnSkipped(0, "asleep"), TurnSkipped(1), TurnSkipped(2))
    assert hear(one, Told(skips, (0,)))[:3] == [
        "the host skipped ann's turn: asleep",
        "you skipped a turn",
        "cy skipped a turn",
    ]


def test_one_shot_a_turn() -> None:
    """The opponent is chosen once; a second shot in a turn, or one out of turn, is not sent, until
    the table refuses the first."""
    one = playing()
    assert typed(one, "at c", "c4", "c5")[0] == [Fired((Target(2, Cell(2, 3)),))]
    assert hear(one, Refused("illegal coordinates", AskShots(view()))) == [
        "refused: illegal coordinates"
    ]
    assert typed(one, "c5")[0] == [Fired((Target(2, Cell(2, 4)),))]
    shot = Shot(1, 2, Cell(2, 4), Result.MISS)
    assert hear(one, Told((shot,), (2,))) == ["you shot at cy, c5: miss", "it is cy's turn"]
    assert typed(one, "c6") == ([], ["? it is not your turn"])
    assert typed(playing(first=0), "c6", "skip")[1] == ["? it is not your turn"] * 2
    hear(one, Told((TurnSkipped(2),), (0,)), Told((TurnSkipped(0),), (1,)), AskShots(view(shot)))
    assert typed(one, "c5")[1] == ["? c5 of cy was shot at before"]


BOARDS = """\
  1: ann (fishing)                > 2: you
  a b c d e f g h                   a b c d e f g h
1 · · · · · · · ·                 1[×]3 3 · · · · ·
2 · · · · · · · ·                 2 · · · · · · · ·
3 · · · · · · · ·                 3 2 · · · · · · ·
4 · · · · · · · ·                 4 2 · · · · · · ·
5 · · · · · · · ·                 5 · · · · · · · ·
6 · · · · · · · ·                 6 · · · · · · · ·
7 · · · · · · · ·                 7 · · · · · · · ·
8 · · · · · · · ·                 8 · · · · · · · ·
1 point, 0% hit                   0 points, 20% hit, 1 skip

  3: cy
  a b c d e f g h
1 · · · · · · · ·
2 · · · · · · · ·
3 · · · · · · · ·
4 · · ·[○]· · · ·
5 · · · · · · · ·
6 · · · · · · · ·
7 · · · · · · · ·
8 · · · · · · · ·
0 points, 0% hit

it is your turn, for 2 s"""


def test_what_is_shown_of_a_game() -> None:
    """Each event is a line; on the own turn all boards are shown, with points, skips and who is
    away."""
    one = playing(first=0)
    events = (Shot(0, 1, Cell(0, 0), Result.HIT), Gone(0, None, "fishing"))
    said = hear(one, Told(events, (1,)), AskShots(view()))
    assert said[:3] == [
        "ann shot at you, a1: hit",
        "ann left the game: fishing",
        "it is your turn",
    ]
    assert len(said) == 4
    miss = Shot(2, 2, Cell(3, 3), Result.MISS)
    one.table.players[2].shots.append(miss)
    one.table.note_standing([(1, 0), (0, 1), (0, 0)])
    assert typed(one, "boards") == typed(one, "") == ([], [BOARDS])
    assert typed(one, "turn")[1] == ["it is your turn, for 2 s"]
    assert hear(one, Told((TurnSkipped(1, "asleep"), Back(0)), (2,))) == [
        "the host skipped your turn: asleep",
        "ann came back",
        "it is cy's turn",
    ]
    over = GameOver(Outcome(1, None, Termination.GOAL, scores=(1, 5, 0)))
    end, again = hear(one, over)
    assert end.startswith("the game is over: you win with 5 points; ann 1, cy 0 (you were ahead")
    assert again == "again plays another game, quit ends"
    assert typed(one, "c4 ann")[1] == ["? there is no game now"]
    typed(one, "again")
    assert one.want is Want.CONNECT


def test_a_cut() -> None:
    """The sitting wants to come back by itself, shows the table its ships, and the person what was
    missed and all boards."""
    one = playing()
    assert hear(one, Dismissed("")) == ["the connection was cut"]
    assert one.want is Want.RETURN
    assert typed(one, "c4 ann")[1] == ["? there is no game now"]
    one.connected()
    assert hear(one, replace(LOBBY, is_started=True), Denied("name in use")) == [
        f"{DESCRIBED}; its game has begun"
    ]
    assert one.want is Want.RETURN
    one.sent.clear()
    one.connected()
    hear(one, replace(LOBBY, is_started=True))
    assert typed(one)[0] == [Joined("bob", fleet=FLEET)]
    shots = (Shot(0, 1, Cell(0, 0), Result.HIT),)
    said = hear(one, Welcome("bob", ()), Told(shots), Rejoined(view(*shots)), Told((), (0,)))
    assert said[:2] == ["ann shot at you, a1: hit", "you are back in the game, after 1 shot"]
    assert "[×]3 3" in said[2]
    assert one.table.stage is Stage.PLAYING
    hear(one, Dismissed(""))
    one.connected()
    assert hear(one, LOBBY)[-2:] == [
        "the table has begun another game meanwhile",
        "again tries once more, quit ends",
    ]


def test_to_leave_is_no_cut() -> None:
    """A player who leaves is not brought back, and may join once more."""
    one = playing()
    assert typed(one, "leave")[1] == ["you left; again comes back into it, quit ends"]
    assert typed(one, "turn")[1] == ["you are in no game"]
    assert hear(one, Dismissed("")) == []
    assert one.want is Want.STAY
    typed(one, "again")
    assert one.want is Want.CONNECT
    one.connected()
    hear(one, replace(LOBBY, is_started=True))
    assert typed(one)[0] == [Joined("bob", fleet=FLEET)]
    asked = "the host is asked to let bob in; your number is 1"
    assert hear(one, Denied(asked))[0] == f"the table does not let you in by that name: {asked}"
    assert typed(one, "join")[0] == [Joined("bob")]


@pytest.mark.parametrize("board", ["board", "random", None])
def test_a_client_that_is_started_again(board: str | None) -> None:
    """It shows the ships of its file, and asks by its name alone where it has none, or where the
    file is for another table."""
    one = sitting(board=board and (files(board) if board == "board" else board))
    hear(one, replace(LOBBY, is_started=True))
    assert one.sent == [Joined("bob", fleet=FLEET if board == "board" else None)]
    one = sitting(board=files("board"))
    hear(one, replace(LOBBY, rules=replace(SMALL, columns=9), is_started=True))
    assert one.sent == [Joined("bob")]


def test_ships_of_one_game_are_not_those_of_the_next() -> None:
    """A player who has left a game that is over by now, or has seen its end, places ships anew."""
    one = playing()
    typed(one, "leave", "again")
    one.connected()
    assert hear(one, LOBBY)[-1].startswith("place your ships")
    for ends in ("leave", GameOver(Outcome(None, None, Termination.ABORTED, scores=(0, 0, 0)))):
        one = playing()
        typed(one, ends) if isinstance(ends, str) else hear(one, ends)
        typed(one, "again")
        one.connected()
        rules = SMALL if isinstance(ends, GameOver) else replace(SMALL, fleet=(4, 2))
        hear(one, replace(LOBBY, rules=rules, is_started=True))
        assert one.sent[-1] == Joined("bob")


# BSP

SHIPS = tuple(
    Ship(length, 0, row, Orientation.HORIZONTAL) for row, length in enumerate(BSP.lengths)
)


def test_a_game_of_bsp() -> None:
    """Cells are a row's letter and a column's number; nobody is asked for ships, and to leave is to
    surrender."""
    one = sitting("bsp", name=None)
    assert one.sent == [Joined("")]
    one.sent.clear()
    hear(one, Welcome("", ()))
    said = hear(one, GameStart(0, ("A", "B"), BSP, None, SHIPS, 0), Told((), (0,)))
    assert said[0] == "the game begins; the order of turns: you, the opponent"
    assert said[2].endswith("it is your turn, for 0 of 30 s")
    assert "\n  1 2 3 4 5 6 7 8 9 0 " in said[2]
    assert "\nA[" not in said[2]
    assert "\nA 5 5 5 5 5 · " in said[2]
    ask = AskShots(View(0, 2, 0, BSP, SHIPS, (), 1, 0, (True, True)))
    hear(one, ask)
    assert typed(one, "c10")[0] == [Fired((Target(1, Cell(9, 2)),))]
    sunk = Shot(0, 1, Cell(9, 2), Result.SUNK)
    assert hear(one, Told((sunk,), (1,))) == [
        "you shot at the opponent, C10: hit, and a ship sank",
        "it is the opponent's turn",
    ]
    for line in ("say hello", "skip", "k1", "c11"):
        sent, said = typed(one, line)
        assert sent == []
        assert said[0].startswith("? ")
    assert "skip" not in typed(one, "help")[1][0]
    assert typed(one, "leave")[0] == [Resigned()]
    said = hear(one, GameOver(Outcome(1, 0, Termination.RESIGNED)))
    assert said[0] == "the game is over: the opponent wins: you resigned"


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
            if one.table.stage is Stage.PLAYING:
                assert table.match
                assert [shot for player in one.table.players for shot in player.shots] == [
                    shot for seat in (0, 1) for shot in table.match.game.told if shot.target == seat
                ]
    assert table.match, "both have joined"
    printed = [text for one in sittings.values() for text in one.printed]
    assert not [text for text in printed if text.startswith("refused")]
    assert all(line.isprintable() for text in printed for line in text.split("\n"))


def test_who_watches_a_bot() -> None:
    """The bot's shots are the bot's, each of its games is a new table, and where there is no chat
    the help names none."""
    one = Talking(GAMES["xbs"])
    for message in (LOBBY, Welcome("bob", ()), Arrived("ann"), Chat(1, "hi", is_private=False)):
        one.hear(message, 0.0)
    assert one.printed[-1] == "ann: hi"
    one.printed.clear()
    one.typed("tell ann hello", 0.0)
    assert one.sent == [Said("hello", 1)]
    one.typed("c3", 0.0)
    assert one.printed[-1] == "? 'c3' is nothing for who watches; help says what is"
    one.hear(GameOver(Outcome(None, None, Termination.ABORTED)), 0.0)
    one.hear(LOBBY, 0.0)
    assert one.table.players == []
    one.typed("quit", 0.0)
    assert one.has_ended
    assert "say TEXT" in one.help()
    assert "say TEXT" not in Talking(GAMES["bsp"]).help()
