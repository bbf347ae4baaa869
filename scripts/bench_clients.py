"""Clients of a server under load: players of BSP and of XBS; `bench_slow` has slow ones.

The players shoot at random, and come back for another game when theirs is over.
"""

from __future__ import annotations

import asyncio
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import NamedTuple

from bench_halls import AT_TABLE, HOST

HALLS = [sys.executable, str(Path(__file__).with_name("bench_halls.py"))]
SLOW = [sys.executable, str(Path(__file__).with_name("bench_slow.py"))]
CELLS = [f"SHOT {row}{column}\n".encode() for row in "ABCDEFGHIJ" for column in range(1, 11)]
BOARD = b"AAAAA.BBBB" + b"." * 10 + b"CCC.DDD.EE" + b"." * 70
UNKNOWN = ord(".")


class Halls(NamedTuple):
    """A server's process, its port for BSP, and those of its tables of XBS."""

    process: subprocess.Popen[str]
    port: int
    tables: Sequence[int]

    @property
    def kib(self) -> int:
        """The server's memory."""
        found = re.search(r"VmRSS:\s+(\d+) kB", self._read("status"))
        assert found, "the kernel tells it of every process"
        return int(found[1])

    @property
    def cpu(self) -> float:
        """Seconds of CPU time that the server's threads have taken."""
        threads = Path(f"/proc/{self.process.pid}/task").iterdir()
        return sum(int((one / "schedstat").read_text().split()[0]) for one in threads) / 1e9

    @property
    def descriptors(self) -> int:
        return sum(1 for _ in Path(f"/proc/{self.process.pid}/fd").iterdir())

    def _read(self, name: str) -> str:
        return Path(f"/proc/{self.process.pid}/{name}").read_text()


