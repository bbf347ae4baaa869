"""What each worker of a cluster offers: cores, interpreters, isolation, and a game on trial.

A worker examines itself, as `judge doctor` does it on one machine, and then plays one game like any
other. What it says of itself is read as a stranger's document.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, wait
from contextlib import closing
from dataclasses import replace
from typing import Protocol

from msgspec import structs

from judge.contest.arena import task
from judge.contest.cluster.engine import Done, Engine
from judge.contest.cluster.task_result import BatchResult
from judge.contest.schedule import Fight, First
from judge.documents.codec import DocumentError, decode, encode
from judge.documents.game import GameRecord, Limits, Termination
from judge.documents.machines import Worker, WorkerMachine, WorkerProgram
from judge.documents.reports import Launch
from judge.documents.tasks import Batch
from judge.errors import JudgeFault
from judge.game.variants import BRAINJAR
from judge.play.run import spoken
from judge.process.bots.bot import Bot, find
from judge.process.bots.parcel import Parcel, packed
from judge.process.run.listening import Stop
from judge.process.sandbox.doctor import examine, problems
from judge.process.sandbox.levels import WALLED

MOST_SECONDS = 120.0  # until a worker has answered, which may have other games to play first
PLAYERS = ("hunter", "random")  # bundled bots in Python, which every worker can run
LIMITS = Limits(timeout_ms=60_000)


class Examined(Engine, Protocol):
    """An engine whose workers examine themselves."""

    @property
    def unfit(self) -> Mapping[str, str]:
        """The workers that cannot play for this judge, with the reasons, as predicates."""

    def examine(self, worker: str, done: Done) -> Callable[[], None]:
        """Have a worker call `own_report`; otherwise as `send`."""


def own_report() -> str:
    """What this machine offers, as JSON; to be called on a worker."""
    with closing(Stop()) as stop:
        machine = examine(stop)
    held = machine.isolation
    own = WorkerMachine(
        host=platform.node(),
        system=machine.system,
        architecture=machine.architecture,
        judge=machine.judge,
        python=machine.python,
        isolation=held.level,
        enforcement=held.enforcement,
        more_isolation=held.more,
        programs=tuple(
            WorkerProgram(name=one.name, version=one.version)
            for one in machine.programs
            if one.path is not None
        ),
        problems=tuple(one.what for one in problems(machine)),
    )
    return encode(own).decode()


def reports(engine: Examined) -> tuple[Worker, ...]:
    """What each worker offers that there is now; takes some seconds."""
    workers = engine.workers()
    found = [Worker(name=name, cores=1, reason=why) for name, why in engine.unfit.items()]
    deadline = time.monotonic() + MOST_SECONDS
    said = _answers(engine.examine, workers, deadline)
    examined = [_examined(name, cores, said[name]) for name, cores in workers.items()]
    able = {one.name: (one, one.machine) for one in examined if one.machine is not None}
    found += [one for one in examined if one.machine is None]
    bots, parcels = _players()
    (pairing,) = Fight(1, 1, First.A)
    game = task(pairing, bots)

    def batch(worker: str) -> Batch:
        _, machine = able[worker]
        return Batch(
            rules=BRAINJAR,
            dialect=None,
            launch=Launch.FORK,
            isolation=machine.isolation,
            limits=LIMITS,
            tasks=(game,),
        )

    def play(worker: str, done: Done) -> Callable[[], None]:
        return engine.send(worker, encode(batch(worker)).decode(), parcels, done)

    results = _answers(play, able, deadline)
    found += [_played(one, batch(name), results[name]) for name, (one, _) in able.items()]
    return tuple(sorted(found, key=lambda one: one.name))


def _players() -> tuple[tuple[Bot, ...], dict[str, Parcel]]:
    bots = []
    for name in PLAYERS:
        bot = find(name)
        wire, dialect = spoken(bot, BRAINJAR)
        bots.append(replace(bot, wires=(wire.name,), dialect=dialect))
    return tuple(bots), {bot.digest: packed(bot) for bot in bots}


def _answers(
    ask: Callable[[str, Done], Callable[[], None]], workers: Iterable[str], deadline: float
) -> dict[str, str | Exception]:
    """What each worker answers, or why it does not; all are asked at once."""
    futures: dict[str, Future[str | Exception]] = {}
    undo = []
    for worker in workers:
        futures[worker] = Future()
        try:
            undo.append(ask(worker, futures[worker].set_result))
        except JudgeFault as error:
            futures[worker].set_result(error)
    wait(futures.values(), deadline - time.monotonic())
    late = JudgeFault(f"it has not answered within {MOST_SECONDS:.0f} s")
    found = {name: one.result() if one.done() else late for name, one in futures.items()}
    for forget in undo:
        forget()
    return found


def _examined(name: str, cores: int, said: str | Exception) -> Worker:
    """What a worker says of itself; a reason not to play if that makes no sense."""
    if isinstance(said, Exception):
        return Worker(name=name, cores=cores, reason=f"cannot examine itself: {said}")
    try:
        machine = decode(WorkerMachine, said.encode(errors="surrogatepass"), "it")
    except DocumentError:
        why = "has said what is no report of a worker"
        return Worker(name=name, cores=cores, reason=why)
    problems = [*machine.problems]
    if machine.isolation != WALLED:
        more = f"; to mend it: {machine.more_isolation}" if machine.more_isolation else ""
        problems.append(
            f"bots are held by {machine.isolation} alone, so it plays with --trust-bots{more}"
        )
    return Worker(name=name, cores=cores, problems=tuple(problems), machine=machine)


def _played(report: Worker, batch: Batch, said: str | Exception) -> Worker:
    """The report, with what became of the worker's game."""
    if isinstance(said, str):
        try:
            result = BatchResult.read(said, batch)
        except JudgeFault as error:
            return structs.replace(report, reason=f"has played a game, but {error}")
        (outcome,) = result.games or (None,)
        if isinstance(outcome, GameRecord):
            if outcome.outcome.termination is Termination.FLEET_DESTROYED:
                return structs.replace(report, game_ms=result.ms)
            return structs.replace(
                report, reason=f"has played a game, but: {outcome.outcome.detail}"
            )
        said = outcome if isinstance(outcome, JudgeFault) else JudgeFault(_why_none(result))
    return structs.replace(report, reason=f"cannot play a game: {said}")


def _why_none(result: BatchResult) -> str:
    return result.refused or "; ".join(result.unfit.values()) or "its bots have not come"
