"""Finds the ledger that a command reads, and prints its table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from judge.cli.configuration import is_typed
from judge.cli.ledgers.ledger_option import the_ledger
from judge.cli.ledgers.which_ledger import require_there
from judge.cli.output import columns
from judge.cli.settings import Color
from judge.contest.standings.standings import Standings
from judge.errors import UsageError
from judge.show.standings import table


def table_text(found: Standings, ledger: Path | None, **more: Any) -> str:
    """Return the table of a ledger, as wide as the terminal, or in full if stdout is not a
    terminal. ``more`` is as in `judge.show.standings.table`."""
    return table(found, width=columns(), ledger=None if ledger is None else str(ledger), **more)


def print_table(found: Standings, ledger: Path, color: Color) -> None:
    colour = color.on(sys.stdout)
    click.echo(table_text(found, ledger, colour=colour), color=colour)


def one_ledger(argument: str | Path | None, option: Path | None) -> Path:
    """Return the ledger that the argument LEDGER names, or else the one that --ledger means. Raises
    `UsageError` if both name a ledger, or if the ledger does not exist and another has nearly its
    name."""
    if argument is not None and is_typed("ledger"):
        raise UsageError(f"{argument} and --ledger {option}: name one ledger")
    path = the_ledger(option) if argument is None else Path(argument)
    require_there(path)
    return path


def ledger_and(
    words: Sequence[str], option: Path | None, most: int | None = None
) -> tuple[Path, list[str]]:
    """Return the ledger, and the words that do not name it. A first word that ends in .json names
    the ledger. If there are more than ``most`` words, the first one names the ledger, whatever it
    is.

    Raises `UsageError` if there are still too many, or if a ledger stands behind another word.
    """
    first, rest = None, list(words)
    behind = [word for word in rest[1:] if word.endswith(".json")]
    if behind and not rest[0].endswith(".json"):
        raise UsageError(
            f"{' '.join(words)}: the ledger comes first, so name {behind[0]} before {rest[0]}"
        )
    if rest and (rest[0].endswith(".json") or (most is not None and len(rest) > most)):
        first, *rest = rest
    if most is not None and len(rest) > most:
        raise UsageError(f"{' '.join(words)}: only a LEDGER may stand before BOT")
    return one_ledger(first, option), rest
