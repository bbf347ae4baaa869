"""Tasks as documents: what another machine is told is what this one meant."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from judge import schemas
from judge.contest.arena import task
from judge.contest.cluster.task_document import Batch
from judge.contest.schedule import Fight, First, Solo
from judge.documents.codec import builtins
from judge.documents.game import Limits
from judge.errors import JudgeFault
from judge.game.fleets import random_fleet
from judge.game.variants import VARIANTS
from judge.play.run import Task
from judge.process.bots.bot import Bot
from strategies import examples


def bot(name: str) -> Bot:
    from pathlib import Path

    digest = f"sha256:{name.encode().hex():0>64}"
    return Bot(name, (), Path("/nowhere"), (), digest, 0, "", wires=("brainjar",))


BOTS = (bot("ann"), bot("bob"))


def batch(tasks: list[Task], variant: str = "brainjar") -> Batch:
    return Batch(VARIANTS[variant], None, "exec", "limits", Limits(), tuple(tasks))


@given(games=st.integers(1, 6), seed=st.integers(0, 9), is_match=st.booleans())
@examples(20)
def test_a_batch_is_read_as_it_was_written(games: int, seed: int, *, is_match: bool) -> None:
    """Through JSON text and the schema; no path of this machine is in it, and each bot is named
    once."""
    fight = Fight(games, seed, First.ALTERNATE, is_match=is_match)
    sent = batch([task(pairing, BOTS) for pairing in fight])
    text = json.dumps(sent.to_json())
    assert schemas.problem("task", json.loads(text)) is None
    assert Batch.from_json(json.loads(text)) == sent
    assert "/nowhere" not in text
    assert sent.digests == tuple(one.digest for one in BOTS)


def test_a_board_is_sent_as_well() -> None:
    """A bot alone is told which fleet it is to find."""
    fleet = random_fleet(VARIANTS["brainjar"], Random(3))
    sent = batch([task(pairing, BOTS, fleet) for pairing in Solo(1, 2, 5)])
    assert Batch.from_json(json.loads(json.dumps(sent.to_json()))) == sent


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_can_be_sent(variant: str) -> None:
    """Rules arrive as they are."""
    (pairing,) = Fight(1, 5, First.A)
    sent = batch([task(pairing, BOTS)], variant)
    assert Batch.from_json(json.loads(json.dumps(sent.to_json()))) == sent


def test_what_is_no_task_is_refused() -> None:
    """A digest that is a path, a level that there is not, a document with more in it, and rules by
    which nobody can play."""
    (pairing,) = Fight(1, 5, First.A)
    sound = batch([task(pairing, BOTS)])
    path = replace(bot("ann"), digest="../../etc")
    for document in (
        batch([task(pairing, (path, BOTS[1]))]).to_json(),
        replace(sound, isolation="auto").to_json(),
        {**sound.to_json(), "run": "me"},
        {**sound.to_json(), "rules": {**builtins(VARIANTS["brainjar"]), "columns": 1, "rows": 1}},
        None,
    ):
        with pytest.raises(JudgeFault, match="no task"):
            Batch.from_json(document)
