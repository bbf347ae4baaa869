"""The levels of isolation (none, limits and bwrap), and the choice of one for a run.

Every level has the deadline and the output limit, which the launcher itself enforces. If root runs
the judge, bots run as the user nobody: under bwrap wherever they lie
(`judge.process.sandbox.fork_server`), and at the level limits if that user can reach a bot's files and
interpreters.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from judge.documents.game import IsolationLevel, Limits
from judge.errors import LaunchFault, UsageError
from judge.process.bots.bot import Bot, LeftOut
from judge.process.bots.files import quoted
from judge.process.bots.interpreters import PYTHON, language_of, on_path
from judge.process.bots.tree import IGNORED
from judge.process.run.environment import with_scratch
from judge.process.run.launch import MACHINES, Launcher, Start, denial
from judge.process.run.limits import PEAK, most_kib, prlimit, resource_limits
from judge.process.run.listening import Stop
from judge.process.run.scratch import place, scratch_at
from judge.process.run.spawned import Spawned

if TYPE_CHECKING:
    from judge.process.sandbox.bwrap import Bubblewrap, Unavailable
    from judge.process.sandbox.fork_launcher import ForkLauncher

NOBODY = 65534  # the number of the user and of its group


class Isolation(Protocol):
    @property
    def name(self) -> IsolationLevel:
        """The name of the level, as records have it."""

    @property
    def enforcement(self) -> tuple[str, ...]:
        """The means of isolation that differ between machines, as records have them."""

    @property
    def peak_decides(self) -> bool:
        """Whether a look that sees more memory than the limit is a crash of the bot, since no
        control group bounds its memory."""

    @property
    def walls_off(self) -> bool:
        """Whether a bot sees only its own files and the system, and can change and reach nothing
        outside."""

    def launcher(self, start: Start, stop: Stop) -> Launcher:
        """The launcher of a bot, with this level's isolation, for one game after another.

        The launcher adds ``HOME`` and ``TMPDIR`` to the environment: a scratch folder that is empty
        when a move begins.
        """


@dataclass(frozen=True, slots=True)
class Unlimited:
    """The level none: only the deadline and the output limit."""

    name: IsolationLevel = "none"
    enforcement: tuple[str, ...] = ()
    peak_decides: bool = False
    walls_off: bool = False

    def launcher(self, start: Start, stop: Stop) -> Launcher:
        return _forked(start, stop, []) if start.fork else Spawned(start, stop)


@dataclass(frozen=True, slots=True)
class Limited:
    """The level limits: the kernel limits time, memory and file size of each process.

    ``program`` is prlimit. If root runs the judge, ``becomes`` is the command by which a bot runs
    as the user nobody if that user can reach the bot. ``reaches_all`` says that all bots can be
    reached. ``kept_root`` says why all bots run as root.
    """

    program: str
    name: IsolationLevel = "limits"
    becomes: tuple[str, ...] = ()
    reaches_all: bool = False
    kept_root: str = ""
    peak_decides: bool = True
    walls_off: bool = False

    def launcher(self, start: Start, stop: Stop) -> Launcher:
        becomes = self.becomes
        if becomes and not self.reaches_all and closed_to_nobody((start.bot,), becomes):
            becomes = ()
        most = most_kib(start.limits, peak_decides=self.peak_decides)
        if start.fork:
            kept = resource_limits(start.limits, count_processes=False)
            return _forked(start, stop, kept, becomes=becomes, most_kib=most)
        prefix = (*becomes, *prlimit(self.program, start.limits, start.life_seconds))
        user = NOBODY if becomes else None
        return Spawned(start, stop, prefix=prefix, user=user, most_kib=most)

    @property
    def enforcement(self) -> tuple[str, ...]:
        memory = f"memory: {PEAK}"
        if self.becomes:
            return (
                memory,
                "user: nobody"
                if self.reaches_all
                else "user: nobody, where that user can reach the bot",
            )
        return (memory, f"user: root, for {self.kept_root}") if self.kept_root else (memory,)


def _forked(
    start: Start,
    stop: Stop,
    bounds: list[tuple[int, int]],
    *,
    becomes: tuple[str, ...] = (),
    most_kib: int | None = None,
) -> ForkLauncher:
    from judge.process.sandbox.fork_launcher import ForkLauncher
    from judge.process.sandbox.plan import SandboxPlan

    user = NOBODY if becomes else None
    folder = place()
    return ForkLauncher(
        SandboxPlan(
            start=start,
            environment=with_scratch(start.environment, folder),
            limits=bounds,
            becomes=becomes,
            around_a_move=lambda: scratch_at(folder, user),
            most_kib=most_kib,
        ),
        stop,
    )


# The note on a level that the user did not choose.
LIMITS_LEAVE_OPEN = (
    "isolation: limits (time, memory, file size and output), for {reason}; bots can read your "
    "files, write where you may, reach the network, and take others' processors"
)
BOTS_ARE_ROOT = "bots run as root, for {reason}"
NONE_IN_FORCE = "isolation: none (only the deadline and the output limit are kept)"


def choose(
    level: str,
    limits: Limits | None = None,
    bots: Sequence[Bot] | None = None,
    *,
    offered: Bubblewrap | Unavailable | None = None,
) -> tuple[Isolation, str | None]:
    """The isolation of this level, and a note on it for the user, or None.

    The level is tried with these ``limits`` (by default the usual ones), since a limit that cannot
    be set must not look like a bot's crash. ``bots`` are the bots to be isolated, if they are
    known: at the level limits of a judge run by root, they run as the user nobody if that user can
    reach them all. ``offered`` is the result of `judge.process.sandbox.bwrap.offered` if it is
    known. Raises `UsageError` if this machine does not offer the level, or if a bot's own files
    keep it from running as nobody. Raises `LaunchFault` if the failure may pass.
    """
    chosen, told = _chosen(level, limits, bots, offered)
    for reason in _refusals(chosen, bots or ()).values():
        raise UsageError(reason)
    return chosen, told


def holdable(
    level: str, limits: Limits, bots: Sequence[Bot]
) -> tuple[tuple[Bot, ...], tuple[LeftOut, ...]]:
    """The bots that this level can isolate, and the bots whose own files prevent it. Other faults
    raise as in `choose`."""
    refused = _refusals(_chosen(level, limits, bots, None)[0], bots)
    held = tuple(bot for bot in bots if bot not in refused)
    return held, tuple(LeftOut(bot.name, reason) for bot, reason in refused.items())


def _refusals(chosen: Isolation, bots: Iterable[Bot]) -> dict[Bot, str]:
    if not isinstance(chosen, Limited) or not chosen.becomes:
        return {}
    reasons = {bot: refusal(bot, chosen.becomes) for bot in bots}
    return {bot: reason for bot, reason in reasons.items() if reason}


def _chosen(
    level: str,
    limits: Limits | None,
    bots: Iterable[Bot] | None,
    offered: Bubblewrap | Unavailable | None,
) -> tuple[Isolation, str | None]:
    reason = ""
    if level in ("auto", "bwrap"):
        from judge.process.sandbox import bwrap

        found = offered or bwrap.offered()
        if not isinstance(found, bwrap.Unavailable):
            return found, None
        if level == "bwrap":
            raise UsageError(f"--isolation bwrap: {found.reason}; {found.mend}")
        reason = f"{found.reason} ({found.mend})"
    if level == "none":
        return Unlimited(), None
    program = on_path("prlimit")
    problem = _problem(program, limits or Limits()) if program else "apt-get install util-linux"
    if program and not problem:
        chosen = _limited(program, limits or Limits(), bots)
        told = [LIMITS_LEAVE_OPEN.format(reason=reason)] if reason else []
        if chosen.kept_root:
            told.append(BOTS_ARE_ROOT.format(reason=chosen.kept_root))
        return chosen, "; ".join(told) or None
    if level == "auto":
        return Unlimited(), (
            f"{NONE_IN_FORCE}, for {reason}, and prlimit does not work here: {problem}"
        )
    raise UsageError(f"--isolation limits: prlimit does not work here: {problem}")


def _limited(program: str, limits: Limits, bots: Iterable[Bot] | None) -> Limited:
    """The level limits. If root runs the judge, bots run as the user nobody as far as possible."""
    if os.getuid() != 0:
        return Limited(program)
    become = setpriv(on_path("setpriv") or "setpriv")
    problem = _problem(program, limits, become) or closed_to_nobody(tuple(bots or ()), become)
    if problem:
        return Limited(program, kept_root=problem)
    return Limited(program, becomes=become, reaches_all=bots is not None)


def _problem(program: str, limits: Limits, becomes: tuple[str, ...] = ()) -> str | None:
    """Why a program that does nothing does not run under these limits, or None if it runs. Raises
    `LaunchFault` if the failure may pass, as `judge.process.sandbox.bwrap.offered` does."""
    command = [*becomes, *prlimit(program, limits), on_path("true") or "/bin/true"]
    try:
        tried = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "LC_ALL": "C"},  # so that `denial` knows the words
        )
    except OSError as error:
        if error.errno in MACHINES:
            raise LaunchFault(f"{command[0]} cannot be tried now: {error.strerror}") from error
        return f"{command[0]}: {error.strerror}"
    said = " ".join(tried.stderr.split())
    if tried.returncode and not denial(said):
        why = said or f"it ended with status {tried.returncode}"
        raise LaunchFault(f"{command[0]} cannot be tried now: {why}")
    return said if tried.returncode else None


def more(chosen: Isolation, *, offered: Bubblewrap | Unavailable | None = None) -> str | None:
    """A step to a stricter isolation than this one on this machine, or None if none is known.
    ``offered`` is as in `choose`."""
    from judge.process.sandbox import bwrap

    found = offered or bwrap.offered()
    if isinstance(found, bwrap.Unavailable):
        return found.mend
    return found.more if found == chosen else "--isolation bwrap"


# The user nobody


def setpriv(program: str) -> tuple[str, ...]:
    """The command before a bot's own that changes the user to nobody, for good."""
    return (
        program,
        f"--reuid={NOBODY}",
        f"--regid={NOBODY}",
        "--clear-groups",
        "--inh-caps=-all",
        "--bounding-set=-all",
        "--no-new-privs",
        "--",
    )


