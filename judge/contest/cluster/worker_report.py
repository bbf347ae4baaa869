"""The report on each worker of a cluster: its cores, interpreters and isolation, and a trial game.

A worker examines its machine as `judge doctor` does, and then plays one game. The worker's answers
are checked like a stranger's documents.
"""

from __future__ import annotations

import platform
import time
from contextlib import closing
from typing import TYPE_CHECKING

from msgspec import structs

from judge.contest.schedule import Fight, First
from judge.contest.threads import task
from judge.documents.codec import DocumentError, decode, encode
from judge.documents.game import Limits, Termination
from judge.documents.machines import Worker, WorkerMachine, WorkerProgram
from judge.documents.reports import Level
from judge.errors import JudgeFault, UsageError
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find
from judge.process.run.listening import Stop
from judge.process.sandbox import doctor
from judge.process.sandbox.isolation import choose
from judge.process.sandbox.levels import WALLED

if TYPE_CHECKING:
    from judge.contest.cluster.dask_engine import Asked, DaskEngine

MOST_SECONDS = 120.0  # seconds for a worker's answer; the worker may play other games first
PLAYERS = ("hunter", "random")  # bundled bots in Python, which every worker can run
LIMITS = Limits(timeout_ms=60_000)


def own_report() -> str:
    """The report on the worker that runs this function, as JSON, without its name and cores."""
    with closing(Stop()) as stop:
        machine = doctor.examine(stop)
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
        problems=tuple(problem.what for problem in doctor.problems(machine)),
    )
    ms, reason = None, None
    try:
        ms = _trial_ms(held.level)
    except (UsageError, JudgeFault) as error:
        reason = f"cannot play a game: {error}"
    return encode(Worker(name="", cores=1, reason=reason, game_ms=ms, machine=own)).decode()


def _trial_ms(level: Level) -> float:
    """The milliseconds of a game that is played here. Raises `UsageError` or `JudgeFault` if the
    game cannot be played to its end."""
    isolation, _ = choose(level, LIMITS)
    conditions = Conditions(rules=BRAINJAR, launch="fork", isolation=isolation, limits=LIMITS)
    bots = [find(name) for name in PLAYERS]
    (pairing,) = Fight(1, 1, First.A)
    begun = time.monotonic()
    with Run(conditions, bots) as run:
        outcome = run.play(task(pairing, bots)).outcome
        ms = round(1000 * (time.monotonic() - begun), 3)
    if outcome.termination is not Termination.FLEET_DESTROYED:
        raise JudgeFault(outcome.detail)
    return ms


def reports(engine: DaskEngine) -> tuple[Worker, ...]:
    """The report on each worker that is known, sorted by name. Making the reports takes some
    seconds, and at most about `MOST_SECONDS`."""
    workers = engine.workers()
    found = [Worker(name=name, cores=1, reason=why) for name, why in engine.unfit.items()]
    asked = {name: engine.examine(name) for name in workers}
    deadline = time.monotonic() + MOST_SECONDS
    found += [_examined(name, workers[name], asked[name], deadline) for name in workers]
    return tuple(sorted(found, key=lambda one: one.name))


def _examined(name: str, cores: int, asked: Asked[str], deadline: float) -> Worker:
    """The report on a worker by its own answer. A missing or invalid answer is the report's reason
    not to use the worker."""
    try:
        said = asked.result(max(0, deadline - time.monotonic()))
        report = decode(Worker, said.encode(errors="surrogatepass"), "its report")
    except TimeoutError:
        why = f"has not answered within {MOST_SECONDS:.0f} s"
    except (JudgeFault, DocumentError) as error:
        why = f"cannot examine itself: {error}"
    else:
        held = report.machine
        problems = [] if held is None else [*held.problems]
        if held is not None and held.isolation != WALLED:
            more = f"; to mend it: {held.more_isolation}" if held.more_isolation else ""
            problems.append(
                f"bots are held by {held.isolation} alone, so it plays with --trust-bots{more}"
            )
        return structs.replace(report, name=name, cores=cores, problems=tuple(problems))
    return Worker(name=name, cores=cores, reason=why)
