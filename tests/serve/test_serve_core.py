"""Every server bears clients that do not read, or talk without end, and a full machine."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import socket
from pathlib import Path

import pytest

from halls import joined, matchmaking, small, table, two
from judge.serve.core import A_LINE, BURST, BYTES_A_SECOND
from judge.serve.log import FEW, Log, ServerLogFormat
from judge.serve.rate_limits import ClientBounds
from judge.wire.messages import Refused
from serving import Lines, Serving, later, run

pytestmark = pytest.mark.whole


def test_who_does_not_read_is_dropped() -> None:
    """A client for which more waits than it may leave unread is gone, and its game goes to its
    opponent."""

    async def play() -> None:
        async with Serving(matchmaking()) as serving:
            a = await serving.connect()
            await a.say("JOIN\n")
            await a.line()
            b = await serving.connect(holds=4096)
            await b.say("JOIN\n")
            assert (await a.lines(2))[1] == "TURN A"
            label = f"127.0.0.1:{b.port}"
            deaf = next(one for one in serving.core.clients if one.label == label)
            said = f"{label} does not read and is dropped"
            for _ in range(1000):
                for _ in range(100):
                    deaf.send(Refused("", None))
                await asyncio.sleep(0)
                if any(said in line for line in serving.said.lines):
                    break
            assert await a.rest() == "END_GAME DISCONNECTION B\n"

    run(play())


def test_who_talks_without_end_is_read_slowly() -> None:
    """A client that sends more than anyone who plays, or more lines, costs the others no more than
    that, and what it sent is read in the end."""

    async def play() -> None:
        async with Serving(matchmaking()) as serving:
            a, b = await two(serving)
            await b.say("SHOT A1\n" * (2 * BURST // A_LINE) + "FOO\n")
            answered = asyncio.create_task(b.line())
            for _ in range(100):
                await asyncio.sleep(0.001)
            assert not answered.done()  # all that is before it has not been read
            for _ in range(2 * BURST // BYTES_A_SECOND):
                await later(1)
            assert await answered == "BAD_REQUEST"
            await a.say("SHOT J2\n")
            assert await b.line() == "MISS J2"

    run(play())


def test_who_connects_again_has_no_new_budget() -> None:
    """The budget that a client has used up is used up for the next one from its network, which is
    read as slowly."""

    async def play() -> None:
        async with Serving(matchmaking()) as serving:
            _, talker = await two(serving)
            await talker.say("SHOT A1\n" * (BURST // A_LINE))
            (heard,) = (one for one in serving.core.clients if one.port == talker.port)
            await serving.until(lambda: heard.received >= len("SHOT A1\n") * BURST // A_LINE)
            talker.reset()
            await serving.until(lambda: heard not in serving.core.clients)
            again = await serving.connect()
            said = "JOIN\n" + "FOO\n" * 400  # within a new budget
            await again.say(said)
            (heard,) = (one for one in serving.core.clients if one.port == again.port)
            await serving.until(lambda: heard.received > 0)
            for _ in range(100):
                await asyncio.sleep(0.001)
            assert heard.received < len(said)

    run(play())


@pytest.mark.parametrize(
    "bounds", [ClientBounds(clients=50, per_address=5), ClientBounds(clients=5, per_address=5)]
)
def test_a_crowd_that_waits_keeps_no_player_out(bounds: ClientBounds) -> None:
    """Who has waited longest without a place gives way to the next client; those who play stay,
    and what becomes of the crowd is counted instead of printed line by line."""

    async def play() -> None:
        async with Serving(table(small()), bounds=bounds) as serving:
            ann, bob = await joined(serving, "ann", "bob")
            await asyncio.gather(ann.lines(4), bob.lines(4))
            crowd = [await serving.connect() for _ in range(3)]
            await serving.until(lambda: len(serving.core.clients) == 5)
            late = await serving.connect()
            assert await crowd[0].rest() is not None
            assert crowd[0].at_end
            assert (await late.line()).startswith("G|")
            for _ in range(3 * FEW):
                await (await serving.connect()).line()
            assert len(serving.core.clients) == 5
            told = [line for line in serving.said.lines if "gives way" in line]
            assert len(told) == FEW
            serving.log.say_untold("dropped")
            assert serving.said.lines[-1].endswith(f" {2 * FEW + 1} more clients were dropped")
            await bob.say("M||still here\n")
            assert await ann.line() == "M|bob|still here|All"

    run(play())


@pytest.mark.parametrize(("form", "told"), [("text", 1), ("json", 2)])
def test_what_happens_again_is_told_programs_alone(form: str, told: int) -> None:
    """Sentences tell it once, and JSON each time."""
    lines = Lines()
    log = Log(lines, ServerLogFormat(form))
    for again in (False, True):
        log.say("skipped", "the turns of ann are skipped", again=again, name="ann", room=1)
    assert len(lines.lines) == told


def test_two_hosts_at_one_port() -> None:
    """A server listens at each host that is named, also where any port will do."""

    async def play() -> None:
        async with Serving(matchmaking(), hosts=["127.0.0.1", "127.0.0.2"]) as serving:
            (one, port), (other, same) = serving.core.addresses
            assert (one, other, same) == ("127.0.0.1", "127.0.0.2", port)
            for host in (one, other):
                reader, writer = await asyncio.open_connection(host, port)
                writer.write(b"JOIN\n")
                assert await reader.readline() == b"JOINED_MATCHMAKING\n"
                writer.close()

    run(play())


def test_no_descriptor_left() -> None:
    """New clients are refused at once if the process can open nothing more, and games go on."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    filling: list[int] = []

    async def play() -> None:
        async with Serving(matchmaking()) as serving:
            a, b = await two(serving)
            late = socket.socket()
            late.setblocking(False)
            used = max(int(one.name) for one in Path("/proc/self/fd").iterdir())
            resource.setrlimit(resource.RLIMIT_NOFILE, (used + 2, hard))
            with contextlib.suppress(OSError):
                while True:
                    filling.append(os.dup(0))
            loop = asyncio.get_running_loop()
            await loop.sock_connect(late, serving.core.addresses[0])
            assert await loop.sock_recv(late, 10) == b""
            late.close()
            assert any("no file descriptor left" in line for line in serving.said.lines)
            await a.say("SHOT A1\n")
            assert await b.line() == "HIT A1"
            while filling:
                os.close(filling.pop())
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            again = await serving.connect()
            await again.say("JOIN\n")
            assert await again.line() == "JOINED_MATCHMAKING"

    try:
        run(play())
    finally:
        for one in filling:
            os.close(one)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
