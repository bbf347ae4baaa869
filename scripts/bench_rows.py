"""What is measured for each row of the bench, without end, a round at a time; see bench.py."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import bench_ledger
import bench_pipes
from bench_moves import (
    CONDITIONS,
    SEED,
    bot_of_wires,
    c_bot,
    in_step,
    in_turns,
    moves_of,
    play,
    python_bot,
    raced,
    start,
    timed,
)

from judge.contest.arena import playing
from judge.contest.formats.every_pair import Meetings, circle
from judge.contest.formats.plan import Plan
from judge.contest.ledger.ledger import Ledger
from judge.contest.schedule import Fight, First, Games, contest_called
from judge.contest.seeds import ContestSeed
from judge.contest.tournament import Fault
from judge.errors import UsageError
from judge.play.run import Run
from judge.process.bots.bot import Bot, bundled, find
from judge.process.sandbox.isolation import choose

# Runs a command, its output nowhere, and prints how many seconds it took and its peak memory in
# KiB. A small process of its own, for what a larger one starts has that one's peak counted in.
WEIGHER = """\
import os, sys, time
nowhere = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
began = time.perf_counter()
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=nowhere)
_, status, usage = os.wait4(process, 0)
took = time.perf_counter() - began
if status:
    sys.exit(f"bench: {' '.join(sys.argv[1:])} failed")
