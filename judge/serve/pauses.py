"""What a server does so that its loop, which everybody waits for, makes no long pauses.

Python's garbage collector goes through all objects whenever their number has grown by a quarter,
and most are of games that go on: with 2,500 clients, that takes a fifth of a second each time. What
a game and its clients leave is freed without it, but for a kilobyte of asyncio's for each
connection. So the collector runs when so many objects are new that they may be worth a pause, or
when no client is connected.

A thread that checks and keeps games has the interpreter for half a millisecond at most.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SWITCH_SECONDS = 0.0005
LOOK_SECONDS = 1.0
WORTH_A_PAUSE = 1_000_000  # objects, which are new and may be garbage
WORTH_IT_WHEN_IDLE = 10_000


@contextmanager
def short_pauses(is_idle: Callable[[], bool]) -> Iterator[None]:
    """Keep pauses short in the loop that runs; ``is_idle`` says whether nobody is connected."""
    interval, collects = sys.getswitchinterval(), gc.isenabled()
    collecting = asyncio.create_task(_collect(is_idle))
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.disable()
    try:
        yield
    finally:
        collecting.cancel()
        sys.setswitchinterval(interval)
        if collects:
            gc.enable()


async def _collect(is_idle: Callable[[], bool]) -> None:
    while True:
        await asyncio.sleep(LOOK_SECONDS)
        if gc.get_count()[0] >= (WORTH_IT_WHEN_IDLE if is_idle() else WORTH_A_PAUSE):
            gc.collect()
