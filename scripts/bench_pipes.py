"""Two players in C that live for a game, their game by the judge, and the same lines without it.

Measured is CPU time, of the players too: what the machine does while a process sleeps, and how long
it takes to wake, would otherwise be most of it. For the same reason both cores are kept awake, by
processes that run only where nothing else wants to.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bench_moves import CONDITIONS, PATIENT, SEED, compiled, timed

from judge.game.record import GameRecord
from judge.game.rules import Turn
from judge.game.variants import VARIANTS
from judge.play.conditions import Conditions
from judge.play.run import Run, Task, TaskSeat
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection

ROUNDS = 40
GAMES = 10  # in a round of the bench

# One shot a turn, never at a ship, so that the game has as many rounds as it may have.
RULES = replace(
    VARIANTS["broadsides"], name="lines", turn=Turn.SINGLE, salvo_bonus=(), round_limit=ROUNDS
)
PLAYER = """\
#include <stdio.h>
#include <string.h>

int main(void) {
    char line[4096];
    int shots = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "ACTION SHIPS", 12))
            puts("SHIPS 5:A1:H 4:A2:H 3:A3:H 3:A4:H 2:A5:H");
        else if (!strncmp(line, "ACTION SHOTS", 12))
            printf("SHOTS %c%d\\n", 'A' + shots % 10, 6 + shots / 10), shots++;
        else if (!strncmp(line, "ACTION FINISH", 13))
            puts("FINISH");
        fflush(stdout);
    }
}
"""


class Step(NamedTuple):
    """What passed between the judge and a seat: what it was sent, or None where it answered."""

    seat: int
    sent: bytes | None


class Told:
    """A connection that notes what passes over it."""

    def __init__(self, connection: Connection, seat: int, steps: list[Step]) -> None:
        self._connection = connection
        self._seat = seat
        self._steps = steps

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)

    def send(self, data: bytes) -> None:
        self._steps.append(Step(self._seat, data))
        self._connection.send(data)

    def receive(self, deadline: float) -> bytes:
        data = self._connection.receive(deadline)
        self._steps.append(Step(self._seat, None))
        return data


def pipes_row(folder: Path) -> Generator[list[tuple[float, float | None]], None, None]:
    """The CPU time of a game in milliseconds, by the judge and by a bare loop; and how long its
    record takes to be written down, read and checked."""
    bots = [compiled(PLAYER, folder / name) for name in ("one", "two")]
    conditions = replace(CONDITIONS, rules=RULES, dialect=None, limits=PATIENT)
    steps = steps_of(conditions, bots)
    with Run(conditions, bots) as run:
        while True:
            ours = base = 0.0
            with awake():
                for _ in range(GAMES):  # in turns, for what slows the one is to slow the other
                    ours += cpu_ms(lambda: play(run, bots)) / GAMES
                    base += cpu_ms(lambda: exchange(bots, steps)) / GAMES
            check = timed(partial(check_of, play(run, bots)))
            yield [(ours, base), (check, None)]


def check_of(record: GameRecord) -> GameRecord:
    """The record, written down, read and checked."""
    return GameRecord.from_json(record.to_json())


def play(run: Run, bots: list[Bot]) -> GameRecord:
    """A game of the two."""
    seats = tuple(TaskSeat(bot.name, bot.digest, SEED, ("broadsides",)) for bot in bots)
    record = run.play(Task("bench", SEED, 0, seats))
    if record.outcome.termination != "round-limit":
        sys.exit(f"bench: its own players lost by {record.outcome}")
    return record


def steps_of(conditions: Conditions, bots: list[Bot]) -> list[Step]:
    """What passes in that game, in order."""
    steps: list[Step] = []
    seats = {bot.name: seat for seat, bot in enumerate(bots)}

    def connect(bot: Bot, _: int, usual: Callable[[], Connection]) -> Connection:
        return Told(usual(), seats[bot.name], steps)  # type: ignore[return-value]  # it has the rest by name

    with Run(conditions, bots, connect) as run:
        play(run, bots)
    return steps


def exchange(bots: list[Bot], steps: list[Step]) -> None:
    """Nothing but the same two processes, fed the same lines by a plain loop."""
    with ExitStack() as started:
        pipe = subprocess.PIPE
        processes = [
            started.enter_context(
                subprocess.Popen(bot.command, stdin=pipe, stdout=pipe, stderr=pipe)
            )
            for bot in bots
        ]
        for seat, sent in steps:
            process = processes[seat]
            assert process.stdin, "a pipe"
            assert process.stdout, "a pipe"
            if sent is None:
                process.stdout.readline()
            else:
                process.stdin.write(sent)
                process.stdin.flush()


def cpu_ms(work: Callable[[], object]) -> float:
    """The CPU time of this process and of its children that have ended, in milliseconds."""
    before = _cpu_seconds()
    work()
    return (_cpu_seconds() - before) * 1000


def _cpu_seconds() -> float:
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(sum(resource.getrusage(kind)[:2]) for kind in kinds)


@contextmanager
def awake() -> Iterator[None]:
    """Keep every core busy, with what gives way to anything else."""
    with ExitStack() as spinning:
        for _ in range(os.cpu_count() or 1):
            spinner = spinning.enter_context(
                subprocess.Popen([sys.executable, "-I", "-S", "-c", _SPIN], stdout=subprocess.PIPE)
            )
            spinning.callback(spinner.kill)
            assert spinner.stdout, "a pipe"
            spinner.stdout.readline()  # it gives way by now
        yield


_SPIN = """\
import os
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
print(flush=True)
while True:
    pass
"""
