"""The launchers of a run, kept from game to game.

A launcher starts one bot again and again. It is lent to one game at a time. If the process that a
launcher keeps is in trouble, the launcher starts a new process.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from judge.process.run.launch import Launcher, Start
from judge.process.run.listening import Stop
from judge.process.sandbox.isolation import Isolation

_Kind = tuple[Isolation, Start]


class LauncherPool:
    """A pool with at most as many launchers as were ever lent at the same time. Thread-safe."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._lock = threading.Lock()
        self._idle: list[tuple[_Kind, Launcher]] = []  # the longest unused launcher comes first
        self._lent = 0
        self._most = 0

    @contextmanager
    def lent(
        self, isolation: Isolation, start: Start, luck: Mapping[str, str]
    ) -> Iterator[Launcher]:
        """A ``with`` block with a launcher for a game, from the pool or made by
        `Isolation.launcher`. ``luck`` are the environment variables that differ from game to
        game."""
        kind = (isolation, start)
        found, left = self._take(kind)
        try:
            if left:
                left.close()
            launcher = found or isolation.launcher(start, self._stop)
            launcher.begin_game(luck)
        except BaseException:
            with self._lock:
                self._lent -= 1
            raise
        try:
            yield launcher
        finally:
            launcher.end_game()
            with self._lock:
                self._lent -= 1
                self._idle.append((kind, launcher))

    def close(self) -> None:
        """End all launchers, and then wait for them. None may be in use."""
        with ExitStack() as closing:
            for _, launcher in self._idle:
                closing.callback(launcher.close)
                launcher.end()
        self._idle.clear()

    def _take(self, kind: _Kind) -> tuple[Launcher | None, Launcher | None]:
        """A pair: the idle launcher of this kind that was used last, or None; and an idle launcher
        that has to be closed to make room, or None."""
        with self._lock:
            self._lent += 1
            self._most = max(self._most, self._lent)
            for place in reversed(range(len(self._idle))):
                if self._idle[place][0] == kind:
                    return self._idle.pop(place)[1], None
            if self._lent + len(self._idle) > self._most:
                return None, self._idle.pop(0)[1]
            return None, None
