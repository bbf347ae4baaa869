"""Kill runs that add games to a ledger, wherever they can be killed, and look at what is left.

Three ways to die: by SIGKILL in the middle of each write and after each call that changes a file or
waits for the disk; by SIGKILL at a random instant; and by a power cut, after which a file holds
what was last synced and a folder the names it had when it was. After each, no game that was
reported may be missing, and the run that follows must end in the bytes of a run that never died.

Prints how many deaths there were at which points; exits with 1 at the first broken promise. Many
deaths take an hour:

    PYTHONPATH=scripts .venv/bin/python tests/support/ledger_deaths.py --kills 1000 --firsts 1000
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import stat
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from bench_ledger import games
from judge.contest.ledger import ledger as ledger_module
from judge.contest.ledger import order_entries
from judge.contest.ledger.ledger import Ledger
from measuring import TINY

# One of each kind after a game, and the rest after the last: what is ordered survives, too.
ORDERS = (
    partial(order_entries.void, games=[1], reason="a test"),
    partial(order_entries.reset, bot="bot000"),
    partial(order_entries.disqualify, bot="bot002", reason="a test"),
    partial(order_entries.undo, number=3),
    partial(order_entries.retire, bot="bot001"),
)
MATCH = 3  # games that are added at once
CALLS = ("open", "write", "fsync", "ftruncate", "replace", "unlink")
Report = Callable[[str], None]


class Dead(BaseException):
    """The process is no more; raised again by whatever it still tries to do to a file."""


class Reaper:
    """Stands between the judge and `os`, counts calls, and brings death at one of them."""

    def __init__(
        self, at: int | None, side: str, die: Callable[[], None], disk: Disk | None
    ) -> None:
        self.calls: list[str] = []  # what was called, and on which file
        self._at, self._side, self._die, self._disk = at, side, die, disk
        self._dead = False

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        true = {name: getattr(os, name) for name in CALLS}
        for name, function in true.items():
            setattr(os, name, self._watched(name, function))
        try:
            yield
        finally:
            for name, function in true.items():
                setattr(os, name, function)

    def _watched(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(target: Any, *more: Any, **named: Any) -> Any:
            if self._dead:
                raise Dead
            self.calls.append(f"{name} {_called(target)}")
            here = len(self.calls) == self._at
            if here and self._side == "before":
                self._end()
            if here and self._side == "half" and name == "write":
                function(target, bytes(more[0])[: len(more[0]) // 2])
                self._end()
            try:
                result = function(target, *more, **named)
                if self._disk and name == "open":
                    self._disk.opened(result)
                if self._disk and name == "fsync":
                    self._disk.synced(target)
                return result
            finally:
                if here:
                    self._end()

        return call

    def _end(self) -> None:
        self._dead = True
        self._die()


class Disk:
    """The content of a folder after a power cut: only what was waited for."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._content: dict[int, bytes] = {}  # by inode
        self._names: dict[str, int] = {}
        self._held: list[int] = []  # a descriptor each, so that no inode is given out twice

    def opened(self, fd: int) -> None:
        self._held.append(os.dup(fd))

    def synced(self, fd: int) -> None:
        status = os.fstat(fd)
        if stat.S_ISDIR(status.st_mode):
            self._names = {entry.name: entry.inode() for entry in os.scandir(self._folder)}
        else:
            self._content[status.st_ino] = Path(f"/proc/self/fd/{fd}").read_bytes()

    def cut(self) -> None:
        """Put the folder into the state in which a power cut would leave it."""
        image = {name: self._content.get(inode, b"") for name, inode in self._names.items()}
        for path in self._folder.iterdir():
            path.unlink()
        self._names, self._content = {}, {}
        for name, content in image.items():
            path = self._folder / name
            path.write_bytes(content)
            inode = path.stat().st_ino
            self._names[name], self._content[inode] = inode, content

    def close(self) -> None:
        for fd in self._held:
            os.close(fd)


