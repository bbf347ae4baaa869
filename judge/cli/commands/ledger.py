"""judge ledger: the commands that check a ledger, look into it and correct it."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

import click

from judge.cli import CommandGroup
from judge.cli.commands.ledger_orders import disqualify, reset, retire, undo, void
from judge.cli.configuration import Command
from judge.cli.contests.worker_processes import processes
from judge.cli.ledgers.game_source import PAGE, holds_games, the_games
from judge.cli.ledgers.ledger_option import ledger_and, on_a_ledger
from judge.cli.ledgers.which_ledger import LEDGER_OR_PLAYER
from judge.cli.options import COLORED, JSON, LEDGER_FILE, VERBOSE, jobs, option
from judge.cli.output import answer, bar, note, say, width
from judge.cli.values.numbers import count
from judge.cli.values.value import Choice
from judge.contest import bot_games
from judge.contest.ledger import verify as audit
from judge.contest.ledger.files import located
from judge.contest.ledger.ledger import read
from judge.contest.ledger.order_entries import bot_of
from judge.contest.ledger.tally import Tally, document_of
from judge.contest.ledger_games import exported
from judge.documents.game import Termination
from judge.documents.reports import Verification
from judge.errors import RecordError, UsageError
from judge.show import history
from judge.show.exports import EXPORTS
from judge.show.ledger import overview, parts_of
from judge.show.text import clean, many

LITTLE_TO_JUDGE = 2**20  # bytes of a journal that one process judges before others start


@click.group(cls=CommandGroup)
def ledger() -> None:
    """Check a ledger, look into it, or correct it.

    LEDGER is the .json file of a ledger, by default the only one in this folder. Every game is a
    line in the journal beside that file, from which all else is computed.

    \b
    Examples:
      judge ledger verify                          judge all games again
      judge ledger show contest.ledger.json mybot  one bot's opponents and games
    """


@ledger.command(cls=Command)
@on_a_ledger
@jobs("How many games are judged at once.")
@JSON
@click.pass_context
def verify(ctx: click.Context, path: Path, jobs: int, json: bool) -> None:
    """Judge all games again and compare LEDGER with them.

    LEDGER may also be the page of a game, or a log of broadsides or of the contest: then the games
    in that file are judged. No file is changed. The exit status is 1 if something is wrong.

    \b
    Examples:
      judge ledger verify                   the only ledger here
      judge ledger verify game.html --json  the game in a page, as a document
    """
    found = _verified(path, jobs)
    answer(found, lambda: history.verified(path.name, found, width()), json=json)
    ctx.exit(1 if found.problems else 0)


def _verified(path: Path, jobs: int) -> Verification:
    """Judge the games of a ledger, a page or a log again. A ledger has a progress bar."""
    if holds_games(path):
        return _verified_games(path)
    _, journal = located(path)
    with contextlib.ExitStack() as stack:
        pool = None
        if jobs > 1 and journal.size() > LITTLE_TO_JUDGE:
            pool = stack.enter_context(processes(jobs))
        # The bytes of the journal: the number of games is not known before all are read.
        progress = stack.enter_context(bar(journal.size(), "judging again"))
        return audit.verify(path, progress, pool=pool, window=2 * jobs)


def _verified_games(path: Path) -> Verification:
    """Judge the games of a page or a log again."""
    problems, count, broken_off = list[str](), 1, 0
    try:
        games = the_games(str(path), path)
        count = len(games)
        for number in range(1, 1 + count):
            try:
                termination = games.game(number).outcome.termination
                broken_off += path.suffix != PAGE and termination is Termination.ABORTED
            except RecordError as error:
                problems.append(str(error))
    except RecordError as error:
        problems.append(str(error))
    said = tuple(problem.removeprefix(f"{path}: ") for problem in problems)
    return Verification(intact=not said, games=count, problems=said, broken_off=broken_off)


@ledger.command(cls=Command)
@on_a_ledger
def rebuild(path: Path) -> None:
    """Compute LEDGER anew from its journal, which stays as it is.

    \b
    Examples:
      judge ledger rebuild                      the only ledger here
      judge ledger rebuild contest.ledger.json  the ledger of a contest
    """
    tally = audit.rebuild(path)
    say(f"{clean(str(path))}: {_holds(tally)}, from its journal{parts_of(tally)}.")


@ledger.command(cls=Command)
@on_a_ledger
@option(
    "--format",
    "The form. csv: a table; jsonl: a JSON document a line; ordo and bayeselo: PGN, as these programs "
    "read it.",
    type=Choice(list(EXPORTS)),
    default="csv",
)
def export(path: Path, format: str) -> None:  # noqa: A002 - as the option is called
    """Print the games of LEDGER that count, for other tools.

    \b
    Examples:
      judge ledger export                a table, for a spreadsheet
      judge ledger export --format ordo  PGN, for ordo
    """
    for text in EXPORTS[format](exported(path)):
        click.echo(text, nl=False)


@ledger.command(cls=Command)
@click.option(
    "--from",
    "from_",
    help="The first line that is moved; needed.",
    type=count(1),
)
@on_a_ledger
def restart(path: Path, from_: int | None) -> None:
    """Go on without a line of the journal and all lines after it.

    Use this if the line was edited. The lines are moved to a file beside the journal. A match is
    not split: its games before the first line are moved, too.

    \b
    Examples:
      judge ledger restart --from 120                    move 120 and the rest
      judge ledger restart contest.ledger.json --from 2  keep the first line
    """
    if from_ is None:
        raise UsageError("say which line of the journal is the first to be moved: --from N")
    aside, first, tally = audit.restart(path, from_)
    if first < from_:
        note(f"line {first} begins the match that line {from_} is in, so it is moved with it")
    say(
        f"{clean(str(path))}: {_holds(tally)}{parts_of(tally)}. Line {first} and all after it are in "
        f"{clean(str(aside))}."
    )


def _holds(tally: Tally) -> str:
    return f"{many(tally.recorded, 'game')} of {many(len(tally.versions), 'bot')}"


@ledger.command(cls=Command)
@click.argument("words", metavar="[LEDGER] [BOT]", type=LEDGER_OR_PLAYER, nargs=-1)
@LEDGER_FILE
@JSON
@VERBOSE
@COLORED
def show(words: Sequence[str], ledger: Path | None, json: bool, verbose: bool, color: bool) -> None:
    """Show the opponents, points, games and forfeits of BOT.

    The first forfeit of each cause is shown with its evidence; --json has the evidence of all.
    Without BOT, the conditions of LEDGER, the versions of its bots and the orders are shown.

    \b
    Examples:
      judge ledger show                  the bots and orders of a ledger
      judge ledger show mybot --verbose  one bot, and all it was asked and printed
    """
    path, typed = ledger_and(words, ledger, most=1)
    tally = read(path)
    if not typed:
        answer(document_of(tally), lambda: overview(path.name, tally, width=width()), json=json)
        return
    bot = bot_of(tally, typed[0], path)
    games = list(bot_games.history(path, bot))
    points = tally.table.points_of(bot)
    answer(
        history.document(bot, games),
        lambda: history.text(bot, games, points, colour=color, width=width(), verbose=verbose),
        json=json,
        colour=color,
    )


for other in (void, reset, retire, disqualify, undo):
    ledger.add_command(other)
