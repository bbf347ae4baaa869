"""A round robin of players of broadsides, good and bad."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from commands import judge, judge_at
from judge.logs import broadsides
from judge.process.bots.scaffolds import TEMPLATES
from needs import need, strictest

pytestmark = pytest.mark.whole

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


def test_whoever_crashes_or_cheats_loses_to_all_who_do_not(players: Path) -> None:
    """Every game has the winner of its log. Bots are held as strictly as this machine can."""
    # Whoever crashes in every game plays on, so that each game is there.
    words = ("--rules", "broadsides", "--seed", "7", "--ledger", "whole.json", "--insist")
    held = ("--isolation", strictest().name, "--jobs", "2", "--game-log", "logs")
    done = judge_at(players.parent, "rank", "players", *words, *held)
    assert done.returncode == 0, done.stderr

    folder = players.parent
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
