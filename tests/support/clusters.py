"""Real schedulers and workers of dask for tests, with contests of three bots on a small board."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from commands import judge
from judge.contest.ledger.verify import verify
from judge.documents.codec import builtins
from judge.game.variants import BRAINJAR
from needs import strictest

NAMES = ("ann", "bob", "cyd")
BOT = """\
import json, os, random, sys, time
asked = json.loads(sys.argv[1])
time.sleep(SECONDS)
if asked["cmd"] == "init":
    print('{"2": {"point": "00", "orientation": "horizontal"}}')
else:
    tried = asked["hit"] + asked["missed"]
    fresh = [f"{x}{y}" for x in range(3) for y in range(2) if f"{x}{y}" not in tried]
    print(json.dumps({"move": random.Random(os.environ["BOT_SEED"] + str(tried)).choice(fresh)}))
"""
RUN = (
    "--seed",
    "271828182845904523536028747135",
    "--launch",
    "fork",
    "--insist",
    "--timeout",
    "60s",
)
ENGINE = {"DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "3s"}


def set_up() -> None:
    """Make a folder of three bots, and the rules of a small board."""
    rules = {**builtins(BRAINJAR), "name": "tiny", "columns": 3, "rows": 2, "fleet": [2]}
    Path("tiny.json").write_text(json.dumps(rules))
    bots()


def bots(seconds: float = 0) -> None:
    Path("bots").mkdir(exist_ok=True)
    for name in NAMES:
        text = BOT.replace("SECONDS", str(seconds))
        Path(f"bots/{name}.py").write_text(f"# {name}\n{text}")


class Process:
    """A process whose output is kept."""

    def __init__(self, *words: str, **environment: str) -> None:
        self._out = Path(f"output-{time.monotonic_ns()}").absolute()
        with self._out.open("w") as out:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *words],
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**os.environ, **ENGINE, **environment},
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self._out.read_text()

    def until(self, pattern: str) -> str:
        """Wait for a line; gives its first group."""
        deadline = time.monotonic() + 90
        while not (found := re.search(pattern, self.output)):
            assert self._process.poll() is None, self.output
            assert time.monotonic() < deadline, self.output
            time.sleep(0.05)
        return found[1]

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        """Kill it and all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)
        self._process.wait(60)

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @property
    def peak_kib(self) -> int:
        """The most memory that it has had, without what it has started."""
        status = Path(f"/proc/{self._process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0])

    def end(self) -> int:
        return self._process.wait(200)


Start = Callable[..., Process]


@contextlib.contextmanager
def starting() -> Iterator[Start]:
    """A function that starts processes, which are dead at the end of the ``with`` block."""
    started: list[Process] = []

    def begin(*words: str, **environment: str) -> Process:
        started.append(Process(*words, **environment))
        return started[-1]

    try:
        yield begin
    finally:
        for process in reversed(started):
            process.kill()


def scheduler(start: Start, port: str = "0") -> tuple[Process, str]:
    """A scheduler and its address."""
    running = start(
        *("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port),
        *("--no-dashboard", "--no-show"),
    )
    return running, running.until(r"Scheduler at:\s+(tcp://\S+)")


def worker(start: Start, address: str, *, has_nanny: bool = False, **environment: str) -> Process:
    """A worker; a nanny, which is for tests that are about it, is one more process that takes a
    second to start."""
    running = start(
        *("distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"),
        *("--local-directory", str(Path.cwd() / "scratch")),
        *(() if has_nanny else ("--no-nanny",)),
        **environment,
    )
    running.until(r"(Registered to)")
    return running


def _words(more: tuple[str, ...]) -> tuple[str, ...]:
    """A contest's; its bots are trusted on the cluster's workers if this machine has no sandbox."""
    is_trusting = "--cluster" in more and strictest().name != "bwrap"
    held = ("--trust-bots",) if is_trusting and "--isolation" not in more else ()
    return ("rank", "bots", "--rules", "tiny.json", *RUN, *held, *more)


def rank(start: Start, *more: str) -> Process:
    return start("judge", *_words(more))


def ranked(*more: str, status: int = 0) -> str:
    """The output of the same in this process, which spares a start of Python and dask's import."""
    done = judge(*_words(more))
    assert done.status == status, done
    return done.stdout + done.stderr


def ended(process: Process, status: int = 0) -> str:
    """The output of a judge, which has no traceback and nothing of dask's."""
    assert process.end() == status, process.output
    assert "Traceback" not in process.output
    assert "distributed" not in process.output
    return process.output


def alone(rounds: int = 1, *more: str) -> bytes:
    """The ledger that this machine alone makes of a contest of the bots as they are."""
    programs = tuple(path.read_text() for path in sorted(Path("bots").iterdir()))
    key = (*programs, str(rounds), *more)
    if key not in _ALONE:
        words = ("--rules", "tiny.json", *RUN, "--rounds", str(rounds), "--ledger", "here.json")
        done = judge("rank", "bots", *words, *more)
        assert done.status == 0, done.stderr
        _ALONE[key] = ledger("here.json")
    return _ALONE[key]


_ALONE: dict[tuple[str, ...], bytes] = {}


def ledger(path: str) -> bytes:
    """A ledger's document, after the whole of its journal has been verified."""
    assert not verify(Path(path)).problems
    return Path(path).read_bytes()


def games(path: str) -> int:
    journal = Path(path).with_suffix(".games.jsonl")
    return journal.read_bytes().count(b'\n{"kind":"game"') if journal.exists() else 0


def until_games(process: Process, path: str, count: int) -> None:
    deadline = time.monotonic() + 120
    while games(path) < count:
        assert time.monotonic() < deadline, process.output
        time.sleep(0.05)


def until_no_bot_is_left() -> None:
    """Wait until no process names the folder that workers keep bots in."""
    folder = str(Path.cwd() / "scratch").encode()
    deadline = time.monotonic() + 30
    while left := [path for path in Path("/proc").glob("[0-9]*") if folder in command_of(path)]:
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def command_of(process: Path) -> bytes:
    with contextlib.suppress(OSError):
        return (process / "cmdline").read_bytes()
    return b""
