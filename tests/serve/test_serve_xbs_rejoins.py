"""Who gets the place of a player who is gone from an XBS table: its board proves it, or its address
while nobody else is there, or the host's word."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halls import BOARDS, SMALL, small, table, table_in
from judge.game.fleets import random_fleet
from judge.serve.xbs_console import Console
from judge.serve.xbs_places import TablePlace
from judge.serve.xbs_rejoins import MOST_QUESTIONS, MOST_WRONG, QUESTION_SECONDS, WRONG_SECONDS
from judge.wire.xbs.notation import board_text
from serving import Client, Serving, later, run
from strategies import examples

pytestmark = pytest.mark.whole

ANN, BOB, CAT = "127.0.0.1", "127.0.0.2", "127.0.0.3"
DOTS = "." * 64
OTHER = DOTS[:-8] + "BB...AAA"  # the same ships as Ann's board has, elsewhere


async def playing(serving: Serving, *addresses: str) -> list[Client]:
    """Ann, Bob and Cat, who have joined from these addresses, in a game that has begun."""
    clients = []
    for name, board, at in zip(
        ("ann", "bob", "cat"), [*BOARDS, BOARDS[0]], addresses, strict=False
    ):
        clients.append(await serving.connect(at=at))
        await clients[-1].say(f"J|{name}|{board}\n")
        await serving.until(lambda: len(table_in(serving).places) == len(clients))
    assert table_in(serving).match
    return clients


async def gone(serving: Serving, client: Client, name: str = "ann") -> TablePlace:
    """The place of a player whose connection ends."""
    client.close()
    (place,) = [one for one in table_in(serving).places if one.name == name]
    await serving.until(lambda: place.client is None)
    return place


async def asks(serving: Serving, words: str, at: str = ANN) -> Client:
    """A new client that asks for a place, and is told of the table."""
    client = await serving.connect(at=at)
    await client.say(words)
    assert (await client.line()).startswith("G|2.0.1|Pond|Y|")
    return client


async def is_back(client: Client) -> bool:
    """Whether the client has the place, and is told its ships."""
    return await client.lines(2) == ["J|ann", f"Y|{BOARDS[0]}"]


def questions(serving: Serving) -> list[str]:
    return [line[9:] for line in serving.said.lines if "says that it is" in line]


@pytest.mark.parametrize("words", ["J|ann\n", f"J|ann|{DOTS}\n", f"J|ann|{BOARDS[0]}\n"])
def test_a_player_alone_at_its_address_comes_back(words: str) -> None:
    """By its name alone, as published clients do, and by its board; also when it has tried before
    the server knew that its connection was cut."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            ann, bob = await playing(serving, ANN, BOB)
            await ann.say("S|bob|1|1\n")
            await bob.lines(7)
            early = await serving.connect(at=ANN)
            assert (await early.rest()).count("\n") == 1  # nobody is missing
            await gone(serving, ann)
            assert await is_back(await asks(serving, words))
            assert questions(serving) == []

    run(play())


def test_a_board_is_needed_where_another_player_has_the_address() -> None:
    """Neither the name nor a board of the same ships elsewhere gets the place, nor its ships; the
    player's own board does, also from another address, where it is at home then."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            ann, _ = await playing(serving, ANN, ANN)
            await gone(serving, ann)
            for board in (OTHER, BOARDS[1], BOARDS[0][1:], "A", BOARDS[0].lower()):
                eve = await asks(serving, f"J|ann|{board}\nP|end\n")
                assert await eve.lines(2) == ["E|name in use", "P|end"], board
            assert questions(serving) == []
            eve = await asks(serving, "J|ann\n")
            assert await eve.line() == "E|the host is asked to let ann in; your number is 1"
            ann = await asks(serving, f"J|ann|{BOARDS[0]}\n", at=CAT)
            assert await is_back(ann)
            await gone(serving, ann)
            assert await is_back(await asks(serving, "J|ann\n", at=CAT))

    run(play())


def test_the_host_lets_a_client_in() -> None:
    """The host is asked once; the client that asks has the place as soon as the host says so, and
    need not ask again."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            console = Console(table_in(serving), serving.server.stop)
            assert console.do("let ann in") == "nobody is called 'ann'"
            ann, bob = await playing(serving, ANN, ANN)
            assert console.do("let ann in") == "ann is not gone"
            assert console.do("let ann").startswith("let NAME in: ")
            assert console.do("let eve in") == "nobody is called 'eve'"
            await gone(serving, ann)
            again = await asks(serving, "J|ann\n" * 100)
            told = ["E|the host is asked to let ann in; your number is 1"] * 100
            assert await again.lines(100) == told
            question = (
                f"127.0.0.1:{again.port} says that it is ann, who is gone, and is not known by its board; "
                "`let ann in` gives it the place"
            )
            assert questions(serving) == [question]
            assert "> 1: ann (disconnected; 1 asks to be ann) " in console.do("R")
            assert console.do("let ann in 2") == "no client that asks to be ann has the number 2"
            assert console.do("LET a in") == ""
            assert await is_back(again)
            assert console.do("let ann in") == "ann is not gone"
            await again.lines(6)
            await again.say("J|ann\nS|bob|1|1\n")  # as one does that was asked for its name again
            assert await again.line() == f"B|bob||0{DOTS[1:]}|0|0"
            await gone(serving, bob, "bob")
            assert await (await asks(serving, "J|bob\n")).line() == (
                "E|the host is asked to let bob in; your number is 1"
            )
            assert len(questions(serving)) == 2

    run(play())


