"""What many games say about how good the bots are: the one door to four files, none of which knows
a game.

=================  ======================================================================
file               question
=================  ======================================================================
``points.py``      How many points has each bot?  (the percentage rule, and its luck taken out)
``intervals.py``   How sure is the result of one match?  (Wilson, Elo difference, superiority)
``strength.py``    How strong is each bot of a field?  (Bradley-Terry, ranks, supported order)
``sprt.py``        Has this match gone on for long enough?  (the sequential test, no draws needed)
=================  ======================================================================

Everything here is a pure function of counts.  Nothing is nan, infinite or "plus or minus 0",
whatever the counts: a perfect score, a single game and no game at all get finite, wide answers.
numpy is imported by the functions that need it, not by the import of this file.
"""

from __future__ import annotations

from judge.stats.intervals import (
    EloDifference,
    Interval,
    design_effect,
    elo_difference,
    elo_of,
    expected_score,
    likelihood_of_superiority,
    pair_effect,
    wilson,
)
from judge.stats.points import (
    FLOOR,
    RATE,
    START,
    percentage_rule,
    shuffled_points,
    shuffles_for,
)
from judge.stats.sprt import Bounds, Sprt, Verdict
from judge.stats.strength import BradleyTerry, Ranks, bradley_terry

__all__ = [
    "FLOOR",
    "RATE",
    "START",
    "Bounds",
    "BradleyTerry",
    "EloDifference",
    "Interval",
    "Ranks",
    "Sprt",
    "Verdict",
    "bradley_terry",
    "design_effect",
    "elo_difference",
    "elo_of",
    "expected_score",
    "likelihood_of_superiority",
    "pair_effect",
    "percentage_rule",
    "shuffled_points",
    "shuffles_for",
    "wilson",
]
