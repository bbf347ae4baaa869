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
    assert outcome(script) == "taken True\ninterrupted False\n"


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
