"""The log of a BSP server, in the form of the published one: what is sent and heard, line by line.

``2030-01-02 03:04:05 - [INFO] - Server listening at port 9000.``: local time, and what clients said
without control characters. Unlike there, a client's port is the one that it has, and who is named
as the starting player starts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from weakref import WeakKeyDictionary

from judge.serve.core import Client
from judge.serve.log import LineWriter
from judge.show.text import clean
from judge.wire.bsp.notation import PLAYERS

LINE = re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d - \[[A-Z]+\] - ")


class BspLog:
    def __init__(self, writer: LineWriter) -> None:
        self._writer = writer
        self._rooms: WeakKeyDictionary[Client, int] = WeakKeyDictionary()

    def say(self, sentence: str, level: str = "INFO") -> None:
        self._writer.write(
            f"{datetime.now().astimezone():%Y-%m-%d %H:%M:%S} - [{level}] - {clean(sentence)}"
        )

    def listening(self, port: int) -> None:
        self.say(f"Server listening at port {port}.")

    def connected(self, client: Client) -> None:
        self.say(f"New client with IP {client.label}.")

    def silent(self, client: Client) -> None:
        self.say(f"Handshake missing from client with IP {client.label}.", "ERROR")

    def gone(self, client: Client) -> None:
        self.say(f"Waiting client with IP {client.label} disconnected.")

    def late(self, client: Client, seconds: float) -> None:
        self.say(
            f"{self._room(client)} : Client with IP {client.label} timed out after {seconds:g} s."
        )

    def disconnected(self, client: Client) -> None:
        self.say(f"{self._room(client)} : Client with IP {client.label} disconnected.")

    def began(self, room: int, clients: Sequence[Client], first: int) -> None:
        for client in clients:
            self._rooms[client] = room
        self.say(f"Room with id {room} : Game initialised, starting player {PLAYERS[first]}.")

    def sent(self, client: Client, data: bytes) -> None:
        for line in data.decode("latin-1").split("\n")[:-1]:
            self.say(f'{self._room(client)} : Sent "{line}" to client with IP {client.label}.')

    def heard(self, client: Client, line: str) -> None:
        self.say(f'{self._room(client)} : Received "{line}" from client with IP {client.label}.')

    def ended(self, room: int, winner: int | None) -> None:
        won = "nobody" if winner is None else PLAYERS[winner]
        self.say(f"Room with id {room} : Winner is {won}.")

    def close(self) -> None:
        self.say("Server closed.")
        self._writer.close()

    def _room(self, client: Client) -> str:
        return f"Room with id {self._rooms.get(client, -1)}"
