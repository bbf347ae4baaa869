"""Finds the bots in a folder that can play, and the reason why anything else there cannot. Tests
bots before a contest begins."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

from judge.check import entry
from judge.check.entry import CHECKED, STARTED, Bots, TellTested
from judge.cli.ledgers.ledger_option import the_ledger
from judge.cli.ledgers.which_ledger import is_kept, names_of_the_judge
from judge.cli.output import several
from judge.cli.settings import Settings
from judge.cli.setup import set_up_found
from judge.cli.sinks import Started, StepDone, telling
from judge.contest.entrants import able, taking_part_by
from judge.contest.ledger.ledger import read
from judge.contest.ledger.tally import Tally
from judge.contest.seeds import DRAWN_BITS
from judge.contest.setup import Setup
from judge.errors import UsageError
from judge.likeness import did_you_mean
from judge.process.bots.bot import Bot, LeftOut, contestants, distinct
from judge.process.bots.data_file import DataSuffixes, stem_of
from judge.process.bots.files import quoted
from judge.process.bots.names import mixed_scripts
from judge.process.sandbox.isolation import holdable
from judge.wire import WIRES

_MOST_NEIGHBOURS = 1000  # folders that are searched for a similar name
_FEWEST_WITH_A_BAR = 100  # bots, which take some tenths of a second to read


def lying_in(
    folder: Path,
    settings: Settings,
    seats: int | None = None,
    *,
    renamed: Callable[[Bot], Bot] | None = None,
) -> tuple[tuple[Bot, ...], tuple[LeftOut, ...]]:
    """Return the bots in a folder that can play the rules and, without a cluster, that the
    isolation can hold. Return also what is left out, apart from files that belong to the judge or
    to players. Notes say what is left out and why. A game has ``seats``, or the fewest that the
    rules allow. ``renamed`` returns a bot under the name that it is to have. Raises `UsageError` if
    the folder does not exist, cannot be listed, or is itself a bot."""
    _require_folder(folder)
    with telling(settings) as take:

        def tell_progress(number: int, of: int) -> None:
            if number == 1 and of >= _FEWEST_WITH_A_BAR:
                take(Started(steps=of))
            take(StepDone(standing=lambda: f"reading the bots in {folder}"))

        bots, left_out = contestants(folder, **settings.finding, tell_progress=tell_progress)
    refused: tuple[LeftOut, ...] = ()
    if settings.cluster is None:  # otherwise each worker says what it can hold
        bots, refused = holdable(settings.isolation, settings.limits, bots)
    if renamed:
        bots = distinct([renamed(bot) for bot in bots])
    bots, unable = able(bots, settings.rules, seats)
    _say_mixed_scripts(bots, settings)
    own = {*names_of_the_judge(folder)}
    if usual := WIRES.get(settings.rules.wire):
        own |= {usual.library, *(_data_files(bots) if usual.learns else ())}
    left_out = (*(one for one in left_out if one.name not in own), *refused, *unable)
    say_left_out(left_out, settings)
    return bots, left_out


def _require_folder(folder: Path) -> None:
    """Raise `UsageError` if there is no such folder. The message names a similar one, if any."""
    if os.access(folder, os.F_OK):
        return
    others: list[str] = []
    with contextlib.suppress(OSError):
        beside = islice(folder.parent.iterdir(), _MOST_NEIGHBOURS)
        others = [str(path) for path in beside if path.is_dir() and not path.name.startswith(".")]
    near = did_you_mean(str(folder), others)
    if not os.path.lexists(folder):
        raise UsageError(f"there is no folder {quoted(folder)}.{near}")


def _data_files(bots: Iterable[Bot]) -> Iterator[str]:
    """Yield the names of files that may hold the data of these bots, if the bots learn."""
    beside = DataSuffixes()
    for bot in bots:
        yield from (f"{stem_of(bot)}{suffix}" for suffix in beside.of(bot))


def say_left_out(left_out: Iterable[LeftOut], settings: Settings) -> None:
    """Note which bots are left out and why. Bots with the same reason share a note."""
    names: dict[str, list[str]] = {}
    for one in left_out:
        names.setdefault(one.reason, []).append(one.name)
    for reason, these in names.items():
        each = "" if len(these) == 1 else ", each for the same reason"
        settings.tell(f"left out {', '.join(these)}{each}: {reason}")


def _say_mixed_scripts(bots: Iterable[Bot], settings: Settings) -> None:
    """Note the bots whose names mix letters of several scripts, which may look alike."""
    mixed = {bot.name: scripts for bot in bots if (scripts := mixed_scripts(bot.name))}
    said = [f"{name} ({' and '.join(scripts)})" for name, scripts in mixed.items()]
    if said:
        settings.tell(f"letters of several scripts, which may look alike, are in {several(said)}")


def held(settings: Settings) -> Tally | None:
    """Read the tally of a contest's ledger before the contest goes on. Returns None if no games are
    kept, or if the ledger does not exist yet."""
    if settings.ledger is None or not is_kept(path := the_ledger(settings.ledger)):
        return None
    return read(path)


def taking_part(
    bots: tuple[Bot, ...], settings: Settings, tally: Tally | None
) -> tuple[tuple[Bot, ...], tuple[LeftOut, ...]]:
    """Return the bots that take part, and those that an order in the contest's ledger takes out of
    the contest. ``tally`` is that of the ledger. Notes say which bots are left out."""
    if tally is None or settings.ledger is None:
        return bots, ()
    bots, left_out = taking_part_by(tally, bots, the_ledger(settings.ledger))
    say_left_out(left_out, settings)
    return bots, left_out


def conforming(bots: Bots, settings: Settings) -> tuple[Bots, tuple[LeftOut, ...]]:
    """Return the bots that conform by the checks of `judge check`, and the others. Notes say why
    each of the others failed and what to mend."""
    from judge.show.check import first_cause  # here, so that a contest without it does not load it

    setup = _set_up(bots, settings)
    with _progress(CHECKED, settings) as tell_tested:
        passing, failed = entry.conforming(
            bots, setup, first_cause, seed=_seed(), tell_tested=tell_tested
        )
    say_left_out(failed, settings)
    return passing, failed


def awake(bots: Bots, settings: Settings) -> tuple[Bots, tuple[LeftOut, ...]]:
    """Try to start each bot whose first protocol is over sockets. Return the bots that do not fail,
    and those that fail, which notes name."""
    with _progress(STARTED, settings) as tell_tested:
        setup = _set_up(bots, settings)
        heard, failed = entry.awake(bots, setup, seed=_seed(), tell_tested=tell_tested)
    say_left_out(failed, settings)
    return heard, failed


def _seed() -> int:
    """Return a seed that is not the contest's, so that the questions reveal nothing about its
    games."""
    return secrets.randbits(DRAWN_BITS)


def _set_up(bots: Bots, settings: Settings) -> Setup:
    return set_up_found(bots, replace(settings, quiet=True, cluster=None))


@contextlib.contextmanager
def _progress(done: str, settings: Settings) -> Iterator[TellTested]:
    """Yield a function that shows in the progress bar how many bots are ``done``."""
    with telling(settings) as take:

        def tell_tested(number: int, of: int, name: str) -> None:
            take(StepDone(standing=lambda: f"{name} is {done}") if number else Started(steps=of))

        yield tell_tested
