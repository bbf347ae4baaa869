"""The way from a user's name for a bot to a `Bot`, or to one sentence on why it is not a bot.

No bot is started here. `judge.process.bots.specs` says what a spec means. ``NAME=SPEC`` gives the
bot another name, and ``SPEC@WIRE/DIALECT`` says what it speaks, unless a file or folder has that
whole name.

A single-file player may load shared code from a folder that the user names for all players (--share),
or that lies beside it by the custom of its protocol.

A bot's files are digested when the bot is named. ``__pycache__`` and the folders of version control
are not part of a bot (`judge.process.bots.tree`).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path

from judge import schemas
from judge.documents.bots import Bundled
from judge.errors import UsageError
from judge.process.bots import files, manifest
from judge.process.bots.contents import Contents, contents
from judge.process.bots.data_file import stem_of
from judge.process.bots.files import is_folder, quoted
from judge.process.bots.interpreters import KINDS, Interpreters, language_of
from judge.process.bots.manifest import MANIFEST, check_text
from judge.process.bots.names import LONGEST_NAME, NamedBot, clean, told_apart
from judge.process.bots.specs import (
    RUN,
    Found,
    bundled_folders,
    found_at,
    found_for,
    local,
)
from judge.process.bots.stamps import FileStamp
from judge.wire import WIRES

MOST_BYTES = 2 * 2**20

# The new name has no space, slash or quote, so that no path or command line is taken for a
# renaming. It has no "#", by which the judge tells bots of one name apart.
_RENAMING = re.compile(rf"([^\W_][\w.+-]{{0,{LONGEST_NAME - 1}}})=(.*)", re.DOTALL)

# BOT@WIRE and BOT@WIRE/DIALECT; the name need not be that of a wire.
_SPEAKING = re.compile(r"([a-z][a-z0-9-]{0,29})(?:/([a-z0-9][a-z0-9.-]{0,29}))?")


@dataclass(frozen=True, slots=True)
class Bot:
    """A program that can be asked for moves.

    ``command`` is the program's path and its fixed arguments, to which a launcher may append more.
    ``folder`` is the working directory. ``files`` are the bot's folder or its single files; a
    command line may name none. ``digest`` is ``sha256:…`` over the files' relative names,
    executable bits and contents, and over the words of a command line. ``size`` is the bytes of the
    files. ``path`` is the ``PATH`` of the bot's environment. ``interpreters`` are the programs,
    outside of the files, that the bot needs and the judge may run: those on ``PATH``, the judge's
    own Python, and the Python of ``--python``. ``typed`` is any other program of a command line:
    the bot may see it, but the judge never runs it to ask its version. ``wires`` are the protocols
    that the bot speaks: the first that can express the rules is taken, or the usual one of the
    rules if there are no ``wires``. An empty ``dialect`` is the usual one of the wire. ``stamps``
    are the files as they were digested.
    """

    name: str
    command: tuple[str, ...]
    folder: Path
    files: tuple[Path, ...]
    digest: str
    size: int
    path: str
    wires: tuple[str, ...] = ()
    dialect: str = ""
    author: str = ""
    language: str = ""
    interpreters: tuple[str, ...] = ()
    typed: tuple[str, ...] = ()
    stamps: tuple[FileStamp, ...] = field(default=(), compare=False, repr=False)


def started_anywhere(bot: Bot) -> Bot:
    """The same bot for a start outside of its folder: relative paths in its command that name
    something in the folder become absolute."""
    return replace(bot, command=tuple(_from_anywhere(word, bot.folder) for word in bot.command))


def _from_anywhere(word: str, folder: Path) -> str:
    path = Path(os.path.normpath(folder / word))
    is_its_own = word[:1] not in ("", "-", "/") and path.is_relative_to(folder)
    return str(path) if is_its_own and os.path.lexists(path) else word


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An entry in a folder of bots that does not play. ``name`` is its name in the folder,
    ``reason`` says why, and ``bot`` is the bot's own name, or empty if it is not a bot."""

    name: str
    reason: str
    bot: str = ""


def find(
    spec: str, *, python: Path | None = None, most_bytes: int = MOST_BYTES, wire: str | None = None
) -> Bot:
    """The bot that ``spec`` means, checked as far as is possible without starting the bot.

    ``python`` runs Python bots in place of the judge's own interpreter. ``wire`` is the protocol of
    a bot whose spec names none. Raises `UsageError` if ``spec`` means no bot, if the bot cannot be
    read or started here, or if its files have more than ``most_bytes`` bytes.
    """
    return _find(spec, Interpreters.of(python), most_bytes, wire)


def find_all(
    specs: Iterable[str],
    *,
    python: Path | None = None,
    most_bytes: int = MOST_BYTES,
    wire: str | None = None,
) -> tuple[Bot, ...]:
    """The bots of all specs, in order. If several bots have one name, the later ones get ``#2``,
    ``#3``, … Raises as `find`."""
    using = Interpreters.of(python)
    return distinct([_find(spec, using, most_bytes, wire) for spec in specs])


