"""Runs of bots and programs without a game: what launches a bot at a level, and one run of a program
as a move without isolation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from judge.documents.game import Limits
from judge.process.bots.bot import Bot
from judge.process.run.launch import Launcher, ProcessRun, Start
from judge.process.run.listening import Stop
from judge.process.run.processes import Lookout
from judge.process.run.processors import Processors
from judge.process.run.spawned import Spawned
from needs import held_by

PATIENT = Limits(timeout_ms=30_000)

Launching = Callable[..., Launcher]


def launchers(stop: Stop) -> Iterator[Launching]:
    """Makes what launches a bot at a level, executed or forked. All of them are closed at the end."""
    with ExitStack() as stack:

        def launching(
            bot: Bot,
            level: str = "none",
            launch: str = "exec",
            limits: Limits = PATIENT,
            **more: Any,
        ) -> Launcher:
            environment = {"PATH": bot.path, "LANG": "C.UTF-8", "BOT_SEED": "5"}
            start = Start(bot, environment, limits, fork=launch == "fork", **more)
            return stack.enter_context(closing(held_by(level).launcher(start, stop)))

        yield launching


def run(
    *argv: str,
    environment: Mapping[str, str] | None = None,
    limits: Limits | None = None,
    processors: Processors = frozenset(),
    prefix: tuple[str, ...] = (),
    most_kib: int | None = None,
    lookout: Lookout | None = None,
) -> ProcessRun:
    """Run a program in the root folder; its last word is what a move's question is."""
    bot = Bot("bot", argv[:-1], Path("/"), (), digest="", size=0, path="")
    start = Start(bot, environment or {}, limits or Limits(), processors=processors)
    with closing(Stop()) as stop:
        return Spawned(start, stop, prefix=prefix, most_kib=most_kib).run(argv[-1], lookout=lookout)
