"""hunt: shoots at random until it hits, then at cells around its hits until none is fresh.

While it searches it leaves out cells that stand alone, for no ship is that short. A cell, "42" for
column 4 and row 2, is kept as the number 42: one down is + 1, one to the right is + 10, and as no
digit is 8 or 9 a step off the grid never lands on it again.
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


def shoot(hit, missed, luck):
    """A fresh cell beside a hit, or else beside another fresh one."""
    fresh = CELLS - hit - missed
    around = {cell + step for cell in hit for step in STEPS} & fresh
    roomy = {cell + step for cell in fresh for step in STEPS} & fresh
    return luck.choice(sorted(around or roomy))


def main():
    request = json.loads(sys.argv[1])
    hit, missed = ({int(cell) for cell in request.get(key, [])} for key in ("hit", "missed"))
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
        reply = {"move": f"{shoot(hit, missed, luck):02}"}
    print(json.dumps(reply))


if __name__ == "__main__":
    main()
