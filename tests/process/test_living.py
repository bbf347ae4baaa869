"""Programs that live for a match, run for real at every isolation level: what their tricks get
them, and that nothing is left of them. `lines` has their protocol, and `hostile/living` the tricks.
"""

from __future__ import annotations

import json
import os
import re
import resource
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bot_files import manifest, write
from changes import replace
from child_processes import children
from judge.documents.game import GameRecord, Limits, Termination
from judge.documents.rules import Orientation, Rules, Ship, Turn
from judge.documents.tasks import Task, TaskSeat
from judge.errors import BotError, Interrupted, TimedOut
from judge.game.game import Game
from judge.play.conditions import Conditions
from judge.play.player import ProgramPlayer
from judge.play.run import Run
from judge.process.bots.bot import Bot, find
from judge.process.run import pipes, processors
from judge.process.run.connection import Connection, Script
from judge.process.run.scratch import of_this_run
from judge.process.sandbox.isolation import choose
from judge.wire import WIRES
from judge.wire.messages import AskFleet, AskShots, Fired, Placed, Told
from lines import Lines, LinesAtWork, tiny
from marked_bots import marked, running
from needs import held_by

PLAYER = Path(__file__).parents[1] / "hostile" / "living" / "player.py"
LEVELS = ("bwrap", "limits", "none")

WINS = Termination.FLEET_DESTROYED
LEFT, CRASH = Termination.LEFT, Termination.CRASH
LATE, BAD = Termination.TIMEOUT, Termination.BAD_OUTPUT


@dataclass(frozen=True)
class Trick:
    """The result of a trick: it wins, or loses with this sentence. ``only`` are the levels at which
    it does not win."""

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
    Trick("floods_one_line", BAD, "printed more than 65536 bytes and no whole reply"),
    Trick("never_answers", LATE, "no reply within 1 s", is_quick=True),
    Trick("stops_itself", LATE, "no reply within 1 s", is_quick=True),
    Trick("dribbles", LATE, "no whole reply within 1 s", is_quick=True),
    Trick("takes_back", LATE, "reply within 1 s", is_quick=True),
    Trick("closes_stdin", LEFT, "closed its stdin"),
    Trick("closes_stdout", LEFT, "exited with status 0, or closed"),
    Trick("exits_at_once", LEFT, "exited with status 0, or closed"),
    Trick("leaves_a_child_on_the_pipe", LEFT, "exited with status 0, or closed"),
    Trick("leaves_a_child_and_crashes", CRASH, "exited with status 3"),
    Trick("crashes_at_once", CRASH, "exited with status 3"),
    Trick("crashes", CRASH, "exited with status 1"),
    Trick("is_killed", CRASH, "was ended by SIGSEGV"),
    Trick("grows_slowly", CRASH, "memory.* 64 MiB .*allowed", only=("bwrap", "limits")),
    Trick("shares_slowly", CRASH, "memory.* 64 MiB .*allowed", only=("bwrap", "limits")),
)


