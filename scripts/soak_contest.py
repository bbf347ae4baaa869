"""Plays many matches of the Battleships contest and says whether anything of them stays.

    .venv/bin/python scripts/soak_contest.py --matches 100 --games 500
    .venv/bin/python scripts/soak_contest.py --matches 20 --every 2 --no-ledger --isolation bwrap

Two AIs in C play, row by row and at random, and each match is added to one ledger, which keeps the
shots of its last game. After the first match and then after every tenth one a line tells the judge's
memory, its descriptors, its children, the folders of its runs, and how large the ledger is. It
fails when there are more descriptors, children or folders than after the first match, or when the
memory grows: with a ledger by more than its games take, without one by more than the allocator may
hold now and then.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import click
from bench_contest import players
from bench_moves import PATIENT, SEED

from judge.contest.ledger.keep import Keep
from judge.contest.ledger.ledger import Ledger
from judge.game.record import GameRecord
from judge.game.variants import CONTEST
from judge.play.conditions import Conditions
from judge.play.run import Run, Task, TaskGame, TaskSeat
from judge.process.bots.bot import Bot
from judge.process.sandbox.isolation import choose

MOST_GAME_BYTES = 300  # of memory for a game in the ledger: its result, and where its line is
ROW = "{:>8}{:>10}{:>13}{:>10}{:>9}{:>12}"
ROOM_KIB = 4096  # what the allocator may hold more or less at one moment than at another


class Sight(NamedTuple):
    """What there is of the judge after so many matches."""

    matches: int
    kib: int
    descriptors: int
    children: int
    folders: int
    ledger_kib: int

    def problems(self, first: Sight, kept_games: int) -> Iterator[str]:
        """What there is more of than at the first sight, where the ledger takes so many games of
        each match."""
        for what in ("descriptors", "children", "folders"):
            if (more := getattr(self, what) - getattr(first, what)) > 0:
                yield f"{more} {what} more after {self.matches} matches"
        allowed = (self.matches - first.matches) * kept_games * MOST_GAME_BYTES // 1024 + ROOM_KIB
        if (grown := self.kib - first.kib) > allowed:
            yield f"{grown} KiB more after {self.matches} matches, where {allowed} are allowed"


@click.command()
@click.option("--matches", default=100, help="How many matches to play.")
@click.option("--games", default=500, help="How many games a match has.")
@click.option("--every", default=10, help="After how many matches to look.")
@click.option("--isolation", default="none", help="How the AIs are held.")
@click.option("--ledger/--no-ledger", "keeps", default=True, help="Whether a ledger keeps them.")
def main(*, matches: int, games: int, every: int, isolation: str, keeps: bool) -> None:
    """Look for leaks over many matches."""
    held, _ = choose(isolation)
    with tempfile.TemporaryDirectory() as scratch:
        tempfile.tempdir = scratch
        bots = players(Path(scratch))
        conditions = Conditions(rules=replace(CONTEST, match=games), isolation=held, limits=PATIENT)
        print(ROW.format(*(name.replace("_", " ") for name in Sight._fields)))
        first: Sight | None = None
        problems: list[str] = []
        with (
            Run(conditions, bots) as run,
            Ledger(Path(scratch, "x.ledger.json")) as ledger,
        ):
            for number in range(1, matches + 1):
                records = play(run, bots, number, games)
                if keeps:
                    ledger.add_all(records, numbered=True, keep=Keep.read("last"))
                del records  # of which there are no two matches at once
                if number > 1 and number % every:
                    continue
                sight = seen(number, Path(scratch))
                print(ROW.format(*sight), flush=True)
                first = first or sight
                problems += sight.problems(first, games if keeps else 0)
    if problems:
        raise SystemExit("soak: " + "; ".join(problems))


def play(run: Run, bots: Sequence[Bot], number: int, games: int) -> list[GameRecord]:
    """Play a match of its own luck."""
    seed = SEED + number * games
    seats = tuple(
        TaskSeat(bot.name, bot.digest, seed + seat, bot.wires, bot.dialect)
        for seat, bot in enumerate(bots)
    )
    first, *rest = (TaskGame(f"soak-{number}.{game}", seed + game, 0) for game in range(games))
    records = run.play_match(Task(first.id, first.seed, 0, seats, rest=tuple(rest)))
    if len(records) != games:
        raise SystemExit(f"soak: its own AI lost by {records[-1].outcome}")
    return records


def seen(matches: int, scratch: Path) -> Sight:
    status = Path("/proc/self/status").read_text()
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return Sight(
        matches=matches,
        kib=int(status.partition("VmRSS:")[2].split()[0]),
        descriptors=len(list(Path("/proc/self/fd").iterdir())),
        children=len(children),
        folders=sum(1 for path in scratch.glob("judge-*/*")),
        ledger_kib=sum(path.stat().st_size for path in scratch.glob("x.*")) // 1024,
    )


if __name__ == "__main__":
    main()
