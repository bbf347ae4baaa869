"""The programs of one game that live on: no one of them computes while another is asked.

No rules let a player think unasked, and players of one game may share processors. A program that
goes on computing after its answer is stopped until it is asked again. One that sits still is left
alone: some calls of a program that waits, such as ``epoll_wait``, fail when it is stopped.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from judge.process.run.processes import family, is_runnable, next_look, used_ns

FIRST_LOOK_SECONDS = 0.0003  # after a question: by then an honest program waits for its next one
LOOK_SECONDS = 0.010  # between two looks, at most
LITTLE_NS = 200_000  # of processor time: a program writes its answer and comes to rest
MOST_NS = 5_000_000
MOST_ESCAPES = 3
SEARCH_SHARE = 20.0  # times the length of a search for processes, before the next one


class Pausable(Protocol):
    """A program that can be stopped."""

    def first(self) -> Sequence[int]:
        """See `judge.process.run.processes.First`."""

    def pause(self) -> None:
        """Stop it, with what it has started."""

    def resume(self) -> None:
        """Let it go on."""


class Pausing:
    """The programs of one game; a `judge.process.run.processes.Lookout`."""

    def __init__(self) -> None:
        self.due = math.inf
        self._programs: list[Paused] = []

    def add(self, program: Pausable, end: Callable[[], None]) -> Paused:
        """Look after a program too, which has just been started; ``end`` ends it for good if it
        goes on although it is stopped."""
        added = Paused(self, program, end)
        self._programs.append(added)
        return added

    def remove(self, program: Paused) -> None:
        """A program ends."""
        self._programs.remove(program)

    def begin(self) -> None:
        """Another program is asked, or has come to rest: those that are not asked have to be still
        soon."""
        resting = any(not program.is_asked for program in self._programs)
        self.due = time.monotonic() + FIRST_LOOK_SECONDS if resting else math.inf

    def look(self, now: float) -> None:
        self.due = next_look(now, LOOK_SECONDS)
        for paused in [program for program in self._programs if not program.is_asked]:
            paused.look(now)


class Paused:
    """One program of a game: whether it is asked, and whether it is stopped."""

    def __init__(self, game: Pausing, program: Pausable, end: Callable[[], None]) -> None:
        self._game = game
        self._program = program
        self._end = end
        self.is_asked = False
        self._is_stopped = False
        self._used: dict[int, int] = {}  # by its processes, when it came to rest
        self._search_due = math.inf  # when new processes are looked for, once some are known
        self._escapes = 0

    def ask(self) -> None:
        """It is asked, or may go its way, and goes on if it was stopped."""
        self.is_asked = True
        self.resume()
        self._game.begin()

    def resume(self) -> None:
        """Let it go on, until it is looked at again, if it was stopped."""
        if self._is_stopped:
            self._is_stopped = False
            self._program.resume()

    def rest(self) -> None:
        """It has answered."""
        self.is_asked = False
        self._game.begin()
        self._used = {process: used_ns(process) for process in self._used}
        self._search_due = time.monotonic() + LOOK_SECONDS

    def look(self, now: float) -> None:
        """Stop it if it computes."""
        if not self._computes(now):
            return
        if self._is_stopped:
            self._escapes += 1
            if self._escapes == MOST_ESCAPES:
                self._end()
                return
        self._program.pause()
        self._is_stopped, self._used = True, {}

    def _computes(self, now: float) -> bool:
        """Whether it has used too much since it came to rest, or since it was seen to be stopped.

        Looks first at the processes that are known, which is quick, and then for others.
        """
        used = {process: used_ns(process) for process in self._used}
        # One that has ended, whose number may be another's by now, is no credit to the others.
        total = sum(max(used[process] - before, 0) for process, before in self._used.items())
        if total > MOST_NS:
            return True
        if total > LITTLE_NS and not self._is_stopped and any(map(is_runnable, used)):
            return True
        if self._used and now < self._search_due:
            return False
        new = [process for process in family(self._program.first()) if process not in used]
        taken = time.monotonic() - now
        self._search_due = now + max(LOOK_SECONDS, SEARCH_SHARE * taken)
        self._used |= {process: used_ns(process) for process in new}
        return not self._is_stopped and any(map(is_runnable, new))
