"""A server under load: 500 games of BSP and 100 tables of XBS, with clients that shoot at random.

Measured are the time from a shot to its answer at 2,000 shots a second, without slow clients and
with them; that of a shot where everyone shoots as fast as it can, and the memory of a client at the
end of such games; and what the server itself takes for a shot at a table where nobody else plays.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import NamedTuple

from bench_clients import Halls, Load, served
from bench_halls import AT_TABLE
from bench_rows import Round, Rounds

GAMES, TABLES = 500, 100
CLIENTS = 2 * GAMES + AT_TABLE * TABLES
SHOTS_A_SECOND = 2000
SLOW = 500  # clients of each of three ways
REACHED = 0.9  # of the rate: the clients pause at random, and wait for each answer
WARM_UP, SECONDS, SHORTLY = 6.0, 10.0, 3.0
MOST_SECONDS = 120.0  # until games have ended that are played as fast as they can be


class _Steady(NamedTuple):
    """The 99th percentile in milliseconds, without slow clients and with them."""

    alone: float
    beside_slow: float


class _Fast(NamedTuple):
    """Milliseconds a shot, and KB a client."""

    shot: float
    client: float


def serve_row(folder: Path) -> Rounds:
    """The 99th percentile in milliseconds at a steady rate, and how many times longer it is beside
    slow clients; milliseconds a shot at full speed, and KB a client; milliseconds of the server's
    own CPU for a shot."""
    while True:
        with served(folder, TABLES) as halls:
            steady = asyncio.run(_steady(halls))
        with served(folder, TABLES) as halls:
            fast = asyncio.run(_fast(halls))
        with served(folder, 1) as halls:
            share = asyncio.run(_alone(halls))
        yield [
            Round(steady.alone),
            Round(steady.beside_slow, steady.alone),
            Round(fast.shot),
            Round(fast.client),
            Round(share),
        ]


async def _steady(halls: Halls) -> _Steady:
    load = Load(halls, GAMES, TABLES, SHOTS_A_SECOND)
    await load.begin()
    await asyncio.sleep(WARM_UP)
    alone = await load.measure(SECONDS)
    load.slow_down(SLOW)
    await asyncio.sleep(WARM_UP)
    beside = await load.measure(SECONDS)
    load.end()
    for answers in (alone, beside):
        if len(answers) < SHOTS_A_SECOND * SECONDS * REACHED:
            sys.exit(f"bench: only {len(answers) / SECONDS:.0f} shots/s were answered")
    return _Steady(_percentile(alone), _percentile(beside))


async def _fast(halls: Halls) -> _Fast:
    """Play until half of the first games of BSP have ended."""
    before = halls.kib
    load = Load(halls, GAMES, TABLES, None)
    await load.begin()
    count = len(await load.measure(SECONDS))
    end = time.monotonic() + MOST_SECONDS
    while load.ended < GAMES / 2:
        if time.monotonic() > end:
            sys.exit(f"bench: only {load.ended} games have ended after {MOST_SECONDS:g} s")
        await asyncio.sleep(0.1)
    load.end()
    return _Fast(SECONDS * 1000 / count, (halls.kib - before) / CLIENTS)


async def _alone(halls: Halls) -> float:
    load = Load(halls, 0, 1, None)
    await load.begin()
    await asyncio.sleep(1)  # the first game loads modules
    before = halls.cpu
    count = len(await load.measure(SHORTLY))
    load.end()
    return (halls.cpu - before) * 1000 / count


def _percentile(seconds: list[float]) -> float:
    """The 99th, in milliseconds."""
    return sorted(seconds)[int(len(seconds) * 0.99)] * 1000
