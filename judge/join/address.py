"""Where a server is, and which of the games it serves."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from judge.game.rules import Rules
from judge.game.variants import BSP, XBS
from judge.wire.bsp import BspClient
from judge.wire.xbs.client import XbsClient


@dataclass(frozen=True, slots=True)
class Game:
    """What differs between the network games for a client. ``rules`` are those that are played
    unless a table announces others; ``announces`` says whether it does. Where it does, players place
    their fleets, may chat, skip a turn, and come back after they have left."""

    name: str
    title: str
    port: int
    rules: Rules
    announces: bool
    rows_have_letters: bool
    end: type[BspClient | XbsClient]


GAMES = {
    "bsp": Game("bsp", "BSP", 8080, BSP, announces=False, rows_have_letters=True, end=BspClient),
    "xbs": Game(
        "xbs",
        "Xterm Boat Sinker",
        7948,
        XBS,
        announces=True,
        rows_have_letters=False,
        end=XbsClient,
    ),
}


class Address(NamedTuple):
    """A server of one of `GAMES`."""

    game: Game
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.game.name}://{host}:{self.port}"


_HOST = r"\[[0-9A-Fa-f:.%]{2,60}\]|[A-Za-z0-9._-]{1,253}"
_ADDRESS = re.compile(rf"(bsp|xbs)://({_HOST})(?::([0-9]{{1,5}}))?/?")
EXAMPLES = "xbs://HOST:PORT or bsp://HOST:PORT"


def address(text: str) -> Address:
    """``xbs://HOST:PORT`` or ``bsp://HOST:PORT``; the usual port of the game without one."""
    found = _ADDRESS.fullmatch(text.strip())
    port = int(found[3]) if found and found[3] else None
    if found is None or port == 0 or (port or 0) > 65535:
        raise ValueError(f"{text!r} is no address of a server, such as {EXAMPLES}")
    game = GAMES[found[1]]
    return Address(game, found[2].strip("[]"), game.port if port is None else port)
