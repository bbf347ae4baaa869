"""A server in this very process, on real sockets, and clients that speak lines to it.

Its clock can be moved on, so that no test waits for a limit, and what it says is kept.
"""

from __future__ import annotations

import asyncio
import os
import socket
import struct
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

from judge.serve.core import Core
from judge.serve.ledger_store import GameStore, NoStore
from judge.serve.log import Log
from judge.serve.rate_limits import ClientBounds
from judge.serve.server import Served, Server
from transcripts import Step, Transcript

PATIENCE = 60.0  # seconds; a busy machine is no reason to fail
T = TypeVar("T")
More = Mapping[str, Callable[[list["Client"]], Awaitable[object]]]
NOTHING_MORE: More = {}


class Clock(asyncio.SelectorEventLoop):
    """An event loop whose clock can be moved on."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


def run(main: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=Clock) as runner:
        return runner.run(main)


async def later(seconds: float) -> None:
    """Move the clock on, and let all take place that was to be by then."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, Clock)
    loop.ahead += seconds
    for _ in range(3):
        await asyncio.sleep(0)


@dataclass
class Lines:
    """The lines of a log."""

    lines: list[str] = field(default_factory=list)

    def write(self, line: str) -> None:
        self.lines.append(line)


class Client:
    """A client's end of a connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.port: int = writer.get_extra_info("sockname")[1]
        self.sent = 0  # bytes

    async def say(self, data: bytes | str) -> None:
        data = data.encode() if isinstance(data, str) else data
        self.sent += len(data)
        self._writer.write(data)
        await self._writer.drain()

    async def line(self) -> str:
        """The next line; nothing at the end of the stream."""
        async with asyncio.timeout(PATIENCE):
            return (await self._reader.readline()).decode().removesuffix("\n")

    @property
    def at_end(self) -> bool:
        """Whether the server has ended the stream."""
        return self._reader.at_eof()

    async def lines(self, count: int) -> list[str]:
        return [await self.line() for _ in range(count)]

    async def rest(self) -> str:
        """All that comes until the server ends the stream; the client then ends its side."""
        async with asyncio.timeout(PATIENCE):
            rest = (await self._reader.read()).decode()
        self._writer.close()
        return rest

    def end(self) -> None:
        """Say no more, and still listen."""
        self._writer.write_eof()

    def close(self) -> None:
        self._writer.close()

    def reset(self) -> None:
        """Break the connection off, at once: the server's system is told by a reset."""
        connection = self._writer.get_extra_info("socket")
        self._writer.transport.abort()  # which closes in a moment only
        if (number := connection.fileno()) >= 0:
            at_once = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, number)
            os.close(nowhere)


