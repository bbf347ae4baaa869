"""The judge's errors in one tree, by whose fault they are.

    Exception
    ├── BotError            the bot's fault: costs it the game, never stops the judge
    │   ├── BadOutput         no reply, or one that cannot be read
    │   ├── IllegalFleet      a readable reply, but not a legal fleet
    │   ├── IllegalMove       a readable reply, but not allowed now
    │   ├── TimedOut          the reply or the exit came too late
    │   └── Crashed           it could not start, ended badly or used too much memory
    ├── UsageError          the user's fault: the command or a file is wrong (exit status 2)
    └── JudgeFault          any other fault (exit status 1): costs no bot a point
        ├── LaunchFault       the machine could not start a process, or listen to it
        │   └── TooManyReferences  (also MachineBusy) this user has too many descriptors in flight
        ├── PlaysNoMore       a bot can play no further game of the run
        │   ├── BotChanged       the bot's files have changed since their digest
        │   └── RunsNowhere      no machine that games are sent to can run the bot
        ├── WorkersDied       machines that games are sent to died while they played a game
        ├── MachineBusy       other programs may be the cause; the game is played again alone
        │   ├── HeldUp            the judge itself was delayed while it waited for an answer
        │   └── Starved           the bot's processes waited for a processor
        ├── RecordError       a game record or log that is damaged or breaks its own rules
        ├── LedgerError       a ledger that cannot be read, written or trusted
        │   └── Unrecordable      a record or order that a ledger cannot hold
        ├── ServerFault       somebody's server broke its protocol
        ├── NotOpen           somebody's server cannot be joined now
        └── OutOfTurn         a `Game` was called at the wrong time: a bug of the caller
    Interrupted             (BaseException) the user stopped the run: nobody's fault

The three families share no base but ``Exception``: so ``except BotError`` never turns a fault of
the judge into a bot's loss. ``termination`` is the value of `judge.documents.game.Termination`
under which a game record keeps a loss by that error. A fault has the arguments of its constructor,
so that it can be pickled.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Self


class BotError(Exception):
    """A bot's fault. The error's text is one sentence for the bot's author.

    The error's arguments are the parts of that sentence. The bot's protocol decides how a part that
    is not text, such as a cell, is written.
    """

    termination: ClassVar[str]

    def __str__(self) -> str:
        return "".join(map(str, self.args))

    def worded(self, name: Callable[[Any], str]) -> Self:
        """This error as text alone. ``name`` gives the text of each part that is not text."""
        return type(self)("".join(one if isinstance(one, str) else name(one) for one in self.args))


class BadOutput(BotError):
    """The bot gave no reply, or one that cannot be read: for example not UTF-8, malformed or too
    long."""

    termination = "bad-output"


class IllegalFleet(BotError):
    """A readable fleet with the wrong ships, or with ships that overlap or leave the grid."""

    termination = "illegal-fleet"


class IllegalMove(BotError):
    """A readable move that the rules do not allow at this point."""

    termination = "illegal-move"


class TimedOut(BotError):
    """The bot was too late to connect, read, reply or exit, or gave only illegal replies in its
    turn."""

    termination = "timeout"


class Crashed(BotError):
    """The bot could not be started, left too early, ended by a signal or with an exit status other
    than 0, raised an exception, or used too much memory."""

    termination = "crash"


class UsageError(Exception):
    """The user asked for something impossible. The text says what is wrong and how to mend it."""


class JudgeFault(Exception):
    """A fault of the judge, its machine, a stored file or a server. It costs no bot anything."""


class LaunchFault(JudgeFault):
    """The machine could not start a process or listen to it, for example for want of memory or
    descriptors."""


class MachineBusy(JudgeFault):
    """The machine had too much to do, so a game cannot be judged. In a run of several games the
    judge plays it again while no other game of the run is under way."""


class TooManyReferences(LaunchFault, MachineBusy):
    """The kernel did not let the judge pass descriptors to a process, because programs of the same
    user had too many in flight. A bot in another game may be the cause."""

    def __str__(self) -> str:
        return "too many file descriptors are in flight for this user, so the judge could not pass one to a bot"


class PlaysNoMore(JudgeFault):
    """A bot can play no further game of this run. Another try would fail in the same way."""

    def __init__(self, name: str, found: str) -> None:
        super().__init__(name, found)
        self.name = name


class BotChanged(PlaysNoMore):
    """A bot's files were changed or removed after the judge had taken the files' digest."""

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


class WorkersDied(JudgeFault):
    """Machines that games are sent to died while they played a game."""

    def __str__(self) -> str:
        (last,) = self.args
        return f"its workers died while it was played, at last {last}, perhaps for want of memory"


class HeldUp(MachineBusy):
    """An answer is late, and the judge itself was delayed while it waited: so the lateness cannot
    be blamed on the bot."""

    def __str__(self) -> str:
        return "the judge itself was delayed while it waited for a reply: a paused container or a busy machine can cause that"


class Starved(MachineBusy):
    """A bot's answer is late, and the bot's processes waited for a processor during much of the
    time limit."""

    def __init__(self, waited_ms: float, limit_ms: float) -> None:
        super().__init__(waited_ms, limit_ms)

    def __str__(self) -> str:
        waited_ms, limit_ms = self.args
        return (
            f"a reply is late, but the bot's processes waited for a processor for {waited_ms:.0f} "
            f"ms of the {limit_ms:.0f} ms that they had: other programs kept the machine busy"
        )


class RecordError(JudgeFault):
    """A game record or log that cannot be read, or whose moves or outcome do not fit its rules."""


class LedgerError(JudgeFault):
    """A ledger that cannot be read, written or trusted."""


class Unrecordable(LedgerError):
    """A record is beyond the bounds of a ledger, or an entry holds half a character. The ledger is
    unchanged."""


class ServerFault(JudgeFault):
    """Somebody else's server broke its protocol or exceeded a bound of the judge. The text says
    how."""


class NotOpen(JudgeFault):
    """The judge cannot join somebody's server now: it cannot be reached, or gives no place."""


class OutOfTurn(JudgeFault):
    """A `Game` was called in a way that its position does not allow: a bug of the caller."""


class Interrupted(BaseException):
    """The user stopped the run. Like KeyboardInterrupt, this is nobody's fault.

    ``again`` is a command line that repeats the run, or empty.
    """

    def __init__(self, *said: str, again: str = "") -> None:
        super().__init__(*said)
        self.again = again


def with_mend(fault: str) -> str:
    """The sentence ``fault``. If it says that too many files are open, advice is added."""
    if _TOO_MANY_FILES not in fault or "ulimit -n" in fault:
        return fault
    return (
        f"{fault.rstrip('.')}; `ulimit -n` shows how many the shell allows the judge, and fewer "
        "--jobs need fewer"
    )


_TOO_MANY_FILES = "Too many open files"  # the text of the error number EMFILE

# Parts of the messages by which Python and the library loader report a shortage of memory without a
# MemoryError.
_SHORTAGES = ("start new thread", "failed to map segment", "cannot allocate memory")


def shortage(error: BaseException) -> str | None:
    """A sentence if a shortage of memory or threads has caused this error, or None."""
    if isinstance(error, MemoryError):
        return "there is not enough memory"
    said = str(error).lower() if isinstance(error, ImportError | RuntimeError) else ""
    if any(shortage in said for shortage in _SHORTAGES):
        return (
            "there is not enough memory, or no room for another thread: `ulimit -v` and `ulimit -u` "
            "show what the shell allows the judge, and fewer --jobs need less"
        )
    return None
