"""The cost of the judge: a table of ratios, its time over that of the same work without it.

Each row is measured A B A B in one run, A being the judge and B the base, both with the same
interpreter, command and environment; its figure is the median of the rounds' ratios. Absolute
times would say more about the machine than about the judge, and stand where it must be quick or
small enough for whoever uses it. Idle machines measure best. All rows take some ten minutes, two
thirds of them rank's and memory's; with --against half an hour where five pairs decide each row,
and up to an hour and a half.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import bench_against
import bench_contest as contest
import bench_host as host
import bench_ledger as ledger
import bench_play as play
import bench_process as process
import bench_serve as serve
from measuring import Measure, Round, Rounds, c_bot, count, interruptible, python_bot


class Row:
    """How a row is measured, which its docstring says, and what each of its figures must stay under:
    a number, or one with its unit; a number alone bounds a ratio."""

    def __init__(
        self, measure: Measure, *bounds: float | tuple[float, str], what: str = ""
    ) -> None:
        self.measure = measure
        self.bounds = [each if isinstance(each, tuple) else (each, "") for each in bounds]
        self.what = what or " ".join((measure.__doc__ or "").split())

    def __str__(self) -> str:
        bounds = " and ".join(f"{most:g} {unit}".rstrip() for most, unit in self.bounds)
        return f"{self.what} At most {bounds}."


move, wires = process.move_row, play.wires_row
ROWS = {
    "exec-python": Row(move(python_bot), 1.05, what="A move of a Python bot, to a bare spawn."),
    "bwrap-python": Row(move(python_bot, "bwrap"), 1.25, what="The same under bwrap."),
    "fork-bwrap-python": Row(
        move(python_bot, "bwrap", "fork"),
        0.125,
        what=f"The same forked, {process.GAMES} games with their fork servers' start and end.",
    ),
    "exec-c": Row(move(c_bot), 2, what="A move of a tiny C bot, to a bare spawn."),
    "pipes": Row(play.pipes_row, 2.5, (100, "ms")),
    "contest": Row(play.contest_row, 3),
    "open-wire": Row(
        wires("open", "brainjar"), 1.02, what="A move of a Python bot over open, to over brainjar."
    ),
    "open-lines": Row(wires("open-lines", "open"), 0.15, what="Over open-lines, to over open."),
    "broadsides": Row(
        play.broadsides_row("limits"),
        1.3,
        what="A game of two Ruby players, to the same lines by a bare loop.",
    ),
    "broadsides-bwrap": Row(play.broadsides_row("bwrap"), 1.6, what="The same under bwrap."),
    "broadsides-jobs": Row(contest.broadsides_jobs_row, 1.0),
    "cluster": Row(contest.cluster_row, 1 / 0.9, 1 / 1.8),
    "cpu": Row(process.cpu_row, (0.5, "ms")),
    "jobs": Row(contest.jobs_row, 0.55),
    "rank": Row(contest.rank_row, 0.5),
    "launch-auto": Row(contest.launch_auto_row, 1 / 5),
    "start": Row(process.start_row, 1.5),
    "script": Row(process.script_row, (50, "ms")),
    "add": Row(ledger.add_row, 1.2),
    "open": Row(ledger.open_row, (2, "s"), (200, "MB")),
    "field": Row(contest.field_row, (15, "s")),
    "site": Row(ledger.site_row, (15, "s"), (12, "MB")),
    "serve": Row(serve.serve_row, (50, "ms"), 2, (1 / 3, "ms"), (100, "KB"), (1, "ms")),
    "live": Row(serve.live_row, (100, "ms"), 0.3, 1.1),
    "host": Row(host.host_row, (200, "ms"), (10, "s")),
    "memory": Row(contest.memory_row, 1.1),
}


@contextmanager
def measuring(name: str) -> Iterator[Rounds]:
    """The rounds of a row, in a scratch folder of its own."""
    with (
        tempfile.TemporaryDirectory(prefix="bench-") as folder,
        closing(ROWS[name].measure(Path(folder))) as rounds,
    ):
        yield rounds


def results(name: str, taken: Sequence[Sequence[Round]]) -> Iterator[dict[str, Any]]:
    """The results of these rounds of a row, for each of its figures, as ``--json`` prints it;
    ``judge`` and ``base`` are medians."""
    for (bound, unit), rounds in zip(ROWS[name].bounds, zip(*taken, strict=True), strict=True):
        figures = [each.figure for each in rounds]
        bases = [each.base for each in rounds if each.base is not None]
        yield {
            "row": name,
            "figure": statistics.median(figures),
            "lowest": min(figures),
            "highest": max(figures),
            "unit": unit,
            "bound": bound,
            "passed": statistics.median(figures) <= bound,
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


def main() -> int:
    """Measure, print, and return 1 if a figure passes its bound."""
    parser = argparse.ArgumentParser(
        prog="bench",
        description=__doc__,
        epilog="rows, of which less is better:\n"
        + "\n".join(f"{name:17} {row}" for name, row in ROWS.items())
        + f"\n\n{bench_against.__doc__}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", metavar="NAME,NAME", help="only these (default: all)")
    repeat = "rounds a row (%(default)s); with --against pairs of rounds before the first look"
    parser.add_argument("--repeat", type=count, default=5, metavar="N", help=repeat)
    parser.add_argument("--json", action="store_true", help="one JSON document and no table")
    against = "this tree's rows to those of another checkout of the judge (see below)"
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help=against)
    options = parser.parse_args()
    names = options.rows.split(",") if options.rows else list(ROWS)
    if unknown := [name for name in names if name not in ROWS]:
        parser.error(f"there is no row {unknown[0]!r}; there are {', '.join(ROWS)}")
    if options.against:
        try:
            return bench_against.compare(options.against, names, options.repeat, js=options.json)
        except bench_against.TreeError as error:
            parser.error(str(error))
    if not options.json:
        print(HEAD)
    found = []
    for name in names:
        with measuring(name) as rounds:
            found += (figures := list(results(name, list(islice(rounds, options.repeat)))))
        if not options.json:
            print(*map(line, figures), sep="\n", flush=True)
    if options.json:
        print(json.dumps(found, indent=2))
    return 0 if all(each["passed"] for each in found) else 1


if __name__ == "__main__":
    interruptible("bench", main)
