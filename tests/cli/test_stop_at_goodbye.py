"""A stop that comes when a game is over, and its players are being told goodbye."""

from __future__ import annotations

import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from changes import replace
from commands import started
from judge.documents.codec import builtins, convert
from judge.documents.game import GameRecord, Termination
from judge.game.variants import BROADSIDES
from needs import need

pytestmark = pytest.mark.whole


RULES = replace(BROADSIDES, name="small", columns=3, rows=3, fleet=(2,), salvo_bonus=())

# Wins with its second shot, if it moves first, and stays at its goodbye, under another name.
STAYS = """\
import os, sys

shots = iter(("A1", "B1"))
for line in sys.stdin:
    match line.split():
        case ["ACTION", "SHIPS", _]:
            print("SHIPS 2:A1:H", flush=True)
        case ["ACTION", "SHOTS", _]:
            print("SHOTS", next(shots), flush=True)
        case ["ACTION", "FINISH"]:
            os.execv(sys.executable, [NAME, "-c", "import time; time.sleep(1000)"])
"""


def is_there(process: str) -> bool:
    """Whether a process of this name is running."""
    for command in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if command.read_text().startswith(process):
                return True
    return False


@pytest.mark.parametrize(
    ("arguments", "level", "status", "said"),
    [
        (["fight", "a.py", "b.py", "--games", "1"], "limits", 0, ""),
        (["fight", "a.py", "b.py", "--games", "3"], "bwrap", 130, "and the others follow."),
        (
            ["rank", ".", "--ledger", "ledger.json"],
            "limits",
            130,
            "same command goes on from there.",
        ),
    ],
    ids=["the only game", "the first of a match", "the first of a contest"],
)
def test_the_finished_game_is_kept(
    arguments: list[str], level: str, status: int, said: str, tmp_path: Path
) -> None:
    """It is in the ledger, and told, though the stop came before its players had gone; and where
    it was the last there is nothing that was interrupted."""
    if level == "bwrap":
        need(level)
    process = f"stays{os.getpid()}"
    (tmp_path / "small.json").write_text(json.dumps(builtins(RULES)))
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(STAYS.replace("NAME", repr(process)))
    running = started(
        tmp_path,
        *(*arguments, "--rules", "small.json", "--jsonl"),
        *("--seed", "1", "--jobs", "1", "--quiet", "--isolation", level),
    )
    while not is_there(process):
        assert running.poll() is None, running.communicate()
        time.sleep(0.02)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=60)
    assert running.returncode == status
    if said:
        assert err.startswith("judge: interrupted after 1 of ")
        assert "all kept in ledger.json" in err
    assert said in err
    (line,) = (tmp_path / "ledger.games.jsonl").read_text().splitlines()[-1:]
    kept = convert(GameRecord, json.loads(line)["record"], "it")
    assert kept.outcome.termination is Termination.FLEET_DESTROYED
    told = [json.loads(line) for line in out.splitlines()]
    assert [one["record"]["id"] for one in told if one["event"] == "game"] == [kept.id]
    assert not is_there(process)
