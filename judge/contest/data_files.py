"""The data of a ledger's players on the disk: each under its digest, in a folder beside the
ledger."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterator
from pathlib import Path

from judge import writing
from judge.contest.journal import sync_folder
from judge.contest.ledger_files import located
from judge.errors import LedgerError, UsageError
from judge.process.bots.data_file import DATA_BYTES, Data, suffix_in
from judge.process.bots.files import quoted


class DataFolder:
    """Where the data of a ledger's players lie."""

    def __init__(self, ledger: Path) -> None:
        self.path = located(ledger)[0].with_suffix(".data")

    def keep(self, data: Data) -> None:
        """Put data on the disk, unless they are there; raises `LedgerError`."""
        folder, name = self.path, _name(data.digest)
        try:
            writing.make_folder(folder.parent, folder.name)
            sync_folder(folder.parent)
            if writing.size(folder, name) != len(data.content):
                writing.replace(folder, name, data.content, durable=True, shared=True)
        except OSError as error:
            raise LedgerError(f"{folder / name} cannot be written: {error.strerror}") from error

    def clear(self, needed: Collection[str]) -> None:
        """Remove all data but those of the digests that are ``needed``, and what a judge that was
        killed had not written to its end; raises `LedgerError`.

        Only for who is `alone` with the data, for another judge may be writing.
        """
        names = {_name(digest) for digest in needed}
        try:
            for path in self.path.glob("*"):
                is_data = suffix_in(f"sha256:{path.name}") is not None
                is_unfinished = path.name.startswith(".") and path.suffix == ".new"
                if is_unfinished or (is_data and path.name not in names):
                    writing.remove(self.path, path.name)
        except OSError as error:
            raise LedgerError(f"{self.path} cannot be cleared: {error.strerror}") from error

    def drop(self, digest: str) -> None:
        """Remove the data of that digest, if they are there; raises `LedgerError`."""
        name = _name(digest)
        try:
            if writing.size(self.path, name) is not None:
                writing.remove(self.path, name)
        except OSError as error:
            raise LedgerError(f"{self.path / name} cannot be removed: {error.strerror}") from error

    def read(self, digest: str) -> Data:
        """The data of that digest; raises `LedgerError` if they are not there as they were."""
        suffix = suffix_in(digest)
        if suffix is None:
            raise LedgerError(
                f"{self.path}: the journal names data that there cannot be: {quoted(digest)}"
            )
        path = self.path / _name(digest)
        try:
            with os.fdopen(writing.opened(path, os.O_RDONLY), "rb") as file:
                content = file.read(DATA_BYTES + 1)
        except OSError as error:
            raise LedgerError(
                f"{path} cannot be read: {error.strerror}; it holds what a player has learned by its "
                "last game, so bring it back"
            ) from error
        data = Data(suffix, content)
        if data.digest != digest:
            raise LedgerError(f"{path} is damaged: it is not what its name says; bring back a copy")
        return data


@contextlib.contextmanager
def alone(ledger: Path) -> Iterator[None]:
    """Keep other judges from going on with the same data; raises `UsageError` if one does."""
    from filelock import FileLock, Timeout

    lock = ledger.with_name(f".{ledger.name}.learning.lock")
    try:
        os.close(writing.opened(lock, os.O_RDWR | os.O_CREAT))
        with FileLock(lock).acquire(timeout=0):
            yield
    except Timeout:
        raise UsageError(
            f"another judge plays games with --learning on for {ledger}, and each player's are played "
            "one after another; wait for it, or name another --ledger"
        ) from None


def _name(digest: str) -> str:
    return digest.removeprefix("sha256:")
