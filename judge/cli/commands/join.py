"""judge join: a seat at somebody's server, for a bot."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from judge.cli.configuration import Command
from judge.cli.exit_status import BOT_FAILED
from judge.cli.network_bots import table_settings
from judge.cli.options import ISOLATION, option
from judge.cli.output import note
from judge.cli.values import ADDRESS, BOT, LOG_FILE, NAME, TIME_LIMIT, count
from judge.contest.seeds import SEED_LIMIT
from judge.errors import BotError
from judge.quoting import word
from judge.show.text import clean

if TYPE_CHECKING:
    from judge.game.rules import Rules
    from judge.join.address import Address
    from judge.play.player import ProgramPlayer
    from judge.play.run import Run
    from judge.process.bots.bot import Bot


@click.command(cls=Command)
@click.argument("address", type=ADDRESS)
@option("--bot", "The bot that plays.", type=BOT, required=True, show_default=False)
@option(
    "--name",
    "The name at the table. Published servers of BSP take none.",
    type=NAME,
    show_default="XBS: the bot's, as far as there is room; BSP: none",
)
@option("--games", "How many games, one after another.", type=count(1), default="1")
@option(
    "--timeout",
    "The bot's time for an answer; off: a day.",
    type=TIME_LIMIT,
    show_default="BSP: 30s; XBS: 60s",
)
@ISOLATION
@option(
    "--log",
    "Add what is sent and received to FILE, as the published client of BSP does.",
    type=LOG_FILE,
    show_default=False,
)
@click.pass_context
def join(
    ctx: click.Context,
    *,
    address: Address,
    bot: str,
    name: str | None,
    games: int,
    timeout: int | None,
    isolation: str,
    log: Path | None,
) -> None:
    """Let a bot play at the server at ADDRESS.

    ADDRESS is xbs://HOST:PORT for a table of Xterm Boat Sinker, or bsp://HOST:PORT for a server of
    BSP; without a port it is the usual one. It may be judge serve or the published server. Any bot
    plays that speaks a protocol which can express the rules of the game.
    """
    from judge.join.bot import BotClient
    from judge.join.endings import ending
    from judge.join.traffic_log import TrafficLog

    timeout_ms = address.game.rules.timeout_ms if timeout is None else timeout
    with closing(TrafficLog(log)) as traffic, ExitStack() as stack:
        seating = _Seating(bot, timeout_ms, isolation, stack)
        client = BotClient(
            address=address,
            usual_name=seating.usual_name,
            given_name=name,
            seat=seating.seat,
            seed=lambda: secrets.randbelow(SEED_LIMIT),
            timeout_ms=timeout_ms,
            log=traffic,
            tell=lambda said: note(clean(said)),
        )
        for number in range(1, games + 1):
            try:
                finished = client.play(again=number > 1)
            except BotError as error:
                note(f"{seating.usual_name} failed, and its game was left: it {error}")
                ctx.exit(BOT_FAILED)
            names = list(finished.names)
            if not address.game.announces:
                names = ["the opponent", "the opponent"]
                names[finished.own] = seating.usual_name
            click.echo(f"game {number}: {ending(names, finished.outcome)}")
        if traffic.failure:
            note(f"{word(str(log))}: {traffic.failure}")


class _Seating:
    """Seats one bot, by the rules that a table announces; raises `UsageError` if it cannot play
    them."""

    def __init__(self, spec: str, timeout_ms: int, isolation: str, stack: ExitStack) -> None:
        from judge.process.bots.bot import find_all

        self._spec = spec
        self._timeout_ms = timeout_ms
        self._isolation = isolation
        self._stack = stack
        self._runs: dict[Rules, tuple[Run, Bot]] = {}
        (found,) = find_all([spec])
        self.usual_name = found.name

    @contextmanager
    def seat(self, rules: Rules, seed: int) -> Iterator[ProgramPlayer]:
        run, bot = self._run(rules)
        with run.seat(bot, 0, seed, rules=rules, seats=rules.players[1]) as player:
            yield player

    def _run(self, rules: Rules) -> tuple[Run, Bot]:
        if rules not in self._runs:
            from judge.cli.setup import Setup

            settings = table_settings(rules, self._timeout_ms, self._isolation)
            setup = Setup.of([self._spec], settings, seats=rules.players[1])
            self._runs[rules] = self._stack.enter_context(setup.run()), setup.bots[0]
        return self._runs[rules]
