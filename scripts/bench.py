"""What the judge costs beside doing the same without it, or with less to do, as a table of ratios.

Each row is measured A B A B in one run, A being the judge and B the base, both with the same
interpreter, command and environment; its figure is the median of the rounds' ratios. Absolute
times would say more about the machine than about the judge, and stand where it must be quick or
small enough for whoever uses it. Run it by `scripts/bench`.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from bench_moves import (
    GAMES,
    c_bot,
    python_bot,
)
from bench_rows import (
    Measure,
    Round,
    add_row,
    cpu_row,
    jobs_row,
    memory_row,
    move_row,
    open_row,
    rank_row,
    script_row,
    site_row,
    start_row,
)


class Bound(NamedTuple):
    """What a figure must stay under, in its unit ("" for a ratio of two in ``parts``)."""

    most: float
    unit: str = ""
    parts: str = "ms"

    def __str__(self) -> str:
        return f"{self.most:g} {self.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table: how it is measured, and what each of its figures must stay under."""

    what: str
    bounds: tuple[Bound, ...]
    measure: Measure


@dataclass(frozen=True, slots=True)
class Result:
    """One figure of a measured row, as ``--json`` prints it; ``judge`` and ``base`` are medians,
    in ``parts``."""

    row: str
    figure: float
    lowest: float
    highest: float
    unit: str
    bound: float
    passed: bool
    judge: float
    base: float | None
    parts: str


ROWS = {
    "exec-python": Row("a move of a Python bot : bare spawn", (Bound(1.05),), move_row(python_bot)),
    "bwrap-python": Row(
        "the same under bwrap : bare spawn",
        (Bound(1.25),),
        move_row(python_bot, "bwrap"),
    ),
    "fork-bwrap-python": Row(
        f"the same forked, {GAMES} games with their keepers' start and end : bare spawn",
        (Bound(0.125),),
        move_row(python_bot, "bwrap", "fork"),
    ),
    "exec-c": Row("a move of a tiny C bot : bare spawn", (Bound(2),), move_row(c_bot)),
    "cpu": Row("the judge's own CPU a move", (Bound(0.5, "ms"),), cpu_row),
    "jobs": Row("1 job : 2 jobs, games a second", (Bound(0.55),), jobs_row),
    "rank": Row(
        "games of bundled Python bots, executed : forked",
        (Bound(0.5, parts="games a second"),),
        rank_row,
    ),
    "start": Row("judge --version : python -c 'import click'", (Bound(1.5),), start_row),
    "script": Row("scripts/judge after .venv/bin/judge", (Bound(50, "ms"),), script_row),
    "add": Row("adding a game to a ledger of 100,000 : of 100", (Bound(1.2),), add_row),
    "open": Row(
        "judge standings of 100,000 games of 200 bots",
        (Bound(2, "s"), Bound(200, "MB")),
        open_row,
    ),
    "site": Row("judge site of 1,000 games", (Bound(20, "s"),), site_row),
    "memory": Row(
        "peak memory of ranking 10,000 games : 100", (Bound(1.1, parts="MB"),), memory_row
    ),
}


def measured(name: str, repeat: int) -> list[Result]:
    """Measure one row, in a scratch folder of its own."""
    row = ROWS[name]
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        closing(row.measure(Path(folder))) as rounds,
    ):
        taken = list(islice(rounds, repeat))
    figures = zip(*taken, strict=True)
    return [result(name, *each) for each in zip(row.bounds, figures, strict=True)]


def result(name: str, bound: Bound, rounds: Sequence[Round]) -> Result:
    """What all rounds come to, for one figure."""
    figure = statistics.median(each.figure for each in rounds)
    bases = [each.base for each in rounds if each.base is not None]
    return Result(
        row=name,
        figure=figure,
        lowest=min(each.figure for each in rounds),
        highest=max(each.figure for each in rounds),
        unit=bound.unit,
        bound=bound.most,
        passed=figure <= bound.most,
        judge=statistics.median(each.judge for each in rounds),
        base=statistics.median(bases) if bases else None,
        parts=bound.unit or bound.parts,
    )


HEAD = (
    f"{'row':17} {'figure':>10} {'(all rounds)':>17} {'at most':>9}        {'judge':>9} {'base':>9}"
)


def line(result: Result) -> str:
    """A line of the table; what a ratio is made of stands there to show the scale."""
    parts = ""
    if result.base is not None:
        parts = f"{result.judge:9.2f} {result.base:9.2f} {result.parts}"
    rounds = f"({result.lowest:.3f}…{result.highest:.3f})"
    return (
        f"{result.row:17} {result.figure:7.3f} {result.unit:2} {rounds:>17} {result.bound:9g}"
        f"  {'pass' if result.passed else 'FAIL'}  {parts:22}  {ROWS[result.row].what}"
    )


def main() -> int:
    """Measure, print, and return 1 if a bound was passed over."""
    parser = argparse.ArgumentParser(
        prog="bench",
        description="What the judge costs beside doing without it, or with less to do. Idle machines "
        "measure best; all rows take some five minutes, half of them memory's.",
        epilog="\n".join(
            f"{name:17} {row.what}, at most {' and '.join(map(str, row.bounds))}"
            for name, row in ROWS.items()
        ),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--rows", default=",".join(ROWS), metavar="NAME,NAME", help="only these (default: all)"
    )
    parser.add_argument(
        "--repeat", type=int, default=5, help="rounds of A and B a row (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document and no table")
    options = parser.parse_args()
    names = options.rows.split(",")
    if unknown := [name for name in names if name not in ROWS]:
        parser.error(f"there is no row {unknown[0]!r}; there are {', '.join(ROWS)}")
    if options.repeat < 1:
        parser.error("--repeat must be at least 1")
    if not options.json:
        print(HEAD)
    results = []
    for name in names:
        results += (figures := measured(name, options.repeat))
        if not options.json:
            print(*map(line, figures), sep="\n", flush=True)
    if options.json:
        print(json.dumps([asdict(result) for result in results], indent=2))
    return 0 if all(result.passed for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
