"""A hosted ladder in a process of its own: the row of its readers and uploads while two jobs play,
and its deaths at random instants, after which nothing that was acknowledged may be missing.

`tests/serve/host` kills it six times, and `scripts/soak.py host` more often.
"""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from itertools import count, cycle
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any, NamedTuple

import bench_ledger
from judge.contest.ledger.verify import verify
from judge.documents.codec import builtins
from judge.errors import JudgeFault, UsageError
from judge.join.submission import LadderClient
from judge.process.bots.bot import contestants
from judge.serve.host.folder import HostFolder
from judge.serve.host.uploads import MOST_KEPT
from measuring import PATIENCE, ROOT, SMALL, SMALL_BOTS, Round, Rounds, fail, serving

BOTS, GAMES = 500, 20_000
READERS, UPLOADS = 200, 20
SECONDS, PAUSE = 10.0, 1.0  # of reading, and from a reader's page to the next
BOT = (SMALL_BOTS / "in_order.py").read_text()
NEWCOMER = (ROOT / "bots" / "random" / "bot.py").read_text()
MOST_SECONDS = 1.5  # of a ladder's life, from its first answer
BETWEEN = 0.02  # seconds from one upload to the next
WRONG = "#!/usr/bin/env python3\nprint('{}')\n"


class Ladder(NamedTuple):
    """A ladder that runs, by its process and its port."""

    process: subprocess.Popen[str]
    port: int

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    @contextmanager
    def answer(self, path: str, reader: int = 0) -> Iterator[HTTPResponse]:
        """An answer. Each of 250 readers has an address of its own."""
        own = (f"127.0.1.{reader % 250 + 1}", 0)
        with closing(HTTPConnection("127.0.0.1", self.port, PATIENCE, own)) as connection:
            connection.request("GET", path)
            yield connection.getresponse()

    def ask(self, path: str) -> Any:
        """The JSON of an answer."""
        with self.answer(path) as answer:
            return json.loads(answer.read())

    def until(self, path: str, is_so: Callable[[Any], bool]) -> None:
        """Wait until the answer of a path is so."""
        end = time.monotonic() + 5 * PATIENCE
        while not is_so(found := self.ask(path)):
            assert time.monotonic() < end, f"{path} is still {found}"
            time.sleep(0.1)


@contextmanager
def running(folder: Path, *words: str) -> Iterator[Ladder]:
    """A ladder in a process of its own, which is told to end at the end."""
    command = (sys.executable, "-m", "judge", "host", "pond", "--port", "0", "--jobs", "2", *words)
    with serving(folder, *command) as (process, (port,)):
        yield Ladder(process, port)


def host_row(folder: Path) -> Rounds:
    """200 readers and 20 uploads at once of a ladder of 500 bots, while two jobs play: the 99th
    percentile of a page; and the time from a newcomer's acceptance to its first result."""
    for round_ in count(1):
        with hosted(folder / str(round_)) as (ladder, tokens):
            with ThreadPoolExecutor(READERS + UPLOADS) as pool:
                clients = [LadderClient(ladder.url, token) for token in tokens]
                sent = [pool.submit(_send, *each) for each in enumerate(clients)]
                pages = [pool.submit(_read, ladder, number) for number in range(READERS)]
                taken = [ms for page in pages for ms in page.result()]
            first = _first_result(ladder, clients[0], sent[0].result())
        yield Round(statistics.quantiles(taken, n=100)[98]), Round(first)


@contextmanager
def hosted(folder: Path) -> Iterator[tuple[Ladder, list[str]]]:
    """A ladder whose bots have met already, and a token for each upload."""
    folder.mkdir()
    pond = HostFolder(folder / "pond")
    pond.make()
    for bot in range(BOTS):
        (pond.bots / f"bot{bot:03}.py").write_text(f"{BOT}# {bot}\n")
    bots, _ = contestants(pond.bots)
    bench_ledger.make(pond.ledger, GAMES, BOTS, digests={bot.name: bot.digest for bot in bots})
    tokens = [pond.invite(f"newcomer{number}") for number in range(UPLOADS)]
    with running(folder, "--timeout", "30s") as ladder:
        yield ladder, tokens
    shutil.rmtree(folder)


