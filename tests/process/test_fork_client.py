"""A bot that is kept for a run: what its moves share, what they do not, and how trouble ends."""

from __future__ import annotations

import itertools
import math
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from bot_files import python_bot
from changes import replace
from child_processes import children, descendants
from judge.documents.game import Limits
from judge.errors import BotError, Interrupted, LaunchFault
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.process.bots.bot import Bot, find
from judge.process.run.connection import OneShot
from judge.process.run.launch import Launcher
from judge.process.run.launcher_pool import LauncherPool
from judge.process.run.listening import Stop
from judge.process.run.processes import parent
from judge.process.run.streams import Streams
from judge.process.sandbox.fork_client import ForkClient
from judge.process.sandbox.fork_launcher import ForkLauncher
from judge.process.sandbox.fork_process import READY, ForkProcess
from launching import Launching
from needs import held_by
from players import one_shot

Keep = Callable[..., Launcher]


@pytest.fixture(params=[("bwrap", "exec"), ("bwrap", "fork"), ("limits", "fork")], ids=str)
def keep(request: pytest.FixtureRequest, tmp_path: Path, launching: Launching) -> Keep:
    """Keeps a Python program by each means."""
    return lambda source: launching(python_bot(tmp_path, source), *request.param)


def test_every_move_begins_the_same(keep: Keep) -> None:
    """The processes, the descriptors and the state that a move finds do not tell how many were
    before."""
    bot = keep(
        "import os, sys\n"
        "print(sys.argv[1:], sorted(os.listdir('/proc/self/fd')), os.listdir(os.environ['TMPDIR']))\n"
        "open(os.environ['TMPDIR'] + '/note', 'w').write('here')\n"
    )
    first = bot.run("a")
    assert first.status == 0, first.stderr
    assert first.stdout == b"['a'] ['0', '1', '2', '3'] []\n"
    for _ in range(5):
        assert bot.run("a").stdout == first.stdout


def test_what_a_move_leaves_behind_has_ended_when_another_is_asked(keep: Keep) -> None:
    """Its processes would end on the processor of the player that is asked next, in the other's time."""
    bot = keep("""\
import os, sys, time
for _ in range(3):
    if not os.fork():
        os.closerange(0, 3)
        time.sleep(60)
time.sleep(0.5)
print("done")
""")
    assert isinstance(bot, ForkLauncher)
    assert bot.run("x").stdout == b"done\n"
    assert bot._server is not None
    is_inside = bot._sandbox.scratch is not None
    assert ("gone" in bot._server._heard) is is_inside, "elsewhere nobody says when all has ended"
    assert bot.run("x").stdout == b"done\n"


def test_a_fork_server_that_ends_before_a_move_is_ready_is_said(keep: Keep) -> None:
    """Nobody waits for a move that can never begin."""
    bot = keep("print('done')\n")
    assert isinstance(bot, ForkLauncher)
    bot.run("x")
    server = bot._server
    assert server is not None
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.close()
    server._requests = itertools.cycle([ours])
    with ours, pytest.raises(LaunchFault, match="could begin: it is not ready"):
        server.start(Streams(has_stdin=False), {}, ("x",), None, None)


def test_a_fork_server_that_is_killed_is_started_again(keep: Keep) -> None:
    """No bot is blamed when somebody kills it between two moves, and none between two games."""
    bot = keep("print('done')\n")
    assert bot.run("x").stdout == b"done\n"
    assert isinstance(bot, ForkLauncher)
    for begin in (lambda: None, bot.begin_game):
        assert bot._server is not None
        bot._server._process.popen.kill()
        bot._server._process.popen.wait()
        begin()
        assert bot.run("x").stdout == b"done\n"


def test_a_fork_server_that_is_ready_before_its_first_move_is_not_started_again(keep: Keep) -> None:
    """Its words about that by then are no trouble."""
    bot = keep("print('done')\n")
    assert isinstance(bot, ForkLauncher)
    bot.begin_game()
    server = bot._server
    assert server is not None
    assert select.select([server], [], [], 30)[0]
    assert bot.run("x").stdout == b"done\n"
    assert bot._server is server


def test_a_fork_server_that_is_closed_while_it_starts_leaves_nothing(
    tmp_path: Path, launching: Launching, stop: Stop
) -> None:
    """At whatever moment that is: neither bubblewrap nor what it has begun goes on."""
    bot = Bot("bot", ("/bin/true",), tmp_path, (tmp_path,), digest="", size=2**20, path=os.defpath)
    launcher = launching(bot, "bwrap")
    assert isinstance(launcher, ForkLauncher)
    launcher.close()
    for number in range(60):
        server = ForkClient(launcher._sandbox, stop, 1000)
        time.sleep(number / 3000)
        server.close()
    assert [line for line in command_lines() if str(tmp_path) in line] == []


def command_lines() -> Iterator[str]:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")


