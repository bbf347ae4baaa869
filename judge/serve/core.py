"""The core of a game server: it accepts clients over TCP and limits what each of them may cost.

One process and one event loop serve all clients, and no client can cost the others much. A client
that sends too much is read more slowly, and a client that does not read is dropped. New clients are
refused if no file descriptor is left. A `Hall` handles the messages to and from clients.
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

AT_ONCE = 4  # clients that are accepted in a row, before they are admitted
READ_AT_ONCE = 1024  # bytes of a client that are read before another client has its turn
BURST, BYTES_A_SECOND = 64 * 2**10, 8 * 2**10  # bytes of a client that are read without a pause
A_LINE = 64  # bytes that a line counts at least, since the answer to a short line takes time, too
HELD = 64 * 2**10  # bytes of each of the system's two buffers for a client
UNREAD = 64 * 2**10  # bytes that may wait for a client in the judge's own buffer
MOST_BAD_LINES = 500  # lines of a client that are not messages; an honest player sends fewer
LINGER = 2.0  # seconds that a client has to close its side after the last message
KEPT_FREE = 32  # descriptors for the ledger and the log
OF_A_BOT = 16  # descriptors of a bot: its process and its pipes
OPTIONS = (
    (socket.SOL_SOCKET, socket.SO_SNDBUF, HELD),
    (socket.SOL_SOCKET, socket.SO_RCVBUF, HELD),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, 60),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, 15),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, 4),
)
"""Options that are set on each listening socket. Each connection inherits them."""
_buffer = memoryview(bytearray(READ_AT_ONCE))  # for all clients: each read is copied at once
EXHAUSTED = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}


class ServerEnd(Protocol):
    """The server's end of one client's connection: a state machine of `judge.wire` that turns
    messages into bytes and back. ``bad_lines`` counts the received lines that were not messages."""

    bad_lines: int

    def send(self, message: ToClient) -> None: ...
    def data_to_send(self) -> bytes: ...
    def receive_data(self, data: bytes) -> None: ...
    def next_event(self) -> FromClient | None: ...


class Hall(Protocol):
    """Decides who of a server's clients plays with whom, and what the clients are told."""

    def end(self, client: Client) -> ServerEnd:
        """Make the server's end of a new client's connection."""

    def connected(self, client: Client) -> None:
        """Take note of a new client, which has sent nothing yet."""

    def take(self, client: Client, event: FromClient) -> None:
        """Handle a message of a client. After `Left` no more messages of the client come."""


