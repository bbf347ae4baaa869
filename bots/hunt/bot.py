"""hunt: shoots at random until it hits, then at cells around its hits until none is fresh.

While it searches it leaves out cells that stand alone, for few ships are that short.

It plays every game of the judge, over three wires. Over `brainjar` and `open` the judge starts it
anew for every move, with a JSON text as its argument; in `open-lines` the judge starts it once,
without an argument, and asks by lines.

A cell is kept as one number: 2004003 is column 4, row 3 on the board of player 2. A board has at
most 100 columns and rows, so a step off its grid lands on no cell.
"""

import json
import os
import random
import sys

BOARD, RIGHT, DOWN = 1_000_000, 1_000, 1
USUAL_RULES = '{"columns": 8, "rows": 8, "fleet": [2, 3, 4, 5]}'  # of `brainjar`
STEPS = (-RIGHT, -DOWN, DOWN, RIGHT)


def shoot(sea, luck):
    """A fresh cell beside a hit, or else beside another fresh one, or else any."""
    around = {cell + step for cell in sea.hit for step in STEPS} & sea.fresh
    roomy = {cell + step for cell in sea.fresh for step in STEPS} & sea.fresh
    return luck.choice(sorted(around or roomy or sea.fresh))


# From here on `random`, `hunt`, `parity` and `hunter` are the same: they read what is asked, place
# the fleet, let `shoot` choose one shot after another, and write the reply.


class Sea:
    """The boards to shoot at. ``fresh`` are the cells that nobody has shot at, and ``hit`` those of
    ships, in the order of the shots. ``sunk`` has for each ship that is known to have sunk its
    board, the cell of the last shot or None, and what was told: None, its size, or itself as in
    [3, 4, 0, "vertical"], a ship of 3 with its upper end at column 4, row 0."""

    def __init__(self, rules, boards, known, hit, sunk):
        self.rules, self.boards, self.sunk = rules, boards, sunk
        self.fresh = cells(rules, boards) - known
        self.hit = [cell for cell in hit if cell // BOARD in boards]


def cells(rules, boards):
    return {
        BOARD * board + RIGHT * column + row
        for board in boards
        for column in range(rules["columns"])
        for row in range(rules["rows"])
    }


def column_and_row(cell):
    return divmod(cell % BOARD, RIGHT)


def ships(rules, size, board=0):
    """Every way for a ship of this size to lie on a board: the range of its cells."""
    room = cells(rules, [board])
    return [
        range(cell, cell + size * step, step)
        for cell in sorted(room)
        for step in (DOWN, RIGHT)
        if cell + (size - 1) * step in room
    ]


def place(rules, luck):
    """A fleet, each legal one as likely: draw every ship by itself, and all anew on an overlap."""
    ways = [ships(rules, size) for size in rules["fleet"]]
    for _ in range(1000):
        fleet = [luck.choice(one) for one in ways]
        if len(set().union(*fleet)) == sum(rules["fleet"]):
            return fleet
    # The board is so full that nearly all draws overlap.
    return fill(sorted(ways, key=lambda one: -len(one[0])), set(), luck)


def fill(ways, taken, luck):
    """Ships one by one, each where no other lies; None if there is no room for all of them."""
    if not ways:
        return []
    for ship in luck.sample(ways[0], len(ways[0])):
        if taken.isdisjoint(ship):
            others = fill(ways[1:], taken.union(ship), luck)
            if others is not None:
                return [ship, *others]
    return None


def volley(asked):
    """The cells for all shots of a turn, or None to skip it."""
    rules, present = asked["rules"], asked["present"]
    others = [seat for seat in range(len(present)) if seat != asked["seat"]]
    known, hit, sunk = set(), [], []
    for _, board, column, row, result, ship in asked["shots"]:
        cell = BOARD * board + RIGHT * column + row
        if board in others and cell not in known:  # a repeat may be told as a miss
            known.add(cell)
            if result in (3, 4):
                hit.append(cell)
            if result == 4:
                sunk.append((board, cell, ship))
    there = [seat for seat in others if present[seat]]
    hits = [cell // BOARD for cell in hit]
    afloat = [seat for seat in there if hits.count(seat) < sum(rules["fleet"])]
    sea = Sea(rules, afloat, known, hit, sunk)
    if rules["may_skip"] and not sea.fresh:
        return None
    luck, shots = luck_for("move", known), []
    for _ in range(asked["due"]):
        if not sea.fresh:  # no ship is left to hit, and the volley has to be whole
            sea.fresh = cells(rules, there or others)
            if rules["repeat"] == "illegal":
                sea.fresh = sea.fresh - known or cells(rules, others) - known
        cell = shoot(sea, luck)
        sea.fresh.remove(cell)
        known.add(cell)
        shots.append(cell)
    return shots


def luck_for(what, known):
    """With a seed all luck comes from it and from how far the game is, so that it can be
    repeated."""
    seed = os.environ.get("BOT_SEED")
    return random.Random(f"{seed} {what} {len(known)}" if seed else None)


def reply_to(asked):
    """The reply to a question, or None to what is not to be answered."""
    match asked["cmd"]:
        case "init" | "move":
            return brainjar_reply_to(asked)
        case "place":
            fleet = place(asked["rules"], luck_for("init", ()))
            return {"ships": [[len(s), *column_and_row(s[0]), orientation(s)] for s in fleet]}
        case "shoot":
            shots = volley(asked)
            if shots is None:
                return {"skip": True}
            return {"shots": [[cell // BOARD, *column_and_row(cell)] for cell in shots]}
        case "refused":
            return reply_to(asked["again"])
    return None


def brainjar_reply_to(asked):
    """The reply over the wire `brainjar`, in which a cell is "42" for column 4, row 2."""
    rules = json.loads(os.environ.get("BOT_RULES", USUAL_RULES))
    if asked["cmd"] == "init":
        fleet = place(rules, luck_for("init", ()))
        return {len(s): {"point": name(s[0]), "orientation": orientation(s)} for s in fleet}
    hit, missed = ([RIGHT * int(x) + int(y) for x, y in asked[key]] for key in ("hit", "missed"))
    known = {*hit, *missed}
    sunk = [(0, None, int(size)) for size in asked["destroyed"]]  # text in one dialect
    return {"move": name(shoot(Sea(rules, [0], known, hit, sunk), luck_for("move", known)))}


def name(cell):
    return "{}{}".format(*column_and_row(cell))


def orientation(ship):
    return "vertical" if ship.step == DOWN else "horizontal"


def main():
    if len(sys.argv) > 1:
        print(json.dumps(reply_to(json.loads(sys.argv[1]))))
        return
    for line in sys.stdin:
        reply = reply_to(json.loads(line))
        if reply is not None:
            print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
