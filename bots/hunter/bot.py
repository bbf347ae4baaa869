"""hunter: follows lines of hits, forgets sunk ships, and searches no finer than it must.

A hit is settled if every way to lay the sunk ships on the hits uses it; all others are open. It
shoots first at the ends of lines of open hits, then around single ones. With nothing to follow it
searches every n-th diagonal, n being the smallest ship still afloat, which none can slip through.

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
STEPS = (-10, -1, 1, 10)  # left, up, down, right


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
    """The end of a line, or else beside an open hit, or else a diagonal, or else any fresh cell."""
    fresh = CELLS - hit - missed
    open_hits = hit - set.intersection(*layings(hit, destroyed))
    ends = {cell for cell in fresh for step in STEPS if {cell + step, cell + 2 * step} <= open_hits}
    around = {cell + step for cell in open_hits for step in STEPS} & fresh
    smallest = min(size for size in LINES if size not in destroyed)
    diagonals = {cell for cell in fresh if sum(divmod(cell, 10)) % smallest == 0}
    return luck.choice(sorted(ends or around or diagonals or fresh))


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
