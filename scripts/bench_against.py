"""--against CHECKOUT measures the rows of this tree and of another checkout of the judge in one run,
each by its own scripts/bench in its own .venv, both made from the same Python (a checkout without
one gets it from its own scripts). A pair is one round of each tree, which
makes ready anew what the row needs; every other pair begins with
the other tree (A B, B A, A B …), and nothing else of ours runs meanwhile. A round of each comes
before the first pair and is not counted.

Both trees tell their median figure for a row, and the pairs tell the ratio, this tree's figure to
the other's (their geometric mean), with its interval by Student's t on the pairs' logarithms. In
every row less is better. A row is "no worse" if the whole interval lies below 1.03, and "WORSE" if
it all lies above. It is looked at after --repeat pairs; if it is undecided then, once more after 4
times as many in all. Who stops when he likes what he sees is wrong too often: each of the two looks
has half of the 5% of error, and so the interval told is one of at least 95% (97.5% by itself). Five
pairs decide a row whose rounds differ by 2%, twenty one of 5%.

Exit status 1: a row is WORSE, or could not be measured in one of the trees. "undecided" is no
failure: the machine was too busy, or more rounds are needed. A row over its own bound in this tree
is told as such, and fails scripts/bench without --against. A row that the other tree does not have
is not measured. The work that a row's name measures must be the same in both trees; nothing here
can see that. Ctrl-C ends it with what is measured so far.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

# As they are told above:
LIMIT = 1.03  # worse is what lies above it with the whole interval
MORE = 4  # rounds at the second look, for each of the first
ERROR = 0.05 / 2  # of each of the two looks
BUSY = 0.7  # processes that want to run, on average of a minute, before we begin


class TreeError(Exception):
    """A folder cannot be compared with; the sentence says why, and what would mend it."""


class RowError(Exception):
    """A tree's bench gave no figures for a row; the text ends with what it wrote on stderr."""


class Verdict(StrEnum):
    """The outcome of a row's comparison."""

    NO_WORSE = "no worse"
    WORSE = "WORSE"
    UNDECIDED = "undecided"
    NO_RATIO = "no ratio"  # a figure of 0 or less, or a single pair
    ONLY_THIS = "only this tree"
    INTERRUPTED = "interrupted"
    NOT_MEASURED = "NOT MEASURED"


class Ratio(NamedTuple):
    """This tree's figure to the other's: the geometric mean over the pairs, and its interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure of a row in both trees, as ``--json`` prints it. ``this`` and ``other`` are
    medians in ``unit``; ``passed`` is whether ``this`` keeps its own bound."""

    row: str
    verdict: Verdict
    unit: str = ""
    rounds: int = 0
    this: float | None = None
    other: float | None = None
    ratio: Ratio | None = None
    bound: float | None = None
    passed: bool = True

    def __str__(self) -> str:
        number, ratio = "{:9.3f}", "{:12.3f} ({:.3f}…{:.3f})"
        this, other = ("" if one is None else number.format(one) for one in (self.this, self.other))
        told = "" if self.ratio is None else ratio.format(*self.ratio)
        bound = "" if self.bound is None else f"{self.bound:g}"
        return (
            f"{self.row:17} {this:>9} {other:>9} {self.unit:2} {told:>28} {self.rounds:6}"
            f" {bound:>8}  {self.verdict}{'' if self.passed else ', OVER ITS BOUND'}"
        )


HEAD = (
    f"{'row':17} {'this':>9} {'other':>9}    {'this : other':>12} {'(95%)':>15} {'rounds':>6}"
    f" {'at most':>8}"
)

Figures = Sequence[Mapping[str, Any]]  # of one round of a row, as --json has them


def ratio_of(pairs: Sequence[tuple[float, float]]) -> Ratio | None:
    """The ratio of the first of each pair to the second; None if there are fewer than two pairs,
    or a figure without a logarithm."""
    if len(pairs) < 2 or any(figure <= 0 for pair in pairs for figure in pair):
        return None
    from scipy.special import stdtrit  # type: ignore[import-untyped] # scipy has no stubs

    logs = [math.log(this / other) for this, other in pairs]
    mean = statistics.fmean(logs)
    point = float(stdtrit(len(logs) - 1, 1 - ERROR / 2))
    reach = point * statistics.stdev(logs) / math.sqrt(len(logs))
    return Ratio(*map(math.exp, (mean, mean - reach, mean + reach)))


