"""Finds the ledger of a command that names no ledger: that of a contest's folder, or the only one
in the current folder. click's types for ledgers, games and the names of bots, whose values a shell
completes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Iterable, Sequence
from functools import partial
from glob import escape
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from judge.cli.output import several
from judge.cli.reproduction import with_options
from judge.cli.values.files import file_seen_from
from judge.cli.values.value import Value
from judge.errors import JudgeFault, UsageError
from judge.likeness import nearest

if TYPE_CHECKING:
    import click

    from judge.contest.ledger.tally import Tally

USUAL = Path("ledger.json")  # the ledger of fights, in the current folder
OF_A_FOLDER = ".ledger.json"  # ends the name of the ledger of a contest's folder
JOURNAL = ".games.jsonl"
CACHE = ".games.cache"
MOST_OFFERED = 50  # numbers of games that a shell is offered
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
            f"as in `{with_options('--ledger', str(found[0]))}`"
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


# Typed names of ledgers


def _ledgers(ctx: click.Context, _: str) -> list[str]:
    """Return the ledgers in the current folder. A ladder has one ledger, which is not typed."""
    return [] if _ladder(ctx) else [str(path) for path in ledgers_in(Path())]


def _ladder(ctx: click.Context) -> Path | None:
    """Return the folder of a command of `judge host`, or None for any other command."""
    return ctx.parent.params.get("folder") if ctx.parent else None


def _games(ctx: click.Context, begun: str, *, has_bare_numbers: bool = False) -> Iterable[str]:
    """Return the words to offer: the ledgers, or after a # the numbers of a ledger's last games. If
    ``has_bare_numbers``, a number without a # is completed, too."""
    place, mark, digits = begun.rpartition("#")
    if not mark and not (has_bare_numbers and (digits.isdecimal() or _ladder(ctx))):
        return _ledgers(ctx, begun)
    tally = _tally(Path(place) if place else _named(ctx))
    numbers = map(str, range(tally.recorded, 0, -1) if tally else ())
    found = (f"{place}{mark}{number}" for number in numbers if number.startswith(digits))
    return islice(found, MOST_OFFERED)


def _players(ctx: click.Context, _: str) -> Sequence[str]:
    """Return the bots of the ledger that was typed, or else of the usual one."""
    tally = _tally(_named(ctx))
    return sorted(tally.versions) if tally else []


def _contestants(ctx: click.Context, begun: str) -> Sequence[str]:
    """Return the bots in the folder of a contest, or those of the ledger if no folder is typed."""
    # Behind an option that has no value yet, click has not told arguments from other words.
    folder = ctx.params.get("folder") or next((Path(word) for word in ctx.args), None)
    if folder is None:
        return _players(ctx, begun)
    from judge.process.bots.bot import contestants

    try:
        return [bot.name for bot in contestants(folder)[0]]
    except UsageError:
        return []


def _named(ctx: click.Context) -> Path | None:
    """Return the ledger that was typed before the word to complete, or that of the ladder, or
    None."""
    if ladder := _ladder(ctx):
        return ladder / USUAL
    typed: Path | None = ctx.params.get("ledger") or ctx.params.get("path")
    words = ctx.params.get("words") or ctx.args  # as in `_contestants`
    if typed is None and words and words[0].endswith(".json"):
        return Path(words[0])
    return typed


def _tally(ledger: Path | None) -> Tally | None:
    """Read the tally of a ledger, or of the usual one if ``ledger`` is None. Returns None if there
    is no such ledger or it cannot be read."""
    from judge.contest.ledger.ledger import read

    path = usual(ledgers_in(Path())) if ledger is None else ledger
    try:
        return read(path) if path else None
    except (UsageError, JudgeFault):
        return None


LEDGER = Value(
    "FILE",
    lambda text: Path(text).expanduser(),
    offers=_ledgers,
    files=True,
    seen_from=file_seen_from,
)
GAME = Value(
    "GAME",
    str,
    offers=_games,
    files=True,
    seen_from=lambda folder, text: text if text[:1] == "#" else str(folder / text),
)
NUMBER = Value("NUMBER", str, offers=partial(_games, has_bare_numbers=True), files=True)
PLAYER = Value("BOT", str, offers=_players)
CONTESTANT = Value("BOT", str, offers=_contestants)
LEDGER_OR_PLAYER = Value("BOT", str, offers=lambda *begun: [*_players(*begun), *_ledgers(*begun)])
