"""judge fight: two bots against each other, one game or many."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable

import click
from click.core import ParameterSource

from judge.cli.again import Remembering, again
from judge.cli.keeping import Unkept, changed, keeping
from judge.cli.options import option, playing
from judge.cli.reports import Reporter, reporter
from judge.cli.settings import Settings
from judge.cli.table import Table
from judge.cli.telling import note
from judge.cli.values import BOT, DURATION, SPRT, count
from judge.cli.watching import Watching
from judge.contest.ledger import Ledger
from judge.contest.rating import Sprt, Verdict
from judge.contest.schedule import Fight, First
from judge.contest.summary import FightSummary
from judge.contest.tournament import Fault
from judge.errors import Interrupted, JudgeFault, UsageError
from judge.game.record import GameRecord

MOST_GAMES = 1_000_000
LONGEST_SPRT = 100_000
MOST_VOID = 100  # and not one that counts: more games would come to nothing either


@click.command(cls=Remembering)
@click.argument("a", type=BOT)
@click.argument("b", type=BOT)
@option(
    "--games",
    "How many games to play.",
    type=count(1, MOST_GAMES),
    show_default="1, or with --sprt as many as it takes",
)
@option(
    "--sprt",
    "Stop once it is decided whether A is nearer to ELO0 or to ELO1 above B.",
    type=SPRT,
    metavar="ELO0,ELO1[,ALPHA,BETA]",
)
@option("--watch", "Show both boards on stderr, shot by shot.", is_flag=True, show_default=False)
@option("--delay", "How long --watch shows each shot.", type=DURATION, default="250ms")
@playing
def fight(
    *,
    a: str,
    b: str,
    games: int | None,
    sprt: Sprt | None,
    watch: bool,
    delay: int,
    settings: Settings,
) -> None:
    """Play A against B.

    A and B are bots: a folder with a run.sh or a bot.json, a script, a program, a quoted command
    line, or the name of a bundled bot (judge bots); NAME=BOT gives one another name. With more
    than one game they take turns to move first, two games to a pair with the same seeds.
    """
    typed = click.get_current_context().get_parameter_source("delay")
    if typed is ParameterSource.COMMANDLINE and not watch:
        raise UsageError("--delay is for --watch, which is not there")
    schedule = _schedule(games, sprt, settings)
    table = Table.of([a, b], settings)
    summary = FightSummary([bot.name for bot in table.bots])
    report = reporter(settings, summary, sprt, seed=schedule.seed, again=again(schedule.seed))
    watching = Watching(summary.names, settings, delay) if watch else None
    with keeping(settings.ledger) as ledger:
        if isinstance(ledger, Ledger) and not settings.quiet:
            _say_what_has_changed(ledger, table)
        try:
            report.start(len(schedule), table.conditions, watched=watch)
            # Whoever watches has left the terminal before the last bots are ended.
            with (
                table.playing(schedule, watching) as results,
                watching or contextlib.nullcontext(),
            ):
                _follow(results, ledger, report, summary, sprt)
        except Interrupted:
            raise Interrupted(_how_it_stands(summary, len(schedule), settings)) from None
        finally:
            report.stop()
    report.end()
    if report.faults:
        click.get_current_context().exit(1)


def _schedule(games: int | None, sprt: Sprt | None, settings: Settings) -> Fight:
    if games is None:
        games = 1 if sprt is None else LONGEST_SPRT
    first = settings.first
    if first is None:
        first = First.RANDOM if games == 1 else First.ALTERNATE
    if sprt and first is not First.ALTERNATE:
        raise UsageError(
            "--sprt counts swapped pairs, so it needs --first alternate and more than one game"
        )
    return Fight(games, settings.drawn_seed(), first)


def _say_what_has_changed(ledger: Ledger, table: Table) -> None:
    last = ledger.last_digests(bot.name for bot in table.bots)
    for bot in table.bots:
        if bot.name in last and last[bot.name] != bot.digest:
            note(changed(bot.name, ledger.path))


def _follow(
    results: Iterable[GameRecord | Fault],
    ledger: Ledger | Unkept,
    report: Reporter,
    summary: FightSummary,
    sprt: Sprt | None,
) -> None:
    """Keep, count and tell each result as it comes, until the last or until the test is decided."""
    for result in results:
        if isinstance(result, Fault):
            report.fault(result)
            continue
        record = result
        if isinstance(ledger, Ledger):
            rated = ledger.add(result, numbered=True)
            record = rated.record
            summary.rate(rated.before, rated.after)
        summary.add(record)
        report.game(record)
        if summary.games == summary.void == MOST_VOID:
            raise JudgeFault(f"all {MOST_VOID} games were void: neither bot can place a fleet")
        if sprt and sprt.verdict(summary.pairs) is not Verdict.CONTINUE:
            return


def _how_it_stands(summary: FightSummary, games: int, settings: Settings) -> str:
    kept = f"all kept in {settings.ledger}" if settings.ledger else "none of them kept"
    return f"interrupted after {summary.games:,} of {games:,} games, {kept}"
