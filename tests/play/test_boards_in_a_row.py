"""Boards that one process of a bot clears one after another: the same as in a process each."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Self

import pytest

from judge.documents.game import GameRecord, Limits, Termination
from judge.documents.rules import Fleet, Orientation, Rules, Ship
from judge.documents.tasks import Task, TaskSeat
from judge.game.fleets import random_fleet
from judge.game.variants import VARIANTS, XBS
from judge.play import run
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import Bot, find
from judge.process.run.connection import Connection
from judge.process.run.exchange_files import ExchangeFiles
from judge.process.run.pipes import Pipes
from judge.process.run.processors import owned
from judge.process.sandbox.isolation import choose

pytestmark = pytest.mark.whole

T = Termination

# Shoots row by row. ``games`` is the number of boards that it has been told of.
XBS_BOT = """\
import sys
games = shots = 0
print("I|odd|1.0", flush=True)
for line in sys.stdin:
    kind, *values = line.rstrip().split("|")
    if kind == "G":
        games, shots = games + 1, 0
        print("board", games, file=sys.stderr)
        GAME
        print("J|odd|AAAAA.....BBBB......CCC.......DDD.......EE" + 58 * ".", flush=True)
    elif kind == "N" and values[0] == "odd":
        SHOT
        print(f"S|silent|{shots % 10 + 1}|{shots // 10 + 1}", flush=True)
        shots += 1
    elif kind == "H":
        HIT
    elif kind == "F":
        END
    elif kind == "Q":
        break
