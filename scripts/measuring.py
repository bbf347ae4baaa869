"""The parts that the rows of the bench share: a round, clocks, tiny bots, and the conditions of
their games."""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple, NoReturn

from msgspec import structs

from judge.contest.formats.every_pair import Meetings, circle
from judge.contest.schedule import Games, Pairing, contest_key
from judge.contest.threads import playing
from judge.contest.window import Fault
from judge.documents.game import GameRecord, Limits
from judge.documents.ledger import Plan
from judge.documents.rules import Rules
from judge.errors import UsageError
from judge.game.fleets import random_fleet
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.run import Connect, Run
from judge.process.bots.bot import Bot, find, find_all
from judge.process.run.connection import Connection, Script
from judge.process.sandbox.isolation import Isolation, Unlimited, choose
from judge.wire.brainjar import fleet_reply

SEED = 1
JUDGE = str(Path(sys.executable).with_name("judge"))  # of the environment that we run in
TINY = structs.replace(BRAINJAR, name="tiny", columns=3, rows=2, fleet=(2,))
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
import os, sys, time
nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
began = time.perf_counter()
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=nowhere)
_, status, usage = os.wait4(process, 0)
print(time.perf_counter() - began, usage.ru_maxrss)
sys.exit(status != 0)
"""
NOWHERE = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in range(3)]


class Round(NamedTuple):
    """The time that the judge took, and that of the base if the figure is their ratio."""

    judge: float
    base: float | None = None

    @property
    def figure(self) -> float:
        return self.judge if self.base is None else self.judge / self.base


# A row measures in a scratch folder: rounds without end, and in each of them every figure.
Rounds = Generator[Sequence[Round], None, None]
Measure = Callable[[Path], Rounds]


def fail(why: str) -> NoReturn:
    """End the bench with a sentence."""
    sys.exit(f"bench: {why}")


def count(text: str) -> int:
    """A number of things that somebody typed."""
    if not (text.isascii() and text.isdecimal() and int(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 up")
    return int(text)


def table_row(*cells: str) -> None:
    """A row of a table in Markdown."""
    print(f"| {' | '.join(cells)} |", flush=True)


def interruptible(program: str, main: Callable[[], int | None]) -> NoReturn:
    """Run a script to its exit status, which is 130 if it is interrupted."""
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print(f"{program}: interrupted", file=sys.stderr)
        sys.exit(130)


def timed(work: Callable[[], object]) -> float:
    """Wall time in milliseconds."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def cpu_ms(work: Callable[[], object], whose: Sequence[int] = OURS) -> float:
    """The CPU time of this process and of its children that have ended, in milliseconds."""

    def seconds() -> float:
        return sum(sum(resource.getrusage(kind)[:2]) for kind in whose)

    before = seconds()
    work()
    return (seconds() - before) * 1000


def in_turns(
    judge: Callable[[], object],
    base: Callable[[], object],
    times: int = 1,
    clock: Callable[[Callable[[], object]], float] = timed,
) -> Round:
    """How long each takes on average, in turns: what slows one down slows the other too."""
    taken = [[clock(judge), clock(base)] for _ in range(times)]
    return Round(*(sum(each) / times for each in zip(*taken, strict=True)))


def paired(
    judge: Callable[[], object],
    base: Callable[[], object],
    times: int = 1,
    clock: Callable[[Callable[[], object]], float] = timed,
) -> Rounds:
    """Rounds of a row whose one figure is the ratio of the two."""
    while True:
        yield [in_turns(judge, base, times, clock)]


def python_bot(folder: Path, wire: str = "brainjar") -> Bot:
    """The bot in Python, run by the interpreter that runs us."""
    return find(str(shutil.copy(SMALL_BOTS / "in_order.py", folder)), wire=wire)


def c_bot(folder: Path) -> Bot:
    """The bot in C, compiled now."""
    return compiled(SMALL_BOTS / "in_order.c", folder / "in_order")


