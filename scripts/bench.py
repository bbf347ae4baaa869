"""What the judge costs beside doing the same without it, as a table of ratios.

Each row is measured A B A B in one run, A being the judge and B the base, both with the same
interpreter, command and environment; its figure is the median of the rounds' ratios. Absolute
times would say more about the machine than about the judge. Run it by `scripts/bench`.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

from judge.contest.arena import playing
from judge.contest.schedule import Fight, First
from judge.contest.tournament import Fault
from judge.game.record import GameRecord, Limits
from judge.game.rules import VARIANTS
from judge.play.referee import Conditions
from judge.play.table import play_bots
from judge.process.bot import Bot, find
from judge.process.isolation import Unlimited
from judge.process.launch import Stop

RULES = VARIANTS["brainjar"]
PATIENT = Limits(timeout_ms=30_000)  # a busy machine slows the bench, but loses no game
CONDITIONS = Conditions(rules=RULES, dialect="readme", isolation=Unlimited(), limits=PATIENT)
SEED = 1

# Two bots that play one game: ships in the first columns, shots at the next cell in order.
FLEET = (
    '{"2":{"point":"00","orientation":"vertical"},"3":{"point":"10","orientation":"vertical"},'
    '"4":{"point":"20","orientation":"vertical"},"5":{"point":"30","orientation":"vertical"}}'
)

PYTHON_BOT = f"""\
import json
import sys

question = json.loads(sys.argv[-1])
if question["cmd"] == "init":
    print('{FLEET}')
else:
    column, row = divmod(len(question["hit"]) + len(question["missed"]), 8)
    print(json.dumps({{"move": f"{{column}}{{row}}"}}))
"""

C_BOT = f"""\
#include <stdio.h>
#include <string.h>

static int cells(const char *question, const char *key) {{
    int quotes = 0;
    for (const char *at = strstr(question, key) + strlen(key); *at != ']'; at++)
        quotes += *at == '"';
    return quotes / 2;
}}

int main(int argc, char **argv) {{
    const char *question = argv[argc - 1];
    if (strstr(question, "\\"init\\""))
        return puts({json.dumps(FLEET)}) < 0;
    int next = cells(question, "\\"hit\\":[") + cells(question, "\\"missed\\":[");
    return printf("{{\\"move\\":\\"%d%d\\"}}\\n", next / 8, next % 8) < 0;
}}
"""


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


@dataclass(frozen=True, slots=True)
class Round:
    """One figure, and the two that it was made of, in milliseconds (None: it is no ratio)."""

    figure: float
    judge_ms: float
    base_ms: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: how one round of it is measured, and what it must stay under."""

    what: str
    bound: float
    unit: str  # "" for a ratio
    measure: Callable[[Path], Iterator[Round]]  # in a scratch folder; rounds without end


@dataclass(frozen=True, slots=True)
class Result:
    """A measured row, as ``--json`` prints it."""

    row: str
    figure: float
    lowest: float
    highest: float
    unit: str
    bound: float
    passed: bool
    judge_ms: float
    base_ms: float | None


def exec_row(make: Callable[[Path], Bot]) -> Callable[[Path], Iterator[Round]]:
    """Wall time of a move in the judge's games, to that of starting the same moves barely."""

    def measure(folder: Path) -> Iterator[Round]:
        bot = make(folder)
        with stopping() as stop:
            moves = moves_of(bot, folder, stop)
            while True:
                judge = timed(lambda: play(bot, stop))
                base = timed(lambda: start_all(moves))
                yield Round(judge / base, judge / len(moves), base / len(moves))

    return measure


def cpu_row(folder: Path) -> Iterator[Round]:
    """The judge's own CPU time a move, in milliseconds; the bots' is not in it."""
    bot = c_bot(folder)
    with stopping() as stop:
        moves = moves_of(bot, folder, stop)
        while True:
            before = own_cpu()
            json.dumps(play(bot, stop).to_json())
            spent = (own_cpu() - before) * 1000 / len(moves)
            yield Round(spent, spent, None)


def jobs_row(folder: Path) -> Iterator[Round]:
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
        yield Round(two / one, two, one)


def start_row(_folder: Path) -> Iterator[Round]:
    """`judge --version`, to the interpreter and click alone."""
    judge = Path(sys.executable).with_name("judge")
    if not judge.exists():
        sys.exit(f"bench: {judge} is not there; run scripts/bench, which installs it")

    def start_judge() -> None:
        start([str(judge), "--version"], os.environ)

    def start_base() -> None:
        start([sys.executable, "-c", "import click"], os.environ)

    while True:
        ours = base = 0.0
        for _ in range(10):
            ours += timed(start_judge)
            base += timed(start_base)
        yield Round(ours / base, ours / 10, base / 10)