print(took, usage.ru_maxrss)
"""

RANK = f"""\
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from bench_ledger import rank
rank(Path(sys.argv[1]), int(sys.argv[2]))
"""

MANY, FEW = 100_000, 100  # games in a ledger
BOTS, VERSIONS = 200, 5  # in a large ledger
ADDED = 100  # games in a round
FIELD = 2000  # bots in a large contest


class Round(NamedTuple):
    """What the judge took, and what the base took if the figure is their ratio."""

    judge: float
    base: float | None = None

    @property
    def figure(self) -> float:
        return self.judge if self.base is None else self.judge / self.base


# A row measures in a scratch folder: rounds without end, and in each of them every figure.
Rounds = Generator[Sequence[Round], None, None]
Measure = Callable[[Path], Rounds]


def move_row(make: Callable[[Path], Bot], isolation: str = "none", launch: str = "exec") -> Measure:
    """Wall time of a move in the judge's games, to that of starting the same moves barely. Forked,
    it is one run of `bench_moves.GAMES` games, from the start of its fork servers to their end.
    """

    def measure(folder: Path) -> Rounds:
        try:
            conditions = replace(CONDITIONS, isolation=choose(isolation)[0], launch=launch)
        except UsageError as error:
            sys.exit(f"bench: {error}")
        bot = make(folder)
        moves = moves_of(bot, folder)
        while True:
            compare = raced if launch == "exec" else in_turns
            judge, base = compare(bot, moves, conditions)
            yield [Round(judge / len(moves), base / len(moves))]

    return measure


def wires_row(ours: str, base: str) -> Measure:
    """Wall time of a move of the same bot in the same game, over one protocol and over another."""

    def measure(folder: Path) -> Rounds:
        conditions = replace(CONDITIONS, dialect=None)
        bots = {wire: bot_of_wires(folder, wire) for wire in (ours, base)}
        games = {wire: play(bot, conditions) for wire, bot in bots.items()}
        shots = [[one.shot for one in game.shots] for game in games.values()]
        if shots[0] != shots[1]:
            sys.exit("bench: its own bot plays another game over another protocol")
        moves = len(shots[0]) + 2  # a shot, or one of two fleets
        while True:
            taken = in_step([partial(play, bots[wire], conditions) for wire in (ours, base)])
            yield [Round(*(each / moves for each in taken))]

    return measure


def cpu_row(folder: Path) -> Rounds:
    """The judge's own CPU time a move, in milliseconds; the bots' is not in it."""
    bot = c_bot(folder)
    moves = moves_of(bot, folder)
    while True:
        before = own_cpu()
        json.dumps(play(bot).to_json())
        yield [Round((own_cpu() - before) * 1000 / len(moves))]


def jobs_row(folder: Path) -> Rounds:
    """Games a second with one job, to those with two: the time of two to the time of one."""
    bot = python_bot(folder)
    schedule = list(Fight(games=4, seed=SEED, first=First.ALTERNATE))

    def play_all(jobs: int) -> None:
        with playing(schedule, [bot, bot], Run(CONDITIONS, [bot]), jobs=jobs) as results:
            for result in results:
                if isinstance(result, Fault):
                    raise result.error

    while True:
        one = timed(lambda: play_all(1)) / len(schedule)
        two = timed(lambda: play_all(2)) / len(schedule)
        yield [Round(two, one)]


def ladder() -> list[Bot]:
    """The bundled Python bots that are started for every move."""
    started = [one for one in bundled() if one.language == "Python" and "brainjar" in one.wires]
    return [find(one.name) for one in started]


def rank_row(_folder: Path) -> Rounds:
    """Games a second of a contest of the ladder's Python bots, each against the next, if they are
    executed, to the same if they are forked.
    """
    bots = ladder()
    names = tuple(bot.name for bot in bots)
    plan = Plan(format="rounds", bots=names, units=2)
    meetings = Meetings(tuple(circle(sorted(names))), plan.units)
    seed = ContestSeed(SEED)
    everyone = Games(names, contest_called(CONDITIONS.rules, seed), seed, plan, meetings)
    games = [one for one in everyone if one.first == 0 and one.seats[1] - one.seats[0] == 1]
    assert len(games) == len(bots) - 1, "each but the last has a next"

    def a_second(launch: str) -> float:
        return 1000 * len(games) / timed(lambda: play_all(launch))

    def play_all(launch: str) -> None:
        conditions = replace(CONDITIONS, launch=launch)
        with playing(games, bots, Run(conditions, bots), jobs=1) as results:
            for result in results:
                if isinstance(result, Fault):
                    raise result.error

    while True:
        forked = a_second("fork")
        yield [Round(a_second("exec"), forked)]


def pipes_row(folder: Path) -> Rounds:
    """See `bench_pipes.pipes_row`."""
    for figures in bench_pipes.pipes_row(folder):
        yield [Round(*figure) for figure in figures]


def start_row(_folder: Path) -> Rounds:
    """`judge --version`, to the interpreter and click alone."""
    judge = installed_judge()

    while True:
        ours = base = 0.0
        for _ in range(10):
            ours += timed(lambda: start([judge, "--version"], os.environ))
            base += timed(lambda: start([sys.executable, "-c", "import click"], os.environ))
        yield [Round(ours / 10, base / 10)]


def script_row(_folder: Path) -> Rounds:
    """How many milliseconds later the judge starts by scripts/judge than from its environment."""
    judge = installed_judge()
    script = str(Path(__file__).with_name("judge"))
    while True:
        ours = base = 0.0
        for _ in range(10):
            ours += timed(lambda: start([script, "--version"], os.environ))
            base += timed(lambda: start([judge, "--version"], os.environ))
        yield [Round((ours - base) / 10)]


def add_row(folder: Path) -> Rounds:
    """Adding a game to a large ledger, to adding the same game to a small one, in turns; with what
    is saved now and then, which is some megabytes of the large one."""
    source = bench_ledger.games(BOTS, "added-")
    with Ledger(bench_ledger.make(folder / "large.json", MANY, BOTS, VERSIONS)) as large:
        while True:
            with Ledger(bench_ledger.make(folder / "small.json", FEW, BOTS)) as small:
                first, *records = islice(source, 1 + ADDED)
                for ledger in (large, small):
                    ledger.add(first)  # reads what is read but once
                seconds = {large: 0.0, small: 0.0}
                for record in records:
                    # The first to add it pays for what is loaded or computed of it but once.
                    for ledger in seconds:
                        seconds[ledger] += timed(partial(ledger.add, record))
                    seconds = dict(reversed(seconds.items()))
            yield [Round(seconds[large] / ADDED, seconds[small] / ADDED)]


def open_row(folder: Path) -> Rounds:
    """Seconds and memory of `judge standings` on a large ledger."""
    ledger = bench_ledger.make(folder / "ledger.json", MANY, BOTS, VERSIONS)
    judge = installed_judge()
    while True:
        seconds, mb = weighed([judge, "standings", str(ledger)])
        yield [Round(seconds), Round(mb)]


def field_row(folder: Path) -> Rounds:
    """Seconds until `judge rank` tells the first game of a contest of many bots."""
    program = Path(c_bot(folder).command[0])
    field = folder / "field"
    for number in range(FIELD):
        bot = field / f"bot{number}"
        bot.mkdir(parents=True)
        (bot / "bot.json").write_text(json.dumps({"command": [f"./{program.name}"]}))
        copy = bot / program.name
        copy.write_bytes(program.read_bytes() + str(number).encode())  # no two are the same
        copy.chmod(0o755)
    judge = installed_judge()
    while True:
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            ledger = f"{fresh}/ledger.json"
            command = [judge, "rank", str(field), "--jsonl", "--quiet", "--ledger", ledger]
            yield [Round(seconds_to_a_game(command))]


def site_row(folder: Path) -> Rounds:
    """Seconds to write the pages of a ledger of 1,000 games, and their size in MB."""
    ledger = bench_ledger.make(folder / "ledger.json", 1000, bots=12)
    judge = installed_judge()
    while True:
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            seconds, _ = weighed([judge, "site", f"{fresh}/site", "--ledger", str(ledger)])
            size = sum(path.stat().st_size for path in Path(fresh, "site").rglob("*.*"))
        yield [Round(seconds), Round(size / 1e6)]


def memory_row(folder: Path) -> Rounds:
    """Peak memory of a long contest, to that of a short one."""

    def peak(games: int) -> float:
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            ledger = f"{fresh}/ledger.json"
            return weighed([sys.executable, "-c", RANK, ledger, str(games)])[1]

    while True:
        yield [Round(peak(10_000), peak(100))]


def weighed(command: list[str]) -> tuple[float, float]:
    """Wall time in seconds and peak memory in MB; ends the bench if the command fails."""
    weigher = [sys.executable, "-I", "-S", "-c", WEIGHER]
    done = subprocess.run([*weigher, *command], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        sys.exit(done.returncode)
    seconds, kib = map(float, done.stdout.split())
    return seconds, kib / 1024


def seconds_to_a_game(command: list[str]) -> float:
    """Wall time from the start of a contest to the event of its first game, after which it is
    interrupted; ends the bench if no game comes."""
    began = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None, "it is a pipe"
        if not any(json.loads(line)["event"] == "game" for line in process.stdout):
            sys.exit(f"bench: {' '.join(command)} failed: {process.communicate()[1]}")
        took = time.perf_counter() - began
        process.send_signal(signal.SIGINT)
        process.communicate()
    return took


def installed_judge() -> str:
    """The command of the environment that we run in."""
    judge = Path(sys.executable).with_name("judge")
    if not judge.exists():
        sys.exit(f"bench: {judge} is not there; run scripts/bench, which installs it")
    return str(judge)


def own_cpu() -> float:
    """CPU seconds of this process, its threads and its system calls."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
