"""Runs a bot as child processes of the judge's own, without a fork server."""

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
from judge.process.run.processors import bound_to
from judge.process.run.scratch import NO_FILES, meeting_place, remove, scratch
from judge.process.run.scratch import workplace as workplace_with
from judge.process.run.streams import Streams

REAP_SECONDS = 0.0005  # seconds between two checks of a process that is not dead yet


class Spawned(Launcher):
    """A process of our own for each start of a bot."""

    def __init__(
        self,
        start: Start,
        stop: Stop,
        *,
        prefix: tuple[str, ...] = (),
        user: int | None = None,
        most_kib: int | None = None,
    ) -> None:
        """``prefix`` comes before the command, and makes the bot that ``user``'s, if there is
        one. The bot is ended when it is seen to have more memory than ``most_kib``."""
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
        # A pipe at its end, and not /dev/null, which a bot of a judge that is root could change.
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
        own = {**variables, "HOME": own_folder, "TMPDIR": own_folder}
        environment = {**self._start.environment, **own}
        with bound_to(self._start.processors):
            return _Process(argv, self._prefix, at, environment, stack)

    @contextmanager
    def meeting_place(self) -> Iterator[MeetingPlace]:
        """See `judge.process.run.launch.Launcher.meeting_place`."""
        folder = meeting_place()
        try:
            yield MeetingPlace(folder, folder, self._user)
        finally:
            remove(Path(folder))

    def begin_game(self, luck: Mapping[str, str] = NO_VARIABLES) -> None:
        """Nothing belongs to a game."""

    def end_game(self) -> None:
        """Its files stay in memory."""

    def end(self) -> None:
        """Nothing outlives a run."""

    def close(self) -> None:
        """Nothing outlives a run."""


class _Process:
    """A child process of our own; a `judge.process.run.launch.LiveProgram`."""

    grace = GRACE_SECONDS

    def __init__(
        self,
        argv: tuple[str, ...],
        prefix: tuple[str, ...],
        folder: Path,
        environment: Mapping[str, str],
        stack: ExitStack,
    ) -> None:
        """Its resources for as long as it lives are taken out of ``stack``. Raises `NotStarted` and
        `LaunchFault`."""
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
                start_new_session=True,  # a group to kill, and no terminal to write to
            )
            try:
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
        # Only now: the child has been counted from what the judge's size was up to its start.
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
