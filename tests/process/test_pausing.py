"""Players that live on: no one of them computes while another is asked, and none that sits still
notices."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.documents.game import Limits
from judge.errors import Crashed
from judge.process.bots.bot import find
from judge.process.run.launch import Start
from judge.process.run.launcher_pool import LauncherPool
from judge.process.run.listening import Stop
from judge.process.run.pausing import Pausing
from judge.process.run.pipes import Pipes
from judge.process.run.processes import family, is_runnable, used_ns
from judge.process.sandbox.isolation import Isolation
from needs import held_by

THINKS = """
import sys, time
for line in sys.stdin:
    time.sleep(0.5)
    print("thought", flush=True)
"""

# Has two processes more by the time it answers, which go on then.
SPINS = """
import os, sys
said = sys.stdin.readline().strip()
if os.fork() and os.fork():
    print(said, flush=True)
    for line in sys.stdin:
        print("again", flush=True)
while True: pass
"""

# Has a process use time for its answer, which ends a while after that; and then spins.
SPENDS = """
import os, signal, sys, time
said = sys.stdin.readline().strip()
reading, writing = os.pipe()
if not (helper := os.fork()):
    while time.process_time() < 1.5: pass
    os.write(writing, b".")
    time.sleep(60)
os.read(reading, 1)
print(said, flush=True)
time.sleep(0.2)
os.kill(helper, signal.SIGKILL)
os.wait()
while True: pass
"""

# Answers, and then waits by calls that fail in a program that was stopped meanwhile.
WAITS = """
import ctypes, os, select, socket, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
ready = select.epoll()
ours, theirs = socket.socketpair()
ours.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 200_000))
said = sys.stdin.readline()
print("first", flush=True)
events = ctypes.create_string_buffer(64)
by_epoll = libc.epoll_wait(ready.fileno(), events, 1, 200)
by_recv = libc.recv(ours.fileno(), events, 1, 0)
late = ctypes.get_errno()
sys.stdin.readline()
print("noticed" if by_epoll or late != 11 else "still", flush=True)
sys.stdin.read()
"""

# Has timers wake it when it is stopped, one after the other, and spins after its answer.
ESCAPES = """
import ctypes, signal, sys
signal.signal(signal.SIGCONT, lambda *_: None)
libc = ctypes.CDLL(None)
event = (ctypes.c_int * 16)(0, 0, 18, 0)
for number in range(1, 1000):
    timer, once = ctypes.c_void_p(), (ctypes.c_long * 4)(0, 0, *divmod(number * 2_000_000, 10**9))
    libc.timer_create(1, event, ctypes.byref(timer))
    libc.timer_settime(timer, 0, once, None)
print(sys.stdin.readline().strip(), flush=True)
while True: pass
"""


@pytest.fixture(params=["bwrap", "limits"])
def isolation(request: pytest.FixtureRequest) -> Isolation:
    return held_by(request.param)


@contextlib.contextmanager
def game(isolation: Isolation, folder: Path, *programs: str) -> Iterator[list[Pipes]]:
    """Connections to these players of one game."""
    with contextlib.ExitStack() as stack:
        stop = stack.enter_context(contextlib.closing(Stop()))
        launchers = stack.enter_context(contextlib.closing(LauncherPool(stop)))
        pausing, players = Pausing(), []
        for number, program in enumerate(programs):
            path = folder / f"player{number}.py"
            path.write_text(program)
            bot = find(str(path))
            start = Start(bot, {"PATH": bot.path}, Limits(timeout_ms=60_000), life_seconds=60)
            lent = launchers.lent(isolation, start, {})
            player = Pipes(start, isolation, lent, stop, luck={}, workplace=None, pausing=pausing)
            players.append(stack.enter_context(contextlib.closing(player)))
        yield players


def ask(player: Pipes) -> str:
    """The answer of a player to a line."""
    player.expect()
    player.send(b"question\n")
    said = b""
    while not said.endswith(b"\n"):
        said += player.receive(time.monotonic() + 60)
    player.rest()
    return said.decode().strip()


def processes(player: Pipes) -> list[int]:
    assert player._program is not None
    return [*family(player._program.first())]


def test_a_player_is_stopped_that_computes_while_another_is_asked(isolation, tmp_path):
    """All processes of such a player stand still, and go on when it is asked."""
    with game(isolation, tmp_path, SPINS, THINKS) as (spinner, thinker):
        assert ask(spinner) == "question"
        assert ask(thinker) == "thought"
        found = processes(spinner)
        assert len(found) >= 3
        assert not any(map(is_runnable, found))
        before = [*map(used_ns, found)]
        time.sleep(0.1)
        assert [*map(used_ns, found)] == before
        assert ask(spinner) == "again"


def test_what_a_process_used_that_has_ended_is_no_credit(isolation, tmp_path):
    """A player is stopped although another of its processes, which had used more than
    it can while another thinks, has ended since its answer."""
    with game(isolation, tmp_path, SPENDS, THINKS) as (spender, thinker):
        assert ask(spender) == "question"
        assert ask(thinker) == "thought"
        assert ask(thinker) == "thought"
        assert not any(map(is_runnable, processes(spender)))


def test_a_player_that_sits_still_is_left_alone(isolation, tmp_path):
    """A player that waits by `epoll_wait`, or by `recv` with a time limit, is not interrupted."""
    with game(isolation, tmp_path, WAITS, THINKS) as (waiter, thinker):
        assert ask(waiter) == "first"
        assert ask(thinker) == "thought"
        assert ask(waiter) == "still"


def test_a_player_alone_computes_as_it_likes(isolation, tmp_path):
    """Nobody is stopped where nobody else is asked."""
    with game(isolation, tmp_path, SPINS) as (spinner,):
        assert ask(spinner) == "question"
        time.sleep(0.1)
        assert any(map(is_runnable, processes(spinner)))
        assert ask(spinner) == "again"


def test_a_player_that_escapes_from_being_stopped_is_ended(tmp_path):
    """A player that has itself woken by a timer whenever it is stopped loses by that."""
    with game(held_by("bwrap"), tmp_path, ESCAPES, THINKS) as (escaper, thinker):
        assert ask(escaper) == "question"
        for _ in range(3):
            assert ask(thinker) == "thought"
        with pytest.raises(Crashed, match="although the judge had stopped it"):
            ask(escaper)
