"""The pool that sends games to the workers of a cluster and takes their results.

A thread waits for each game that is under way. The pool says which workers can play a game, and
checks the results. The engine, a `DaskEngine`, chooses one of these workers, sends the bots' files
there, and chooses another when that worker dies.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

from judge.contest.cluster.task_result import read, records_of
from judge.contest.schedule import Pairing
from judge.contest.standings.fight_documents import under
from judge.contest.window import OrderedResults, attempts
from judge.documents.codec import encode
from judge.documents.game import GameRecord
from judge.documents.tasks import SentTask, Task, TaskSeat, Terms
from judge.errors import (
    Interrupted,
    JudgeFault,
    MachineBusy,
    OutOfReach,
    RunsNowhere,
    UsageError,
    WorkersDied,
)
from judge.play.conditions import Conditions
from judge.process.bots.bot import Bot

if TYPE_CHECKING:
    from judge.contest.cluster.dask_engine import DaskEngine

WINDOW = 32  # seeds for each core in the window of games
MOST_WAITING = 4096  # the most seeds in the window
UNDER_WAY = 8  # games under way for each core, each with a thread
MOST_UNDER_WAY = 512
FEWEST_CORES = 4  # there may be more once other workers have come
LOOK_SECONDS = 1.0
NO_WORKER_SECONDS = 300.0  # long enough to start workers again after the network was cut

Answer = tuple[str, str]
"""The address of the worker that played a task, and its ``task-result`` document as text."""


class ConnectionLost(JudgeFault):
    """The connection to the workers broke. The games under way are sent again."""


class _WorkersGone(WorkersDied):
    """The workers that may play a game are gone."""


class GamePool:
    """A pool that plays games on the workers of an engine. Thread-safe.

    ``bots`` are the bots that play. ``workers`` has the number of cores of each worker at the
    start, and ``cores`` is their sum. ``tell`` gets a sentence about each worker that cannot play
    any game, or the games of some bot, and about times without workers.
    """

    def __init__(
        self,
        engine: DaskEngine,
        bots: Iterable[Bot],
        conditions: Conditions,
        workers: Mapping[str, int],
        tell: Callable[[str], None],
    ) -> None:
        self._engine = engine
        self._bots = {bot.digest: bot for bot in bots}
        self._terms = Terms(**under(conditions))
        self._tell = tell
        self.cores = sum(workers.values())
        self._changed = threading.Condition()  # guards the fields up to the empty line
        self._present = {*workers}  # the workers that there are now
        # The reasons why workers cannot run a bot, by the bot's digest and the worker. The digest
        # "" stands for all bots.
        self._unfit: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._under_way: dict[Future[Answer], set[str]] = {}  # with the workers that may play it
        self._out_of_reach = ""  # why there is no worker any more

        self._deadly: set[str] = set()  # ids of the games whose workers have died
        self._last_worker = time.monotonic()
        self._is_waiting = not workers  # whether it was told that there is no worker
        self._is_closed = False
        self._looks = threading.Event()  # set when the workers are to be looked at now
        self._thread = threading.Thread(target=self._work, name="cluster", daemon=True)
        self._thread.start()

    @property
    def workers(self) -> int:
        """The number of workers that can play, as far as the pool knows."""
        with self._changed:
            return len(self._present - self._unfit[""].keys())

    @contextmanager
    def playing(
        self, schedule: Iterable[Pairing], task_of: Callable[[Pairing], Task]
    ) -> Iterator[OrderedResults[Sequence[GameRecord]]]:
        """The results of a schedule's games, in its order. Games that are under way at the end of
        the ``with`` block are dropped."""
        cores = max(self.cores, FEWEST_CORES)
        jobs = min(UNDER_WAY * cores, MOST_UNDER_WAY)
        window = min(WINDOW * cores, MOST_WAITING)
        is_stopped = threading.Event()

        def play(pairing: Pairing) -> Sequence[GameRecord]:
            return self._played(task_of(pairing), is_stopped)

        def stop() -> None:
            is_stopped.set()
            self._drop(self._under_way)

        with (
            ThreadPoolExecutor(jobs, thread_name_prefix="game") as threads,
            OrderedResults(schedule, attempts(play, threads), jobs, window, stop) as results,
        ):
            yield results

    def close(self) -> None:
        self._is_closed = True
        self._looks.set()
        self._thread.join()
        self._fail("the connection to the workers is closed")

    def _played(self, task: Task, is_stopped: threading.Event) -> list[GameRecord]:
        """Have a worker play a game or a match, and return the records. The game is sent again if
        the connection is lost, if its worker cannot play it, and once if all workers that may play
        it are gone. Raises errors as `_answer`, `read` and `records_of` do. If workers died, raises
        `MachineBusy` the first time, since another game may have killed them, and then
        `WorkersDied`."""
        sent = SentTask(terms=self._terms, game=task)
        may_move = task.id not in self._deadly
        while True:
            try:
                worker, said = self._answer(sent, is_stopped)
            except ConnectionLost:
                with self._changed:
                    self._present.clear()  # until the next look
                self._looks.set()
                continue
            except WorkersDied as error:
                if isinstance(error, _WorkersGone) and may_move:
                    may_move = False
                    continue
                if task.id in self._deadly:
                    raise
                self._deadly.add(task.id)
                raise MachineBusy(str(error)) from None
            result = read(said, task)
            if result.refused is not None:
                self._refuse(worker, "", "", result.refused)
            for one in result.unfit:
                self._refuse(worker, one.digest, f" of {self._bots[one.digest].name}", one.reason)
            if result.refused is None and not result.unfit:
                return records_of(result, sent)

    def _answer(self, sent: SentTask, is_stopped: threading.Event) -> Answer:
        """Wait for a worker that can play a game, have the engine send the game, and wait for the
        answer. Raises `_WorkersGone` if all workers that may play it are gone, `Interrupted` once
        the block is stopped, `OutOfReach` if there has been no worker for too long, and errors as
        `_able` and the engine do."""
        seats = sent.game.seats
        with self._changed:
            while not (where := self._able(seats)):
                self._go_on(is_stopped)
                self._changed.wait()
            self._go_on(is_stopped)
            if sent.game.id in self._deadly:  # as few workers as possible are to die
                where = {min(where)}
            bots = {seat.digest: self._bots[seat.digest] for seat in seats}.values()
            future = self._engine.submit(where, encode(sent).decode(), bots)
            self._under_way[future] = where
        try:
            return future.result()
        except CancelledError:
            self._go_on(is_stopped)
            raise _WorkersGone(min(where)) from None
        finally:
            with self._changed:
                del self._under_way[future]

    def _go_on(self, is_stopped: threading.Event) -> None:
        """Raise `Interrupted` or `OutOfReach` if games cannot go on."""
        if is_stopped.is_set():
            raise Interrupted
        if self._out_of_reach:
            raise OutOfReach(self._out_of_reach)

    def _able(self, seats: Sequence[TaskSeat]) -> set[str]:
        """The workers that can play a game of these bots; empty if there is no worker.

        Raises `UsageError` if there are workers and none of them can play any game. Raises
        `RunsNowhere` if one of the bots can be run by no worker. Raises `JudgeFault` if each bot
        can be run by some worker, but no worker can run all of them.
        """
        able = fit = self._present - self._unfit[""].keys()
        if self._present and not fit:
            raise UsageError(f"none of the workers can play these games: {self._why('')}")
        for seat in seats:
            unfit = self._unfit[seat.digest].keys()
            if fit and not fit - unfit:
                raise RunsNowhere(seat.name, self._why(seat.digest))
            able = able - unfit
        if fit and not able:
            names = " and ".join(seat.name for seat in seats)
            raise JudgeFault(f"no worker can run {names}, though each can be run by one")
        return able

    def _why(self, digest: str) -> str:
        return "; ".join(sorted({*self._unfit[digest].values()}))

    def _refuse(self, worker: str, digest: str, games: str, reason: str) -> None:
        """Note that a worker cannot play games of the bot with this digest, or of any bot if the
        digest is "", and tell it once. ``games`` are words that follow "plays no game"."""
        with self._changed:
            if worker not in self._unfit[digest]:
                self._tell(f"{worker} plays no game{games}: {reason}")
            self._unfit[digest][worker] = reason

    def _drop(self, futures: Iterable[Future[Answer]]) -> None:
        """Cancel these futures, and wake the threads that wait for a worker."""
        with self._changed:
            for future in [*futures]:
                future.cancel()
            self._changed.notify_all()

    # Workers

    def _work(self) -> None:
        while not self._is_closed:
            self._looks.wait(LOOK_SECONDS)
            self._looks.clear()
            try:
                self._look()
            except Exception as error:  # noqa: BLE001 - whoever waits for a result is told
                if isinstance(error, ConnectionLost) and not self._has_waited():
                    continue  # the games under way are told it, too, and wait for the next look
                self._fail(str(error) or repr(error))

    def _fail(self, why: str) -> None:
        """Have all games raise `OutOfReach` until there is a worker."""
        with self._changed:
            self._out_of_reach = why
            self._present.clear()
            self._drop(self._under_way)

    def _has_waited(self) -> bool:
        return time.monotonic() - self._last_worker > NO_WORKER_SECONDS

    def _look(self) -> None:
        """Update the workers, and have games whose workers are gone sent again. Raises `JudgeFault`
        if there has been no worker for `NO_WORKER_SECONDS`."""
        workers = self._engine.workers()
        if workers:
            self._last_worker = time.monotonic()
        elif self._has_waited():
            raise JudgeFault(
                f"there has been no worker for {NO_WORKER_SECONDS:.0f} s; start one, and the same "
                "command goes on"
            )
        elif not self._is_waiting:
            self._tell(
                "no worker is left; the games go on as soon as there is one, within "
                f"{NO_WORKER_SECONDS:.0f} s"
            )
        self._is_waiting = not workers
        with self._changed:
            self._out_of_reach = ""
            self._present = {*workers}
            for reasons in self._unfit.values():  # nothing is known of a worker that is gone
                for gone in reasons.keys() - workers.keys():
                    del reasons[gone]
            under_way = self._under_way.items()
            self._drop(future for future, where in under_way if not where & self._present)
