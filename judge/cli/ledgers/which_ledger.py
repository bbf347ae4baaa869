"""Finds the ledger of a command that names no ledger: that of a contest's folder, or the only one
in the current folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Sequence
from glob import escape
from pathlib import Path

from judge.cli.output import several
from judge.cli.reproduction import with_option
from judge.errors import UsageError
from judge.likeness import nearest

USUAL = Path("ledger.json")  # the ledger of fights, in the current folder
OF_A_FOLDER = ".ledger.json"  # ends the name of the ledger of a contest's folder
JOURNAL = ".games.jsonl"
CACHE = ".games.cache"
MOVED = ".from"  # ends the name of a file with the lines that `judge ledger restart` removed


def of_folder(folder: Path) -> Path:
    """Return ``FOLDER.ledger.json`` beside a contest's folder. The folder has the same ledger if it
    is named by a link or as ``.``.

    Raises `UsageError` for a folder without a name, such as ``/``.
    """
    real = Path(os.path.realpath(folder))
    if not real.name:
        raise UsageError(f"{folder} has no name that a ledger could have; name one with --ledger")
    path = real.with_name(f"{real.name}{OF_A_FOLDER}")
    return path if folder.is_absolute() else Path(os.path.relpath(path))


def only_ledger() -> Path:
    """Return the only ledger in the current folder, or else the ledger of the contest whose folder
    this is, or else `USUAL`, which does not exist then.

    Raises `UsageError` with a list of the ledgers if there are several.
    """
    found = ledgers_in(Path())
    if len(found) > 1:
        raise UsageError(
            f"there are {len(found)} ledgers in this folder, {several([*map(str, found)])}; name one, "
            f"as in `{with_option('--ledger', str(found[0]))}`"
        )
    return usual(found) or USUAL


def usual(found: Sequence[Path]) -> Path | None:
    """Return the only one of the ledgers ``found`` in the current folder. If none was found, return
    that of the contest whose folder this is. Returns None if several were found, or if there is no
    such contest."""
    if found:
        return found[0] if len(found) == 1 else None
    with contextlib.suppress(UsageError, OSError):
        if is_kept(contest := of_folder(Path())):
            return contest
    return None


def require_there(path: Path) -> None:
    """Raise `UsageError` if the path is no file, but a ledger of nearly the same name exists."""
    if not path.is_file() and (near := meant(path)):
        raise UsageError(f"{path}: there is no such ledger.{near}")


def meant(path: Path) -> str:
    """Return a question, after a space, that names the ledger which a wrong path may mean, or an
    empty text if no ledger has a similar name. The path of a contest's folder may mean the folder's
    ledger."""
    if not path.name or is_kept(path):
        return ""
    names = {_bare(one): one for one in ledgers_in(path.parent)}
    near = nearest(_bare(path), names, likeness=1.0 if path.is_dir() else 0.6)
    return "" if near is None else f" Did you mean {names[near]}?"


def _bare(path: Path) -> str:
    """Return the name of a ledger or a folder without the endings of ledgers."""
    return path.name.removesuffix(OF_A_FOLDER).removesuffix(".json")


def ledgers_in(folder: Path) -> list[Path]:
    """Return the ledgers in a folder, ordered by name. Each has a journal beside it."""
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return []
    stems = [name.removesuffix(JOURNAL) for name in names if name.endswith(JOURNAL)]
    return [path for stem in stems if stem and is_kept(path := folder / f"{stem}.json")]


def names_of_the_judge(folder: Path) -> Collection[str]:
    """Return the names of the ledgers in a folder, and of the judge's other files beside them."""
    names = set[str]()
    for path in ledgers_in(folder):
        journal = f"{path.stem}{JOURNAL}"
        cache = f"{path.stem}{CACHE}"
        locks = {f".{path.name}.lock", f".{path.name}.server.lock"}
        names |= {path.name, *locks, journal, f"{journal}.torn", cache}
        with contextlib.suppress(OSError):
            names |= {path.name for path in folder.glob(f"{escape(journal)}{MOVED}*")}
    return names


def is_kept(path: Path) -> bool:
    """Whether a ledger exists at the path, by its journal. Its other files may be missing."""
    journal = path.with_suffix(JOURNAL)
    return journal.is_file() and not journal.is_symlink()
