"""Looks for what many games leave behind: processes, descriptors, folders, memory.

    .venv/bin/python scripts/soak.py fight --games 1000 --launch fork --isolation bwrap
    .venv/bin/python scripts/soak.py contest      # matches of two AIs in C
    .venv/bin/python scripts/soak.py cluster      # the games of fight, by two workers of dask
    .venv/bin/python scripts/soak.py serve        # games at a server of BSP and XBS
    .venv/bin/python scripts/soak.py deadlines    # moves that never end: how late are they ended?

The processes of the judge (and of dask) are looked at twenty times, after as many games each. It
fails if one of them has over twenty descriptors or children more than after a fifth of the games,
or more memory by over a tenth and 300 bytes a game, which is what a ledger takes; and if a folder
or a control group outlives the judge.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import structs

import bench_contest
import bench_play
import bench_serve
from judge.documents.codec import builtins
from judge.game.variants import BRAINJAR
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
ENDLESS_BOT = "#!/bin/sh\nwhile :; do :; done\n"


class Sight(NamedTuple):
    """What a process has after so many games."""

    games: int
    process: str
    kib: int
    descriptors: int
    children: int

    def problems(self, early: Sight) -> Iterator[str]:
        """What it has more of than it had early."""
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
    """What is seen on the way, and what is amiss."""

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


SOAKS = {
    "fight": (fight, 1000),
    "contest": (contest, 50_000),
    "cluster": (cluster, 100_000),
    "serve": (serve, 10_000),
    "deadlines": (deadlines, 200),
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
