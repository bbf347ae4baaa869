"""Clients of a BSP server that are slow on purpose, in a process of their own: what they do holds up
nobody who measures.

    .venv/bin/python scripts/bench_slow.py PORT EACH

So many of each of three ways: some say a byte a second, some never read, and some are silent. They
know nothing of each other: they begin one by one, and pause at random.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, cycle, repeat
from random import Random

import click
from bench_halls import HOST

PAUSE = 1.0  # seconds between two things that a client says, on average
_luck = Random(1)


@click.command()
@click.argument("port", type=int)
@click.argument("each", type=int)
def main(port: int, each: int) -> None:
    """Hold the clients until a signal comes."""
    asyncio.run(_all(port, each))


async def _all(port: int, each: int) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(each):
            group.create_task(
                _hold(port, lambda: chain([b"JOIN\n"], map(_byte, cycle(b"SHOT A1\n"))))
            )
            group.create_task(
                _hold(port, lambda: chain([b"JOIN\n"], repeat(b"SHOT A1\n")), reads=False)
            )
            group.create_task(_hold(port, lambda: repeat(b"")))


async def _hold(port: int, words: Callable[[], Iterator[bytes]], *, reads: bool = True) -> None:
    """Keep a client that says something once a second, for whom another comes when it is sent
    off."""
    while True:
        await _pause()
        with suppress(OSError):
            loop = asyncio.get_running_loop()
            transport, _ = await loop.create_connection(asyncio.Protocol, HOST, port)
            if not reads:
                transport.pause_reading()
            try:
                for said in words():
                    if transport.is_closing():
                        break
                    transport.write(said)
                    await _pause()
            finally:
                transport.abort()


async def _pause() -> None:
    await asyncio.sleep(_luck.uniform(0, 2 * PAUSE))


def _byte(number: int) -> bytes:
    return bytes([number])


if __name__ == "__main__":
    main()
