"""The full screen of judge play, by Textual's pilot, with a thread that asks the person."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from textual.widgets import Static

from changes import replace
from judge.cli.interactive import fleet_input
from judge.cli.interactive.person import why_not
from judge.documents.rules import Cell, Orientation, Rules, Ship, Turn
from judge.game.events import Target
from judge.game.game import Game
from judge.game.variants import BRAINJAR
from judge.screen.boards import BoardView
from judge.screen.pictures import Lines
from judge.screen.play import AnswerChecks, PlayApp
from judge.show.board import Picture, TitledBoard
from judge.wire.messages import Fired, Resigned

if TYPE_CHECKING:
    from textual.pilot import Pilot

pytestmark = pytest.mark.whole

PATIENCE = 60.0
SMALL = replace(BRAINJAR, name="small", columns=4, rows=4, fleet=(2, 3))
SALVOS = replace(SMALL, name="salvos", turn=Turn.SALVO, salvo_bonus=(3,))
FLEET = (Ship(2, 0, 0, Orientation.HORIZONTAL), Ship(3, 0, 1, Orientation.HORIZONTAL))


class Played:
    """A screen, and what the thread got for an answer."""

    def __init__(self, app: PlayApp, pilot: Pilot[None], answer: Future[Any]) -> None:
        self.app, self.pilot, self.answer = app, pilot, answer

    async def until(self, true: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not true():
            seen = [self.said, self.foot, *(self.board(seat) for seat in range(len(self.views)))]
            assert time.monotonic() < end, f"it never comes to that; there is {seen}"
            await self.pilot.pause(0.01)

    @property
    def views(self) -> list[BoardView]:
        return list(self.app.query(BoardView))

    def board(self, seat: int = 0) -> list[str]:
        return [line.rstrip() for line in str(self.views[seat].render()).split("\n")]

    @property
    def foot(self) -> str:
        return str(self.app.query_one("#foot", Static).render())

    @property
    def said(self) -> str:
        return str(self.app.query_one("#said", Lines).render())


def played(
    ask: Callable[[PlayApp], Any],
    use: Callable[[Played], Coroutine[Any, Any, None]],
    *,
    rules: Rules = SMALL,
    size: tuple[int, int] = (80, 24),
    colour: bool = True,
) -> Any:
    """The answer of a person who uses the screen so."""
    checks = AnswerChecks(
        partial(fleet_input.cell, rules=rules), why_not, partial(fleet_input.require_room, rules)
    )
    app = PlayApp(("me", "bot"), rules, checks, me=0, seed=1, colour=colour)

    async def run(pool: ThreadPoolExecutor) -> Future[Any]:
        async with app.run_test(size=size) as pilot:
            answer = pool.submit(ask, app)
            one = Played(app, pilot, answer)
            await one.until(lambda: one.views)
            await use(one)
        return answer

    with ThreadPoolExecutor(1) as pool:
        return asyncio.run(run(pool)).result(60)


def shot(app: PlayApp, rules: Rules = SMALL) -> Any:
    """A move of a game in which each has fired once, at 33, and has missed."""
    game = Game(rules, 2, 0)
    for seat in (0, 1):
        game.place(seat, FLEET)
    for seat in (0, 1):
        cells = [Cell(3, 3), Cell(2, 3), Cell(1, 3)][: game.shots_due(seat)]
        game.shoot(seat, [Target(1 - seat, cell) for cell in cells])
    return app.aim(game.view(0), game, 0, ["33  miss"])


salvo = partial(shot, rules=SALVOS)


def test_ships_are_laid_by_keys() -> None:
    """Arrows move the ship, space and r turn it, Enter lays it, Backspace takes it back; ships that
    overlap are refused."""

    async def use(one: Played) -> None:
        await one.until(lambda: one.board()[2:3] == ["0[2]2 · ·"])
        await one.pilot.press("right", "down", "space")
        await one.until(lambda: one.board()[3:5] == ["1 ·[2]· ·", "2 · 2 · ·"])
        await one.pilot.press("enter")
        await one.until(lambda: "your ship of 3" in one.foot)
        await one.pilot.press("r", "enter")
        await one.until(lambda: one.said.startswith("the ships of 2 and 3 overlap"))
        await one.until(lambda: one.app.query_one("#said").region.height == 2)  # it is not cut
        await one.pilot.press("left", "up", "space", "enter", "backspace")
        await one.until(lambda: "your ship of 3" in one.foot)
        await one.pilot.press("space", "left", "enter")
        await one.until(lambda: "your fleet lies" in one.foot)
        assert not one.answer.done()
        await one.pilot.press("enter")

    fleet = played(PlayApp.lay, use, size=(40, 20))
    assert [ship.length for ship in fleet] == [2, 3]
    assert fleet[0] == Ship(2, 1, 1, Orientation.VERTICAL)


def test_ships_are_laid_by_the_mouse() -> None:
    """A click moves the ship there, and a second one lays it; below the ships nothing happens."""

    async def use(one: Played) -> None:
        await one.until(lambda: one.board()[2:3] == ["0[2]2 · ·"])
        await one.pilot.click(one.views[0], offset=(1 + 2 * 1, 2 + 3))
        await one.until(lambda: one.board()[5:6] == ["3 ·[2]2 ·"])
        await one.pilot.click(one.views[0], offset=(1 + 2 * 1, 2 + 3), times=2)
        await one.until(lambda: "your ship of 3" in one.foot)
        await one.pilot.click(one.views[0], offset=(1, 2), times=2)
        await one.until(lambda: "your fleet lies" in one.foot)
        await one.pilot.press("enter")

    fleet = played(PlayApp.lay, use)
    assert fleet == (
        Ship(2, 1, 3, Orientation.HORIZONTAL),
        Ship(3, 0, 0, Orientation.HORIZONTAL),
    )


@pytest.mark.parametrize(("size", "scale"), [((80, 24), 1), ((120, 30), 3)])
def test_a_shot_is_fired_by_the_mouse(size: tuple[int, int], scale: int) -> None:
    """A click aims at the opponent's board, and a second one fires; one at the own board does
    nothing. Boards drawn larger have larger cells."""

    async def use(one: Played) -> None:
        await one.until(lambda: len(one.views) == 2 and "Enter fires" in one.foot)
        before = one.board(0)
        await one.pilot.click(one.views[0], offset=(3, 3), times=2)
        assert one.board(0) == before
        x, y = 2 + 2 * scale * 2, 2 + scale  # the middle of the cell
        for across in range(1 - scale, scale + 1):
            for down in range(-((scale - 1) // 2), scale // 2 + 1):
                await one.pilot.press("0", "0")
                await one.pilot.click(one.views[1], offset=(x - 1 + across, y + down))
                await one.until(lambda: one.board(1)[y][x - 1 : x + 2] == "[·]")
        assert not one.answer.done()
        await one.pilot.click(one.views[1], offset=(x - 1, y), times=2)
        await one.until(one.answer.done)

    assert played(shot, use, size=size) == Fired((Target(1, Cell(2, 1)),))


def test_a_fleet_is_laid_on_a_board_as_large_as_in_the_game() -> None:
    """So the one board has no larger cells than each of two."""
    heights = []

    async def use(one: Played) -> None:
        await one.until(lambda: one.views[0].size.height > 0)
        heights.append(one.views[0].size.height)
        one.app.leave()

    for ask in (PlayApp.lay, shot):
        played(ask, use, size=(99, 50))
    assert heights == [2 + 4, 2 + 4 + 1]  # without and with the line on ships afloat


def test_a_shot_is_typed() -> None:
    """Two digits aim and Enter fires; a cell that is not there, or was shot at, is refused."""

    async def use(one: Played) -> None:
        await one.until(lambda: "Enter fires" in one.foot)
        await one.pilot.press("7")
        await one.until(lambda: one.foot == "cell 7_")
        await one.pilot.press("7")
        await one.until(lambda: one.foot == "there is no cell 77 on this board")
        await one.pilot.press("3", "3", "enter")
        await one.until(lambda: "you have shot at 33 before" in one.foot)
        await one.pilot.press("3", "backspace", "0", "2", "enter")

    assert played(shot, use) == Fired((Target(1, Cell(0, 2)),))


def test_a_key_that_is_part_of_no_cell_is_refused() -> None:
    """The screen says so, and which keys there are; the next key takes the note away."""

    async def use(one: Played) -> None:
        await one.until(lambda: "Enter fires" in one.foot)
        await one.pilot.press("z")
        await one.until(lambda: one.foot.startswith("'z' is not a cell: arrows or two digits aim"))
        await one.pilot.press("0")
        await one.until(lambda: one.foot == "cell 0_")
        await one.pilot.press("2", "enter")

    assert played(shot, use) == Fired((Target(1, Cell(0, 2)),))


@pytest.mark.parametrize("keys", ["77", "zz", "0z"])
def test_enter_behind_a_wrong_cell_does_not_fire(keys: str) -> None:
    """The note stays. Another Enter fires at the cell that the board shows, which the wrong one has
    left as it was."""

    async def use(one: Played) -> None:
        await one.until(lambda: "Enter fires" in one.foot)
        await one.pilot.press("1", "2", *keys, "enter")
        await one.pilot.pause()
        assert " cell" in one.foot
        assert not one.answer.done()
        await one.pilot.press("enter")

    assert played(shot, use) == Fired((Target(1, Cell(1, 2)),))


def test_a_volley_is_aimed_cell_by_cell() -> None:
    """The cells of a volley bear their numbers; Backspace takes the last one back, and none is
    taken twice."""

    async def use(one: Played) -> None:
        await one.until(lambda: "shot 1 of 3" in one.foot)
        await one.pilot.press("0", "0", "enter", "enter")
        await one.until(lambda: "00 stands in this volley already" in one.foot)
        await one.pilot.press("1", "0", "enter", "backspace")
        await one.until(lambda: "shot 2 of 3" in one.foot)
        await one.pilot.press("2", "0", "enter", "1", "1")
        await one.until(lambda: one.board(1)[2:4] == ["0¹· ·²· ·", "1 ·[·]· ·"])
        await one.pilot.press("enter")

    fired = Fired((Target(1, Cell(0, 0)), Target(1, Cell(2, 0)), Target(1, Cell(1, 1))))
    assert played(salvo, use, rules=SALVOS) == fired


def test_leaving_and_resigning_are_asked_twice() -> None:
    """Another key in between takes it back."""

    async def use(one: Played) -> None:
        await one.until(lambda: "Enter fires" in one.foot)
        await one.pilot.press("q", "left", "q")
        await one.until(lambda: "q again leaves" in one.foot)
        await one.pilot.press("r")
        assert not one.answer.done()
        await one.pilot.press("r")

    assert played(shot, use) == Resigned()


def test_a_long_end_of_a_game_is_scrolled() -> None:
    """A key that scrolls its lines does not end the look at it, as other keys do."""
    end = Picture("me", SMALL, (TitledBoard("me", {}, {}),), said=tuple(map(str, range(30))))

    async def use(one: Played) -> None:
        await one.until(lambda: one.app.query_one("#scrolls").display)
        await one.pilot.press("greater_than_sign")
        await one.until(lambda: one.app.query_one("#below").scroll_y > 0)
        assert not one.answer.done()
        await one.pilot.press("x")
        await one.until(one.answer.done)

    played(lambda app: app.look(end, None, "press a key"), use)


@pytest.mark.parametrize(("columns", "side_by_side"), [(40, 1), (60, 2), (80, 2)])
def test_narrow_screens_stack_the_boards_of_a_game(columns: int, side_by_side: int) -> None:
    """The board that is aimed at is in sight on all of them."""

    async def use(one: Played) -> None:
        await one.until(lambda: len(one.views) == 2 and one.views[1].has_focus)
        await one.pilot.pause()
        tops = [view.region.y for view in one.views]
        assert tops.count(tops[0]) == side_by_side
        await one.until(lambda: one.views[1].region.bottom <= one.app.query_one("#said").region.y)
        await one.pilot.press("0", "0", "enter")

    played(shot, use, rules=SMALL, size=(columns, 20))


def test_the_cell_that_is_aimed_at_stays_on_a_small_screen() -> None:
    """On 40 columns and 20 rows the boards scroll with the aim, to the first row and to the last."""

    async def use(one: Played) -> None:
        await one.until(lambda: len(one.views) == 2 and one.views[1].has_focus)
        boards = one.app.query_one("#boards")

        def is_seen(row: int) -> bool:
            lines = one.board(1)
            at = one.views[1].region.y + next(y for y, line in enumerate(lines) if "[" in line)
            return (
                lines[2 + row][1:].count("[") == 1 and boards.region.y <= at < boards.region.bottom
            )

        for keys, row in ((("up",) * 8, 0), (("up",), 15), (("up",) * 12, 3), (("down",) * 13, 0)):
            await one.pilot.press(*keys)
            await one.until(partial(is_seen, row))
        await one.pilot.press("enter")

    rules = replace(BRAINJAR, name="high", rows=16, fleet=(2, 3))
    played(partial(shot, rules=rules), use, rules=rules, size=(40, 20))


@pytest.mark.parametrize("colour", [True, False])
def test_a_game_is_seen_without_colours(colour: bool) -> None:
    """Without them the same signs stand there: what was hit, missed, sunk or aimed at needs no
    colour."""

    async def use(one: Played) -> None:
        await one.until(lambda: "Enter fires" in one.foot)
        await one.pilot.press("0", "0")
        await one.until(lambda: one.board(1)[2:6] == BOARD)
        await one.pilot.press("enter")

    played(shot, use, colour=colour)


BOARD = ["0[·]· · ·", "1 · · · ·", "2 · · · ·", "3 · · · ○"]
