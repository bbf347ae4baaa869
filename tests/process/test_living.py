"""Programs that live for a match, run for real at every isolation level: what their tricks get
them, and that nothing is left of them. `lines` has their protocol, and `hostile/living` the tricks.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from test_hostile import marked, running

from judge.game.limits import Limits
from judge.game.outcome import Termination
from judge.game.record import GameRecord
from judge.game.rules import Rules, Turn
from judge.play.conditions import Conditions
from judge.play.run import Run, Task, TaskSeat
from judge.process.bots.bot import Bot, find
from judge.process.run import pipes
from judge.process.run.connection import Connection, Script
from judge.process.run.scratch import of_this_run
from judge.process.sandbox.isolation import Isolation, choose
from judge.wire import WIRES
from lines import Lines, LinesAtWork, tiny
from needs import need

PLAYER = Path(__file__).parents[1] / "hostile" / "living" / "player.py"
LEVELS = ("bwrap", "limits", "none")

WINS = Termination.FLEET_DESTROYED
LEFT, CRASH = Termination.LEFT, Termination.CRASH
LATE, BAD = Termination.TIMEOUT, Termination.BAD_OUTPUT


@dataclass(frozen=True)
class Trick:
    """What it comes to: it wins, or loses with this sentence. ``only`` are the levels at which it
    does not win."""

    name: str
    end: Termination = WINS
    told: str = ""
    is_quick: bool = False  # the judge's time is, for what does not come
    only: tuple[str, ...] = LEVELS


TRICKS = (
    Trick("plays"),
    Trick("answers_ahead"),
    Trick("answers_ahead_and_never_reads"),
    Trick("spins"),
    Trick("floods_stderr"),
    Trick("writes_after_the_end"),
    Trick("dies_after_winning"),
    Trick("kills_itself_after_winning"),
    Trick("ends_without_newline"),
    Trick("floods", BAD, "said b'junk junk"),
    Trick("floods_one_line", BAD, "printed more than 65536 bytes and no whole answer"),
    Trick("never_answers", LATE, "no reply within 1 s", is_quick=True),
    Trick("stops_itself", LATE, "no reply within 1 s", is_quick=True),
    Trick("dribbles", LATE, "no whole reply within 1 s", is_quick=True),
    Trick("closes_stdin", LATE, "no reply within 1 s", is_quick=True),
    Trick("closes_stdout", LEFT, "left the game"),
    Trick("exits_at_once", LEFT, "left the game"),
    Trick("leaves_a_child_on_the_pipe", LEFT, "left the game"),
    Trick("leaves_a_child_and_crashes", CRASH, "exited with status 3"),
    Trick("crashes_at_once", CRASH, "exited with status 3"),
    Trick("crashes", CRASH, "exited with status 1"),
    Trick("is_killed", CRASH, "was ended by SIGSEGV"),
    Trick("grows_slowly", CRASH, "of memory, where 64 MiB|with status 1", only=("bwrap", "limits")),
    Trick("shares_slowly", CRASH, "memory.* 64 MiB .*allowed", only=("bwrap", "limits")),
)


@pytest.fixture(autouse=True)
def wires(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of wires has two rows more."""
    for wire in (Lines, LinesAtWork):
        monkeypatch.setitem(WIRES, wire.name, wire)


@pytest.fixture
def tidiness() -> Iterator[None]:
    """At its end as many descriptors are open as before, and no child is left."""
    choose("auto")  # which looks at this machine once
    of_this_run()  # which is locked from now on
    before = len(list(Path("/proc/self/fd").iterdir()))
    yield
    assert len(list(Path("/proc/self/fd").iterdir())) == before
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def held_by(level: str) -> Isolation:
    if level == "bwrap":
        need("bwrap")
    return choose(level)[0]


def player(folder: Path, *arguments: str, mark: int = 0, wire: str = "lines") -> Bot:
    """The player with this trick."""
    folder.mkdir()
    shutil.copy(PLAYER, folder)
    manifest = {"command": ["python3", "player.py", *arguments], "wire": wire}
    (folder / "bot.json").write_text(json.dumps(manifest))
    return marked(find(str(folder)), mark)


