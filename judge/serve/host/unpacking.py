"""Unpacks an entrant's upload: only files and folders, and only within limits.

The archive comes from a stranger, who may mean harm. Bytes are counted as they are unpacked,
whatever sizes the archive states. The judge itself writes each file, and refuses links, devices and
paths that lead out of the folder. The functions raise `UsageError` with a sentence for the author,
and OSError for an error of the disk.
"""

from __future__ import annotations

import io
import re
import stat
import tarfile
import time
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from gzip import BadGzipFile, GzipFile
from pathlib import Path
from typing import IO, NamedTuple, Self

from judge.errors import UsageError
from judge.process.bots.manifest import MANIFEST
from judge.process.bots.specs import RUN
from judge.process.bots.tree import IGNORED
from judge.quoting import word

MOST_FILES = 1000  # files and folders
MOST_DEPTH = 16  # parts of a path
MOST_RATIO = 200  # times its own length that an archive may unpack to
LEAST = 64 * 2**10  # bytes that an archive may unpack to besides
LONGEST_NAME = 200  # bytes of a part of a path
LONGEST_HEADER = 4096  # bytes of a header of a tar file: a path has at most 3,216
MOST_SECONDS = 3.0  # processor seconds that a tar file may take
_LEFT_OUT = IGNORED | {"__MACOSX", ".DS_Store"}
_PAX = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
_PROGRAMS = (b"#!", b"\x7fELF")  # beginnings of files that can be executed
_UNREADABLE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    BadGzipFile,
    zlib.error,
    EOFError,
    ValueError,
    OverflowError,  # a zip file that places an entry beyond 2**63 bytes
    IndexError,  # half a list of the holes in a file of a tar file
    RuntimeError,  # a password, or a zip file of a later version
)
_TOO_MANY = f"it holds more than {MOST_FILES:,} files and folders"
_LINK = "{} is a link or a device; send files and folders alone"
_FILE_NAME = re.compile(r"[\w][\w.+-]{0,99}")


class _Entry(NamedTuple):
    """A file or a folder of an archive; ``file`` is None for a folder."""

    name: str
    file: IO[bytes] | None
    is_executable: bool = False


def unpack(data: bytes, file_name: str, into: Path, most_bytes: int) -> None:
    """Unpack an archive (``.zip``, ``.tar.gz``, ``.tgz``) into the new folder ``into``, or put any
    other file there. All files together may have ``most_bytes``; fewer if the archive is short."""
    most = left = min(most_bytes, MOST_RATIO * len(data) + LEAST)
    into.mkdir()
    known: set[Path] = set()
    files = 0
    try:
        for number, entry in enumerate(_entries(data, file_name, most)):
            parts = _parts(entry.name)
            if number > 2 * MOST_FILES:  # folders and ignored files count here, too
                raise UsageError(_TOO_MANY)
            if entry.file is None or not _LEFT_OUT.isdisjoint(parts):
                continue
            paths = [into.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1)]
            known.update(paths)
            if len(known) > MOST_FILES:
                raise UsageError(_TOO_MANY)
            content = entry.file.read(left + 1)
            left -= len(content)
            if left < 0:
                raise UsageError(
                    f"its files have more than {most:,} bytes, which is the most for a bot or for an "
                    "archive of this length"
                )
            _write(paths, content, entry)
            files += 1
    except _UNREADABLE as error:
        raise UsageError(f"{_shown(file_name)} cannot be unpacked: {error}") from None
    if not files:
        raise UsageError(f"{_shown(file_name)} holds no file")


def _entries(data: bytes, file_name: str, most: int) -> Iterator[_Entry]:
    lower = file_name.lower()
    if lower.endswith(".zip"):
        return _of_zip(data)
    if lower.endswith((".tar.gz", ".tgz")):
        return _of_tar(data, most)
    return iter([_Entry(_file_name(file_name), io.BytesIO(data))])


def _write(paths: Sequence[Path], content: bytes, entry: _Entry) -> None:
    """Write the file at the last of these paths; the others are its folders. Nobody else writes
    there."""
    *folders, path = paths
    try:
        for folder in folders:
            with suppress(FileExistsError):
                folder.mkdir(mode=0o755)
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError:
        raise UsageError(f"two entries of the archive are called {_shown(entry.name)}") from None
    except NotADirectoryError:
        raise UsageError(f"{_shown(entry.name)} lies in a file and a folder of one name") from None
    path.chmod(0o755 if entry.is_executable or content.startswith(_PROGRAMS) else 0o644)


