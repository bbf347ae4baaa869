"""The pool that sends games to the workers of a cluster and takes their results.

A thread waits for each game that is under way. The thread that waits for results looks at the
workers meanwhile. The pool says which workers can play a game, and checks the results. The engine,
a `DaskEngine`, chooses one of these workers, sends the bots' files there, and chooses another when
that worker dies.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from judge.contest.cluster.task_result import read
from judge.contest.schedule import Pairing
from judge.contest.standings.fight_documents import under
from judge.contest.threads import WINDOW
from judge.contest.window import OrderedResults, attempts
from judge.documents.codec import encode
from judge.documents.game import GameRecord
from judge.documents.tasks import SentTask, Task, TaskSeat, Terms
from judge.errors import Interrupted, JudgeFault, MachineBusy, RunsNowhere, UsageError, WorkersDied
from judge.play.conditions import Conditions
from judge.process.bots.bot import Bot
from judge.waiting import apart, until_done

if TYPE_CHECKING:
    from judge.contest.cluster.dask_engine import Asked, DaskEngine

UNDER_WAY = 8  # games under way for each core, each with a thread
MOST_UNDER_WAY = 512
FEWEST_CORES = 4  # there may be more once other workers have come
LOOK_SECONDS = 1.0
NO_WORKER_SECONDS = 300.0  # long enough to start workers again after the network was cut

Answer = tuple[str, str]
"""The address of the worker that played a task, and its ``task-result`` document as text."""


class ConnectionLost(JudgeFault):
    """The connection to the workers broke. The games under way are sent again."""


class GamePool:
    """A pool that plays games on the workers of an engine, a schedule at a time.

    ``bots`` are the bots that play, and ``cores`` is the number of all workers' cores at the start.
    ``tell`` gets a sentence about each worker that cannot play any game, or the games of some bot,
    and about times without workers. The constructor raises errors as the engine does, and
    `UsageError` if a worker cannot be used.
    """

    def __init__(
        self,
        engine: DaskEngine,
        bots: Iterable[Bot],
        conditions: Conditions,
        tell: Callable[[str], None],
    ) -> None:
        workers = engine.workers()
        if engine.unfit:
            raise UsageError("; ".join(f"{name} {why}" for name, why in engine.unfit.items()))
        self._engine = engine
        self._bots = {bot.digest: bot for bot in bots}
        self._terms = Terms(**under(conditions))
        self._tell = tell
        self._tell_once = cache(tell)  # so that each sentence is told once
        self.cores = sum(workers.values())
        self._next_look = 0.0
        self._last_seen = time.monotonic()  # when there was a worker, or the pool was made
        self._deadly: set[str] = set()  # ids of the games whose workers have died
        self._changed = threading.Condition()  # guards the fields that follow
        # The workers that there are, with the reasons why they cannot run a bot, by its digest. The
        # digest "" stands for all bots.
        self._workers: dict[str, dict[str, str]] = {name: {} for name in workers}
        # The games under way by their ids, with the workers that may play them.
        self._under_way: dict[str, tuple[Asked[Answer], set[str]]] = {}
        self._gone = Counter[str]()  # how often all these workers were gone
        self._is_stopped = False

    @property
    def workers(self) -> int:
        """The number of workers that can play, as far as the pool knows."""
        with self._changed:
            return sum("" not in reasons for reasons in self._workers.values())

    @contextmanager
    def playing(
        self, schedule: Iterable[Pairing], task_of: Callable[[Pairing], Task]
    ) -> Iterator[OrderedResults[Sequence[GameRecord]]]:
        """The results of a schedule's games, in its order. The iterator raises `JudgeFault` if the
        scheduler is gone, or if there has been no worker for too long. Games that are under way at
        the end of the ``with`` block are dropped."""
        cores = max(self.cores, FEWEST_CORES)
        jobs = min(UNDER_WAY * cores, MOST_UNDER_WAY)
        self._is_stopped = False
        with ThreadPoolExecutor(jobs, thread_name_prefix="game") as threads:
            begin = attempts(lambda one: self._played(task_of(one), one.round), threads)
            with OrderedResults(schedule, begin, jobs, WINDOW * jobs, self._stop) as results:
                results.wait = self._wait
                yield results

    def _stop(self) -> None:
        with self._changed:
            self._is_stopped = True
            for future, _ in self._under_way.values():
                future.cancel()
            self._changed.notify_all()

    # Games, each in its thread

    def _played(self, task: Task, round_: int) -> Sequence[GameRecord]:
        """Have a worker play a game or a match, and return the records. Games of earlier rounds are
        played first, so that results come in order and an interrupt loses few.

        The game is sent again if the connection is lost, if its worker cannot play it, and once if
        all workers that may play it are gone. Raises errors as `_answer` and `read` do. If workers
        died, raises `MachineBusy` the first time, since another game may have killed them, and then
        `WorkersDied`.
        """
        sent = SentTask(terms=self._terms, game=task)
        while True:
            try:
                worker, said = self._answer(sent, round_)
            except ConnectionLost:
                with self._changed:
                    self._changed.wait_for(lambda: self._is_stopped, LOOK_SECONDS)
                continue
            except WorkersDied as error:
                if task.id in self._deadly:
                    raise
                self._deadly.add(task.id)
                self._gone[task.id] = 1
                raise MachineBusy(str(error)) from None
            result = read(said, sent)
            if not result.unfit:
                return result.records
            self._note(worker, result.unfit)

    def _answer(self, sent: SentTask, round_: int) -> Answer:
        """Wait for a worker that can play a game, have the engine send the game, and wait for the
        answer. Raises `WorkersDied` if all workers that may play the game are gone for the second
        time, `Interrupted` once the block has ended, and errors as `_able` and the engine do."""
        task = sent.game
        with self._changed:
            while not self._is_stopped and not (where := self._able(task.seats)):
                self._changed.wait()
            if self._is_stopped:
                raise Interrupted
            if task.id in self._deadly:  # as few workers as possible are to die
                where = {min(where)}
            bots = {seat.digest: self._bots[seat.digest] for seat in task.seats}.values()
            text = encode(sent).decode()
            future = self._engine.submit(where, text, bots, -round_)
            self._under_way[task.id] = future, where
        try:
            return future.result()
        except ConnectionLost:
            if self._gone[task.id] > 1:
                raise WorkersDied(min(where)) from None
            raise
        finally:
            with self._changed:
                del self._under_way[task.id]

    def _able(self, seats: Sequence[TaskSeat]) -> set[str]:
        """The workers that can play a game of these bots; empty if there is no worker.

        Raises `UsageError` if there are workers and none of them can play any game. Raises
        `RunsNowhere` if one of the bots can be run by no worker. Raises `JudgeFault` if each bot
        can be run by some worker, but no worker can run all of them.
        """
        bots = {"", *(seat.digest for seat in seats)}
        able = {name for name, reasons in self._workers.items() if bots.isdisjoint(reasons)}
        if able or not self._workers:
            return able
        if why := self._why_none(""):
            raise UsageError(f"none of the workers can play these games: {why}")
        for seat in seats:
            if why := self._why_none(seat.digest):
                raise RunsNowhere(seat.name, why)
        names = " and ".join(seat.name for seat in seats)
        raise JudgeFault(f"no worker can run {names}, though each can be run by one")

    def _why_none(self, digest: str) -> str:
        """The reasons why no worker can run a bot; empty if one can, as far as the pool knows."""
        why = {known.get("") or known.get(digest, "") for known in self._workers.values()}
        return "" if "" in why else "; ".join(sorted(why))

    def _note(self, worker: str, unfit: Mapping[str, str]) -> None:
        """Note why a worker cannot run bots, and tell it once."""
        with self._changed:
            known = self._workers.get(worker, {})
            for digest in unfit.keys() - known:
                games = f" of {self._bots[digest].name}" if digest else ""
                self._tell(f"{worker} plays no game{games}: {unfit[digest]}")
            known.update(unfit)

    # Workers

    def _wait(self, over: Future[None]) -> None:
        """Wait until a game is over or it is time to look at the workers, and look if it is."""
        until_done(over, max(0.0, self._next_look - time.monotonic()))
        if time.monotonic() >= self._next_look:
            self._look()
            self._next_look = time.monotonic() + LOOK_SECONDS

    def _look(self) -> None:
        """Update the workers, and have games whose workers are gone sent again. Raises `JudgeFault`
        if the scheduler is gone, or if there has been no worker for `NO_WORKER_SECONDS`."""
        try:
            workers = apart(self._engine.workers)
        except ConnectionLost:
            return  # the games under way are told it, too, and wait for the next look
        for name, why in self._engine.unfit.items():
            self._tell_once(f"{name} {why}")
        now = time.monotonic()
        if workers:
            self._last_seen = now
        elif self._workers:
            self._tell(
                "no worker is left; the games go on as soon as there is one, within "
                f"{NO_WORKER_SECONDS:.0f} s"
            )
        elif now - self._last_seen > NO_WORKER_SECONDS:
            raise JudgeFault(
                f"there has been no worker for {NO_WORKER_SECONDS:.0f} s; start one, and the same "
                "command goes on"
            )
        with self._changed:
            self._workers = {name: self._workers.get(name, {}) for name in workers}
            for game, (future, where) in self._under_way.items():
                if where.isdisjoint(workers):
                    self._gone[game] += 1
                    future.cancel()
            self._changed.notify_all()
