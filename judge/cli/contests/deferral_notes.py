"""The notes of `judge rank` on hopeless bots, whose games it puts off."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from judge.cli.output import note
from judge.cli.settings import Settings
from judge.contest.deferrals import Deferral
from judge.contest.standings.summary import forfeits
from judge.quoting import line
from judge.show.evidence import forfeit_lines
from judge.show.text import clean, many


def say_deferrals(bots: Iterable[Deferral], settings: Settings) -> None:
    """Say which bots' games are put off, why, and what plays them; with what the last of these
    games looked like, if it was played in this run."""
    for deferral in () if settings.quiet else bots:
        verb = "is" if deferral.games == 1 else "are"
        why = ""
        if deferral.last is None and settings.ledger is not None:
            shows = line(["judge", "ledger", "show", str(settings.ledger), deferral.name])
            why = f"; `{shows}` shows why"
        note(
            f"{deferral.name} has forfeited {deferral.row} games in a row by time-out or crash, so its "
            f"{many(deferral.games, 'game')} that {verb} left of this run {verb} put off until its "
            f"files have changed; --insist plays them all the same{why}"
        )
        if deferral.last is not None:
            seat = [seat.name for seat in deferral.last.seats].index(deferral.name)
            colour = settings.color.on(sys.stderr)
            for text in forfeit_lines(clean(deferral.name), forfeits(deferral.last)[seat], colour):
                click.echo(f"  {text}", err=True, color=colour)