def compiled(source: Path, program: Path) -> Bot:
    """A bot in C of this source."""
    compiler = shutil.which("cc")
    if not compiler:
        fail("there is no C compiler (Debian, Ubuntu: apt install build-essential)")
    subprocess.run([compiler, "-O2", "-o", program, source], check=True)
    return find(str(program))


def scripted_bots(folder: Path, number: int) -> tuple[Bot, ...]:
    """Bots whose files differ; what these would do is never asked, for they are `scripted`."""
    for name in range(number):
        Path(folder, f"bot{name}.py").write_text(f"# {name}\n")
    bots = find_all([str(folder / f"bot{name}.py") for name in range(number)])
    return tuple(replace(bot, wires=("brainjar",), dialect="readme") for bot in bots)


def scripted(rules: Rules) -> Connect:
    """Players that are functions of this process: they shoot at any cell that is left, as their
    seeds will have it."""

    def connect(_: Bot, seed: int, __: Callable[[], Connection]) -> Connection:
        luck = Random(seed)

        def answer(question: bytes) -> bytes:
            asked = json.loads(question)
            if asked["cmd"] == "init":
                return json.dumps(fleet_reply(random_fleet(rules, luck))).encode()
            cells = {
                f"{column}{row}" for column in range(rules.columns) for row in range(rules.rows)
            }
            left = sorted(cells.difference(asked["hit"], asked["missed"]))
            return json.dumps({"move": luck.choice(left)}).encode()

        return Script(answer)

    return connect


def isolated(level: str) -> Isolation:
    """A level of isolation; ends the bench if this machine does not have it."""
    try:
        return choose(level)[0]
    except UsageError as error:
        fail(str(error))


def round_robin(bots: Sequence[str], rules: Rules, games: int, seed: int) -> Games:
    """A contest in which every two bots play this many games."""
    plan = Plan(format="rounds", bots=tuple(bots), units=games)
    meetings = Meetings(tuple(circle(sorted(bots))), plan.units)
    return Games(plan.bots, contest_key(rules, seed), seed, plan, meetings)


def play_all(
    schedule: Iterable[Pairing],
    bots: Sequence[Bot],
    conditions: Conditions,
    jobs: int,
    *,
    add: Callable[[GameRecord], object] = lambda _: None,
    connect: Connect | None = None,
) -> None:
    """Play a schedule as the judge does, and hand over each game; ends at the first fault."""
    with playing(schedule, bots, Run(conditions, bots, connect), jobs=jobs) as results:
        for result in results:
            if isinstance(result, Fault):
                raise result.error
            for record in result:
                add(record)


def weighed(command: Sequence[str]) -> tuple[float, float]:
    """Wall time in seconds and peak memory in MB; ends the bench if the command fails."""
    weigher = [sys.executable, "-I", "-S", "-c", WEIGHER]
    done = subprocess.run([*weigher, *command], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        fail(f"{' '.join(command)} failed")
    seconds, kib = map(float, done.stdout.split())
    return seconds, kib / 1024


def on_core(core: int) -> tuple[str, ...]:
    """The words put before a command, so that it runs there."""
    return ("taskset", "-c", str(core))


@contextmanager
def serving(
    folder: Path, *command: str, lines: int = 1, stderr: int | None = None
) -> Iterator[tuple[subprocess.Popen[str], list[int]]]:
    """A server that runs in a folder, and the ports that its first ``lines`` tell."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, cwd=folder, stdin=pipe, stdout=pipe, stderr=stderr, text=True
    ) as server:
        try:
            assert server.stdout is not None, "it is a pipe"
            said = "".join(server.stdout.readline() for _ in range(lines))
            if not (ports := re.findall(r"\b\d{5}\b", said)):
                fail(f"the server did not start: {said}")
            yield server, [*map(int, ports)]
        finally:
            server.terminate()
            server.communicate()


def start(command: list[str], environment: Mapping[str, str] = os.environ) -> None:
    """Nothing but posix_spawn and wait4, its output nowhere; ends the bench if it fails."""
    process = os.posix_spawn(command[0], command, environment, file_actions=NOWHERE)
    if os.wait4(process, 0)[1] != 0:
        fail(f"{' '.join(command)} failed")
