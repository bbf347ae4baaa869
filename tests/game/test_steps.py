"""The shots of one answer, found again in a record: judge/game/steps.py."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from games import played as example
from judge.documents.game import GameRecord
from judge.documents.rules import Rules, Turn
from judge.game.steps import Volley, steps, volleys_of
from judge.game.variants import BROADSIDES
from judge.play.conditions import Conditions
from judge.play.referee import play_game
from judge.testing import numbers_of_players
from judge.testing import rules as any_rules
from judge.wire.messages import AskShots, Fired, FromPlayer, Question
from players import Scripted, by_luck
from record_strategies import played, stormy
from strategies import examples


@given(any_rules(), st.data())
@examples(60)
def test_a_volley_is_an_answer(rules: Rules, data: st.DataObject) -> None:
    """Every answer of a player that had shots in it is a volley of just as many, in the order of
    play, whoever skipped in between."""
    luck = Random(data.draw(st.integers(0, 2**31)))
    fired: list[tuple[int, int]] = []

    def seated(seat: int) -> Scripted:
        answer = by_luck(rules, luck)

        def noted(question: Question) -> FromPlayer:
            said = answer(question)
            if isinstance(question, AskShots) and isinstance(said, Fired):
                fired.append((seat, len(said.targets)))
            return said

        return Scripted(noted, f"bot {seat}")

    record = play_game(
        Conditions(rules=rules),
        [seated(seat) for seat in range(data.draw(numbers_of_players(rules)))],
        game_id="1",
        seed=5,
        first=0,
    )
    assert [(one.seat, one.end - one.begin) for one in volleys_of(record)] == fired


@given(played() | stormy())
@examples(100)
def test_steps_and_volleys_agree(record: GameRecord) -> None:
    """The volleys that are worked out from the sinkings are those of the engine's steps; together
    they hold every shot once, and the steps every aside. A step begins where the one before it
    ended."""
    found = [step for step, _ in steps(record)]
    assert [step.begin for step in found[1:]] == [step.fired for step in found[:-1]]
    in_steps = [volley for step in found for volley in step.volleys]
    assert list(volleys_of(record)) == in_steps
    assert [at for one in in_steps for at in range(one.begin, one.end)] == [
        *range(len(record.shots))
    ]
    assert all(
        record.shots[at].seat == one.seat for one in in_steps for at in range(one.begin, one.end)
    )
    assert Counter(incident for step in found for incident in step.incidents) == Counter(
        record.incidents
    )
    if record.rules.turn is not Turn.BOTH:
        assert all(len(step.volleys) + len(step.incidents) < 2 for step in found[1:])


def test_a_volley_of_broadsides() -> None:
    """In broadsides the first volley has six shots, and none has more."""
    volleys = list(volleys_of(example(BROADSIDES, 2)))
    assert volleys[:2] == [Volley(0, 0, 6), Volley(1, 6, 12)]
    assert max(one.end - one.begin for one in volleys) == 6
