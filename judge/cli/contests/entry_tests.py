"""Tests bots before a contest begins, with a progress bar. A bot that fails is left out of the
contest, and a note says why."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from dataclasses import replace

from judge.check import entry
from judge.check.entry import CHECKED, STARTED, Bots, TellTested
from judge.cli.contests.contestants import say_left_out
from judge.cli.settings import Settings
from judge.cli.setup import set_up_found
from judge.cli.sinks import Started, StepDone, telling
from judge.contest.seeds import DRAWN_BITS
from judge.contest.setup import Setup
from judge.process.bots.bot import LeftOut


def conforming(bots: Bots, settings: Settings) -> tuple[Bots, tuple[LeftOut, ...]]:
    """Return the bots that conform by the checks of `judge check`, and the others. Notes say why
    each of the others failed."""
    from judge.show.check_table import causes  # here, so that a contest without it does not load it

    setup = _set_up(bots, settings)
    with _progress(CHECKED, settings) as tell_tested:
        passing, failed = entry.conforming(
            bots, setup, causes, seed=_seed(), tell_tested=tell_tested
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
