"""judge join: a seat at a server of a network game, for a person or a bot."""

from __future__ import annotations

import getpass
import secrets
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import wait
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from judge import quoting
from judge.cli.configuration import Command, is_typed
from judge.cli.exit_status import BOT_FAILED
from judge.cli.options import COLORED, IO, ISOLATION, PLAIN, option
from judge.cli.output import has_full_screen, note, say, width
from judge.cli.values.files import LOG_FILE, bytes_in
from judge.cli.values.games import BOT, FLEET, NAME, TAUNTS
from judge.cli.values.network import ADDRESS
from judge.cli.values.numbers import TIME_LIMIT, count
from judge.contest.seeds import SEED_LIMIT
from judge.contest.settings import AskedLevel
from judge.contest.standings.summary import Forfeit
from judge.documents.game import Termination
from judge.errors import BotError, Interrupted, UsageError
from judge.show.evidence import forfeit_lines
from judge.show.text import clean

if TYPE_CHECKING:
    from judge.documents.rules import Rules
    from judge.join.address import Address
    from judge.join.bot import BotClient
    from judge.join.traffic_log import TrafficLog
    from judge.play.player import ProgramPlayer
    from judge.play.run import Run
    from judge.process.bots.bot import Bot
    from judge.wire.messages import TauntAdded

LONGEST_BOARD = 2**16  # bytes of a file


@click.command(cls=Command, usual=("bot", "name", "fleet", "games", "watch"))
@click.argument("address", type=ADDRESS)
@option("--bot", "The bot that plays.", type=BOT, show_default="you play yourself")
@option("--watch", "Watch the bot on a full screen, and talk at its table.", is_flag=True)
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
    show_default="you are asked, or the bot is",
)
@option(
    "--taunts",
    "XBS: the taunts for players who shoot at you: lines hit=TEXT and miss=TEXT.",
    type=TAUNTS,
    show_default="none",
)
@PLAIN
@option("--games", "How many games a bot plays, one after another.", type=count(1), default="1")
@option(
    "--timeout",
    "The bot's time for a reply; off: a day.",
    type=TIME_LIMIT,
    show_default="BSP: 30s; XBS: 60s",
)
@ISOLATION
@IO
@option(
    "--log",
    "Add what is sent and received to FILE, as the published client of BSP does.",
    type=LOG_FILE,
)
@COLORED
@click.pass_context
def join(
    ctx: click.Context,
    *,
    address: Address,
    bot: str | None,
    watch: bool,
    name: str | None,
    fleet: Path | None,
    taunts: Sequence[TauntAdded] | None,
    plain: bool,
    games: int,
    timeout: int | None,
    isolation: AskedLevel,
    io: Path | None,
    log: Path | None,
    color: bool,
) -> None:
    """Play at the server at ADDRESS, or let a bot play there.

    ADDRESS is xbs://HOST:PORT for a table of Xterm Boat Sinker, or bsp://HOST:PORT for a server of
    BSP; the usual port may be left out. The server may be judge serve or the published server.

    In a terminal there is a full screen. Elsewhere events are printed line by line. Commands are
    typed, and help lists them. Any bot plays that speaks a wire that can express the rules of
    the game, and waits up to twelve hours for others to join or to move. The exit status is 3 if
    the bot fails.

    \b
    Examples:
      judge join xbs://localhost              take a seat yourself
      judge join bsp://localhost --bot mybot  let a bot play
    """
    from judge.join.bot import BotClient
    from judge.join.traffic_log import TrafficLog

    if not address.game.announces:
        _require_unused(("fleet", "taunts"), "are for XBS: at BSP the server places the ships")
    board = None
    if ctx.get_parameter_source("fleet") is not ParameterSource.DEFAULT:
        board = "random" if fleet is None else _board(fleet)
    with closing(TrafficLog(log)) as traffic:
        if bot is None:
            _require_unused(("games", "timeout", "isolation", "io", "watch"), "are for a --bot")
            _sit(address, name, board, taunts or (), traffic, plain=plain, colour=color)
        else:
            shows = () if watch else ("color",)
            _require_unused(("plain", *shows), "are for a person, and not for a --bot")
            if watch and not has_full_screen(sys.stdout):
                raise UsageError("--watch shows a full screen, and there is no terminal for it")
            timeout_ms = address.game.rules.timeout_ms if timeout is None else timeout
            with ExitStack() as stack:
                seating = _Seating(bot, timeout_ms, isolation, stack)
                seating.io = io
                client = BotClient(
                    address=address,
                    usual_name=seating.usual_name,
                    given_name=name,
                    seat=seating.seat,
                    seed=lambda: secrets.randbelow(SEED_LIMIT),
                    timeout_ms=timeout_ms,
                    log=traffic,
                    tell=lambda said: None if watch else note(clean(said)),
                    board=board,
                    taunts=taunts or (),
                )
                ends = _ends(client, seating.usual_name, games)
                if watch:
                    ends = _watched(client, seating, ends, colour=color)
                try:
                    for said in ends:
                        say(said)
                except BotError as error:
                    rules = address.game.rules.name
                    check = quoting.line(["judge", "check", bot, "--rules", rules])
                    left = f"{seating.usual_name} failed, and its game was left"
                    note(f"{left}: it {error}; `{check}` says more")
                    seating.say_evidence()
                    ctx.exit(BOT_FAILED)
        if traffic.failure:
            note(f"{quoting.word(str(log))}: {traffic.failure}")


