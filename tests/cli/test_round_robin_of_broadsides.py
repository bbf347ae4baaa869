"""A round robin of players of broadsides, good and bad, that is killed again and again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from commands import ROOT, judge
from judge.logs import broadsides
from judge.process.bots.scaffolds import TEMPLATES
from needs import need, strictest

pytestmark = pytest.mark.whole

KILLS = 5

# What is put before all else in the loop of a good player.
ODD = {
    "slow": "sleep 0.01 if line.start_with?('ACTION')",
    "crashes": "abort 'no more' if line =~ /ACTION SHOTS 5/",
    "cheats": "puts('SHOTS' + ' A1' * 9) || next if line.start_with?('ACTION SHOTS')",
    # Its file is gone with the game, so that it learns nothing.
    "learns": (
        "abort 'it is not forgotten' if line =~ /SETUP/ && File.exist?('learns.txt'); "
        "File.write('learns.txt', line, mode: 'a')"
    ),
}
GOOD = ("ann", "bob", "slow", "learns")
GAMES = 6 * 5  # of six players, every pair twice
LOOP = "while (line = $stdin.gets)\n"


@pytest.fixture
def players(tmp_path: Path) -> Path:
    """A folder with six players: two well-behaved, one that learns, one slow, one that crashes, one
    that cheats."""
    need("ruby")
    folder = tmp_path / "players"
    folder.mkdir()
    good = (TEMPLATES / "broadsides-ruby" / "bot.rb").read_text()
    assert LOOP in good
    for name in ("ann", "bob"):
        (folder / f"{name}.rb").write_text(good)
    for name, line in ODD.items():
        (folder / f"{name}.rb").write_text(good.replace(LOOP, f"{LOOP}  {line}\n"))
    return folder


def ranking(folder: Path, name: str, isolation: str, *more: str) -> subprocess.Popen[bytes]:
    """The contest, kept in the ledger of that name."""
    # Whoever crashes in every game plays on, so that each game is there.
    words = f"rank players --rules broadsides --seed 7 --ledger {name}.json --insist"
    command = [sys.executable, "-m", "judge", *words.split(), "--isolation", isolation, *more]
    return subprocess.Popen(
        [*command, "--jobs", "2"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def games(path: Path) -> int:
    return path.read_bytes().count(b'\n{"kind":"game"') if path.exists() else 0


def test_a_contest_that_is_killed_ends_in_the_same_bytes(players: Path) -> None:
    """Killed five times, its ledger is the one of a contest that was never stopped; every game has
    the winner of its log; and whoever crashes or cheats has lost to all who do not. Bots are held
    as strictly as this machine can."""
    folder, luck, isolation = players.parent, Random(1), strictest().name
    whole = ranking(folder, "whole", isolation, "--game-log", "logs")
    _, told = whole.communicate(timeout=500)
    assert whole.returncode == 0, told.decode()

    journal = folder / "killed.games.jsonl"
    for kill in range(KILLS):
        run = ranking(folder, "killed", isolation)
        wanted = games(journal) + luck.randint(1, 5)
        while games(journal) < wanted and run.poll() is None:
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
        run.communicate(timeout=60)
        assert kill == KILLS - 1 or games(journal) < GAMES
    last = ranking(folder, "killed", isolation)
    _, told = last.communicate(timeout=500)
    assert last.returncode == 0, told.decode()
    assert (folder / "killed.json").read_bytes() == (folder / "whole.json").read_bytes()

    logs = [broadsides.read(path.read_text(), "g") for path in (folder / "logs").iterdir()]
    assert len(logs) == GAMES
    won = Counter(log.seats[log.outcome.winner].name for log in logs)
    table = json.loads(judge("standings", str(folder / "whole.json"), "--json").stdout)
    assert {bot["name"]: bot["won"] for bot in table["bots"]} == {
        path.stem: won[path.stem] for path in players.iterdir()
    }
    for log in logs:
        names = [seat.name for seat in log.seats]
        if sum(name in GOOD for name in names) == 1:
            assert names[log.outcome.winner] in GOOD
