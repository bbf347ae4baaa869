"""What the judge costs beside doing the same without it, or with less to do, as a table of ratios.

Each row is measured A B A B in one run, A being the judge and B the base, both with the same
interpreter, command and environment; its figure is the median of the rounds' ratios. Absolute
times would say more about the machine than about the judge, and stand where it must be quick or
small enough for whoever uses it. Run it by `scripts/bench`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import bench_ledger
from bench_moves import (
    CONDITIONS,
    GAMES,
    SEED,
    c_bot,
    in_turns,
    moves_of,
    play,
    python_bot,
    raced,
    start,
    timed,
)

from judge.contest.arena import playing
from judge.contest.ledger import Ledger
from judge.contest.schedule import Fight, First, RoundRobin
from judge.contest.tournament import Fault
from judge.errors import UsageError
from judge.process.bot import Bot, bundled, find
from judge.process.isolation import choose
from judge.process.launch import Stop

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
BOTS = 10  # of the ledgers that are added to; a hundred games are enough for all to have met
ADDED = 100  # games in a round


class Round(NamedTuple):
    """What the judge took, and what the base took if the figure is their ratio."""

    judge: float
    base: float | None = None

    @property
    def figure(self) -> float:
        return self.judge if self.base is None else self.judge / self.base


class Bound(NamedTuple):
    """What a figure must stay under, in its unit ("" for a ratio of two in ``parts``)."""

    most: float
    unit: str = ""
    parts: str = "ms"

    def __str__(self) -> str:
        return f"{self.most:g} {self.unit}".rstrip()


# A row measures in a scratch folder: rounds without end, and in each of them every figure.
Rounds = Generator[Sequence[Round], None, None]
Measure = Callable[[Path], Rounds]


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: how it is measured, and what each of its figures must stay under."""

    what: str
    bounds: tuple[Bound, ...]
    measure: Measure


@dataclass(frozen=True, slots=True)
class Result:
    """One figure of a measured row, as ``--json`` prints it; ``judge`` and ``base`` are medians,
    in ``parts``."""

    row: str
    figure: float
    lowest: float
    highest: float
    unit: str
    bound: float
    passed: bool
    judge: float
    base: float | None
    parts: str


def move_row(make: Callable[[Path], Bot], isolation: str = "none", launch: str = "exec") -> Measure:
    """Wall time of a move in the judge's games, to that of starting the same moves barely. Forked,
    it is one run of `bench_moves.GAMES` games, from the start of its keepers to their end.
    """

    def measure(folder: Path) -> Rounds:
        try:
            conditions = replace(CONDITIONS, isolation=choose(isolation)[0], launch=launch)
        except UsageError as error:
            sys.exit(f"bench: {error}")
        bot = make(folder)
        with closing(Stop()) as stop:
            moves = moves_of(bot, folder, stop)
            while True:
                compare = raced if launch == "exec" else in_turns
                judge, base = compare(bot, moves, stop, conditions)
                yield [Round(judge / len(moves), base / len(moves))]

    return measure


def cpu_row(folder: Path) -> Rounds:
    """The judge's own CPU time a move, in milliseconds; the bots' is not in it."""
    bot = c_bot(folder)
    with closing(Stop()) as stop:
        moves = moves_of(bot, folder, stop)
        while True:
            before = own_cpu()
            json.dumps(play(bot, stop).to_json())
            yield [Round((own_cpu() - before) * 1000 / len(moves))]


def jobs_row(folder: Path) -> Rounds:
    """Games a second with one job, to those with two: the time of two to the time of one."""
    bot = python_bot(folder)
    schedule = Fight(games=4, seed=SEED, first=First.ALTERNATE)

    def play_all(jobs: int) -> None:
        with playing(schedule, [bot, bot], CONDITIONS, jobs=jobs) as results:
            for result in results:
                if isinstance(result, Fault):
                    raise result.error

    while True:
        one = timed(lambda: play_all(1)) / len(schedule)
        two = timed(lambda: play_all(2)) / len(schedule)
        yield [Round(two, one)]


def rank_row(_folder: Path) -> Rounds:
    """Games a second of a contest of the bundled Python bots, each against the next, if they are
    executed, to the same if they are forked.
    """
    bots = [find(one.name) for one in bundled() if one.language == "Python"]
    everyone = RoundRobin(tuple(bot.name for bot in bots), CONDITIONS.rules, SEED, rounds=1)
    games = [one for one in everyone if one.first == 0 and one.seats[1] - one.seats[0] == 1]
    assert len(games) == len(bots) - 1, "each but the last has a next"

    def a_second(launch: str) -> float:
        return 1000 * len(games) / timed(lambda: play_all(launch))

    def play_all(launch: str) -> None:
        conditions = replace(CONDITIONS, launch=launch)
        with playing(games, bots, conditions, jobs=1) as results:
            for result in results:
                if isinstance(result, Fault):
                    raise result.error

    while True:
        forked = a_second("fork")
        yield [Round(a_second("exec"), forked)]


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
    """Adding a game to a large ledger, to adding the same game to a small one, in turns.

    In both every bot has met every other: what is saved now and then is equally long.
    """
    source = bench_ledger.games(BOTS, "added-")
    with Ledger(bench_ledger.make(folder / "large.json", MANY, BOTS)) as large:
        while True:
            with Ledger(bench_ledger.make(folder / "small.json", FEW, BOTS)) as small:
                first, *records = islice(source, 1 + ADDED)
                for ledger in (large, small):
                    ledger.add(first)  # reads what is read but once
                ours = base = 0.0
                for record in records:
                    ours += timed(partial(large.add, record))
                    base += timed(partial(small.add, record))
            yield [Round(ours / ADDED, base / ADDED)]


