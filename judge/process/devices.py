"""The few devices that a held bot gets.

Their owner may change a device's rights and times, bound to wherever it is. So for a judge that
owns the machine's, that is root, each run gets new ones: a bot could else take /dev/null from
everybody, or leave a note in its times for the next move.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

DEVICES = ("null", "zero", "random", "urandom")

_OURS = re.compile(r"judge-(\d+)-\d+")
_numbers = itertools.count(1)


def are_ours() -> bool:
    """Whether this process owns the machine's devices."""
    return Path("/dev/null").stat().st_uid == os.getuid()


@contextlib.contextmanager
def bound() -> Iterator[tuple[str, ...]]:
    """Arguments of bubblewrap that bind the devices; raises `OSError` if none can be made."""
    if not are_ours():
        yield _arguments("/dev")
        return
    folder = Path(_place(), f"judge-{os.getpid()}-{next(_numbers)}")
    folder.mkdir(0o700)
    try:
        for path in (folder / name for name in DEVICES):
            os.mknod(path, 0o666 | stat.S_IFCHR, Path("/dev", path.name).stat().st_rdev)
            path.chmod(0o666)  # whatever the umask
        yield _arguments(str(folder))
    finally:
        _remove(folder)


def _arguments(folder: str) -> tuple[str, ...]:
    return tuple(
        word for name in DEVICES for word in ("--dev-bind", f"{folder}/{name}", f"/dev/{name}")
    )


@cache
def _place() -> str:
    """Where devices work as such; cleared of what judges that were killed left there."""
    usual = tempfile.gettempdir()
    place = "/dev" if os.statvfs(usual).f_flag & os.ST_NODEV else usual
    for folder in Path(place).glob("judge-*"):
        name = _OURS.fullmatch(folder.name)
        if name and not Path("/proc", name[1]).exists():
            with contextlib.suppress(OSError):  # another judge was quicker
                _remove(folder)
    return place


def _remove(folder: Path) -> None:
    for name in DEVICES:
        (folder / name).unlink(missing_ok=True)
    folder.rmdir()
