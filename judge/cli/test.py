"""judge test: how well bots shoot, each alone with the same boards."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import click

from judge.cli.again import Remembering, again, typed
from judge.cli.boards import REPORTERS, BoardsReporter
from judge.cli.options import measuring, option
from judge.cli.settings import Settings
from judge.cli.table import Table
from judge.cli.values import BOT, PLACEMENTS, Placements, count
from judge.contest import arena
from judge.contest.documents import fault_message
from judge.contest.fleets import drawn_fleet, given_fleets
from judge.contest.schedule import Pairing, Solo
from judge.contest.shooting import ShootingSummary
from judge.contest.shooting_documents import Origin, Trial
from judge.contest.tournament import Fault, Results
from judge.errors import BotError, Interrupted, JudgeFault, UsageError
from judge.game.rules import Fleet, Rules
from judge.play.table import require_playable
from judge.process.bot import Bot, find, find_all
from judge.show.shooting import Commands, standing

BOARDS = 100
MOST_BOARDS = 100_000


@click.command(cls=Remembering)
@click.argument("bots", metavar="BOT...", type=BOT, nargs=-1, required=True)
@option(
    "--boards",
    "How many boards each bot is to clear.",
    type=count(1, MOST_BOARDS),
    show_default=f"{BOARDS}, or all of --placements",
)
@option(
    "--placements",
    "The fleets to find: a JSON list of them.",
    type=PLACEMENTS,
    show_default="drawn by the seed",
)
@option(
    "--against",
    "The bot whose fleets are to be found; it is asked for one a board.",
    type=BOT,
    metavar="BOT",
    show_default="drawn by the seed",
)
@measuring
def test(
    *,
    bots: Sequence[str],
    boards: int | None,
    placements: Placements | None,
    against: str | None,
    settings: Settings,
) -> None:
    """Measure how well each BOT shoots: how many shots it takes to clear a board.

    All bots have the same boards, each alone: the opponent never shoots. A miss is counted as
    made in search, or in destroying if a ship that was still afloat had been hit. Two bots or
    more are compared board by board, which tells them apart far sooner than games would.
    """
    found = find_all(bots, python=settings.python, most_bytes=settings.bot_size_bytes)
    given, opponent = _other_fleets(placements, against, boards, found, settings)
    table = Table.holding((*found, opponent) if opponent else found, settings)
    boards = len(given) if given else boards or BOARDS
    schedule = Solo(len(found), boards, settings.drawn_seed())
    summary = ShootingSummary([bot.name for bot in found])
    trial = Trial(
        bots=found,
        conditions=table.conditions,
        boards=boards,
        seed=schedule.seed,
        origin=_origin(given, opponent),
    )
    commands = Commands(
        again=again(schedule.seed),
        checks=[shlex.join(["judge", "check", spec, *typed("--rules")]) for spec in bots],
        folders=[str(bot.folder) for bot in found],
    )
    report = REPORTERS[settings.report](settings, trial, summary, commands)
    try:
        report.start()
        if opponent:
            given = _placed(opponent, replace(schedule, bots=1), table)
        fleet_of = partial(_one_of, given) if given else partial(drawn_fleet, settings.rules)
        with arena.clearing(
            schedule, found, fleet_of, table.conditions, jobs=table.jobs
        ) as results:
            _follow(schedule, results, summary, report)
    except Interrupted:
        report.interrupted()
        said = _how_it_stands(report, summary, len(schedule))
        raise Interrupted(said, again=again(schedule.seed)) from None
    finally:
        report.stop()
    report.end()
    if report.faults:
        click.get_current_context().exit(1)


def _other_fleets(
    placements: Placements | None,
    against: str | None,
    boards: int | None,
    bots: tuple[Bot, ...],
    settings: Settings,
) -> tuple[list[Fleet], Bot | None]:
    """The fleets that are given, or the bot that is to place them; neither where they are drawn."""
    if placements is not None and against is not None:
        raise UsageError("--placements and --against cannot both be had: choose one")
    if placements is not None:
        require_playable(settings.rules, bots)  # or no fleet could be one of these rules
        return _from_file(placements, boards, settings.rules), None
    if against is not None:
        return [], find(against, python=settings.python, most_bytes=settings.bot_size_bytes)
    return [], None


def _from_file(placements: Placements, boards: int | None, rules: Rules) -> list[Fleet]:
    try:
        given = given_fleets(placements.document, rules)
    except UsageError as error:
        raise UsageError(f"--placements {placements.path}: {error}") from None
    if boards is not None and boards > len(given):
        count = f"are only {len(given)} fleets" if len(given) > 1 else "is only one fleet"
        raise UsageError(f"--boards {boards}: there {count} in {placements.path}")
    return given[:boards]


def _origin(given: Sequence[Fleet], opponent: Bot | None) -> Origin:
    if opponent:
        return Origin("against", opponent.name)
    return Origin("placements" if given else "random")


def _one_of(fleets: Sequence[Fleet], pairing: Pairing) -> Fleet:
    return fleets[pairing.round - 1]


def _placed(bot: Bot, schedule: Solo, table: Table) -> list[Fleet]:
    """The fleets that a bot places; the judge cannot go on without one of them."""
    fleets: list[Fleet] = []
    with arena.placing(schedule, bot, table.conditions, jobs=table.jobs) as results:
        for board, result in enumerate(results, 1):
            match result:
                case Fault():
                    raise JudgeFault(
                        f"{bot.name} could not be asked for the fleet of board {board}: "
                        f"{fault_message(result)}"
                    )
                case BotError():
                    raise JudgeFault(
                        f"{bot.name}, asked for the fleet of board {board}: {result}; "
                        "without that fleet there is no board to clear"
                    )
                case _:
                    fleets.append(result)
    return fleets


def _follow(
    schedule: Solo, results: Results, summary: ShootingSummary, report: BoardsReporter
) -> None:
    """Count and tell each result as it comes."""
    for pairing, result in zip(schedule, results, strict=True):
        if isinstance(result, Fault):
            report.fault(result)
        else:
            effort = summary.add(pairing.seats[0], pairing.round, result)
            report.board(pairing, result, effort)


def _how_it_stands(report: BoardsReporter, summary: ShootingSummary, boards: int) -> str:
    said = f"interrupted after {report.played:,} of {boards:,} boards"
    return f"{said}: {standing(summary)}" if report.played else said