def _require_unused(names: Sequence[str], why: str) -> None:
    """Raise `UsageError` if one of the options ``names`` was typed, since it would do nothing.
    ``why`` ends the message."""
    if typed := [f"--{name}" for name in names if is_typed(name)]:
        raise UsageError(f"{', '.join(typed)}: such options {why}")


def _sit(
    address: Address,
    name: str | None,
    board: str | None,
    taunts: Sequence[TauntAdded],
    traffic: TrafficLog,
    *,
    plain: bool,
    colour: bool,
) -> None:
    """Let a person play, on a full screen if there is one and ``plain`` is not given."""
    from judge.join.client_session import ClientSession
    from judge.join.driving import Driver
    from judge.join.lines import TerminalClient

    if sys.stdin is None:
        raise UsageError("standard input is closed, and commands come from there; --bot needs none")
    has_screen = not plain and has_full_screen(sys.stdout)
    sitting = ClientSession(
        address,
        given_name=name,
        usual_name=_login(),
        luck=SystemRandom(),
        read=lambda path: _board(Path(path).expanduser()),
        board=board,
        taunts=taunts,
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

    TerminalClient(Driver(sitting, traffic, write=write), stdin=sys.stdin.fileno()).run()


def _login() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # no user with that number
        return "player"


def _board(path: Path) -> str:
    """Return the text of a board's file. Raises `UsageError` if the file cannot be read."""
    return bytes_in(path, "board", LONGEST_BOARD).decode("utf-8", "replace")


def _ends(client: BotClient, bot: str, games: int) -> Iterator[str]:
    """Play the games of a bot, and yield a sentence on how each game ended."""
    from judge.show.one_game import ending

    game = client.address.game
    for number in range(1, games + 1):
        finished = client.play(again=number > 1)
        names = [clean(name) for name in finished.names]
        if not game.announces:
            names = ["the opponent", "the opponent"]
            names[finished.own] = bot
        yield f"game {number}: {ending(names, finished.outcome, game.rules)}"


def _watched(
    client: BotClient, seating: _Seating, ends: Iterator[str], *, colour: bool
) -> Iterator[str]:
    """Play the games of a bot while a person watches on a full screen. Afterwards yield a sentence
    on how each game ended."""
    from judge.join.talking import Talking
    from judge.screen.hosting import Hosting, in_thread
    from judge.screen.table import WatchedTable

    found: list[str] = []
    person = Talking(client.address.game, taunts=client.taunts, boards_stand=True)
    app = WatchedTable(person, client.say, colour=colour)
    client.heard = app.hear
    context = click.get_current_context()

    def play() -> None:
        with context.scope(cleanup=False):  # only one thread may use it
            found.extend(ends)

    with Hosting(app) as hosting:
        playing = in_thread(play)
        try:
            hosting.result(playing)
            app.write("the bot plays no more; quit ends")
            hosting.until_left()
        except Interrupted:
            if app.was_interrupted:
                raise
        finally:
            client.stop()
            seating.stop()
            wait([playing])
    yield from found


class _Seating:
    """Seats one bot at a server's table. `seat` raises `UsageError` if the bot cannot play the
    table's rules."""

    io: Path | None = None  # the folder of --io
    _forfeit: Forfeit | None = None  # how the bot failed

    def __init__(self, spec: str, timeout_ms: int, isolation: AskedLevel, stack: ExitStack) -> None:
        from judge.process.bots.bot import find_all

        self._spec = spec
        self._timeout_ms = timeout_ms
        self._isolation = isolation
        self._games = 0
        self._stack = stack
        self._runs: dict[Rules, tuple[Run, Bot]] = {}
        (found,) = find_all([spec])
        self.usual_name = found.name

    def stop(self) -> None:
        """Interrupt the bot, so that it answers no more."""
        for run, _ in self._runs.values():
            run.interrupt()

    @contextmanager
    def seat(self, rules: Rules, seed: int) -> Iterator[ProgramPlayer]:
        run, bot = self._run(rules)
        self._games += 1
        while self.io and (self.io / f"game-{self._games}").exists():
            self._games += 1  # the folder has the games of an earlier run
        game, seats = f"game-{self._games}", rules.players[1]
        with run.seat(bot, 0, seed, rules=rules, seats=seats, game=game) as player:
            try:
                yield player
            except BotError as error:
                self._forfeit = Forfeit.of(
                    player.entry,
                    rules,
                    game=game,
                    termination=Termination(error.termination),
                    detail=str(error),
                    evidence=player.evidence(0),
                )
                raise

    def say_evidence(self) -> None:
        """Print on stderr how the bot failed, with the evidence of its run, if it was seated."""
        if self._forfeit:
            name = clean(self.usual_name)
            for text in forfeit_lines(name, self._forfeit, colour=False, width=width()):
                click.echo(text, err=True)

    def _run(self, rules: Rules) -> tuple[Run, Bot]:
        if rules not in self._runs:
            from judge.cli.setup import set_up_at_table

            setup = set_up_at_table(
                [self._spec], rules, self._timeout_ms, self._isolation, rules.players[1]
            )
            run = self._stack.enter_context(setup.keeping_exchanges(self.io).run())
            self._runs[rules] = run, setup.bots[0]
        return self._runs[rules]