def test_a_client_that_was_refused_and_has_gone() -> None:
    """Programs that end when they are refused are started again after the host has let the player
    in: whatever board they show, from the player's address, and once."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            console = Console(table_in(serving), serving.server.stop)
            ann, _ = await playing(serving, ANN, ANN)
            place = await gone(serving, ann)
            first = await asks(serving, "J|ann\n")
            await first.line()
            first.close()
            await serving.until(lambda: not table_in(serving).waiting(place))
            assert console.do("let ann in") == (
                "the next client that says at 127.0.0.1 that it is ann takes the place"
            )
            eve = await asks(serving, "J|ann\n", at=CAT)
            assert await eve.line() == "E|the host is asked to let ann in; your number is 2"
            again = await asks(serving, f"J|ann|{OTHER}\n")
            assert await is_back(again)
            await gone(serving, again)
            assert (await (await asks(serving, "J|ann\n")).line()).startswith("E|the host is asked")

    run(play())


def test_the_host_tells_clients_apart_that_ask_to_be_one_player() -> None:
    """A stranger that asks first, or floods the table, gets no place by the host's word for the
    player: each is told its number, and the host names one. All of it is one question."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            console = Console(table_in(serving), serving.server.stop)
            ann, _ = await playing(serving, ANN, ANN)
            place = await gone(serving, ann)
            for number in range(1, 51):
                eve = await asks(serving, "J|ann\n")
                assert (await eve.line()).endswith(f"your number is {number}")
                if number > 1:
                    eve.close()
            again = await asks(serving, "J|ann\n")
            assert (await again.line()).endswith("your number is 51")
            await serving.until(lambda: len(table_in(serving).waiting(place)) == 2)
            assert len(questions(serving)) == 1
            assert console.do("let ann in") == (
                "51 clients have asked to be ann, and each is told its number; "
                "`let ann in NUMBER` gives one the place"
            )
            assert "(disconnected; 2 ask to be ann)" in console.do("R")
            assert console.do("let ann in 7") == "no client that asks to be ann has the number 7"
            assert console.do("let ann in 51") == ""
            assert await is_back(again)
            assert place.absence.asking == {}

    run(play())


def test_a_client_that_has_another_place_by_now_is_not_let_in() -> None:
    """One that asks to be two players, and becomes one of them, asks to be the other no more."""

    async def play() -> None:
        async with Serving(table(small(3), "ann", "bob", "cat")) as serving:
            console = Console(table_in(serving), serving.server.stop)
            ann, bob, _ = await playing(serving, ANN, ANN, ANN)
            place = await gone(serving, ann)
            await gone(serving, bob, "bob")
            both = await asks(serving, "J|ann\nJ|bob\n")
            await both.lines(2)
            assert console.do("let bob in") == ""
            assert await both.line() == "J|bob"
            assert table_in(serving).waiting(place) == {}
            assert console.do("let ann in").startswith("the next client")

    run(play())


@pytest.mark.parametrize("when", ["in the lobby", "in the game", "when the player is gone"])
def test_an_address_from_which_others_have_come_is_not_enough(when: str) -> None:
    """A client that has been at the table from the player's address while the player was heard
    there, or is there when the player comes back, gets no place by that, also after hanging up."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:

            async def visit() -> None:
                stranger = await serving.connect(at=ANN)
                assert (await stranger.line()).startswith("G|")
                if when == "when the player is gone":
                    again = await asks(serving, "J|ann\n")
                    assert (await again.line()).startswith("E|the host is asked")
                    again.close()
                stranger.close()
                here = 1 + sum(place.client is not None for place in table_in(serving).places)
                await serving.until(lambda: len(serving.core.clients) < here)

            if when == "in the lobby":
                ann = await serving.connect(at=ANN)
                await ann.say(f"J|ann|{BOARDS[0]}\n")
                await ann.lines(2)
                await visit()
                bob = await serving.connect(at=BOB)
                await bob.say(f"J|bob|{BOARDS[1]}\n")
                await ann.lines(5)
            else:
                ann, _ = await playing(serving, ANN, BOB)
                await ann.lines(6)
            if when == "in the game":
                await visit()
            await ann.say("S|bob|1|1\n")
            await ann.line()
            await gone(serving, ann)
            if when == "when the player is gone":
                await visit()
            assert (await (await asks(serving, "J|ann\n")).line()).startswith("E|the host is asked")
            assert len(questions(serving)) == 1

    run(play())


def test_an_address_from_which_another_player_has_come_is_not_enough() -> None:
    """Nor once that player has come back from elsewhere."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            ann, bob = await playing(serving, ANN, BOB)
            for at in (ANN, CAT):
                await gone(serving, bob, "bob")
                bob = await asks(serving, f"J|bob|{BOARDS[1]}\n", at=at)
                assert await bob.line() == "J|bob"
            await gone(serving, ann)
            assert (await (await asks(serving, "J|ann\n")).line()).startswith("E|the host is asked")

    run(play())


