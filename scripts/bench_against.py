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
can see that. Ctrl-C ends it with the rows that are measured.
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
from pathlib import Path
from typing import Any

import click

from judge.stats.samples import spread

# As they are told above:
LIMIT = 1.03  # worse is what lies above it with the whole interval
MORE = 4  # rounds at the second look, for each of the first
ERROR = 0.05 / 2  # of each of the two looks
BUSY = 0.7  # processes that want to run, on average of a minute, before we begin

Figures = Sequence[Mapping[str, Any]]  # of one round of a row, as --json has them


class RowError(Exception):
    """A tree's bench gave no figures for a row; the text ends with what it wrote on stderr."""


class Verdict(StrEnum):
    """The outcome of a row's comparison."""

    NO_WORSE = "no worse"
    WORSE = "WORSE"
    UNDECIDED = "undecided"
    NO_RATIO = "no ratio"  # a figure of 0 or less, or a single pair
    ONLY_THIS = "only this tree"
    NOT_MEASURED = "NOT MEASURED"


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure of a row in both trees, as ``--json`` prints it. ``this`` and ``other`` are
    medians in ``unit``; ``ratio`` is this tree's figure to the other's, the geometric mean over the
    pairs, with the ends of its interval; ``passed`` is whether ``this`` keeps its own bound."""

    row: str
    verdict: Verdict
    rounds: int = 0
    unit: str = ""
    this: float | None = None
    other: float | None = None
    ratio: tuple[float, float, float] | None = None
    bound: float | None = None
    passed: bool = True

    def __str__(self) -> str:
        this, other = ("" if one is None else f"{one:9.3f}" for one in (self.this, self.other))
        ratio = "" if self.ratio is None else "{:12.3f} ({:.3f}…{:.3f})".format(*self.ratio)
        bound = "" if self.bound is None else f"{self.bound:g}"
        return (
            f"{self.row:17} {this:>9} {other:>9} {self.unit:2} {ratio:>28} {self.rounds:6}"
            f" {bound:>8}  {self.verdict}{'' if self.passed else ', OVER ITS BOUND'}"
        )


HEAD = (
    f"{'row':17} {'this':>9} {'other':>9}    {'this : other':>12} {'(95%)':>15} {'rounds':>6}"
    f" {'at most':>8}"
)


def compare(other: Path, names: Sequence[str], repeat: int, *, js: bool) -> int:
    """Measure and print the rows of these names; returns the exit status."""
    trees = [Path(__file__).parents[1], other.absolute()]
    known = rows_of(trees[1])
    if (load := os.getloadavg()[0]) > BUSY:
        say(f"something else runs here (load {load:.1f}): intervals will be wide")
    if not js:
        print(HEAD, flush=True)
    found: list[Compared] = []
    status = 0
    try:
        for name in names:
            is_known = name in known
            figures = row(name, trees, repeat) if is_known else [Compared(name, Verdict.ONLY_THIS)]
            found += figures
            status |= any(one.verdict in {Verdict.WORSE, Verdict.NOT_MEASURED} for one in figures)
            if not js:
                print(*figures, sep="\n", flush=True)
    except KeyboardInterrupt:
        say("interrupted; the rows that are measured are told")
        status = 130
    if js:
        print(json.dumps([asdict(one) for one in found], indent=2))
    return status


def rows_of(tree: Path) -> set[str]:
    """The words that begin the lines of the help of a tree's bench, the names of its rows among
    them. Its .venv is made or mended first, from the Python of this tree. Raises `click.UsageError`
    if the tree is not a checkout, or its bench does not start."""
    if not (tree / "scripts" / "bench").is_file():
        raise click.UsageError(f"{tree} is not a checkout of the judge: it lacks scripts/bench")
    python = sys._base_executable  # type: ignore[attr-defined]  # noqa: SLF001 - seen through the .venv
    done = bench(tree, "--help", PYTHON=python)
    if done.returncode:
        raise click.UsageError(f"{tree}/scripts/bench --help failed:\n{done.stderr}")
    return {line.split()[0] for line in done.stdout.splitlines() if line.strip()}


def bench(tree: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a tree's own bench in the tree's folder, with the judge of the tree's own .venv."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [tree / "scripts" / "bench", *words],
        cwd=tree,
        env=environment | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def row(name: str, trees: Sequence[Path], repeat: int) -> list[Compared]:
    """Measure one row in both trees."""
    taken: list[tuple[Figures, Figures]] = []
    ours, theirs = trees
    try:
        say(f"{name}: warming up …")
        for tree in trees:
            measured(tree, name)
        for look in (repeat, MORE * repeat):
            say(f"{name}: rounds {len(taken) + 1} to {look} …")
            while len(taken) < look:
                # What the first of the two leaves behind falls on both alike.
                late = measured(theirs, name) if len(taken) % 2 else None
                taken.append((measured(ours, name), late or measured(theirs, name)))
            if all(one.verdict is not Verdict.UNDECIDED for one in compared(name, taken)):
                break
    except RowError as error:
        say(str(error))
        return [Compared(name, Verdict.NOT_MEASURED, len(taken))]
    return compared(name, taken)


def measured(tree: Path, row: str) -> Figures:
    """The figures of one round of a row, by the tree's own bench."""
    done = bench(tree, "--rows", row, "--repeat", "1", "--json")
    try:
        figures: Figures = json.loads(done.stdout)
    except ValueError:
        said = done.stderr.strip() or f"It printed {done.stdout!r}."
        raise RowError(f"{tree} gave no figures for {row}:\n{said}") from None
    return figures


def compared(name: str, taken: Sequence[tuple[Figures, Figures]]) -> list[Compared]:
    """The comparison by all pairs of a row, for each of its figures."""
    found = []
    for number, (last, _) in enumerate(zip(*taken[-1], strict=False)):  # that both have
        pairs = [(this[number]["figure"], other[number]["figure"]) for this, other in taken]
        this, other = (statistics.median(each) for each in zip(*pairs, strict=True))
        ratio = ratio_of(pairs)
        verdict = Verdict.NO_RATIO
        if ratio is not None:
            _, low, high = ratio
            verdict = Verdict.WORSE if low > LIMIT else Verdict.UNDECIDED
            verdict = Verdict.NO_WORSE if high < LIMIT else verdict
        unit, bound = last["unit"], last["bound"]
        passed = this <= bound
        found.append(Compared(name, verdict, len(taken), unit, this, other, ratio, bound, passed))
    return found


def ratio_of(pairs: Sequence[tuple[float, float]]) -> tuple[float, float, float] | None:
    """The ratio of the first of each pair to the second, and the ends of its interval; None if
    there are fewer than two pairs, or a figure without a logarithm."""
    if any(figure <= 0 for pair in pairs for figure in pair):
        return None
    from scipy.special import stdtrit  # type: ignore[import-untyped] # scipy has no stubs

    logs = spread([math.log(this / other) for this, other in pairs])
    if logs is None or logs.se is None:
        return None
    reach = float(stdtrit(logs.count - 1, 1 - ERROR / 2)) * logs.se
    return math.exp(logs.mean), math.exp(logs.mean - reach), math.exp(logs.mean + reach)


def say(text: str) -> None:
    """A line of progress."""
    print(f"bench: {text}", file=sys.stderr, flush=True)
