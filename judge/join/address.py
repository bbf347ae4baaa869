"""Addresses of servers, and the network games that servers offer."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from judge.documents.rules import Rules
from judge.game.variants import BSP, XBS
from judge.wire.bsp.client import BspClient
from judge.wire.xbs.client import XbsClient


@dataclass(frozen=True, slots=True)
class Game:
    """A network game, as a client knows it. ``rules`` are the game's default rules. ``announces``
    is whether its tables send rules of their own, and let players place fleets, chat, skip turns
    and come back. ``end`` is the class for the client's end of the protocol."""

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
    """The address of a server, and which of the `GAMES` it serves."""

    game: Game
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.game.name}://{host}:{self.port}"


_HOST = r"\[[0-9A-Fa-f:.%]{2,60}\]|[A-Za-z0-9._-]{1,253}"
_ADDRESS = re.compile(rf"(bsp|xbs)://({_HOST})(?::([0-9]{{1,5}}))?/?", re.IGNORECASE)
EXAMPLES = "xbs://HOST:PORT or bsp://HOST:PORT"


def address(text: str) -> Address:
    """Parse ``xbs://HOST:PORT`` or ``bsp://HOST:PORT``. Without a port, the game's default port is
    taken. Raises `ValueError` for any other text, and for a port of 0 or over 65535."""
    found = _ADDRESS.fullmatch(text.strip())
    port = int(found[3]) if found and found[3] else None
    if found is None or port == 0 or (port or 0) > 65535:
        raise ValueError(f"{text!r} is not an address of a server, such as {EXAMPLES}")
    game = GAMES[found[1].lower()]
    return Address(game, found[2].strip("[]"), game.port if port is None else port)


def other_game(address: Address) -> str:
    """The end of an error message about a server that breaks the protocol: it may serve the other
    game."""
    (other,) = [game for game in GAMES.values() if game is not address.game]
    return f"; it may be a server of {other.title}, whose address begins with {other.name}://"


def hint(address: Address, name: str | None, *, is_known: bool) -> str:
    """The end of an error message: why the server may have closed the connection. Empty if there is
    nothing to say. ``name`` is what ``--name`` gave. ``is_known`` is whether the server has spoken
    the game's protocol."""
    other = "" if is_known else other_game(address)
    if address.game.announces:
        return f"; its table may be full, or in the middle of a game{other}"
    return f"{'; published servers take no name, so leave --name out' if name else ''}{other}"
