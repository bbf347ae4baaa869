"""How often `evader` wins by its placement, against `exact` and one that is told more.

Run it with any Python that the judge runs on; it needs cc, and takes a minute of one core. Each
opponent fires at the cell that is most likely to be hit, taking all fleets for equally likely, or
knowing how evader draws them. The first is told which of its shots sank which ship: it plays all
21,354,072 fleets, so that its figures are exact. `exact` is not told; it plays some of evader's.

Evader's own shots are taken for `sinker`'s, told too, at an even fleet. It needs some 0.2 fewer, so
that it wins a little more often than is said.
"""

from __future__ import annotations

import runpy
import subprocess
import sys
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "scripts" / "fleets" / "placement.c"
SHIP_CELLS = 14
DRAWN = "10000"  # of evader's fleets, for `exact` to find: its mean is within 0.1 shots

Chances = list[float]  # of 0, 1, 2, ... misses


def mean_shots(chances: Chances) -> float:
    """The shots to expect: every hit, and the misses."""
    return SHIP_CELLS + sum(misses * chance for misses, chance in enumerate(chances))


def win_rate(mine: Chances, theirs: Chances) -> float:
    """The chance to win when each starts as often.

    Who starts wins exactly if its misses are not more than the other's.
    """
    fewer = [1 - total for total in accumulate(theirs)]  # mine than theirs, by mine
    even = sum(one * other for one, other in zip(mine, theirs, strict=True))
    return sum(chance * rest for chance, rest in zip(mine, fewer, strict=True)) + even / 2


def main() -> int:
    """Build the program that plays all fleets, and print what comes of its three runs."""
    weights = runpy.run_path(str(ROOT / "bots" / "evader" / "bot.py"))["WEIGHTS"]
    with TemporaryDirectory() as folder:
        program, drawn = Path(folder, "placement"), Path(folder, "weights")
        command: list[str | Path] = ["cc", "-O3", "-march=native", "-o", program, SOURCE, "-lm"]
        if subprocess.run(command, check=False).returncode:
            return 1
        rows = [row for size in sorted(weights) for row in weights[size]]
        drawn.write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))

        def misses(*arguments: str | Path) -> Chances:
            out = subprocess.run(
                [program, *arguments], check=True, capture_output=True, text=True
            ).stdout
            return [float(line) for line in out.split()]

        mine = misses("shots", "even", "even")
        print(f"{'opponent':10}{'expects':22}{'its mean shots':>15}{'evader wins':>13}")
        for name, *way in (("told more", "shots"), ("exact", "exact", DRAWN)):
            for words, prior in (("all fleets alike", "even"), ("evader's very fleets", drawn)):
                theirs = misses(way[0], prior, drawn, *way[1:])
                shots, wins = mean_shots(theirs), win_rate(mine, theirs)
                print(f"{name:10}{words:22}{shots:15.2f}{wins:13.1%}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
