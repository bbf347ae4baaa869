"""judge replay: a game to step through in the terminal, or printed where there is none."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from judge.cli.atomic_write import save
from judge.cli.configuration import Command
from judge.cli.game_source import the_game
from judge.cli.interactive.terminal import can_be_taken_over, taken_over
from judge.cli.options import (
    COLOR,
    ISOLATION,
    JSON,
    LEDGER_FILE,
    MEMORY_LIMIT,
    OUTPUT_LIMIT,
    TIMEOUT,
    VERBOSE,
    option,
)
from judge.cli.output import print_json
from judge.cli.settings import Color
from judge.cli.values import BOT, DURATION, FILE, GAME, MOVE, PROGRAM, SIDE
from judge.errors import UsageError
from judge.show.replay import Replay, whole


@click.command(cls=Command)
@click.argument("game", metavar="[GAME]", type=GAME, required=False)
@LEDGER_FILE
@option(
    "--fog",
    "Show only what this side knew: A, the first bot named, or B.",
    type=SIDE,
    show_default="off: the truth",
)
@option(
    "--delay",
    "Play by itself, a step each such time.",
    type=DURATION,
    show_default="off: step by keys",
)
@option(
    "--move",
    "Run this move of its bot again and compare. N is its number here and on the page: a volley "
    "is one move. A or B: that side's placing; 12A: where all shoot at once, the move of A.",
    type=MOVE,
    show_default=False,
)
@option("--html", "Write the game as a page; - prints it.", type=FILE, show_default=False)
@option(
    "--bot",
    "The bot for --move, unless it is bundled or lies where it last played.",
    type=BOT,
    show_default=False,
)
@option(
    "--python", "The interpreter of a Python bot.", type=PROGRAM, show_default="the judge's own"
)
@ISOLATION
@TIMEOUT
@MEMORY_LIMIT
@OUTPUT_LIMIT
@JSON
@VERBOSE
@COLOR
def replay(
    *,
    game: str | None,
    ledger: Path | None,
    fog: int | None,
    delay: int | None,
    move: tuple[int | None, int | None] | None,
    html: Path | None,
    bot: str | None,
    python: Path | None,
    isolation: str,
    timeout: int | None,
    memory: int,
    output_limit: int,
    json: bool,
    verbose: bool,
    color: str,
) -> None:
    """Step through GAME.

    GAME is a game record's file, a page, a broadsides log, a ledger (its last game), or LEDGER#N;
    the last game of the ledger unless said otherwise. Where there is no terminal, all of it is printed.
    """
    if html is not None and (json or move is not None):
        raise UsageError(
            f"--html and {'--json' if json else '--move'} cannot both be had: choose one"
        )
    record = the_game(game, ledger)
    if json:
        print_json(record.to_json())
        return
    if html is not None:
        from judge.show.page import page

        save(page(record), html)
        return
    colour = Color(color).on(sys.stdout)
    if move is not None:
        from judge.cli.move_rerun import again, chosen
        from judge.show.move_rerun import text

        one = chosen(record, *move)
        rerun = again(
            record,
            one,
            spec=bot,
            python=python,
            isolation=isolation,
            timeout_ms=timeout,
            memory_bytes=memory,
            output_bytes=output_limit,
        )
        click.echo(text(record, one, rerun, colour=colour, verbose=verbose), color=colour)
        return
    replayed = Replay.of(record)
    if fog is not None and fog >= len(record.seats):
        raise UsageError(f"--fog: only {len(record.seats)} played this game")
    if can_be_taken_over(sys.stdout):
        from judge.cli.interactive.replay_screen import Stepping

        with taken_over(sys.stdout) as screen:
            Stepping(replayed, screen, seat=fog, delay=delay, colour=colour).run()
    else:
        click.echo(whole(replayed, seat=fog, colour=colour, verbose=verbose), color=colour)
