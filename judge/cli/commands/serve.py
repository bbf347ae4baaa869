"""judge serve: the servers of BSP and XBS, and their options."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from random import Random
from socket import gethostname
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from judge import writing
from judge.cli import CommandGroup
from judge.cli.configuration import Command
from judge.cli.ledgers.ledger_option import the_ledger
from judge.cli.options import (
    IO,
    ISOLATION,
    NO_LEDGER,
    PLAIN,
    WEB,
    Decorator,
    adding,
    ledger_option,
    option,
)
from judge.cli.output import has_full_screen, note
from judge.cli.settings import Color
from judge.cli.values.files import MESSAGES
from judge.cli.values.games import BOATS, BOT, TITLE
from judge.cli.values.numbers import GRACE, REPEAT, SEED, TIME_LIMIT, count
from judge.cli.values.value import Choice
from judge.contest.settings import AskedLevel
from judge.errors import UsageError
from judge.serve.log import BEGIN, DAY, LineWriter, Log, MessageLog, ServerLogFormat

if TYPE_CHECKING:
    from judge.contest.setup import Setup
    from judge.documents.rules import Rules
    from judge.screen.host import HostScreen
    from judge.serve.ledger_store import GameStore
    from judge.serve.rate_limits import ClientBounds
    from judge.serve.server import Served, Server
    from judge.serve.xbs_console import Console
    from judge.show.live import Live
    from judge.show.live_game import Document

STDIN, STDOUT = 0, 1
LARGEST_PUBLISHED_PORT = 32_767  # the largest port that programs of Xterm Boat Sinker take


def _served(port: int, ledger: str) -> Decorator:
    """Return a decorator that adds the options of every server. ``port`` and ``ledger`` are the
    defaults of the options --port and --ledger."""
    return adding(
        option(
            "--host",
            "The address to listen at; may be given several times.",
            metavar="ADDRESS",
            multiple=True,
            default=("127.0.0.1",),
            show_default="127.0.0.1",
        ),
        option("--port", "The port; 0: any that is free.", type=count(0, 65535), default=str(port)),
        option("--max-clients", "How many clients may be connected.", type=count(2), default="200"),
        option(
            "--per-address",
            "How many of them may come from one address.",
            type=count(1),
            default="100",
        ),
        option(
            "--log-format",
            "The form of the events on stdout.",
            type=Choice([form.value for form in ServerLogFormat]),
            default=ServerLogFormat.TEXT.value,
        ),
        option(
            "--log",
            "Add each message that is sent or received to FILE, a line each; - prints it.",
            type=MESSAGES,
        ),
        ledger_option(default=ledger),
        NO_LEDGER,
        WEB,
    )


@click.group(cls=CommandGroup)
def serve() -> None:
    """Serve a game over TCP, for people and bots, until it is interrupted.

    The clients and bots of the published network games connect unchanged. Every game is kept.

    \b
    Examples:
      judge serve bsp --web 8000      with a page that shows the games
      judge serve xbs --bot xbs-hunt  with a bot at the table
    """


@serve.command(cls=Command, usual=("host", "port", "timeout", "ledger", "web"))
@_served(8080, "bsp.ledger.json")
@option("--timeout", "The time of a turn.", type=TIME_LIMIT, default="30s")
@option(
    "--seed",
    "The seed of all fleets and of the first mover; for tests, since anyone who knows it knows the fleets.",
    type=SEED,
    show_default="drawn: nobody can foresee them",
)
def bsp(timeout: int, seed: int | None, **served: Any) -> None:
    """Serve BSP: clients are paired as they come, and any number of games goes on at once.

    A client may give a name, as JOIN ann; games of clients without a name are not rated.

    \b
    Examples:
      judge serve bsp                            at port 8080 of this machine
      judge serve bsp --timeout 2min --web 8000  long turns, and a page
    """
    from judge.serve.bsp import Matchmaking, dealer

    def hall(
        log: Log,
        store: GameStore,
        stop: Callable[[], None],  # noqa: ARG001 - it ends by a signal alone
        live: Live | None,
    ) -> Served:
        return Matchmaking(log, store, dealer(seed), timeout_ms=timeout, live=live)

    joining = ("judge join bsp://HOST:PORT --name YOU", "python main.py HOST PORT")
    _run("BSP", "BSP", hall, joining=joining, **served)


@serve.command(cls=Command, usual=("bot", "title", "max", "port", "web"))
@_served(7948, "xbs.ledger.json")
@option("--title", "The title of the table.", type=TITLE, default="Battleships")
@option("--min", "How many players it takes to begin.", type=count(2, 9), default="2")
@option("--max", "How many may join.", type=count(2, 9), default="9")
@option("--width", "The columns of a board.", type=count(8, 22), default="10")
@option("--height", "The rows of a board.", type=count(8, 22), default="10")
@option(
    "--boats", "The ships: the letter and the length of each.", type=BOATS, default="A5,B4,C3,D3,E2"
)
@option(
    "--goal",
    "The points that end the game.",
    type=count(1, 1000),
    show_default="the squares of the ships",
)
@option("--auto-start", "Begin once the table is full.", is_flag=True)
@option(
    "--repeat",
    "Open the lobby again after each game, until N are played; without N, until it is stopped.",
    type=REPEAT,
    is_flag=False,
    flag_value="forever",
    default="1",
)
@option(
    "--turn-timeout",
    "The time of a turn, which is then skipped; off: as long as it takes.",
    type=GRACE,
    default="off",
)
@option(
    "--rejoin-grace",
    "How long the turn of an absent player waits; off: until the host skips it.",
    type=GRACE,
    default="60s",
)
@option(
    "--rejoin",
    "From where a player who is gone may come back without its board, unless the host lets it in; "
    "same-address: while nobody else is there.",
    type=Choice(["same-address", "any"]),
    default="same-address",
)
@option(
    "--dialect",
    "Which of the published servers it is like.",
    type=Choice(["2.0", "1.2"]),
    default="2.0",
)
@option(
    "--bot",
    "A bot of this machine that has a place in each game; may be given several times.",
    type=BOT,
    multiple=True,
    show_default="none",
)
@option("--bot-timeout", "The time of a bot's turn.", type=TIME_LIMIT, default="60s")
@ISOLATION
@IO
@option("--seed", "The seed of the order of turns.", type=SEED, show_default="none")
@PLAIN
def xbs(
    title: str,
    min: int,  # noqa: A002 - as its option is called
    max: int,  # noqa: A002 - as its option is called
    width: int,
    height: int,
    boats: Sequence[tuple[str, int]],
    goal: int | None,
    auto_start: bool,
    repeat: int | None,
    turn_timeout: float | None,
    rejoin_grace: float | None,
    rejoin: str,
    dialect: str,
    bot: Sequence[str],
    bot_timeout: int,
    isolation: AskedLevel,
    io: Path | None,
    seed: int | None,
    plain: bool,
    **served: Any,
) -> None:
    """Serve a table of Xterm Boat Sinker: a lobby, and then its game.

    In a terminal the host has a full screen with the table; elsewhere commands are lines on stdin.
    ? lists the commands. A player who is gone may come back.

    \b
    Examples:
      judge serve xbs --min 3 --goal 50          three players, to 50 points
      judge serve xbs --bot xbs-hunt --bot hunt  with two bots at the table
    """
    from judge.game.variants import XBS
    from judge.serve.xbs import XbsTable
    from judge.serve.xbs_places import Options
    from judge.wire import WIRES

    if min > max:
        raise UsageError(f"--min {min} is more than --max {max}")
    typed = ",".join(f"{letter}{length}" for letter, length in boats)
    fleet = tuple(length for _, length in boats)
    try:
        rules = replace(XBS, columns=width, rows=height, fleet=fleet, points=None)
    except UsageError as error:
        raise UsageError(f"--boats {typed}: {error}") from None
    spoken = WIRES[rules.wire]
    if why := spoken.unsupported(rules, max):
        raise UsageError(f"--boats {typed}: no published client plays that: {why}")
    rules = replace(rules, points=goal)
    if why := spoken.unsupported(rules, max):
        raise UsageError(f"--goal {goal}: no published client plays that: {why}")
    if goal not in (None, sum(fleet)):
        note(
            f"clients of release 1.2 refuse a --goal other than {sum(fleet)}, all squares of ships"
        )
    if width != height:
        note("programs of release 2.0 refuse a board that is not square; those of 1.2 play on it")
    options = Options(
        title=title,
        rules=rules,
        letters="".join(letter for letter, _ in boats),
        least=min,
        most=max,
        auto_start=auto_start,
        repeat=repeat,
        turn=turn_timeout,
        grace=rejoin_grace,
        from_anywhere=rejoin == "any",
        dialect=dialect,
    )
    luck = None if seed is None else Random(f"{seed}:xbs")
    if io is not None and not bot:
        raise UsageError("--io is about what bots are asked: give --bot too")
    setup = _seated(bot, rules, max, bot_timeout, isolation) if bot else None
    run = setup.keeping_exchanges(io).run() if setup else None

    def hall(log: Log, store: GameStore, stop: Callable[[], None], live: Live | None) -> Served:
        from judge.serve.xbs_console import Console

        bots = setup.bots if setup else ()
        table = XbsTable(log, store, options, over=stop, luck=luck, bots=bots, run=run, live=live)
        _listen_to_host(Console(table, stop, asks=os.isatty(STDIN)), log, screen)
        return table

    is_for_people = not plain and served["log_format"] == ServerLogFormat.TEXT
    screen = _host_screen() if is_for_people else None
    with run or contextlib.nullcontext():
        _run(
            "XBS",
            title,
            hall,
            joining=("judge join xbs://HOST:PORT --name YOU", "client -h HOST -p PORT -u YOU"),
            bots=len(bot),
            largest_port=LARGEST_PUBLISHED_PORT,
            screen=screen,
            **served,
        )


def _host_screen() -> HostScreen | None:
    """Return a screen for the host, or None if the judge is not in a terminal's foreground."""
    if not has_full_screen(sys.stdout) or os.tcgetpgrp(STDIN) != os.getpgrp():
        return None
    from judge.screen.host import HostScreen

    return HostScreen(colour=Color.AUTO.on(sys.stdout))


