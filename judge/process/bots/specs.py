"""Turns a spec, the text by which a user names a bot, into the bot's program and files.

A spec means the first of these that fits:

1. The file or folder of that very name: a folder with a ``bot.json`` or else a ``run.sh``, an
   executable file, or a script with a usual interpreter. If a bundled bot has the name too, the
   file or folder wins only if it has the makings of a bot: a stray folder hides no bundled bot.
2. The bare name of a bundled bot.
3. A command line: a program and its arguments, split as a shell would.

Any other spec raises a `UsageError` that names it and the mend. Nothing is started here, and only a
bot's manifest and first lines are read.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judge import schemas
from judge.errors import UsageError
from judge.process.bots import manifest
from judge.process.bots.files import is_executable, is_file, is_folder, names_in, quoted, reading
from judge.process.bots.interpreters import (
    KINDS,
    Interpreters,
    StartCommand,
    language_of,
    nothing_own,
)
from judge.process.bots.manifest import MANIFEST
from judge.process.bots.names import name_at
from judge.process.bots.tree import Tree

RUN = "run.sh"


@dataclass(frozen=True, slots=True)
class Found:
    """A bot before its files are digested. ``display_name`` is the bot's name in messages.

    ``words`` are the fixed words of a command line, for the digest. The other fields are as in
    `judge.process.bots.bot.Bot`.
    """

    display_name: str
    name: str
    command: tuple[str, ...]
    folder: Path
    files: tuple[Path, ...]
    path: str
    words: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    typed: tuple[str, ...] = ()
    wires: tuple[str, ...] = ()
    author: str = ""
    language: str = ""


def found_for(spec: str, using: Interpreters) -> Found:
    """The bot that ``spec`` means. The spec comes without ``NAME=`` and ``@WIRE``."""
    if not spec.strip():
        raise UsageError("a bot's name is empty; `judge bots` lists names that are always there")
    path = local(spec)
    bundled = None if "/" in spec else bundled_folders().get(spec)
    if path and (bundled is None or _has_makings(path)):
        return found_at(path, using)
    if bundled:
        return found_at(bundled, using)
    if len(spec.split()) > 1:
        return _command_line(spec, using)
    raise _nothing(spec, using)


def local(word: str) -> Path | None:
    """``word`` as a path, as it stands or with its ``~`` expanded, if something is there, or None
    otherwise.

    A symbolic link counts even if its target is missing. Raises `UsageError` if the path may not be
    looked at.
    """
    for path in (Path(word), _from_home(word)):
        try:
            path.lstat()
        except PermissionError:
            raise UsageError(f"{quoted(word)} cannot be looked at: permission denied") from None
        except OSError:
            continue
        return path
    return None


def _from_home(word: str) -> Path:
    with contextlib.suppress(RuntimeError):  # no user of that name has a home
        return Path(word).expanduser()
    return Path(word)


def bundled_folders() -> dict[str, Path]:
    """The folders of the bots that come with the judge, by the bots' names."""
    folder = schemas.bundled("bots")
    names = names_in(folder, quoted(folder)) if is_folder(folder) else []
    return {
        name: folder / name
        for name in names
        if not name.startswith((".", "_")) and is_folder(folder / name)
    }


def is_shelf(spec: str) -> bool:
    """Whether a spec means a folder that is not itself a bot, so that bots may lie in it."""
    path = local(spec)
    if path is None or not is_folder(path) or _has_makings(path):
        return False
    return "/" in spec or spec not in bundled_folders()


def found_at(path: Path, using: Interpreters) -> Found:
    """The bot at a path, which must exist."""
    with reading(quoted(path)):
        mode, real = path.stat().st_mode, path.resolve()
    if stat.S_ISDIR(mode):
        return _folder(path, real, using)
    if stat.S_ISREG(mode):
        return _file(path, real, using)
    raise UsageError(f"{quoted(path)} is neither a file nor a folder")


