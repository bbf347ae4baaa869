"""The notes of `judge rank` on hopeless bots, whose games it puts off."""

from __future__ import annotations

import sys
from collections.abc import Iterable

import click

from judge.cli.output import note
from judge.cli.settings import Settings
from judge.contest.hopeless import PutOff
from judge.contest.standings.summary import forfeits
from judge.quoting import line
from judge.show.evidence import forfeit_lines
from judge.show.text import clean, many


def say_put_off(bots: Iterable[PutOff], settings: Settings) -> None:
    """Say which bots' games are put off, why, and what plays them; with what the last of these
    games looked like, if it was played in this run."""
    for one in () if settings.quiet else bots:
        verb = "is" if one.games == 1 else "are"
        why = ""
        if one.last is None and settings.ledger is not None:
            shows = line(["judge", "ledger", "show", str(settings.ledger), one.name])
            why = f"; `{shows}` shows why"
        note(
            f"{one.name} has forfeited {one.row} games in a row by time-out or crash, so its "
            f"{many(one.games, 'game')} that {verb} left of this run {verb} put off until its "
            f"files have changed; --insist plays them all the same{why}"
        )
        if one.last is not None:
            seat = [seat.name for seat in one.last.seats].index(one.name)
            colour = settings.color.on(sys.stderr)
            for text in forfeit_lines(clean(one.name), forfeits(one.last)[seat], colour):
                click.echo(f"  {text}", err=True, color=colour)
