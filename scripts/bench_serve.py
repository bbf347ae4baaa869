"""The rows of servers: games of BSP and tables of XBS under load, and the live page's spectators.

A server has the first core to itself. Its clients are players that shoot, and come back for another
game when theirs is over; clients that are slow on purpose, in a process of their own so that they
hold up nobody who measures; and spectators.

    .venv/bin/python scripts/bench_serve.py halls 20          # BSP and 20 tables of XBS
    .venv/bin/python scripts/bench_serve.py slow PORT 50      # 50 clients of each of three ways
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, cycle, product, repeat
from pathlib import Path
from random import Random

from judge.cli.commands.serve import STDOUT
from judge.process.run.processors import bound_to
from judge.serve.bsp import Matchmaking, dealer
from judge.serve.core import Core, descriptors
from judge.serve.ledger_store import LedgerStore
from judge.serve.log import LineWriter, Log
from judge.serve.rate_limits import ClientBounds
from judge.serve.server import Server
from judge.serve.xbs import XbsTable
from judge.serve.xbs_places import Options
from measuring import Round, Rounds, Running, fail, serving

HOST = "127.0.0.1"
AT_TABLE = 4  # players of XBS
GAMES, TABLES = 60, 20
SHOTS_A_SECOND = 2000
SLOW = 50  # clients of each of three ways
REACHED = 0.9  # of the rate: the clients pause at random, and wait for each answer
WARM_UP, SECONDS, SHORTLY = 6.0, 10.0, 3.0
CONNECTING = 0.001  # from one client to the next
MOST_SECONDS = 120.0  # until games have ended
SPECTATORS, DEAF = 200, 20
LIVE_SHOTS_A_SECOND = 10
STEADY, FIRST, ALL = 2, 5, 22  # games of a watched table: at this rate, then as fast as can be
LIVE = (
    "-m judge serve xbs --port 0 --web 0 --no-ledger --max 2 --auto-start "
    "--max-clients 300 --per-address 300 --repeat"
)

Play = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Coroutine[None, None, None]]
CELLS = [f"SHOT {row}{column}\n".encode() for row in "ABCDEFGHIJ" for column in range(1, 11)]
BOARD = b"AAAAA.BBBB" + b"." * 10 + b"CCC.DDD.EE" + b"." * 70
UNKNOWN = ord(".")


def serve_row(folder: Path) -> Rounds:
    """60 games of BSP and 20 tables of XBS at 2,000 shots/s: the 99th percentile from a shot to its
    answer; beside 150 slow clients, to without them; at full speed, a shot, and a client's memory
    at the end of its game; the server's CPU for a shot at a table of its own."""
    while True:
        rounds: list[Round] = []
        for measure, tables in ((_steady, TABLES), (_fast, TABLES), (_alone, 1)):
            with halls(folder, tables) as there:
                rounds += asyncio.run(measure(there))
        yield rounds


def live_row(folder: Path) -> Rounds:
    """200 spectators of a table at 10 shots/s, beside 20 that never read: the 99th percentile from a
    shot to a spectator; the server's CPU, to wall time; its memory after 22 games, to after 5."""
    while True:
        with served(folder, *LIVE.split(), lines=2) as there:
            yield asyncio.run(_watched(there))


@contextmanager
def served(
    folder: Path, *command: str, lines: int = 1, stderr: int | None = None
) -> Iterator[Running]:
    """A server on the first core, with this process on the others."""
    cores = frozenset(os.sched_getaffinity(0))
    own = frozenset({min(cores)})
    with (
        tempfile.TemporaryDirectory(dir=folder) as fresh,
        bound_to(own),
        serving(Path(fresh), sys.executable, *command, lines=lines, stderr=stderr) as server,
        bound_to(cores - own),
    ):
        yield server


def halls(folder: Path, tables: int) -> AbstractContextManager[Running]:
    """A server of BSP and of ``tables`` tables of XBS."""
    return served(folder, __file__, "halls", str(tables))


async def _steady(there: Running) -> list[Round]:
    load = Load(there, GAMES, TABLES, SHOTS_A_SECOND)
    await load.begin()
    await asyncio.sleep(WARM_UP)
    alone = await load.measure(SECONDS)
    clients = (sys.executable, __file__, "slow", str(there.ports[0]), str(SLOW))
    with subprocess.Popen(clients) as slow:
        await asyncio.sleep(WARM_UP)
        beside = await load.measure(SECONDS)
        slow.kill()
    load.end()
    for answers in (alone, beside):
        if len(answers) < SHOTS_A_SECOND * SECONDS * REACHED:
            fail(f"only {len(answers) / SECONDS:.0f} shots/s were answered")
    return [Round(_percentile(alone)), Round(_percentile(beside), _percentile(alone))]


