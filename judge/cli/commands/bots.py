"""``judge bots``: what there is to play against without writing a bot."""

from __future__ import annotations

import click

from judge.cli.configuration import Command
from judge.cli.options import JSON
from judge.process.bots.bot import bundled
from judge.show.bots import document, text


@click.command(cls=Command)
@JSON
def bots(json: bool) -> None:
    """List the bundled bots: their names, languages and ways, and whether they can run here.

    A bundled bot is named by its bare name: judge fight hunter random.
    """
    found = bundled()
    click.echo(document(found) if json else text(found))
