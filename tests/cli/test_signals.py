"""Signals that end the judge, at the places where an exception would break what is under way."""

from __future__ import annotations

import subprocess
import sys

_BEFORE = """\
import os, signal, threading, time
from judge.cli import signals
from judge.errors import Interrupted

heard = signals.heard()
heard.__enter__()
"""

# Where something is to be done before a signal comes that was put off, on a busy machine too.
_LATER = "signals.AGAIN_SECONDS = 1.0\n"


def outcome(script: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _BEFORE + script], capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    return done.stdout


def test_no_lock_stays_taken() -> None:
    """In the midst of taking a lock of the standard library, Ctrl-C comes after it is given back,
    and no later than the next instruction outside that takes time."""
    script = """
class Signalled:
    def __init__(self):
        self.acquire, self.release = lock.acquire, lock.release
    def __enter__(self):
        lock.acquire()
        signal.raise_signal(signal.SIGINT)
    def __exit__(self, *error):
        lock.release()

lock = threading.Lock()
condition = threading.Condition(Signalled())
try:
    with condition:
        print("taken", lock.locked())
    while True:
        time.sleep(60)
except Interrupted:
    print("interrupted", lock.locked())
"""
    assert outcome(_LATER + script) == "taken True\ninterrupted False\n"


def test_a_wait_without_end_is_broken_off() -> None:
    """A thread that sleeps in the standard library is interrupted there."""
    script = """
threading.Timer(0.05, os.kill, [os.getpid(), signal.SIGTERM]).start()
event = threading.Event()
try:
    event.wait()
except Interrupted:
    event.set()  # its lock is free
    print("interrupted")
"""
    assert outcome(script) == "interrupted\n"


def test_none_is_dropped_where_an_exception_would_be() -> None:
    """Python prints what a ``__del__`` raises, and goes on: Ctrl-C comes after it."""
    script = """
class Last:
    def __del__(self):
        signal.raise_signal(signal.SIGHUP)
        print("deleted")

try:
    Last()
    while True:
        time.sleep(60)
except Interrupted:
    print("interrupted")
"""
    assert outcome(script) == "deleted\ninterrupted\n"


def test_later_ones_are_not_heard() -> None:
    """What the first signal began is not broken off by others."""
    script = """
try:
    signal.raise_signal(signal.SIGINT)
    time.sleep(60)
except Interrupted:
    for number in signals.STOPPING:
        signal.raise_signal(number)
    time.sleep(3 * signals.AGAIN_SECONDS)
    print("ended")
"""
    assert outcome(script) == "ended\n"


def test_several_at_once_are_one() -> None:
    """As from a terminal that is closed after a Ctrl-C: Python finds all of them when it looks."""
    script = """
signal.pthread_sigmask(signal.SIG_BLOCK, signals.STOPPING)
for number in signals.STOPPING:
    os.kill(os.getpid(), number)
try:
    signal.pthread_sigmask(signal.SIG_UNBLOCK, signals.STOPPING)
    time.sleep(60)
except Interrupted:
    print("interrupted")
"""
    assert outcome(script) == "interrupted\n"


def test_an_ignored_signal_stays_so() -> None:
    """As under nohup."""
    script = """
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with signals.heard():
    signal.raise_signal(signal.SIGHUP)
    print(signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN)
"""
    assert outcome(script) == "True\n"


def test_none_is_heard_at_the_end() -> None:
    """While the last words are said, neither a new signal nor one that was put off breaks in."""
    script = """
class Last:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
        heard.__exit__(None, None, None)

Last()
signal.raise_signal(signal.SIGTERM)
time.sleep(3 * signals.AGAIN_SECONDS)
print("said")
"""
    assert outcome(script) == "said\n"


def test_what_is_being_opened_is_closed() -> None:
    """Nobody could close what a context manager has opened before it gives it."""
    script = """
import contextlib

@contextlib.contextmanager
def resource():
    opened.append("door")
    signal.raise_signal(signal.SIGINT)
    try:
        yield
    finally:
        opened.clear()

opened = []
try:
    with resource():
        while True:
            time.sleep(60)
except Interrupted:
    print("interrupted", opened)
"""
    assert outcome(script) == "interrupted []\n"


def test_a_program_that_is_being_started_is_known() -> None:
    """Nobody could end it otherwise."""
    script = """
import subprocess

def signalled(descriptor):
    os.close = close
    signal.raise_signal(signal.SIGINT)
    close(descriptor)

close, os.close = os.close, signalled  # called when the program is there
program = None
try:
    program = subprocess.Popen(["sleep", "60"])
    while True:
        time.sleep(60)
except Interrupted:
    print("interrupted", os.close is close)
    program.kill()
    print(program.wait())
"""
    assert outcome(script) == "interrupted True\n-9\n"


