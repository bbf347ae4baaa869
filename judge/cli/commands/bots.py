"""``judge bots``: what there is to play against without writing a bot."""

from __future__ import annotations

from collections.abc import Sequence

import click

from judge.cli.configuration import Command
from judge.cli.options import JSON, option
from judge.cli.output import print_json, width
from judge.cli.values.games import RULES
from judge.documents.bots import Bundled
from judge.documents.rules import Rules
from judge.errors import UsageError
from judge.game.variants import name_of
from judge.play.run import chosen, expressing
from judge.process.bots.bot import bundled
from judge.show.pages.bots import Playing, document, text


@click.command(cls=Command)
@option(
    "--rules",
    "Say which bots can play these rules, and over which protocol.",
    type=RULES,
    show_default="nothing is said of rules",
)
@JSON
def bots(rules: Rules | None, json: bool) -> None:
    """List the bundled bots: their names, languages and ways, and whether they can run here.

    A bundled bot is named by its bare name: judge fight hunter random.

    \b
    Examples:
      judge bots                  all of them
      judge bots --rules contest  those that play the Battleships contest first
    """
    found = bundled()
    playing = None if rules is None else _playing(rules, found)
    if playing is not None:  # first those that can
        found.sort(key=lambda bot: bot.name not in playing.over)
    if json:
        print_json(document(found, playing))
    else:
        click.echo(text(found, playing, width=width()))


def _playing(rules: Rules, found: Sequence[Bundled]) -> Playing:
    over: dict[str, str] = {}
    reasons: dict[str, str] = {}
    for bot in found:
        try:
            over[bot.name] = chosen(bot.wires, rules)
        except UsageError as error:
            reasons[bot.name] = str(error)
    return Playing(name_of(rules), expressing(rules), over, reasons)
