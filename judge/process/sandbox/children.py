"""The fork server's child processes, one a move: their starts and their ends.

This runs inside, as `judge.process.sandbox.fork_server` does.
"""

from __future__ import annotations

import os

from judge.process.sandbox.kernel import (
    ALL_KINDS,
    SIGKILL,
    Furniture,
    LastNumber,
    enter_new,
    return_to,
    start_init,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import resource

    from judge.process.sandbox.own_folder import OwnFolder


class MoveProcesses:
    """The numbers of a move's bot and, inside bubblewrap, of the first process of its namespace,
    otherwise 0; ``folder`` is the descriptor of the one that is its own, if it has one."""

    def __init__(self, bot: int, init: int, folder: int | None) -> None:
        self.bot = bot
        self.init = init
        self.folder = folder


class Rooms:
    """The things of each move's own inside bubblewrap: new namespaces of these kinds, ``furniture``
    of its /tmp, and an ``own`` folder if it keeps data. ``last_number`` is any namespace's, and
    ``home`` are the fork server's namespaces."""

    def __init__(
        self,
        namespaces: int,
        furniture: Furniture,
        last_number: LastNumber,
        home: list[int],
        own: OwnFolder | None = None,
    ) -> None:
        self.namespaces = namespaces
        self.furniture = furniture
        self.home = home
        self.own = own
        self.last_number = last_number


class Children:
    """The processes that this one has started: their starts, their ends, and how they ended.

    A bot can make processes that are the fork server's children (``CLONE_PARENT``). A namespace of
    processes does not end before all in it are reaped, so these are reaped too, and forgotten.
    """

    def __init__(self, rooms: Rooms | None, number: int | None = None) -> None:
        """``rooms`` are what a move has of its own inside bubblewrap; None: outside of it. Each
        bot's process has this ``number`` in its namespace, if there is one."""
        self._rooms = rooms
        self._number = number
        # What each process has come to that was started here: its status as waitpid has it and
        # what it has used; None until it is reaped.
        self._ends: dict[int, tuple[int, resource.struct_rusage] | None] = {}

    def start(self) -> MoveProcesses | None:
        """Start a process in namespaces of a move's own; None in that process.

        As much as possible is done before the fork: afterwards the kernel copies each page of
        memory that either of the two processes writes to.
        """
        rooms, init, folder = self._rooms, 0, None
        if rooms:
            rooms.last_number.begin_anew()
            enter_new(rooms.namespaces)
            rooms.furniture.put()
            folder = rooms.own.furnish() if rooms.own else None
            init = start_init()
            if self._number is not None:
                rooms.last_number.set_next(self._number)
        bot = os.fork()
        if not bot:
            return None
        if rooms:
            return_to(rooms.home)
            self._ends[init] = None
        self._ends[bot] = None
        return MoveProcesses(bot, init, folder)

    def is_reaped(self, process: int) -> bool:
        return self._ends.get(process) is not None

    def reap(self, process: int) -> tuple[int, resource.struct_rusage]:
        """Wait for a process; its status, as waitpid has it, and what it has used."""
        while not (end := self._ends[process]):
            reaped, status, usage = os.wait4(-1, ALL_KINDS)
            if reaped in self._ends:
                self._ends[reaped] = status, usage
        del self._ends[process]
        return end

    def kill(self, move: MoveProcesses) -> None:
        """Kill its bot, and without namespaces its process group.

        Unless the bot is reaped, so that its number may have gone to another process.
        """
        if self.is_reaped(move.bot):
            return
        for end in (os.kill,) if move.init else (os.kill, os.killpg):
            try:
                end(move.bot, SIGKILL)
            except ProcessLookupError:
                pass  # it has no group of its own yet

    def kill_init(self, move: MoveProcesses) -> None:
        """Have the kernel end all that is left of a move.

        Before its bot is reaped: a process that traces the bot would keep that from being done.
        """
        if move.init and not self.is_reaped(move.init):
            os.kill(move.init, SIGKILL)

    def reap_init(self, move: MoveProcesses) -> None:
        """Wait until all that was left of a move has ended."""
        if move.init:
            self.reap(move.init)
