"""The rows of contests: games at once, forked, on a cluster; a large field, and a long run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random

from bench_play import ruby_players
from judge.cli.ledgers.ledger_table import print_table, standings_of
from judge.cli.settings import Color
from judge.contest.arena import playing, task
from judge.contest.cluster.dask_engine import DaskEngine, quieten
from judge.contest.cluster.pool import GamePool, handed_out
from judge.contest.cluster.task_document import Batch
from judge.contest.ledger.ledger import Ledger
from judge.contest.schedule import Fight, First, Pairing
from judge.contest.seeds import ContestSeed
from judge.contest.tournament import Fault, Results
from judge.game.fleets import random_fleet
from judge.game.record import GameRecord
from judge.game.variants import BRAINJAR, BROADSIDES
from judge.play.conditions import Conditions
from judge.play.run import Connect, Run
from judge.process.bots.bot import Bot, bundled, find, find_all
from judge.process.run.connection import Connection, Script
from judge.wire.brainjar import fleet_reply
from measuring import (
    CONDITIONS,
    SEED,
    Round,
    Rounds,
    c_bot,
    fail,
    in_turns,
    installed_judge,
    play_all,
    python_bot,
    round_robin,
    timed,
    weighed,
)

FIELD = 2000  # bots in a large contest
TINY = replace(BRAINJAR, name="tiny", columns=3, rows=2, fleet=(2,))
WARM, GAMES, AFTER = 10, 40, 14  # of a round on a cluster; those in the middle are measured
NO_PROFILE = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}  # as the guide advises
SECONDS = 60  # until a process that has not begun counts as hung
RANK = "import sys, bench_contest; bench_contest.rank(sys.argv[1], int(sys.argv[2]))"


def jobs_row(folder: Path) -> Rounds:
    """Games a second with one job, to those with two: the time of two to the time of one."""
    bots = [python_bot(folder)] * 2
    games = list(Fight(games=4, seed=SEED, first=First.ALTERNATE))
    two, one = (partial(play_all, games, bots, CONDITIONS, jobs) for jobs in (2, 1))
    while True:
        yield [in_turns(two, one)]


def broadsides_jobs_row(folder: Path) -> Rounds:
    """Wall time of a contest of three Ruby players with two jobs, and with one."""
    conditions, bots = ruby_players("limits", folder, "ann", "bob", "cy")
    games = round_robin([bot.name for bot in bots], BROADSIDES, 2, ContestSeed(SEED))
    two, one = (partial(play_all, games, bots, conditions, jobs) for jobs in (2, 1))
    while True:
        yield [in_turns(two, one)]


def rank_row(_folder: Path) -> Rounds:
    """Games a second of a contest of the bundled Python bots, each against the next, if they are
    executed, to the same if they are forked."""
    started = [one for one in bundled() if one.language == "Python" and "brainjar" in one.wires]
    bots = [find(one.name) for one in started]
    everyone = round_robin([bot.name for bot in bots], BRAINJAR, 2, ContestSeed(SEED))
    games = [one for one in everyone if one.first == 0 and one.seats[1] - one.seats[0] == 1]
    assert len(games) == len(bots) - 1, "each but the last has a next"
    launches = [replace(CONDITIONS, launch=launch) for launch in ("fork", "exec")]
    forked, executed = (partial(play_all, games, bots, how, 1) for how in launches)
    while True:
        yield [Round(*(1000 * len(games) / timed(each) for each in (executed, forked)))]


def field_row(folder: Path) -> Rounds:
    """Seconds until `judge rank` tells the first game of a contest of many bots."""
    program = Path(c_bot(folder).command[0])
    field = folder / "field"
    for number in range(FIELD):
        bot = field / f"bot{number}"
        bot.mkdir(parents=True)
        (bot / "bot.json").write_text(json.dumps({"command": [f"./{program.name}"]}))
        copy = bot / program.name
        copy.write_bytes(program.read_bytes() + str(number).encode())  # no two are the same
        copy.chmod(0o755)
    while True:
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            ledger = f"{fresh}/ledger.json"
            command = [installed_judge(), "rank", str(field), "--jsonl", "--quiet"]
            yield [Round(seconds_to_a_game([*command, "--ledger", ledger]))]


def seconds_to_a_game(command: Sequence[str]) -> float:
    """Wall time from the start of a contest to the event of its first game, after which it is
    interrupted; ends the bench if no game comes."""
    began = time.perf_counter()
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None, "it is a pipe"
        if not any(json.loads(line)["event"] == "game" for line in process.stdout):
            fail(f"{' '.join(command)} failed: {process.communicate()[1]}")
        took = time.perf_counter() - began
        process.send_signal(signal.SIGINT)
        process.communicate()
    return took


def memory_row(folder: Path) -> Rounds:
    """Peak memory in MB of a long contest, to that of a short one."""
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)

    def peak(games: int) -> float:
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            return weighed([sys.executable, "-c", RANK, fresh, str(games)])[1]

    while True:
        yield [Round(peak(10_000), peak(100))]


def rank(folder: str, size: int) -> None:
    """What `judge rank` does with two jobs, from an empty ledger to the table; the bots are
    functions, and the games (a multiple of 20) of some ten shots."""
    path = Path(folder, "ledger.json")
    bots = scripted_bots(Path(folder), 5)
    with Ledger(path) as ledger:
        units, remaining = divmod(size, len(bots) * (len(bots) - 1) // 2)
        assert not remaining, "in a round every two bots play two games"
        schedule = round_robin([bot.name for bot in bots], TINY, units, ledger.contest_seed(1))
        play_all(
            schedule,
            bots,
            replace(CONDITIONS, rules=TINY),
            jobs=2,
            add=ledger.add,
            connect=scripted,
        )
        assert ledger.tally.recorded == size, "each game is added once"
        print_table(standings_of(ledger.tally), path, Color.NEVER)


def scripted_bots(folder: Path, number: int) -> tuple[Bot, ...]:
    """Bots whose files differ; what these would do is never asked."""
    for name in range(number):
        Path(folder, f"bot{name}.py").write_text(f"# {name}\n")
    bots = find_all([str(folder / f"bot{name}.py") for name in range(number)])
    return tuple(replace(bot, wires=("brainjar",), dialect="readme") for bot in bots)


def scripted(_: Bot, seed: int, __: Callable[[], Connection]) -> Connection:
    """A player that is a function; workers find it by its name."""
    return Script(Lucky(seed))


class Lucky:
    """A bot of `TINY` that shoots at any cell that it has not shot at, as its seed will have it."""

    def __init__(self, seed: int) -> None:
        self._luck = Random(seed)

    def __call__(self, question: bytes) -> bytes:
        asked = json.loads(question)
        if asked["cmd"] == "init":
            return json.dumps(fleet_reply(random_fleet(TINY, self._luck))).encode()
        cells = {f"{column}{row}" for column in range(TINY.columns) for row in range(TINY.rows)}
        left = sorted(cells.difference(asked["hit"], asked["missed"]))
        return json.dumps({"move": self._luck.choice(left)}).encode()


def cluster_row(folder: Path) -> Rounds:
    """Milliseconds for a game by one worker of dask and by ``--jobs 1``; by two and by one.

    Each worker has a core of its own, as ``--jobs 1`` has. The judge and the scheduler may run on
    all, so if there are just two, both workers leave some of theirs to them.
    """
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        fail("the row cluster needs two cores")
    bots = [python_bot(folder)] * 2
    conditions = replace(CONDITIONS, launch="fork")
    with ExitStack() as until:
        engines = []
        for workers in (1, 2):
            address, _ = until.enter_context(cluster(folder, cores[:workers]))
            engines.append(until.enter_context(engine(address, workers)))
        one, two = engines

        def game(where: DaskEngine | None) -> float:
            """Milliseconds for a game, while more are to come."""
            schedule = Fight(WARM + GAMES + AFTER, 1, First.ALTERNATE)
            if where is None:
                os.sched_setaffinity(0, cores[:1])
                games = playing(schedule, bots, Run(conditions, bots), jobs=1)
            else:
                games = on_cluster(schedule, bots, conditions, where)
            try:
                with games as results:
                    took = [timed(partial(take, results, each)) for each in (WARM, GAMES, AFTER)]
            finally:
                os.sched_setaffinity(0, cores)
            return took[1] / GAMES

        while True:
            alone, by_one, by_two = (game(where) for where in (None, one, two))
            yield [Round(by_one, alone), Round(by_two, by_one)]


def take(results: Iterable[GameRecord | Fault], count: int) -> None:
    """Take so many games; ends at the first fault."""
    for result in islice(results, count):
        if isinstance(result, Fault):
            raise result.error


@contextmanager
def cluster(folder: Path, cores: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
    """A scheduler and a worker on each of these cores, as dask starts them: the address, and the
    process ids, the scheduler's first."""
    with ExitStack() as until:
        place = Path(until.enter_context(tempfile.TemporaryDirectory(dir=folder)))
        log = until.enter_context((place / "log").open("a"))
        file = place / "scheduler.json"
        path = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])

        def begin(kind: str, *words: str, core: int | None = None) -> int:
            prefix = [] if core is None else ["taskset", "-c", str(core)]
            command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *words]
            process = subprocess.Popen(
                [*prefix, *command, "--no-dashboard"],
                stdout=log,
                stderr=log,
                env={**os.environ, **NO_PROFILE, "PYTHONPATH": path.rstrip(os.pathsep)},
            )
            until.callback(process.wait)
            until.callback(process.terminate)
            return process.pid

        listening = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
        processes = [begin("scheduler", *listening)]
        address = ""
        while not address:
            time.sleep(0.1)
            with suppress(OSError, ValueError):
                address = json.loads(file.read_text())["address"]
        for core in cores:
            own = ("--nthreads", "1", "--no-nanny", "--local-directory", str(place / f"{core}"))
            processes.append(begin("worker", address, *own, core=core))
        yield address, processes


@contextmanager
def engine(address: str, workers: int, connect: Connect | None = None) -> Iterator[DaskEngine]:
    """A connection to a cluster, once it has so many workers."""
    quieten()
    with DaskEngine(address, print, connect) as found:
        deadline = time.monotonic() + SECONDS
        while len(found.workers()) < workers:
            if time.monotonic() > deadline:
                fail(f"fewer than {workers} workers of dask have come")
            time.sleep(0.1)
        yield found


@contextmanager
def on_cluster(
    schedule: Iterable[Pairing], bots: Sequence[Bot], conditions: Conditions, to: DaskEngine
) -> Iterator[Results[GameRecord]]:
    """The games of a schedule, played by the workers."""
    with closing(GamePool(to, bots, Batch.of(conditions, ()), print)) as pool:
        cores = sum(to.workers().values())
        with handed_out(schedule, partial(task, bots=bots), pool, cores) as results:
            yield results
