"""Dask's scheduler and workers, those of other versions refused, as an engine of the pool.

No other file knows them; the pool is `judge.contest.cluster.pool`.

Workers are those that `dask worker` starts in an environment that has the judge. What goes over
the connection is pickled, so whoever reaches a scheduler's port has a shell on every worker.
"""

from __future__ import annotations

import asyncio
import atexit
import concurrent.futures
import contextlib
import itertools
import logging
import platform
import threading
import time
import uuid
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from judge.contest.cluster.engine import ConnectionLost, Done, WorkerDied
from judge.contest.cluster.worker import GameWorker, versions
from judge.contest.cluster.worker_report import own_report
from judge.errors import JudgeFault, UsageError
from judge.play.run import Connect
from judge.process.bots.parcel import Parcel

if TYPE_CHECKING:
    from distributed import Client, Future

MOST_CORES = 1024  # that a worker is taken to have, whatever it says
AGAIN = 3  # times as long as dask waits for a connection, to make a lost one again
_CANCELLED = (asyncio.CancelledError, concurrent.futures.CancelledError)
_LOST = (OSError, RuntimeError, ValueError, *_CANCELLED)  # what a broken client raises


def quieten() -> None:
    """Keep what dask logs and warns of from standard error."""
    import distributed  # which sets up loggers when it is imported

    packages = (distributed.__name__, "dask", "tornado", "asyncio", "bokeh")
    for name in [*packages, *logging.root.manager.loggerDict]:
        if name.partition(".")[0] in packages:
            logger = logging.getLogger(name)
            logger.handlers[:] = [logging.NullHandler()]
            logger.propagate = name not in packages
    for package in packages:
        warnings.filterwarnings("ignore", module=package)


