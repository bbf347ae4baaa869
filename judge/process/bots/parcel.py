"""A bot's files as one parcel for another machine, and that machine's cache of unpacked bots.

A parcel names the digest of its bot, and the unpacked files must have this digest. So a stranger's
parcel cannot bring another bot than it says.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from judge.errors import BotChanged, JudgeFault, UsageError
from judge.process.bots.bot import Bot, lying_at, with_library
from judge.process.bots.contents import ContentPart, parts

_FOLDER = "bot"  # the bot's own folder, inside its folder in the cache
_DIGEST = re.compile("sha256:([0-9a-f]{64})")
_ELF = b"\x7fELF"


@dataclass(frozen=True, slots=True)
class Parcel:
    """A bot's files and links. ``size`` is the bytes of the files.

    ``file`` is the name of the bot's file if the bot is a single file, and ``library`` the name of
    the folder beside it from which it may load. Either is empty if it does not exist.
    """

    digest: str
    size: int
    parts: tuple[ContentPart, ...]
    file: str = ""
    library: str = ""


def packed(bot: Bot) -> Parcel:
    """The parcel of a bot. Raises `UsageError` if the bot is neither one folder nor one file, apart
    from a library beside the file, or if its files have changed since they were digested."""
    first, *more = bot.files or (bot.folder,)
    library = more[0].name if len(more) == 1 and more[0].parent == bot.folder else ""
    lying = lying_at(first, most_bytes=bot.size)
    if library:
        lying = with_library(lying, library, bot.size)
    if (lying.digest, lying.files) != (bot.digest, bot.files):
        raise UsageError(
            f"{bot.name} cannot be sent to another machine, for it is more than a folder or a file; "
            "put all that it needs into a folder with a bot.json"
        )
    found: list[ContentPart] = []
    for path in (first, *more):
        folder, before = (path, f"{path.name}/") if path in more else (bot.folder, "")
        found += [
            ContentPart(before + part.name, part.data, part.is_link, part.is_executable)
            for part in parts([path], folder, shown=bot.name, most_bytes=bot.size)
        ]
    file = "" if first == bot.folder else first.name
    return Parcel(bot.digest, bot.size, tuple(found), file, library)


def packed_as_known(bot: Bot) -> Parcel:
    """The parcel of a bot that could be packed before. Raises `BotChanged` if its files have changed
    since."""
    try:
        return packed(bot)
    except UsageError as error:
        raise BotChanged(bot.name, str(error)) from None


def foreign_program(bot: Bot) -> str | None:
    """The name of a bot's compiled program for another kind of machine, if the bot has no program
    for this kind, or None otherwise."""
    own = _machine(Path("/proc/self/exe"))
    found = {
        look.path: _machine(Path(look.path))
        for look in bot.stamps
        if os.access(look.path, os.X_OK) and not os.path.islink(look.path)  # noqa: PTH114 - a text
    }
    others = [Path(path).name for path, machine in found.items() if machine not in (None, own)]
    return others[0] if others and own not in found.values() else None


def _machine(path: Path) -> bytes | None:
    """The kind of machine that a compiled program is made for, as bytes of its ELF header, or None
    if the file is not ELF."""
    with path.open("rb") as file:
        head = file.read(20)
    return head[4:6] + head[18:20] if head.startswith(_ELF) else None


class BotCache:
    """A cache of bots unpacked from parcels, read-only, below a folder of its own. The bots have at
    most ``most_bytes`` together, unless those in use have more. Only one process may use the
    folder. Thread-safe."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder = folder
        self._most_bytes = most_bytes
        self._held: dict[str, Bot] = {}  # bots by digest, the one used last at the end
        self._used = Counter[str]()  # current users of each bot
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def using(self, parcels: Iterable[Parcel]) -> Iterator[tuple[dict[str, Bot], dict[str, str]]]:
        """A ``with`` block with the unpacked bots of these parcels, by digest, and the reasons,
        also by digest, why this machine cannot run the others, such as a missing interpreter.

        Raises `JudgeFault` for a parcel that cannot be unpacked or does not hold its bot.
        """
        known: dict[str, Bot] = {}
        unfit: dict[str, str] = {}
        with self._lock:
            for parcel in parcels:
                digest = parcel.digest
                try:
                    if digest not in self._held:
                        self._held[digest] = self._unpacked(parcel)
                    known[digest] = self._held[digest] = self._held.pop(digest)
                except UsageError as error:
                    unfit[digest] = str(error)
            self._used.update(known.keys())
            self._make_room()
        try:
            yield known, unfit
        finally:
            with self._lock:
                self._used.subtract(known.keys())
                self._used = +self._used
                self._make_room()

    def close(self) -> None:
        """Remove all unpacked bots."""
        with self._lock:
            for digest in [*self._held]:
                self._drop(digest)

    def _make_room(self) -> None:
        """Drop bots that are not in use, the longest unused first, until the cache is small
        enough."""
        over = sum(bot.size for bot in self._held.values()) - self._most_bytes
        for digest in [one for one in self._held if one not in self._used]:
            if over <= 0:
                return
            over -= self._held[digest].size
            self._drop(digest)

    def _drop(self, digest: str) -> None:
        _remove(self._place(digest))
        del self._held[digest]

    def _place(self, digest: str) -> Path:
        found = _DIGEST.fullmatch(digest)
        if found is None:
            raise JudgeFault(f"{digest[:80]!r} is not a digest of a bot")
        return self._folder / found[1]

    def _unpacked(self, parcel: Parcel) -> Bot:
        path = self._place(parcel.digest)
        _remove(path)  # left by a judge that was killed
        with self._filled(parcel) as filled:
            filled.rename(path)
        with contextlib.ExitStack() as undoing:
            undoing.callback(_remove, path)
            bot = _lying_in(path / _FOLDER, parcel)
            if bot.digest != parcel.digest:
                raise JudgeFault(f"a parcel holds other files than those of {parcel.digest}")
            if program := foreign_program(bot):
                raise UsageError(f"its program {program} is made for another kind of machine")
            undoing.pop_all()
        return bot

    @contextlib.contextmanager
    def _filled(self, parcel: Parcel) -> Iterator[Path]:
        """A new folder with the files of a parcel. The folder is removed after the block unless it
        was moved.

        Links come last, so that no link can lead elsewhere while files are written.
        """
        if sum(len(part.data) for part in parcel.parts) > parcel.size:
            raise JudgeFault(f"the parcel of {parcel.digest} holds more than it says")
        self._folder.mkdir(parents=True, exist_ok=True)
        filled = Path(tempfile.mkdtemp(dir=self._folder, prefix="."))
        try:
            (filled / _FOLDER).mkdir()
            for part in sorted(parcel.parts, key=lambda one: one.is_link):
                _write(filled / _FOLDER, part)
            _make_read_only(filled / _FOLDER)
            filled.chmod(0o755)  # a bot may run as another user
            yield filled
        except (OSError, ValueError) as error:
            raise JudgeFault(f"the parcel of {parcel.digest} cannot be unpacked: {error}") from None
        finally:
            _remove(filled)


