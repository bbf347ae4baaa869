"""The parts that the rows of the bench share: a round, clocks, tiny bots, and the conditions of
their games."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, NoReturn

from msgspec import structs

from judge.contest import threads
from judge.contest.fight import fight_of
from judge.contest.schedule import Pairing
from judge.documents.game import GameRecord, Limits
from judge.documents.rules import Rules
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import Bot, find
from judge.process.run.processes import used_ns
from judge.process.sandbox.isolation import Unlimited

ROOT = Path(__file__).resolve().parents[1]
SEED = 1
PATIENCE = 180.0  # seconds; a busy machine is no reason to fail
JUDGE = str(Path(sys.executable).with_name("judge"))  # of the environment that we run in
TINY = structs.replace(BRAINJAR, name="tiny", columns=3, rows=2, fleet=(2,))
SMALL = structs.replace(BRAINJAR, name="small", columns=4, rows=4, fleet=(2,))
OURS = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
SMALL_BOTS = Path(__file__).with_name("small_bots")
CONDITIONS = Conditions(
    rules=BRAINJAR,
    dialect="readme",
    isolation=Unlimited(),
    limits=Limits(timeout_ms=30_000),  # a busy machine slows the bench, but loses no game
)

# Runs a command, its output nowhere, and prints how many seconds it took and its peak memory in
# KiB. A small process of its own: the peak of a larger one would be counted as its child's.
WEIGHER = """\
import resource, subprocess, sys, time
began = time.perf_counter()
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(status)
"""
NOWHERE = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in range(3)]


class Round(NamedTuple):
    """The time that the judge took, and that of the base if the figure is their ratio."""

    judge: float
    base: float | None = None

    @property
    def figure(self) -> float:
        return self.judge if self.base is None else self.judge / self.base


Work = Callable[[], object]
Clock = Callable[[Work], float]  # the milliseconds that work takes
# A row measures in a scratch folder: rounds without end, and in each of them every figure.
Rounds = Generator[Sequence[Round], None, None]
Measure = Callable[[Path], Rounds]


def fail(why: str) -> NoReturn:
    """End the script with a sentence."""
    sys.exit(f"{Path(sys.argv[0]).stem}: {why}")


def table_head(*columns: str) -> None:
    """The head of a table in Markdown."""
    table_row(*columns)
    table_row(*["---"] * len(columns))


def table_row(*cells: str) -> None:
    """A row of the table."""
    print(f"| {' | '.join(cells)} |", flush=True)


def timed(work: Work) -> float:
    """Wall time in milliseconds."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def cpu_ms(work: Work, whose: Sequence[int] = OURS) -> float:
    """The CPU time of this process and of its children that have ended, in milliseconds."""

    def seconds() -> float:
        return sum(sum(resource.getrusage(kind)[:2]) for kind in whose)

    before = seconds()
    work()
    return (seconds() - before) * 1000


def in_turns(judge: Work, base: Work, times: int = 1, clock: Clock = timed) -> Round:
    """How long each takes on average, in turns: what slows one down slows the other too."""
    taken = [[clock(judge), clock(base)] for _ in range(times)]
    return Round(*(sum(each) / times for each in zip(*taken, strict=True)))


def paired(judge: Work, base: Work, times: int = 1) -> Rounds:
    """Rounds of a row whose one figure is the ratio of the two."""
    while True:
        yield [in_turns(judge, base, times)]


def python_bot(folder: Path, wire: str = "brainjar") -> Bot:
    """The bot in Python, run by the interpreter that runs us."""
    return find(str(shutil.copy(SMALL_BOTS / "in_order.py", folder)), wire=wire)


def c_bot(folder: Path) -> Bot:
    """The bot in C, compiled now."""
    return find(str(compiled(SMALL_BOTS / "in_order.c", folder / "in_order")))


def compiled(source: Path, program: Path, *flags: str) -> Path:
    """The program of a source in C."""
    if not (compiler := shutil.which("cc")):
        fail("there is no C compiler (Debian, Ubuntu: apt install build-essential)")
    subprocess.run([compiler, "-o", program, source, *(flags or ("-O2",))], check=True)
    return program


def pairing_of(rules: Rules, games: int = 1) -> Pairing:
    """A game of two bots, or a match."""
    (found,) = fight_of(rules, 2, games=games, sprt=None, seed=SEED)
    return found


def played(run: Run, bots: Sequence[Bot], games: int = 1) -> Sequence[GameRecord]:
    """A game of these bots, or a match; ends the bench at a forfeit."""
    pairing = pairing_of(run.conditions.rules, games)
    records = threads.played(run, threads.task(pairing, bots))
    if len(records) < games or any(game.outcome.termination.is_forfeit for game in records):
        fail(f"its own bot lost by {records[-1].outcome}")
    return records


def by_itself(bot: Bot, conditions: Conditions = CONDITIONS) -> GameRecord:
    """A game of a bot against itself, in a run of its own."""
    with Run(conditions, [bot]) as run:
        (record,) = played(run, [bot, bot])
    return record


def weighed(command: Sequence[str]) -> tuple[float, float]:
    """Wall time in seconds and peak memory in MB; ends the bench if the command fails."""
    weigher = [sys.executable, "-I", "-S", "-c", WEIGHER]
    done = subprocess.run([*weigher, *command], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        fail(f"{' '.join(command)} failed")
    seconds, kib = map(float, done.stdout.split())
    return seconds, kib / 1024


def resident_kib(process: int) -> int:
    """The memory of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


class Running(NamedTuple):
    """A server's process, and the ports that it has told."""

    process: subprocess.Popen[str]
    ports: Sequence[int]

    @property
    def kib(self) -> int:
        return resident_kib(self.process.pid)

    @property
    def cpu(self) -> float:
        """Seconds of CPU time that the server has taken."""
        return used_ns(self.process.pid) / 1e9


@contextmanager
def serving(
    folder: Path, *command: str, lines: int = 1, stderr: int | None = None
) -> Iterator[Running]:
    """A server that runs in a folder; its first ``lines`` tell its ports. Nobody reads on: the log
    drops what has no place, and no game waits for it."""
    pipe = subprocess.PIPE
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdin=pipe, stdout=pipe, stderr=stderr, text=True
    ) as server:
        try:
            assert server.stdout is not None, "it is a pipe"
            said = "".join(server.stdout.readline() for _ in range(lines))
            if not (ports := re.findall(r"\b\d{5}\b", said)):
                fail(f"the server did not start: {said}")
            yield Running(server, [*map(int, ports)])
        finally:
            server.terminate()
            try:
                server.communicate(timeout=PATIENCE)
            finally:
                server.kill()


def start(command: list[str], environment: Mapping[str, str] = os.environ) -> None:
    """Nothing but posix_spawn and wait4, its output nowhere; ends the bench if it fails."""
    process = os.posix_spawn(command[0], command, environment, file_actions=NOWHERE)
    if os.wait4(process, 0)[1] != 0:
        fail(f"{' '.join(command)} failed")
