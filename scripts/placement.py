"""How hard captain's fleets are to find, and the weights by which it draws them.

Run it with any Python that the judge runs on. It has `hunter` and `captain` clear random boards and
boards that captain has placed, in every game in which captain places its fleet, and prints what the
placement costs them. Then it has two opponents that shoot as captain does clear captain's fleets:
"even" takes all fleets for equally likely, and "informed" knows the weights. On 8x8 these two play
all 21,354,072 fleets (fleets/placement.c), so that their figures are exact.

With --learn it learns the weights anew instead, for some hours, and prints the table that captain
keeps as placement.json. The weights climb towards what costs "even" and "informed" the most.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from tempfile import TemporaryDirectory
from typing import TypedDict

import click

import ladder
from judge.contest.schedule import Pairing, Solo
from judge.contest.shooting.boards import drawn_fleet
from judge.documents.codec import builtins
from judge.documents.rules import Fleet, Orientation, Rules, Ship
from judge.game.variants import VARIANTS
from measuring import compiled

SOURCES = Path(__file__).resolve().parent / "fleets"
TABLE = ladder.BOTS / "captain" / "placement.json"
GAMES = ("brainjar", "broadsides", "contest", "xbs")  # in bsp the judge places
OPPONENTS = ("hunter", "captain")
TOUCHING = {8: "1", 10: "0.5"}  # by side, the weight of a pair of ships that touch

Placing = Callable[[Rules, Pairing], Fleet]


class Table(TypedDict):
    """The weights on one board: ``lines`` has, by a ship's size, rows from the edge inwards."""

    touching: float
    lines: dict[str, list[list[float]]]


def placed_fleet(rules: Rules, board: Pairing) -> Fleet:
    """The fleet that captain places on a board, of the sizes that the random fleet has."""
    drawn = rules.drawn_as(drawn_fleet(rules, board))
    captain = ladder.loaded("captain")
    lines = captain.place(builtins(drawn), random.Random(f"{board.seed}:placed"))
    ships = [captain.ship_of(line, drawn.rows) for line in lines]
    return tuple(Ship(length, column, row, Orientation(way)) for length, column, row, way in ships)


def shots(name: str, rules: Rules, placed: Placing, boards: int) -> list[int]:
    """How many shots a bot needs to clear each of the boards on which these fleets are placed."""
    return [
        len(ladder.measure(name, "", board, rules, placed(rules, board)).shots)
        for board in Solo(1, boards, 1)
    ]


def measure(game: str, boards: int) -> None:
    """Print what captain's placement costs its opponents in a game, beside random fleets."""
    for name in OPPONENTS:
        even = shots(name, VARIANTS[game], drawn_fleet, boards)
        placed = shots(name, VARIANTS[game], placed_fleet, boards)
        more = fmean(placed) - fmean(even)
        error = ((stdev(placed) ** 2 + stdev(even) ** 2) / boards) ** 0.5
        print(
            f"{game:12}{name:10}{fmean(even):8.2f}{fmean(placed):9.2f}{more:+8.2f} ± {error:.2f}",
            flush=True,
        )


def built(name: str, folder: str) -> Path:
    """The program of that name, built now."""
    return compiled(SOURCES / f"{name}.c", Path(folder, name), "-O3", "-march=native", "-lm")


def text_of(table: Table) -> str:
    """A table of weights as the programs read it."""
    rows = [row for _, rows in sorted(table["lines"].items()) for row in rows]
    return "".join(" ".join(map(str, row)) + "\n" for row in [[table["touching"]], *rows])


def table_of(text: str, side: int) -> Table:
    """The last table that a program has printed."""
    half = side // 2
    lines = text.splitlines()[-4 * half - 1 :]
    [touching], *rows = [[round(float(weight), 2) for weight in line.split()] for line in lines]
    sizes = enumerate(("2", "3", "4", "5"))
    return {
        "touching": touching,
        "lines": {size: rows[half * i : half * (i + 1)] for i, size in sizes},
    }


def inform(all_: Path, sampled: Path, folder: str, boards: int) -> None:
    """Print what captain's fleets cost an opponent who knows the weights, and one who does not."""
    tables = json.loads(TABLE.read_text())
    for side, program in ((8, all_), (10, sampled)):
        weights = Path(folder, f"weights{side}")
        weights.write_text(text_of(tables[f"{side}x{side}"]))
        for prior, fleets in (("even", "even"), ("even", weights), ("informed", weights)):
            whose = "placed" if fleets == weights else "random"
            more = [str(boards)] if side == 10 else []
            out = subprocess.check_output([program, "shots", prior, fleets, *more], text=True)
            print(f"{f'{side}x{side}':12}{prior:10}{whose:8}{out.strip()}", flush=True)


@click.command()
@click.option("--boards", type=click.IntRange(1), default=400, show_default=True, help="A row.")
@click.option("--game", type=click.Choice(GAMES), multiple=True, help="Measure this one alone.")
@click.option("--learn", is_flag=True, help="Print new tables instead.")
def main(boards: int, game: Sequence[str], *, learn: bool) -> None:
    """Measure captain's placement, or learn it."""
    with TemporaryDirectory() as folder:
        all_, sampled = (built(name, folder) for name in ("placement", "sampled"))
        if learn:
            small = (all_, "learn", "20", "0.5", TOUCHING[8])
            large = (sampled, "learn", "16", "200", "0.5", TOUCHING[10])
            said = (subprocess.check_output(command, text=True) for command in (small, large))
            print(json.dumps({f"{side}x{side}": table_of(next(said), side) for side in (8, 10)}))
            return
        print(f"{'game':12}{'opponent':10}{'random':>8}{'placed':>9}{'more':>8} ± s.e.")
        for each in game or GAMES:
            measure(each, boards)
        inform(all_, sampled, folder, boards)


if __name__ == "__main__":
    main(prog_name="placement")
