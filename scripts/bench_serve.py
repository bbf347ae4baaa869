"""A BSP server under load: clients of 500 games, on the other core, that shoot at random cells.

Measured are the time from a shot to its answer at 2,000 shots a second, that of a shot where everyone
shoots as fast as it can, and the memory of a client. Games go into a ledger.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from bench_rows import Round, Rounds

GAMES = 500
SHOTS_A_SECOND = 2000
FEW = 50  # games, where everyone shoots as fast as it can
WARM_UP, SECONDS = 6.0, 10.0
CELLS = [f"SHOT {row}{column}\n".encode() for row in "ABCDEFGHIJ" for column in range(1, 11)]
SERVE = [sys.executable, "-m", "judge", "serve", "bsp", "--port", "0", "--per-address", "5000"]


def serve_row(folder: Path) -> Rounds:
    """The 99th percentile in milliseconds at a steady rate, milliseconds a shot at full speed, and
    KB a client."""
    while True:
        with served(folder) as (port, pid):
            before = kib(pid)
            steady = asyncio.run(Load(port, GAMES, SHOTS_A_SECOND).run())
            grown = (kib(pid) - before) / (2 * GAMES)
        with served(folder) as (port, _):
            fast = asyncio.run(Load(port, FEW, None).run())
        yield [
            Round(sorted(steady)[int(len(steady) * 0.99)] * 1000),
            Round(SECONDS * 1000 / len(fast)),
            Round(grown),
        ]


@contextmanager
def served(folder: Path) -> Iterator[tuple[int, int]]:
    """A server on the first core, with this process on the others: its port, and its id."""
    cores = os.sched_getaffinity(0)
    own = {min(cores)}
    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
        server = subprocess.Popen(
            SERVE, cwd=fresh, env=environment, stdout=subprocess.PIPE, text=True
        )
        os.sched_setaffinity(server.pid, own)
        os.sched_setaffinity(0, cores - own or cores)
        try:
            assert server.stdout
            found = re.search(r":(\d+);", server.stdout.readline())
            if found is None:
                sys.exit("bench: the server did not start")
            # Nobody reads on: the log drops what has no place, and no game waits for it.
            yield int(found[1]), server.pid
        finally:
            os.sched_setaffinity(0, cores)
            server.send_signal(signal.SIGTERM)
            server.communicate()


def kib(pid: int) -> int:
    """The memory of a process."""
    text = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", text)
    assert found, "the kernel tells it of every process"
    return int(found[1])


class Load:
    """The clients of so many games, of which each begins another when it is over."""

    def __init__(self, port: int, games: int, rate: float | None) -> None:
        self.port = port
        self.games = games
        self.rate = rate
        self.luck = Random(1)
        self.measures_from = 0.0
        self.answered: list[float] = []
        self.is_over = False
        self._joining: set[asyncio.Task[None]] = set()

    async def run(self) -> list[float]:
        """Seconds from each shot to its answer, once all play."""
        for _ in range(2 * self.games):
            await self._join()
        await asyncio.sleep(WARM_UP)
        self.measures_from = time.perf_counter()
        await asyncio.sleep(SECONDS)
        self.is_over = True
        return self.answered

    async def _join(self) -> None:
        loop = asyncio.get_running_loop()
        await loop.create_connection(lambda: _Client(self), "127.0.0.1", self.port)

    def again(self) -> None:
        if not self.is_over:
            task = asyncio.get_running_loop().create_task(self._join())
            self._joining.add(task)
            task.add_done_callback(self._joining.discard)


class _Client(asyncio.Protocol):
    def __init__(self, load: Load) -> None:
        self._load = load
        self._cells = load.luck.sample(CELLS, len(CELLS))
        self._letter = b""
        self._rest = b""
        self._shot_at: float | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport), "the socket is a stream"
        self._transport = transport
        transport.write(b"JOIN\n")

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            word, _, rest = line.partition(b" ")
            if word == b"START_GAME":
                self._letter = rest[:1]
            elif word in (b"HIT", b"MISS") and self._shot_at is not None:
                now = time.perf_counter()
                if self._load.measures_from:
                    self._load.answered.append(now - self._shot_at)
                self._shot_at = None
            elif word == b"TURN" and rest == self._letter:
                self._wait()
            elif word == b"END_GAME":
                self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        self._load.again()

    def _wait(self) -> None:
        load = self._load
        if load.rate is None:
            self._shoot()
        else:
            pause = load.luck.expovariate(load.rate / load.games)
            asyncio.get_running_loop().call_later(pause, self._shoot)

    def _shoot(self) -> None:
        if self._cells and not self._transport.is_closing():
            self._shot_at = time.perf_counter()
            self._transport.write(self._cells.pop())