def program_in(folder: Path) -> Path:
    """Return the path of the bot: the folder if it has a manifest or a ``run.sh``, or else the only
    file in it. If the folder holds only another folder, the bot is searched there. Raises
    `UsageError` in any other case."""
    names = sorted(path.name for path in folder.iterdir())
    if MANIFEST in names or RUN in names:
        return folder
    if len(names) == 1:
        (only,) = folder.iterdir()
        return program_in(only) if only.is_dir() else only
    raise UsageError(
        f"it has {len(names)} files and no {MANIFEST} and no {RUN}; add one that starts the bot"
    )


def _parts(name: str) -> list[str]:
    """Return the parts of an entry's path. Raises `UsageError` for a path that leads out of the
    folder, has a backslash, is empty or too deep, or has an unprintable or too long part."""
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or ".." in parts:
        raise UsageError(
            f"{_shown(name)} leads out of the archive; a path is relative and has no .. in it"
        )
    parts = [part for part in parts if part not in ("", ".")]
    is_plain = all(part.isprintable() and len(part.encode()) <= LONGEST_NAME for part in parts)
    if not parts or not is_plain:
        raise UsageError(f"{_shown(name)} is not a name for a file of a bot")
    if len(parts) > MOST_DEPTH:
        raise UsageError(f"{_shown(name)} lies more than {MOST_DEPTH} folders deep")
    return parts


def _shown(name: str) -> str:
    shown = name.encode(errors="replace").decode()
    return word(shown if len(shown) <= LONGEST_NAME else f"{shown[:LONGEST_NAME]}…")


def _file_name(given: str) -> str:
    """Return the name under which a single sent file is written: its own, or ``bot`` if that is
    unfit."""
    name = given.replace("\\", "/").rpartition("/")[2]
    return name if _FILE_NAME.fullmatch(name) else "bot"


def _of_zip(data: bytes) -> Iterator[_Entry]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            mode = info.external_attr >> 16
            if info.filename.endswith("/"):  # `is_dir` fails for an empty name
                yield _Entry(info.filename, None)
                continue
            if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
                raise UsageError(_LINK.format(_shown(info.filename)))
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise UsageError(f"{_shown(info.filename)} is packed in a rare way; use deflate")
            with archive.open(info) as file:
                yield _Entry(info.filename, file, bool(mode & 0o111))


def _of_tar(data: bytes, most: int) -> Iterator[_Entry]:
    whole = _Bounded(GzipFile(fileobj=io.BytesIO(data)), most + 2048 * MOST_FILES)
    with tarfile.open(fileobj=whole, mode="r|", tarinfo=_Member) as archive:  # type: ignore[call-overload] # it only reads
        for info in archive:
            if not (info.isdir() or info.isreg()) or info.issparse():
                raise UsageError(_LINK.format(_shown(info.name)))
            if info.name != ".":
                yield _Entry(info.name, archive.extractfile(info), bool(info.mode & 0o111))


class _Member(tarfile.TarInfo):
    """An entry of a tar file. A long PAX header is refused: the time in which some versions of
    Python read a header grows with the square of its length. No other thread runs meanwhile."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        header = super().frombuf(buf, encoding, errors)
        if header.type in _PAX and header.size > LONGEST_HEADER:
            raise UsageError(f"a PAX header of the archive has more than {LONGEST_HEADER:,} bytes")
        return header


class _Bounded:
    """Reads a file, and raises `UsageError` after ``most`` bytes or `MOST_SECONDS` of the thread's
    processor time."""

    def __init__(self, file: IO[bytes] | GzipFile, most: int) -> None:
        self._file = file
        self._left = most
        self._end = time.thread_time() + MOST_SECONDS

    def read(self, size: int) -> bytes:
        if time.thread_time() > self._end:
            raise UsageError(f"it takes more than {MOST_SECONDS:g} seconds to unpack")
        data = self._file.read(max(0, min(size, self._left + 1)))
        self._left -= len(data)
        if self._left < 0:
            raise UsageError("it unpacks to more than a bot may have")
        return data
