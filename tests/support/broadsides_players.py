"""Players of broadsides in this very process, and a folder in which they fight."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commands import Done, judge
from judge.cli.setup import Embedding
from judge.game.variants import BROADSIDES
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection
from wire_players import Policy, connected

# A game of two programs, as the published judge logs it.
GOLDEN = """\
SETUP players:aa_demo,bb_demo board:10x10 ships:5,4,3,3,2
SHIPS aa_demo 2:A1:V 3:C1:H 3:C3:H 4:C5:H 5:F10:H
SHIPS bb_demo 5:B1:V 4:C1:V 3:F1:V 3:D8:H 2:J9:V
SHOTS aa_demo B1:hit B2:hit B3:hit B4:hit B5:hit C1:hit
SHOTS bb_demo A1:hit A2:hit A2:hit H7:miss
SHOTS aa_demo C2:hit C3:hit C4:hit F1:hit F2:hit
SHOTS bb_demo H7:miss A1:hit A2:hit
SHOTS aa_demo F3:hit D8:hit E8:hit F8:hit J9:hit
SHOTS bb_demo A1:hit
SHOTS aa_demo J10:hit A1:miss A1:miss A1:miss A1:miss
WINNER aa_demo
"""


@pytest.fixture(autouse=True)
def folder(own_folder: Path) -> Path:
    """A folder with three players, who are connected to in this process."""
    Path("players").mkdir()
    for name in ("ann", "bob", "cy"):
        Path("players", f"{name}.py").write_text("")
    return own_folder


def plays(bot: Bot, seed: int, usual: Callable[[], Connection]) -> Connection:
    name = bot.name.partition("#")[0]
    return connected("broadsides", Policy(BROADSIDES, 0, 2, seed=seed % 1000 + ord(name[0])))


def play(command: str, *arguments: str, connect: Callable[..., Connection] = plays) -> Done:
    words = [command, *arguments, "--rules", "broadsides", "--isolation", "none", "--seed", "5"]
    return judge(*words, embedding=Embedding(connect=connect))


def fight(*arguments: str) -> Done:
    return play("fight", "players/ann.py", "players/bob.py", *arguments, "--no-ledger")
