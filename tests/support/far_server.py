"""Somebody's server, scripted: it says these bytes, and waits for these lines, in a thread."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

PATIENCE = 60.0  # seconds; a busy machine is no reason to fail


class Peer:
    """The server's end of one connection."""

    def __init__(self, connection: socket.socket) -> None:
        connection.settimeout(PATIENCE)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = connection
        self._lines = connection.makefile("rb")

    def say(self, *pieces: bytes | str) -> None:
        """Send pieces, each in a packet of its own."""
        for piece in pieces:
            self.connection.sendall(piece.encode() if isinstance(piece, str) else piece)

    def line(self) -> str:
        """The next line of the client; nothing once it has gone."""
        return self._lines.readline().decode().removesuffix("\n")

    def rest(self) -> str:
        """The words of the client until it goes."""
        try:
            return self._lines.read().decode()
        except ConnectionError:
            return ""

    def close(self) -> None:
        # Without a shutdown the file that reads from it would keep it open.
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        self._lines.close()
        self.connection.close()


class FarServer:
    """A context in which the connections that come are served, each by the next of ``scripts``;
    afterwards nobody listens. An error in a script is raised at the end."""

    def __init__(self, *scripts: Callable[[Peer], object]) -> None:
        self._scripts = scripts
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._listening.settimeout(PATIENCE)
        self.port: int = self._listening.getsockname()[1]
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def stops_listening(self) -> None:
        """Let nobody else connect from now on; a script calls it."""
        self._listening.close()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if kind is None:
            self._thread.join(PATIENCE)
        self._listening.close()
        if self._error and kind is None:
            raise self._error

    def _serve(self) -> None:
        try:
            for script in self._scripts:
                connection, _ = self._listening.accept()
                peer = Peer(connection)
                try:
                    script(peer)
                finally:
                    peer.close()
        except BaseException as error:  # noqa: BLE001 - it is raised where the server is made
            self._error = error
        finally:
            self._listening.close()
