"""Shell-bots as they come: programs that play XBS over their stdin and stdout, and behave in every
odd way.

They are as strict as the published ones: a line that those cannot read, a name or a type that they
do not know, and anything in another order ends them with status 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from changes import replace
from judge.documents.game import GameRecord, Limits, Termination
from judge.documents.tasks import Task, TaskSeat
from judge.game.variants import XBS
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find_all
from needs import held_by

pytestmark = pytest.mark.whole

T = Termination
PATIENT_MS = 60_000

# Shoots row by row at the first opponent whose squares are not all shot at, and so sinks its own
# kind of fleet by its 42nd shot.
PLAYER = r"""
import re, sys, time

NAME = "NAMED"
own = "AAAAA.....BBBB......CCC.......DDD.......EE" + 58 * "."
joined, boards, order, has_begun, results = [], {}, [], False, None
asked, turns = 0, 0
board_line = re.compile(r"B\|([^|]+)\|([^|]*)\|([.X0]{100})\|[0-9]+\|[0-9]+\|0")

def say(line):
    print(line, flush=True)

def check(true, line):
    if not true:
        sys.exit(f"what is {line}?")

def fire():
    target = next(name for name in order if name != NAME and "." in boards[name])
    place = boards[target].index(".")
    return f"S|{target}|{place % 10 + 1}|{place // 10 + 1}"

FIRST
for line in sys.stdin:
    line = line.removesuffix("\n")
    kind, *values = line.split("|")
    check(line == line.strip() and line, line)
    if kind == "G":
        check(re.fullmatch(r"G\|1\.1\|[^|]{1,20}\|N\|2\|9\|0\|17\|10\|10\|5\|A5\|B4\|C3\|D3\|E2", line), line)
        joined, boards, order, has_begun, results = [], {}, [], False, None
        asked += 1
        BOARD
    elif kind == "J":
        check(not has_begun and len(values) == 1 and values[0] not in joined, line)
        check(joined or values[0] == NAME, line)
        joined.append(values[0])
    elif kind == "B":
        found = board_line.fullmatch(line)
        check(found and found[1] in joined, line)
        boards[found[1]] = found[3]
    elif kind == "S":
        check(sorted(values) == sorted(joined) and sorted(boards) == sorted(joined), line)
        order, has_begun = values, True
    elif kind == "N":
        check(has_begun and values[0] in joined, line)
        if values[0] == NAME:
            turns += 1
            TURN
    elif kind == "H":
        check(re.fullmatch(r"H\|[^|]+\|[^|]+\|[a-j]([1-9]|10)", line) and values[0] in joined, line)
    elif kind == "M":
        check(len(values) == 3, line)
        HEARD
    elif kind == "K":
        check(values[0] in joined, line)
    elif kind == "F":
        results = int(values[2])
        check(values[0] in ("finished", "aborted") and results == len(joined), line)
    elif kind == "R":
        results -= 1
        check(values[0] in joined and results >= 0, line)
    elif kind == "Q":
        check(results == 0, line)
        LEAVE
        sys.exit(0)
    else:
        check(False, line)
