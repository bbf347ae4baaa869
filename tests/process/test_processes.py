"""The processes of a program, looked at from outside: its memory, its time, and what it waited for."""

from __future__ import annotations

import itertools
import os
import platform
import signal
import sys
import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.documents.game import Limits
from judge.errors import Starved
from judge.process.run import processes
from judge.process.run.launch import ProcessRun
from judge.process.run.listening import RunEnd
from judge.process.run.processes import (
    LOOK_SECONDS,
    Usage,
    children,
    denied_ns,
    family,
    is_runnable,
    parent,
    used_ns,
)
from launching import run
from spinning import SPINS, busy, python

MILLION = 2**20


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look waits for a count of memory here, so that none goes on in the next test."""
    monkeypatch.setattr(processes, "COUNT_SECONDS", 30)


def test_a_family_is_a_program_and_all_that_it_has_started():
    """Grandchildren and what threads have started belong to a program; others do not."""
    program = """
import os, threading, time
def forks():
    if not os.fork():
        if not os.fork(): time.sleep(60)
        time.sleep(60)
thread = threading.Thread(target=forks)
thread.start()
thread.join()
time.sleep(0.2)
print("ready", flush=True)
time.sleep(60)
"""
    with python(program) as process:
        assert len([*family([process])]) == 3
        assert parent(process) == os.getpid()
        assert process in children(os.getpid(), os.getpid())


def test_a_program_that_computes_is_runnable_and_uses_time():
    """A program that spins is runnable, and the time that it has used grows; of one that sleeps
    neither is so."""
    with python(f"print('ready', flush=True)\n{SPINS}") as process:
        before = used_ns(process)
        while used_ns(process) <= before:
            time.sleep(0.01)
        assert is_runnable(process)
    with python("import time; print('ready', flush=True); time.sleep(60)") as process:
        while is_runnable(process):
            time.sleep(0.01)
        before = used_ns(process)
        time.sleep(0.1)
        assert used_ns(process) == before


def test_a_peak_is_that_of_all_processes_together():
    """Three processes of 40 MiB each have more than 100 MiB together; and a peak is remembered."""
    program = f"""
import os, time
if os.fork() and os.fork():
    print("ready", flush=True)
kept = bytearray(b"x" * {40 * MILLION})
time.sleep(60)
"""
    with python(program) as process:
        usage = Usage(lambda: [process], 1, 2000, 100 * 1024)
        usage.begin(time.monotonic())
        while not usage.is_over:
            usage.look(time.monotonic())
            time.sleep(0.01)
        peak = usage.peak_kib
    usage.look(time.monotonic())
    assert usage.peak_kib == peak > 100 * 1024


def test_memory_that_processes_share_counts_once():
    """Twenty forks of a process of 60 MiB have not 1,200 MiB together."""
    program = f"""
import os, time
kept = bytearray(b"x" * {60 * MILLION})
for _ in range(20):
    if not os.fork(): time.sleep(60)
print("ready", flush=True)
time.sleep(60)
"""
    with python(program) as process:
        usage = Usage(lambda: [process], 1, 2000, 250 * 1024)
        usage.begin(time.monotonic())
        usage.look(time.monotonic())
    assert len(usage.processes) == 21
    assert 60 * 1024 < usage.peak_kib < 250 * 1024


def test_memory_of_processes_that_end_meanwhile_is_not_counted(monkeypatch: pytest.MonkeyPatch):
    """Forks of a process of 60 MiB that end while memory is counted do not count, and what they
    shared with others counts once."""
    program = f"""
import os, time
kept = b"x" * {60 * MILLION}
for _ in range(5):
    if not os.fork(): time.sleep(60)
print("ready", flush=True)
time.sleep(60)
"""
    read, counted = processes._read, 0

    def read_and_end(path: str) -> bytes:
        nonlocal counted
        said = read(path)
        if path.endswith("/smaps_rollup"):
            counted += 1
            if (one := int(path.split("/")[2])) != process:
                os.kill(one, signal.SIGKILL)
                while read(path):
                    time.sleep(0.001)
        return said

    monkeypatch.setattr(processes, "_read", read_and_end)
    with python(program) as process:
        usage = Usage(lambda: [process], 1, 2000, 100 * 1024)
        usage.begin(time.monotonic())
        usage.look(time.monotonic())
    assert counted == 6
    assert 60 * 1024 < usage.peak_kib < 100 * 1024


def test_nobody_waits_for_a_count_of_memory(monkeypatch: pytest.MonkeyPatch):
    """A program that keeps its memory from being counted keeps no look waiting; when it has been
    counted at last, it is too much."""
    program = f"""