def open_row(folder: Path) -> Rounds:
    """Seconds and memory of `judge standings` on a large ledger."""
    ledger = bench_ledger.make(folder / "ledger.json", MANY, bots=200)
    judge = installed_judge()
    while True:
        seconds, mb = weighed([judge, "standings", str(ledger)])
        yield [Round(seconds), Round(mb)]


def site_row(folder: Path) -> Rounds:
    """Seconds to write the pages of a ledger of 1,000 games."""
    ledger = bench_ledger.make(folder / "ledger.json", 1000, bots=12)
    judge = installed_judge()
    while True:
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            seconds, _ = weighed([judge, "site", f"{fresh}/site", "--ledger", str(ledger)])
        yield [Round(seconds)]


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


ROWS = {
    "exec-python": Row("a move of a Python bot : bare spawn", (Bound(1.05),), move_row(python_bot)),
    "bwrap-python": Row(
        "the same under bwrap : bare spawn",
        (Bound(1.25),),
        move_row(python_bot, "bwrap"),
    ),
    "fork-bwrap-python": Row(
        f"the same forked, {GAMES} games with their keepers' start and end : bare spawn",
        (Bound(0.125),),
        move_row(python_bot, "bwrap", "fork"),
    ),
    "exec-c": Row("a move of a tiny C bot : bare spawn", (Bound(2),), move_row(c_bot)),
    "cpu": Row("the judge's own CPU a move", (Bound(0.5, "ms"),), cpu_row),
    "jobs": Row("1 job : 2 jobs, games a second", (Bound(0.55),), jobs_row),
    "rank": Row(
        "games of bundled Python bots, executed : forked",
        (Bound(0.5, parts="games a second"),),
        rank_row,
    ),
    "start": Row("judge --version : python -c 'import click'", (Bound(1.5),), start_row),
    "script": Row("scripts/judge after .venv/bin/judge", (Bound(50, "ms"),), script_row),
    "add": Row("adding a game to a ledger of 100,000 : of 100", (Bound(1.2),), add_row),
    "open": Row(
        "judge standings of 100,000 games of 200 bots",
        (Bound(2, "s"), Bound(200, "MB")),
        open_row,
    ),
    "site": Row("judge site of 1,000 games", (Bound(20, "s"),), site_row),
    "memory": Row(
        "peak memory of ranking 10,000 games : 100", (Bound(1.1, parts="MB"),), memory_row
    ),
}


def measured(name: str, repeat: int) -> list[Result]:
    """Measure one row, in a scratch folder of its own."""
    row = ROWS[name]
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        closing(row.measure(Path(folder))) as rounds,
    ):
        taken = list(islice(rounds, repeat))
    figures = zip(*taken, strict=True)
    return [result(name, *each) for each in zip(row.bounds, figures, strict=True)]


def result(name: str, bound: Bound, rounds: Sequence[Round]) -> Result:
    """What all rounds come to, for one figure."""
    figure = statistics.median(each.figure for each in rounds)
    bases = [each.base for each in rounds if each.base is not None]
    return Result(
        row=name,
        figure=figure,
        lowest=min(each.figure for each in rounds),
        highest=max(each.figure for each in rounds),
        unit=bound.unit,
        bound=bound.most,
        passed=figure <= bound.most,
        judge=statistics.median(each.judge for each in rounds),
        base=statistics.median(bases) if bases else None,
        parts=bound.unit or bound.parts,
    )


HEAD = (
    f"{'row':17} {'figure':>10} {'(all rounds)':>17} {'at most':>9}        {'judge':>9} {'base':>9}"
)


def line(result: Result) -> str:
    """A line of the table; what a ratio is made of stands there to show the scale."""
    parts = ""
    if result.base is not None:
        parts = f"{result.judge:9.2f} {result.base:9.2f} {result.parts}"
    rounds = f"({result.lowest:.3f}…{result.highest:.3f})"
    return (
        f"{result.row:17} {result.figure:7.3f} {result.unit:2} {rounds:>17} {result.bound:9g}"
        f"  {'pass' if result.passed else 'FAIL'}  {parts:22}  {ROWS[result.row].what}"
    )


def main() -> int:
    """Measure, print, and return 1 if a bound was passed over."""
    parser = argparse.ArgumentParser(
        prog="bench",
        description="What the judge costs beside doing without it, or with less to do. Idle machines "
        "measure best; all rows take some five minutes, half of them memory's.",
        epilog="\n".join(
            f"{name:17} {row.what}, at most {' and '.join(map(str, row.bounds))}"
            for name, row in ROWS.items()
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--rows", default=",".join(ROWS), metavar="NAME,NAME", help="only these (default: all)"
    )
    parser.add_argument(
        "--repeat", type=int, default=5, help="rounds of A and B a row (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document and no table")
    options = parser.parse_args()
    names = options.rows.split(",")
    if unknown := [name for name in names if name not in ROWS]:
        parser.error(f"there is no row {unknown[0]!r}; there are {', '.join(ROWS)}")
    if options.repeat < 1:
        parser.error("--repeat must be at least 1")
    if not options.json:
        print(HEAD)
    results = []
    for name in names:
        results += (figures := measured(name, options.repeat))
        if not options.json:
            print(*map(line, figures), sep="\n", flush=True)
    if options.json:
        print(json.dumps([asdict(result) for result in results], indent=2))
    return 0 if all(result.passed for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
