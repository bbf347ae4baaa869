"""Compare the rows of two trees: rounds in pairs, one tree's beside the other's, as a table of
ratios.

Each tree is measured by its own scripts/bench (bench_trees.py); what the pairs say, and when they
are enough, stands in bench_pairs.py.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bench_pairs import LIMIT, MORE, Verdict, looks, ratio, this_first
from bench_trees import (
    ON_REQUEST,
    Figure,
    Figures,
    Measure,
    RowError,
    Tree,
    TreeError,
    differences,
    measuring,
    open_tree,
)

EXPLAINED = f"""\
--against CHECKOUT measures the rows of this tree and of another checkout of the judge in one run,
each by its own scripts/bench in its own .venv, both made from the same Python (a checkout without
one gets it from its own scripts). A pair is one round of each tree; every other pair begins with
the other tree (A B, B A, A B …), and nothing else of ours runs meanwhile. A round of each comes
before the first pair and is not counted. Where one of the two has no --on-request, both run anew
for each round (--repeat 1 --json), which takes longer.

For a row both trees tell their median figure, and the pairs tell the ratio, this tree's figure to
the other's (their geometric mean), with its interval by Student's t on the pairs' logarithms. In
every row less is better. A row is "no worse" where the whole interval lies below {LIMIT:g}, and
"WORSE" where it all lies above. It is looked at after --repeat pairs; where it is undecided then,
once more after {MORE} times as many in all. Whoever stops when he likes what he sees is wrong too
often: each of the two looks has half of the 5% of error, and so the interval told is one of at
least 95% (97.5% by itself). Five pairs decide a row whose rounds differ by 2%, twenty one of 5%.

Exit status 1: a row is WORSE, or could not be measured in one of the trees. "undecided" is no
failure: the machine was too busy, or more rounds are needed. A row over its own bound in this tree
is told as such, and fails scripts/bench without --against. A row that only one tree has is told as
such. What a row's name
measures must be the same in both trees; nothing here can see that. Ctrl-C ends it with what is
measured so far.
"""

BUSY = 0.7  # processes that want to run, on average of a minute, before we begin
Pair = tuple[Figures, Figures]  # of this tree and of the other; empty where it has no such row


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure of a row in both trees, as ``--json`` prints it. ``this`` and ``other`` are
    medians in ``unit``; ``low`` and ``high`` are the ends of the ratio's interval; ``rounds`` is
    how many each tree was measured in; ``passed`` is whether ``this`` keeps its own bound."""

    row: str
    unit: str
    verdict: Verdict
    rounds: int
    this: float | None = None
    other: float | None = None
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    bound: float | None = None

    @property
    def passed(self) -> bool:
        return self.this is None or self.bound is None or self.this <= self.bound

    @property
    def failed(self) -> bool:
        return self.verdict in {Verdict.WORSE, Verdict.NOT_MEASURED}


HEAD = (
    f"{'row':17} {'this':>9} {'other':>9}    {'this : other':>12} {'(95%)':>15} {'rounds':>6}"
    f" {'at most':>8}"
)


def line(compared: Compared) -> str:
    """A line of the table."""
    ratio = interval = ""
    if compared.ratio is not None:
        ratio = f"{compared.ratio:.3f}"
        interval = f"({compared.low:.3f}…{compared.high:.3f})"
    bound = "" if compared.bound is None else f"{compared.bound:g}"
    over = "" if compared.passed else ", OVER ITS BOUND"
    return (
        f"{compared.row:17} {_number(compared.this)} {_number(compared.other)} {compared.unit:2}"
        f" {ratio:>12} {interval:>15} {compared.rounds:6} {bound:>8}  {compared.verdict}{over}"
    )


def _number(value: float | None) -> str:
    return f"{'–' if value is None else f'{value:.3f}':>9}"