def _seated(
    specs: Sequence[str], rules: Rules, most: int, timeout_ms: int, isolation: AskedLevel
) -> Setup:
    """Return the setup of the bots that have a place at a table. Raises `UsageError` if there are
    too many bots, if one cannot play, or if the table cannot take its name."""
    from judge.cli.setup import set_up_at_table
    from judge.contest.setup import named
    from judge.wire.xbs.notation import name_flaw

    if len(specs) > most:
        raise UsageError(f"--bot: {len(specs)} bots are named, and --max is {most}")
    setup = set_up_at_table(specs, rules, timeout_ms, isolation, most)
    for spec, bot in zip(specs, setup.bots, strict=True):
        if flaw := name_flaw(bot.name, rules.columns):
            raise UsageError(
                f"--bot {spec}: {flaw}, for a table of {rules.columns} columns; "
                f"{named(bot, spec).mend}"
            )
    return setup


def _listen_to_host(console: Console, log: Log, screen: HostScreen | None) -> None:
    """Carry out each line of the host, in the running event loop. The host types the lines on the
    screen. Without a screen, a thread reads them from stdin."""
    from judge.serve.host_input import lines_of_host

    def do(line: str) -> None:
        for said in console.do(line).splitlines():
            log.say("console", said)

    if screen:
        screen.do, screen.table = do, console.table
        screen.question = lambda: console.question
    else:
        lines_of_host(STDIN, do)
    if os.isatty(STDIN):
        log.say("console", "? or help lists the host's commands")