"""

# The same in `open-lines`.
LINES_BOT = """\
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["cmd"] == "place":
        fleet = enumerate(asked["rules"]["fleet"])
        print(json.dumps({"ships": [[n, 0, row, "horizontal"] for row, n in fleet]}), flush=True)
    elif asked["cmd"] == "shoot":
        shot = len([one for one in asked["shots"] if one[0] == asked["seat"]])
        print(json.dumps({"shots": [[1, shot % 10, shot // 10]]}), flush=True)
"""

# The same in the second dialect of the contest.
CONTEST_BOT = """\
import json, socket, sys
judge = socket.socket(socket.AF_UNIX)
judge.connect(sys.argv[-1])
def say(**said):
    judge.send(json.dumps(said).encode().ljust(256, bytes(1)))
say(mt=1, ai="odd", au="none")
while data := judge.recv(256):
    asked = json.loads(data.rstrip(bytes(1)))
    if asked["mt"] == 2:
        side = asked["bs"]
    elif asked["mt"] == 3:
        row = shots = 0
    elif asked["mt"] == 4:
        say(mt=5, r=row, c=0, l=asked["l"], d=72)
        row += 1
    elif asked["mt"] == 6 or asked["mt"] == 8 and asked["ns"]:
        say(mt=7, r=shots // side, c=shots % side)
        shots += 1
    elif asked["mt"] == 10:
        break
"""

CORNER = tuple(Ship(n, 0, row, Orientation.HORIZONTAL) for row, n in enumerate((5, 4, 3, 3, 2)))
FAR = tuple(Ship(n, 5, row + 4, Orientation.HORIZONTAL) for row, n in enumerate((5, 4, 3, 3, 2)))


class Table:
    """A bot alone, and the BOT_SEED of each process that was started for it."""

    def __init__(
        self,
        bot: Bot,
        rules: Rules = XBS,
        isolation: str = "none",
        *,
        timeout_ms: int = 60_000,
        io: Path | None = None,
    ) -> None:
        self._bot = bot
        self.seeds: list[int] = []
        limits = Limits(timeout_ms=timeout_ms)
        conditions = Conditions(rules=rules, limits=limits, isolation=choose(isolation)[0])
        logs = partial(ExchangeFiles, io) if io else None
        self._run = Run(conditions, [bot], self._connect, io=logs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._run.close()

    def _connect(self, bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
        self.seeds.append(seed)
        return usual()

    def in_a_row(self, fleets: Sequence[Fleet]) -> list[GameRecord]:
        """The boards of these fleets. The first board has seed 1."""
        return self._run.clear(self._tasks(fleets))

    def alone(self, fleets: Sequence[Fleet]) -> list[GameRecord]:
        """The same boards, each in a process of its own."""
        return [record for one in self._tasks(fleets) for record in self._run.clear([one])]

    def _tasks(self, fleets: Sequence[Fleet]) -> list[Task]:
        bot = self._bot
        return [
            Task(
                f"board-{seed}",
                100 + seed,
                0,
                (TaskSeat(bot.name, bot.digest, seed, bot.wires),),
                fleet,
            )
            for seed, fleet in enumerate(fleets, 1)
        ]


def xbs_bot(folder: Path, **lines: str) -> Bot:
    """The XBS bot, with these lines in the places of those words."""
    source = XBS_BOT
    for word in ("GAME", "SHOT", "HIT", "END"):
        source = source.replace(f"{word}\n", f"{lines.get(word.lower(), 'pass')}\n")
    return written(folder, source, "xbs")


def written(folder: Path, source: str, wire: str) -> Bot:
    (folder / "odd.py").write_text(source)
    return find(f"{folder}/odd.py@{wire}")


def what_happened(records: Sequence[GameRecord]) -> list[tuple[object, ...]]:
    """The shots of each board without their times, and how it ended."""
    return [
        (
            *(one.id, one.seed, one.rules, one.seats[0].fleet, one.incidents),
            [(shot.seat, shot.cell, shot.result) for shot in one.shots],
            *(one.outcome.winner, one.outcome.termination, one.outcome.detail),
        )
        for one in records
    ]


def drawn(rules: Rules, boards: int) -> list[Fleet]:
    return [random_fleet(rules.drawn(luck), luck) for luck in map(Random, range(boards))]


@pytest.mark.parametrize("isolation", ["none", "bwrap"])
@pytest.mark.parametrize(
    ("source", "wire", "rules"),
    [
        (XBS_BOT, "xbs", XBS),
        (LINES_BOT, "open-lines", XBS),
        (CONTEST_BOT, "contest", VARIANTS["contest"]),
    ],
    ids=["xbs", "open-lines", "contest"],
)
def test_boards_in_a_row_are_those_of_a_process_each(
    source: str, wire: str, rules: Rules, isolation: str, tmp_path: Path
) -> None:
    """A bot without memory plays them alike; one process clears all, with the seed of the first
    board, and no record says that they are a match."""
    for word in ("GAME", "SHOT", "HIT", "END"):
        source = source.replace(f"{word}\n", "pass\n")
    boards = drawn(rules, 4)
    with Table(written(tmp_path, source, wire), rules, isolation) as table:
        in_a_row = table.in_a_row(boards)
        assert table.seeds == [1]
        alone = table.alone(boards)
        assert table.seeds[1:] == [1, 2, 3, 4]
    assert what_happened(in_a_row) == what_happened(alone)
    assert {one.outcome.termination for one in in_a_row} == {T.FLEET_DESTROYED}
    assert {(one.match, one.seats[0].seed) for one in in_a_row} == {(None, 1)}


def test_the_judge_runs_where_the_bot_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot that lives and the judge are on one processor while boards are cleared, and the judge
    is not afterwards."""
    seen: set[frozenset[int]] = set()
    rest = Pipes.rest

    def noted(pipes: Pipes) -> None:
        seen.add(frozenset(os.sched_getaffinity(0)))
        rest(pipes)

    monkeypatch.setattr(Pipes, "rest", noted)
    monkeypatch.setattr(run, "owned", owned)  # the judge's own, which the tests replace
    before = os.sched_getaffinity(0)
    with Table(xbs_bot(tmp_path)) as table:
        table.in_a_row(drawn(XBS, 2))
    assert [len(processors) for processors in seen] == [1]
    assert os.sched_getaffinity(0) == before


@pytest.mark.parametrize(
    "lines",
    [
        {"end": "sys.exit(0)"},
        {"end": "sys.exit(3)"},
        {"game": "if games > 1: sys.exit(3)"},
        {"game": "if games > 1: continue"},
        {"shot": "if games > 1: shots = 100"},
    ],
    ids=["leaves after a game", "fails after one", "fails", "does not place", "shoots off"],
)
def test_no_board_is_lost_by_an_earlier_one(lines: dict[str, str], tmp_path: Path) -> None:
    """A board that a bot forfeits after another is played again in a new process, with the seed of
    that board; once it has cleared it there, each of its boards has a new process."""
    boards = drawn(XBS, 5)
    with Table(xbs_bot(tmp_path, **lines), timeout_ms=1000) as table:
        in_a_row = table.in_a_row(boards)
        assert table.seeds == [1, 2, 3, 4, 5]
        assert what_happened(in_a_row) == what_happened(table.alone(boards))
    assert {one.outcome.termination for one in in_a_row} == {T.FLEET_DESTROYED}


def test_a_forfeit_ends_the_process_and_shows_one_board(tmp_path: Path) -> None:
    """A fault of the board itself costs that board, with what the bot wrote on it; the next begins
    in a new process, which goes on."""
    bot = xbs_bot(tmp_path, hit="if shots == 1: sys.exit('a ship in the corner')")
    with Table(bot) as table:
        records = table.in_a_row([FAR, FAR, CORNER, FAR, FAR])
        assert table.seeds == [1, 3, 4]
    terminations = [one.outcome.termination for one in records]
    assert terminations == [T.FLEET_DESTROYED] * 2 + [T.CRASH] + [T.FLEET_DESTROYED] * 2
    (evidence,) = records[2].outcome.evidence or ()
    assert evidence.stderr == "board 1\na ship in the corner\n"


def test_each_board_has_its_own_files_of_an_exchange(tmp_path: Path) -> None:
    """So that what stands in them is of one board, each has a process of its own."""
    (tmp_path / "io").mkdir()
    with Table(xbs_bot(tmp_path), io=tmp_path / "io") as table:
        table.in_a_row([FAR, FAR])
        assert table.seeds == [1, 2]
    for board in ("board-1", "board-2"):
        assert (tmp_path / "io" / board / "A-odd.stderr").read_text() == "board 1\n"
