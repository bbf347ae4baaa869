"""A living program as a child process of the judge's own, without a fork server."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from judge.errors import LaunchFault
from judge.process.run.launch import MACHINES, Exit, NotStarted, end_group
from judge.process.run.limits import GRACE_SECONDS, end_first
from judge.process.run.processes import signal_family
from judge.process.run.processors import Processors, bound_to
from judge.process.run.streams import Streams


class OwnProcess:
    """Started when it is made. ``kept`` is what it needs for as long as it lives, and is closed
    with it, or at once if it does not start: then this raises `NotStarted` or `LaunchFault`."""

    grace = GRACE_SECONDS

    def __init__(
        self,
        argv: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        prefix: Sequence[str],
        processors: Processors,
        kept: ExitStack,
    ) -> None:
        self.argv = tuple(argv)
        self._kept = kept
        with ExitStack() as started:
            started.push(kept)
            try:
                self.streams = Streams()
                started.callback(self.streams.close)
                with bound_to(processors):
                    self._process = self._started([*prefix, *argv], folder, environment)
                started.callback(end_group, self._process)
                self._pidfd = os.pidfd_open(self._process.pid)
            except OSError as error:
                reason = f"{error.filename or argv[0]}: {error.strerror}"
                if error.errno not in MACHINES and (not prefix or not folder.is_dir()):
                    raise NotStarted(reason) from error
                raise LaunchFault(f"no process could be started: {reason}") from error
            started.pop_all()
        if prefix:
            end_first(self._process.pid)
        # Only now: the child has been counted from what the judge's size was up to its start.
        self._judges_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def _started(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        stdin, stdout, stderr = self.streams.theirs
        try:
            return subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,  # a group to kill, and no terminal to write to
            )
        finally:
            self.streams.hand_over()

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

    def end(self) -> Exit:
        with self._kept:
            os.close(self._pidfd)
            try:
                status, usage = end_group(self._process)
            finally:
                self.streams.close()
        peak = usage.ru_maxrss
        return Exit(
            status=os.waitstatus_to_exitcode(status),
            cpu_ms=(usage.ru_utime + usage.ru_stime) * 1000,
            peak_kib=peak if peak > self._judges_peak else None,
        )
