"""The ledger of a command: the one that the argument LEDGER or --ledger names, and whether and where
games are kept."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from judge import writing
from judge.cli.configuration import is_typed
from judge.cli.ledgers.which_ledger import (
    LEDGER,
    OF_A_FOLDER,
    USUAL,
    is_kept,
    ledgers_in,
    only_ledger,
    require_there,
)
from judge.cli.options import LEDGER_FILE, Callback
from judge.cli.output import note
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.ledger import Ledger, read
from judge.contest.no_ledger import NoLedger
from judge.documents.codec import encode
from judge.documents.game import GameRecord
from judge.errors import LedgerError, UsageError
from judge.process.bots.bot import require_apart
from judge.quoting import word

if TYPE_CHECKING:
    from judge.cli.settings import Settings
    from judge.contest.setup import Setup


def say_what_has_changed(
    ledger: Ledger, players: Mapping[str, str | None], settings: Settings
) -> None:
    """Note each player whose files have changed since its last game in the ledger. ``players`` maps
    each bot's name to the digest of its files, and a person's name to None."""
    tally = ledger.tally
    for name, digest in players.items():
        last = tally.table.bots.get(name)
        if last is not None and tally.versions[name][last.version - 1] != digest:
            earlier = tally.version_of(name, digest)
            now = "a new version: its points go on with the name, its strength is counted anew"
            if earlier is not None:
                now = f"v{earlier} again: the games of that version count for it"
            settings.tell(
                f"the files of {name} have changed since its last game in {ledger.path}, so it is {now}"
            )


def is_ledger_named() -> bool:
    """Whether the user named the ledger, so that it is not just the default of the command."""
    context = click.get_current_context(silent=True)
    source = context and context.get_parameter_source("ledger")
    return source is not ParameterSource.DEFAULT


def the_ledger(option: Path | None) -> Path:
    """Return the ledger that --ledger names, or else the one that `only_ledger` finds.

    Raises `UsageError` if the folder has several ledgers, or if the ledger is a link that the user
    did not name: the folder may be a stranger's.
    """
    option = only_ledger() if option is None else option
    if not is_ledger_named() and option.is_symlink():
        raise UsageError(
            f"{option} is a symbolic link, and a link is followed only where it is named: "
            f"`--ledger {word(str(option))}`"
        )
    return option


@contextlib.contextmanager
def keeping(path: Path | None, setup: Setup) -> Iterator[Ledger | NoLedger]:
    """Open the ledger to which games are added. Yields `NoLedger` if ``path`` is None. Raises
    `UsageError` if the ledger has games under other conditions, or lies in a bot's folder."""
    if path is None:
        yield NoLedger()
        return
    require_apart(path, setup.bots)
    with opened(the_ledger(path)) as ledger:
        ledger.require(ConditionSet.of(setup.conditions))
        yield ledger


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Ledger]:
    """Open a ledger. The ledger's notices are printed after it is opened and after it is used."""
    with Ledger(path) as ledger:
        try:
            _tell(ledger.notices)
            yield ledger
        finally:
            _tell(ledger.notices)


def _tell(notices: list[str]) -> None:
    while notices:
        note(notices.pop(0))


def on_a_ledger(command: Callback) -> Callback:
    """Add the argument LEDGER and --ledger to a command, which gets the ledger that they name as
    ``path``."""

    @wraps(command)
    def with_path(path: Path | None, ledger: Path | None, **given: Any) -> None:
        command(path=one_ledger(path, ledger), **given)

    argument = click.argument("path", metavar="[LEDGER]", type=LEDGER, required=False)
    return argument(LEDGER_FILE(with_path))


def one_ledger(argument: str | Path | None, option: Path | None) -> Path:
    """Return the ledger that the argument LEDGER names, or else the one that --ledger means. Raises
    `UsageError` if both name a ledger, or if the ledger does not exist and another has nearly its
    name."""
    if argument is not None and is_typed("ledger"):
        raise UsageError(f"{argument} and --ledger {option}: name one ledger")
    path = the_ledger(option) if argument is None else Path(argument)
    require_there(path)
    return path


def ledger_and(
    words: Sequence[str], option: Path | None, most: int | None = None
) -> tuple[Path, list[str]]:
    """Return the ledger, and the words that do not name it. A first word that ends in .json names
    the ledger. If there are more than ``most`` words, the first one names the ledger, whatever it
    is.

    Raises `UsageError` if there are still too many, or if a ledger stands behind another word.
    """
    first, rest = None, list(words)
    behind = [word for word in rest[1:] if word.endswith(".json")]
    if behind and not rest[0].endswith(".json"):
        raise UsageError(
            f"{' '.join(words)}: the ledger comes first, so name {behind[0]} before {rest[0]}"
        )
    if rest and (rest[0].endswith(".json") or (most is not None and len(rest) > most)):
        first, *rest = rest
    if most is not None and len(rest) > most:
        raise UsageError(f"{' '.join(words)}: only a LEDGER may stand before BOT")
    return one_ledger(first, option), rest


def require_no_contest_elsewhere(ledger: Path, folder: Path, bots: Collection[str]) -> None:
    """Raise `UsageError` if ``ledger`` does not exist and another ledger holds a contest that has
    two or more of these bots. That other ledger may be a ``ledger.json`` that `--ledger` named, or
    the ledger of a folder that was renamed or removed."""
    if is_kept(ledger):
        return
    beside = ledger.with_name(USUAL.name)
    for other in dict.fromkeys((beside, USUAL, *_of_folders_gone(ledger.parent))):
        if not is_kept(other) or other.is_symlink():
            continue
        try:
            tally = read(other)
        except LedgerError as error:
            raise LedgerError(
                f"{error}. It may hold a contest of the bots in {folder}; name the ledger that is "
                f"meant, as in `--ledger {word(str(ledger))}`"
            ) from None
        if tally.seed is not None and len(tally.versions.keys() & set(bots)) > 1:
            raise UsageError(
                f"{other} holds a contest of the bots in {folder} already, and {ledger} is not "
                f"there: `--ledger {word(str(other))}` goes on with that contest, "
                f"`--ledger {word(str(ledger))}` begins a new one"
            )


def _of_folders_gone(path: Path) -> list[Path]:
    """Return the ledgers in ``path`` of contests whose folders are missing."""
    kept = [path for path in ledgers_in(path) if path.name.endswith(OF_A_FOLDER)]
    return [
        path for path in kept if not path.with_name(path.name.removesuffix(OF_A_FOLDER)).exists()
    ]


def require_new(path: Path) -> None:
    """Raise `UsageError` if the file exists already or its folder does not exist."""
    if path.exists():
        raise UsageError(f"{path} is there already, and stays as it is; name another")
    if not path.parent.is_dir():
        raise UsageError(f"{path}: there is no folder {path.parent}; make it first")


def save_record(path: Path, record: Callable[[], GameRecord]) -> Path:
    """Write a record to a new file, and return its path. Raises `UsageError` if the file exists
    already or cannot be written."""
    require_new(path)
    data = encode(record()) + b"\n"
    try:
        writing.create(path.parent, path.name, data)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
    return path
