"""heatmap: shoots where most of the remaining ships could lie.

Every way for a ship still afloat to lie counts one for each fresh cell in it, and ten more for each
open hit in it, so that a ship once found is finished first. A hit is open unless every way to lay
the sunk ships on the hits uses it. (How to weigh the hits is worth more shots than one would think.)

A cell, "42" for column 4 and row 2, is kept as the number 42: one down is + 1, one to the right is
+ 10, and as no digit is 8 or 9 a step off the grid never lands on it again.
"""

import json
import os
import random
import sys

CELLS = {10 * column + row for column in range(8) for row in range(8)}
LINES = {  # every way for a ship of each size to lie
    size: [
        line
        for cell in sorted(CELLS)
        for step in (1, 10)
        if CELLS.issuperset(line := range(cell, cell + size * step, step))
    ]
    for size in (2, 3, 4, 5)
}


def place(luck):
    """A fleet, each legal one as likely: draw every ship by itself, and all anew on an overlap."""
    while True:
        fleet = {size: luck.choice(lines) for size, lines in LINES.items()}
        if len(set().union(*fleet.values())) == sum(fleet):
            return fleet


def layings(hit, sizes):
    """Every way to lay sunk ships of these sizes on the hits: for each the set of their cells."""
    if not sizes:
        return [set()]
    size, *others = sizes
    return [
        {*line, *rest}
        for line in LINES[size]
        if hit.issuperset(line)
        for rest in layings(hit.difference(line), others)
    ]


def shoot(hit, missed, destroyed, luck):
    """The hottest fresh cell, or one of them."""
    heat = dict.fromkeys(sorted(CELLS - hit - missed), 0)
    closed = missed | set.intersection(*layings(hit, destroyed))
    for size in LINES.keys() - destroyed:
        for line in LINES[size]:
            if closed.isdisjoint(line):
                for cell in heat.keys() & line:
                    heat[cell] += 1 + 10 * len(hit.intersection(line))
    hottest = max(heat.values())
    return luck.choice([cell for cell in heat if heat[cell] == hottest])


def main():
    request = json.loads(sys.argv[1])
    hit, missed = ({int(cell) for cell in request.get(key, [])} for key in ("hit", "missed"))
    destroyed = [int(size) for size in request.get("destroyed", [])]  # strings in one dialect
    # With a seed all luck comes from it and from how far the game is, so that it can be repeated.
    seed = os.environ.get("BOT_SEED")
    luck = random.Random(f"{seed} {request['cmd']} {len(hit | missed)}" if seed else None)
    if request["cmd"] == "init":
        orientation = {1: "vertical", 10: "horizontal"}
        reply = {
            size: {"point": f"{line[0]:02}", "orientation": orientation[line.step]}
            for size, line in place(luck).items()
        }
    else:
        reply = {"move": f"{shoot(hit, missed, destroyed, luck):02}"}
    print(json.dumps(reply))


if __name__ == "__main__":
    main()
