"""Runs a bot as child processes of the judge, without a fork server."""

from __future__ import annotations

import contextlib
import math
import os
import resource
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from judge.errors import LaunchFault
from judge.process.run.environment import with_scratch
from judge.process.run.launch import (
    MACHINES,
    NO_VARIABLES,
    DataFile,
    Exit,
    Launcher,
    LiveProgram,
    MeetingPlace,
    NotStarted,
    ProcessRun,
    Start,
    listened,
    not_started,
)
from judge.process.run.limits import GRACE_SECONDS, end_first
from judge.process.run.listening import Stop
from judge.process.run.processes import Lookout, Usage, signal_family
from judge.process.run.processors import Processors
from judge.process.run.scratch import NO_FILES, meeting_place, remove, scratch
from judge.process.run.scratch import workplace as workplace_with
from judge.process.run.streams import Streams

REAP_SECONDS = 0.0005  # seconds between two checks whether a killed process has ended


class Spawned(Launcher):
    """The launcher with a new child process for each start of a bot."""

    def __init__(
        self,
        start: Start,
        stop: Stop,
        *,
        prefix: tuple[str, ...] = (),
        user: int | None = None,
        most_kib: int | None = None,
    ) -> None:
        """``prefix`` comes before the bot's command. If ``user`` is given, ``prefix`` makes the bot
        this user's. `run` ends the bot if a look finds more memory than ``most_kib``."""
        self._start = start
        self._stop = stop
        self._prefix = prefix
        self._user = user
        self._most_kib = most_kib

    def run(
        self,
        argument: str,
        variables: Mapping[str, str] = NO_VARIABLES,
        seconds: float = math.inf,
        lookout: Lookout | None = None,
    ) -> ProcessRun:
        """See `judge.process.run.launch.Launcher.run`."""
        limits = self._start.limits
        argv = (*self._start.bot.command, argument)
        with ExitStack() as stack:
            folder = stack.enter_context(scratch(self._user))
            try:
                program = self._started(argv, self._start.bot.folder, variables, folder, stack)
            except NotStarted as error:
                return not_started(argv, str(error))
        # stdin is a closed pipe and not /dev/null, which a bot run by root could change.
        program.streams.close_stdin()
        count = len(self._start.processors) or 1
        usage = Usage(program.first, count, limits.timeout_ms, self._most_kib)
        return listened(program, usage, limits, self._stop, seconds=seconds, lookout=lookout)

    def start(
        self,
        variables: Mapping[str, str],
        workplace: Sequence[str] | None = None,
        arguments: Sequence[str] = (),
        data: DataFile | None = None,
    ) -> LiveProgram:
        """See `judge.process.run.launch.Launcher.start`."""
        files = {data.name: data.content} if data else NO_FILES
        argv = (*self._start.bot.command, *arguments)
        with ExitStack() as stack:
            folder = stack.enter_context(workplace_with(workplace or (), self._user, files))
            at = self._start.bot.folder if workplace is None else Path(folder)
            return self._started(argv, at, variables, folder, stack)

    def _started(
        self,
        argv: tuple[str, ...],
        at: Path,
        variables: Mapping[str, str],
        own_folder: str,
        stack: ExitStack,
    ) -> LiveProgram:
        environment = with_scratch({**self._start.environment, **variables}, own_folder)
        processors = self._start.processors
        return _Process(argv, self._prefix, at, environment, stack, processors=processors)

    @contextmanager
    def meeting_place(self) -> Iterator[MeetingPlace]:
        """See `judge.process.run.launch.Launcher.meeting_place`."""
        folder = meeting_place()
        try:
            yield MeetingPlace(folder, folder, self._user)
        finally:
            remove(Path(folder))

    def begin_game(self, luck: Mapping[str, str] = NO_VARIABLES) -> None:
        """Nothing is kept from game to game."""

    def end_game(self) -> None:
        """Nothing is done: files that the game has read stay in the kernel's cache."""

    def end(self) -> None:
        """Nothing outlives a run."""

    def close(self) -> None:
        """Nothing outlives a run."""


class _Process:
    """A child process of the judge. The class is a `judge.process.run.launch.LiveProgram`."""

    grace = GRACE_SECONDS

    def __init__(
        self,
        argv: tuple[str, ...],
        prefix: tuple[str, ...],
        folder: Path,
        environment: Mapping[str, str],
        stack: ExitStack,
        *,
        processors: Processors,
    ) -> None:
        """The process takes over the resources in ``stack`` until its end. It is bound to the
        ``processors`` right after its start: to bind the judge's thread for the start takes three
        times as long.

        Raises `NotStarted` if the command cannot be executed and is itself the cause, and
        `LaunchFault` if the machine or the ``prefix`` is the cause.
        """
        self.argv = argv
        try:
            self.streams = Streams()
            stack.callback(self.streams.close)
            stdin, stdout, stderr = self.streams.theirs
            self._process = subprocess.Popen(
                [*prefix, *argv],
                cwd=folder,
                env=environment,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,  # its own group, which can be killed, and no terminal
            )
            try:
                if processors:
                    os.sched_setaffinity(self._process.pid, processors)
                self._pidfd = os.pidfd_open(self._process.pid)
            except OSError:
                _end_group(self._process)
                raise
        except OSError as error:
            reason = f"{error.filename or argv[0]}: {error.strerror}"
            if error.errno not in MACHINES and (not prefix or not folder.is_dir()):
                raise NotStarted(reason) from error
            raise LaunchFault(f"no process could be started: {reason}") from error
        self._kept = stack.pop_all()
        self.streams.hand_over()
        if prefix:
            end_first(self._process.pid)
        # Read only now: the kernel counts the child's memory from the judge's size at its start.
        self._judges_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def fileno(self) -> int:
        return self._pidfd

    def has_come(self) -> bool:
        return True

    def first(self) -> Sequence[int]:
        return (self._process.pid,)

    def pause(self) -> None:
        signal_family(self.first(), signal.SIGSTOP)

    def resume(self) -> None:
        signal_family(self.first(), signal.SIGCONT)

    def end(self, usage: Usage | None = None) -> Exit:
        """See `judge.process.run.launch.LiveProgram.end`."""
        with self._kept:
            os.close(self._pidfd)
            status, used = _end_group(self._process)
        counted = used.ru_maxrss if used.ru_maxrss > self._judges_peak else 0
        return Exit(
            status=os.waitstatus_to_exitcode(status),
            cpu_ms=(used.ru_utime + used.ru_stime) * 1000,
            peak_kib=max(counted, usage.peak_kib if usage else 0) or None,
        )


def _end_group(process: subprocess.Popen[bytes]) -> tuple[int, resource.struct_rusage]:
    """Kill the process group and reap its leader. Returns the leader's status and usage. Raises
    `LaunchFault` if the group belongs to another user.

    The leader is not reaped before the kill, so the number of the group cannot belong to another
    group yet.
    """
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # the leader has left its group, which is empty
    except PermissionError as error:
        raise LaunchFault(
            f"process {process.pid} has become another user's and cannot be ended; bots that "
            "change their user cannot be judged"
        ) from error
    status, usage = _reaped(process.pid)
    process.returncode = os.waitstatus_to_exitcode(status)  # so that Popen does not wait for it
    return status, usage


def _reaped(process: int) -> tuple[int, resource.struct_rusage]:
    """Wait for a killed process, and return its status and usage.

    A traced process cannot be reaped while its tracer lives. The tracer may have left the process
    group, so it is killed too.
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
