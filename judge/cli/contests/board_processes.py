"""Has boards cleared in processes of the judge, one for each job.

Python runs one thread at a time, and a player that stays alive answers sooner than the judge asks.
So two threads would play no more boards than one. Each process has a `Run`, which stops with the
judge's. If a process is killed, its boards are played again in a new one.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection

from judge.cli.contests.worker_processes import (
    ENDED,
    be_a_worker,
    nothing_imported_from_here,
    signals_held_back,
)
from judge.contest.setup import Setup
from judge.contest.threads import Clear
from judge.documents.game import GameRecord
from judge.documents.tasks import Task
from judge.errors import JudgeFault, LaunchFault, with_mend
from judge.play.conditions import Conditions
from judge.play.player_data import PlayerData
from judge.play.run import Run
from judge.process.bots.bot import Bot
from judge.process.run.listening import Stop
from judge.process.run.processors import Processors, bound_to, owned

END_SECONDS = 5.0  # the time for a process to end its bots and exit


@contextlib.contextmanager
def clearing(setup: Setup, stop: Stop) -> Iterator[Clear]:
    """Yield a function that has boards cleared in a process of its own, and waits. It may be called
    in several threads at once. It raises errors as `Run.clear`, and `JudgeFault` if the process
    cannot be started or is killed. ``stop`` ends all boards under way."""
    cores = setup.conditions.limits.cores
    idle: list[_Worker] = []

    def clear(tasks: Sequence[Task]) -> Sequence[GameRecord]:
        with owned(cores) as processors:
            try:
                worker = idle.pop()
            except IndexError:
                worker = _Worker(setup.conditions, setup.bots, setup.data, stopping)
            try:
                said = worker.ask(tasks, processors)
            except (EOFError, OSError) as error:
                worker.end()
                raise JudgeFault(ENDED) from error
            idle.append(worker)
        if isinstance(said, BaseException):
            raise said
        records, stayed_on = said
        setup.stayed_on.extend(stayed_on)
        return records

    # The workers inherit this descriptor.
    stopping = Connection(os.dup(stop.fileno()), writable=False)
    with stopping, nothing_imported_from_here():
        try:
            yield clear
        finally:
            for worker in idle:
                worker.let_go()
            for worker in idle:
                worker.end()


_Cleared = tuple[Sequence[GameRecord], Sequence[str]]
"""The records of boards, and the names of the players that did not exit when they should."""


class _Worker:
    """A process of the judge that clears boards. The constructor raises `LaunchFault` if it cannot
    be started."""

    def __init__(
        self, conditions: Conditions, bots: Sequence[Bot], data: PlayerData, stop: Connection
    ) -> None:
        fresh = multiprocessing.get_context("spawn")
        try:
            self._channel, theirs = fresh.Pipe()
            with theirs, signals_held_back():
                given = (theirs, conditions, bots, data, stop)
                self._process = fresh.Process(target=_work, args=given)
                self._process.start()
        except OSError as error:
            why = with_mend(f"no process of the judge could be started: {error.strerror}")
            raise LaunchFault(f"{why}; --jobs 1 does without") from error

    def ask(self, tasks: Sequence[Task], processors: Processors) -> _Cleared | BaseException:
        """Have boards cleared on these processors. Returns the error if that failed. Raises
        EOFError or `OSError` if the process has ended."""
        self._channel.send((tasks, processors))
        said: _Cleared | BaseException = self._channel.recv()
        return said

    def let_go(self) -> None:
        """Let the process end its bots and exit."""
        self._channel.close()

    def end(self) -> None:
        self.let_go()
        self._process.join(END_SECONDS)
        self._process.kill()
        self._process.join()


def _work(
    channel: Connection,
    conditions: Conditions,
    bots: Sequence[Bot],
    data: PlayerData,
    stop: Connection,
) -> None:
    """Clear boards as the judge asks, until the judge lets go."""
    be_a_worker()
    with stop:
        own = Stop(os.dup(stop.fileno()))  # which no program that starts here inherits
    stayed_on: list[str] = []
    with Run(conditions, bots, None, data, stayed_on, stop=own) as run:
        while True:
            try:
                tasks, processors = channel.recv()
            except EOFError:
                return
            stayed_on.clear()
            said: _Cleared | BaseException
            try:
                with bound_to(processors):
                    said = run.clear(tasks), stayed_on
            except BaseException as error:  # noqa: BLE001 - the judge raises it
                said = error
            channel.send(said)