class Serving:
    """A context in which a server runs: ``hall`` makes what it serves of its log and its store."""

    def __init__(
        self,
        hall: Callable[[Log, GameStore], Served],
        *,
        store: GameStore | None = None,
        bounds: ClientBounds | None = None,
        hosts: Sequence[str] = ("127.0.0.1",),
    ) -> None:
        self.said = Lines()
        log = Log(self.said)
        self.store = store or NoStore()
        self._make = lambda: hall(log, self.store)
        self.log = log
        self._hosts = hosts
        self._bounds = bounds or ClientBounds(clients=300, per_address=300)
        self._clients: list[Client] = []

    async def __aenter__(self) -> Self:
        ready = asyncio.Event()
        self.server = Server(self.log, lambda _: ready.set())
        self.hall = self._make()
        self.core = Core(self.hall, self.log, self._bounds)
        self.server.add(self.hall, self.core, self._hosts, 0, self.store)
        self.task = asyncio.create_task(self.server.run())
        started = asyncio.create_task(ready.wait())
        await asyncio.wait([self.task, started], return_when=asyncio.FIRST_COMPLETED)
        if self.task.done():
            self.task.result()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.stop()
        await asyncio.sleep(0)
        for client in self._clients:
            client.close()  # so that the server has nobody to wait for
        async with asyncio.timeout(PATIENCE):
            await asyncio.wait([self.task])
        self.task.result()
        assert not [line for line in self.said.lines if "a bug in the judge" in line]

    async def connect(self, *, holds: int | None = None, at: str = "127.0.0.1") -> Client:
        """A new client at an address of this machine; the system ``holds`` that number of bytes for
        it that it has not read."""
        connection = socket.socket()
        connection.bind((at, 0))
        connection.setblocking(False)
        if holds:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, holds)
        await asyncio.get_running_loop().sock_connect(connection, self.core.addresses[0])
        client = Client(*await asyncio.open_connection(sock=connection, limit=holds or 2**16))
        self._clients.append(client)
        return client

    def knows(self, client: Client) -> bool:
        """Whether the server has accepted a client."""
        label = f"127.0.0.1:{client.port}"
        return any(one.label == label for one in self.core.clients) or client.at_end

    def forget(self) -> None:
        """Have clients be freed that nobody else knows any more."""
        self._clients.clear()

    async def read(self, client: Client, *, to_its_end: bool = False) -> None:
        """Wait until the server has read all that a client has sent, unless it listens to it no
        more."""
        label = f"127.0.0.1:{client.port}"

        def has_read() -> bool:
            one = next((one for one in self.core.clients if one.label == label), None)
            if one is None or one.is_deaf:
                return True
            return one.received >= client.sent and (one.has_ended or not to_its_end)

        await self.until(has_read)

    async def until(self, what: Callable[[], bool]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(PATIENCE):
            while not what():
                await asyncio.sleep(0)


async def played(
    serving: Serving, transcript: Transcript, pieces: str, host: Callable[[str], Any]
) -> None:
    """Have clients do what a transcript says, in these ``pieces``, and be sent what it says and
    nothing else, to the end of each stream. ``host`` is called with each word of the host."""
    clients: dict[str, Client] = {}
    due: list[Step] = []
    said: list[Step] = []

    async def do() -> None:
        """Send what is to be sent, and hear what comes of it."""
        text = "".join(f"{step.text}\n" for step in said)
        for piece in text if pieces == "bytes" else [text] * bool(text):
            await clients[said[0].who].say(piece)
            await serving.read(clients[said[0].who])
        for step in due:
            assert await clients[step.who].line() == step.text
        said.clear()
        due.clear()

    for step in transcript.steps:
        if step.what == "<":
            due.append(step)
            continue
        goes_on = step.what == ">" and said and said[0].who == step.who
        if not (goes_on and pieces == "joined"):
            await do()
        match step.what:
            case ">":
                said.append(step)
            case "connect":
                clients[step.who] = await serving.connect()
            case "close":
                clients[step.who].end()
                await serving.read(clients[step.who], to_its_end=True)
            case "host":
                await do()
                done = host(step.text)
                if done is not None:
                    await done
    await do()
    for who, client in clients.items():
        assert await client.rest() == "", who


async def do_anything(
    serving: Serving,
    clients: int,
    steps: Iterable[tuple[int, str, str]],
    more: More = NOTHING_MORE,
) -> list[Client]:
    """Have that number of ``clients`` do these steps: who, what and the words. To ``connect`` is to
    begin anew, and ``more`` are steps that are no one client's, which take the clients that are
    there. Returns all that have ever connected."""
    now = [await serving.connect() for _ in range(clients)]
    every = list(now)
    for who, what, words in steps:
        try:
            if what == "say":
                await now[who].say(words)
            elif what == "connect":
                now[who] = await serving.connect()
                every.append(now[who])
            elif what in more:
                before = list(now)
                await more[what](now)
                every += [client for client in now if client not in before]
            else:
                getattr(now[who], what)()
        except (ConnectionError, OSError, RuntimeError):
            pass  # it is closed already
        for _ in range(3):
            await asyncio.sleep(0)
    return every


async def ends_of(clients: Iterable[Client]) -> list[str]:
    """The rest of what each of these clients is sent; nothing where the connection was cut."""
    streams = []
    for client in clients:
        try:
            streams.append(await client.rest())
        except ConnectionError:
            streams.append("")
    return streams
