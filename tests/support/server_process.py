"""A server in a process of its own, and clients that wait for what they read."""

from __future__ import annotations

import os
import re
import resource
import socket
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import far_server
from commands import JUDGE, ROOT, line_of

PATIENCE = 60


@dataclass
class Running:
    process: subprocess.Popen[str]
    port: int
    said: str  # up to the line that says where it listens
    peers: list[Peer] = field(default_factory=list)

    def connect(self) -> Peer:
        self.peers.append(Peer(self.port))
        return self.peers[-1]

    def seated(self, names: Sequence[str] = ("ann", "bob")) -> list[Peer]:
        """Two that play."""
        pair = []
        for name in names:
            pair.append(self.connect())
            pair[-1].say(f"JOIN {name}\n")
            assert pair[-1].line() == "JOINED_MATCHMAKING"
        for peer in pair:
            assert peer.line().startswith("START_GAME")
            assert peer.line().startswith("TURN")
        return pair


@contextmanager
def running(
    folder: Path, *arguments: str, files: int | None = None, listen: bool = False
) -> Iterator[Running]:
    """A server, whose stdin is open to the test if it is to ``listen``."""

    def limit() -> None:
        if files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    process = subprocess.Popen(
        [*JUDGE, "serve", *arguments, "--port", "0"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE if listen else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=limit if files else None,  # noqa: PLW1509 - pytest has no threads here
    )
    try:
        said: list[str] = []
        while not (said and (found := re.search(r'"port":(\d+)|serving .*?:(\d+);', said[-1]))):
            said.append(line_of(process))
            assert said[-1], process.communicate()
        server = Running(process, int(found[1] or found[2]), "".join(said))
        yield server
        for peer in server.peers:
            peer.close()
    finally:
        process.kill()
        process.communicate()


class Peer(far_server.Peer):
    """A client that waits for what it reads."""

    def __init__(self, port: int) -> None:
        super().__init__(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))

    def line(self) -> str:
        line = self._lines.readline().decode()
        assert line.endswith("\n"), "the stream goes on"
        return line[:-1]

    def until(self, start: str) -> list[str]:
        """The lines up to one that begins so."""
        lines = [self.line()]
        while not lines[-1].startswith(start):
            lines.append(self.line())
        return lines
