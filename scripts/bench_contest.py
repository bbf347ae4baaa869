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
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from logging import CRITICAL
from pathlib import Path

import judge
import measuring
from bench_ledger import AtRandom, of_programs
from bench_play import ruby_players
from judge.contest.ledger.ledger import Ledger
from judge.contest.standings.standings import standings as standings_of
from judge.process.bots.bot import find
from judge.process.run.processors import bound_to
from judge.show.standings import table
from measuring import SEED, Round, Rounds, fail, timed

AUTO_ROUNDS = 25  # six games each
FIELD = 2000  # bots in a large contest
GAMES = 64  # of a round on a cluster
NO_PROFILE = {"distributed.worker.profile.enabled": False}  # as the guide advises


def jobs_row(folder: Path) -> Rounds:
    """Games a second with one job, to those with two: the time of two to the time of one."""
    bot = str(measuring.python_bot(folder).files[0])
    fight = partial(judge.fight, bot, bot, games=4, seed=SEED, launch="exec", isolation="none")
    return of_jobs(lambda jobs: fight(jobs=jobs, timeout_ms=30_000))


def broadsides_jobs_row(folder: Path) -> Rounds:
    """Wall time of a contest of three Ruby players with two jobs, and with one."""
    _, bots = ruby_players("limits", folder, "ann", "bob", "cy")
    field = [str(bot.files[0]) for bot in bots]
    contest = partial(judge.Contest, field, rounds=1, rules="broadsides", isolation="limits")
    return of_jobs(lambda jobs: contest(seed=SEED, jobs=jobs, timeout_ms=30_000))


def of_jobs(games: Callable[[int], Iterable[object]]) -> Rounds:
    """Wall time of these games with two jobs, to that with one."""

    def play(jobs: int) -> None:
        for event in games(jobs):
            if isinstance(event, judge.Fault):
                raise event.error

    return measuring.paired(partial(play, 2), partial(play, 1))


def rank_row(folder: Path) -> Rounds:
    """Games a second of `judge rank` of three bundled Python bots if they are executed, to the same
    if they are forked."""
    bots = three_bots(folder)
    while True:
        yield [Round(*(games_a_second(bots, 2, "--launch", how) for how in ("exec", "fork")))]


def launch_auto_row(folder: Path) -> Rounds:
    """The same with no flag instead, which begins with a proof of each bot."""
    bots = three_bots(folder)
    while True:
        executed = games_a_second(bots, 1, "--launch", "exec")
        yield [Round(executed, games_a_second(bots, AUTO_ROUNDS))]


def three_bots(folder: Path) -> Path:
    for name in ("hunt", "parity", "random"):
        shutil.copytree(find(name).folder, folder / "contest" / name)
    return folder / "contest"


def games_a_second(bots: Path, rounds: int, *flags: str) -> float:
    """The games a second of `judge rank` of three bots, its start included."""
    seed = ("--seed", str(SEED))
    command = [measuring.JUDGE, "rank", str(bots), "--rounds", str(rounds), *seed, *flags]
    run = partial(subprocess.run, [*command, "--no-ledger"], capture_output=True, check=True)
    return 1000 * 6 * rounds / timed(run)


def field_row(folder: Path) -> Rounds:
    """Seconds until `judge rank` tells the first game of a contest of 2,000 bots."""
    program = Path(measuring.c_bot(folder).command[0])
    field = folder / "field"
    field.mkdir()
    for number in range(FIELD):
        bot = Path(shutil.copy(program, field / f"bot{number}"))
        bot.write_bytes(program.read_bytes() + str(number).encode())  # no two are the same
    while True:
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            ledger = f"{fresh}/ledger.json"
            command = [measuring.JUDGE, "rank", str(field), "--jsonl", "--quiet"]
            yield [Round(game_times([*command, "--ledger", ledger], 1)[0])]


def memory_row(folder: Path) -> Rounds:
    """Peak memory of ranking 10,000 games, to that of 100."""

    def peak(games: int) -> float:
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            return measuring.weighed([sys.executable, __file__, fresh, str(games)])[1]

    while True:
        yield [Round(peak(10_000), peak(100))]


def rank(folder: str, size: int) -> None:
    """A contest of functions of this process from an empty ledger to the table; the games (a
    multiple of 20) have some ten shots."""
    path = Path(folder, "ledger.json")
    bots = [AtRandom(f"bot{number}") for number in range(5)]
    with Ledger(path) as ledger:
        for event in judge.Contest(bots, rounds=size // 20, rules=measuring.TINY, seed=SEED):
            if isinstance(event, judge.Added):
                ledger.add(of_programs(event.rated.record))
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
    games = ("--games", str(GAMES))

    def game(*words: str) -> float:
        """Milliseconds for a game, from the end of the first to that of the last."""
        times = game_times((*command, *games, *words), GAMES)
        return 1000 * (times[-1] - times[0]) / (GAMES - 1)

    with cluster(cores[:1]) as (one, _), cluster(cores[:2]) as (two, _):
        while True:
            with bound_to(frozenset(cores[:1])):
                alone = game("--jobs", "1")
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
def cluster(cores: Sequence[int]) -> Iterator[tuple[str, dict[str, int]]]:
    """A scheduler in this process and a worker on each of these cores: the address, and the ids of
    the processes by their names."""
    import dask
    from distributed import Client, LocalCluster

    with (
        dask.config.set(NO_PROFILE),
        LocalCluster(
            n_workers=len(cores),
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=CRITICAL,
        ) as local,
        Client(local) as client,
    ):
        workers = client.run(os.getpid).values()
        for worker, core in zip(workers, cores, strict=True):
            for thread in Path(f"/proc/{worker}/task").iterdir():
                os.sched_setaffinity(int(thread.name), {core})
        names = {f"worker {number}": worker for number, worker in enumerate(workers)}
        yield local.scheduler_address, {"scheduler": os.getpid(), **names}


if __name__ == "__main__":
    rank(sys.argv[1], int(sys.argv[2]))
