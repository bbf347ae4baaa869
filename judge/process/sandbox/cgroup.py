"""Control groups, which bound the memory and the number of all processes of a bot together.

Each fork server gets a group of its own, made in the judge's own group or in a group above it,
where this process may make groups with the controllers. Existing groups are not changed, and the
judge is not moved. Both versions of the kernel's interface are supported: in version 2, one folder
has all controllers; in version 1, each controller has a hierarchy of its own.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Self

from judge.documents.game import Limits
from judge.process.run.limits import MOST_PROCESSES, SERVERS_PROCESSES

# The file by which a group shows that it has a controller, by version and controller.
_SIGNS = {
    2: {"memory": "memory.max", "pids": "pids.max", "cpu": "cpu.weight"},
    1: {"memory": "memory.limit_in_bytes", "pids": "pids.max", "cpu": "cpu.shares"},
}

# The file that makes the kernel drop a group's cached memory, and the text to write to it, by
# version. In version 2 the text asks for more bytes than there are, without swapping.
_FORGETTING = {1: ("memory.force_empty", "0"), 2: ("memory.reclaim", f"{2**40} swappiness=0")}

_OURS = re.compile(r"judge-(\d+)-\d+")
_numbers = count(1)

KEEPER_BYTES = 16 * 2**20  # memory of the group for other than the bot's own processes

EMPTYING_SECONDS = 2.0  # seconds for the kernel to remove dead processes from a group


@dataclass(frozen=True, slots=True)
class Groups:
    """The folders for new groups. ``memory``, ``pids`` and ``cpu`` are each the folder in which
    groups with this controller can be made, or None if there is no such folder.

    Groups in the folder of ``cpu`` get equal shares of the processors, however many processes a bot
    starts.
    """

    version: int
    memory: Path | None
    pids: Path | None
    cpu: Path | None = None


@cache
def found() -> Groups | None:
    """The folders in which this process may make groups, or None if groups could bound neither
    memory nor processes.

    The search makes groups to try, and its result is cached. Groups that killed judges have left
    are removed.
    """
    return usable(_own_candidates())


def usable(candidates: Mapping[tuple[int, str], list[Path]]) -> Groups | None:
    """The first candidate for each controller in which new groups have it, in version 2 or else in
    version 1. None if groups could bound neither memory nor processes."""
    for version, signs in _SIGNS.items():
        memory, pids, cpu = (
            _first_usable(candidates.get((version, name), []), signs[name])
            for name in ("memory", "pids", "cpu")
        )
        if memory or pids:
            for folder in (memory, pids, cpu):
                if folder:
                    _sweep(folder)
            return Groups(version, memory, pids, cpu)
    return None


def quota() -> float | None:
    """The number of processors that the tightest quota of this process's control group and the
    groups above it allows, or None without a quota."""
    bounds = []
    for (version, controller), folders in _own_candidates().items():
        for folder in folders if controller == "cpu" else ():
            with contextlib.suppress(OSError, ValueError):  # "max", or no such file
                bounds.append(_quota_of(folder, version))
    return min((bound for bound in bounds if bound > 0), default=None)


def _quota_of(group: Path, version: int) -> float:
    """The number of processors that a group may use; 0 or less without a quota. Raises `OSError` or
    ValueError if the group's files do not give the number."""
    if version == 2:
        quota, period = (group / "cpu.max").read_text().split()
    else:
        names = ("cpu.cfs_quota_us", "cpu.cfs_period_us")
        quota, period = ((group / name).read_text() for name in names)
    return int(quota) / int(period)


