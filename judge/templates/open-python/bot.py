"""A Battleships bot for every game of the judge: ships at random, shots beside its hits.

It speaks three wires. Over `brainjar` and `open` the judge starts the bot anew for every move,
with a JSON text as its argument. In `open-lines` the judge starts the bot once, without an
argument, and writes JSON texts to its stdin, one a line. `judge guide wires` says what these
texts hold.

A ship is a list as in [3, 4, 0, "vertical"]: its size, the column and the row of its left or upper
end, and how it lies. A cell is (player, column, row), on the board of that player.
"""

import json
import os
import random
import sys

# The rules of `brainjar`, if BOT_RULES is not set.
USUAL_RULES = '{"columns": 8, "rows": 8, "fleet": [2, 3, 4, 5]}'


# How it plays: what to change first.


def place(rules, luck):
    """A fleet: every ship somewhere on free cells, the longest first."""
    while True:
        fleet, free = [], set(board(rules, 0))
        for size in sorted(rules["fleet"], reverse=True):
            ships = [
                [size, column, row, way]
                for _, column, row in sorted(free)
                for way in ("horizontal", "vertical")
                if free.issuperset(cells_of([size, column, row, way]))
            ]
            if not ships:
                break  # no room is left for it: begin again
            fleet.append(luck.choice(ships))
            free.difference_update(cells_of(fleet[-1]))
        else:
            return fleet


def shoot(fresh, hit, luck):
    """One of the fresh cells: one beside a hit, or else any."""
    beside = [
        (player, column, row)
        for player, column, row in fresh
        if (player, column - 1, row) in hit
        or (player, column + 1, row) in hit
        or (player, column, row - 1) in hit
        or (player, column, row + 1) in hit
    ]
    return luck.choice(sorted(beside or fresh))


# Boards and ships.


def board(rules, player):
    """All cells of a player's board."""
    columns, rows = range(rules["columns"]), range(rules["rows"])
    return [(player, column, row) for column in columns for row in rows]


def cells_of(ship):
    """The cells of a ship of player 0."""
    size, column, row, way = ship
    if way == "horizontal":
        return [(0, column + i, row) for i in range(size)]
    return [(0, column, row + i) for i in range(size)]


# The wires `open` and `open-lines`.


def reply_to(asked, luck):
    """The reply; None if the judge only tells something."""
    if asked["cmd"] in ("init", "move"):
        return brainjar_reply_to(asked, luck)
    if asked["cmd"] == "place":
        return {"ships": place(asked["rules"], luck)}
    if asked["cmd"] == "shoot":
        shots = volley(asked, luck)
        return {"skip": True} if shots is None else {"shots": shots}
    if asked["cmd"] == "refused":  # the last reply was against the rules
        return reply_to(asked["again"], luck)
    return None


def volley(asked, luck):
    """As many shots as are due, or None to skip the turn."""
    rules, present = asked["rules"], asked["present"]
    told = {}
    for _, player, column, row, result, _ in asked["shots"]:
        # If a cell is shot at again, only its first result is sure to be true.
        told.setdefault((player, column, row), result)
    hit = {cell for cell in told if told[cell] in (3, 4)}
    others = [player for player in range(len(present)) if player != asked["seat"]]
    there = [player for player in others if present[player]]
    afloat = [
        player for player in there if sum(cell[0] == player for cell in hit) < sum(rules["fleet"])
    ]
    fresh = {cell for player in afloat for cell in board(rules, player) if cell not in told}
    if rules["may_skip"] and not fresh:
        return None
    shots = []
    while len(shots) < asked["due"]:
        if not fresh:  # No ship is left to hit, but the judge wants the whole volley.
            fresh = wasted(rules, there or others, others, {*told, *shots})
        shots.append(shoot(fresh, hit, luck))
        fresh.remove(shots[-1])
    return shots


def wasted(rules, there, others, shot_at):
    """Cells for shots that are due but cannot hit: all cells if repeats are legal, else fresh ones,
    if need be on boards of players who have left."""
    near = {cell for player in there for cell in board(rules, player)}
    if rules["repeat"] != "illegal":
        return near
    far = {cell for player in others for cell in board(rules, player)}
    return near - shot_at or far - shot_at


# The wire `brainjar`, in which "42" is column 4, row 2, and sizes are keys.


def brainjar_reply_to(asked, luck):
    rules = json.loads(os.environ.get("BOT_RULES", USUAL_RULES))
    if asked["cmd"] == "init":
        return {
            str(size): {"point": f"{column}{row}", "orientation": way}
            for size, column, row, way in place(rules, luck)
        }
    hit, missed = ({(0, int(x), int(y)) for x, y in asked[key]} for key in ("hit", "missed"))
    _, column, row = shoot({*board(rules, 0)} - hit - missed, hit, luck)
    return {"move": f"{column}{row}"}


# Where it begins.


def reply_to_text(text):
    # All luck comes from BOT_SEED and the question, so that a game can be played again.
    luck = random.Random(os.environ.get("BOT_SEED", "") + text)
    reply = reply_to(json.loads(text), luck)
    if reply is not None:
        print(json.dumps(reply), flush=True)


if len(sys.argv) > 1:
    reply_to_text(sys.argv[1])
else:
    for line in sys.stdin:
        reply_to_text(line.strip())
