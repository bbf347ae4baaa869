"""One run of a stranger's program: started, listened to, ended and reaped, whatever it does.

What starts programs in another way keeps to the same interface.
"""

from __future__ import annotations

import contextlib
import errno
import math
import os
import resource
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol

from judge.documents.game import Limits
from judge.errors import LaunchFault
from judge.process.bots.bot import Bot
from judge.process.run.limits import end_first
from judge.process.run.listening import Listener, RunEnd, Stop
from judge.process.run.processes import Lookout, Usage
from judge.process.run.processors import Processors, bound_to
from judge.process.run.streams import Streams

NO_VARIABLES: Mapping[str, str] = MappingProxyType({})

REAP_SECONDS = 0.0005  # between two looks at a process that is not dead yet

# Where a program cannot be executed, these mean that the machine is short of something. Whatever
# else the kernel says, it says of the program.
MACHINES = {errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.E2BIG}

# What passes, and may be a bot's doing: it says nothing of what the machine can do otherwise.
SHORTAGES = (
    *(errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT),
    *(errno.ETOOMANYREFS, errno.EUSERS, errno.ENOBUFS),
)

# What stays: so the kernel and the programs that hold bots say that a machine does not allow
# something, or does not have it.
DENIALS = (
    *(errno.EPERM, errno.EACCES, errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBUSY),
    *(errno.ENOENT, errno.ENODEV, errno.EROFS, errno.ENOEXEC),
)
DENYING_WORDS = (
    *("nknown option", "unrecognized option", "No permissions to", "setuid"),
    *("does not allow", "does not support", "not permitted", "not supported"),
)


@dataclass(frozen=True, slots=True)
class ProcessRun:
    """What one run looked like. ``stdout`` is cut at the limit, ``stderr`` in its middle.

    ``status`` is the exit status, or minus the number of the signal. ``peak_kib`` is None where
    it is not above the judge's own: the kernel counts a child from the size of its parent.
    ``out_of_memory`` says that the kernel ended some of it for that, where this can be told.
    """

    argv: tuple[str, ...]
    stdout: bytes
    stderr: bytes
    ended: RunEnd
    status: int
    wall_ms: float
    cpu_ms: float
    peak_kib: int | None
    out_of_memory: bool = False


@dataclass(frozen=True, slots=True)
class Start:
    """What is to be started: a bot, with an environment, under limits.

    ``fork`` is for a bot of which the command is a Python interpreter and one program: its moves
    are then forks of an interpreter that is started once. ``life_seconds`` is how long a program
    that lives for a match can be needed; 0: it is started for one question. One that ``connects``
    does so to a Unix socket of the judge's. One that ``keeps_data`` finds a copy of its own
    folder as its working folder, of which its data are read when it has ended. It runs on these
    ``processors``, and on any if there are none.
    """

    bot: Bot
    environment: Mapping[str, str]
    limits: Limits
    fork: bool = False
    life_seconds: int = 0
    connects: bool = False
    keeps_data: bool = False
    processors: Processors = frozenset()


@dataclass(frozen=True, slots=True)
class Exit:
    """How a program ended, and what it used in its whole life; the fields are as in
    `ProcessRun`. ``left`` is what one that keeps data has left, None where that is not known."""

    status: int
    cpu_ms: float
    peak_kib: int | None
    out_of_memory: bool = False
    left: LeftData | None = None


class DataFile(NamedTuple):
    """A file in the working folder of a program."""

    name: str
    content: bytes


class LeftData(NamedTuple):
    """What a program that keeps data has left: its data, or none, or why its file cannot be kept,
    in a clause that begins with the file's name; and the name of another file, which is dropped."""

    file: DataFile | None = None
    problem: str = ""
    dropped: str = ""


class NotStarted(Exception):
    """A program is itself why it cannot be started; the text says the reason."""


