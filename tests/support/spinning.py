"""Programs that compute all the time, on a processor of the test's choice."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator

SPINS = "while True: pass\n"


@contextlib.contextmanager
def python(program: str) -> Iterator[int]:
    """A Python program in a process group of its own, which is killed at the end, once it has said
    that it is ready."""
    started = subprocess.Popen(
        [sys.executable, "-S", "-c", f"{program}"], stdout=subprocess.PIPE, start_new_session=True
    )
    try:
        assert started.stdout is not None
        assert started.stdout.readline() == b"ready\n"
        yield started.pid
    finally:
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()
        assert started.stdout is not None
        started.stdout.close()


@contextlib.contextmanager
def busy(processor: int) -> Iterator[None]:
    """A processor on which three other programs compute all the time, each in a session of its
    own: however the kernel shares it out, nobody else gets half of it."""
    with contextlib.ExitStack() as programs:
        for _ in range(3):
            program = programs.enter_context(python(f"print('ready', flush=True)\n{SPINS}"))
            os.sched_setaffinity(program, {processor})
        yield
