"""The time of a turn of a bot that is a new process for each question."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bot_files import python_bot
from judge.documents.game import Limits, Termination
from judge.documents.tasks import Task, TaskSeat
from judge.errors import Crashed
from judge.game.variants import BSP
from judge.play.conditions import Conditions
from judge.play.run import Run
from judge.process.bots.bot import Bot, find
from judge.process.run.connection import Connection, Script

# Each answer is in time by itself; the first one of a turn is refused.
SLOW = """\
import json, sys, time
asked = json.loads(sys.argv[1])
time.sleep(2.5)
position = asked.get("again", asked)
column = 0 if asked["cmd"] == "refused" else 99
print(json.dumps({"shots": [[1 - position["seat"], column, 0]]}))
"""


def crashes(_: bytes) -> bytes:
    raise Crashed("was asked")


@pytest.mark.parametrize("launch", ["exec", "fork"])
def test_an_answer_after_a_refusal_has_what_is_left_of_the_turn(
    launch: str, tmp_path: Path
) -> None:
    """A bot that needs more than the time of a turn for two answers loses by time-out, and is told
    the time of the turn."""
    slow, other = python_bot(tmp_path, SLOW, name="slow", wire="open"), find("other=parity@open")

    def connect(bot: Bot, _: int, usual: Callable[[], Connection]) -> Connection:
        return usual() if bot.name == "slow" else Script(crashes)

    conditions = Conditions(rules=BSP, launch=launch, limits=Limits(timeout_ms=4000))
    seats = tuple(TaskSeat(bot.name, bot.digest, 1) for bot in (slow, other))
    with Run(conditions, [slow, other], connect) as run:
        record = run.play(Task("1", 1, 0, seats))
    assert (record.outcome.loser, record.outcome.termination) == (0, Termination.TIMEOUT)
    assert record.outcome.detail == "no reply within 4 s"
    (evidence,) = record.evidence
    assert '"refused"' in evidence.argv[-1]
