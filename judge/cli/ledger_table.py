"""Which ledger a command looks at, and the table of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

import click
from click.core import ParameterSource

from judge.cli.ledger_option import the_ledger
from judge.cli.output import columns
from judge.cli.settings import Color
from judge.contest.condition_set import ConditionSet
from judge.contest.standings import Standings, standings
from judge.contest.tally import Tally
from judge.errors import UsageError
from judge.show.standings import table


def standings_of(
    tally: Tally,
    conditions: ConditionSet | None = None,
    playing: Mapping[str, str | None] | None = None,
) -> Standings:
    """The standings, as `judge.contest.standings` has them."""
    # numpy would share the fit of a few hundred bots out to all cores. They wait for each other
    # longer than they compute: on a busy machine, twenty times as long.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    return standings(tally, conditions, playing=playing)


def table_text(standings: Standings, *, colour: bool) -> str:
    """The table, as wide as the terminal is; whole where there is none."""
    return table(standings, width=columns(), colour=colour)


def print_table(tally: Tally, color: Color) -> None:
    colour = color.on(sys.stdout)
    click.echo(table_text(standings_of(tally), colour=colour), color=colour)


def one_ledger(argument: str | Path | None, option: Path | None) -> Path:
    """The ledger to look at: what is named as LEDGER, or else what --ledger means."""
    typed = click.get_current_context().get_parameter_source("ledger")
    if argument is not None and typed is ParameterSource.COMMANDLINE:
        raise UsageError(f"{argument} and --ledger {option}: name one ledger")
    return the_ledger(option) if argument is None else Path(argument)
