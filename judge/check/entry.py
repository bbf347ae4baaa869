"""Tests bots before a contest begins. A bot that fails is left out, with the reason."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from judge.contest.futures import again_if_busy
from judge.contest.setup import Setup
from judge.errors import BotError, MachineBusy
from judge.play.player import ProgramPlayer, join
from judge.play.run import Run
from judge.process.bots.bot import Bot, LeftOut
from judge.wire import WIRES
from judge.wire.interface import Transport
from judge.wire.strict_json import quoted

if TYPE_CHECKING:
    from judge.check.examination import CheckReport

Bots = tuple[Bot, ...]
TellTested = Callable[[int, int, str], None]
"""Called before the first test and after each test, with the number of tested bots, the number of
bots to test, and the name of the bot tested last, which is empty before the first test."""

STARTED, CHECKED = "started", "checked"


def passing(
    bots: Bots,
    tried: Bots,
    reason: Callable[[Bot], str | None],
    done: str,
    tell_tested: TellTested,
) -> tuple[Bots, tuple[LeftOut, ...]]:
    """Return the ``bots`` that do not fail, and those that fail. ``reason`` gets each of the
    ``tried`` and returns why it fails, or None. ``done`` is a participle, such as `STARTED`."""
    left_out = []
    tell_tested(0, len(tried), "")
    for number, bot in enumerate(tried, 1):
        try:
            why = reason(bot)
        except MachineBusy as error:  # the bot itself may be the cause
            why = f"it could not be {done}, and whose fault that is cannot be told: {error}"
        if why:
            left_out.append(LeftOut(bot.name, why))
        tell_tested(number, len(tried), bot.name)
    out = {one.name for one in left_out}
    return tuple(bot for bot in bots if bot.name not in out), tuple(left_out)


def conforming(
    bots: Bots,
    setup: Setup,
    first_cause: Callable[[CheckReport], str],
    *,
    seed: int,
    tell_tested: TellTested = lambda *_: None,
) -> tuple[Bots, tuple[LeftOut, ...]]:
    """Return the ``bots`` that conform, and those that do not. Every check is tried on the bots of
    the ``setup``, which is for this machine. ``first_cause`` says why a bot fails and what to do,
    and ``seed`` is for the questions."""
    from judge.check.examination import examine  # imported here, since few contests check bots

    def reason(bot: Bot) -> str | None:
        report = examine(bot, setup.run(), seed=seed, jobs=setup.jobs)
        return None if report.conforms else f"it does not conform: {first_cause(report)}"

    return passing(bots, setup.bots, reason, CHECKED, tell_tested)


def awake(
    bots: Bots, setup: Setup, *, seed: int, tell_tested: TellTested = lambda *_: None
) -> tuple[Bots, tuple[LeftOut, ...]]:
    """Try to wake the bots, and return those that do not fail and those that fail. Only a bot whose
    first protocol is over sockets is tried: it is started from ``setup``, and has to connect and
    name itself. The authors that it names count unless its manifest has an author. ``seed`` is the
    luck of each bot."""
    tried = tuple(bot for bot in setup.bots if WIRES[bot.wires[0]].transport is Transport.SOCKET)
    if not tried:
        return bots, ()
    authors: dict[str, str] = {}
    with setup.run() as run:
        heard, failed = passing(
            bots, tried, partial(_asleep, run, seed, authors), STARTED, tell_tested
        )
    named = (replace(bot, author=bot.author or authors.get(bot.name, "")) for bot in heard)
    return tuple(named), failed


def _asleep(run: Run, seed: int, authors: dict[str, str], bot: Bot) -> str | None:
    """Return the reason why a bot does not wake up, or None if it does. The authors that it names
    are put into ``authors``."""
    timeout_ms = run.conditions.limits.timeout_ms
    usual = WIRES[bot.wires[0]].dialects[-1]  # all dialects say the same before the first game

    def wake() -> str | None:
        with run.seat(bot, 0, seed, dialect=usual) as player:
            try:
                said = join(player, timeout_ms)
            except BotError as error:
                return f"it fails the wake-up test: {error}{_last_words(player)}"
        authors[bot.name] = said.authors if said else ""
        return None

    return again_if_busy(wake)


def _last_words(player: ProgramPlayer) -> str:
    """Quote the last line that a program wrote to stderr; empty if it wrote none."""
    evidence = player.evidence(0)
    lines = evidence.stderr.split("\n") if evidence else []
    last = next((line for line in reversed(lines) if line.strip()), None)
    return f"; it wrote last to stderr: {quoted(last)}" if last else ""
