"""Has games played by the workers of a dask scheduler. Workers with another version of the judge
are left out.

Only this file calls dask; `judge.contest.cluster.pool` decides what is sent.

A user starts a worker by `dask worker`, in an environment that has the judge. Messages of the
connection are pickled, so anybody who reaches a scheduler's port has a shell on every worker.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import functools
import itertools
import logging
import pickle
import platform
import threading
import uuid
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from judge.contest.cluster.pool import Answer, ConnectionLost
from judge.contest.cluster.worker import GameWorker, versions
from judge.contest.cluster.worker_report import own_report
from judge.errors import JudgeFault, WorkersDied
from judge.play.run import Connect
from judge.process.bots.bot import Bot
from judge.process.bots.parcel import packed_as_known

if TYPE_CHECKING:
    from distributed import Client
    from distributed import Future as DaskFuture

T = TypeVar("T")

MOST_CORES = 1024  # a worker that claims more cores counts as having these
_CANCELLED = (asyncio.CancelledError, concurrent.futures.CancelledError)
_LOST = (OSError, RuntimeError, ValueError, *_CANCELLED)  # what a broken client raises


def quieten() -> None:
    """Keep the log lines and warnings of dask from standard error."""
    import distributed  # its import sets up loggers

    packages = (distributed.__name__, "dask", "tornado", "asyncio", "bokeh")
    for name in [*packages, *logging.root.manager.loggerDict]:
        if name.partition(".")[0] in packages:
            logger = logging.getLogger(name)
            logger.handlers[:] = [logging.NullHandler()]
            logger.propagate = name not in packages
    for package in packages:
        warnings.filterwarnings("ignore", module=package)


class DaskEngine:
    """A connection to a scheduler of dask, whose workers play games. Thread-safe.

    ``unfit`` has the address of each worker that cannot be used, such as one with other versions,
    and the reason: a predicate, whose subject is the worker. ``tell`` gets a sentence about each
    such worker. It does nothing until it is replaced. Raises `JudgeFault` if no scheduler answers.
    """

    def __init__(self, address: Any, connect: Connect | None = None) -> None:
        """``address`` is a scheduler's address, or a cluster object of dask. ``connect`` is as in
        `judge.play.run.Run`; it is pickled by its name, so workers must be able to import it."""
        self.address_text = address if isinstance(address, str) else address.scheduler_address
        self.tell: Callable[[str], None] = lambda _: None
        self._connect = connect
        self._own = f"judge-{uuid.uuid4().hex[:12]}"  # the beginning of the keys of its tasks
        self._numbers = itertools.count()
        self._seen: set[str] = set()  # the workers whose versions are known
        self.unfit: dict[str, str] = {}
        self._parcels: dict[str, DaskFuture[bytes]] = {}  # keyed by digest
        try:
            from distributed import Client

            self._client: Client = Client(address, set_as_default=False, name="judge")
        except (*_LOST, TypeError) as error:
            raise JudgeFault(
                f"no scheduler of dask answers at {self.address_text}: {_said(error)}"
            ) from None

    def close(self) -> None:
        with contextlib.suppress(*_LOST):
            self._client.close(timeout=2)

    def workers(self) -> Mapping[str, int]:
        """The number of cores of each worker that can be used now, keyed by the worker's address.
        Raises `ConnectionLost` while dask's client tries to restore a lost connection, and another
        `JudgeFault` once it has given up."""
        try:
            return self._see()
        except _LOST as error:
            if self._client.status != "closed":
                raise ConnectionLost(_said(error)) from None
            raise JudgeFault(
                f"the scheduler at {self.address_text} is gone: {_said(error)}; once there is one "
                "again, the same command goes on"
            ) from None

    def submit(self, workers: Iterable[str], text: str, bots: Iterable[Bot]) -> Future[Answer]:
        """Have one of these workers play a ``task`` document with these bots. The future gives the
        worker's `Answer`, or raises a `JudgeFault`; it may be cancelled at any time. Raises
        `BotChanged` if a bot cannot be sent as it was, and `ConnectionLost`."""
        files = [self._file(bot) for bot in bots]
        home = platform.node()
        return self._submitted(workers, play_on_worker, text, home, self._connect, *files)

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

    def examine(self, worker: str, cores: int) -> Future[str]:
        """Have a worker call `own_report`. The future gives the report as text, or raises a
        `JudgeFault`."""
        return self._submitted([worker], own_report, worker, cores)

    def _submitted(
        self, workers: Iterable[str], function: Callable[..., T], *arguments: object
    ) -> Future[T]:
        there = self._sent(function, *arguments, workers=[*workers])
        here: Future[T] = Future()
        there.add_done_callback(functools.partial(_come, here))
        here.add_done_callback(lambda _: there.release())
        return here

    def _sent(self, function: Callable[..., T], *arguments: object, **where: Any) -> DaskFuture[T]:
        key = f"{self._own}-{next(self._numbers)}"
        try:
            return self._client.submit(function, *arguments, key=key, pure=False, **where)
        except _LOST as error:
            raise ConnectionLost(_said(error)) from None

    def _see(self) -> dict[str, int]:
        """Ask new workers for their versions. Return the number of cores of each worker that can be
        used, keyed by its address. Raises one of the `_LOST` errors without a connection."""
        scheduler = self._client.scheduler
        if scheduler is None or self._client.status != "running":
            raise ConnectionError("the connection is lost")
        # The client's scheduler_info may lack the workers, since the client also updates it by
        # itself.
        known = self._client.sync(scheduler.identity, n_workers=-1)["workers"]
        if new := known.keys() - self._seen:
            said = self._client.run(versions, workers=[*new], on_error="return")
            for address in sorted(new):
                self.unfit.pop(address, None)
                if isinstance(said.get(address, OSError()), OSError):
                    del known[address]  # the worker is gone, or the next look asks it again
                elif why := _difference(said[address]):
                    self.unfit[address] = why
                    self.tell(f"{address} {why}")
        self._seen = {*known}
        return {
            address: min(max(about["nthreads"], 1), MOST_CORES)
            for address, about in known.items()
            if address not in self.unfit
        }


@contextlib.contextmanager
def local_cluster(workers: int) -> Iterator[Any]:
    """A scheduler and workers of one core each on this machine, connected by TLS with a temporary
    certificate."""
    import dask
    from distributed import LocalCluster, Security

    with (
        dask.config.set(
            {"distributed.worker.profile.enabled": False}
        ),  # since its result is unused
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            protocol="tls://",
            security=Security.temporary(),
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as cluster,
    ):
        yield cluster


def _come(here: Future[T], there: DaskFuture[T]) -> None:
    """Copy the result or error of dask's future to ``here``, unless ``here`` is cancelled."""
    if here.set_running_or_notify_cancel():
        try:
            here.set_result(_result(there))
        except JudgeFault as error:
            here.set_exception(error)


