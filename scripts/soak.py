r"""Looks for what many games leave behind: processes, descriptors, folders, memory; and for what
many signals break.

    \b
    .venv/bin/python scripts/soak.py fight --games 1000 --launch fork --isolation bwrap
    .venv/bin/python scripts/soak.py contest      # matches of two AIs in C
    .venv/bin/python scripts/soak.py cluster      # the games of fight, by two workers of dask
    .venv/bin/python scripts/soak.py serve        # games at a server of BSP and XBS
    .venv/bin/python scripts/soak.py deadlines    # moves that never end: how late are they ended?
    .venv/bin/python scripts/soak.py host --games 300  # as many deaths of a ladder under uploads
    .venv/bin/python scripts/soak.py signals --games 800  # as many signals, at every command

The processes of the judge (and of dask) are looked at twenty times, after as many games each. It
fails if one of them has over twenty descriptors or children more than after a fifth of the games,
or more memory by over a tenth and 300 bytes a game, which is what a ledger takes; and if a folder
or a control group outlives the judge.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np

import bench_contest
import bench_host
import bench_play
import bench_serve
from judge.documents.codec import builtins
from judge.signals import STOPPING
from measuring import JUDGE, ROOT, SMALL, SMALL_BOTS, Running, resident_kib

LOOKS = 20
MOST_GROWTH = 1.1  # of the memory
GAME_BYTES = 300  # of memory for a game in the ledger: its result, and where its line is
MOST_MORE = 20  # descriptors or children of games that are just under way
MATCH = 500  # games of a match by the rules of the contest
DEADLINE_MS, MOST_LATE_MS = 200, 100  # the latter at the 99th percentile
AT_ONCE, TABLES, SHOTS = 50, 10, 5  # at a server, where a player of BSP gives up after the shots
SETTLED = 4.0  # seconds after which a server has let go of clients that have gone
MOST_SECONDS = 2.0  # from a signal to the end of a command
GIVEN_UP = 30.0  # seconds after which a command hangs
ENDLESS_BOT = "#!/bin/sh\nwhile :; do :; done\n"


COMMANDS: dict[str, tuple[str, float]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text()
)


class Sight(NamedTuple):
    """The state of a process after that number of ``games``."""

    games: int
    process: str
    kib: int
    descriptors: int
    children: int

    @classmethod
    def of(cls, games: int, name: str, process: int) -> Sight:
        """The state of a process now."""
        found = Path(f"/proc/{process}")
        children = sum(len(each.read_text().split()) for each in found.glob("task/*/children"))
        descriptors = len(list((found / "fd").iterdir()))
        return cls(games, name, resident_kib(process), descriptors, children)

    def problems(self, early: Sight) -> Iterator[str]:
        """The things that it has more of than it had early."""
        allowed = early.kib * MOST_GROWTH + (self.games - early.games) * GAME_BYTES / 1024
        if self.kib > allowed:
            yield f"{self.process}: {self.kib} KiB, where {allowed:.0f} are allowed"
        for what in ("descriptors", "children"):
            if (more := getattr(self, what) - getattr(early, what)) > MOST_MORE:
                yield f"{self.process}: {more} {what} more"


class Soak:
    """The findings on the way, and the problems, of commands that run in a folder; ``others`` are
    processes that are looked at beside theirs."""

    def __init__(self, games: int, scratch: Path) -> None:
        self.games, self.scratch = games, scratch
        self.every = max(1, games // LOOKS)
        self.others: Mapping[str, int] = {}
        self.problems: list[str] = []
        self._early: dict[str, Sight] = {}

    def begun(self, *words: str, **streams: Any) -> subprocess.Popen[bytes]:
        """A command of the judge."""
        environment = os.environ | {"TMPDIR": str(self.scratch), "PYTHONUNBUFFERED": "1"}
        return subprocess.Popen([JUDGE, *words], cwd=self.scratch, env=environment, **streams)

    def look(self, games: int, processes: Mapping[str, int]) -> None:
        """Print what the processes have; judge it at the end."""
        for name, process in processes.items():
            now = Sight.of(games, name, process)
            print(*now, sep="\t", flush=True)
            if games >= self.games / 5:
                early = self._early.setdefault(name, now)
                if games + self.every > self.games:
                    self.problems += now.problems(early)

    def judge(self, *words: str) -> Iterator[dict[str, Any]]:
        """Run a command of the judge, look at it as its games end, and yield their records."""
        games = 0
        with self.begun(*words, "--jsonl", "--quiet", stdout=subprocess.PIPE) as process:
            assert process.stdout, "it is a pipe"
            for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "fault":
                    self.problems.append(event["message"])
                if event["event"] == "game":
                    games += 1
                    yield event["record"]
                    if games % self.every == 0 and games < self.games:
                        self.look(games, {"judge": process.pid, **self.others})
        groups = Path("/sys/fs/cgroup").glob(f"**/judge-{process.pid}-*")
        left = (*self.scratch.glob("judge-*/*"), *groups)
        self.problems += [f"{path} is left" for path in left]
        if process.returncode or games != self.games:
            self.problems.append(f"{games} of {self.games} games; status {process.returncode}")


def bots(scratch: Path, program: str, suffix: str = "", folder: str = "bots") -> None:
    """A folder with two bots of this program."""
    (scratch / folder).mkdir()
    for name in ("ann", "bob"):
        path = scratch / folder / f"{name}{suffix}"
        path.write_text(f"{program}# {name}\n")
        path.chmod(0o755)


def short(scratch: Path) -> Sequence[str]:
    """Two bots that end a game in a few moves, and its rules."""
    bots(scratch, (SMALL_BOTS / "short.sh").read_text())
    (scratch / "rules.json").write_text(json.dumps(builtins(SMALL)))
    return "--rules", "rules.json"


def rank(soak: Soak, *words: str) -> None:
    """A contest of the two bots, whose games have to be played out."""
    a_round = MATCH if "contest" in words else 2  # two bots play a match a round, or two games
    rounds = ("--rounds", str(soak.games // a_round))
    for record in soak.judge("rank", "bots", *rounds, *words):
        if (outcome := record["outcome"])["termination"] not in {"fleet-destroyed", "goal"}:
            soak.problems.append(f"{record['id']}: {outcome['detail']}")


def fight(soak: Soak, *held: str) -> None:
    """Games of few moves; but whole ones if they are forked, as one process starts all moves."""
    if "fork" in held:
        bots(soak.scratch, (SMALL_BOTS / "in_order.py").read_text(), ".py")
        rank(soak, *held)
    else:
        rank(soak, *short(soak.scratch), *held)


def contest(soak: Soak, *held: str) -> None:
    """Matches, whose games are those that are counted here."""
    (soak.scratch / "bots").mkdir()
    bench_play.contest_players(soak.scratch / "bots")
    rank(soak, "--rules", "contest", "--timeout", "30s", *held)


def cluster(soak: Soak, *held: str) -> None:
    """The games of `fight` by two workers of dask."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    with bench_contest.cluster(cores) as (address, soak.others):
        rank(soak, *short(soak.scratch), "--cluster", address, "--trust-bots", *held)


