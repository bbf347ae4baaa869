"""parity: hunts like `hunt`, but searches one colour of the chessboard only, where there is room.

A ship of two cells or more has one of either colour: half of the grid is enough to find them all. A
cell, "42" for column 4 and row 2, is kept as the number 402: one down is + 1, one to the right is
+ 100, and as no row is 10 or 99 a step off the grid never lands on it again. The board and the ships
are those of BOT_RULES.
"""

import json
import os
import random
import sys

RULES = json.loads(os.environ.get("BOT_RULES", '{"columns": 8, "rows": 8, "fleet": [2, 3, 4, 5]}'))
CELLS = {100 * column + row for column in range(RULES["columns"]) for row in range(RULES["rows"])}
LINES = {  # every way for a ship of each size to lie
    size: [
        line
        for cell in sorted(CELLS)
        for step in (1, 100)
        if CELLS.issuperset(line := range(cell, cell + size * step, step))
    ]
    for size in RULES["fleet"]
}
STEPS = (-100, -1, 1, 100)  # left, up, down, right


def place(luck):
    """A fleet, each legal one as likely: draw every ship by itself, and all anew on an overlap."""
    while True:
        fleet = {size: luck.choice(lines) for size, lines in LINES.items()}
        if len(set().union(*fleet.values())) == sum(fleet):
            return fleet


def shoot(hit, missed, luck):
    """A fresh cell beside a hit, or else one of the colour with the most fresh ones beside it, or
    else any."""
    fresh = CELLS - hit - missed
    around = {cell + step for cell in hit for step in STEPS} & fresh
    room = {
        cell: sum(cell + step in fresh for step in STEPS)
        for cell in fresh
        if sum(divmod(cell, 100)) % 2 == 0
    }
    roomiest = {cell for cell in room if room[cell] == max(room.values())}
    return luck.choice(sorted(around or roomiest or fresh))


def name(cell):
    """As it is called in a request and in a reply."""
    return f"{cell // 100}{cell % 100}"


def main():
    request = json.loads(sys.argv[1])
    hit, missed = (
        {100 * int(column) + int(row) for column, row in request.get(key, [])}
        for key in ("hit", "missed")
    )
    # With a seed all luck comes from it and from how far the game is, so that it can be repeated.
    seed = os.environ.get("BOT_SEED")
    luck = random.Random(f"{seed} {request['cmd']} {len(hit | missed)}" if seed else None)
    if request["cmd"] == "init":
        orientation = {1: "vertical", 100: "horizontal"}
        reply = {
            size: {"point": name(line[0]), "orientation": orientation[line.step]}
            for size, line in place(luck).items()
        }
    else:
        reply = {"move": name(shoot(hit, missed, luck))}
    print(json.dumps(reply))


if __name__ == "__main__":
    main()