class DaskEngine:
    """A connection to a scheduler; see `judge.contest.cluster.engine.Engine`.

    ``tell`` gets a sentence about a worker that joins later and cannot be used. ``unfit`` are the
    workers that cannot, as where they have other versions, with the reasons, as predicates. Raises
    `JudgeFault` if nobody answers.
    """

    def __init__(
        self, address: Any, tell: Callable[[str], None], connect: Connect | None = None
    ) -> None:
        """``address`` is that of a scheduler, or a cluster of dask's own making; ``connect`` as in
        `judge.play.run.Run`, known to the workers by its name."""
        self._address = address
        self.shown = address if isinstance(address, str) else address.scheduler_address
        self._tell: Callable[[str], None] = lambda _: None
        self._connect = connect
        own = uuid.uuid4().hex[:12]
        self._keys = (f"judge-{own}-{number}" for number in itertools.count())
        self._names: dict[tuple[str, str], str] = {}  # by address and folder, which are a process
        self._addresses: dict[str, str] = {}
        self.unfit: dict[str, str] = {}
        try:
            self._open()
        except (*_LOST, TypeError) as error:
            raise JudgeFault(
                f"no scheduler of dask answers at {self.shown}: {_said(error)}"
            ) from None
        with contextlib.ExitStack() as undoing:
            undoing.callback(self.close)
            self._see()
            undoing.pop_all()
        self._tell = tell

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with contextlib.suppress(*_LOST):
            self._client.close(timeout=2)

    def require_fit(self) -> None:
        """Raise `UsageError` unless all workers that there are can play for this judge."""
        if self.unfit:
            raise UsageError("; ".join(f"{name} {why}" for name, why in self.unfit.items()))

    def workers(self) -> Mapping[str, int]:
        """See `Engine`."""
        try:
            return self._see()
        except _LOST:
            return self._seen_again()

    def send(
        self, worker: str, text: str, parcels: Mapping[str, Parcel], done: Done
    ) -> Callable[[], None]:
        """See `Engine`."""
        home = platform.node()
        return self._submitted(
            worker, done, play_on_worker, text, dict(parcels), home, self._connect
        )

    def examine(self, worker: str, done: Done) -> Callable[[], None]:
        """See `judge.contest.cluster.worker_report.Examined`."""
        return self._submitted(worker, done, own_report)

    def _submitted(
        self, worker: str, done: Done, function: Callable[..., str], *arguments: object
    ) -> Callable[[], None]:
        try:
            future = self._client.submit(
                function,
                *arguments,
                key=next(self._keys),
                workers=[self._addresses[worker]],
                pure=False,
            )
        except _LOST as error:
            raise ConnectionLost(_said(error)) from None
        future.add_done_callback(lambda one: done(_result(one)))

        def forget() -> None:
            with contextlib.suppress(*_LOST):
                if future.done():
                    future.release()
                else:
                    future.cancel()

        return forget

    def _see(self) -> dict[str, int]:
        """The workers that there are and that have the judge's versions, by name."""
        found: dict[str, int] = {}
        new: dict[str, str] = {}
        scheduler = self._client.scheduler
        if scheduler is None or self._client.status != "running":
            raise ConnectionError("the connection is lost")
        # Not by scheduler_info, which may give what the client has asked for meanwhile by itself,
        # without the workers.
        known = self._client.sync(scheduler.identity, n_workers=-1)["workers"]
        for address, about in known.items():
            process = address, about["local_directory"]
            if process not in self._names:
                others = sum(one == address for one, _ in self._names)
                self._names[process] = f"{address}#{others + 1}" if others else address
                new[address] = self._names[process]
            name = self._names[process]
            self._addresses[name] = address
            found[name] = min(max(about["nthreads"], 1), MOST_CORES)
        if new:
            said = self._client.run(versions, workers=[*new], on_error="return")
            for address, name in new.items():
                if why := _difference(said.get(address)):
                    self.unfit[name] = why
                    self._tell(f"{name} {why}")
        return {name: cores for name, cores in found.items() if name not in self.unfit}

    def _seen_again(self) -> dict[str, int]:
        """The same over a new connection."""
        deadline = time.monotonic() + AGAIN * self._seconds()
        while True:
            self.close()
            try:
                self._open()
                return self._see()
            except _LOST as error:
                if time.monotonic() > deadline:
                    raise JudgeFault(
                        f"the scheduler at {self.shown} is gone: {_said(error)}; once there is one "
                        "again, the same command goes on"
                    ) from None
                time.sleep(0.5)

    def _open(self) -> None:
        """Connect; what is opened is closed by `close`, also where this fails halfway."""
        from distributed import Client

        self._client: Client = Client(
            self._address, set_as_default=False, timeout=self._seconds(), name="judge"
        )
        # Whenever no task is left, the scheduler begins another group for the next, and keeps what
        # it knows of all groups for as long as it runs. So one task is left.
        self._kept = self._client.submit(int, key=next(self._keys))

    def _seconds(self) -> float:
        """How long dask waits for a connection."""
        import dask
        from dask.utils import parse_timedelta

        seconds: float = parse_timedelta(dask.config.get("distributed.comm.timeouts.connect"))
        return seconds


@contextlib.contextmanager
def local_cluster(workers: int) -> Iterator[Any]:
    """A scheduler and workers of one core each on this machine, over TLS that is made for the
    occasion."""
    import dask
    from distributed import LocalCluster, Security

    with (
        dask.config.set({"distributed.worker.profile.enabled": False}),  # for nobody looks at it
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


def _result(future: Future[str]) -> str | Exception:
    """What became of a batch. What the worker itself failed by is no loss of the connection,
    whatever it is called: it would be tried without end."""
    from distributed import KilledWorker

    try:
        return future.result()
    except KilledWorker as error:
        return WorkerDied(_said(error))
    except BaseException as error:  # noqa: BLE001 - whatever it is, somebody waits to be told
        # Nobody but the client itself cancels what is still wanted.
        if future.status != "error" and isinstance(error, (OSError, *_CANCELLED)):
            return ConnectionLost(_said(error))
        return JudgeFault(f"{type(error).__name__}: {_said(error)}")


def _difference(said: Any) -> str | None:
    """What a worker has otherwise than this judge, as a predicate."""
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
_workers: dict[Path, GameWorker] = {}  # by folder: one, unless a process has several of dask's


def play_on_worker(
    text: str, parcels: Mapping[str, Parcel], home: str, connect: Connect | None
) -> str:
    """Play a batch in this worker of dask; see `GameWorker.play`."""
    from distributed import get_worker

    folder = Path(get_worker().local_directory) / "judge-bots"
    with _lock:
        worker = _workers.get(folder)
        if worker is None:
            worker = _workers[folder] = GameWorker(folder)
            atexit.register(worker.close)
    return worker.play(text, parcels, home=home, connect=connect)
