"""Players of broadsides in this very process, and a folder in which they fight."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from clean import surroundings
from commands import Done, judge
from judge.cli.setup import Embedding
from judge.game.variants import BROADSIDES
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection
from wire_players import Policy, connected


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three players, who are connected to in this process."""
    surroundings(tmp_path, monkeypatch)
    Path("players").mkdir()
    for name in ("ann", "bob", "cy"):
        Path("players", f"{name}.py").write_text("")
    return tmp_path


def plays(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
    name = bot.name.partition("#")[0]
    return connected("broadsides", Policy(BROADSIDES, 0, 2, seed=seed % 1000 + ord(name[0])))


def play(command: str, *arguments: str, connect: Callable[..., Connection] = plays) -> Done:
    words = [command, *arguments, "--rules", "broadsides", "--isolation", "none", "--seed", "5"]
    return judge(*words, embedding=Embedding(connect=connect))


def fight(*arguments: str) -> Done:
    return play("fight", "players/ann.py", "players/bob.py", *arguments, "--no-ledger")