def test_a_loop_is_made_and_closed_without_complaint() -> None:
    """Python complains of a loop that is half made, and of what never runs in it."""
    script = """
import asyncio, socket

def signalled():
    socket.socketpair = pair
    signal.raise_signal(signal.SIGINT)
    return pair()

async def main():
    await asyncio.sleep(60)

pair, socket.socketpair = socket.socketpair, signalled
try:
    asyncio.run(main())
except Interrupted:
    print("interrupted", socket.socketpair is pair)
"""
    assert outcome(script) == "interrupted True\n"


def test_who_computes_on_and_on_is_interrupted_all_the_same() -> None:
    """Where the library has called something that takes its time. There is no end to it within the
    library itself, which never does."""
    script = """
import contextlib, functools, types

signals.MOST_TIMES = 0
signalled = functools.partial(signal.raise_signal, signal.SIGINT)

@contextlib.contextmanager
def opening():
    signalled()
    yield print("opened")

lock = types.SimpleNamespace(
    acquire=None, release=None, __enter__=signalled, __exit__=lambda *_: print("left")
)
try:
    with %s:
        print("entered")
    while True:
        time.sleep(60)
except Interrupted:
    print("interrupted")
"""
    assert outcome(script % "opening()") == "interrupted\n"
    assert outcome(_LATER + script % "threading.Condition(lock)") == "entered\nleft\ninterrupted\n"


def test_no_result_is_lost() -> None:
    """One that is being taken when a signal comes is taken to its end, and told, as are those that
    are finished by then: the games of a ledger are in their order, and none is left out."""
    assert outcome(_TAKING) == "told [0, 1, 2, 3]\nkept [0, 1, 2, 3]\n"


def test_no_later_result_is_taken_after_one_that_is_lost() -> None:
    """Where the taking lasts too long, as where a ledger is locked."""
    lasting = f"signals.MOST_TIMES = 0\n{_TAKING}"
    assert outcome(lasting) == "told [0]\nkept [0]\ninterrupted\n"


_TAKING = """
from concurrent.futures import Future
from judge.cli.sinks import each
from judge.contest.schedule import Fight, First
from judge.contest.tournament import Results

def submit(pairing):
    future = Future()
    future.set_result(pairing.round - 1)
    return future

def take(number):
    if number == 1:
        signal.raise_signal(signal.SIGINT)
    kept.append(number)
    return number

def until_interrupted():
    while kept == [0, 1]:
        time.sleep(60)

kept, told = [], []
try:
    for event in each(Results(Fight(4, 7, First.RANDOM), submit, 4, 4), take, until_interrupted):
        told.append(event)
except Interrupted:
    interrupted = "interrupted"
else:
    interrupted = ""
print("told", told)
print("kept", kept)
print(interrupted, end="\\n" * bool(interrupted))
"""


def test_what_has_happened_is_told_to_its_end() -> None:
    """A signal comes after the line that is being written, and the command hears of it."""
    script = """
import contextlib
from judge.cli import sinks

def events():
    try:
        yield "first"
        while True:
            time.sleep(60)
    except Interrupted:
        yield "the way on"
        raise

def take(event):
    signal.raise_signal(signal.SIGINT)
    print(event)

sinks.telling = lambda settings: contextlib.nullcontext(take)
try:
    sinks.tell(events(), None)
except Interrupted:
    print("interrupted")
"""
    assert outcome(script) == "first\nthe way on\ninterrupted\n"


def test_an_error_does_not_hide_a_signal() -> None:
    """A program that was started may have ended by the same Ctrl-C, and be why."""
    script = """
def fails():
    signal.raise_signal(signal.SIGINT)
    raise ValueError

try:
    with signals.heard():
        signals.undisturbed(fails)
except Interrupted:
    print("interrupted")
"""
    assert outcome(_LATER + script) == "interrupted\n"


def test_the_end_of_a_server_is_not_broken_off() -> None:
    """By a second signal; one that ended otherwise leaves who hears them as it found them."""
    script = """
import asyncio
from judge.cli.signals import STOPPING
from judge.serve.log import LineWriter, Log, ServerLogFormat
from judge.serve.server import Server

async def served(end):
    log = Log(LineWriter(os.open(os.devnull, os.O_WRONLY)), ServerLogFormat.TEXT)
    server = Server(log, lambda _: end(server))
    await server.run()

before = [signal.getsignal(one) for one in STOPPING]
asyncio.run(served(lambda server: server.stop()))
print([signal.getsignal(one) for one in STOPPING] == before)
asyncio.run(served(lambda _: signal.raise_signal(signal.SIGTERM)))
print({signal.getsignal(one) for one in STOPPING} == {signal.SIG_IGN})
"""
    assert outcome(script) == "True\nTrue\n"