def _folder(path: Path, real: Path, using: Interpreters) -> Found:
    shown = quoted(path)
    inside = names_in(real, shown)
    if MANIFEST not in inside and RUN not in inside:
        raise UsageError(
            f"{shown} has no {RUN} and no {MANIFEST}; add one that starts the bot, or name what lies "
            "in there"
        )
    # The tree is checked before any of its files is opened, since a link in it could lead
    # elsewhere.
    tree = Tree.of(real, shown)
    using = using.without(real)
    if MANIFEST in inside:
        return _with_manifest(path, tree, using)
    if tree.file(RUN) is None:
        raise UsageError(f"{quoted(path / RUN)} is not a file")
    start = using.script(real / RUN, quoted(path / RUN), ".sh", tree.file)
    return Found(
        display_name=shown,
        name=name_at(path, real, is_file=False),
        command=start.command,
        folder=real,
        files=(real,),
        path=using.path,
        interpreters=start.interpreters,
        language=KINDS[".sh"].language,
    )


def _with_manifest(path: Path, tree: Tree, using: Interpreters) -> Found:
    shown = quoted(path / MANIFEST)
    file = tree.file(MANIFEST)
    if file is None:
        raise UsageError(f"{shown} is not a file")
    said = manifest.read(file, tree.root, shown)
    program, *arguments = said.command
    for made in said.built:
        if tree.file(made) is None:
            build = said.build
            how = (
                f"; its {MANIFEST} says how to build it, in that folder: `{build}`" if build else ""
            )
            raise UsageError(f"{quoted(path)} is not built: it has no {quoted(made)}{how}")
    start = _of_a_manifest(program, tree, using, of=shown)
    if tree.inside(next(iter(arguments), "")) is not None:  # files elsewhere are not inspected
        _check_words(program, arguments, tree.root, using, of=shown)
    return Found(
        display_name=quoted(path),
        name=said.name or name_at(path, tree.root, is_file=False),
        command=(*start.command, *arguments),
        folder=tree.root,
        files=(tree.root,),
        path=using.path,
        interpreters=start.interpreters,
        wires=said.wires,
        author=said.author,
        language=said.language or language_of(program),
    )


def _of_a_manifest(word: str, tree: Tree, using: Interpreters, *, of: str) -> StartCommand:
    """How the program of a manifest is started: a program of `Interpreters`, of the system, or of
    the bot itself."""
    if "/" not in word:
        return _named(word, tree.root, using, of=of)
    shown = _shown(word, of)
    inside = tree.inside(word)
    if inside is None:
        listed = using.starts(word)
        if listed is None:
            raise UsageError(
                f"{shown} is neither in the bot's folder nor on PATH; "
                "put it there, or name a program of PATH without its folder"
            )
        return StartCommand((word,), listed)
    if tree.file(word) is None and inside and inside not in tree.folders:
        raise UsageError(f"{shown} is not there")
    shows = using.check_program(tree.root / inside, shown, tree.file)
    return StartCommand((str(tree.root / word),), shows)


def _file(path: Path, real: Path, using: Interpreters) -> Found:
    shown = quoted(path)
    if path.name == MANIFEST:
        raise UsageError(f"{shown} is a manifest; name its folder: {quoted(path.parent)}")
    suffix = next((p.suffix.lower() for p in (path, real) if p.suffix.lower() in KINDS), "")
    start = using.script(real, shown, suffix, nothing_own)
    return Found(
        display_name=shown,
        name=name_at(path, real, is_file=True),
        command=start.command,
        folder=real.parent,
        files=(real,),
        path=using.path,
        interpreters=start.interpreters,
        language=KINDS[suffix].language if suffix else language_of(start.command[0]),
    )


