"""What a move may cost, and how the kernel is told so."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

from judge.game.record import Limits

MOST_FILE_BYTES = 16 * 2**20
GRACE_SECONDS = 0.020  # for a pipe that a grandchild still holds after the bot's exit
MOST_STDERR_BYTES = 32 * 2**10  # kept from the start, and as many from the end


def prlimit(program: str, limits: Limits) -> Sequence[str]:
    """The command that sets the limits and then becomes the bot.

    A process in between, because limits set from outside after the start come too late for a
    bot that is quick, and a hook between fork and exec would cost with the judge's size.

    The memory limit is on data, not on address space: node, java and go reserve far more
    address space than they ever touch. The limit on processor time is a net for what escapes the
    deadline (a daemon in a session of its own), so it is a second more generous, and on every core:
    a bot with threads may use them all.
    """
    return (
        program,
        f"--data={limits.memory_bytes}",
        f"--fsize={MOST_FILE_BYTES}",
        f"--cpu={(math.ceil(limits.timeout_ms / 1000) + 1) * (os.cpu_count() or 1)}",
        "--core=0",
        "--",
    )