class Trial:
    """The same games added to a ledger in an empty folder, again and again, dying on the way."""

    def __init__(self, folder: Path, count: int, *, lag: float = 0.0) -> None:
        self.folder = folder
        self.path = folder / "ledger.json"
        every = list(islice(games(3, rules=TINY), count + MATCH))
        self._games, self._match = every[:count], every[count:]
        ledger_module.LAG_SECONDS = lag
        ledger_module.SAVES_APART = 0  # the table is saved after each game, or never
        self.empty()
        self.calls = self._observed()
        self._expected = self.path.read_bytes()
        self.reported: set[str] = set()

    def empty(self) -> None:
        """Begin afresh."""
        for path in self.folder.iterdir():
            path.unlink()
        self.reported = set()

    def play(self, report: Report) -> None:
        """A whole run, or the rest of one: as `judge rank` would, with orders between the games,
        and in the end the games of a match."""
        with Ledger(self.path) as ledger:
            ledger.contest_seed(7)
            lines = self._journal().splitlines()
            given = sum(b'"kind":"game"' not in line for line in lines) - 2  # the header, the seed
            orders = enumerate(ORDERS)
            for number, record in enumerate(self._games, 1):
                names = [seat.name for seat in record.seats]
                # A game that was taken out of the count would be played once more.
                if number > ledger.tally.recorded or ledger.tally.orders.out(number, names) is None:
                    ledger.add(record)
                    report(record.id)
                last = number == len(self._games)
                for place, order in islice(orders, None if last else 1):
                    if place >= given:
                        ledger.order(order)
            missing = self._match[max(0, ledger.tally.recorded - len(self._games)) :]
            if missing:
                ledger.add_all(missing)
            for record in missing:
                report(record.id)

    def killed(self, at: int | None = None, side: str = "before", wait: float | None = None) -> str:
        """A run in a process of its own, killed at its ``at``-th call or after ``wait`` seconds,
        or not at all; returns what it was killed at."""
        ours, theirs = os.pipe()
        if not (child := os.fork()):
            self._in_child(theirs, at, side)
        os.close(theirs)
        if wait is not None:
            time.sleep(wait)
            os.kill(child, signal.SIGKILL)
        with open(ours, encoding="utf-8") as pipe:  # noqa: PTH123 - a descriptor
            self.reported.update(pipe.read().split())
        _, status = os.waitpid(child, 0)
        code = os.waitstatus_to_exitcode(status)
        expected = {-signal.SIGKILL} | ({0} if wait is not None or at is None else set())
        self.hold(code in expected, f"a run has ended with {code}")
        return self.calls[at - 1] if at else "a random instant" if code else "the end"

    def dies(self, disk: Disk, at: int, side: str) -> bool:
        """A run in this process that goes no further than its ``at``-th call; whether it did."""

        def die() -> None:
            raise Dead

        with contextlib.suppress(Dead), Reaper(at, side, die, disk).watching():
            self.play(self.reported.add)
            return False
        return True

    def look(self) -> None:
        """No game that was reported is missing, and X.json, if there is one, is whole."""
        data = self._journal()
        whole = data[: data.rfind(b"\n") + 1].splitlines()
        ids = Counter(_game_ids(whole))
        lost = self.reported - set(ids)
        self.hold(not lost, f"games {lost} were reported and are gone")
        if self.path.exists():
            json.loads(self.path.read_bytes())

    def finish(self, how: str) -> None:
        """Run to the end, and compare with the run that never died."""
        self.play(self.reported.add)
        self.hold(self.is_done(), f"{how}: X.json has other bytes")
        lines = self.path.with_suffix(".games.jsonl").read_bytes().splitlines()
        ids = _game_ids(lines)
        expected = [game.id for game in (*self._games, *self._match)]
        self.hold(ids == expected, f"{how}: the journal holds {ids}")
        self.hold(not (self.reported - set(ids)), f"{how}: reported games are gone")
        self.hold(len(lines) == len(ids) + 2 + len(ORDERS), f"{how}: a note is there twice")

    def _journal(self) -> bytes:
        path = self.path.with_suffix(".games.jsonl")
        return path.read_bytes() if path.exists() else b""

    def is_done(self) -> bool:
        """Whether X.json has the bytes that it has after a run that never died."""
        return self.path.exists() and self.path.read_bytes() == self._expected

    @staticmethod
    def hold(promise: bool, otherwise: str) -> None:
        if not promise:
            sys.exit(f"broken: {otherwise}")

    def _observed(self) -> list[str]:
        reaper = Reaper(None, "", lambda: None, None)
        with reaper.watching():
            self.play(lambda _: None)
        return reaper.calls

    def _in_child(self, pipe: int, at: int | None, side: str) -> None:
        write = os.write

        def report(game: str) -> None:
            write(pipe, f"{game}\n".encode())

        with Reaper(at, side, lambda: os.kill(os.getpid(), signal.SIGKILL), None).watching():
            self.play(report)
        os._exit(0)


def kill_everywhere(trial: Trial) -> Counter[str]:
    """SIGKILL before the first call of a run, in every write and after every call; the next run
    goes to its end."""
    points: Counter[str] = Counter()

    def kill(at: int, side: str, point: str) -> None:
        trial.empty()
        trial.killed(at, side)
        trial.look()
        trial.finish(f"killed {point}, call {at}")
        points[point] += 1

    kill(1, "before", f"before {trial.calls[0]}")
    for at, call in enumerate(trial.calls, 1):
        if call.startswith("write"):
            kill(at, "half", f"half {call}")
        if at < len(trial.calls):
            # By then, more may have been reported than right after this call.
            kill(at + 1, "before", f"after {call}")
        else:
            kill(at, "after", f"after {call}")
    return points