async def _fast(there: Running) -> list[Round]:
    """Play until half of the first games of BSP have ended."""
    before = there.kib
    load = Load(there, GAMES, TABLES, None)
    await load.begin()
    count = len(await load.measure(SECONDS))
    await load.until(GAMES // 2)
    load.end()
    clients = 2 * GAMES + AT_TABLE * TABLES
    return [Round(SECONDS * 1000 / count), Round((there.kib - before) / clients)]


async def _alone(there: Running) -> list[Round]:
    load = Load(there, 0, 1, None)
    await load.begin()
    await asyncio.sleep(1)  # the first game loads modules
    before = there.cpu
    count = len(await load.measure(SHORTLY))
    load.end()
    return [Round((there.cpu - before) * 1000 / count)]


async def _watched(there: Running) -> list[Round]:
    load = Load(there, 0, 1, LIVE_SHOTS_A_SECOND, at_table=2, in_order=True)
    latencies: list[float] = []
    async with _spectators(there.ports[0], load.fired_at, latencies):
        began, before = time.perf_counter(), there.cpu
        await load.begin()
        await load.until(STEADY)
        cpu, seconds = there.cpu - before, time.perf_counter() - began
        load.rate = None
        await load.until(FIRST)
        if len(latencies) != (expected := SPECTATORS * len(load.fired_at)):
            fail(f"{len(latencies)} of {expected} shots were seen")
        first = there.kib
        await load.until(ALL)
        last = there.kib
        load.end()
    return [Round(_percentile(latencies)), Round(cpu, seconds), Round(last, first)]


@asynccontextmanager
async def _spectators(
    port: int, fired_at: Sequence[float], latencies: list[float]
) -> AsyncIterator[None]:
    """Some that note how long each shot took to them, and some that never read."""

    async def watch(is_deaf: bool) -> None:
        reader, writer = await asyncio.open_connection(HOST, port)
        writer.write(b"GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        seen = 0
        try:
            if is_deaf:
                writer.transport.pause_reading()  # type: ignore[attr-defined] # a transport of a socket
                await asyncio.Event().wait()
            while data := await reader.read(2**16):
                before, seen = seen, seen + data.count(b'"marks":[[')
                latencies.extend(time.perf_counter() - shot for shot in fired_at[before:seen])
        finally:
            writer.close()

    watching = [watch(number < DEAF) for number in range(DEAF + SPECTATORS)]
    tasks = [*map(asyncio.create_task, watching)]
    await asyncio.sleep(1)
    yield
    for each in tasks:
        each.cancel()


def _percentile(seconds: Sequence[float]) -> float:
    """The 99th, in milliseconds."""
    return sorted(seconds)[int(len(seconds) * 0.99)] * 1000


@dataclass
class Load:
    """The clients of ``games`` games of BSP, two each, and of ``tables`` tables of XBS.

    All shoot ``rate`` times a second together, or, if it is None, as fast as they can. They pause at
    random and shoot anywhere; ``in_order`` they pause evenly, and shoot at one cell after the other.
    A game of BSP is given up after ``shots`` of a player. Clients come back after each game.
    """

    there: Running
    games: int
    tables: int
    rate: float | None
    shots: int | None = None
    at_table: int = AT_TABLE
    in_order: bool = False
    luck: Random = field(default_factory=lambda: Random(1))
    ended: int = 0  # games of BSP, or of the tables without them
    fired_at: list[float] = field(default_factory=list)  # at a rate
    answers: list[float] = field(default_factory=list)  # seconds from each shot to its answer
    tasks: list[asyncio.Task[None]] = field(default_factory=list)

    async def begin(self) -> None:
        """Connect all players, one after the other."""
        page_or_bsp, *tables = self.there.ports
        seats = product(tables[: self.tables], range(self.at_table))
        players: list[tuple[int, Play]] = [
            (port, partial(self._sail, seat)) for port, seat in seats
        ]
        for port, play in [*players, *[(page_or_bsp, self._soldier)] * 2 * self.games]:
            self.tasks.append(asyncio.create_task(self._keep(port, play)))
            await asyncio.sleep(CONNECTING)

    async def measure(self, seconds: float) -> list[float]:
        """Seconds from each shot to its answer, for so long from now on."""
        self.answers = []
        await asyncio.sleep(seconds)
        return self.answers.copy()

    async def until(self, games: int) -> None:
        """Wait until that number of games has ended."""
        end = time.monotonic() + MOST_SECONDS
        while self.ended < games:
            if time.monotonic() > end:
                fail(f"only {self.ended} games have ended after {MOST_SECONDS:g} s")
            await asyncio.sleep(0.01)

    def end(self) -> None:
        """Let everyone go, and nobody come back."""
        for task in self.tasks:
            task.cancel()

    async def _keep(self, port: int, play: Play) -> None:
        while True:
            with suppress(ConnectionError):
                reader, writer = await asyncio.open_connection(HOST, port)
                try:
                    await play(reader, writer)
                finally:
                    writer.transport.abort()

    async def _shoot(self, writer: asyncio.StreamWriter, shot: bytes) -> float:
        """Wait as the rate has it, and shoot; when that was."""
        if self.rate is not None:
            each = self.rate / (self.games + self.tables)
            await asyncio.sleep(1 / each if self.in_order else self.luck.expovariate(each))
        now = time.perf_counter()
        if self.rate is not None:
            self.fired_at.append(now)
        writer.write(shot)
        return now

    async def _soldier(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Play BSP."""
        cells = self.luck.sample(CELLS, len(CELLS))[: self.shots]
        letter, shot_at = b"", 0.0
        writer.write(b"JOIN\n")
        async for line in reader:
            word, _, rest = line.rstrip().partition(b" ")
            if word == b"START_GAME":
                letter = rest[:1]
            elif word in {b"HIT", b"MISS"} and shot_at:
                self.answers.append(time.perf_counter() - shot_at)
                shot_at = 0.0
            elif word == b"TURN" and rest == letter:
                shot_at = await self._shoot(writer, cells.pop() if cells else b"SURRENDER\n")
            elif word == b"END_GAME":
                self.ended += letter == b"A"
                return

    async def _sail(
        self, seat: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Play XBS, at a seat of a table: its name says which."""
        own = b"P%d" % seat
        others = [b"P%d" % other for other in range(self.at_table) if other != seat]
        squares = [(name, square) for name in others for square in reversed(range(len(BOARD)))]
        if not self.in_order:
            self.luck.shuffle(squares)
        boards: dict[bytes, bytes] = {}
        shot_at = 0.0
        async for line in reader:
            kind, _, rest = line.rstrip().partition(b"|")
            if kind == b"G":
                writer.write(b"J|" + own + b"|" + BOARD + b"\n")
            elif kind in {b"H", b"B"} and shot_at:
                self.answers.append(time.perf_counter() - shot_at)
                shot_at = 0.0
            if kind == b"B":
                name, _, board, *_ = rest.split(b"|")
                boards[name] = board
            elif kind == b"N" and rest == own:
                name, square = squares.pop()
                while boards[name][square] != UNKNOWN:
                    name, square = squares.pop()
                shot = b"S|%s|%d|%d\n" % (name, square % 10 + 1, square // 10 + 1)
                shot_at = await self._shoot(writer, shot)
            elif kind == b"F" and not self.games:
                self.ended += not seat
                return


async def _serve(tables: int) -> None:
    """BSP at one port and a table of XBS at each of several others, whose ports it prints."""
    log = Log(LineWriter(STDOUT))
    server = Server(log, lambda addresses: print(*(port for _, port in addresses), flush=True))
    bounds = ClientBounds(clients=descriptors(), per_address=descriptors())
    store = LedgerStore(Path("bsp.ledger.json"))
    games = Matchmaking(log, store, dealer(None))
    server.add(games, Core(games, log, bounds), [HOST], 0, store)
    store = LedgerStore(Path("xbs.ledger.json"))
    for number in range(tables):
        options = Options(title=f"Table {number}", most=AT_TABLE, auto_start=True, repeat=None)
        table = XbsTable(log, store, options, over=server.stop)
        server.add(table, Core(table, log, bounds), [HOST], 0, store)
    await server.run()


async def _slow(port: int, each: int) -> None:
    """Clients that say a byte a second, as many that never read, and as many that are silent; for
    one that is sent off, another comes."""
    luck = Random(1)
    join, shots = [b"JOIN\n"], b"SHOT A1\n"

    async def hold(words: Callable[[], Iterable[bytes]], reads: bool) -> None:
        while True:
            with suppress(OSError):
                loop = asyncio.get_running_loop()
                transport, _ = await loop.create_connection(asyncio.Protocol, HOST, port)
                if not reads:
                    transport.pause_reading()
                for said in words():
                    await asyncio.sleep(luck.uniform(0, 2))
                    if transport.is_closing():
                        break
                    transport.write(said)
                transport.abort()

    async with asyncio.TaskGroup() as group:
        for _ in range(each):
            group.create_task(hold(lambda: chain(join, (bytes([n]) for n in cycle(shots))), True))
            group.create_task(hold(lambda: chain(join, repeat(shots)), False))
            group.create_task(hold(lambda: repeat(b""), True))
            await asyncio.sleep(1 / each)


if __name__ == "__main__":
    main: dict[str, Callable[..., Coroutine[None, None, None]]] = {"halls": _serve, "slow": _slow}
    asyncio.run(main[sys.argv[1]](*map(int, sys.argv[2:])))