@pytest.fixture(autouse=True)
def wires(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of wires has two rows more."""
    for wire in (Lines, LinesAtWork):
        monkeypatch.setitem(WIRES, wire.name, wire)


def open_files() -> int:
    """How many are open, but for claims on processors: what another judge gives up meanwhile is
    claimed by the next job here, and kept."""
    return len(list(Path("/proc/self/fd").iterdir())) - len(processors._OWNERS._claims)


@pytest.fixture
def tidiness() -> Iterator[None]:
    """At its end as many descriptors are open as before, and no child is left that was not there."""
    choose("auto")  # which looks at this machine once
    of_this_run()  # which is locked from now on
    before = open_files()
    others = children()
    yield
    assert open_files() == before
    assert children() <= others


def player(folder: Path, *arguments: str, mark: int = 0, wire: str = "lines") -> Bot:
    """The player with this trick."""
    manifest(folder, "python3", "player.py", *arguments, wire=wire)
    shutil.copy(PLAYER, folder)
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
    """A table for these bots; those named ``steady`` are not programs."""

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
        return counts_memory(level)
    return level in trick.only


def most_data(level: str) -> int:
    """The limit on data that a program has."""
    return resource.RLIM_INFINITY if counts_memory(level) else 4 * 2**30


def counts_memory(level: str) -> bool:
    """Whether a control group holds all processes of a program."""
    means = dict(one.split(": ", 1) for one in held_by(level).enforcement)
    return means["memory"].startswith("cgroup")


# Several at once


def test_no_seat_is_timed_while_another_is_waited_for(tmp_path: Path, tidiness: None) -> None:
    """A quick answer is quick although a slow one was waited for, if both answer together."""
    slow = player(tmp_path / "slow", "thinks", "0.4")
    quick = player(tmp_path / "quick", "plays")
    for bots in ((slow, quick), (quick, slow)):
        with table(*bots, level="none", rules=tiny(Turn.BOTH)) as at:
            record = at.play(*bots)
        times = {
            bot.name: [shot.ms for shot in record.shots if shot.seat == seat]
            for seat, bot in enumerate(bots)
        }
        assert min(times["slow"]) >= 400
        assert max(times["quick"]) < 200


@pytest.mark.parametrize("late", ["thinks", "dribbles"])
def test_an_answer_is_late_although_another_was_waited_for(
    late: str, tmp_path: Path, tidiness: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that comes after its time loses, and one in time does not, if both answer
    together."""
    monkeypatch.setattr(pipes, "PARTING_SECONDS", 0.2)
    slow = player(tmp_path / "slow", "thinks", "0.7")
    too_slow = player(tmp_path / "too-slow", late, "1.4")
    for bots in ((slow, too_slow), (too_slow, slow)):
        with table(*bots, level="none", rules=tiny(Turn.BOTH), timeout_ms=1000) as at:
            record = at.play(*bots)
        assert record.outcome.termination == LATE
        assert record.outcome.loser == bots.index(too_slow)


# What a program finds, and what is kept of it


def seated(at: Table, bot: Bot, **more: Any) -> AbstractContextManager[ProgramPlayer]:
    return at.run.seat(bot, 0, 7, **more)


def shots_due(due: int = 1) -> AskShots:
    """A question for the next shot."""
    game = Game(tiny())
    for seat in (0, 1):
        game.place(seat, (Ship(2, 0, 0, Orientation.HORIZONTAL),))
    return AskShots(game.view(0))


def lost_by(player: ProgramPlayer, question: AskFleet | AskShots, timeout_ms: float) -> BotError:
    """The error that its answer is."""
    player.ask(question, timeout_ms)
    with pytest.raises(BotError) as caught:
        player.answer()
    return caught.value


@pytest.mark.parametrize("wire", ["lines", "lines-at-work"])
@pytest.mark.parametrize("level", LEVELS)
def test_a_program_starts_where_its_wire_wants_it(
    level: str, wire: str, tmp_path: Path, tidiness: None
) -> None:
    """A wire's workplace is a program's scratch folder with folders in it, and is gone afterwards;
    without one a program starts among its files. It has three descriptors, and the limits of its
    level for as long as the match can last."""
    bot = player(tmp_path / "bot", "shows_its_place", wire=wire)
    if wire == "lines-at-work":
        command = (bot.command[0], *bot.command[1:-2], str(bot.folder / "player.py"))
        bot = replace(bot, command=(*command, bot.command[-1]))
    with table(bot, level=level) as at:
        for _ in range(2):  # the second finds nothing of the first
            with seated(at, bot) as one:
                one.ask(AskFleet(), 30_000)
                assert isinstance(one.answer(), Placed)
                one.part(5000)
                one.hear_out()
                one.finish()
                found = one.evidence(0)
            assert found is not None
            here, names, home, temporary, seed, open_now, limits = json.loads(found.stderr)
            assert (home, seed, open_now) == (temporary, "7", ["0", "1", "2", "3"])
            if wire == "lines":
                assert (here, sorted(names)) == (str(bot.folder), ["bot.json", "player.py"])
            else:
                assert (here, names) == (home, ["cache", "log"])
                assert level == "bwrap" or not Path(home).exists()
            cores = os.cpu_count() or 1
            if level != "none":
                # Two fleets and sixty shots, 30 s each, and a minute.
                assert limits["CPU"] == cores * (62 * 30 + 60)
                assert limits["DATA"] == most_data(level)


def test_the_ends_of_stderr_are_kept(tmp_path: Path, tidiness: None) -> None:
    """A program may say as much as it likes on stderr; the first and the last 32 KiB are kept."""
    bot = player(tmp_path / "bot", "talks")
    with table(bot, level="none") as at, seated(at, bot) as one:
        one.ask(AskFleet(), 30_000)
        one.answer()
        one.part(5000)
        one.hear_out()
        one.finish()
        found = one.evidence(0)
    assert found is not None
    first, _, last = found.stderr.split("\n")[:3]
    assert first == "first" + "x" * (32 * 2**10 - 5)
    assert last == "x" * (32 * 2**10 - 5) + "last"


def test_the_last_exchanges_are_kept_with_their_times(tmp_path: Path, tidiness: None) -> None:
    """Evidence has the last 20 exchanges, each with what was told before its question, and the
    exit of a program that has one."""
    bot = player(tmp_path / "bot", "plays")
    with table(bot, level="none") as at, seated(at, bot) as one:
        one.ask(AskFleet(), 30_000)
        one.answer()
        one.tell(Told(()))
        for _ in range(25):
            one.ask(shots_due(), 30_000)
            one.answer()
        found = one.evidence(0)
        assert found is not None
        assert (found.exit, found.signal) == (None, None)  # it lives
        assert found.cpu_ms is not None
        one.part(5000)
        one.hear_out()
        one.finish()
        parted = one.evidence(0)
    assert len(found.exchanges) == 20
    assert {(each.sent, each.received) for each in found.exchanges} == {
        ("shoot 1\n", "0 0\n"), ("shoot 1\n", "1 0\n")
    }  # fmt: skip
    assert all(0 <= each.ms < 30_000 for each in found.exchanges)
    assert parted is not None


def test_an_early_answer_takes_no_time(tmp_path: Path, tidiness: None) -> None:
    """An answer that was written ahead is the answer to the next question, and came at once."""
    bot = player(tmp_path / "bot", "answers_ahead")
    with table(bot, level="none") as at, seated(at, bot) as one:
        one.ask(AskFleet(), 30_000)
        one.answer()
        assert one.milliseconds > 1
        for _ in range(3):
            one.ask(shots_due(), 30_000)
            assert isinstance(one.answer(), Fired)
            assert one.milliseconds < 1000


def test_what_is_not_read_does_not_stop_the_judge(tmp_path: Path, tidiness: None) -> None:
    """More than a pipe holds waits until it is read; more than 1 MiB is a loss, at the next answer
    and not before."""
    bot = player(tmp_path / "bot", "never_answers")
    with table(bot, level="none") as at, seated(at, bot) as one:
        for _ in range(2**20 // len("told\n") + 20_000):
            one.tell(Told(()))
        error = lost_by(one, AskFleet(), 30_000)
    assert isinstance(error, TimedOut)
    assert str(error) == "did not read what it was sent, until that was over 1 MiB"


def test_what_waits_is_written_when_it_is_read(tmp_path: Path, tidiness: None) -> None:
    """A program that was busy for a while finds all that it was told meanwhile."""
    bot = player(tmp_path / "bot", "plays")
    with table(bot, level="none") as at, seated(at, bot) as one:
        for _ in range(100_000):
            one.tell(Told(()))
        one.ask(AskFleet(), 30_000)
        assert isinstance(one.answer(), Placed)


@pytest.mark.parametrize("level", LEVELS)
def test_a_stop_is_heard_while_an_answer_is_awaited(
    level: str, tmp_path: Path, tidiness: None
) -> None:
    """The user need not wait for a program."""
    mark = int.from_bytes(os.urandom(7), "big")
    bots = player(tmp_path / "one", "never_answers", mark=mark), player(tmp_path / "two", "plays")
    with table(*bots, level=level) as at:
        timer = threading.Timer(0.5, at.run.interrupt)
        timer.start()
        began = time.monotonic()
        with pytest.raises(Interrupted):
            at.play(*bots)
        assert time.monotonic() - began < 5
        timer.join()
    assert running(mark) == []


@pytest.mark.parametrize("level", ["bwrap", "none"])
def test_a_program_that_cannot_be_executed_has_crashed(
    level: str, tmp_path: Path, tidiness: None
) -> None:
    """That is its own fault, and its author is told why."""
    other, bot = player(tmp_path / "steady", "plays"), player(tmp_path / "bot", "plays")
    write(bot.folder / "run", "#!/no/such/program\n", 0o755)
    bot = replace(bot, command=("./run",))
    with table(other, bot, level=level) as at:
        record = at.play(other, bot)
    assert (record.outcome.loser, record.outcome.termination) == (1, CRASH)
    assert re.search(r"could not be started: .*No such file", record.outcome.detail)


@pytest.mark.parametrize("level", ["limits", "none"])
def test_a_program_may_save_what_it_wants_after_the_end(
    level: str, tmp_path: Path, tidiness: None
) -> None:
    """Its stdin is closed, and some seconds follow in which it may exit by itself."""
    kept = tmp_path / "all" / "kept"
    kept.parent.mkdir()
    kept.parent.chmod(0o777)
    tmp_path.chmod(0o755)
    other = player(tmp_path / "steady", "plays")
    bot = player(tmp_path / "bot", "keeps_something_at_the_end", str(kept))
    with table(other, bot, level=level) as at:
        began = time.monotonic()
        at.play(other, bot)
        assert time.monotonic() - began < 4
    assert kept.read_text() == "kept"


def test_the_last_word_is_awaited_where_the_wire_wants_it(tmp_path: Path, tidiness: None) -> None:
    """An answer that no game waits for costs nothing, comes or not."""
    bot = player(tmp_path / "bot", "plays")
    with table(bot, level="none") as at, seated(at, bot, dialect="waits") as one:
        one.ask(AskFleet(), 30_000)
        one.answer()
        began = time.monotonic()
        one.part(300)
        one.hear_out()
        one.finish()
        assert 0.3 <= time.monotonic() - began < 5


def test_one_fork_server_serves_one_match_after_another(tmp_path: Path, tidiness: None) -> None:
    """Under bwrap a program that exits by itself leaves its fork server to the next match, and one
    that has to be killed does not."""
    other = player(tmp_path / "steady", "plays")
    bot = player(tmp_path / "bot", "plays")
    with table(other, bot, level="bwrap") as at:
        servers = []
        for _ in range(3):
            with seated(at, bot) as one:
                one.ask(AskFleet(), 30_000)
                one.answer()
                one.part(5000)
                one.hear_out()
                one.finish()
                launcher = one._connection._launcher
                servers.append(launcher._server)
        with seated(at, bot) as one:
            one.ask(AskFleet(), 30_000)
            one.answer()
        assert len(set(servers)) == 1
        assert not launcher._server.is_well
        assert launcher._server._process.popen.returncode is not None
