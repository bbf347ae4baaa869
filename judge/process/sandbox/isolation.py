"""The levels of isolation (none, limits and bwrap), and the choice of one for a run.

Every level has the deadline and the output limit, which the launcher itself enforces.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from judge.documents.game import IsolationLevel, Limits
from judge.errors import LaunchFault, UsageError
from judge.process.bots.bot import Bot, LeftOut
from judge.process.bots.interpreters import on_path
from judge.process.run.environment import with_scratch
from judge.process.run.launch import MACHINES, Launcher, Start, denial
from judge.process.run.limits import PEAK, most_kib, prlimit, resource_limits
from judge.process.run.listening import Stop
from judge.process.run.scratch import place, scratch_at
from judge.process.run.spawned import Spawned
from judge.process.sandbox.unprivileged import NOBODY, closed_to_nobody, refusal, setpriv

if TYPE_CHECKING:
    from judge.process.sandbox.bwrap import Bubblewrap, Unavailable
    from judge.process.sandbox.fork_launcher import ForkLauncher


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
