"""The fork server's child processes, one for each move: their starts and ends.

This file runs inside of the sandbox, like `judge.process.sandbox.fork_server`.
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
    """The processes of a move. ``bot`` is the number of the bot's process. ``init`` is the number
    of the first process of the move's namespace, or 0 outside of bubblewrap. ``folder`` is a
    descriptor of the own folder of a player that keeps data, or None."""

    def __init__(self, bot: int, init: int, folder: int | None) -> None:
        self.bot = bot
        self.init = init
        self.folder = folder


class Rooms:
    """The facilities for each move inside bubblewrap. ``namespaces`` are the kinds of new
    namespaces, ``furniture`` makes the move's /tmp, and ``own`` makes the folder of a player that
    keeps data. ``last_number`` sets process numbers, and ``home`` are the fork server's own
    namespaces."""

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
    """The child processes of this process: starts, ends, and exit statuses.

    A bot can make processes that are the fork server's children (``CLONE_PARENT``). A pid namespace
    ends only when all its processes are reaped, so these are reaped too.
    """

    def __init__(self, rooms: Rooms | None, number: int | None = None) -> None:
        """``rooms`` is None outside of bubblewrap. If ``number`` is given, each bot's process gets
        this number in its namespace."""
        self._rooms = rooms
        self._number = number
        # The wait status and the usage of each process that was started here, or None until it is
        # reaped.
        self._ends: dict[int, tuple[int, resource.struct_rusage] | None] = {}

    def start(self) -> MoveProcesses | None:
        """Start a process in the move's own namespaces. Returns None in the new process.

        As much as possible is done before the fork, since after it the kernel copies each page of
        memory that one of the two processes writes to.
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
        """Wait for a process, and return its wait status and usage."""
        while not (end := self._ends[process]):
            reaped, status, usage = os.wait4(-1, ALL_KINDS)
            if reaped in self._ends:
                self._ends[reaped] = status, usage
        del self._ends[process]
        return end

    def kill(self, move: MoveProcesses) -> None:
        """Kill the bot of a move and, without namespaces, its process group. A reaped bot is left
        alone, since its number may belong to another process."""
        if self.is_reaped(move.bot):
            return
        for end in (os.kill,) if move.init else (os.kill, os.killpg):
            try:
                end(move.bot, SIGKILL)
            except ProcessLookupError:
                pass  # the bot has no group of its own yet

    def kill_init(self, move: MoveProcesses) -> None:
        """Have the kernel end all processes that are left of a move.

        Call this before the bot is reaped, which a process that traces the bot would prevent.
        """
        if move.init and not self.is_reaped(move.init):
            os.kill(move.init, SIGKILL)

    def reap_init(self, move: MoveProcesses) -> None:
        """Wait until all processes of a move have ended."""
        if move.init:
            self.reap(move.init)
