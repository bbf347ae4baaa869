"""Plays many short games on workers of dask and says whether any process grows.

    .venv/bin/python scripts/soak_cluster.py --games 100000 --workers 2

A scheduler and workers of one core each are started on this machine. The players are functions in
the workers' processes, so that hardly anything is measured but the way of a game to a worker and
back into a ledger. After every so many games a line tells the memory of the judge, the scheduler
and the workers, and the games a second since the last line. It fails when a game is lost, doubled
or out of order, or when a process has grown by more than `MOST_GROWTH` since the first fifth of
the games; of the judge, what the ledger takes for its games comes on top.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click
from bench_cluster import Processes, cluster, engine, on_cluster
from bench_ledger import TINY, Lucky
from bench_moves import PATIENT
from soak_contest import MOST_GAME_BYTES

from judge.contest.journal.audit import verify
from judge.contest.ledger.ledger import Ledger
from judge.contest.schedule import Fight, First
from judge.contest.tournament import Fault
from judge.play.conditions import Conditions
from judge.process.bots.bot import Bot, find_all
from judge.process.run.connection import Connection, Script
from judge.process.sandbox.isolation import Unlimited

MOST_GROWTH = 1.15


def scripted(_: Bot, seed: int, __: Callable[[], Connection]) -> Connection:
    """A player that is a function; workers find it by its name."""
    return Script(Lucky(seed))


@click.command()
@click.option("--games", default=100_000, help="How many games to play.")
@click.option("--workers", default=2, help="How many workers play them.")
@click.option("--every", default=5000, help="After how many games to look.")
def main(games: int, workers: int, every: int) -> None:
    """Look for leaks over many games on a cluster."""
    from soak_cluster import scripted

    with tempfile.TemporaryDirectory(prefix="soak-") as scratch, cluster(Path(scratch)) as there:
        for _ in range(workers):
            there.add_worker()
        bots = players(Path(scratch))
        conditions = Conditions(rules=TINY, dialect="readme", isolation=Unlimited(), limits=PATIENT)
        path = Path(scratch, "soak.ledger.json")
        names = ("judge", "scheduler", *(f"worker {number + 1}" for number in range(workers)))
        print(f"{'games':>8}{'games/s':>9}" + "".join(f"{name + ' KiB':>15}" for name in names))
        sights: list[tuple[int, list[int]]] = []
        with (
            engine(there.address, workers, scripted) as to,
            Ledger(path) as ledger,
            on_cluster(Fight(games, 1, First.ALTERNATE), bots, conditions, to) as results,
        ):
            began = time.monotonic()
            for number, result in enumerate(results, 1):
                if isinstance(result, Fault):
                    raise SystemExit(f"soak: game {number} could not be played: {result.error}")
                ledger.add(result)
                if number % every == 0 or number == games:
                    since = number - (sights[-1][0] if sights else 0)
                    sights.append((number, resident(there)))
                    a_second = since / (time.monotonic() - began)
                    memory = "".join(f"{kib:15,}" for kib in sights[-1][1])
                    print(f"{number:8,}{a_second:9.1f}{memory}", flush=True)
                    began = time.monotonic()
        problems = [*grown(names, sights), *(str(one) for one in verify(path).problems)]
        if (there_are := ledger.tally.recorded) != games:
            problems.append(f"the ledger has {there_are} games")
    if problems:
        raise SystemExit("soak: " + "; ".join(problems))


def players(folder: Path) -> tuple[Bot, ...]:
    """Two bots whose files differ; what these would do is never asked."""
    for name in ("ann", "bob"):
        Path(folder, f"{name}.py").write_text(f"# {name}\n")
    bots = find_all([str(folder / f"{name}.py") for name in ("ann", "bob")])
    return tuple(replace(bot, wires=("brainjar",), dialect="readme") for bot in bots)


def resident(processes: Processes) -> list[int]:
    """KiB of the judge, the scheduler and each worker."""
    return [_kib(one) for one in ("self", processes.scheduler, *processes.workers)]


def _kib(process: object) -> int:
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


def grown(names: Sequence[str], sights: Sequence[tuple[int, list[int]]]) -> Iterator[str]:
    """The processes that have grown too much since the first fifth of the games."""
    games, last = sights[-1]
    early, first = next(one for one in sights if one[0] >= games / 5)
    for number, name in enumerate(names):
        ledger = (games - early) * MOST_GAME_BYTES // 1024 if name == "judge" else 0
        allowed = int(first[number] * MOST_GROWTH) + ledger
        if last[number] > allowed:
            yield (
                f"the {name} had {first[number]} KiB after {early} games and {last[number]} KiB "
                f"after {games}, where {allowed} are allowed"
            )


if __name__ == "__main__":
    main()
