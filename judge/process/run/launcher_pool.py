"""The launchers of a run: what one game has started for a bot serves its next games, too.

A launcher is lent to one game at a time. The differences between games go with each move, so that a
game finds no trace of those before it; and a launcher in trouble starts anew what it keeps.
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
    """Launchers to be lent. Thread-safe; there are never more than have been lent at once."""

    def __init__(self, stop: Stop) -> None:
        self._stop = stop
        self._lock = threading.Lock()
        self._idle: list[
            tuple[_Kind, Launcher]
        ] = []  # the launcher that has waited longest comes first
        self._lent = 0
        self._most = 0

    @contextmanager
    def lent(
        self, isolation: Isolation, start: Start, luck: Mapping[str, str]
    ) -> Iterator[Launcher]:
        """A launcher as `Isolation.launcher` makes it, for a game with these variables, to be given
        back by the end of the block."""
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
        """End all, which nobody may be using any more: first each of them, and then wait."""
        with ExitStack() as closing:
            for _, launcher in self._idle:
                closing.callback(launcher.close)
                launcher.end()
        self._idle.clear()

    def _take(self, kind: _Kind) -> tuple[Launcher | None, Launcher | None]:
        """The one of that kind that was last used, if any; and one that has to make room."""
        with self._lock:
            self._lent += 1
            self._most = max(self._most, self._lent)
            for place in reversed(range(len(self._idle))):
                if self._idle[place][0] == kind:
                    return self._idle.pop(place)[1], None
            if self._lent + len(self._idle) > self._most:
                return None, self._idle.pop(0)[1]
            return None, None
