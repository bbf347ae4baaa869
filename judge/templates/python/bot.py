"""A Battleships bot that places its ships at random and shoots beside its hits.

A cell, "42" for column 4 and row 2, is kept as the number 402: one down is + 1, one to the right is
+ 100, and as no row is 10 or 99 a step off the grid never lands on it again. BOT_RULES holds the
board and the ships, if they are not the usual ones.
"""

import json
import os
import random
import sys

RULES = json.loads(os.environ.get("BOT_RULES", '{"columns": 8, "rows": 8, "fleet": [2, 3, 4, 5]}'))
COLUMNS, ROWS, SIZES = RULES["columns"], RULES["rows"], RULES["fleet"]
CELLS = [100 * column + row for column in range(COLUMNS) for row in range(ROWS)]


def place(luck):
    """A fleet: every ship drawn by itself, and all of them anew if two overlap, or if one is off
    the board, which may be less high than wide."""
    side = max(COLUMNS, ROWS)
    while True:
        fleet, taken = {}, set()
        for size in SIZES:
            along, across = luck.randrange(side + 1 - size), luck.randrange(side)
            if luck.random() < 0.5:
                start, step, orientation = 100 * along + across, 100, "horizontal"
            else:
                start, step, orientation = 100 * across + along, 1, "vertical"
            taken.update(range(start, start + size * step, step))
            fleet[size] = {"point": name(start), "orientation": orientation}
        if len(taken) == sum(SIZES) and taken.issubset(CELLS):
            return fleet


def shoot(hit, missed, luck):
    """A fresh cell beside a hit, or else any fresh one."""
    fresh = [cell for cell in CELLS if cell not in hit and cell not in missed]
    beside = [cell for cell in fresh if hit & {cell - 100, cell - 1, cell + 1, cell + 100}]
    return luck.choice(beside or fresh)


def name(cell):
    """As it is called in a request and in a reply."""
    return f"{cell // 100}{cell % 100}"


request = json.loads(sys.argv[1])
# All luck comes from BOT_SEED and the request, so that a game can be played again.
luck = random.Random(os.environ.get("BOT_SEED", "") + sys.argv[1])
if request["cmd"] == "init":
    reply = place(luck)
else:
    hit, missed = ({100 * int(x) + int(y) for x, y in request[key]} for key in ("hit", "missed"))
    reply = {"move": name(shoot(hit, missed, luck))}
print(json.dumps(reply))
