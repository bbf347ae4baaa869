"""Bots whose games `judge rank` puts off: how many games they have forfeited in a row, and what is
said of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click

from judge.cli.ledger_option import Unkept
from judge.cli.output import note
from judge.cli.settings import Settings
from judge.cli.setup import Setup
from judge.contest.hopeless import IN_A_ROW, PutOff
from judge.contest.ledger import Ledger, located
from judge.contest.summary import Forfeit
from judge.game.outcome import Termination
from judge.game.record import GameRecord
from judge.quoting import line
from judge.show.evidence import forfeit_lines
from judge.show.text import clean, many


def in_a_row(ledger: Ledger | Unkept, table: Setup) -> Callable[[str], int]:
    """How many games a bot with the files that it has now has forfeited in a row by time-out or
    crash, as the ledger stands; no more than `IN_A_ROW` are looked for."""
    digests = {bot.name: bot.digest for bot in table.bots}

    def row(name: str) -> int:
        if isinstance(ledger, Unkept) or name not in ledger.tally.bots:
            return 0
        found = 0
        _, journal = located(ledger.path)
        for entry in map(journal.parse, journal.backwards()):
            seats = [(seat["name"], seat["digest"]) for seat in entry.get("seats", ())]
            if name not in dict(seats):
                continue
            if (name, digests[name]) not in seats or not _gave_up(entry, name):
                break
            found += 1
            if found == IN_A_ROW:
                break
        return found

    return row


def _gave_up(entry: Mapping[str, Any], name: str) -> bool:
    outcome = entry["outcome"]
    loser = outcome["loser"]
    is_its_own = loser is not None and entry["seats"][loser]["name"] == name
    return is_its_own and outcome["termination"] in (Termination.TIMEOUT, Termination.CRASH)


def say_put_off(bots: Iterable[PutOff], settings: Settings) -> None:
    """Say of which bots the games are put off, why, and what plays them; with what the last of these
    games looked like, if it was played in this run."""
    for one in bots:
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
        if one.last is not None and (forfeit := _forfeit(one.name, one.last)):
            colour = settings.color.on(sys.stderr)
            for text in forfeit_lines(clean(one.name), forfeit, colour):
                click.echo(f"  {text}", err=True, color=colour)


def _forfeit(name: str, record: GameRecord) -> Forfeit | None:
    seat = [one.name for one in record.seats].index(name)
    evidence = next((one for one in record.evidence if one.seat == seat), None)
    outcome = record.outcome
    return Forfeit(
        record.id, outcome.termination, outcome.detail, evidence, record.seats[seat].seed
    )
