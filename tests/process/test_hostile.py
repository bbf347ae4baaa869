"""Each trick of a hostile bot, run for real: what it gets, and that nothing comes of it.

Nothing here is let loose: a trick that nothing would hold is not run, and each attacks what the
test itself has set up, a victim, a listener, files in a folder of its own.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import resource
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from judge import schemas
from judge.documents.game import GameRecord, Limits, RecordedSeat, Termination
from judge.documents.tasks import Task, TaskSeat
from judge.errors import BotError
from judge.game.game import Game
from judge.game.replay import replay
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.player import ProgramPlayer
from judge.play.run import Run
from judge.process.bots.bot import Bot, find
from judge.process.run.listening import Stop
from judge.process.run.scratch import of_this_run
from judge.process.sandbox.isolation import Isolation, choose
from judge.wire.brainjar import Brainjar
from judge.wire.messages import AskFleet, AskShots, Fired, Placed
from marked_bots import marked, running
from needs import held_by
from players import alone
from tricks import CRASH, HERE, NO_TRICKS, NOT_RUN, PLAYS, STAYING, THROUGH, TRICKS, Trick

GUIDE = Path(__file__).parents[2] / "judge" / "guides" / "isolation.md"
INSIDE = ("bwrap", "fork")  # under bwrap, executed or forked
LEVELS = (*INSIDE, "limits", "none")

# Whom attackers attack. It lets itself be traced by anyone, so that only isolation can refuse.
VICTIM = """\
import ctypes, signal, sys, time
ctypes.CDLL(None).prctl(0x59616D61, -1, 0, 0, 0)
signal.signal(signal.SIGUSR1, lambda *_: print("signalled", flush=True))
print("ready", flush=True)
time.sleep(600)
"""


BECOMES = """\
import os, sys
os.execv("./{0}", ["./{0}", *sys.argv[1:]])
"""


def test_every_trick_is_in_the_table() -> None:
    """No hostile bot lies about without an expectation."""
    files = {path.name for path in HERE.iterdir() if path.is_file()}
    assert {trick.bot for trick in TRICKS} | NO_TRICKS == files


def test_the_guide_says_what_the_tricks_show() -> None:
    """Each row of the guide's table is one kind of trick, and each cell what became of them."""
    rows = {
        cells[0]: dict(zip(LEVELS, cells[1:], strict=True))
        for line in GUIDE.read_text().splitlines()
        if len(cells := [cell.strip(" `*") for cell in line.strip("|").split("|")]) == 5
        and cells[0] in {trick.kind for trick in TRICKS}
    }
    shown = {
        kind: {level: summary(kind, level) for level in LEVELS}
        for kind in dict.fromkeys(trick.kind for trick in TRICKS)
    }
    assert rows == shown


def summary(kind: str, level: str) -> str:
    stopped = {trick.is_stopped(level) for trick in TRICKS if trick.kind == kind}
    if stopped == {True}:
        wants = any(trick.wants for trick in TRICKS if trick.kind == kind)
        return "stopped, with a control group" if wants and level in INSIDE else "stopped"
    return "not stopped" if stopped == {False} else "partly"


@dataclass(frozen=True)
class Scene:
    """The things to attack: ``bot`` is where the attacker is put."""

    bot: Path
    files: Path
    victim: subprocess.Popen[str]
    token: str

    def snapshot(self) -> object:
        """All that a trick might change outside of its sandbox."""
        return (
            {
                str(path): path.read_bytes() if path.is_file() else None
                for path in sorted(self.files.rglob("*"))
            },
            self.victim.poll(),
            resource.prlimit(self.victim.pid, resource.RLIMIT_NOFILE),
            [Path("/proc/sysvipc", name).read_text() for name in ("shm", "msg", "sem")],
            Path("/proc/sys/kernel/hostname").read_text(),
            [path.exists() for path in self.marks()],
            len(list(Path("/proc/self/fd").iterdir())),
        )

    def marks(self) -> list[Path]:
        return [Path("/tmp", self.token), Path("/dev/shm", self.token)]


@contextlib.contextmanager
def victim() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process to attack, and its secret."""
    token = f"judge-trick-{secrets.token_hex(8)}"
    command = [sys.executable, "-S", "-c", VICTIM, token]
    secret = {"SECRET": token}
    with subprocess.Popen(command, env=secret, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield process, token
        finally:
            process.kill()


@pytest.fixture(scope="module")
def unharmed() -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The victim of all tricks that must not reach it."""
    with victim() as found:
        yield found


