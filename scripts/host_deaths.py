"""Kills a ladder at random instants, under uploads and games, and looks at what is left.

Each upload that was acknowledged and each game that was reported has to be there, once, and tokens
hold. `tests/serve/host` kills it six times, and `scripts/soak.py host` more often.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import count
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any

from judge.contest.ledger.verify import verify
from judge.documents.codec import builtins
from judge.game.variants import BRAINJAR
from judge.serve.host.folder import HostFolder
from judge.serve.host.uploads import MOST_KEPT

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 180.0  # seconds; a busy machine is no reason to fail
MOST_SECONDS = 1.5  # of a ladder's life, from its first answer
BETWEEN = 0.02  # seconds from one upload to the next
WRONG = "#!/usr/bin/env python3\nprint('{}')\n"


@dataclass
class _Told:
    """The uploads and the names of games, by number, that ladders acknowledged and reported before
    they were killed."""

    uploads: dict[int, bytes] = field(default_factory=dict)
    games: dict[int, list[str]] = field(default_factory=dict)


class Ladder:
    """A ladder that runs, by its process."""

    def __init__(self, process: subprocess.Popen[str], notes: Path) -> None:
        """``notes`` is the file with its stderr."""
        assert process.stdout is not None, "it is a pipe"
        self.process = process
        line = process.stdout.readline()
        assert " is at http://" in line, notes.read_text()
        self.url = line.split(" is at ")[1].strip()
        self.port = int(self.url.strip("/").rpartition(":")[2])

    def ask(self, path: str, body: bytes | None = None, token: str = "") -> Any:
        """The JSON of an answer; with a ``body``, to what is sent."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        method = "GET" if body is None else "POST"
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request(method, path, body, headers)
            return json.loads(connection.getresponse().read())

    def live(self) -> Any:
        """All that the live page shows."""
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request("GET", "/live/events")
            lines = iter(connection.getresponse().readline, b"")
            found = next(line for line in lines if line.startswith(b"data: "))
        return json.loads(found.removeprefix(b"data: "))

    def until(self, path: str, is_so: Callable[[Any], bool]) -> Any:
        """The answer of a path, once it is so."""
        end = time.monotonic() + 5 * PATIENCE
        while not is_so(found := self.ask(path)):
            assert time.monotonic() < end, f"{path} is still {found}"
            time.sleep(0.1)
        return found


def small_ladder(folder: Path) -> None:
    """A ladder of two bundled bots, on a small board so that games are short."""
    for name in ("random", "hunt"):
        shutil.copytree(ROOT / "bots" / name, folder / "pond" / "bots" / name)
    rules = {**builtins(BRAINJAR), "name": "tiny", "columns": 4, "rows": 4, "fleet": [2]}
    (folder / "tiny.json").write_text(json.dumps(rules))


@contextmanager
def running(folder: Path) -> Iterator[Ladder]:
    """The ladder in a process of its own, which is told to end at the end."""
    words = ["host", "pond", "--port", "0", "--rules", "tiny.json", "--jobs", "2"]
    notes = folder / "notes.txt"
    with (
        notes.open("w") as stderr,
        subprocess.Popen(
            [sys.executable, "-m", "judge", *words],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        ) as process,
    ):
        try:
            yield Ladder(process, notes)
            process.terminate()
            process.wait(PATIENCE)
        finally:
            process.kill()


def deaths(folder: Path, kills: int) -> Iterator[str]:
    """Kill a small ladder so often; gives what was lost or is there twice, a sentence each."""
    luck = Random(kills)
    ladder_folder = HostFolder(folder / "pond")
    ladder_folder.make()
    token = ladder_folder.invite("ann")
    told = _Told()
    lost: set[str] = set()
    for kill in range(kills):
        with running(folder) as ladder:
            _live(ladder, kill, luck.uniform(0, MOST_SECONDS), token, told)
        lost.update(_lost(ladder_folder.uploads, told))  # now, for older uploads are removed
    print(f"{len(told.uploads)} uploads and {len(told.games)} games before {kills} deaths")
    with running(folder) as ladder:
        last = max(told.uploads)
        if ladder.ask(f"/api/uploads/{last}", token=token).get("number") != last:
            yield "the token does not hold"
    yield from verify(ladder_folder.ledger).problems
    lines = (folder / "pond" / "ledger.games.jsonl").read_text().splitlines()
    games = [entry for entry in map(json.loads, lines) if entry["kind"] == "game"]
    twice = [key for key, times in Counter(game["key"] for game in games).items() if times > 1]
    yield from (f"the game {key} is there twice" for key in twice)
    for number, names in told.games.items():
        if games[number - 1]["result"]["names"] != names:
            yield f"game {number} of {names} is another now"
    yield from sorted(lost)
    yield from (f"{path} is left" for path in ladder_folder.uploads.glob(".new-*"))


def _lost(uploads: Path, told: _Told) -> Iterator[str]:
    """The faults of the last uploads that were acknowledged."""
    newest = max((int(path.name) for path in uploads.glob("[0-9]*")), default=0)
    for number, bot in told.uploads.items():
        upload = uploads / str(number)
        if number <= newest - MOST_KEPT:
            continue
        if not (upload / "upload.json").exists():
            yield f"upload {number} is gone"
        elif (upload / "archive").exists() and (upload / "archive").read_bytes() != bot:
            yield f"upload {number} is another now"


def _live(ladder: Ladder, kill: int, seconds: float, token: str, told: _Told) -> None:
    """Send bots and look at games until the ladder is killed, after these ``seconds``. Every fifth
    ladder first acknowledges an upload and reports another game, however busy the machine is."""
    before = max(told.games, default=0)

    def take(found: Any) -> bool:
        told.games.update((game["number"], game["names"]) for game in found["games"])
        return max(told.games, default=0) > before

    def send(again: int) -> None:
        bot = f"{WRONG}# {kill} {again}\n".encode()
        answer = ladder.ask("/api/uploads?name=bot.py", bot, token)
        if "number" in answer:  # others are refused, for a token sends few at once
            told.uploads[answer["number"]] = bot

    if kill % 5 == 0:
        send(0)
        ladder.until("/api/games", take)
    death = Timer(seconds, ladder.process.kill)
    death.start()
    with suppress(HTTPException, OSError):
        for again in count(1):
            send(again)
            take(ladder.ask("/api/games"))
            time.sleep(BETWEEN)
    death.join()
