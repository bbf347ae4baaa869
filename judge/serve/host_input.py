"""Reads the commands of the host of an XBS table, from a terminal or a script."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable

from judge.errors import BadOutput
from judge.wire.lines import LineBuffer

LONGEST = 4096  # bytes of a line
READ_AT_ONCE = 4096


def lines_of_host(descriptor: int, do: Callable[[str], None]) -> None:
    """Read lines from ``descriptor`` in a daemon thread, and call ``do`` with each in the event
    loop. Nothing is read if the judge begins as a background job, which the terminal would stop for
    reading."""
    loop = asyncio.get_running_loop()

    def listen() -> None:
        lines = LineBuffer(LONGEST)
        try:
            if os.isatty(descriptor) and os.tcgetpgrp(descriptor) != os.getpgrp():
                return
            while not lines.has_ended:
                lines.add(os.read(descriptor, READ_AT_ONCE))
                while (line := _next(lines)) is not None:
                    loop.call_soon_threadsafe(do, line.decode("utf-8", "replace"))
        except (OSError, RuntimeError):
            return  # there is no stdin, or the loop is closed

    threading.Thread(target=listen, name="host", daemon=True).start()


def _next(lines: LineBuffer) -> bytes | None:
    try:
        return lines.take()
    except BadOutput:
        return b""  # a line that is too long counts as an empty one
