"""captain: one strong player for all five games. How it plays stands in strategy.py.

This file speaks the protocols `brainjar`, `open` and `open-lines`. The files broadsides.py,
contest.py and xbs.py put what they are told as questions of `open`.

All luck comes from BOT_SEED and from how far the match is, so that a game can be repeated. A clock
ends the draws at three quarters of the time limit, and only then is that not so.
"""

import json
import os
import random
import sys
import time
from itertools import chain
from pathlib import Path

from strategy import Board, best_shot, best_volley, bits, place, ship_of

USUAL_RULES = '{"columns": 8, "rows": 8, "fleet": [2, 3, 4, 5]}'  # of `brainjar`


def volley(asked):
    """The targets of all shots of a turn, or None to skip it."""
    rules, me, present = asked["rules"], asked["seat"], asked["present"]
    boards = {seat: Board(rules) for seat in range(len(present)) if seat != me}
    points = [0] * len(present)
    for seat, target, column, row, result, ship in asked["shots"]:
        points[seat] += result in (3, 4)
        if target in boards:
            boards[target].tell(column * rules["rows"] + row, result, ship)
    there = {seat: board for seat, board in boards.items() if present[seat]}
    afloat = {seat: board for seat, board in there.items() if board.hits < sum(rules["fleet"])}
    open_ = {seat: board for seat, board in afloat.items() if board.fresh()}
    if rules["may_skip"] and not open_:
        return None
    luck = luck_for("move", sum(board.shot.bit_count() for board in boards.values()))
    deadline = time.monotonic() + 0.00075 * rules["timeout_ms"]
    shots = []
    if open_ and asked["due"] == 1:
        shots = [best_shot(open_, luck, deadline, points)]
    elif open_:
        shots = best_volley(open_, asked["due"], luck, deadline)
    # A volley has to be whole, even if no cell is left that might be worth a shot.
    every = range(rules["columns"] * rules["rows"])
    spare = [(seat, cell) for seat in there or boards for cell in every]
    if rules["repeat"] == "illegal":
        fresh = [(s, c) for s in (*there, *boards) for c in bits(boards[s].fresh())]
        spare = [target for target in dict.fromkeys(fresh) if target not in shots]
    return (shots + spare * asked["due"])[: asked["due"]]


class Match:
    """A match: the bot remembers how many games are over."""

    games = 0  # that are over


def luck_for(what, shots):
    """With a seed all luck comes from it and from how far the match is, so that it can be
    repeated."""
    seed = os.environ.get("BOT_SEED")
    return random.Random(f"{seed} {what} {shots} {Match.games}" if seed else None)


def reply_to(asked):
    """The reply to a question, or None to what is not to be answered."""
    match asked["cmd"]:
        case "init" | "move":
            return brainjar_reply_to(asked)
        case "place":
            ships = asked.get("fleet", [])  # those that lie already, where each is asked for
            fleet = place(asked["rules"], luck_for("init", len(ships)), ships)
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
            Match.games += 1
    return None


def brainjar_reply_to(asked):
    """The reply in the protocol `brainjar`, in which a cell is "42" for column 4, row 2."""
    rules = json.loads(os.environ.get("BOT_RULES", USUAL_RULES))
    rows = rules["rows"]
    if asked["cmd"] == "init":
        fleet = [ship_of(line, rows) for line in place(rules, luck_for("init", 0))]
        return {size: {"point": f"{x}{y}", "orientation": way} for size, x, y, way in fleet}
    board, sunk = Board(rules), [int(size) for size in asked["destroyed"]]  # text in one dialect
    moves = [tuple(map(int, move)) for move in asked["moves"]]
    if not any(result == 4 for *_, result in moves):
        board.whole = sunk
    sinking = iter(sunk)
    for seat, column, row, result in moves:
        if seat == asked["you"]:
            board.tell(column * rows + row, result, next(sinking, None) if result == 4 else None)
    deadline = time.monotonic() + 0.00075 * rules.get("timeout_ms", 2000)
    _, cell = best_shot({0: board}, luck_for("move", board.shot.bit_count()), deadline, [0])
    return {"move": "{}{}".format(*divmod(cell, rows))}


def is_shell_bot():
    """Whether XBS has started it: that is in an empty folder, and the bot has the first word."""
    return not any(Path().iterdir())


def main():
    """Speak the protocol that the start shows: by an argument, the folder or the first line."""
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
