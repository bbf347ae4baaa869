"""The rows of contests: games at once, forked, on a cluster; a large field, and a long run."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import measuring
from bench_play import ruby_players
from judge.contest.ledger.ledger import Ledger
from judge.contest.schedule import Fight, First, Pairing
from judge.contest.standings.standings import standings as standings_of
from judge.game.variants import BRAINJAR, BROADSIDES
from judge.play.conditions import Conditions
from judge.process.bots.bot import Bot, bundled, find
from judge.show.standings import table
from measuring import Round, Rounds, fail, timed

AUTO_ROUNDS = 25  # six games each
FIELD = 2000  # bots in a large contest
WARM, GAMES, AFTER = 10, 40, 14  # of a round on a cluster; those in the middle are measured
NO_PROFILE = {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False"}  # as the guide advises
SECONDS = 60  # until a process that has not begun counts as hung
RANK = "import sys, bench_contest; bench_contest.rank(sys.argv[1], int(sys.argv[2]))"


def jobs_row(folder: Path) -> Rounds:
    """Games a second with one job, to those with two: the time of two to the time of one."""
    bots = [measuring.python_bot(folder)] * 2
    games = list(Fight(games=4, seed=measuring.SEED, first=First.ALTERNATE))
    return of_jobs(games, bots, measuring.CONDITIONS)


def broadsides_jobs_row(folder: Path) -> Rounds:
    """Wall time of a contest of three Ruby players with two jobs, and with one."""
    conditions, bots = ruby_players("limits", folder, "ann", "bob", "cy")
    games = measuring.round_robin([bot.name for bot in bots], BROADSIDES, 2, measuring.SEED)
    return of_jobs(games, bots, conditions)


def of_jobs(games: Iterable[Pairing], bots: Sequence[Bot], conditions: Conditions) -> Rounds:
    """Wall time of these games with two jobs, to that with one."""
    two, one = (partial(measuring.play_all, games, bots, conditions, jobs) for jobs in (2, 1))
    return measuring.paired(two, one)


def rank_row(_folder: Path) -> Rounds:
    """Games a second of a contest of the bundled Python bots, each against the next, if they are
    executed, to the same if they are forked."""
    started = [one for one in bundled() if one.language == "Python" and "brainjar" in one.wires]
    bots = [find(f"{one.name}@brainjar") for one in started]
    everyone = measuring.round_robin([bot.name for bot in bots], BRAINJAR, 2, measuring.SEED)
    games = [one for one in everyone if one.first == 0 and one.seats[1] - one.seats[0] == 1]
    assert len(games) == len(bots) - 1, "each but the last has a next"
    launches = [replace(measuring.CONDITIONS, launch=launch) for launch in ("fork", "exec")]
    forked, executed = (partial(measuring.play_all, games, bots, how, 1) for how in launches)
    while True:
        yield [Round(*(1000 * len(games) / timed(each) for each in (executed, forked)))]


def launch_auto_row(folder: Path) -> Rounds:
    """Games a second of `judge rank` of three bundled Python bots with --launch exec, to those with
    no flag, which begin with a proof of each bot."""
    bots = folder / "contest"
    for name in ("hunt", "parity", "random"):
        shutil.copytree(find(name).folder, bots / name)

    def games_a_second(rounds: int, *flags: str) -> float:
        seed = ("--seed", str(measuring.SEED))
        command = [measuring.JUDGE, "rank", str(bots), "--rounds", str(rounds), *seed, *flags]
        run = partial(subprocess.run, [*command, "--no-ledger"], capture_output=True, check=True)
        return 1000 * 6 * rounds / timed(run)

    while True:
        yield [Round(games_a_second(1, "--launch", "exec"), games_a_second(AUTO_ROUNDS))]


def field_row(folder: Path) -> Rounds:
    """Seconds until `judge rank` tells the first game of a contest of 2,000 bots."""
    program = Path(measuring.c_bot(folder).command[0])
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
            command = [measuring.JUDGE, "rank", str(field), "--jsonl", "--quiet"]
            yield [Round(game_times([*command, "--ledger", ledger], 1)[0])]


def memory_row(folder: Path) -> Rounds:
    """Peak memory of ranking 10,000 games, to that of 100."""
    os.environ["PYTHONPATH"] = str(Path(__file__).parent)

    def peak(games: int) -> float:
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            return measuring.weighed([sys.executable, "-c", RANK, fresh, str(games)])[1]

    while True:
        yield [Round(peak(10_000), peak(100))]


def rank(folder: str, size: int) -> None:
    """The work of `judge rank` with two jobs, from an empty ledger to the table; the bots are
    functions, and the games (a multiple of 20) of some ten shots."""
    path = Path(folder, "ledger.json")
    bots = measuring.scripted_bots(Path(folder), 5)
    with Ledger(path) as ledger:
        units, remaining = divmod(size, len(bots) * (len(bots) - 1) // 2)
        assert not remaining, "in a round every two bots play two games"
        schedule = measuring.round_robin(
            [bot.name for bot in bots], measuring.TINY, units, ledger.contest_seed(1)
        )
        conditions = replace(measuring.CONDITIONS, rules=measuring.TINY)
        measuring.play_all(
            schedule,
            bots,
            conditions,
            2,
            add=ledger.add,
            connect=measuring.scripted(measuring.TINY),
        )
        assert ledger.tally.recorded == size, "each game is added once"
        print(table(standings_of(ledger.tally), ledger=str(path)))


def cluster_row(folder: Path) -> Rounds:
    """Milliseconds for a game by one worker of dask and by ``--jobs 1``; by two and by one.

    Each worker has a core of its own, as ``--jobs 1`` has. The judge and the scheduler may run on
    all, so if there are just two, both workers leave some of theirs to them.
    """
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        fail("the row cluster needs two cores")
    bot = measuring.python_bot(folder).files[0]
    held = ("--launch", "fork", "--isolation", "none", "--timeout", "30s", "--no-ledger")
    command = (measuring.JUDGE, "fight", str(bot), f"other={bot}", *held, "--quiet", "--jsonl")
    games = ("--games", str(WARM + GAMES + AFTER))

    def game(*words: str, before: Sequence[str] = ()) -> float:
        """Milliseconds for a game, while more are to come."""
        times = game_times((*before, *command, *games, *words), WARM + GAMES)
        return 1000 * (times[-1] - times[WARM - 1]) / GAMES

    with cluster(folder, cores[:1]) as (one, _), cluster(folder, cores[:2]) as (two, _):
        while True:
            alone = game("--jobs", "1", before=measuring.on_core(cores[0]))
            by_one, by_two = (game("--cluster", address, "--trust-bots") for address in (one, two))
            yield [Round(by_one, alone), Round(by_two, by_one)]


def game_times(command: Sequence[str], count: int) -> list[float]:
    """Seconds from the start of a command to the event of each of its first games, after which it
    is interrupted; ends the bench if it has fewer."""
    began = time.perf_counter()
    times: list[float] = []
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None, "it is a pipe"
        for line in process.stdout:
            if json.loads(line)["event"] == "game":
                times.append(time.perf_counter() - began)
            if len(times) == count:
                process.send_signal(signal.SIGINT)
                break
        said = process.communicate()[1]
    if len(times) < count:
        fail(f"{' '.join(command)} failed: {said}")
    return times


@contextmanager
def cluster(folder: Path, cores: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
    """A scheduler and a worker on each of these cores, as dask starts them, once all have met: the
    address, and the process ids, the scheduler's first."""
    with ExitStack() as until:
        path = Path(until.enter_context(tempfile.TemporaryDirectory(dir=folder)))
        file, log = path / "scheduler.json", path / "log"
        dask = (sys.executable, "-m")

        def begin(kind: str, *words: str, before: Sequence[str] = ()) -> int:
            process = subprocess.Popen(
                [*before, *dask, f"distributed.cli.dask_{kind}", *words, "--no-dashboard"],
                stdout=until.enter_context(log.open("a")),
                stderr=subprocess.STDOUT,
                env=os.environ | NO_PROFILE,
            )
            until.callback(process.wait)
            until.callback(process.terminate)
            return process.pid

        listening = ("--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file))
        processes = [begin("scheduler", *listening)]
        for core in cores:
            own = ("--nthreads", "1", "--no-nanny", "--local-directory", str(path / f"{core}"))
            processes.append(
                begin("worker", "--scheduler-file", str(file), *own, before=measuring.on_core(core))
            )
        deadline = time.monotonic() + SECONDS
        while log.read_text().count("Registered to") < len(cores):
            if time.monotonic() > deadline:
                fail(f"fewer than {len(cores)} workers of dask have come: {log.read_text()}")
            time.sleep(0.1)
        yield json.loads(file.read_text())["address"], processes
