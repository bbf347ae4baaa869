"""Has games played by the workers of a dask scheduler. Workers with another version of the judge
are left out.

Only this file calls dask, so only a command with a cluster imports it.
`judge.contest.cluster.pool` decides what is sent.

A user starts a worker by `dask worker`, in an environment that has the judge. Messages of the
connection are pickled, so anybody who reaches a scheduler's port has a shell on every worker.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import functools
import logging
import pickle
import platform
import threading
import uuid
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import dask
from distributed import Client, KilledWorker, LocalCluster, Security, get_worker
from distributed import Future as DaskFuture

from judge.contest.cluster.pool import Answer, ConnectionLost
from judge.contest.cluster.worker import GameWorker, versions
from judge.contest.cluster.worker_report import own_report
from judge.errors import JudgeFault, MachineBusy, UsageError, WorkersDied
from judge.process.bots.bot import Bot
from judge.process.bots.parcel import packed_as_known

T = TypeVar("T")

_CANCELLED = (asyncio.CancelledError, concurrent.futures.CancelledError)
_LOST = (OSError, RuntimeError, ValueError, *_CANCELLED)  # what a broken client raises


def quieten() -> None:
    """Keep the log lines and warnings of dask from standard error."""
    packages = ("distributed", "dask", "tornado", "asyncio", "bokeh")
    for name in [*packages, *logging.root.manager.loggerDict]:
        if name.partition(".")[0] in packages:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    for package in packages:
        warnings.filterwarnings("ignore", module=package)


class DaskEngine:
    """A connection to a scheduler of dask, whose workers play games. Thread-safe.

    ``unfit`` has the address of each worker that cannot be used, such as one with other versions,
    and the reason: a predicate, whose subject is the worker. Raises `JudgeFault` if no scheduler
    answers.
    """

    def __init__(self, address: Any) -> None:
        """``address`` is a scheduler's address, or a cluster object of dask."""
        self.address_text = address if isinstance(address, str) else address.scheduler_address
        self._reasons: dict[str, str] = {}  # of the workers that were asked; empty for a fit one
        self._parcels: dict[str, DaskFuture[bytes]] = {}  # keyed by digest
        try:
            self._client: Client = Client(address, set_as_default=False, name="judge")
        except (*_LOST, TypeError) as error:
            raise JudgeFault(
                f"no scheduler of dask answers at {self.address_text}: {_said(error)}"
            ) from None

    def close(self) -> None:
        with contextlib.suppress(*_LOST):
            self._client.close(timeout=2)

    @property
    def unfit(self) -> dict[str, str]:
        return {name: why for name, why in self._reasons.items() if why}

    def workers(self) -> Mapping[str, int]:
        """The number of cores of each worker that can be used now, keyed by the worker's address.
        Asks new workers for their versions. Raises `ConnectionLost` while dask's client tries to
        restore a lost connection, and another `JudgeFault` once it has given up."""
        client = self._client
        try:
            if client.scheduler is None or client.status != "running":
                raise ConnectionError("the connection is lost")
            cores = client.nthreads()
            new = [name for name in cores if name not in self._reasons]
            answers = client.run(versions, workers=new, on_error="return") if new else {}
        except _LOST as error:
            if client.status != "closed":
                raise ConnectionLost(_said(error)) from None
            raise JudgeFault(
                f"the scheduler at {self.address_text} is gone: {_said(error)}; once there is one "
                "again, the same command goes on"
            ) from None
        self._reasons = {name: why for name, why in self._reasons.items() if name in cores}
        for name, said in answers.items():
            if not isinstance(said, OSError):  # the worker is gone, or the next look asks it again
                wrong = f"should have {versions()}, as this judge has, but says: {_said(said)}"
                self._reasons[name] = "" if said == versions() else wrong
        return {name: cores[name] for name, why in self._reasons.items() if not why}

    def submit(
        self, workers: Iterable[str], text: str, bots: Iterable[Bot], priority: int
    ) -> Asked[Answer]:
        """Have one of these workers play a ``task`` document with these bots, and give the worker's
        `Answer`. A worker plays tasks of a higher ``priority`` first. Raises `BotChanged` if a bot
        cannot be sent as it was, and `ConnectionLost`."""
        sent = (text, platform.node(), *map(self._file, bots))
        return Asked(self._sent(play_on_worker, *sent, workers=[*workers], priority=priority))

    def examine(self, worker: str) -> Asked[str]:
        """Have a worker call `own_report`, and give the report as text. Raises `ConnectionLost`."""
        return Asked(self._sent(own_report, workers=[worker]))

    def _file(self, bot: Bot) -> DaskFuture[bytes]:
        """The parcel of a bot's files as the result of a dask task. Dask copies the result to the
        workers that need it, and makes it again if it is lost. The parcel is bytes, so that workers
        of other versions can hold it too.

        The tasks of parcels live as long as the engine. If the last task of a group ended, the
        scheduler would begin another group for the next task, and it keeps facts of all groups as
        long as it runs.
        """
        known = self._parcels.get(bot.digest)
        if known is None or known.status in ("cancelled", "error"):
            known = self._parcels[bot.digest] = self._sent(
                bytes, pickle.dumps(packed_as_known(bot))
            )
        return known

    def _sent(self, function: Callable[..., T], *arguments: object, **where: Any) -> DaskFuture[T]:
        key = f"judge-{uuid.uuid4().hex[:16]}"  # of the group judge
        try:
            return self._client.submit(function, *arguments, key=key, **where)
        except _LOST as error:
            raise ConnectionLost(_said(error)) from None


