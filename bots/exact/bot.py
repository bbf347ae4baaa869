"""exact: shoots at the cell that has a ship in the most of all fleets that are still possible.

A fleet is possible if every hit is on a ship, no miss is, the ships told to be sunk lie on hits
alone, and those afloat do not. At the start there are 21,354,072. They are counted, not listed: all
ways for two of the ships to lie are numbered, and sets of such ways kept as the bits of one long
number. With the other two ships given, those that go with them are an "and" of three such sets.

A set of cells is a number, too: cell "XY" is bit 8 * X + Y.
"""

import json
import os
import random
import sys
from collections import defaultdict
from functools import cache

SIDE = 8
LINES = {  # every way for a ship of each size to lie
    size: [
        sum(1 << SIDE * column + row + step * i for i in range(size))
        for step, columns, rows in ((1, SIDE, SIDE + 1 - size), (SIDE, SIDE + 1 - size, SIDE))
        for column in range(columns)
        for row in range(rows)
    ]
    for size in (2, 3, 4, 5)
}


def bits(number):
    """The positions of the bits that are set, from the lowest."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


class Pairs:
    """All ways for two ships to lie; a set of them is a number with a bit for each."""

    def __init__(self, some, others):
        pairs = [one | two for one in some for two in others if not one & two]
        self.all = (1 << len(pairs)) - 1
        # Turned on its side, the table of the pairs' cells gives the set of pairs with a cell.
        columns = zip(*(f"{cells:064b}" for cells in pairs), strict=True)
        self.having = [int("".join(column), 2) for column in columns][::-1] or [0] * 64
        self.clear_of, self.covering = cache(self._clear_of), cache(self._covering)

    def _clear_of(self, cells):
        """The pairs that have none of the cells."""
        found = self.all
        for cell in bits(cells):
            found &= ~self.having[cell]
        return found

    def _covering(self, cells):
        """The pairs that have all of the cells."""
        found = self.all
        for cell in bits(cells):
            found &= self.having[cell]
        return found


def count_fleets(choices, hit):
    """The number of fleets that have a line, for each line.

    A fleet is a line for each ship out of its choices, no two crossing, no hit left uncovered.
    """
    fleets = defaultdict(int)
    two, three, four, five = choices
    for some, others, rest in ((two, five, Pairs(three, four)), (three, four, Pairs(two, five))):
        for one in some:
            clear_of_one = rest.clear_of(one)
            for other in others:
                if not one & other:
                    fitting = clear_of_one & rest.clear_of(other)
                    if open_hits := hit & ~one & ~other:
                        fitting &= rest.covering(open_hits)
                    fleets[one] += fitting.bit_count()
                    fleets[other] += fitting.bit_count()
    return fleets


def possible_lines(hit, missed, destroyed):
    """The lines of each ship that do not by themselves contradict what is known."""
    return [
        [line for line in lines if not line & missed and (not line & ~hit) == (size in destroyed)]
        for size, lines in LINES.items()
    ]


def shoot(hit, missed, destroyed, luck):
    """The fresh cell that the most fleets have a ship on, or one of them."""
    chance = [0] * SIDE * SIDE
    for line, fleets in count_fleets(possible_lines(hit, missed, destroyed), hit).items():
        for cell in bits(line):
            chance[cell] += fleets
    fresh = [cell for cell in range(SIDE * SIDE) if not (hit | missed) >> cell & 1]
    best = max(chance[cell] for cell in fresh)
    return luck.choice([cell for cell in fresh if chance[cell] == best])


def place(luck):
    """A fleet, each legal one as likely: draw every ship by itself, and all anew on an overlap."""
    while True:
        fleet = {size: luck.choice(lines) for size, lines in LINES.items()}
        taken = 0
        for line in fleet.values():
            taken |= line
        if taken.bit_count() == sum(fleet):
            return fleet


def name(cell):
    return f"{cell // SIDE}{cell % SIDE}"


def read_cells(names):
    return sum(1 << SIDE * int(column) + int(row) for column, row in names)


def main():
    request = json.loads(sys.argv[1])
    hit, missed = (read_cells(request.get(key, [])) for key in ("hit", "missed"))
    destroyed = [int(size) for size in request.get("destroyed", [])]  # strings in one dialect
    # With a seed all luck comes from it and from how far the game is, so that it can be repeated.
    seed = os.environ.get("BOT_SEED")
    turn = (hit | missed).bit_count()
    luck = random.Random(f"{seed} {request['cmd']} {turn}" if seed else None)
    if request["cmd"] == "init":
        reply = {}
        for size, line in place(luck).items():
            start, second, *_ = bits(line)
            orientation = "vertical" if second == start + 1 else "horizontal"
            reply[size] = {"point": name(start), "orientation": orientation}
    else:
        reply = {"move": name(shoot(hit, missed, destroyed, luck))}
    print(json.dumps(reply))


if __name__ == "__main__":
    main()
