"""The servers against naive ones: whatever clients and the host do, the same lines go to everyone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bsp_table import FLEET
from halls import BOARDS, SMALL, dealt, matchmaking, small, table, table_in
from judge.game.rules import Cell
from judge.serve.bsp import Matchmaking
from judge.wire.bsp.notation import cell_text
from naive_bsp import NaiveBsp
from naive_server import NaiveServer
from naive_xbs import NaiveXbs
from serving import Client, Serving, ends_of, later, run
from strategies import examples

pytestmark = pytest.mark.whole

EXAMPLES = 40


class Driven:
    """Clients of a server and of a naive one, which are told the same in the same order."""

    def __init__(self, serving: Serving, naive: NaiveServer, settled: Callable[[], bool]) -> None:
        self.serving = serving
        self.naive = naive
        self.settled = settled
        self.clients: list[Client] = []
        self.ended: set[int] = set()

    async def settle(self) -> None:
        """Wait until the server has done all that it does about what has happened."""
        await self.serving.until(self.settled)
        await later(0)

    async def connect(self) -> int:
        self.clients.append(await self.serving.connect())
        number = len(self.clients) - 1
        await self.serving.until(lambda: self.serving.knows(self.clients[number]))
        self.naive.connect(number)
        await self.settle()
        return number

    async def say(self, number: int, text: str) -> None:
        if number in self.naive.closed or number in self.ended:
            return
        self.naive.say(number, text)
        await self.clients[number].say(text)
        await self.serving.read(self.clients[number])
        await self.settle()

    async def end(self, number: int) -> None:
        if number in self.naive.closed or number in self.ended:
            return
        self.ended.add(number)
        self.naive.end(number)
        self.clients[number].end()
        await self.serving.read(self.clients[number], to_its_end=True)
        await self.settle()

    async def compare(self) -> None:
        """Stop both servers; each client was sent the same by both, to the end of its stream."""
        self.naive.stop()
        self.serving.server.stop()
        for number, stream in enumerate(await ends_of(self.clients)):
            assert stream.splitlines() == self.naive.sent[number], number
            assert number in self.naive.closed


# XBS

NAMES = ["ann", "bob", "cat"]
TARGETS = [*NAMES * 3, "dan", "", "BOB", "b", "2", "9", "anna"]
NUMBERS = st.sampled_from(["1", "2", "3", "1", "2", "8", "+1", "02", "0", "9", "-1", "x", ""])
CHATTER = st.sampled_from(
    [
        *(
            "G",
            "K",
            "K|tired",
            "P|ping|pong",
            "P",
            "M||hello",
            "M|ann|psst",
            "M|dan|who?",
            "M|bob|",
        ),
        *(
            "T|hit|ouch",
            "T|MISS|ha",
            "T|miss",
            "T|luck|x",
            "J|ann",
            "hello",
            "s|bob|1|1",
            "",
            "|||",
        ),
        *("  \r", "Z|1", "L|bye", "M||a|b", "\0G", "G\0x", " M | ann | one  two "),
    ]
)
JOINS = st.builds(
    "J|{}|{}".format,
    st.sampled_from(
        [*NAMES * 3, "a", "9ann", "a<b>", "ALL", "annabella", "", " cat "],
    ),
    st.sampled_from([*BOARDS * 4, BOARDS[0].lower(), "." * 64, BOARDS[0][1:] + "A", "", "AAA"]),
)
SHOTS = st.builds("S|{}|{}|{}".format, st.sampled_from(TARGETS), NUMBERS, NUMBERS)
ENDS = st.sampled_from(["\n"] * 9 + ["\r\n", "", "x" * 4095 + "\n", "x" * 5000])
SAID = st.builds("{}{}".format, SHOTS | SHOTS | CHATTER | JOINS, ENDS)
WHO = st.integers(0, 4)
XBS_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("up"), st.builds("{}\n".format, SHOTS)),
        st.tuples(st.just("up"), st.builds("{}\n".format, SHOTS)),
        st.tuples(st.just("play"), st.integers(1, 9)),
        st.tuples(st.just("play"), st.integers(1, 9)),
        st.tuples(st.just("say"), st.tuples(WHO, SAID)),
        st.tuples(st.just("say"), st.tuples(WHO, st.lists(SAID, max_size=4).map("".join))),
        st.tuples(st.just("end"), WHO),
        st.tuples(st.just("back"), st.just(0)),
        st.tuples(st.just("connect"), WHO),
        st.tuples(st.just("gather"), st.just(0)),
        st.tuples(st.just("host"), st.sampled_from(["skip", "say", "boot"])),
    ),
    min_size=15,
    max_size=60,
)


class DrivenTable(Driven):
    """A table of XBS, with a host; ``now`` are five of its clients."""

    def __init__(self, serving: Serving, naive: NaiveXbs, order: list[str]) -> None:
        self.hall = hall = table_in(serving)
        super().__init__(serving, naive, lambda: hall.match is None or not hall.match.is_over)
        self.naive: NaiveXbs = naive
        self.order = order
        self.now: list[int] = []

    async def gather(self) -> None:
        """Have everyone join who is still missing."""
        for place, name in enumerate(self.order):
            if name not in {seat.name for seat in self.naive.seats}:
                self.now[place] = await self.connect()
                await self.say(self.now[place], f"J|{name}|{BOARDS[place % 2]}\n")

    async def come_back(self) -> None:
        for seat in [one for one in self.naive.seats if one.client is None][:1]:
            self.now[0] = await self.connect()
            await self.say(self.now[0], f"J|{seat.name}\n")

    async def host(self, word: str) -> None:
        match word:
            case "skip":
                self.hall.skip("asleep")
                self.naive.skip("asleep")
            case "say":
                self.hall.say("hurry")
                self.naive.host_says("hurry")
            case "boot" if self.hall.places:
                self.hall.boot(self.hall.places[0])
                self.naive.boot(0)
        await self.settle()

    async def play(self, *, at_a_ship: bool) -> None:
        """Have whoever is up shoot, or skip it if it is gone."""
        if self.naive.up is None:
            return
        up = self.naive.seats[self.naive.up]
        if up.client is None:
            await self.host("skip")
            return
        _, name, square = max(
            (at_a_ship == (seat.board[square] != "."), seat.name, square)
            for seat in self.naive.seats
            for square in range(64)
            if seat is not up and seat.marks[square] == "."
        )
        await self.say(up.client, f"S|{name}|{square % 8 + 1}|{square // 8 + 1}\n")

    async def do(self, what: str, more) -> None:
        match what:
            case "say":
                await self.say(self.now[more[0]], more[1])
            case "end":
                await self.end(self.now[more])
            case "connect":
                self.now[more] = await self.connect()
            case "gather":
                await self.gather()
            case "back":
                await self.come_back()
            case "up" if self.naive.up is not None:
                client = self.naive.seats[self.naive.up].client
                if client is not None:
                    await self.say(client, more)
            case "play":
                for turn in range(more):
                    await self.play(at_a_ship=bool((turn + more) % 3))
            case "host":
                await self.host(more)


async def at_a_table(steps, players: int, dialect: str) -> Counter[str]:
    order = ["cat", "ann", "bob"][-players:]
    rules = replace(SMALL, points=2)
    options = small(players, from_anywhere=True, repeat=None, grace=None, dialect=dialect)
    naive = NaiveXbs(players, 2, order, dialect)
    async with Serving(table(replace(options, rules=rules), *order)) as serving:
        driven = DrivenTable(serving, naive, order)
        driven.now = [await driven.connect() for _ in range(5)]
        await driven.gather()
        for what, more in steps:
            await later(5.1)  # whoever talks and leaves may do so again
            await driven.do(what, more)
        await driven.compare()
    return naive.counts


def test_a_table_is_as_the_naive_one() -> None:
    """At tables of both dialects, with legal lines and others from everyone at any moment: joining,
    shooting, skipping, chatting, leaving, coming back, and a host that skips, speaks and boots."""
    total: Counter[str] = Counter()

    @given(XBS_STEPS, st.integers(2, 3), st.sampled_from(["2.0", "2.0", "1.2"]))
    @examples(EXAMPLES)
    def same(steps, players: int, dialect: str) -> None:
        counts = run(at_a_table(steps, players, dialect))
        for what in ("begun", "finished", "left", "rejoined"):
            event(f"{what}: {min(counts[what], 3)}")
        total["tables"] += 1
        total.update(counts)

    same()
    assert total["begun"] >= total["tables"], total
    for what in ("finished", "left", "rejoined"):
        assert total[what] >= total["tables"] / 20, total
    assert len([what for what in total if " " in what]) >= 3, "of six reasons to refuse a turn"


# BSP

CELLS = [f"{row}{column}" for row in "ABCDEFGHIJ" for column in range(1, 11)]
SHIPS = [[cell_text(Cell(*cell)) for cell in ship.cells] for ship in FLEET]
WORDS = st.sampled_from(
    [
        *(
            "JOIN",
            "JOIN x",
            "JOIN x y",
            "JOIN ",
            "join",
            "SHOT A1",
            "SHOT A1",
            "SHOT J10",
            "SHOT K1",
        ),
        *("SHOT A11", "SHOT A01", "SHOT  A1", "SHOT A1 ", "shot A1", "SURRENDER", "FOO", "", "\0"),
        *("SHOT A1\nSHOT A2", "BAD_REQUEST", "SURRENDERx", "JOIN\nSHOT B1\nSHOT B2"),
    ]
)
BSP_SAID = st.builds(
    "{}{}".format, WORDS, st.sampled_from(["\n"] * 9 + ["", "\r\n", "x" * 1023 + "\n", "x" * 1500])
)
BSP_STEPS = st.lists(
    st.tuples(
        st.sampled_from([*["shots", "say", "join"] * 4, "give up", "end", "connect", "late"]),
        WHO,
        st.sampled_from([1, 2, 7, 50]),
        BSP_SAID,
    ),
    min_size=10,
    max_size=30,
)


async def at_a_server(steps, rounds: int) -> Counter[str]:
    text = "".join(
        f"{name}:{' '.join(ship)};" for name, ship in zip(SHIP_NAMES, SHIPS, strict=True)
    )
    naive = NaiveBsp(SHIPS, text, rounds)
    async with Serving(matchmaking(dealt(rounds=rounds), rounds)) as serving:
        hall = serving.hall
        assert isinstance(hall, Matchmaking)
        driven = Driven(serving, naive, lambda: not any(room.match.is_over for room in hall.rooms))
        now = [await driven.connect() for _ in range(5)]

        async def join(who: int) -> None:
            now[who] = await driven.connect()
            await driven.say(now[who], "JOIN\n")

        for who in range(4):
            await driven.say(now[who], "JOIN\n")
        for what, who, count, said in steps:
            match what:
                case "say" | "give up":
                    await driven.say(now[who], said if what == "say" else "SURRENDER\n")
                case "end":
                    await driven.end(now[who])
                case "connect":
                    now[who] = await driven.connect()
                case "join":
                    await join(who)
                case "late":
                    await later(31)
                    naive.late()
                    await driven.settle()
                case "shots":  # by turns, all at ships, and one of them misses once
                    room = naive.rooms.get(now[who])
                    for _ in range(count):
                        if room is None or room.up not in naive.rooms:
                            break
                        up = room.up
                        shots = room.shots[up]
                        cells = [cell for ship in SHIPS for cell in ship if cell not in shots]
                        misses = up == room.players[count % 2] and not shots
                        await driven.say(up, f"SHOT {'J1' if misses else cells[0]}\n")
        await driven.compare()
    return naive.counts


SHIP_NAMES = [
    *("carrier", "battleship", "cruiser", "cruiser", "destroyer", "destroyer"),
    *["submarine"] * 3,
]


def test_a_server_of_bsp_is_as_the_naive_one() -> None:
    """With clients that join, shoot, repeat shots, talk nonsense, surrender, leave or are late:
    every end of a game is told to both, and to nobody else."""
    total: Counter[str] = Counter()

    @given(BSP_STEPS, st.sampled_from([3, 300, 300]))
    @examples(EXAMPLES)
    def same(steps, rounds: int) -> None:
        counts = run(at_a_server(steps, rounds))
        for what in ("begun", "WINNER", "SURRENDER", "DISCONNECTION", "TIMEOUT", "DRAW"):
            event(f"{what}: {min(counts[what], 3)}")
        total["servers"] += 1
        total.update(counts)

    same()
    assert total["begun"] >= 2 * total["servers"], total
    for what in ("WINNER", "SURRENDER", "DISCONNECTION", "TIMEOUT"):
        assert total[what] >= total["servers"] / 40, total
    assert total["bad"] >= total["servers"] / 4, total
