"""The verdict on two versions of a bot, from games that were not played by processes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from games import played
from judge.contest.comparison import Comparison
from judge.documents.game import Termination
from judge.game.variants import BRAINJAR
from judge.show.comparison import text, verdict


def comparison_of(won: int, lost: int) -> Comparison:
    """A comparison whose new version has won and lost this many games."""
    bots = [
        SimpleNamespace(name=name, digest=f"sha256:{name}", wires=("brainjar",), dialect="readme")
        for name in ("old", "new")
    ]
    setup = SimpleNamespace(bots=bots, conditions=SimpleNamespace(rules=BRAINJAR))
    setup.expecting = lambda _games: setup
    comparison = Comparison(setup, boards=1, games=won + lost, seed=7)
    for number in range(won + lost):
        loser = int(number < won)
        forfeit = (loser, Termination.CRASH)
        comparison.match.add(played(seed=number, names=("new", "old"), forfeit=forfeit, after=1))
    return comparison


@pytest.mark.parametrize(
    ("won", "lost", "decision"),
    [
        *[(30, 0, "stronger"), (0, 30, "weaker"), (5, 5, "undecided"), (0, 0, "undecided")],
        *[(12, 0, "stronger"), (0, 12, "weaker"), (10, 0, "undecided"), (0, 4, "undecided")],
    ],
)
def test_a_version_is_stronger_or_weaker_only_if_the_match_shows_it(
    won: int, lost: int, decision: str
) -> None:
    """The verdict has the sign of an Elo interval without 0 if there are 12 games, and the document
    the same figures."""
    document = comparison_of(won, lost).document()
    assert (document.verdict, document.won, document.lost) == (decision, won, lost)
    assert (document.elo is None) == (document.elo_95 is None) == (won + lost == 0)
    assert (document.old.name, document.new.name) == ("old", "new")
    assert (document.old.forfeits, document.new.forfeits) == (won, lost)
    said = text(document, again="judge compare old new", checks=["check old", "check new"])
    for name, forfeits in (("old", won), ("new", lost)):
        told = f"{name} forfeited {forfeits} of {won + lost} games; this says what to mend:"
        assert (f"{told}\n  check {name}" in said) == (forfeits > 0)
    assert ("More games will tell" in said) == (won == lost == 0)


@pytest.mark.parametrize(
    ("decided", "difference_95", "not_cleared", "said"),
    [
        ("undecided", (-11.05, -2.95), 0, "It is not decided whether new is stronger than old; the boards show that new needs fewer shots. More games will tell."),
        ("undecided", (-1.0, 2.0), 0, "It is not decided whether new is stronger than old. More games will tell."),
        ("weaker", (2.0, 3.0), 0, "new is weaker than old; the boards show that new needs more shots."),
        ("not stronger", None, 0, "new is not stronger than old."),
        ("undecided", None, 1, "Neither new nor old can play yet: they cleared no board."),
        ("stronger", None, 1, "new is stronger than old."),
    ],
)  # fmt: skip
def test_the_verdict_also_says_what_the_boards_show(
    decided: str, difference_95: tuple[float, float] | None, not_cleared: int, said: str
) -> None:
    """A difference in shots whose interval leaves out 0 is part of the verdict, and two versions
    that cleared no board cannot play yet."""
    found = comparison_of(0, 0).document()
    old, new = (replace(one, not_cleared=not_cleared) for one in (found.old, found.new))
    document = replace(
        found,
        verdict=decided,
        old=old,
        new=new,
        difference=difference_95 and sum(difference_95) / 2,
        difference_95=difference_95,
    )
    assert verdict(document) == said
