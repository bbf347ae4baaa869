"""The words of dask about a task: only if the connection is lost is it sent again without end."""

from __future__ import annotations

import concurrent.futures
import pickle
from pathlib import Path
from types import SimpleNamespace

import pytest

from judge.contest.cluster import dask_engine
from judge.contest.cluster.dask_engine import Asked, play_on_worker
from judge.contest.cluster.pool import ConnectionLost
from judge.errors import JudgeFault, MachineBusy, Starved, WorkersDied


class Broken:
    """A future of dask's whose result is an error."""

    def __init__(self, error: BaseException, status: str) -> None:
        self._error = error
        self.status = status

    def result(self, seconds: float | None) -> str:
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
    ],
)
def test_what_a_worker_fails_by_is_no_loss_of_the_connection(error: BaseException) -> None:
    """Its disk may be full: its games are tried once more, and then given up; and whoever waits is
    told, also of what ends a process."""
    with pytest.raises(JudgeFault) as said:
        Asked(Broken(error, "error")).result()  # type: ignore[arg-type] # it needs no more
    assert not isinstance(said.value, ConnectionLost | WorkersDied)


def test_a_busy_worker_is_known(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The judge plays its game again alone: so the error that says so can be pickled, as not all
    errors can. Its own words are told."""

    class Late:
        def play(self, *_: object) -> str:
            raise Starved(900, 2000)

    here = SimpleNamespace(address="tcp://worker", local_directory=str(tmp_path))
    monkeypatch.setattr(dask_engine, "get_worker", lambda: here)
    monkeypatch.setattr(dask_engine, "_worker_in", lambda _: Late())
    with pytest.raises(MachineBusy) as raised:
        play_on_worker("{}", "home")
    for told in (pickle.loads(pickle.dumps(raised.value)), JudgeFault(str(Starved(900, 2000)))):
        with pytest.raises(JudgeFault) as said:
            Asked(Broken(told, "error")).result()  # type: ignore[arg-type] # it needs no more
        assert (type(said.value), str(said.value)) == (type(told), str(Starved(900, 2000)))


def test_an_answer_that_takes_too_long_is_no_lost_connection() -> None:
    """The caller has said how long it waits."""
    with pytest.raises(TimeoutError):
        Asked(Broken(TimeoutError(), "pending")).result(0.0)  # type: ignore[arg-type] # the same
    with pytest.raises(JudgeFault, match="TimeoutError"):  # the worker's own
        Asked(Broken(TimeoutError(), "error")).result(9.0)  # type: ignore[arg-type] # the same


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
