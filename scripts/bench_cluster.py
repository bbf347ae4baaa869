"""The row ``cluster``: games of forked Python bots by a worker of dask, and the same games by
``--jobs 1``; then by two workers, and by one.

The scheduler and the workers are processes as `dask scheduler` and `dask worker` start them, each
worker on a core of its own, as ``--jobs 1`` is. The judge and the scheduler may run on all cores,
so where there are just two, both workers leave some of theirs to them.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from bench_moves import CONDITIONS, python_bot, timed
from bench_rows import Round, Rounds

from judge.contest.arena import playing, task
from judge.contest.cluster.dask_engine import DaskEngine, quieten
from judge.contest.cluster.pool import GamePool, handed_out
from judge.contest.cluster.task_document import Batch
from judge.contest.schedule import Fight, First, Pairing
from judge.contest.tournament import Fault, Results
from judge.game.record import GameRecord
from judge.play.conditions import Conditions
from judge.play.run import Connect, Run
from judge.process.bots.bot import Bot

WARM, GAMES, AFTER = 10, 40, 14  # of a round; those in the middle are measured, with all at work
NO_PROFILE = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}  # as the guide advises
SECONDS = 60  # until a process that has not begun counts as hung


class Processes:
    """A scheduler and its workers, which end with the ``with`` block that ``started`` is of."""

    def __init__(self, folder: Path, started: ExitStack) -> None:
        self._folder = folder
        self._started = started
        self.address = ""
        self.scheduler = 0
        self.workers: list[int] = []
        """Their process ids."""

    def begin(self) -> None:
        """Start the scheduler."""
        file = self._folder / "scheduler.json"
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)
        )
        while not self.address:
            time.sleep(0.1)
            with contextlib.suppress(OSError, ValueError):
                self.address = json.loads(file.read_text())["address"]

    def add_worker(self, core: int | None = None) -> None:
        """Start a worker with one thread, on that core if one is named."""
        place = self._folder / f"worker-{len(self.workers)}"
        prefix = () if core is None else ("taskset", "-c", str(core))
        self.workers.append(
            self._start(
                *("worker", self.address, "--nthreads", "1", "--no-nanny"),
                *("--local-directory", str(place)),
                prefix=prefix,
            )
        )

    def _start(self, kind: str, *words: str, prefix: Sequence[str] = ()) -> int:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words, "--no-dashboard"]
        log = self._started.enter_context((self._folder / "log").open("a"))
        path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        process = subprocess.Popen(
            [*prefix, *command],
            stdout=log,
            stderr=log,
            env={**os.environ, **NO_PROFILE, "PYTHONPATH": path.rstrip(os.pathsep)},
        )
        self._started.callback(_end, process)
        return process.pid


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    process.wait()


@contextmanager
def cluster(folder: Path) -> Iterator[Processes]:
    """A scheduler without a worker, over ``tcp://`` on this machine."""
    with ExitStack() as started:
        processes = Processes(folder, started)
        processes.begin()
        yield processes


@contextmanager
def engine(address: str, workers: int, connect: Connect | None = None) -> Iterator[DaskEngine]:
    """A connection to a cluster, once it has so many workers."""
    quieten()
    with DaskEngine(address, print, connect) as found:
        deadline = time.monotonic() + SECONDS
        while len(found.workers()) < workers:
            if time.monotonic() > deadline:
                sys.exit(f"bench: fewer than {workers} workers of dask have come")
            time.sleep(0.1)
        yield found


@contextmanager
def on_cluster(
    schedule: Iterable[Pairing], bots: Sequence[Bot], conditions: Conditions, to: DaskEngine
) -> Iterator[Results[GameRecord]]:
    """The games of a schedule, played by the workers."""
    cores = sum(to.workers().values())
    pool = GamePool(to, bots, Batch.of(conditions, ()), print)
    with (
        contextlib.closing(pool),
        handed_out(schedule, partial(task, bots=bots), pool, cores) as results,
    ):
        yield results


def cluster_row(folder: Path) -> Rounds:
    """Milliseconds for a game by one worker and by ``--jobs 1``; by two workers and by one."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        sys.exit("bench: the row cluster needs two cores")
    bots = (python_bot(folder),) * 2
    conditions = replace(CONDITIONS, launch="fork")
    with ExitStack() as open_until:
        engines = []
        for workers in (1, 2):
            place = folder / f"{workers}"
            place.mkdir()
            processes = open_until.enter_context(cluster(place))
            for core in cores[:workers]:
                processes.add_worker(core)
            engines.append(open_until.enter_context(engine(processes.address, workers)))
        one, two = engines
        while True:
            alone = _here(bots, conditions, cores[0])
            by_one, by_two = (_ms(on_cluster(_games(), bots, conditions, to)) for to in (one, two))
            yield [Round(by_one, alone), Round(by_two, by_one)]


def _games() -> Fight:
    return Fight(WARM + GAMES + AFTER, 1, First.ALTERNATE)


def _here(bots: Sequence[Bot], conditions: Conditions, core: int) -> float:
    """Milliseconds for a game by ``--jobs 1``, on that core."""
    all_cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        return _ms(playing(_games(), bots, Run(conditions, bots), jobs=1))
    finally:
        os.sched_setaffinity(0, all_cores)


def _ms(games: contextlib.AbstractContextManager[Results[GameRecord]]) -> float:
    """Milliseconds for a game, while more are to come."""
    with games as results:

        def take(count: int) -> None:
            for result in islice(results, count):
                if isinstance(result, Fault):
                    raise result.error

        take(WARM)
        took = timed(partial(take, GAMES))
        take(AFTER)
    return took / GAMES