@pytest.fixture
def scene(tmp_path: Path, level: str, request: pytest.FixtureRequest) -> Iterator[Scene]:
    ledger, opponent, bot = (tmp_path / name for name in ("ledger.jsonl", "opponent", "bot"))
    ledger.write_text("a game\n")
    opponent.mkdir()
    (opponent / "bot.py").write_text("a program\n")
    bot.mkdir()
    (bot / ".git").mkdir()
    (bot / ".git" / "HEAD").write_text("ref")
    with contextlib.ExitStack() as stack:
        process, token = (
            request.getfixturevalue("unharmed")
            if level in INSIDE
            else stack.enter_context(victim())
        )
        port = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        for address in (str(tmp_path / "socket"), f"\0{token}"):
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(address)
            listener.listen()
        targets = {
            "ledger": str(ledger),
            "opponent": str(opponent),
            "schemas": str(schemas.bundled("schemas")),
            "victim": str(process.pid),
            "port": str(port.getsockname()[1]),
            "socket": str(tmp_path / "socket"),
            "token": token,
            "devices": " ".join(
                str(Path("/dev", name).stat().st_ino)
                for name in ("null", "zero", "random", "urandom")
            ),
        }
        (bot / "targets.json").write_text(json.dumps(targets))
        scene = Scene(bot, tmp_path, process, token)
        yield scene
        for mark in scene.marks():
            mark.unlink(missing_ok=True)


def made(trick: str, folder: Path, level: str) -> Bot:
    """The bot of a trick, in a folder of its own with what all of them use. To be forked, what is
    no Python program is made the next thing that one becomes.
    """
    for name in {trick, *NO_TRICKS}:
        shutil.copy(HERE / name, folder / name)
    command = [f"./{trick}"]
    if level == "fork":
        command = ["python3", trick if trick.endswith(".py") else "becomes.py"]
        (folder / "becomes.py").write_text(BECOMES.format(trick))
    (folder / "bot.json").write_text(json.dumps({"command": command}))
    return find(str(folder))


# Without limits a trick that gets what it gets under limits stands for its kind. A forked program
# that becomes another is under bwrap what is executed there: one shows it.
RUNS = [
    pytest.param(trick, level, id=f"{trick.bot}-{level}")
    for kind in dict.fromkeys(trick.kind for trick in TRICKS)
    for number, trick in enumerate(trick for trick in TRICKS if trick.kind == kind)
    for level in LEVELS
    if trick.gets(level) not in NOT_RUN
    if level != "none" or number == 0 or trick.gets("none") != trick.gets("limits")
    if level != "fork" or number == 0 or trick.bot.endswith(".py")
]


@pytest.mark.parametrize(("trick", "level"), RUNS)
def test_a_trick_gets_what_it_deserves(trick: Trick, level: str, stop: Stop, scene: Scene) -> None:
    """Each trick ends as the table says, with evidence, or does not keep the bot from playing;
    and under bwrap nothing of it is left, and nothing outside has changed.
    """
    limits = Limits(timeout_ms=30_000 if trick.patient else 400)
    isolation = held_by("bwrap" if level in INSIDE else level)
    seed = secrets.randbits(62)
    bot = marked(made(trick.bot, scene.bot, level), seed)
    before = scene.snapshot()
    forked = level == "fork"
    with alone(bot, stop, seed=seed, limits=limits, isolation=isolation, fork=forked) as connection:
        entry = RecordedSeat.of(bot.name, digest=bot.digest, seed=seed)
        player = ProgramPlayer(entry, Brainjar(BRAINJAR, 0, "readme"), connection)
        ended = end_of(player)
    left = running(seed)
    if left and trick.is_stopped(level):
        time.sleep(0.5)  # killed, but not yet gone
        left = running(seed)
    for process in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)

    expected, told = expectation(trick, level, isolation)
    if trick.kind == STAYING:
        assert bool(left) is not trick.is_stopped(level)
        expected = PLAYS
    if expected == PLAYS:
        assert ended is None
    elif ended is None:  # a child's peak that is below our own cannot be told
        assert "_400_mb" in str(trick)
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 400 * 1000
    else:
        assert re.search(told, str(ended))
        assert ended.termination == expected
    if level in INSIDE:
        assert left == []
        assert scene.snapshot() == before
        groups = (name for _, folders, _ in os.walk("/sys/fs/cgroup") for name in folders)
        assert not [name for name in groups if name.startswith(f"judge-{os.getpid()}-")]
    evidence = player.evidence(0)
    assert evidence is not None
    assert evidence.argv[-1].startswith('{"cmd":')
    assert (evidence.exit is None) is (evidence.signal is not None)
    with pytest.raises(ChildProcessError):
        os.waitpid(-os.getpid(), os.WNOHANG)


