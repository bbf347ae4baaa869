"""The cost of the judge: a table of ratios, its time over that of the same work without it.

Each row is measured A B A B in one run, A being the judge and B the base, both with the same
interpreter, command and environment; its figure is the median of the rounds' ratios. Absolute
times would say more about the machine than about the judge, and stand where it must be quick or
small enough for whoever uses it. Idle machines measure best. All rows take some ten minutes, two
thirds of them rank's and memory's; with --against half an hour where five pairs decide each row,
and up to an hour and a half.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any

import click

import bench_against
import bench_contest as contest
import bench_host as host
import bench_ledger as ledger
import bench_play as play
import bench_serve as serve
from judge.errors import UsageError
from measuring import Measure


class Row:
    """How a row is measured, which its docstring says, and what each of its figures must stay under:
    a number, which bounds a ratio, or one with its unit."""

    def __init__(self, measure: Measure, *bounds: str) -> None:
        self.measure = measure
        self.bounds = bounds
        self.what = " ".join((measure.__doc__ or "").split())


ROWS = {
    "exec-python": Row(play.exec_python_row, "1.05"),
    "bwrap-python": Row(play.bwrap_python_row, "1.25"),
    "fork-bwrap-python": Row(play.fork_bwrap_python_row, "0.10"),
    "exec-c": Row(play.exec_c_row, "1.4"),
    "pipes": Row(play.pipes_row, "2.5", "100 ms"),
    "contest": Row(play.contest_row, "2.2"),
    "open-wire": Row(play.open_wire_row, "1.02"),
    "open-lines": Row(play.open_lines_row, "0.15"),
    "broadsides": Row(play.broadsides_row, "1.3"),
    "broadsides-bwrap": Row(play.broadsides_bwrap_row, "1.6"),
    "broadsides-jobs": Row(contest.broadsides_jobs_row, "1.0"),
    "cluster": Row(contest.cluster_row, "1.11", "0.556"),
    "cpu": Row(play.cpu_row, "0.3 ms"),
    "jobs": Row(contest.jobs_row, "0.55"),
    "rank": Row(contest.rank_row, "0.5"),
    "launch-auto": Row(contest.launch_auto_row, "0.2"),
    "start": Row(play.start_row, "1.5"),
    "script": Row(play.script_row, "50 ms"),
    "add": Row(ledger.add_row, "1.1"),
    "open": Row(ledger.open_row, "1 s", "120 MB"),
    "field": Row(contest.field_row, "15 s"),
    "site": Row(ledger.site_row, "8 s", "12 MB"),
    "serve": Row(serve.serve_row, "50 ms", "2", "0.333 ms", "100 KB", "1 ms"),
    "live": Row(serve.live_row, "100 ms", "0.3", "1.1"),
    "host": Row(host.host_row, "200 ms", "10 s"),
    "memory": Row(contest.memory_row, "1.1"),
}


def results(name: str, repeat: int) -> Iterator[dict[str, Any]]:
    """The results of that number of rounds of a row, for each of its figures, as ``--json`` prints
    it; ``judge`` and ``base`` are medians."""
    row = ROWS[name]
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        closing(row.measure(Path(folder))) as measured,
    ):
        taken = [*islice(measured, repeat)]
    for bound, rounds in zip(row.bounds, zip(*taken, strict=True), strict=True):
        most, _, unit = bound.partition(" ")
        figures = [each.figure for each in rounds]
        bases = [each.base for each in rounds if each.base is not None]
        yield {
            "row": name,
            "figure": statistics.median(figures),
            "lowest": min(figures),
            "highest": max(figures),
            "unit": unit,
            "bound": float(most),
            "passed": statistics.median(figures) <= float(most),
            "judge": statistics.median(each.judge for each in rounds),
            "base": statistics.median(bases) if bases else None,
        }


HEAD = f"{'row':17} {'figure':>10} {'(all rounds)':>17} {'at most':>9} {'judge':>15} {'base':>9}"


def line(found: dict[str, Any]) -> str:
    """A line of the table; what a ratio is made of stands there to show the scale."""
    rounds = "({lowest:.3f}…{highest:.3f})".format(**found)
    parts = "" if found["base"] is None else "{judge:9.2f} {base:9.2f}".format(**found)
    start = "{row:17} {figure:7.3f} {unit:2} {rounds:>17} {bound:9g}".format(rounds=rounds, **found)
    return f"{start} {'pass' if found['passed'] else 'FAIL'} {parts:19}  {ROWS[found['row']].what}"


@click.command(
    help=__doc__,
    epilog="\b\nRows. Less is better in each:\n"
    + "\n".join(
        f"{name:17} {row.what} At most {' and '.join(row.bounds)}." for name, row in ROWS.items()
    )
    + f"\n\n{bench_against.__doc__}",
)
@click.option(
    "--rows", default=",".join(ROWS), metavar="NAME,NAME", help="Only these; all by default."
)
@click.option(
    "--repeat",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    help="Rounds a row; with --against pairs of rounds before the first look.",
)
@click.option("--json", "js", is_flag=True, help="One JSON document and no table.")
@click.option(
    "--against",
    type=click.Path(path_type=Path),
    metavar="CHECKOUT",
    help="This tree's rows to those of another checkout of the judge (see below).",
)
def main(rows: str, repeat: int, *, js: bool, against: Path | None) -> None:
    names = rows.split(",")
    if unknown := [name for name in names if name not in ROWS]:
        raise click.UsageError(f"there is no row {unknown[0]!r}; there are {', '.join(ROWS)}")
    if against:
        sys.exit(bench_against.compare(against, names, repeat, js=js))
    if not js:
        print(HEAD)
    found = []
    for name in names:
        try:
            found += (figures := list(results(name, repeat)))
        except UsageError as error:  # such as a level of isolation that this machine lacks
            sys.exit(f"bench: {error}")
        if not js:
            print(*map(line, figures), sep="\n", flush=True)
    if js:
        print(json.dumps(found, indent=2))
    sys.exit(not all(each["passed"] for each in found))


if __name__ == "__main__":
    main(prog_name="bench")
