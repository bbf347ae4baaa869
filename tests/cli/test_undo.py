"""Orders that are taken back: no game counts twice by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import judge
from games import played
from judge.contest.ledger.ledger import Ledger

LEDGER = Path("ledger.json")


@pytest.fixture(autouse=True)
def in_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger with three games, in the current folder."""
    monkeypatch.chdir(tmp_path)
    add(1, 2, 3)


def add(*seeds: int) -> None:
    with Ledger(LEDGER) as ledger:
        for seed in seeds:
            ledger.add(played(seed=seed, game_id=f"game {seed}"))


def counted() -> int:
    return int(json.loads(judge("standings", "--json").stdout)["games"])


def test_games_that_were_played_again_do_not_count_twice() -> None:
    """A void whose games were played again is taken back once those are out of the count."""
    assert judge("ledger", "void", "1", "2", "--reason", "power").status == 0
    add(1, 2)
    assert counted() == 3
    done = judge("ledger", "undo")
    assert done.status == 2
    assert done.stderr == (
        "judge: ledger.json: order 1 cannot be taken back, for what it took out of the count was "
        "played again and would count twice: #1 as #4, #2 as #5; first `judge ledger void 4 5 "
        "--reason …`, then `judge ledger undo 1`.\n"
    )
    assert counted() == 3
    assert judge("ledger", "void", "4", "5", "--reason", "again").status == 0
    assert judge("ledger", "undo", "1").status == 0
    assert counted() == 3
    done = judge("ledger", "undo", "2")
    assert done.status == 2
    assert "#4 as #1, #5 as #2" in done.stderr


def test_a_bot_that_played_while_disqualified_does_not_count_twice() -> None:
    """Its games of then are those of before, so the disqualification cannot be taken back."""
    assert judge("ledger", "disqualify", "hunter", "--reason", "it cheats").status == 0
    add(2)
    done = judge("ledger", "undo")
    assert done.status == 2
    assert "#2 as #4; first `judge ledger void 4 " in done.stderr
    assert counted() == 0
    judge("ledger", "void", "4", "--reason", "again")
    assert judge("ledger", "undo", "1").status == 0
    assert counted() == 3


def test_what_was_not_played_again_is_taken_back() -> None:
    """As if the order had never been given."""
    before = LEDGER.read_bytes()
    judge("ledger", "void", "1", "--reason", "power")
    add(4)
    assert judge("ledger", "undo").status == 0
    assert counted() == 4
    assert before != LEDGER.read_bytes()
