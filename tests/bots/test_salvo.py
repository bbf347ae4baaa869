"""The players of broadsides that come with the judge: `salvo` in Python, `salvo_ruby` in Ruby."""

from __future__ import annotations

from random import Random

import pytest

from bundled import BOTS
from games import fired
from judge.documents.game import GameRecord, Limits, Result, Termination
from judge.documents.tasks import Task, TaskSeat
from judge.game.fleets import random_fleet
from judge.game.variants import BROADSIDES
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import find
from judge.process.sandbox.isolation import choose
from needs import need

pytestmark = pytest.mark.whole

CONDITIONS = Conditions(
    rules=BROADSIDES, isolation=choose("limits")[0], limits=Limits(timeout_ms=60_000)
)
RANDOM = 97.8  # of its shots on average, by the table in bots/README.md


def alone(name: str, board: int) -> GameRecord:
    """A board that a player clears alone."""
    if name == "salvo_ruby":
        need("ruby")
    bot = find(str(BOTS / name))
    fleet = random_fleet(BROADSIDES, Random(board))
    with Run(CONDITIONS, [bot]) as run:
        task = Task("game", board, 0, (TaskSeat(name, bot.digest, board),), fleet)
        (record,) = run.clear([task])
        return record


@pytest.mark.parametrize("name", ["salvo", "salvo_ruby"])
def test_a_player_finds_fleets_sooner_than_by_luck(name: str) -> None:
    """On three boards it needs far fewer shots than cells that are shot at in any order, and wastes
    none; the same seed plays the same again."""
    games = [alone(name, board) for board in range(3)]
    assert {game.outcome.termination for game in games} == {Termination.FLEET_DESTROYED}
    shots = [game.shots for game in games]
    assert sum(map(len, shots)) / 3 < RANDOM * 3 / 4
    assert not any(shot.result is Result.REPEAT for game in shots for shot in game[:-6])
    assert fired(alone(name, 0).shots) == fired(shots[0])
