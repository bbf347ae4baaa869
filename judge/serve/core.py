"""The core of a server: it accepts clients on TCP and holds each of them within bounds.

One process and one event loop serve all clients; whatever a client does costs the others little. A
client that talks too much is read more slowly, one that does not read is dropped, and where the
machine has no descriptor left, new clients are refused. The words of clients, and to them, are the
business of a `Hall`.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
from collections.abc import Callable, Sequence
from typing import Protocol

from judge.errors import BadOutput, UsageError
from judge.serve.log import Log, MessageLog
from judge.serve.rate_limits import Admission, Allowance, ClientBounds, Slot
from judge.serve.sockets import BACKLOG, listening_sockets
from judge.show.text import many
from judge.wire.messages import FromClient, Left, ToClient

AT_ONCE = 4  # clients that are accepted, before it is looked at who they are
READ_AT_ONCE = 1024  # bytes that are read before it is another client's turn
BURST, BYTES_A_SECOND = 64 * 2**10, 8 * 2**10  # bytes of a client that are read without a pause
A_LINE = 64  # bytes that a line counts at least: to answer one takes its time, however short it is
HELD = 64 * 2**10  # bytes in the system's buffers of a client
UNREAD = 64 * 2**10  # bytes that wait for a client beyond those
MOST_BAD_LINES = 500  # lines of a client; an honest player sends fewer
LINGER = 2.0  # seconds that a client has to close when it has been told all
KEPT_FREE = 32  # descriptors, for the ledger and the log
OF_A_BOT = 16  # descriptors of a bot: its process and its pipes
OPTIONS = (
    (socket.SOL_SOCKET, socket.SO_SNDBUF, HELD),
    (socket.SOL_SOCKET, socket.SO_RCVBUF, HELD),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 15),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 4),
)
"""The options of a socket that listens, and so of each connection."""
_buffer = memoryview(bytearray(READ_AT_ONCE))  # each read is taken out before the next
EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class ServerEnd(Protocol):
    """The server's end of one client's connection, as `judge.wire` has it; ``bad_lines`` counts
    what came and is not a message."""

    bad_lines: int

    def send(self, message: ToClient) -> None: ...
    def data_to_send(self) -> bytes: ...
    def receive_data(self, data: bytes) -> None: ...
    def next_event(self) -> FromClient | None: ...


class Hall(Protocol):
    """Who plays with whom, and what clients are told."""

    def end(self, client: Client) -> ServerEnd:
        """The end of a new connection."""

    def connected(self, client: Client) -> None:
        """A client is there and has said nothing yet."""

    def take(self, client: Client, event: FromClient) -> None:
        """Take what a client said; after `Left`, the client is gone or says no more."""


class Client(asyncio.BufferedProtocol):
    """One connection. ``label`` is its address for people, and ``network`` what is bounded, as
    `judge.serve.rate_limits` has it; ``is_deaf`` once nothing that comes from it matters any more.
    ``received`` counts the bytes that have come from it, and it ``has_ended`` once no more will."""

    address: str
    port: int
    network: str
    label: str
    end: ServerEnd

    def __init__(self, core: Core) -> None:
        self._core = core
        self.is_deaf = False
        self.received = 0
        self.has_ended = False  # the client's side of the stream
        self._slot: Slot | None = None  # if there is a place for it
        self._transport: asyncio.Transport | None = None
        self._is_closing = False
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()

    # What a hall calls

    @property
    def is_idle(self) -> bool:
        """Whether it may only wait for so long, as one that has no place yet."""
        return self._timer is not None

    @property
    def unread(self) -> int:
        """Bytes that wait for the client, beyond those that the system holds for it."""
        return self._transport.get_write_buffer_size() if self._transport else 0

    def send(self, message: ToClient) -> None:
        """Tell the client; it goes out when the hall is done with what is at hand."""
        self.end.send(message)
        self._core.touch(self)

    def flush(self) -> None:
        """Let what the client is told go out."""
        if self._is_closing or self._transport is None:
            return  # and the end may serve another connection by now
        if data := self.end.data_to_send():
            if self._core.messages:
                self._core.messages.sent(self, data)
            self._transport.write(data)

    def limit(self, seconds: float, late: Callable[[], None]) -> None:
        """Call ``late`` after so long, unless another limit is set or the client is gone."""
        self.free()
        self._timer = self._loop.call_later(seconds, late)

    def free(self) -> None:
        """Lift the limit."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def close(self, linger: float = LINGER) -> None:
        """End the connection: what is to be told goes out first, and the client has a moment to
        close its side."""
        self.is_deaf = True
        if self._is_closing or self._transport is None:
            return
        self.flush()
        self._is_closing = True
        if self.has_ended or not linger:
            self._transport.close()
        else:
            try:
                self._transport.write_eof()
            except OSError:  # it has broken the connection off, and is not read just now
                self._transport.abort()
                return
        self.limit(linger or LINGER, self._transport.abort)

    def drop(self) -> None:
        """End the connection at once."""
        self.is_deaf = self._is_closing = True
        if self._transport:
            self._transport.abort()

    def give_way(self) -> None:
        """End the connection at once, and leave its slot to another client."""
        if not self.has_ended and not self.is_deaf:
            self.has_ended = True
            self._core.hall.take(self, Left())
        self.drop()
        self.free()
        self._leave()

    def _leave(self) -> None:
        if self._slot:
            self._core.leave(self, self._slot)
        self._slot = None

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport), "the socket is a stream"
        self._transport = transport
        transport.set_write_buffer_limits(high=UNREAD)
        peer = transport.get_extra_info("peername")
        if peer is None or (slot := self._core.admit(*peer[:2])) is None:  # or it has gone already
            self.is_deaf = self.has_ended = True
            transport.abort()
            return
        self.address, self.port = peer[:2]
        self._slot, self.network = slot, slot.network
        host = f"[{self.address}]" if ":" in self.address else self.address
        self.label = f"{host}:{self.port}"
        self.end = self._core.hall.end(self)
        self._core.clients[self] = None
        self._spend(slot, 0)  # its network may have spent that before
        self._core.hall.connected(self)

    def get_buffer(self, sizehint: int) -> memoryview:
        return _buffer

    def buffer_updated(self, nbytes: int) -> None:
        if self._slot is None:
            return
        data = bytes(_buffer[:nbytes])
        self.received += nbytes
        self._spend(self._slot, max(nbytes, A_LINE * data.count(b"\n")))
        if not self.is_deaf:
            self._hear(data)

    def eof_received(self) -> bool:
        """The client says no more; it may still be told something."""
        if self._is_closing:
            return False
        self.has_ended = True
        if not self.is_deaf:
            self._hear(b"")
        return not self._is_closing

    def connection_lost(self, error: Exception | None) -> None:
        self.free()
        self._is_closing = True
        self._transport = None
        if not self.has_ended and not self.is_deaf:
            self.has_ended = True
            self._hear(b"")
        self._leave()

    def pause_writing(self) -> None:
        """More waits for the client than it may leave unread."""
        self._core.log.say(
            "dropped", f"{self.label} does not read and is dropped", client=self.label
        )
        if self._transport:  # not in the middle of what a hall is doing
            self._loop.call_soon(self._transport.abort)

    # How

    def _spend(self, slot: Slot, count: int) -> None:
        """Pause the reading of a client that says more than anyone who plays."""
        pause = self._core.reading.use(slot, count)
        if pause and self._transport:
            self._transport.pause_reading()
            self._loop.call_later(pause, self._read_on)

    def _read_on(self) -> None:
        if self._transport and not self._transport.is_closing():
            self._transport.resume_reading()

    def _hear(self, data: bytes) -> None:
        if self._core.messages:
            self._core.messages.received(self, data)
        self.end.receive_data(data)
        try:
            while not self.is_deaf and (event := self.end.next_event()):
                self._core.hall.take(self, event)
        except BadOutput as error:
            self._core.log.say("refused", f"{self.label} {error}; it is closed", client=self.label)
            self.close(0)
        if self.end.bad_lines > MOST_BAD_LINES and not self.is_deaf:
            said = f"{self.label} has made {many(MOST_BAD_LINES, 'bad request')} and is dropped"
            self._core.log.say("dropped", said, client=self.label)
            self._core.hall.take(self, Left())
            self.drop()
        self._core.touch(self)


