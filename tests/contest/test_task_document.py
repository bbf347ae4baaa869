"""Tasks as documents: what another machine is told is what this one meant."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from judge import schemas
from judge.contest.cluster.worker import GameWorker
from judge.contest.schedule import Fight, First, Solo
from judge.contest.threads import task
from judge.documents.codec import builtins, decode, encode
from judge.documents.game import Limits
from judge.documents.reports import Launch, Level
from judge.documents.tasks import SentTask, Task, Terms
from judge.errors import JudgeFault
from judge.game.fleets import random_fleet
from judge.game.variants import VARIANTS
from judge.process.bots.bot import Bot
from strategies import examples


def bot(name: str) -> Bot:
    digest = f"sha256:{name.encode().hex():0>64}"
    return Bot(name, (), Path("/nowhere"), (), digest, 0, "", wires=("brainjar",))


BOTS = (bot("ann"), bot("bob"))


def sent(game: Task, variant: str = "brainjar") -> SentTask:
    terms = Terms(
        rules=VARIANTS[variant],
        dialect=None,
        launch=Launch.EXEC,
        isolation=Level.LIMITS,
        limits=Limits(),
    )
    return SentTask(terms=terms, game=game)


@given(games=st.integers(1, 6), seed=st.integers(0, 9), is_match=st.booleans())
@examples(20)
def test_a_task_is_read_as_it_was_written(games: int, seed: int, *, is_match: bool) -> None:
    """Through JSON text and the schema; no path of this machine is in it."""
    for pairing in Fight(games, seed, First.ALTERNATE, is_match=is_match):
        one = sent(task(pairing, BOTS))
        text = encode(one)
        assert schemas.problem("task", json.loads(text)) is None
        assert decode(SentTask, text, "it") == one
        assert b"/nowhere" not in text


def test_a_board_is_sent_as_well() -> None:
    """A bot alone is told which fleet it is to find."""
    fleet = random_fleet(VARIANTS["brainjar"], Random(3))
    for pairing in Solo(1, 2, 5):
        one = sent(task(pairing, BOTS, lambda _: fleet))
        assert decode(SentTask, encode(one), "it") == one


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_can_be_sent(variant: str) -> None:
    """Rules arrive as they are."""
    (pairing,) = Fight(1, 5, First.A)
    one = sent(task(pairing, BOTS), variant)
    assert decode(SentTask, encode(one), "it") == one


def test_what_is_no_task_is_refused(tmp_path: Path) -> None:
    """A digest that is a path, a level that there is not, a document with more in it, and rules by
    which nobody can play."""
    (pairing,) = Fight(1, 5, First.A)
    worker = GameWorker(tmp_path)
    path = replace(bot("ann"), digest="../../etc")
    document = builtins(sent(task(pairing, BOTS)))
    terms = document["terms"]
    for wrong in (
        builtins(sent(task(pairing, (path, BOTS[1])))),
        {**document, "terms": {**terms, "isolation": "auto"}},
        {**document, "run": "me"},
        {**document, "terms": {**terms, "rules": {**terms["rules"], "columns": 1, "rows": 1}}},
        None,
    ):
        with pytest.raises(JudgeFault, match="this is no task: "):
            worker.play(json.dumps(wrong), ())
    with pytest.raises(JudgeFault, match="this cannot be read: it has the key 'kind' twice"):
        worker.play('{"kind":"task","kind":"task"}', ())
