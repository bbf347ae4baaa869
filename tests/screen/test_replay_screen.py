"""The full screen of judge replay, by Textual's pilot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

import pytest
from textual.containers import VerticalScroll
from textual.widgets import Static

from changes import replace
from games import played
from judge.documents.game import Termination
from judge.game.variants import contest
from judge.screen.boards import BoardView
from judge.screen.pictures import Lines
from judge.screen.replay import ReplayApp
from judge.screen.scrubber import Scrubber
from judge.show.replay import Replay
from screen_boards import marks_in_sight

if TYPE_CHECKING:
    from textual.pilot import Pilot

pytestmark = pytest.mark.whole

REPLAYED = Replay.of(played(seed=3))


def stepped(
    use: Callable[[ReplayApp, Pilot[None]], Coroutine[Any, Any, None]],
    replayed: Replay = REPLAYED,
    *,
    size: tuple[int, int] = (80, 24),
    delay: int | None = None,
) -> ReplayApp:
    """A screen that was used so."""
    app = ReplayApp(lambda _: replayed, 1, seat=None, delay=delay, colour=True)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await use(app, pilot)

    asyncio.run(run())
    return app


def text(app: ReplayApp, of: str) -> str:
    return str(app.query_one(of, Lines).render())


def in_sight(app: ReplayApp, of: str) -> list[str]:
    """The lines that are not scrolled out of their place."""
    area = app.query_one(of, Lines).parent
    assert isinstance(area, VerticalScroll)
    first = round(area.scroll_y)
    return text(app, of).split("\n")[first : first + area.size.height]


def test_the_bar_moves_through_a_game_by_the_mouse() -> None:
    """A click at its right end shows the end, one at its left end the beginning."""

    async def use(app: ReplayApp, pilot: Pilot[None]) -> None:
        await pilot.click(Scrubber, offset=(79, 0))
        await pilot.pause()
        assert f", {REPLAYED.last} of {REPLAYED.last}," in text(app, "#title")
        assert "sank the whole fleet" in text(app, "#said")
        assert str(app.query_one(Scrubber).render()) == "━" * 79 + "●"
        await pilot.click(Scrubber, offset=(0, 0))
        await pilot.pause()
        assert f", 0 of {REPLAYED.last}," in text(app, "#title")
        assert str(app.query_one(Scrubber).render()) == "●" + "─" * 79

    stepped(use)


@pytest.mark.parametrize(("columns", "side_by_side"), [(40, 1), (80, 2)])
def test_narrow_screens_stack_the_boards_of_a_replay(columns: int, side_by_side: int) -> None:
    """Both boards stand side by side where there is room for them."""

    async def use(app: ReplayApp, pilot: Pilot[None]) -> None:
        tops = [view.region.y for view in app.query(BoardView)]
        assert len(tops) == 2
        assert tops.count(tops[0]) == side_by_side

    stepped(use, size=(columns, 40))


def test_no_cell_of_a_replay_is_aimed_at() -> None:
    """A click on a board changes nothing."""

    async def use(app: ReplayApp, pilot: Pilot[None]) -> None:
        before = [str(view.render()) for view in app.query(BoardView)]
        await pilot.click(BoardView, offset=(6, 6), times=2)
        assert [str(view.render()) for view in app.query(BoardView)] == before
        assert app.focused is None

    stepped(use)


def test_a_replay_that_plays_stops_at_the_end() -> None:
    """With a delay of a millisecond the end comes by itself, and then it plays no more."""
    short = Replay.of(played(forfeit=(0, Termination.CRASH), after=4))

    async def use(app: ReplayApp, pilot: Pilot[None]) -> None:
        async with asyncio.timeout(60):
            while f", {short.last} of " not in text(app, "#title"):
                await pilot.pause(0.01)
        await pilot.press("left")
        assert f", {short.last - 1} of " in text(app, "#title")

    stepped(use, short, delay=1)


def test_the_end_of_a_forfeited_game_shows_what_the_bot_printed() -> None:
    """Its sentence and its stderr stand below the boards, without what a terminal would obey."""
    stderr = "no such cell\x1b[2J: 99"
    crashed = played(forfeit=(0, Termination.CRASH), after=4, detail="exited", stderr=stderr)

    async def use(app: ReplayApp, pilot: Pilot[None]) -> None:
        assert "no such cell" not in text(app, "#said")
        await pilot.press("end")
        said = text(app, "#said")
        assert "hunter, crash: exited" in said
        assert "stderr  no such cell" in said
        assert "\x1b" not in said

    stepped(use, Replay.of(crashed), size=(80, 40))


@pytest.mark.parametrize("size", [(80, 24), (60, 24), (40, 20), (40, 12)])
def test_a_long_stderr_is_scrolled(size: tuple[int, int]) -> None:
    """All lines on a forfeit can be seen, by the keys that the screen tells as long as it does not
    show all lines at once. A step back, it neither has nor tells anything to scroll."""
    stderr = "\n".join(["Traceback", *(f"  line {number}" for number in range(20)), "the error"])
    crashed = played(forfeit=(0, Termination.CRASH), after=4, detail="exited", stderr=stderr)

    async def use(app: ReplayApp, pilot: Pilot[None]) -> None:
        hint = app.query_one("#scrolls", Static)
        assert not hint.display
        await pilot.press("end")
        await pilot.pause()
        assert str(hint.render()).startswith("< > scroll")
        assert hint.region.height == 1
        assert app.screen.region.contains_region(hint.region)
        seen = [in_sight(app, "#said")]
        assert "hunter, crash: exited" in "\n".join(seen[0])
        for _ in range(9):
            await pilot.press("greater_than_sign")
            await pilot.pause()
            seen.append(in_sight(app, "#said"))
        assert "the error" in seen[-1][-1]
        assert {*text(app, "#said").split("\n")} == {line for lines in seen for line in lines}
        await pilot.press(*["less_than_sign"] * 9)
        await pilot.pause()
        assert in_sight(app, "#said") == seen[0]
        await pilot.press("left")
        await pilot.pause()
        assert not hint.display

    stepped(use, Replay.of(crashed), size=size)


def test_a_small_screen_follows_the_shots() -> None:
    """On 40 columns and 20 rows the marked cell of each step is in sight, whichever way the game
    goes and from whichever board to the other."""

    async def use(app: ReplayApp, pilot: Pilot[None]) -> None:
        shot_at: list[int] = []
        for key in (*["right"] * 8, "end", "left", *["pageup"] * 4):
            await pilot.press(key)
            async with asyncio.timeout(60):
                while not marks_in_sight(app):
                    await pilot.pause(0.01)
            shot_at += marks_in_sight(app)
        assert {*shot_at} == {0, 1}

    stepped(use, size=(40, 20))


def test_boards_stay_together_on_a_wide_screen() -> None:
    """The second board begins where the first one ends, and not in the middle of the screen."""

    async def use(app: ReplayApp, pilot: Pilot[None]) -> None:
        left, right = [view.region for view in app.query(BoardView)]
        assert right.x - left.right <= 2
        assert right.x < 80

    stepped(use, size=(160, 40))


@pytest.mark.parametrize(
    ("size", "scale"),
    [((80, 24), 1), ((113, 40), 1), ((120, 26), 1), ((120, 30), 2), ((200, 50), 3)],
)
def test_boards_are_larger_on_a_large_screen(size: tuple[int, int], scale: int) -> None:
    """Both boards have twice or three times the columns and rows, with the moves beside them, if
    the screen shows all of them so at the end of the game too."""

    async def use(app: ReplayApp, pilot: Pilot[None]) -> None:
        for key in ("right", "end"):
            await pilot.press(key)
            await pilot.pause()
            for view in app.query(BoardView):
                assert view.size.height == 3 + 7 * scale + 1
                assert view.size.width >= 1 + 2 * 7 * scale + 3
                if scale > 1:
                    assert app.query_one("#boards").region.contains_region(view.region)
                    assert app.query_one("#moves", Lines).size.width >= 44

    stepped(use, size=size)


def test_a_wide_screen_has_the_moves_beside_the_boards() -> None:
    """On 200 columns and 50 rows the last moves stand at the right, the newest at the end; on 80
    columns there is no room for them."""

    async def use(app: ReplayApp, pilot: Pilot[None]) -> None:
        await pilot.press("3", "0", "enter")
        moves = app.query_one("#moves", Lines)
        beside = text(app, "#moves").splitlines()
        assert [line.split()[0] for line in beside] == [str(step) for step in range(1, 31)]
        assert moves.region.x > max(view.region.right for view in app.query(BoardView))
        assert moves.region.right <= 200
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert not app.query_one("#moves", Lines).display
        assert text(app, "#said") == beside[-1]

    stepped(use, size=(200, 50))


@pytest.mark.parametrize("size", [(200, 50), (120, 30)])
def test_the_last_move_is_beside_the_boards_at_the_end(size: tuple[int, int]) -> None:
    """The moves end above the lines on the result, with the last one."""

    async def use(app: ReplayApp, pilot: Pilot[None]) -> None:
        await pilot.press("end")
        await pilot.pause()
        seen = [int(line.split()[0]) for line in in_sight(app, "#moves")]
        assert seen == [*range(REPLAYED.last - len(seen) + 1, REPLAYED.last + 1)]
        await pilot.press("5", "enter")
        await pilot.pause()
        assert [int(line.split()[0]) for line in in_sight(app, "#moves")] == [*range(1, 6)]

    stepped(use, size=size)


def test_ships_that_were_not_hit_are_shown_before_the_shots_and_at_the_end() -> None:
    """Fleets placed ship by ship are seen as they are placed and when all is over, and between
    these the shots alone, as in the contest; f shows the ships meanwhile."""
    replayed = Replay.of(played(contest(5), 3))

    def ships(app: ReplayApp) -> int:
        """How many cells of a ship are drawn that were not hit."""
        assert app.picture, "it is shown"
        return sum(mark.isdigit() for board in app.picture.boards for mark in board.marks.values())

    async def use(app: ReplayApp, pilot: Pilot[None]) -> None:
        assert ships(app) == 0
        fleets = sum(ship.length for seat in replayed.record.seats for ship in seat.fleet or ())
        for step in range(replayed.first, 1):
            assert (step < 0) or ships(app) == fleets
            await pilot.press("right")
        assert ships(app) == 0
        assert "the shots alone" in text(app, "#title")
        await pilot.press("f")
        assert ships(app) > 0
        assert "the truth" in text(app, "#title")
        await pilot.press("f", "f", "f", "end")
        assert ships(app) > 0

    stepped(use, replayed)


HOSTILE = [
    "[@click=app.quit]q[/]",
    "[bold red]b[/]",
    "[link=https://example.org]l",
    "\x1b]8;;https://example.org\x1b\\t\x1b]8;;\x1b\\",
    "\x1b[31mr",
    "\x9b31mr",
    "\u202eor",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_neither_markup_nor_a_link(name: str) -> None:
    """A name of a stranger's stands on the screen as it is, without what a terminal obeys: it has
    no style, no action and no link."""
    record = played(seed=3)
    one, other = record.seats
    record = replace(record, seats=(replace(one, name=name), replace(other, name=name + "2")))
    app = ReplayApp(lambda _: Replay.of(record), 1, seat=None, delay=None, colour=True)

    async def look() -> None:
        async with app.run_test(size=(120, 40)) as pilot:
            await pilot.press("end")
            await pilot.pause()
            shown = ""
            for widget in app.screen.walk_children(Static):
                for strip in widget.render_lines(widget.size.region):
                    for segment in strip:
                        shown += segment.text
                        style = segment.style
                        assert style is None or not style.link
                        assert style is None or not style.meta.keys() & {"@click", "@mouse.down"}
            assert not {"\x1b", "\x9b", "\u202e"} & {*shown}
            if name.isascii() and name.isprintable():
                assert name in shown

    asyncio.run(look())