def _run(
    game: str,
    title: str,
    hall: Callable[[Log, GameStore, Callable[[], None], Live | None], Served],
    *,
    joining: Sequence[str],
    host: Sequence[str],
    port: int,
    max_clients: int,
    per_address: int,
    log_format: str,
    log: Path | None,
    ledger: Path,
    no_ledger: bool,
    web: tuple[str, int] | None,
    bots: int = 0,
    largest_port: int = 65535,
    screen: HostScreen | None = None,
) -> None:
    """Run a server until it is stopped."""
    from judge.serve.core import Core, descriptors
    from judge.serve.ledger_store import LedgerStore, NoStore
    from judge.serve.rate_limits import ClientBounds
    from judge.serve.server import Address, Server, is_open

    if web and port and port == web[1]:
        raise UsageError(f"--web and --port are both {port}: the live page needs a port of its own")
    # A client needs a descriptor, and so does a browser.
    most = descriptors(bots) // (2 if web else 1)
    if most < max_clients:
        note(
            f"this process may have so few files open that it takes {most} clients, not "
            f"{max_clients}; `ulimit -n` says how many"
        )
    form = ServerLogFormat(log_format)
    writers = [LineWriter(STDOUT)]
    events = Log(screen or writers[0], form)
    messages = None
    if log is not None:
        is_file = str(log) != "-"
        if is_file:
            writers.append(LineWriter(_opened(log, form)))
        messages = MessageLog(Log(writers[-1], form, DAY) if is_file else events)
    ledger = the_ledger(ledger)
    store: GameStore = NoStore() if no_ledger else LedgerStore(ledger)

    def listening(live: Live | None, addresses: Sequence[tuple[str, int]]) -> None:
        if live:
            reached = (one for one in addresses if is_open(one[0]))
            live.opens(_door(joining, *next(reached, addresses[0])))
        if port > largest_port:
            note(f"published clients and bots refuse port {port}; --port gives one below 32768")
        for address, at in addresses:
            where = Address(address, at)
            kept = "no game is kept" if no_ledger else f"games are kept in {ledger}"
            said = f"serving {game} at {where}; {kept}"
            events.say("listening", said, host=address, port=at)
            if is_open(address):
                note(
                    f"{where} is open to other machines: anyone who reaches it can play, "
                    f"{game} is not encrypted, and nobody proves a name"
                )

    async def serving() -> None:
        bounds = ClientBounds(clients=min(max_clients, most), per_address=per_address)
        async with _page(title, web, bounds, events) as live:
            server = Server(events, partial(listening, live))
            one = hall(events, store, server.stop, live)
            server.add(one, Core(one, events, bounds, messages), host, port, store)
            await (_on_screen(screen, server) if screen else server.run())

    try:
        asyncio.run(serving())
    finally:
        for line in screen.lines if screen else ():
            writers[0].write(line)
        for writer in writers:
            writer.close()