def require_apart(path: Path, bots: Iterable[Bot]) -> None:
    """Raise `UsageError` if a file or folder that the judge is to write lies in a bot's folder,
    where all files are the bot's."""
    real = Path(os.path.realpath(path))
    for bot in bots:
        if any(file.is_dir() and real.is_relative_to(file) for file in bot.files):
            raise UsageError(
                f"{path} lies in the folder of {bot.name}, whose files are all the bot's; name a "
                f"place outside of it, such as {os.path.relpath(bot.folder.parent / path.name)}"
            )


def lying_at(path: Path, *, most_bytes: int = MOST_BYTES) -> Bot:
    """The bot at a path, which is not read as a spec. Raises `UsageError` if no bot lies there, if
    the bot cannot be read or started here, or if its files have more than ``most_bytes`` bytes."""
    return _made(found_at(path, Interpreters.of(None)), most_bytes)


def contestants(
    folder: Path,
    *,
    python: Path | None = None,
    most_bytes: int = MOST_BYTES,
    wire: str | None = None,
    tell_progress: Callable[[int, int], None] | None = None,
) -> tuple[tuple[Bot, ...], tuple[LeftOut, ...]]:
    """The bots in ``folder`` whose names can be told apart, and the entries that are left out, both
    sorted by name. ``tell_progress`` gets the number of each entry, from 1, before the entry is
    read, and the number of all entries.

    Raises `UsageError` if the folder is a file, cannot be listed, or is itself a bot.
    """
    shown = quoted(folder)
    using = Interpreters.of(python)
    if files.is_file(folder):
        raise UsageError(f"{shown} is a file; name the folder that the bots are in")
    entries = files.names_in(folder, shown)
    if MANIFEST in entries or RUN in entries:
        raise UsageError(f"{shown} is itself a bot; name the folder that the bots are in")
    bots: dict[str, Bot] = {}
    left_out: list[LeftOut] = []
    for number, entry in enumerate(entries, 1):
        if tell_progress:
            tell_progress(number, len(entries))
        if entry.startswith((".", "__")):
            left_out.append(LeftOut(clean(entry), "it is hidden"))
            continue
        try:
            _check_link(folder / entry)
            bots[entry] = _speaking(_made(found_at(folder / entry, using), most_bytes), wire)
        except UsageError as error:
            left_out.append(LeftOut(clean(entry), str(error)))
    names, reasons = told_apart(
        [NamedBot(entry, bot.files[0] != bot.folder, bot.name) for entry, bot in bots.items()]
    )
    left_out += [LeftOut(clean(entry), why, bots[entry].name) for entry, why in reasons.items()]
    playing = [replace(bots[entry], name=name) for entry, name in names.items()]
    return (
        tuple(sorted(playing, key=lambda bot: bot.name)),
        tuple(sorted(left_out, key=lambda one: one.name)),
    )


def _check_link(path: Path) -> None:
    """Raise `UsageError` for a symbolic link in a folder of bots, unless it leads to a bundled bot.

    The user did not type the link's name. A stranger's archive may hold such a link, which could
    make the judge run another file of the user and show lines of that file as evidence.
    """
    if path.is_symlink() and path.resolve() not in map(Path.resolve, bundled_folders().values()):
        raise UsageError(
            f"{quoted(path)} is a symbolic link to {quoted(path.readlink())}; "
            "put the bot itself into the folder, or name it in a fight"
        )


def bundled() -> list[Bundled]:
    """Every bot that comes with the judge, sorted by name."""
    using = Interpreters.of(None)
    return [_introduced(name, at, using) for name, at in bundled_folders().items()]


def strength() -> dict[str, dict[str, float]]:
    """The measured mean shots in which bundled bots clear a random board, by variant and then by
    bot."""
    measured: dict[str, dict[str, float]] = json.loads(
        (schemas.bundled("bots") / "strength.json").read_bytes()
    )
    return measured


def _find(spec: str, using: Interpreters, most_bytes: int, wire: str | None) -> Bot:
    check_text(spec, "a bot's name")
    renaming = _RENAMING.fullmatch(spec)
    if renaming and local(spec) is None:
        name, meant = renaming.groups()
        if not meant.strip():
            raise UsageError(f"no bot comes after the = of {quoted(spec)}; write NAME=BOT")
        return replace(_find(meant, using, most_bytes, wire), name=name)
    meant, _, said = spec.rpartition("@")
    speaking = _SPEAKING.fullmatch(said)
    # In a command line an @ may mean anything.
    is_meant = speaking and (speaking[1] in WIRES or not any(map(str.isspace, meant)))
    if meant and speaking and is_meant and local(spec) is None:
        spoken, dialect = speaking.groups()
        bot = _made(found_for(meant, using), most_bytes)
        return replace(bot, wires=(spoken,), dialect=dialect or "")
    return _speaking(_made(found_for(spec, using), most_bytes), wire)


