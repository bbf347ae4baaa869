"""The notes of `judge rank`: how the contest stands before the first game of a run, and which bots'
games are put off."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from judge.cli.ledgers.ledger_option import say_what_has_changed
from judge.cli.output import several
from judge.cli.settings import Settings
from judge.contest.contest import Contest
from judge.contest.deferrals import Deferral
from judge.contest.formats.registry import format_of
from judge.contest.ledger.ledger import Ledger
from judge.contest.seeds import GUESSABLE
from judge.contest.standings.summary import forfeits
from judge.documents.standings import RankStart
from judge.quoting import line
from judge.show.evidence import forfeit_lines
from judge.show.text import clean, many


def say_how_it_stands(
    ledger: Ledger, contest: Contest, start: RankStart, folder: Path, settings: Settings
) -> None:
    """Print the notes on a contest before it goes on, unless the user wants quiet."""
    if gone := contest.gone():
        has = line(["judge", "standings", str(ledger.path)])
        settings.tell(
            f"gone from the folder {folder}, and so not in the table: {several(gone)}; `{has}` has their "
            "games"
        )
    say_what_has_changed(ledger, {bot.name: bot.digest for bot in contest.setup.bots}, settings)
    plan = contest.run.plan
    if start.missing == 0 and not format_of(plan).has_places and plan.match == 1:
        count = plan.units // 2
        rounds = "the round" if count == 1 else f"all {count} rounds"
        settings.tell(
            f"every game of {rounds} is in {ledger.path} already; --rounds {count + 1} would play more"
        )
    elif start.missing == 0:
        settings.tell(
            f"this contest ({plan.format}) is over, and every game of it is in {ledger.path}"
        )
    # Before the first game and not again.
    if start.missing == start.games and settings.seed is not None and contest.run.seed < GUESSABLE:
        settings.tell(
            f"seed {contest.run.seed} is so short that a bot could guess it, and with it its opponents' "
            "luck; one that the judge draws cannot be guessed"
        )


def say_deferrals(bots: Iterable[Deferral], settings: Settings) -> None:
    """Note the bots whose games are put off, why, and the option that plays these games. If a bot's
    last forfeit came in this run, show the evidence of that forfeit."""
    for deferral in () if settings.quiet else bots:
        verb = "is" if deferral.games == 1 else "are"
        why = ""
        if deferral.last is None and settings.ledger is not None:
            shows = line(["judge", "ledger", "show", str(settings.ledger), deferral.name])
            why = f"; `{shows}` shows why"
        settings.tell(
            f"{deferral.name} has forfeited {deferral.row} games in a row by time-out or crash, so its "
            f"{many(deferral.games, 'game')} that {verb} left of this run {verb} put off until its "
            f"files have changed; --insist plays them all the same{why}"
        )
        if deferral.last is not None:
            seat = [seat.name for seat in deferral.last.seats].index(deferral.name)
            colour = settings.color.on(sys.stderr)
            for text in forfeit_lines(clean(deferral.name), forfeits(deferral.last)[seat], colour):
                click.echo(f"  {text}", err=True, color=colour)
