"""The row ``contest``: a match of two AIs in C that is added to a ledger, and the very same frames
by a bare loop. Its figures are those of a match that keeps the shots of its last game, and of one
that keeps all.

Measured is CPU time, of the AIs too, as in `bench_pipes`.
"""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

from bench_moves import CONDITIONS, PATIENT, SEED, compiled
from bench_pipes import Step, Told, awake, cpu_ms
from bench_rows import Round, Rounds

from judge.contest.ledger.keep import Keep
from judge.contest.ledger.ledger import Ledger
from judge.game.record import GameRecord
from judge.game.variants import CONTEST
from judge.play.run import Run, Task, TaskGame, TaskSeat
from judge.process.bots.bot import Bot, find_all
from judge.process.run.connection import Connection
from judge.wire.contest import FRAME_BYTES

MATCH_GAMES = 500

KEPT = ("last", "all")
BOTS = Path(__file__).parents[1] / "bots"
AIS = ("contest-rows", "contest-random")  # row by row, and at random


def contest_row(folder: Path) -> Rounds:
    """Milliseconds of CPU for a match, from the start of both AIs to their end."""
    bots = players(folder)
    conditions = replace(CONDITIONS, rules=CONTEST, dialect=None, limits=PATIENT)
    steps: list[Step] = []
    seats = {bot.name: seat for seat, bot in enumerate(bots)}

    def connect(bot: Bot, _: int, usual: Callable[[], Connection]) -> Connection:
        return Told(usual(), seats[bot.name], steps)  # type: ignore[return-value]  # it has the rest by name

    with Run(conditions, bots, connect) as run:
        play(run, bots)
    records: list[GameRecord] = []
    with Run(conditions, bots) as run:
        for number in count():
            with awake():
                ours = cpu_ms(lambda: records.extend(play(run, bots)))
                base = cpu_ms(lambda: exchange(bots, steps, folder))
                yield [
                    Round(
                        ours + cpu_ms(partial(add, folder / f"{keep}{number}.json", records, keep)),
                        base,
                    )
                    for keep in KEPT
                ]
            records.clear()


def add(path: Path, records: Sequence[GameRecord], keep: str) -> None:
    """Add the games of a match to a new ledger, and save it."""
    with Ledger(path) as ledger:
        ledger.add_all(records, numbered=True, keep=Keep.read(keep))


def players(folder: Path) -> tuple[Bot, ...]:
    """The two AIs, each speaking dialect 1, which has the more messages."""
    specs = []
    for name in AIS:
        program = folder / name
        compiled((BOTS / name / "bot.c").read_text(), program)
        specs.append(f"{program}@contest/1")
    return find_all(specs)


def play(run: Run, bots: Sequence[Bot], games: int = MATCH_GAMES) -> list[GameRecord]:
    """A match of the two."""
    seats = tuple(
        TaskSeat(bot.name, bot.digest, SEED + seat, bot.wires, bot.dialect)
        for seat, bot in enumerate(bots)
    )
    rest = tuple(TaskGame(f"bench-{number}", SEED + number, 0) for number in range(1, games))
    records = run.play_match(Task("bench", SEED, 0, seats, rest=rest))
    if len(records) != games:
        sys.exit(f"bench: its own AI lost by {records[-1].outcome}")
    return records


def exchange(bots: Sequence[Bot], steps: Sequence[Step], folder: Path) -> None:
    """Nothing but the same two processes, and the same frames by a plain loop."""
    with ExitStack() as started:
        sockets: list[socket.socket] = []
        for bot in bots:
            path = folder / f"{bot.name}.socket"
            with socket.socket(socket.AF_UNIX) as listening:
                listening.bind(str(path))
                listening.listen(1)
                pipe = subprocess.PIPE
                started.enter_context(
                    subprocess.Popen(
                        [*bot.command, path],
                        stdin=pipe,
                        stdout=pipe,
                        stderr=pipe,
                        env={"BOT_SEED": str(SEED + len(sockets))},
                    )
                )
                connected, _ = listening.accept()
            path.unlink()
            sockets.append(started.enter_context(connected))
        for seat, sent in steps:
            if sent is None:
                sockets[seat].recv(FRAME_BYTES)
                continue
            for at in range(0, len(sent), FRAME_BYTES):
                sockets[seat].send(sent[at : at + FRAME_BYTES])
