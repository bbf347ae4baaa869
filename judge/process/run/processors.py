"""Processors: how many this process may use, and which of them each job owns.

Whatever a job starts is bound to its processors. The judge itself is not: on a processor that bots
keep busy it would wait for them. A processor that a job of this process has used is claimed until
the process ends; another judge takes others while there are any.
"""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator

from judge.errors import UsageError
from judge.process.run.claims import claimed
from judge.process.sandbox import cgroup

Processors = frozenset[int]


def usable() -> int:
    """The processors that this process may really use: by its affinity, and by the quota of its
    control group and those above it; at least one."""
    allowed = len(os.sched_getaffinity(0))
    quota = cgroup.quota()
    return allowed if quota is None else max(1, min(allowed, int(quota)))


def require(count: int) -> None:
    """Raise `UsageError` unless this process may use this number of processors."""
    allowed = len(os.sched_getaffinity(0))
    if count > allowed:
        raise UsageError(
            f"each bot is to have {count} processors by --cores, and this process may use {allowed}"
        )


class _Owners:
    """The jobs of this process, and the processors that each of them owns. Thread-safe."""

    def __init__(self) -> None:
        self._jobs: dict[int, int] = {}  # jobs by processor
        self._claims: dict[int, socket.socket] = {}
        self._lock = threading.Lock()

    def take(self, count: int) -> Processors:
        """The processors that the fewest jobs have; those of other judges last."""
        allowed = os.sched_getaffinity(0)
        taken: list[int] = []
        with self._lock:
            for number in sorted(allowed):
                if len(taken) < count and not self._jobs.get(number) and self._claim(number):
                    taken.append(number)
            others = sorted(allowed.difference(taken), key=self._rank)
            taken += others[: count - len(taken)]
            for number in taken:
                self._jobs[number] = self._jobs.get(number, 0) + 1
        return frozenset(taken)

    def _rank(self, number: int) -> tuple[int, int]:
        """How few jobs of this process a processor has; among equal ones, each process begins with
        another."""
        return self._jobs.get(number, 0), (number + os.getpid()) % (os.cpu_count() or 1)

    def give_back(self, processors: Processors) -> None:
        with self._lock:
            for number in processors:
                self._jobs[number] -= 1

    def _claim(self, number: int) -> bool:
        """Whether no other judge of this machine plays on a processor."""
        if number not in self._claims and (claim := claimed(f"processor/{number}")):
            self._claims[number] = claim
        return number in self._claims


_OWNERS = _Owners()


@contextlib.contextmanager
def owned(count: int) -> Iterator[Processors]:
    """Own this number of processors for a block, fewer where this process may not use as many."""
    processors = _OWNERS.take(count)
    try:
        yield processors
    finally:
        _OWNERS.give_back(processors)


@contextlib.contextmanager
def bound_to(processors: Processors) -> Iterator[None]:
    """Have what this thread starts in a block run on these processors; without any, as it is."""
    before = os.sched_getaffinity(0)
    if not processors or processors == before:
        yield
        return
    os.sched_setaffinity(0, processors)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def of_seat(processors: Processors, seat: int, seats: int) -> Processors:
    """The share of one seat where every seat has processors of its own."""
    return frozenset(sorted(processors)[seat::seats])