def test_a_player_who_comes_and_goes_does_not_keep_the_host_busy() -> None:
    """About one player the host is asked a few times, and later once more."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            ann, _ = await playing(serving, ANN, ANN)
            for _ in range(MOST_QUESTIONS + 2):
                await gone(serving, ann)
                ann = await asks(serving, f"J|ann\nJ|ann|{BOARDS[0]}\n")
                assert (await ann.line()).startswith("E|the host is asked")
                assert await is_back(ann)
            assert len(questions(serving)) == MOST_QUESTIONS
            await gone(serving, ann)
            ann = await asks(serving, "J|ann\n")
            await ann.line()
            assert len(questions(serving)) == MOST_QUESTIONS
            await later(QUESTION_SECONDS)
            await ann.say("J|ann\n")
            await ann.line()
            assert len(questions(serving)) == MOST_QUESTIONS + 1

    run(play())


def test_rejoin_any() -> None:
    """The name is enough, from anywhere and with whatever board, while the player is gone."""

    async def play() -> None:
        async with Serving(table(small(from_anywhere=True), "ann", "bob")) as serving:
            ann, _ = await playing(serving, ANN, ANN)
            for words, at in (("J|ann\n", CAT), (f"J|ann|{OTHER}\n", BOB), ("J|ann|x\n", ANN)):
                await gone(serving, ann)
                ann = await asks(serving, words, at)
                assert await is_back(ann)
            await gone(serving, ann)
            first, second = [await asks(serving, "J|bob\n") for _ in range(2)]
            assert [await one.line() for one in (first, second)] == ["E|name in use"] * 2

    run(play())


def test_a_board_cannot_be_guessed() -> None:
    """After some wrong boards from a network none is compared until later: the host is asked,
    whether it is the right one or not, so that a player whose address others share can come back.
    Other addresses lose nothing by that."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            ann, _ = await playing(serving, ANN, ANN)
            await gone(serving, ann)
            eve = await asks(serving, f"J|ann|{OTHER}\n" * MOST_WRONG)
            assert await eve.lines(MOST_WRONG) == ["E|name in use"] * MOST_WRONG
            for number, board in enumerate((BOARDS[0], OTHER), 1):
                one = await asks(serving, f"J|ann|{board}\n")
                asked = f"E|the host is asked to let ann in; your number is {number}"
                assert await one.line() == asked
            ann = await asks(serving, f"J|ann|{BOARDS[0]}\n", at=CAT)
            assert await is_back(ann)
            await gone(serving, ann)
            await later(WRONG_SECONDS)
            await eve.say(f"J|ann|{BOARDS[0]}\n")
            assert await is_back(eve)

    run(play())


def test_one_who_comes_and_goes_keeps_nobody_else_out() -> None:
    """A player at the same address who leaves and comes back as often as the table allows does not
    make another wait."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            ann, bob = await playing(serving, ANN, ANN)
            await gone(serving, ann)
            while True:
                await gone(serving, bob, "bob")
                bob = await asks(serving, f"J|bob|{BOARDS[1]}\n")
                if await bob.line() == "wait before you join again":
                    break
            assert await is_back(await asks(serving, f"J|ann|{BOARDS[0]}\n"))

    run(play())


@given(st.integers(0, 99), st.integers(0, 99))
@examples(20)
def test_any_board_but_the_own_one_is_refused(own: int, other: int) -> None:
    """Whatever the fleets: the same board gets the place, and another one does not."""
    fleets = [random_fleet(SMALL, Random(seed)) for seed in (own, other)]
    mine, wrong = (board_text(one, SMALL, "AB") for one in fleets)

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            clients = []
            for name in ("ann", "bob"):
                clients.append(await serving.connect())
                await clients[-1].say(f"J|{name}|{mine}\n")
            await serving.until(lambda: table_in(serving).match is not None)
            await gone(serving, clients[0])
            client = await asks(serving, f"J|ann|{wrong}\n")
            assert await client.line() == ("J|ann" if wrong == mine else "E|name in use")
            if wrong != mine:
                await client.say(f"J|ann|{mine}\n")
                assert await client.lines(2) == ["J|ann", f"Y|{mine}"]

    run(play())
