"""A living program as a child process of the judge's own, without a fork server."""

from __future__ import annotations

import contextlib
import os
import re
import resource
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from judge.errors import LaunchFault
from judge.process.run.launch import MACHINES, Exit, NotStarted, end_group
from judge.process.run.limits import GRACE_SECONDS
from judge.process.run.streams import Streams

_PEAK = re.compile(rb"\nVmHWM:\s*(\d+) kB")
_STATUS_BYTES = 4096
_USER_TICKS, _SYSTEM_TICKS = 11, 12  # among the fields of /proc/PID/stat after the name


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
        kept: ExitStack,
    ) -> None:
        self.argv = tuple(argv)
        self._kept = kept
        with ExitStack() as started:
            started.push(kept)
            try:
                self.streams = Streams()
                started.callback(self.streams.close)
                self._process = self._started([*prefix, *argv], folder, environment)
                started.callback(end_group, self._process)
                self._pidfd = os.pidfd_open(self._process.pid)
            except OSError as error:
                reason = f"{error.filename or argv[0]}: {error.strerror}"
                if error.errno not in MACHINES and (not prefix or not folder.is_dir()):
                    raise NotStarted(reason) from error
                raise LaunchFault(f"no process could be started: {reason}") from error
            started.pop_all()
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

    def so_far(self) -> tuple[float, int] | None:
        process = Path("/proc", str(self._process.pid))
        with contextlib.suppress(OSError):
            fields = (process / "stat").read_bytes().rpartition(b")")[2].split()
            ticks = int(fields[_USER_TICKS]) + int(fields[_SYSTEM_TICKS])
            if peak := _PEAK.search((process / "status").read_bytes()):
                return ticks * 1000 / os.sysconf("SC_CLK_TCK"), int(peak[1])
        return None

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