def test_a_move_has_a_limit_on_cpu_and_its_fork_server_has_none(keep: Keep) -> None:
    """The fork server starts all moves of a run, and each move takes it some CPU time."""
    bot = keep("import resource\nprint(resource.getrlimit(resource.RLIMIT_CPU)[0])\n")
    said = int(bot.run("x").stdout)
    assert isinstance(bot, ForkLauncher)
    assert bot._server is not None
    assert bot._server.is_clear()
    family = descendants(bot._server._process.popen.pid)
    limits = [resource.prlimit(process, resource.RLIMIT_CPU)[0] for process in family]
    assert limits.count(said) <= READY, "those that are ready"
    assert set(limits) <= {said, resource.getrlimit(resource.RLIMIT_CPU)[0]}
    assert len(limits) > limits.count(said)


def test_a_program_that_lives_for_a_match_has_the_only_move_of_its_game(
    tmp_path: Path, launching: Launching
) -> None:
    """No other move is made ready, neither beside it nor after its end. Started again in the same
    game, it has another fork server; in the next game it has the same."""
    launcher = launching(python_bot(tmp_path, "input()\n"), "bwrap", life_seconds=60)
    assert isinstance(launcher, ForkLauncher)
    servers = []
    for begin in (launcher.begin_game, launcher.begin_game, lambda: None):
        begin()
        program = launcher.start({})
        bot, init = program.first()
        game = parent(bot)
        assert children(game) == {bot, init}
        os.write(program.streams.stdin, b"\n")
        while not program.has_come():
            select.select([program], [], [], 30)
        assert program.end().status == 0
        assert launcher._server is not None
        servers.append(launcher._server)
        assert launcher._server._hear_one_of("gone")
        assert children(game) == set()
    assert servers[0] is servers[1] is not servers[2]


def test_a_fork_server_that_ends_in_a_move_is_nobodys_loss(keep: Keep) -> None:
    """In bubblewrap, where no bot can reach it, that is the judge's fault; the next move is
    well."""
    bot = keep("import sys, time\ntime.sleep(0.5 * (sys.argv[1] == 'wait'))\nprint('done')\n")
    assert isinstance(bot, ForkLauncher)
    bot.run("x")
    assert bot._server is not None
    if bot._server._sandbox.scratch is None:
        return
    killing = threading.Timer(0.1, bot._server._process.popen.kill)
    killing.start()
    with pytest.raises(LaunchFault, match="has ended in a move"):
        bot.run("wait")
    killing.join()
    assert bot.run("x").stdout == b"done\n"


TELLS = """\
import os, sys
scratch = os.environ["TMPDIR"]
print(os.environ["BOT_SEED"], os.listdir(scratch), sorted(os.environ), hash("a text"))
open(f"{scratch}/note", "w").write("here")
os.environ["LEFT"] = "here"
"""
LIMITED = Limits(timeout_ms=30_000, memory_bytes=64 * 2**20)


@pytest.fixture(params=["exec", "fork"])
def conditions(request: pytest.FixtureRequest) -> Conditions:
    """The conditions of games in bubblewrap."""
    return Conditions(
        rules=BRAINJAR,
        dialect="readme",
        launch=request.param,
        isolation=held_by("bwrap"),
        limits=LIMITED,
    )


@pytest.fixture
def told(tmp_path: Path) -> Bot:
    """A bot that tells what it sees."""
    program = tmp_path / "bot.py"
    program.write_text(TELLS)
    return find(str(program))


def connected(conditions: Conditions, bot: Bot, seed: int, run: LauncherPool) -> OneShot:
    return one_shot(
        bot,
        run,
        seed=seed,
        limits=conditions.limits,
        isolation=conditions.isolation,
        fork=conditions.launch == "fork",
    )


def server_of(game: OneShot) -> ForkClient | None:
    assert isinstance(game._launcher, ForkLauncher)
    return game._launcher._server


def test_the_next_game_has_the_fork_server_and_nothing_of_the_game_before(
    conditions: Conditions, told: Bot, stop: Stop
) -> None:
    """It has its own seed, no file and no variable of the other; forked, it has the hash seed."""
    servers, said = [], []
    with closing(LauncherPool(stop)) as run:
        for seed in (5, 6):
            with closing(connected(conditions, told, seed, run)) as game:
                game.send(b"{}")
                said.append(game.receive(math.inf).decode().split())
                servers.append(server_of(game))
    assert servers[0] is servers[1] is not None
    assert [words.pop(0) for words in said] == ["5", "6"]
    hashes = {words.pop() for words in said}
    assert len(hashes) == (1 if conditions.launch == "fork" else 2)
    assert said[0] == said[1]
    assert said[0][0] == "[]"
    names = ["PATH", "HOME", "LANG", "TMPDIR", "BOT_SEED", "BOT_RULES"]
    assert all(f"'{name}'" in " ".join(said[0]) for name in names)
    assert "LEFT" not in " ".join(said[0])


