"""The halls of servers of XBS and BSP in this process, and clients that have joined them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from changes import replace
from judge.documents.rules import Cell, Fleet, Orientation, Ship
from judge.game.variants import BSP, XBS
from judge.play.actions import GameSetup
from judge.serve.bsp import Draw, Matchmaking
from judge.serve.ledger_store import GameStore
from judge.serve.log import Log
from judge.serve.xbs import XbsTable
from judge.serve.xbs_places import Options, TablePlace
from serving import Client, Serving

ACROSS, DOWN = Orientation.HORIZONTAL, Orientation.VERTICAL

# The fleet of both at BSP, unless others are given.
BSP_FLEET: Fleet = (
    Ship(5, *Cell(0, 0), ACROSS),
    Ship(4, *Cell(0, 2), DOWN),
    Ship(3, *Cell(2, 2), ACROSS),
    Ship(3, *Cell(2, 4), DOWN),
    Ship(2, *Cell(0, 7), ACROSS),
    Ship(2, *Cell(8, 9), ACROSS),
    Ship(1, *Cell(9, 0), ACROSS),
    Ship(1, *Cell(7, 4), ACROSS),
    Ship(1, *Cell(9, 6), ACROSS),
)

SMALL = replace(XBS, columns=8, rows=8, fleet=(3, 2), points=None)
BOARDS = ["AAA" + "." * 5 + "BB" + "." * 54, "." * 8 + "AAA" + "." * 51 + "BB"]


class Order(Random):
    """Draws this order of turns, and of what players say the first."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(0)
        self.names = list(names)

    def shuffle(self, places: list[TablePlace]) -> None:
        if self.names:
            places.sort(key=lambda place: self.names.index(place.name))


def table(options: Options, *order: str) -> Callable[[Log, GameStore], XbsTable]:
    """Makes the table of a server."""

    def make(log: Log, store: GameStore) -> XbsTable:
        return XbsTable(log, store, options, over=lambda: None, luck=Order(order))

    return make


def small(most: int = 2, **more) -> Options:
    return Options(title="Pond", rules=SMALL, letters="AB", most=most, auto_start=True, **more)


async def joined(serving: Serving, *names: str) -> list[Client]:
    """Clients that have joined, each with what it was sent so far read."""
    clients: list[Client] = []
    for number, name in enumerate(names):
        client = await serving.connect()
        assert (await client.line()).startswith("G|2.0.1|Pond|N|")
        await client.say(f"J|{name}|{BOARDS[number % 2]}\n")
        assert await client.line() == f"J|{name}"
        assert await client.lines(number) == [f"J|{one}" for one in names[:number]]
        for other in clients:
            assert await other.line() == f"J|{name}"
        clients.append(client)
    return clients


async def playing(serving: Serving, *names: str) -> list[Client]:
    """The same, in a game that has begun, in this order of turns."""
    clients = await joined(serving, *names)
    for client in clients:
        *boards, start, turn = await client.lines(len(names) + 2)
        assert [board.split("|")[1] for board in boards] == list(names)
        assert (start, turn) == ("|".join(["S", *names]), f"N|{names[0]}")
    return clients


def table_in(serving: Serving) -> XbsTable:
    assert isinstance(serving.hall, XbsTable)
    return serving.hall


def dealt(
    first: int = 0, fleets: tuple[Fleet, Fleet] = (BSP_FLEET, BSP_FLEET), rounds: int = 300
) -> Draw:
    """Games with these fleets."""
    rules = replace(BSP, round_limit=rounds)
    given = dict(enumerate(fleets))
    return lambda: GameSetup(id="game", seed=None, first=first, rules=rules, fleets=given)


def matchmaking(draw: Draw | None = None, rounds: int = 300):
    """Makes the hall of a server that deals so."""

    def make(log: Log, store: GameStore) -> Matchmaking:
        rules = replace(BSP, round_limit=rounds)
        return Matchmaking(log, store, draw or dealt(rounds=rounds), rules=rules)

    return make


async def two(serving: Serving) -> tuple[Client, Client]:
    """Two clients in a game, both told whose turn it is: A's."""
    a, b = await serving.connect(), await serving.connect()
    await a.say("JOIN ann\n")
    assert await a.line() == "JOINED_MATCHMAKING"
    await b.say("JOIN bob\n")
    assert await b.line() == "JOINED_MATCHMAKING"
    for client, letter in ((a, "A"), (b, "B")):
        assert (await client.line()).startswith(f"START_GAME {letter} ")
        assert await client.line() == "TURN A"
    return a, b
