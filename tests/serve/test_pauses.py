"""Nothing of a game waits for the garbage collector, which a server lets run seldom."""

from __future__ import annotations

import asyncio
import gc
import sys
import weakref

import pytest

from halls import BOARDS, joined, matchmaking, playing, small, table, table_in, two
from judge.serve.pauses import WORTH_IT_WHEN_IDLE, short_pauses
from serving import Serving, later, run

pytestmark = pytest.mark.whole


def left_of_judge(serving: Serving) -> set[str]:
    """The types of the judge's own objects that only the collector would free."""
    serving.forget()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        gc.collect()
        return {type(one).__name__ for one in gc.garbage if type(one).__module__[:6] == "judge."}
    finally:
        gc.set_debug(0)
        gc.garbage.clear()


async def all_gone(serving: Serving) -> None:
    await serving.until(lambda: not serving.core.clients)
    await later(0)


@pytest.mark.parametrize("how", ["SURRENDER", "end", "reset", "late", "FOO"])
def test_a_game_of_bsp_leaves_nothing_to_collect(how: str) -> None:
    """However it ends, it is freed when its clients are gone."""

    async def play() -> None:
        async with Serving(matchmaking()) as serving:
            gc.collect()
            a, b = await two(serving)
            players = [weakref.ref(one) for one in serving.core.clients]
            await a.say("SHOT A1\n")
            await b.lines(2)
            match how:
                case "SURRENDER":
                    await b.say("SURRENDER\n")
                case "late":
                    await later(31)
                case "FOO":
                    await b.say("FOO\n" * 501)
                case _:
                    getattr(b, how)()
            await a.rest()
            b.close()
            await all_gone(serving)
            assert [player() for player in players] == [None, None]
            assert left_of_judge(serving) == set()

    run(play())


def test_a_game_of_xbs_leaves_nothing_to_collect() -> None:
    """Nor do players who leave and come back, are sent away, or never get a place."""

    async def play() -> None:
        async with Serving(table(small(repeat=None), "ann", "bob")) as serving:
            gc.collect()
            ann, bob = await playing(serving, "ann", "bob")
            await ann.say("S|bob|1|2\n")
            await bob.line()
            bob.close()
            await serving.until(lambda: table_in(serving).places[1].client is None)
            bob = await serving.connect()
            await bob.say(f"J|bob\nJ|bob|{BOARDS[0]}\n" + f"J|bob|{BOARDS[1]}\n")
            await serving.until(lambda: table_in(serving).places[1].client is not None)
            table_in(serving).boot(table_in(serving).places[0])
            await ann.rest()
            bob.close()
            await serving.until(lambda: table_in(serving).places[1].client is None)
            await later(61)
            await serving.until(lambda: table_in(serving).match is None)
            (cat,) = await joined(serving, "cat")
            stranger = await serving.connect()
            await stranger.say("J|cat|x\nJ|dan|x\n")
            assert (await stranger.rest()).endswith("invalid board\n")
            await cat.say("L\n")
            await cat.rest()
            await all_gone(serving)
            assert left_of_judge(serving) == set()

    run(play())


def test_the_collector_runs_when_nobody_is_connected() -> None:
    """While somebody is, it does not run for what is little; what the interpreter had for itself
    before is so again afterwards."""
    before = sys.getswitchinterval(), gc.isenabled()
    is_idle = False

    class Knot:
        def __init__(self) -> None:
            self.itself = self

    async def look() -> None:
        nonlocal is_idle
        with short_pauses(lambda: is_idle):
            assert not gc.isenabled()
            knots = [Knot() for _ in range(WORTH_IT_WHEN_IDLE)]
            tied = weakref.ref(knots[0])
            del knots
            await later(2)
            assert tied() is not None
            is_idle = True
            await later(2)
            assert tied() is None
        assert (sys.getswitchinterval(), gc.isenabled()) == before
        await asyncio.sleep(0)

    run(look())
