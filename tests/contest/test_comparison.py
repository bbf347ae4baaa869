"""The verdict on two versions of a bot, from games that were not played by processes."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from games import played
from judge.contest.comparison import Comparison
from judge.documents.game import Termination
from judge.game.variants import BRAINJAR
from judge.show.comparison import text


def comparison_of(won: int, lost: int) -> Comparison:
    """A comparison whose new version has won and lost this many games."""
    bots = [
        SimpleNamespace(name=name, digest=f"sha256:{name}", wires=("brainjar",), dialect="readme")
        for name in ("old", "new")
    ]
    setup = SimpleNamespace(bots=bots, conditions=SimpleNamespace(rules=BRAINJAR))
    setup.expecting = lambda _games: setup
    comparison = Comparison(setup, boards=0, games=won + lost, seed=7)
    for number in range(won + lost):
        loser = int(number < won)
        forfeit = (loser, Termination.CRASH)
        comparison.match.add(played(seed=number, names=("new", "old"), forfeit=forfeit, after=1))
    return comparison


@pytest.mark.parametrize(
    ("won", "lost", "verdict"),
    [
        *[(30, 0, "stronger"), (0, 30, "weaker"), (5, 5, "undecided"), (0, 0, "undecided")],
        *[(12, 0, "stronger"), (0, 12, "weaker"), (10, 0, "undecided"), (0, 4, "undecided")],
    ],
)
def test_a_version_is_stronger_or_weaker_only_if_the_match_shows_it(
    won: int, lost: int, verdict: str
) -> None:
    """The verdict has the sign of an Elo interval without 0 if there are 12 games, and the document
    the same figures."""
    document = comparison_of(won, lost).document()
    assert (document.verdict, document.won, document.lost) == (verdict, won, lost)
    assert (document.elo is None) == (document.elo_95 is None) == (won + lost == 0)
    assert (document.old.name, document.new.name) == ("old", "new")
    assert (document.old.forfeits, document.new.forfeits) == (won, lost)
    said = text(document, again="judge compare old new", checks=["check old", "check new"])
    for name, forfeits in (("old", won), ("new", lost)):
        told = f"{name} forfeited {forfeits} game{'s' * (forfeits > 1)}; this says what to mend:"
        assert (f"{told}\n  check {name}" in said) == (forfeits > 0)
    assert ("More games will tell" in said) == (won == lost == 0)
