"""Serves BSP at one port and a table of XBS at each of several others, in one process.

    .venv/bin/python scripts/bench_halls.py --tables 100

Prints its ports in a line of JSON, that of BSP first, then its log, until it is stopped. The games
go into ledgers in the current folder. For `bench_serve.py` and `soak_serve.py`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import click

from judge.cli.commands.serve import STDOUT
from judge.serve.admission import ClientBounds
from judge.serve.bsp import Matchmaking, dealer
from judge.serve.core import Core, descriptors
from judge.serve.ledger_store import LedgerStore
from judge.serve.log import LineWriter, Log
from judge.serve.server import Address, Server
from judge.serve.xbs import XbsTable
from judge.serve.xbs_places import Options

HOST = "127.0.0.1"
AT_TABLE = 4  # players


@click.command()
@click.option("--tables", default=100, help="How many tables of XBS.")
def main(tables: int) -> None:
    """Serve until a signal comes."""
    writer = LineWriter(STDOUT)
    try:
        asyncio.run(_serve(tables, Log(writer)))
    finally:
        writer.close()


async def _serve(tables: int, log: Log) -> None:
    def ready(addresses: Sequence[tuple[str, int]]) -> None:
        print(json.dumps([port for _, port in addresses]), flush=True)

    server = Server(log, ready)
    most = descriptors()
    bounds = ClientBounds(clients=most, per_address=most)
    store = LedgerStore(Path("bsp.ledger.json"))
    games = Matchmaking(log, store, dealer(None))
    server.add(games, Core(games, log, bounds), Address(HOST, 0), store)
    store = LedgerStore(Path("xbs.ledger.json"))
    for number in range(tables):
        options = Options(title=f"Table {number}", most=AT_TABLE, auto_start=True, repeat=None)
        table = XbsTable(log, store, options, over=server.stop)
        server.add(table, Core(table, log, bounds), Address(HOST, 0), store)
    await server.run()


if __name__ == "__main__":
    main()
