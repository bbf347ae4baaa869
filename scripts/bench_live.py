"""The live page under load: one table of XBS, 200 spectators, and some that never read.

Measured are the time from a shot of a player to each spectator that reads, the server's CPU, and its
memory over a number of games.
"""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

from bench_clients import Halls
from bench_rows import Round, Rounds

HOST = "127.0.0.1"
SPECTATORS, DEAF = 200, 20
SHOTS_A_SECOND = 10
STEADY = 2  # games at this rate; what follows is played as fast as can be
GAMES, FIRST_GAMES = 20, 3  # for the memory, and how many of them before it is first looked at
MOST_SECONDS = 20.0  # until a line has to have come
BOARD = "AAAAA.BBBB" + "." * 10 + "CCC.DDD.EE" + "." * 70
COMMAND = ["-m", "judge", "serve", "xbs", "--port", "0", "--web", "0", "--no-ledger"]
TABLE = ["--max", "2", "--auto-start", "--repeat", "--per-address", "1000"]


def live_row(folder: Path) -> Rounds:
    """The 99th percentile in milliseconds from a shot to a spectator; the server's CPU seconds for
    each second; and its memory after so many games to that after the first few."""
    while True:
        with _server(folder) as (halls, port):
            yield asyncio.run(_measure(halls, port))


@contextmanager
def _server(folder: Path) -> Iterator[tuple[Halls, int]]:
    """A server on the first core, with this process on the others, and the port of its page."""
    cores = os.sched_getaffinity(0)
    own = {min(cores)}
    server = subprocess.Popen(
        [sys.executable, *COMMAND, *TABLE],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    os.sched_setaffinity(server.pid, own)
    os.sched_setaffinity(0, cores - own or cores)
    try:
        assert server.stdout
        said = server.stdout.readline() + server.stdout.readline()
        page, table = re.search(r"http://.*:(\d+)/", said), re.search(r"XBS at .*:(\d+);", said)
        if not page or not table:
            sys.exit("bench: the server did not start")
        yield Halls(server, int(table[1]), ()), int(page[1])
    finally:
        os.sched_setaffinity(0, cores)
        server.terminate()
        server.communicate()


async def _measure(halls: Halls, port: int) -> list[Round]:
    seen = _Seen()
    async with _spectators(port, seen):
        began, before = time.perf_counter(), halls.cpu
        for _ in range(STEADY):
            await _Game(halls.port, seen, 1 / SHOTS_A_SECOND).play()
        cpu, seconds = halls.cpu - before, time.perf_counter() - began
        latencies = seen.taken()
        for _ in range(FIRST_GAMES):
            await _Game(halls.port, seen, 0).play()
        first = halls.kib
        for _ in range(GAMES - FIRST_GAMES):
            await _Game(halls.port, seen, 0).play()
        return [
            Round(sorted(latencies)[int(len(latencies) * 0.99)] * 1000),
            Round(cpu, seconds),
            Round(halls.kib, first),
        ]


class _Seen:
    """When shots were fired, and how long they took to each spectator. Not for games that are
    played faster than spectators are told of each shot."""

    def __init__(self) -> None:
        self.fired: list[float] = []
        self._latencies: list[float] = []

    def see(self, number: int) -> None:
        if number < len(self.fired):
            self._latencies.append(time.perf_counter() - self.fired[number])

    def taken(self) -> list[float]:
        expected = SPECTATORS * len(self.fired)
        if len(self._latencies) != expected:
            sys.exit(f"bench: {len(self._latencies)} of {expected} shots were seen")
        taken, self._latencies = self._latencies, []
        return taken


@asynccontextmanager
async def _spectators(port: int, seen: _Seen) -> AsyncIterator[None]:
    tasks, deaf = [], []
    for _ in range(SPECTATORS):
        reader, writer = await _ask(port)
        tasks.append(asyncio.create_task(_watch(reader, seen)))
        deaf.append(writer)
    for _ in range(DEAF):
        _, writer = await _ask(port)
        writer.transport.pause_reading()  # type: ignore[attr-defined] # a transport of a socket
        deaf.append(writer)
    await asyncio.sleep(1)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        for writer in deaf:
            writer.close()


async def _ask(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection(HOST, port)
    writer.write(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return reader, writer


async def _watch(reader: asyncio.StreamReader, seen: _Seen) -> None:
    """Note each shot."""
    number = 0
    while data := await reader.read(2**16):
        for _ in range(data.count(b'"marks":[[')):
            seen.see(number)
            number += 1


class _Game:
    """Two that play at the table, a shot each ``pause`` seconds."""

    def __init__(self, port: int, seen: _Seen, pause: float) -> None:
        self._port = port
        self._seen = seen
        self._pause = pause

    async def play(self) -> None:
        """Play to the end. Both shoot at one cell after the other."""
        names = ("ann", "bob")
        players = {name: await self._join(name) for name in names}
        for reader, _ in players.values():
            line = await _until(reader, b"N|")
        up = line[2:].decode()
        cells = {name: iter(range(100)) for name in names}
        next_at = time.perf_counter()
        while True:
            next_at += self._pause
            await asyncio.sleep(max(0.0, next_at - time.perf_counter()))
            row, column = divmod(next(cells[up]), 10)
            other = names[up == names[0]]
            if self._pause:
                self._seen.fired.append(time.perf_counter())
            players[up][1].write(f"S|{other}|{column + 1}|{row + 1}\n".encode())
            lines = [await _until(reader, b"N|", b"F") for reader, _ in players.values()]
            if lines[0].startswith(b"F"):
                break
            up = lines[0][2:].decode()
        await asyncio.sleep(0.5 if self._pause else 0)
        for reader, writer in players.values():
            writer.close()
            with suppress(ConnectionError):
                await reader.read()

    async def _join(self, name: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Join the next game."""
        while True:
            reader, writer = await asyncio.open_connection(HOST, self._port)
            await _until(reader, b"G|")
            writer.write(f"J|{name}|{BOARD}\n".encode())
            if (await _until(reader, b"J|", b"B")).startswith(b"J|"):
                return reader, writer
            writer.close()
            await asyncio.sleep(0.01)


async def _until(reader: asyncio.StreamReader, *starts: bytes) -> bytes:
    async with asyncio.timeout(MOST_SECONDS):
        while line := await reader.readline():
            if line.startswith(starts):
                return line.rstrip(b"\n")
    sys.exit("bench: the server closed the connection of a player")