@contextmanager
def served(folder: Path, tables: int) -> Iterator[Halls]:
    """A server on the first core, with this process on the others."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    cores = os.sched_getaffinity(0)
    own = {min(cores)}
    with tempfile.TemporaryDirectory(dir=folder) as fresh:
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
        command = [*HALLS, "--tables", str(tables)]
        server = subprocess.Popen(
            command, cwd=fresh, env=environment, stdout=subprocess.PIPE, text=True
        )
        os.sched_setaffinity(server.pid, own)
        os.sched_setaffinity(0, cores - own or cores)
        try:
            assert server.stdout
            ports = re.findall(r"\d+", server.stdout.readline())
            if len(ports) != tables + 1:
                sys.exit("the server did not start")
            # Nobody reads on: the log drops what has no place, and no game waits for it.
            port, *others = map(int, ports)
            yield Halls(server, port, others)
        finally:
            os.sched_setaffinity(0, cores)
            server.terminate()
            server.communicate()


class Load:
    """The clients of so many games of BSP and tables of XBS: two and four each.

    All shoot ``rate`` times a second together, or, where it is None, as fast as they can. A game of
    BSP is given up after ``shots`` of a player, if that is said.
    """

    def __init__(
        self, halls: Halls, games: int, tables: int, rate: float | None, shots: int | None = None
    ) -> None:
        self.halls = halls
        self.games = games
        self.tables = tables
        self.rate = rate
        self.shots = shots
        self.luck = Random(1)
        self.ended = 0  # games of BSP
        self.fired = 0
        self.connected: set[asyncio.Transport] = set()
        self._answers: list[float] | None = None
        self._is_over = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._slow: subprocess.Popen[bytes] | None = None

    async def begin(self) -> None:
        """Connect all players."""
        for number in range(self.tables):
            for seat in range(AT_TABLE):
                await self._join(_Sailor, self.halls.tables[number], seat)
        for _ in range(2 * self.games):
            await self._join(_Soldier, self.halls.port)

    async def measure(self, seconds: float) -> list[float]:
        """Seconds from each shot to its answer, for so long from now on."""
        answers: list[float] = []
        self._answers = answers
        await asyncio.sleep(seconds)
        self._answers = None
        return answers

    def slow_down(self, each: int) -> None:
        """Let so many clients join that say a byte a second, as many that never read, and as many
        that are silent."""
        self._slow = subprocess.Popen([*SLOW, str(self.halls.port), str(each)])

    def end(self) -> None:
        """Let everyone go, and nobody come back."""
        self._is_over = True
        for transport in self.connected:
            transport.abort()
        for task in self._tasks:
            task.cancel()
        if self._slow:
            self._slow.kill()
            self._slow.wait()

    @property
    def pause(self) -> float | None:
        """How long a player whose turn it is waits before it shoots."""
        if self.rate is None:
            return None
        return self.luck.expovariate(self.rate / (self.games + self.tables))

    def answered(self, seconds: float) -> None:
        self.fired += 1
        if self._answers is not None:
            self._answers.append(seconds)

    def again(self, kind: type[_Player], port: int, *what: int) -> None:
        if not self._is_over:
            self._start(self._join(kind, port, *what))

    async def _join(self, kind: type[_Player], port: int, *what: int) -> None:
        loop = asyncio.get_running_loop()
        with suppress(ConnectionError):
            await loop.create_connection(lambda: kind(self, port, *what), HOST, port)

    def _start(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


class _Player(asyncio.Protocol):
    """A connection of one game, which comes again when it ends."""

    def __init__(self, load: Load, port: int, *what: int) -> None:
        self._load = load
        self._port = port
        self._what = what
        self._rest = b""
        self._shot_at: float | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport), "the socket is a stream"
        self._transport = transport
        self._load.connected.add(transport)

    def data_received(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(line)

    def connection_lost(self, error: Exception | None) -> None:
        self._load.connected.discard(self._transport)
        self._load.again(type(self), self._port, *self._what)

    def _take(self, line: bytes) -> None:
        raise NotImplementedError

    def _shot(self) -> bytes:
        raise NotImplementedError

    def _answered(self) -> None:
        if self._shot_at is not None:
            self._load.answered(time.perf_counter() - self._shot_at)
            self._shot_at = None

    def _wait(self) -> None:
        if pause := self._load.pause:
            asyncio.get_running_loop().call_later(pause, self._shoot)
        else:
            self._shoot()

    def _shoot(self) -> None:
        if not self._transport.is_closing():
            self._shot_at = time.perf_counter()
            self._transport.write(self._shot())


class _Soldier(_Player):
    """Plays BSP."""

    def __init__(self, load: Load, port: int) -> None:
        super().__init__(load, port)
        self._cells = load.luck.sample(CELLS, len(CELLS))
        self._letter = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._transport.write(b"JOIN\n")

    def _take(self, line: bytes) -> None:
        word, _, rest = line.partition(b" ")
        if word == b"START_GAME":
            self._letter = rest[:1]
        elif word in (b"HIT", b"MISS"):
            self._answered()
        elif word == b"TURN" and rest == self._letter:
            self._wait()
        elif word == b"END_GAME":
            self._load.ended += self._letter == b"A"
            self._transport.close()

    def _shot(self) -> bytes:
        if len(CELLS) - len(self._cells) == self._load.shots:
            return b"SURRENDER\n"
        return self._cells.pop()


class _Sailor(_Player):
    """Plays XBS, at a seat of a table: its name says which."""

    def __init__(self, load: Load, port: int, seat: int) -> None:
        super().__init__(load, port, seat)
        self._name = b"P%d" % seat
        others = [b"P%d" % other for other in range(AT_TABLE) if other != seat]
        squares = [(name, square) for name in others for square in range(len(BOARD))]
        self._squares = load.luck.sample(squares, len(squares))
        self._boards: dict[bytes, bytes] = {}

    def _take(self, line: bytes) -> None:
        kind, _, rest = line.partition(b"|")
        if kind == b"G":
            self._transport.write(b"J|" + self._name + b"|" + BOARD + b"\n")
        elif kind in (b"H", b"B"):
            self._answered()
            if kind == b"B":
                name, _, board, *_ = rest.split(b"|")
                self._boards[name] = board
        elif kind == b"N" and rest == self._name:
            self._wait()

    def _shot(self) -> bytes:
        name, square = self._squares.pop()
        while self._boards[name][square] != UNKNOWN:
            name, square = self._squares.pop()
        return b"S|%s|%d|%d\n" % (name, square % 10 + 1, square // 10 + 1)
