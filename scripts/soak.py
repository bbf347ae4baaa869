"""Looks for what many games leave behind: processes, descriptors, folders, memory; and for what
many signals break.

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

import argparse
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
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import structs

import bench_contest
import bench_play
import bench_serve
import host_deaths
from judge.documents.codec import builtins
from judge.game.variants import BRAINJAR
from judge.signals import STOPPING
from measuring import JUDGE, SMALL_BOTS, count

LOOKS = 20
MOST_GROWTH = 1.1  # of the memory
GAME_BYTES = 300  # of memory for a game in the ledger: its result, and where its line is
MOST_MORE = 20  # descriptors or children of games that are just under way
MATCH = 500  # games of a match by the rules of the contest
DEADLINE_MS, MOST_LATE_MS = 200, 100  # the latter at the 99th percentile
AT_ONCE, TABLES, SHOTS = 50, 10, 5  # at a server, where a player of BSP gives up after the shots
SETTLED = 4.0  # seconds after which a server has let go of clients that have gone
SHORT = structs.replace(BRAINJAR, name="short", columns=4, fleet=(2,))
MOST_SECONDS = 2.0  # from a signal to the end of a command
GIVEN_UP = 30.0  # seconds after which a command hangs
ENDLESS_BOT = "#!/bin/sh\nwhile :; do :; done\n"


class Sight(NamedTuple):
    """The state of a process after that number of ``games``."""

    games: int
    process: str
    kib: int
    descriptors: int
    children: int

    def problems(self, early: Sight) -> Iterator[str]:
        """The things that it has more of than it had early."""
        allowed = early.kib * MOST_GROWTH + (self.games - early.games) * GAME_BYTES / 1024
        if self.kib > allowed:
            yield f"{self.process}: {self.kib} KiB, where {allowed:.0f} are allowed"
        for what in ("descriptors", "children"):
            if (more := getattr(self, what) - getattr(early, what)) > MOST_MORE:
                yield f"{self.process}: {more} {what} more"


def sight(games: int, name: str, process: int) -> Sight:
    """Look at a process now."""
    found = Path(f"/proc/{process}")
    children = sum(len(each.read_text().split()) for each in found.glob("task/*/children"))
    descriptors = len(list((found / "fd").iterdir()))
    return Sight(games, name, bench_serve.resident_kib(process), descriptors, children)


class Soak:
    """The findings on the way, and the problems."""

    def __init__(self, games: int) -> None:
        self.games = games
        self.every = max(1, games // LOOKS)
        self.problems: list[str] = []
        self._early: dict[str, Sight] = {}

    def look(self, games: int, processes: Mapping[str, int]) -> None:
        """Print what the processes have; judge it at the end."""
        for name, process in processes.items():
            now = sight(games, name, process)
            print(*now, sep="\t", flush=True)
            if games >= self.games / 5:
                early = self._early.setdefault(name, now)
                if games + self.every > self.games:
                    self.problems += now.problems(early)

    def judge(
        self, scratch: Path, *words: str, others: Mapping[str, int] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Run a command of the judge, look at it as its games end, and yield their records."""
        command = [JUDGE, *words, "--jsonl", "--quiet"]
        environment = {**os.environ, "TMPDIR": str(scratch)}
        pipe = subprocess.PIPE
        games = 0
        with subprocess.Popen(command, cwd=scratch, env=environment, stdout=pipe) as process:
            assert process.stdout, "it is a pipe"
            for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "fault":
                    self.problems.append(event["message"])
                if event["event"] == "game":
                    games += 1
                    yield event["record"]
                    if games % self.every == 0 and games < self.games:
                        self.look(games, {"judge": process.pid, **(others or {})})
        left = [
            *scratch.glob("judge-*/*"),
            *Path("/sys/fs/cgroup").glob(f"**/judge-{process.pid}-*"),
        ]
        self.problems += [f"{path} is left" for path in left]
        if process.returncode or games != self.games:
            self.problems.append(f"{games} of {self.games} games; status {process.returncode}")


def bots(scratch: Path, program: str, suffix: str = "") -> str:
    """A folder with two bots of this program."""
    folder = scratch / "bots"
    folder.mkdir()
    for name in ("ann", "bob"):
        path = folder / f"{name}{suffix}"
        path.write_text(f"{program}# {name}\n")
        path.chmod(0o755)
    return str(folder)


def short(scratch: Path) -> Sequence[str]:
    """Two bots that end a game in a few moves, and its rules."""
    bots(scratch, (SMALL_BOTS / "short.sh").read_text())
    path = scratch / "rules.json"
    path.write_text(json.dumps(builtins(SHORT)))
    return "--rules", str(path)


