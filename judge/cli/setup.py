"""Sets up the bots of a command that plays. A cluster stays connected until the command ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from judge.cli.configuration import is_typed
from judge.cli.settings import Settings
from judge.contest.schedule import Fight, First, Pairing, opening
from judge.contest.settings import AskedLevel
from judge.contest.setup import Setup
from judge.documents.game import Limits
from judge.documents.rules import Rules
from judge.errors import UsageError
from judge.play.run import Connect
from judge.process.bots.bot import Bot, find_all

if TYPE_CHECKING:
    from judge.contest.threads import Clear
    from judge.documents.machines import Machine
    from judge.process.run.listening import Stop


@dataclass(frozen=True, slots=True)
class Embedding:
    """Functions that a calling program may give a command as click's ``obj``. ``connect`` connects
    to players, and ``examine`` examines the machine. None stands for the judge's own function."""

    connect: Connect | None = None
    examine: Callable[[Stop], Machine] | None = None


def set_up(specs: Sequence[str], settings: Settings, *, seats: int = 2) -> Setup:
    """Find the bots that were typed, and return their setup. Raises `UsageError` if a bot is not
    found or cannot play."""
    return set_up_found(find_all(specs, **settings.finding), settings, seats, specs=specs)


def set_up_at_table(
    specs: Sequence[str], rules: Rules, timeout_ms: int, isolation: AskedLevel, seats: int
) -> Setup:
    """Return the setup of this machine's bots for a table of a network game. Raises `UsageError` if
    a bot is not found or cannot play."""
    settings = Settings(
        rules=rules,
        limits=Limits(timeout_ms=timeout_ms),
        bot_size_bytes=rules.bot_bytes,
        launch="exec",
        isolation=isolation,
    )
    return set_up(specs, settings, seats=seats)


def set_up_found(
    bots: tuple[Bot, ...],
    settings: Settings,
    seats: int = 2,
    *,
    specs: Sequence[str] | None = None,
) -> Setup:
    """Return the setup for games between bots that are found already. ``specs`` are the bots as
    they were typed. Raises errors as `judge.contest.setup.Setup.holding` does."""
    context = click.get_current_context()
    embedding = context.find_object(Embedding)
    open_until = ExitStack()
    context.call_on_close(open_until.close)
    return Setup.holding(
        bots,
        settings,
        seats,
        specs=specs,
        connect=embedding.connect if embedding else None,
        tell=settings.tell,
        open_until=open_until,
    )


def clearing(setup: Setup, stop: Stop) -> AbstractContextManager[Clear]:
    """Have boards cleared in processes of the judge: a `judge.contest.setup.Clearing`."""
    from judge.cli.contests import board_processes  # imported here, since few bots stay alive

    return board_processes.clearing(setup, stop)


def only_game(settings: Settings, seed: int) -> Pairing:
    """Return the game of a command that plays a single one. Raises `UsageError` if it was typed
    that the seats take turns to move first."""
    if settings.first is First.ALTERNATE and is_typed("first"):
        raise UsageError("--first alternate is for several games, and this is one: leave it out")
    return next(iter(Fight(1, seed, settings.first or opening(settings.rules))))
