"""Tests bots before a contest begins. A bot that fails is left out, with the reason."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from judge.cli.contests.contestants import say_left_out
from judge.cli.settings import Settings
from judge.cli.setup import set_up_found
from judge.cli.sinks import Started, StepDone, telling
from judge.contest.futures import again_if_busy
from judge.contest.seeds import DRAWN_BITS
from judge.errors import BotError, MachineBusy
from judge.play.player import ProgramPlayer, join
from judge.play.run import Run
from judge.process.bots.bot import Bot, LeftOut
from judge.wire import WIRES
from judge.wire.interface import Transport
from judge.wire.strict_json import quoted

Bots = tuple[Bot, ...]


def conforming(bots: Bots, settings: Settings) -> tuple[Bots, tuple[LeftOut, ...]]:
    """Return the bots that conform, and the others. Notes name the checks that each of the others
    failed."""
    # Here, so that a contest without it does not load them.
    from judge.check.examination import examine
    from judge.show.check_table import causes

    setup = set_up_found(bots, replace(settings, quiet=True, cluster=None))
    # Not the contest's seed, so the questions reveal nothing about its games.
    seed = secrets.randbits(DRAWN_BITS)

    def reason(bot: Bot) -> str | None:
        report = examine(bot, setup.run(), seed=seed, jobs=setup.jobs)
        return None if report.conforms else f"it does not conform: {'; '.join(causes(report))}"

    return _passing(bots, setup.bots, reason, "checked", settings)


def awake(bots: Bots, settings: Settings) -> tuple[Bots, tuple[LeftOut, ...]]:
    """Return the bots that wake up, and the others, which notes name. Only a bot of a protocol over
    sockets is tried: it is started, and has to connect and name itself. The authors that it names
    count unless its manifest has an author."""
    setup = set_up_found(bots, replace(settings, quiet=True, cluster=None))
    tried = tuple(bot for bot in setup.bots if WIRES[bot.wires[0]].transport is Transport.SOCKET)
    if not tried:
        return bots, ()
    authors: dict[str, str] = {}
    with setup.run() as run:
        passing, failed = _passing(bots, tried, partial(_asleep, run, authors), "started", settings)
    heard = (replace(bot, author=bot.author or authors.get(bot.name, "")) for bot in passing)
    return tuple(heard), failed


def _asleep(run: Run, authors: dict[str, str], bot: Bot) -> str | None:
    """Return the reason why a bot does not wake up, or None if it does. The authors that it names
    are put into ``authors``."""
    timeout_ms = run.conditions.limits.timeout_ms
    usual = WIRES[bot.wires[0]].dialects[-1]  # all dialects say the same before the first game

    def wake() -> str | None:
        with run.seat(bot, 0, secrets.randbits(DRAWN_BITS), dialect=usual) as player:
            try:
                said = join(player, timeout_ms)
            except BotError as error:
                return f"it fails the wake-up test: {error}{_last_words(player)}"
        authors[bot.name] = said.authors if said else ""
        return None

    return again_if_busy(wake)


def _last_words(player: ProgramPlayer) -> str:
    """Quote the last line that a program wrote to stderr, which may say why it failed."""
    evidence = player.evidence(0)
    lines = evidence.stderr.split("\n") if evidence else []
    last = next((line for line in reversed(lines) if line.strip()), None)
    return f"; it wrote last to stderr: {quoted(last)}" if last else ""


def _passing(
    bots: Bots,
    tried: Bots,
    reason: Callable[[Bot], str | None],
    done: str,
    settings: Settings,
) -> tuple[Bots, tuple[LeftOut, ...]]:
    """Return the ``bots`` that pass, and those that fail. ``reason`` returns for each of the
    ``tried`` why it fails, or None."""
    left_out = []
    with telling(settings) as take:
        take(Started(steps=len(tried)))
        for bot in tried:
            try:
                why = reason(bot)
            except MachineBusy as error:  # the bot itself may be the cause
                why = f"it could not be {done}, and whose fault that is cannot be told: {error}"
            if why:
                left_out.append(LeftOut(bot.name, why))
            take(StepDone(standing=partial("{} is {}".format, bot.name, done)))
    say_left_out(left_out, settings)
    out = {one.name for one in left_out}
    return tuple(bot for bot in bots if bot.name not in out), tuple(left_out)