def _speaking(bot: Bot, wire: str | None) -> Bot:
    return bot if wire is None else replace(bot, wires=(wire,))


def _made(found: Found, most_bytes: int) -> Bot:
    for word in found.command:
        check_text(word, f"the path of {found.display_name}")
    inside = contents(
        found.files,
        found.folder,
        shown=found.display_name,
        most_bytes=most_bytes,
        words=found.words,
    )
    return Bot(
        name=clean(found.name) or "bot",
        command=found.command,
        folder=found.folder,
        files=found.files,
        digest=inside.digest,
        size=inside.size,
        path=found.path,
        interpreters=found.interpreters,
        typed=found.typed,
        wires=found.wires,
        author=clean(found.author),
        language=clean(found.language),
        stamps=inside.stamps,
    )


def distinct(bots: Sequence[Bot]) -> tuple[Bot, ...]:
    """Give bots of one name different names: the first keeps the name, and each other gets the next
    number that makes a new name."""
    taken = {bot.name for bot in bots}
    seen: set[str] = set()
    result = []
    for bot in bots:
        name, number = bot.name, 2
        if name in seen:
            while (name := f"{bot.name}#{number}") in taken:
                number += 1
            taken.add(name)
        seen.add(bot.name)
        result.append(replace(bot, name=name))
    return tuple(result)


def _introduced(name: str, folder: Path, using: Interpreters) -> Bundled:
    said = manifest.read(folder / MANIFEST, folder, quoted(folder / MANIFEST))
    language, problem = said.language or language_of(said.command[0]), None
    try:
        _made(found_at(folder, using), MOST_BYTES)
        for kind in KINDS.values():
            if kind.language == language:  # a run.sh does not say which program it needs
                using.usual(kind, name)
    except UsageError as error:
        problem = str(error)
    return Bundled(name, language, _description(name, folder), problem, said.wires)


def _description(name: str, folder: Path) -> str:
    """The sentence on a bot in one of its files, after its name and a colon, as in ``# parity in
    Perl: searches one colour``. The first part of the name is enough for ``parity-perl``. Empty if
    no file has such a line."""
    opening = re.compile(rf"^\W*{re.escape(name.partition('-')[0])}\b[^:\n]*: ", re.MULTILINE)
    for path in sorted(folder.iterdir()):
        first = files.head(path, quoted(path)) if files.is_file(path) else b""
        text = first.decode("utf-8", "replace")
        if found := opening.search(text):
            lines = (line.strip(" \t#/*\"'") for line in text[found.end() :].splitlines())
            return " ".join(takewhile(bool, lines)).partition(". ")[0].rstrip(".") + "."
    return ""


# Shared code that single-file players may load


def sharing(bots: Sequence[Bot], folder: Path, most_bytes: int) -> tuple[Bot, ...]:
    """The same bots; each single-file bot may read ``folder``, whose files count as the bot's own.

    Raises `UsageError` if there is no such folder, if it is too large, cannot be read or holds one
    of the single-file bots, or if no bot is a single file.
    """
    shown = f"--share {quoted(folder)}"
    if not is_folder(folder):
        raise UsageError(f"{shown}: there is no such folder")
    folder = folder.resolve()
    single = [bot for bot in bots if stem_of(bot) is not None]
    if not single:
        raise UsageError(f"{shown} is for players that are single files, and none of these is one")
    for bot in single:
        if bot.folder.is_relative_to(folder):
            raise UsageError(f"{shown}: {bot.name} lies in it; share a folder that holds no player")
    inside = contents((folder,), folder, shown=shown, most_bytes=most_bytes)
    return tuple(bot if stem_of(bot) is None else _helped(bot, folder, inside) for bot in bots)


def with_library(bot: Bot, name: str, most_bytes: int) -> Bot:
    """The same bot; a single-file bot may also read the folder ``name`` beside it, unless that is
    missing or a link. Raises `UsageError` if the folder is too large or cannot be read."""
    folder = bot.folder / name
    if stem_of(bot) is None or folder.is_symlink() or not folder.is_dir() or folder in bot.files:
        return bot
    shown = f"{quoted(folder)}, which {bot.name} may load from,"
    return _helped(bot, folder, contents((folder,), folder, shown=shown, most_bytes=most_bytes))


def _helped(bot: Bot, folder: Path, inside: Contents) -> Bot:
    both = hashlib.sha256(f"{bot.digest} {inside.digest}".encode()).hexdigest()
    return replace(
        bot,
        files=(*bot.files, folder),
        digest=f"sha256:{both}",
        size=bot.size + inside.size,
        stamps=(*bot.stamps, *inside.stamps),
    )