def _door(joining: Sequence[str], host: str, port: int) -> Document:
    """Return what the live page says on joining a server: commands, host and machine."""
    commands = [command.replace("PORT", str(port)) for command in joining]
    named = f"[{host}]" if ":" in host else host
    is_any = ip_address(host).is_unspecified
    return {"commands": commands, "host": None if is_any else named, "machine": gethostname()}


async def _on_screen(screen: HostScreen, server: Server) -> None:
    from judge.screen.hosting import drawn

    screen.stop = server.stop
    async with drawn(screen, server.stop):
        await server.run()


@contextlib.asynccontextmanager
async def _page(
    title: str, web: tuple[str, int] | None, bounds: ClientBounds, log: Log
) -> AsyncIterator[Live | None]:
    """Serve the live page if ``web`` is an address. Yields the page's content, or None."""
    if web is None:
        yield None
        return
    from judge.cli.web import say_who_can_watch
    from judge.serve.live_page import Hub
    from judge.serve.page_server import serving_page
    from judge.serve.server import Address, say_bug

    hub = Hub(title)
    async with serving_page(hub, Address(*web), bounds, bug=partial(say_bug, log)) as addresses:
        for where in addresses:
            log.say("page", f"the live page is at http://{where}/", url=f"http://{where}/")
            say_who_can_watch(where)
        yield hub.live


def _opened(path: Path, form: ServerLogFormat) -> int:
    """Open a log to which lines of this form are added. Raises `UsageError` if the log cannot be
    written."""
    try:
        return writing.opened_log(path, BEGIN[form])
    except OSError as error:
        raise UsageError(f"--log {path} cannot be written: {error.strerror}") from None