def closed_to_nobody(bots: tuple[Bot, ...], become: tuple[str, ...]) -> str | None:
    """Why these bots cannot run as nobody: a folder or program that the judge's user chose is
    closed to the user nobody, with a mend. None if the bots can. ``become`` is the command of
    `setpriv`.

    The folders of the bots' PATH count too: if one is closed, a name could mean another program.
    Programs that a bot's own files name do not count.
    """
    where = _first_closed(tuple(_users_own(bots)), become)
    if not where:
        return None
    return f"the user nobody cannot reach {quoted(where)}; {_instead_of_opening(where, bots)}"


def _instead_of_opening(where: str, bots: Iterable[Bot]) -> str:
    """A mend that does not open a closed folder, which may be a home folder."""
    folders = [bot.path.split(os.pathsep) for bot in bots]
    if any(python in (where, str(Path(where).parent)) for python, *_ in folders):
        return "name a Python that all users may execute by --python"
    if any(where in others for _, *others in folders):
        return "take that folder off PATH"
    return "keep bots and their programs where all users may go, below /srv for example"


def refusal(bot: Bot, become: tuple[str, ...]) -> str | None:
    """Why a bot's own files keep it from running as nobody, with a mend, or None if they do not.

    The bot's author chose these permissions, so they are not a reason to run bots as root.
    """
    said = f"{bot.name} runs as the user nobody, who may not"
    if path := next(_unreadable(bot), None):
        return f"{said} read {quoted(path)}; chmod -R o+rX on the bot lets that user"
    if program := _first_closed((bot.command[0], *bot.interpreters), become):
        return f"{said} execute {quoted(program)}; name a program that every user may execute"
    return None