def serve(soak: Soak, *_: str) -> None:
    """Games of BSP that are given up early, beside tables; all clients go before each look."""

    async def some(there: Running, games: int) -> None:
        load = bench_serve.Load(there, AT_ONCE, TABLES, None, SHOTS)
        await load.begin()
        await load.until(games)
        load.end()
        await asyncio.sleep(SETTLED)

    with bench_serve.halls(soak.scratch, TABLES) as there:
        for look in range(1, LOOKS + 1):
            asyncio.run(some(there, soak.every))
            soak.look(look * soak.every, {"server": there.process.pid})


def deadlines(soak: Soak, *held: str) -> None:
    """By how much moves that never end overrun their time limit."""
    bots(soak.scratch, ENDLESS_BOT)
    words = ("fight", "bots/ann", "bots/bob", "--games", str(soak.games), "--no-ledger")
    games = soak.judge(*words, "--timeout", f"{DEADLINE_MS}ms", *held)
    late = [one["wall_ms"] - DEADLINE_MS for game in games for one in game["outcome"]["evidence"]]
    if late:
        median, p99, worst = np.quantile(late, (0.5, 0.99, 1))
        print(f"overrun by {median:.1f} ms (median), {p99:.1f} ms (p99), {worst:.1f} ms (worst)")
        if p99 > MOST_LATE_MS:
            soak.problems.append(f"moves end {p99:.0f} ms late")