def python_bot(folder: Path) -> Bot:
    """The bot in Python, run by the interpreter that runs us."""
    program = folder / "in_order.py"
    program.write_text(PYTHON_BOT)
    return find(str(program))


def c_bot(folder: Path) -> Bot:
    """The bot in C, compiled now."""
    compiler = shutil.which("cc")
    if not compiler:
        sys.exit("bench: there is no C compiler (Debian, Ubuntu: apt install build-essential)")
    source, program = folder / "in_order.c", folder / "in_order"
    source.write_text(C_BOT)
    subprocess.run([compiler, "-O2", "-o", program, source], check=True)
    return find(str(program))


def play(bot: Bot, stop: Stop) -> GameRecord:
    """A game of the bot against itself on the judge's own path."""
    return play_bots(
        CONDITIONS,
        [bot, bot],
        game_id="bench",
        seed=SEED,
        first=0,
        bot_seeds=[SEED, SEED],
        stop=stop,
    )


def moves_of(bot: Bot, folder: Path, stop: Stop) -> list[Move]:
    """All moves of that game, as the judge started them; it is the same game every time."""
    told = folder / "moves.jsonl"
    teller = (sys.executable, "-c", TELLER, str(told))
    record = play(replace(bot, command=(*teller, *bot.command)), stop)
    if record.outcome.termination != "fleet-destroyed":
        sys.exit(f"bench: its own bot lost by {record.outcome}")
    return [Move(*json.loads(line)) for line in told.read_text().splitlines()]


def start_all(moves: Iterable[Move]) -> None:
    """The base of the exec rows."""
    for move in moves:
        start(*move)


NOWHERE = [
    (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
    (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
]


def start(command: list[str], environment: Mapping[str, str]) -> None:
    """Nothing but posix_spawn and wait4, its output nowhere; ends the bench if it fails."""
    process = os.posix_spawn(command[0], command, environment, file_actions=NOWHERE)
    _, status, _ = os.wait4(process, 0)
    if status != 0:
        sys.exit(f"bench: {' '.join(command)} failed")


@contextmanager
def stopping() -> Iterator[Stop]:
    """A stop that nobody gives."""
    stop = Stop()
    try:
        yield stop
    finally:
        stop.close()


def timed(work: Callable[[], object]) -> float:
    """Wall time in milliseconds."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


def own_cpu() -> float:
    """CPU seconds of this process, its threads and its system calls."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


ROWS = {
    "exec-python": Row("a move of a Python bot : bare spawn", 1.05, "", exec_row(python_bot)),
    "exec-c": Row("a move of a tiny C bot : bare spawn", 2.0, "", exec_row(c_bot)),
    "cpu": Row("the judge's own CPU a move", 0.5, "ms", cpu_row),
    "jobs": Row("1 job : 2 jobs, games a second", 0.55, "", jobs_row),
    "start": Row("judge --version : python -c 'import click'", 1.5, "", start_row),
}


def measured(name: str, repeat: int) -> Result:
    """Measure one row, in a scratch folder of its own."""
    row = ROWS[name]
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        rounds = row.measure(Path(folder))
        taken = [next(rounds) for _ in range(repeat)]
    figure = statistics.median(each.figure for each in taken)
    bases = [each.base_ms for each in taken if each.base_ms is not None]
    return Result(
        row=name,
        figure=figure,
        lowest=min(each.figure for each in taken),
        highest=max(each.figure for each in taken),
        unit=row.unit,
        bound=row.bound,
        passed=figure <= row.bound,
        judge_ms=statistics.median(each.judge_ms for each in taken),
        base_ms=statistics.median(bases) if bases else None,
    )


HEAD = f"{'row':12} {'figure':>10} {'(all rounds)':>17} {'at most':>9}        {'judge ms':>9} {'base ms':>8}"


def line(result: Result) -> str:
    """A row of the table; the times stand there to show the scale, not to be compared."""
    base = "" if result.base_ms is None else f"{result.base_ms:.2f}"
    rounds = f"({result.lowest:.3f}…{result.highest:.3f})"
    return (
        f"{result.row:12} {result.figure:7.3f} {result.unit:2} {rounds:>17} {result.bound:9g}"
        f"  {'pass' if result.passed else 'FAIL'}  {result.judge_ms:9.2f} {base:>8}"
        f"  {ROWS[result.row].what}"
    ).rstrip()


def main() -> int:
    """Measure, print, and return 1 if a bound was passed over."""
    parser = argparse.ArgumentParser(
        prog="bench",
        description="What the judge costs beside doing without it; idle machines measure best.",
        epilog="\n".join(
            f"{name:12} {row.what}, at most {row.bound}" for name, row in ROWS.items()
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
        results.append(measured(name, options.repeat))
        if not options.json:
            print(line(results[-1]), flush=True)
    if options.json:
        print(json.dumps([asdict(result) for result in results], indent=2))
    return 0 if all(result.passed for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