class Core:
    """Listens at one port and holds its clients.

    ``messages`` is told what goes to clients and comes from them. Raises `UsageError` where it
    cannot listen.
    """

    def __init__(
        self,
        hall: Hall,
        log: Log,
        bounds: ClientBounds,
        messages: MessageLog | None = None,
    ) -> None:
        self.hall = hall
        self.log = log
        self.messages = messages
        self.clients: dict[Client, None] = {}  # in the order in which they came
        self.reading = Allowance(BURST, 1 / BYTES_A_SECOND)  # the bytes of each slot
        self.addresses: list[tuple[str, int]] = []
        self._touched: dict[Client, None] = {}
        self._admission = Admission(bounds)
        self._listening: list[socket.socket] = []
        self._servers: list[asyncio.Server] = []
        self._spare: int | None = None  # a descriptor to give up where there is no other

    async def listen(self, hosts: Sequence[str], port: int) -> None:
        """Listen at each of the hosts; if any free ``port`` will do, at one for all of them."""
        loop = asyncio.get_running_loop()
        self._spare = _spare()
        for host in hosts:
            found = listening_sockets(host, port or (self.addresses[0][1] if self.addresses else 0))
            self._listening += found
            for one in found:
                for option in OPTIONS:
                    one.setsockopt(*option)
                self.addresses.append(one.getsockname()[:2])
                server = await loop.create_server(lambda: Client(self), sock=one, backlog=AT_ONCE)
                one.listen(BACKLOG)  # asyncio has let only as many wait as it accepts at once
                self._servers.append(server)

    def touch(self, client: Client) -> None:
        """Let what a client is told go out, together with all that follows at once."""
        if not self._touched:
            asyncio.get_running_loop().call_soon(self.flush)
        self._touched[client] = None

    def flush(self) -> None:
        """Let what clients are told go out now."""
        clients, self._touched = list(self._touched), {}
        for client in clients:
            client.flush()

    def stop_listening(self) -> None:
        for server in self._servers:
            server.close()
        self._servers.clear()
        self._listening.clear()
        if self._spare is not None:
            os.close(self._spare)
            self._spare = None

    async def close(self, patience: float) -> None:
        """Close every connection; who has not taken what it was told after so long is dropped."""
        self.stop_listening()
        self.flush()
        for client in list(self.clients):
            client.close(patience)
        loop = asyncio.get_running_loop()
        end = loop.time() + patience
        while self.clients and loop.time() < end:
            await asyncio.sleep(0.01)
        for client in list(self.clients):
            client.drop()
        await asyncio.sleep(0)

    def refuse(self) -> None:
        """Refuse the clients for which there is no descriptor, with the one that is kept for that."""
        if self._spare is None:
            return
        os.close(self._spare)
        for one in self._listening:
            with contextlib.suppress(OSError):  # no client waits any more
                while True:
                    connection, address = one.accept()
                    connection.close()
                    label = f"{address[0]}:{address[1]}"
                    said = f"{label} is refused: there is no file descriptor left"
                    self.log.say("refused", said, client=label)
        self._spare = _spare()

    def admit(self, address: str, port: int) -> Slot | None:
        """A slot for a client that comes, if there is a place for it. If it is full, the client that
        has waited longest without a place in a game gives way, so no crowd keeps players out."""
        crowded = self._admission.crowded(address)
        if crowded and not self._admission.is_late(address):
            idle = (
                client for client in self.clients if client.network == crowded and client.is_idle
            )
            if waiting := next(idle, None):
                said = f"{waiting.label} has no place in a game and gives way to another client"
                self.log.say("dropped", said, client=waiting.label)
                waiting.give_way()
        if why := self._admission.refusal(address):
            label = f"{address}:{port}"
            self.log.say("refused", f"{label} is refused: {why}", client=label)
            return None
        return self._admission.enter(address)

    def leave(self, client: Client, slot: Slot) -> None:
        """Forget a client whose connection is gone."""
        self.clients.pop(client, None)
        self._admission.leave(slot)


def _spare() -> int | None:
    with contextlib.suppress(OSError):
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    return None


def descriptors(bots: int = 0) -> int:
    """How many clients the machine lets this process have beside ``bots`` bots of its own; raises
    the limit as far as it may. Raises `UsageError` if there is no place for two."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
            soft = hard
    if soft == resource.RLIM_INFINITY:
        return 2**20
    found = soft - KEPT_FREE - bots * OF_A_BOT
    if found < 2:
        with_bots = f" with {many(bots, 'bot')}" if bots else ""
        raise UsageError(
            f"a server{with_bots} needs {2 + soft - found} open files, and this process may have "
            f"{soft}; `ulimit -n` says so and raises it"
        )
    return found
