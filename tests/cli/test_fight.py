"""judge fight, as a user meets it: real processes, real signals, real output."""

from __future__ import annotations

import json
import os
import re
import signal
from functools import partial
from pathlib import Path

import pytest

from bot_files import script
from child_processes import is_running
from commands import ROOT, judge_at, judge_in, started

HOSTILE = ROOT / "tests" / "hostile"
PLAYS = str(HOSTILE / "plays.sh")


judge = partial(judge_at, ROOT, JUDGE_NO_LEDGER="1")


def test_an_unrated_fight_keeps_nothing(tmp_path: Path) -> None:
    """`--no-ledger` leaves no file behind and speaks of no points."""
    done = judge_in(tmp_path, "fight", PLAYS, PLAYS, "--no-ledger", "--json", "--quiet")
    assert [bot["points_after"] for bot in json.loads(done.stdout)["bots"]] == [None, None]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_a_signal_ends_it_at_once_and_leaves_nothing(
    number: signal.Signals, tmp_path: Path
) -> None:
    """Stopped in the middle of a move: exit 130, one line, and no bot is left."""
    os.mkfifo(tmp_path / "pids")
    bot = script(tmp_path / "bot.sh", f"echo $$ > {tmp_path}/pids\nexec sleep 1000")
    fight = started(
        ROOT,
        *("fight", bot, bot, "--games", "4", "--timeout", "10min"),
        *("--isolation", "limits", "--quiet"),
        JUDGE_NO_LEDGER="1",
    )
    with (tmp_path / "pids").open() as pids:
        pid = int(pids.readline())
    fight.send_signal(number)
    out, err = fight.communicate(timeout=60)
    assert fight.returncode == 130
    assert out == ""
    said, how = err.splitlines()
    assert said == "judge: interrupted before the first game was over."
    assert re.match(r"Do it again: judge fight .* --seed [0-9a-z]+$", how)
    assert not is_running(pid)