def compare(this: Path, other: Path, names: Sequence[str] | None, repeat: int, *, js: bool) -> int:
    """Measure and print all rows, or those of the names; returns the exit status. TreeError where
    nothing can be measured: the sentence says why."""
    ours = open_tree(this)
    theirs = open_tree(other, ours.about.base)
    known = list(dict.fromkeys(ours.rows + theirs.rows))
    if unknown := [name for name in names or () if name not in known]:
        raise TreeError(
            f"there is no row {unknown[0]!r} in either tree; there are {', '.join(known)}"
        )
    _tell_conditions(ours, theirs)
    if not js:
        print(HEAD, flush=True)
    found: list[Compared] = []
    for name in names or known:
        found += (figures := row(name, ours, theirs, repeat))
        if not js:
            print(*map(line, figures), sep="\n", flush=True)
        if figures[-1].verdict is Verdict.INTERRUPTED:
            _say("interrupted; what is measured so far is told")
            break
    if js:
        print(json.dumps([asdict(one) | {"passed": one.passed} for one in found], indent=2))
    if found[-1].verdict is Verdict.INTERRUPTED:
        return 130
    return int(any(one.failed for one in found))


def row(name: str, ours: Tree, theirs: Tree, repeat: int) -> list[Compared]:
    """Measure one row in both trees, or in this one where the other does not have it."""
    if name not in ours.rows:
        return [Compared(name, "", Verdict.ONLY_OTHER, 0)]
    trees = [tree for tree in (ours, theirs) if name in tree.rows]
    on_request = all(tree.on_request for tree in trees)
    taken: list[Pair] = []
    try:
        with ExitStack() as stack:
            measures = [stack.enter_context(measuring(tree, name, on_request)) for tree in trees]
            _say(f"{name}: warming up …")
            _pair(measures, 0)
            for look in looks(repeat):
                _say(f"{name}: rounds {len(taken) + 1} to {look} …")
                while len(taken) < look:
                    taken.append(_pair(measures, len(taken)))
                if all(one.verdict is not Verdict.UNDECIDED for one in told(name, taken)):
                    break
    except KeyboardInterrupt:
        cut = [replace(one, verdict=Verdict.INTERRUPTED) for one in told(name, taken)]
        return cut or [Compared(name, "", Verdict.INTERRUPTED, 0)]
    except RowError as error:
        _say(str(error))
        return [Compared(name, "", Verdict.NOT_MEASURED, len(taken))]
    return told(name, taken)


def _pair(measures: Sequence[Measure], number: int) -> Pair:
    """A round of each tree, in the order that is this pair's turn."""
    if len(measures) == 1:
        return measures[0](), {}
    ours, theirs = measures
    if this_first(number):
        return ours(), theirs()
    late = theirs()
    return ours(), late


def told(name: str, taken: Sequence[Pair]) -> list[Compared]:
    """What all pairs of a row come to, for each of its figures."""
    units = dict.fromkeys(unit for pair in taken for figures in pair for unit in figures)
    return [
        _compared(name, unit, [(this.get(unit), other.get(unit)) for this, other in taken])
        for unit in units
    ]


def _compared(
    name: str, unit: str, taken: Sequence[tuple[Figure | None, Figure | None]]
) -> Compared:
    ours = [this.figure for this, _ in taken if this]
    theirs = [other.figure for _, other in taken if other]
    bound = next((this.bound for this, _ in taken if this), None)
    pairs = [(this.figure, other.figure) for this, other in taken if this and other]
    found = ratio(pairs)
    if pairs:
        said = Verdict.NO_RATIO if found is None else found.verdict
    else:
        said = Verdict.ONLY_THIS if ours else Verdict.ONLY_OTHER
    return Compared(
        row=name,
        unit=unit,
        verdict=said,
        rounds=len(taken),
        this=statistics.median(ours) if ours else None,
        other=statistics.median(theirs) if theirs else None,
        ratio=found and found.mean,
        low=found and found.low,
        high=found and found.high,
        bound=bound,
    )


def _tell_conditions(ours: Tree, theirs: Tree) -> None:
    """What makes a comparison worth less, on stderr."""
    for tree in (ours, theirs):
        if not tree.on_request:
            _say(f"{tree.root} has no {ON_REQUEST}: both trees run anew for each round")
    if different := differences(ours.about, theirs.about):
        _say(f"packages differ, this tree's and the other's: {', '.join(different)}")
    if (load := os.getloadavg()[0]) > BUSY:
        _say(f"something else runs here (load {load:.1f}): intervals will be wide")


def _say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)
