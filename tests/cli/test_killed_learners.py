"""A contest of players that learn, which is killed again and again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from contest_folder import journal as games_in
from learner import learners
from needs import need

pytestmark = pytest.mark.whole

ROOT = Path(__file__).parents[2]
KILLS = 3
GAMES = 3 * 2 * 3  # of three players, in three rounds


def ranking(folder: Path, name: str) -> subprocess.Popen[bytes]:
    """The contest, kept in the ledger of that name."""
    words = f"rank players --rules broadsides --seed 7 --rounds 3 --jobs 2 --ledger {name}.json"
    return subprocess.Popen(
        [sys.executable, "-m", "judge", *words.split(), "--learning", "on", "--isolation", "bwrap"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def games(journal: Path) -> int:
    lines = journal.read_bytes().splitlines() if journal.exists() else []
    return sum(line.startswith(b'{"kind":"game"') for line in lines)


def data(folder: Path, name: str) -> dict[str, bytes]:
    """All data that are kept beside a ledger, by the names of their files."""
    return {path.name: path.read_bytes() for path in (folder / f"{name}.data").iterdir()}


def test_learners_that_are_killed_end_with_the_same_ledger_and_data(tmp_path: Path) -> None:
    """Killed three times by SIGKILL, it ends as one that was never stopped; and each game of a
    player had the data that the one before had left: a line for each. The last are kept, and no
    others."""
    need("bwrap")
    players = learners(tmp_path / "players", "ann", "bob", "cy")
    (players / "ann.txt").write_text("0 before the contest\n")
    whole = ranking(tmp_path, "whole")
    _, told = whole.communicate(timeout=300)
    assert whole.returncode == 0, told.decode()

    journal, luck = tmp_path / "killed.games.jsonl", Random(1)
    for kill in range(KILLS):
        run = ranking(tmp_path, "killed")
        wanted = games(journal) + luck.randint(1, 3)
        while games(journal) < wanted and run.poll() is None:
            time.sleep(0.01)
        time.sleep(luck.random() / 4)
        run.send_signal(signal.SIGKILL)
        run.communicate(timeout=60)
        assert kill == KILLS - 1 or games(journal) < GAMES
    last = ranking(tmp_path, "killed")
    _, told = last.communicate(timeout=300)
    assert last.returncode == 0, told.decode()

    assert (tmp_path / "killed.json").read_bytes() == (tmp_path / "whole.json").read_bytes()
    assert data(tmp_path, "killed") == data(tmp_path, "whole")
    played: Counter[str] = Counter(ann=1)
    last: dict[str, str] = {}
    for game in games_in(journal):
        for seat in game["seats"]:
            played[seat["name"]] += 1
            last[seat["name"]] = seat["data_digest"].removeprefix("sha256:")
    assert data(tmp_path, "killed").keys() == set(last.values())
    for name, left in last.items():
        assert len((tmp_path / "killed.data" / left).read_text().splitlines()) == played[name]
    assert played == {"ann": 13, "bob": 12, "cy": 12}
    assert (players / "ann.txt").read_text() == "0 before the contest\n"
