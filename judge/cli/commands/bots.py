"""judge bots: lists the bundled bots."""

from __future__ import annotations

import math
from collections.abc import Mapping

import click
from msgspec.structs import asdict

from judge.cli.configuration import Command
from judge.cli.options import JSON, option
from judge.cli.output import answer, width
from judge.cli.values.games import RULES
from judge.documents.bots import Bundled
from judge.documents.reports import BundledBot, BundledBots
from judge.documents.rules import Rules
from judge.errors import UsageError
from judge.game.variants import VARIANTS, name_of
from judge.play.spoken import chosen, expressing
from judge.process.bots.bot import bundled, strength
from judge.show.pages.bots import text


@click.command(cls=Command)
@option(
    "--rules",
    "Say which bots can play these rules, and over which wire.",
    type=RULES,
    show_default="nothing is said of rules",
)
@JSON
def bots(rules: Rules | None, json: bool) -> None:
    """List the bundled bots: their games, their strength, and whether they can run here.

    A bundled bot is named by its bare name: judge fight hunter random.

    \b
    Examples:
      judge bots                  all of them
      judge bots --rules contest  bots of the contest, the fewest shots first
    """
    document = _document(rules)
    answer(document, lambda: text(document, width=width()), json=json)


def _document(rules: Rules | None) -> BundledBots:
    """Describe the bundled bots. Those that cannot play the rules come last. Without rules the bots
    are grouped by the first game of each. In each group the strongest bots come first."""
    measured, games = strength(), [*VARIANTS]
    found = [_introduced(bot, rules, measured) for bot in bundled()]
    found.sort(
        key=lambda bot: (
            bot.cannot_play is not None,
            [games.index(game) for game in bot.games[:1]] if rules is None else [],
            math.inf if bot.shots is None else bot.shots,
        )
    )
    return BundledBots(
        rules=None if rules is None else name_of(rules),
        wires=None if rules is None else expressing(rules),
        bots=tuple(found),
    )


def _introduced(
    bot: Bundled, rules: Rules | None, measured: Mapping[str, Mapping[str, float]]
) -> BundledBot:
    wire = reason = None
    if rules is not None:
        wire, reason = _wire(bot, rules)
    games = tuple(name for name, variant in VARIANTS.items() if _wire(bot, variant)[0])
    of = name_of(rules) if rules else next(iter(games), "")
    shots = measured.get(of, {}).get(bot.name)
    return BundledBot(**asdict(bot), games=games, shots=shots, wire=wire, cannot_play=reason)


def _wire(bot: Bundled, rules: Rules) -> tuple[str | None, str | None]:
    """Return the protocol in which a bot plays these rules, or None and why it cannot."""
    try:
        return chosen(bot.wires, rules), None
    except UsageError as error:
        return None, str(error)
