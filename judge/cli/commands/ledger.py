"""judge ledger: a family of commands that check a ledger, look into it and correct it."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from judge.cli.configuration import Command
from judge.cli.did_you_mean import did_you_mean
from judge.cli.game_source import holds_one_game, the_game
from judge.cli.ledger_option import opened
from judge.cli.ledger_table import one_ledger
from judge.cli.options import COLOR, JSON, LEDGER_FILE, VERBOSE, jobs, option
from judge.cli.output import print_json, width
from judge.cli.settings import Color
from judge.cli.values import LEDGER
from judge.cli.worker_processes import processes
from judge.contest import audit, ordering
from judge.contest.ledger import located, read
from judge.contest.ledger import rebuild as rebuilt
from judge.errors import RecordError, UsageError
from judge.show import history
from judge.show.text import clean, many

LITTLE_TO_JUDGE = 2**20  # bytes of a journal, which one process has judged before others start


class Family(click.Group):
    """A group whose members are named in a sentence when one is mistyped."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands and not args[0].startswith("-"):
            near = did_you_mean(args[0], self.commands)
            raise UsageError(
                f"There is no command {ctx.command_path.partition(' ')[2]} {args[0]!r}."
                f"{near or f' See {ctx.command_path} --help.'}"
            )
        return super().resolve_command(ctx, args)


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

    LEDGER may also be the page of a game, or a broadsides log: then the game in it is judged.
    Changes nothing. The exit status is 1 if something is wrong.
    """
    path = one_ledger(path, ledger)
    found = _verified(path, jobs)
    if json:
        print_json(history.verified_document(found))
    else:
        click.echo(history.verified(path.name, found))
    ctx.exit(1 if found.problems else 0)


def _verified(path: Path, jobs: int) -> audit.Verified:
    """Verify, with a progress bar on a terminal."""
    if holds_one_game(path):
        return _verified_game(path)
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


def _verified_game(path: Path) -> audit.Verified:
    """The same for the page of a game, or its log."""
    try:
        the_game(str(path), path)
    except RecordError as error:
        problem = str(error).removeprefix(f"{path}: ")
        return audit.Verified(games=1, voided=0, behind=0, torn=0, problems=(problem,))
    return audit.Verified(games=1, voided=0, behind=0, torn=0, problems=())


@ledger.command(cls=Command)
@click.argument("path", metavar="[LEDGER]", type=LEDGER, required=False)
@LEDGER_FILE
def rebuild(path: Path | None, ledger: Path | None) -> None:
    """Compute LEDGER anew from its journal.

    For when it was damaged, or edited by hand. The journal stays as it is.
    """
    path = one_ledger(path, ledger)
    tally = rebuilt(path)
    games, bots = many(tally.games, "game"), many(len(tally.versions), "bot")
    click.echo(f"{clean(str(path))}: {games} of {bots}, from its journal.")


@ledger.command(cls=Command)
@click.argument("words", metavar="[LEDGER] BOT", nargs=-1, required=True)
@LEDGER_FILE
@JSON
@VERBOSE
@COLOR
def show(words: Sequence[str], ledger: Path | None, json: bool, verbose: bool, color: str) -> None:
    """Show the opponents, points, games and forfeits of BOT.

    The forfeits come with their evidence: of every cause the first one, and with --json all.
    """
    path, bot = _ledger_and(words, ledger, "BOT")
    bots = read(path).versions
    if bot not in bots:
        near = did_you_mean(bot, bots)
        raise UsageError(f"{path}: no bot of the name {bot} has played there.{near}")
    games = list(audit.history(path, bot))
    if json:
        print_json(history.document(bot, games))
    else:
        colour = Color(color).on(sys.stdout)
        click.echo(
            history.text(bot, games, colour=colour, width=width(), verbose=verbose), color=colour
        )


@ledger.command(cls=Command)
@click.argument("words", metavar="[LEDGER] ID", nargs=-1, required=True)
@option("--reason", "Why; it is kept in the journal.", metavar="TEXT", show_default="none: needed")
@LEDGER_FILE
def void(words: Sequence[str], reason: str | None, ledger: Path | None) -> None:
    """Take the game ID out of the count.

    Nothing is removed: an entry of its own in the journal says that the game does not count, and
    why. All points are computed anew without it.
    """
    path, game = _ledger_and(words, ledger, "ID")
    if not reason:
        raise UsageError(f"say why game {game} is not to count: --reason TEXT")
    read(path)  # a ledger that is not there is not to be made now
    with opened(path) as kept:
        kept.order(partial(ordering.void, games=[_number(game)], reason=reason))
    click.echo(f"{clean(str(path))}: game #{_number(game)} does not count any more.")


def _number(text: str) -> int:
    if not (digits := text.removeprefix("#")).isdecimal() or len(digits) > 9:
        raise UsageError(f"{text} is no number of a game; `judge ledger show BOT` tells them")
    return int(digits)


def _ledger_and(words: Sequence[str], option: Path | None, what: str) -> tuple[Path, str]:
    """The ledger and the last word, if there are two; or the ledger of --ledger and the word."""
    *first, last = words
    if len(first) > 1:
        raise UsageError(f"{' '.join(words)}: only a LEDGER may stand before {what}")
    return one_ledger(first[0] if first else None, option), last