class Living(Protocol):
    """A program that lives until it exits or is ended, and our ends of its pipes. It is a
    `judge.process.run.listening.ExitNotice` of its own."""

    argv: tuple[str, ...]
    streams: Streams
    grace: float  # seconds for which others may hold its pipes after its exit

    def fileno(self) -> int: ...

    def has_come(self) -> bool:
        """Whether it has exited; asked when there is something to be read."""

    def first(self) -> Sequence[int]:
        """See `judge.process.run.processes.First`."""

    def pause(self) -> None:
        """Stop it, with what it has started."""

    def resume(self) -> None:
        """Let it go on."""

    def end(self) -> Exit:
        """End it, with all that it has started, and close the pipes; to be called once.

        Raises `NotStarted`, `LaunchFault`, and `Interrupted` on a stop.
        """


class MeetingPlace(NamedTuple):
    """A folder: its path, the path by which the bot finds it, and whose the bot is, where that is
    not who runs us."""

    folder: str
    seen: str
    user: int | None


class Launcher(Protocol):
    """What runs a bot, again and again."""

    def run(
        self,
        argument: str,
        variables: Mapping[str, str] = NO_VARIABLES,
        seconds: float = math.inf,
        lookout: Lookout | None = None,
    ) -> ProcessRun:
        """Run the bot with one more argument to its end, or end it after so many seconds, at the
        time limit, at the output limit, or on a stop. ``variables`` come to its environment; the
        ``lookout`` is heeded while it runs.

        Nothing of its process group is left afterwards, and under bwrap nothing at all. Raises
        `LaunchFault` if the machine could not start it (`TooManyReferences` where other programs of
        this user are why), `MachineBusy` where the machine or the judge is why it is late, and
        `Interrupted` on a stop. A bot that itself is why it cannot be started has a run too, whose
        ``stderr`` says the reason.
        """

    def start(
        self,
        variables: Mapping[str, str],
        workplace: Sequence[str] | None = None,
        arguments: Sequence[str] = (),
        data: DataFile | None = None,
    ) -> Living:
        """Start the bot, with these further arguments, to live on. With a ``workplace`` its working
        folder is its scratch folder, and these folders are in it, and its ``data``.

        Raises `NotStarted`, `LaunchFault`, and `Interrupted` on a stop.
        """

    def meeting_place(self) -> AbstractContextManager[MeetingPlace]:
        """Where the judge can put a socket for the bot that is started next, if it connects to
        one."""

    def begin_game(self, luck: Mapping[str, str] = NO_VARIABLES) -> None:
        """Have nothing that belongs to a game before be found in the moves to come. ``luck`` are
        the variables of this game's luck, from which a bot under bwrap gets its process id."""

    def end_game(self) -> None:
        """Have nothing be found in other games of what this one has read."""

    def end(self) -> None:
        """Have what is kept of it end, and wait for nothing; ``close`` is to follow."""

    def close(self) -> None:
        """Keep nothing of it any longer."""


def run(
    argv: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    limits: Limits,
    stop: Stop,
    prefix: Sequence[str] = (),
    seconds: float = math.inf,
    processors: Processors = frozenset(),
    most_kib: int | None = None,
    lookout: Lookout | None = None,
) -> ProcessRun:
    """Run a program once as a process of our own; see `Launcher` and `Start`. ``prefix`` comes
    before it. It is ended when it is seen to have more memory than ``most_kib``."""
    start = time.monotonic()
    try:
        with bound_to(processors):
            process = _spawn([*prefix, *argv], folder, environment)
    except OSError as error:
        reason = f"{error.filename or argv[0]}: {error.strerror}"
        if error.errno not in MACHINES and (not prefix or not folder.is_dir()):
            return not_started(argv, reason)
        raise LaunchFault(f"no process could be started: {reason}") from error
    if prefix:
        end_first(process.pid)
    # Only now: the child has been counted from what the judge's size was up to its start.
    own_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert process.stdout is not None, "a pipe"
    assert process.stderr is not None, "a pipe"
    try:
        with process.stdout as out, process.stderr as err, closing(_Exit(process.pid)) as end:
            count = len(processors) or 1
            usage = Usage(lambda: [process.pid], count, limits.timeout_ms, most_kib)
            listener = Listener(
                end, out.fileno(), err.fileno(), limits.output_bytes, usage, lookout=lookout
            )
            seconds = min(seconds, limits.timeout_ms / 1000)
            ended = listener.listen(time.monotonic(), seconds, stop)
    except OSError as error:
        raise LaunchFault(f"{argv[0]} could not be listened to: {error.strerror}") from error
    finally:
        status, used = end_group(process)
    return ProcessRun(
        argv=tuple(argv),
        stdout=bytes(listener.stdout),
        stderr=listener.stderr.whole(),
        ended=ended,
        status=os.waitstatus_to_exitcode(status),
        wall_ms=(time.monotonic() - start) * 1000,
        cpu_ms=(used.ru_utime + used.ru_stime) * 1000,
        peak_kib=peak_of(used, own_peak, usage),
    )


