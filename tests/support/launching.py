"""One run of a program as a move without isolation, for tests of how runs end."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from judge.documents.game import Limits
from judge.process.bots.bot import Bot
from judge.process.run.launch import ProcessRun, Start
from judge.process.run.listening import Stop
from judge.process.run.processes import Lookout
from judge.process.run.processors import Processors
from judge.process.run.spawned import Spawned


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
