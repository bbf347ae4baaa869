"""random: shoots at any cell that it has not shot at yet.

The lowest rung of the ladder, and a whole bot on one screen. The judge starts it anew for every
move with one argument, a JSON text; it prints one JSON text and ends. A cell, "42" for column 4
and row 2, is kept as the number 402: one down is + 1, one to the right is + 100, and as no row
is 10 or 99 a step off the grid never lands on it again. The board and the ships are those of
BOT_RULES.
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


def place(luck):
    """A fleet, each legal one as likely: draw every ship by itself, and all anew on an overlap."""
    while True:
        fleet = {size: luck.choice(lines) for size, lines in LINES.items()}
        if len(set().union(*fleet.values())) == sum(fleet):
            return fleet


def shoot(hit, missed, luck):
    """Any fresh cell."""
    return luck.choice(sorted(CELLS - hit - missed))


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
