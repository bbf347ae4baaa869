"""The report on each worker of a cluster: its cores, interpreters and isolation, and a trial game.

A worker examines its machine as `judge doctor` does, and then plays one game. The worker's answers
are checked like a stranger's documents.
"""

from __future__ import annotations

import platform
import time
from concurrent.futures import Future
from contextlib import closing
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from msgspec import structs

from judge.contest.cluster.pool import Answer
from judge.contest.cluster.task_result import read, records_of
from judge.contest.schedule import Fight, First
from judge.contest.threads import task
from judge.documents.codec import DocumentError, decode, encode
from judge.documents.game import Limits, Termination
from judge.documents.machines import Worker, WorkerMachine, WorkerProgram
from judge.documents.reports import Launch
from judge.documents.tasks import SentTask, Terms
from judge.errors import JudgeFault
from judge.game.variants import BRAINJAR
from judge.play.spoken import spoken
from judge.process.bots.bot import Bot, find
from judge.process.bots.parcel import packed
from judge.process.run.listening import Stop
from judge.process.sandbox.doctor import examine, problems
from judge.process.sandbox.levels import WALLED

if TYPE_CHECKING:
    from judge.contest.cluster.dask_engine import DaskEngine

T = TypeVar("T")

MOST_SECONDS = 120.0  # seconds for a worker's answer; the worker may play other games first
PLAYERS = ("hunter", "random")  # bundled bots in Python, which every worker can run
LIMITS = Limits(timeout_ms=60_000)


def own_report() -> str:
    """The features of this machine, as JSON. This function runs on a worker."""
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
            WorkerProgram(name=program.name, version=program.version)
            for program in machine.programs
            if program.path is not None
        ),
        problems=tuple(problem.what for problem in problems(machine)),
    )
    return encode(own).decode()


def reports(engine: DaskEngine) -> tuple[Worker, ...]:
    """The report on each worker that is known, sorted by name. Making the reports takes some
    seconds, and at most about `MOST_SECONDS`."""
    workers = engine.workers()
    found = [Worker(name=name, cores=1, reason=why) for name, why in engine.unfit.items()]
    deadline = time.monotonic() + MOST_SECONDS
    asked = {name: engine.examine(name) for name in workers}
    examined = [_examined(name, workers[name], asked[name], deadline) for name in workers]
    bots = _players()
    parcels = {bot.digest: partial(packed, bot) for bot in bots}
    (pairing,) = Fight(1, 1, First.A)
    game = task(pairing, bots)
    playing = []
    for worker in examined:
        if worker.machine is None:
            found.append(worker)
        else:
            terms = Terms(
                rules=BRAINJAR,
                dialect=None,
                launch=Launch.FORK,
                isolation=worker.machine.isolation,
                limits=LIMITS,
            )
            sent = SentTask(terms=terms, game=game)
            future = engine.submit([worker.name], encode(sent).decode(), parcels)
            playing.append((worker, sent, future))
    found += [_played(*game, deadline) for game in playing]
    return tuple(sorted(found, key=lambda one: one.name))


def _players() -> tuple[Bot, ...]:
    bots = []
    for name in PLAYERS:
        bot = find(name)
        wire, dialect = spoken(bot, BRAINJAR)
        bots.append(replace(bot, wires=(wire.name,), dialect=dialect))
    return tuple(bots)


def _answer(future: Future[T], deadline: float) -> T:
    """The result of a worker's future. Raises the future's error, or `JudgeFault` if the result
    does not come before the ``deadline``."""
    try:
        return future.result(max(0, deadline - time.monotonic()))
    except TimeoutError:
        raise JudgeFault(f"it has not answered within {MOST_SECONDS:.0f} s") from None
    finally:
        future.cancel()


def _examined(name: str, cores: int, future: Future[str], deadline: float) -> Worker:
    """The report on a worker by its own answer. A missing or invalid answer is the report's reason
    not to use the worker."""
    try:
        said = _answer(future, deadline)
        machine = decode(WorkerMachine, said.encode(errors="surrogatepass"), "it")
    except JudgeFault as error:
        return Worker(name=name, cores=cores, reason=f"cannot examine itself: {error}")
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


def _played(report: Worker, sent: SentTask, future: Future[Answer], deadline: float) -> Worker:
    """The report on a worker with the time of its trial game, or the reason why it failed."""
    try:
        _, said = _answer(future, deadline)
        result = read(said, sent.game)
        (record,) = records_of(result, sent)
    except JudgeFault as error:
        return structs.replace(report, reason=f"cannot play a game: {error}")
    if record.outcome.termination is not Termination.FLEET_DESTROYED:
        return structs.replace(report, reason=f"has played a game, but: {record.outcome.detail}")
    return structs.replace(report, game_ms=result.ms)
