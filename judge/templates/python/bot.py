"""A Battleships bot that places its ships at random and shoots beside its hits.

A cell, "42" for column 4 and row 2, is kept as the number 42: one down is + 1, one to the right is
+ 10, and as no digit is 8 or 9 a step off the grid never lands on it again.
"""

import json
import os
import random
import sys

SIZES = (2, 3, 4, 5)
CELLS = [10 * column + row for column in range(8) for row in range(8)]


def place(luck):
    """A fleet: every ship drawn by itself, and all of them anew if two overlap."""
    while True:
        fleet, taken = {}, set()
        for size in SIZES:
            along, across = luck.randrange(9 - size), luck.randrange(8)
            if luck.random() < 0.5:
                start, step, orientation = 10 * along + across, 10, "horizontal"
            else:
                start, step, orientation = 10 * across + along, 1, "vertical"
            taken.update(range(start, start + size * step, step))
            fleet[size] = {"point": f"{start:02}", "orientation": orientation}
        if len(taken) == sum(SIZES):
            return fleet


def shoot(hit, missed, luck):
    """A fresh cell beside a hit, or else any fresh one."""
    fresh = [cell for cell in CELLS if cell not in hit and cell not in missed]
    beside = [cell for cell in fresh if hit & {cell - 10, cell - 1, cell + 1, cell + 10}]
    return luck.choice(beside or fresh)


request = json.loads(sys.argv[1])
# All luck comes from BOT_SEED and the request, so that a game can be played again.
luck = random.Random(os.environ.get("BOT_SEED", "") + sys.argv[1])
if request["cmd"] == "init":
    reply = place(luck)
else:
    hit, missed = ({int(cell) for cell in request[key]} for key in ("hit", "missed"))
    reply = {"move": f"{shoot(hit, missed, luck):02}"}
print(json.dumps(reply))
