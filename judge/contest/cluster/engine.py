"""What carries batches to workers: which workers there are, and what may become of a batch.

The engine of dask is `judge.contest.cluster.dask_engine`; a test has its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from judge.errors import JudgeFault
from judge.process.bots.parcel import Parcel

Done = Callable[[str | Exception], None]


class ConnectionLost(JudgeFault):
    """The connection to the workers broke; what was under way is to be sent again."""


class WorkerDied(JudgeFault):
    """The worker that had a batch is no more."""


class Engine(Protocol):
    """Where batches are played. Calls come from one thread; results may come in any."""

    def workers(self) -> Mapping[str, int]:
        """How many cores each worker has that there is now. A connection that is lost is made
        again; raises `JudgeFault` if it cannot be."""

    def send(
        self, worker: str, text: str, parcels: Mapping[str, Parcel], done: Done
    ) -> Callable[[], None]:
        """Have a worker play a ``task`` document. ``done`` gets the ``task-result``, or what went
        wrong, `ConnectionLost` and `WorkerDied` among that. What is returned forgets the batch."""