class Client(asyncio.BufferedProtocol):
    """One client's connection. ``label`` is the client's address and port as text. ``network`` is
    the network whose limits hold for the client. If ``is_deaf``, all that comes from the client is
    ignored. ``received`` counts the bytes that have come. If ``has_ended``, no more will come."""

    address: str
    port: int
    network: str
    label: str
    end: ServerEnd

    def __init__(self, core: Core) -> None:
        self._core = core
        self.is_deaf = False
        self.received = 0
        self.has_ended = False  # whether the client's side of the stream has ended
        self._slot: Slot | None = None  # None if the client was not admitted
        self._transport: asyncio.Transport | None = None
        self._is_closing = False
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()

    # What a hall calls

    @property
    def is_idle(self) -> bool:
        """Whether a time limit runs for the client. It runs until the client has joined, and again
        while the connection is being closed."""
        return self._timer is not None

    @property
    def unread(self) -> int:
        """The number of bytes that wait for the client in the judge's own buffer."""
        return self._transport.get_write_buffer_size() if self._transport else 0

    def send(self, message: ToClient) -> None:
        """Queue a message, to be written in the next step of the event loop or at `flush`."""
        self.end.send(message)
        self._core.touch(self)

    def flush(self) -> None:
        """Write the queued messages to the connection."""
        if self._is_closing or self._transport is None:
            return  # another connection may use the end by now
        if data := self.end.data_to_send():
            if self._core.messages:
                self._core.messages.sent(self, data)
            self._transport.write(data)

    def limit(self, seconds: float, late: Callable[[], None]) -> None:
        """Call ``late`` after ``seconds``, unless the limit is lifted or replaced, or the client
        goes."""
        self.free()
        self._timer = self._loop.call_later(seconds, late)

    def free(self) -> None:
        """Lift the client's time limit."""
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def close(self, linger: float = LINGER) -> None:
        """Write the queued messages and close the connection. A client whose side is open has
        ``linger`` seconds to close it."""
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
            except OSError:  # the client has reset the connection while it was not read
                self._transport.abort()
                return
        self.limit(linger or LINGER, self._transport.abort)

    def drop(self) -> None:
        """End the connection at once, without the messages that wait."""
        self.is_deaf = self._is_closing = True
        if self._transport:
            self._transport.abort()

    def give_way(self) -> None:
        """End the connection at once, and free the client's slot for another client."""
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
        if peer is None or (slot := self._core.admit(*peer[:2])) is None:  # or it has gone
            self.is_deaf = self.has_ended = True
            transport.abort()
            return
        self.address, self.port = peer[:2]
        self._slot, self.network = slot, slot.network
        host = f"[{self.address}]" if ":" in self.address else self.address
        self.label = f"{host}:{self.port}"
        self.end = self._core.hall.end(self)
        self._core.clients[self] = None
        self._spend(slot, 0)  # an earlier client may have used the slot up
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
        """Take note that the client sends no more. Messages may still go to the client."""
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
        """Drop a client for which more than `UNREAD` bytes wait in the judge's own buffer."""
        self._core.log.say(
            "dropped", f"{self.label} does not read and is dropped", client=self.label
        )
        if self._transport:  # later, since the hall may be in the middle of something
            self._loop.call_soon(self._transport.abort)

    # Helpers

    def _spend(self, slot: Slot, count: int) -> None:
        """Count bytes against a slot's allowance. Beyond it, the client is not read for a while."""
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
    """Listens at one port, and holds the clients that connect.

    ``messages``, if given, logs the lines to and from clients.
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
        self.reading = Allowance(BURST, 1 / BYTES_A_SECOND)  # bytes that each slot may send
        self.addresses: list[tuple[str, int]] = []
        self._touched: dict[Client, None] = {}
        self._admission = Admission(bounds)
        self._listening: list[socket.socket] = []
        self._servers: list[asyncio.Server] = []
        self._spare: int | None = None  # a descriptor that `refuse` gives up

    async def listen(self, hosts: Sequence[str], port: int) -> None:
        """Listen at each of the hosts. If ``port`` is 0, the first address gets a free port, which
        the other hosts use, too. Raises `UsageError` if a host or a port cannot be served."""
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
                one.listen(BACKLOG)  # asyncio has set the backlog to the clients accepted in a row
                self._servers.append(server)

    def touch(self, client: Client) -> None:
        """Have a client's queued messages written in the next step of the event loop."""
        if not self._touched:
            asyncio.get_running_loop().call_soon(self.flush)
        self._touched[client] = None

    def flush(self) -> None:
        """Write the queued messages of all clients now."""
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
        """Stop listening, and close every connection. A client that is still connected after
        ``patience`` seconds is dropped."""
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
        """Refuse the clients that wait to be accepted, when no descriptor is left. Each is accepted
        with the spare descriptor and then closed. Without a spare descriptor, nothing is done."""
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
        """Return a slot for a new client, or None if the client is refused. If the client's network
        is full, the oldest idle client of this network is dropped for it. If only the server is
        full, the oldest idle client of the network with the most clients is dropped. Nobody is
        dropped if too many have come from the new client's network of late."""
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
        """Forget a client whose connection has ended, and free its slot."""
        self.clients.pop(client, None)
        self._admission.leave(slot)


def _spare() -> int | None:
    with contextlib.suppress(OSError):
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    return None


def descriptors(bots: int = 0) -> int:
    """The number of clients for which this process has file descriptors if it also runs ``bots``
    bots. The limit of open files is raised first, as far as it may be. Raises `UsageError` for
    fewer than two."""
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
