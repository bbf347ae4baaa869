"""Keeps a program that lives for a match from computing while it is not asked.

A player may not compute unasked, and players of one game may share processors. A program that goes
on computing after its answer is stopped until it is asked again. A program that waits is left
alone: some of its calls, such as ``epoll_wait``, would fail if it were stopped.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Protocol

from judge.process.run.processes import family, is_runnable, next_look, used_ns

FIRST_LOOK_SECONDS = 0.0003  # after a question; an honest program that is not asked waits by then
LOOK_SECONDS = 0.010  # seconds between two looks, at most
LITTLE_NS = 200_000  # nanoseconds of processor time to write an answer and come to rest
MOST_NS = 5_000_000
MOST_ESCAPES = 3
SEARCH_SHARE = 20.0  # the next search for processes waits for this many times the last one's length


class Pausable(Protocol):
    """A program that can be stopped."""

    def first(self) -> Sequence[int]:
        """See `judge.process.run.processes.First`."""

    def pause(self) -> None:
        """Stop the program, with the processes that it has started."""

    def resume(self) -> None:
        """Let the stopped program go on."""


class Pausing:
    """The programs of one game that live for a match. The class is a
    `judge.process.run.processes.Lookout`."""

    def __init__(self) -> None:
        self.due = math.inf
        self._programs: list[Paused] = []

    def add(self, program: Pausable, end: Callable[[], None]) -> Paused:
        """Add a program that was just started. ``end`` is called if the program goes on computing
        although it was stopped."""
        added = Paused(self, program, end)
        self._programs.append(added)
        return added

    def remove(self, program: Paused) -> None:
        """Forget a program that ends."""
        self._programs.remove(program)

    def begin(self) -> None:
        """Note that a program was asked or has answered, so that programs that are not asked are
        looked at soon."""
        self.due = time.monotonic() + FIRST_LOOK_SECONDS if self._resting else math.inf

    def look(self, now: float) -> None:
        self.due = next_look(now, LOOK_SECONDS)
        for paused in self._resting:
            paused.look(now)

    @property
    def _resting(self) -> list[Paused]:
        """The programs that are not asked."""
        return [program for program in self._programs if not program.is_asked]


class Paused:
    """The state of one program of a game: whether it is asked, and whether it is stopped."""

    def __init__(self, game: Pausing, program: Pausable, end: Callable[[], None]) -> None:
        self._game = game
        self._program = program
        self._end = end
        self.is_asked = False
        self._is_stopped = False
        self._used: dict[int, int] = {}  # processor time of its processes when it came to rest
        self._search_due = math.inf  # the time of the next search for new processes
        self._escapes = 0

    def ask(self) -> None:
        """Note that the program is asked, or may exit. A stopped program goes on."""
        self.is_asked = True
        self.resume()
        self._game.begin()

    def resume(self) -> None:
        """Let the program go on if it was stopped, until the next look."""
        if self._is_stopped:
            self._is_stopped = False
            self._program.resume()

    def rest(self) -> None:
        """Note that the program has answered."""
        self.is_asked = False
        self._game.begin()
        self._used = {process: used_ns(process) for process in self._used}
        self._search_due = time.monotonic() + LOOK_SECONDS

    def look(self, now: float) -> None:
        """Stop the program if it computes. End it at the look that finds it computing although it
        was stopped for the `MOST_ESCAPES`th time."""
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
        """Whether the program computes: it has used too much processor time since it came to rest
        or was stopped, or it is not stopped and has a new process that can run. The known processes
        are looked at first, which is quick; if a search is due, new ones are then searched for."""
        used = {process: used_ns(process) for process in self._used}
        # A process that has ended may have given its number to another, so no difference counts as
        # negative.
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
