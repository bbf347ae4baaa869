"""judge standings: prints the table of a ledger."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path

import click

from judge import quoting
from judge.cli.atomic_write import save
from judge.cli.configuration import Command
from judge.cli.ledgers.ledger_option import on_a_ledger
from judge.cli.ledgers.which_ledger import PLAYER
from judge.cli.options import BY, COLORED, JSON, choose_one, option
from judge.cli.output import columns, print_json
from judge.cli.values.files import FILE
from judge.cli.values.value import Choice
from judge.contest.ledger.ledger import read
from judge.contest.ledger.order_entries import bot_of
from judge.contest.ledger.tally import Tally
from judge.contest.standings.standings import RankedBy
from judge.contest.standings.standings import standings as standings_of
from judge.errors import LedgerError, UsageError
from judge.show.standings import as_csv, as_markdown, table


@click.command(cls=Command, usual=("by", "without", "versions", "markdown", "html"))
@on_a_ledger
@option(
    "--without",
    "Leave out all games of this bot; may be given again for more.",
    type=PLAYER,
    metavar="BOT",
    multiple=True,
)
@option(
    "--versions",
    "Show of each bot the version that played last, or all.",
    type=Choice(["newest", "all"]),
    default="newest",
)
@BY
@JSON
@option("--markdown", "Print the table in Markdown.", is_flag=True)
@option("--csv", "Print comma-separated values, a line a bot.", is_flag=True)
@option("--html", "Write the table as a page; - prints it.", type=FILE)
@COLORED
def standings(
    path: Path,
    without: Sequence[str],
    versions: str,
    by: RankedBy,
    json: bool,
    markdown: bool,
    csv: bool,
    html: Path | None,
    color: bool,
) -> None:
    """Print the table of a ledger.

    LEDGER is the .json file of a ledger, by default the only one in this folder. A bot's points go
    on under its name when its files change; all else in a row belongs to one version of the bot. A
    bot with changed files is another version.

    \b
    Examples:
      judge standings contest.ledger.json   the table of a contest
      judge standings --csv --versions all  every version, for a spreadsheet
    """
    choose_one(json=json, markdown=markdown, csv=csv, html=html)
    tally = _read(path)
    for name in without:
        bot_of(tally, name, path)
    if html is not None:
        save(_page(path, without, by), html)
        return
    if without:
        from judge.contest.standings.history import History

        history = History(path, without)
        deque(history.games(), maxlen=0)
        tally = _without(without, history.tally)
    found = standings_of(tally, every_version=versions == "all", by=by)
    if json:
        print_json(found.document)
    elif csv:
        click.echo(as_csv(found), nl=False)
    elif markdown:
        click.echo(as_markdown(found))
    else:
        click.echo(table(found, width=columns(), ledger=str(path), colour=color), color=color)


def _read(path: Path) -> Tally:
    try:
        return read(path)
    except LedgerError:
        # Here, so that a ledger does not load the formats of logs.
        from judge.cli.ledgers.game_source import holds_games

        if holds_games(path):
            shown = quoting.word(str(path))
            raise UsageError(f"{path} is a log, and no ledger: see judge replay {shown}") from None
        raise


def _without(names: Sequence[str], tally: Tally) -> Tally:
    """Return ``tally``, which lacks the games of these bots already. The tally loses its contest if
    the contest's bots were fixed at its beginning and one of these bots is among them."""
    if tally.contest and not all(map(tally.contest.admits_without, names)):
        tally.contest = None
    return tally


def _page(path: Path, without: Sequence[str], by: RankedBy) -> str:
    from judge.contest.standings.history import History
    from judge.show.pages.site import LedgerPages, standings_page

    history = History(path, without, curves=True)
    games = [past_game for past_game, _ in history]
    name = f"{path.name} without {' and '.join(without)}" if without else path.name
    found = standings_of(_without(without, history.tally), by=by)
    return standings_page(LedgerPages.of(name, found, history), games, linked=False)