def expectation(trick: Trick, level: str, isolation: Isolation) -> tuple[str, str]:
    gets, told = trick.gets(level), trick.told
    if level in INSIDE:
        told = trick.told if trick.told_bwrap is None else trick.told_bwrap
        means = dict(one.split(": ", 1) for one in isolation.enforcement)
        if trick.wants and not means[trick.wants].startswith(("cgroup", "RLIMIT_NPROC")):
            gets = THROUGH
    return (CRASH, "exited with status 77") if gets == THROUGH else (gets, told)


def end_of(player: ProgramPlayer) -> BotError | None:
    """How two moves of it ended: None if it has played them."""
    try:
        player.ask(AskFleet(), None)
        placed = player.answer()
        assert isinstance(placed, Placed)
        player.ask(AskShots(beginning(placed)), None)
        assert isinstance(player.answer(), Fired)
    except BotError as error:
        return error
    return None


def beginning(placed: Placed) -> object:
    game = Game(BRAINJAR)
    for seat in (0, 1):
        game.place(seat, placed.fleet)
    return game.view(0)


@pytest.mark.parametrize(
    ("neighbour", "source", "misses"),
    [
        ("helper.py", "import helper", True),
        ("helper.py", "print(open('helper.py'))", True),
        ("helper", "print(open('helper'))", True),
        ("helper", "import subprocess; subprocess.run(['sh', '-c', './helper'], check=True)", True),
        ("brain.txt", "import sys; sys.exit('I want my brain.txt')", True),
        ("late.py", "raise ValueError('late')", False),
        ("late", "raise ValueError('late')", False),
        ("bot.txt", "import nothing", False),
    ],
)
def test_a_bot_given_as_a_file_is_told_what_it_misses(
    neighbour: str, source: str, misses: bool, tmp_path: Path, stop: Stop
) -> None:
    """A file that wants its neighbour, which bwrap does not show, gets a hint to make a folder;
    one whose complaint has a word in common with that name does not."""
    (tmp_path / neighbour).write_text("answer = 42\n")
    (tmp_path / "bot.py").write_text(f"{source}\n")
    bot = find(str(tmp_path / "bot.py"))
    with alone(bot, stop, seed=1, limits=Limits(), isolation=held_by("bwrap")) as connection:
        connection.send(b'{"cmd":"init"}')
        with pytest.raises(BotError) as raised:
            connection.receive(math.inf)
    hint = f"it cannot see '{neighbour}' beside it, for it was given as a file"
    assert (hint in str(raised.value)) == misses


def play(conditions: Conditions, bots: list[Bot]) -> GameRecord:
    seats = [TaskSeat(bot.name, bot.digest, seed) for seed, bot in enumerate(bots, 2)]
    with Run(conditions, bots) as run:
        return run.play(Task("1", seed=1, first=0, seats=tuple(seats)))


def test_a_hostile_bot_loses_a_whole_game_with_its_evidence() -> None:
    """A forfeit's record holds what was run, what it printed, and how it ended."""
    bots = [find(str(HERE / name)) for name in ("answers_and_exits_1.sh", "plays.sh")]
    isolation, _ = choose("limits")
    conditions = Conditions(rules=BRAINJAR, dialect="readme", isolation=isolation)
    record = play(conditions, bots)
    assert (record.outcome.winner, record.outcome.loser) == (1, 0)
    assert record.outcome.termination is CRASH
    assert record.outcome.detail == "exited with status 1"
    (evidence,) = record.evidence
    assert evidence.seat == 0
    assert evidence.argv[-1] == '{"cmd":"init"}'
    assert '"orientation"' in evidence.stdout
    assert evidence.exit == 1
    assert record.seats[0].fleet is None, "it was never legal"
    assert record.seats[1].fleet is not None, "both are asked before the first shot"
    assert [game.outcome for game in replay(record)][-1] is not None


def test_scratch_folders_begin_empty_and_are_gone_afterwards() -> None:
    """Whatever a bot leaves in its scratch folder, the next move finds none of it."""
    run = Path(of_this_run())
    before = {*run.glob("*/*")}
    bots = [find(str(HERE / name)) for name in ("leaves_files_behind.sh", "plays.sh")]
    conditions = Conditions(rules=BRAINJAR, dialect="readme", isolation=choose("limits")[0])
    record = play(conditions, bots)
    assert record.outcome.termination is Termination.FLEET_DESTROYED
    assert len(record.shots) > 28
    assert {*run.glob("*/*")} <= before