def test_no_move_is_told_the_seed_of_another_game(
    conditions: Conditions, told: Bot, stop: Stop
) -> None:
    """Not even by what its process was started with."""
    told.files[0].write_text("print(open('/proc/self/environ').read())\n")
    with closing(LauncherPool(stop)) as run:
        for seed in (123456, 234567):
            with closing(connected(conditions, told, seed, run)) as game:
                game.send(b"{}")
                seen = game.receive(math.inf).decode()
        assert "123456" not in seen
        assert ("234567" in seen) is (conditions.launch == "exec")


def test_an_interpreter_that_has_not_loaded_os_is_told_the_seed(
    conditions: Conditions, told: Bot, stop: Stop
) -> None:
    """The bot's ``os`` is then another one than the fork server's."""
    *interpreter, file = told.command
    bare = replace(told, command=(*interpreter, "-S", file))
    with (
        closing(LauncherPool(stop)) as run,
        closing(connected(conditions, bare, 5, run)) as game,
    ):
        game.send(b"{}")
        assert game.receive(math.inf).startswith(b"5 ")


TROUBLE = """\
import os, sys, time
match sys.argv[1]:
    case '"sleep"': time.sleep(600)
    case '"flood"': print("flood" * 100_000)
    case '"eat"':
        if any(os.fork() == 0 for _ in range(4)):
            eaten = b"x" * (40 * 2**20)
            time.sleep(1)
            os._exit(0)
        while True: os.wait()
    case '"hoard"':
        while True:
            fd = os.memfd_create("hoard")
            for _ in range(15): os.write(fd, bytes(2**20))
print("well")
"""
TROUBLES = {
    "sleep": "within 1.5 s",
    "flood": "printed more than",
    "eat": "used more memory",
    "hoard": "used more memory",
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_fork_server_in_trouble_is_not_given_on(
    trouble: str, conditions: Conditions, told: Bot, stop: Stop
) -> None:
    """After a timeout, a flood, or where the kernel has ended a process for want of memory, which
    may have been one that was ready, the next game has a new one, and nothing is held against it.
    """
    has_groups = any("cgroup" in one for one in conditions.isolation.enforcement)
    if trouble in ("eat", "hoard") and not has_groups:
        pytest.skip("the judge may make no control group here")
    told.files[0].write_text(TROUBLE)
    told = replace(told, size=len(TROUBLE))
    quick = replace(conditions, limits=replace(LIMITED, timeout_ms=1500))
    with closing(LauncherPool(stop)) as run:
        with closing(connected(quick, told, 5, run)) as game:
            game.send(b'"well"')
            game.receive(math.inf)
            first = server_of(game)
            game.send(f'"{trouble}"'.encode())
            with pytest.raises(BotError, match=TROUBLES[trouble]):
                game.receive(math.inf)
        with closing(connected(quick, told, 6, run)) as game:
            game.send(b'"well"')
            assert game.receive(math.inf) == b"well\n"
            assert server_of(game) is not first


def test_no_more_fork_servers_are_kept_than_played_at_once(
    conditions: Conditions, told: Bot, stop: Stop
) -> None:
    """One is kept for many bots, each alone in its game; and two for a bot that plays against
    itself."""
    bots, before = [replace(told, name=name) for name in "abc"], len(children())
    with closing(LauncherPool(stop)) as run:
        for bot in bots:
            connected(conditions, bot, 5, run).close()
            assert len(children()) == before + 1
        games = [connected(conditions, bots[0], 5, run) for _ in range(2)]
        assert server_of(games[0]) is not server_of(games[1])
        for game in games:
            game.close()
        assert len(children()) == before + 2
    assert len(children()) == before


def test_a_run_that_is_interrupted_leaves_nothing(
    conditions: Conditions, told: Bot, stop: Stop
) -> None:
    """No process and no control group, whatever has been lent."""
    before = children()
    with closing(LauncherPool(stop)) as run:
        connected(conditions, told, 5, run).close()
        with closing(connected(conditions, told, 5, run)) as game:
            stop.set()
            game.send(b"{}")
            with pytest.raises(Interrupted):
                game.receive(math.inf)
        connected(conditions, told, 5, run).close()
    assert children() == before
    assert list(Path("/sys/fs/cgroup").glob(f"**/judge-{os.getpid()}-*")) == []


def test_its_last_words_are_not_waited_for_with_those_inside() -> None:
    """The first process inside outlives bubblewrap if that dies too soon, and holds its stderr: it is
    killed as well."""
    read, write = os.pipe()
    long = [sys.executable, "-c", "import time; time.sleep(10)"]
    with (
        subprocess.Popen(long, stderr=write) as outer,
        subprocess.Popen(long, stderr=write) as inner,
    ):
        os.write(write, b"too late\n")
        os.close(write)
        outer.stderr = os.fdopen(read, "rb")
        begun = ForkProcess.__new__(ForkProcess)  # without bubblewrap
        begun.popen = outer
        begun._admission = threading.Thread()
        begun._first = os.pidfd_open(inner.pid)
        assert begun.last_words() == "too late"
        os.close(begun._first)
    assert inner.returncode == -signal.SIGKILL
