"""The ledger while its processes die, and while several of them write.

Real processes, killed by SIGKILL after every call that changes a file, in the middle of writes and
at random instants: tests/support/ledger_deaths.py does it, here at a small size.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from judge.contest.ledger.ledger import Ledger, read
from judge.contest.ledger.verify import rebuild, verify
from judge.errors import LedgerError
from ledgers import contents, short

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "scripts")))}

ADDER = """
import sys
from itertools import islice
from pathlib import Path
from bench_ledger import games
from measuring import TINY
from judge.contest.ledger.ledger import Ledger, Rated
path, prefix, numbered = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "numbered"
records = list(islice(games(4, prefix, rules=TINY), 200))
with Ledger(path) as ledger:
    print("ready", flush=True)
    sys.stdin.readline()
    for record in records:
        rated = ledger.add(record, numbered=numbered)
        if isinstance(rated, Rated):
            print(rated.record.id)
"""


@pytest.fixture
def quick_folder():
    """A folder in memory, where there is one: waiting for the disk is not what is tested."""
    shared = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shared if shared.is_dir() else None) as folder:
        yield Path(folder)


def test_killed_anywhere_a_run_ends_in_the_same_bytes():
    """Nothing reported is lost and nothing doubled, wherever SIGKILL or a power cut strikes:
    SIGKILL after every call of a run and at instants that nobody chose; at every 13th call a
    power cut, and SIGKILL of the run that mends it."""
    run = subprocess.run(
        [
            sys.executable,
            ROOT / "tests/support/ledger_deaths.py",
            *["--games", "2", "--kills", "4", "--firsts", "1", "--step", "13"],
        ],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert (run.returncode, run.stderr) == (0, "")
    *rows, last = (line.split(maxsplit=1) for line in run.stdout.splitlines())
    deaths = {point: int(count) for count, point in rows}
    assert int(last[0]) == sum(deaths.values()) > 300
    for point in (
        "half write ledger.games.jsonl",
        "half write .ledger.games.cache.new",
        "after write ledger.games.jsonl",
        "after fsync ledger.games.jsonl",
        "half write .ledger.json.new",
        "after fsync .ledger.json.new",
        "after replace .ledger.json.new",
        "after fsync folder",
        "in a write, then anywhere in the next run",
        "power cut",
        "power cut of a run after a killed one",
        "a random instant",
    ):
        assert deaths[point] > 0, point


def adding(path: Path, *prefixes: str, numbered: bool) -> list[subprocess.Popen[str]]:
    """So many processes that begin to add 200 games each."""
    how = "numbered" if numbered else "by id"
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", ADDER, path, prefix, how],
            env=ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for prefix in prefixes
    ]
    for run in runs:
        assert run.stdout.readline() == "ready\n"
    for run in runs:
        run.stdin.write("go\n")
        run.stdin.flush()
    return runs


def at_once(path: Path, *prefixes: str, numbered: bool) -> list[list[str]]:
    """The same when they have; what each of them reported."""
    runs = adding(path, *prefixes, numbered=numbered)
    reported = [run.communicate(timeout=120)[0].split() for run in runs]
    assert [run.returncode for run in runs] == [0] * len(runs)
    return reported


def in_the_journal(path: Path) -> list[str]:
    lines = map(json.loads, path.with_suffix(".games.jsonl").read_text().splitlines())
    return [line["result"]["id"] for line in lines if line["kind"] == "game"]


@pytest.mark.parametrize("numbered", [True, False], ids=["numbered", "by id"])
def test_two_processes_at_once_are_one_fold(quick_folder, numbered):
    """200 games each: 400 in the end, each under its own id, and X.json is their fold."""
    path = quick_folder / "ledger.json"
    one, other = at_once(path, "a", "b", numbered=numbered)
    ids = in_the_journal(path)
    assert len(ids) == len(set(ids)) == 400
    assert sorted(one + other) == sorted(ids)
    assert len(one) == len(other) == 200
    before = path.read_bytes()
    assert json.loads(before)["recorded"] == 400
    rebuild(path)
    assert path.read_bytes() == before
    assert verify(path).problems == ()


def test_two_processes_that_play_the_same_games_double_none(quick_folder):
    """Whichever is first with a game adds it; the other is told that it is there."""
    path = quick_folder / "ledger.json"
    one, other = at_once(path, "same", "same", numbered=False)
    ids = in_the_journal(path)
    assert len(ids) == 200
    assert sorted(one + other) == sorted(ids)


def test_readers_never_meet_half_a_ledger(quick_folder):
    """Read again and again while a process adds games: the count only grows, and no error."""
    path = quick_folder / "ledger.json"
    at_once(path, "first", numbered=False)
    (run,) = adding(path, "a", numbered=False)
    counts = []
    while run.poll() is None:
        counts.append(read(path).recorded)
    run.communicate()
    counts.append(read(path).recorded)
    assert counts == sorted(counts)
    assert counts[-1] == 400


@pytest.fixture
def small_disk(quick_folder):
    """A folder on a disk of 64 KiB; where none can be mounted, files of 40 KiB at most. And a
    function that makes room elsewhere."""
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k,mode=755", "none", quick_folder],
        capture_output=True,
    )
    if mount.returncode == 0:
        yield quick_folder, lambda: None
        subprocess.run(["umount", "--lazy", quick_folder], check=True)
        return
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40 * 2**10, before[1]))
    yield quick_folder, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, before)
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_stops_the_run_and_loses_nothing(small_disk):
    """The sentence names the file; every game that was reported is there, and no piece of the
    one that did not fit; with room again, the run goes on to the same standings."""
    folder, make_room = small_disk
    path = folder / "ledger.json"
    reported = []

    def play(path: Path, start: int, until: int) -> None:
        with Ledger(path) as ledger:
            for number in range(start, until):
                ledger.add(short(number))
                reported.append(f"g{number}")

    with pytest.raises(LedgerError, match=r"cannot be written: (No space left|File too large)"):
        play(path, 0, 100)
    assert reported
    assert in_the_journal(path)[: len(reported)] == reported
    full = contents(folder)
    with pytest.raises(LedgerError, match="cannot be written"):
        play(path, len(in_the_journal(path)), 100)
    assert contents(folder)["ledger.games.jsonl"] == full["ledger.games.jsonl"]
    assert read(path).recorded == len(in_the_journal(path))
    with tempfile.TemporaryDirectory() as roomy:
        here, there = Path(roomy, "moved.json"), Path(roomy, "other.json")
        here.with_suffix(".games.jsonl").write_bytes(full["ledger.games.jsonl"])
        make_room()
        play(here, len(in_the_journal(here)), 100)
        play(there, 0, 100)
        assert here.read_bytes() == there.read_bytes()
