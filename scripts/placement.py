"""How often `evader` wins by its placement: exact figures, from all 21,354,072 fleets, in a minute.

Run it with any Python that the judge runs on; it needs cc. The opponent fires at the cell that is
most likely to be hit, taking all fleets for equally likely, or knowing how evader draws them; it is
told which of its shots sank which ship, and so needs some 0.6 shots less than `exact`, which is not
told. Evader's own shots are taken for those of the first opponent at an even fleet, `sinker`'s: it
needs fewer. So both win rates are lower than the true ones against `exact`.
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

        def misses(prior: str | Path, fleets: str | Path) -> Chances:
            run: list[str | Path] = [program, "shots", prior, fleets]
            out = subprocess.run(run, check=True, capture_output=True, text=True).stdout
            return [float(line) for line in out.split()]

        mine = misses("even", "even")
        print(f"{'opponent expects':24}{'its mean shots':>15}{'evader wins':>13}")
        for words, prior in (("all fleets alike", "even"), ("evader's very fleets", drawn)):
            theirs = misses(prior, drawn)
            print(f"{words:24}{mean_shots(theirs):15.2f}{win_rate(mine, theirs):13.1%}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
