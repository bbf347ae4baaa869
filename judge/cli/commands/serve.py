"""judge serve: servers of two network games."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from judge import writing
from judge.cli.configuration import Command
from judge.cli.family import Family
from judge.cli.ledger_option import the_ledger
from judge.cli.options import NO_LEDGER, Decorator, option
from judge.cli.output import note
from judge.cli.values import LEDGER, LOG_FILE, SEED, TIME_LIMIT, count
from judge.errors import UsageError
from judge.serve.log import LineWriter, Log, LogFormat

if TYPE_CHECKING:
    from judge.serve.core import Client
    from judge.serve.keeping import Keeper
    from judge.serve.server import Served

STDOUT = 1


def _served(port: int, ledger: str) -> Sequence[Decorator]:
    """The options of every server."""
    return (
        option("--host", "The address to listen at.", metavar="ADDRESS", default="127.0.0.1"),
        option("--port", "The port; 0: any that is free.", type=count(0, 65535), default=str(port)),
        option(
            "--max-clients", "How many clients may be connected.", type=count(2), default="1000"
        ),
        option(
            "--per-address",
            "How many of them may come from one address.",
            type=count(1),
            default="100",
        ),
        option(
            "--log-format",
            "How what happens is told on stdout.",
            type=click.Choice([one.value for one in LogFormat]),
            default=LogFormat.TEXT.value,
        ),
        option(
            "--ledger",
            "The ledger: a .json file, beside its journal.",
            type=LEDGER,
            default=ledger,
        ),
        NO_LEDGER,
    )


def _with(options: Sequence[Decorator]) -> Callable[[Any], Any]:
    def add(command: Any) -> Any:
        for one in reversed(options):
            command = one(command)
        return command

    return add


@click.group(cls=Family, invoke_without_command=True)
@click.pass_context
def serve(ctx: click.Context) -> None:
    """Serve a game over TCP, for people and bots, until it is interrupted.

    The clients and bots of the published network games connect unchanged. Every game is kept.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


@serve.command(cls=Command)
@_with(_served(8080, "bsp.ledger.json"))
@option("--timeout", "The time of a turn.", type=TIME_LIMIT, default="30s")
@option(
    "--log",
    "Write what is sent and received into FILE as well, as the published server does.",
    type=LOG_FILE,
    show_default=False,
)
@option(
    "--seed",
    "The seed of all fleets, and of who begins: for tests, for who knows it knows the fleets.",
    type=SEED,
    show_default="none: nobody can foresee them",
)
def bsp(timeout: int, log: Path | None, seed: int | None, max_clients: int, **served: Any) -> None:
    """Serve BSP: clients are paired as they come, and any number of games goes on at once.

    A client may give a name, as JOIN ann; games of clients without one are not rated.
    """
    from judge.serve.bsp import Matchmaking, dealer
    from judge.serve.bsp_log import BspLog

    traffic = None if log is None else BspLog(LineWriter(_opened(log)))

    def hall(events: Log, keeper: Keeper) -> Served:
        return Matchmaking(events, keeper, dealer(seed), timeout_ms=timeout, traffic=traffic)

    def sent(client: Client, data: bytes) -> None:
        if traffic:
            traffic.sent(client, data)

    def ready(port: int) -> None:
        if traffic:
            traffic.listening(port)

    try:
        _run("BSP", hall, clients=max_clients, sent=sent, ready=ready, **served)
    finally:
        if traffic:
            traffic.close()


def _run(
    game: str,
    hall: Callable[[Log, Keeper], Served],
    *,
    host: str,
    port: int,
    clients: int,
    per_address: int,
    log_format: str,
    ledger: Path,
    no_ledger: bool,
    sent: Callable[[Client, bytes], None],
    ready: Callable[[int], None],
) -> None:
    """Run a server until it is stopped."""
    from judge.serve.core import Bounds, Core, descriptors
    from judge.serve.keeping import LedgerKeeper, NoLedger
    from judge.serve.server import Address, Server, is_open

    most = descriptors()
    if most < clients:
        note(
            f"this process may have so few files open that it takes {most} clients, not "
            f"{clients}; `ulimit -n` says how many"
        )
    writer = LineWriter(STDOUT)
    log = Log(writer, LogFormat(log_format))
    ledger = the_ledger(ledger)
    keeper: Keeper = NoLedger() if no_ledger else LedgerKeeper(ledger)

    def listening(addresses: Sequence[tuple[str, int]]) -> None:
        for address, at in addresses:
            where = f"[{address}]:{at}" if ":" in address else f"{address}:{at}"
            kept = "no game is kept" if no_ledger else f"games are kept in {ledger}"
            said = f"serving {game} at {where}; {kept}"
            log.say("listening", said, host=address, port=at)
            ready(at)
            if is_open(address):
                note(
                    f"{where} is open to others than this machine: whoever reaches it can play, "
                    f"{game} is not encrypted, and nobody proves a name"
                )

    async def serving() -> None:
        one = hall(log, keeper)
        core = Core(one, log, Bounds(clients=min(clients, most), per_address=per_address), sent)
        await Server([(one, core, Address(host, port))], keeper, log, listening).run()

    try:
        asyncio.run(serving())
    finally:
        writer.close()


def _opened(path: Path) -> int:
    """A file that lines are added to."""
    try:
        return writing.opened(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
