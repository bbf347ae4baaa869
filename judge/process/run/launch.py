"""One run of a stranger's program: started, listened to, ended and reaped, whatever it does.

Other ways of starting programs keep to the same interface.
"""

from __future__ import annotations

import contextlib
import errno
import math
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, Protocol

from judge.documents.game import Limits
from judge.errors import LaunchFault, TooManyReferences
from judge.process.bots.bot import Bot
from judge.process.bots.data_file import OwnData
from judge.process.run.listening import Listener, RunEnd, Running, Stop
from judge.process.run.processes import Lookout, Usage
from judge.process.run.processors import Processors

NO_VARIABLES: Mapping[str, str] = MappingProxyType({})

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
class Start:
    """An order to start a bot, with an environment, under limits.

    ``fork`` is for a bot whose command is a Python interpreter and one program: its moves are then
    forks of an interpreter that is started once. ``life_seconds`` is how long a program that lives
    for a match can be needed; 0: it is started for one question. One that ``connects`` does so to a
    Unix socket of the judge's. One that ``keeps_data`` finds a copy of its own folder as its
    working folder; its data are read when it has ended. It runs on these ``processors``, and on any
    if the set is empty.
    """

    bot: Bot
    environment: Mapping[str, str]
    limits: Limits
    fork: bool = False
    life_seconds: int = 0
    connects: bool = False
    keeps_data: bool = False
    processors: Processors = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """How a program ended, and what it used in its whole life.

    ``status`` is the exit status, or minus the number of the signal. ``peak_kib`` is None where
    it is not above what may have been counted of another program: the kernel counts a child from
    the size of its parent. ``out_of_memory`` says that the kernel ended some of it for that, where
    this can be told. ``left`` is what one that keeps data has left, None where that is not known.
    """

    status: int
    cpu_ms: float
    peak_kib: int | None
    out_of_memory: bool = False
    left: OwnData | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessRun(Exit):
    """One run of a program, seen from outside. ``stdout`` is cut at the limit, ``stderr`` in its
    middle."""

    argv: tuple[str, ...]
    stdout: bytes
    stderr: bytes
    ended: RunEnd
    wall_ms: float


class DataFile(NamedTuple):
    """A file in the working folder of a program."""

    name: str
    content: bytes


class NotStarted(Exception):
    """A program is itself why it cannot be started; the text says the reason."""


class LiveProgram(Running, Protocol):
    """A program that lives until it exits or is ended."""

    argv: tuple[str, ...]

    def first(self) -> Sequence[int]:
        """See `judge.process.run.processes.First`."""

    def pause(self) -> None:
        """Stop it, with what it has started."""

    def resume(self) -> None:
        """Let it go on."""

    def end(self, usage: Usage | None = None) -> Exit:
        """End it, with all that it has started, and close the pipes; to be called once. The
        ``usage`` of a program that was started for one question is what has been seen of it.

        Raises `NotStarted`, `LaunchFault`, and `Interrupted` on a stop.
        """


class MeetingPlace(NamedTuple):
    """A folder: its path, the path by which the bot finds it, and whose the bot is, where that is
    not who runs us."""

    folder: str
    seen: str
    user: int | None


class Launcher(Protocol):
    """Runs a bot, again and again."""

    def run(
        self,
        argument: str,
        variables: Mapping[str, str] = NO_VARIABLES,
        seconds: float = math.inf,
        lookout: Lookout | None = None,
    ) -> ProcessRun:
        """Run the bot with one more argument to its end, or end it after ``seconds``, at the time
        limit, at the output limit, or on a stop. ``variables`` come to its environment; the
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
    ) -> LiveProgram:
        """Start the bot, with these further arguments, to live on. With a ``workplace`` its working
        folder is its scratch folder, and these folders are in it, and its ``data``.

        Raises `NotStarted`, `LaunchFault`, and `Interrupted` on a stop.
        """

    def meeting_place(self) -> AbstractContextManager[MeetingPlace]:
        """The place of a socket for the bot that is started next, if it connects to one."""

    def begin_game(self, luck: Mapping[str, str] = NO_VARIABLES) -> None:
        """Have nothing that belongs to a game before be found in the moves to come. ``luck`` are
        the variables of this game's luck, from which a bot under bwrap gets its process id."""

    def end_game(self) -> None:
        """Have nothing be found in other games of what this one has read."""

    def end(self) -> None:
        """Have what is kept of it end, and wait for nothing; ``close`` is to follow."""

    def close(self) -> None:
        """Keep nothing of it any longer."""


def listened(
    program: LiveProgram,
    usage: Usage,
    limits: Limits,
    stop: Stop,
    *,
    seconds: float,
    lookout: Lookout | None,
) -> ProcessRun:
    """Listen to a program that has just been started for one question, to its end, or end it; see
    `Launcher.run`. Raises `NotStarted` too."""
    began = time.monotonic()
    try:
        listener = Listener(program, limits.output_bytes, usage, lookout)
        ended = listener.listen(began, min(seconds, limits.timeout_ms / 1000), stop)
        wall_ms = (time.monotonic() - began) * 1000
    except BaseException as error:
        with contextlib.suppress(NotStarted, LaunchFault):
            program.end()
        if isinstance(error, OSError):
            raise unheard(program.argv[0], error) from error
        raise
    done = program.end(usage)
    return ProcessRun(
        argv=program.argv,
        stdout=bytes(listener.stdout),
        stderr=listener.stderr.whole(),
        ended=ended,
        wall_ms=wall_ms,
        status=done.status,
        cpu_ms=done.cpu_ms,
        peak_kib=done.peak_kib,
        out_of_memory=done.out_of_memory,
    )


def unheard(program: str, error: OSError) -> LaunchFault:
    """The fault that a program runs, or would, and the judge cannot listen to it."""
    if error.errno == errno.ETOOMANYREFS:
        return TooManyReferences()
    return LaunchFault(f"{program} could not be listened to: {error.strerror}")


def shortage(said: str) -> bool:
    """Whether a program, or the kernel, complained of a shortage in these words."""
    return _names_one_of(SHORTAGES, said)


def denial(said: str) -> bool:
    """Whether these words are known to mean that the machine does not allow what was tried. A
    complaint that is neither this nor a `shortage` may be either."""
    is_denied = _names_one_of(DENIALS, said) or any(words in said for words in DENYING_WORDS)
    return is_denied and not shortage(said)


def _names_one_of(numbers: Sequence[int], said: str) -> bool:
    return any(
        os.strerror(number) in said or f"({errno.errorcode[number]})" in said for number in numbers
    )


def not_started(argv: Sequence[str], reason: str) -> ProcessRun:
    """The run of a program that is itself why it could not be started."""
    return ProcessRun(
        argv=tuple(argv),
        stdout=b"",
        stderr=reason.encode(),
        ended=RunEnd.NOT_STARTED,
        wall_ms=0.0,
        status=127,
        cpu_ms=0.0,
        peak_kib=None,
    )
