"""What the judge costs: a table of ratios, its time over that of the same work without it.

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
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from bench_against import EXPLAINED, compare
from bench_broadsides import broadsides_jobs_row, broadsides_row
from bench_cluster import cluster_row
from bench_contest import MATCH_GAMES, contest_row
from bench_live import live_row
from bench_moves import (
    GAMES,
    c_bot,
    python_bot,
)
from bench_rows import (
    Measure,
    Round,
    Rounds,
    add_row,
    cpu_row,
    field_row,
    jobs_row,
    memory_row,
    move_row,
    open_row,
    pipes_row,
    rank_row,
    script_row,
    site_row,
    start_row,
    wires_row,
)
from bench_serve import serve_row
from bench_trees import ON_REQUEST, TreeError


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
    takes: str  # roughly, a round; and what comes before the first where that is long
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
    "exec-python": Row(
        "a move of a Python bot : bare spawn", (Bound(1.05),), "4 s", move_row(python_bot)
    ),
    "bwrap-python": Row(
        "the same under bwrap : bare spawn",
        (Bound(1.25),),
        "3 s",
        move_row(python_bot, "bwrap"),
    ),
    "fork-bwrap-python": Row(
        f"the same forked, {GAMES} games with their fork servers' start and end : bare spawn",
        (Bound(0.125),),
        "3 s",
        move_row(python_bot, "bwrap", "fork"),
    ),
    "exec-c": Row("a move of a tiny C bot : bare spawn", (Bound(2),), "0.2 s", move_row(c_bot)),
    "pipes": Row(
        "a game of two C players that stay alive : the same lines by a bare loop, CPU; then what "
        "its record takes to be written, read and checked",
        (Bound(2.5), Bound(100, "ms")),
        "1 s",
        pipes_row,
    ),
    "contest": Row(
        f"a match of {MATCH_GAMES} games of two C AIs, added to a ledger with the shots of the last "
        "game, then with those of all : the same frames by a bare loop, CPU",
        (Bound(2.5), Bound(3)),
        "10 s, after 4 s",
        contest_row,
    ),
    "open-wire": Row(
        "a move of a Python bot over open : over brainjar",
        (Bound(1.02),),
        "5 s",
        wires_row("open", "brainjar"),
    ),
    "open-lines": Row(
        "a move of a Python bot over open-lines : over open",
        (Bound(0.15),),
        "3 s",
        wires_row("open-lines", "open"),
    ),
    "broadsides": Row(
        "a game of two Ruby players : the same lines by a bare loop",
        (Bound(1.3),),
        "2 s",
        broadsides_row("limits"),
    ),
    "broadsides-bwrap": Row(
        "the same under bwrap : by a bare loop",
        (Bound(1.6),),
        "2 s",
        broadsides_row("bwrap"),
    ),
    "broadsides-jobs": Row(
        "a game of a contest of three Ruby players with 2 jobs : with 1",
        (Bound(1.0),),
        "4 s",
        broadsides_jobs_row,
    ),
    "cluster": Row(
        "a game of forked Python bots by one worker of dask : with 1 job; by two workers : by one",
        (Bound(1 / 0.9), Bound(1 / 1.8)),
        "40 s, after 15 s",
        cluster_row,
    ),
    "cpu": Row("the judge's own CPU a move", (Bound(0.5, "ms"),), "0.2 s", cpu_row),
    "jobs": Row("1 job : 2 jobs, games a second", (Bound(0.55),), "10 s", jobs_row),
    "rank": Row(
        "games of bundled Python bots, executed : forked",
        (Bound(0.5, parts="games a second"),),
        "40 s",
        rank_row,
    ),
    "start": Row("judge --version : python -c 'import click'", (Bound(1.5),), "2 s", start_row),
    "script": Row("scripts/judge after .venv/bin/judge", (Bound(50, "ms"),), "2 s", script_row),
    "add": Row(
        "adding a game to a ledger of 100,000 of 1,000 versions : of 100",
        (Bound(1.2),),
        "2 s, after 12 s",
        add_row,
    ),
    "open": Row(
        "judge standings of 100,000 games of 200 bots of 5 versions",
        (Bound(2, "s"), Bound(200, "MB")),
        "1 s, after 11 s",
        open_row,
    ),
    "field": Row(
        "judge rank of 2,000 bots up to its first game",
        (Bound(15, "s"),),
        "5 s, after 2 s",
        field_row,
    ),
    "site": Row(
        "judge site of 1,000 games; the size of its files",
        (Bound(15, "s"), Bound(12, "MB")),
        "12 s",
        site_row,
    ),
    "serve": Row(
        "500 games of BSP and 100 tables of XBS at 2,000 shots/s: the 99th percentile from a shot to "
        "its answer; beside 1,500 slow clients : without them; at full speed, a shot; a client's "
        "memory at the end of its game; the server's CPU for a shot at a table of its own",
        (
            Bound(50, "ms"),
            Bound(2, parts="ms"),
            Bound(1 / 3, "ms"),
            Bound(100, "KB"),
            Bound(1, "ms"),
        ),
        "75 s",
        serve_row,
    ),
    "live": Row(
        "200 spectators of a table at 10 shots/s, beside 20 that never read: the 99th percentile from "
        "a shot to a spectator; the server's CPU : wall; its memory after 20 more games : after 3",
        (Bound(100, "ms"), Bound(0.3, parts="s"), Bound(1.1, parts="KB")),
        "60 s",
        live_row,
    ),
    "memory": Row(
        "peak memory of ranking 10,000 games : 100",
        (Bound(1.1, parts="MB"),),
        "40 s",
        memory_row,
    ),
}


def measured(name: str, repeat: int) -> list[Result]:
    """Measure so many rounds of one row."""
    with measuring(name) as rounds:
        return results(name, list(islice(rounds, repeat)))


def serve(name: str) -> None:
    """Measure a round of one row for each line of stdin, and print it as ``measured`` has it, in
    one line of JSON. What the row needs is made ready once, before the first."""
    with measuring(name) as rounds:
        for _ in sys.stdin:
            print(json.dumps([asdict(each) for each in results(name, [next(rounds)])]), flush=True)


@contextmanager
def measuring(name: str) -> Iterator[Rounds]:
    """The rounds of a row, in a scratch folder of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        closing(ROWS[name].measure(Path(folder))) as rounds,
    ):
        yield rounds


