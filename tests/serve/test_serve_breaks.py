"""A client that breaks its connection off, or chats without end, costs the others nothing."""

from __future__ import annotations

import asyncio

import pytest

from halls import BOARDS, joined, matchmaking, playing, small, table, table_in, two
from judge.serve.core import BURST, MOST_BAD_LINES
from judge.serve.xbs import LEAVE_SECONDS, LONGEST_REASON, MOST_LEAVES
from judge.serve.xbs_chat import LINES_AT_ONCE
from serving import Client, Serving, later, run

pytestmark = pytest.mark.whole


async def unread(serving: Serving, client: Client) -> None:
    """Send more than the server reads at once, and break the connection off while it does not
    read."""
    await client.say(b"A" * (2 * BURST))
    label = f"127.0.0.1:{client.port}"
    (one,) = (one for one in serving.core.clients if one.label == label)
    await serving.until(lambda: one.received > BURST)
    client.reset()
    await asyncio.sleep(0)


def test_who_leaves_a_lobby_and_breaks_off_has_no_place_there() -> None:
    """Its place and its name are free at once, and the others hear that it is gone."""

    async def play() -> None:
        async with Serving(table(small(3))) as serving:
            ann, bob = await joined(serving, "ann", "bob")
            await ann.say("L\n")
            ann.reset()
            assert (await bob.line()).startswith("L|ann|")
            assert [place.name for place in table_in(serving).places] == ["bob"]

    run(play())


def test_who_leaves_a_game_and_breaks_off_is_skipped_after_the_grace() -> None:
    """Its turn waits for it no longer than for anybody who is gone, and it may come back."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            ann, bob = await playing(serving, "ann", "bob")
            await ann.say("L\n")
            ann.reset()
            assert await bob.line() == f"B|ann|disconnected|{'.' * 64}|0|0"
            await later(61)
            assert await bob.lines(2) == ["K|ann|gone", "N|bob"]
            again = await serving.connect()
            await again.say(f"J|ann|{BOARDS[0]}\n")
            assert (await again.lines(2))[1] == "J|ann"

    run(play())


def test_who_talks_nonsense_without_end_is_gone_from_the_table() -> None:
    """After hundreds of lines that are not messages its turn waits for it, as for anybody who is
    gone."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            ann, bob = await playing(serving, "ann", "bob")
            await ann.say("nonsense\n" * MOST_BAD_LINES)
            await ann.lines(MOST_BAD_LINES)
            await ann.say("nonsense\n")
            assert (await bob.line()).startswith("B|ann|left the game|")
            assert [line for line in serving.said.lines if "bad requests and is dropped" in line]

    run(play())


@pytest.mark.parametrize("most", [2, 3], ids=["in the game", "in the lobby"])
def test_coming_and_going_is_bounded(most: int) -> None:
    """However often one client leaves and comes back, the others are told of it so often at once,
    in a few words, and then now and then."""

    async def play() -> None:
        async with Serving(table(small(most), "ann", "bob")) as serving:
            ann = (await joined(serving, "ann"))[0]
            for seconds, times in ((0, MOST_LEAVES), (LEAVE_SECONDS * 1.5, 1), (3600, MOST_LEAVES)):
                await later(seconds)
                for _ in range(times):
                    bob = await serving.connect()
                    await bob.say("J|bob|" + BOARDS[1] + "\nL|" + "x" * 3500 + "\n")
                    await bob.rest()
                refused = await serving.connect()
                await refused.say("J|bob|" + BOARDS[1] + "\n")
                assert (await refused.rest()).endswith("wait before you join again\n")
            await ann.say("P|done\n")
            heard = [await ann.line()]
            while heard[-1] != "P|done":
                heard.append(await ann.line())
            leaves = [line for line in heard if "xx" in line]
            assert len(leaves) == 2 * MOST_LEAVES + 1
            assert max(map(len, leaves)) < LONGEST_REASON + 100

    run(play())


def test_a_stranger_that_breaks_off_does_not_keep_a_lobby_from_opening() -> None:
    """However its connection ended, the next lobby opens when the game is over."""

    async def play() -> None:
        async with Serving(table(small(repeat=None), "ann", "bob")) as serving:
            stranger = await serving.connect()
            await stranger.line()
            ann, bob = await playing(serving, "ann", "bob")
            await unread(serving, stranger)
            hall = table_in(serving)
            hall.skip("asleep")
            ann.close()
            bob.close()
            await serving.until(lambda: all(place.client is None for place in hall.places))
            await later(61)
            await serving.until(lambda: hall.match is None)
            await joined(serving, "cat")

    run(play())


def test_a_server_stops_whoever_has_broken_off() -> None:
    """One in the queue of BSP that has broken its connection off does not keep the server from
    telling the others and ending."""

    async def play() -> None:
        async with Serving(matchmaking()) as serving:
            a, b = await two(serving)
            waiting = await serving.connect()
            await waiting.say("JOIN cat\n")
            await waiting.line()
            await unread(serving, waiting)
            serving.server.stop()
            assert await a.rest() == "END_GAME ABORTED A\n"
            assert await b.rest() == "END_GAME ABORTED A\n"

    run(play())


def test_words_are_bounded() -> None:
    """The others hear a bounded amount at once and then a little each second, however much one
    player says, in the lobby as in the game."""

    async def play() -> None:
        async with Serving(table(small(3))) as serving:
            ann, bob = await joined(serving, "ann", "bob")
            for seconds in (0, 2, 60):
                await later(seconds)
                await ann.say("M||x\n" * 100 + "P|done\n")
                assert await ann.line() == "P|done"
                heard = min(seconds or LINES_AT_ONCE, LINES_AT_ONCE)
                assert await bob.lines(heard) == ["M|ann|x|All"] * heard
                await bob.say("P|done\n")
                assert await bob.line() == "P|done"

    run(play())


def test_who_does_not_read_for_a_while_is_not_dropped_for_what_others_say() -> None:
    """Words for which there is no room are not told to it; it reads what is of the game."""

    async def play() -> None:
        async with Serving(table(small(), "ann", "bob")) as serving:
            ann = await serving.connect(holds=4096)
            await ann.say("J|ann|" + "AAA" + "." * 5 + "BB" + "." * 54 + "\n")
            await serving.read(ann)
            bob = await serving.connect()
            await bob.say("J|bob|" + "." * 8 + "AAA" + "." * 51 + "BB\n")
            await serving.until(lambda: table_in(serving).match is not None)
            for _ in range(12):
                await later(60)
                await bob.say(("M||" + "x" * 4000 + "\n") * 15)
                await serving.read(bob)
            await bob.say("L|bye\n")
            lines = []
            while not (lines and lines[-1].startswith("B|bob|bye")):
                lines.append(await ann.line())
            assert 0 < sum(line.startswith("M|") for line in lines) < 12 * 15
            assert not [line for line in serving.said.lines if "is dropped" in line]

    run(play())
