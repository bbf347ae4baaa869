"""The files of a ledger: their paths, the lock that writers hold, and the writing of ``X.json``."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from judge import waiting, writing
from judge.contest.ledger.journal import Journal, failing
from judge.contest.ledger.tally import Tally, document_of
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
    journal = Journal(path.with_suffix(".games.jsonl"))
    if journal.path.is_symlink():
        raise UsageError(
            f"{journal.path} is a symbolic link, and a journal is a file beside its ledger; put "
            "the file there, or name the ledger that it belongs to"
        )
    for file in (path, journal.path):
        if file.exists() and not file.is_file():
            raise UsageError(f"{file} is not a file, so {path} can be no ledger; name another")
    return path, journal


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


def written(tally: Tally) -> bytes:
    """The bytes of ``X.json`` for a tally."""
    return msgspec.json.encode(document_of(tally)) + b"\n"


def replace_standings(path: Path, tally: Tally) -> None:
    """Replace ``X.json`` atomically: a reader finds the old file or the new. Raises `LedgerError`
    if it cannot be written."""
    safe = "; every game is safe in its journal, from which it is written once it can be"
    with failing(path, "written", safe):
        writing.replace(path.parent, path.name, written(tally), durable=True)


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
