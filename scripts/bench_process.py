"""The rows of starting: moves of bots and the judge itself, to bare starts of the same commands.

A bot plays one and the same game every time, so that each of its moves can be started again barely,
as the judge started it.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import measuring
from judge.documents.codec import builtins
from judge.documents.game import GameRecord
from judge.documents.tasks import Task, TaskSeat
from judge.game.events import Event, FleetPlaced, Shot
from judge.game.game import Game
from judge.play.conditions import Conditions
from judge.play.match import Watch
from judge.play.run import Run
from judge.process.bots.bot import Bot
from measuring import Measure, Round, Rounds, fail, timed

GAMES = 10  # in a run of which the games share what is started for a bot
STARTS = 10  # in a round

# Writes down the command and the environment that it was started with, and becomes that command.
TELLER = """\
import json, os, sys
with open(sys.argv[1], "a") as told:
    print(json.dumps([sys.argv[2:], dict(os.environ)]), file=told)
os.execv(sys.argv[2], sys.argv[2:])
"""


class Move(NamedTuple):
    """One run of a bot: its command and the whole of its environment."""

    command: list[str]
    environment: Mapping[str, str]


def move_row(make: Callable[[Path], Bot], isolation: str = "none", launch: str = "exec") -> Measure:
    """Wall time of a move in the judge's games, to that of starting the same moves barely. Forked,
    it is one run of `GAMES` games, from the measuring.start of its fork servers to their end."""

    def measure(folder: Path) -> Rounds:
        conditions = replace(
            measuring.CONDITIONS, isolation=measuring.isolated(isolation), launch=launch
        )
        bot = make(folder)
        moves = moves_of(bot, folder)
        while True:
            compare = raced if launch == "exec" else whole_games
            yield [Round(*(each / len(moves) for each in compare(bot, moves, conditions)))]

    return measure


def cpu_row(folder: Path) -> Rounds:
    """The judge's own CPU time a move, in milliseconds; the bots' is not in it."""
    bot = measuring.c_bot(folder)
    moves = len(moves_of(bot, folder))
    while True:
        whole = measuring.cpu_ms(lambda: json.dumps(builtins(play(bot))), [resource.RUSAGE_SELF])
        yield [Round(whole / moves)]


def start_row(_folder: Path) -> Rounds:
    """`judge --version`, to the interpreter and click alone."""
    judge = [measuring.JUDGE, "--version"]
    click = [sys.executable, "-c", "import click"]
    return measuring.paired(
        partial(measuring.start, judge), partial(measuring.start, click), STARTS
    )


def script_row(_folder: Path) -> Rounds:
    """How many milliseconds later the judge starts by scripts/judge than from its environment."""
    script = [str(Path(__file__).with_name("judge")), "--version"]
    judge = [measuring.JUDGE, "--version"]
    later, usual = (partial(measuring.start, command) for command in (script, judge))
    for ((ours, base),) in measuring.paired(later, usual, STARTS):
        yield [Round(ours - (base or 0))]


def play(
    bot: Bot,
    conditions: Conditions = measuring.CONDITIONS,
    watch: Watch | None = None,
    run: Run | None = None,
) -> GameRecord:
    """A game of the bot against itself on the judge's own path; by itself, or in a run."""
    seats = (TaskSeat(bot.name, bot.digest, measuring.SEED, bot.wires),) * 2
    with nullcontext(run) if run else Run(conditions, [bot]) as played_in:
        return played_in.play(Task("bench", measuring.SEED, 0, seats), watch)


def raced(bot: Bot, moves: Sequence[Move], conditions: Conditions) -> tuple[float, float]:
    """Milliseconds that the judge's game took, and that its moves take when started barely.

    Each is started barely right after the judge's own: a slow machine slows both.
    """
    base = 0.0
    left = iter(moves)

    def start_the_same(_: Game, event: Event) -> None:
        nonlocal base
        if isinstance(event, FleetPlaced | Shot):
            base += timed(lambda: measuring.start(*next(left)))

    whole = timed(lambda: play(bot, conditions, start_the_same))
    assert next(left, None) is None, "a move is a fleet or a shot"
    return whole - base, base


def whole_games(bot: Bot, moves: Sequence[Move], conditions: Conditions) -> tuple[float, float]:
    """The same, on average, of whole games in one run, and then of all moves of one: a move may
    make the next one ready, and must not have the time of a bare measuring.start for that."""

    def play_games() -> None:
        with Run(conditions, [bot]) as run:
            for _ in range(GAMES):
                play(bot, conditions, run=run)

    def start_all() -> None:
        for move in moves:
            measuring.start(*move)

    return timed(play_games) / GAMES, timed(start_all)


def moves_of(bot: Bot, folder: Path) -> list[Move]:
    """All moves of that game, as the judge started them; it is the same game every time."""
    told = folder / "moves.jsonl"
    teller = (sys.executable, "-c", TELLER, str(told))
    record = play(replace(bot, command=(*teller, *bot.command)))
    if record.outcome.termination != "fleet-destroyed":
        fail(f"its own bot lost by {record.outcome}")
    return [Move(*json.loads(line)) for line in told.read_text().splitlines()]
