"""The types for running a bot: its start, its end, and the interface of all launchers."""

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

from msgspec import Struct

from judge.documents.game import Limits
from judge.errors import LaunchFault, TooManyReferences
from judge.process.bots.bot import Bot
from judge.process.bots.data_file import OwnData
from judge.process.run.listening import Listener, RunEnd, Running, Stop
from judge.process.run.processes import Lookout, Usage
from judge.process.run.processors import Processors

NO_VARIABLES: Mapping[str, str] = MappingProxyType({})

# If a program cannot be executed, these errors mean that the machine is short of something. All
# other errors are the program's own.
MACHINES = {errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.E2BIG}

# Errors of a shortage that passes and that a bot may have caused. They do not show what the machine
# can do otherwise.
SHORTAGES = (
    *(errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOSPC, errno.EDQUOT),
    *(errno.ETOOMANYREFS, errno.EUSERS, errno.ENOBUFS),
)

# Errors that stay: with these the kernel and the isolating programs say that a machine does not
# allow or have something.
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
    """An order to start a bot: its environment, limits and kind of start.

    With ``fork``, the moves of a Python bot are forks of an interpreter that is started once.
    ``life_seconds`` is how long a program may be needed for a match, or 0 if it is started for one
    question. ``connects`` says that the program connects to a Unix socket of the judge.
    ``keeps_data`` says that under bwrap the program runs in a new folder with its file and data,
    and that its data are read after its end. The program runs on ``processors``, or on any
    processor if the set is empty.
    """

    bot: Bot
    environment: Mapping[str, str]
    limits: Limits
    fork: bool = False
    life_seconds: int = 0
    connects: bool = False
    keeps_data: bool = False
    processors: Processors = frozenset()


class Exit(Struct, frozen=True, kw_only=True):
    """How a program ended, and what it used.

    ``status`` is the exit status, or minus the number of the signal. ``peak_kib`` is the peak of
    memory, or None if only the kernel's figure is known and may be that of the program's parent.
    ``out_of_memory`` says that the kernel ended a process of the program for its memory, as far as
    this can be told. ``left`` are the data that a program with `Start.keeps_data` has left; None
    for other programs, or if they are not known.
    """

    status: int
    cpu_ms: float
    peak_kib: int | None
    out_of_memory: bool = False
    left: OwnData | None = None


class ProcessRun(Exit, frozen=True, kw_only=True):
    """One run of a program for one question. ``stdout`` is cut at the limit; a long ``stderr``
    lacks its middle."""

    argv: tuple[str, ...]
    stdout: bytes
    stderr: bytes
    ended: RunEnd
    wall_ms: float


class DataFile(NamedTuple):
    """A file to be put into the working folder of a program."""

    name: str
    content: bytes


class NotStarted(Exception):
    """A program cannot be started, and the cause is the program itself. The text says why."""


class LiveProgram(Running, Protocol):
    """A started program that can be stopped, resumed and ended."""

    argv: tuple[str, ...]

    def first(self) -> Sequence[int]:
        """See `judge.process.run.processes.First`."""

    def pause(self) -> None:
        """Stop the program, with the processes that it has started."""

    def resume(self) -> None:
        """Let the stopped program go on."""

    def end(self, usage: Usage | None = None) -> Exit:
        """End the program with the processes that it has started, and close the pipes. May be
        called only once. ``usage`` is what was measured of a program that was started for one
        question.

        Raises `NotStarted` if it turns out that the program was itself the cause that it could not
        be executed. Raises `LaunchFault` if the machine was the cause, or if the program cannot be
        ended.
        """


class MeetingPlace(NamedTuple):
    """A folder for a socket: its path, its path as the bot sees it (``seen``), and the bot's user,
    None if that is the judge's own."""

    folder: str
    seen: str
    user: int | None


class Launcher(Protocol):
    """Starts a bot again and again."""

    def run(
        self,
        argument: str,
        variables: Mapping[str, str] = NO_VARIABLES,
        seconds: float = math.inf,
        lookout: Lookout | None = None,
    ) -> ProcessRun:
        """Run the bot with one more argument. End it after ``seconds``, at the limit of time,
        output or memory, or on a stop. ``variables`` are added to its environment. The ``lookout``
        looks at other programs while it runs.

        No process of its group is left afterwards, and under bwrap no process at all. Raises
        `LaunchFault` if the machine cannot start the bot, listen to it or end it
        (`TooManyReferences` if other programs of this user are the cause). Raises `MachineBusy` if
        the bot is late because of the machine or the judge, and `Interrupted` on a stop. If the bot
        itself is the cause that it cannot be started, ``stderr`` of the returned run says why.
        """

    def start(
        self,
        variables: Mapping[str, str],
        workplace: Sequence[str] | None = None,
        arguments: Sequence[str] = (),
        data: DataFile | None = None,
    ) -> LiveProgram:
        """Start the bot with further arguments, as a program that lives on. With a ``workplace``
        the program's working folder is its scratch folder, which holds the named folders and the
        ``data`` file.

        Raises `NotStarted` if the program itself is the cause that it cannot be started,
        `LaunchFault` if the machine is, and `Interrupted` once the user stops the run.
        """

    def meeting_place(self) -> AbstractContextManager[MeetingPlace]:
        """A ``with`` block with the folder for the socket of the bot that is started next."""

    def begin_game(self, luck: Mapping[str, str] = NO_VARIABLES) -> None:
        """Begin a game. Under bwrap, its moves find nothing that earlier games have left, and the
        bot's process id comes from ``luck``, the variables of the game's seed."""

    def end_game(self) -> None:
        """End a game. If a control group bounds its memory, other games cannot find out which files
        it has read."""

    def end(self) -> None:
        """Begin to end the kept processes, without waiting. ``close`` has to follow."""

    def close(self) -> None:
        """End all kept processes and wait for them."""


def listened(
    program: LiveProgram,
    usage: Usage,
    limits: Limits,
    stop: Stop,
    *,
    seconds: float,
    lookout: Lookout | None,
) -> ProcessRun:
    """Listen to a program that was started for one question until it exits or has to be ended; then
    end it. Raises as `Launcher.run`, and `NotStarted` if the program itself was the cause that it
    could not be executed."""
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
    """The fault to raise if the judge cannot listen to a program because of ``error``."""
    if error.errno == errno.ETOOMANYREFS:
        return TooManyReferences()
    return LaunchFault(f"{program} could not be listened to: {error.strerror}")


def shortage(said: str) -> bool:
    """Whether these words are a complaint of a program or the kernel about a shortage."""
    return _names_one_of(SHORTAGES, said)


def denial(said: str) -> bool:
    """Whether these words surely mean that the machine does not allow what was tried. Words that
    are neither a denial nor a `shortage` may mean either."""
    is_denied = _names_one_of(DENIALS, said) or any(words in said for words in DENYING_WORDS)
    return is_denied and not shortage(said)


def _names_one_of(numbers: Sequence[int], said: str) -> bool:
    return any(
        os.strerror(number) in said or f"({errno.errorcode[number]})" in said for number in numbers
    )


def not_started(argv: Sequence[str], reason: str) -> ProcessRun:
    """The run of a program that could not be started, and was itself the cause."""
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