def _result(future: DaskFuture[T]) -> T:
    """The result of a task. Raises `WorkersDied` if the workers that played the task have died,
    `ConnectionLost` if the connection to the cluster was lost, and `JudgeFault` for other errors.
    An error on the worker never counts as a lost connection, since such a task would be sent again
    without end."""
    from distributed import KilledWorker

    try:
        return future.result()
    except KilledWorker as error:
        raise WorkersDied(error.last_worker.address) from None
    except BaseException as error:  # noqa: BLE001 - every error is told to the caller that waits
        # A task that is still wanted is cancelled only by dask's client.
        if future.status != "error" and isinstance(error, (OSError, *_CANCELLED)):
            raise ConnectionLost(_said(error)) from None
        raise JudgeFault(f"{type(error).__name__}: {_said(error)}") from None


def _difference(said: Any) -> str | None:
    """The reason, as a predicate, why a worker that gave this answer cannot be used: its versions
    differ from this judge's, or the answer is an error. None if the versions are equal."""
    if not isinstance(said, dict):
        return f"cannot play for this judge: {_said(said)}"
    own = versions()
    other = [f"{name} {said.get(name)}" for name, one in own.items() if said.get(name) != one]
    here = [f"{name} {one}" for name, one in own.items() if said.get(name) != one]
    if not other:
        return None
    return f"has {' and '.join(other)} where this judge has {' and '.join(here)}; install the same"


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


def play_on_worker(text: str, home: str, connect: Connect | None, *parcels: bytes) -> Answer:
    """Play a task by `GameWorker.play`. Runs on a dask worker, and returns the worker's
    `Answer`."""
    from distributed import get_worker

    own = get_worker()
    with _lock:
        worker = _worker_in(Path(own.local_directory) / "judge-bots")
    bots = map(pickle.loads, parcels)  # whoever sends tasks to dask can run any code anyway
    return own.address, worker.play(text, bots, home=home, connect=connect)
