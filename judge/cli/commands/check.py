"""judge check: whether a bot does what a bot has to do, and what to mend."""

from __future__ import annotations

from functools import partial

import click

from judge.check.examination import examine
from judge.cli.options import checking
from judge.cli.reproduction import Remembering, again
from judge.cli.settings import Settings
from judge.cli.setup import Setup
from judge.cli.sinks import Ended, Started, Step, telling
from judge.cli.values import BOT
from judge.errors import Interrupted
from judge.show.check import document, text

DOES_NOT_CONFORM = 3


@click.command(cls=Remembering)
@click.argument("bot", type=BOT)
@checking
def check(*, bot: str, settings: Settings) -> None:
    """Ask BOT two hundred questions that a game could bring, and say what is wrong and how to mend
    it. A bot that speaks a protocol which keeps state plays some 40 games instead.

    BOT is named as in judge fight, and is started in the very same way. Questions come in every
    dialect and from both seats. The same seed asks the same questions. The exit status is 0 if the
    bot conforms, 3 if it does not, 2 if what was typed is wrong, and 1 if anything else kept the judge
    from its work.
    """
    table = Setup.of([bot], settings)
    seed = settings.drawn_seed()
    with telling(settings) as take:

        def told(claim: str, number: int, of: int) -> None:
            if number == 1:
                take(Started(steps=of))
            take(Step(standing=lambda: claim))

        try:
            report = examine(table.bots[0], table.run(), seed=seed, jobs=table.jobs, told=told)
        except Interrupted:
            raise Interrupted(again=again(seed)) from None
        take(
            Ended(
                text=lambda colour: text(
                    report, again=again(seed), colour=colour, verbose=settings.verbose
                ),
                document=partial(document, report),
            )
        )
    if not report.conforms:
        click.get_current_context().exit(DOES_NOT_CONFORM)