def steady(data: bytes) -> bytes:
    """A player of this process that always shoots into the water."""
    asked = data.decode().splitlines()[-1]
    return {"place": b"0 0 h\n", "shoot 1": b"2 2\n"}.get(asked, b"")


@dataclass
class Table:
    """A run whose games its bots play against each other, in the order named."""

    run: Run

    def play(self, *bots: Bot) -> GameRecord:
        seats = tuple(TaskSeat(bot.name, bot.digest, 7, bot.wires) for bot in bots)
        return self.run.play(Task("g", 1, 0, seats))


@contextmanager
def table(
    *bots: Bot, level: str, rules: Rules | None = None, timeout_ms: int = 30_000
) -> Iterator[Table]:
    """A table for these bots; those named ``steady`` are no programs."""

    def connect(bot: Bot, _: int, usual: Callable[[], Connection]) -> Connection:
        return Script(steady) if bot.name == "steady" else usual()

    conditions = Conditions(
        rules=rules or tiny(),
        isolation=held_by(level),
        limits=Limits(timeout_ms=timeout_ms, memory_bytes=64 * 2**20),
    )
    with Run(conditions, bots, connect) as run:
        yield Table(run)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.name)
def test_a_trick_gets_what_it_deserves(
    trick: Trick, level: str, tmp_path: Path, tidiness: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each trick ends as the table says, with evidence; and nothing of it is left."""
    monkeypatch.setattr(pipes, "PARTING_SECONDS", 0.2)
    mark = int.from_bytes(os.urandom(7), "big")
    other = player(tmp_path / "steady", "plays")
    bot = player(tmp_path / "bot", trick.name, mark=mark)
    timeout_ms = 1000 if trick.is_quick else 30_000
    with table(other, bot, level=level, timeout_ms=timeout_ms) as at:
        record = at.play(other, bot)
    if trick.end is WINS or not is_held(trick, level):
        assert (record.outcome.winner, record.outcome.termination) == (1, WINS)
        assert record.evidence == ()
    else:
        assert (record.outcome.loser, record.outcome.termination) == (1, trick.end)
        assert re.search(trick.told, record.outcome.detail)
        (evidence,) = record.evidence
        assert (evidence.seat, evidence.argv[-2:]) == (1, ("player.py", trick.name))
        assert evidence.exchanges[-1].sent.endswith(("place\n", "shoot 1\n"))
    until = time.monotonic() + 2  # killed, but perhaps not yet gone
    while running(mark) and time.monotonic() < until:
        time.sleep(0.02)
    assert running(mark) == []


def is_held(trick: Trick, level: str) -> bool:
    """Whether this level keeps a program from its trick."""
    if trick.name == "shares_slowly" and level == "bwrap":
        means = dict(one.split(": ", 1) for one in held_by(level).enforcement)
        return means["memory"].startswith("cgroup")
    return level in trick.only


# Several at once


def test_no_seat_is_timed_while_another_is_waited_for(tmp_path: Path, tidiness: None) -> None:
    """Where both answer together, a quick answer is quick although a slow one was waited for."""
    slow = player(tmp_path / "slow", "thinks", "0.4")
    quick = player(tmp_path / "quick", "plays")
    for bots in ((slow, quick), (quick, slow)):
        with table(*bots, level="none", rules=tiny(Turn.BOTH)) as at:
            record = at.play(*bots)
        times = {
            bot.name: [shot.ms for shot in record.shots if shot.shot.seat == seat]
            for seat, bot in enumerate(bots)
        }
        assert min(times["slow"]) >= 400
        assert max(times["quick"]) < 200


@pytest.mark.parametrize("late", ["thinks", "dribbles"])
def test_an_answer_is_late_although_another_was_waited_for(
    late: str, tmp_path: Path, tidiness: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where both answer together, one that comes after its time loses, and one in time does not."""
    monkeypatch.setattr(pipes, "PARTING_SECONDS", 0.2)
    slow = player(tmp_path / "slow", "thinks", "0.7")
    too_slow = player(tmp_path / "too-slow", late, "1.4")
    for bots in ((slow, too_slow), (too_slow, slow)):
        with table(*bots, level="none", rules=tiny(Turn.BOTH), timeout_ms=1000) as at:
            record = at.play(*bots)
        assert record.outcome.termination == LATE
        assert record.outcome.loser == bots.index(too_slow)
