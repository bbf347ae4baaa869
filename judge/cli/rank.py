"""judge rank: every bot in a folder against every other, gone on with where it was stopped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import click

from judge.cli.configuration import Command
from judge.cli.contests import REPORTERS, Contest, ContestReporter
from judge.cli.keeping import Unkept, changed, keeping
from judge.cli.nearest import did_you_mean
from judge.cli.options import option, ranking
from judge.cli.settings import Settings
from judge.cli.table import Table
from judge.cli.telling import note
from judge.cli.values import count
from judge.contest.ledger import Known, Ledger
from judge.contest.schedule import Gauntlet, RoundRobin, Schedule, without
from judge.contest.tournament import Fault
from judge.errors import Interrupted, UsageError
from judge.game.record import GameRecord
from judge.game.rules import Rules
from judge.process.bot import Bot, LeftOut, contestants

MOST_ROUNDS = 100_000


@click.command(cls=Command)
@click.argument("folder", type=click.Path(path_type=Path))
@option(
    "--rounds",
    "How many pairs of games every two bots are to have played in all.",
    type=count(1, MOST_ROUNDS),
    default="1",
)
@option("--gauntlet", "Play only the games of this bot.", metavar="BOT", show_default="all games")
@ranking
def rank(folder: Path, rounds: int, gauntlet: str | None, settings: Settings) -> None:
    """Play every bot in FOLDER against every other, and print the table.

    The bots are what lies in FOLDER: folders with a run.sh or a bot.json, scripts, programs. In a
    round every two of them play a pair of games, in which each moves first once. Games are kept
    in the ledger, and a game that it holds is never played again: the same command goes on where
    it was stopped, plays what a new bot is missing, or with more rounds just the new ones.
    """
    bots, left_out = _found(folder, settings)
    _check(gauntlet, bots, folder)
    table = Table.holding(bots, settings)
    with keeping(settings.ledger) as ledger:
        seed = _seed(ledger, settings)
        schedule = _schedule(bots, rounds, gauntlet, settings.rules, seed)
        played = ledger.known().games  # it grows with what is added, here and by others
        contest = Contest(
            bots=bots,
            left_out=left_out,
            rounds=rounds,
            gauntlet=gauntlet,
            seed=seed,
            games=len(schedule),
            missing=sum(1 for _ in without(schedule, played)),
            conditions=table.conditions,
        )
        if not settings.quiet and settings.ledger is not None:
            _say_what_is_known(contest, ledger.known(), settings.ledger)
        report = REPORTERS[settings.report](settings, contest)
        try:
            report.start()
            with table.playing(without(schedule, played)) as results:
                _follow(results, ledger, report)
        except Interrupted:
            raise Interrupted(_how_to_go_on(report, settings.ledger)) from None
        finally:
            report.stop()
    report.end(ledger.tally)
    if report.faults:
        click.get_current_context().exit(1)


def _found(folder: Path, settings: Settings) -> tuple[tuple[Bot, ...], tuple[LeftOut, ...]]:
    """The bots in a folder, two at least, and what was left out of what lies there."""
    bots, left_out = contestants(folder, python=settings.python, most_bytes=settings.bot_size_bytes)
    if not settings.quiet:
        for one in left_out:
            note(f"left out {one.name}: {one.reason}")
    if len(bots) < 2:
        found = f"only one bot, {bots[0].name}" if bots else "no bot"
        raise UsageError(f"{folder} holds {found}; a contest needs two")
    names = {bot.name for bot in bots}
    for name in sorted(names):
        if name.rpartition("#")[0] in names:
            twice = name.rpartition("#")[0]
            raise UsageError(
                f"{folder} holds two bots called {twice}; points belong to a name, so rename one"
            )
    return bots, left_out


def _check(gauntlet: str | None, bots: Sequence[Bot], folder: Path) -> None:
    names = [bot.name for bot in bots]
    if gauntlet is not None and gauntlet not in names:
        raise UsageError(
            f"--gauntlet {gauntlet}: there is no bot of that name in {folder}."
            f"{did_you_mean(gauntlet, names)}"
        )


def _seed(ledger: Ledger | Unkept, settings: Settings) -> int:
    """The seed that was given, or that of the ledger's contest, which is drawn if need be."""
    kept = ledger.contest_seed(settings.drawn_seed())
    if settings.seed is None or settings.seed == kept:
        return kept
    if not settings.quiet:
        note(
            f"the contest in {settings.ledger} has seed {kept}; with --seed {settings.seed} "
            "these are other games, played besides"
        )
    return settings.seed


def _schedule(
    bots: Sequence[Bot], rounds: int, gauntlet: str | None, rules: Rules, seed: int
) -> Schedule:
    names = tuple(bot.name for bot in bots)
    if gauntlet is None:
        return RoundRobin(names, rules, seed, rounds)
    return Gauntlet(gauntlet, names, rules, seed, rounds)


def _say_what_is_known(contest: Contest, known: Known, path: Path) -> None:
    """Say which bots have changed since they last played, and whether there is nothing to do."""
    for bot in contest.bots:
        if bot.name in known.digests and known.digests[bot.name] != bot.digest:
            note(changed(bot.name, path))
    if not contest.missing:
        rounds = "the round" if contest.rounds == 1 else f"all {contest.rounds} rounds"
        note(
            f"every game of {rounds} is in {path} already; "
            f"--rounds {contest.rounds + 1} would play more"
        )


def _follow(
    results: Iterable[GameRecord | Fault], ledger: Ledger | Unkept, report: ContestReporter
) -> None:
    """Add each game to the ledger, and tell it once it is there."""
    for result in results:
        if isinstance(result, Fault):
            report.fault(result, ledger.tally)
        elif rated := ledger.add(result):
            report.game(rated, ledger.tally)
        else:
            report.known(ledger.tally)


def _how_to_go_on(report: ContestReporter, path: Path | None) -> str:
    said = f"interrupted after {report.games:,} of {report.contest.missing:,} games"
    if path is None:
        return f"{said}; without a ledger none of them is kept"
    return f"{said}, all kept in {path}; the same command goes on from there"
