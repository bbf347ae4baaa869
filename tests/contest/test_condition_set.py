"""The conditions of a ledger: what may stand beside what, and how a refusal reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from games import played
from judge.cli.values.numbers import bytes_, milliseconds
from judge.contest.amounts import duration, size
from judge.contest.ledger.condition_set import ConditionSet, refusal
from judge.contest.ledger.ledger import Ledger
from judge.documents.game import Limits
from judge.documents.rules import Draw
from judge.errors import UsageError
from judge.game.variants import BRAINJAR, VARIANTS, contest
from ledgers import contents, short

USUAL = ConditionSet(BRAINJAR, Limits())
DRAWING = replace(BRAINJAR, name="mine", fleet=Draw(ships=3, shortest=2, longest=3))


def under(rules=BRAINJAR, **limits: int) -> ConditionSet:
    usual = Limits(timeout_ms=rules.timeout_ms)
    return ConditionSet(rules, replace(usual, **limits))


@pytest.mark.parametrize(
    ("held", "wanted", "says"),
    [
        (
            USUAL,
            under(timeout_ms=500),
            (
                "holds games with 2s for a reply, and these would have 500ms for a reply; "
                "`--timeout 2s` makes them equal, and `--ledger OTHER.json` keeps them in another ledger"
            ),
        ),
        (
            USUAL,
            under(VARIANTS["bsp"]),
            (
                "holds games with the rules brainjar and 2s for a reply, and these would have the "
                "rules bsp and 30s for a reply; `--rules brainjar --timeout 2s` makes them equal, and `--ledger "
                "OTHER.json` keeps them in another ledger"
            ),
        ),
        (
            under(data_bytes=10 * 2**20),
            USUAL,
            (
                "holds games with learning on, and these would have learning off; `--learning on` "
                "makes them equal, and `--ledger OTHER.json` keeps them in another ledger"
            ),
        ),
        (
            under(contest(5), memory_bytes=2**30, output_bytes=1000),
            under(VARIANTS["bsp"], timeout_ms=5000),
            (
                "holds games with the rules contest-5, 500ms for a reply, 1024M of memory and 1000 "
                "bytes of output, and these would have the rules bsp, 5s for a reply, 256M of memory and "
                "64K of output; `--rules contest-5 --timeout 500ms --memory 1024M "
                "--output-limit 1000` makes them equal, and `--ledger OTHER.json` keeps them in another "
                "ledger"
            ),
        ),
        (
            under(BRAINJAR, cores=2),
            USUAL,
            (
                "holds games with 2 cores a game, and these would have 1 core a game; `--cores 2` makes "
                "them equal, and `--ledger OTHER.json` keeps them in another ledger"
            ),
        ),
        (
            under(contest(3)),
            under(contest(4)),
            (
                "holds games with the rules contest-3, and these would have the rules contest-4; "
                "`--rules contest-3` makes them equal, and `--ledger OTHER.json` keeps them in "
                "another ledger"
            ),
        ),
        (
            under(replace(BRAINJAR, columns=9)),
            USUAL,
            (
                "holds games with the rules brainjar of columns 9, and these would have the rules "
                "brainjar of columns 8; the file of those rules makes them equal, and `--ledger OTHER.json` "
                "keeps them in another ledger"
            ),
        ),
    ],
)
def test_a_refusal_has_both_values_and_both_ways_out(
    held: ConditionSet, wanted: ConditionSet, says: str
) -> None:
    """Only what differs is told, with the very flags that make it equal."""
    assert refusal(held, wanted) == says


@given(st.integers(1, 10**8))
def test_amounts_are_told_as_options_take_them(amount: int) -> None:
    """An amount that is printed can be typed, and means the same."""
    assert milliseconds(duration(min(amount, 24 * 60 * 60 * 1000))) in (amount, 24 * 60 * 60 * 1000)
    assert bytes_(size(amount)) == amount
    assert bytes_(size(amount * 2**20)) == amount * 2**20


def test_a_fleet_that_is_drawn_for_each_game_is_one_condition(tmp_path: Path) -> None:
    """Games of any fleet that a variant draws stand beside each other, and so do those of rules
    from a file, once it is said how they draw."""
    for name, rules in (("contest.json", contest(5)), ("file.json", DRAWING)):
        with Ledger(tmp_path / name) as ledger:
            ledger.require(ConditionSet(rules, Limits()))
            records = [played(rules, seed) for seed in range(6)]
            assert len({record.rules for record in records}) > 1
            for record in records:
                ledger.add(record)
        with Ledger(tmp_path / name) as ledger:
            ledger.require(ConditionSet(rules, Limits()))
            with pytest.raises(UsageError, match="the rules"):
                ledger.require(ConditionSet(contest(6), Limits()))


def test_the_first_game_sets_the_conditions(tmp_path: Path) -> None:
    """A game under others is refused, whether that was asked before or not, and nothing is
    written; a ledger without games has none."""
    path = tmp_path / "ledger.json"
    other = replace(short(2), limits=Limits(timeout_ms=500))
    with Ledger(path) as ledger:
        ledger.contest_seed(7)
        ledger.require(under(timeout_ms=500))
        ledger.require(USUAL)
        ledger.add(short(1))
    before = contents(tmp_path)
    says = "holds games with 2s for a reply"
    with Ledger(path) as ledger, pytest.raises(UsageError, match=says):
        ledger.add(other)
    with Ledger(path) as ledger, pytest.raises(UsageError, match=says):
        ledger.require(ConditionSet.of(other))
    assert contents(tmp_path) == before


def test_two_that_begin_a_ledger_at_once_agree_on_its_conditions(tmp_path: Path) -> None:
    """Neither knew of the other when it asked; whoever adds second is refused then."""
    path = tmp_path / "ledger.json"
    with Ledger(path) as one, Ledger(path) as other:
        one.require(USUAL)
        other.require(under(timeout_ms=500))
        one.add(short(1))
        with pytest.raises(UsageError, match="holds games with 2s for a reply"):
            other.add(replace(short(2), limits=Limits(timeout_ms=500)))
        one.add(short(3))