import os, time
if os.fork():
    print("ready", flush=True)
kept = bytearray(b"x" * {60 * MILLION})
time.sleep(60)
"""
    read, goes_on, done = processes._read, threading.Event(), []

    def read_later(path: str) -> bytes:
        if path.endswith("/smaps_rollup"):
            goes_on.wait(10)
            done.append("count")
        return read(path)

    monkeypatch.setattr(processes, "_read", read_later)
    monkeypatch.setattr(processes, "COUNT_SECONDS", 0.005)
    with python(program) as process:
        usage = Usage(lambda: [process], 1, 2000, 100 * 1024)
        usage.begin(time.monotonic())
        while len(usage.processes) < 2 or not usage._count:
            usage.look(time.monotonic())
        done.append("looks")
        goes_on.set()
        while not usage.is_over:
            usage.look(time.monotonic())
    assert done[0] == "looks"


@pytest.mark.skipif(
    platform.machine() not in {"x86_64", "aarch64"}, reason="the call to compare is not known here"
)
def test_the_memory_of_a_process_that_has_its_parents_counts_once():
    """A child that still has its parent's very memory has none of its own."""
    program = f"""
import ctypes, os, time
kept = b"x" * {60 * MILLION}
stack = ctypes.create_string_buffer(65536)
libc = ctypes.CDLL(None)
top = ctypes.c_void_p(ctypes.addressof(stack) + 65536)
same_memory, with_signal = 0x100, 17
assert libc.clone(libc.pause, top, same_memory | with_signal, None) > 0
print("ready", flush=True)
time.sleep(60)
"""
    with python(program) as process:
        usage = Usage(lambda: [process], 1, 2000, 100 * 1024)
        usage.begin(time.monotonic())
        usage.look(time.monotonic())
    assert len(usage.processes) == 2
    assert 60 * 1024 < usage.peak_kib < 100 * 1024


def test_a_process_s_own_peak_counts_after_it():
    """A process that had 100 MiB for a moment has had them whenever it is looked at later."""
    program = f"x = bytearray({100 * MILLION}); del x; print('ready', flush=True); input()"
    with python(program.replace("input()", "import time; time.sleep(60)")) as process:
        usage = Usage(lambda: [process], 1, 2000)
        usage.begin(time.monotonic())
        usage.look(time.monotonic())
    assert usage.peak_kib > 100 * 1024


@pytest.mark.parametrize(
    ("timeout_ms", "most_seconds"), [(60_000, LOOK_SECONDS), (2000, LOOK_SECONDS), (80, 0.002)]
)
def test_no_look_can_be_foreseen(timeout_ms, most_seconds):
    """A look comes at any time within 50 ms of the one before, sooner where time is short."""
    with python("import time; print('ready', flush=True); time.sleep(60)") as process:
        usage = Usage(lambda: [process], 1, timeout_ms)
        usage.begin(0.0)
        gaps = [usage.due]
        for _ in range(200):
            now = usage.due
            usage.look(now)
            gaps.append(usage.due - now)
    assert 0 <= min(gaps) < most_seconds / 4
    assert most_seconds * 3 / 4 < max(gaps) <= most_seconds


def test_a_question_brings_no_look_of_its_own():
    """A program that answers many questions within 50 ms is looked at as often as one that answers
    one, and where the look is overdue at the next question."""
    usage = Usage(list, 1, 2000)
    usage.begin(0.0)
    due = usage.due
    for number in range(1, 100):
        usage.begin(due * number / 100)
        assert usage.due == due
    usage.begin(due + 1)
    assert usage.due == due + 1


times = st.floats(0, 1e10)


@given(st.lists(st.tuples(times, times), min_size=1), st.integers(1, 8))
def test_waiting_for_oneself_is_never_the_machines_fault(threads, processors):
    """Threads that wait only while others of their program run were denied nothing."""
    own = sum(ran for ran, _ in threads)
    waiting = [(ran, min(waited, (own - ran) / processors)) for ran, waited in threads]
    assert denied_ns(waiting, own, processors) <= 1e-3


