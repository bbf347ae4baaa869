"""judge ledger: a family of commands that check a ledger, look into it and correct it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from judge.cli.commands.ledger_orders import disqualify, reset, retire, undo, void
from judge.cli.configuration import Command
from judge.cli.contests.worker_processes import processes
from judge.cli.family import Family
from judge.cli.ledgers.game_source import PAGE, holds_games, the_games
from judge.cli.ledgers.ledger_table import bot_of, ledger_and, one_ledger
from judge.cli.ledgers.ledger_values import LEDGER, LEDGER_OR_PLAYER
from judge.cli.options import COLOR, JSON, LEDGER_FILE, VERBOSE, jobs, option
from judge.cli.output import note, print_json, width
from judge.cli.settings import Color
from judge.contest import bot_games
from judge.contest.journal import audit
from judge.contest.journal.rebuild import rebuild as rebuilt
from judge.contest.journal.rebuild import renumbered
from judge.contest.ledger.files import located
from judge.contest.ledger.ledger import read
from judge.contest.ledger.tally_document import to_json
from judge.documents.codec import builtins
from judge.documents.game import Termination
from judge.documents.reports import Verification
from judge.errors import RecordError
from judge.show import history
from judge.show.ledger import overview, parts_of
from judge.show.text import clean, many

LITTLE_TO_JUDGE = 2**20  # bytes of a journal, which one process has judged before others start


@click.group(cls=Family, invoke_without_command=True)
@click.pass_context
def ledger(ctx: click.Context) -> None:
    """Check a ledger, look into it, or correct it.

    LEDGER is its .json file, the only one in this folder unless said otherwise. Every game is a
    line in the journal beside it, from which all else is computed.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


@ledger.command(cls=Command)
@click.argument("path", metavar="[LEDGER]", type=LEDGER, required=False)
@LEDGER_FILE
@jobs("How many games are judged at once.")
@JSON
@click.pass_context
def verify(
    ctx: click.Context, path: Path | None, ledger: Path | None, jobs: int, json: bool
) -> None:
    """Judge all games again and compare LEDGER with them.

    LEDGER may also be the page of a game, or a log of broadsides or of the contest: then the games
    in it are judged. Changes nothing. The exit status is 1 if something is wrong.
    """
    path = one_ledger(path, ledger)
    found = _verified(path, jobs)
    if json:
        print_json(builtins(found))
    else:
        click.echo(history.verified(path.name, found))
    ctx.exit(1 if found.problems else 0)


def _verified(path: Path, jobs: int) -> Verification:
    """Verify, with a progress bar on a terminal."""
    if holds_games(path):
        return _verified_games(path)
    _, journal = located(path)
    with contextlib.ExitStack() as stack:
        pool = None
        if jobs > 1 and journal.size() > LITTLE_TO_JUDGE:
            pool = stack.enter_context(processes(jobs))
        if not sys.stderr.isatty():
            return audit.verify(path, pool=pool, window=2 * jobs)
        # Not a count of games, which nobody knows before all are read: what is done of the journal.
        bar = stack.enter_context(
            click.progressbar(length=1000, label="judging again", file=sys.stderr)
        )

        def progress(done: int, size: int) -> None:
            bar.update(1000 * done // max(1, size) - bar.pos)

        return audit.verify(path, progress, pool=pool, window=2 * jobs)


def _verified_games(path: Path) -> Verification:
    """The same for the page of a game, or the log of one or more."""
    problems, count, broken_off = list[str](), 1, 0
    try:
        games = the_games(str(path), path)
        count = len(games)
        for number in range(1, 1 + count):
            with _noting(problems):
                how = games.game(number).outcome.termination
                broken_off += path.suffix != PAGE and how is Termination.ABORTED
    except RecordError as error:
        problems.append(str(error))
    said = tuple(one.removeprefix(f"{path}: ") for one in problems)
    return Verification(intact=not said, games=count, problems=said, broken_off=broken_off)


@contextlib.contextmanager
def _noting(problems: list[str]) -> Iterator[None]:
    try:
        yield
    except RecordError as error:
        problems.append(str(error))


@ledger.command(cls=Command)
@click.argument("path", metavar="[LEDGER]", type=LEDGER, required=False)
@LEDGER_FILE
@option(
    "--renumber",
    "Give games and orders new numbers where lines are gone; the old journal is kept.",
    is_flag=True,
)
def rebuild(path: Path | None, ledger: Path | None, renumber: bool) -> None:
    """Compute LEDGER anew from its journal.

    For when it was damaged, or edited by hand. The journal stays as it is, unless lines are gone
    from it: the seed of its contest is written there again, and --renumber numbers what is left
    anew. Where the old LEDGER knew more than the journal has, it is kept beside the new one.
    """
    path = one_ledger(path, ledger)
    found = renumbered(path) if renumber else None
    notices = list[str]()
    tally = rebuilt(path, notices)
    for notice in notices:
        note(notice)
    if found is not None:
        gone, changed = many(found.gone, "game"), many(found.changed, "game")
        if found.orders_gone:
            orders = many(found.orders_gone, "order")
            gone = f"{gone} and {orders}" if found.gone else orders
        is_one = found.gone + found.orders_gone == 1
        click.echo(
            f"{gone} {'is' if is_one else 'are'} gone; {changed} "
            f"{'has a new number' if found.changed == 1 else 'have new numbers'}. The journal as "
            f"it was is in {clean(str(found.before))}."
        )
        for notice in found.notices:
            click.echo(notice)
    games, bots = many(tally.recorded, "game"), many(len(tally.versions), "bot")
    click.echo(f"{clean(str(path))}: {games} of {bots}, from its journal{parts_of(tally)}.")


@ledger.command(cls=Command)
@click.argument("words", metavar="[LEDGER] [BOT]", type=LEDGER_OR_PLAYER, nargs=-1)
@LEDGER_FILE
@JSON
@VERBOSE
@COLOR
def show(words: Sequence[str], ledger: Path | None, json: bool, verbose: bool, color: str) -> None:
    """Show the opponents, points, games and forfeits of BOT; or of all, conditions and orders.

    The forfeits come with their evidence: of every cause the first one, and with --json all.
    Without BOT: the conditions of the ledger, the versions of its bots, and what was ordered.
    """
    path, typed = ledger_and(words, ledger, most=1)
    tally = read(path)
    if not typed:
        if json:
            print_json(to_json(tally))
        else:
            click.echo(overview(path.name, tally, width=width()))
        return
    bot = bot_of(tally, typed[0], path)
    games = list(bot_games.history(path, bot))
    if json:
        print_json(history.document(bot, games))
    else:
        colour = Color(color).on(sys.stdout)
        tables = [table for table in tally.tables.values() if bot in table.bots]
        # Of several tables, that of its last game.
        points = tables[0].points_of(bot) if len(tables) == 1 else games[-1].after
        text = history.text(bot, games, points, colour=colour, width=width(), verbose=verbose)
        click.echo(text, color=colour)


for other in (void, reset, retire, disqualify, undo):
    ledger.add_command(other)
