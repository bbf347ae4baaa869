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


def tiring(folder: Path) -> str:
    """A bot that sleeps in its third game until there is a file ``rested``."""
    return script(
        folder / "tired.sh",
        f"""
case $1 in *init*) echo >> {folder}/games;; esac
[ -e {folder}/rested ] || [ $(wc -l < {folder}/games) -lt 3 ] || {{
  echo > {folder}/third
  exec sleep 1000
}}
exec {PLAYS} "$1"
""",
    )


def stopped_in_the_third(folder: Path, *words: str) -> str:
    """The stderr of a run with the bot of `tiring` that is stopped in the third game."""
    os.mkfifo(folder / "third")
    run = started(folder, *words, "--isolation", "none")
    with (folder / "third").open() as third:
        third.readline()
    run.send_signal(signal.SIGINT)
    return run.communicate(timeout=60)[1]


def test_a_stopped_comparison_tells_its_figures(tmp_path: Path) -> None:
    """Nothing else keeps them. Here they are the mean shots of two boards."""
    words = ["compare", tiring(tmp_path), PLAYS, "--boards", "4", "--games", "2", "--jobs", "1"]
    said = stopped_in_the_third(tmp_path, *words)
    assert re.search(r"^judge: interrupted: tired \d+\.\d\d.* shots a board\.$", said, re.MULTILINE)
    assert "Do it again: judge compare" in said


@pytest.mark.parametrize(
    ("options", "way_on", "is_repeated"),
    [
        (["--no-ledger"], ", none of them kept.", True),
        ([], ", all kept in l.json; for the other 4, type the same with --games 4.", False),
        (["--seed", "5"], ", all kept in l.json; with the same seed they are played again", True),
        (["--sprt", "0,5"], ", all kept in l.json; with the same seed they are played again", True),
    ],
    ids=["not kept", "drawn seed", "typed seed", "sprt"],
)
def test_a_stopped_fight_says_its_score_and_a_way_on_that_is_true(
    options: list[str], way_on: str, is_repeated: bool, tmp_path: Path
) -> None:
    """Stopped in the third game, the fight tells the score of two. The way on leads to all games,
    none counted twice: a typed seed and a test need the same games once more."""
    tired = tiring(tmp_path)
    kept = [] if "--no-ledger" in options else ["--ledger", "l.json"]
    words = ["fight", tired, PLAYS, "--games", "6", *options, *kept, "--jobs", "1"]
    err = stopped_in_the_third(tmp_path, *words)
    after = "" if "--sprt" in options else " after 2 of 6 games"
    score = re.search(f"^judge: interrupted{after}: tired .* in 2 games(, .*)$", err, re.MULTILINE)
    assert score, err
    assert score[1].startswith(way_on)
    again = re.search("^Do it again: judge (.*)$", err, re.MULTILINE)
    assert bool(again) == is_repeated
    if not kept:
        return
    (tmp_path / "rested").touch()
    on = again[1].split() if again else [*words, "--games", "4"]
    assert judge_in(tmp_path, *on, "--isolation", "none").returncode == 0
    assert json.loads((tmp_path / "l.json").read_text())["games"] == 6
