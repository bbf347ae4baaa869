"""The full screen of judge join, by Textual's pilot, at a scripted server."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING

import pytest
from textual.events import Key, Paste
from textual.widgets import RichLog, Static

from far_server import FarServer, Peer
from judge.errors import NotOpen, ServerFault
from judge.join.address import GAMES, Address
from judge.join.boards import MOST_BOARDS
from judge.join.client_session import ClientSession
from judge.join.driving import Driver
from judge.join.traffic_log import TrafficLog
from judge.screen.boards import BoardView
from judge.screen.table import TableApp

if TYPE_CHECKING:
    from textual.pilot import Pilot

pytestmark = pytest.mark.whole

PATIENCE = 60.0
WATER = "." * 64
OWN = "AAA....." + "BB......" + "." * 48
G = "G|2.0.1|Pond|N|2|3|0|2|8|8|2|A3|B2\n"


def app(port: int, *, board: str | None = None) -> TableApp:
    sitting = ClientSession(
        Address(GAMES["xbs"], "127.0.0.1", port),
        given_name="bob",
        usual_name="bob",
        luck=Random(1),
        read=lambda path: path,
        board=board,
        boards_stand=True,
    )
    return TableApp(lambda write: Driver(sitting, TrafficLog(None), write=write, between=0.01))


def news(one: TableApp) -> list[str]:
    return [line.text.rstrip() for line in one.query_one("#news", RichLog).lines]


def shown(view: BoardView) -> list[str]:
    return [line.rstrip() for line in str(view.render()).split("\n")]


async def until(pilot: Pilot[None], true: Callable[[], object]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(PATIENCE):
        while not true():
            await pilot.pause(0.01)


def at_table(port: int, do: Callable[[TableApp, Pilot[None]], object], **more) -> TableApp:
    """Run the screen while a test uses it."""
    one = app(port, board=more.pop("board", OWN))

    async def use() -> None:
        async with one.run_test(size=more.pop("size", (80, 40))) as pilot:
            await do(one, pilot)

    asyncio.run(use())
    return one


def seated(peer: Peer) -> None:
    """Bob sits down; ann and cy are there too."""
    peer.say(G)
    assert peer.line() == f"J|bob|{OWN}"
    peer.say("J|bob\nJ|ann\nJ|cy\n")
    boards = "".join(f"B|{name}||{WATER}|0|0\n" for name in ("bob", "ann", "cy"))
    peer.say(f"{boards}S|bob|ann|cy\nN|bob\n")


def test_a_game_on_the_screen() -> None:
    """All boards stand there with points and who is up; a cell is chosen by arrows and Enter, by
    the mouse, or typed; events are told below."""
    heard: list[str] = []

    def table(peer: Peer) -> None:
        seated(peer)
        heard.append(peer.line())
        peer.say(
            f"B|bob||{WATER}|1|0\nB|ann||........{'.' * 10}X{'.' * 45}|0|0\nN|ann\nN|cy\nN|bob\n"
        )
        heard.append(peer.line())
        peer.say("N|ann\nN|cy\nN|bob\n")
        heard.append(peer.line())
        peer.say("F|finished|3|3\nR|bob|1|0|3|\nR|ann|0|1|2|\nR|cy|0|1|2|\n")
        peer.rest()

    async def use(one: TableApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: "it is your turn" in news(one))
        await until(pilot, lambda: len(one.query(BoardView)) == 3)
        own, ann, cy = one.query(BoardView)
        await until(pilot, lambda: shown(own)[0] == "> 1: you")
        assert shown(own)[-1] == "0 points, 0% hit"
        assert shown(own)[2] == "1 3 3 3 · · · · ·"
        ann.focus()
        await pilot.press("down", "down", "right", "right")
        await until(pilot, lambda: shown(ann)[4] == "3 · ·[·]· · · · ·")
        await pilot.press("enter")
        await until(pilot, lambda: "you shot at ann, c3: hit" in news(one))
        await until(pilot, lambda: shown(ann)[4] == "3 · ·[×]· · · · ·")
        await until(pilot, lambda: shown(own)[-1] == "1 point, 0% hit")
        assert shown(ann)[-1] == "0 points, 20% hit, 1 skip"
        await pilot.click(cy, offset=(3, 3), times=2)
        await until(pilot, lambda: len(heard) == 2)
        await until(pilot, lambda: one.driver.sitting.state.may_shoot)
        await pilot.press("escape", *"h8", "space", *"cy", "enter")
        await until(pilot, lambda: news(one)[-1].endswith("quit ends"))
        turn = one.query_one("#turn", Static)
        await until(pilot, lambda: str(turn.render()) == "the game is over")
        await pilot.press("ctrl+c")

    with FarServer(table) as server:
        assert at_table(server.port, use).failure is None
    assert heard == ["S|ann|3|3", "S|cy|2|2", "S|cy|8|8"]


def test_a_table_of_very_many() -> None:
    """The first boards are shown and the own one, at which nobody can shoot by mistake."""
    others = [f"p{number}" for number in range(30)]

    def table(peer: Peer) -> None:
        peer.say(G.replace("|2|3|", "|2|99|"))
        assert peer.line() == f"J|bob|{OWN}"
        peer.say("J|bob\n", *(f"J|{name}\n" for name in others))
        peer.say(f"S|{'|'.join(others)}|bob\nN|bob\n")
        peer.rest()

    async def use(one: TableApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: "it is your turn" in news(one))
        await until(pilot, lambda: len(one.query(BoardView)) > MOST_BOARDS)
        *first, own = one.query(BoardView)
        await until(pilot, lambda: shown(own)[0] == "> 31: you")
        assert len(first) == MOST_BOARDS
        assert [view.can_focus for view in (*first, own)] == [True] * MOST_BOARDS + [False]

    with FarServer(table) as server:
        at_table(server.port, use)


def test_each_line_that_is_typed_ahead_stays_one() -> None:
    """Commands that come at once, as keys or pasted, are obeyed one by one, also those that are
    there before the server has said anything."""
    heard: list[str] = []

    def table(peer: Peer) -> None:
        peer.say(G)
        heard.append(peer.line())
        peer.say("J|bob\n")
        heard.extend(peer.line() for _ in range(6))
        peer.rest()

    async def use(one: TableApp, pilot: Pilot[None]) -> None:
        await pilot.press(*"random", "enter", *"join", "ctrl+j")
        for word in ("one", "two", "three"):
            one.post_message(Key("s", "s"))
            for key in f"ay {word}":
                one.post_message(Key("space" if key == " " else key, key))
            one.post_message(Key("ctrl+j", "\n"))
        one.post_message(Paste("say four\nsay five\r\nsay"))
        await pilot.press("space", *"six", "enter")
        await until(pilot, lambda: len(heard) == 7)
        await pilot.press("ctrl+c")

    with FarServer(table) as server:
        at_table(server.port, use, board=None)
    assert heard[0].startswith("J|bob|")
    assert heard[1:] == [f"M||{word}" for word in ("one", "two", "three", "four", "five", "six")]


def test_nine_boards_at_once() -> None:
    """At 120 columns and 40 rows all boards of a full table stand there whole, and some news."""

    def table(peer: Peer) -> None:
        names = ["bob", *(f"player{number}" for number in range(8))]
        peer.say("G|2.0.1|Pond|N|2|9|0|17|10|10|5|A5|B4|C3|D3|E2\n")
        peer.line()
        peer.say(*(f"J|{name}\n" for name in names))
        peer.say(*(f"B|{name}||{'.' * 100}|0|0\n" for name in names))
        peer.say(f"S|{'|'.join(names)}\nN|bob\n")
        peer.rest()

    async def use(one: TableApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: len(one.query(BoardView)) == 9)
        await until(pilot, lambda: "it is your turn" in news(one))
        await pilot.pause()
        room = one.query_one("#boards").region
        assert all(room.contains_region(view.region) for view in one.query(BoardView))
        assert one.query_one("#news").region.height >= 6
        await pilot.press("ctrl+c")

    with FarServer(table) as server:
        at_table(server.port, use, board="random", size=(120, 40))


def test_news_are_scrolled_by_keys() -> None:
    """Page keys and arrows move them, and what happens meanwhile does not move them back."""

    async def use(one: TableApp, pilot: Pilot[None]) -> None:
        log = one.query_one("#news", RichLog)
        await until(pilot, lambda: "it is your turn" in news(one))
        await pilot.press(*"help", "enter", *"help", "enter")
        await until(pilot, lambda: log.max_scroll_y > 10 and log.is_vertical_scroll_end)
        await pilot.press("pageup", "up")
        await until(pilot, lambda: not log.is_vertical_scroll_end)
        at = log.scroll_y
        await pilot.press(*"turn", "enter")
        await until(pilot, lambda: news(one)[-1].startswith("it is your turn, for"))
        assert log.scroll_y == at
        await pilot.press("ctrl+end")
        await until(pilot, lambda: log.is_vertical_scroll_end)
        await pilot.press("ctrl+c")

    with FarServer(lambda peer: (seated(peer), peer.rest())) as server:
        at_table(server.port, use, size=(80, 24))


def test_a_fleet_is_chosen_from_nine() -> None:
    """They stand side by side with their numbers; one of them is typed."""
    heard: list[str] = []

    def table(peer: Peer) -> None:
        peer.say(G)
        heard.append(peer.line())
        peer.rest()

    async def use(one: TableApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: "choose shows nine fleets" in " ".join(news(one)))
        await pilot.press(*"choose", "enter")
        await until(pilot, lambda: len(one.query(BoardView)) == 9)
        seventh = one.query(BoardView)[6]
        assert shown(seventh)[0] == "7"
        fleet = shown(seventh)[1:]
        await pilot.press("7", "enter")
        await until(pilot, lambda: len(one.query(BoardView)) == 1)
        assert shown(one.query_one(BoardView))[1:] == fleet
        await pilot.press(*"join", "enter")
        await until(pilot, lambda: heard)
        await pilot.press("ctrl+c")

    with FarServer(table) as server:
        at_table(server.port, use, board=None)


def test_ships_are_placed_on_the_screen() -> None:
    """By arrows with h and v, the next one where the cell is; to leave before the game is to go."""

    def table(peer: Peer) -> None:
        peer.say(G)
        board = peer.line().split("|")[2]
        assert board == "AAA....." + "B......." + "B......." + "." * 40
        peer.say("J|bob\n")
        assert peer.rest() == "L|\n"

    async def use(one: TableApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: len(one.query(BoardView)) == 1 and news(one))
        one.query_one(BoardView).focus()
        await pilot.press("h", "down", "v")
        view = one.query_one(BoardView)
        await until(pilot, lambda: shown(view)[4] == "3 2 · · · · · · ·")
        await pilot.press("escape", *"join", "enter")
        await until(pilot, lambda: "you have a place, and wait for the game" in news(one))
        await pilot.press("ctrl+c")

    with FarServer(table) as server:
        assert at_table(server.port, use, board=None).failure is None


def test_a_cut_on_the_screen() -> None:
    """The screen comes back by itself and shows what was missed."""

    def again(peer: Peer) -> None:
        peer.say(G.replace("|N|", "|Y|"))
        assert peer.line().startswith("J|bob|")  # with its board
        boards = f"J|ann\nB|ann||{WATER}|0|0\nJ|cy\nB|cy||{WATER}|0|0\n"
        peer.say(f"J|bob\nY|{OWN}\n{boards}S|bob|ann|cy\nN|cy\nB|bob||X{WATER[1:]}|0|0\n")
        peer.say("N|bob\n")
        peer.rest()

    async def use(one: TableApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: "cy shot at you, a1: hit" in news(one))
        board = "1[×]3 3 · · · · ·"
        await until(pilot, lambda: any(board in shown(view) for view in one.query(BoardView)))
        await pilot.press("ctrl+c")

    with FarServer(seated, again) as server:
        assert at_table(server.port, use).failure is None


@pytest.mark.parametrize(("columns", "side_by_side"), [(40, 1), (60, 2), (80, 3)])
def test_narrow_screens_stack_boards(columns: int, side_by_side: int) -> None:
    """As many boards stand side by side as there is room for."""

    async def use(one: TableApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: len(one.query(BoardView)) == 3)
        await pilot.pause()
        tops = [view.region.y for view in one.query(BoardView)]
        assert tops.count(tops[0]) == side_by_side
        await pilot.press("ctrl+c")

    with FarServer(lambda peer: (seated(peer), peer.rest())) as server:
        at_table(server.port, use, size=(columns, 40))


@pytest.mark.parametrize(
    ("size", "is_there"), [((80, 24), True), ((60, 40), False), ((80, 20), False)]
)
def test_the_marks_are_explained_where_there_is_room(size: tuple[int, int], is_there: bool) -> None:
    """Below the boards, in a line; on narrow and on low screens the boards have the room."""

    async def use(one: TableApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: len(one.query(BoardView)) == 3)
        await pilot.pause()
        legend = one.query_one("#legend", Static)
        assert legend.display is is_there
        if is_there:
            assert "○ miss   × hit" in str(legend.render())
            below = max(view.region.bottom for view in one.query(BoardView))
            assert below <= legend.region.y < one.query_one("#news").region.y
        await pilot.press("ctrl+c")

    with FarServer(lambda peer: (seated(peer), peer.rest())) as server:
        at_table(server.port, use, size=size)


@pytest.mark.parametrize(("rows", "whole"), [(24, 1), (40, 2)])
def test_boards_that_scroll_are_whole(rows: int, whole: int) -> None:
    """A narrow screen has room for one or two of five boards, and cuts none: that of the last shot
    is among them, and then the one that is aimed at."""
    names = ["bob", *(f"player{number}" for number in range(4))]
    water = "." * 100

    def table(peer: Peer) -> None:
        peer.say("G|2.0.1|Pond|N|2|9|0|17|10|10|5|A5|B4|C3|D3|E2\n")
        peer.line()
        peer.say(*(f"J|{name}\n" for name in names))
        peer.say(*(f"B|{name}||{water}|0|0\n" for name in names))
        peer.say(f"S|{'|'.join(names)}\nN|player0\n")
        peer.say(f"B|player0||{water}|1|0\nB|player2||X{water[1:]}|0|0\nN|player1\n")
        peer.rest()

    async def use(one: TableApp, pilot: Pilot[None]) -> None:
        room = one.query_one("#boards")

        def in_sight() -> list[int]:
            views = [view for view in one.query(BoardView) if room.region.overlaps(view.region)]
            is_cut = any(not room.region.contains_region(view.region) for view in views)
            return [] if is_cut else [view.seat for view in views]

        await until(pilot, lambda: 3 in in_sight() and len(in_sight()) == whole)
        await pilot.press("tab", "tab")
        await until(pilot, lambda: 1 in in_sight() and len(in_sight()) == whole)
        await pilot.press("ctrl+c")

    with FarServer(table) as server:
        at_table(server.port, use, board="random", size=(46, rows))


def test_news_are_whole_on_a_narrow_screen() -> None:
    """Their lines are broken where the screen ends, and none is cut."""

    async def use(one: TableApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: "points end the game" in " ".join(news(one)))
        assert max(map(len, news(one))) <= 40
        await pilot.press("ctrl+c")

    with FarServer(lambda peer: (seated(peer), peer.rest())) as server:
        at_table(server.port, use, size=(40, 40))


def test_nobody_waits_for_a_server_that_does_not_answer() -> None:
    """Ctrl-C leaves while the connection is still waited for."""
    with socket.socket() as listening, contextlib.ExitStack() as others:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        port = listening.getsockname()[1]
        for _ in range(4):  # more than it takes before it lets anybody wait
            other = others.enter_context(socket.socket())
            other.setblocking(False)
            other.connect_ex(("127.0.0.1", port))

        async def use(one: TableApp, pilot: Pilot[None]) -> None:
            await until(pilot, lambda: connects)
            await pilot.press(*"turn", "enter", "ctrl+c")

        def connects() -> list[threading.Thread]:
            return [
                thread for thread in threading.enumerate() if thread.name == "beside the screen"
            ]

        assert at_table(port, use).was_interrupted
        assert connects()


def test_errors_end_the_screen() -> None:
    """A fault of the server, or the fact that nobody listens, is kept for a sentence afterwards."""

    async def use(one: TableApp, pilot: Pilot[None]) -> None:
        await until(pilot, lambda: one.failure is not None)

    with FarServer() as server:
        pass
    assert isinstance(at_table(server.port, use).failure, NotOpen)
    with FarServer(lambda peer: (peer.say(b"x" * 9000), peer.rest())) as server:
        assert isinstance(at_table(server.port, use).failure, ServerFault)
