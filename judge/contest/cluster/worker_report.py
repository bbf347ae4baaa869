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
from judge.documents.codec import decode, encode
from judge.documents.game import Limits, Termination
from judge.documents.machines import Worker
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
    ms, reason = None, None
    try:
        ms = _trial_ms(machine.isolation.level)
    except (UsageError, JudgeFault) as error:
        reason = f"cannot play a game: {error}"
    own = Worker(
        name="",
        host=platform.node(),
        cores=1,
        reason=reason,
        game_ms=ms,
        problems=tuple(problem.what for problem in doctor.problems(machine)),
        machine=machine,
    )
    return encode(own).decode()


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
    cores = engine.workers()
    found = [Worker(name=name, cores=1, reason=why) for name, why in engine.unfit.items()]
    asked = {name: engine.examine(name) for name in cores}
    deadline = time.monotonic() + MOST_SECONDS
    found += [_examined(name, cores[name], asked[name], deadline) for name in cores]
    return tuple(sorted(found, key=lambda one: one.name))


def _examined(name: str, cores: int, asked: Asked[str], deadline: float) -> Worker:
    """The report on a worker by its own answer. A missing or invalid answer is the report's reason
    not to use the worker."""
    try:
        said = str(asked.result(max(0, deadline - time.monotonic())))
        report = decode(Worker, said.encode(errors="surrogatepass"), "its report")
    except TimeoutError:
        why = f"has not answered within {MOST_SECONDS:.0f} s"
        return Worker(name=name, cores=cores, reason=why)
    except JudgeFault as error:
        return Worker(name=name, cores=cores, reason=f"cannot examine itself: {error}")
    problems = [*report.problems]
    if report.machine is not None and (held := report.machine.isolation).level != WALLED:
        more = f"; to mend it: {held.more}" if held.more else ""
        problems.append(f"bots are held by {held.level} alone, so it plays with --trust-bots{more}")
    return structs.replace(report, name=name, cores=cores, problems=tuple(problems))
