"""Limits as the kernel gets them (rlimits), how much of stderr is kept, how long the judge waits.

Defaults of moves are in `judge.documents.game`.
"""

from __future__ import annotations

import math
import os
import resource
from contextlib import suppress
from pathlib import Path

from judge.documents.game import Limits

MOST_FILE_BYTES = 16 * 2**20
MOST_PROCESSES = 256  # and threads, of which java and node start dozens
SERVERS_PROCESSES = 16  # more processes, for the fork server of a bot that has used up its own
MOST_OPEN_FILES = 1024
# Of a bot that connects, which may send descriptors. Those on their way are counted for the user
# who runs the judge, and whoever is to send one may have no more open than are on their way: here
# the bot is far below the judge, which sends descriptors with each move.
MOST_OPEN_FILES_CONNECTED = 256
MOST_SIGNALS = 1024  # waiting, and timers: the kernel counts them for the user who runs the judge
CORE_BYTES = 1  # not 0, with which the kernel would still hand a dump to a program outside
LIFE_SECONDS_MORE = 60
MOST_LIFE_SECONDS = 24 * 60 * 60
PARTING_SECONDS = 5.0  # seconds for a program to exit after its match
GRACE_SECONDS = 0.020  # seconds for a pipe that a grandchild still holds after the bot's exit
COMPILING_SECONDS = 10.0  # seconds to compile a forked program, once, outside of its moves
COMPILING_BYTES = 128 * 2**20  # of memory, or half of what a move may have if that is less
LEAST_DATA_BYTES = 4 * 2**30  # OpenBLAS, which numpy has, reserves 2.6 GiB for 64 processors
DATA_TIMES = 4  # the memory limit
PEAK = "the peak seen, RLIMIT_DATA a process"  # what limits memory without a control group
ENDED_FIRST = "1000"  # the highest oom_score_adj
MOST_STDERR_BYTES = 32 * 2**10  # kept from the start, and as many from the end


def most_kib(limits: Limits, *, peak_decides: bool) -> int | None:
    """The memory at which a program is ended that is seen to have more; None where its peak does
    not decide."""
    return limits.memory_bytes // 2**10 if peak_decides else None


def wall_seconds(limits: Limits) -> int:
    """A net for what escapes the deadline, and so a second more generous."""
    return math.ceil(limits.timeout_ms / 1000) + 1


def cpu_seconds(limits: Limits, life_seconds: int = 0) -> int:
    """The same on every core: a bot with threads may use them all. One that lives for a match has
    its whole life for that."""
    return (life_seconds or wall_seconds(limits)) * (os.cpu_count() or 1)


def longest_life(limits: Limits, answers: int) -> int:
    """The seconds that a match can take with this number of answers given in time, by all seats
    together: a program may think while others are asked.

    A minute is added for its start and its end. A day is the most.
    """
    playing = math.ceil(answers * limits.timeout_ms / 1000)
    return min(playing + LIFE_SECONDS_MORE, MOST_LIFE_SECONDS)


def data_bytes(limits: Limits) -> int:
    """The most private, writable memory that a process may reserve, used or not.

    It protects the machine and judges nobody: runtimes reserve far more than they use, a thread's
    stack of 8 MiB, SBCL's heap of 1 GiB. The memory limit itself is on what is used.
    """
    return max(DATA_TIMES * limits.memory_bytes, LEAST_DATA_BYTES)


def compiling_bytes(limits: Limits) -> int:
    """The memory for compiling a forked program: half, for all processes of a bot together may
    have no more than the whole."""
    return min(COMPILING_BYTES, limits.memory_bytes // 2)


def prlimit(program: str, limits: Limits, life_seconds: int = 0) -> tuple[str, ...]:
    """The command that sets the limits and then becomes the bot; ``life_seconds`` is as in
    `judge.process.run.launch.Start`.

    A process in between, because limits set from outside after the start come too late for a
    bot that is quick, and a hook between fork and exec would cost with the judge's size.

    The limit on processor time is for what leaves the process group, a daemon in a session of its
    own.
    """
    kept = resource_limits(limits, count_processes=False, life_seconds=life_seconds)
    return (program, *(f"--{_OPTIONS[what]}={most}" for what, most in kept), "--")


# Those of prlimit.
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
    """The same, for a process to set on itself.

    ``count_processes`` limits how many it may start, too: in its user namespace, if it has one.
    ``bound_data`` is False where a control group bounds memory. ``connects`` is as in
    `judge.process.run.launch.Start`.
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
    """Have the kernel end a child of ours, and all that it will start, before anything else where
    the machine is short of memory."""
    with suppress(OSError):  # it has ended, or has become another user's
        Path(f"/proc/{process}/oom_score_adj").write_text(ENDED_FIRST)


def open_as_many_as_may_be() -> None:
    """Raise the judge's own limit on open files as far as it may: whoever starts bots by passing
    descriptors to them must be above `MOST_OPEN_FILES_CONNECTED` by far."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # a system that allows less than it says
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