def _read(ladder: Ladder, reader: int) -> list[float]:
    """How many milliseconds each page took a reader, one after the other."""
    luck, taken = Random(reader), []
    end = time.perf_counter() + SECONDS
    for path in cycle(("/", "/bots/bot{:03}", "/api/standings", "/?by=points")):
        time.sleep(luck.uniform(0, 2 * PAUSE))
        if (begin := time.perf_counter()) > end:
            break
        with ladder.answer(path.format(luck.randrange(BOTS)), reader=reader) as answer:
            answer.read()
        if answer.status != 200:
            fail(f"{path} has the status {answer.status}")
        taken.append((time.perf_counter() - begin) * 1000)
    return taken


def _send(number: int, client: LadderClient) -> int:
    """Send a bot in the midst of the reading; the number of the upload."""
    time.sleep(SECONDS / 2)
    return client.submit("bot.py", f"{NEWCOMER}# upload {number}\n".encode()).number


def _first_result(ladder: Ladder, client: LadderClient, upload: int) -> float:
    """The seconds from the acceptance of the first newcomer's upload to its first result."""
    while (state := client.state(upload).state) == "waiting":
        time.sleep(0.1)
    accepted = time.perf_counter()
    if state != "accepted":
        fail(f"the newcomer was {state}")
    ladder.until("/api/games?most=50", lambda found: "newcomer0" in str(found))
    return time.perf_counter() - accepted


def small_ladder(folder: Path) -> None:
    """A ladder of two bundled bots, on a small board so that games are short."""
    for name in ("random", "hunt"):
        shutil.copytree(ROOT / "bots" / name, folder / "pond" / "bots" / name)
    (folder / "tiny.json").write_text(json.dumps(builtins(SMALL)))


def deaths(folder: Path, kills: int) -> Iterator[str]:
    """Kill a small ladder so often; gives what was lost or is there twice, a sentence each."""
    luck = Random(kills)
    pond = HostFolder(folder / "pond")
    pond.make()
    token = pond.invite("ann")
    uploads: dict[int, bytes] = {}  # acknowledged, by number
    reported: dict[int, list[str]] = {}  # the names of games, by number
    lost: set[str] = set()

    def take(found: Any) -> bool:
        before = max(reported, default=0)
        reported.update((game["number"], game["names"]) for game in found["games"])
        return max(reported, default=0) > before

    def send(ladder: Ladder, name: str) -> None:
        bot = f"{WRONG}# {name}\n".encode()
        with suppress(UsageError):  # some are refused, for a token sends few at once
            uploads[LadderClient(ladder.url, token).submit("bot.py", bot).number] = bot

    for kill in range(kills):
        with running(folder, "--rules", "tiny.json") as ladder:
            if kill % 5 == 0:  # then something is there to lose, however busy the machine is
                send(ladder, f"{kill} first")
                ladder.until("/api/games", take)
            death = Timer(luck.uniform(0, MOST_SECONDS), ladder.process.kill)
            death.start()
            try:
                for again in count(1):
                    send(ladder, f"{kill} {again}")
                    take(ladder.ask("/api/games"))
                    time.sleep(BETWEEN)
            except (HTTPException, OSError, JudgeFault) as error:
                if "is not a ladder" in str(error):  # it is there, and answers something else
                    lost.add(str(error))
            death.join()
        lost.update(_lost(pond.uploads, uploads))  # now, for older uploads are removed
    print(f"{len(uploads)} uploads and {len(reported)} games before {kills} deaths")
    with running(folder, "--rules", "tiny.json") as ladder:
        try:
            LadderClient(ladder.url, token).state(max(uploads))
        except UsageError as error:
            yield f"the token does not hold: {error}"
    yield from verify(pond.ledger).problems
    lines = (folder / "pond" / "ledger.games.jsonl").read_text().splitlines()
    games = [entry for entry in map(json.loads, lines) if entry["kind"] == "game"]
    twice = [key for key, times in Counter(game["key"] for game in games).items() if times > 1]
    yield from (f"the game {key} is there twice" for key in twice)
    for number, names in reported.items():
        if games[number - 1]["result"]["names"] != names:
            yield f"game {number} of {names} is another now"
    yield from sorted(lost)
    yield from (f"{path} is left" for path in pond.uploads.glob(".new-*"))


def _lost(folder: Path, uploads: dict[int, bytes]) -> Iterator[str]:
    """The faults of the last uploads that were acknowledged."""
    newest = max((int(path.name) for path in folder.glob("[0-9]*")), default=0)
    for number, bot in uploads.items():
        upload = folder / str(number)
        if number <= newest - MOST_KEPT:
            continue
        if not (upload / "upload.json").exists():
            yield f"upload {number} is gone"
        elif (upload / "archive").exists() and (upload / "archive").read_bytes() != bot:
            yield f"upload {number} is another now"