def kill_recovery(trial: Trial, firsts: int, step: int) -> Counter[str]:
    """Killed in the middle of a write, and the run that mends that killed at every call, or every
    ``step``-th; for ``firsts`` writes."""
    points: Counter[str] = Counter()
    writes = [at for at, call in enumerate(trial.calls, 1) if call.startswith("write")]
    for first in spread(writes, firsts):
        for second in range(1, len(trial.calls) + 1, step):
            trial.empty()
            trial.killed(first, "half")
            disk = Disk(trial.folder)
            died = trial.dies(disk, second, "after")
            disk.close()
            trial.look()
            trial.finish(f"killed in call {first}, then after call {second} of the next run")
            if not died:
                break
            points["in a write, then anywhere in the next run"] += 1
    return points


def cut_power(trial: Trial, firsts: int, step: int) -> Counter[str]:
    """A power cut at every call of a run, or every ``step``-th; then of one after a run that was
    killed after a call, with what it had not synced still unsynced, for ``firsts`` calls."""
    points: Counter[str] = Counter()
    # First those after which a whole line is there that is not on the disk.
    unsynced = [
        at
        for at, call in enumerate(trial.calls, 1)
        if call.startswith("write") and call.endswith(".games.jsonl")
    ]
    others = [at for at in range(1, len(trial.calls) + 1) if at not in unsynced]
    first = spread(unsynced, firsts)
    for killed in (0, *first, *spread(others, firsts - len(first))):
        for at in range(1, 2 * len(trial.calls), step):
            trial.empty()
            disk = Disk(trial.folder)
            if killed:
                trial.dies(disk, killed, "after")
            died = trial.dies(disk, at, "after")
            disk.cut()
            disk.close()
            trial.look()
            if not died:
                trial.hold(trial.is_done(), "a run had ended, and X.json was not on the disk")
            trial.finish(f"killed after call {killed}, then power cut after call {at}")
            if not died:
                break
            points["power cut" + (" of a run after a killed one" if killed else "")] += 1
    return points


def kill_at_random(trial: Trial, kills: int, rng: Random) -> Counter[str]:
    """SIGKILL at random instants, one run after another, until one comes to its end."""
    points: Counter[str] = Counter()
    trial.empty()
    before = time.perf_counter()
    trial.killed()
    whole = time.perf_counter() - before
    while points.total() < kills:
        trial.empty()
        while (point := trial.killed(wait=rng.uniform(0, whole))) != "the end":
            points[point] += 1
            trial.look()
        trial.finish("killed at random instants")
    return points


def spread(points: Sequence[int], most: int) -> Sequence[int]:
    """All of them, or so many that lie evenly between the first and the last."""
    if len(points) <= most or most <= 0:
        return points[: max(0, most)]
    return [points[number * (len(points) - 1) // max(1, most - 1)] for number in range(most)]


def _game_ids(lines: Sequence[bytes]) -> list[str]:
    entries = map(json.loads, lines)
    return [entry["result"]["id"] for entry in entries if entry["kind"] == "game"]


def _called(target: Any) -> str:
    """The file of a call, without what differs from run to run."""
    path = f"/proc/self/fd/{target}" if isinstance(target, int) else str(target)
    name = Path(os.path.realpath(path) if isinstance(target, int) else path).name
    return name if "ledger" in name else "folder"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=3, help="games in a run that dies everywhere")
    parser.add_argument("--kills", type=int, default=1000, help="kills at random instants")
    parser.add_argument(
        "--firsts", type=int, default=1000, help="deaths that are followed by every second one"
    )
    parser.add_argument(
        "--step", type=int, default=1, help="calls from one power cut, or second death, to the next"
    )
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    shared = Path("/dev/shm")  # in memory, where waiting for the disk is quick
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        points: Counter[str] = Counter()
        for lag in (0.0, 3600.0):
            trial = Trial(Path(folder), given.games, lag=lag)
            points += kill_everywhere(trial)
            points += kill_recovery(trial, given.firsts, given.step)
            points += cut_power(trial, given.firsts, given.step)
        points += kill_at_random(Trial(Path(folder), 20), given.kills, Random(given.seed))
    for point, kills in sorted(points.items()):
        sys.stdout.write(f"{kills:6} {point}\n")
    sys.stdout.write(f"{points.total():6} deaths in all; nothing reported was lost or doubled\n")


if __name__ == "__main__":
    main()
