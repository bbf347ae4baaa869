"""Which processes are whose children, and which are running."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def children(process: int | str = "self") -> set[int]:
    """The processes that a process has started and not reaped; dead ones are among them."""
    found: set[int] = set()
    with suppress(OSError):  # a process that has just ended
        for task in Path("/proc", str(process), "task").iterdir():
            with suppress(OSError):  # a thread that has just ended
                found.update(map(int, (task / "children").read_text().split()))
    return found


def descendants(process: int) -> list[int]:
    """A process, and all below it."""
    return [process, *(one for child in children(process) for one in descendants(child))]


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie waiting for init to reap it."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
