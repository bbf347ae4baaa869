"""The data files of a ledger, which hold what its players have learned. They lie in a folder beside
the ledger. A file's name is the digest of its content."""

from __future__ import annotations

import re
from collections.abc import Collection
from contextlib import AbstractContextManager
from pathlib import Path

from judge import writing
from judge.contest.ledger.files import located, locked
from judge.errors import LedgerError, UsageError
from judge.process.bots.data_file import DATA_BYTES, Data, suffix_in
from judge.process.bots.files import quoted

_UNFINISHED = re.compile(r"\A\.(.*)\.[0-9]+\.new\Z", re.DOTALL)  # as `writing.replace` names it


class DataFolder:
    """The folder beside a ledger that holds its players' data."""

    def __init__(self, ledger: Path) -> None:
        """``ledger`` is the ledger's path. Raises `UsageError` if it cannot be a ledger's path, or
        if a link or a file has the folder's name."""
        self.path = path = located(ledger)[0].with_suffix(".data")
        if path.is_symlink() or (path.exists() and not path.is_dir()):
            kind = "a symbolic link" if path.is_symlink() else "no folder"
            raise UsageError(
                f"{path} is {kind}, and what players have learned lies in a folder of that name "
                "beside the ledger; move it away, or name another --ledger"
            )

    def keep(self, data: Data) -> None:
        """Put data on the disk, unless a file with their name and size is there. Raises
        `LedgerError` if they cannot be written."""
        root, below = self.path.parent, self._below(data.digest)
        try:
            writing.make_folder(root, self.path.name)
            writing.sync_folder(root)
            if writing.size(root, below) != len(data.content):
                writing.replace(root, below, data.content, durable=True, shared=True)
        except OSError as error:
            raise LedgerError(f"{root / below} cannot be written: {error.strerror}") from error

    def clear(self, needed: Collection[str]) -> None:
        """Remove the data whose digests are not ``needed``, and all files that a killed judge left
        unfinished. Raises `LedgerError` if the folder cannot be cleared.

        The caller must hold `alone`, since another judge may be writing data.
        """
        root, names = self.path.parent, {_name(digest) for digest in needed}
        try:
            for name in writing.names_in(root, self.path.name):
                meant = _UNFINISHED.sub(r"\1", name)
                is_data = suffix_in(f"sha256:{meant}") is not None
                if is_data and name not in names:
                    writing.remove(root, f"{self.path.name}/{name}")
        except FileNotFoundError:
            return  # nothing has been learned yet
        except OSError as error:
            raise LedgerError(f"{self.path} cannot be cleared: {error.strerror}") from error

    def drop(self, digest: str) -> None:
        """Remove the data of a digest, if they are there. Raises `LedgerError` if that fails."""
        root, below = self.path.parent, self._below(digest)
        try:
            if writing.size(root, below) is not None:
                writing.remove(root, below)
        except OSError as error:
            raise LedgerError(f"{root / below} cannot be removed: {error.strerror}") from error

    def read(self, digest: str, player: str) -> Data:
        """The data of a digest. Raises `LedgerError` if they are missing, unreadable or damaged, or
        if the digest is invalid; the error names the ``player`` whose data they are."""
        suffix = suffix_in(digest)
        if suffix is None:
            raise LedgerError(
                f"{self.path}: the journal names data that cannot exist: {quoted(digest)}"
            )
        path, mend = self.path / _name(digest), _mend(player)
        try:
            content = writing.read(self.path.parent, self._below(digest), DATA_BYTES + 1)
        except OSError as error:
            raise LedgerError(
                f"{path} cannot be read: {error.strerror}; it holds what {player} has learned by "
                f"its last game, so bring it back; {mend}"
            ) from error
        data = Data(suffix, content)
        if data.digest != digest:
            raise LedgerError(
                f"{path} is damaged: its contents do not match its name; restore a copy; {mend}"
            )
        return data

    def _below(self, digest: str) -> str:
        """The path of the data of a digest, relative to the folder that the ledger lies in."""
        return f"{self.path.name}/{_name(digest)}"


def alone(ledger: Path) -> AbstractContextManager[None]:
    """Hold the lock of a ledger's data until the block ends. Raises `UsageError` if another judge
    holds it, and `LedgerError` if the lock's file cannot be made."""
    return locked(
        ledger,
        ".learning",
        f"another judge plays games with --learning on for {ledger}, and each player's are played "
        "one after another; wait for it, or name another --ledger",
    )


def _name(digest: str) -> str:
    return digest.removeprefix("sha256:")


def _mend(player: str) -> str:
    """The advice if a player's data are lost, as the end of a sentence."""
    return (
        f"if there is no copy, change a comment in the program of {player}: as a new version, it "
        "begins with the data that lie beside it"
    )
