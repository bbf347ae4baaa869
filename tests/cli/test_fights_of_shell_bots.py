"""Shell-bots, which speak XBS over stdin and stdout, play with each other: real processes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from commands import ROOT, judge
from judge.contest.ledger.games import game as game_of
from judge.contest.ledger.verify import verify
from judge.documents.codec import convert
from judge.documents.game import GameRecord, Termination
from judge.game.replay import replay

pytestmark = [pytest.mark.whole, pytest.mark.usefixtures("own_folder")]

SHELL_BOT = ROOT / "bots" / "xbs-hunt"
NAMES = ("ann", "bob", "cid")


def require_played(record: GameRecord) -> None:
    """All three have shot at both others, the game was played to its goal, and can be judged again
    to the same end."""
    assert record.outcome.termination is Termination.GOAL
    assert [seat.wire for seat in record.seats] == ["xbs"] * 3
    pairs = {(shot.seat, shot.target) for shot in record.shots}
    assert pairs == {(seat, other) for seat in range(3) for other in range(3) if seat != other}
    *_, last = replay(record)
    assert last.outcome == record.outcome


def test_three_shell_bots_fight() -> None:
    """The same bot in three seats: three games, and another one moves first in each."""
    done = judge(
        *("fight", *[str(SHELL_BOT)] * 3, "--rules", "xbs", "--games", "3"),
        *("--seed", "1", "--isolation", "none", "--no-ledger", "--json"),
    )
    assert done.status == 0, done.stderr
    records = [convert(GameRecord, one, "it") for one in json.loads(done.stdout)["records"]]
    assert [record.first for record in records] == [0, 1, 2]
    for record in records:
        require_played(record)


def test_three_shell_bots_are_ranked() -> None:
    """At a table of three every bot sits once in every seat, and the ledger is sound."""
    for name in NAMES:
        shutil.copytree(SHELL_BOT, Path("field", name))
    done = judge(
        *("rank", "field", "--rules", "xbs", "--table", "3", "--rounds", "1", "--seed", "1"),
        *("--isolation", "none", "--ledger", "x.json", "--json"),
    )
    assert done.status == 0, done.stderr
    assert {row["name"] for row in json.loads(done.stdout)["bots"]} == set(NAMES)
    path = Path("x.json")
    assert verify(path).problems == ()
    records = [game_of(path, str(number)) for number in (1, 2, 3)]
    for record in records:
        require_played(record)
    for seat in range(3):
        assert {record.seats[seat].name for record in records} == set(NAMES)
