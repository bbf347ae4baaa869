"""judge ledger merge: the games of all shards of a contest in one ledger."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from judge.cli.configuration import Command
from judge.cli.ledgers.ledger_option import opened
from judge.cli.ledgers.ledger_values import LEDGER
from judge.cli.ledgers.which_ledger import require_there
from judge.contest.ledger.merge import merge as merged
from judge.contest.ledger.shard_ledger import ShardLedger
from judge.errors import UsageError
from judge.show.text import clean, many


@click.command(cls=Command)
@click.argument("path", metavar="LEDGER", type=LEDGER)
@click.argument("shards", metavar="SHARD...", type=LEDGER, nargs=-1)
def merge(path: Path, shards: Sequence[Path]) -> None:
    """Join the SHARDs of a contest in LEDGER.

    SHARDs are the ledgers that `judge rank --shard 1/8`, `2/8` and so on have filled. Their games
    come in the order in which one machine plays them, and LEDGER is then the same as if one had
    played all of them with --insist. LEDGER is new, or that of an earlier merge. Every game must be
    there; one that LEDGER has already is skipped. The SHARDs stay as they are.
    """
    if not shards:
        raise UsageError(
            f"name the ledgers of all shards behind the one that they are merged into: `judge ledger "
            f"merge bots.ledger.json bots.*-of-8.ledger.json`, not only {path}"
        )
    for shard in shards:
        require_there(shard)
    parts = [ShardLedger.at(shard) for shard in shards]
    with opened(path) as ledger:
        found = merged(ledger, parts)
        games = many(ledger.tally.recorded, "game")
    click.echo(f"{clean(str(path))}: {many(found.added, 'game')} added; it has {games}.")
    if found.there:
        click.echo(f"{many(found.there, 'game')} of these shards stood there before.")
    if found.repeated:
        click.echo(f"{many(found.repeated, 'game')} stood in several shards, and count once.")
