"""captain: one strong player for all five games. How it plays stands in strategy.py.

This file speaks the wires `brainjar`, `open` and `open-lines`. The files broadsides.py,
contest.py and xbs.py speak one more each: they turn what they are asked into questions of `open`.

All luck comes from BOT_SEED and from how far the match is, so that a game can be repeated unless
the clock has ended a search.
"""

import json
import os
import random
import sys
from itertools import chain
from pathlib import Path

from strategy import HIT, SUNK, Board, Clock, best_volley, bits, likeliest_shot, place, ship_of

USUAL_RULES = '{"columns": 8, "rows": 8, "fleet": [2, 3, 4, 5]}'  # of `brainjar`


class Match:
    """A match, as far as a process that lives through it remembers it."""

    games_over = 0


def luck_for(what, shots):
    """The luck of one reply, after this number of shots."""
    seed = os.environ.get("BOT_SEED")
    return random.Random(f"{seed} {what} {shots} {Match.games_over}" if seed else None)


def volley(asked):
    """The targets of all shots of a turn, or None to skip it. A target is a seat and a cell."""
    rules, me, present = asked["rules"], asked["seat"], asked["present"]
    clock = Clock(rules["timeout_ms"])
    boards = {seat: Board(rules) for seat in range(len(present)) if seat != me}
    points = [0] * len(present)
    for seat, target, column, row, result, ship in asked["shots"]:
        points[seat] += result in (HIT, SUNK)
        if target in boards:
            boards[target].note(column * rules["rows"] + row, result, ship)
    there = {seat: board for seat, board in boards.items() if present[seat]}
    worthwhile = {
        seat: board
        for seat, board in there.items()
        if board.hits < sum(rules["fleet"]) and board.fresh()
    }
    if rules["may_skip"] and not worthwhile:
        return None
    luck = luck_for("move", sum(board.shot.bit_count() for board in boards.values()))
    shots = []
    if worthwhile and asked["due"] == 1:
        shots = [likeliest_shot(worthwhile, luck, clock, points)]
    elif worthwhile:
        shots = best_volley(worthwhile, asked["due"], luck, clock)
    # A volley has to be whole, even if too few cells are left that are worth a shot.
    if rules["repeat"] == "illegal":
        fresh = [(seat, cell) for seat in (*there, *boards) for cell in bits(boards[seat].fresh())]
        spare = [target for target in dict.fromkeys(fresh) if target not in shots]
    else:
        every = range(rules["columns"] * rules["rows"])
        spare = [(seat, cell) for seat in there or boards for cell in every] * asked["due"]
    return (shots + spare)[: asked["due"]]


def reply_to(asked):
    """The reply to a question, or None to what is not to be answered."""
    match asked["cmd"]:
        case "init" | "move":
            return brainjar_reply_to(asked)
        case "place":
            lying = asked.get("fleet", [])  # ships, if each is asked for by itself
            fleet = place(asked["rules"], luck_for("init", len(lying)), lying)
            return {"ships": [ship_of(line, asked["rules"]["rows"]) for line in fleet]}
        case "shoot":
            shots = volley(asked)
            if shots is None:
                return {"skip": True}
            rows = asked["rules"]["rows"]
            return {"shots": [[seat, *divmod(cell, rows)] for seat, cell in shots]}
        case "refused":
            return reply_to(asked["again"])
        case "over":
            Match.games_over += 1
    return None


def brainjar_reply_to(asked):
    """The reply over the wire `brainjar`, in which a cell is "42" for column 4, row 2."""
    rules = json.loads(os.environ.get("BOT_RULES", USUAL_RULES))
    rows = rules["rows"]
    if asked["cmd"] == "init":
        fleet = [ship_of(line, rows) for line in place(rules, luck_for("init", 0))]
        return {size: {"point": f"{x}{y}", "orientation": way} for size, x, y, way in fleet}
    clock, board = Clock(rules.get("timeout_ms", 2000)), Board(rules)
    sunk_sizes = [int(size) for size in asked["destroyed"]]  # one dialect has them as texts
    moves = [tuple(map(int, move)) for move in asked["moves"]]
    if not any(result == SUNK for *_, result in moves):  # the other dialect does not tell the shots
        board.sunk_sizes = sunk_sizes
    sizes = iter(sunk_sizes)
    for seat, column, row, result in moves:
        if seat == asked["you"]:
            board.note(column * rows + row, result, next(sizes, None) if result == SUNK else None)
    _, cell = likeliest_shot({0: board}, luck_for("move", board.shot.bit_count()), clock, [0])
    return {"move": "{}{}".format(*divmod(cell, rows))}


def is_shell_bot():
    """Whether it is a shell-bot of XBS: that starts in an empty folder, and speaks first."""
    return not any(Path().iterdir())


def main():
    """Speak the wire that the start shows: by an argument, the folder or the first line."""
    argument = sys.argv[1] if sys.argv[1:] else ""
    if argument.startswith("{"):
        print(json.dumps(reply_to(json.loads(argument))))
    elif argument:
        import contest

        contest.play(argument, reply_to)
    elif is_shell_bot():
        import xbs

        xbs.play(reply_to)
    elif (first := sys.stdin.readline()).startswith("INFO"):
        import broadsides

        broadsides.play(chain([first], sys.stdin), reply_to)
    else:
        for line in chain([first], sys.stdin):
            if (reply := reply_to(json.loads(line))) is not None:
                print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
