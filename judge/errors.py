"""Every error that the judge raises on purpose, in one tree.

    Exception
    ├── BotError            the bot's fault: costs it the game, never stops the judge
    │   ├── BadOutput         no reply, or one that cannot be read
    │   ├── IllegalFleet      read well, but no fleet of these rules
    │   ├── IllegalMove       read well, but not allowed now
    │   ├── TimedOut          reply or exit came too late
    │   └── Crashed           exit status not 0, or a signal
    ├── UsageError          the user's: what was typed is wrong (exit status 2)
    └── JudgeFault          ours: kept the judge from its work (exit status 1), costs no bot a point
        ├── LaunchFault       the machine could not start a process, whoever's it was
        │   └── TooManyReferences  (MachineBusy too) too many descriptors of this user were on their way
        ├── PlaysNoMore       a bot can play no further game of the run
        │   ├── BotChanged       its files are no longer those that were digested
        │   └── RunsNowhere      no machine that games are sent to can run it
        ├── MachineBusy       other programs on the machine may be why; alone, it may go well
        │   ├── HeldUp            the judge itself did not run for a while as it waited for an answer
        │   └── Starved           the bot's processes waited for a processor
        ├── RecordError       a game record that is damaged or breaks its own rules
        ├── LedgerError       a ledger that cannot be read, written or trusted
        │   └── Unrecordable      one record is beyond the bounds of what it holds
        ├── ServerFault       somebody's server said what its protocol has no place for
        └── OutOfTurn         the engine was asked for what is not up: a bug of its caller
    Interrupted             (BaseException) the user stopped the run; nobody is blamed

The three families share no base on purpose: ``except BotError`` can never catch a fault of the
judge and so never turn it into somebody's loss. This file knows nothing of games; a
``termination`` is the name under which `judge.documents.game.Termination` records the loss.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Self


class BotError(Exception):
    """A bot's fault; its text is one sentence for the bot's author.

    It may be given in parts: of those that are no text, a protocol has its own names.
    """

    termination: ClassVar[str]

    def __str__(self) -> str:
        return "".join(map(str, self.args))

    def worded(self, name: Callable[[Any], str]) -> Self:
        """The same with the names of a protocol."""
        return type(self)("".join(one if isinstance(one, str) else name(one) for one in self.args))


class BadOutput(BotError):
    """No, more than one, or malformed JSON; not UTF-8; not to the schema; too long."""

    termination = "bad-output"


class IllegalFleet(BotError):
    """A well-formed fleet that leaves the grid, overlaps or has the wrong ships."""

    termination = "illegal-fleet"


class IllegalMove(BotError):
    """A well-formed move that the rules do not allow at this point."""

    termination = "illegal-move"


class TimedOut(BotError):
    """The reply, or the exit after it, was not there in time."""

    termination = "timeout"


class Crashed(BotError):
    """Ended with an exit status that is not 0, or by a signal."""

    termination = "crash"


class UsageError(Exception):
    """The user asked for something impossible; the text names the thing and the mend."""


class JudgeFault(Exception):
    """Anything else that kept the judge from its work. Never costs a bot anything."""


class LaunchFault(JudgeFault):
    """No process could be started, for want of memory, descriptors or processes."""


class MachineBusy(JudgeFault):
    """The machine had too much to do, so a game cannot be judged. It is played again while no other
    game of the run is under way: other games may be why."""


class TooManyReferences(LaunchFault, MachineBusy):
    """The kernel did not let the judge pass descriptors to a process, for programs of the same user
    had too many on their way. They may be those of a bot in another game."""

    def __init__(self) -> None:
        super().__init__(
            "too many file descriptors are in flight for this user, so the judge could not pass one to a bot"
        )


class PlaysNoMore(JudgeFault):
    """A bot can play no further game of this run, and another try would find the same."""

    def __init__(self, name: str, found: str) -> None:
        super().__init__(name, found)
        self.name = name


class BotChanged(PlaysNoMore):
    """The files of a bot are no longer those that were digested: somebody has changed them, or
    taken them away, since the judge began."""

    def __str__(self) -> str:
        name, found = self.args
        return (
            f"the files of {name} changed while the judge ran: {found}; its games are left out, "
            "and the same command plays them with the files as they are then"
        )


class RunsNowhere(PlaysNoMore):
    """None of the machines that games are sent to can run a bot."""

    def __str__(self) -> str:
        name, found = self.args
        return f"none of the workers can run {name}: {found}; its games are left out"


class HeldUp(MachineBusy):
    """The judge came back from a wait much later than it meant to, and an answer is late; whether
    the bot would have been late by itself cannot be told."""

    def __init__(self) -> None:
        super().__init__(
            "the judge itself was delayed while it waited for an answer: a paused container or a busy machine can cause that"
        )


class Starved(MachineBusy):
    """A bot's answer is late, and its processes waited for a processor for much of its time."""

    def __init__(self, waited_ms: float, limit_ms: float) -> None:
        super().__init__(
            f"an answer is late, but the bot's processes waited for a processor for {waited_ms:.0f} "
            f"ms of the {limit_ms:.0f} ms that they had: other programs kept the machine busy"
        )


class RecordError(JudgeFault):
    """A game record that cannot be read, or whose moves and outcome do not fit its rules."""


class LedgerError(JudgeFault):
    """A ledger that cannot be read, written or trusted; its files are as they were."""


class Unrecordable(LedgerError):
    """A record is too large for a ledger. The ledger is unchanged."""


class ServerFault(JudgeFault):
    """Somebody else's server broke its protocol or its bounds; the text says how."""


class NotOpen(JudgeFault):
    """Nobody listens at the address of somebody's server, or there is no place at its table now."""


class OutOfTurn(JudgeFault):
    """A call that the engine's position does not allow, whoever's seat it names."""


class Interrupted(BaseException):
    """The run was stopped by the user; like KeyboardInterrupt, no fault of anyone.

    ``again`` is a command line that does the very same again.
    """

    def __init__(self, *said: str, again: str = "") -> None:
        super().__init__(*said)
        self.again = again


def with_mend(fault: str) -> str:
    """The sentence on a fault, with the mend if too many files were open."""
    if _TOO_MANY_FILES not in fault or "ulimit -n" in fault:
        return fault
    return (
        f"{fault.rstrip('.')}; `ulimit -n` shows how many the shell allows the judge, and fewer "
        "--jobs need fewer"
    )


_TOO_MANY_FILES = "Too many open files"  # as the kernel's EMFILE is worded

# How Python and the loader of libraries word a shortage of memory that is not a MemoryError.
_SHORTAGES = ("start new thread", "failed to map segment", "cannot allocate memory")


def shortage(error: BaseException) -> str | None:
    """The sentence on an error that comes from a shortage of memory; None if it does not."""
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    said = str(error).lower() if isinstance(error, ImportError | RuntimeError) else ""
    if any(shortage in said for shortage in _SHORTAGES):
        return (
            "there is not enough memory, or no room for another thread: `ulimit -v` and `ulimit -u` "
            "show what the shell allows the judge, and fewer --jobs need less"
        )
    return None