def signals(soak: Soak, *_: str) -> None:
    """Signals at every command, to its process or to its group: each is to end by a sentence, in
    time, and without a loss; a ledger holds each game that was told, once."""
    scratch = soak.scratch
    short(scratch)
    program = (ROOT / "bots" / "salvo" / "bot.py").read_text()
    bots(scratch, program, ".py", folder="players")
    # A job in the background ignores it, and so would what it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    luck = random.Random(soak.games)
    told, late = dict[str, list[str]](), dict[str, float]()
    rank(Soak(200, scratch), "--rules", "rules.json", "--ledger", "whole.json")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        for number, name in enumerate(itertools.cycle(COMMANDS)):
            if len(late) == soak.games:
                break
            text, seconds = COMMANDS[name]
            ledger = scratch / f"{name.replace(' ', '-')}.json"
            words = text.format(number=number, port=port).split()
            words += ["--ledger", str(ledger)] * ("--jsonl" in words)
            by, is_group = luck.choice(STOPPING), luck.random() < 0.5
            status, took = stopped(soak, words, by, seconds * luck.random(), is_group=is_group)
            out, said = ((scratch / file).read_text() for file in ("stdout", "stderr"))
            case = f"{number}: {name} by {by.name}{' to all' * is_group}"
            if took is not None:
                late[case] = took
                if took > MOST_SECONDS:
                    soak.problems.append(f"{case} ends {took:.1f} s later")
            # Before the judge hears signals, Python ends by them in its own way.
            is_odd = status not in {0, 130} or "Traceback" in said or "bug in" in said
            if is_odd and status != -by:
                soak.problems.append(f"{case}: status {status}: {said[-300:]}")
            elif status == 130 and "interrupted" not in said and "Do it again" not in said:
                soak.problems.append(f"{case} says {said!r}")
            if "--jsonl" in words and ledger.exists():
                events = [json.loads(line) for line in out.splitlines()]
                ids = told.setdefault(name, [])
                ids += [one["record"]["id"] for one in events if one["event"] == "game"]
                held = json.loads(ledger.read_bytes())["recorded"]
                if len({*ids}) != len(ids) or held != len(ids):
                    soak.problems.append(f"{case}: {held} games kept, {len(ids)} told")
                if status == 0:
                    del told[name]
                    for path in scratch.glob(f"{ledger.stem}.*"):
                        path.unlink()
            soak.problems += [f"{case} leaves {path}" for path in scratch.glob("judge-*/*")]
            print(case, f"status {status}", took, sep="\t", flush=True)
    median, worst = np.quantile([*late.values()], (0.5, 1))
    print(f"{median:.2f} s (median), {worst:.2f} s (worst)")


def stopped(
    soak: Soak, words: Sequence[str], by: signal.Signals, seconds: float, *, is_group: bool
) -> tuple[int, float | None]:
    """The exit status of a command that gets a signal, and how long it takes to end then; None if
    it has ended before. Its words are in the files ``stdout`` and ``stderr``; nobody types."""
    with (
        (soak.scratch / "stdout").open("wb") as out,
        (soak.scratch / "stderr").open("wb") as said,
        soak.begun(
            *words, stdin=subprocess.PIPE, stdout=out, stderr=said, start_new_session=True
        ) as process,
    ):
        with suppress(subprocess.TimeoutExpired):
            return process.wait(seconds), None
        (os.killpg if is_group else os.kill)(process.pid, by)
        began = time.monotonic()
        with suppress(subprocess.TimeoutExpired):
            return process.wait(GIVEN_UP), time.monotonic() - began
        os.killpg(process.pid, signal.SIGKILL)
        return process.wait(), time.monotonic() - began


def host(soak: Soak, *_: str) -> None:
    """As many deaths of a ladder, after which nothing that was acknowledged may be missing."""
    bench_host.small_ladder(soak.scratch)
    soak.problems += bench_host.deaths(soak.scratch, soak.games)


SOAKS = {
    "fight": (fight, 1000),
    "contest": (contest, 50_000),
    "cluster": (cluster, 100_000),
    "serve": (serve, 10_000),
    "deadlines": (deadlines, 200),
    "host": (host, 300),
    "signals": (signals, 800),
}


@click.command(help=(__doc__ or "").replace(r"\b", "\b"))
@click.argument("what", type=click.Choice([*SOAKS]))
@click.option(
    "--games",
    type=click.IntRange(1),
    help="; ".join(f"{name}: {games}" for name, (_, games) in SOAKS.items()),
)
@click.option("--isolation", default="limits", show_default=True)
@click.option("--launch", default="exec", show_default=True)
def main(what: str, games: int | None, isolation: str, launch: str) -> None:
    run, usual = SOAKS[what]
    print(*Sight._fields, sep="\t")
    with tempfile.TemporaryDirectory(prefix="soak-") as scratch:
        Path(scratch).chmod(0o755)  # for a bot that is nobody's
        soak = Soak(games or usual, Path(scratch))
        run(soak, "--isolation", isolation, "--launch", launch)
    if soak.problems:
        sys.exit("soak: " + "; ".join(soak.problems))


if __name__ == "__main__":
    main()
