"""Processors: what a process may use, who owns them, and that bots keep to theirs."""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bot_files import python_bot
from child_processes import descendants
from judge.documents.game import Limits
from judge.documents.rules import Rules
from judge.errors import UsageError
from judge.game.variants import BRAINJAR, CONTEST
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.run import processors
from judge.process.run.processors import bound_to, of_seat, owned, usable
from judge.process.sandbox import cgroup
from judge.process.sandbox.isolation import choose

ALLOWED = os.sched_getaffinity(0)

SAYS_WHERE = """
import os
try:
    os.sched_setaffinity(0, range(1024))
    said = "moved"
except OSError as error:
    said = error.strerror
print(sorted(os.sched_getaffinity(0)), said)
"""


@pytest.mark.parametrize(
    ("files", "version", "quota"),
    [
        ({"cpu.max": "50000 100000\n"}, 2, 0.5),
        ({"cpu.max": "300000 100000\n"}, 2, 3.0),
        ({"cpu.cfs_quota_us": "25000\n", "cpu.cfs_period_us": "100000\n"}, 1, 0.25),
        ({"cpu.cfs_quota_us": "-1\n", "cpu.cfs_period_us": "100000\n"}, 1, None),
        ({"cpu.max": "max 100000\n"}, 2, None),
        ({}, 2, None),
    ],
)
def test_a_quota_bounds_what_may_be_used(monkeypatch, tmp_path, files, version, quota):
    """The quota of a control group counts in both versions, and never comes to nothing."""
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(cgroup, "_candidates", lambda *_: {(version, "cpu"): [tmp_path]})
    assert cgroup.quota() == quota
    expected = len(ALLOWED) if quota is None else max(1, min(len(ALLOWED), int(quota)))
    assert usable() == expected


def test_jobs_own_different_processors():
    """As long as there are enough, no two jobs have one processor; further jobs share."""
    taken, done, all_there = [], threading.Event(), threading.Barrier(len(ALLOWED) + 1)

    def job() -> None:
        with owned(1) as mine:
            taken.append(mine)
            all_there.wait(30)
            done.wait(30)

    jobs = [threading.Thread(target=job) for _ in ALLOWED]
    for one in jobs:
        one.start()
    all_there.wait(30)
    with owned(1) as shared:
        done.set()
    for one in jobs:
        one.join()
    assert set().union(*taken) == ALLOWED
    assert shared <= ALLOWED


def test_a_job_may_end_in_another_thread_than_it_began_in(monkeypatch):
    """The processors that a job owned are free as soon as it has ended, as a server's bots end."""
    monkeypatch.setattr(processors, "_OWNERS", processors._Owners())
    job = contextlib.ExitStack()
    mine = job.enter_context(owned(len(ALLOWED)))
    ending = threading.Thread(target=job.close)
    ending.start()
    ending.join()
    with owned(len(ALLOWED)) as again:
        assert again == mine
        assert set(processors._OWNERS._jobs.values()) == {1}


def test_what_no_job_owns_is_spare():
    """The processors beside a job's; all of them once jobs own all."""
    with owned(len(ALLOWED) - 1) as first:
        assert processors.spare() == ALLOWED - first
        with owned(1):
            assert processors.spare() == ALLOWED


def test_another_judge_s_processor_is_taken_last(monkeypatch):
    """A processor that another judge of this machine has claimed is shared only when all are."""
    monkeypatch.setattr(processors, "_OWNERS", processors._Owners())
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2, 3})
    ours = {f"processor/{number}": socket.socket() for number in (1, 3)}
    with contextlib.ExitStack() as stack:
        for claim in ours.values():
            stack.enter_context(claim)
        monkeypatch.setattr(processors, "claimed", ours.get)
        with owned(2) as first:
            assert first == {1, 3}
        with owned(4) as everything:
            assert everything == {0, 1, 2, 3}


def test_seats_share_the_processors_of_a_job():
    """Each seat has processors of its own, and together they have all."""
    shares = [of_seat(frozenset(range(7)), seat, 3) for seat in range(3)]
    assert sum(map(len, shares)) == 7
    assert frozenset().union(*shares) == frozenset(range(7))


@pytest.mark.parametrize(
    ("rules", "cores", "processors", "refused"),
    [
        *((BRAINJAR, 1, 1, False), (BRAINJAR, 2, 1, True), (BRAINJAR, 2, 2, False)),
        *((CONTEST, 2, 1, False), (CONTEST, 4, 2, False), (CONTEST, 3, 1, True)),
    ],
)
def test_a_run_refuses_to_give_a_bot_fewer_cores_than_it_is_to_have(
    monkeypatch: pytest.MonkeyPatch, rules: Rules, cores: int, processors: int, refused: bool
) -> None:
    """Bots that are asked at once share the cores of their game, or are asked in turn with as many
    each: on half of the processors nothing changes for them."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(processors)))
    conditions = Conditions(
        rules=rules, isolation=choose("none")[0], limits=Limits(timeout_ms=1000, cores=cores)
    )
    if refused:
        with pytest.raises(UsageError, match=r"^each bot is to have 2 processors by --cores, and"):
            Run(conditions)
    else:
        Run(conditions).close()


def test_what_is_started_in_a_block_is_bound_and_the_judge_is_not_afterwards():
    """The thread that starts programs runs where it did before."""
    with bound_to(frozenset({min(ALLOWED)})):
        assert os.sched_getaffinity(0) == {min(ALLOWED)}
    assert os.sched_getaffinity(0) == ALLOWED
    with bound_to(frozenset()):
        assert os.sched_getaffinity(0) == ALLOWED


@pytest.mark.parametrize("launch", ["exec", "fork"])
@pytest.mark.parametrize("level", ["bwrap", "limits", "none"])
def test_a_bot_runs_on_the_processors_of_its_job(level, launch, tmp_path: Path, launching):
    """A bot runs on those alone; under bwrap it cannot change that, and elsewhere it can go wherever
    any program can."""
    bot, mine = python_bot(tmp_path, SAYS_WHERE), frozenset({max(ALLOWED)})
    done = launching(bot, level, launch, processors=mine).run("question")
    assert done.status == 0, done.stderr
    if level == "bwrap":
        assert done.stdout.decode() == f"{sorted(mine)} Operation not permitted\n"
    else:
        anywhere = subprocess.run([sys.executable, "-c", SAYS_WHERE], capture_output=True).stdout
        assert done.stdout == anywhere
        assert b"moved" in anywhere


def test_moves_are_made_ready_beside_the_processors_of_a_job(tmp_path: Path, launching):
    """The process of a game makes the next move ready while a bot thinks."""
    with owned(len(ALLOWED) - 1) as mine:
        launcher = launching(python_bot(tmp_path, SAYS_WHERE), "bwrap", "fork", processors=mine)
        assert launcher.run("question").status == 0
        there = set()
        for process in descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError):  # what is left of the move ends
                there.add(frozenset(os.sched_getaffinity(process)))
        assert processors.spare() in there


def test_a_bot_cannot_keep_others_off_its_core(tmp_path: Path, launching):
    """Under bwrap a bot cannot have the processors beside its own, which may be another game's,
    stand still while it runs."""
    bot = python_bot(
        tmp_path,
        """
        import ctypes
        libc = ctypes.CDLL(None, use_errno=True)
        sched_core, create, of_a_process = 62, 1, 1
        print(libc.prctl(sched_core, create, 0, of_a_process, None), ctypes.get_errno())
        """,
    )
    done = launching(bot, "bwrap").run("question")
    assert done.stdout.decode() == f"-1 {errno.EPERM}\n", done.stderr