def _write(folder: Path, part: ContentPart) -> None:
    """Write a file or a link of a parcel. Raises ValueError for a name that leads out of the
    folder."""
    steps = PurePosixPath(part.name).parts
    if not steps or ".." in steps or part.name.startswith("/"):
        raise ValueError(f"{part.name!r} is not a name of a file in it")
    path = folder.joinpath(*steps)
    path.parent.mkdir(parents=True, exist_ok=True)
    if part.is_link:
        path.symlink_to(os.fsdecode(part.data))
        return
    with path.open("xb") as file:
        file.write(part.data)
    path.chmod(0o755 if part.is_executable else 0o644)


def _lying_in(folder: Path, parcel: Parcel) -> Bot:
    if not parcel.file:
        return lying_at(folder, most_bytes=parcel.size)
    for name in (parcel.file, parcel.library or parcel.file):
        if name in ("", ".", "..") or not {"/", "\0"}.isdisjoint(name):
            raise JudgeFault(f"a parcel names {name!r}, which is not a file or folder of it")
    bot = lying_at(folder / parcel.file, most_bytes=parcel.size)
    return with_library(bot, parcel.library, parcel.size) if parcel.library else bot


def _make_read_only(folder: Path) -> None:
    for root, _, files in os.walk(folder, topdown=False):
        for name in files:
            path = Path(root, name)
            if not path.is_symlink():
                path.chmod(0o555 if path.stat().st_mode & 0o100 else 0o444)
        Path(root).chmod(0o555)


def _remove(folder: Path) -> None:
    """Remove a folder of unpacked files with all that is in it. A missing folder is ignored."""
    for root, _, _ in os.walk(folder):
        Path(root).chmod(0o755)
    shutil.rmtree(folder, ignore_errors=True)
