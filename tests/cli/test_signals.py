"""Signals that end the judge are told where the main thread waits, and break nothing off."""

from __future__ import annotations

import subprocess
import sys

import pytest

_BEFORE = """\
import os, signal, threading, time
from concurrent.futures import Future
from judge import signals, waiting
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


@pytest.mark.parametrize(
    ("wait", "number"),
    [
        ("waiting.sleep(60)", "SIGINT"),
        ("waiting.awaited(Future())", "SIGTERM"),
        ("waiting.ready(os.pipe()[0])", "SIGHUP"),
        ("waiting.apart(threading.Event().wait)", "SIGINT"),
        ("Stop().wait(60)", "SIGTERM"),
    ],
)
def test_every_wait_is_ended(wait: str, number: str) -> None:
    """By a signal that comes before it, and by one that comes meanwhile, whichever thread takes
    it. One handler is that of all signals."""
    script = f"""
from judge.process.run.listening import Stop

def take():
    signal.pthread_kill(threading.get_ident(), signal.{number})

{{how}}
try:
    {wait}
except Interrupted:
    print("interrupted")
"""
    before = f"signal.raise_signal(signal.{number})"
    assert outcome(script.format(how=before)) == "interrupted\n"
    assert outcome(script.format(how="threading.Timer(0.2, take).start()")) == "interrupted\n"


def test_nothing_is_broken_off_but_a_wait() -> None:
    """In the middle of work, a signal waits for the next look or wait."""
    script = """
done = []
try:
    for number in signals.looking(range(9)):
        if number == 3:
            signal.raise_signal(signal.SIGINT)
            time.sleep(0.01)
        done.append(number)
except Interrupted:
    print("interrupted", done)
"""
    assert outcome(script) == "interrupted [0, 1, 2, 3]\n"


def test_it_is_told_in_the_main_thread_alone() -> None:
    """Another thread goes on until it is stopped, and takes nothing away."""
    script = """
signal.raise_signal(signal.SIGINT)
other = threading.Thread(target=lambda: (signals.look(), waiting.sleep(0.01), print("goes on")))
other.start()
other.join()
try:
    signals.look()
except Interrupted:
    print("interrupted")
"""
    assert outcome(script) == "goes on\ninterrupted\n"


def test_later_ones_are_not_heard() -> None:
    """The work that the first signal began is not broken off by others."""
    script = """
try:
    signal.raise_signal(signal.SIGINT)
    waiting.sleep(60)
except Interrupted:
    for number in signals.STOPPING:
        signal.raise_signal(number)
    waiting.sleep(0.01)
    print("ended")
"""
    assert outcome(script) == "ended\n"


def test_an_ignored_signal_stays_so() -> None:
    """As under nohup."""
    script = """
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with signals.heard():
    signal.raise_signal(signal.SIGHUP)
    waiting.sleep(0.01)
    print(signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN)
"""
    assert outcome(script) == "True\n"


def test_none_is_heard_at_the_end() -> None:
    """While the last words are said, no new signal breaks in."""
    script = """
heard.__exit__(None, None, None)
signal.raise_signal(signal.SIGTERM)
waiting.sleep(0.01)
print("said")
"""
    assert outcome(script) == "said\n"


def test_a_line_that_is_typed_is_given_up_without_a_word_of_python() -> None:
    """A thread that is left behind at a prompt does not keep the judge from its end."""
    script = """
from judge.cli.interactive.line_input import typed
import builtins

builtins.input = lambda _: threading.Event().wait()
threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    typed("> ")
except Interrupted:
    print("interrupted")
"""
    assert outcome(script) == "interrupted\n"


def test_no_result_is_lost() -> None:
    """One that is being taken when a signal comes is taken and told, as are those that are finished
    by then: the games of a ledger are in their order, and none is left out."""
    assert outcome(_TAKING.format(waits="pass")) == "told [0, 1, 2, 3]\nkept [0, 1, 2, 3]\n"


def test_no_later_result_is_taken_after_one_that_is_lost() -> None:
    """It holds if the taking has to wait, as for a ledger that is locked."""
    waits = "waiting.sleep(60)"
    assert outcome(_TAKING.format(waits=waits)) == "told [0]\nkept [0]\ninterrupted\n"


_TAKING = """
from judge.contest.schedule import Fight, First
from judge.contest.window import OrderedResults, taken

def submit(pairing):
    future = Future()
    future.set_result(pairing.round - 1)
    return future

def take(number):
    if number == 1:
        signal.raise_signal(signal.SIGINT)
        {waits}
    kept.append(number)
    return [number]

kept, told = [], []
try:
    for result in taken(OrderedResults(Fight(4, 7, First.RANDOM), submit, 4, 4)):
        told += take(result)
except Interrupted:
    interrupted = "interrupted"
else:
    interrupted = ""
print("told", told)
print("kept", kept)
print(interrupted, end="\\n" * bool(interrupted))
"""


def test_an_error_does_not_hide_a_signal() -> None:
    """A program that was started may have ended by the same Ctrl-C, and be why."""
    script = """
try:
    with signals.heard():
        signal.raise_signal(signal.SIGINT)
        raise ValueError
except Interrupted:
    print("interrupted")
"""
    assert outcome(script) == "interrupted\n"


def test_a_server_ends_by_a_signal_and_its_end_is_not_broken_off() -> None:
    """By a second signal, or by what waits after it."""
    script = """
import asyncio
from judge.serve.log import LineWriter, Log, ServerLogFormat
from judge.serve.server import Server

log = Log(LineWriter(os.open(os.devnull, os.O_WRONLY)), ServerLogFormat.TEXT)
asyncio.run(Server(log, lambda _: signal.raise_signal(signal.SIGTERM)).run())
signal.raise_signal(signal.SIGINT)
waiting.sleep(0.01)
print("ended")
"""
    assert outcome(script) == "ended\n"


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_a_write_to_a_full_pipe_is_ended(stream: str) -> None:
    """Nobody reads: a signal ends the wait for room, and what was left is dropped."""
    script = f"""
import sys
from judge.waiting import patient

reading, writing = os.pipe()
whole = open(writing, "w")
sys.{stream} = patient(whole)
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
try:
    sys.{stream}.write("x" * 2**20)
except Interrupted:
    try:
        sys.{stream}.write("x" * 2**20)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), writing)
        os.write({"1" if stream == "stderr" else "2"}, b"interrupted")
"""
    command = [sys.executable, "-c", _BEFORE + script]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout + done.stderr == "interrupted"


def test_what_is_written_to_a_pipe_arrives_whole() -> None:
    """By a reader that takes its time."""
    script = """
import sys
from judge.waiting import patient

reading, writing = os.pipe()
read = bytearray()

def take():
    with open(reading, "rb", buffering=0) as file:
        while data := file.read(5000):
            read.extend(data)

reader = threading.Thread(target=take)
reader.start()
with open(writing, "w") as whole:
    stream = patient(whole)
    stream.write("0123456789" * 30_000)
    stream.flush()
reader.join()
print(read == b"0123456789" * 30_000)
"""
    assert outcome(script) == "True\n"
