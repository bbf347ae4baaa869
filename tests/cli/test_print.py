"""judge fight --print broadsides: the very lines of that system."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_game_logs import fight, folder, play, plays
from test_rank import judge

from judge.errors import LaunchFault
from judge.process.bots.bot import Bot
from judge.process.run.connection import Connection

assert folder  # the players' folder, a fixture of every test


def test_a_game_prints_its_winner() -> None:
    """One line, and nothing else."""
    done = fight("--print", "broadsides", "--quiet")
    assert done.stdout in ("ann wins.\n", "bob wins.\n")
    assert done.stderr == ""


def test_many_games_print_a_line_each_and_the_scores() -> None:
    """As the original's tournament: who moves first is named first, games count from 0, and the
    best is first at the end, zeros included."""
    done = fight("--games", "4", "--print", "broadsides", "--game-log", "logs", "--quiet")
    *games, empty, title, line, first, second = done.stdout.splitlines()
    assert [game.partition("...  ")[0] for game in games] == [
        "Running ann_vs_bob_0",
        "Running bob_vs_ann_1",
        "Running ann_vs_bob_2",
        "Running bob_vs_ann_3",
    ]
    for game in games:
        name, _, won = game.removeprefix("Running ").partition("...  ")
        last = Path("logs", f"{name}.log").read_text().splitlines()[-1]
        assert won == f"{last.removeprefix('WINNER ')} wins."
    assert (empty, title, line) == ("", "Final Scores", "============")
    points = {name: sum(f"  {name} wins." in game for game in games) for name in ("ann", "bob")}
    told = {name: int(count) for name, count in (one.split(": ") for one in (first, second))}
    assert told == points
    assert int(first.split(": ")[1]) >= int(second.split(": ")[1])


def test_a_line_begins_before_its_game() -> None:
    """What scripts wait for is there when the first game is played."""
    seen = []

    def looks(bot: Bot, seed: int, usual: object) -> Connection:
        import sys

        seen.append(sys.stdout.buffer.getvalue())  # type: ignore[attr-defined] # click's, in a test
        return plays(bot, seed, usual)

    words = ["players/ann.py", "players/bob.py", "--games", "2", "--jobs", "1", "--no-ledger"]
    play("fight", *words, "--print", "broadsides", connect=looks)
    assert seen[0] == b"Running ann_vs_bob_0..."


def test_a_game_that_the_judge_could_not_play_gives_nobody_a_point() -> None:
    """The others are printed as they are, and the exit status is 1."""

    def fails(bot: Bot, seed: int, usual: object) -> Connection:
        raise LaunchFault("no more processes")

    words = ["players/ann.py", "players/bob.py", "--games", "2", "--no-ledger"]
    done = play("fight", *words, "--print", "broadsides", connect=fails)
    assert done.status == 1
    assert done.stdout.count("  Nobody wins.\n") == 2
    assert done.stdout.endswith("\nann: 0\nbob: 0\n")
    assert "no more processes" in done.stderr


@pytest.mark.parametrize("other", ["--json", "--jsonl", "--sprt"])
def test_it_goes_with_no_other_form(other: str) -> None:
    """One form is chosen, in one sentence."""
    words = [other, *(["0,30"] if other == "--sprt" else [])]
    done = judge("fight", "hunter", "random", "--print", "broadsides", *words)
    assert done.status == 2
    assert "cannot both be had: choose one" in done.stderr