@given(st.lists(st.tuples(times, times), min_size=1), st.integers(1, 8), times)
def test_what_others_ran_counts_in_full(threads, processors, others):
    """A thread that waited for others besides was denied as long as they ran."""
    own = sum(ran for ran, _ in threads)
    waiting = [(ran, (own - ran) / processors + others) for ran, _ in threads]
    assert denied_ns(waiting, own, processors) == pytest.approx(others, abs=1e-3)


@pytest.mark.usefixtures("verdict")
def test_what_the_judge_does_for_a_program_is_no_waiting(monkeypatch: pytest.MonkeyPatch):
    """A thread that waited for 600 ms of 2 s was denied the processor; not so if the judge's own
    looks at it took 200 ms of that, which the program has brought about by what it has."""
    read = processes._read
    monkeypatch.setattr(
        processes,
        "_read",
        lambda path: b"0 600000000 1" if path.endswith("/schedstat") else read(path),
    )
    with python("import time; print('ready', flush=True); time.sleep(60)") as process:
        while is_runnable(process):
            time.sleep(0.01)
        monkeypatch.setattr(time, "thread_time", lambda: next(clock))
        verdicts = []
        for look_seconds in (0.0, 0.1):
            clock = itertools.count(0, look_seconds)
            usage = Usage(lambda: [process], 1, 2000)
            usage.begin(time.monotonic())
            usage.look(time.monotonic())
            verdicts.append(usage.denied_ms(2000) is None)
    assert verdicts == [False, True]


def late(program: str) -> ProcessRun:
    """Run a program on the first processor, which does not answer in its two seconds."""
    processors = frozenset({min(os.sched_getaffinity(0))})
    limits = Limits(timeout_ms=2000)
    return run(sys.executable, "-S", "-c", program, limits=limits, processors=processors)


@pytest.mark.usefixtures("verdict")
def test_a_program_whose_helper_has_ended_may_be_denied_the_processor():
    """Many bots are shell scripts, which start a helper or two before their program."""
    program = """
import os, time
if not os.fork():
    time.sleep(0.1)
    os._exit(0)
os.wait()
while True: pass
"""
    with busy(min(os.sched_getaffinity(0))), pytest.raises(Starved, match="waited for a processor"):
        late(program)


@pytest.mark.usefixtures("verdict")
def test_a_program_that_waits_for_helpers_that_hide_is_late():
    """Helpers that compute between two looks and are gone at the next keep nobody but their own
    program waiting."""
    program = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(4):
    if not os.fork():
        while True:
            if not os.fork():
                until = time.monotonic() + 0.003
                while time.monotonic() < until: pass
                os._exit(0)
            try: os.wait()
            except ChildProcessError: pass
while True: pass
"""
    assert late(program).ended is RunEnd.TIMED_OUT


@pytest.mark.usefixtures("verdict")
def test_a_program_that_has_ended_has_begun():
    """A program that has not begun at the end of its time was denied the processor. One that was
    seen, and has just ended, was not, though there is as little to be seen of it."""
    there = [os.getpid()]
    usage = Usage(lambda: there, 1, 2000)
    usage.begin(time.monotonic())
    usage.look(time.monotonic())
    there.clear()
    assert usage.denied_ms(2000) is None
    assert Usage(list, 1, 2000).denied_ms(2000) == 2000


@pytest.mark.usefixtures("verdict")
def test_a_program_that_waits_for_its_own_is_late():
    """A program whose processes come and go is late by itself: what they used is not known."""
    program = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if not os.fork():
        time.sleep(0.02)
        os._exit(0)
    time.sleep(0.03)
"""
    with busy(min(os.sched_getaffinity(0))):
        done = late(program)
    assert done.ended is RunEnd.TIMED_OUT


def test_a_program_over_its_memory_is_ended_when_it_is_seen():
    """A program that is seen to have too much memory need not wait for the end of its time."""
    program = f"x = bytearray(b'x' * {100 * MILLION})\n{SPINS}"
    limits = Limits(timeout_ms=60_000)
    done = run(sys.executable, "-S", "-c", program, limits=limits, most_kib=64 * 1024)
    assert done.ended is RunEnd.OVER_MEMORY
    assert done.peak_kib is not None
    assert done.peak_kib > 64 * 1024
