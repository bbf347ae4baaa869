"""The full screen of judge fight --watch, by Textual's pilot, with a thread that has it show."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from textual.widgets import Static

from games import played
from judge.screen.pictures import Lines
from judge.screen.watch import WatchApp
from judge.show.replay import Replay, picture
from screen_boards import marks_in_sight

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    from textual.pilot import Pilot

pytestmark = pytest.mark.whole

REPLAYED = Replay.of(played(seed=3))
PICTURES = [picture(REPLAYED, step) for step in range(1, 4)]


class Watched:
    """A screen, and a thread that has it show three pictures."""

    def __init__(self, app: WatchApp, pilot: Pilot[None], worker: Future[None]) -> None:
        self.app, self.pilot, self.worker = app, pilot, worker

    async def until(self, true: Callable[[], object]) -> None:
        async with asyncio.timeout(60):
            while not true():
                await self.pilot.pause(0.01)

    async def shows(self, step: int) -> None:
        await self.until(lambda: f", {step} of " in str(self.app.query_one("#title").render()))

    @property
    def foot(self) -> str:
        return str(self.app.query_one("#foot", Static).render())


def watched(
    use: Callable[[Watched], Coroutine[Any, Any, None]],
    *,
    delay: int = 30_000,
    size: tuple[int, int] = (80, 24),
) -> None:
    """Use such a screen; the thread has come to its end afterwards."""
    app = WatchApp(delay=delay, colour=False)

    def show_all() -> None:
        for one in PICTURES:
            app.look(one)

    async def run(pool: ThreadPoolExecutor) -> Future[None]:
        async with app.run_test(size=size) as pilot:
            worker = pool.submit(show_all)
            await use(Watched(app, pilot, worker))
        return worker

    with ThreadPoolExecutor(1) as pool:
        asyncio.run(run(pool)).result(60)


def test_a_paused_game_goes_on_a_move_at_a_time() -> None:
    """Space pauses; another key is a move, and after space again it plays."""

    async def use(one: Watched) -> None:
        await one.shows(1)
        await one.pilot.press("space")
        assert one.foot.startswith("paused: another key is one move;")
        await one.pilot.press("right")
        await one.shows(2)
        await one.pilot.press("x")
        await one.shows(3)
        assert not one.worker.done()
        await one.pilot.press("space")
        assert one.foot.startswith("30 s a move;")

    watched(use)


def test_a_small_screen_follows_the_shots() -> None:
    """On 40 columns and 20 rows the marked cell of each move is in sight, on either board."""

    async def use(one: Watched) -> None:
        await one.pilot.press("space")
        for step, seat in ((1, 1), (2, 0), (3, 1)):
            await one.shows(step)
            await one.until(lambda seat=seat: marks_in_sight(one.app) == [seat])
            await one.pilot.press("x")

    watched(use, size=(40, 20))


def test_the_speed_of_a_game_can_be_changed() -> None:
    """Plus halves the time of a move, and minus doubles it."""

    async def use(one: Watched) -> None:
        await one.shows(1)
        await one.pilot.press("plus", "plus", "minus")
        assert one.foot.startswith("15 s a move;")
        await one.pilot.press(*["plus"] * 20)
        assert one.foot.startswith("0.001 s a move;")
        await one.until(one.worker.done)
        await one.shows(3)
        below = [*PICTURES[-1].moves[-5:], *PICTURES[-1].said]
        assert str(one.app.query_one("#said", Lines).render()) == "\n".join(below)

    watched(use)


def test_nobody_waits_for_a_viewer_who_has_left() -> None:
    """However long a move is to be looked at, the game goes on."""

    async def use(one: Watched) -> None:
        await one.shows(1)
        assert not one.worker.done()
        one.app.leave()
        await one.until(one.worker.done)

    watched(use)