@cache
def _first_closed(paths: tuple[str, ...], become: tuple[str, ...]) -> str:
    """The first of these folders and programs that the user nobody may not enter or execute; empty
    if that user may use all."""
    tried = subprocess.run(
        [*become, "/bin/sh", "-c", _FIRST_CLOSED, "sh", *dict.fromkeys(paths)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return os.fsdecode(tried.stdout)


_FIRST_CLOSED = 'for one; do test -x "$one" || { printf %s "$one"; exit; }; done'


def _users_own(bots: Iterable[Bot]) -> Iterator[str]:
    """Yield the folders and programs that the judge's user chose and that a bot's user must be able
    to enter or execute."""
    for bot in bots:
        yield from (folder for folder in bot.path.split(os.pathsep) if Path(folder).is_dir())
        yield from (str(file.parent) for file in bot.files)
        yield from bot.typed
        yield from (program for program in bot.interpreters if _is_chosen_python(program, bot))


def _is_chosen_python(program: str, bot: Bot) -> bool:
    """Whether a program is the judge's own Python or that of ``--python``: its folder is the first
    of the bot's PATH."""
    first, *_ = bot.path.split(os.pathsep)
    return str(Path(program).parent) == first and language_of(program) == PYTHON.language


def _unreadable(bot: Bot) -> Iterator[str]:
    """Yield the bot's own files and folders that not all users may read."""
    for file in bot.files:
        for path in (file, *_inside(file)):
            mode = path.lstat().st_mode
            wanted = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
            if mode & wanted != wanted:
                yield str(path)


def _inside(folder: Path) -> Iterator[Path]:
    """Yield all files and folders in a bot's folder, without ignored ones; nothing for a single
    file."""
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in IGNORED]
        yield from (Path(at, name) for name in (*folders, *names) if name not in IGNORED)
