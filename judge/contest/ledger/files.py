"""The files of a ledger: their paths, and the lock that writers hold."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from judge import waiting, writing
from judge.contest.ledger.journal import Journal
from judge.errors import LedgerError, UsageError

POLL_SECONDS = 0.002  # seconds between two tries for the lock, which is held for some milliseconds


def located(path: Path) -> tuple[Path, Journal]:
    """The path of a ledger's ``X.json``, with symbolic links resolved, and the journal
    ``X.games.jsonl`` beside it.

    Only the path that the user gave may be a link; the journal may not. Neither file has to exist.
    Raises `UsageError` if the path cannot be a ledger's.
    """
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    if path.is_dir():
        raise UsageError(
            f"{path} is a folder; --ledger names a file, such as {path / 'ledger.json'}"
        )
    if path.suffix != ".json":
        raise UsageError(f"{path}: a ledger's name ends in .json")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}; make it first")
    journal = path.with_suffix(".games.jsonl")
    if journal.is_symlink() or (journal.exists() and not journal.is_file()):
        kind = "a symbolic link" if journal.is_symlink() else "not a file"
        raise UsageError(
            f"{journal} is {kind}, and a journal is a file beside its ledger; put the file there, or "
            "name the ledger that it belongs to"
        )
    return path, Journal(journal)


def require_ledger(path: Path) -> tuple[Path, Journal]:
    """The path of an existing ledger, and its journal. Raises `UsageError` if there is no such
    ledger. Raises `LedgerError` if only its journal is missing."""
    path, journal = located(path)
    if not journal.path.exists():
        if path.exists():
            raise LedgerError(
                f"{path} is there, but its journal {journal.path} is not: bring that back, or remove "
                f"{path} and {journal.path.with_suffix('.cache').name} to begin anew"
            )
        raise UsageError(f"{path}: there is no such ledger; a fight or a contest makes one")
    return path, journal


@contextlib.contextmanager
def locked(path: Path, use: str = "", busy: str = "") -> Iterator[None]:
    """Hold a lock of the ledger at ``path`` until the block ends: the lock of its writers, or the
    lock for another ``use``. Waits for another holder, or raises `UsageError` with the text
    ``busy``. Raises `LedgerError` if the lock's file cannot be made."""
    lock = path.with_name(f".{path.name}{use}.lock")
    with contextlib.ExitStack() as stack:
        while True:
            try:
                stack.enter_context(writing.locked(lock))
                break
            except BlockingIOError:
                if busy:
                    raise UsageError(busy) from None
                waiting.sleep(POLL_SECONDS)
            except OSError as error:
                raise LedgerError(
                    f"no ledger can be kept in {path.parent}: {error.strerror}; --ledger names "
                    "another place, --no-ledger does without"
                ) from error
        yield