def results(name: str, taken: Sequence[Sequence[Round]]) -> list[Result]:
    """What these rounds of a row come to, for each of its figures."""
    figures = zip(*taken, strict=True)
    return [result(name, *each) for each in zip(ROWS[name].bounds, figures, strict=True)]


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


def parser() -> argparse.ArgumentParser:
    """The command line."""
    found = argparse.ArgumentParser(
        prog="bench",
        description="What the judge costs beside doing without it, or with less to do. Idle machines "
        "measure best. All rows take some ten minutes, two thirds of them rank's and memory's; with "
        "--against half an hour where five pairs decide each row, and up to an hour and a half.",
        epilog="rows, of which less is better, with what a round takes on two cores:\n"
        + "\n".join(
            f"{name:17} {row.what}, at most {' and '.join(map(str, row.bounds))} ({row.takes})"
            for name, row in ROWS.items()
        )
        + f"\n\n{EXPLAINED}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("--rows", metavar="NAME,NAME", help="only these (default: all)")
    found.add_argument(
        "--repeat",
        type=int,
        default=5,
        metavar="N",
        help="rounds of A and B a row (%(default)s); pairs of rounds before the first look with "
        "--against, where it must be at least 2",
    )
    found.add_argument("--json", action="store_true", help="one JSON document and no table")
    way = found.add_mutually_exclusive_group()
    way.add_argument(
        "--against",
        type=Path,
        metavar="CHECKOUT",
        help="this tree's rows to those of another checkout of the judge (see below)",
    )
    way.add_argument(
        ON_REQUEST,
        action="store_true",
        help="of the one row, measure a round for each line of standard input, and answer with its "
        "figures in a line of JSON; this is how --against asks",
    )
    return found


def main() -> int:
    """Measure, print, and return 1 if a bound was passed over."""
    wanted = parser()
    options = wanted.parse_args()
    if options.repeat < (least := 2 if options.against else 1):
        wanted.error(f"--repeat must be at least {least}{' with --against' * (least > 1)}")
    names = None if options.rows is None else options.rows.split(",")
    if options.against:
        this = Path(__file__).parents[1]
        try:
            return compare(this, options.against.absolute(), names, options.repeat, js=options.json)
        except TreeError as error:
            wanted.error(str(error))
    names = names or list(ROWS)
    if unknown := [name for name in names if name not in ROWS]:
        wanted.error(f"there is no row {unknown[0]!r}; there are {', '.join(ROWS)}")
    if options.on_request:
        if len(names) > 1:
            wanted.error(f"{ON_REQUEST} measures one row; name it with --rows")
        serve(names[0])
        return 0
    return print_rows(names, options.repeat, js=options.json)


def print_rows(names: Sequence[str], repeat: int, *, js: bool) -> int:
    """Measure the rows and print each as it is there, or all as one document of JSON."""
    if not js:
        print(HEAD)
    found = []
    for name in names:
        found += (figures := measured(name, repeat))
        if not js:
            print(*map(line, figures), sep="\n", flush=True)
    if js:
        print(json.dumps([asdict(each) for each in found], indent=2))
    return 0 if all(each.passed for each in found) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("bench: interrupted", file=sys.stderr)
        sys.exit(130)