def _command_line(spec: str, using: Interpreters) -> Found:
    """The bot of a command line. Words that name files become absolute paths, since the bot runs in
    its own folder. The user typed the paths, so they may lead anywhere.

    The program is one of the bot's files if it is named by a path and lies beside the first file
    among the other words, or if the other words name no file.
    """
    of = quoted(spec)
    try:
        words = [str(_from_home(word)) if word[:2] == "~/" else word for word in shlex.split(spec)]
    except ValueError as error:
        raise UsageError(f"{of} is not a command line: {str(error).lower()}") from None
    with reading("the current folder"):
        here = Path.cwd()
    start = _typed(words[0], here, using, of=of)
    program = start.command[0]
    _check_words(words[0], words[1:], here, using, of=of)

    files = {i: path for i, word in enumerate(words) if i and (path := _regular(word))}
    beside = {path.resolve().parent for path in list(files.values())[:1]}
    if "/" in words[0] and beside <= {Path(program).resolve().parent}:
        files = {0: Path(program), **files}
    reals = {i: path.resolve() for i, path in files.items()}
    folder = next((real.parent for real in reals.values()), here)
    names = {i: os.path.relpath(real, folder) for i, real in reals.items()}
    rest = list(enumerate(words))[1:]
    return Found(
        display_name=of,
        name=next((name_at(files[i], reals[i], is_file=True) for i in files), Path(words[0]).name),
        command=(
            *start.command,
            *(str(reals[i]) if i in reals else word for i, word in rest),
        ),
        folder=folder,
        files=tuple(dict.fromkeys(reals.values())),
        path=using.path,
        interpreters=start.interpreters,
        typed=() if program in start.interpreters else (program,),
        words=(
            names.get(0, Path(words[0]).name),
            *(names.get(i, word) for i, word in rest),
        ),
        language=language_of(words[0]),
    )


def _typed(word: str, base: Path, using: Interpreters, *, of: str) -> StartCommand:
    """How the program of a command line is started. A relative path is relative to ``base``."""
    if "/" not in word:
        return _named(word, base, using, of=of)
    path, shown = base / word, _shown(word, of)
    if not os.access(path, os.F_OK):
        raise UsageError(f"{shown} is not there")
    if using.lists(str(path)):
        return StartCommand((str(path),), (str(path),))
    return StartCommand((str(path),), using.check_program(path, shown, nothing_own))


def _named(word: str, base: Path, using: Interpreters, *, of: str) -> StartCommand:
    command = using.named(word)
    if command is None:
        beside = is_file(base / word)
        mend = f"the file of that name is ./{word}" if beside else "install it, or give its path"
        raise UsageError(f"{_shown(word, of)} is not on PATH; {mend}")
    return StartCommand(command, command[:1])


def _shown(program: str, of: str) -> str:
    return f"the program {quoted(program)} of {of}"


def _check_words(
    program: str, arguments: Sequence[str], base: Path, using: Interpreters, *, of: str
) -> None:
    """Raise `UsageError` if an interpreter would run a script, or env a program, that is not there:
    such a bot would lose every game."""
    if program == "env":
        behind = next((word for word in arguments if "=" not in word), "")
        if behind and behind[0] != "-" and "/" not in behind:
            _named(behind, base, using, of=of)
    script = next(iter(arguments), "")
    is_script = Path(script).suffix.lower() in KINDS and not script.startswith("-")
    if language_of(program) and is_script and not os.access(base / script, os.F_OK):
        raise UsageError(f"{of} would run {quoted(script)}, which is not there; correct its name")


def _regular(word: str) -> Path | None:
    path = local(word) if word and not word.startswith("-") else None
    return path if path and is_file(path) else None


def _has_makings(path: Path) -> bool:
    """Whether a path is meant to be a bot, even a broken one."""
    if is_folder(path):
        return any(os.path.lexists(path / name) for name in (MANIFEST, RUN))
    return path.suffix.lower() in KINDS or is_executable(path)


def _names_beside(spec: str) -> list[str]:
    """All paths in the folder of a missing bot; empty if the folder cannot be listed."""
    try:
        return [str(path) for path in Path(spec).parent.iterdir()]
    except (OSError, ValueError):  # no folder, no right to list it, or an impossible name
        return []


def _nothing(spec: str, using: Interpreters) -> UsageError:
    import difflib

    known = [*_names_beside(spec), *bundled_folders()]
    alike = dict.fromkeys(difflib.get_close_matches(str(Path(spec[:200])), known, n=3, cutoff=0.7))
    near = [name for name in alike if name in bundled_folders() or _has_makings(Path(name))]
    command = None if "/" in spec else using.named(spec)
    if near:
        mend = f"did you mean {' or '.join(map(quoted, near))}?"
    elif command:
        mend = f"for the program of that name, give its path: {command[0]}"
    else:
        mend = "`judge bots` lists the bundled ones"
    where = "nothing is there" if "/" in spec else "nothing here and no bundled bot is called that"
    return UsageError(f"there is no bot {quoted(spec)}: {where}; {mend}")
