"""A network of the test's own between two ends of TCP connections, which can be cut."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator


class Network:
    """Carries what comes to its address to another address, and back."""

    def __init__(self, address: str) -> None:
        """``address`` is like tcp://127.0.0.1:8786, and so is `address`, that of its own."""
        host, _, port = address.removeprefix("tcp://").rpartition(":")
        self._to = host, int(port)
        self._sockets: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._flows = threading.Event()
        self._flows.set()
        self._is_cut = False
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._listening.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def stall(self) -> None:
        """Carry nothing more, and keep what comes."""
        self._flows.clear()

    def cut(self) -> None:
        """Break all connections, and refuse others."""
        with self._lock:
            self._is_cut = True
            for one in self._sockets:
                _shut(one)

    def mend(self) -> None:
        """Carry on."""
        self._is_cut = False
        self._flows.set()

    def close(self) -> None:
        _shut(self._listening)
        self._listening.close()
        self.cut()
        self._flows.set()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                threading.Thread(target=self._carry, args=(near,), daemon=True).start()

    def _carry(self, near: socket.socket) -> None:
        with near, contextlib.suppress(OSError):
            self._flows.wait()
            with socket.create_connection(self._to) as far:
                with self._lock:
                    if self._is_cut:
                        return
                    self._sockets |= {near, far}
                back = threading.Thread(target=self._pump, args=(far, near), daemon=True)
                back.start()
                self._pump(near, far)
                back.join()
                with self._lock:
                    self._sockets -= {near, far}

    def _pump(self, source: socket.socket, to: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(2**16):
                self._flows.wait()
                to.sendall(data)
        _shut(to)
        _shut(source)


def _shut(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def network_to(address: str) -> Iterator[Network]:
    network = Network(address)
    try:
        yield network
    finally:
        network.close()
