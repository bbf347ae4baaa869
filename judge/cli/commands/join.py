"""judge join: a seat at somebody's server, for a person or a bot."""

from __future__ import annotations

import getpass
import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from judge.cli.configuration import Command
from judge.cli.exit_status import BOT_FAILED
from judge.cli.interactive.terminal import has_full_screen
from judge.cli.network_bots import table_settings
from judge.cli.options import COLOR, ISOLATION, option
from judge.cli.output import note
from judge.cli.settings import Color
from judge.cli.values.files import LOG_FILE
from judge.cli.values.games import BOT, FLEET, NAME
from judge.cli.values.network import ADDRESS
from judge.cli.values.numbers import TIME_LIMIT, count
from judge.contest.seeds import SEED_LIMIT
from judge.contest.settings import AskedLevel
from judge.errors import BotError, UsageError
from judge.quoting import word
from judge.show.text import clean

if TYPE_CHECKING:
    from judge.documents.rules import Rules
    from judge.join.address import Address
    from judge.join.traffic_log import TrafficLog
    from judge.play.player import ProgramPlayer
    from judge.play.run import Run
    from judge.process.bots.bot import Bot

LONGEST_BOARD = 2**16  # bytes of a file


@click.command(cls=Command)
@click.argument("address", type=ADDRESS)
@option("--bot", "The bot that plays.", type=BOT, show_default="you play yourself")
@option(
    "--name",
    "The name at the table. Published servers of BSP take none.",
    type=NAME,
    show_default="XBS: the bot's or your login, as far as there is room; BSP: none",
)
@option(
    "--fleet",
    "XBS: join at once with these ships, random or as a file has them, row after row.",
    type=FLEET,
    show_default="you are asked",
)
@option("--plain", "Line by line in a terminal too, as where there is none.", is_flag=True)
@option("--games", "How many games a bot plays, one after another.", type=count(1), default="1")
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
@COLOR
@click.pass_context
def join(
    ctx: click.Context,
    *,
    address: Address,
    bot: str | None,
    name: str | None,
    fleet: Path | None,
    plain: bool,
    games: int,
    timeout: int | None,
    isolation: AskedLevel,
    log: Path | None,
    color: str,
) -> None:
    """Play at the server at ADDRESS, or let a bot play there.

    ADDRESS is xbs://HOST:PORT for a table of Xterm Boat Sinker, or bsp://HOST:PORT for a server of
    BSP; without a port it is the usual one. It may be judge serve or the published server.

    In a terminal there is a full screen. Elsewhere what happens
    is told line by line. Commands are typed, and help lists them. Any bot plays that speaks a
    protocol which can express the rules of the game, and waits up to twelve hours for others to
    join or to move. The exit status is 3 if the bot fails.
    """
    from judge.join.traffic_log import TrafficLog

    given = ctx.get_parameter_source
    with closing(TrafficLog(log)) as traffic:
        if bot is None:
            _require_unused(ctx, ("games", "timeout", "isolation"), "are for a --bot")
            if not address.game.announces:
                _require_unused(ctx, ("fleet",), "are for XBS: at BSP the server places the ships")
            board = "random" if given("fleet") is not ParameterSource.DEFAULT else None
            board = board if fleet is None else _text(fleet)
            colour = Color(color).on(sys.stdout)
            _sit(address, name, board, traffic, plain=plain, colour=colour)
        else:
            _require_unused(
                ctx, ("fleet", "plain", "color"), "are for a person, and not for a --bot"
            )
            _let_play(ctx, address, bot, name, games, timeout, isolation, traffic)
        if traffic.failure:
            note(f"{word(str(log))}: {traffic.failure}")


def _require_unused(ctx: click.Context, names: Sequence[str], why: str) -> None:
    """Refuse options that were typed and would do nothing."""
    typed = [
        f"--{name}"
        for name in names
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    ]
    if typed:
        raise UsageError(f"{', '.join(typed)}: such options {why}")


def _sit(
    address: Address,
    name: str | None,
    board: str | None,
    traffic: TrafficLog,
    *,
    plain: bool,
    colour: bool,
) -> None:
    """Have a person play, on a full screen where that can be."""
    from judge.join.driving import Driver
    from judge.join.lines import LineClient
    from judge.join.sitting import Sitting

    if sys.stdin is None:
        raise UsageError("standard input is closed, and commands come from there; --bot needs none")
    has_screen = not plain and has_full_screen(sys.stdout)
    sitting = Sitting(
        address,
        given_name=name,
        usual_name=_login(),
        luck=SystemRandom(),
        read=lambda path: _text(Path(path).expanduser()),
        board=board,
        colour=colour,
        boards_stand=has_screen,
    )
    if has_screen:
        from judge.screen.hosting import Hosting
        from judge.screen.table import TableApp

        app = TableApp(lambda write: Driver(sitting, traffic, write=write), colour=colour)
        with Hosting(app) as hosting:
            hosting.until_left()
        if app.failure:
            raise app.failure
        return

    def write(text: str) -> None:
        click.echo(text, color=colour)

    LineClient(Driver(sitting, traffic, write=write), stdin=sys.stdin.fileno()).run()


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # nobody of that number
        return "player"


def _text(path: Path) -> str:
    """The text of a board's file; raises `UsageError` that names the file."""
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is no file")
        with path.open("rb") as file:
            data = file.read(LONGEST_BOARD + 1)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    if len(data) > LONGEST_BOARD:
        raise UsageError(f"{path} is longer than {LONGEST_BOARD:,} bytes, so it is no board")
    return data.decode("utf-8", "replace")


def _let_play(
    ctx: click.Context,
    address: Address,
    bot: str,
    name: str | None,
    games: int,
    timeout: int | None,
    isolation: AskedLevel,
    traffic: TrafficLog,
) -> None:
    """Let a bot play so many games."""
    from judge.join.bot import BotClient
    from judge.show.one_game import ending

    timeout_ms = address.game.rules.timeout_ms if timeout is None else timeout
    with ExitStack() as stack:
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
            names = [clean(one) for one in finished.names]
            if not address.game.announces:
                names = ["the opponent", "the opponent"]
                names[finished.own] = seating.usual_name
            click.echo(f"game {number}: {ending(names, finished.outcome, address.game.rules)}")


class _Seating:
    """Seats one bot, by the rules that a table announces; raises `UsageError` if it cannot play
    them."""

    def __init__(self, spec: str, timeout_ms: int, isolation: AskedLevel, stack: ExitStack) -> None:
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
            from judge.cli.setup import set_up

            settings = table_settings(rules, self._timeout_ms, self._isolation)
            setup = set_up([self._spec], settings, seats=rules.players[1])
            self._runs[rules] = self._stack.enter_context(setup.run()), setup.bots[0]
        return self._runs[rules]
