"""judge check: whether a bot does what a bot has to do, and what to mend."""

from __future__ import annotations

import sys

import click

from judge.check.examination import examine
from judge.cli.options import checking
from judge.cli.output import print_json
from judge.cli.progress import Progress
from judge.cli.reproduction import Remembering, again
from judge.cli.settings import OutputFormat, Settings
from judge.cli.setup import Setup
from judge.cli.values import BOT
from judge.errors import Interrupted
from judge.show.check import document, text

DOES_NOT_CONFORM = 3


@click.command(cls=Remembering)
@click.argument("bot", type=BOT)
@checking
def check(*, bot: str, settings: Settings) -> None:
    """Ask BOT two hundred questions that a game could bring, and say what is wrong and how to mend
    it.

    BOT is named as in judge fight, and is started in the very same way. Questions come in every
    dialect and from both seats. The same seed asks the same questions. The exit status is 0 if the
    bot conforms and 3 if it does not.
    """
    table = Setup.of([bot], settings)
    seed = settings.drawn_seed()
    progress = Progress(settings)

    def told(claim: str, of: int) -> None:
        progress.start(of)
        progress.advance(lambda: claim)

    try:
        report = examine(table.bots[0], table.conditions, seed=seed, jobs=table.jobs, told=told)
    except Interrupted:
        raise Interrupted(again=again(seed)) from None
    finally:
        progress.stop()
    if settings.report is OutputFormat.JSON:
        print_json(document(report))
    else:
        colour = settings.color.on(sys.stdout)
        click.echo(text(report, again=again(seed), colour=colour), color=colour)
    if not report.conforms:
        click.get_current_context().exit(DOES_NOT_CONFORM)