sys.exit("stdin ended")
"""


@dataclass(frozen=True)
class Odd:
    """A program that does something else than it should, and the result: it is played out, or ends
    by a termination, with these words in the reason."""

    first: str = 'say(f"I|Theirs|1.0|{NAME}")'
    board: str = 'say(f"J|{NAME}|{own}")'
    turn: str = "say(fire())"
    heard: str = "pass"
    leave: str = "pass"
    ends: Termination = T.GOAL
    why: str = ""
    timeout_ms: int = PATIENT_MS

    def write(self, path: Path, name: str) -> str:
        source = PLAYER.replace("NAMED", name)
        for word in ("first", "board", "turn", "heard", "leave"):
            source = source.replace(f"{word.upper()}\n", f"{getattr(self, word)}\n", 1)
        path.write_text(source)
        return str(path)


def played(paths: list[str], isolation: str = "none", timeout_ms: int = PATIENT_MS) -> GameRecord:
    bots = find_all(paths)
    seats = tuple(
        TaskSeat(bot.name, bot.digest, number, bot.wires) for number, bot in enumerate(bots)
    )
    conditions = Conditions(
        rules=XBS, limits=Limits(timeout_ms=timeout_ms), isolation=held_by(isolation)
    )
    with Run(conditions, bots) as run:
        return run.play(Task("game", 1, 0, seats))


ODD: dict[str, Odd] = {
    # As good as any.
    "plays": Odd(),
    "has no name of its own": Odd(first='say(f"I|{NAME}|1.0")'),
    "is called as the other": Odd(first='NAME = "plain"; say("I|plain|1.0")'),
    "dribbles, in time": Odd(
        turn="for c in fire() + '\\n': print(c, end='', flush=True); time.sleep(0.0005)"
    ),
    "says its first line late": Odd(first='time.sleep(0.3); say(f"I|{NAME}|1.0")'),
    "writes a log": Odd(first='open("odd.log", "w").write("log"); say(f"I|{NAME}|1.0")'),
    "writes to stderr": Odd(turn="print('thinking', file=sys.stderr); say(fire())"),
    "skips now and then": Odd(turn='say("K|tired" if turns % 10 == 5 else fire())'),
    "talks": Odd(turn='say("M||hello"); say("M|plain|hello"); say("M|eve|hello"); say(fire())'),
    "talks without end to nobody": Odd(turn="say(3000 * 'M\\n' + fire())"),
    "talks without end": Odd(turn="say(100 * 'M||hello\\n' + fire())"),
    "shoots at each square twice": Odd(
        turn='say("S|plain|1|1" if turns % 2 and turns > 1 else fire())'
    ),
    "places again when its board is refused": Odd(
        board='say(f"J|{NAME}|{own}" if asked > 1 else f"J|{NAME}|{own[:-1]}E")'
    ),
    "leaves late": Odd(leave="time.sleep(0.3)"),
    "floods at the end": Odd(leave="[say(1000 * 'K') for _ in range(1000)]"),
    "fails at the end": Odd(leave="sys.exit(3)"),
    # What is not an answer.
    "says nothing": Odd(first="pass", ends=T.TIMEOUT, why="no reply", timeout_ms=700),
    "does not flush": Odd(turn="print(fire())", ends=T.TIMEOUT, timeout_ms=700),
    "begins with its board": Odd(
        first='say("J|odd|" + own)', ends=T.TIMEOUT, why="", timeout_ms=700
    ),
    "is never right": Odd(
        turn='say("S|eve|1|1")', ends=T.BAD_OUTPUT, why="nobody at the table is called `eve`"
    ),
    "shoots at itself": Odd(
        turn='say(f"S|{NAME}|1|1")', ends=T.ILLEGAL_MOVE, why="seat 0 is not an opponent"
    ),
    "has no legal board": Odd(
        board='say(f"J|{NAME}|{own.lower()}")',
        ends=T.ILLEGAL_FLEET,
        why="neither a dot nor the letter",
    ),
    "writes 1 MB": Odd(turn="say(1_000_000 * 'x')", ends=T.BAD_OUTPUT, why="more than 65536 bytes"),
    "writes 1 MB in pieces": Odd(turn="say(100 * (4000 * 'x' + '\\n'))", ends=T.BAD_OUTPUT),
    "is late": Odd(turn="time.sleep(3); say(fire())", ends=T.TIMEOUT, timeout_ms=700),
    "fails": Odd(turn="sys.exit(4)", ends=T.CRASH, why="status 4"),
    "leaves": Odd(turn="sys.exit(0)", ends=T.ALL_DEAD),
    "leaves before it has placed": Odd(board="sys.exit(0)", ends=T.LEFT),
    "cannot read its stdin": Odd(first="sys.exit('no terminal')", ends=T.CRASH, why="status 1"),
}


@pytest.mark.parametrize("name", ODD)
def test_an_odd_shell_bot(name: str, tmp_path: Path) -> None:
    """From the first seat, against one that is not odd: a fault costs the game, nothing else
    does, and the other one has read every line that it was sent."""
    odd = ODD[name]
    paths = [
        odd.write(tmp_path / "odd.py", "odd"),
        Odd().write(tmp_path / "plain.py", "plain"),
    ]
    record = played(paths, timeout_ms=odd.timeout_ms)
    outcome = record.outcome
    assert (outcome.termination, odd.why in outcome.detail) == (odd.ends, True), outcome
    if outcome.termination is not T.GOAL:
        assert outcome.winner == 1
    assert [seat.wire for seat in record.seats] == ["xbs", "xbs"]


@pytest.mark.parametrize("isolation", ["none", "limits", "bwrap"])
def test_a_table_of_four(isolation: str, tmp_path: Path) -> None:
    """Four of them play a game to its end at every isolation level, beside a bundled bot over
    another wire; when one fails, the others go on."""
    failing = replace(Odd(), turn='say(fire()) if boards["one"].count(".") > 95 else sys.exit(4)')
    paths = [
        Odd().write(tmp_path / "one.py", "one"),
        Odd().write(tmp_path / "two.py", "two"),
        failing.write(tmp_path / "odd.py", "odd"),
        "hunter",
    ]
    record = played(paths, isolation, timeout_ms=10_000)
    assert record.outcome.termination is T.GOAL
    assert [(incident.seat, incident.what) for incident in record.incidents] == [(2, "crash")]
    assert [seat.wire for seat in record.seats] == ["xbs", "xbs", "xbs", "open-lines"]
    assert (tmp_path / "one.py").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["odd.py", "one.py", "two.py"]
