"""The limits that the kernel enforces on a bot (rlimits), and the waits at a program's end.

The default memory and output of a move are in `judge.documents.game`. The time for a reply is a
value of the rules, in `judge.documents.rules`.
"""

from __future__ import annotations

import math
import os
import resource
from contextlib import suppress
from pathlib import Path

from judge.documents.game import Limits

MOST_FILE_BYTES = 16 * 2**20
MOST_PROCESSES = 256  # processes and threads; java and node start dozens of threads
SERVERS_PROCESSES = 16  # further processes, for the fork server of a bot that has used up its own
MOST_OPEN_FILES = 1024
# The limit of a bot that connects by a socket, which may send descriptors. The kernel counts
# descriptors in flight for each user, and lets a process send more only while that count is below
# the process's own limit on open files. So the judge's limit must be far above the bot's.
MOST_OPEN_FILES_CONNECTED = 256
MOST_SIGNALS = 1024  # pending signals and timers, which the kernel counts by user
CORE_BYTES = 1  # with 0 the kernel would still hand a core dump to a helper program
LIFE_SECONDS_MORE = 60
MOST_LIFE_SECONDS = 24 * 60 * 60
PARTING_SECONDS = 5.0  # seconds for a program to exit after its match
GRACE_SECONDS = 0.020  # seconds for which a grandchild may hold a pipe after the bot's exit
COMPILING_SECONDS = 10.0  # seconds to compile a forked program once, outside of its moves
COMPILING_BYTES = 128 * 2**20  # memory for that, or half of a move's memory if that is less
LEAST_DATA_BYTES = 4 * 2**30  # numpy's OpenBLAS reserves 2.6 GiB for 64 processors
DATA_TIMES = 4  # times the memory limit
PEAK = "the peak seen, RLIMIT_DATA a process"  # how memory is limited without a control group
ENDED_FIRST = "1000"  # the highest oom_score_adj
MOST_STDERR_BYTES = 32 * 2**10  # bytes kept from the start, and as many from the end


def most_kib(limits: Limits, *, peak_decides: bool) -> int | None:
    """The peak of memory in KiB above which the judge ends a program, or None without
    ``peak_decides``."""
    return limits.memory_bytes // 2**10 if peak_decides else None


def wall_seconds(limits: Limits) -> int:
    """The wall time in seconds after which a program that escaped the deadline should have ended:
    the deadline and a second more."""
    return math.ceil(limits.timeout_ms / 1000) + 1


def cpu_seconds(limits: Limits, life_seconds: int = 0) -> int:
    """The processor time in seconds that a process may use: its wall time, or its whole life in a
    match, times the number of cores."""
    return (life_seconds or wall_seconds(limits)) * (os.cpu_count() or 1)


def longest_life(limits: Limits, answers: int) -> int:
    """The seconds that a program may be needed in a match in which all seats together give this
    number of answers. A minute is added for the start and the end. A day is the most."""
    playing = math.ceil(answers * limits.timeout_ms / 1000)
    return min(playing + LIFE_SECONDS_MORE, MOST_LIFE_SECONDS)


def data_bytes(limits: Limits) -> int:
    """The most private, writable memory in bytes that a process may reserve, used or not.

    This limit protects the machine and is far above the memory limit, which counts used memory:
    runtimes reserve more than they use, such as 8 MiB for a thread's stack and 1 GiB for SBCL's
    heap.
    """
    return max(DATA_TIMES * limits.memory_bytes, LEAST_DATA_BYTES)


def compiling_bytes(limits: Limits) -> int:
    """The memory in bytes for compiling a forked program: at most half of the bot's limit, which
    all processes of the bot share."""
    return min(COMPILING_BYTES, limits.memory_bytes // 2)


def prlimit(program: str, limits: Limits, life_seconds: int = 0) -> tuple[str, ...]:
    """The command before a bot's own that sets the limits and then executes the bot.
    ``life_seconds`` is as in `judge.process.run.launch.Start`.

    Limits set from outside after the start would come too late for a quick bot, and a hook between
    fork and exec would cost more the larger the judge is.

    The limit on processor time is for a process that leaves the process group, such as a daemon.
    """
    kept = resource_limits(limits, count_processes=False, life_seconds=life_seconds)
    return (program, *(f"--{_OPTIONS[what]}={most}" for what, most in kept), "--")


# The options of prlimit, by resource.
_OPTIONS = {
    resource.RLIMIT_DATA: "data",
    resource.RLIMIT_FSIZE: "fsize",
    resource.RLIMIT_CPU: "cpu",
    resource.RLIMIT_CORE: "core",
    resource.RLIMIT_NOFILE: "nofile",
    resource.RLIMIT_SIGPENDING: "sigpending",
    resource.RLIMIT_MSGQUEUE: "msgqueue",
}


def resource_limits(
    limits: Limits,
    *,
    count_processes: bool,
    bound_data: bool = True,
    life_seconds: int = 0,
    connects: bool = False,
) -> list[tuple[int, int]]:
    """The limits of a bot as pairs of a resource and its value, for a process to set on itself.

    ``count_processes`` adds a limit on the number of processes, counted in a user namespace if
    there is one. ``bound_data`` is False if a control group bounds memory. ``life_seconds`` and
    ``connects`` are as in `judge.process.run.launch.Start`.
    """
    kept = {
        resource.RLIMIT_FSIZE: MOST_FILE_BYTES,
        resource.RLIMIT_CPU: cpu_seconds(limits, life_seconds),
        resource.RLIMIT_CORE: CORE_BYTES,
        resource.RLIMIT_NOFILE: MOST_OPEN_FILES_CONNECTED if connects else MOST_OPEN_FILES,
        resource.RLIMIT_SIGPENDING: MOST_SIGNALS,
        resource.RLIMIT_MSGQUEUE: 0,
    }
    if bound_data:
        kept[resource.RLIMIT_DATA] = data_bytes(limits)
    if count_processes:
        kept[resource.RLIMIT_NPROC] = MOST_PROCESSES
    return list(kept.items())


def end_first(process: int) -> None:
    """Have the kernel end a child of the judge, and all that it will start, before any other
    process if memory runs out."""
    with suppress(OSError):  # it has ended, or has become another user's
        Path(f"/proc/{process}/oom_score_adj").write_text(ENDED_FIRST)


def open_as_many_as_may_be() -> None:
    """Raise the judge's own limit on open files as far as it may. The judge passes descriptors to
    bots, so its limit must be far above `MOST_OPEN_FILES_CONNECTED`."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # a system may allow less than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
