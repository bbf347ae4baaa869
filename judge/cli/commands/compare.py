"""judge compare: whether a new version of a bot is stronger than the old one."""

from __future__ import annotations

from dataclasses import replace

import click

from judge.cli.configuration import Command
from judge.cli.options import comparing, option
from judge.cli.output import width
from judge.cli.reproduction import again, checking
from judge.cli.settings import Settings
from judge.cli.setup import clearing, set_up
from judge.cli.sinks import Ended, Started, StepDone, telling
from judge.cli.values.games import BOT
from judge.cli.values.numbers import count
from judge.contest.comparison import BOARDS, GAMES, Comparison
from judge.contest.seeds import begin
from judge.errors import Interrupted
from judge.show.comparison import text
from judge.show.many_games import score
from judge.show.shooting import standing


@click.command(cls=Command, usual=("boards", "games", "rules", "seed", "json"))
@click.argument("old", metavar="OLD", type=BOT)
@click.argument("new", metavar="NEW", type=BOT)
@option("--boards", "How many boards each clears.", type=count(2, 100_000), default=str(BOARDS))
@option(
    "--games",
    "How many games they play at most, if it is not decided sooner.",
    type=count(2, 1_000_000),
    default=str(GAMES),
)
@comparing
def compare(*, old: str, new: str, boards: int, games: int, settings: Settings) -> None:
    """Say whether NEW is stronger than OLD, two versions of a bot.

    Both clear the same boards, which shows a difference in shooting soonest. Then they play pairs of
    games until a sequential test has decided whether NEW is as strong as OLD or 20 Elo stronger, or
    the games run out. No game is kept.

    \b
    Examples:
      judge compare old new                one verdict, with its grounds
      judge compare hunt mybot --games 50  against a bundled bot, in less time
    """
    seed = settings.drawn_seed()
    begin(seed)
    setup = replace(set_up([old, new], settings), clearing=clearing)
    checks = [checking(old), checking(new)]
    found = Comparison(setup, boards=boards, games=games, seed=seed)
    with telling(settings) as take:
        at_once = setup.jobs * setup.boards_in_a_row
        take(Started(steps=2 * boards + games, at_once=at_once, workers=setup.workers))
        try:
            for _ in found.playing():
                take(StepDone(standing=lambda: _standing(found)))
        except Interrupted:
            raise Interrupted(f"interrupted: {_standing(found)}", again=again(seed)) from None
        document = found.document()
        take(
            Ended(
                text=lambda colour: text(
                    document, again=again(seed), checks=checks, colour=colour, width=width()
                ),
                document=lambda: document,
                notes=setup.notes,
            )
        )


def _standing(found: Comparison) -> str:
    """Word the score of the match, or before its first game the mean shots of each bot."""
    return score(found.match) if found.match.games else standing(found.shooting)
