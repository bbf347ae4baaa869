"""Plays many games of two fast bots and says what is left of them; overruns many deadlines too.

    .venv/bin/python scripts/soak_fight.py --games 1000 --jobs 2 --deadlines 200
    .venv/bin/python scripts/soak_fight.py --launch fork --isolation bwrap

Prints processes, descriptors, mounts, control groups and scratch folders that outlived their
games, the judge's memory on the way, and by how much runs past their deadline took longer than it.
Executed, games are of few moves; forked, they are whole, as one process starts all moves of a run.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import click
from bench_moves import PYTHON_BOT

from judge.contest.arena import playing
from judge.contest.schedule import Fight, First
from judge.game.limits import Limits
from judge.game.outcome import Termination
from judge.game.record import GameRecord
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find, find_all
from judge.process.run.launch import Start
from judge.process.run.listening import Stop
from judge.process.sandbox.isolation import choose

MOST_LATE_MS = 100  # at the 99th percentile
SHORT = replace(BRAINJAR, name="short", columns=4, fleet=(2,))
BOTS = {
    "exec": """#!/bin/sh
case $1 in
*init*) echo '{"2":{"point":"00","orientation":"vertical"}}' ;;
*'"hit":["00"]'*) echo '{"move":"01"}' ;;
*) echo '{"move":"00"}' ;;
esac
""",
    "fork": f"#!/usr/bin/env python3\n{PYTHON_BOT}",
}
RULES = {"exec": SHORT, "fork": BRAINJAR}
ENDLESS = {
    "exec": "#!/bin/sh\nwhile :; do :; done\n",
    "fork": "#!/usr/bin/env python3\nwhile True: pass\n",
}


@click.command()
@click.option("--games", default=1000, help="How many games to play.")
@click.option("--jobs", default=2, help="How many at once.")
@click.option("--deadlines", default=200, help="How many runs to let overrun their deadline.")
@click.option("--isolation", default="limits", help="How the bots are held.")
@click.option("--launch", default="exec", help="How they are started.")
def main(games: int, jobs: int, deadlines: int, isolation: str, launch: str) -> None:
    """Look for leaks over many games, and at the punctuality of deadlines."""
    held, _ = choose(isolation)
    conditions = Conditions(rules=RULES[launch], dialect="readme", launch=launch, isolation=held)
    with tempfile.TemporaryDirectory() as scratch:
        tempfile.tempdir = scratch
        clean = _leaks(games, jobs, conditions, scratch)
        punctual = _deadlines(deadlines, jobs, conditions, scratch)
    if not (clean and punctual):
        raise SystemExit("soak: something was left, or was late")


def _leaks(games: int, jobs: int, conditions: Conditions, scratch: str) -> bool:
    bots = find_all([_written(scratch, BOTS[conditions.launch])] * 2)
    before, mounts = _open_descriptors(), Path("/proc/self/mountinfo").read_text()
    faults = forfeits = 0
    with playing(
        Fight(games, 1, First.ALTERNATE), bots, Run(conditions, bots), jobs=jobs
    ) as results:
        for number, result in enumerate(results, 1):
            if not isinstance(result, GameRecord):
                faults += 1
            elif result.outcome.termination is not Termination.FLEET_DESTROYED:
                forfeits += 1
            if number in (games // 10, games):
                print(f"after {number:>6} games: {_resident_kib()} KiB resident")
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    print(f"games the judge could not play: {faults}")
    print(f"games that a bot forfeited: {forfeits}")
    print(f"processes left: {len(children)}")
    print(f"descriptors left: {len(_open_descriptors() - before)}")
    folders = sum(1 for path in Path(scratch).glob("judge-*/*"))
    print(f"scratch folders left: {folders}")
    groups = len(list(Path("/sys/fs/cgroup").glob(f"**/judge-{os.getpid()}-*")))
    print(f"control groups left: {groups}")
    remounted = Path("/proc/self/mountinfo").read_text() != mounts
    print(f"mounts changed: {'yes' if remounted else 'no'}")
    left = faults or forfeits or children or folders or groups or remounted
    return not (left or _open_descriptors() - before)


def _written(scratch: str, program: str) -> str:
    path = Path(scratch, "bot")
    path.write_text(program)
    path.chmod(0o755)
    return str(path)


def _deadlines(count: int, jobs: int, conditions: Conditions, scratch: str) -> bool:
    """Moves that never end, on every core at once: are they ended punctually?"""
    limits = Limits(timeout_ms=200)
    bot = find(_written(scratch, ENDLESS[conditions.launch]))
    stop = Stop()

    def overrun(_: int) -> float:
        launcher = conditions.isolation.launcher(
            Start(bot, {"PATH": bot.path}, limits, fork=conditions.launch == "fork"), stop
        )
        with closing(launcher):
            return launcher.run("{}").wall_ms - limits.timeout_ms

    with ThreadPoolExecutor(jobs) as pool:
        late = sorted(pool.map(overrun, range(count)))
    stop.close()
    print(
        f"{count} deadlines overrun by {statistics.median(late):.1f} ms (median), "
        f"{late[int(0.99 * (count - 1))]:.1f} ms (p99), {late[-1]:.1f} ms (worst)"
    )
    return late[int(0.99 * (count - 1))] <= MOST_LATE_MS


def _open_descriptors() -> set[str]:
    return {path.name for path in Path("/proc/self/fd").iterdir()}


def _resident_kib() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


if __name__ == "__main__":
    main()
