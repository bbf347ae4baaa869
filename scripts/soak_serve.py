"""Plays many short games at a server, and says what is left of them.

    .venv/bin/python scripts/soak_serve.py --games 10000

Games of BSP are given up after a few shots, and tables of XBS play beside them. After each tenth of
the games all clients go; the server's memory and descriptors must not grow from the second on.
"""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import NamedTuple

import click
from bench_clients import Halls, Load, served

AT_ONCE, TABLES = 50, 10
ROUNDS = 10
LOOK, STALLED, SETTLED = 0.1, 30.0, 4.0  # seconds; a shot comes before it has stalled
MOST_GROWTH = 0.1  # of the memory, from the second round to the last


class _Weight(NamedTuple):
    """What was played in a round, and what the server holds after it."""

    games: int
    fired: int
    kib: int
    descriptors: int


@click.command()
@click.option("--games", default=10_000, help="How many games of BSP to play.")
@click.option("--shots", default=5, help="After how many shots a player gives up.")
def main(games: int, shots: int) -> None:
    """Look for what a server keeps of games that are over."""
    weights = []
    with tempfile.TemporaryDirectory() as folder, served(Path(folder), TABLES) as halls:
        for _ in range(ROUNDS):
            weight = asyncio.run(_round(halls, games // ROUNDS, shots))
            click.echo(
                f"{weight.games:6} games, {weight.fired:7} shots; then {weight.kib / 1024:6.1f} MB, "
                f"{weight.descriptors} descriptors"
            )
            weights.append(weight)
    first, last = weights[1], weights[-1]
    if last.kib > first.kib * (1 + MOST_GROWTH) or last.descriptors > first.descriptors:
        raise SystemExit("soak: the server has grown")


async def _round(halls: Halls, games: int, shots: int) -> _Weight:
    """Play so many games, break off the others, and weigh the server when all clients are gone."""
    load = Load(halls, AT_ONCE, TABLES, None, shots)
    await load.begin()
    still = 0.0
    while load.ended < games:
        fired = load.fired
        await asyncio.sleep(LOOK)
        still = 0.0 if load.fired > fired else still + LOOK
        if still > STALLED:
            raise SystemExit(f"soak: nobody has shot for {STALLED:g} s")
    load.end()
    await asyncio.sleep(SETTLED)
    return _Weight(load.ended, load.fired, halls.kib, halls.descriptors)


if __name__ == "__main__":
    main()