class ControlGroup:
    """The control groups of one bot, which exist during a ``with`` block."""

    def __init__(self, groups: Groups, limits: Limits, more: int = 0) -> None:
        """``more`` are bytes of memory besides the bot's limit."""
        name = f"judge-{os.getpid()}-{next(_numbers)}"
        self._version = groups.version
        self._memory = groups.memory and groups.memory / name
        self._pids = groups.pids and groups.pids / name
        self._cpu = groups.cpu and groups.cpu / name
        self._limits = limits
        self._more = more + KEEPER_BYTES
        self._counts: int | None = None  # the group's file of events, kept open

    def __enter__(self) -> Self:
        try:
            for folder in self._folders():
                folder.mkdir()
            if self._memory:
                most = self._limits.memory_bytes + self._more
                _limit_memory(self._memory, self._version, most)
            if self._pids:
                (self._pids / "pids.max").write_text(str(MOST_PROCESSES + SERVERS_PROCESSES))
        except OSError:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.forget()  # cached memory would keep a removed group in the kernel
        self._remove()

    def add(self, process: int) -> None:
        """Put a process, and all that it will start, into the group. Raises `OSError` if the kernel
        refuses this."""
        for folder in self._folders():
            (folder / "cgroup.procs").write_text(str(process))

    def ended_for_memory(self) -> int:
        """The number of the group's processes that the kernel has ended for want of memory."""
        if not self._memory:
            return 0
        if self._counts is None:
            name = "memory.events" if self._version == 2 else "memory.oom_control"
            self._counts = os.open(self._memory / name, os.O_RDONLY)
        words = os.pread(self._counts, 4096, 0).split()
        counts = dict(zip(words[::2], words[1::2], strict=True))
        return int(counts.get(b"oom_kill", 0))

    def forget(self) -> None:
        """Have the kernel drop the file contents that this group's processes alone have cached.
        Otherwise later processes could tell by their times which files were read."""
        if self._memory:
            name, wanted = _FORGETTING[self._version]
            # The kernel drops what it can, and reports an error if that is less than was asked for.
            with contextlib.suppress(OSError):
                (self._memory / name).write_text(wanted)

    def _folders(self) -> Iterator[Path]:
        yield from dict.fromkeys(one for one in (self._memory, self._pids, self._cpu) if one)

    def _remove(self) -> None:
        if self._counts is not None:
            os.close(self._counts)
            self._counts = None
        for folder in self._folders():
            _remove(folder)


def _limit_memory(group: Path, version: int, most_bytes: int) -> None:
    if version == 1:
        (group / "memory.limit_in_bytes").write_text(str(most_bytes))
        both = group / "memory.memsw.limit_in_bytes"  # memory and swap together
        if both.exists():
            both.write_text(str(most_bytes))
        return
    (group / "memory.max").write_text(str(most_bytes))
    if (group / "memory.swap.max").exists():
        (group / "memory.swap.max").write_text("0")


def _remove(folder: Path) -> None:
    """Remove a group, and kill the processes in it. Raises `OSError` if the group does not become
    empty in time."""
    deadline = time.monotonic() + EMPTYING_SECONDS
    while True:
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            _kill_all(folder)
            time.sleep(0.001)
        else:
            return


def _kill_all(folder: Path) -> None:
    with contextlib.suppress(OSError):
        for process in (folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)


def _first_usable(folders: list[Path], sign: str) -> Path | None:
    for folder in folders:
        group = folder / f"judge-{os.getpid()}-{next(_numbers)}"
        with contextlib.suppress(OSError):
            group.mkdir()
            try:
                has_controller = os.access(group / sign, os.W_OK)
            finally:
                group.rmdir()
            if has_controller:
                return folder
    return None


def _sweep(folder: Path) -> None:
    for group in folder.glob("judge-*"):
        name = _OURS.fullmatch(group.name)
        if name and not Path("/proc", name[1]).exists():
            with contextlib.suppress(OSError):  # it holds a process, or is gone already
                group.rmdir()


def _own_candidates() -> dict[tuple[int, str], list[Path]]:
    own, mounts = (Path("/proc/self", name).read_text() for name in ("cgroup", "mountinfo"))
    return _candidates(own, mounts)


def _candidates(own: str, mounts: str) -> dict[tuple[int, str], list[Path]]:
    """This process's own group and then the groups above it, for each version and controller.

    ``own`` is the text of /proc/self/cgroup, ``mounts`` that of /proc/self/mountinfo.
    """
    paths: dict[tuple[int, str], str] = {}
    for line in own.splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers:
            paths.update({(1, name): path for name in controllers.split(",")})
        else:
            paths.update({(2, name): path for name in _SIGNS[2]})
    found: dict[tuple[int, str], list[Path]] = {}
    for line in mounts.splitlines():
        fields, _, more = line.partition(" - ")
        root, point = fields.split()[3:5]
        kind, _, options = more.split(" ", 2)
        version = {"cgroup": 1, "cgroup2": 2}.get(kind, 0)
        for name in _SIGNS.get(version, ()):
            has_it = version == 2 or name in options.split(",")
            group = PurePosixPath(paths.get((version, name), ""))
            if has_it and group.is_relative_to(root):
                inner = group.relative_to(root)
                found[version, name] = [Path(point, path) for path in (inner, *inner.parents)]
    return found
