"""A Battleships bot that places its ships at random and shoots beside its hits.

A cell is a pair (x, y), column and row: (4, 2) is called "42" in requests and replies. BOT_RULES
holds the board and the ships, if they are not the usual ones.
"""

import json
import os
import random
import sys

RULES = json.loads(os.environ.get("BOT_RULES", '{"columns": 8, "rows": 8, "fleet": [2, 3, 4, 5]}'))
COLUMNS, ROWS, SIZES = RULES["columns"], RULES["rows"], RULES["fleet"]
CELLS = [(x, y) for x in range(COLUMNS) for y in range(ROWS)]


def place(luck):
    """A fleet. Every ship is drawn by itself, and all are drawn again if one leaves the board or
    two overlap."""
    while True:
        fleet, taken = {}, set()
        for size in SIZES:
            x, y = luck.choice(CELLS)
            if luck.random() < 0.5:
                cells, orientation = [(x + step, y) for step in range(size)], "horizontal"
            else:
                cells, orientation = [(x, y + step) for step in range(size)], "vertical"
            taken.update(cells)
            fleet[size] = {"point": name((x, y)), "orientation": orientation}
        if len(taken) == sum(SIZES) and taken.issubset(CELLS):
            return fleet


def shoot(hit, missed, luck):
    """A fresh cell beside a hit, or else any fresh one."""
    fresh = [cell for cell in CELLS if cell not in hit and cell not in missed]
    beside = [(x, y) for x, y in fresh if hit & {(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)}]
    return luck.choice(beside or fresh)


def name(cell):
    """The name of a cell in a request and in a reply."""
    x, y = cell
    return f"{x}{y}"


request = json.loads(sys.argv[1])
# All luck comes from BOT_SEED and the request, so that a game can be played again.
luck = random.Random(os.environ.get("BOT_SEED", "") + sys.argv[1])
if request["cmd"] == "init":
    reply = place(luck)
else:
    hit, missed = ({(int(x), int(y)) for x, y in request[key]} for key in ("hit", "missed"))
    reply = {"move": name(shoot(hit, missed, luck))}
print(json.dumps(reply))