def peak_of(used: resource.struct_rusage, others_kib: int, usage: Usage) -> int | None:
    """The memory at a program's peak in KiB, by what the kernel counts at its end and what was seen
    before; None if both are less than what may have been counted of another program's."""
    counted = used.ru_maxrss if used.ru_maxrss > others_kib else 0
    return max(counted, usage.peak_kib) or None


def shortage(said: str) -> bool:
    """Whether a program, or the kernel, complained of a shortage in these words."""
    return _names_one_of(SHORTAGES, said)


def denial(said: str) -> bool:
    """Whether these words are known to mean that the machine does not allow what was tried. What is
    neither this nor a `shortage` may be either."""
    is_denied = _names_one_of(DENIALS, said) or any(words in said for words in DENYING_WORDS)
    return is_denied and not shortage(said)


def _names_one_of(numbers: Sequence[int], said: str) -> bool:
    return any(
        os.strerror(number) in said or f"({errno.errorcode[number]})" in said for number in numbers
    )


def not_started(argv: Sequence[str], reason: str) -> ProcessRun:
    """The run of a program that is itself why it could not be started."""
    return ProcessRun(tuple(argv), b"", reason.encode(), RunEnd.NOT_STARTED, 127, 0.0, 0.0, None)


def _spawn(
    command: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    # Stdin is a pipe at its end, and not /dev/null, which a bot of a judge that is root could
    # change.
    stdin, nobody = os.pipe()
    os.close(nobody)
    try:
        return subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,  # a group to kill, and no terminal to write to
        )
    finally:
        os.close(stdin)


def end_group(process: subprocess.Popen[bytes]) -> tuple[int, resource.struct_rusage]:
    """Kill what is left of the process group and reap its leader.

    The group is killed while its leader is unreaped, a zombie at most, so its number cannot
    have gone to anyone else.
    """
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # it has left its group, which is empty
    except PermissionError as error:
        raise LaunchFault(
            f"process {process.pid} has become another user's and cannot be ended; bots that "
            "change their user cannot be judged"
        ) from error
    status, usage = _reaped(process.pid)
    process.returncode = os.waitstatus_to_exitcode(status)  # so that Popen does not wait too
    return status, usage


def _reaped(process: int) -> tuple[int, resource.struct_rusage]:
    """Wait for a process that has been killed, and for nobody else.

    A process that is traced cannot be reaped while its tracer lives, which may have left the
    process group: the tracer is killed too.
    """
    while True:
        reaped, status, usage = os.wait4(process, os.WNOHANG)
        if reaped:
            return status, usage
        if tracer := _tracer(process):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(tracer, signal.SIGKILL)
        time.sleep(REAP_SECONDS)


def _tracer(process: int) -> int:
    """The process that traces another; 0 if none does."""
    with contextlib.suppress(OSError):
        status = Path(f"/proc/{process}/status").read_text(encoding="utf-8", errors="replace")
        if found := status.partition("\nTracerPid:")[2].split(maxsplit=1):
            return int(found[0])
    return 0


class _Exit:
    """The exit of a child of our own."""

    def __init__(self, process: int) -> None:
        self._pidfd = os.pidfd_open(process)

    def fileno(self) -> int:
        return self._pidfd

    def has_come(self) -> bool:
        return True

    def close(self) -> None:
        os.close(self._pidfd)