def compare(other: Path, names: Sequence[str], repeat: int, *, js: bool) -> int:
    """Measure and print the rows of these names; returns the exit status. Raises `TreeError` if
    nothing can be measured."""
    trees = [Path(__file__).parents[1], other.absolute()]
    known = require(*trees)
    if (load := os.getloadavg()[0]) > BUSY:
        say(f"something else runs here (load {load:.1f}): intervals will be wide")
    if not js:
        print(HEAD, flush=True)
    found: list[Compared] = []
    for name in names:
        if f"\n{name} " in known:
            found += (figures := row(name, trees, repeat))
        else:
            found += (figures := [Compared(name, Verdict.ONLY_THIS)])
        if not js:
            print(*figures, sep="\n", flush=True)
        if figures[-1].verdict is Verdict.INTERRUPTED:
            say("interrupted; what is measured so far is told")
            break
    if js:
        print(json.dumps([asdict(one) for one in found], indent=2))
    if found[-1].verdict is Verdict.INTERRUPTED:
        return 130
    return int(any(one.verdict in {Verdict.WORSE, Verdict.NOT_MEASURED} for one in found))


def require(this: Path, other: Path) -> str:
    """The answer of the other tree's bench about its rows; it makes a .venv first, from the Python
    of this tree, unless there is a .venv."""
    script = other / "scripts" / "bench"
    if not (script.is_file() and (other / "judge" / "__init__.py").is_file()):
        raise TreeError(f"{other} is not a checkout of the judge: it lacks scripts/bench or judge/")
    environment = dict(os.environ)
    if not (other / ".venv" / "bin" / "python").exists():
        say(f"{other} has no .venv yet; its scripts/bench makes one …")
        environment["PYTHON"] = sys._base_executable  # type: ignore[attr-defined]  # noqa: SLF001 - seen through the .venv
    helped = subprocess.run(
        [script, "--help"],
        cwd=other,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if helped.returncode:
        raise TreeError(f"{script} --help failed; what it said stands above")
    asked = "import sys, judge; print(sys._base_executable, judge.__file__)"
    bases = []
    for root in (this, other):
        python = [str(root / ".venv" / "bin" / "python"), "-P", "-c", asked]
        base, judge = subprocess.check_output(python, cwd=root, text=True).split()
        if not Path(judge).resolve().is_relative_to(root.resolve()):
            raise TreeError(
                f"the Python of {root} imports the judge from {judge}; is PYTHONPATH set?"
            )
        bases.append(base)
    if not Path(bases[0]).samefile(bases[1]):
        raise TreeError(
            f"{other}/.venv is made from {bases[1]}, this tree's from {bases[0]}; to make it from "
            f"the same one, run: PYTHON={bases[0]} {script} --help"
        )
    return helped.stdout


def row(name: str, trees: Sequence[Path], repeat: int) -> list[Compared]:
    """Measure one row in both trees."""
    taken: list[tuple[Figures, Figures]] = []
    try:
        say(f"{name}: warming up …")
        ours, theirs = (partial(measured, tree, name) for tree in trees)
        ours(), theirs()
        for look in (repeat, MORE * repeat):
            say(f"{name}: rounds {len(taken) + 1} to {look} …")
            while len(taken) < look:
                # What the first of the two leaves behind falls on both alike.
                late = theirs() if len(taken) % 2 else None
                taken.append((ours(), late or theirs()))
            if all(one.verdict is not Verdict.UNDECIDED for one in compared(name, taken)):
                break
    except KeyboardInterrupt:
        return [
            *(compared(name, taken) if taken else ()),
            Compared(name, Verdict.INTERRUPTED, rounds=len(taken)),
        ]
    except RowError as error:
        say(str(error))
        return [Compared(name, Verdict.NOT_MEASURED, rounds=len(taken))]
    return compared(name, taken)


def compared(name: str, taken: Sequence[tuple[Figures, Figures]]) -> list[Compared]:
    """The comparison by all pairs of a row, for each of its figures."""
    found = []
    for number, (last, _) in enumerate(zip(*taken[-1], strict=False)):  # that both have
        pairs = [(this[number]["figure"], other[number]["figure"]) for this, other in taken]
        this, other = (statistics.median(each) for each in zip(*pairs, strict=True))
        ratio = ratio_of(pairs)
        verdict = Verdict.NO_RATIO
        if ratio is not None:
            verdict = Verdict.WORSE if ratio.low > LIMIT else Verdict.UNDECIDED
            verdict = Verdict.NO_WORSE if ratio.high < LIMIT else verdict
        bound = last["bound"]
        found.append(
            Compared(
                name, verdict, last["unit"], len(taken), this, other, ratio, bound, this <= bound
            )
        )
    return found


def measured(tree: Path, row: str) -> Figures:
    """The figures of one round of a row, by the tree's own bench. It runs in the tree's own folder:
    ``python -c`` imports from the folder that it is started in."""
    command = [str(tree / "scripts" / "bench"), "--rows", row, "--repeat", "1", "--json"]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    try:
        figures: Figures = json.loads(done.stdout)
    except ValueError:
        said = done.stderr.strip() or f"It printed {done.stdout!r}."
        raise RowError(f"{tree} gave no figures for {row}:\n{said}") from None
    return figures


def say(text: str) -> None:
    """A line of progress."""
    print(f"bench: {text}", file=sys.stderr, flush=True)
