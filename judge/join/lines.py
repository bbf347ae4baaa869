"""The line mode of a person at a server's table: reads lines with commands, and prints the news."""

from __future__ import annotations

import os
import time

from judge import waiting
from judge.errors import BadOutput, Interrupted, ServerFault, UsageError
from judge.join.address import other_game
from judge.join.client_session import Want
from judge.join.driving import Driver
from judge.wire.lines import LineBuffer

LONGEST = 4096  # bytes of a command
READ_AT_ONCE = 4096
SILENT_SECONDS = 30.0


class TerminalClient:
    """Plays with the commands that are read from the descriptor ``stdin``. Raises as `Driver` does.

    If ``stdin`` is not a terminal, no command is read while the session awaits an answer of the
    server. Then `ServerFault` is raised if the answer takes more than `SILENT_SECONDS`, and
    `UsageError` at the end if the table has refused the last name.
    """

    def __init__(self, driver: Driver, *, stdin: int) -> None:
        self._driver = driver
        self._stdin = stdin
        self._is_terminal = os.isatty(stdin)
        self._lines = LineBuffer(LONGEST)
        self._waits_since: float | None = None  # when it began to wait for the server

    def run(self) -> None:
        """Play until the person ends the session."""
        driver, sitting = self._driver, self._driver.sitting
        try:
            while True:
                if sitting.want is not Want.STAY:
                    driver.connect()
                driver.pass_on()
                self._obey()
                if sitting.want is Want.END:
                    break
                if sitting.want is not Want.CONNECT:
                    self._wait()
            driver.pass_on()
        except Interrupted:
            sitting.leave()
            driver.pass_on()
            raise
        finally:
            driver.hang_up()
        if sitting.refusal and not self._is_terminal:
            raise UsageError(sitting.refusal)

    @property
    def _has_to_wait(self) -> bool:
        """Whether no command is taken until the server has answered."""
        return not self._is_terminal and self._driver.sitting.awaits_answer

    def _wait(self) -> None:
        """Wait for the server, a command or the time of the next try, and read what has come."""
        driver, listens = self._driver, self._driver.listens
        watched = [] if listens is None else [listens]
        timeout = 0.0 if driver.has_more else driver.tries_in
        if self._has_to_wait:
            left = self._seconds_left()
            timeout = left if timeout is None else min(timeout, left)
        else:
            self._waits_since = None
            watched.append(self._stdin)
        ready = waiting.ready(*watched, seconds=timeout)
        if listens is not None and (driver.has_more or listens in ready):
            driver.hear()
        if self._stdin in ready:
            self._lines.add(os.read(self._stdin, READ_AT_ONCE))

    def _seconds_left(self) -> float:
        """How many seconds the server may still be silent. Raises `ServerFault` if none are
        left."""
        now = time.monotonic()
        if self._waits_since is None:
            self._waits_since = now
        left = self._waits_since + SILENT_SECONDS - now
        if left <= 0.0:
            sitting = self._driver.sitting
            raise ServerFault(
                f"the server at {sitting.address} has not answered for {SILENT_SECONDS:g} s"
                f"{other_game(sitting.address)}"
            )
        return left

    def _obey(self) -> None:
        """Do the commands that have come. At the end of the input, leave."""
        driver, sitting = self._driver, self._driver.sitting
        while sitting.want is not Want.END and not self._has_to_wait:
            try:
                line = self._lines.take()
            except BadOutput:
                sitting.printed.append("? no command is so long")
                continue
            if line is None:
                if self._lines.has_ended:
                    sitting.leave()
                break
            sitting.typed(line.decode("utf-8", "replace"), time.monotonic())
            driver.pass_on()
