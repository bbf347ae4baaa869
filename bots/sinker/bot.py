"""sinker: plays as `exact` does, but knows which of its shots sank which ship.

A sunk ship lies on hits made up to its sinking, the last of them included; `exact` knows only that
it lies on hits. One dialect says which shot sank (result 4). In the other (3 for every hit) it is
worked out: as this bot always fires the same shot when it is told the same, it plays its own game
again, and where a hit may have sunk a ship compares what it would have fired next, had it been told
so and had it not, with what it did fire. Whatever that leaves open is counted both ways.

Fleets are counted as `exact` counts them. A set of cells is a number: cell "XY" is bit 8 * X + Y.
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
    """For each line the number of fleets that have it.

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


def possible_lines(hit, missed, sinkings):
    """For each ship the lines that do not by themselves contradict what is known."""
    choices = []
    for size, lines in LINES.items():
        if size in sinkings:
            last, hit_by_then = sinkings[size]
            fit = [line for line in lines if line & last and not line & ~hit_by_then]
        else:
            fit = [line for line in lines if not line & missed and line & ~hit]
        choices.append(fit)
    return choices


def best_shot(hit, missed, stories):
    """The fresh cell that the most fleets have a ship on, the first of equals; None without fleets.

    A story is what may have been sunk by what: {size: (the sinking hit, all hits by then)}. Every
    fleet belongs to one story alone, so that the counts add up.
    """
    chance = [0] * SIDE * SIDE
    for sinkings in stories:
        for line, fleets in count_fleets(possible_lines(hit, missed, sinkings), hit).items():
            for cell in bits(line & ~hit):
                chance[cell] += fleets
    return chance.index(max(chance)) if any(chance) else None


def agreeing(stories, hit, missed, fired):
    """The stories under which this bot would have fired that shot."""
    by_told = defaultdict(list)  # what it was told then: that many ships sunk
    for sinkings in stories:
        by_told[len(sinkings)].append(sinkings)
    if len(by_told) > 1:
        kept = [group for group in by_told.values() if best_shot(hit, missed, group) == fired]
        stories = [sinkings for group in kept for sinkings in group]
    return stories


def read_stories(shots, destroyed, own_policy):
    """The stories that explain the shots, (cell, result) in order, and the ships destroyed."""
    names_sinkings = any(result == 4 for _, result in shots)
    hit = missed = 0
    stories = [{}]
    for cell, result in shots:
        if own_policy:
            stories = agreeing(stories, hit, missed, cell)
        if result == 1:
            missed |= 1 << cell
            continue
        hit |= 1 << cell
        sunk = []
        for sinkings in stories:
            if len(sinkings) < len(destroyed):
                story = sinkings | {destroyed[len(sinkings)]: (1 << cell, hit)}
                if all(possible_lines(hit, missed, story)):
                    sunk.append(story)
        if result == 4:
            stories = sunk
        elif not names_sinkings:
            stories = stories + sunk
    return [sinkings for sinkings in stories if len(sinkings) == len(destroyed)]


def shoot(shots, destroyed):
    """The best fresh cell after these shots, (cell, result) in order."""
    hit = sum(1 << cell for cell, result in shots if result != 1)
    missed = sum(1 << cell for cell, result in shots if result == 1)
    best = best_shot(hit, missed, read_stories(shots, destroyed, own_policy=True))
    if best is None:  # somebody else fired them
        best = best_shot(hit, missed, read_stories(shots, destroyed, own_policy=False))
    return best


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


def main():
    request = json.loads(sys.argv[1])
    if request["cmd"] == "init":
        seed = os.environ.get("BOT_SEED")  # with one, the fleet can be had again
        reply = {}
        for size, line in place(random.Random(seed)).items():
            start, second, *_ = bits(line)
            orientation = "vertical" if second == start + 1 else "horizontal"
            reply[size] = {"point": name(start), "orientation": orientation}
    else:
        moves = [tuple(map(int, move)) for move in request["moves"]]
        me = request["you"]
        shots = [(SIDE * column + row, result) for who, column, row, result in moves if who == me]
        destroyed = [int(size) for size in request["destroyed"]]  # strings in one dialect
        reply = {"move": name(shoot(shots, destroyed))}
    print(json.dumps(reply))


if __name__ == "__main__":
    main()
