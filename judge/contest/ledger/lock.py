"""The lock that whoever writes a ledger holds."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from judge.contest.journal.journal import opened
from judge.errors import LedgerError

if TYPE_CHECKING:
    from filelock import BaseFileLock

POLL_SECONDS = 0.002  # how often who waits for the lock looks; adding takes some milliseconds


def lock_of(path: Path) -> BaseFileLock:
    """The lock of the ledger at ``path``, not held yet."""
    from filelock import FileLock

    return FileLock(path.with_name(f".{path.name}.lock"))


@contextlib.contextmanager
def locked(lock: BaseFileLock, path: Path) -> Iterator[None]:
    """Hold the lock of the ledger at ``path``; raises `LedgerError` if there can be none."""
    try:
        # The judge makes the lock's file itself: filelock would try for ever where no file can be
        # made, as in /proc, and would follow a link in its place.
        with opened(Path(lock.lock_file), os.O_RDWR | os.O_CREAT):
            pass
        lock.acquire(poll_interval=POLL_SECONDS)
    except OSError as error:
        raise LedgerError(
            f"no ledger can be kept in {path.parent}: {error.strerror}; --ledger names another "
            "place, --no-ledger does without"
        ) from error
    try:
        yield
    finally:
        lock.release()
