"""AIs of the Battleships contest that behave in every odd way, in both dialects: Python programs, and
games and matches of them."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from judge.documents.game import GameRecord, Limits, Termination
from judge.documents.tasks import Task, TaskGame, TaskSeat
from judge.game.variants import contest
from judge.logs.contest.writers import ContestFormat
from judge.logs.formats import FORMATS
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import Bot, find_all
from judge.process.sandbox.isolation import choose

T = Termination
PATIENT_MS, HURRIED_MS = 30_000, 400
RULES = contest(3)
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


# Places from the top left, and shoots row by row. Its frames go out by `say`.
PLAYER = r"""
import array, json, os, signal, socket, sys, time
notes = open(__file__ + ".txt", "a") if NOTED else None
judge = socket.socket(socket.AF_UNIX)
def say(text, fill=FILL):
    data = text if isinstance(text, bytes) else text.encode()
    judge.sendall(data.ljust(256, b"\0") if fill else data)
def ship(l, r=None, c=0, d=72, mt=5):
    return json.dumps({"mt": mt, "r": places.pop(0) if r is None else r, "c": c, "l": l, "d": d})
def shot(r=None, c=None, mt=7):
    return json.dumps({"mt": mt, "r": fired // 3 % 3 if r is None else r, "c": fired % 3 if c is None else c})
START
judge.connect(sys.argv[-1])
hello = json.dumps({"mt": 1, "ai": "Odd", "au": "A. One"})
HELLO
games = fired = 0
places = []
leave = {"1": 11, "2": 10}[DIALECT]
while True:
    frame = judge.recv(256)
    if not frame:
        sys.exit(0)
    assert len(frame) == 256, "half a frame"
    said = json.loads(frame.rstrip(b"\0"))
    if notes:
        print(json.dumps(said), file=notes, flush=True)
    mt = said["mt"]
    if mt == 2:
        assert said["bs"] in (3, 10)
    elif mt == 3:
        fired, places, games = 0, [0, 1, 2], games + 1
        START_GAME
    elif mt == 4:
        l = said["l"]
        SHIP
    elif mt == 6 or mt == 8 and said.get("ns"):
        SHOT
        fired += 1
    elif mt == leave:
        LEAVE
"""


@dataclass(frozen=True)
class Odd:
    """A program that does something else than it should, and the result: it wins, or loses by a
    termination, with these words in the reason, and one of these ``codes`` in the log. It has then
    fired ``fired`` shots of a game."""

    start: str = ""
    hello: str = "say(hello)"
    start_game: str = "pass"
    ship: str = "say(ship(l))"
    shot: str = "say(shot())"
    leave: str = "sys.exit(0)"
    lost: Termination | None = None
    why: str = ""
    codes: tuple[int, ...] = ()  # several where it depends on who is quicker
    fired: int = 0
    is_late: bool = False
    before_the_game: bool = False

    def write(self, path: Path, dialect: str, *, noted: bool = False) -> str:
        words = {"START": self.start, "HELLO": self.hello, "START_GAME": self.start_game}
        words |= {"SHIP": self.ship, "SHOT": self.shot, "LEAVE": self.leave}
        lines = []
        for line in PLAYER.splitlines():
            word = line.strip()
            if word in words:
                indent = line[: -len(word)]
                lines += [indent + one for one in words[word].splitlines()]
            else:
                lines.append(line)
        fill = f"NOTED, DIALECT, FILL = {noted}, {dialect!r}, {dialect == '2'}"
        path.write_text("\n".join([fill, *lines]))
        return str(path)


def hellos(text: str, **more: object) -> Odd:
    """One that says this in place of who it is."""
    return Odd(hello=text, before_the_game=True, **more)  # type: ignore[arg-type]


def ships(text: str, **more: object) -> Odd:
    """One that answers a question for a ship so."""
    return Odd(ship=text, **more)  # type: ignore[arg-type]


def shots(text: str, **more: object) -> Odd:
    """One that answers a question for a shot so."""
    return Odd(shot=text, **more)  # type: ignore[arg-type]


def logged_error(record: GameRecord, seat: int) -> int:
    """The code of the error by which a seat ended the match, as a log has it."""
    log = FORMATS["contest-1"]
    assert isinstance(log, ContestFormat)
    writer = log.match()
    writer.add(record)
    text = writer.text()
    assert text is not None
    return json.loads(text)[f"p{seat + 1}"]["e"]


def fight(
    folder: Path,
    seat: int,
    odd: Odd,
    other: Odd | None = None,
    *,
    dialect: str = "1",
    isolation: str = "none",
    timeout_ms: int | None = None,
    noted: bool = True,
) -> tuple[GameRecord, list[str]]:
    """A game of the two, and what the innocent one was sent."""
    paths = [odd.write(folder / "odd.py", dialect)]
    paths.append((other or Odd()).write(folder / "innocent.py", dialect, noted=noted))
    limits = Limits(timeout_ms=timeout_ms or (HURRIED_MS if odd.is_late else PATIENT_MS))
    bots: Sequence[Bot] = find_all([f"{path}@contest/{dialect}" for path in paths])
    seated = [*bots] if seat == 0 else [*reversed(bots)]
    chosen, _ = choose(isolation, limits, seated)
    conditions = Conditions(rules=RULES, limits=limits, isolation=chosen)
    seats = tuple(TaskSeat(one.name, one.digest, 7, one.wires, one.dialect) for one in seated)
    with Run(conditions, seated) as run:
        record = run.play(Task("1", 5, 0, seats))
    notes = folder / "innocent.py.txt"
    return record, notes.read_text().splitlines() if notes.exists() else []


def match(
    folder: Path, one: Odd, other: Odd, games: int, *, dialect: str = "2"
) -> tuple[list[GameRecord], list[str]]:
    """A match of the two, and what the second was sent."""
    paths = [
        one.write(folder / "odd.py", dialect),
        other.write(folder / "other.py", dialect, noted=True),
    ]
    bots = find_all([f"{path}@contest/{dialect}" for path in paths])
    conditions = Conditions(rules=RULES, limits=Limits(timeout_ms=PATIENT_MS))
    seats = tuple(TaskSeat(one.name, one.digest, 7, one.wires, one.dialect) for one in bots)
    rest = tuple(TaskGame(str(number), number, 0) for number in range(2, games + 1))
    with Run(conditions, bots) as run:
        records = run.play_match(Task("1", 1, 0, seats, rest=rest))
    return records, (folder / "other.py.txt").read_text().splitlines()
