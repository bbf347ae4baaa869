"""Measures the processes of a bot from outside: memory, processor time and waits for a processor.

All values come from the kernel. The name and the command line of a process are not used.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import os
import platform
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple, Protocol

LOOK_SECONDS = 0.05  # seconds between two measurements of an answering program, at most
COUNT_SECONDS = 0.005  # seconds that a measurement waits for a count of shared memory
LOOKS = 40  # measurements during a program's whole time, at least
DENIED_SHARE = 0.25  # share of an answer's time without a processor that makes the machine late
BUSY_SHARE = 0.5  # share of its processors; a bot that used more was not denied them

_luck = Random()  # seeded by the system, so that no bot can foresee it

First = Callable[[], Sequence[int]]
"""A function that gives the first processes of a program, from which all its other processes
come."""

_SHARED_OUT = re.compile(rb"\nPss:\s*(\d+) kB")
_MEMORY = re.compile(rb"\nVmHWM:\s*(\d+) kB\nVmRSS:\s*(\d+) kB")
_READ_BYTES = 4096
_KCMP = {"x86_64": 312, "aarch64": 272}  # numbers of the system call kcmp
_KCMP_MEMORY = 1  # KCMP_VM of linux/kcmp.h
_libc = ctypes.CDLL(None)


def next_look(now: float, seconds: float) -> float:
    """The time of the next look, at random within ``seconds``, so that no process can hide between
    two looks."""
    return now + seconds * _luck.random()


class Lookout(Protocol):
    """Looks at processes from time to time while the judge waits for an answer."""

    due: float
    """The time of the next look, by `time.monotonic`."""

    def look(self, now: float) -> None:
        """Look, and set ``due`` to a later time. May raise a `BotError` of the awaited program."""


def family(first: Sequence[int]) -> Iterator[int]:
    """Yield these processes, their present children, the children of those, and so on."""
    found: set[int] = set()
    ahead = [*first]
    while ahead:
        process = ahead.pop()
        if process not in found:
            found.add(process)
            yield process
            for task in tasks(process):
                ahead += children(process, task)


def signal_family(first: Sequence[int], number: int) -> None:
    """Send a signal to these processes and to all their present descendants. A process gets the
    signal as soon as it is found, and all children of a process before their own children."""
    found: set[int] = set()
    ahead = deque(first)
    while ahead:
        process = ahead.popleft()
        below = [child for task in tasks(process) for child in children(process, task)]
        for one in (process, *below):
            if one not in found:
                found.add(one)
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(one, number)
        ahead += [child for child in below if child not in first]


def tasks(process: int) -> list[int]:
    """The threads of a process; empty if the process has ended."""
    try:
        names = os.listdir(f"/proc/{process}/task")  # noqa: PTH208 - it is done often
        return [int(name) for name in names]
    except OSError:
        return []


def children(process: int, task: int) -> list[int]:
    """The children of one thread, in the order in which they were started."""
    return [int(number) for number in _read(f"/proc/{process}/task/{task}/children").split()]


def parent(process: int) -> int:
    """The parent of a process; 0 if the process has ended."""
    fields = _fields(f"/proc/{process}/stat")
    return int(fields[1]) if fields else 0


def used_ns(process: int) -> int:
    """The processor time of a process in nanoseconds, also of its threads that have ended; 0 if the
    process has ended."""
    try:
        return time.clock_gettime_ns((~process << 3) | 2)  # CPUCLOCK_SCHED of a process
    except OSError:
        return 0


def is_runnable(process: int) -> bool:
    """Whether a thread of a process runs, or waits for a processor."""
    return any(
        _fields(f"/proc/{process}/task/{task}/stat")[:1] == [b"R"] for task in tasks(process)
    )


class _Thread(NamedTuple):
    """The nanoseconds that a thread has run and has waited for a processor. ``waiting_since`` is
    the time of the look that first found it in its present wait, or None if it is not runnable."""

    ran: int
    waited: int
    waiting_since: float | None = None


class Usage:
    """The usage of a program while it answers, measured by looks at its processes. The class is a
    `Lookout`.

    ``processors`` is the number of processors that the program may use, ``timeout_ms`` its time for
    an answer, and ``most_kib`` its memory limit, None if looks do not decide on memory.
    """

    def __init__(
        self,
        first: First,
        processors: int,
        timeout_ms: float,
        most_kib: int | None = None,
        *,
        is_new: bool = True,
    ) -> None:
        """``is_new`` says that the program starts with the first question."""
        self.due = math.inf
        self._look_seconds = min(LOOK_SECONDS, timeout_ms / 1000 / LOOKS)
        self.peak_kib = 0
        """The peak of memory in KiB, over all answers: the highest peak of a process or, with
        ``most_kib``, the highest sum of all processes that a look has found."""
        self._first = first
        self._processors = processors
        self._most_kib = most_kib
        self._is_new = is_new
        self._looked = 0.0  # the time of the last look
        self._count: _Count | None = None  # a count under way, without a result yet
        self._begin()

    def _begin(self) -> None:
        self._before: dict[tuple[int, int], _Thread] = {}
        self._threads: dict[tuple[int, int], _Thread] = {}
        self._used: dict[int, int] = {}  # processor time in nanoseconds, by process
        self._used_before = 0 if self._is_new else None  # None until the first look
        self._used_by_gone = 0  # processor time of ended processes, as far as it was seen
        self._unseen = 0.0  # seconds between looks in which a process ended
        self._has_begun_before = not self._is_new
        self.most_processes = 0
        """The most processes that a look has seen during this answer."""
        self.served = 0.0
        """Seconds of processor time that the judge has spent on this program since its question."""

    @property
    def processes(self) -> Collection[int]:
        """The processes of the program that the last look has seen."""
        return self._used.keys()

    def cpu_ms(self) -> float:
        """The processor time of all running processes of the program, in milliseconds."""
        return sum(map(used_ns, family(self._first()))) / 1e6

    @property
    def is_over(self) -> bool:
        """Whether a look has seen more memory than the limit."""
        return self._most_kib is not None and self.peak_kib > self._most_kib

    def begin(self, now: float) -> None:
        """Begin to measure an answer. Processor time before this question does not count."""
        self._begin()
        self._is_new, self._looked = False, now
        self.due = (
            next_look(now, self._look_seconds) if self.due == math.inf else max(now, self.due)
        )

    def look(self, now: float) -> None:
        began = time.thread_time()
        self.due = next_look(now, self._look_seconds)
        resident: dict[int, int] = {}
        used: dict[int, int] = {}
        threads: dict[tuple[int, int], _Thread] = {}
        for process in family(self._first()):
            used[process] = used_ns(process)
            peak, resident[process] = _memory(process)
            self.peak_kib = max(self.peak_kib, peak)
            for task in tasks(process):
                if (seen := self._seen(process, task, now)) is not None:
                    threads[process, task] = seen
        if self._most_kib is not None:
            self.peak_kib = max(self.peak_kib, self._together(resident, self._most_kib))
        if gone := self._used.keys() - used.keys():
            self._used_by_gone += sum(self._used[process] for process in gone)
            self._unseen += now - self._looked
        self._looked, self._threads, self._used = now, threads, used
        self.most_processes = max(self.most_processes, len(used))
        if self._used_before is None:
            self._used_before = sum(used.values())
        if self._has_begun_before:  # a thread may have run before this question
            self._before = {**threads, **self._before}
        self.served += time.thread_time() - began

    def _together(self, resident: Mapping[int, int], most_kib: int) -> int:
        """The memory of all processes together in KiB, from the memory of each. If there are
        several processes and their sum is over the limit, a count in another thread takes shared
        memory only once. Returns 0 until the result of that count is there, or if no thread can be
        started."""
        if len(resident) < 2 or sum(resident.values()) <= most_kib:
            return sum(resident.values())
        if self._count is None:
            with contextlib.suppress(RuntimeError):  # no thread can be started now
                self._count = _Count(resident)
        if self._count is None:
            return 0
        kib = self._count.wait(COUNT_SECONDS)
        self.served += self._count.newly_used()
        if kib is None:
            return 0
        self._count = None
        return kib

    def _seen(self, process: int, task: int, now: float) -> _Thread | None:
        times = _read(f"/proc/{process}/task/{task}/schedstat").split()
        if len(times) < 2:
            return None
        ran, waited = int(times[0]), int(times[1])
        if _fields(f"/proc/{process}/task/{task}/stat")[:1] != [b"R"]:
            return _Thread(ran, waited)
        last = self._threads.get((process, task))
        since = last.waiting_since if last and last[:2] == (ran, waited) else None
        return _Thread(ran, waited, now if since is None else since)

    def denied_ms(self, ms: float) -> float | None:
        """The milliseconds for which other programs denied this one a processor, if that explains
        why an answer was not there within ``ms``, or None if it does not.

        While a thread waited, other threads of the program may have run, or the judge on its
        behalf; their time counts as the program's own. The kernel does not tell the usage of an
        ended process, so the whole time between the two looks around its end counts as used.
        """
        now = time.monotonic()
        self.look(now)
        if not (self._used or self._unseen):  # the program has not even begun
            return ms
        threads = []
        for key, thread in self._threads.items():
            ran, waited, _ = self._before.get(key, _Thread(0, 0))
            # The kernel counts a wait only once it is over.
            still = 0 if thread.waiting_since is None else (now - thread.waiting_since) * 1e9
            threads.append((thread.ran - ran, thread.waited - waited + still))
        seen = sum(self._used.values()) + self._used_by_gone - (self._used_before or 0)
        own = seen + (self.served + self._unseen * self._processors) * 1e9
        if own >= BUSY_SHARE * ms * 1e6 * self._processors:
            return None
        denied = denied_ns(threads, own, self._processors)
        return denied / 1e6 if denied >= DENIED_SHARE * ms * 1e6 else None


class _Count:
    """A count of the memory of several processes, with shared memory counted once.

    A process can make such a count slow by changing its memory all the time. So the count runs in a
    thread, for which the judge waits only a short time. The thread ends with the judge's process at
    the latest.
    """

    def __init__(self, resident: Mapping[int, int]) -> None:
        """Raises `RuntimeError` if no thread can be started."""
        self._kib: int | None = None
        self._used = self._told = 0.0
        self._thread = threading.Thread(target=self._run, args=(resident,), daemon=True)
        self._thread.start()

    def _run(self, resident: Mapping[int, int]) -> None:
        counted = {}
        for process in resident:
            pss = _SHARED_OUT.search(_read(f"/proc/{process}/smaps_rollup"))
            counted[process] = int(pss[1]) if pss else resident[process]
            self._used = time.thread_time()
        self._kib = _sum_of_those_there(counted)

    def wait(self, seconds: float) -> int | None:
        """The memory in KiB, or None if it is not known within ``seconds``."""
        self._thread.join(seconds)
        return self._kib

    def newly_used(self) -> float:
        """The seconds of processor time that the count has used since the last call."""
        used, self._told = self._used - self._told, self._used
        return used


def _sum_of_those_there(counted: Mapping[int, int]) -> int:
    """The sum of the counted memory of processes in KiB, corrected for processes that ended during
    the count.

    The shared memory of a process that ends is then counted for others, so each process counts with
    no more than it has at the end of the count. A process started by vfork has its parent's memory
    until it executes a program; the kernel counts that memory for both, so it is left out once.
    """
    return sum(
        min(kib, _memory(process)[1])
        for process, kib in counted.items()
        if not ((above := parent(process)) in counted and _have_one_memory(process, above))
    )


def _memory(process: int) -> tuple[int, int]:
    """The peak and the present memory of a process in KiB; 0 and 0 if it has ended."""
    memory = _MEMORY.search(_read(f"/proc/{process}/status"))
    return (int(memory[1]), int(memory[2])) if memory else (0, 0)


def _have_one_memory(one: int, other: int) -> bool:
    """Whether the kernel says that two processes have the same memory, and not only a copy."""
    number = _KCMP.get(platform.machine())
    return number is not None and _libc.syscall(number, one, other, _KCMP_MEMORY, 0, 0) == 0


def denied_ns(threads: Iterable[tuple[float, float]], own_ns: float, processors: int) -> float:
    """The longest time in nanoseconds for which other programs surely kept a thread of a program
    from running.

    ``threads`` has a pair for each thread: the nanoseconds that it ran, and those that it waited
    for a processor. ``own_ns`` is the processor time of the whole program, which may use
    ``processors`` processors. Waits that its own threads may have caused do not count.
    """
    return max((waited - (own_ns - ran) / processors for ran, waited in threads), default=0.0)


def _fields(path: str) -> list[bytes]:
    """The fields of a ``stat`` file from the state on; empty if the process has ended."""
    return _read(path).rpartition(b")")[2].split()


def _read(path: str) -> bytes:
    """The content of a file of /proc; empty if it cannot be read, as after its process has
    ended."""
    with contextlib.suppress(OSError):
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            return b"".join(iter(lambda: os.read(file, _READ_BYTES), b""))
        finally:
            os.close(file)
    return b""