def local_cluster(workers: int, open_until: contextlib.ExitStack) -> Any:
    """A scheduler and workers of one core each on this machine, connected by TLS with a temporary
    certificate, until ``open_until`` closes."""
    # Nobody looks at the workers' profiles.
    open_until.enter_context(dask.config.set({"distributed.worker.profile.enabled": False}))
    return open_until.enter_context(
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            protocol="tls://",
            security=Security.temporary(),
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        )
    )


class Asked(Generic[T]):
    """An answer of a worker that is still to come."""

    def __init__(self, future: DaskFuture[T]) -> None:
        self._future = future

    def result(self, seconds: float | None = None) -> T:
        """Wait for the answer, at most ``seconds``; to be called once. Raises `WorkersDied` if the
        workers that played the task have died, `MachineBusy` if the worker had too much to do,
        `ConnectionLost` if the connection to the cluster was lost or the question was cancelled,
        TimeoutError, and `JudgeFault` for other errors. An error on the worker never counts as a
        lost connection, since such a task would be sent again without end."""
        try:
            return self._future.result(seconds)
        except KilledWorker as error:
            raise WorkersDied(error.last_worker.address) from None
        except BaseException as error:
            status = self._future.status
            if status == "pending" and isinstance(error, TimeoutError):
                raise
            if status != "error":  # a task that is still wanted is cancelled only by dask's client
                raise ConnectionLost(_said(error)) from None
            if type(error) in (JudgeFault, MachineBusy):
                raise
            raise JudgeFault(f"{type(error).__name__}: {_said(error)}") from None
        finally:
            self.cancel()

    def cancel(self) -> None:
        """Give the answer up; any thread that waits for it gets an error."""
        self._future.release()


def _said(error: object) -> str:
    return " ".join(str(error).split()) or type(error).__name__


_lock = threading.Lock()


@functools.cache
def _worker_in(folder: Path) -> GameWorker:
    """The worker of this process with its files in this folder. There is one, unless a process runs
    several of dask's workers."""
    worker = GameWorker(folder)
    atexit.register(worker.close)
    return worker


def play_on_worker(text: str, home: str, *parcels: bytes) -> Answer:
    """Play a task by `GameWorker.play`. Runs on a dask worker, and returns the worker's `Answer`.
    Raises errors as `GameWorker.play`, with their text alone, since the fault of one machine says
    nothing of others."""
    own = get_worker()
    with _lock:
        worker = _worker_in(Path(own.local_directory) / "judge-bots")
    bots = map(pickle.loads, parcels)  # whoever sends tasks to dask can run any code anyway
    try:
        return own.address, worker.play(text, bots, home)
    except (UsageError, JudgeFault) as error:
        raise (MachineBusy if isinstance(error, MachineBusy) else JudgeFault)(str(error)) from None
