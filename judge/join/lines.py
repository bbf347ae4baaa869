"""A person at somebody's table without a screen: each event is a line, and so is each command."""

from __future__ import annotations

import os
import select
import time

from judge.errors import BadOutput, Interrupted
from judge.join.driving import Driver
from judge.join.sitting import Want
from judge.wire.lines import LineBuffer

LONGEST = 4096  # bytes of a command
READ_AT_ONCE = 4096


class LineClient:
    """Has commands come from the descriptor ``stdin``. Raises as the driver."""

    def __init__(self, driver: Driver, *, stdin: int) -> None:
        self._driver = driver
        self._stdin = stdin
        self._lines = LineBuffer(LONGEST)

    def run(self) -> None:
        """Play until the person has had enough."""
        driver, sitting = self._driver, self._driver.sitting
        try:
            while sitting.want is not Want.END:
                if sitting.want is not Want.STAY:
                    driver.connect()
                driver.pass_on()
                self._wait()
            driver.pass_on()
        except Interrupted:
            sitting.leave()
            driver.pass_on()
            raise
        finally:
            driver.hang_up()

    def _wait(self) -> None:
        """Wait for the server, for a command, or for the time of the next try."""
        driver, listens = self._driver, self._driver.listens
        watched = [self._stdin, *([] if listens is None else [listens])]
        timeout = 0.0 if driver.has_more else driver.tries_in
        ready, _, _ = select.select(watched, [], [], timeout)
        if listens is not None and (driver.has_more or listens in ready):
            driver.hear()
        if self._stdin in ready:
            self._obey()

    def _obey(self) -> None:
        self._lines.add(os.read(self._stdin, READ_AT_ONCE))
        driver, sitting = self._driver, self._driver.sitting
        while sitting.want is not Want.END:
            try:
                line = self._lines.take()
            except BadOutput:
                sitting.printed.append("? no command is so long")
                continue
            if line is None:
                break
            sitting.typed(line.decode("utf-8", "replace"), time.monotonic())
            driver.pass_on()
        if self._lines.has_ended:
            sitting.leave()