def rank(
    soak: Soak, scratch: Path, words: Sequence[str], others: Mapping[str, int] | None = None
) -> None:
    """A contest of the two bots, whose games have to be played out."""
    match = MATCH if "contest" in words else 1
    rounds = ("--rounds", str(soak.games // match // 2))
    for record in soak.judge(scratch, "rank", f"{scratch}/bots", *rounds, *words, others=others):
        if (outcome := record["outcome"])["termination"] not in {"fleet-destroyed", "goal"}:
            soak.problems.append(f"{record['id']}: {outcome['detail']}")


def fight(soak: Soak, scratch: Path, *held: str) -> None:
    """Games of few moves; but whole ones if they are forked, as one process starts all moves."""
    if "fork" in held:
        bots(scratch, (SMALL_BOTS / "in_order.py").read_text(), ".py")
        rank(soak, scratch, held)
    else:
        rank(soak, scratch, (*short(scratch), *held))


def contest(soak: Soak, scratch: Path, *held: str) -> None:
    """Matches, whose games are those that are counted here."""
    (scratch / "bots").mkdir()
    bench_play.contest_players(scratch / "bots")
    rank(soak, scratch, ("--rules", "contest", "--timeout", "30s", *held))


def cluster(soak: Soak, scratch: Path, *held: str) -> None:
    """The games of `fight` by two workers of dask."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    with bench_contest.cluster(scratch, cores) as (address, (scheduler, *workers)):
        others = {"scheduler": scheduler, **{f"worker {n}": one for n, one in enumerate(workers)}}
        there = ("--cluster", address, "--trust-bots")
        rank(soak, scratch, (*short(scratch), *there, *held), others)


def serve(soak: Soak, scratch: Path, *_: str) -> None:
    """Games of BSP that are given up early, beside tables; all clients go before each look."""

    async def some(there: bench_serve.Halls, games: int) -> None:
        load = bench_serve.Load(there, AT_ONCE, TABLES, None, SHOTS)
        await load.begin()
        await load.until(games)
        load.end()
        await asyncio.sleep(SETTLED)

    with bench_serve.halls(scratch, TABLES) as there:
        for look in range(1, LOOKS + 1):
            asyncio.run(some(there, soak.every))
            soak.look(look * soak.every, {"server": there.process.pid})


def deadlines(soak: Soak, scratch: Path, *held: str) -> None:
    """By how much moves that never end overrun their time limit."""
    folder = bots(scratch, ENDLESS_BOT)
    words = ("fight", f"{folder}/ann", f"{folder}/bob", "--games", str(soak.games), "--no-ledger")
    games = soak.judge(scratch, *words, "--timeout", f"{DEADLINE_MS}ms", *held)
    late = sorted(
        one["wall_ms"] - DEADLINE_MS for game in games for one in game["outcome"]["evidence"]
    )
    if not late:
        return
    median, p99, worst = (late[int(share * (len(late) - 1))] for share in (0.5, 0.99, 1))
    print(f"overrun by {median:.1f} ms (median), {p99:.1f} ms (p99), {worst:.1f} ms (worst)")
    if p99 > MOST_LATE_MS:
        soak.problems.append(f"moves end {p99:.0f} ms late")


def commands(scratch: Path, port: int) -> dict[str, tuple[str, float]]:
    """The commands that are signalled: the words of each, and the seconds until a signal comes."""
    quick = f"--rules {scratch}/rules.json --isolation limits"
    two = f"{scratch}/bots/ann {scratch}/bots/bob"
    return {
        "rank": (f"rank {scratch}/bots --rounds 400 --jsonl {quick}", 5),
        "rank of jobs": (f"rank {scratch}/bots --rounds 400 --jsonl --jobs 3 {quick}", 5),
        "swiss": (f"rank {scratch}/bots --format swiss --jsonl {quick}", 3),
        "fight": (f"fight {two} --games 400 --no-ledger --watch {quick}", 4),
        "learning": (f"rank {scratch}/players --rules broadsides --learning on --jsonl", 5),
        "test": (f"test {two} --boards 500 {quick}", 4),
        "check": ("check hunter --isolation limits", 5),
        "check of a match": ("check contest-hunt --rules contest --isolation limits", 4),
        "new": ("new c {fresh}", 2),
        "doctor": ("doctor", 4),
        "verify": ("ledger verify {whole} --jobs 2", 3),
        "rebuild": ("ledger rebuild {whole}", 2),
        "standings": ("standings {whole} --json", 2),
        "site": ("site {fresh} --ledger {whole} --jobs 2", 4),
        "play": ("play hunter", 2),
        "tester": ("tester --bot 1=hunter", 2),
        "serve": ("serve xbs --port 0 --no-ledger", 2),
        "serve of bsp": (f"serve bsp --port 0 --ledger {scratch}/served.json", 2),
        "join": (f"join bsp://127.0.0.1:{port} --bot hunter", 3),
        "join by hand": (f"join xbs://127.0.0.1:{port}", 2),
    }


def signals(soak: Soak, scratch: Path, *_: str) -> None:
    """Signals at every command, to its process or to its group: each is to end by a sentence, in
    time, and without a loss; a ledger holds each game that was told, once."""
    short(scratch)
    players = scratch / "players"
    players.mkdir()
    for player in ("cat", "dog"):
        program = (SMALL_BOTS.parents[1] / "bots" / "salvo" / "bot.py").read_text()
        (players / f"{player}.py").write_text(f"{program}# {player}\n")
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # which a job in the background ignores
    luck = random.Random(soak.games)
    whole, told, late = scratch / "whole.json", dict[str, list[str]](), dict[str, float]()
    rounds = ("rank", f"{scratch}/bots", "--rules", f"{scratch}/rules.json", "--rounds", "100")
    subprocess.run(
        [JUDGE, *rounds, "--ledger", whole, "--quiet"], check=True, stdout=subprocess.DEVNULL
    )
    with socket.create_server(("127.0.0.1", 0)) as silent:
        all_of_them = commands(scratch, silent.getsockname()[1])
        for number in itertools.count():
            if len(late) == soak.games:
                break
            name = [*all_of_them][number % len(all_of_them)]
            text, seconds = all_of_them[name]
            ledger = scratch / f"{name.replace(' ', '-')}.json"
            words = text.format(whole=whole, fresh=scratch / f"fresh-{number}").split()
            words += ["--ledger", str(ledger)] * ("--jsonl" in words)
            by, is_group = luck.choice(STOPPING), luck.random() < 0.5
            out, said, status, took = stopped(words, scratch, by, seconds * luck.random(), is_group)
            case = f"{number}: {name} by {by.name}{' to all' * is_group}"
            if took is not None:
                late[case] = took
            # Before the judge hears signals, Python ends by them in its own way.
            if status != -by and (
                status not in {0, 130} or "Traceback" in said or "bug in" in said
            ):
                soak.problems.append(f"{case}: status {status}: {said[-300:]}")
            elif status == 130 and "interrupted" not in said and "Do it again" not in said:
                soak.problems.append(f"{case} says {said!r}")
            if "--jsonl" in words and ledger.exists():
                events = [json.loads(line) for line in out.splitlines()]
                ids = [one["record"]["id"] for one in events if one["event"] == "game"]
                all_ids = told.setdefault(name, [])
                all_ids += ids
                held = json.loads(ledger.read_bytes())["recorded"]
                if len({*all_ids}) != len(all_ids) or held != len(all_ids):
                    soak.problems.append(f"{case}: {held} games kept, {len(all_ids)} told")
                if status == 0:
                    del told[name]
                    for path in scratch.glob(f"{ledger.stem}.*"):
                        path.unlink()
            soak.problems += [f"{case} leaves {path}" for path in scratch.glob("judge-*/*")]
            print(case, f"status {status}", took, sep="\t", flush=True)
    worst = sorted(late.values())
    print(f"{worst[len(worst) // 2]:.2f} s (median), {worst[-1]:.2f} s (worst)")
    soak.problems += [
        f"{case} ends {s:.1f} s later" for case, s in late.items() if s > MOST_SECONDS
    ]


def host(soak: Soak, scratch: Path, *_: str) -> None:
    """As many deaths of a ladder, after which nothing that was acknowledged may be missing."""
    host_deaths.small_ladder(scratch)
    soak.problems += host_deaths.deaths(scratch, soak.games)


def stopped(
    words: Sequence[str], scratch: Path, by: signal.Signals, seconds: float, is_group: bool
) -> tuple[str, str, int, float | None]:
    """The words of a command that gets a signal, its exit status, and how long it takes to end
    then; None if it has ended before."""
    environment = {**os.environ, "TMPDIR": str(scratch), "PYTHONUNBUFFERED": "1"}
    silent, held = os.pipe()
    with (
        os.fdopen(silent) as stdin,
        os.fdopen(held, "w"),
        subprocess.Popen(
            [JUDGE, *words],
            cwd=scratch,
            env=environment,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        try:
            out, said = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            (os.killpg if is_group else os.kill)(process.pid, by)
        else:
            return out, said, process.returncode, None
        began = time.monotonic()
        try:
            out, said = process.communicate(timeout=GIVEN_UP)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, said = process.communicate()
        return out, said, process.returncode, time.monotonic() - began


SOAKS = {
    "fight": (fight, 1000),
    "contest": (contest, 50_000),
    "cluster": (cluster, 100_000),
    "serve": (serve, 10_000),
    "deadlines": (deadlines, 200),
    "host": (host, 300),
    "signals": (signals, 800),
}


def main() -> None:
    """Run one of them; exits with what is amiss."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=SOAKS)
    parser.add_argument(
        "--games", type=count, help="; ".join(f"{n}: {g}" for n, (_, g) in SOAKS.items())
    )
    parser.add_argument("--isolation", default="limits", help="(%(default)s)")
    parser.add_argument("--launch", default="exec", help="(%(default)s)")
    given = parser.parse_args()
    run, usual = SOAKS[given.what]
    soak = Soak(given.games or usual)
    print(*Sight._fields, sep="\t")
    with tempfile.TemporaryDirectory(prefix="soak-") as scratch:
        Path(scratch).chmod(0o755)  # for a bot that is nobody's
        run(soak, Path(scratch), "--isolation", given.isolation, "--launch", given.launch)
    if soak.problems:
        sys.exit("soak: " + "; ".join(soak.problems))


if __name__ == "__main__":
    main()
