"""Has boards cleared in processes of the judge, one for each job.

Python runs one thread at a time, and a player that stays alive answers sooner than the judge asks.
So two threads would play no more boards than one. Each process has a `Run`, which stops with the
judge's.
"""

from __future__ import annotations

import atexit
import contextlib
import os
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing.connection import Connection

from judge.cli.contests.worker_processes import processes, unbroken
from judge.contest.setup import Setup
from judge.contest.threads import Clear
from judge.documents.game import GameRecord
from judge.documents.tasks import Task
from judge.play.conditions import Conditions
from judge.play.player_data import PlayerData
from judge.play.run import Run
from judge.process.bots.bot import Bot
from judge.process.run.listening import Stop
from judge.process.run.processors import Processors, bound_to, owned

_runs: list[Run] = []  # the run of this process, if it clears boards
_stayed_on: list[str] = []  # names of players that did not exit when they should


@contextlib.contextmanager
def clearing(setup: Setup, stop: Stop) -> Iterator[Clear]:
    """Yield a function that has boards cleared in one of ``setup.jobs`` processes, and waits. It
    raises errors as `Run.clear`, and `JudgeFault` if a process was killed from outside. ``stop``
    ends all boards under way."""
    cores = setup.conditions.limits.cores
    stopping = Connection(os.dup(stop.fileno()), writable=False)  # which the workers inherit
    begin = partial(_begin, setup.conditions, setup.bots, setup.data, stopping)
    with stopping, processes(setup.jobs, begin) as pool:

        def clear(tasks: Sequence[Task]) -> Sequence[GameRecord]:
            with owned(cores) as processors, unbroken():
                records, stayed_on = pool.submit(_clear, tasks, processors).result()
            setup.stayed_on.extend(stayed_on)
            return records

        try:
            yield clear
        finally:
            pool.shutdown(cancel_futures=True)


def _begin(conditions: Conditions, bots: Sequence[Bot], data: PlayerData, stop: Connection) -> None:
    """Make the run of this process, which ends its bots when the process exits."""
    with stop:
        own = Stop(os.dup(stop.fileno()))  # which no program that starts here inherits
    run = Run(conditions, bots, None, data, _stayed_on, stop=own)
    atexit.register(run.close)
    _runs.append(run)


def _clear(
    tasks: Sequence[Task], processors: Processors
) -> tuple[Sequence[GameRecord], Sequence[str]]:
    """The records of these boards, and what `_stayed_on` says after them."""
    _stayed_on.clear()
    with bound_to(processors):
        return _runs[0].clear(tasks), [*_stayed_on]
