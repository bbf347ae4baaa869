"""The words of dask about a task: only if the connection is lost is it sent again without end."""

from __future__ import annotations

import concurrent.futures
from types import SimpleNamespace

import pytest

from judge.contest.cluster.dask_engine import Asked
from judge.contest.cluster.pool import ConnectionLost
from judge.errors import JudgeFault, WorkersDied


class Broken:
    """A future of dask's whose result is an error."""

    def __init__(self, error: BaseException, status: str) -> None:
        self._error = error
        self.status = status

    def result(self) -> str:
        raise self._error

    def release(self) -> None:
        pass


@pytest.mark.parametrize(
    "error",
    [
        OSError("No space left on device"),
        ConnectionLost("says the worker"),
        concurrent.futures.CancelledError(),
        SystemExit("says the worker"),
        KeyboardInterrupt(),
        ValueError("\x1b[2J"),
        TimeoutError(),
    ],
)
def test_what_a_worker_fails_by_is_no_loss_of_the_connection(error: BaseException) -> None:
    """Its disk may be full: its games are tried once more, and then given up; and whoever waits is
    told, also of what ends a process."""
    with pytest.raises(JudgeFault) as said:
        Asked(Broken(error, "error")).result()  # type: ignore[arg-type] # it needs no more
    assert not isinstance(said.value, ConnectionLost | WorkersDied)


def test_a_lost_connection_and_dead_workers_are_known() -> None:
    """They are known from a task that dask has dropped, or not brought, and from one whose workers
    are no more."""
    for lost in (concurrent.futures.CancelledError(), OSError("closed")):
        with pytest.raises(ConnectionLost):
            Asked(Broken(lost, "lost")).result()  # type: ignore[arg-type]
    from distributed import KilledWorker

    died = KilledWorker("a", SimpleNamespace(address="tcp://worker"), 1)
    with pytest.raises(WorkersDied, match="at last tcp://worker"):
        Asked(Broken(died, "error")).result()  # type: ignore[arg-type]
