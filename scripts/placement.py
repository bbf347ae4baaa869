"""How often `evader` wins by its placement, against `exact` and one that is told more.

Run it with any Python that the judge runs on; it needs cc, and takes a minute of one core. Each
opponent fires at the cell that is most likely to be hit, taking all fleets for equally likely, or
knowing how evader draws them. The first is told which of its shots sank which ship: it plays all
21,354,072 fleets, so that its figures are exact. `exact` is not told; it plays some of evader's
(--fleets), spread evenly over all by their weights. The standard errors are those of as many
independent draws, which as a rule would tell less.

Evader's own shots are taken for `sinker`'s, told too, at an even fleet. It needs some 0.2 fewer, so
that it wins a little more often than is said.
"""

from __future__ import annotations

import argparse
import math
import runpy
import shutil
import subprocess
import sys
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

from measuring import count

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "scripts" / "fleets" / "placement.c"
SHIP_CELLS = 14

Chances = list[float]  # of 0, 1, 2, ... misses


def wins(mine: Chances) -> list[float]:
    """My chance to win when each starts as often, by the other's misses.

    Who starts wins exactly if its misses are not more than the other's.
    """
    return [total - chance / 2 for total, chance in zip(accumulate(mine), mine, strict=True)]


def mean_and_sd(values: Iterable[float], chances: Chances) -> tuple[float, float]:
    """Of a value for each number of misses: what is to be expected, and how far one is from it."""
    pairs = list(zip(values, chances, strict=True))
    mean = sum(value * chance for value, chance in pairs)
    return mean, math.sqrt(sum((value - mean) ** 2 * chance for value, chance in pairs))


def main() -> int:
    """Build the program that plays all fleets, and print what comes of its runs."""
    parser = argparse.ArgumentParser(description="Compute how often evader wins by its placement.")
    fleets = "how many of evader's fleets `exact` has to find (10000)"
    parser.add_argument("--fleets", type=count, default=10_000, metavar="N", help=fleets)
    drawn_fleets: int = parser.parse_args().fleets
    if shutil.which("cc") is None:
        print("placement: there is no cc on PATH, which builds it", file=sys.stderr)
        return 1
    weights = runpy.run_path(str(ROOT / "bots" / "evader" / "bot.py"))["WEIGHTS"]
    with TemporaryDirectory() as folder:
        program, drawn = Path(folder, "placement"), Path(folder, "weights")
        command: list[str | Path] = ["cc", "-O3", "-march=native", "-o", program, SOURCE, "-lm"]
        if subprocess.run(command, check=False).returncode:
            return 1
        rows = [row for size in sorted(weights) for row in weights[size]]
        drawn.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))

        def misses(*arguments: str | Path) -> Chances:
            out = subprocess.check_output([program, *arguments], text=True)
            return [float(line) for line in out.split()]

        mine = misses("shots", "even", "even")
        print(
            f"{'opponent':10}{'expects':22}{'its mean shots':>14}{'s.e.':>7}"
            f"{'evader wins':>13}{'s.e.':>7}"
        )
        for name, *way in (("told more", "shots"), ("exact", "exact", str(drawn_fleets))):
            for words, prior in (("all fleets alike", "even"), ("evader's very fleets", drawn)):
                theirs = misses(way[0], prior, drawn, *way[1:])
                shots, sd_shots = mean_and_sd(range(SHIP_CELLS, SHIP_CELLS + len(theirs)), theirs)
                rate, sd_rate = mean_and_sd(wins(mine), theirs)
                root = math.sqrt(drawn_fleets) if name == "exact" else math.inf
                errors = f"{sd_shots / root:7.2f}", f"{sd_rate / root:7.1%}"
                print(
                    f"{name:10}{words:22}{shots:14.2f}{errors[0]}{rate:13.1%}{errors[1]}",
                    flush=True,
                )
    print(
        f"\ns.e.: the standard error of a mean over {drawn_fleets:,} of evader's fleets, as if drawn "
        "independently;\na figure whose error is 0 is over all of them, and exact."
    )
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("placement: interrupted", file=sys.stderr)
        sys.exit(130)
