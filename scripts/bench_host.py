"""The row of a hosted ladder: readers and uploads while two jobs play."""

from __future__ import annotations

import asyncio
import json
import shutil
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random
from typing import NamedTuple

import bench_ledger
import measuring
from judge.process.bots.bot import contestants
from judge.serve.host.folder import HostFolder
from measuring import JUDGE, SMALL_BOTS, Round, Rounds, fail

BOTS, GAMES = 500, 20_000
READERS, UPLOADS = 200, 20
SECONDS, PAUSE = 10.0, 1.0  # of reading, and from a reader's page to the next
MOST_SECONDS = 300.0
BOT = (SMALL_BOTS / "in_order.py").read_text()
NEWCOMER = Path(__file__).parent.with_name("bots").joinpath("random", "bot.py").read_text()


class Pond(NamedTuple):
    """A ladder that runs: its port, and a token for each upload."""

    port: int
    tokens: list[str]


def host_row(folder: Path) -> Rounds:
    """200 readers and 20 uploads at once of a ladder of 500 bots, while two jobs play: the 99th
    percentile of a page; and the time from a newcomer's acceptance to its first result."""
    for round_ in count(1):
        with hosted(folder / str(round_)) as pond:
            pages, upload = asyncio.run(_read(pond))
            first = asyncio.run(_first_result(pond, upload))
        yield Round(pages), Round(first)


@contextmanager
def hosted(folder: Path) -> Iterator[Pond]:
    """A ladder whose bots have met already."""
    folder.mkdir()
    pond = HostFolder(folder / "pond")
    pond.make()
    for bot in range(BOTS):
        (pond.bots / f"bot{bot:03}.py").write_text(f"{BOT}# {bot}\n")
    bots, _ = contestants(pond.bots)
    bench_ledger.make(pond.ledger, GAMES, BOTS, digests={bot.name: bot.digest for bot in bots})
    tokens = [pond.invite(f"newcomer{number}") for number in range(UPLOADS)]
    command = (JUDGE, "host", "pond", "--port", "0", "--jobs", "2", "--timeout", "30s")
    with measuring.serving(folder, *command) as (_, (port,)):
        yield Pond(port, tokens)
    shutil.rmtree(folder)


async def _asked(pond: Pond, path: str, of: int, token: str = "", body: bytes = b"") -> bytes:
    """The body of an answer; each reader has an address of its own."""
    local = (f"127.0.1.{of % 250 + 1}", 0)
    reader, writer = await asyncio.open_connection("127.0.0.1", pond.port, local_addr=local)
    method = "POST" if body else "GET"
    writer.write(
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Length: {len(body)}\r\n\r\n".encode()
        + body
    )
    head, _, answer = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    if not head.startswith((b"HTTP/1.1 200", b"HTTP/1.1 202")):
        fail(f"{path}: {head[:200]!r} {answer[:200]!r}")
    return answer


def _paths(luck: Random) -> Iterator[str]:
    while True:
        yield from ("/", f"/bots/bot{luck.randrange(BOTS):03}", "/api/standings", "/?by=points")


async def _read(pond: Pond) -> tuple[float, int]:
    """The 99th percentile of the milliseconds that a page takes, and the number of an upload."""
    taken: list[float] = []
    end = time.perf_counter() + SECONDS

    async def read(number: int) -> None:
        luck = Random(number)
        for path in _paths(luck):
            await asyncio.sleep(luck.uniform(0, 2 * PAUSE))
            if (begin := time.perf_counter()) > end:
                return
            await _asked(pond, path, number)
            taken.append((time.perf_counter() - begin) * 1000)

    async def send(number: int) -> int:
        await asyncio.sleep(SECONDS / 2)
        bot = f"{NEWCOMER}# upload {number}\n".encode()
        answer = await _asked(pond, "/api/uploads?name=bot.py", number, pond.tokens[number], bot)
        return int(json.loads(answer)["number"])

    first, *_ = await asyncio.gather(*map(send, range(UPLOADS)), *map(read, range(READERS)))
    assert first is not None, "it is an upload's"
    return statistics.quantiles(taken, n=100)[98], first


async def _first_result(pond: Pond, number: int) -> float:
    """The seconds from the acceptance of the first newcomer's upload to its first result."""
    end = time.perf_counter() + MOST_SECONDS
    upload = {"state": "waiting"}
    while upload["state"] == "waiting":
        await asyncio.sleep(0.1)
        upload = json.loads(await _asked(pond, f"/api/uploads/{number}", 0, pond.tokens[0]))
    accepted = time.perf_counter()
    names: set[str] = set()
    while "newcomer0" not in names:
        if time.perf_counter() > end:
            fail(f"the newcomer, {upload['state']}, has played no game: {upload['report']}")
        await asyncio.sleep(0.1)
        games = json.loads(await _asked(pond, "/api/games?most=50", 0))["games"]
        names = {name for game in games for name in game["names"]}
    return time.perf_counter() - accepted
